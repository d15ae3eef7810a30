"""Six colours for series, light and dark, that people with any colour vision can tell apart; and a shape for each.

Each has a contrast of at least 3:1 to the ground. They differ in lightness as well as in hue, so that they stay apart
for protanopes and deuteranopes (at least 20 in CIE L*a*b*, simulated).
"""

from PySide6.QtGui import QColor

from poolwright.ui.parts.theme import theme

LIGHT = ("#0b6478", "#c8590a", "#1d0a4c", "#4f3313", "#e1339f", "#3f63cb")
DARK = ("#5cbdd2", "#f08a3c", "#5f5af7", "#efe124", "#a1628a", "#4880c3")
SHAPES = ("o", "s", "t", "d", "p", "star")  # pyqtgraph's names


def series_colour(number: int) -> QColor:
    """Return the colour of a series, counted from 0, in the scheme shown now."""
    return QColor((DARK if theme().dark else LIGHT)[number])
