"""Where everything of the picture stands: the largest tiles with which all of it fits, never wider than the window."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF

from poolwright.design.edits.places import Bay, Piece, VdevPlace
from poolwright.ui.design.picture.content import BayBox, Content, Frame, PoolBox, Tile

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
_TRAY_TITLE = 132.0
_NEW_VDEV, _LEAST_NEW_VDEV = 26.0, 116.0
_LEAST_FRAME = 64.0
_W = TypeVar("_W", Piece, VdevPlace)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFrame:
    """A vdev's frame, its heading and the bar of its parity."""

    frame: Frame
    outer: QRectF
    head: QRectF
    parity: QRectF


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Something that pieces can be dropped on: ``where`` None stands for a new vdev of ``pool``, or for the tray."""

    outer: QRectF
    where: VdevPlace | Bay | None
    pool: int
    tray: bool = False


@dataclass(slots=True, kw_only=True)
class Placed:
    """Everything with its place. Coordinates are the picture's own; the tray is fixed below ``view_height``.

    ``height`` is that of all pools; where it is more than ``view_height`` they scroll. ``bays`` are those with nothing
    in them; a bay with something in it is where its frames are. ``shelves`` are there where disks are shown by shelf.
    """

    width: float
    view_height: float
    height: float
    tile: tuple[float, float]
    tray_tile: tuple[float, float]
    pools: list[tuple[PoolBox, QRectF]] = field(default_factory=list)
    frames: dict[VdevPlace, PlacedFrame] = field(default_factory=dict)
    bays: list[tuple[Bay, QRectF]] = field(default_factory=list)
    new_vdevs: list[tuple[int, QRectF]] = field(default_factory=list)
    tiles: dict[Piece, QRectF] = field(default_factory=dict)
    in_tray: frozenset[Piece] = frozenset()
    tray: QRectF = field(default_factory=QRectF)
    tray_head: QRectF = field(default_factory=QRectF)
    shelves: list[tuple[str, QRectF]] = field(default_factory=list)

    def target_at(self, at: QPointF) -> Target | None:
        if self.tray.contains(at):
            return Target(outer=self.tray, where=None, pool=0, tray=True)
        if at.y() > self.tray.top():
            return None
        for place_, frame in self.frames.items():
            if frame.outer.contains(at):
                return Target(outer=frame.outer, where=place_, pool=place_.pool)
        for bay, rect in self.bays:
            if rect.contains(at):
                return Target(outer=rect, where=bay, pool=bay.pool)
        for pool, rect in self.new_vdevs:
            if rect.contains(at):
                return Target(outer=rect, where=None, pool=pool)
        return None

    def beside(self, spot: Piece | VdevPlace | None, step: tuple[int, int]) -> Piece | VdevPlace | None:
        """Return what lies next to a tile or vdev in a direction (dx, dy of -1, 0, 1); None at the edge."""
        if isinstance(spot, VdevPlace):
            frames = {place_: frame.outer for place_, frame in self.frames.items()}
            return _nearest(frames.pop(spot, QRectF()), frames, step)
        # The tray is fixed below the pools, however they have scrolled: only their height tells what is above what.
        shift = max(0.0, self.height - self.tray.top()) + self.view_height
        tiles = {piece: r.translated(0, shift) if piece in self.in_tray else r for piece, r in self.tiles.items()}
        return None if spot is None or spot not in tiles else _nearest(tiles.pop(spot), tiles, step)


def place(content: Content, width: float, height: float) -> Placed:
    """Return the places of all that is shown in a window of ``width`` and ``height``: the largest tiles that fit.

    The tray gets less of the window where the pools would have to scroll otherwise.
    """
    alone = not any(pool.frames() for pool in content.pools)
    for share in (_TRAY_SHARE_ALONE,) if alone else _TRAY_SHARES:
        tray_height, tray_tile = _tray_size(content, width, height * share, alone=alone)
        view = max(40.0, height - tray_height - GAP)
        placed = _largest(content, width, view)
        if placed.height <= view:
            break
    for frame in placed.frames.values():
        _place_tiles(placed, frame)
    if len(content.pools) == 1:
        _stretch(placed, view)
    placed.tray_tile = tray_tile
    placed.tray = QRectF(MARGIN, height - tray_height, width - 2 * MARGIN, tray_height - MARGIN)
    _place_tray(placed, content)
    return placed


def _largest(content: Content, width: float, view: float) -> Placed:
    """Return the pools with the largest tiles that fit, or with the smallest where none do."""
    # Smaller tiles never need more room, so the sizes are searched by halves.
    least, most = 0, len(TILE_WIDTHS) - 1
    placed = _try(content, width, view, TILE_WIDTHS[most])
    while least < most and placed.height <= view:
        middle = (least + most) // 2
        tried = _try(content, width, view, TILE_WIDTHS[middle])
        if tried.height <= view:
            placed, most = tried, middle
        else:
            least = middle + 1
    return placed


def tile_size(tile_width: float) -> tuple[float, float]:
    return tile_width, round(tile_width * _RATIO)


def _tray_size(content: Content, width: float, most: float, *, alone: bool) -> tuple[float, tuple[float, float]]:
    """Return the height of the tray, at most about ``most``, and the size of its tiles."""
    count = len(content.tray)
    if not count:
        return 40.0, tile_size(TILE_WIDTHS[-1])
    inside = width - 2 * MARGIN - 2 * PAD - _TRAY_TITLE
    size, needed = tile_size(TILE_WIDTHS[-1]), most
    for tile_width in TILE_WIDTHS[3:] if alone else TILE_WIDTHS[6:]:
        size = tile_size(tile_width)
        columns = max(1, int((inside + GAP) // (tile_width + GAP)))
        needed = math.ceil(count / columns) * (size[1] + GAP) - GAP + 2 * PAD + 2
        if needed <= most:
            break
    return max(needed, 40.0), size


def _place_tray(placed: Placed, content: Content) -> None:
    width, height = placed.tray_tile
    inside = placed.tray.adjusted(PAD + _TRAY_TITLE, PAD, -PAD, -PAD)
    placed.tray_head = QRectF(placed.tray.left() + PAD + 2, placed.tray.top(), _TRAY_TITLE - 8, placed.tray.height())
    columns = max(1, int((inside.width() + GAP) // (width + GAP)))
    for number, tile in enumerate(content.tray):
        row, column = divmod(number, columns)
        x, y = inside.left() + column * (width + GAP), inside.top() + row * (height + GAP)
        placed.tiles[tile.piece] = QRectF(x, y, width, height)
    placed.in_tray = frozenset(tile.piece for tile in content.tray)


def _try(content: Content, width: float, view: float, tile_width: int) -> Placed:
    size = tile_size(tile_width)
    placed = Placed(width=width, view_height=view, height=0.0, tile=size, tray_tile=size)
    top = MARGIN
    bays = min(_MOST_BAYS, max(_LEAST_BAYS, width * _BAY_SHARE))
    if not content.pools:
        placed.new_vdevs.append((0, QRectF(MARGIN, top, width - 2 * MARGIN, max(60.0, view - 2 * MARGIN))))
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


def _stretch(placed: Placed, view: float) -> None:
    """Let the only pool fill the window, and what takes a new vdev become easier to hit."""
    pool, rect = placed.pools[0]
    bottom = view - MARGIN
    if rect.bottom() < bottom:
        rect.setBottom(bottom)
        placed.pools[0] = (pool, rect)
        number, new = placed.new_vdevs[-1]
        new.setBottom(max(new.bottom(), min(bottom - PAD, new.top() + 3 * _NEW_VDEV)))
        placed.new_vdevs[-1] = (number, new)


def _place_bays(placed: Placed, pool: PoolBox, area: QRectF) -> float:
    """Place what is in bays below each other, then the empty bays in pairs; return the bottom."""
    top = area.top()
    empty: list[BayBox] = []
    for box in pool.bays:
        if not box.frames:
            empty.append(box)
        for frame in box.frames:
            top = _place_frame(placed, frame, QRectF(area.left(), top, area.width(), 0)) + GAP
    half = (area.width() - GAP) / 2
    for number, box in enumerate(empty):
        row, column = divmod(number, 2)
        alone = number == len(empty) - 1 and column == 0
        x, y = area.left() + column * (half + GAP), top + row * (_EMPTY_BAY + GAP)
        placed.bays.append((box.bay, QRectF(x, y, area.width() if alone else half, _EMPTY_BAY)))
    return top + math.ceil(len(empty) / 2) * (_EMPTY_BAY + GAP)


def _place_data(placed: Placed, pool: PoolBox, area: QRectF) -> float:
    """Place the data vdevs, and in the room left what takes a new one; return the bottom."""
    x, y, row_bottom = area.left(), area.top(), area.top()
    for frame in pool.data:
        wide = frame_width(len(frame.tiles), placed.tile[0], area.width())
        if x > area.left() and x + wide > area.right() + 0.5:
            x, y = area.left(), row_bottom + GAP
        bottom = _place_frame(placed, frame, QRectF(x, y, wide, 0))
        row_bottom = max(row_bottom, bottom)
        x += wide + GAP
    if pool.data and area.right() - x >= _LEAST_NEW_VDEV:
        placed.new_vdevs.append((pool.number, QRectF(x, y, area.right() - x, row_bottom - y)))
        return row_bottom
    y = row_bottom + (GAP if pool.data else 0)
    placed.new_vdevs.append((pool.number, QRectF(area.left(), y, area.width(), _NEW_VDEV)))
    return y + _NEW_VDEV


def frame_width(
    count: int, tile_width: float, room: float, least: float = _LEAST_FRAME, most_columns: int | None = None
) -> float:
    """Return how wide a frame around so many tiles is, in rows of equal length."""
    columns = max(1, min(count, int((room - 2 * PAD + GAP) // (tile_width + GAP)), most_columns or count))
    rows = math.ceil(count / columns)
    columns = math.ceil(count / rows)
    return min(room, max(least, columns * (tile_width + GAP) - GAP + 2 * PAD))


def _place_frame(placed: Placed, frame: Frame, area: QRectF) -> float:
    """Place a frame at the top of ``area``, as wide as it is; return its bottom."""
    inner = area.width() - 2 * PAD
    columns, (_, height) = columns_in(placed, inner)
    top, left = area.top() + HEAD, area.left() + PAD
    below = top + math.ceil(len(frame.tiles) / columns) * (height + GAP)
    bar = QRectF(left, below - 1, inner, PARITY if frame.parity_share else 0)
    outer = QRectF(area.left(), area.top(), area.width(), bar.bottom() + PAD - 1 - area.top())
    head = QRectF(left, area.top() + 1, inner, HEAD - 2)
    placed.frames[frame.place] = PlacedFrame(frame=frame, outer=outer, head=head, parity=bar)
    return outer.bottom()


def _place_tiles(placed: Placed, framed: PlacedFrame) -> None:
    """Place the tiles of a frame; only once it is settled how large they are, for there may be thousands."""
    put_tiles(placed, framed.frame.tiles, framed.outer, columns_in(placed, framed.parity.width()))


def put_tiles(placed: Placed, tiles: Sequence[Tile], outer: QRectF, grid: tuple[int, tuple[float, float]]) -> None:
    """Place tiles below the heading of a frame, in so many columns of this size."""
    columns, (width, height) = grid
    left, top = outer.left() + PAD, outer.top() + HEAD
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        placed.tiles[tile.piece] = QRectF(left + column * (width + GAP), top + row * (height + GAP), width, height)


def columns_in(placed: Placed, inner: float) -> tuple[int, tuple[float, float]]:
    """Return how many tiles stand beside each other in a frame, and their size."""
    width, height = min(placed.tile[0], inner), placed.tile[1]
    return max(1, int((inner + GAP + 0.5) // (width + GAP))), (width, height)


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
