"""The place of the plot. pyqtgraph takes a second to import, so it is made when the pane is first in sight."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from poolwright.advise.candidate import Candidate
from poolwright.ui import icons
from poolwright.ui.plots.against import Against, axes
from poolwright.ui.theme import GRID, Tone
from poolwright.ui.widgets.labels import ToneLabel

if TYPE_CHECKING:
    from poolwright.ui.plots.capacity_plot import CapacityPlot

_AFTER_PAINTING = 50  # milliseconds: the page is on the screen by then


class PlotPane(QWidget):
    """Holds the plot of candidates; keeps what it was told until there is one. Signals as `CapacityPlot`."""

    picked = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: CapacityPlot | None = None
        self._candidates: tuple[Candidate, ...] = ()
        self._first: Candidate | None = None
        self._selected: Candidate | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID // 2)
        head = QHBoxLayout()
        self._hint = ToneLabel("", Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(self.tr("Layout under the pointer"))
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for two lines, so that the plot does not jump under the pointer.
        self._hint.setMinimumHeight(2 * self._hint.fontMetrics().lineSpacing())
        self._show_hint("")
        self._save = QToolButton(self)
        icons.give(self._save, "export")
        self._save.setAccessibleName(self.tr("Copy or save the plot"))
        self._save.setToolTip(self._save.accessibleName())
        self._save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._save.setEnabled(False)
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(self.tr("Plot capacity against"))
        for against, axis in axes().items():
            self.choice.addItem(axis.name, against)
        self.choice.currentIndexChanged.connect(self._on_chosen)
        head.addWidget(self._hint, 1)
        head.addWidget(self.choice, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._save, 0, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(head)
        self._waiting = ToneLabel(self.tr("The plot is being prepared."), Tone.MUTED, self)
        self._column.addWidget(self._waiting, 1, Qt.AlignmentFlag.AlignCenter)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_PAINTING)
        self._timer.timeout.connect(self._make)

    def show_candidates(self, candidates: Sequence[Candidate], first: Candidate | None) -> None:
        """Show these layouts."""
        self._candidates, self._first, self._selected = tuple(candidates), first, None
        if self.plot is not None:
            self.plot.show_candidates(self._candidates, first)

    def select(self, candidate: Candidate | None) -> None:
        """Emphasise this layout."""
        self._selected = candidate
        if self.plot is not None:
            self.plot.select(candidate)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 24 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the pane came into sight."""
        super().showEvent(event)
        if self.plot is None:
            self._timer.start()

    def _make(self) -> None:
        from poolwright.ui.plots.capacity_plot import CapacityPlot  # noqa: PLC0415

        self.plot = CapacityPlot(self)
        self.plot.picked.connect(self.picked)
        self.plot.failed.connect(self.failed)
        self.plot.hovered.connect(self._show_hint)
        self._waiting.hide()
        self._column.addWidget(self.plot, 1)
        self._save.setMenu(self.plot.menu())
        self._save.setEnabled(True)
        self.plot.show_candidates(self._candidates, self._first)
        self.plot.show_against(Against(self.choice.currentData()))
        self.plot.select(self._selected)

    def _on_chosen(self) -> None:
        if self.plot is not None:
            self.plot.show_against(Against(self.choice.currentData()))
            self.plot.select(self._selected)

    def _show_hint(self, text: str) -> None:
        self._hint.setText(text or self.tr("Each dot is a layout. Point at one to read it, click to select it."))
