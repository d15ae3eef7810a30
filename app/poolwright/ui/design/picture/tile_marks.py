"""The small marks on a tile: a stripe for the sectors, a corner for the media, a dot for the health; their ink.

Each differs in shape as well as in colour: the stripe is in one piece (4Kn), two (512e), four (512n) or an outline
(unknown); the corner is empty (hard disk), a triangle (SSD), a triangle and a line (NVMe) or an outline (unknown); the
dot is a disc (good), a triangle (suspect), a square (failing) or a circle (unknown). Tiles of planned disks are dashed.
What is reserved beside the data is a band at the upper edge, at its beginning or end. `words.key_text` tells all this.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from poolwright.domain.disk import Disk, Health, Media
from poolwright.ui.design.picture.content import Tile
from poolwright.ui.design.picture.words import sector_kind
from poolwright.ui.parts.theme import Tone, text_font, theme

_MOST_TEXTS = 4000
_BAND, _LEAST_BAND = 3.0, 8.0
_STRIPES = {"4Kn": (Tone.ACCENT, 1), "512e": (Tone.NOTE, 2), "512n": (Tone.WARN, 4)}


class Ink:
    """Valid until the theme changes."""

    def __init__(self) -> None:
        self._colours: dict[str, QColor] = {}
        self._fonts: dict[tuple[float, bool], QFont] = {}
        self._metrics: dict[tuple[float, bool], QFontMetricsF] = {}
        self._texts: dict[tuple[str, float, float, bool], tuple[str, float]] = {}

    def colour(self, tone: Tone | str) -> QColor:
        found = self._colours.get(tone)
        if found is None:
            found = self._colours[tone] = theme().colour(tone)
        return found

    def font(self, points: float, *, bold: bool = False) -> QFont:
        key = (points, bold)
        if key not in self._fonts:
            self._fonts[key] = text_font(points, semibold=bold)
            self._metrics[key] = QFontMetricsF(self._fonts[key])
        return self._fonts[key]

    def fitting(self, text: str, points: float, room: float, *, bold: bool = False) -> tuple[str, float]:
        """Return as much of a text as fits into ``room``, and how wide that is."""
        key = (text, points, room, bold)
        found = self._texts.get(key)
        if found is None:
            self.font(points, bold=bold)
            metrics = self._metrics[points, bold]
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            found = shown, metrics.horizontalAdvance(shown)
            if len(self._texts) > _MOST_TEXTS:
                self._texts.clear()
            self._texts[key] = found
        return found


def paint_sectors(painter: QPainter, disk: Disk, rect: QRectF, ink: Ink) -> None:
    stripe = QRectF(rect.left() + 1.5, rect.top() + 3, 3.5, rect.height() - 6)
    known = _STRIPES.get(sector_kind(disk))
    if known is None:
        painter.setPen(QPen(ink.colour(Tone.UNKNOWN), 0.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(stripe)
        return
    tone, pieces = known
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(tone))
    step = stripe.height() / pieces
    for number in range(pieces):
        gap = 0 if pieces == 1 else 1.6
        painter.drawRect(QRectF(stripe.left(), stripe.top() + number * step, stripe.width(), max(1.0, step - gap)))


def paint_media(painter: QPainter, disk: Disk, rect: QRectF, ink: Ink) -> None:
    if disk.media is Media.HDD:
        return
    size = min(9.0, rect.height() / 2.4)
    right, top = rect.right() - 0.5, rect.top() + 0.5
    corner = QPolygonF([QPointF(right - size, top), QPointF(right, top), QPointF(right, top + size)])
    if disk.media is None:
        painter.setPen(QPen(ink.colour(Tone.UNKNOWN), 0.9))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolygon(corner)
        return
    tone = Tone.ACCENT if disk.media is Media.SSD else Tone.NOTE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(tone))
    painter.drawPolygon(corner)
    if disk.media is Media.NVME:
        painter.setPen(QPen(ink.colour(tone), 1.3))
        painter.drawLine(QPointF(right - size - 3.5, top), QPointF(right, top + size + 3.5))


def paint_health(painter: QPainter, disk: Disk, rect: QRectF, ink: Ink) -> None:
    radius = 3.0 if rect.height() >= 26 else 2.3
    at = QPointF(rect.right() - radius - 2.5, rect.bottom() - radius - 2.5)
    paint_dot(painter, disk.health, at, radius, ink)


def paint_beside(painter: QPainter, tile: Tile, rect: QRectF, ink: Ink) -> None:
    """Draw bands at the upper edge for what is reserved in front of the data and behind it, wide enough to be seen."""
    left, right = rect.left() + 6, rect.right() - 10
    for at_end in (False, True):
        taken = sum(part.size_bytes for part in tile.beside if part.at_end is at_end)
        if taken:
            wide = max(_LEAST_BAND, (right - left) * min(1.0, taken / (tile.disk.size_bytes or taken)))
            _paint_band(painter, QRectF(right - wide if at_end else left, rect.top() + 1, wide, _BAND), ink)


def _paint_band(painter: QPainter, band: QRectF, ink: Ink) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(ink.colour(Tone.WARN), Qt.BrushStyle.Dense3Pattern))
    painter.drawRect(band)


def paint_dot(painter: QPainter, health: Health | None, at: QPointF, radius: float, ink: Ink) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    if health is None:
        painter.setPen(QPen(ink.colour(Tone.UNKNOWN), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, radius - 0.4, radius - 0.4)
    elif health is Health.GOOD:
        painter.setBrush(ink.colour(Tone.OK))
        painter.drawEllipse(at, radius, radius)
    elif health is Health.SUSPECT:
        painter.setBrush(ink.colour(Tone.WARN))
        wide = radius * 1.35
        painter.drawPolygon(
            QPolygonF([QPointF(at.x(), at.y() - wide), at + QPointF(wide, radius), at + QPointF(-wide, radius)])
        )
    else:
        painter.setBrush(ink.colour(Tone.BLOCK))
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
