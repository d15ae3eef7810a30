"""What a run may cost at most."""

from dataclasses import dataclass

from poolwright.domain.units import binary
from poolwright.texts import tell

# For so long the machine is watched at rest before; what is sampled each second needs two samples at least.
IDLE_SECONDS, SHORTEST_LOOK = 5.0, 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBudget:
    """Limits of a run, None where there is none: time in s, bytes written by the application, the hottest disk in °C.

    A run that reaches one is stopped; what it finished is kept.
    """

    seconds: float | None = None
    written_bytes: int | None = None
    celsius: float | None = None

    def reached(self, *, seconds: float, written_bytes: int, celsius: float | None) -> str | None:
        """Return in a sentence which limit is reached, None while there is none."""
        if self.seconds is not None and seconds >= self.seconds:
            return tell("The time allowed is used up: {seconds:.0f} s.", seconds=self.seconds)
        if self.written_bytes is not None and written_bytes >= self.written_bytes:
            return tell("The writes allowed are used up: {written}.", written=binary(self.written_bytes))
        if self.celsius is not None and celsius is not None and celsius >= self.celsius:
            return tell(
                "A disk became too warm: {celsius:.0f} °C, {most:.0f} °C are allowed.",
                celsius=celsius,
                most=self.celsius,
            )
        return None

    def falls_short(self, written_bytes: int) -> bool:
        """Tell whether so many bytes are more than may be written; what cannot be stopped in time is not begun."""
        return self.written_bytes is not None and written_bytes > self.written_bytes


NO_LIMITS = RunBudget()
