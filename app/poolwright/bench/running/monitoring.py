"""Who listens while a repeat runs: keeps what is printed, tells of progress, and ends it at a limit of the budget."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from poolwright.domain.units import binary
from poolwright.machine.fio.live import FioLine
from poolwright.machine.samples import Sample
from poolwright.texts import _

# What the runner prints, taken apart as it comes: fio's reports, of which the last is kept, and the files after.

_END_OF_REPORT = b"\n}\n"
_BEGIN_OF_REPORT = re.compile(rb"(?:\A|[\r\n])(?=\{\n)")  # fio's line for people is written over itself
_FIRST_FILE = re.compile(rb"(?:\A|\n)@(?:file|end) ")
_FILE = re.compile(rb"\n?@file (\S+) ([0-9]{1,12})\n")
# What dd copied so far, with status=progress.
_COPIED = re.compile(rb"(?:\A|[\r\n])([0-9]{1,19}) bytes [^\r\n]{0,80}")
_OUTPUT_BEHIND = 64  # so many bytes of what was heard may be the beginning of a line of the runner


class RunnerOutput:
    """Reports every second would fill the memory in an hour: fio's are running averages, so that the last one holds."""

    def __init__(self) -> None:
        self.report = b""
        self.reports = 0
        self._text = bytearray()
        self._rest = bytearray()
        self._in_files = False

    def feed(self, chunk: bytes) -> None:
        self._rest += chunk
        while not self._in_files and (end := self._rest.find(_END_OF_REPORT)) >= 0:
            whole = bytes(self._rest[: end + len(_END_OF_REPORT)])
            del self._rest[: len(whole)]
            found = _BEGIN_OF_REPORT.search(whole)
            begin = found.end() if found is not None else 0
            self._text += whole[:begin]
            self.report, self.reports = whole[begin:], self.reports + 1
        self._in_files = (
            self._in_files
            or _FIRST_FILE.search(self._rest, max(0, len(self._rest) - len(chunk) - _OUTPUT_BEHIND)) is not None
        )

    @property
    def text(self) -> bytes:
        first = _FIRST_FILE.search(self._rest)
        return bytes(self._text + self._rest[: first.start() if first else len(self._rest)])

    @property
    def copied(self) -> int:
        found = _COPIED.findall(self.text[-4 * _OUTPUT_BEHIND :])
        return int(found[-1]) if found else 0

    def files(self) -> tuple[tuple[str, bytes], ...]:
        first = _FIRST_FILE.search(self._rest)
        found: list[tuple[str, bytes]] = []
        at = first.start() if first else len(self._rest)
        while match := _FILE.match(self._rest, at):
            at = match.end() + int(match.group(2))
            found.append((match.group(1).decode("utf-8", "replace"), bytes(self._rest[match.end() : at])))
        return tuple(found)


def figures_of(report: bytes) -> tuple[int, float | None]:
    """Return what a report of fio says of its jobs: bytes written so far, and the s left where it knows them."""
    try:
        document: Any = json.loads(report)
        jobs = document["jobs"]
        written = sum(int(job["write"]["io_bytes"]) for job in jobs)
        left = [float(job["eta"]) for job in jobs if job.get("eta") is not None]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0, None
    most = max(left, default=None)
    return written, most if most is not None and most < 1e7 else None  # it prints 2147483647 where it does not know


# What a run may cost at most.

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
        if self.seconds is not None and seconds >= self.seconds:
            return _("The time allowed is used up: {seconds:.0f} s.", seconds=self.seconds)
        if self.written_bytes is not None and written_bytes >= self.written_bytes:
            return _("The writes allowed are used up: {written}.", written=binary(self.written_bytes))
        if self.celsius is not None and celsius is not None and celsius >= self.celsius:
            return _(
                "A disk is too warm: {celsius:.0f} °C, {most:.0f} °C are allowed.", celsius=celsius, most=self.celsius
            )
        return None


