"""Dialogs that ask for the numbers of an edit, tell what comes of it while they are typed, and make it."""

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from poolwright.advise.edits.shape import Shape
from poolwright.domain.errors import UserError
from poolwright.domain.read_back import size_read
from poolwright.domain.units import CAPACITY_UNITS, parse_size
from poolwright.domain.vdev import VdevKind
from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Edit, Editing
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone


class EditDialog(QDialog):
    """Fields below each other, what comes of them, and a button that is to be pressed where the edit is possible."""

    def __init__(self, title: str, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self.editing = editing
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("What comes of it"))
        self.told.setMinimumSize(48 * GRID, 6 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)

    @abstractmethod
    def asked(self) -> tuple[str, Edit] | None:
        """Return what the fields say, in words and as an edit; None while they are empty. Raises UserError."""

    def show_fields(self, fields: Sequence[QWidget]) -> None:
        """Put the fields, by their names, above what comes of them."""
        form = QFormLayout()
        for field in fields:
            form.addRow(field.accessibleName(), field)
        lay.column(form, self.told, self.buttons, of=self, around=2 * GRID)
        self.tell()

    def tell(self) -> None:
        """Tell what comes of the fields now."""
        possible, text = False, ""
        try:
            asked = self.asked()
        except UserError as error:
            text = error.text
        else:
            if asked is not None:
                effect = self.editing.effect(asked[1])
                possible, text = effect.possible, f"{asked[0]} {effect.text}"
        self.told.setText(text)
        self.told.set_tone(Tone.TEXT if possible or not text else Tone.BLOCK)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(possible)

    def _make(self) -> None:
        asked = self.asked()
        self.accept()
        if asked is not None:
            self.editing.apply(asked[1])


class DraidDialog(EditDialog):
    """Parity, data and spares of a dRAID: ``fresh`` of the selected disks, else of the selected vdevs."""

    def __init__(self, editing: Editing, parent: QWidget, *, fresh: bool) -> None:
        super().__init__(tell("dRAID"), editing, parent)
        self._fresh = fresh
        count = len(editing.pieces())
        self.parity = self._number(tell("Parity disks a group"), 1, 3, 2)
        self.data = self._number(tell("Data disks a group"), 1, 255, min(8, max(1, count - 2)))
        self.spares = self._number(tell("Distributed spares"), 0, 100, 1 if count > 8 else 0)
        self.show_fields((self.parity, self.data, self.spares))

    def asked(self) -> tuple[str, Edit]:
        """Return the dRAID with these numbers."""
        shape = Shape(
            kind=VdevKind.DRAID,
            parity=self.parity.value(),
            draid_data=self.data.value(),
            draid_spares=self.spares.value(),
        )
        return f"{shape.word}:", self.editing.new_vdev(shape) if self._fresh else self.editing.change_kind(shape)

    def _number(self, name: str, least: int, most: int, value: int) -> QSpinBox:
        made = QSpinBox(self)
        made.setRange(least, most)
        made.setValue(value)
        made.setAccessibleName(name)
        made.valueChanged.connect(self.tell)
        return made


class SizeDialog(EditDialog):
    """How much of each selected disk a vdev gets: a size with its unit, such as 2TB or 1.8TiB."""

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(tell("Partition"), editing, parent)
        self.wanted = QLineEdit(self)
        self.wanted.setAccessibleName(tell("Size of the partition on each disk"))
        self.wanted.setPlaceholderText(tell("2TB or 1.8TiB"))
        self.wanted.textChanged.connect(self.tell)
        self.show_fields((self.wanted,))

    def asked(self) -> tuple[str, Edit] | None:
        """Return the partition of this size."""
        if not self.wanted.text().strip():
            return None
        size = parse_size(self.wanted.text(), what=tell("size of a partition"), units=CAPACITY_UNITS)
        return f"= {size_read(size)}.", self.editing.partition(size)

    def tell(self) -> None:
        """Tell it beside the field as well."""
        super().tell()
        self.wanted.setAccessibleDescription(self.told.text())
