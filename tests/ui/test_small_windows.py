"""The window at 800 x 500 logical pixels: 150 % on 1280 x 800, 125 % on 1366 x 768, 200 % on 1920 x 1080."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.texts.brackets import told_in
from tests.texts.test_catalogues import COMPLETE
from tests.ui.controls import part_of, there

from poolwright.rules.rulebook import RuleBook
from poolwright.ui.compare.page import ComparePage
from poolwright.ui.knowledge.page import ReferencePage
from poolwright.ui.knowledge.synclog import SynclogPane
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.theme import GRID
from poolwright.ui.parts.widgets import ElidedLabel
from poolwright.ui.plots.chart_plot import ChartPlot
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import START_SIZE, MainWindow
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

SMALL = QSize(800, 500)
LEAST_PLOT = 200


@pytest.fixture
def small(designed: MainWindow) -> MainWindow:
    """Return a window of the least size, with a design."""
    designed.resize(SMALL)
    return designed


def shown(qtbot: QtBot, window: MainWindow, name: str) -> Page:
    """Return a page once it stands still."""
    window.show_page(name)
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=60_000)
    qtbot.wait(30)
    return window.page(name)


def views_of(qtbot: QtBot, page: Page) -> Iterator[str]:
    """Bring each tab of the page to the front, and tell its name."""
    bars = [bar for bar in page.findChildren(QTabBar) if bar.isVisibleTo(page)]
    if not bars:
        yield ""
        return
    for index in range(bars[0].count()):
        if bars[0].isTabVisible(index):
            bars[0].setCurrentIndex(index)
            qtbot.wait(50)
            yield bars[0].tabText(index)


def cut(widget: QLabel | QPushButton | QToolButton) -> bool:
    """Tell whether a text is larger than the widget that shows it."""
    if isinstance(widget, ElidedLabel):
        return False  # it ends in an ellipsis, and has the whole in its tooltip
    if isinstance(widget, QLabel):
        if not widget.text():
            return False
        if widget.wordWrap():
            words = re.findall(r"[^\s-]+-?|-", widget.text()) or [""]
            longest = max(map(widget.fontMetrics().horizontalAdvance, words))
            return (
                longest > widget.contentsRect().width() + 1
                or widget.height() < widget.heightForWidth(widget.width()) - 1
            )
    elif not widget.text():  # Qt's own, at the ends of tab bars and in fields
        return False
    hint = widget.minimumSizeHint() if isinstance(widget, QLabel) else widget.sizeHint()
    return widget.width() < hint.width() - 1 or widget.height() < min(hint.height(), widget.maximumHeight()) - 1


def shortened(page: Page) -> Iterator[str]:
    """Yield what Qt shortens by itself: heads of tables, tabs, what is chosen or stands in an empty field."""
    for header in page.findChildren(QHeaderView):
        model = header.model()
        if model is None or header.orientation() is Qt.Orientation.Vertical or not header.isVisible():
            continue
        for at in range(header.count()):
            text = str(model.headerData(at, header.orientation()) or "")
            if not header.isSectionHidden(at) and wider(header, text, header.sectionSize(at) - 16):
                yield f"head {text!r} of {header.sectionSize(at)} px"
    for bar in page.findChildren(QTabBar):
        if bar.isVisible() and bar.width() < bar.sizeHint().width():
            yield f"tabs {[bar.tabText(at) for at in range(bar.count())]}"
    for box in page.findChildren(QComboBox):
        if box.isVisible() and wider(box, box.currentText(), box.width() - 24):
            yield f"choice {box.currentText()!r} of {box.width()} px"
    for entry in page.findChildren(QLineEdit):
        margins = entry.textMargins()
        room = entry.width() - margins.left() - margins.right() - 24
        if entry.isVisible() and not entry.text() and wider(entry, entry.placeholderText(), room):
            yield f"field {entry.placeholderText()!r} of {room} px"


def wider(of: QWidget, text: str, room: int) -> bool:
    return max(map(of.fontMetrics().horizontalAdvance, text.split("\n"))) > room


def faults_of(page: Page, where: str) -> list[str]:
    """Return what of a page in sight is cut, too wide or too low."""
    inside, room = page.area.horizontalScrollBar().maximum(), page.area.viewport().width()
    texts: list[QLabel | QPushButton | QToolButton] = [*page.findChildren(QLabel)]
    texts += [*page.findChildren(QPushButton), *page.findChildren(QToolButton)]
    return [
        *([f"{where}: {inside} px wider than {room}"] if inside else []),
        *(f"{where}: {cut}" for cut in shortened(page) if page.window().width() > SMALL.width()),
        *(
            f"{where}: {type(w).__name__} {w.text()[:40]!r} {w.size()} of {w.sizeHint()}"
            for w in texts
            if w.isVisible() and cut(w)
        ),
        *(
            f"{where}: plot {plot.accessibleName()} {plot.view.height()} px high"
            for plot in page.findChildren(ChartPlot)
            if plot.isVisible() and plot.view.height() < LEAST_PLOT
        ),
    ]


def is_whole(page: Page, where: str) -> bool:
    return not faults_of(page, where)


@pytest.mark.slow
def test_that_a_window_of_800_by_500_can_be_had(small: MainWindow, qtbot: QtBot) -> None:
    for entry in page_entries():
        shown(qtbot, small, entry.name)
        assert small.size() == SMALL
        assert small.minimumSizeHint().height() <= SMALL.height(), entry.name
    rows = [small.rail.button(name) for name in small.rail.order()]
    places = [QRect(row.mapTo(small.rail, QPoint()), row.size()) for row in rows]
    assert all(above.bottom() <= below.y() for above, below in pairwise(places))
    assert places[-1].bottom() < small.rail.height()


@pytest.fixture
def code(request: pytest.FixtureRequest) -> Iterator[str]:
    """Tell everything in a language."""
    with told_in(request.param):
        yield request.param


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "size"),
    [("en", SMALL), *((code, QSize(*START_SIZE)) for code in ("en", *COMPLETE))],
    indirect=["code"],
    ids=["small-en", "en", *COMPLETE],
)
def test_that_nothing_is_cut_in_a_window(code: str, small: MainWindow, qtbot: QtBot, size: QSize) -> None:
    small.resize(size)
    wrong = []
    for entry in page_entries():
        page = shown(qtbot, small, entry.name)
        for view in views_of(qtbot, page):
            where = f"{entry.name} {view}"
            with suppress(qtbot.TimeoutError):  # what was just shown is laid out over a few turns
                qtbot.waitUntil(partial(is_whole, page, where), timeout=2000)
            wrong += faults_of(page, where)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("code", COMPLETE, indirect=True)
def test_that_the_toolbar_has_room_for_all_its_actions(code: str, small: MainWindow) -> None:
    assert small._tools.sizeHint().width() <= small.width()


def rows_in_sight(table: QTableView) -> int:
    """Count the rows of which nothing is hidden, neither by the table nor by the page."""
    whole = (table.visualRect(table.model().index(row, 0)) for row in range(table.model().rowCount()))
    shown = table.viewport().visibleRegion().boundingRect()
    return sum(1 for row in whole if row.top() >= shown.top() and row.bottom() <= shown.bottom())


@pytest.fixture
def ranking(window: MainWindow, rules: RuleBook, qtbot: QtBot, request: pytest.FixtureRequest) -> RecommendationPage:
    """Return the layouts of so many disks of the thesis machine, or of all of them."""
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.tick([disk.key for disk in there(window.session.inventory).disks][: getattr(request, "param", None)])
    page = shown(qtbot, window, "recommendation")
    assert isinstance(page, RecommendationPage)
    return page


@pytest.mark.slow
@pytest.mark.parametrize("ranking", [12, 46], indirect=True)
def test_that_the_rivals_are_in_sight_in_the_usual_window(ranking: RecommendationPage) -> None:
    table = ranking.candidates.table
    assert rows_in_sight(table) >= min(7, table.model().rowCount())
    assert ranking.use.visibleRegion().boundingRect().size() == ranking.use.size()


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, START_SIZE, (1920, 1080)])
def test_that_the_cards_are_of_one_size_and_nothing_on_them_is_cut(
    ranking: RecommendationPage, window: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*(size if isinstance(size, tuple) else size.toTuple()))
    qtbot.wait(20)
    shown = [card for card in ranking.cards.cards if card.isVisible()]
    assert len({card.height() for card in shown}) == 1
    assert max(card.width() for card in shown) - min(card.width() for card in shown) <= 1
    for label in (label for card in shown for label in card.findChildren(QLabel) if label.isVisible()):
        assert label.height() >= label.heightForWidth(label.width()) or not label.wordWrap(), label.text()


@pytest.mark.slow
def test_that_the_summary_folds_by_itself_and_unfolds_as_it_was_wanted(small: MainWindow) -> None:
    assert small.summary.folded
    assert not small.summary.wished_folded
    small.resize(*START_SIZE)
    small.summary.toggle()
    small.resize(SMALL)
    small.resize(*START_SIZE)
    assert small.summary.folded
    small.summary.toggle()
    small.resize(SMALL)
    small.resize(*START_SIZE)
    assert [small.summary.folded, small.summary.wished_folded] == [False, False]


def test_that_the_first_window_fits_the_screen(session: Session, settings: QSettings, qtbot: QtBot) -> None:
    first = MainWindow(session, Preferences(settings))
    qtbot.addWidget(first)
    room = first.screen().availableSize()
    assert room.width() < START_SIZE[0], "else this tests nothing"
    assert first.width() < room.width()
    assert first.height() < room.height()


@pytest.mark.slow
def test_that_no_number_of_the_four_combinations_is_shortened(small: MainWindow, qtbot: QtBot) -> None:
    page = part_of(small, SynclogPane, "synclog", ReferencePage)
    qtbot.waitUntil(lambda: page.comparison is not None, timeout=60_000)
    (table,) = (t for t in page.findChildren(QTableView) if t.accessibleName() == "The four combinations")
    model = table.model()
    assert model.rowCount() == 4
    for column in range(model.columnCount()):
        for row in range(4):
            index = model.index(row, column)
            font = index.data(Qt.ItemDataRole.FontRole) or table.font()
            assert QFontMetrics(font).horizontalAdvance(index.data()) + GRID < table.columnWidth(column), index.data()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "view", "rows"), [("commands", "Command lines with reasons", 4), ("disks", "Disks", 3)]
)
def test_that_low_windows_scroll_the_page_rather_than_a_table_of_two_lines(
    small: MainWindow, qtbot: QtBot, name: str, view: str, rows: int
) -> None:
    page = shown(qtbot, small, name)
    (table,) = (t for t in page.findChildren(QAbstractItemView) if t.accessibleName() == view)
    inside = there(page.area.widget())
    page.area.verticalScrollBar().setValue(table.mapTo(inside, QPoint()).y())
    qtbot.wait(20)
    in_sight = table.viewport().visibleRegion().boundingRect()
    lines = {table.visualRect(table.indexAt(QPoint(GRID, y))).top() for y in range(0, in_sight.height(), GRID)}
    assert len(lines) >= rows


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, QSize(*START_SIZE), QSize(1920, 1080)], ids=["small", "start", "large"])
def test_that_no_text_of_the_chart_of_the_comparison_is_cut(small: MainWindow, qtbot: QtBot, size: QSize) -> None:
    small.resize(size)
    page = shown(qtbot, small, "compare")
    assert isinstance(page, ComparePage)
    for key in ("b", "c"):
        small.session.library.save(replace(there(small.session.design), key=key, name=f"another {key}"))
    page.take((there(small.session.design).key, "b", "c"))
    qtbot.waitUntil(lambda: page.comparison is not None, timeout=20_000)
    page.chart.fold(folded=False)  # as who presses it where the table has the room
    qtbot.waitUntil(lambda: page.front.plot is not None, timeout=20_000)
    there(page.front.plot).grab()  # a text stands where it belongs once it was drawn
    drawn = there(page.front.plot).view
    room = drawn.box.sceneBoundingRect()
    for item in drawn.item.items:
        if isinstance(item, pg.TextItem):
            assert item.sceneBoundingRect().right() <= room.right() + 1, item.textItem.toPlainText()
    assert drawn.bottom.label.sceneBoundingRect().right() <= drawn.sceneRect().right() + 1
