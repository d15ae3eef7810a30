"""A clock that somebody sets while it is read: moments as it would have told them had nobody touched it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

_SLEWED_SECONDS = 0.5  # clocks are slewed by parts of a second, and reading two of them takes a moment


@dataclass(frozen=True, slots=True)
class ClockStep:
    """From ``moment`` on (s since 1970, had nobody set it) a clock was ahead by ``ahead`` s of where it began."""

    moment: float
    ahead: float


def told_at_once(moment: float, steps: Sequence[ClockStep]) -> float:
    """Return when something was that a clock told at that moment, by the steps that it made.

    A clock that is set back tells some moments twice: the first of them is meant, since tests begin early.
    """
    ahead, begin = 0.0, -math.inf
    for step in steps:
        if begin <= moment - ahead < step.moment:
            break
        ahead, begin = step.ahead, step.moment
    return moment - ahead


@dataclass(slots=True)
class SteadyClock:
    """Takes moments in the order in which they were told, and returns them on a clock that nobody sets.

    A reading without a second clock is believed while it moves on by 0 to ``longest`` s; else it came ``usual`` s after
    the one before. ``known`` are the steps that another reader has seen: with them nothing is guessed.
    """

    usual: float = 1.0
    longest: float = math.inf
    known: Sequence[ClockStep] = ()
    steps: list[ClockStep] = field(default_factory=list)
    _ahead: float = 0.0
    _before: float | None = None
    _lead: float | None = None  # of the told time before a clock that counts from the start of the machine

    def moment(self, told: float, counted: float | None = None) -> float:
        """Return the moment; ``counted`` is the same by a clock that nobody can set."""
        if self._before is not None and self.known:
            self._follow(told)
        elif self._before is not None and counted is not None and self._lead is not None:
            by = told - counted - self._lead
            self._set(by if abs(by) > _SLEWED_SECONDS else 0.0)
        elif self._before is not None:
            gone = told - self._ahead - self._before
            self._set(0.0 if -_SLEWED_SECONDS < gone < self.longest else gone - self.usual)
        self._lead = None if counted is None else told - counted
        self._before = max(told - self._ahead, self._before or -math.inf)
        return self._before

    def _set(self, by: float) -> None:
        if by and self._before is not None:
            self._ahead += by
            self.steps.append(ClockStep(self._before, self._ahead))

    def _follow(self, told: float) -> None:
        """Go on to the known step by which this moment follows best on the one before."""
        assert self._before is not None
        follows = self._before + self.usual
        left = [step.ahead for step in self.known[len(self.steps) :]]
        ahead = [self._ahead, *left]
        best = min(range(len(ahead)), key=lambda at: abs(told - ahead[at] - follows))
        self._ahead = ahead[best]
        self.steps += self.known[len(self.steps) : len(self.steps) + best]
