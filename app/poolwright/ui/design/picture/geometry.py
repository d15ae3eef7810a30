"""Where everything of the picture stands: the largest tiles with which all of it fits, never wider than the window."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF

from poolwright.design.edits.places import Bay, Piece, Tray, VdevPlace
from poolwright.ui.design.picture.content import BAY_CLASSES, Content, PoolBox, Shelf, Tile

# Tiles keep the proportions of a drive seen from the front of a shelf, lying.
TILE_WIDTHS = (104, 96, 88, 82, 76, 70, 65, 60, 56, 52, 49, 46, 43, 40, 38, 36, 34, 32, 30, 28, 26)
_RATIO = 0.64
GAP = 4.0
PAD = 5.0
HEAD = 18.0
PARITY = 5.0
POOL_HEAD = 23.0
MARGIN = 1.0
_BAY_SHARE, _LEAST_BAYS, _MOST_BAYS = 0.18, 114.0, 240.0
_EMPTY_BAY = 21.0
_TRAY_SHARES, _TRAY_SHARE_ALONE = (0.34, 0.22, 0.12), 0.8
_TRAY_TITLE, _LEAST_TRAY = 132.0, 40.0
_NEW_VDEV, _LEAST_NEW_VDEV = 26.0, 116.0
_LEAST_FRAME, _LEAST_SHELF, _MOST_IN_SHELF = 64.0, 150.0, 12
_WHOLE_TITLE = 328.0  # with size, space and share of parity; data vdevs get it where they stand in one row
_W = TypeVar("_W", Piece, VdevPlace)


@dataclass(frozen=True, slots=True)
class NewVdev:
    """Where disks become a new vdev of a pool."""

    pool: int


# What has a place of its own: the frame of a vdev or a shelf, an empty bay, where a new vdev begins.
Area = VdevPlace | Bay | NewVdev | Shelf
# An area with its tiles, and whether a bar of parity stands below them.
_Framed = tuple[VdevPlace | Shelf, Sequence[Tile], bool]


@dataclass(slots=True, kw_only=True)
class PictureLayout:
    """Everything with its place. Coordinates are the picture's own; the tray is fixed below ``view_height``.

    ``height`` is that of all pools; where it is more than ``view_height`` they scroll. A bay with something in it is
    where its frames are.
    """

    width: float
    view_height: float
    height: float
    tile: tuple[float, float]
    tray_tile: tuple[float, float]
    pools: list[tuple[PoolBox, QRectF]] = field(default_factory=list)
    areas: dict[Area, QRectF] = field(default_factory=dict)
    tiles: dict[Piece, QRectF] = field(default_factory=dict)
    in_tray: frozenset[Piece] = frozenset()
    tray: QRectF = field(default_factory=QRectF)
    tray_head: QRectF = field(default_factory=QRectF)

    def area_at(self, at: QPointF) -> Area | Tray | None:
        if at.y() > self.tray.top():
            return Tray() if self.tray.contains(at) else None
        return next((area for area, rect in self.areas.items() if rect.contains(at)), None)

    def beside(self, spot: Piece | VdevPlace | None, step: tuple[int, int]) -> Piece | VdevPlace | None:
        """Return what lies next to a tile or vdev in a direction (dx, dy of -1, 0, 1); None at the edge."""
        if isinstance(spot, VdevPlace):
            frames = {area: rect for area, rect in self.areas.items() if isinstance(area, VdevPlace)}
            return _nearest(frames.pop(spot, QRectF()), frames, step)
        # The tray is fixed below the pools, however they have scrolled: only their height tells what is above what.
        shift = max(0.0, self.height - self.tray.top()) + self.view_height
        tiles = {piece: r.translated(0, shift) if piece in self.in_tray else r for piece, r in self.tiles.items()}
        return None if spot is None or spot not in tiles else _nearest(tiles.pop(spot), tiles, step)


def place(content: Content, width: float, height: float) -> PictureLayout:
    """Return the places of all that is shown in a window of ``width`` and ``height``: the largest tiles that fit.

    The tray gets less of the window where the pools would have to scroll otherwise.
    """
    frames = content.frames()
    for share in _TRAY_SHARES if frames else (_TRAY_SHARE_ALONE,):
        tray_height, tray_tile = _tray_size(content, width, height * share, alone=not frames)
        view = max(40.0, height - tray_height - GAP)
        placed = _largest(partial(_try, content, width, view), view)
        if placed.height <= view:
            break
    for frame in frames:
        _place_tiles(placed, frame.tiles, placed.areas[frame.place])
    if len(content.pools) == 1:
        _stretch(placed, view)
    placed.tray_tile = tray_tile
    placed.tray = QRectF(MARGIN, height - tray_height, width - 2 * MARGIN, tray_height - MARGIN)
    placed.tray_head = QRectF(placed.tray.left() + PAD + 2, placed.tray.top(), _TRAY_TITLE - 8, placed.tray.height())
    _put(placed, content.tray, placed.tray.adjusted(PAD + _TRAY_TITLE, PAD, -PAD, -PAD), tray_tile)
    placed.in_tray = frozenset(tile.piece for tile in content.tray)
    return placed


def place_shelves(shelves: Sequence[Shelf], width: float, height: float) -> PictureLayout:
    """Return the places of shelves and disks: the largest tiles with which all fits, never wider than ``width``."""

    def tried(tile_width: int) -> PictureLayout:
        size = tile_size(tile_width)
        # The tray is no part of this arrangement; it lies below what is seen.
        tray = QRectF(0, height + GAP, width, 0)
        placed = PictureLayout(width=width, view_height=height, height=0.0, tile=size, tray_tile=size, tray=tray)
        area = QRectF(MARGIN, MARGIN, width - 2 * MARGIN, 0)
        framed = ((shelf, shelf.tiles, False) for shelf in shelves)
        placed.height = _flow(placed, framed, area, least=_LEAST_SHELF, most_columns=_MOST_IN_SHELF)[2] + MARGIN
        return placed

    placed = _largest(tried, height)
    for shelf in shelves:
        _place_tiles(placed, shelf.tiles, placed.areas[shelf])
    return placed


def _largest(tried: Callable[[int], PictureLayout], view: float) -> PictureLayout:
    """Return what is ``tried`` with the largest tiles that fit, or with the smallest where none do."""
    # Smaller tiles never need more room, so the sizes are searched by halves.
    least, most = 0, len(TILE_WIDTHS) - 1
    placed = tried(TILE_WIDTHS[most])
    while least < most and placed.height <= view:
        middle = (least + most) // 2
        found = tried(TILE_WIDTHS[middle])
        if found.height <= view:
            placed, most = found, middle
        else:
            least = middle + 1
    return placed


def tile_size(tile_width: float) -> tuple[float, float]:
    return tile_width, round(tile_width * _RATIO)


def _tray_size(content: Content, width: float, most: float, *, alone: bool) -> tuple[float, tuple[float, float]]:
    """Return the height of the tray, at most about ``most``, and the size of its tiles."""
    count = len(content.tray)
    if not count:
        return _LEAST_TRAY, tile_size(TILE_WIDTHS[-1])
    inside = width - 2 * MARGIN - 2 * PAD - _TRAY_TITLE
    size, needed = tile_size(TILE_WIDTHS[-1]), most
    for tile_width in TILE_WIDTHS[3:] if alone else TILE_WIDTHS[6:]:
        size = tile_size(tile_width)
        needed = math.ceil(count / _columns(inside, tile_width)) * (size[1] + GAP) - GAP + 2 * PAD + 2
        if needed <= max(most, _LEAST_TRAY):
            break
    return max(needed, _LEAST_TRAY), size


def _try(content: Content, width: float, view: float, tile_width: int) -> PictureLayout:
    size = tile_size(tile_width)
    placed = PictureLayout(width=width, view_height=view, height=0.0, tile=size, tray_tile=size)
    top = MARGIN
    bays = min(_MOST_BAYS, max(_LEAST_BAYS, width * _BAY_SHARE))
    if not content.pools:
        placed.areas[NewVdev(0)] = QRectF(MARGIN, top, width - 2 * MARGIN, max(60.0, view - 2 * MARGIN))
        placed.height = view
        return placed
    for pool in content.pools:
        below = top + POOL_HEAD
        left = _place_bays(placed, pool, QRectF(MARGIN + PAD, below, bays - PAD, 0))
        x = MARGIN + bays + GAP
        right = _place_data(placed, pool, QRectF(x, below, width - x - MARGIN - PAD, 0))
        bottom = max(left, right) + PAD
        placed.pools.append((pool, QRectF(MARGIN, top, width - 2 * MARGIN, bottom - top)))
        top = bottom + GAP
    placed.height = top - GAP + MARGIN
    return placed


def _stretch(placed: PictureLayout, view: float) -> None:
    """Let the only pool fill the window, and what takes a new vdev become easier to hit."""
    pool, rect = placed.pools[0]
    bottom = view - MARGIN
    if rect.bottom() < bottom:
        rect.setBottom(bottom)
        placed.pools[0] = (pool, rect)
        new = placed.areas[NewVdev(pool.number)]
        new.setBottom(max(new.bottom(), min(bottom - PAD, new.top() + 3 * _NEW_VDEV)))


def _place_bays(placed: PictureLayout, pool: PoolBox, area: QRectF) -> float:
    """Place what is in bays below each other, then the empty bays in pairs; return the bottom."""
    top = area.top()
    for frame in (frame for frame in pool.frames if frame.vdev.vdev_class in BAY_CLASSES):
        framed = frame.place, frame.tiles, bool(frame.parity_share)
        top = _place_frame(placed, framed, QRectF(area.left(), top, area.width(), 0)) + GAP
    half = (area.width() - GAP) / 2
    empty = [vdev_class for vdev_class in BAY_CLASSES if not pool.serving(vdev_class)]
    for number, vdev_class in enumerate(empty):
        row, column = divmod(number, 2)
        alone = number == len(empty) - 1 and column == 0
        x, y = area.left() + column * (half + GAP), top + row * (_EMPTY_BAY + GAP)
        bay = Bay(vdev_class=vdev_class, pool=pool.number)
        placed.areas[bay] = QRectF(x, y, area.width() if alone else half, _EMPTY_BAY)
    return top + math.ceil(len(empty) / 2) * (_EMPTY_BAY + GAP)


def _place_data(placed: PictureLayout, pool: PoolBox, area: QRectF) -> float:
    """Place the data vdevs, and in the room left what takes a new one; return the bottom."""
    least = max(_LEAST_FRAME, min(_WHOLE_TITLE, area.width() / max(1, len(pool.data)) - GAP))
    framed = ((f.place, f.tiles, bool(f.parity_share)) for f in pool.data)
    x, y, bottom = _flow(placed, framed, area, least=least)
    if pool.data and area.right() - x >= _LEAST_NEW_VDEV:
        placed.areas[NewVdev(pool.number)] = QRectF(x, y, area.right() - x, bottom - y)
        return bottom
    y = bottom + (GAP if pool.data else 0)
    placed.areas[NewVdev(pool.number)] = QRectF(area.left(), y, area.width(), _NEW_VDEV)
    return y + _NEW_VDEV


def _flow(
    placed: PictureLayout,
    frames: Iterable[_Framed],
    area: QRectF,
    *,
    least: float = _LEAST_FRAME,
    most_columns: int | None = None,
) -> tuple[float, float, float]:
    """Place frames in rows from the top of ``area`` on; return where the next would stand, and the bottom."""
    x, y, bottom = area.left(), area.top(), area.top()
    for framed in frames:
        wide = _frame_width(len(framed[1]), placed.tile[0], area.width(), least, most_columns)
        if x > area.left() and x + wide > area.right() + 0.5:
            x, y = area.left(), bottom + GAP
        bottom = max(bottom, _place_frame(placed, framed, QRectF(x, y, wide, 0)))
        x += wide + GAP
    return x, y, bottom


def _frame_width(count: int, tile_width: float, room: float, least: float, most_columns: int | None) -> float:
    """Return how wide a frame around so many tiles is, in rows of equal length."""
    columns = max(1, min(count, int((room - 2 * PAD + GAP) // (tile_width + GAP)), most_columns or count))
    rows = math.ceil(count / columns)
    columns = math.ceil(count / rows)
    return min(room, max(least, columns * (tile_width + GAP) - GAP + 2 * PAD))


def _place_frame(placed: PictureLayout, framed: _Framed, area: QRectF) -> float:
    """Place a frame at the top of ``area``, as wide as it is; return its bottom."""
    what, tiles, parity = framed
    rows = math.ceil(len(tiles) / _columns(area.width() - 2 * PAD, placed.tile[0]))
    high = HEAD + rows * (placed.tile[1] + GAP) + (PARITY if parity else 0) + PAD - 2
    placed.areas[what] = QRectF(area.left(), area.top(), area.width(), high)
    return area.top() + high


def _place_tiles(placed: PictureLayout, tiles: Sequence[Tile], outer: QRectF) -> None:
    """Place the tiles of a frame; only once it is settled how large they are, for there may be thousands."""
    inside = outer.adjusted(PAD, HEAD, -PAD, 0)
    _put(placed, tiles, inside, (min(placed.tile[0], inside.width()), placed.tile[1]))


def _put(placed: PictureLayout, tiles: Sequence[Tile], inside: QRectF, size: tuple[float, float]) -> None:
    """Place tiles of this size in rows from the upper left corner on."""
    columns, (width, height) = _columns(inside.width(), size[0]), size
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        x, y = inside.left() + column * (width + GAP), inside.top() + row * (height + GAP)
        placed.tiles[tile.piece] = QRectF(x, y, width, height)


def _columns(inner: float, tile_width: float) -> int:
    """Return how many tiles stand beside each other; half a pixel more than there is does no harm."""
    return max(1, int((inner + GAP + 0.5) // (min(tile_width, inner) + GAP)))


def _nearest(here: QRectF, others: Mapping[_W, QRectF], step: tuple[int, int]) -> _W | None:
    """Return what lies next to ``here`` in a direction (dx, dy of -1, 0, 1); None where nothing does."""
    best: _W | None = None
    least = math.inf
    for what, rect in others.items():
        dx, dy = rect.center().x() - here.center().x(), rect.center().y() - here.center().y()
        along, across = (dx * step[0], abs(dy)) if step[0] else (dy * step[1], abs(dx))
        overlaps = rect.bottom() > here.top() and rect.top() < here.bottom() if step[0] else True
        if along <= 1 or (step[0] and not overlaps):
            continue
        distance = along + 3 * across if step[0] else along + 0.4 * across
        if distance < least:
            best, least = what, distance
    return best
