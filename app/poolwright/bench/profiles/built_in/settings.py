"""What properties and support devices do: records, compressible data, synchronous writes, caches, a pool that fills."""

from dataclasses import replace

from poolwright.advise.roles.memory import cache_fill_rate
from poolwright.bench.profiles.built_in.load import THESIS_BLOCK, THESIS_JOBS
from poolwright.bench.profiles.caching import room_bytes
from poolwright.bench.profiles.ground import Access, Ground
from poolwright.bench.profiles.knowledge import most_cached, parameter
from poolwright.bench.profiles.profile import BenchTest
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, KIB, MIB, binary
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.fio_options import SEQUENTIAL_BYTES
from poolwright.predict.runs import Metric
from poolwright.texts import marked, tell

RECORD_STEPS = (8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB)
MISMATCH_BYTES = (4 * KIB, 16 * KIB)  # a database's pages
COMPRESS_STEPS = (0, 50, 80)
SYNC_WRITERS = (1, 8, 32)
PASSES = 10
CACHED_FILES = (4 * GIB, 16 * GIB)
FILL_STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 85, 90)
_SAMPLE_BYTES = 8 * GIB


def recordsize(ground: Ground) -> tuple[BenchTest, ...]:
    """Blocks as large as the records, as in figure 3, and small writes into large records: the deliberate mismatch.

    Another recordsize holds for files written after it was set, so that each size needs a step; only datasets have one.
    """
    tests: list[BenchTest] = []
    for size in RECORD_STEPS:
        own = size == ground.record_bytes
        if not own and ground.place.dataset is None:
            continue
        for rw, line, title, metric in (
            ("write", tell("Written"), marked("Written with records of {size}"), Metric.SEQ_WRITE),
            ("read", tell("Read back"), marked("The same read back, records of {size}"), Metric.SEQ_READ),
        ):
            access = Access(
                name=f"{rw}-{size // KIB}k",
                title=tell(title, size=binary(size)),
                rw=rw,
                block=size,
                jobs=THESIS_JOBS,
                seconds=None,
                most_seconds=600,
                stays=True,
                x=float(size),
                line=line,
                record=size,
                metric=metric if own else None,
                needs=() if own else (f"zfs set recordsize={size} {ground.dataset}",),
            )
            tests.append(_under_one_name(ground.test(access)))
    for block in MISMATCH_BYTES:
        access = Access(
            name=f"mismatch-{block // KIB}k",
            title=tell(
                "Writes of {block} into records of {record}", block=binary(block), record=binary(ground.record_bytes)
            ),
            rw="randwrite",
            block=block,
            jobs=THESIS_JOBS,
            x=float(block),
            line=tell("Writes into records of {size}", size=binary(ground.record_bytes)),
        )
        tests.append(ground.test(access))
    return tuple(tests)


def _under_one_name(test: BenchTest) -> BenchTest:
    """Let a test write the files that the next one reads; written anew they have the recordsize that holds then."""
    options = tuple(("filename_format", "data.$jobnum") if o[0] == "filename_format" else o for o in test.options)
    return replace(test, options=options)


def compressible(ground: Ground) -> tuple[BenchTest, ...]:
    """Return files of noise, half and mostly compressible data, written and read."""
    return tuple(
        ground.test(
            Access(
                name=f"{rw}-{percent}", title=tell(title, percent=percent), rw=rw, block=THESIS_BLOCK,
                jobs=THESIS_JOBS, compress=percent, metric=metric if percent == 0 else None,
            )
        )
        for percent in COMPRESS_STEPS
        for rw, title, metric in (
            ("write", marked("Written, {percent} % compressible"), Metric.SEQ_WRITE),
            ("read", marked("Read, {percent} % compressible"), Metric.SEQ_READ),
        )
    )  # fmt: skip


