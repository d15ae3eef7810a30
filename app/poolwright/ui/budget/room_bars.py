"""Bars of how much the disks can hold for each number of failures to survive, with a mark at what is wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_ROW = 3 * GRID + 4
_BAR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomBar:
    """One bar: its name and the bytes it stands for; ``chosen`` is the one that was asked for."""

    name: str
    size_bytes: int
    chosen: bool = False


class RoomBars(QWidget):
    """Draws bars from zero, the value at their right, and a dashed line where ``wanted_bytes`` is."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._bars: tuple[RoomBar, ...] = ()
        self._wanted: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(text_font(SMALL_POINTS))
        theme().changed.connect(self.update)

    def show_bars(self, bars: Sequence[RoomBar], wanted_bytes: int | None) -> None:
        self._bars, self._wanted = tuple(bars), wanted_bytes
        lines = [f"{bar.name}: {binary(bar.size_bytes)}" for bar in self._bars]
        if wanted_bytes is not None:
            lines.append(tell("Wanted: {size}", size=binary(wanted_bytes)))
        self.setAccessibleDescription("\n".join(lines))
        self.setVisible(bool(bars))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of all bars, and of the name of the mark below them."""
        return QSize(40 * GRID, len(self._bars) * _ROW + (_ROW if self._wanted is not None else 0))

    def minimumSizeHint(self) -> QSize:
        """Return the least size in which the bars can be compared."""
        return QSize(30 * GRID, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bars, values and the mark."""
        if not self._bars:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(self.font())
        names = max(metrics.horizontalAdvance(bar.name) for bar in self._bars) + 2 * GRID
        values = max(metrics.horizontalAdvance(binary(bar.size_bytes)) for bar in self._bars) + 2 * GRID
        room = max(1, self.width() - names - values)
        most = max(1, self._wanted or 0, *(bar.size_bytes for bar in self._bars))
        for row, bar in enumerate(self._bars):
            self._draw_bar(painter, bar, row * _ROW, names, room * bar.size_bytes / most)
        if self._wanted is not None:
            self._draw_mark(painter, names + room * self._wanted / most, metrics)

    def _draw_bar(self, painter: QPainter, bar: RoomBar, top: int, left: int, length: float) -> None:
        colours = theme()
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(text_font(SMALL_POINTS, semibold=bar.chosen))
        painter.setPen(colours.colour(Tone.TEXT if bar.chosen else Tone.MUTED))
        painter.drawText(QRectF(0, top, left, _ROW), middle, bar.name)
        painter.drawText(QRectF(left + length + GRID, top, self.width(), _ROW), middle, binary(bar.size_bytes))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour(Tone.ACCENT if bar.chosen else "line"))
        painter.drawRoundedRect(QRectF(left, top + (_ROW - _BAR) / 2, max(2.0, length), _BAR), 2, 2)

    def _draw_mark(self, painter: QPainter, at: float, metrics: QFontMetrics) -> None:
        painter.setFont(self.font())
        bottom = len(self._bars) * _ROW
        painter.setPen(QPen(theme().colour(Tone.TEXT), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(round(at), 0, round(at), bottom)
        text = tell("wanted: {size}", size=binary(self._wanted))
        width = metrics.horizontalAdvance(text) + 2
        left = min(max(0.0, at - width / 2), self.width() - width)
        painter.drawText(QRectF(left, bottom, width, _ROW), Qt.AlignmentFlag.AlignCenter, text)
