"""The profiles that come with the program, by what they ask of the pool: what fio asks in a directory (how much and
how many, a pool that fills, what properties and devices do), and what is asked otherwise: dd, bonnie++, the disks
themselves, and the paper's volumes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from poolwright.bench.hardware import hardware_of
from poolwright.bench.profiles import access as accesses
from poolwright.bench.profiles.access import Access, BenchSetup, most_cached, note, percent_bytes, zfs_facts
from poolwright.bench.record import BenchJob, BenchTarget, BenchTest, Engine, time_words
from poolwright.design.roles.cache import cache_fill_rate
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, KIB, MIB, binary, parse_size
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.fio import SEQUENTIAL_BYTES, workload_jobs
from poolwright.predict.measured_runs import Metric
from poolwright.texts import _

THESIS_BLOCK = 128 * KIB
THESIS_JOBS = 10
_AS_LISTED = ("rw", "jobs", "shared_files", "shared", "seconds", "ramp", "sync", "compress", "stops_at_knee")
_CLIENT_SECONDS = 120
# Jobs, start in s, share of all data: listing 10 has 1 x 1000 GiB, 5 x 100 GiB and 10 x 10 GiB.
_CLIENTS = (("client1", 1, 0, 1000), ("client2", 5, 30, 100), ("client3", 10, 60, 10))  # for machines


def _about_sync(place: BenchTarget) -> str:
    words = {True: _("yes"), False: _("no"), None: _("unknown")}
    bias, state = place.property("logbias") or "latency", place.property("sync") or "standard"
    return _("Log device: {has_log}; sync={sync}, logbias={bias}.", has_log=words[place.has_log], sync=state, bias=bias)


_WHERE: dict[str, Callable[[BenchTarget], object]] = {
    "anywhere": lambda _place: True,
    "zfs": lambda place: place.dataset is not None,
    "elsewhere": lambda place: place.dataset is None,
    "log": lambda place: place.has_log,
}
# What is to be known of a result on ZFS.
_ABOUT: dict[str, Callable[[BenchTarget], str]] = {
    "depth": lambda _place: _(
        "ZFS answers libaio and io_uring one request at a time: the queue depth is as many threads."
    ),
    "sync": _about_sync,
}


def listed(entries: Sequence[Mapping[str, Any]], setup: BenchSetup) -> tuple[BenchTest, ...]:
    here = (entry for entry in entries if _WHERE[entry.get("where", "anywhere")](setup.place))
    return tuple(setup.test(access) for entry in here for access in _accesses(entry, setup))


def _accesses(entry: Mapping[str, Any], setup: BenchSetup) -> Iterator[Access]:
    data = min(parse_size(entry["data"]), setup.data_bytes) if "data" in entry else 0
    same = {name: entry[name] for name in _AS_LISTED if name in entry}
    about = "about" in entry and setup.place.dataset is not None
    for value in entry.get("each", (None,)):
        options = (option.partition("=") for option in entry.get("options", "").format(x=value).split())
        yield Access(
            **(same if value is None else {"jobs": value} | same),
            name=entry["name"].format(x=value),
            title=_(entry["title"], x=value),
            block=setup.record_bytes if entry["block"] == "record" else parse_size(entry["block"]),
            data=data or None,
            end_after_bytes=int(entry["ends"] * data) if "ends" in entry else None,
            x=float(value) if "line" in entry else None,
            line=_(entry["line"]) if "line" in entry else "",
            metric=Metric(entry["metric"]) if "metric" in entry else None,
            extra=tuple((name, word) for name, __, word in options),
            needs=(entry["needs"].format(dataset=setup.dataset),) if "needs" in entry else (),
            notes=(_ABOUT[entry["about"]](setup.place),) if about else (),
        )


def clients(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Listing 10: three clients that begin 30 s apart and write with 1, 5 and 10 jobs; sizes keep its proportions.

    All end 120 s after the first began, so that each stage of the load lasts long enough to be seen.
    """
    whole = setup.test(
        Access(name="clients", title=_("Three clients begin one after the other"), rw="write", block=THESIS_BLOCK)
    )
    writers = sum(count for _name, count, _start, _share in _CLIENTS)
    unit = whole.file_bytes // sum(count * share for _name, count, _start, share in _CLIENTS)
    seconds = setup.wishes.seconds or _CLIENT_SECONDS
    jobs = tuple(
        BenchJob(
            name=name,
            options=(
                ("rw", "write"),
                ("bs", str(THESIS_BLOCK)),
                ("numjobs", str(count)),
                ("new_group", "1"),
                ("size", str(max(unit * share, 2 * MIB) // THESIS_BLOCK * THESIS_BLOCK)),
                ("startdelay", _part(seconds, start)),
                ("runtime", _part(seconds, _CLIENT_SECONDS - start)),
                ("filename_format", f"{name}.$jobnum"),
            ),
        )
        for name, count, start, share in _CLIENTS
    )
    out = {"size", "filename_format", "runtime", "ramp_time", "ioengine"}
    kept = tuple((name, value) for name, value in whole.options if name not in out)
    return (
        replace(
            whole,
            jobs=jobs,
            options=(*kept, ("ioengine", "libaio")),
            seconds=float(seconds),
            ramp_seconds=0.0,
            files=writers,
            file_bytes=whole.file_bytes // writers,  # on average
        ),
    )


def _part(seconds: float, of_whole: int) -> str:
    return f"{round(of_whole * seconds * 1000 / _CLIENT_SECONDS)}ms"


def design(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Return what the design's workload says of itself, as the exported job file asks it."""
    if setup.design is None:
        raise Refusal(_("This profile is made from a design"), todo=_("Open a design, or name one by --design."))
    metrics = {"write": Metric.SEQ_WRITE, "read": Metric.SEQ_READ}
    return tuple(
        setup.test(
            Access(
                name=job.name,
                title=job.why,
                rw=job.rw,
                block=job.block_bytes,
                jobs=job.jobs,
                seconds=60,
                metric=metrics.get(job.rw),
                sync=("fsync", "1") in job.extra,
                extra=job.extra,
            )
        )
        for job in workload_jobs(setup.design.workload)
    )


# A pool that fills: measured at each level, or filled first to the level at which a profile is to measure.

FILL_STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 85, 90)
MOST_FIRST = 90  # a fuller pool has no room for the files of a profile
_SAMPLE_BYTES = 8 * GIB
Maker = Callable[[BenchSetup], tuple[BenchTest, ...]]


def _fill(rw: str, setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Figures 16 and 17: the pool filled step by step, in order (``write``) or by writes all over (``randwrite``); at
    each level a file is written, and read back.
    """
    place = setup.place
    tests: list[BenchTest] = []
    level, one_percent = float(_level_of(setup)), percent_bytes(place)
    sample = min(_SAMPLE_BYTES, (place.pool_bytes or 0) // 200)
    allowed = float("inf") if setup.wishes.most_bytes is None else 0.9 * setup.wishes.most_bytes
    for step in FILL_STEPS:
        size = int(one_percent * (step - level)) - (sample if rw != "write" else 0)
        if step <= level or size < MIB:
            continue
        allowed -= size + 2 * sample
        if allowed < 0:
            break
        level = step
        tests.append(_filled_to(setup, rw, step, size))
        for kind, line in (("write", _("Written")), ("read", _("Read back"))):
            access = Access(
                name=f"{kind}-{step}", title=_("{what}, {percent} % full", what=line, percent=step), rw=kind,
                block=SEQUENTIAL_BYTES, data=sample,
                exact=True, leaves_files=True, keeps_files=True,
                x=float(step), line=line, seconds=None, most_seconds=600, repeats=1,
            )  # fmt: skip
            tests.append(_into_own_file(setup.test(access), f"sample-{step}"))
    if not tests and allowed < 0:
        raise _too_little(setup, _("What may be written does not fill the pool by one step"))
    if not tests:
        raise Refusal(_("The pool is {percent} % full already", percent=place.fill_percent), where=place.directory)
    if allowed < 0:
        note = _("With what may be written it is filled to {percent:.0f} % only.", percent=level)
        tests[0] = replace(tests[0], notes=(note, *tests[0].notes))
    return tuple(tests)


fill, fill_random = partial(_fill, "write"), partial(_fill, "randwrite")


def _into_own_file(test: BenchTest, name: str) -> BenchTest:
    """Give a test a file of its own that nothing overwrites and nothing removes before the end."""
    out = {"filename", "filename_format", "unlink", "overwrite"}
    return replace(test, options=(("filename", name), *(option for option in test.options if option[0] not in out)))


def filled_first(make: Maker, setup: BenchSetup, percent: int) -> tuple[BenchTest, ...]:
    """Return a test that fills the pool by writes all over, and those of ``make`` as they are in what room is left.

    What fills it lies there until the end of the run. Raises Refusal where it cannot be filled so far, as `make` does.
    """
    fills = _level_of(setup)
    size = int(percent_bytes(setup.place) * (percent - fills))
    if size < MIB:
        raise Refusal(_("The pool is {percent} % full already", percent=fills), where=setup.place.directory)
    most = setup.wishes.most_bytes
    if most is not None and size >= most:
        raise _too_little(setup, _("To fill the pool to {percent} % takes {size}", percent=percent, size=binary(size)))
    first = _filled_to(setup, "randwrite", percent, size)
    place = replace(setup.place, free_bytes=max(0, setup.place.free_bytes - size), fill_percent=percent)
    wishes = replace(setup.wishes, most_bytes=None if most is None else most - size)
    return (first, *(replace(test, keeps_files=True) for test in make(replace(setup, place=place, wishes=wishes))))


def _too_little(setup: BenchSetup, what: str) -> Refusal:
    todo = _("Allow more to be written, or measure on a smaller pool.")
    return Refusal(what, where=setup.place.directory, todo=todo)


def _level_of(setup: BenchSetup) -> int:
    if setup.place.pool_bytes is None or setup.place.fill_percent is None:
        raise Refusal(
            _("The pool's fill level is not known"), where=setup.place.directory, todo=_("Name one on a pool.")
        )
    return setup.place.fill_percent


def _filled_to(setup: BenchSetup, rw: str, percent: int, size: int) -> BenchTest:
    filling = Access(
        name=f"fill-{percent}", title=_("Filled to {percent} %", percent=percent), rw=rw, block=SEQUENTIAL_BYTES,
        jobs=1, data=size, exact=True, seconds=None, most_seconds=86400, repeats=1, x=float(percent), leaves_files=True,
        keeps_files=True, line=_("Filling"),
    )  # fmt: skip
    return _into_own_file(setup.test(filling), f"fill-{percent}")


# What properties and support devices do: records, compressible data, synchronous writes, caches.

RECORD_STEPS = (8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB)
MISMATCH_BYTES = (4 * KIB, 16 * KIB)  # a database's pages
PASSES = 10
CACHED_FILES = (4 * GIB, 16 * GIB)


def recordsize(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Blocks as large as the records, as in figure 3, and small writes into large records: the deliberate mismatch.

    Another recordsize holds for files written after it was set, so that each size needs a step; only datasets have one.
    """
    tests: list[BenchTest] = []
    for size in RECORD_STEPS:
        own = size == setup.record_bytes
        if not own and setup.place.dataset is None:
            continue
        needs = () if own else (f"zfs set recordsize={size} {setup.dataset}",)
        for rw, line, metric in (("write", _("Written"), Metric.SEQ_WRITE), ("read", _("Read back"), Metric.SEQ_READ)):
            title = _("{what}, records of {size}", what=line, size=binary(size))
            access = Access(
                name=f"{rw}-{size // KIB}k", title=title, rw=rw, block=size, jobs=THESIS_JOBS, seconds=None,
                most_seconds=600, leaves_files=True, x=float(size), line=line, record=size,
                metric=metric if own else None, needs=needs,
            )  # fmt: skip
            made = setup.test(access)
            # The next one reads these files; written anew they have the recordsize that holds then.
            shared = (("filename_format", "data.$jobnum") if o[0] == "filename_format" else o for o in made.options)
            tests.append(replace(made, options=tuple(shared)))
    record = binary(setup.record_bytes)
    for block in MISMATCH_BYTES:
        access = Access(
            name=f"mismatch-{block // KIB}k",
            title=_("Writes of {block} into records of {record}", block=binary(block), record=record),
            rw="randwrite",
            block=block,
            jobs=THESIS_JOBS,
            x=float(block),
            line=_("Writes into records of {size}", size=record),
        )
        tests.append(setup.test(access))
    return tuple(tests)


def l2arc(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Figure 14: a file larger than the ARC, read all over again and again; what left the ARC may come from flash."""
    place = setup.place
    rate = accesses.parameter(place, "l2arc_write_max") or cache_fill_rate(place.module or DEFAULT_VERSION)
    out = {name: place.property(name) for name in ("primarycache", "secondarycache")}
    needs = tuple(f"zfs set {name}=all {setup.dataset}" for name, value in out.items() if value not in (None, "all"))
    arc = most_cached(setup.place)  # the file holds one and a half times as much
    wanted = min(arc * 3 // 2 if arc is not None else setup.data_bytes, setup.room_bytes)
    size = setup.shortened(wanted, timed=False)
    bare = _("No cache device is seen: the passes show memory alone.")
    filled = note("filled", rate=binary(rate), size=binary(size), time=time_words(size / rate))
    notes = (filled if hardware_of(place).has_cache else bare, _("Only what leaves the ARC goes to the cache device."))
    return tuple(
        setup.test(
            Access(
                name=f"pass-{number}", title=_("Pass {number} over the file", number=number), rw="randread",
                block=setup.record_bytes, jobs=THESIS_JOBS, shared=True, data=size, seconds=None, most_seconds=600,
                repeats=1, x=float(number), line=_("Passes over the file"), notes=notes, cached=True, needs=needs,
                extra=(("io_size", str(size // THESIS_JOBS)),),
            )
        )
        for number in range(1, PASSES + 1)
    )  # fmt: skip


def cache(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Two files, the blog's or in the same proportion what is wished. Raises Refusal where the blog's have no room."""
    kinds = (
        ("write", False, _("Written"), Metric.SEQ_WRITE),
        ("write", True, _("Written with the cache"), None),
        ("read", False, _("Read back"), Metric.SEQ_READ),
        ("read", True, _("Read back with the cache"), None),
    )
    same = Access(name="", title="", rw="", block=SEQUENTIAL_BYTES, exact=True, seconds=None, most_seconds=600)
    off = setup.place.property("primarycache") in ("metadata", "none")
    most = max(CACHED_FILES)
    largest = setup.fitting(most)
    tests = []
    for size in (max(MIB, each * largest // most // MIB * MIB) for each in CACHED_FILES):
        short = f"{size // GIB}g" if size % GIB == 0 else f"{size // MIB}m"
        for rw, with_cache, title, metric in kinds:
            needs = (f"zfs set primarycache=all {setup.dataset}",) if with_cache and off else ()
            name = f"{rw}-{short}-{'cache' if with_cache else 'no-cache'}"
            access = replace(same, name=name, title=f"{title}: {binary(size)}", rw=rw, data=size, metric=metric)
            tests.append(_as_the_cache_has_it(setup.test(replace(access, cached=with_cache, needs=needs))))
    return tuple(tests)


def _as_the_cache_has_it(test: BenchTest) -> BenchTest:
    """With the cache a write ends when memory has taken it, without an fsync; a read is warmed by one before it."""
    if test.metric is not None:
        return test
    options = tuple(option for option in test.options if option[0] != "end_fsync")
    warm = (("pre_read", "1"),) if dict(test.jobs[0].options)["rw"] == "read" else ()
    return replace(test, options=(*options, *warm))


# What is not asked by fio in a directory.

DD_BLOCKS = 10_000  # of 1 MiB, as the blog has it
ZONES = (("outer", 0.0), ("middle", 0.5), ("inner", 0.97))  # for machines
_ZONE_SECONDS = 5
PAPER_VOLUMES = 3
PAPER_VOLUME_BYTES = 10 * GIB
PAPER_RECORD_BYTES = 128 * KIB
PAPER_BLOCKS = (4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB)
PAPER_FSYNCS = (1, 5, 10, 20)
PAPER_LINE = 5  # the fsync at which its figure 10 varies the block
PAPER_DEPTH = 100
PAPER_SECONDS = 600.0
VOLUME_STEM = "poolwright-paper"


def dd(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Return the blog's two calls: 10000 blocks of 1 MiB of zeros written, and read back, three times.

    A call of dd has no end_fsync; conv=fsync is what keeps the write from ending in memory.
    """
    place, count = setup.place, max(1, setup.fitting(DD_BLOCKS * MIB) // MIB)
    size, ending = count * MIB, "" if count == DD_BLOCKS else f"-{count}"
    proof = accesses.cache_proof(place, MIB, size, asks=False)
    kind = place.property("compression") or "off"
    zeros = _("dd writes zeros, and compression={kind} takes them away: nothing reaches the disks.", kind=kind)
    fewer = _("The blog wrote {count:,} blocks: less is not compared with it.", count=DD_BLOCKS)
    notes = (proof.note, *((fewer,) if ending else ()), *((zeros,) if kind != "off" else ()), *zfs_facts(place))
    same = (("bs", "1M"), ("count", str(count)))
    write = (("if", "/dev/zero"), ("of", "data"), *same, ("conv", "fsync"), ("status", "progress"))
    read = (("if", "data"), ("of", "/dev/null"), *same, ("status", "progress"))
    return tuple(
        BenchTest(
            name=name + ending, title=title, engine=Engine.DD, jobs=(BenchJob(name=name, options=options),),
            file_bytes=size, metric=metric if kind == "off" else None, notes=notes,
            cache_proof=kind == "off" and (proof.holds or name == "write"), repeats=setup.wishes.repeats or 3,
        )
        for name, title, options, metric in (
            ("write", _("{count:,} blocks of 1 MiB written", count=count), write, Metric.SEQ_WRITE),
            ("read", _("The same read back"), read, Metric.SEQ_READ),
        )
    )  # fmt: skip


def bonnie(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """bonnie++ with a file of twice the memory and 16 (times 1024) small files, as in the blog's output."""
    place = setup.place
    memory = most_cached(place) or place.ram_bytes
    wanted = 2 * (place.ram_bytes or memory or 0)
    size = setup.shortened(min(max(wanted + MIB, 300 * MIB), setup.room_bytes), timed=False) // MIB
    proof = memory is not None and size * MIB > 2 * memory
    small = note("small-file", size=binary(size * MIB), wanted=binary(wanted))
    notes = (
        *(() if proof else (small,)),
        _("The test's value is that of blocks written; bonnie++ printed the others."),
        _("bonnie++ has one thread, which seldom fills a pool of many disks (thesis, chapter 4)."),
        *zfs_facts(place),
    )
    # -r keeps it from asking for more than fits; -x repeats are our own.
    options = (
        ("-s", str(size)),
        ("-r", str(size // 2)),
        ("-n", "16"),
        ("-m", "poolwright"),
        ("-q", ""),
    )  # for machines
    return (
        BenchTest(
            name="bonnie", title=_("bonnie++: characters, blocks, seeks, files"), engine=Engine.BONNIE,
            jobs=(BenchJob(name="bonnie", options=options),), file_bytes=size * MIB, notes=notes,
            cache_proof=proof, repeats=setup.wishes.repeats or 1,
        ),
    )  # fmt: skip


def siblings(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Each disk alone, read for 5 s at its outer, middle and inner zone, then all at once.

    The disks of the design, or those of the machine where there is none yet. Outer tracks of a hard disk hold more and
    come first. All at once shows the link that they share. fio opens them for reading only, and refuses to write
    (--readonly).
    """
    ready = [disk for disk in _candidates(setup) if _path(disk) is not None and disk.size_bytes is not None]
    if not ready:
        raise Refusal(
            _("None of the disks has a name on a machine"),
            todo=_("Read the machine's disks first, or name a design by --design."),
        )
    one_by_one = [_zones(setup, number, disk) for number, disk in enumerate(ready, start=1)]
    together = replace(
        one_by_one[0],
        name="together",
        title=_("All disks at once, outer zone"),
        jobs=tuple(replace(test.jobs[0], options=test.jobs[0].options[1:]) for test in one_by_one),  # none waits
        seconds=float(_ZONE_SECONDS),
    )
    return (*one_by_one, together)


def _candidates(setup: BenchSetup) -> tuple[Disk, ...]:
    """Return the disks of all pools of the design; where it has none placed, those that nothing uses."""
    if setup.design is None or not setup.design.used_keys():
        return setup.disks
    keys = dict.fromkeys(member.disk_key for vdev in setup.design.all_vdevs() for member in vdev.members)
    return tuple(setup.design.disk(key) for key in keys)


def _zones(setup: BenchSetup, number: int, disk: Disk) -> BenchTest:
    serial = "".join(c for c in disk.serial or "" if c.isalnum())
    jobs = tuple(
        BenchJob(
            name="-".join(part for part in (f"{number}", serial, zone) if part),
            options=(("stonewall", "1"), *_zone(disk, share)),
        )
        for zone, share in ZONES
    )
    return BenchTest(
        name=f"disk-{number}",
        title=disk.label,
        engine=Engine.SIBLINGS,
        jobs=jobs,
        options=(
            ("ioengine", "libaio"), ("iodepth", "4"), ("direct", "1"), ("bs", str(MIB)), ("time_based", "1"),
            ("runtime", str(_ZONE_SECONDS)), ("group_reporting", "0"), ("allow_file_create", "0"),
        ),
        seconds=float(_ZONE_SECONDS * len(ZONES)),
        repeats=setup.wishes.repeats or 1,
        notes=(_("The disk is opened for reading only; nothing is written to it."),),
    )  # fmt: skip


def _path(disk: Disk) -> str | None:
    name = disk.by_id_name
    return f"/dev/disk/by-id/{name}" if name is not None and not disk.planned else disk.path


def _zone(disk: Disk, share: float) -> tuple[tuple[str, str], ...]:
    path, size = _path(disk), disk.size_bytes
    assert path is not None
    assert size is not None
    at = int(size * share) // MIB * MIB
    # fio takes a colon as the end of a name.
    escaped = path.replace("\\", "\\\\").replace(":", "\\:")
    return (("filename", escaped), ("rw", "read"), ("offset", str(at)), ("size", str(int(size * 0.03) // MIB * MIB)))


def paper(setup: BenchSetup) -> tuple[BenchTest, ...]:
    """The paper's section 3: 3 zvols of 10 GB, a thread each, depth 100, an fsync after 1, 5, 10 or 20 requests.

    Its figure 10 varies the block at an fsync after 5, figures 7 and 8 the fsync at 4 KiB; 10 minutes, three times.
    """
    pool = setup.place.pool
    if pool is None:
        raise Refusal(_("The paper's volumes need a pool"), where=setup.place.directory)
    cases = [(every, PAPER_BLOCKS[0]) for every in PAPER_FSYNCS] + [(PAPER_LINE, block) for block in PAPER_BLOCKS[1:]]
    return tuple(_paper_test(setup, pool, every, block) for every, block in cases)


def _paper_test(setup: BenchSetup, pool: str, every: int, block: int) -> BenchTest:
    access = Access(
        name=f"fsync-{every}-{block // KIB}k",
        title=_("Blocks of {block}, a sync after {count}", block=binary(block), count=every),
        rw="randwrite",
        block=block,
        shared=True,
        data=PAPER_VOLUME_BYTES,
        exact=True,
        seconds=PAPER_SECONDS,
        x=float(block if every == PAPER_LINE else every),
        line=_("A sync after {count}", count=every) if every == PAPER_LINE else "",
        record=PAPER_RECORD_BYTES,
        sync=True,
        extra=(("fsync", str(every)),),
        notes=(_("O_DIRECT on a zvol passes by the page cache, not by the ARC."),),
    )
    made = setup.test(access)
    out = {"filename", "size", "overwrite", "ioengine", "direct", "unlink", "fallocate"}
    options = (*(o for o in made.options if o[0] not in out), ("ioengine", "libaio"), ("direct", "1"),
               ("iodepth", str(PAPER_DEPTH)), ("allow_file_create", "0"))  # fmt: skip
    jobs = tuple(
        BenchJob(
            name=f"volume{number}",
            options=(*made.jobs[0].options, ("filename", f"/dev/zvol/{pool}/{VOLUME_STEM}-{number}")),
        )
        for number in range(1, PAPER_VOLUMES + 1)
    )
    script = _("A script makes and removes the volumes: poolwright bench --paper-volumes.")
    return replace(
        made,
        jobs=jobs,
        options=options,
        files=0,
        file_bytes=0,
        needs=(),
        volume_bytes=PAPER_VOLUMES * PAPER_VOLUME_BYTES,
        notes=(script, *made.notes),
        cache_proof=True,
    )
