"""The window: every page by keyboard, the summary always in sight, nothing slow before the first page."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPushButton, QScrollArea, QTextEdit, QWidget
from pytestqt.qtbot import QtBot
from tests.design.binding.at_hand import planned_design
from tests.ui.conftest import thesis_design
from tests.ui.controls import judged, named

from poolwright.domain.design import Design
from poolwright.jobs.job import SlicedJob
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.commands.page import CommandsPage
from poolwright.ui.design.page import DesignPage
from poolwright.ui.shell.main_window import MainWindow, first_size
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.shell.rail import RailButton
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

PAGES = [entry.name for entry in page_entries()]


def on_window(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for the jobs that pages have begun."""
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=60_000)


def test_that_the_start_page_comes_first_and_the_rail_leads_on_by_pointer_and_arrow_keys(
    window: MainWindow, qtbot: QtBot
) -> None:
    assert window.current_page() == "start"
    QTest.mouseClick(window.rail.button("settings"), Qt.MouseButton.LeftButton)
    assert window.current_page() == "settings"
    assert window.rail.button("settings").isChecked()
    order = window.rail.order()
    window.rail.button(order[0]).setFocus()
    QTest.keyClick(window.rail.button(order[0]), Qt.Key.Key_Down)
    QTest.keyClick(window.rail.button(order[1]), Qt.Key.Key_Space)
    assert window.current_page() == order[1]


@pytest.mark.slow
def test_that_alt_and_a_number_goes_to_each_page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    order = window.rail.order()
    assert set(order) == {entry.name for entry in page_entries() if not entry.under}
    for number, name in enumerate(order[1:10], start=1):
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.AltModifier)
        assert window.current_page() == name
    QTest.keyClick(window, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    assert window.current_page() == "start"


def test_that_the_rail_groups_twelve_pages_below_the_way_to_start(window: MainWindow) -> None:
    home, *steps = window.rail.order()
    assert (home, len(steps), window.rail.button(home).text()) == ("start", 12, "Poolwright")
    groups = [g for g in window.rail.findChildren(QWidget) if not isinstance(g, RailButton)]
    held = {group.accessibleName(): [b.text() for b in group.findChildren(RailButton)] for group in groups}
    assert held["Design"] == ["Disks", "Workload", "Budget", "Layouts", "Design", "Script", "Verify"]
    assert (held["Pools and designs"], held[""]) == (["Pools", "Library", "Compare"], ["Reference", "Settings"])


@pytest.mark.parametrize("name", ["hosts", "buying"])
def test_that_ways_to_get_disks_stand_under_disks_and_lead_back_there(window: MainWindow, name: str) -> None:
    window.show_page(name)
    assert window.rail.button("disks").isChecked()
    window.page(name).go_back()
    assert window.current_page() == "disks"


def test_that_the_summary_folds_by_itself_where_the_design_is_not_the_subject(window: MainWindow) -> None:
    for name, folded in (("budget", False), ("library", True), ("settings", True), ("hosts", False)):
        window.show_page(name)
        assert window.summary.folded is folded


@pytest.mark.slow
def test_that_a_blocked_step_says_why_beside_the_way_on(window: MainWindow, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.session.show_design(replace(thesis_design(), ashift=9))
    judged(window.session)
    button = window.rail.button("design")
    assert button.accessibleName() == "Design, blocked"
    assert button.accessibleDescription() == window.page("design").missing() != ""
    assert window.rail.button("commands").accessibleName() == "Script, blocked"


def test_that_a_step_at_work_turns_until_it_has_ended(window: MainWindow, qtbot: QtBot) -> None:
    jobs, button = window.session.jobs, window.rail.button("verify")
    jobs.add(SlicedJob("Measuring", "benchmark", (share for share in repeat(0.5)), jobs))
    qtbot.waitUntil(lambda: button.accessibleName() == "Verify, working")
    jobs.cancel_all()
    qtbot.waitUntil(lambda: button.accessibleName() == "Verify, to do")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1024, 700), (3840, 2160)])
