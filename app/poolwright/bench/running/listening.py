"""Who listens while a repeat runs: keeps what is printed, tells of progress, and ends it at a limit of the budget."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from poolwright.bench.running.budget import RunBudget
from poolwright.bench.running.output import RunnerOutput, figures_of
from poolwright.machine.fio.line import FioLine
from poolwright.machine.samples import Sample

_TELL_SECONDS = 0.5
_TEMPERATURE = re.compile(
    rb"^@hwmon (?:drivetemp|nvme|smartctl)(?:-(\S+))?-temp1 [0-9. ]+\n([0-9]{1,7})\n", re.MULTILINE
)
_BEHIND = 256  # a piece of the sampler may come in two


class LiveReader(Protocol):
    """What reads a tool's output while it comes."""

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        """Take what was printed next and return the numbers that are whole now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatFigures:
    """How far a repeat is: s since it began, bytes written by it, the hottest disk, and the s left where known."""

    seconds: float
    written_bytes: int
    celsius: float | None = None
    seconds_left: float | None = None


class Listening:
    """Hears the runner (place 0) and those beside it. ``reached`` is the sentence of a limit, once there is one.

    ``asked_bytes`` is how much a program copies that tells it in words (dd), of which ``writes`` says whether it is
    written. ``spent`` are the s and bytes of the run before this repeat; ``disks`` the kernel's names of those whose
    warmth counts, where they are known: else all of the machine.
    """

    def __init__(
        self,
        budget: RunBudget,
        spent: tuple[float, int],
        moved: Callable[[RepeatFigures], None],
        sampled: Callable[[tuple[Sample, ...]], None],
        live: dict[int, LiveReader],
        disks: frozenset[str] = frozenset(),
        *,
        asked_bytes: int | None = None,
        writes: bool = True,
    ) -> None:
        self.output = RunnerOutput()
        self.beside: dict[int, bytearray] = {}
        self.reached: str | None = None
        self._budget, self._spent, self._moved, self._sampled, self._live = budget, spent, moved, sampled, live
        self._disks = disks
        self._asked_bytes, self._writes = asked_bytes, writes
        self._began = time.monotonic()
        self._told = 0.0
        self._reports = 0
        self._looked: dict[int, int] = {}
        self.figures = RepeatFigures(seconds=0.0, written_bytes=0)
        self._celsius: float | None = None

    def hear(self, place: int, chunk: bytes) -> None:
        """Keep it, and hand it to who reads it live."""
        if place == 0:
            self.output.feed(chunk)
        else:
            self.beside.setdefault(place, bytearray()).extend(chunk)
        reader = self._live.get(place)
        samples = reader.feed(chunk) if reader is not None else ()
        if samples:
            self._sampled(samples)

    def enough(self) -> bool:
        """Tell whether a limit is reached; tells of progress as well, twice a second."""
        now = time.monotonic()
        if now - self._told >= _TELL_SECONDS:
            self._told = now
            self._look(now - self._began)
        return self.reached is not None

    def _look(self, seconds: float) -> None:
        written, left = self.figures.written_bytes, self.figures.seconds_left
        if self.output.reports > self._reports:
            self._reports = self.output.reports
            written, left = figures_of(self.output.report)
        elif not self._reports and isinstance(line := self._live.get(0), FioLine):  # a report knows it to the byte
            written, left = line.written_bytes, line.seconds_left
        elif self._asked_bytes is not None and (copied := self.output.copied):
            written = copied if self._writes else 0
            left = max(0.0, seconds * (self._asked_bytes / copied - 1))
        self._celsius = self._warmest()
        self.figures = RepeatFigures(seconds=seconds, written_bytes=written, celsius=self._celsius, seconds_left=left)
        self.reached = self._budget.reached(
            seconds=self._spent[0] + seconds, written_bytes=self._spent[1] + written, celsius=self._celsius
        )
        self._moved(self.figures)

    def _warmest(self) -> float | None:
        warm: list[float] = []
        for place, kept in self.beside.items():
            begin, self._looked[place] = max(0, self._looked.get(place, 0) - _BEHIND), len(kept)
            found = _TEMPERATURE.findall(kept, begin)
            warm += [int(milli) / 1000 for disk, milli in found if self._counts(disk.decode("utf-8", "replace"))]
        return max(warm, default=self._celsius)

    def _counts(self, disk: str) -> bool:
        return not (disk and self._disks) or disk in self._disks

    def end(self) -> None:
        self._look(time.monotonic() - self._began)
