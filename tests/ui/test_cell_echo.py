"""What a cell's text means is told beside its editor while it is typed."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, there
from tests.ui.shop_at_hand import opened_shop

from poolwright.rules.model import RuleBook
from poolwright.ui.parts.card import CellEcho
from poolwright.ui.parts.panes import Panes
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow

SHOP = "model;media;size_bytes;price;currency;priced_on\nM8;hdd;8 TB;50,10;USD;2026-11-02\n"


@pytest.fixture
def view(window: MainWindow, rules: RuleBook, tmp_path: Path) -> QTableView:
    page = opened_shop(window, rules, tmp_path, SHOP)
    found = named(page, QTableView, "Catalogue of disks")
    panes, part = there(page.findChild(Panes)), there(found.parentWidget())
    panes.bring_to_front(part)
    assert found.isVisible()
    return found


def edit(view: QTableView, title: str) -> QLineEdit:
    model = view.model()
    column = next(n for n in range(model.columnCount()) if model.headerData(n, Qt.Orientation.Horizontal) == title)
    view.setCurrentIndex(model.index(0, column))
    view.edit(model.index(0, column))
    (editor,) = view.viewport().findChildren(QLineEdit)
    editor.selectAll()
    return editor


def echo(view: QWidget) -> CellEcho:
    (found,) = view.findChildren(CellEcho)
    return found


@pytest.mark.parametrize(
    ("title", "typed", "told"),
    [
        ("Size", "12TB", "= a disk of 12 TB: 12,000,138,625,024 bytes, 10.9 TiB"),
        ("Size", "12", "“12” has no unit"),
        ("Price", "289.90 EUR", "= 289.90 EUR, price of today"),
        ("AFR in %", "1.5", "= of a hundred such disks 1.5 fail in a year"),
        ("Physical sector", "4096", "= sectors of 4,096 bytes"),
    ],
)
def test_that_a_cell_of_the_catalogue_says_what_it_understands(
    view: QTableView, title: str, typed: str, told: str
) -> None:
    editor = edit(view, title)
    QTest.keyClicks(editor, typed)
    assert echo(view).text.text().startswith(told)
    assert echo(view).isVisible()
    assert view.viewport().rect().contains(echo(view).geometry())
    assert not echo(view).geometry().intersects(editor.geometry())
    assert editor.accessibleDescription() == echo(view).text.text()


def test_that_the_echo_goes_with_the_editor_and_says_nothing_of_a_name(view: QTableView, qtbot: QtBot) -> None:
    editor = edit(view, "Model")
    QTest.keyClicks(editor, "ST16")
    assert not echo(view).isVisible()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.findChildren(CellEcho) == [])
