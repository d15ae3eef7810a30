"""Results of fio as JSON, against the numbers that stand in the files, and against real runs."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Direction, Latency, Measurement, Recorded, What, latency_of
from poolwright.machine.fio.results import read_fio_json
from poolwright.store.read_results import read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "fio_json"
FILES = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []


def plain(path: Path) -> dict[str, Any] | None:
    """Return the only document of a file that is nothing but one."""
    try:
        found = json.loads(path.read_text())
    except ValueError:
        return None
    return found if isinstance(found, dict) and "jobs" in found else None


SINGLE = [path for path in FILES if plain(path) is not None]


@pytest.mark.skipif(not FILES, reason="the collection of real files is not here")
@pytest.mark.parametrize("path", SINGLE, ids=lambda path: path.name)
def test_that_each_number_is_the_one_in_the_file(path: Path) -> None:
    document = plain(path)
    assert document is not None
    (recorded,) = read_fio_json(path.read_bytes(), where=path.name)
    told = {(one.name, one.direction): one for one in recorded.measured}
    if len({job["jobname"] for job in document["jobs"]}) < len(document["jobs"]):
        return  # which of several of one name is which is tested by their order elsewhere
    for job in document["jobs"]:
        for direction in Direction:
            fields = job.get(direction.value) or {}
            if fields.get("runtime") and fields.get("iops"):
                check(told[job["jobname"], direction], fields)


def check(one: Measurement, fields: dict[str, Any]) -> None:
    """Hold one direction of a job against its fields."""
    assert one.iops == pytest.approx(fields["iops"], rel=1e-6)
    exact = fields.get("bw_bytes")
    assert one.rate == pytest.approx(exact or fields["bw"] * 1024, rel=1e-9 if exact else 1e-3)
    assert one.seconds == pytest.approx(fields["runtime"] / 1000)
    clat, scale = (fields["clat_ns"], 1) if fields.get("clat_ns") else (fields.get("clat") or {}, 1000)
    if clat.get("mean"):
        assert one.completion is not None
        assert one.completion.mean_ns == pytest.approx(clat["mean"] * scale)
        for percent, value in (clat.get("percentile") or {}).items():
            if value and percent.replace(".", "").isdigit():
                assert dict(one.completion.percentiles)[float(percent)] == value * scale


@pytest.mark.skipif(not FILES, reason="the collection of real files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_a_real_file_is_read_or_refused_with_what_fio_said(path: Path) -> None:
    if b'"fio version"' in path.read_bytes() or b"(groupid=" in path.read_bytes():
        assert read_result(path.read_bytes(), path.name)
        return
    with pytest.raises(UserError) as refused:
        read_result(path.read_bytes(), path.name)
    assert refused.value.where == path.name


def ran(folder: Path, *options: str) -> bytes:
    """Return what the real fio prints of a small job."""
    command = ["fio", "--name=small", f"--directory={folder}", "--size=4m", "--bs=64k", "--ioengine=psync", *options]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60, env={**os.environ, "LC_ALL": "C"})
    return done.stdout


needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")


@pytest.mark.slow
@needs_fio
def test_that_a_run_of_the_real_fio_is_read(tmp_path: Path) -> None:
    (recorded,) = read_result(ran(tmp_path, "--rw=write", "--output-format=json+"), "run")
    (one,) = recorded.measured
    assert recorded.version is not None
    assert (one.name, one.direction, one.pattern, one.block_bytes) == ("small", Direction.WRITE, "write", 65536)
    assert one.bytes == 4 << 20
    assert one.completion is not None
    assert sum(count for _, count in one.completion.histogram) == 64


@pytest.mark.slow
@needs_fio
def test_that_reports_on_the_way_become_a_curve_whose_bytes_are_those_of_the_result(tmp_path: Path) -> None:
    told = ran(
        tmp_path, "--rw=randwrite", "--output-format=json", "--status-interval=1", "--time_based", "--runtime=3",
        "--rate_iops=200",
    )  # fmt: skip
    (recorded,) = read_result(told, "run")
    (rate,) = [curve for curve in recorded.curves if curve.what is What.RATE]
    assert len(rate.ms) >= 3
    assert curve_bytes(recorded) == pytest.approx(recorded.measured[0].bytes, rel=0.02)


def test_that_a_report_that_is_told_again_is_no_step_of_the_curve() -> None:
    told = [json.dumps({"fio version": "fio-3.33", "jobs": [{"jobname": "a"} | worked(n)]}) for n in (1, 2, 2)]
    (recorded,) = read_fio_json("".join(told).encode(), where="x")
    assert [curve.ms.tolist() for curve in recorded.curves if curve.what is What.RATE] == [[1000, 2000]]


def curve_bytes(recorded: Recorded) -> float:
    """Return the bytes under the curve of the rate."""
    (rate,) = [curve for curve in recorded.curves if curve.what is What.RATE]
    before, moved = 0, 0.0
    for ms, value in zip(rate.ms.tolist(), rate.values.tolist(), strict=True):
        moved += value * (ms - before) / 1000
        before = ms
    return moved


def test_that_what_is_no_result_of_fio_is_refused() -> None:
    with pytest.raises(UserError, match="no finished job"):
        read_fio_json(b'{"fio version": "fio-3.36", "jobs": [', where="x")


def test_that_what_both_ways_did_together_is_told_once() -> None:
    way = {"io_bytes": 8 << 20, "bw_bytes": 4 << 20, "bw": 4096, "iops": 1024.0, "runtime": 2000}
    nothing = {"io_bytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0}

    def told(**ways: object) -> list[Direction]:
        job = {"jobname": "a", "groupid": 0, "error": 0, "job options": {"rw": "randrw", "bs": "4k"}, **ways}
        (recorded,) = read_fio_json(json.dumps({"fio version": "fio-3.33", "jobs": [job]}).encode(), where="x")
        assert not recorded.notes
        return [one.direction for one in recorded.measured]

    assert told(mixed=way) == [Direction.MIXED]
    assert told(read=way, write=way, mixed=nothing) == [Direction.READ, Direction.WRITE]
    assert told(read=way, write=way, mixed=way) == [Direction.READ, Direction.WRITE]


def began_at(*jobs: dict[str, object]) -> float:
    """Return when fio 3.33 would have begun, told at 1,000 s, after ten seconds in all."""
    told = [{"jobname": f"job{n}", "elapsed": 10} | job for n, job in enumerate(jobs)]
    text = json.dumps({"fio version": "fio-3.33", "timestamp_ms": 1_000_000, "jobs": told})
    (found,) = read_fio_json(text.encode(), where="x")
    assert found.started is not None
    return found.started.timestamp()


def worked(seconds: float, **options: str) -> dict[str, object]:
    """Return a job that read for so long."""
    read = {"io_bytes": 1 << 20, "runtime": round(1000 * seconds), "bw_bytes": 1 << 20, "total_ios": 1}
    return {"read": read, "job options": {"rw": "read", **options}}


def test_that_laying_out_files_and_starting_jobs_are_not_taken_for_a_part_of_the_test() -> None:
    assert began_at(worked(6.5)) == 993.5
    assert began_at(worked(6.5), worked(7.0)) == 993.0
    assert began_at(worked(4.0, ramp_time="2s")) == 994.0


def test_that_jobs_that_wait_begin_when_the_first_of_them_did() -> None:
    assert began_at(worked(4.0), worked(4.0, stonewall="1")) == 990.0
    assert began_at(worked(4.0), worked(3.0, startdelay="5")) == 990.0
    assert began_at(worked(10.4)) == 990.0


def test_that_a_histogram_alone_tells_how_long_operations_took() -> None:
    counted, mean = Latency(histogram=((1000, 5),)), Latency(mean_ns=900.0)
    assert latency_of(Measurement(name="a", direction=Direction.READ, completion=mean, total=counted)) is counted
