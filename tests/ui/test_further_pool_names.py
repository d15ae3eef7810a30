"""The second, third … pool of a design is named on the commands page, too."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from tests.ui.controls import shown, visit

from poolwright.domain.design import Design, FurtherPool
from poolwright.ui.commands.page import CommandsPage
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def page(window: MainWindow, design: Design) -> CommandsPage:
    first, second, third, *rest = design.vdevs
    further = tuple(FurtherPool(pool_name=name, vdevs=(vdev,)) for name, vdev in (("tank2", second), ("tank3", third)))
    window.session.change_design(replace(design, vdevs=(first, *rest), further_pools=further), "three pools")
    return visit(window, CommandsPage)


def type_name(page: CommandsPage, which: str, name: str) -> None:
    field = shown(page, QLineEdit, which)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, name)
    QTest.keyClick(field, Qt.Key.Key_Return)


def names(page: CommandsPage) -> list[str]:
    design = page.session.design
    assert design is not None
    return [pool.pool_name for pool in design.pools()]


def test_that_a_further_pool_is_renamed_and_the_commands_follow(page: CommandsPage) -> None:
    assert shown(page, QLineEdit, "Name of pool 3").text() == "tank3"
    type_name(page, "Name of pool 3", "archive")
    assert names(page) == ["tank", "tank2", "archive"]
    model = page.table.model()
    assert "  archive \\" in [model.index(row, 0).data() for row in range(model.rowCount())]
    page.session.undo_steps.undo()
    assert names(page) == ["tank", "tank2", "tank3"]


@pytest.mark.parametrize(("name", "word"), [("tank2", "already"), ("mirror1", "keeps names"), ("a b", "letters")])
def test_that_a_name_that_cannot_be_is_refused_with_its_reason(page: CommandsPage, name: str, word: str) -> None:
    type_name(page, "Name of pool 3", name)
    assert word in page.further.problem.text()
    assert page.further.problem.isVisible()
    assert names(page) == ["tank", "tank2", "tank3"]


def test_that_the_first_pool_cannot_take_the_name_of_another(page: CommandsPage) -> None:
    type_name(page, "Pool name", "tank2")
    assert names(page) == ["tank", "tank2", "tank3"]


def test_that_one_pool_shows_no_further_name(page: CommandsPage, design: Design) -> None:
    page.session.change_design(design, "one pool")
    assert not page.further.isVisible()
