"""However the window is dragged, each size is laid out a few times and then stands still."""

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries

HEIGHTS = (480, 560, 700, 840, 1000)
MOST = 12  # as often one part may get another size before it stands still; six were seen
BREAK = 40  # from here on a part is kept from getting another: what has no end would end the tests


class Resizes(QObject):
    """Counts how often each part of a page gets another size."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.counts: Counter[QObject] = Counter()
        self._watched: set[QWidget] = set()

    def watch(self, page: Page) -> None:
        """Begin anew, with the parts that are there by now."""
        self.counts.clear()
        parts: set[QWidget] = {*page.findChildren(Panes), *page.findChildren(QAbstractScrollArea)}
        parts |= {inside for area in page.findChildren(QScrollArea) if (inside := area.widget()) is not None}
        for part in parts - self._watched:
            part.installEventFilter(self)
        self._watched |= parts

    def eventFilter(self, part: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        if event.type() != QEvent.Type.Resize:
            return False
        self.counts[part] += 1
        return self.counts[part] > BREAK


def restless(window: MainWindow, qtbot: QtBot, name: str, widths: range) -> list[str]:
    """Return the sizes of the window in which a part of this page did not come to rest."""
    name, __, tab = name.partition(":")
    window.ask(name, tab or None)
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=60_000)
    page, resizes, found = window.page(name), Resizes(window), []
    for height in HEIGHTS:
        for width in widths:
            resizes.watch(page)
            window.resize(width, height)
            for _ in range(6):
                QApplication.processEvents()
            found += [
                f"{width} x {height}: {type(part).__name__} {count} times"
                for part, count in resizes.counts.items()
                if count > MOST
            ]
    return found


@pytest.mark.parametrize(
    ("name", "widths"),
    [
        pytest.param("commands", range(1740, 1772, 4), id="commands"),
        pytest.param("reference:synclog", range(1284, 1312, 4), id="synclog"),
        pytest.param("recommendation", range(1560, 1584, 4), id="recommendation"),
    ],
)
def test_that_panes_come_to_rest_where_they_just_fit_beside_each_other(
    designed: MainWindow, qtbot: QtBot, name: str, widths: range
) -> None:
    assert not restless(designed, qtbot, name, widths)


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in page_entries()])
def test_that_every_page_comes_to_rest_in_every_size(designed: MainWindow, qtbot: QtBot, name: str) -> None:
    assert not restless(designed, qtbot, name, range(700, 2001, 10))  # a scroll bar is 12 wide


def test_that_a_page_is_as_wide_with_something_to_scroll_as_without(designed: MainWindow, qtbot: QtBot) -> None:
    designed.show_page("workload")
    area = designed.page("workload").area
    bar, inside = area.verticalScrollBar(), area.viewport()
    designed.resize(1748, 1400)
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    tall = inside.width()
    designed.resize(1748, 480)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert inside.width() == tall


def test_that_panes_side_by_side_stay_so_while_little_is_lacking(qtbot: QtBot, light: None) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    around.resize(1000, 400)
    panes = Panes("Views", 800, around)
    for column in (0, 1):
        panes.add(str(column), QWidget(panes))
    around.show()
    seen = []
    for width in (790, 800, 790, 780, 790):
        panes.resize(width, 300)
        seen.append(panes.wide)
    assert seen == [False, True, True, False, False]
