"""Which factor is named, over hundreds of made pools: the slow disk where there is one, none where there is none."""

from dataclasses import replace

import numpy as np
import pytest
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of

from poolwright.bench.judging.limiting import DiskActivity, SlowDisk, find_slow_disks, limiting_factor
from poolwright.bench.judging.side_by_side import memory_share
from poolwright.bench.judging.verdict import Drift, drift, judge
from poolwright.bench.judging.verdicts import Factor, Limiting, factor_words
from poolwright.bench.record import TestRun
from poolwright.domain.measurement import What
from poolwright.predict.measured_runs import Metric

SEEDS = range(400)
POOLS = ((2, 1), (3, 1), (6, 3), (12, 2))  # disks, vdevs


def find_slow_disk(disks: list[DiskActivity]) -> SlowDisk | None:
    return next(iter(find_slow_disks(disks)), None)


def waits(
    seed: int,
    *,
    disks: int = 8,
    vdevs: int = 1,
    slow: int | None = None,
    delay_ms: float = 0.0,
    usual_ms: float = 8.0,
    noise: float = 0.4,
    unlike: float = 0.08,
    seconds: int = 60,
) -> list[DiskActivity]:
    """Return disks that wait ``usual_ms`` each, give or take, and one that waits ``delay_ms`` more, as dm-delay does.

    ``noise`` is the spread from second to second, ``unlike`` that from disk to disk (both of the logarithm).
    """
    chance = np.random.default_rng(seed)
    load = chance.lognormal(0, 0.4, seconds)
    found = []
    for number in range(disks):
        own = usual_ms * chance.lognormal(0, unlike) * load * chance.lognormal(0, noise, seconds)
        own = own + (delay_ms if number == slow else 0.0)
        own[chance.random(seconds) < 0.05] = np.nan  # a second in which it did nothing
        found.append(
            DiskActivity(
                name=f"sd{number}", vdev=f"v{number * vdevs // disks}", waits=own * 1e6, load=chance.normal(150, 10)
            )
        )
    return found


def found_in(**how: object) -> list[SlowDisk | None]:
    return [find_slow_disk(waits(seed, **how)) for seed in SEEDS]  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("disks", "vdevs"), POOLS)
