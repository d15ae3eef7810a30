"""How much and how many: the thesis' standard job and clients, sweeps over jobs and queue depth, and short checks."""

from dataclasses import replace

from poolwright.bench.profiles.ground import Access, Ground
from poolwright.bench.profiles.knowledge import depth_fact
from poolwright.bench.profiles.profile import BenchJob, BenchTest, JobOptions
from poolwright.domain.errors import Refusal
from poolwright.domain.units import KIB, MIB
from poolwright.emit.fio import SEQUENTIAL_BYTES, workload_jobs
from poolwright.predict.runs import Metric
from poolwright.texts import marked, tell

THESIS_BLOCK = 128 * KIB
THESIS_JOBS = 10
# So many operations under way keep the disks of an ordinary pool busy: from here on the pool is what is measured.
ENOUGH_JOBS = 32
JOBS_STEPS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000)
DEPTH_STEPS = (1, 2, 4, 8, 16, 32, 64, 128)
_FILES = 8
_CLIENT_SECONDS = 120
# Jobs, start in s, share of all data: listing 10 has 1 x 1000 GiB, 5 x 100 GiB and 10 x 10 GiB.
_CLIENTS = (("client1", 1, 0, 1000), ("client2", 5, 30, 100), ("client3", 10, 60, 10))  # for machines
_LIBAIO: JobOptions = (("ioengine", "libaio"),)


def standard(ground: Ground) -> tuple[BenchTest, ...]:
    """Listing 9 of the thesis: 10 jobs of 128 KiB blocks by libaio, written, then read, for a minute each."""
    return tuple(
        ground.test(
            Access(
                name=name,
                title=title,
                rw=rw,
                block=THESIS_BLOCK,
                jobs=THESIS_JOBS,
                seconds=60,
                metric=metric,
                extra=_LIBAIO,
            )
        )
        for name, title, rw, metric in (
            ("write", tell("10 files written at once"), "write", Metric.SEQ_WRITE),  # for machines
            ("read", tell("10 files read at once"), "read", Metric.SEQ_READ),  # for machines
        )
    )


def clients(ground: Ground) -> tuple[BenchTest, ...]:
    """Listing 10: three clients that begin 30 s apart and write with 1, 5 and 10 jobs; sizes keep its proportions.

    All end 120 s after the first began, so that each stage of the load lasts long enough to be seen.
    """
    whole = ground.test(
        Access(name="clients", title=tell("Three clients begin one after the other"), rw="write", block=THESIS_BLOCK)
    )
    parts = sum(jobs * share for _, jobs, _, share in _CLIENTS)
    unit = whole.file_bytes // parts
    seconds = ground.wishes.seconds or _CLIENT_SECONDS
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
            options=(*kept, *_LIBAIO),
            seconds=float(seconds),
            ramp_seconds=0.0,
            files=sum(count for _, count, _, _ in _CLIENTS),
            file_bytes=whole.file_bytes // sum(count for _, count, _, _ in _CLIENTS),  # on average
        ),
    )


def _part(seconds: float, of_whole: int) -> str:
    return f"{round(of_whole * seconds * 1000 / _CLIENT_SECONDS)}ms"


def concurrency(ground: Ground) -> tuple[BenchTest, ...]:
    """Figure 23: random reads, then writes, of up to 1000 jobs at once; each sweep stops where it grows no more."""
    return tuple(
        ground.test(
            Access(
                name=f"{rw}-{jobs}",
                title=tell(title, jobs=jobs),
                rw=rw,
                block=THESIS_BLOCK,
                jobs=jobs,
                shared=True,
                seconds=20,
                ramp=3,
                x=float(jobs),
                line=tell(line),
                metric=metric,
                knee=True,
            )
        )
        for rw, line, title, metric in (
            ("randread", marked("Random reads"), marked("Random reads, {jobs} at once"), Metric.RAND_READ),
            ("randwrite", marked("Random writes"), marked("Random writes, {jobs} at once"), Metric.RAND_WRITE),
        )
        for jobs in JOBS_STEPS
    )


def depth(ground: Ground) -> tuple[BenchTest, ...]:
    """Return random reads of whole records at a queue depth of 1 to 128; on ZFS by as many threads."""
    on_zfs = ground.place.dataset is not None
    fact = depth_fact(ground.place)
    return tuple(
        ground.test(
            Access(
                name=f"depth-{step}",
                title=tell("Random reads, queue depth {depth}", depth=step),
                rw="randread",
                block=ground.record_bytes,
                jobs=step if on_zfs else 1,
                shared=True,
                seconds=20,
                ramp=3,
                x=float(step),
                line=tell("Random reads"),
                metric=Metric.RAND_READ,
                extra=(("thread", "1"),) if on_zfs else (*_LIBAIO, ("iodepth", str(step)), ("direct", "1")),
                notes=() if fact is None else (fact,),
            )
        )
        for step in DEPTH_STEPS
    )


def patterns(ground: Ground) -> tuple[BenchTest, ...]:
    """Return large blocks in order and whole records all over, each written and read."""
    return tuple(ground.test(access) for access in _four(ground, seconds=30, ramp=5))


def _four(ground: Ground, *, seconds: float, ramp: float) -> tuple[Access, ...]:
    record = ground.record_bytes
    return tuple(
        Access(
            name=name,
            title=title,
            rw=rw,
            block=block,
            jobs=jobs,
            over=_FILES if jobs > _FILES else None,
            seconds=seconds,
            ramp=ramp,
            metric=metric,
        )
        for name, title, rw, block, jobs, metric in (
            ("write", tell("Files written in order"), "write", SEQUENTIAL_BYTES, _FILES, Metric.SEQ_WRITE),
            ("read", tell("Files read in order"), "read", SEQUENTIAL_BYTES, _FILES, Metric.SEQ_READ),
            ("randread", tell("Records read all over"), "randread", record, ENOUGH_JOBS, Metric.RAND_READ),
            ("randwrite", tell("Records written all over"), "randwrite", record, ENOUGH_JOBS, Metric.RAND_WRITE),
        )  # for machines
    )


SANITY_BYTES = 1 << 29
# What one of its repeats writes at most: on a fast pool it ends before its time.
_SANITY_WRITTEN, _SANITY_SYNCED = 1 << 30, 1 << 29


def sanity(ground: Ground) -> tuple[BenchTest, ...]:
    """Return four short tests of little data: whether something is badly wrong, within two minutes."""
    small = min(SANITY_BYTES, ground.data_bytes)
    wide = [replace(access, data=small) for access in _four(ground, seconds=3, ramp=1)]
    write, read, randread, _ = wide
    # Longer than the others and yet too short to be judged: memory takes a good part of such writes.
    write = replace(write, seconds=6, metric=None, ends=min(_SANITY_WRITTEN, 2 * small))
    synced = Access(
        name="sync",
        title=tell("Writes that wait for the disk"),
        rw="randwrite",
        block=ground.record_bytes,
        jobs=_FILES,
        data=small,
        sync=True,
        metric=Metric.SYNC_WRITE,
        seconds=3,
        ramp=1,
        ends=min(_SANITY_SYNCED, small),
    )
    return tuple(ground.test(access) for access in (write, read, randread, synced))


def of_design(ground: Ground) -> tuple[BenchTest, ...]:
    """Return what the design's workload says of itself, as the exported job file asks it."""
    if ground.design is None:
        raise Refusal(tell("This profile is made from a design"), todo=tell("Open a design, or name one by --design."))
    metrics = {"write": Metric.SEQ_WRITE, "read": Metric.SEQ_READ}
    return tuple(
        ground.test(
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
        for job in workload_jobs(ground.design.workload)
    )
