"""What a profile costs at most: time, bytes, room, and endurance of flash.

Nobody knows before how fast a pool is: time is reckoned as if it were slow, bytes as if it were fast.
"""

from collections.abc import Mapping

from poolwright.bench.profiles.fio_job import fio_bytes
from poolwright.bench.profiles.knowledge import most_dirty
from poolwright.bench.profiles.profile import BenchTest, Effort, Engine, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.units import GIB

SLOW_BYTES_PER_SECOND = 60e6  # a single old hard disk with parity to compute
_START_SECONDS = 2.0  # fio's own, and the removal of files
# The most that is written a second: of a disk by its kind, and in all where the disks are not known (memory's pace).
_MOST_OF_HDD, _MOST_OF_FLASH, _MOST_UNKNOWN = 300e6, 7e9, 12e9
_MOST_SYNCED_OF_ONE = 50_000  # operations a second of one writer that waits for each


def effort_of(
    profile: Profile, place: BenchPlace, rated_bytes: Mapping[str, int] | None = None, disks: int | None = None
) -> Effort:
    """Return what a profile takes at most.

    ``rated_bytes`` is what the disks with these models may have written to them in their life. ``disks`` is over how
    many the writes are spread at least (one: a mirror writes all to each).
    """
    laid: set[tuple[object, ...]] = set()
    seconds, written, read, space = 0.0, 0.0, 0.0, 0
    for test in profile.tests:
        layout = _layout_bytes(test, laid)
        size = test.file_bytes * test.files if test.engine is not Engine.SIBLINGS else 0
        space = max(space, size) if not test.keeps_files else space + layout + _new_bytes(test)
        seconds += layout / SLOW_BYTES_PER_SECOND + test.repeats * repeat_seconds(test, place)
        moved = test.repeats * _moved_bytes(test, place)
        written += layout + (moved if writes(test) else 0)
        read += moved if reads(test) else 0
    models = {disk.model for disk in place.disks if disk.model}
    rated = [total for model, total in (rated_bytes or {}).items() if model in models]
    wear = written / max(1, disks or 1) / min(rated) if rated else None
    return Effort(seconds=seconds, written_bytes=int(written), read_bytes=int(read), space_bytes=space, wear=wear)


def repeat_seconds(test: BenchTest, place: BenchPlace) -> float:
    """Return how long one repeat takes at most, s: its own time, its start, and the fsync that ends it."""
    options = _options(test)
    waits = "end_fsync" in options and not test.sync
    flush = (most_dirty(place) or GIB) / SLOW_BYTES_PER_SECOND if waits else 0.0
    if test.seconds is not None:
        # What memory holds goes out while the test runs: the fsync waits for a part of it only.
        return test.seconds + test.ramp_seconds + _START_SECONDS + min(flush, test.seconds)
    bound = float(options["runtime"].removesuffix("ms")) / 1000 if "runtime" in options else float("inf")
    return min(bound, _data_bytes(test) / SLOW_BYTES_PER_SECOND) + _START_SECONDS + flush


def writes(test: BenchTest) -> bool:
    """Tell whether a test writes beside laying out its files."""
    if test.engine is Engine.DD:
        return dict(test.jobs[0].options).get("of") == "data"
    return test.engine is Engine.BONNIE or _pattern(test) not in ("read", "randread")


def reads(test: BenchTest) -> bool:
    """Tell whether a test reads."""
    if test.engine is Engine.DD:
        return dict(test.jobs[0].options).get("if") == "data"
    return test.engine is Engine.BONNIE or _pattern(test) not in ("write", "randwrite")


def _options(test: BenchTest) -> dict[str, str]:
    return dict(test.options) | dict(test.jobs[0].options)


def _pattern(test: BenchTest) -> str:
    return _options(test).get("rw", "read")


def _layout_bytes(test: BenchTest, laid: set[tuple[object, ...]]) -> int:
    """Return what has to be written before the test can begin; files that a test before left need not be."""
    options = _options(test)
    if test.engine is not Engine.FIO or (writes(test) and "overwrite" not in options):
        return 0
    key = (test.file_bytes, test.files, test.compress_percent, test.record_bytes)
    if key in laid:
        return 0
    if not test.keeps_files:
        laid.clear()  # the runner begins anew where files differ
    laid.add(key)
    return test.file_bytes * test.files


def _new_bytes(test: BenchTest) -> int:
    """Return what the test leaves lying that it wrote itself."""
    return test.file_bytes * test.files if writes(test) and "overwrite" not in _options(test) else 0


def _data_bytes(test: BenchTest) -> int:
    options = _options(test)
    return (
        int(options["io_size"]) * int(options.get("numjobs", "1"))
        if "io_size" in options
        else (test.file_bytes * test.files * (2 if test.engine is Engine.BONNIE else 1))
    )


def _moved_bytes(test: BenchTest, place: BenchPlace) -> float:
    """Return what one repeat reads or writes at most."""
    if test.seconds is None:
        return _data_bytes(test) * (3 if test.engine is Engine.BONNIE else 1)
    most = _most_rate(place)
    options = _options(test)
    if test.sync:
        jobs = sum(int(dict(job.options).get("numjobs", "1")) for job in test.jobs)
        every = int(options.get("fsync", "1"))
        most = min(most, jobs * every * _MOST_SYNCED_OF_ONE * fio_bytes(options.get("bs", "4k")))
    return (test.seconds + test.ramp_seconds) * most


def _most_rate(place: BenchPlace) -> float:
    kinds = [disk.rotational for disk in place.disks]
    if not kinds or None in kinds:
        return _MOST_UNKNOWN
    return min(sum(_MOST_OF_HDD if spins else _MOST_OF_FLASH for spins in kinds), _MOST_UNKNOWN)
