"""The same disks by where they are: shelf after shelf, or controller after controller, in the order of the bays."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from poolwright.design.edits.places import Piece
from poolwright.domain.disk import Disk
from poolwright.texts import tell
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.content import Content, Tile
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.geometry import (
    GAP,
    HEAD,
    MARGIN,
    PAD,
    TILE_WIDTHS,
    Placed,
    Target,
    columns_in,
    frame_width,
    put_tiles,
    tile_size,
)
from poolwright.ui.disks.columns import natural

_LEAST_SHELF, _MOST_COLUMNS = 150.0, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Disks that are in one enclosure, or behind one controller; ``name`` is empty where nothing is known."""

    name: str
    tiles: tuple[Tile, ...]


def shelves_of(content: Content) -> tuple[Shelf, ...]:
    """Return the disks by enclosure, else by controller, each in the order of its bays; the unknown ones last.

    A disk that is cut into parts stands there once.
    """
    found: dict[str, dict[str, Tile]] = {}
    for tile in content.tiles():
        found.setdefault(shelf_name(tile.disk), {}).setdefault(tile.disk.key, tile)
    names = sorted(found, key=lambda name: (not name, natural(name)))
    return tuple(Shelf(name=name, tiles=tuple(sorted(found[name].values(), key=_bay_order))) for name in names)


def shelf_name(disk: Disk) -> str:
    """Return where a disk is, as far as it is known."""
    if disk.enclosure:
        return tell("Enclosure {name}", name=disk.enclosure)
    return tell("Controller {name}", name=disk.controller) if disk.controller else ""


def places_known(content: Content) -> bool:
    return any(tile.disk.enclosure or tile.disk.controller for tile in content.tiles())


def place_shelves(shelves: Sequence[Shelf], width: float, height: float) -> Placed:
    """Return the places of shelves and disks: the largest tiles with which all fits, never wider than ``width``."""
    for tile_width in TILE_WIDTHS:
        placed = _try(shelves, width, height, tile_width)
        if placed.height <= height:
            break
    # Tiles find their places once it is settled how large they are, for there may be thousands.
    for shelf, (_, outer) in zip(shelves, placed.shelves, strict=True):
        put_tiles(placed, shelf.tiles, outer, columns_in(placed, outer.width() - 2 * PAD))
    return placed


def _try(shelves: Sequence[Shelf], width: float, height: float, tile_width: int) -> Placed:
    size = tile_size(tile_width)
    # The tray is no part of this arrangement; it lies below what is seen.
    tray = QRectF(0, height + GAP, width, 0)
    placed = Placed(width=width, view_height=height, height=0.0, tile=size, tray_tile=size, tray=tray)
    x = y = bottom = MARGIN
    for shelf in shelves:
        wide = frame_width(len(shelf.tiles), size[0], width - 2 * MARGIN, _LEAST_SHELF, _MOST_COLUMNS)
        if x > MARGIN and x + wide > width - MARGIN + 0.5:
            x, y = MARGIN, bottom + GAP
        outer = _place_shelf(placed, shelf, QRectF(x, y, wide, 0))
        bottom = max(bottom, outer.bottom())
        x += wide + GAP
    placed.height = bottom + MARGIN
    return placed


def _place_shelf(placed: Placed, shelf: Shelf, area: QRectF) -> QRectF:
    rows = math.ceil(len(shelf.tiles) / columns_in(placed, area.width() - 2 * PAD)[0])
    outer = QRectF(area.left(), area.top(), area.width(), HEAD + rows * (placed.tile[1] + GAP) + 1)
    title = shelf.name or tell("Place not known")
    placed.shelves.append((title, outer))
    return outer


def _bay_order(tile: Tile) -> tuple[bool, object, str]:
    slot = tile.disk.slot
    return slot is None, natural(slot or ""), tile.disk.key


class ShelfBoard(PictureBoard):
    """Moves and marks as the picture does; a press on a shelf selects all its disks. Nothing is dragged here."""

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(editing, parent)
        self.setAccessibleName(tell("Picture of the shelves"))

    def arranged(self, width: float, height: float) -> Placed:
        return place_shelves(shelves_of(self._editing.content), width, height)

    def target_at(self, _at: QPointF) -> Target | None:
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select a disk, or every disk of a shelf."""
        at = event.position() + QPointF(0, self._offset())
        if self.spot_at(event.position()) is None and event.button() == Qt.MouseButton.LeftButton:
            inside = next((outer for _, outer in self.placed.shelves if outer.contains(at)), None)
            if inside is not None:
                found = [piece for piece, rect in self.placed.tiles.items() if inside.contains(rect)]
                self._editing.put_selection(next(iter(found), None), found)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(event.position())

    def _leave(self) -> None:
        """Let Escape select the whole shelf of the current disk, or unmark what is marked."""
        editing = self._editing
        current = editing.current
        if editing.marks or not isinstance(current, Piece) or current not in self.placed.tiles:
            editing.select(current)
            return
        here = self.placed.tiles[current]
        outer = next(outer for _, outer in self.placed.shelves if outer.contains(here))
        editing.put_selection(current, [p for p, rect in self.placed.tiles.items() if outer.contains(rect)])
