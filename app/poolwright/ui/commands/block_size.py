"""The choice of ashift where it is made, with what cannot be undone about it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, text_font

LEAST, MOST = 9, 16  # what zpool create takes
_KIB = 10


class BlockSize(QWidget):
    """Shows an ashift and its reason. ``chosen`` carries another one that was picked."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        label = QLabel(tell("&Block size"), self)
        label.setFont(text_font(semibold=True))
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("Block size"))
        for ashift in range(LEAST, MOST + 1):
            size = f"{1 << ashift} B" if ashift == LEAST else f"{1 << ashift - _KIB} KiB"
            self.choice.addItem(tell("ashift {ashift}: {size}", ashift=ashift, size=size), ashift)
        self.choice.setMinimumHeight(4 * GRID)
        self.choice.activated.connect(self._on_activated)
        label.setBuddy(self.choice)
        self._reason = ToneLabel("", Tone.WARN, self)
        self._reason.setAccessibleName(tell("What this block size means"))
        row = lay.row(label, self.choice, of=self)
        row.addSpacing(GRID)
        row.addWidget(Mark("warn", self, Tone.WARN, icons.SMALL))
        row.addWidget(self._reason, 1)

    def show_ashift(self, ashift: int, reason: str) -> None:
        self.choice.setCurrentIndex(self.choice.findData(ashift))
        self._reason.setText(reason)
        self.choice.setAccessibleDescription(reason)

    def _on_activated(self, number: int) -> None:
        self.chosen.emit(self.choice.itemData(number))
