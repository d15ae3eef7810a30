"""Runs of a pool that was never built: each curve from a seed, so that what is judged of it is known beforehand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.verdicts import Expectation
from poolwright.bench.record import (
    BenchJob,
    BenchTarget,
    BenchTest,
    Ended,
    Profile,
    Repeat,
    RunRecord,
    TargetDisk,
    TestRun,
)
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.measurement import BenchTool, Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.domain.units import GIB, MIB, TB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.measured_runs import Calibration, MeasuredRun, Metric

BEGAN = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
_READS = (Metric.SEQ_READ, Metric.RAND_READ)


def design_of(disks: int = 8, *, vdevs: int = 1, kind: VdevKind = VdevKind.RAIDZ, parity: int = 2) -> Design:
    """Return a design of hard disks of 8 TB in equal vdevs."""
    made = tuple(
        Disk(key=f"d{n}", serial=f"SER{n}", size_bytes=8 * TB, media=Media.HDD, rotation_rpm=7200) for n in range(disks)
    )
    width = disks // vdevs
    return Design(
        key="made",
        name="Made",
        pool_name="tank",
        disks=made,
        vdevs=tuple(
            Vdev(
                kind=kind,
                parity=parity if kind is VdevKind.RAIDZ else 0,
                members=tuple(Member(disk_key=f"d{v * width + n}") for n in range(width)),
            )
            for v in range(vdevs)
        ),
    )


def place_of(disks: int = 8, *, vdevs: int = 1, **changes: object) -> BenchTarget:
    """Return a directory on a pool of ``disks`` hard disks."""
    names = [f"sd{chr(97 + n)}" for n in range(disks)]
    width = disks // vdevs
    place = BenchTarget(
        directory="/tank/scratch",
        filesystem="zfs",
        host="made",
        free_bytes=1 << 40,
        ram_bytes=64 * GIB,
        cores=4,
        dataset="tank/scratch",
        properties=(("recordsize", "131072"), ("compression", "lz4"), ("primarycache", "all"), ("sync", "standard")),
        pool="tank",
        pool_health="ONLINE",
        module=ZfsVersion(2, 3, 2),
        userland=ZfsVersion(2, 3, 2),
        arc_most_bytes=32 * GIB,
        layout=tuple(f"raidz2-{v} {' '.join(names[v * width : (v + 1) * width])}" for v in range(vdevs)),
        disks=tuple(
            TargetDisk(name=name, kernel_name=name, serial=f"SER{n}", rotational=True, bytes=8 * TB)
            for n, name in enumerate(names)
        ),
    )
    return replace(place, **changes)  # type: ignore[arg-type]


def bench_test(metric: Metric | None = Metric.SEQ_READ, *, block: str = "128k", jobs: int = 10) -> BenchTest:
    pattern = {Metric.SEQ_READ: "read", Metric.RAND_READ: "randread", Metric.RAND_WRITE: "randwrite"}
    word = "write" if metric is None else pattern.get(metric, "write")
    return BenchTest(
        name=str(metric or "other").replace("_iops", ""),
        title=f"Test of {metric}",
        jobs=(BenchJob(name="job", options=(("rw", word), ("bs", block), ("numjobs", str(jobs)))),),
        options=(("ioengine", "libaio"),),
        file_bytes=100 * GIB,
        seconds=60.0,
        metric=metric,
        record_bytes=128 << 10,
        sync=metric is Metric.SYNC_WRITE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a made run shows. ``value`` is in the unit of the metric; ``memory`` the share that no disk moved.

    ``slow`` is the number of a disk that waits ``slower`` times as long as its siblings; ``memory`` None: nobody
    watched the pool.
    """

    value: float
    memory: float | None = 0.0
    spread: float = 0.02
    repeats: int = 3
    seconds: int = 60
    slow: int | None = None
    slower: float = 1.0
    busy: float = 0.95
    cpu: float = 0.3
    one_core: float | None = None
    fall: float = 0.0
    noise: float = 0.3
    wait_ms: float = 8.0


def profile_of(*tests: BenchTest) -> Profile:
    return Profile(name="made", title="Made", question="Does it?", tests=tests)


def expectation(metric: Metric, place: BenchTarget | None = None, runs: tuple[MeasuredRun, ...] = ()) -> Expectation:
    """Return what is expected of a test of this metric, by a model that was adapted to ``runs``."""
    test, assumed = bench_test(metric), Assumptions(calibration=Calibration(runs=runs)) if runs else None
    return expected(profile_of(test), design_of(), assumed, place or place_of())[test.name]


def band(metric: Metric, place: BenchTarget | None = None, runs: tuple[MeasuredRun, ...] = ()) -> Estimate:
    estimate = expectation(metric, place, runs).estimate
    assert estimate is not None
    return estimate


