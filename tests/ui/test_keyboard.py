"""Everything can be done without a pointer, in the order in which it is read."""

from itertools import groupby
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QPushButton,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers
from tests.ui.controls import there, visit

from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts import widgets
from poolwright.ui.parts.page import focus_order
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example
from poolwright.ui.verify.page import VerifyPage

NOTHING, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def active(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def focused() -> QWidget:
    return there(QApplication.focusWidget())


def key(pressed: Qt.Key, modifiers: Qt.KeyboardModifier = NOTHING) -> None:
    QTest.keyClick(focused(), pressed, modifiers)


def test_that_a_ring_lies_around_what_does_not_show_the_keyboard_itself(active: MainWindow) -> None:
    active.show_page("settings")
    for control in (QLineEdit, QComboBox, QComboBox):
        while not isinstance(focused(), control):
            key(Qt.Key.Key_Tab)
        assert (active._ring.widget() is focused()) is (control is QComboBox)
        key(Qt.Key.Key_Tab)


def items_of_layouts() -> int:
    return sum(isinstance(each, QLayoutItem) and not isinstance(each, QLayout) for each in getAllValidWrappers())


def test_that_the_order_of_tab_holds_no_item_of_a_layout_which_qt_may_delete(window: MainWindow) -> None:
    """PySide would take what lies there next for it, and end the program."""
    root = QWidget(window)
    widgets.column(
        first := QPushButton(root), widgets.row(second := QPushButton(root), third := QPushButton(root)), of=root
    )
    root.show()
    before = items_of_layouts()
    assert focus_order(root) == [first, second, third]
    assert items_of_layouts() == before


@pytest.mark.slow
def test_that_tab_visits_rail_page_and_summary_in_that_order(active: MainWindow, qtbot: QtBot) -> None:
    active.session.start_from(example("thesis"))
    active.show_page("disks")
    page = active.page("disks")
    seen = [focused()]
    while len(seen) < 60:
        key(Qt.Key.Key_Tab)
        if focused() is seen[0]:
            break
        seen.append(focused())
    first = next(number for number, widget in enumerate(seen) if active.rail.isAncestorOf(widget))
    parts = [part_of(active, widget) for widget in (*seen[first:], *seen[:first])]
    assert [part for part, _ in groupby(parts)] == ["rail", "page", "summary"], "each part is left once"
    on_page = [widget for widget in (*seen[first:], *seen[:first]) if page.isAncestorOf(widget)]
    texts = [w.text() for w in on_page if isinstance(w, QPushButton)]
    assert texts[0] == "This machine"
    assert texts[-2:] == ["Back: Start", "Next: Workload"]


def part_of(window: MainWindow, widget: QWidget) -> str:
    parts = {"rail": window.rail, "page": window.stack, "summary": window.summary}
    return next(name for name, part in parts.items() if part.isAncestorOf(widget))


def test_that_shift_tab_goes_the_same_way_back(active: MainWindow) -> None:
    active.show_page("budget")
    start = focused()
    for _ in range(5):
        key(Qt.Key.Key_Tab)
    for _ in range(5):
        key(Qt.Key.Key_Backtab)
    assert focused() is start


def test_that_tab_goes_on_where_the_status_bar_changed_its_height(active: MainWindow) -> None:
    active.status.saving.show()
    for turn in range(40):
        active.status.saving.setMinimumHeight(20 + turn % 2 * 20)  # Qt makes its layout anew
        QApplication.processEvents()
        key(Qt.Key.Key_Tab)
        made = [QWidget(active.stack.currentWidget()) for _ in range(5)]
        for widget in made:
            widgets.row(of=widget)
            widget.show()
        key(Qt.Key.Key_Tab)
        for widget in made:
            widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.mark.parametrize("name", ["start", "disks", "workload", "budget", "commands", "library", "settings"])
def test_that_every_page_takes_the_keyboard_when_it_is_shown(active: MainWindow, name: str) -> None:
    active.session.start_from(example("macblog"))
    active.show_page("reference")
    active.show_page(name)
    assert active.page(name).isAncestorOf(focused())


@pytest.mark.slow
def test_that_what_was_focused_on_a_page_is_focused_again(active: MainWindow) -> None:
    active.show_page("budget")
    for _ in range(3):
        key(Qt.Key.Key_Tab)
    there = focused()
    active.show_page("workload")
    active.show_page("budget")
    assert focused() is there


def test_that_the_rail_keeps_the_keyboard_while_one_walks_through_it(active: MainWindow) -> None:
    active.rail.button("disks").setFocus()
    key(Qt.Key.Key_Space)
    assert active.current_page() == "disks"
    assert active.rail.isAncestorOf(focused())


@pytest.mark.parametrize("name", ["budget", "commands"])
def test_that_a_click_in_the_rail_leaves_the_keyboard_where_the_page_begins(active: MainWindow, name: str) -> None:
    active.session.start_from(example("macblog"))
    QTest.mouseClick(active.rail.button(name), Qt.MouseButton.LeftButton)
    assert active.current_page() == name
    page = active.page(name)
    stops = focus_order(page._holder)
    assert focused() is page.first_stop(stops)
    assert "Back" not in str(focused().property("text")), "Return would leave the page"


def test_that_the_keyboard_goes_to_the_tabs_when_its_part_of_the_page_goes_out_of_sight(active: MainWindow) -> None:
    page = visit(active, VerifyPage)
    assert focused() is page.setup.directory
    page.limits.fold(folded=False)
    page.setup.form.findChildren(QLineEdit)[0].setFocus()
    page.show_part(page.own)
    assert focused() is page.panes.tabs


def test_that_f6_goes_from_part_to_part(active: MainWindow) -> None:
    active.show_page("budget")
    parts = []
    for _ in range(3):
        key(Qt.Key.Key_F6)
        parts.append(next(p for p in (active.rail, active.stack, active.summary) if p.isAncestorOf(focused())))
    assert len(set(parts)) == 3


@pytest.mark.slow
def test_that_alt_and_arrows_go_to_the_pages_beside(active: MainWindow) -> None:
    active.show_page("workload")
    key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert active.current_page() == "budget"
    key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert active.current_page() == "workload"


@pytest.mark.slow
def test_that_one_button_of_a_page_stands_out(active: MainWindow) -> None:
    active.session.start_from(example("thesis"))
    for name, text in (("disks", "Next: Workload"), ("workload", "Next: Budget"), ("library", "Open")):
        active.show_page(name)
        marked = [b.text() for b in active.page(name).findChildren(QPushButton) if b.property("main")]
        assert marked == [text]


def test_that_nothing_leads_on_from_a_page_where_something_is_missing(active: MainWindow) -> None:
    active.show_page("disks")
    assert active.page("disks").main_button() is None
    active.session.start_from(example("thesis"))
    assert active.page("disks").main_button() is not None


@pytest.mark.slow
def test_that_return_presses_the_focused_button_only(active: MainWindow) -> None:
    active.show_page("budget")
    assert isinstance(focused(), QLineEdit)
    key(Qt.Key.Key_Return)
    assert active.current_page() == "budget"
    back = next(b for b in focus_order(active.page("budget")) if isinstance(b, QPushButton))
    back.setFocus()
    key(Qt.Key.Key_Return)
    assert active.current_page() == "workload"


def test_that_f1_opens_the_guide_where_one_is_and_its_pages_lead_to_each_other(active: MainWindow) -> None:
    active.page_now("design").take("growth")
    key(Qt.Key.Key_F1)
    assert active.current_page() == "reference"
    guide = focused()
    assert isinstance(guide, QTextBrowser)
    assert guide.toPlainText().startswith("Grow a pool\n")
    for link in ("Contents", "Space"):
        for _ in range(60):
            key(Qt.Key.Key_Tab)
            if guide.textCursor().selectedText().startswith(link):
                break
        key(Qt.Key.Key_Return)
    assert "deflate ratio" in guide.toPlainText()
    key(Qt.Key.Key_F1)
    assert guide.toPlainText().startswith("The Poolwright guide\n")


def test_that_shift_f1_explains_the_terms(active: MainWindow) -> None:
    active.show_page("budget")
    QTest.keyClick(focused(), Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert active.current_page() == "reference"
    QTest.keyClicks(focused(), "slop")
    shown = active.page("reference").findChildren(QWidget)
    text = next(w for w in shown if w.accessibleName() == "Selected").property("plainText")
    assert text.startswith("slop space")


@pytest.mark.slow
def test_that_the_whole_way_needs_no_pointer(active: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path) -> None:
    active.session.set_rules(rules)
    for _ in range(30):
        QTest.keyClick(QApplication.focusWidget() or active, Qt.Key.Key_Tab)
        if focused().property("text") == "44 × 6 TB":
            break
    key(Qt.Key.Key_Return)
    for name in ("disks", "workload", "budget"):
        assert active.current_page() == name
        key(Qt.Key.Key_Return, CONTROL)
    qtbot.waitUntil(lambda: active.session.recommendation is not None, timeout=30_000)
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QPushButton))
    assert str(focused().property("text")).startswith("Use ")
    key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: active.session.design is not None, timeout=30_000)
    qtbot.waitUntil(lambda: active.current_page() == "design")
    key(Qt.Key.Key_E, CONTROL)
    assert active.current_page() == "commands"
    key(Qt.Key.Key_Return, CONTROL)
    dialog = active.page("commands").findChildren(QFileDialog)[0]
    target = tmp_path / "create.sh"
    dialog.findChildren(QLineEdit)[0].setText(str(target))
    QTest.keyClick(dialog.findChildren(QLineEdit)[0], Qt.Key.Key_Return)
    qtbot.waitUntil(target.exists)
    assert "zpool create" in target.read_text()
