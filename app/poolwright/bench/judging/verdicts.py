"""Verdicts as values."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.steps import Estimate
from poolwright.predict.runs import Metric


class Judgement(StrEnum):
    PASSED = "pass"
    SLOWER = "slower"
    TOO_FAST = "faster than the disks can be"
    CANNOT_TELL = "cannot tell"


class Factor(StrEnum):
    """What kept a test from being faster."""

    CPU = "cpu"
    ONE_CORE = "one core"
    DISKS = "all disks"
    ONE_DISK = "one slow disk"
    LOG = "log device"
    LINK = "hba or network"
    ARC = "arc"
    NETWORK = "network"
    WRITE_CACHE = "write cache"  # confirms what it has not kept
    JOB = "the job itself"  # too few operations under way to fill anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Limiting:
    """The limiting factor with its evidence in words; ``disk`` and ``serial`` name the slow one."""

    factor: Factor
    evidence: tuple[str, ...]
    disk: str | None = None
    serial: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The repeats of one value: median with least, most and relative spread (most - least over the median)."""

    values: tuple[float, ...]
    median: float
    least: float
    most: float
    spread: float

    @property
    def known(self) -> float | None:
        """Return the relative spread where there are several repeats; that of one is not known."""
        return self.spread if len(self.values) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """What one test is expected to give, in the unit of its metric.

    ``estimate`` is None where nothing can be foretold, ``why`` then says so, and ``todo`` what would help. ``ceiling``
    is what all its disks together could not exceed, None where unknown. ``hba`` is what lies between host and disks,
    bytes/s.
    """

    test: str
    estimate: Estimate | None = None
    ceiling: float | None = None
    hba: float | None = None
    why: str = ""
    todo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestVerdict:
    """The verdict on one test. ``expected`` is the band drawn before the run, None where there is no prediction.

    ``reasons`` are likely causes, the likeliest first; ``next_steps`` what to try. ``marks`` tell what disturbed.
    ``narrows`` tells whether the value is the pool's own, so that predictions may be adapted to it; None: it was not
    looked at, and what was judged counts.
    """

    __test__ = False  # pytest looks for tests by this beginning

    test: str
    judgement: Judgement
    metric: Metric | None = None
    measured: Spread | None = None
    expected: Estimate | None = None
    limiting: Limiting | None = None
    reasons: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    narrows: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """The verdict on a run: the worst of its tests in one sentence, and each test."""

    judgement: Judgement
    sentence: str
    tests: tuple[TestVerdict, ...]
