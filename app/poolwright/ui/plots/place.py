"""The place of a plot. What draws it takes a second to import, so a plot is made when its place is first in sight."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.parts import PlotParts

if TYPE_CHECKING:
    from poolwright.ui.plots.frame import PlotFrame


class PlotPlace(QWidget):
    """A line on what is under the pointer, a button to copy and save, and below them the plot once it is made.

    Subclasses make their plot in ``make_plot`` and show in it what they were told before; ``head`` takes further
    controls. ``failed`` says why a file was not written.
    """

    failed = Signal(str)

    def __init__(self, hint: str, save: str, parent: QWidget | None = None) -> None:
        """``hint`` is shown where the pointer is over nothing, ``save`` names the button."""
        super().__init__(parent)
        self._usual = hint
        self._made = False
        self.hint = ToneLabel(hint, Tone.MUTED, self, small=True)
        self.hint.setAccessibleName(tell("Value under the pointer"))
        self._save = save_button(save, self)
        self._save.setEnabled(False)
        self.head = lay.row((self.hint, 1), (self._save, 0, Qt.AlignmentFlag.AlignTop))
        self._waiting = ToneLabel(tell("The plot is being prepared."), Tone.MUTED, self)
        self._column = lay.column(self.head, (self._waiting, 1, Qt.AlignmentFlag.AlignCenter), of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)

    def make_plot(self) -> "PlotFrame":
        """Return the plot, new and with what is to be shown."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 24 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the place came into sight."""
        super().showEvent(event)
        if not self._made:
            self._parts.start()

    def show_hint(self, text: str) -> None:
        """Say this of what is under the pointer; the usual words where it is empty."""
        self.hint.setText(text or self._usual)

    def _make(self) -> None:
        self._made = True
        plot = self.make_plot()
        plot.failed.connect(self.failed)
        plot.hovered.connect(self.show_hint)
        self._waiting.hide()
        self._column.addWidget(plot, 1)
        self._save.setMenu(plot.menu())
        self._save.setEnabled(True)


def save_button(name: str, parent: QWidget) -> QToolButton:
    """Return a button that opens the menu with which a plot is copied or saved."""
    button = QToolButton(parent)
    icons.give(button, "export")
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button