@pytest.mark.parametrize("name", PAGES)
def test_that_rail_page_and_summary_fit_the_window(
    designed: MainWindow, qtbot: QtBot, name: str, size: tuple[int, int]
) -> None:
    window = designed
    window.resize(*size)
    window.show_page(name)
    settle(window, qtbot)
    assert (window.width(), window.height()) == size
    whole = window.rect()
    for part in (window.rail, window.stack, window.summary):
        assert part.isVisible()
        assert whole.contains(on_window(part, window))
    qtbot.waitUntil(lambda: window.stack.width() >= size[0] * 0.55)
    # A wide window is laid out in several turns of the event loop.
    qtbot.waitUntil(lambda: cut_at_the_right(window.page(name)) == [])


def cut_at_the_right(page: QWidget) -> list[str]:
    areas = [area for area in page.findChildren(QScrollArea) if area.isVisible()]
    return [a.accessibleName() for a in areas if (w := a.widget()) is not None and w.width() > a.viewport().width()]


@pytest.mark.slow
def test_that_the_summary_can_be_folded_and_stays_in_sight(window: MainWindow, design: Design) -> None:
    window.session.change_design(design, "Choose layout")
    wide = window.stack.width()
    window.summary.toggle()
    window.grab()
    assert window.summary.isVisible()
    assert window.stack.width() > wide


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_that_every_control_has_a_name(designed: MainWindow, qtbot: QtBot, name: str) -> None:
    designed.show_page(name)
    settle(designed, qtbot)
    kinds = (QAbstractButton, QLineEdit, QComboBox, QTextEdit)
    controls = [w for kind in kinds for w in designed.findChildren(kind) if w.isVisible() and w.focusPolicy()]
    nameless = [w for w in controls if not (w.accessibleName() or getattr(w, "text", str)() or w.toolTip())]
    assert controls
    assert nameless == []


@pytest.mark.slow
def test_that_undo_and_redo_follow_the_design(window: MainWindow, qtbot: QtBot, design: Design) -> None:
    window.session.change_design(design, "Choose layout")
    assert window.windowTitle() == "thesis, raidz2 – Poolwright"
    page = window.stack.geometry()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.windowTitle() == "Poolwright"
    assert window.message.text() == "Undone: “thesis, raidz2” (5 × raidz2 of 8, 4 spares) is no longer the design."
    assert window.stack.geometry() == page  # nothing moves below the pointer
    qtbot.wait(1)
    window.show_page("settings")
    assert window.message.isHidden()  # it ends with its page
    for key in (Qt.Key.Key_Y, Qt.Key.Key_Z):
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
    QTest.mouseClick(named(window.message, QPushButton, "Redo"), Qt.MouseButton.LeftButton)
    assert (window.session.undo_steps.position, window.message.isHidden()) == (1, True)


def test_that_without_a_design_every_part_but_its_picture_leads_to_the_layouts(window: MainWindow) -> None:
    window.show_page("design")
    page = window.page("design")
    assert isinstance(page, DesignPage)
    for entry in page.entries():
        page.bring_to_front(entry.name)
        assert page.empty.isVisible() is not page.stack.isVisible() is (entry.name == "picture")
    named(page.empty, QPushButton, "Choose a layout").click()
    assert window.current_page() == "recommendation"


@pytest.mark.slow
def test_that_the_window_stands_as_it_was_left(window: MainWindow, settings: QSettings, qtbot: QtBot) -> None:
    window.resize(1010, 700)
    window.summary.toggle()
    window.close()
    again = MainWindow(Session(), Preferences(settings))
    qtbot.addWidget(again)
    assert again.summary.folded
    assert again.size().height() == 700
    again.close()


def test_that_settings_that_make_no_sense_are_the_defaults(settings: QSettings, qtbot: QtBot) -> None:
    for key in ("window/geometry", "window/scheme", "window/summary_folded", "designs/openzfs"):
        settings.setValue(key, "no sense")
    window = MainWindow(Session(), Preferences(settings))
    qtbot.addWidget(window)
    assert window.size() == first_size(window.screen())
    assert not window.summary.wished_folded
    window.close()


