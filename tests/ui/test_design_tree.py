"""The tree says in words what the picture draws, and edits with the same keys; the capacity tab tells every step."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QToolButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import there
from tests.ui.design_at_hand import (
    KEY,
    choose,
    current,
    menu_of,
    named,
    open_picture,
    page_of,
    press,
    said,
    show_thesis,
    widths,
)

from poolwright.capacity.explained import cascade
from poolwright.design.edits.places import VdevPlace, with_pool
from poolwright.rules.model import RuleBook
from poolwright.ui.design.cascade import CascadePane
from poolwright.ui.design.picture.page import PicturePane
from poolwright.ui.design.tree import NAME, STATE, WHAT, DesignTree
from poolwright.ui.shell.main_window import MainWindow

# The platform without a screen cannot raise a menu nor give it the keyboard; the menus work all the same.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot) -> PicturePane:
    return open_picture(window, qtbot)


@pytest.fixture
def tree(pane: PicturePane) -> PicturePane:
    """The thesis machine, shown as a tree that has the keyboard."""
    show_thesis(pane)
    button = named(pane, "Show as a tree")
    assert isinstance(button, QToolButton)
    button.click()
    pane.tree.setFocus()
    return pane


def lines(tree: DesignTree, column: int) -> list[str]:
    every = Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive
    return [found.text(column) for found in tree.findItems("*", every)]


@pytest.mark.slow
def test_that_tree_and_picture_have_one_selection_and_the_same_keys(tree: PicturePane, qtbot: QtBot) -> None:
    view = tree.tree
    tree.editing.select(VdevPlace(vdev=2))
    assert view.currentIndex().data() == "raidz2-2"
    second = there(view.item_of(VdevPlace(vdev=1)))
    view.setCurrentItem(second)
    assert current(tree) == VdevPlace(vdev=1)
    press(tree, KEY.Key_Down)
    press(tree, KEY.Key_Down, modifiers=Qt.KeyboardModifier.ShiftModifier)
    tiles = [tile.piece for tile in tree.editing.content.pools[0].data[1].tiles[:2]]
    assert tree.editing.marks == set(tiles)
    assert said(tree, "What is selected").startswith("2 disks selected")
    tree.editing.select(VdevPlace(vdev=4))
    choose(menu_of(tree, KEY.Key_K, qtbot), "raidz1")
    assert "raidz1-4" in lines(tree.tree, NAME)
    press(tree, KEY.Key_Delete)
    assert widths(tree) == [8, 8, 8, 8, 4]
    assert "raidz1-4" not in lines(tree.tree, NAME)


@pytest.mark.slow
def test_that_the_tree_holds_every_vdev_and_disk_once_with_what_a_loss_does(tree: PicturePane, rules: RuleBook) -> None:
    names = lines(tree.tree, NAME)
    content = tree.editing.content
    assert names[:3] == ["tank", "Data", "raidz2-0"]
    assert [name for name in names if name.startswith("raidz2-")] == [f"raidz2-{n}" for n in range(5)]
    serials = [tile.disk.serial for tile in content.tiles()]
    assert sorted(name for name in names if name.startswith("EXAMPLE")) == sorted(filter(None, serials))
    assert "raidz2 of 8, 25 % parity" in lines(tree.tree, WHAT)
    tiles = [tile.piece for tile in tree.editing.content.pools[0].data[3].tiles[:3]]
    tree.editing.put_selection(tiles[0], tiles)
    names, states = lines(tree.tree, NAME), lines(tree.tree, STATE)
    told = dict(zip(names, states, strict=True))
    assert told["tank"] == "pool lost"
    assert [told[f"raidz2-{n}"] for n in range(5)] == ["whole", "whole", "whole", "lost", "whole"]
    assert states.count("lost") == 4
    tree.session.set_rules(rules)
    line = there(tree.tree.item_of(tree.editing.content.tiles()[0].piece))
    heard = line.data(NAME, Qt.ItemDataRole.AccessibleTextRole)
    assert heard.startswith("EXAMPLET01, 6 TB, 512e, HDD, health unknown")


@pytest.mark.slow
def test_that_a_tree_out_of_sight_is_not_rebuilt(pane: PicturePane) -> None:
    show_thesis(pane)
    assert pane.tree.topLevelItemCount() == 0
    named(pane, "Show as a tree").click()  # type: ignore[attr-defined]
    assert pane.tree.topLevelItemCount() == 2


def cascade_of(window: MainWindow) -> CascadePane:
    page = page_of(window)
    page.bring_to_front("capacity")
    found = page.part("capacity")
    assert isinstance(found, CascadePane)
    return found


@pytest.mark.slow
def test_that_the_capacity_tab_shows_every_step_and_opens_its_origin(pane: PicturePane, window: MainWindow) -> None:
    show_thesis(pane)
    shown = cascade_of(window)
    capacity = there(pane.session.assessment.capacity if pane.session.assessment else None)
    steps = cascade(capacity)
    text = shown.steps.toPlainText()
    assert all(step.title in text and step.why in text for step in steps)
    assert f"{capacity.available_bytes:,}" in text
    assert "155 TiB usable" in text


@pytest.mark.slow
def test_that_each_pool_has_its_own_cascade(pane: PicturePane, window: MainWindow) -> None:
    show_thesis(pane)
    design = there(pane.session.design)
    pane.session.change_design(with_pool(design, [VdevPlace(vdev=0)], "second"), "New pool")
    shown = cascade_of(window)
    chooser = named(shown, "Pool")
    assert isinstance(chooser, QComboBox)
    assert [chooser.itemText(n) for n in range(chooser.count())] == ["tank", "second"]
    first = shown.steps.toPlainText()
    chooser.setCurrentIndex(1)
    assert shown.steps.toPlainText().startswith("raidz2 of 8:")
    assert shown.steps.toPlainText() != first
