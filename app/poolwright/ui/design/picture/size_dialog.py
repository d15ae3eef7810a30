"""Asks how much of each selected disk a vdev gets."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from poolwright.advise.edits.slicing import partition
from poolwright.domain.errors import UserError
from poolwright.domain.read_back import size_read
from poolwright.domain.units import CAPACITY_UNITS, parse_size
from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.effects import effect_of
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone


class SizeDialog(QDialog):
    """Takes a size with its unit, such as 2TB or 1.8TiB, and tells what comes of it."""

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self._editing = editing
        self.setWindowTitle(tell("Partition"))
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.wanted = QLineEdit(self)
        self.wanted.setAccessibleName(tell("Size of the partition on each disk"))
        self.wanted.setPlaceholderText(tell("2TB or 1.8TiB"))
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("What comes of it"))
        self.told.setMinimumHeight(5 * GRID)
        self.told.setMinimumWidth(44 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(ToneLabel(tell("Size of the partition on each disk"), Tone.TEXT, self))
        column.addWidget(self.wanted)
        column.addWidget(self.told)
        column.addWidget(self.buttons)
        self.wanted.textChanged.connect(self._tell)
        self._tell()

    def _bytes(self) -> int:
        """Return the size; raises UserError."""
        return parse_size(self.wanted.text(), what=tell("size of a partition"), units=CAPACITY_UNITS)

    def _tell(self) -> None:
        possible, text = False, ""
        if self.wanted.text().strip():
            try:
                size = self._bytes()
            except UserError as error:
                text = error.text
            else:
                effect = effect_of(self._editing, partial(partition, pieces=self._editing.pieces(), part_bytes=size))
                possible, text = effect.possible, f"= {size_read(size)}. {effect.text}"
        self.told.setText(text)
        self.wanted.setAccessibleDescription(text)
        self.told.set_tone(Tone.TEXT if possible or not text else Tone.BLOCK)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(possible)

    def _make(self) -> None:
        size = self._bytes()  # the button is only to be pressed where it can be read
        self.accept()
        self._editing.partition(size)
