"""How fast the first page stands and how much memory the window takes, with everything loaded."""

import json
import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from tests.pace import slowness

MOST_SECONDS = 1.0
# The first page, with everything warmed up, keeps within 200 MiB (tests/benchmarks/test_speed.py). Every page visited,
# three kinds of plots among them, is a case of its own: pyqtgraph alone takes 26 MiB.
MOST_BYTES = 256 << 20

PROGRAM = """
import json, os, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

application = QApplication([])
window = MainWindow(Session(), Preferences())
window.show()
application.processEvents()
with open("/proc/self/stat") as stat, open("/proc/uptime") as uptime:
    began = int(stat.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    seconds = float(uptime.read().split()[0]) - began
if sys.argv[1] == "all":
    window.begin_work()
    while window.session.rules is None:
        application.processEvents()
    window.session.start_from(example("thesis"))
    for name in window.rail.order():
        window.show_page(name)
        application.processEvents()
        while window.session.jobs.jobs:
            application.processEvents()
with open("/proc/self/status") as status:
    resident = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))
window.close()
print(json.dumps({"seconds": seconds, "resident": resident}))
"""


def start(what: str) -> dict[str, float]:
    """Start the window and return what it measured of itself."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, what], capture_output=True, text=True, timeout=120, check=True
    )
    measured: dict[str, float] = json.loads(ended.stdout)
    return measured


@pytest.mark.bench
def test_the_first_page_stands_within_a_second(benchmark: BenchmarkFixture) -> None:
    runs: list[dict[str, float]] = []

    def once() -> None:
        runs.append(start("first"))

    benchmark.pedantic(once, rounds=3, warmup_rounds=1)  # type: ignore[no-untyped-call]
    benchmark.extra_info["seconds_from_process_start"] = min(run["seconds"] for run in runs)
    assert min(run["seconds"] for run in runs) < MOST_SECONDS * slowness()


@pytest.mark.bench
def test_the_window_with_every_page_stays_small(benchmark: BenchmarkFixture) -> None:
    runs: list[dict[str, float]] = []

    def once() -> None:
        runs.append(start("all"))

    benchmark.pedantic(once, rounds=1)  # type: ignore[no-untyped-call]
    benchmark.extra_info["resident_mib"] = runs[0]["resident"] / (1 << 20)
    assert runs[0]["resident"] < MOST_BYTES
