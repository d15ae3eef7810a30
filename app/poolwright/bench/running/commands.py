"""The commands of a run: the keeper of its directory, the runner of a repeat, and what watches beside it.

The shell files of ``shell/`` are handed to sh on the target as an argument: nothing is copied there.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources

from poolwright.bench.record import BenchTarget, Engine
from poolwright.domain.command import Command

SCRATCH = "poolwright-bench-"
SYSFS = "/sys"
# After the end of its input the keeper removes what may be many files; then it would be told to end.
_KEEPER_SECONDS = 300.0
SILENCE_SECONDS = 45.0  # a far side that heard nothing for so long has lost us
_LONGEST_SECONDS = 7 * 86400.0  # limits are the budget's; this only ends what was forgotten
(
    GONE, EXISTS, NOT_MADE, NOT_ALLOWED, NOT_WRITTEN, LEFT, NO_DISK, NO_DATASET, ELSEWHERE,
) = (66, 71, 72, 73, 74, 75, 76, 77, 78)  # fmt: skip


@cache
def _shell(name: str) -> str:
    return resources.files("poolwright.bench.running").joinpath("shell", name).read_text(encoding="utf-8")


def _sh(name: str, *arguments: str, stdin: bytes | None = None, seconds: float = _LONGEST_SECONDS) -> Command:
    return Command(argv=("sh", "-c", _shell(name), name, *arguments), stdin=stdin, timeout_seconds=seconds)


def scratch_of(directory: str, run: str) -> str:
    return f"{directory.rstrip('/')}/{SCRATCH}{run}"


def looker(directory: str) -> Command:
    return _sh("look.sh", directory, seconds=60.0)


def keeper(place: BenchTarget, run: str) -> Command:
    """Return what makes the run's directory, or its dataset, stays while it lasts, and takes it away afterwards.

    The run is over when its input ends.
    """
    properties = (f"{name}={value}" for name, value in place.makes or ())
    words = ("keep", place.directory, run, _parent(place), f"{SILENCE_SECONDS:g}", *properties)  # for machines
    return _sh("keeper.sh", *words, stdin=b"", seconds=_KEEPER_SECONDS)


def remover(place: BenchTarget, run: str) -> Command:
    return _sh("keeper.sh", "remove", place.directory, run, _parent(place), seconds=_KEEPER_SECONDS)


def _parent(place: BenchTarget) -> str:
    return place.dataset if place.makes is not None and place.dataset is not None else ""


def runner(directory: str, run: str, engine: Engine, job: str, *, alone: bool, fresh: bool) -> Command:
    """Return what runs one repeat; with ``fresh`` it begins without the files of those before.

    fio's reports (--status-interval) wait for each of its workers in turn, and one that ends meanwhile waits for the
    report and after 5 s gives up with an error (fio 3.42, backend.c: "stuck grabbing stat_sem"). So only a worker that
    is ``alone`` is asked for reports; several tell by the line that people see.
    """
    text = job.encode()
    telling = "reports" if alone else "line"  # for machines
    words = (scratch_of(directory, run), engine.value, str(len(text)), f"{SILENCE_SECONDS:g}", telling)
    words = (*words, *(("fresh",) if fresh else ()))  # for machines
    return _sh("runner.sh", *words, stdin=text)


def pause(seconds: float) -> Command:
    return Command(argv=("sleep", f"{seconds:g}"), stdin=b"", timeout_seconds=seconds + 60)


def pool_watcher(scratch: str, pool: str) -> Command:
    """Return what tells each second what each vdev and disk of the pool did, until ``scratch`` is gone.

    The first report, of the time since boot, is left out (-y); numbers are exact (-p), times in ns.
    """
    words = ("zpool", "iostat", "-T", "u", "-y", "-v", "-l", "-p", "-H", pool, "1")  # for machines
    return _sh("watching.sh", scratch, *words)


def sampler(scratch: str, pool: str | None, disks: Sequence[str] = (), sysfs: str = SYSFS) -> Command:
    """Return what tells each second what the kernel and the ARC count, and how warm disks are, as long as it lasts."""
    return _sh("watching.sh", scratch, "sh", "-c", _shell("sampler.sh"), "sampler.sh", pool or "", sysfs, *disks)
