"""The picture of a design: dragged in, marked with what is wrong, and whole at any size."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot
from tests.design.binding.at_hand import planned_design
from tests.ui.controls import judged, there
from tests.ui.design_at_hand import (
    CONTROL,
    KEY,
    NOTHING,
    centre,
    choose,
    drag,
    hundred_disks,
    layout,
    menu_of,
    named,
    opened_pane,
    press,
    said,
    thesis_pane,
    widths,
)

from poolwright.design.edits.places import MIRROR, RAIDZ1, RAIDZ2, Bay, Piece, VdevPlace
from poolwright.domain.disk import Health
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.reserve import usual_partitions
from poolwright.domain.vdev import VdevClass
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.content import shelves_of
from poolwright.ui.design.picture.editing import Spot
from poolwright.ui.design.picture.geometry import NewVdev
from poolwright.ui.design.picture.pane import PicturePane
from poolwright.ui.parts.theme import Tone, theme
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

__all__ = ["opened_pane", "thesis_pane"]
# The platform without a screen cannot raise a menu nor give it the keyboard; the menus work all the same.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def pixels(image: QImage) -> Any:
    return np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint8).astype(int)


@pytest.mark.slow
def test_that_the_screen_shows_every_step_though_only_what_changed_is_drawn(
    thesis: PicturePane, window: MainWindow, qtbot: QtBot
) -> None:
    editing, board = thesis.editing, thesis.board.viewport()
    first, second, *_ = editing.content.pools[0].frames
    unused = editing.content.tray[0].piece
    steps = (
        lambda: editing.select(first.place),
        lambda: editing.apply(editing.change_kind(RAIDZ1)),
        lambda: editing.put_selection(second.tiles[2].piece, [tile.piece for tile in second.tiles[2:5]]),
        lambda: editing.select(unused),
        lambda: editing.apply(editing.new_vdev()),
        window.session.undo_steps.undo,
        lambda: editing.select(second.tiles[0].piece),
        lambda: editing.apply(editing.take_out()),
    )
    where = QRect(board.mapTo(window, QPoint(0, 0)), board.size())
    for step in steps:
        step()
        judged(window.session)
        qtbot.wait(20)
        screen = QGuiApplication.primaryScreen().grabWindow(window.winId()).copy(where)
        # What is drawn in part may round a colour to the next.
        assert abs(pixels(screen.toImage()) - pixels(window.grab(where).toImage())).max() <= 2


@pytest.mark.slow
def test_that_a_disk_is_dragged_from_the_tray_to_the_log(thesis: PicturePane) -> None:
    board = thesis.board
    tile = thesis.editing.content.tray[1]
    log = board.placed.areas[Bay(vdev_class=VdevClass.LOG)]
    drag(board, centre(board, tile.piece), log.center().toPoint())
    made = [vdev for vdev in there(thesis.session.design).vdevs if vdev.vdev_class is VdevClass.LOG]
    assert [member.disk_key for vdev in made for member in vdev.members] == [tile.disk.key]


def ground_of(board: PictureBoard, place: VdevPlace) -> str:
    """Return the colour of the ground of a vdev, beside its tiles."""
    rect = board.rect_of(place)
    return board.viewport().grab().toImage().pixelColor(int(rect.left()) + 3, int(rect.center().y())).name()


@pytest.mark.slow
def test_that_a_drop_tells_its_effect_before_it_is_made(thesis: PicturePane) -> None:
    board, before = thesis.board, thesis.session.design
    spare = thesis.editing.content.pools[0].serving(VdevClass.SPARE)[0].tiles[0].piece
    start, onto = centre(board, spare), centre(board, VdevPlace(vdev=2))
    drag(board, start, onto, drop=False)
    shown = there(there(board._haul).effect)
    assert shown.possible
    assert shown.text == "161 TiB (+6.37), survives 2, loss 1 in 13,000"
    assert thesis.session.design is before
    lit = ground_of(board, VdevPlace(vdev=2))
    QTest.keyClick(board, KEY.Key_Escape)
    assert lit != ground_of(board, VdevPlace(vdev=2)), "what takes the drop lights up"
    assert board._haul is None
    QTest.mouseRelease(board.viewport(), Qt.MouseButton.LeftButton, NOTHING, onto)
    assert thesis.session.design is before


def test_that_marked_disks_dropped_beside_the_vdevs_become_a_vdev(pane: PicturePane) -> None:
    pane.session.start_from(example("wikibook"))
    board = pane.board
    marks = [tile.piece for tile in pane.editing.content.tray[:8]]
    pane.editing.put_selection(marks[0], marks)
    drag(board, centre(board, marks[3]), board.placed.areas[NewVdev(0)].center().toPoint())
    assert (layout(pane), widths(pane)) == (["raidz2"], [8])


@pytest.mark.slow
def test_that_a_click_on_one_of_several_marked_chooses_it_alone_and_a_refused_drop_says_why(
    thesis: PicturePane,
) -> None:
    marks = [tile.piece for tile in thesis.editing.content.tiles()[:3]]
    thesis.editing.put_selection(marks[0], marks)
    QTest.mouseClick(thesis.board.viewport(), Qt.MouseButton.LeftButton, NOTHING, centre(thesis.board, marks[1]))
    assert list(thesis.editing.selection.spots) == [marks[1]]
    QTest.mouseClick(thesis.board.viewport(), Qt.MouseButton.LeftButton, CONTROL, centre(thesis.board, marks[2]))
    QTest.mouseClick(thesis.board.viewport(), Qt.MouseButton.LeftButton, CONTROL, centre(thesis.board, marks[0]))
    assert list(thesis.editing.selection.spots) == marks
    board, before = thesis.board, thesis.session.design
    thesis.editing.select(VdevPlace(vdev=0))
    marks = [tile.piece for tile in thesis.editing.content.pools[0].data[0].tiles[:6]]
    thesis.editing.put_selection(marks[0], marks)
    drag(board, centre(board, marks[0]), board.placed.tray.center().toPoint(), drop=False)
    shown = there(there(board._haul).effect)
    assert not shown.possible
    assert "raidz2 needs at least 3 members, this one has 2" in shown.text
    QTest.mouseRelease(board.viewport(), Qt.MouseButton.LeftButton, NOTHING, board.placed.tray.center().toPoint())
    assert thesis.session.design is before


def edge_colours(board: PictureBoard, spot: Spot) -> set[str]:
    """Return the colours at the left edge of a tile, half way down, as they are painted."""
    image = board.viewport().grab().toImage()
    rect = board.rect_of(spot)
    return {image.pixelColor(int(rect.left()) + dx, int(rect.center().y())).name() for dx in (-1, 0)}


@pytest.mark.slow
def test_that_what_is_wrong_stands_on_the_vdev_and_the_disk(thesis: PicturePane, rules: RuleBook) -> None:
    thesis.session.set_rules(rules)
    design = there(thesis.session.design)
    sick = design.vdevs[1].members[2].disk_key
    disks = tuple(replace(d, health=Health.FAILING) if d.key == sick else d for d in design.disks)
    thesis.session.change_design(replace(design, disks=disks), "A disk fails")
    judged(thesis.session)
    tile = there(thesis.editing.tiles.get(Piece(disk_key=sick)))
    assert any(f.severity is Severity.BLOCK and f.outcome is Outcome.VIOLATED for f in tile.findings)
    healthy = [t for t in thesis.editing.content.tiles() if t.disk.key != sick and t.place is not None]
    assert not [t for t in healthy if any(f.severity is Severity.BLOCK for f in t.findings)]
    red = theme().colour(Tone.BLOCK).name()
    assert red in edge_colours(thesis.board, tile.piece)
    assert red not in edge_colours(thesis.board, healthy[9].piece)
    thesis.editing.select(tile.piece)
    assert said(thesis, "About the selection").startswith("Blocks: ")
    assert any(line.startswith("Blocks: ") for line in thesis.board.lines_of(tile.piece))
    QTest.mouseClick(named(thesis, "Why?"), Qt.MouseButton.LeftButton)
    dialogs = [w for w in QApplication.topLevelWidgets() if w.accessibleName().startswith("Why? ")]
    assert len(dialogs) == 1
    dialogs[0].close()


@pytest.mark.slow
def test_that_a_rule_marks_each_of_many_equal_vdevs_and_the_pool_it_speaks_of(
    pane: PicturePane, rules: RuleBook
) -> None:
    """A finding names four of them; the picture has to find the others."""
    pane.session.set_rules(rules)
    pane.session.start_from(example("wikibook"))
    pane.session.change_design(None, "")
    editing = pane.editing
    tray = [tile.piece for tile in editing.content.tray]
    for at in range(0, 12, 2):
        editing.apply(editing.new_vdev(MIRROR, pieces=tuple(tray[at : at + 2])))
    found = judged(pane.session).findings or ()
    alike = [f for f in found if f.outcome is Outcome.VIOLATED and f.subject.endswith("and 2 more")]
    assert alike
    for finding in alike:
        assert [f.name for f in editing.content.frames() if finding in f.findings] == [f"mirror-{n}" for n in range(6)]
    editing.apply(editing.new_vdev(RAIDZ2, pieces=tuple(tray[12:28])))
    found = judged(pane.session).findings or ()
    wide = next(f for f in found if f.outcome is Outcome.VIOLATED and "raidz2-6" in f.subject)
    marked = [f.name for f in editing.content.frames() if wide in f.findings]
    assert marked == ["raidz2-6"]
    pane.session.change_design(None, "")
    tray = [tile.piece for tile in editing.content.tray]
    editing.apply(editing.new_vdev(RAIDZ2, pieces=tuple(tray[:6])))
    editing.apply(editing.new_vdev(RAIDZ2, pieces=tuple(tray[6:22])))
    editing.select(editing.content.pools[0].data[1].place)
    assert editing.apply(editing.new_pool())
    judged(pane.session)
    first, second = editing.content.pools
    title = "raidz of more than 12 disks, 13 with three of parity"
    assert title in {f.title for f in second.data[0].findings}
    assert title not in {f.title for f in first.data[0].findings}


@pytest.mark.slow
def test_that_a_rule_on_many_disks_marks_each_of_them(thesis: PicturePane, rules: RuleBook) -> None:
    thesis.session.set_rules(rules)
    design = there(thesis.session.design)
    sick = {vdev.members[0].disk_key for vdev in design.vdevs}
    disks = tuple(replace(d, health=Health.FAILING) if d.key in sick else d for d in design.disks)
    thesis.session.change_design(replace(design, disks=disks), "Six disks fail")
    judged(thesis.session)
    tiles = thesis.editing.content.tiles()
    marked = {t.disk.key for t in tiles if any(f.severity is Severity.BLOCK for f in t.findings)}
    assert marked == sick


@pytest.mark.slow
def test_that_only_in_a_mode_of_its_own_what_is_pressed_fails(thesis: PicturePane, qtbot: QtBot) -> None:
    tiles = [tile.piece for tile in thesis.editing.content.pools[0].data[0].tiles]
    told, view = "About the selection", thesis.board.viewport()
    chosen = thesis.editing.content.tray[0].piece
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, NOTHING, centre(thesis.board, tiles[0]))
    assert thesis.editing.selection.blast is None
    thesis.editing.put_selection(tiles[3], [chosen, tiles[3]])
    press(thesis, KEY.Key_F)
    assert thesis.verbs.fail.isChecked()
    assert said(thesis, told).startswith("Click the disks")
    for piece, expected in zip(
        tiles, ("survives, degraded", "no further disk may", "is lost with raidz2-0"), strict=False
    ):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, NOTHING, centre(thesis.board, piece))
        assert expected in said(thesis, told)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, NOTHING, centre(thesis.board, tiles[2]))
    assert "no further disk may" in said(thesis, told)
    press(thesis, KEY.Key_Delete)
    assert widths(thesis) == [8, 8, 8, 8, 8, 4]
    choose(menu_of(thesis, KEY.Key_E, qtbot), "controller Avago 9300-8e")
    assert len(there(thesis.editing.selection.blast).lost_keys) == 44
    assert "tank is lost" in said(thesis, told)
    press(thesis, KEY.Key_Escape)
    assert not thesis.editing.failing
    assert thesis.editing.marks == {chosen, tiles[3]}
    thesis.session.put_design(None)
    thesis.editing.refresh()
    press(thesis, KEY.Key_F)
    assert not thesis.editing.failing, "without a vdev nothing can fail"


def test_that_a_rubber_band_selects_what_it_touches(thesis: PicturePane) -> None:
    first, second = thesis.editing.content.pools[0].data[:2]
    start = thesis.board.rect_of(first.place).topRight().toPoint() + QPoint(20, 10)
    drag(thesis.board, start, centre(thesis.board, second.tiles[-2].piece))
    assert thesis.editing.marks == {tile.piece for frame in (first, second) for tile in frame.tiles[-2:]}
    assert said(thesis, "What is selected") == "4 disks selected"


def test_that_vdevs_tell_shares_of_what_the_pool_tells_in_the_order_of_its_commands(thesis: PicturePane) -> None:
    (pool,) = thesis.editing.content.pools
    usable, shares = there(pool.capacity).available_bytes, [there(frame.usable_bytes) for frame in pool.data]
    assert 0 <= usable - sum(shares) <= len(shares)
    assert [frame.name for frame in pool.data] == [f"raidz2-{number}" for number in range(len(shares))]


@pytest.mark.slow
def test_that_every_name_stays_as_it_was_after_a_drag(thesis: PicturePane) -> None:
    def names() -> tuple[object, ...]:
        design, content = there(thesis.session.design), thesis.editing.content
        frames = [frame.name for frame in content.frames()]
        return design.name, design.pool_name, frames, design.datasets, {t.disk.label for t in content.tiles()}

    before, board = names(), thesis.board
    disk = thesis.editing.content.pools[0].data[0].tiles[0].piece
    drag(board, centre(board, disk), centre(board, VdevPlace(vdev=2)))
    assert widths(thesis) == [7, 8, 9, 8, 8, 4]
    assert names() == before


def test_that_vdevs_keep_their_order_when_one_becomes_a_single_disk(pane: PicturePane) -> None:
    pane.session.open_design(planned_design("mirror:2x8TB", "mirror:2x8TB", "mirror:2x8TB"))
    board, before = pane.board, [frame.place for frame in pane.editing.content.frames()]
    second = pane.editing.content.frames()[1].tiles[0].piece
    drag(board, centre(board, second), board.placed.tray.center().toPoint())
    assert [frame.place for frame in pane.editing.content.frames()] == before
    # Named as `zpool status` will: a command has its bare disks first.
    assert [frame.name for frame in pane.editing.content.frames()] == ["mirror-1", "single disk", "mirror-2"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1024, 700), (1280, 800), (1920, 1080)])
def test_that_a_hundred_disks_fit_without_scrolling_sideways(
    pane: PicturePane, window: MainWindow, size: tuple[int, int]
) -> None:
    window.resize(*size)
    pane.session.start_from(hundred_disks())
    editing, board = pane.editing, pane.board
    check_inside(board, pane)
    tray = [tile.piece for tile in editing.content.tray]
    for at in range(0, 88, 8):
        assert editing.apply(editing.new_vdev(RAIDZ2, pieces=tuple(tray[at : at + 8])))
    check_inside(board, pane)
    if size[0] >= 1280:
        assert board.placed.height <= board.placed.view_height, "nor downwards"
    assert board.horizontalScrollBar().maximum() == 0


def check_inside(board: PictureBoard, pane: PicturePane) -> None:
    view = board.viewport().rect()
    rects = [board.rect_of(tile.piece) for tile in pane.editing.content.tiles()]
    assert len(rects) == 100
    assert all(rect.left() >= 0 and rect.right() <= view.width() for rect in rects)
    for number, rect in enumerate(rects):
        assert rect.width() >= 24
        assert not any(rect.intersects(other) for other in rects[number + 1 :])


@pytest.mark.slow
def test_that_nothing_is_left_behind_by_many_edits(thesis: PicturePane) -> None:
    thesis.editing.select(VdevPlace(vdev=0))
    thesis.editing.apply(thesis.editing.change_kind(MIRROR))
    thesis.session.undo_steps.undo()
    before = len(thesis.findChildren(QObject))
    for _ in range(5):
        thesis.editing.select(VdevPlace(vdev=0))
        thesis.editing.apply(thesis.editing.change_kind(MIRROR))
        thesis.session.undo_steps.undo()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(thesis.findChildren(QObject)) == before


def test_that_the_verbs_that_fit_the_selection_have_buttons(pane: PicturePane, window: MainWindow) -> None:
    window.resize(1400, 800)
    pane.session.start_from(example("thesis"))
    buttons = [b for b in pane.findChildren(QToolButton) if b.isVisible()]
    places = [b.geometry() for b in buttons]
    of_pool = {"Show by shelf", "Show as a tree"}
    assert {b.accessibleName() for b in buttons if b.isEnabled()} == {"New vdev", "Move", "More", *of_pool}
    assert all(b.toolTip() for b in buttons)
    pane.editing.apply(pane.editing.new_vdev(RAIDZ2, pieces=tuple(t.piece for t in pane.editing.content.tray[:8])))
    assert {b.accessibleName() for b in buttons if b.isEnabled()} == {
        "New vdev", "Move", "Set type", "To tray", "More", "What if it fails", *of_pool
    }  # fmt: skip
    assert [b.geometry() for b in buttons] == places, "nothing moves"


@pytest.mark.slow
def test_that_disks_stand_in_their_shelves_where_those_are_known(pane: PicturePane, qtbot: QtBot) -> None:
    pane.session.start_from(example("wikibook"))
    assert not named(pane, "Show by shelf").isEnabled()
    pane.session.start_from(hundred_disks())
    assert named(pane, "Show by shelf").isEnabled()
    named(pane, "Show by shelf").click()  # type: ignore[attr-defined]
    shelves = shelves_of(pane.editing.content)
    assert [(shelf.name, len(shelf.tiles)) for shelf in shelves] == [("Shelf 1", 47), ("Shelf 2", 47), ("", 6)]
    assert [tile.disk.slot for tile in shelves[0].tiles] == [str(n) for n in range(1, 48)]
    qtbot.waitUntil(lambda: pane.shelves.viewport().width() > 600)
    check_inside(pane.shelves, pane)


@pytest.mark.slow
def test_that_a_press_on_a_shelf_tells_what_its_loss_does(pane: PicturePane, qtbot: QtBot) -> None:
    pane.session.start_from(hundred_disks())
    tiles = {tile.disk.key: tile.piece for tile in pane.editing.content.tray}
    for number in range(12):  # one side of each mirror in each shelf
        pane.editing.apply(
            pane.editing.new_vdev(MIRROR, pieces=(tiles[f"K{number:03d}"], tiles[f"K{number + 47:03d}"]))
        )
    named(pane, "Show by shelf").click()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: pane.shelves.viewport().width() > 600)
    outer = next(iter(pane.shelves.placed.areas.values()))
    at = QPoint(int(outer.right()) - 4, int(outer.top()) + 4)
    QTest.mouseClick(pane.shelves.viewport(), Qt.MouseButton.LeftButton, NOTHING, at)
    assert said(pane, "What is selected") == "47 disks selected"
    pane.verbs.fail.trigger()
    assert "Click the disks" in said(pane, "About the selection")
    QTest.mouseClick(pane.shelves.viewport(), Qt.MouseButton.LeftButton, NOTHING, at)
    assert "tank survives, degraded" in said(pane, "About the selection")
    pane.editing.apply(pane.editing.new_vdev(MIRROR, pieces=(tiles["K020"], tiles["K021"])))
    pane.editing.put_selection(None, ())
    pane.verbs.fail.trigger()
    QTest.mouseClick(pane.shelves.viewport(), Qt.MouseButton.LeftButton, NOTHING, at)
    assert "tank is lost with mirror-12" in said(pane, "About the selection")


def test_that_hovering_tells_everything_of_a_disk_and_the_key_of_the_marks_of_reserved_room(
    thesis: PicturePane,
) -> None:
    tile = thesis.editing.content.pools[0].data[2].tiles[1]
    QTest.mouseMove(thesis.board.viewport(), centre(thesis.board, tile.piece))
    told = thesis.board.viewport().toolTip()
    assert told.startswith(tile.disk.label)
    assert "6 TB, 512e, HDD 7200, health unknown" in told
    assert "In raidz2-2, raidz2 of 8" in told
    design = there(thesis.session.design)
    assert thesis.key.text().startswith("two bars: 512e sectors · hollow bar: sectors unknown · corner: SSD")
    reserved = replace(design, reserve=usual_partitions(("esp=1GiB",)))
    thesis.session.change_design(reserved, "Reserve room")
    assert thesis.key.text().endswith("band: reserved space")


@pytest.mark.slow
def test_that_the_tray_hides_what_has_scrolled_below_it(pane: PicturePane, window: MainWindow) -> None:
    window.resize(1024, 700)
    pane.session.start_from(hundred_disks())
    tray = [tile.piece for tile in pane.editing.content.tray]
    for at in range(0, 88, 8):
        pane.editing.apply(pane.editing.new_vdev(RAIDZ2, pieces=tuple(tray[at : at + 8])))
    board = pane.board
    assert board.verticalScrollBar().maximum() > 0
    for value in range(0, board.verticalScrollBar().maximum() + 1, 7):
        board.verticalScrollBar().setValue(value)
        for tile in pane.editing.content.tray:
            assert board.spot_at(board.rect_of(tile.piece).center()) == tile.piece
