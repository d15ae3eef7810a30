"""The raw outputs of a repeat are read together: the same as it ends and later, whoever set the clock meanwhile."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.machine.samples import CurveMaker
from poolwright.machine.zpool.iostat import PoolWatch
from poolwright.store.read_results import POOL_REPORTS, SAMPLES, read_repeat

RECORDED = Path(__file__).with_name("recorded")
STAMP = re.compile(r"^1[0-9]{9}$", re.MULTILINE)
REPORTS = STAMP.split((RECORDED / "zpool-iostat-2.3.2.txt").read_text())[1:]
FIRST, SET_AFTER = 1_795_441_809, 2
REPORT = '{\n"fio version": "fio-3.33",\n"timestamp_ms": %d,\n"jobs": [{"jobname": "a", "elapsed": 8}]\n}\n'
LATER = (
    '{\n"fio version": "fio-3.36",\n"timestamp_ms": %d,\n"jobs": [{"jobname": "a", "elapsed": 8, "job_start": %d}]\n}\n'
)


def pool(clock: Callable[[int], int]) -> str:
    """Return what zpool tells in as many seconds as there are reports."""
    return "".join(f"{clock(n)}{report}" for n, report in enumerate(REPORTS))


def samples(clock: Callable[[int], int]) -> str:
    """Return what the sampler tells of a machine that began 1000 s before the first second."""
    pieces = [f"@stat - {clock(n)}.25 {1000 + n}.25\ncpu  {100 + 50 * n} 0 0 {50 * n} 0 0 0 0 0 0\n" for n in range(10)]
    return "".join(pieces)


def set_by(by: int) -> Callable[[int], int]:
    """Return what a clock tells at a second, which is set by so many s in the middle."""

    def clock(second: int) -> int:
        return FIRST + second + (by if second > SET_AFTER else 0)

    return clock


def seen(by: int, report: str = REPORT) -> tuple[Recorded, dict[BenchTool, Recorded]]:
    """Return what a repeat tells in which the clock was set, by so many s."""
    clock = set_by(by)
    last = 1000 * clock(9)
    fio = report % ((last, 1000 * (FIRST + 1)) if report is LATER else last)
    files = (("fio.json", fio), (POOL_REPORTS, pool(clock)), (SAMPLES, samples(clock)))
    application, watched = read_repeat([(name, text.encode()) for name, text in files], "read-1")
    assert application is not None
    return application, {each.tool: each for each in watched}


def same(one: TimeCurve, other: TimeCurve) -> bool:
    return one.ms.tolist() == other.ms.tolist() and np.array_equal(one.values, other.values, equal_nan=True)


@pytest.mark.parametrize("by", [-86_400, -3, 3, 20, 599, 86_400])
@pytest.mark.parametrize("report", [REPORT, LATER], ids=["reckoned", "told"])
def test_that_a_clock_that_is_set_moves_no_curve_of_a_repeat(by: int, report: str) -> None:
    (fio, plain), (moved_fio, moved) = seen(0, report), seen(by, report)
    assert plain.keys() == moved.keys() == {BenchTool.ZPOOL_IOSTAT, BenchTool.PROC}
    for tool, recorded in plain.items():
        assert recorded.started == moved[tool].started
        assert len(recorded.curves) == len(moved[tool].curves)
        assert all(map(same, recorded.curves, moved[tool].curves))
    assert fio.started == moved_fio.started


def test_that_the_first_report_of_the_pool_is_kept_where_it_is_known_to_be_of_its_second() -> None:
    _, found = seen(0)
    rates = next(
        curve
        for curve in found[BenchTool.ZPOOL_IOSTAT].curves
        if (curve.source, curve.what, curve.direction) == (Observer.POOL, What.RATE, Direction.READ)
    )
    assert len(rates.ms) == len(REPORTS)
    assert not found[BenchTool.ZPOOL_IOSTAT].notes


@pytest.mark.parametrize("by", [-86_400, -3, 60, 86_400])
def test_that_a_pool_that_is_watched_goes_on_where_it_was_when_the_clock_is_set(by: int) -> None:
    def watched(text: str) -> list[list[int]]:
        watch, maker = PoolWatch(), CurveMaker()
        maker.take(watch.feed(text.encode())).take(watch.end())
        return [curve.ms.tolist() for curve in maker.curves()]

    assert watched(pool(set_by(by))) == watched(pool(set_by(0)))


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_a_run_too_short_for_a_line_in_the_log_of_rates_has_the_rate_that_fio_told(tmp_path: Path) -> None:
    asked = ("--name=short", "--filename=data", "--size=4M", "--bs=128k", "--rw=write", "--ioengine=sync")
    logs = ("--write_bw_log=it", "--write_iops_log=it", "--write_lat_log=it", "--log_avg_msec=1000")
    told = ("--output-format=json", "--output=fio.json")
    subprocess.run(["fio", *asked, *logs, *told], cwd=tmp_path, check=True, capture_output=True)
    names = ("fio.json", *(file.name for file in tmp_path.glob("*.log")))
    files = [(name, (tmp_path / name).read_bytes()) for name in names]
    assert not dict(files)["it_bw.1.log"]
    application = read_repeat(files, "short-1")[0]
    assert application is not None
    assert {curve.what for curve in application.curves} == {What.RATE, What.IOPS, What.LATENCY}
    (rate,) = (curve for curve in application.curves if curve.what is What.RATE)
    assert rate.values.min() > 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_jobs_one_after_the_other_are_drawn_one_after_the_other(tmp_path: Path) -> None:
    jobs = "".join(f"[job-{n}]\nstonewall=1\nrw=read\nrate=4m\n" for n in range(3))
    common = (
        "size=8M\nruntime=1\ntime_based\nwrite_bw_log=log\nwrite_iops_log=log\nlog_avg_msec=500\ngroup_reporting=0\n"
    )
    (tmp_path / "job.fio").write_text(f"[global]\n{common}{jobs}", encoding="utf-8")
    subprocess.run(
        ["fio", "--output-format=json", "--output=fio.json", "job.fio"], cwd=tmp_path, check=True, timeout=60
    )
    names = ("fio.json", *(file.name for file in tmp_path.glob("*.log")))
    found = read_repeat([(name, (tmp_path / name).read_bytes()) for name in names], "read-1")[0]
    assert found is not None
    (rate,) = (curve for curve in found.curves if curve.what is What.RATE)
    assert 2500 <= rate.ms[-1] <= 3500
    assert float(rate.values.max()) < 3 * 4 * 2**20  # at one time they would be three times one


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_a_group_counts_the_jobs_that_the_test_had(tmp_path: Path) -> None:
    jobs = "".join(f"[volume{n}]\nrw=write\n" for n in range(3))
    (tmp_path / "job.fio").write_text(f"[global]\nsize=1M\ngroup_reporting=1\n{jobs}", encoding="utf-8")
    subprocess.run(
        ["fio", "--output-format=json", "--output=fio.json", "job.fio"], cwd=tmp_path, check=True, timeout=60
    )
    files = [("fio.json", (tmp_path / "fio.json").read_bytes())]
    for asked, told in ((None, 1), (3, 3)):
        found = read_repeat(files, "write-1", asked)[0]
        assert found is not None
        assert [(one.name, one.jobs, one.bytes) for one in found.measured] == [("volume0", told, 3 << 20)]
