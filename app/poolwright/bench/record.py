"""A run as it is kept: where, what, how, and everything that was measured, so that it can be judged and repeated."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from poolwright.bench.profiles.profile import BenchTest, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.measurement import Recorded
from poolwright.texts import tell


class Ended(StrEnum):
    """How a run or a repeat ended; what was finished before is kept in every case."""

    WHOLE = "whole"
    CANCELLED = "cancelled"
    BUDGET = "budget"  # time, bytes or temperature
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One repeat of a test: the application's own results and the curves that were sampled beside it.

    ``application`` is what fio (dd, bonnie++) printed; ``watched`` is the pool, disks, ARC, cores and temperatures,
    in ms from the beginning of the repeat. ``files`` are the raw outputs by name.
    """

    number: int
    started: datetime
    seconds: float
    ended: Ended
    application: Recorded | None = None
    watched: tuple[Recorded, ...] = ()
    why: str = ""
    files: tuple[tuple[str, bytes], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """A test with its repeats, in order. Its noise floor was taken before the first one."""

    __test__ = False  # pytest looks for tests by this beginning

    test: BenchTest
    job_file: str
    repeats: tuple[Repeat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A profile as it was run. ``idle`` is the machine before it: load, disks and ARC without our own doing.

    ``design`` is the design as its JSON file has it, where one was open; ``seed`` the first random seed.
    """

    name: str
    started: datetime
    seconds: float
    ended: Ended
    profile: Profile
    place: BenchPlace
    tests: tuple[TestRun, ...]
    why: str = ""
    idle: tuple[Recorded, ...] = ()
    design: str | None = None
    seed: int = 0
    program: str = ""


# Times of a run in words.


def time_words(seconds: float) -> str:
    """Return a time as people say it: seconds below two minutes, minutes below two hours, hours above."""
    if seconds < 120:
        return tell("{seconds:.0f} s", seconds=seconds)
    if seconds < 7200:
        return tell("{minutes:.0f} min", minutes=seconds / 60)
    return tell("{hours:.0f} h", hours=seconds / 3600)


# Where a sweep gains no more: the knee of a curve of rates over how much is done at once.

LEAST_GAIN = 1.05  # a step that gains less than this over all before it gains next to nothing


def is_flat(rates: Sequence[float]) -> bool:
    """Tell whether the last two steps both gained next to nothing over the best before them."""
    return len(rates) > 2 and all(rates[-n] < LEAST_GAIN * max(rates[:-n]) for n in (1, 2))


def knee_of(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the x from which on no further step gains anything, of points (x, rate) with rising x.

    None where the last step still gains, or where there are too few steps to see it.
    """
    for number, (x, rate) in enumerate(points[:-2]):
        if all(later < LEAST_GAIN * rate for _, later in points[number + 1 :]):
            return x
    return None
