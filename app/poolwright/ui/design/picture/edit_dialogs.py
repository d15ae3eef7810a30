"""Dialogs that ask for the numbers of an edit, tell what comes of it while they are typed, and make it."""

from abc import abstractmethod

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from poolwright.design.edits.places import Shape
from poolwright.domain.rates import size_read
from poolwright.domain.units import CAPACITY_UNITS, parse_size
from poolwright.domain.vdev import VdevKind
from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Edit, Editing
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Field, Form, Typed, Whole
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone

_WIDTH = 84 * GRID  # room beside a field with a long name for what was understood of it


class EditDialog(QDialog):
    """Fields below each other, what comes of them, and a button that is to be pressed where the edit is possible."""

    def __init__(self, title: str, editing: Editing, parent: QWidget) -> None:
        super().__init__(parent)
        self.editing = editing
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = Form(self)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("What comes of it"))
        self.told.setMinimumSize(_WIDTH, 6 * GRID)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)

    @abstractmethod
    def asked(self) -> tuple[str, Edit] | None:
        """Return what the fields say, in words and as an edit; None while they say nothing."""

    def show_fields(self, *fields: Field) -> None:
        """Put the fields above what comes of them."""
        self.form.add(*fields)
        self.form.edited.connect(self.tell)
        lay.column(self.form, self.told, self.buttons, of=self, around=2 * GRID)
        self.tell()

    def tell(self) -> None:
        possible, text = False, ""
        asked = self.asked()
        if asked is not None:
            effect = self.editing.effect(asked[1])
            possible, text = effect.possible, f"{asked[0]} {effect.text}".strip()
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
        self.show_fields(
            Field("parity", tell("Parity disks a group"), Whole(1, 3, 2)),
            Field("data", tell("Data disks a group"), Whole(1, 255, min(8, max(1, count - 2)))),
            Field("spares", tell("Distributed spares"), Whole(0, 100, 1 if count > 8 else 0)),
        )

    def asked(self) -> tuple[str, Edit]:
        shape = Shape(
            kind=VdevKind.DRAID,
            parity=self.form.value("parity"),
            draid_data=self.form.value("data"),
            draid_spares=self.form.value("spares"),
        )
        return f"{shape.word}:", self.editing.new_vdev(shape) if self._fresh else self.editing.change_kind(shape)


class SizeDialog(EditDialog):
    """How much of each selected disk a vdev gets: a size with its unit, such as 2TB or 1.8TiB."""

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(tell("Partition"), editing, parent)
        how = Typed(_partition_size, told=size_read)
        name = tell("Size of the partition on each disk")
        self.show_fields(Field("size", name, how, empty=tell("2TB or 1.8TiB")))

    def asked(self) -> tuple[str, Edit] | None:
        size = self.form.value("size")
        return None if size is None else ("", self.editing.partition(size))


def _partition_size(text: str) -> int:
    return parse_size(text, what=tell("size of a partition"), units=CAPACITY_UNITS)
