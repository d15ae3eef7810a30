"""The place of the plot of the load. pyqtgraph takes a second to import, so it is made when it is first in sight."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from poolwright.predict.synclog.simulate import Run
from poolwright.ui import icons
from poolwright.ui.theme import GRID, Tone
from poolwright.ui.widgets.labels import ToneLabel

if TYPE_CHECKING:
    from poolwright.ui.plots.load_plot import LoadPlot

_AFTER_PAINTING = 50  # milliseconds: the page is on the screen by then


class LoadPane(QWidget):
    """Holds the plot of a run; keeps what it was told until there is one."""

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: LoadPlot | None = None
        self._run: Run | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID // 2)
        head = QHBoxLayout()
        self._hint = ToneLabel("", Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(self.tr("Device under the pointer"))
        self._save = QToolButton(self)
        icons.give(self._save, "export")
        self._save.setAccessibleName(self.tr("Copy or save the plot of the load"))
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
        self._show_hint("")

    def show_run(self, run: Run) -> None:
        """Show this run."""
        self._run = run
        if self.plot is not None:
            self.plot.show_run(run)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 24 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the pane came into sight."""
        super().showEvent(event)
        if self.plot is None:
            self._timer.start()

    def _make(self) -> None:
        from poolwright.ui.plots.load_plot import LoadPlot  # noqa: PLC0415

        self.plot = LoadPlot(self)
        self.plot.failed.connect(self.failed)
        self.plot.hovered.connect(self._show_hint)
        self._waiting.hide()
        self._column.addWidget(self.plot, 1)
        self._save.setMenu(self.plot.menu())
        self._save.setEnabled(True)
        if self._run is not None:
            self.plot.show_run(self._run)

    def _show_hint(self, text: str) -> None:
        self._hint.setText(
            text or self.tr("Height is the number of log blocks: grey the one being written, coloured those that wait.")
        )
