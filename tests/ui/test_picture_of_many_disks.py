"""Of the picture of very many disks only what is to be seen is drawn, and that as if all of it were."""

from unittest.mock import Mock

import pytest
from PySide6.QtGui import QImage, QPainter, QRegion
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.design_at_hand import open_picture

from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.painter import PicturePainter
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session

pytestmark = pytest.mark.slow


@pytest.fixture
def board(window: MainWindow, session: Session, qtbot: QtBot) -> PictureBoard:
    pane = open_picture(window, qtbot)
    session.open_design(thesis_design(width=2, spares=2))
    pane.board.setFixedSize(420, 200)
    qtbot.waitUntil(lambda: pane.board.verticalScrollBar().maximum() > 100)
    return pane.board


EVERYTHING = QRegion(-10_000, -10_000, 20_000, 20_000)


def drawn(board: PictureBoard, dirty: QRegion) -> QImage:
    image = QImage(board.size(), QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    editing = board._editing
    PicturePainter(painter, board.placed, editing, offset=board._offset(), dirty=dirty).paint()
    painter.end()
    return image


@pytest.mark.parametrize("share", [0.0, 0.37, 1.0])
def test_that_what_is_in_sight_is_drawn_as_before(board: PictureBoard, share: float) -> None:
    bar = board.verticalScrollBar()
    bar.setValue(round(share * bar.maximum()))
    assert drawn(board, QRegion(board.rect())) == drawn(board, EVERYTHING)


def test_that_tiles_out_of_sight_are_not_drawn(board: PictureBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock()
    monkeypatch.setattr("poolwright.ui.design.picture.painter.paint_media", counted)
    drawn(board, QRegion(board.rect()))
    in_sight = counted.call_count
    assert 0 < in_sight < len(board._editing.content.tiles()) * 2 / 3
    counted.reset_mock()
    drawn(board, QRegion(board.rect_of(board._editing.content.tiles()[0].piece).toAlignedRect()))
    assert 0 < counted.call_count < in_sight / 2


def test_that_every_tile_has_a_place_in_its_frame(board: PictureBoard) -> None:
    placed = board.placed
    assert placed.tiles.keys() == {tile.piece for tile in board._editing.content.tiles()}
    for frame in board._editing.content.frames():
        rects = [placed.tiles[tile.piece] for tile in frame.tiles]
        assert all(placed.areas[frame.place].contains(rect) for rect in rects)
        assert not any(one.intersects(other) for one in rects for other in rects if other is not one)
