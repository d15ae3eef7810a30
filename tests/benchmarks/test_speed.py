"""How fast it is: run by `make bench`. The bounds are those the program promises; the machine should be quiet."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.pace import slowness

from poolwright.capacity.pool import predict_pool
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped
from poolwright.rules.judge import Judge

pytestmark = pytest.mark.bench

SIX_TB = 6001175126016
VERSION = ZfsVersion(2, 3, 2)
THESIS_DISKS = read_typed(["44 x 6TB hdd 512e"]).disks


@pytest.mark.parametrize("goal", list(Goal))
def test_that_44_equal_disks_are_enumerated_and_judged_in_under_0_3_s(benchmark: Any, goal: Goal) -> None:
    disks, book = THESIS_DISKS, load_shipped()
    request = Request(disks=disks, workload=Workload(goal=goal))
    found = benchmark.pedantic(recommend, args=(request, judge_maker(book)), rounds=7, warmup_rounds=1)
    assert found.examined > 2000
    assert benchmark.stats.stats.median < 0.3 * slowness()


@pytest.mark.parametrize("goal", list(Goal))
def test_that_the_rules_take_under_0_12_s_of_it(goal: Goal, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = 0.0
    judge = Judge.layout

    def timed(self: Judge, *told: Any) -> tuple[Finding, ...]:
        nonlocal spent
        began = time.process_time()
        found = judge(self, *told)
        spent += time.process_time() - began
        return found

    monkeypatch.setattr(Judge, "layout", timed)
    request, book = Request(disks=THESIS_DISKS, workload=Workload(goal=goal)), load_shipped()
    runs: list[float] = []
    for _ in range(7):
        spent = 0.0
        recommend(request, judge_maker(book))
        runs.append(spent)
    assert min(runs) < 0.12 * slowness()


def test_that_10000_pools_a_second_are_predicted(benchmark: Any) -> None:
    # Different sizes each time: nothing of one answer serves the next.
    layouts = [
        (VdevSpec(kind=VdevKind.RAIDZ, parity=2, sizes=(SIX_TB + 1048576 * number,) * 8),) for number in range(2000)
    ]

    def predict_all() -> None:
        for layout in layouts:
            predict_pool(layout, ashift=12, version=VERSION)

    benchmark.pedantic(predict_all, rounds=5, warmup_rounds=0)
    assert len(layouts) / benchmark.stats.stats.median > 10_000 / slowness()


def test_that_5000_lines_a_second_are_answered_with_every_step(benchmark: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"vdev": [f"raidz2:8x{SIX_TB + 1048576 * n}"], "ashift": 12}) for n in range(20_000)]
    (tmp_path / "batch").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "poolwright", "capacity", "--batch", str(tmp_path / "batch")]
    # As a person starts it: output is buffered.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}

    def ask() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)

    benchmark.pedantic(ask, rounds=3, warmup_rounds=1)
    benchmark.extra_info["lines_a_second"] = round(len(lines) / benchmark.stats.stats.median)
    assert len(lines) / benchmark.stats.stats.median > 5_000 / slowness()


# Runs a command as a person does; tells the processor time and the memory that it took.
COMMAND = """
import sys, time
from pathlib import Path
from poolwright.__main__ import main
status = main()
told = Path("/proc/self/status").read_text().partition("VmHWM:")[2]
print(time.process_time(), told.split()[0], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("words", "seconds", "rounds"),
    [
        ("capacity --vdev raidz2:8x6TB --json", 0.09, 15),
        ("recommend --example thesis --goal safety --json", 0.6, 15),
        ("recommend --disks 100x6TB --goal safety --json", 1.2, 7),
        ("recommend --disks 1000x6TB --goal safety --json", 6.0, 2),
    ],
)
def test_that_a_command_answers_in_so_many_seconds_of_the_processor_and_120_mib(
    words: str, seconds: float, rounds: int, benchmark: Any, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", COMMAND, *words.split(" ")]
    # Modules are compiled, as they are where the program is installed.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    taken: list[float] = []
    peaks: list[int] = []

    def ask() -> None:
        done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
        seconds_taken, kilobytes = done.stderr.split()
        taken.append(float(seconds_taken))
        peaks.append(int(kilobytes))

    benchmark.pedantic(ask, rounds=rounds, warmup_rounds=1)
    benchmark.extra_info["processor_seconds"] = min(taken)
    benchmark.extra_info["peak_mib"] = max(peaks) / 1024
    assert min(taken) < seconds * slowness()
    assert max(peaks) < 120 * 1024


# Runs the real program with one change: instead of waiting for the user it tells when the first page was on the
# screen, lets the warm-up end, and tells the memory then.
START = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

def ticks():
    started = float(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / 100
    return float(Path("/proc/uptime").read_text().split()[0]) - started

def run(self=None):
    application = QApplication.instance()
    while not any(w.isVisible() for w in application.topLevelWidgets()):
        application.processEvents()
    application.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents, 50)
    shown = ticks()
    end = time.monotonic() + 4
    while time.monotonic() < end:
        application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
    status = Path("/proc/self/status").read_text()
    print(shown, next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
    return 0

QApplication.exec = run
from poolwright.ui.shell.application import open_window
open_window()
"""


def test_that_the_window_shows_its_first_page_within_1_s_and_200_mib(benchmark: Any, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    environment = {**os.environ, **home, "QT_QPA_PLATFORM": "offscreen"}
    shown: list[float] = []
    peaks: list[int] = []

    def start() -> None:
        command = [sys.executable, "-c", START]
        done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
        seconds, kilobytes = done.stdout.split()
        shown.append(float(seconds))
        peaks.append(int(kilobytes))

    benchmark.pedantic(start, rounds=5, warmup_rounds=1)
    benchmark.extra_info["first_page_seconds"] = statistics.median(shown)
    benchmark.extra_info["peak_mib"] = max(peaks) / 1024
    assert statistics.median(shown) < 1.0 * slowness()
    assert max(peaks) < 200 * 1024