@pytest.mark.parametrize("noise", [0.1, 0.8])
def test_that_no_disk_of_an_even_pool_is_named(disks: int, vdevs: int, noise: float) -> None:
    named = [one for one in found_in(disks=disks, vdevs=vdevs, noise=noise) if one is not None]
    assert len(named) < 0.01 * len(SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize(("disks", "vdevs"), POOLS)
@pytest.mark.parametrize("delay", [20.0, 100.0])
def test_that_a_disk_behind_a_delay_is_named(disks: int, vdevs: int, delay: float) -> None:
    named = found_in(disks=disks, vdevs=vdevs, slow=1, delay_ms=delay)
    right = sum(one is not None and one.disk.name == "sd1" for one in named)
    assert right > 0.98 * len(SEEDS)


@pytest.mark.slow
def test_that_a_disk_that_stalls_now_and_then_is_named() -> None:
    right = 0
    for seed in SEEDS:
        pool = waits(seed)
        stalled = pool[2].waits.copy()
        stalled[10:25] = 900e6  # a quarter of the time, as a shingled disk that tidies up
        pool[2] = replace(pool[2], waits=stalled)
        found = find_slow_disk(pool)
        right += found is not None and found.disk.name == "sd2" and found.stalls
    assert right > 0.98 * len(SEEDS)


def fitful(seed: int, disks: int = 6, seconds: int = 30) -> list[DiskActivity]:
    """Return disks that are all throttled alike: each answers at once until its share is used up, then very late."""
    chance = np.random.default_rng(seed)
    found = []
    for number in range(disks):
        own = np.where(chance.random(seconds) < 0.5, 0.1, 300.0) * chance.lognormal(0, 0.3, seconds)
        found.append(DiskActivity(name=f"sd{number}", vdev="v0", waits=own * 1e6, load=chance.normal(20, 1)))
    return found


@pytest.mark.slow
def test_that_none_of_disks_that_all_wait_by_fits_and_starts_is_named() -> None:
    assert sum(find_slow_disk(fitful(seed)) is not None for seed in SEEDS) < 0.01 * len(SEEDS)


@pytest.mark.slow
def test_that_the_waits_that_are_told_were_seen() -> None:
    told = 0
    for seed in SEEDS[:200]:
        pool = fitful(seed) if seed % 2 else waits(seed, slow=2, delay_ms=20.0)
        stalled = pool[2].waits.copy()
        stalled[5:20] = 2e9
        pool[2] = replace(pool[2], waits=stalled)
        found = find_slow_disk(pool)
        if found is not None:
            told += 1
            assert 0 < found.siblings_ns < found.wait_ns <= np.nanmax(stalled)
            assert found.ratio == pytest.approx(found.wait_ns / found.siblings_ns)
    assert told > 150


def limiting(made: Made, metric: Metric = Metric.SEQ_READ, **changes: object) -> Limiting | None:
    place = place_of(**changes)  # type: ignore[arg-type]
    return limiting_factor(run_of(bench_test(metric), place, made), place, memory=made.memory)


def factor_of(found: Limiting | None) -> Factor | None:
    return None if found is None else found.factor


@pytest.mark.parametrize(
    ("made", "factor"),
    [
        (Made(value=1e9, busy=0.95), Factor.DISKS),
        (Made(value=1e9, busy=0.95, cpu=0.97), Factor.CPU),
        (Made(value=1e9, busy=0.6, cpu=0.3, one_core=0.99), Factor.ONE_CORE),
        (Made(value=1e9, busy=0.2, cpu=0.2), Factor.JOB),
        (Made(value=1e9, busy=0.1, memory=0.9), Factor.ARC),
        (Made(value=1e9, busy=0.3, slow=2, slower=3.0), Factor.ONE_DISK),
        (Made(value=1e9, busy=0.05, slow=2, slower=3.0), Factor.JOB),  # a slow disk nobody waits for
    ],
)
def test_that_what_is_full_is_named_with_its_evidence(made: Made, factor: Factor) -> None:
    found = limiting(made)
    assert factor_of(found) is factor
    assert found is not None
    assert found.evidence


@pytest.mark.parametrize(("metric", "factor"), [(Metric.SYNC_WRITE, Factor.LOG), (Metric.SEQ_WRITE, Factor.DISKS)])
def test_that_a_full_log_device_is_named_for_synchronous_writes_alone(metric: Metric, factor: Factor) -> None:
    place = replace(place_of(3), layout=("mirror-0 sda sdb", "logs sdc"))
    run = run_of(bench_test(metric), place, Made(value=1e3, busy=0.95))
    assert factor_of(limiting_factor(run, place, memory=None)) is factor


def test_that_nothing_is_named_where_nothing_was_seen() -> None:
    place = replace(place_of(), disks=())
    run = run_of(bench_test(), place, Made(value=1e9))
    blind = replace(run, repeats=tuple(replace(repeat, watched=()) for repeat in run.repeats))
    assert limiting_factor(blind, place) is None


def test_that_hard_disks_are_not_compared_with_the_flash_of_a_special_vdev() -> None:
    place = place_of(6)
    layout = ("mirror-0 sda sdb", "special mirror-1 sdc sdd", "cache sde", "spares sdf")
    run = run_of(bench_test(), place, Made(value=1e9, busy=0.95))
    fast = [
        replace(curve, values=curve.values / 50) if curve.what is What.LATENCY and curve.name > "sdb" else curve
        for curve in run.repeats[-1].watched[0].curves
    ]
    watched = (replace(run.repeats[-1].watched[0], curves=tuple(fast)),)
    mixed = replace(run, repeats=(replace(run.repeats[-1], watched=watched),))
    assert factor_of(limiting_factor(mixed, replace(place, layout=layout))) is Factor.DISKS


def drift_of_made(seed: int, *, fall: float = 0.0, count: int = 24, repeats: int = 1) -> Drift:
    chance = np.random.default_rng(seed)
    trend = 1e9 * (1 + fall * (np.arange(count) / (count - 1) - 0.5))
    found = drift(*(trend * chance.lognormal(0, 0.1, count) for _ in range(repeats)))
    assert found is not None
    return found


@pytest.mark.slow
def test_that_a_steady_rate_is_called_steady() -> None:
    assert sum(not drift_of_made(seed).steady for seed in SEEDS) < 0.01 * len(SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("fall", [-0.5, 0.5])
def test_that_a_drift_of_half_is_seen_with_its_size(fall: float) -> None:
    found = [drift_of_made(seed, fall=fall) for seed in SEEDS]
    assert sum(not one.steady for one in found) > 0.97 * len(SEEDS)
    assert np.median([one.change for one in found]) == pytest.approx(fall, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "fall"), [(30, 0.5), (60, 0.3), (60, -0.5)])
def test_that_repeats_together_show_a_drift_that_one_would_hide(seconds: int, fall: float) -> None:
    found = [drift_of_made(seed, fall=fall, count=seconds // 5, repeats=3) for seed in SEEDS]
    assert sum(not one.steady for one in found) > 0.9 * len(SEEDS)
    assert np.median([one.change for one in found]) == pytest.approx(fall, abs=0.05)


def test_that_a_job_is_not_said_to_ask_for_no_more_where_a_disk_was_half_busy() -> None:
    assert limiting(Made(value=1e9, busy=0.4, slow=2, slower=1.4, cpu=0.2)) is None


def test_that_a_disk_that_was_given_more_or_larger_operations_is_not_called_slow() -> None:
    pool = [replace(one, rate=1e6) for one in waits(3, slow=1, delay_ms=100.0)]
    assert (named := find_slow_disk(pool)) is not None
    assert named.disk.name == "sd1"
    for more in (replace(pool[1], rate=2.2e6), replace(pool[1], load=400.0)):
        assert find_slow_disk([pool[0], more, *pool[2:]]) is None


def test_that_a_disk_that_works_longer_for_each_operation_and_byte_is_slow_though_it_was_given_more() -> None:
    """A raidz2 of 6 read four of its disks for records of one size; the slowed one had 1.6 times the median bytes."""
    even = [replace(one, rate=1e6, busy=0.1) for one in waits(3, slow=1, delay_ms=100.0)]
    given = replace(even[1], rate=1.6e6, load=40.0)
    assert find_slow_disk([even[0], given, *even[2:]]) is None
    named = find_slow_disk([even[0], replace(given, busy=0.9), *even[2:]])
    assert named is not None
    assert named.disk.name == "sd1"
    # Busy by as much as it was given more: a healthy disk that has more to do.
    assert find_slow_disk([even[0], replace(given, rate=6e6, load=900.0, busy=0.6), *even[2:]]) is None


def test_that_synchronous_writes_that_a_log_took_do_not_come_from_memory() -> None:
    place = replace(place_of(3), layout=("mirror-0 sda sdb", "logs sdc"))
    made = Made(value=400.0, memory=0.9, busy=0.3)
    run = run_of(bench_test(Metric.SYNC_WRITE), place, made)
    assert memory_share(run, place) == 0.0
    assert factor_of(limiting_factor(run, place, memory=0.0)) is not Factor.ARC
    assert (memory_share(run_of(bench_test(Metric.SEQ_WRITE), place, Made(value=1e9, memory=0.9)), place) or 0) > 0.8


def test_that_one_repeat_accuses_no_disk() -> None:
    made = Made(value=1e9, busy=0.3, slow=2, slower=3.0, repeats=1)
    assert factor_of(limiting(made)) is not Factor.ONE_DISK
    assert factor_of(limiting(replace(made, repeats=2))) is Factor.ONE_DISK


def test_that_it_is_told_where_no_limiting_factor_was_found() -> None:
    place = place_of()
    run = run_of(bench_test(), place, Made(value=1e9, busy=0.6))
    assert limiting_factor(run, place, memory=0.0) is None
    verdict = judge(record_of([run], place), {})
    assert [factor_words(test) for test in verdict.tests] == ["none found"]


SLOW = Made(value=1e9, slower=3.0, busy=0.9)


def named(*tests: TestRun) -> list[str | None]:
    """Return the slow disk that the verdict names of each test, None where all disks are what limits."""
    found = []
    for one in judge(record_of(tests, place_of()), {}).tests:
        assert one.limiting is not None
        assert (one.limiting.factor is Factor.ONE_DISK) is (one.limiting.disk is not None)
        found.append(one.limiting.disk)
    return found


def slow_in(name: str, *slow: int | None) -> TestRun:
    """Return a test in whose repeats these disks are slow, by number."""
    test = replace(bench_test(), name=name)
    runs = [run_of(test, place_of(), replace(SLOW, slow=disk), seed) for seed, disk in enumerate(slow, start=1)]
    return replace(runs[0], repeats=tuple(replace(run.repeats[0], number=n) for n, run in enumerate(runs, start=1)))


@pytest.mark.parametrize(
    ("slow", "disks"),
    [
        (((2, 2, 2), (2, 2, 2)), ["sdc", "sdc"]),
        (((None, 2),), [None]),  # most repeats saw it work like its siblings
        (((None, None, 2),), [None]),
        (((2,), (2, 2)), [None, "sdc"]),  # a single repeat accuses none
        (((2, 2), (4, 4), (1, 1)), [None, None, None]),
        (((2, 2), (2, 2), (5, 5)), ["sdc", "sdc", None]),
    ],
)
def test_that_a_disk_is_named_that_is_slow_in_most_repeats_and_tests(
    slow: tuple[tuple[int | None, ...], ...], disks: list[str | None]
) -> None:
    assert named(*(slow_in(f"test {n}", *repeats) for n, repeats in enumerate(slow))) == disks


def test_that_a_disk_that_is_slow_every_time_stands_beside_one_that_is_slower_once() -> None:
    test = replace(bench_test(), name="one")
    place = place_of()
    first, last = (run_of(test, place, replace(SLOW, slow=2), seed).repeats[0] for seed in (1, 2))
    waits = [
        replace(curve, values=curve.values * 5) if curve.what is What.LATENCY and curve.name == "sde" else curve
        for curve in first.watched[0].curves
    ]
    first = replace(first, watched=(replace(first.watched[0], curves=tuple(waits)),))
    run = run_of(test, place, SLOW)
    assert named(replace(run, repeats=(first, replace(last, number=2)))) == ["sdc"]
