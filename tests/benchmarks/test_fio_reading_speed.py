"""How fast fio's results open: ten million samples, a folder of 200 results, and the same logs beside fio-plot.

Run by `make bench`. fio-plot is no dependency: POOLWRIGHT_FIO_PLOT names the one of a separate environment.
"""

import json
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cases import table
from tests.pace import slowness

from poolwright.bench.charts import lane_chart
from poolwright.bench.lanes import lanes_of, reduced
from poolwright.emit.chart import chart_drawing
from poolwright.emit.drawing import svg
from poolwright.store.read_results import open_results, read_result

pytestmark = pytest.mark.bench
FIO_PLOT = os.environ.get("POOLWRIGHT_FIO_PLOT") or shutil.which("fio-plot")
SAMPLES = 10_000_000
ROWS = 300_000
KINDS = ("bw", "iops", "lat")
READS: str = table(__file__, "reads")


def log_of(rows: int, seed: int) -> bytes:
    values = np.random.default_rng(seed).integers(1000, 2_000_000, rows)
    return b"".join(b"%d, %d, 0, 4096, 0\n" % (10 * at, value) for at, value in enumerate(values.tolist(), 1))


def drawn(folder: Path) -> str:
    curves = [curve for recorded in open_results([folder]).recorded for curve in recorded.curves]
    lanes = lanes_of(curves)
    assert sum(len(lane.curves) for lane in lanes) == len(KINDS)
    return "\n".join(svg(chart_drawing(lane_chart(lane, stem="lane"))) for lane in lanes)


def test_that_ten_million_samples_open_and_are_drawn_in_two_seconds(benchmark: Any) -> None:
    data = log_of(SAMPLES, 1)

    def opened() -> float:
        began = time.process_time()
        (recorded,) = read_result(data, "long_lat.1.log")
        (curve,) = recorded.curves
        _, ys = reduced(curve.ms.astype(np.float64), curve.values, 1000, 0, float(curve.ms[-1]))
        took = time.process_time() - began
        assert len(curve.values) == SAMPLES
        assert float(ys.max()) == float(curve.values.max())
        return took

    took = min(benchmark.pedantic(opened, rounds=1, iterations=1) if not at else opened() for at in range(3))
    assert took < 2 * slowness()


def test_that_a_folder_of_two_hundred_results_opens_in_three_seconds(benchmark: Any, tmp_path: Path) -> None:
    latency = {"min": 1, "max": 9, "mean": 5.0, "stddev": 1.0, "N": 9}
    shares = {f"{percent}.000000": 1000 * percent for percent in range(1, 100)}
    bins = {str(1000 + 16 * at): at + 1 for at in range(400)}
    moved = {
        "io_bytes": 1 << 30,
        "io_kbytes": 1 << 20,
        "bw": 1 << 10,
        "iops": 1.0,
        "runtime": 1_024_000,
        "total_ios": 9,
    }
    read = {**moved, "slat_ns": latency, "clat_ns": {**latency, "percentile": shares, "bins": bins}, "lat_ns": latency}
    jobs = [{"jobname": f"job{at}", "groupid": 0, "error": 0, "elapsed": 9, "read": read} for at in range(4)]
    document = json.dumps({"fio version": "fio-3.33", "timestamp": 1_795_160_000, "jobs": jobs}, indent=2)
    for at in range(200):
        (tmp_path / f"{at}.json").write_text(document if at % 20 else "not a result of any tool", encoding="utf-8")
    began = time.process_time()
    opened = benchmark.pedantic(open_results, args=([tmp_path],), rounds=1, iterations=1)
    assert time.process_time() - began < 3 * slowness()
    assert (len(opened.recorded), len(opened.passed_over)) == (190, 10)


def spent(command: list[str], folder: Path) -> float:
    """Return the processor time of a program, with its start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.skipif(FIO_PLOT is None, reason="fio-plot is not installed")
def test_that_logs_are_read_and_drawn_twenty_times_as_fast_as_by_fio_plot(benchmark: Any, tmp_path: Path) -> None:
    assert FIO_PLOT is not None
    logs = tmp_path / "logs"
    logs.mkdir()
    for seed, kind in enumerate(KINDS):
        (logs / f"randread-iodepth-16-numjobs-1_{kind}.1.log").write_bytes(log_of(ROWS, seed))
    picture = ["-T", "t", "-s", "s", "-g", "-t", *KINDS, "-d", "16", "-n", "1", "-r", "randread", "-o", "theirs.png"]
    theirs = spent([FIO_PLOT, "-i", str(logs), *picture], tmp_path)
    drawn(logs)  # what is imported the first time is not what is measured

    def mine() -> float:
        began = time.process_time()
        text = drawn(logs)
        assert text.count("<svg") == len(KINDS)
        return time.process_time() - began

    ours = benchmark.pedantic(mine, rounds=1, iterations=1)
    values = subprocess.run(
        [str(Path(FIO_PLOT).parent / "python"), "-c", READS, str(logs)], capture_output=True, text=True, check=True
    ).stdout
    units = {"bw": 1024, "iops": 1, "lat": 1}
    read = {Path(one.where).name: one.curves[0].values.tolist() for one in open_results([logs]).recorded}
    told = json.loads(values)
    assert set(told) == set(read)
    for name, found in told.items():
        kind = name.split("_")[-1].split(".")[0]
        assert [value * units[kind] for value in found] == read[name]
    assert theirs > 20 * ours, (theirs, ours)
