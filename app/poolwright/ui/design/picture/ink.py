"""Colours, fonts and the widths of texts, each worked out once: a picture of a hundred disks asks for them often."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from poolwright.ui.parts.theme import Tone, text_font, theme

_MOST_TEXTS = 4000


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
