"""A machine drawn from its inventory: a chassis with one tile per disk, shaded by what the disk is."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.disk import Disk, Media
from poolwright.domain.inventory import Inventory, group_disks
from poolwright.ui.parts.theme import GRID, Tone, theme

_MEDIA_TONES = {Media.HDD: Tone.UNKNOWN, Media.SSD: Tone.ACCENT, Media.NVME: Tone.NOTE}
_TILE_RATIO = 2.2  # height of a 3.5-inch tile seen from the front, over its width
_WIDEST_TILE = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """How tiles fill an area: columns, and the size of a cell."""

    columns: int
    width: float
    height: float


class MachinePicture(QWidget):
    """Draws the disks of ``inventory``; nothing before `show_inventory`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disks: tuple[Disk, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_inventory(self, inventory: Inventory) -> None:
        """Draw these disks, equal ones beside each other."""
        self._disks = tuple(disk for group in group_disks(inventory.disks) for disk in group.disks)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(24 * GRID, 12 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw chassis and tiles."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme()
        chassis = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(colours.colour("line"), 1))
        painter.setBrush(colours.colour("window"))
        painter.drawRoundedRect(chassis, 4, 4)
        if not self._disks:
            return
        inner = chassis.adjusted(GRID, GRID, -GRID, -GRID)
        grid = _fit(len(self._disks), inner.width(), inner.height())
        rows = math.ceil(len(self._disks) / grid.columns)
        top = inner.top() + (inner.height() - rows * grid.height) / 2
        left = inner.left() + (inner.width() - grid.columns * grid.width) / 2
        for number, disk in enumerate(self._disks):
            row, column = divmod(number, grid.columns)
            x, y = left + column * grid.width, top + row * grid.height
            self._tile(painter, disk, QRectF(x + 1, y + 1, grid.width - 2, grid.height - 2))

    def _tile(self, painter: QPainter, disk: Disk, where: QRectF) -> None:
        colours = theme()
        tone = _MEDIA_TONES.get(disk.media, Tone.UNKNOWN) if disk.media else Tone.UNKNOWN
        ground = QColor(colours.colour(tone))
        ground.setAlphaF(0.28 if disk.media is Media.HDD or disk.media is None else 0.55)
        painter.setBrush(ground)
        painter.setPen(QPen(colours.colour(tone), 1, Qt.PenStyle.DashLine if disk.planned else Qt.PenStyle.SolidLine))
        painter.drawRoundedRect(where, 1.5, 1.5)


def _fit(count: int, width: float, height: float) -> _Grid:
    """Return the grid with the largest tiles of the drive's proportions that holds ``count`` of them."""
    best = _Grid(columns=count, width=1, height=1)
    for rows in range(1, count + 1):
        columns = math.ceil(count / rows)
        cell = min(width / columns, height / rows / _TILE_RATIO, _WIDEST_TILE)
        if cell > best.width:
            best = _Grid(columns=columns, width=cell, height=cell * _TILE_RATIO)
    return best
