"""The small marks on a tile: a stripe for the sectors, a corner for the media, a dot for the health; key and ink.

Each differs in shape as well as in colour: the stripe is in one piece (4Kn), two (512e), four (512n) or an outline
(unknown); the corner is empty (hard disk), a triangle (SSD), a triangle and a line (NVMe) or an outline (unknown); the
dot is a disc (good), a triangle (suspect), a square (failing) or a circle (unknown). Tiles of planned disks are dashed.
What is reserved beside the data is a band at the upper edge, at its beginning or end.
"""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.disk import Disk, Health, Media, plan_only
from poolwright.texts import tell
from poolwright.ui.design.picture.content import Tile
from poolwright.ui.design.picture.words import sector_kind
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, text_font, theme

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
        """Return one of the named colours of the theme."""
        found = self._colours.get(tone)
        if found is None:
            found = self._colours[tone] = theme().colour(tone)
        return found

    def font(self, points: float, *, bold: bool = False) -> QFont:
        """Return the font of the window in a size."""
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
    """Draw the stripe at the left edge of a tile."""
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
    """Draw the corner at the top right of a tile."""
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
    """Draw the dot at the bottom right of a tile."""
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


def _reserved_word() -> str:
    return tell("room beside the data")


def paint_dot(painter: QPainter, health: Health | None, at: QPointF, radius: float, ink: Ink) -> None:
    """Draw the mark of a health around a point."""
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


class MarkKey(QWidget):
    """One line that says what the marks on the tiles mean: those there are, or all before there are disks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(text_font(SMALL_POINTS - 1))
        self.setAccessibleName(tell("Key of the marks"))
        self.setAccessibleDescription(
            tell("Stripe: sectors. Corner: media. Dot: health. The tree has all of it in words.")
        )
        self._stripes = [
            ("4Kn", Disk(key="a", logical_sector_bytes=4096, physical_sector_bytes=4096)),
            ("512e", Disk(key="b", logical_sector_bytes=512, physical_sector_bytes=4096)),
            ("512n", Disk(key="c", logical_sector_bytes=512, physical_sector_bytes=512)),
            (tell("sectors unknown"), Disk(key="d")),
        ]
        self._corners = [("SSD", Disk(key="e", media=Media.SSD)), ("NVMe", Disk(key="f", media=Media.NVME))]
        self._dots = [
            (tell("good"), Health.GOOD),
            (tell("suspect"), Health.SUSPECT),
            (tell("failing"), Health.FAILING),
            (tell("health unknown"), None),
        ]
        self._disks: tuple[Disk, ...] = ()
        self._reserved = False
        theme().changed.connect(self.update)

    def show_disks(self, disks: Iterable[Disk], *, reserved: bool = False) -> None:
        """Explain the marks of these disks, and what shows that room is ``reserved`` on some of them."""
        shown = tuple(disks)
        if (shown, reserved) != (self._disks, self._reserved):
            self._disks, self._reserved = shown, reserved
            self.update()

    def words(self) -> list[str]:
        marks = (*self._sector_marks(), *self._media_marks(), *self._health_marks())
        planned = plan_only(self._disks)
        reserved = [_reserved_word()] if self._reserved else []
        return [*([planned] if planned else []), *(word for word, _ in marks), *reserved]

    def _sector_marks(self) -> list[tuple[str, Disk]]:
        kinds = {sector_kind(disk) for disk in self._disks}
        return [(word, disk) for word, disk in self._stripes if not kinds or sector_kind(disk) in kinds]

    def _media_marks(self) -> list[tuple[str, Disk]]:
        kinds = {disk.media for disk in self._disks}
        return [(word, disk) for word, disk in self._corners if not kinds or disk.media in kinds]

    def _health_marks(self) -> list[tuple[str, Health | None]]:
        kinds = {disk.health for disk in self._disks}
        return [(word, health) for word, health in self._dots if not kinds or health in kinds]

    def sizeHint(self) -> QSize:
        return QSize(200, 18)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 18)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw mark after mark with its word, as many as fit."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        metrics, x, height = QFontMetricsF(self.font()), 2.0, float(self.height())
        ink = Ink()
        if planned := plan_only(self._disks):
            painter.setPen(QPen(ink.colour("edge"), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(x, 3.5, 14, height - 7), 2, 2)
            x = self._word(painter, metrics, planned, x + 18)
        for word, disk in self._sector_marks():
            paint_sectors(painter, disk, QRectF(x, 1, 10, height - 2), ink)
            x = self._word(painter, metrics, word, x + 9)
        for word, disk in self._media_marks():
            paint_media(painter, disk, QRectF(x, 3, 12, height), ink)
            x = self._word(painter, metrics, word, x + 15)
        for word, health in self._health_marks():
            paint_dot(painter, health, QPointF(x + 4, height / 2), 3.0, ink)
            x = self._word(painter, metrics, word, x + 11)
        if self._reserved:
            _paint_band(painter, QRectF(x, height / 2 - _BAND / 2, 2 * _LEAST_BAND, _BAND), ink)
            self._word(painter, metrics, _reserved_word(), x + 2 * _LEAST_BAND + 4)

    def _word(self, painter: QPainter, metrics: QFontMetricsF, word: str, x: float) -> float:
        painter.setPen(theme().colour(Tone.MUTED))
        room = max(0.0, self.width() - x - 2)
        word = metrics.elidedText(word, Qt.TextElideMode.ElideRight, room)
        wide = metrics.horizontalAdvance(word)
        painter.drawText(QRectF(x, 0, wide + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, word)
        return x + wide + 12
