"""A predicted value as a bar from zero, with its band over it and, behind, what it was before."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.estimate import Estimate
from poolwright.ui.parts.theme import GRID, Tone, theme

_HEIGHT = 13
_BAR, _WHISKER = 6, 12


class EstimateBar(QWidget):
    """Draws an estimate on an axis from 0 to ``most``; nothing until `show_estimate`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._estimate: Estimate | None = None
        self._before: Estimate | None = None
        self._most = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(8 * GRID)
        theme().changed.connect(self.update)

    def show_estimate(self, estimate: Estimate | None, most: float, before: Estimate | None = None) -> None:
        """Show this on an axis that ends at ``most``; ``before`` is drawn thin behind it."""
        shown = (estimate, before, max(most, 1e-300))
        if shown != (self._estimate, self._before, self._most):
            self._estimate, self._before, self._most = shown
            self.update()

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """Return how far low, typical and high reach on the axis, 0 to 1; None while nothing is shown."""
        if self._estimate is None:
            return None
        low, typical, high = (self._share(v) for v in (self._estimate.low, self._estimate.typical, self._estimate.high))
        return low, typical, high

    def sizeHint(self) -> QSize:
        """Return a modest width and the height of a bar."""
        return QSize(20 * GRID, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axis, bar and band."""
        shares = self.shares
        if shares is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme()
        middle = self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour("line"))
        painter.drawRect(QRectF(0, middle - _BAR / 2, self.width(), _BAR))
        low, typical, high = (share * self.width() for share in shares)
        if self._before is not None:
            self._paint_before(painter, middle)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour(Tone.ACCENT))
        painter.drawRect(QRectF(0, middle - _BAR / 2, typical, _BAR))
        # The band: lighter over what may be missing, tinted over what may be gained, its ends as whiskers.
        shade = QColor(colours.colour("base"))
        shade.setAlpha(120)
        painter.setBrush(shade)
        painter.drawRect(QRectF(low, middle - _BAR / 2, typical - low, _BAR))
        shade = QColor(colours.colour(Tone.ACCENT))
        shade.setAlpha(90)
        painter.setBrush(shade)
        painter.drawRect(QRectF(typical, middle - _BAR / 2, high - typical, _BAR))
        painter.setPen(QPen(colours.colour(Tone.TEXT), 1.2))
        for at in (low, high):
            painter.drawLine(*_whisker(at, middle, self.width(), _BAR / 2 + 1))
        painter.setPen(QPen(colours.colour(Tone.TEXT), 2.0))
        painter.drawLine(*_whisker(typical, middle, self.width(), _WHISKER / 2))

    def _paint_before(self, painter: QPainter, middle: float) -> None:
        assert self._before is not None
        pen = QPen(theme().colour(Tone.MUTED), 1.0, Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        left, right = (self._share(v) * self.width() for v in (self._before.low, self._before.high))
        painter.drawRect(QRectF(left, middle - _WHISKER / 2, max(1.0, right - left - 1), _WHISKER))

    def _share(self, value: float) -> float:
        return min(1.0, max(0.0, value / self._most))


def _whisker(at: float, middle: float, width: float, reach: float) -> tuple[int, int, int, int]:
    x = round(min(max(at, 1.0), width - 1.0))
    return x, round(middle - reach), x, round(middle + reach)
