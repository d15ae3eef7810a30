"""How large the window begins, how small it may be, and which parts make room in a small one."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QScreen

from poolwright.ui.parts.theme import GRID

START_SIZE = (1280, 800)
LEAST_SIZE = (640, 400)
NARROW_BELOW = 1160  # the rail shows icons only in windows narrower than this
FOLDED_BELOW = 1000  # and the summary is a strip
_FRAME = QSize(2 * GRID, 5 * GRID)  # what borders and title take at most


def first_size(screen: QScreen) -> QSize:
    """Return the size of a window that was never open before."""
    return QSize(*START_SIZE).boundedTo(screen.availableSize() - _FRAME)
