"""What is not asked by fio in a directory: dd, bonnie++, the disks themselves, and the paper's volumes."""

from dataclasses import replace

from poolwright.bench.profiles.access import Access, BenchSetup
from poolwright.bench.profiles.knowledge import cache_proof, most_cached, note, zfs_facts
from poolwright.bench.record import BenchJob, BenchTest, Engine
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, KIB, MIB, binary
from poolwright.predict.measured_runs import Metric
from poolwright.texts import _

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
    proof = cache_proof(place, MIB, size, asks=False)
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
        jobs=tuple(
            BenchJob(name=_job_name(number, disk, "outer"), options=_zone(disk, 0.0))
            for number, disk in enumerate(ready, start=1)
        ),
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
    jobs = tuple(
        BenchJob(name=_job_name(number, disk, zone), options=(("stonewall", "1"), *_zone(disk, share)))
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


def _job_name(number: int, disk: Disk, zone: str) -> str:
    serial = "".join(c for c in disk.serial or "" if c.isalnum())
    return "-".join(part for part in (f"{number}", serial, zone) if part)


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