@pytest.mark.slow
def test_that_work_begins_with_what_designs_need_then_the_design_and_then_the_rules(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reopened: list[bool] = []

    def reopening() -> Iterator[None]:
        reopened.append(window.session.rules is None)
        yield

    monkeypatch.setattr(window._last, "reopen_in_steps", reopening)
    window.begin_work()
    qtbot.waitUntil(lambda: window.session.rules is not None, timeout=60_000)
    assert reopened == [True]


def test_that_closing_the_window_ends_the_warm_up(window: MainWindow) -> None:
    window.begin_work()
    window.close()
    assert window.session.rules is None


START = """
import sys
from collections.abc import Iterator
from PySide6.QtWidgets import QApplication
from poolwright.ui.design.page import DesignPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
application = QApplication([])
window = MainWindow(Session(), Preferences())
window.show()
application.processEvents()
slow = {"numpy", "pyqtgraph", "cattrs", "sqlite3", "poolwright.design.rank", "poolwright.predict.assessment"}
first = slow & sys.modules.keys()
from poolwright.ui.commands.page import CommandsPage
print(sorted(first), [name for name in ("numpy", "pyqtgraph", "cattrs") if name in sys.modules])
window.close()
"""


@pytest.mark.slow
def test_that_nothing_slow_is_imported_before_the_first_page() -> None:
    ended = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "[] []", "")


@pytest.mark.slow
def test_that_a_new_page_comes_between_events_once_the_window_stands(window: MainWindow, qtbot: QtBot) -> None:
    window.begin_work()
    window.show_page("budget")
    assert window.current_page() == "start"
    window.show_page("workload")  # another is wanted before the first one is there
    qtbot.waitUntil(lambda: window.current_page() == "workload")
    qtbot.wait(20)
    assert window.current_page() == "workload"
    window.show_page("start")
    assert window.current_page() == "start"
    window.show_page("workload")
    assert window.current_page() == "workload"
    window.ask("reference", "all")
    assert window.current_page() == "reference"


def test_that_every_page_is_in_the_module_that_its_entry_names() -> None:
    assert all(entry.load().__module__ == entry.module for entry in page_entries())


@pytest.mark.slow
def test_that_export_leads_to_the_script_and_undo_and_redo_say_what_they_did_whatever_page_is_in_front(
    window: MainWindow, design: Design
) -> None:
    window.session.change_design(design, "Choose layout")
    actions = {action.iconText().strip(): action for action in window.findChildren(QAction)}
    actions["Export script"].trigger()
    commands = window.page("commands")
    assert isinstance(commands, CommandsPage)
    assert commands.export.isVisibleTo(commands)
    window.show_page("settings")
    window._actions.undo.trigger()
    assert window.message.text().startswith("Undone: “thesis, raidz2”")
    window._actions.redo.trigger()
    assert window.statusBar().currentMessage().startswith("Redone: Choose")
    assert window.session.design == design


def test_that_what_is_said_goes_when_another_page_comes_or_another_design(
    window: MainWindow, qtbot: QtBot, design: Design
) -> None:
    window.show_page("disks")
    window.session.say("3 disks copied as CSV.")
    window.show_page("disks")
    assert window.statusBar().currentMessage() == "3 disks copied as CSV."
    window.show_page("settings")
    assert not window.statusBar().currentMessage()
    window.session.change_design(design, "Choose layout")
    window.session.say("The design holds this layout now.")
    qtbot.wait(0)
    assert window.statusBar().currentMessage() == "The design holds this layout now."
    window.session.undo_steps.undo()
    qtbot.waitUntil(lambda: not window.statusBar().currentMessage())


def test_that_what_is_said_of_a_page_that_is_being_made_stays_when_it_comes(window: MainWindow, qtbot: QtBot) -> None:
    window.begin_work()
    window.show_page("settings")
    assert window.current_page() == "start"
    window.session.say("The rules were read again.")
    qtbot.waitUntil(lambda: window.current_page() == "settings", timeout=60_000)
    assert window.statusBar().currentMessage() == "The rules were read again."
    settle(window, qtbot)


def test_that_the_script_is_not_promised_where_none_can_be_written_and_ctrl_s_saves_the_design(
    window: MainWindow,
) -> None:
    window.session.open_design(planned_design("mirror:2x8TB"))
    assert not window._actions.export.isEnabled()
    assert "is planned" in window._actions.export.toolTip()
    assert {QKeySequence("Ctrl+Shift+S"), QKeySequence("Ctrl+S")} <= set(window._actions.save.shortcuts())
