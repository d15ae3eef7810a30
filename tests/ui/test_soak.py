"""A day of use: what is done again and again leaves no memory, thread, process, file or widget behind.

`make soak` goes on for POOLWRIGHT_SOAK_SECONDS; the slow tests for some rounds.
"""

import gc
import os
import threading
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.leaks import running_children, running_timers
from tests.ui.controls import judged, press, visit
from tests.ui.rankings import at_rest, wait_for_ranking

from poolwright.domain.workload import Goal, Workload
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.state.sources import example

SECONDS = float(os.environ.get("POOLWRIGHT_SOAK_SECONDS", "0"))
WARM_UP, LEAST_ROUNDS = 4, 4
LARGEST_GROWTH = 24 << 20  # bytes, however long it goes on: what an allocator may keep in pieces
MACHINES, GOALS = ("thesis", "macblog"), tuple(Goal)
SIZES = ((1280, 800), (800, 500), (1920, 1080))


def standing(window: MainWindow) -> dict[str, int]:
    """Return what there is of each kind that must not become more: threads, processes, open files, widgets."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    qt = Counter(type(each).__name__ for each in window.findChildren(QWidget))
    return {
        "threads": threading.active_count(),
        "processes": len(running_children()),
        "files": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "timers": len(running_timers()),
        "windows": len(QApplication.topLevelWidgets()),
        **{f"in the window: {name}": number for name, number in qt.items()},
    }


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def one_round(window: MainWindow, qtbot: QtBot, number: int) -> None:
    """Design for a machine, from its disks to every page, go back and forth in it, and throw the design away."""
    session = window.session
    window.resize(*SIZES[number % len(SIZES)])
    theme().choose((Scheme.LIGHT, Scheme.DARK)[number % 2])
    session.start_from(example(MACHINES[number % len(MACHINES)]))
    session.set_workload(Workload(goal=GOALS[number % len(GOALS)]))
    page = visit(window, RecommendationPage)
    wait_for_ranking(window, qtbot)
    press(page.use)
    qtbot.waitUntil(lambda: session.design is not None and window.current_page() == "design", timeout=30_000)
    session.undo_steps.undo()
    session.undo_steps.redo()
    judged(session)
    for entry in page_entries():
        window.show_page(entry.name)
        at_rest(window, qtbot)
    for saved in session.library.entries():
        session.library.delete(saved.key)
    session.change_design(None, "Discard")
    at_rest(window, qtbot)


@pytest.mark.slow
def test_that_nothing_grows_however_long_the_program_is_used(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    for number in range(WARM_UP * len(MACHINES)):
        one_round(window, qtbot, number)
    before, began, at_first = standing(window), time.monotonic(), resident_bytes()
    for number in count():
        if number >= LEAST_ROUNDS * len(MACHINES) and time.monotonic() - began >= SECONDS:
            break
        one_round(window, qtbot, number)
    grown = {kind: (before.get(kind, 0), now) for kind, now in standing(window).items() if now > before.get(kind, 0)}
    assert grown == {}
    assert resident_bytes() - at_first < LARGEST_GROWTH