NO_LIMITS = RunBudget()


_TELL_SECONDS = 0.5
_TEMPERATURE = re.compile(
    rb"^@hwmon (?:drivetemp|nvme|smartctl)(?:-(\S+))?-temp1 [0-9. ]+\n([0-9]{1,7})\n", re.MULTILINE
)
_BEHIND = 256  # a piece of the sampler may come in two


class LiveReader(Protocol):
    def feed(self, chunk: bytes) -> tuple[Sample, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatFigures:
    """How far a repeat is: s since it began, bytes written by it, the hottest disk, and the s left where known."""

    seconds: float
    written_bytes: int
    celsius: float | None = None
    seconds_left: float | None = None


@dataclass(slots=True, eq=False)
class Listening:
    """Hears the runner (place 0) and those beside it. ``reached`` is the sentence of a limit, once there is one.

    ``asked_bytes`` is how much a program copies that tells it in words (dd), of which ``writes`` says whether it is
    written. ``spent`` are the s and bytes of the run before this repeat; ``disks`` the kernel's names of those whose
    warmth counts, where they are known: else all of the machine.
    """

    budget: RunBudget
    spent: tuple[float, int]
    moved: Callable[[RepeatFigures], None]
    sampled: Callable[[tuple[Sample, ...]], None]
    live: dict[int, LiveReader]
    disks: frozenset[str] = frozenset()
    asked_bytes: int | None = None
    writes: bool = True
    output: RunnerOutput = field(default_factory=RunnerOutput)
    beside: dict[int, bytearray] = field(default_factory=dict)
    reached: str | None = None
    figures: RepeatFigures = field(default_factory=partial(RepeatFigures, seconds=0.0, written_bytes=0))
    began: float = field(default_factory=time.monotonic)
    told: float = 0.0
    reports: int = 0
    looked: dict[int, int] = field(default_factory=dict)

    def hear(self, place: int, chunk: bytes) -> None:
        if place == 0:
            self.output.feed(chunk)
        else:
            self.beside.setdefault(place, bytearray()).extend(chunk)
        reader = self.live.get(place)
        samples = reader.feed(chunk) if reader is not None else ()
        if samples:
            self.sampled(samples)

    def enough(self) -> bool:
        """Tell whether a limit is reached; tells of progress as well, twice a second."""
        now = time.monotonic()
        if now - self.told >= _TELL_SECONDS:
            self.told = now
            self._look(now - self.began)
        return self.reached is not None

    def _look(self, seconds: float) -> None:
        written, left = self.figures.written_bytes, self.figures.seconds_left
        if self.output.reports > self.reports:
            self.reports = self.output.reports
            written, left = figures_of(self.output.report)
        elif not self.reports and isinstance(line := self.live.get(0), FioLine):  # a report knows it to the byte
            written, left = line.written_bytes, line.seconds_left
        elif self.asked_bytes is not None and (copied := self.output.copied):
            written = copied if self.writes else 0
            left = max(0.0, seconds * (self.asked_bytes / copied - 1))
        celsius = self._warmest()
        self.figures = RepeatFigures(seconds=seconds, written_bytes=written, celsius=celsius, seconds_left=left)
        self.reached = self.budget.reached(
            seconds=self.spent[0] + seconds, written_bytes=self.spent[1] + written, celsius=celsius
        )
        self.moved(self.figures)

    def _warmest(self) -> float | None:
        warm: list[float] = []
        for place, kept in self.beside.items():
            begin, self.looked[place] = max(0, self.looked.get(place, 0) - _BEHIND), len(kept)
            found = _TEMPERATURE.findall(kept, begin)
            named = ((disk.decode("utf-8", "replace"), int(milli) / 1000) for disk, milli in found)
            warm += [celsius for disk, celsius in named if not (disk and self.disks) or disk in self.disks]
        return max(warm, default=self.figures.celsius)

    def end(self) -> None:
        self._look(time.monotonic() - self.began)
