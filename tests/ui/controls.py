"""Finds the controls of a page as a person does, by their name, and presses them."""

import time
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QPointF, QSettings, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QFileDialog, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from poolwright.design.evaluate import Evaluation
from poolwright.emit.report import Code
from poolwright.ui.design.page import DesignPage
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.report_view import Link, ReportView
from poolwright.ui.parts.tabbed_page import TabbedPage
from poolwright.ui.plots.drawn_chart import DrawnChart
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

T = TypeVar("T")
W = TypeVar("W", bound=QWidget)
P = TypeVar("P", bound=Page)


def there(found: T | None) -> T:
    """Return what has to be there by now: the design, the choice, the chart."""
    assert found is not None
    return found


def judged(session: Session) -> Evaluation:
    """Return the numbers of the open design once its predictions and findings are among them."""
    until = time.monotonic() + 60
    while session.judging and time.monotonic() < until:
        QCoreApplication.processEvents()
    assert not session.judging
    return there(session.assessment)


def visit(window: MainWindow, kind: type[P]) -> P:
    """Show the page of this kind, and return it."""
    name = next(entry.name for entry in page_entries() if entry.kind == kind.__name__)
    window.show_page(name)
    page = window.page(name)
    assert isinstance(page, kind)
    return page


def restarted(qtbot: QtBot, settings: QSettings) -> MainWindow:
    """Return a second window, which opens what was open last."""
    made = MainWindow(Session(), Preferences(settings))
    qtbot.addWidget(made)
    made.show()
    made.reopen()
    return made


def named(root: QWidget, kind: type[W], name: str) -> W:
    return _only([w for w in root.findChildren(kind) if name in names_of(w)], name)


def shown(root: QWidget, kind: type[W], name: str) -> W:
    """Return the one control in sight that is called so."""
    return _only([w for w in root.findChildren(kind) if name in names_of(w) and w.isVisible()], name)


def names_of(widget: QWidget) -> tuple[str, ...]:
    """Return what a control is called: its accessible name, the text on a button, what a label says it is."""
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    if isinstance(widget, QLabel):
        text = widget.accessibleDescription()
    return tuple(name for name in (widget.accessibleName(), text) if name)


def words_in_sight(page: Page) -> list[str]:
    """Return the words of the labels, buttons and fields of a page that can be seen, its head and foot included."""
    seen = [w for w in page.findChildren(QWidget) if w.isVisible()]
    texts = [w.text() for w in seen if isinstance(w, QLabel | QAbstractButton)]
    texts += [w.currentText() for w in seen if isinstance(w, QComboBox)]
    texts += [w.text() or w.placeholderText() for w in seen if isinstance(w, QLineEdit)]
    return " ".join(texts).split()


def press(button: QWidget) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def links(view: ReportView, text: str) -> list[int]:
    """Return the places of what a report offers under this text, from top to bottom: "Copy" is that of commands."""
    return [
        at
        for at, block in enumerate(view.blocks)
        if (block.text == text if isinstance(block, Link) else text == "Copy" and isinstance(block, Code))
    ]


def press_link(view: ReportView, text: str, number: int = 0) -> None:
    view.anchorClicked.emit(QUrl(str(links(view, text)[number])))


def choose(box: QComboBox, text: str) -> None:
    """Choose what a box offers under these words."""
    box.setCurrentText(text)
    assert box.currentText() == text
    box.activated.emit(box.currentIndex())


def say_where(part: QWidget, path: object) -> None:
    """Answer the file dialog that a part of the window opened."""
    (dialog,) = (dialog for dialog in part.window().findChildren(QFileDialog) if dialog.isVisible())
    dialog.findChildren(QLineEdit)[0].setText(str(path))
    dialog.accept()


def saved(button: QAbstractButton, path: Path) -> str:
    """Press what saves a text, say where, and return what is there then."""
    button.click()
    say_where(button, path)
    return path.read_text(encoding="utf-8")


def type_in(field: QLineEdit, text: str) -> None:
    """Type this in place of what stands in a field."""
    field.selectAll()
    QTest.keyClicks(field, text)


def enter(field: QLineEdit, text: str) -> None:
    type_in(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def part_of(window: MainWindow, kind: type[W], name: str, of: type[TabbedPage] = DesignPage) -> W:
    """Bring a part of the page of the design, or of another, to the front, and return it."""
    page = visit(window, of)
    page.bring_to_front(name)
    part = page.part(name)
    assert isinstance(part, kind)
    return part


def _only(found: list[W], name: str) -> W:
    assert len(found) == 1, f"{len(found)} controls are called {name}"
    return found[0]


def position_of(chart: DrawnChart, of: object) -> QPointF:
    """Return where the first mark of this stands, in coordinates of the scene."""
    marks = ((mark, place) for one in chart.series for mark, place in zip(one.series.marks, one.at, strict=True))
    place = next(place for mark, place in marks if mark.of is of)
    return QPointF(chart.view.box.mapViewToScene(QPointF(*place)))
