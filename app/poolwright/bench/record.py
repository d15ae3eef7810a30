"""A run as values: its profile and tests, the place where it was made, and everything that was measured there."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from poolwright.domain.measurement import Direction, Measurement, Recorded
from poolwright.domain.units import parse_size
from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import quote
from poolwright.machine.fio.jobs import LOG_MILLISECONDS
from poolwright.predict.measured_runs import Metric
from poolwright.texts import _

# A profile and its tests as values: what is asked of the pool, by which jobs, and what answers it.


class Engine(StrEnum):
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

    @property
    def job_options(self) -> tuple[dict[str, str], ...]:
        return tuple(dict(self.options) | dict(job.options) for job in self.jobs)


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
    if (sign := {Engine.DD: "=", Engine.BONNIE: " "}.get(test.engine)) is not None:
        calls = (" ".join(f"{name}{sign}{value}".strip() for name, value in job.options) for job in test.jobs)
        return "".join(f"{call}\n" for call in calls)
    usual = {"randrepeat": "0", "randseed": str(seed), "group_reporting": "1"}
    options = usual | dict(_LOGS) | dict(_WHOLE_TIME) | dict(test.options)
    lines = ["[global]", *(f"{name}={value}" for name, value in options.items())]
    for job in test.jobs:
        lines += ["", f"[{job.name}]", *(f"{name}={value}" for name, value in job.options)]
    return "\n".join([*lines, ""])


def fio_bytes(text: str) -> int:
    """Return a size as fio reads it: the largest of a range, and every unit of 1024s. Raises UserError."""
    number = text.split(",", maxsplit=1)[0].rsplit("-", maxsplit=1)[-1].strip()
    return int(number) if number.isdigit() else parse_size(number.lower().removesuffix("b").removesuffix("i"))


# Where a profile is to run, and whether it may: what was found there, and each reason against it.

_OVER_NETWORK = re.compile(r"nfs|cifs|smb|ceph|glusterfs|fuse\.(?:glusterfs|sshfs|ceph)|9p")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDisk:
    """A disk of the pool: its name in ``zpool iostat``, the kernel's, serial and temperature where known.

    ``flushed`` tells whether the kernel asks it to empty its write cache ("write back"); without, what it confirms is
    taken as kept.
    """

    name: str
    kernel_name: str | None = None
    serial: str | None = None
    model: str | None = None
    rotational: bool | None = None
    bytes: int | None = None
    flushed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTarget:
    """A directory on a machine. All of ZFS is None on another filesystem, which may be measured but not judged.

    ``properties`` are the dataset's (recordsize, compression, primarycache, sync, atime, ...) as zfs prints them with
    -p. ``activity`` is a scrub, resilver, trim, expansion or removal under way; with ``autotrim`` trims belong to how
    the pool works. ``refusals`` are sentences: with one of them nothing is run. ``warnings`` go with the result.
    ``commands`` are what a person runs to have a dataset made for the run, and to take it away, exactly. ``links`` are
    the network's, with the bytes/s that each can carry. ``may_make`` tells that this user may have a dataset made below
    the one that is mounted at the directory; ``makes`` are the properties of the one that the run makes, None where it
    makes none.
    ``tools`` are those beside fio that are installed, ``volumes`` the devices of the paper's; None where nobody looked.
    """

    directory: str
    filesystem: str
    host: str
    free_bytes: int
    ram_bytes: int | None = None
    cores: int | None = None
    kernel: str | None = None
    fio: str | None = None
    dataset: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    pool: str | None = None
    pool_health: str | None = None
    pool_bytes: int | None = None
    fill_percent: int | None = None
    fragmentation_percent: int | None = None
    activity: str | None = None
    autotrim: bool | None = None
    userland: ZfsVersion | None = None
    module: ZfsVersion | None = None
    arc_most_bytes: int | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    layout: tuple[str, ...] = ()
    disks: tuple[TargetDisk, ...] = ()
    has_log: bool | None = None
    links: tuple[tuple[str, int], ...] = ()
    tools: tuple[str, ...] | None = None
    volumes: tuple[str, ...] | None = None
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    may_make: bool = False
    makes: tuple[tuple[str, str], ...] | None = None

    def property(self, name: str) -> str | None:
        return dict(self.properties).get(name)


def over_network(place: BenchTarget) -> bool:
    return _OVER_NETWORK.match(place.filesystem) is not None


def left_behind(name: str, *, dataset: bool = False) -> str:
    """Return in a sentence that the directory or dataset of a run is there yet, and what takes it away."""
    remove = "zfs destroy" if dataset else "rm -r --"  # for machines
    return _("A run left {name} behind. To remove it: {command}", name=name, command=f"{remove} {quote(name)}")


class Ended(StrEnum):
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

    @property
    def measured(self) -> tuple[Measurement, ...]:
        return () if self.application is None else self.application.measured

    def rate(self, direction: Direction) -> float | None:
        """Return the bytes/s of all jobs together that moved data this way; None where nothing tells."""
        return known_sum(one.rate for one in self.measured if one.direction is direction)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """A test with its repeats, in order. Its noise floor was taken before the first one."""

    __test__ = False  # pytest looks for tests by this beginning

    test: BenchTest
    job_file: str
    repeats: tuple[Repeat, ...]

    @property
    def whole(self) -> tuple[Repeat, ...]:
        return tuple(repeat for repeat in self.repeats if repeat.ended is Ended.WHOLE)


def known_sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


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
    place: BenchTarget
    tests: tuple[TestRun, ...]
    why: str = ""
    idle: tuple[Recorded, ...] = ()
    design: str | None = None
    seed: int = 0
    program: str = ""


# Times of a run in words.


def time_words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


# Where a sweep gains no more: the knee of a curve of rates over how much is done at once.

LEAST_GAIN = 1.05  # a step that gains less than this over all before it gains next to nothing


def is_flat(rates: Sequence[float]) -> bool:
    return len(rates) > 2 and all(rates[-n] < LEAST_GAIN * max(rates[:-n]) for n in (1, 2))


def knee_of(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the x from which on no further step gains anything, of points (x, rate) with rising x.

    None where the last step still gains, or where there are too few steps to see it.
    """
    for number, (x, rate) in enumerate(points[:-2]):
        if all(later < LEAST_GAIN * rate for __, later in points[number + 1 :]):
            return x
    return None