def typical(metric: Metric) -> float:
    return band(metric).typical


def run_of(test: BenchTest, place: BenchTarget, made: Made, seed: int = 1) -> TestRun:
    chance = np.random.default_rng(seed)
    step = np.linspace(-0.5, 0.5, made.repeats) if made.repeats > 1 else np.zeros(1)
    values = made.value * (1 + made.spread * step)
    repeats = tuple(_repeat(n, test, place, made, float(v), chance) for n, v in enumerate(values, start=1))
    return TestRun(test=test, job_file="[job]\n", repeats=repeats)


def record_of(
    tests: Sequence[TestRun], place: BenchTarget, *, idle: tuple[Recorded, ...] = (), ended: Ended = Ended.WHOLE
) -> RunRecord:
    return RunRecord(
        name="Made run",
        started=BEGAN,
        seconds=600.0,
        ended=ended,
        profile=profile_of(*(run.test for run in tests)),
        place=place,
        tests=tuple(tests),
        idle=idle,
        seed=7,
        program="poolwright 0.1.0",
    )


def curve(
    name: str,
    source: Observer,
    what: What,
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    direction: Direction | None = None,
    detail: str = "",
) -> TimeCurve:
    ms = np.arange(len(values), dtype=np.int64) * 1000
    return TimeCurve(name=name, source=source, what=what, ms=ms, values=values, direction=direction, detail=detail)


def _repeat(
    number: int, test: BenchTest, place: BenchTarget, made: Made, value: float, chance: np.random.Generator
) -> Repeat:
    direction = Direction.READ if test.metric in _READS else Direction.WRITE
    rated = test.metric in (Metric.SEQ_READ, Metric.SEQ_WRITE, None)
    block = 128 << 10
    rate, iops = (value, value / block) if rated else (value * block, value)
    count = made.seconds
    # A pool writes in groups of five seconds: the rate of a second swings with them.
    swing = 1 + 0.3 * np.sin(2 * np.pi * np.arange(count) / 5 + chance.uniform(0, 6)) * chance.uniform(0.5, 1.5, count)
    trend = 1 + made.fall * (np.arange(count) / count - 0.5)
    seen = rate * swing * trend * chance.lognormal(0, 0.1, count)
    application = Recorded(
        tool=BenchTool.FIO,
        where=f"{test.name}-{number}.json",
        measured=(
            Measurement(
                name="job", direction=direction, block_bytes=block, rate=rate, iops=iops, seconds=float(count),
                bytes=int(rate * count),
            ),
        ),
        curves=(curve("job", Observer.APPLICATION, What.RATE, seen, direction),),
    )  # fmt: skip
    beside = [*_disks(place, made, direction, chance), *_cpu(made, chance)]
    if made.memory is not None:
        moved = rate * (1 - made.memory) * chance.lognormal(0, 0.02, count)
        beside.append(curve(place.pool or "tank", Observer.POOL, What.RATE, moved, direction))
    watched = Recorded(tool=BenchTool.PROC, where="sampler", curves=tuple(beside))
    return Repeat(
        number=number,
        started=BEGAN + timedelta(minutes=number),
        seconds=float(count),
        ended=Ended.WHOLE,
        application=application,
        watched=(watched,),
        files=((f"{test.name}-{number}.json", b"{}"),),
    )


def _disks(place: BenchTarget, made: Made, direction: Direction, chance: np.random.Generator) -> list[TimeCurve]:
    found = []
    common = chance.lognormal(0, 0.3, made.seconds)  # load that comes and goes for all of them
    for number, disk in enumerate(place.disks):
        own = chance.lognormal(0, 0.05)
        slower = made.slower if number == made.slow else 1.0
        waits = made.wait_ms * 1e6 * common * own * slower * chance.lognormal(0, made.noise, made.seconds)
        busy = min(1.0, made.busy * (slower if made.slow is not None else 1.0))
        found += [
            curve(disk.name, Observer.DISK, What.LATENCY, waits, direction, "disk_wait"),
            curve(disk.name, Observer.DISK, What.BUSY, np.clip(chance.normal(busy, 0.03, made.seconds), 0, 1)),
            curve(disk.name, Observer.DISK, What.IOPS, chance.normal(150, 10, made.seconds), direction),
            curve(disk.name, Observer.DISK, What.RATE, chance.normal(100.0 * MIB, 1e6, made.seconds), direction),
        ]
    return found


def _cpu(made: Made, chance: np.random.Generator) -> list[TimeCurve]:
    shares = [made.cpu] * 4
    if made.one_core is not None:
        shares[1] = made.one_core
    return [
        curve(f"cpu{n}", Observer.CPU, What.BUSY, np.clip(chance.normal(share, 0.01, made.seconds), 0, 1))
        for n, share in enumerate(shares)
    ]
