"""Keys and what they do, in two columns."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font


class KeyList(QWidget):
    def __init__(self, keys: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = lay.grid(of=self, gap=(3 * GRID, GRID))
        grid.setColumnStretch(1, 1)
        for row, (pressed, meaning) in enumerate(keys):
            name = QLabel(pressed, self)
            name.setFont(text_font(semibold=True))
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(ToneLabel(meaning, Tone.MUTED, self), row, 1)
