"""Probabilities on a logarithmic scale: band and typical value of the model, and beside it what was simulated."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.predict.number_words import axis_odds, odds_text
from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_ROW = 4 * GRID
_BAR = 8
_LEAST_EXPONENT = -15
_MOST_LABELS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskRow:
    """A named probability with its band; ``simulated`` is the interval of a simulation with its middle, if there is."""

    name: str
    low: float
    typical: float
    high: float
    simulated: tuple[float, float, float] | None = None


class RiskScale(QWidget):
    """Draws rows over one axis, rare at the left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[RiskRow, ...] = ()
        self.setAccessibleName(tell("Yearly risk on a logarithmic scale"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_rows(self, rows: Sequence[RiskRow]) -> None:
        """Show these."""
        if tuple(rows) == self._rows:
            return
        if len(rows) != len(self._rows):
            self.updateGeometry()
        self._rows = tuple(rows)
        self.setAccessibleDescription(". ".join(self._told(row) for row in self._rows))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the rows and the axis."""
        return QSize(60 * GRID, _ROW * max(1, len(self._rows)) + 3 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axis and rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(text_font(SMALL_POINTS))
        metrics = QFontMetrics(text_font(SMALL_POINTS))
        names = max((metrics.horizontalAdvance(row.name) for row in self._rows), default=0) + 2 * GRID
        room = QRectF(names, 0, self.width() - names - GRID, self.height())
        first, last = self._exponents()
        self._paint_axis(painter, room, first, last)
        for number, row in enumerate(self._rows):
            where = QRectF(0, number * _ROW, names - GRID, _ROW)
            painter.setPen(theme().colour(Tone.MUTED))
            painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, row.name)
            self._paint_row(painter, row, room, number * _ROW + _ROW / 2, first, last)

    def _told(self, row: RiskRow) -> str:
        text = tell(
            "{name}: {typical}, between {low} and {high}",
            name=row.name,
            typical=odds_text(row.typical),
            low=odds_text(row.low),
            high=odds_text(row.high),
        )
        if row.simulated is not None:
            low, middle, high = row.simulated
            text = tell(
                "{text}; simulated {middle}, between {low} and {high}",
                text=text,
                middle=odds_text(middle),
                low=odds_text(low),
                high=odds_text(high),
            )
        return text

    def _exponents(self) -> tuple[int, int]:
        shown = [v for row in self._rows for v in (row.low, row.typical, row.high) if v > 0]
        shown += [v for row in self._rows if row.simulated for v in row.simulated if v > 0]
        if not shown:
            return _LEAST_EXPONENT, 0
        first, last = floor(log10(min(shown))), min(0, ceil(log10(max(shown))))
        return max(_LEAST_EXPONENT, min(first, last - 2)), last

    def _paint_axis(self, painter: QPainter, room: QRectF, first: int, last: int) -> None:
        colours, metrics = theme(), QFontMetrics(text_font(SMALL_POINTS))
        foot = _ROW * len(self._rows)
        step = max(1, ceil((last - first) / _MOST_LABELS))
        widest = max(metrics.horizontalAdvance(axis_odds(e)) for e in range(first, last + 1)) + 2 * GRID
        while step * room.width() / (last - first) < widest and step < last - first:
            step += 1
        free_to = float(self.width())
        for exponent in range(last, first - 1, -step):
            x = _at(10.0**exponent, room, first, last)
            painter.setPen(QPen(colours.colour("line"), 1.0))
            painter.drawLine(QPointF(x, 0), QPointF(x, foot))
            painter.setPen(colours.colour(Tone.MUTED))
            text = axis_odds(exponent)
            width = metrics.horizontalAdvance(text) + 2
            left = min(max(x - width / 2, room.left()), self.width() - width)
            if left + width + GRID > free_to and exponent != last:
                continue
            free_to = left
            painter.drawText(QRectF(left, foot, width, 3 * GRID), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_row(self, painter: QPainter, row: RiskRow, room: QRectF, middle: float, first: int, last: int) -> None:
        colours = theme()
        lift = 5.0 if row.simulated is not None else 0.0
        low, typical, high = (_at(v, room, first, last) for v in (row.low, row.typical, row.high))
        shade = QColor(colours.colour(Tone.ACCENT))
        shade.setAlpha(90)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade)
        painter.drawRect(QRectF(low, middle - lift - _BAR / 2, max(2.0, high - low), _BAR))
        painter.setBrush(colours.colour(Tone.ACCENT))
        painter.drawEllipse(QPointF(typical, middle - lift), _BAR / 2 + 1, _BAR / 2 + 1)
        if row.simulated is not None:
            left, centre, right = (_at(v, room, first, last) for v in row.simulated)
            painter.setPen(QPen(colours.colour(Tone.NOTE), 2.0))
            y = middle + lift + 3
            painter.drawLine(QPointF(left, y), QPointF(right, y))
            for x in (left, right):
                painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
            if row.simulated[1] > 0:
                painter.setBrush(colours.colour(Tone.NOTE))
                painter.drawRect(QRectF(centre - 3, y - 3, 6, 6))


def _at(probability: float, room: QRectF, first: int, last: int) -> float:
    if probability <= 0:
        return room.left()
    share = (log10(probability) - first) / max(1, last - first)
    return room.left() + room.width() * min(1.0, max(0.0, share))
