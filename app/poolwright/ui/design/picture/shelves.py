"""The same disks by where they are: shelf after shelf, or controller after controller, in the order of the bays."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from poolwright.domain.disk import Disk
from poolwright.texts import tell
from poolwright.ui.design.picture.content import Content, Tile
from poolwright.ui.design.picture.geometry import GAP, HEAD, MARGIN, PAD, TILE_WIDTHS, Placed, tile_size
from poolwright.ui.disks.columns import natural

_LEAST_SHELF = 150.0


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
    """Tell whether it is known of any disk where it is."""
    return any(tile.disk.enclosure or tile.disk.controller for tile in content.tiles())


def place_shelves(shelves: Sequence[Shelf], width: float, height: float) -> Placed:
    """Return the places of shelves and disks: the largest tiles with which all fits, never wider than ``width``."""
    for tile_width in TILE_WIDTHS:
        placed = _try(shelves, width, height, tile_width)
        if placed.height <= height:
            break
    # Tiles find their places once it is settled how large they are, for there may be thousands.
    for shelf, (_, outer) in zip(shelves, placed.shelves, strict=True):
        _place_tiles(placed, shelf, outer)
    return placed


def _try(shelves: Sequence[Shelf], width: float, height: float, tile_width: int) -> Placed:
    size = tile_size(tile_width)
    # The tray is no part of this arrangement; it lies below what is seen.
    tray = QRectF(0, height + GAP, width, 0)
    placed = Placed(width=width, view_height=height, height=0.0, tile=size, tray_tile=size, tray=tray)
    x = y = bottom = MARGIN
    for shelf in shelves:
        wide = _shelf_width(len(shelf.tiles), size[0], width - 2 * MARGIN)
        if x > MARGIN and x + wide > width - MARGIN + 0.5:
            x, y = MARGIN, bottom + GAP
        outer = _place_shelf(placed, shelf, QRectF(x, y, wide, 0))
        bottom = max(bottom, outer.bottom())
        x += wide + GAP
    placed.height = bottom + MARGIN
    return placed


def _shelf_width(count: int, tile_width: float, room: float) -> float:
    columns = max(1, min(count, int((room - 2 * PAD + GAP) // (tile_width + GAP)), 12))
    rows = math.ceil(count / columns)
    columns = math.ceil(count / rows)
    return min(room, max(_LEAST_SHELF, columns * (tile_width + GAP) - GAP + 2 * PAD))


def _place_shelf(placed: Placed, shelf: Shelf, area: QRectF) -> QRectF:
    rows = math.ceil(len(shelf.tiles) / _columns(placed, area))
    outer = QRectF(area.left(), area.top(), area.width(), HEAD + rows * (placed.tile[1] + GAP) + 1)
    title = shelf.name or tell("Place not known")
    placed.shelves.append((title, outer))
    return outer


def _place_tiles(placed: Placed, shelf: Shelf, outer: QRectF) -> None:
    columns, (width, height) = _columns(placed, outer), placed.tile
    for number, tile in enumerate(shelf.tiles):
        row, column = divmod(number, columns)
        x, y = outer.left() + PAD + column * (width + GAP), outer.top() + HEAD + row * (height + GAP)
        placed.tiles[tile.piece] = QRectF(x, y, width, height)


def _columns(placed: Placed, area: QRectF) -> int:
    """Return how many tiles stand beside each other in a shelf of this width."""
    return max(1, int((area.width() - 2 * PAD + GAP + 0.5) // (placed.tile[0] + GAP)))


def _bay_order(tile: Tile) -> tuple[bool, object, str]:
    slot = tile.disk.slot
    return slot is None, natural(slot or ""), tile.disk.key