def sync(ground: Ground) -> tuple[BenchTest, ...]:
    """Writes that wait (fio's sync=1, as in figure 15) by 1, 8 and 32 writers; then past the log device, then unsafe.

    logbias=throughput goes past a separate log device without taking it out of the pool; sync=disabled shows what
    waiting costs (zfsprops(7)).
    """
    dataset, place = ground.dataset, ground.place
    states: list[tuple[str, str, str, tuple[str, ...]]] = [
        ("", tell("Synchronous writers"), marked("{writers} synchronous writers"), ())
    ]
    if place.has_log:
        states = [
            ("", tell("With the log device"), marked("{writers} synchronous writers, with the log device"), ()),
            ("-without-log", tell("Past the log device"), marked("{writers} synchronous writers, past the log device"),
             (f"zfs set logbias=throughput {dataset}",)),
        ]  # fmt: skip
    if place.dataset is not None:
        states.append(
            ("-disabled", "sync=disabled", marked("{writers} writers with sync=disabled"),
             (f"zfs set logbias=latency sync=disabled {dataset}",))
        )  # fmt: skip
    return tuple(
        ground.test(
            Access(
                name=f"sync-{writers}{ending}", title=tell(title, writers=writers), rw="randwrite",
                block=ground.record_bytes, jobs=writers, shared=True, sync=True, x=float(writers), line=line,
                metric=None if ending else Metric.SYNC_WRITE, needs=needs, notes=_sync_notes(ground),
            )
        )
        for ending, line, title, needs in states
        for writers in SYNC_WRITERS
    )  # fmt: skip


def _sync_notes(ground: Ground) -> tuple[str, ...]:
    place = ground.place
    told = {
        True: tell("The pool has a separate log device."),
        False: tell("The pool has no separate log device: the log lies on its data disks."),
        None: tell("Whether the pool has a separate log device is not known here."),
    }
    if place.dataset is None:
        return ()
    bias, state = place.property("logbias") or "latency", place.property("sync") or "standard"
    return (told[place.has_log], tell("sync={sync}, logbias={bias}.", sync=state, bias=bias))


