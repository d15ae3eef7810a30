"""What a plot of a predicted curve shows, and the place where it is drawn once pyqtgraph is there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from poolwright.ui import icons
from poolwright.ui.theme import GRID, Tone
from poolwright.ui.widgets.labels import ToneLabel

if TYPE_CHECKING:
    from poolwright.ui.plots.band_plot import BandPlot

_AFTER_PAINTING = 50  # milliseconds: the page is on the screen by then


@dataclass(frozen=True, slots=True, kw_only=True)
class BandDrawing:
    """A curve over ``xs`` with low and high ends, and what the pointer tells at each.

    ``limits`` are values of y with their names, ``here`` the points where the design stands, ``most`` the end of the
    y axis where the band would make it too long.
    """

    title: str
    stem: str
    x_title: str
    y_title: str
    xs: tuple[float, ...]
    low: tuple[float, ...]
    typical: tuple[float, ...]
    high: tuple[float, ...]
    told: tuple[str, ...]
    limits: tuple[tuple[float, str], ...] = ()
    here: tuple[tuple[float, float], ...] = ()
    most: float | None = None


class BandPane(QWidget):
    """Makes the plot when it is first in sight; keeps what it was told until then. ``failed`` as the plot's."""

    failed = Signal(str)

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: BandPlot | None = None
        self._drawing: BandDrawing | None = None
        self._usual = hint
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID // 2)
        head = QHBoxLayout()
        self._hint = ToneLabel(hint, Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(self.tr("Value under the pointer"))
        self._save = QToolButton(self)
        icons.give(self._save, "export")
        self._save.setAccessibleName(self.tr("Copy or save the plot"))
        self._save.setToolTip(self._save.accessibleName())
        self._save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._save.setEnabled(False)
        head.addWidget(self._hint, 1)
        head.addWidget(self._save, 0, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(head)
        self._waiting = ToneLabel(self.tr("The plot is being prepared."), Tone.MUTED, self)
        self._column.addWidget(self._waiting, 1, Qt.AlignmentFlag.AlignCenter)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_PAINTING)
        self._timer.timeout.connect(self._make)
        self.setMinimumHeight(29 * GRID)

    @property
    def drawing(self) -> BandDrawing | None:
        """Return what is shown, or will be."""
        return self._drawing

    def show_drawing(self, drawing: BandDrawing | None) -> None:
        """Show this; None hides the pane."""
        self._drawing = drawing
        self.setVisible(drawing is not None)
        if drawing is not None and self.plot is not None:
            self.plot.show_drawing(drawing)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 28 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the pane came into sight."""
        super().showEvent(event)
        if self.plot is None:
            self._timer.start()

    def _make(self) -> None:
        from poolwright.ui.plots.band_plot import BandPlot  # noqa: PLC0415

        self.plot = BandPlot(self)
        self.plot.failed.connect(self.failed)
        self.plot.hovered.connect(self._show_hint)
        self._waiting.hide()
        self._column.addWidget(self.plot, 1)
        self._save.setMenu(self.plot.menu())
        self._save.setEnabled(True)
        if self._drawing is not None:
            self.plot.show_drawing(self._drawing)

    def _show_hint(self, text: str) -> None:
        self._hint.setText(text or self._usual)
