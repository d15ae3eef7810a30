"""A dialog of fields that tells what comes of them while they are typed, and takes them where they can be."""

from abc import abstractmethod

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.form import Field, Form
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel


class FormDialog(QDialog):
    """``taken`` sends what `asked` returns when the button is pressed that takes it."""

    taken = Signal(object)

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = Form(self)
        self.told = widgets.named(ToneLabel("", Tone.TEXT, self), _("What comes of it"))
        self.told.setMinimumSize(84 * GRID, 6 * GRID)  # room beside a long name for what was understood of a field
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel, self)
        self.ok = self.buttons.button(kinds.Ok)
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)

    @abstractmethod
    def asked(self) -> object:
        """Return what the fields ask for; None while they say nothing."""

    @abstractmethod
    def outcome(self) -> tuple[str, bool]:
        """Return what comes of the fields, and whether they can be taken."""

    def show_fields(self, *fields: Field) -> None:
        """Put the fields above what comes of them."""
        self.form.add(*fields)
        self.form.edited.connect(self.tell)
        self._column = widgets.column((self.form, 1), self.told, self.buttons, of=self, around=2 * GRID)
        self.tell()

    def tell(self) -> None:
        text, possible = self.outcome()
        self.told.setText(text)
        self.told.set_tone(Tone.TEXT if possible or not text else Tone.BLOCK)
        self.ok.setEnabled(possible and not self.form.unread())
        self._column.activate()  # the texts need room of their own length
        self.resize(self.width(), max(self.height(), self._column.totalHeightForWidth(self.width())))

    def _take(self) -> None:
        asked = self.asked()
        self.accept()
        self.taken.emit(asked)
