"""Disks that were read alone are held against disks of their size, zone by zone."""

from dataclasses import replace

import numpy as np
import pytest
from tests.bench.judging.made_runs import BEGAN, place_of, record_of

from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Factor, Judgement, RunVerdict
from poolwright.bench.record import BenchJob, BenchTest, Ended, Engine, Repeat, TestRun
from poolwright.domain.measurement import BenchTool, Direction, Measurement, Observer, Recorded, TimeCurve, What

ZONES = ("outer", "middle", "inner")
USUAL = (240e6, 200e6, 120e6)


def disk(number: int, rates: tuple[float, ...], gb: int = 8000) -> TestRun:
    size = str(int(gb * 1e9 * 0.03) >> 20 << 20)
    jobs = tuple(
        BenchJob(
            name=f"{number}-SER{number}-{zone}",
            options=(("stonewall", "1"), ("filename", f"/dev/disk{number}"), ("size", size)),
        )
        for zone in ZONES
    )
    measured = tuple(
        Measurement(name=job.name, direction=Direction.READ, rate=rate, seconds=5.0)
        for job, rate in zip(jobs, rates, strict=True)
    )
    application = Recorded(tool=BenchTool.FIO, where="fio.json", measured=measured)
    repeat = Repeat(number=1, started=BEGAN, seconds=15.0, ended=Ended.WHOLE, application=application)
    test = BenchTest(name=f"disk-{number}", title=f"ST8000 {number}", jobs=jobs, engine=Engine.SIBLINGS)
    return TestRun(test=test, job_file="", repeats=(repeat,))


def judged(*disks: TestRun) -> RunVerdict:
    return judge(record_of(disks, place_of()), {})


@pytest.mark.parametrize("zone", range(3))
def test_that_a_disk_with_one_slow_zone_is_named_with_its_serial(zone: int) -> None:
    slow = tuple(rate * (0.5 if n == zone else 1.0) for n, rate in enumerate(USUAL))
    verdict = judged(*(disk(n, USUAL) for n in range(1, 5)), disk(5, slow))
    assert verdict.judgement is Judgement.SLOWER
    assert "SER5" in verdict.sentence
    found = verdict.tests[-1].limiting
    assert found is not None
    assert (found.factor, found.serial, found.disk) == (Factor.ONE_DISK, "SER5", "ST8000 5")
    assert any(ZONES[zone] in text for text in found.evidence)
    assert {test.judgement for test in verdict.tests[:-1]} == {Judgement.PASSED}


def test_that_healthy_disks_which_differ_by_a_tenth_pass() -> None:
    verdict = judged(*(disk(n, tuple(rate * (1 + 0.05 * (n - 3)) for rate in USUAL)) for n in range(1, 6)))
    assert {test.judgement for test in verdict.tests} == {Judgement.PASSED}
    assert verdict.sentence.startswith("No disk reads slower")


def test_that_disks_of_another_size_are_no_siblings() -> None:
    flash = [disk(n, (3e9, 3e9, 3e9), gb=960) for n in range(1, 5)]
    verdict = judged(*flash, *(disk(n, USUAL) for n in range(5, 8)))
    assert {test.judgement for test in verdict.tests} == {Judgement.PASSED}


def test_that_a_disk_without_siblings_is_not_judged() -> None:
    assert judged(disk(1, USUAL), disk(2, (1e6, 1e6, 1e6))).judgement is Judgement.CANNOT_TELL


def test_that_the_value_of_a_disk_is_the_mean_of_its_zones_and_not_their_sum() -> None:
    first, *_ = judged(*(disk(n, USUAL) for n in range(1, 4))).tests
    assert first.measured is not None
    assert first.measured.median == pytest.approx(sum(USUAL) / 3)


def test_that_disks_are_not_judged_while_something_else_keeps_the_machine_busy() -> None:
    ms, busy = np.arange(5) * 1000, np.full(5, 0.9)
    cores = TimeCurve(name="all", source=Observer.CPU, what=What.BUSY, ms=ms, values=busy)
    record = record_of((*(disk(n, USUAL) for n in range(1, 5)), disk(5, (50e6, 200e6, 120e6))), place_of())
    idle = Recorded(tool=BenchTool.PROC, where="idle/samples.txt", curves=(cores,))
    verdict = judge(replace(record, idle=(idle,)), {})
    assert {test.judgement for test in verdict.tests} == {Judgement.CANNOT_TELL}
    assert all("90 % of the processor" in test.marks[0] for test in verdict.tests)
