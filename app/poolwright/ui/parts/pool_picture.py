"""A pool at a glance: a row of tiles a vdev, and below it a bar of what is data and what is parity."""

from collections.abc import Collection
from functools import lru_cache
from itertools import groupby
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.vdev import Layout, VdevClass, VdevSpec, shares_of, short_words
from poolwright.texts import _
from poolwright.ui.parts.theme import GRID, Tone, theme

_LARGEST, _SMALLEST, _READABLE = 13, 2, 8  # sides of a tile in pixels; below the third, vdevs share a line
_OUTLINED = 5  # smaller ones are no more than a strip
_MOST_TRIED = 60  # vdevs, for which the largest tiles are looked for
_SUPPORT_SHARE = 0.7  # of the side of a tile of the data, for log, cache, special and dedup
_BAR = 3


class _Block(NamedTuple):
    """The tiles of a vdev: in columns and rows from a corner, with this side and so many pixels between them."""

    spec: VdevSpec
    left: float
    top: float
    columns: int
    tile: float
    gap: float

    @property
    def rows(self) -> int:
        return ceil(self.spec.width / self.columns)

    @property
    def width(self) -> float:
        return self.columns * (self.tile + self.gap) - self.gap

    @property
    def bottom(self) -> float:
        """Return where the bar begins."""
        return self.top + self.rows * (self.tile + self.gap)


class PoolPicture(QWidget):
    """Paints the vdevs of a layout in the room that it has, smaller where there are many.

    It is ``height`` pixels high; None where what it stands in says how high.
    """

    def __init__(self, parent: QWidget | None = None, *, height: int | None = 9 * GRID) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Picture of the vdevs"))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        down = QSizePolicy.Policy.Ignored if height is None else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Expanding, down)
        self._layout: Layout = ()
        self._failed: Collection[tuple[int, int]] = ()
        self._height = height or 2 * GRID

    def show_layout(self, layout: Layout, failed: Collection[tuple[int, int]] = ()) -> None:
        """Show these vdevs; of those ``failed``, by numbers of vdev and disk, the tiles are crossed out."""
        if (layout, failed) != (self._layout, self._failed):
            self._layout, self._failed = layout, failed
            self.setAccessibleDescription(short_words(layout))
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(16 * GRID, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * GRID, self._height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_layout(QPainter(self), self._layout, QRectF(self.rect()), self._failed)


def paint_layout(painter: QPainter, layout: Layout, where: QRectF, failed: Collection[tuple[int, int]] = ()) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(where.topLeft())
    for number, block in enumerate(blocks_of(layout, int(where.width()), int(where.height()))):
        _paint_tiles(painter, block, [disk for vdev, disk in failed if vdev == number])
        if block.spec.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
            _paint_bar(painter, block)
    painter.restore()


@lru_cache(maxsize=64)
def blocks_of(layout: Layout, width: int, height: int) -> tuple[_Block, ...]:
    """Return where each vdev stands: the largest tiles with which all have room, one vdev a line where that goes."""
    placed: tuple[_Block, ...] = ()
    for tile in range(_LARGEST if len(layout) <= _MOST_TRIED else _OUTLINED - 1, _SMALLEST - 1, -1):
        for alone in (True, False) if tile >= _READABLE else (False,):
            placed = _placed(layout, width, tile, alone=alone)
            if not placed or placed[-1].bottom + _BAR <= height:
                return placed
    return placed


def _placed(layout: Layout, width: int, side: int, *, alone: bool) -> tuple[_Block, ...]:
    placed: list[_Block] = []
    top = 0.0
    for role, specs in groupby(layout, key=lambda spec: spec.vdev_class):
        own = role in (VdevClass.DATA, VdevClass.SPARE)
        tile = float(side) if own else max(_SMALLEST, side * _SUPPORT_SHARE)
        left, gap = 0.0, 3.0 if tile >= _READABLE else 2.0 if tile > 4 else 1.0
        between, line = max(2.0, tile / 2), 0.0
        for spec in specs:
            most = max(1, int((width + gap) // (tile + gap)))
            columns = ceil(spec.width / ceil(spec.width / most))
            if left and ((alone and role is VdevClass.DATA) or left + columns * (tile + gap) - gap > width):
                top, left, line = top + line, 0.0, 0.0
            block = _Block(spec, left, top, columns, tile, gap)
            left += block.width + 2 * between
            line = max(line, block.bottom - top + _BAR + between)
            placed.append(block)
        top += line
    return tuple(placed)


def _paint_tiles(painter: QPainter, block: _Block, failed: Collection[int]) -> None:
    colours, spare = theme(), block.spec.vdev_class is VdevClass.SPARE
    pen = QPen(colours.colour(Tone.MUTED if spare else Tone.ACCENT), 1.0)
    if spare:
        pen.setStyle(Qt.PenStyle.DashLine)
        pen.setDashPattern([2.0, 2.0])
    painter.setBrush(Qt.BrushStyle.NoBrush if spare else QBrush(colours.colour("tint")))
    outlined = block.tile >= _OUTLINED
    if not outlined and not spare:
        for row in range(block.rows):
            wide = min(block.columns, block.spec.width - row * block.columns) * (block.tile + block.gap) - block.gap
            at = QRectF(block.left, block.top + row * (block.tile + block.gap), wide, block.tile)
            painter.fillRect(at, colours.colour("tint"))
        return
    painter.setPen(pen if outlined or spare else Qt.PenStyle.NoPen)
    inset, pitch = 0.5 if outlined else 0.0, block.tile + block.gap
    for number in range(block.spec.width):
        row, column = divmod(number, block.columns)
        at = QRectF(block.left + column * pitch, block.top + row * pitch, block.tile, block.tile)
        if number in failed:
            painter.setPen(QPen(colours.colour(Tone.BLOCK), 1.5))
            painter.drawLines((QLineF(at.topLeft(), at.bottomRight()), QLineF(at.topRight(), at.bottomLeft())))
            painter.setPen(pen)
            continue
        painter.drawRoundedRect(at.adjusted(inset, inset, -inset, -inset), block.tile / 5, block.tile / 5)


def _paint_bar(painter: QPainter, block: _Block) -> None:
    """Draw the share of data solid, that of parity hatched, and that of distributed spares as an open box."""
    colours = theme()
    data, spares = shares_of(block.spec)
    left, top = block.left, block.bottom - block.gap + max(1.0, block.gap - 1)
    solid, end = left + data * block.width, left + (1 - spares) * block.width
    painter.fillRect(QRectF(left, top, solid - left, _BAR), colours.colour(Tone.ACCENT))
    if block.tile < _OUTLINED:
        painter.fillRect(QRectF(solid, top, end - solid, _BAR), colours.colour("tint"))
        return
    painter.save()
    painter.setClipRect(QRectF(solid, top, end - solid, _BAR))
    painter.setPen(QPen(colours.colour(Tone.ACCENT), 1.4))
    for number in range(int((end - solid) / 4) + 2):
        x = solid + 4 * number
        painter.drawLine(QLineF(x - 1, top + _BAR, x + 2, top))
    painter.restore()
    if spares:
        painter.setPen(QPen(colours.colour(Tone.MUTED), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(end + 1, top, left + block.width - end - 1, _BAR))