def l2arc(ground: Ground) -> tuple[BenchTest, ...]:
    """Figure 14: a file larger than the ARC, read all over again and again; what left the ARC may come from flash."""
    place = ground.place
    rate = parameter(place, "l2arc_write_max") or cache_fill_rate(place.module or DEFAULT_VERSION)
    out = {name: place.property(name) for name in ("primarycache", "secondarycache")}
    needs = tuple(f"zfs set {name}=all {ground.dataset}" for name, value in out.items() if value not in (None, "all"))
    size = l2arc_bytes(ground)
    notes = (
        tell(
            "The cache device is filled at {rate}/s at most (l2arc_write_max): a file of {size} takes {minutes} "
            "minutes until it is there whole.",
            rate=binary(rate),
            size=binary(size),
            minutes=f"{size / rate / 60:.0f}",
        ),
        tell("Only what leaves the ARC goes to the cache device: with a file that fits into the ARC nothing is seen."),
    )
    return tuple(
        ground.test(
            Access(
                name=f"pass-{number}", title=tell("Pass {number} over the file", number=number), rw="randread",
                block=ground.record_bytes, jobs=THESIS_JOBS, shared=True, data=size, seconds=None, most_seconds=600,
                repeats=1, x=float(number), line=tell("Passes over the file"), notes=notes, cached=True, needs=needs,
                extra=(("io_size", str(size // THESIS_JOBS)),),
            )
        )
        for number in range(1, PASSES + 1)
    )  # fmt: skip


def l2arc_bytes(ground: Ground) -> int:
    """Return the size of the file that is read again and again: one and a half times what the ARC holds."""
    arc, room = most_cached(ground.place), room_bytes(ground.place, ground.wishes.most_bytes)
    return min(arc * 3 // 2 if arc is not None else ground.data_bytes, room)


def cached(ground: Ground) -> tuple[BenchTest, ...]:
    """Files of 4 and 16 GiB in blocks of 1 MiB, with the cache and past it, as the blog post has them."""
    kinds = (
        ("write", False, marked("{size} written, no cache"), Metric.SEQ_WRITE),
        ("write", True, marked("{size} written, with the cache"), None),
        ("read", False, marked("{size} read, no cache"), Metric.SEQ_READ),
        ("read", True, marked("{size} read, with the cache"), None),
    )
    out = ground.place.property("primarycache") in ("metadata", "none")
    return tuple(
        _as_the_cache_has_it(
            ground.test(
                Access(
                    name=f"{rw}-{size >> 30}g-{'cache' if with_cache else 'no-cache'}",
                    title=tell(title, size=binary(size)),
                    rw=rw,
                    block=SEQUENTIAL_BYTES,
                    data=_fitting(ground, size),
                    seconds=None,
                    most_seconds=600,
                    cached=with_cache,
                    metric=metric,
                    needs=(f"zfs set primarycache=all {ground.dataset}",) if with_cache and out else (),
                )
            )
        )
        for size in CACHED_FILES
        for rw, with_cache, title, metric in kinds
    )


def _fitting(ground: Ground, size: int) -> int:
    if size > ground.place.free_bytes // 2:
        raise Refusal(
            tell("Files of {size} do not fit", size=binary(size)),
            where=ground.place.directory,
            todo=tell("Half of the free space is used at most. Make room."),
        )
    return size


def _as_the_cache_has_it(test: BenchTest) -> BenchTest:
    """With the cache a write ends when memory has taken it, without an fsync; a read is warmed by one before it."""
    if test.metric is not None:
        return test
    options = tuple(option for option in test.options if option[0] != "end_fsync")
    warm = (("pre_read", "1"),) if dict(test.jobs[0].options)["rw"] == "read" else ()
    return replace(test, options=(*options, *warm))


def fill(ground: Ground) -> tuple[BenchTest, ...]:
    """Figures 16 and 17: the pool filled step by step in order; at each level a file is written, and read back."""
    return _filled(ground, "write")


def fill_randomly(ground: Ground) -> tuple[BenchTest, ...]:
    """Figures 16 and 17: the pool filled by writes all over, after which reading and writing in order are measured."""
    return _filled(ground, "randwrite")


def _filled(ground: Ground, rw: str) -> tuple[BenchTest, ...]:
    place = ground.place
    whole = place.pool_bytes
    if whole is None or place.fill_percent is None:
        raise Refusal(
            tell("How full the pool is cannot be seen here"),
            where=place.directory,
            todo=tell("Name a place on a pool."),
        )
    tests: list[BenchTest] = []
    level = float(place.fill_percent)
    for step in FILL_STEPS:
        sample = min(_SAMPLE_BYTES, whole // 200)
        size = int(whole * (step - level) / 100) - (sample if rw != "write" else 0)
        if step <= level or size < MIB:
            continue
        level = step
        filling = Access(
            name=f"fill-{step}", title=tell("Filled to {percent} %", percent=step), rw=rw, block=SEQUENTIAL_BYTES,
            jobs=1, data=size, seconds=None, most_seconds=86400, repeats=1, x=float(step), stays=True, builds=True,
            line=tell("Filling"),
        )  # fmt: skip
        tests.append(_into_own_file(ground.test(filling), f"fill-{step}"))
        for kind, line, title in (
            ("write", tell("Written"), marked("Written at {percent} %")),
            ("read", tell("Read"), marked("Read at {percent} %")),
        ):
            access = Access(
                name=f"{kind}-{step}", title=tell(title, percent=step), rw=kind, block=SEQUENTIAL_BYTES, data=sample,
                x=float(step), line=line, stays=True, builds=True, seconds=None, most_seconds=600, repeats=1,
            )  # fmt: skip
            tests.append(_into_own_file(ground.test(access), f"sample-{step}"))
    if not tests:
        raise Refusal(tell("The pool is {percent} % full already", percent=place.fill_percent), where=place.directory)
    return tuple(tests)


def _into_own_file(test: BenchTest, name: str) -> BenchTest:
    """Give a test a file of its own that nothing overwrites and nothing removes before the end."""
    out = {"filename", "filename_format", "unlink", "overwrite"}
    return replace(test, options=(("filename", name), *(option for option in test.options if option[0] not in out)))
