"""The small marks on a tile: a stripe for the sectors, a corner for the media, a dot for the health; how texts fit.

Each differs in shape as well as in colour: the stripe is in one piece (4Kn), two (512e), four (512n) or an outline
(unknown); the corner is empty (hard disk), a triangle (SSD), a triangle and a line (NVMe) or an outline (unknown); the
dot is a disc (good), a triangle (suspect), a square (failing) or a circle (unknown). Tiles of planned disks are dashed.
What is reserved beside the data is a band at the upper edge, at its beginning or end. `words.key_text` tells all this.
"""

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetricsF, QGuiApplication, QPainter, QPen, QPolygonF

from poolwright.domain.disk import Disk, Health, Media
from poolwright.ui.design.picture.content import Tile
from poolwright.ui.design.picture.words import sector_kind
from poolwright.ui.parts.theme import Tone, text_font, theme

_BAND, _LEAST_BAND = 3.0, 8.0
_STRIPES = {"4Kn": (Tone.ACCENT, 1), "512e": (Tone.NOTE, 2), "512n": (Tone.WARN, 4)}


# A font is built and a text measured once: hundreds of tiles are painted at each step of the pointer.


@lru_cache(maxsize=64)
def _font(points: float, bold: bool, _family: str) -> QFont:
    return text_font(points, semibold=bold)


@lru_cache(maxsize=4000)
def _fitting(text: str, points: float, room: float, bold: bool, family: str) -> tuple[str, float]:
    metrics = QFontMetricsF(_font(points, bold, family))
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    return shown, metrics.horizontalAdvance(shown)


def font_of(points: float, *, bold: bool = False) -> QFont:
    return _font(points, bold, QGuiApplication.font().key())


def fitting(text: str, points: float, room: float, *, bold: bool = False) -> tuple[str, float]:
    """Return as much of a text as fits into ``room``, and how wide that is."""
    return _fitting(text, points, room, bold, QGuiApplication.font().key())


def paint_sectors(painter: QPainter, disk: Disk, rect: QRectF) -> None:
    stripe = QRectF(rect.left() + 1.5, rect.top() + 3, 3.5, rect.height() - 6)
    known = _STRIPES.get(sector_kind(disk))
    if known is None:
        painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 0.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(stripe)
        return
    tone, pieces = known
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour(tone))
    step = stripe.height() / pieces
    for number in range(pieces):
        gap = 0 if pieces == 1 else 1.6
        painter.drawRect(QRectF(stripe.left(), stripe.top() + number * step, stripe.width(), max(1.0, step - gap)))


def paint_media(painter: QPainter, disk: Disk, rect: QRectF) -> None:
    if disk.media is Media.HDD:
        return
    size = min(9.0, rect.height() / 2.4)
    right, top = rect.right() - 0.5, rect.top() + 0.5
    corner = QPolygonF([QPointF(right - size, top), QPointF(right, top), QPointF(right, top + size)])
    if disk.media is None:
        painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 0.9))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolygon(corner)
        return
    tone = Tone.ACCENT if disk.media is Media.SSD else Tone.NOTE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour(tone))
    painter.drawPolygon(corner)
    if disk.media is Media.NVME:
        painter.setPen(QPen(theme().colour(tone), 1.3))
        painter.drawLine(QPointF(right - size - 3.5, top), QPointF(right, top + size + 3.5))


def paint_health(painter: QPainter, disk: Disk, rect: QRectF) -> None:
    radius = 3.0 if rect.height() >= 26 else 2.3
    at = QPointF(rect.right() - radius - 2.5, rect.bottom() - radius - 2.5)
    paint_dot(painter, disk.health, at, radius)


def paint_beside(painter: QPainter, tile: Tile, rect: QRectF) -> None:
    """Draw bands at the upper edge for what is reserved in front of the data and behind it, wide enough to be seen."""
    left, right = rect.left() + 6, rect.right() - 10
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(theme().colour(Tone.WARN), Qt.BrushStyle.Dense3Pattern))
    for at_end in (False, True):
        taken = sum(part.size_bytes for part in tile.beside if part.at_end is at_end)
        if taken:
            wide = max(_LEAST_BAND, (right - left) * min(1.0, taken / (tile.disk.size_bytes or taken)))
            painter.drawRect(QRectF(right - wide if at_end else left, rect.top() + 1, wide, _BAND))


def paint_dot(painter: QPainter, health: Health | None, at: QPointF, radius: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    if health is None:
        painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, radius - 0.4, radius - 0.4)
    elif health is Health.GOOD:
        painter.setBrush(theme().colour(Tone.OK))
        painter.drawEllipse(at, radius, radius)
    elif health is Health.SUSPECT:
        painter.setBrush(theme().colour(Tone.WARN))
        wide = radius * 1.35
        painter.drawPolygon(
            QPolygonF([QPointF(at.x(), at.y() - wide), at + QPointF(wide, radius), at + QPointF(-wide, radius)])
        )
    else:
        painter.setBrush(theme().colour(Tone.BLOCK))
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
