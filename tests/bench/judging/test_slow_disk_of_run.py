"""Whether a disk is called slow is asked of all repeats and tests of a run, not of the one that names it."""

from dataclasses import replace

import pytest
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of

from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Factor
from poolwright.bench.record import TestRun
from poolwright.domain.measurement import What

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


def test_that_a_disk_that_is_slow_in_every_repeat_and_test_is_named() -> None:
    assert named(slow_in("one", 2, 2, 2), slow_in("two", 2, 2, 2)) == ["sdc", "sdc"]


@pytest.mark.parametrize("slow", [(2, 4, 2), (4, 2), (2, 2, 4)])
def test_that_repeats_that_name_different_disks_name_none(slow: tuple[int, ...]) -> None:
    assert named(slow_in("one", *slow)) == [None]


def test_that_a_repeat_that_names_nobody_takes_nothing_back() -> None:
    assert named(slow_in("one", None, 2, 2)) == ["sdc"]


@pytest.mark.parametrize("slow", [(None, 2), (None, None, 2)])
def test_that_a_disk_that_most_repeats_saw_work_like_its_siblings_is_not_named(slow: tuple[int | None, ...]) -> None:
    assert named(slow_in("one", *slow)) == [None]


def test_that_tests_that_each_name_another_disk_name_none() -> None:
    assert named(slow_in("one", 2, 2), slow_in("two", 4, 4), slow_in("three", 1, 1)) == [None, None, None]


def test_that_the_disk_that_most_tests_name_stands_and_the_other_does_not() -> None:
    assert named(*(slow_in(name, 2, 2) for name in ("one", "two")), slow_in("three", 5, 5)) == ["sdc", "sdc", None]


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
