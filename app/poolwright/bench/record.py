"""A run as it is kept: where, what, how, and everything that was measured, so that it can be judged and repeated."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from poolwright.bench.profiles.profile import BenchTest, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.measurement import Recorded


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
