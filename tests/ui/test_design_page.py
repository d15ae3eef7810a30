"""The design by hand: built with the keyboard and the pointer, taken back, and told what is wrong with it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialogButtonBox, QLabel, QLineEdit, QMenu, QSpinBox
from pytestqt.qtbot import QtBot
from tests.ui import controls
from tests.ui.controls import part_of, there
from tests.ui.design_at_hand import (
    ALT,
    CONTROL,
    KEY,
    SHIFT,
    choose,
    current,
    layout,
    menu_of,
    named,
    opened_pane,
    press,
    said,
    thesis_pane,
    widths,
)

from poolwright.capacity.explained import cascade
from poolwright.design.edits.places import LEFT_OVER, RAIDZ1, RAIDZ2, Piece, VdevPlace, with_pool
from poolwright.domain.vdev import VdevKind
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.pane import NAME, STATE, WHAT, DesignTree, PicturePane
from poolwright.ui.outlook.pane import OutlookPane
from poolwright.ui.parts.theme import Tone, theme
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

__all__ = ["opened_pane", "thesis_pane"]
# The platform without a screen cannot raise a menu nor give it the keyboard; the menus work all the same.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.mark.slow
def test_that_a_raidz2_with_a_spare_is_built_by_keyboard_alone(pane: PicturePane, qtbot: QtBot) -> None:
    pane.session.start_from(example("wikibook"))
    pane.board.setFocus()
    assert layout(pane) == []
    press(pane, KEY.Key_Home, KEY.Key_Space)
    for _ in range(5):
        press(pane, KEY.Key_Right, KEY.Key_Space)
    assert said(pane, "What is selected").startswith("6 disks selected")
    choose(menu_of(pane, KEY.Key_N, qtbot), "raidz2 of 6")
    assert (layout(pane), widths(pane)) == (["raidz2"], [6])
    press(pane, KEY.Key_End)
    choose(menu_of(pane, KEY.Key_M, qtbot), "Spares")
    assert layout(pane) == ["raidz2", "spare/stripe"]
    assert there(pane.session.design).vdevs[1].members[0].disk_key == example("wikibook").disks[-1].key
    assert there(pane.session.assessment).capacity is not None


def test_that_a_pool_begun_by_hand_gets_the_properties_the_rules_propose(pane: PicturePane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.session.start_from(example("wikibook"))
    pane.editing.apply(
        pane.editing.new_vdev(RAIDZ2, pieces=tuple(tile.piece for tile in pane.editing.content.tray[:8]))
    )
    design = there(pane.session.design)
    root = {setting.name: setting for setting in design.datasets[0].settings}
    assert root["compression"].rule_id is not None
    assert root["atime"].reason
    assert "ashift" not in {setting.name for setting in design.pool_settings}
    pane.session.undo_steps.undo()
    assert layout(pane) == []
    assert len(pane.editing.content.tray) == 40


@pytest.mark.slow
def test_that_the_menu_tells_what_each_choice_does_and_marks_what_is_worse(pane: PicturePane, qtbot: QtBot) -> None:
    pane.session.start_from(example("wikibook"))
    pane.board.setFocus()
    press(pane, KEY.Key_Home)
    press(pane, KEY.Key_Right, KEY.Key_Right, modifiers=SHIFT)
    menu = menu_of(pane, KEY.Key_N, qtbot)
    texts = {entry.text().split("\t")[0]: entry for entry in menu.actions() if "\t" in entry.text()}
    assert texts["raidz1 of 3"].text().endswith("10.8 TiB, survives 1, loss 1 in 7,800")
    assert texts["stripe of 3"].toolTip().startswith("16.2 TiB, one failed disk loses the pool, loss ")
    assert [texts[name].icon().isNull() for name in ("raidz1 of 3", "stripe of 3")] == [True, False]
    assert not texts["raidz3 of 3"].isEnabled()
    assert "at least 4 members" in texts["raidz3 of 3"].text()
    menu.close()
    pane.editing.apply(pane.editing.new_vdev(RAIDZ2, pieces=pane.editing.selection.pieces, count=1))
    pane.editing.select(VdevPlace(vdev=0))
    effect = pane.editing.effect(pane.editing.change_kind(RAIDZ1))
    assert [figure.worse for figure in effect.figures] == [False, True, True]
    assert "survives 1 (was 2), loss 1 in 7,800 (was 1 in " in effect.text
    menu = menu_of(pane, KEY.Key_K, qtbot)
    red = theme().colour(Tone.BLOCK).name()
    image = menu.grab().toImage()
    assert any(image.pixelColor(x, y).name() == red for x in range(image.width()) for y in range(image.height()))
    menu.close()


@pytest.mark.slow
def test_that_arrows_reach_every_tile_and_every_edit_can_be_undone(thesis: PicturePane, qtbot: QtBot) -> None:
    seen: set[object] = set()
    waiting = [thesis.editing.content.tiles()[0].piece]
    while waiting:
        piece = waiting.pop()
        if piece in seen:
            continue
        seen.add(piece)
        for key in (KEY.Key_Left, KEY.Key_Right, KEY.Key_Up, KEY.Key_Down):
            thesis.editing.select(piece)
            press(thesis, key)
            if isinstance(thesis.editing.current, Piece):
                waiting.append(thesis.editing.current)
    assert seen == {tile.piece for tile in thesis.editing.content.tiles()}
    before = thesis.session.design
    thesis.editing.select(VdevPlace(vdev=0))
    press(thesis, KEY.Key_Delete)
    after = thesis.session.design
    assert widths(thesis) == [8, 8, 8, 8, 4]
    assert len(thesis.editing.content.tray) == 10
    press(thesis, KEY.Key_Z, modifiers=CONTROL)
    assert thesis.session.design == before
    assert len(thesis.editing.content.tray) == 2
    thesis.session.undo_steps.redo()
    assert thesis.session.design == after


@pytest.mark.slow
def test_that_kinds_change_and_vdevs_split_merge_and_move(thesis: PicturePane, qtbot: QtBot) -> None:
    thesis.editing.select(VdevPlace(vdev=0))
    choose(menu_of(thesis, KEY.Key_K, qtbot), "raidz3")
    assert layout(thesis)[:2] == ["raidz3", "raidz2"]
    thesis.editing.select(VdevPlace(vdev=1))
    choose(menu_of(thesis, KEY.Key_S, qtbot), "raidz2-1 into 2")
    assert widths(thesis) == [8, 4, 4, 8, 8, 8, 4]
    thesis.editing.put_selection(VdevPlace(vdev=1), [VdevPlace(vdev=1), VdevPlace(vdev=2)])
    told: list[str] = []
    thesis.session.said.connect(told.append)
    press(thesis, KEY.Key_G)
    assert widths(thesis) == [8, 8, 8, 8, 8, 4]
    assert told[-1].startswith("Merge: raidz2 of 8, 149 TiB usable"), "a key without a preview tells what it made"
    thesis.editing.select(VdevPlace(vdev=1))
    press(thesis, KEY.Key_Up, modifiers=ALT)
    assert layout(thesis)[:2] == ["raidz2", "raidz3"]


@pytest.mark.slow
def test_that_a_refused_edit_changes_nothing_and_two_marked_disks_swap_their_places(thesis: PicturePane) -> None:
    before = thesis.session.design
    told: list[str] = []
    thesis.session.said.connect(told.append)
    thesis.editing.select(VdevPlace(vdev=0))
    assert not thesis.editing.apply(thesis.editing.split(8))
    assert "raidz2 needs at least 3 members" in told[-1]
    assert thesis.session.design is before
    design = there(thesis.session.design)
    one, other = design.vdevs[0].members[0].disk_key, design.vdevs[5].members[0].disk_key
    thesis.editing.put_selection(Piece(disk_key=one), [Piece(disk_key=one), Piece(disk_key=other)])
    press(thesis, KEY.Key_X)
    assert there(thesis.session.design).vdevs[0].members[0].disk_key == other
    assert there(thesis.session.design).vdevs[5].members[0].disk_key == one


@pytest.mark.slow
def test_that_escape_leads_out_return_back_in_and_control_a_marks_all_disks_of_the_pool(thesis: PicturePane) -> None:
    press(thesis, KEY.Key_Home, KEY.Key_Escape)
    assert current(thesis) == VdevPlace(vdev=0)
    assert "raidz2-0" in thesis.board.accessibleDescription()
    press(thesis, KEY.Key_Down)
    assert current(thesis) == VdevPlace(vdev=1)
    press(thesis, KEY.Key_Return)
    assert current(thesis) == thesis.editing.content.pools[0].data[1].tiles[0].piece
    press(thesis, KEY.Key_Home)
    press(thesis, KEY.Key_A, modifiers=CONTROL)
    frames = thesis.editing.content.pools[0].frames
    assert thesis.editing.marks == {tile.piece for frame in frames for tile in frame.tiles}
    press(thesis, KEY.Key_Escape)
    assert thesis.editing.marks == frozenset()
    press(thesis, KEY.Key_End)
    press(thesis, KEY.Key_A, modifiers=CONTROL)
    assert thesis.editing.marks == {tile.piece for tile in thesis.editing.content.tray}


@pytest.mark.slow
def test_that_disks_are_cut_and_what_is_left_becomes_a_second_pool(pane: PicturePane, qtbot: QtBot) -> None:
    """The case of the MacZFS blog: raidz2 over equal partitions, the left-over slices as a mirror of their own."""
    pane.session.start_from(example("macblog"))
    pane.board.setFocus()
    press(pane, KEY.Key_Home)
    press(pane, KEY.Key_A, modifiers=CONTROL)
    choose(menu_of(pane, KEY.Key_N, qtbot), "raidz2 of 5")
    pane.editing.select(VdevPlace(vdev=0))
    choose(menu_of(pane, KEY.Key_P, qtbot), "Cut raidz2-0 to its smallest member")
    left = [tile for tile in pane.editing.content.tray if tile.left_over]
    assert [tile.disk.serial for tile in left] == ["EXAMPLEM301", "EXAMPLEM302"]
    assert [round(tile.share, 2) for tile in left] == [0.33, 0.33]
    pane.editing.put_selection(left[0].piece, [tile.piece for tile in left])
    choose(menu_of(pane, KEY.Key_N, qtbot), "mirror of 2")
    pane.editing.select(VdevPlace(vdev=1))
    choose(menu_of(pane, KEY.Key_O, qtbot), "New pool of the selected vdevs")
    assert [pool.pool_name for pool in there(pane.session.design).pools()] == ["tank", "tank2"]
    assert [box.name for box in pane.editing.content.pools] == ["tank", "tank2"]
    assert pane.session.library.read(there(pane.session.design).key) == pane.session.design
    first = there(pane.editing.tiles.get(Piece(disk_key=left[0].disk.key, part=1)))
    assert words.tile_name(first).startswith("Partition 1 of")
    assert Piece(disk_key=left[0].disk.key, part=LEFT_OVER) not in pane.editing.tiles


@pytest.mark.slow
def test_that_another_size_of_partition_can_be_typed(thesis: PicturePane, qtbot: QtBot) -> None:
    thesis.editing.select(thesis.editing.content.tiles()[0].piece)
    entry = next(a for a in thesis.verbs.cut.actions() or filled(thesis.verbs.cut) if "another size" in a.text())
    entry.trigger()
    dialog = next(w for w in QApplication.topLevelWidgets() if w.accessibleName() == "Partition" and w.isVisible())
    field = controls.named(dialog, QLineEdit, "Size of the partition on each disk")
    buttons = there(dialog.findChild(QDialogButtonBox))
    ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
    QTest.keyClicks(field, "9TB")
    assert "no room" in said(dialog, "What comes of it")
    assert not ok.isEnabled()
    controls.type_in(field, "4TB")
    assert ok.isEnabled()
    echo = next(w for w in dialog.findChildren(QLabel) if w.accessibleDescription() == field.accessibleName())
    assert echo.text() == "= 4.00 TB = 3.64 TiB."
    QApplication.processEvents()
    assert echo.height() >= echo.heightForWidth(echo.width())
    QTest.mouseClick(ok, Qt.MouseButton.LeftButton)
    design = there(thesis.session.design)
    assert design.vdevs[0].members[0].part == 1
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def filled(menu: QMenu) -> list[QAction]:
    menu.aboutToShow.emit()
    return menu.actions()


@pytest.mark.slow
def test_that_a_draid_is_asked_for_with_groups_and_spares(thesis: PicturePane) -> None:
    thesis.editing.put_selection(VdevPlace(vdev=0), [VdevPlace(vdev=n) for n in range(5)])
    press(thesis, KEY.Key_G)
    assert widths(thesis) == [40, 4]
    thesis.editing.select(VdevPlace(vdev=0))
    next(a for a in filled(thesis.verbs.kind) if a.text() == "dRAID…").trigger()
    dialog = next(w for w in QApplication.topLevelWidgets() if w.accessibleName() == "dRAID" and w.isVisible())
    data, spares = (controls.named(dialog, QSpinBox, name) for name in ("Data disks a group", "Distributed spares"))
    data.setValue(50)
    assert "does not fit" in said(dialog, "What comes of it")
    data.setValue(6)
    spares.setValue(2)
    assert said(dialog, "What comes of it").startswith("draid2:6d:2s: ")
    buttons = there(dialog.findChild(QDialogButtonBox))
    QTest.mouseClick(buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)
    vdev = there(thesis.session.design).vdevs[0]
    assert (vdev.kind, vdev.draid_data, vdev.draid_spares) == (VdevKind.DRAID, 6, 2)
    assert there(thesis.session.assessment).capacity is not None
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def popups() -> Iterator[QMenu]:
    found = QApplication.activePopupWidget()
    if isinstance(found, QMenu):
        yield found


def test_that_the_menu_key_offers_all_edits_at_the_disk(thesis: PicturePane, qtbot: QtBot) -> None:
    press(thesis, KEY.Key_Home, KEY.Key_Return)
    qtbot.waitUntil(lambda: any(popups()))
    (menu,) = popups()
    texts = [a.text() for a in menu.actions() if a.text()]
    assert texts[:4] == ["New vdev", "Move", "Set type", "Split"]
    assert "To the tray (Del)\t149 TiB (−5.59), survives 2, loss 1 in 14,000 (was 1 in 13,000)" in texts
    menu.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


# The tree says in words what the picture draws, and edits with the same keys; the numbers tell every step.


@pytest.fixture
def tree(thesis: PicturePane) -> PicturePane:
    """The thesis machine, shown as a tree that has the keyboard."""
    thesis.as_tree.click()
    thesis.tree.setFocus()
    return thesis


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
    tree.editing.fail(failing=True)
    tree.session.put_design(replace(there(tree.session.design), key="another"))
    tree.refresh()
    assert (tree.editing.failing, tree.editing.marks) == (False, frozenset())
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
    tree.verbs.fail.trigger()
    tree.editing.put_selection(tiles[0], tiles)
    names, states = lines(tree.tree, NAME), lines(tree.tree, STATE)
    told = dict(zip(names, states, strict=True))
    assert told["tank"] == "pool lost"
    assert [told[f"raidz2-{n}"] for n in range(5)] == ["whole", "whole", "whole", "lost", "whole"]
    assert states.count("lost") == 4
    tree.session.set_rules(rules)
    line = there(tree.tree.item_of(tree.editing.content.tiles()[0].piece))
    heard = line.data(NAME, Qt.ItemDataRole.AccessibleTextRole)
    assert heard.startswith("EXAMPLET01, 6 TB, 512e, HDD 7200, health unknown")


@pytest.mark.slow
def test_that_a_tree_out_of_sight_is_not_rebuilt(thesis: PicturePane) -> None:
    assert thesis.tree.topLevelItemCount() == 0
    named(thesis, "Show as a tree").click()  # type: ignore[attr-defined]
    assert thesis.tree.topLevelItemCount() == 2


@pytest.mark.slow
def test_that_the_numbers_begin_with_every_step_of_the_space_of_each_pool(
    thesis: PicturePane, window: MainWindow
) -> None:
    shown = part_of(window, OutlookPane, "outlook")
    capacity = there(thesis.session.assessment.capacity if thesis.session.assessment else None)
    first = shown.views[0].toPlainText()
    assert all(step.title in first and step.why in first for step in cascade(capacity))
    design = there(thesis.session.design)
    thesis.session.change_design(with_pool(design, [VdevPlace(vdev=0)], "second"), "New pool")
    chooser = controls.named(shown, QComboBox, "Pool")
    assert [chooser.itemText(n) for n in range(chooser.count())] == ["tank", "second"]
    chooser.setCurrentIndex(1)
    assert shown.sections[0].head.accessibleName() == "Space of second"
