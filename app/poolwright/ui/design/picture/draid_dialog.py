"""Asks for parity, data disks a group and distributed spares of a dRAID vdev, and tells what comes of them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from poolwright.advise.edits.shape import Shape
from poolwright.domain.vdev import VdevKind
from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.effects import effect_of
from poolwright.ui.design.picture.options import draid_change
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone


class DraidDialog(QDialog):
    """``fresh`` makes a vdev of the selected disks; else the selected vdevs become dRAID."""

    def __init__(self, editing: Editing, parent: QWidget, *, fresh: bool) -> None:
        super().__init__(parent)
        self._editing, self._fresh = editing, fresh
        self.setWindowTitle(tell("dRAID"))
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        count = len(editing.pieces())
        self.parity = self._number(tell("Parity disks a group"), 1, 3, 2)
        most = max(1, count - 2)
        self.data = self._number(tell("Data disks a group"), 1, 255, min(8, most))
        self.spares = self._number(tell("Distributed spares"), 0, 100, 1 if count > 8 else 0)
        form = QFormLayout()
        for field in (self.parity, self.data, self.spares):
            form.addRow(field.accessibleName(), field)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("What comes of it"))
        self.told.setMinimumHeight(6 * GRID)
        self.told.setMinimumWidth(48 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.told)
        column.addWidget(self.buttons)
        self._tell()

    def shape(self) -> Shape:
        """Return what is asked for."""
        return Shape(
            kind=VdevKind.DRAID,
            parity=self.parity.value(),
            draid_data=self.data.value(),
            draid_spares=self.spares.value(),
        )

    def _number(self, name: str, least: int, most: int, value: int) -> QSpinBox:
        made = QSpinBox(self)
        made.setRange(least, most)
        made.setValue(value)
        made.setAccessibleName(name)
        made.valueChanged.connect(self._tell)
        return made

    def _tell(self) -> None:
        if not hasattr(self, "buttons"):
            return
        effect = effect_of(self._editing, draid_change(self._editing, self.shape(), fresh=self._fresh))
        self.told.setText(f"{self.shape().word}: {effect.text}")
        self.told.set_tone(Tone.TEXT if effect.possible else Tone.BLOCK)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(effect.possible)

    def _make(self) -> None:
        shape = self.shape()
        self.accept()
        if self._fresh:
            self._editing.new_vdev(shape)
        else:
            self._editing.change_kind(shape)
