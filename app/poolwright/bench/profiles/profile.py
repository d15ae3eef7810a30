"""A profile and its tests as values: what is asked of the pool, by which jobs, and what answers it."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.predict.runs import Metric


class Engine(StrEnum):
    """Which program does the work of a test."""

    FIO = "fio"
    DD = "dd"
    BONNIE = "bonnie++"
    SIBLINGS = "siblings"  # reading whole disks, opened read-only


class AnswerPlot(StrEnum):
    OVER_TIME = "over time"
    BARS = "bars"  # one for each test
    AGAINST_JOBS = "against jobs"
    AGAINST_DEPTH = "against queue depth"
    AGAINST_BLOCK = "against block size"
    AGAINST_FILL = "against fill level"
    PASSES = "passes"
    ZONES = "zones"  # one line a disk, outer to inner


JobOptions = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchJob:
    """One section of a fio job file. ``options`` beside those of the test stand here."""

    name: str
    options: JobOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTest:
    """One measurement, repeated ``repeats`` times, each with another seed.

    ``options`` are fio's for all ``jobs`` of it. ``file_bytes`` is the size of one file; ``files`` many are laid out
    before. ``seconds`` is how long one repeat runs, None where it ends with the data. ``x`` is the place on the
    profile's axis (jobs, depth, block bytes, fill per cent), ``line`` the name of the line that it is a mark of there.
    ``metric`` is the prediction that it is held against.
    ``keeps_files`` says that what the tests before it wrote must still lie there (a pool being filled).
    ``volume_bytes`` is the room of volumes that a script of its own makes before.
    ``needs`` are commands for a person that it rests on (a step as root, another property), each a whole line.
    ``notes`` is the knowledge of ZFS that always goes with its result.
    """

    name: str
    title: str
    jobs: tuple[BenchJob, ...]
    options: JobOptions = ()
    engine: Engine = Engine.FIO
    file_bytes: int = 0
    files: int = 1
    volume_bytes: int = 0
    seconds: float | None = None
    ramp_seconds: float = 0.0
    repeats: int = 3
    x: float | None = None
    line: str = ""
    metric: Metric | None = None
    record_bytes: int | None = None
    sync: bool = False
    compress_percent: int = 0
    cache_proof: bool = True
    stops_at_knee: bool = False
    keeps_files: bool = False
    needs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What a profile will cost, at most: time, bytes and what of a flash disk's endurance goes with them.

    ``wear`` is the share of the rated writes of the disk with the least, None where no rating is known.
    ``volume_bytes`` is the room of volumes that lie there already when it begins.
    """

    seconds: float
    written_bytes: int
    read_bytes: int
    space_bytes: int
    volume_bytes: int = 0
    wear: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A set of tests for one question. ``table`` names the measured table that its answer is compared with."""

    name: str
    title: str
    question: str
    tests: tuple[BenchTest, ...]
    plot: AnswerPlot = AnswerPlot.OVER_TIME
    table: str | None = None
    source: str = ""
    own: bool = False
