"""How fast the lanes are drawn again while a test runs: an hour of it on a pool of 44 disks, ten times a second.

Run by `make bench`. A turn is everything from what came in to the last pixel, in processor time of this process.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.bench.judging.made_runs import bench_test
from tests.pace import slowness

from poolwright.bench.lanes import LiveCurves
from poolwright.domain.measurement import Direction, Observer, What
from poolwright.machine.fio.live import FioReports
from poolwright.machine.samples import CurveKey, Sample
from poolwright.predict.measured_runs import Metric
from poolwright.ui.verify.tests_pane import LiveCard

pytestmark = pytest.mark.bench
SECONDS = 3600
DISKS, CORES, JOBS = 44, 16, 1000
BEGAN_MS = 1_795_000_000_000
TURNS = 30
MOST_SECONDS = 0.05
TEST = bench_test(Metric.SEQ_WRITE)
BOTH = (Direction.READ, Direction.WRITE)
KEYS = (
    *(CurveKey("tank", Observer.POOL, What.RATE, way) for way in BOTH),
    CurveKey("ARC", Observer.ARC, What.SHARE, None, "hits"),
    *(CurveKey(f"sd{disk}", Observer.DISK, What.LATENCY, way, "await") for disk in range(DISKS) for way in BOTH),
    CurveKey("all", Observer.CPU, What.BUSY),
    *(CurveKey(f"cpu{core}", Observer.CPU, What.BUSY) for core in range(CORES)),
    *(CurveKey(f"sd{disk}", Observer.DISK, What.BUSY) for disk in range(DISKS)),
    *(CurveKey(f"sd{disk}", Observer.TEMPERATURE, What.CELSIUS) for disk in range(DISKS)),
)
APPLICATION = tuple(
    CurveKey("fio", Observer.APPLICATION, what, way) for what in (What.RATE, What.IOPS, What.LATENCY) for way in BOTH
)


def second(at: int, chance: np.random.Generator) -> list[Sample]:
    values = chance.gamma(2.0, 1e6, len(KEYS) + len(APPLICATION)).tolist()
    dated = [Sample(BEGAN_MS + 1000 * at, key, value) for key, value in zip(KEYS, values, strict=False)]
    return dated + [Sample(1000 * at + 1, key, v) for key, v in zip(APPLICATION, values[len(KEYS) :], strict=True)]


@pytest.fixture
def pane(qtbot: QtBot) -> Iterator[LiveCard]:
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(1280, 800)
    made = LiveCard(print, holder)
    made.resize(1280, 800)
    holder.show()
    yield made
    assert holder is made.parent()


def test_that_an_hour_of_a_large_pool_is_drawn_ten_times_a_second(pane: LiveCard, benchmark: Any) -> None:
    chance, live = np.random.default_rng(1), LiveCurves("write", 1)
    for at in range(SECONDS):
        live.take(second(at, chance))
    pane.show_live(TEST, (), live.curves(), "Test, repeat 1")
    QApplication.processEvents()

    def longest() -> float:
        found = 0.0
        for turn in range(TURNS):
            samples = second(SECONDS + turn, chance)
            began = time.process_time()
            live.take(samples)
            pane.show_live(TEST, (), live.curves(), "Test, repeat 1")
            QApplication.processEvents()
            found = max(found, time.process_time() - began)
        return found

    took = min(benchmark.pedantic(longest, rounds=1, iterations=1) if not at else longest() for at in range(3))
    assert took < MOST_SECONDS * slowness(), f"{took * 1000:.1f} ms a turn"


def test_that_a_report_of_a_thousand_jobs_is_taken_in_a_turn(benchmark: Any) -> None:
    moved = '{"runtime": %d, "io_bytes": %d, "total_ios": 100, "lat_ns": {"mean": 5.0, "N": 100}}'
    reports = [
        '{\n"fio version": "fio-3.33",\n"jobs": ['
        + ",".join(f'{{"jobname": "j{job}", "read": {moved % (1000 * at, 1000 * at * job)}}}' for job in range(JOBS))
        + "]\n}\n"
        for at in range(1, 6)
    ]

    def longest() -> float:
        reader, found = FioReports(), 0.0
        for report in reports:
            began = time.process_time()
            assert len(reader.feed(report.encode())) == len(APPLICATION) // 2
            found = max(found, time.process_time() - began)
        return found

    took = min(benchmark.pedantic(longest, rounds=1, iterations=1) if not at else longest() for at in range(3))
    assert took < MOST_SECONDS * slowness(), f"{took * 1000:.1f} ms a report"
