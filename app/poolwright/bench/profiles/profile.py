"""A profile and its tests as values: what is asked of the pool, by which jobs, and what answers it."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.units import parse_size
from poolwright.machine.fio.jobs import LOG_MILLISECONDS
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


# A test as the text that its program takes: to be run in a directory of its own, with all names relative to it.

LOG_NAME = "log"
_LOGS: JobOptions = (
    ("write_bw_log", LOG_NAME),
    ("write_iops_log", LOG_NAME),
    ("write_lat_log", LOG_NAME),
    ("log_avg_msec", str(LOG_MILLISECONDS)),
)
# From issue to completion: where ZFS answers libaio, all the time goes by before fio calls an operation submitted.
_WHOLE_TIME: JobOptions = (("lat_percentiles", "1"), ("clat_percentiles", "0"))


def job_text(test: BenchTest, seed: int) -> str:
    """Return what one repeat is told: a fio job file; for dd its operands, for bonnie++ its options, a call a line.

    ``seed`` is another one in each repeat, so that none meets the blocks or the order of the last.
    """
    if test.engine is Engine.DD:
        return "".join(" ".join(f"{name}={value}" for name, value in job.options) + "\n" for job in test.jobs)
    if test.engine is Engine.BONNIE:
        return "".join(" ".join(f"{name} {value}".strip() for name, value in job.options) + "\n" for job in test.jobs)
    usual = {"randrepeat": "0", "randseed": str(seed), "group_reporting": "1"}
    options = usual | dict(_LOGS) | dict(_WHOLE_TIME) | dict(test.options)
    return sections_text(tuple(options.items()), tuple((job.name, job.options) for job in test.jobs))


def fio_bytes(text: str) -> int:
    """Return a size as fio reads it: the largest of a range, and every unit of 1024s. Raises UserError."""
    number = text.split(",", maxsplit=1)[0].rsplit("-", maxsplit=1)[-1].strip()
    return int(number) if number.isdigit() else parse_size(number.lower().removesuffix("b").removesuffix("i"))


def sections_text(shared: JobOptions, jobs: tuple[tuple[str, JobOptions], ...]) -> str:
    lines = ["[global]", *_lines(shared)]
    for name, options in jobs:
        lines += ["", f"[{name}]", *_lines(options)]
    return "\n".join([*lines, ""])


def _lines(options: JobOptions) -> list[str]:
    return [f"{name}={value}" for name, value in options]
