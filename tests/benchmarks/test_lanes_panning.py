"""How fast the lanes of a test move under the hand: ten million samples, thirty frames a second, no peak lost.

Run by `make bench`. A frame is everything from the new range to the last pixel, in processor time of this process.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.pace import slowness

from poolwright.bench.lanes import Lane, LaneCurve
from poolwright.emit.drawing import ShapeRole
from poolwright.ui.plots.time_lanes import TimeLanes

pytestmark = pytest.mark.bench
SAMPLES = 10_000_000
SECONDS = 10_000.0
FRAMES = 90
MOST_SECONDS = 1 / 30
LANES = 5  # as many as a run on a pool has beside the first
BESIDE = 36_000  # an hour at ten a second


def lane(key: str, samples: int, seed: int) -> Lane:
    values = np.random.default_rng(seed).gamma(2.0, 100.0, samples)
    values[samples // 3] = 1e6  # one peak that nothing may swallow
    curve = LaneCurve(name=key, seconds=np.linspace(0.0, SECONDS, samples), values=values, role=ShapeRole.ONE)
    return Lane(key=key, title=key, unit="MB/s", curves=(curve,))


def show_seconds(lanes: TimeLanes, first: float, last: float) -> None:
    lanes._lanes[0].plot.setXRange(first, last, padding=0)
    lanes._on_moved()


@pytest.fixture
def lanes(qtbot: QtBot) -> Iterator[TimeLanes]:
    holder = QWidget()
    qtbot.addWidget(holder)
    made = TimeLanes(holder)
    made.resize(1280, 800)
    holder.resize(1280, 800)
    holder.show()
    made.show_lanes([lane("application", SAMPLES, 1), *(lane(f"lane {n}", BESIDE, n) for n in range(2, LANES + 2))])
    made.draw()
    yield made
    assert holder is made.parent()  # it lives as long as the test


@pytest.mark.parametrize("share", [0.5, 0.1, 0.001])
def test_that_ten_million_samples_move_at_thirty_frames_a_second(
    lanes: TimeLanes, benchmark: Any, share: float
) -> None:
    width = SECONDS * share
    starts = np.linspace(0.0, SECONDS - width, FRAMES)
    show_seconds(lanes, 0.0, width)
    lanes.view.grab()

    def moved() -> float:
        began = time.process_time()
        for start in starts:
            show_seconds(lanes, float(start), float(start) + width)
            lanes.view.grab()
            QApplication.processEvents()
        return (time.process_time() - began) / FRAMES

    frame = min(benchmark.pedantic(moved, rounds=1, iterations=1) if not at else moved() for at in range(3))
    assert frame < MOST_SECONDS * slowness(), f"{frame * 1000:.1f} ms a frame"


def test_that_the_peak_is_drawn_wherever_it_is_looked_at(lanes: TimeLanes, benchmark: Any) -> None:
    peak = SECONDS / 3

    def highest(first: float, last: float) -> float:
        show_seconds(lanes, first, last)
        return float(np.nanmax(lanes._lanes[0].items["application"].yData))

    widths = (SECONDS / 2, SECONDS / 10, 1.0)
    found = benchmark.pedantic(lambda: [highest(peak - w / 2, peak + w / 2) for w in widths], rounds=1, iterations=1)
    assert found == [1e6] * len(widths)
