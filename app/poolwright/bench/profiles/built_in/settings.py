"""What properties and support devices do: records, compressible data, synchronous writes, caches."""

from dataclasses import replace

from poolwright.bench.judging.limiting import hardware_of
from poolwright.bench.profiles.built_in.load import THESIS_JOBS
from poolwright.bench.profiles.ground import Access, Ground
from poolwright.bench.profiles.knowledge import most_cached, parameter
from poolwright.bench.record import BenchTest, time_words
from poolwright.design.roles.cache import cache_fill_rate
from poolwright.domain.units import GIB, KIB, MIB, binary
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.fio import SEQUENTIAL_BYTES
from poolwright.predict.runs import Metric
from poolwright.texts import marked, tell

RECORD_STEPS = (8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB)
MISMATCH_BYTES = (4 * KIB, 16 * KIB)  # a database's pages
SYNC_WRITERS = (1, 8, 32)
PASSES = 10
CACHED_FILES = (4 * GIB, 16 * GIB)


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


def sync(ground: Ground) -> tuple[BenchTest, ...]:
    """Writes that wait (fio's sync=1, as in figure 15) by 1, 8 and 32 writers; then past the log device, then unsafe.

    logbias=throughput goes past a separate log device without taking it out of the pool; sync=disabled shows what
    waiting costs (zfsprops(7)).
    """
    dataset, place = ground.dataset, ground.place
    plain, logged = marked("Synchronous writers: {writers}"), marked("Synchronous writers, log device: {writers}")
    past, unsafe = marked("Synchronous writers past the log: {writers}"), marked("Writers, sync=disabled: {writers}")
    states: list[tuple[str, str, str, tuple[str, ...]]] = [("", tell("Synchronous writers"), plain, ())]
    if place.has_log:
        around = f"zfs set logbias=throughput {dataset}"
        states = [
            ("", tell("With the log device"), logged, ()),
            ("-without-log", tell("Past the log device"), past, (around,)),
        ]
    if place.dataset is not None:
        states.append(("-disabled", "sync=disabled", unsafe, (f"zfs set logbias=latency sync=disabled {dataset}",)))
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
        False: tell("The pool has no separate log device."),
        None: tell("Whether the pool has a log device is not known."),
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
    bare = tell("No cache device is seen: the passes show memory alone.")
    filled = tell(
        "The cache device is filled at {rate}/s at most (l2arc_write_max): {size} take {time}.",
        rate=binary(rate),
        size=binary(size),
        time=time_words(size / rate),
    )
    notes = (
        filled if hardware_of(place).has_cache else bare,
        tell("Only what leaves the ARC goes to the cache device."),
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
    arc = most_cached(ground.place)
    wanted = min(arc * 3 // 2 if arc is not None else ground.data_bytes, ground.room_bytes)
    return ground.shortened(wanted, timed=False)


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
                    name=f"{rw}-{_size_name(size)}-{'cache' if with_cache else 'no-cache'}",
                    title=tell(title, size=binary(size)),
                    rw=rw,
                    block=SEQUENTIAL_BYTES,
                    data=size,
                    exact=True,
                    seconds=None,
                    most_seconds=600,
                    cached=with_cache,
                    metric=metric,
                    needs=(f"zfs set primarycache=all {ground.dataset}",) if with_cache and out else (),
                )
            )
        )
        for size in _cached_files(ground)
        for rw, with_cache, title, metric in kinds
    )


def _cached_files(ground: Ground) -> tuple[int, ...]:
    """Return the sizes of the two files: the blog's, or in the same proportion what is wished.

    Raises Refusal where the blog's have no room.
    """
    most = max(CACHED_FILES)
    largest = ground.fitting(most)
    return tuple(max(MIB, size * largest // most // MIB * MIB) for size in CACHED_FILES)


def _size_name(size: int) -> str:
    return f"{size // GIB}g" if size % GIB == 0 else f"{size // MIB}m"


def _as_the_cache_has_it(test: BenchTest) -> BenchTest:
    """With the cache a write ends when memory has taken it, without an fsync; a read is warmed by one before it."""
    if test.metric is not None:
        return test
    options = tuple(option for option in test.options if option[0] != "end_fsync")
    warm = (("pre_read", "1"),) if dict(test.jobs[0].options)["rw"] == "read" else ()
    return replace(test, options=(*options, *warm))
