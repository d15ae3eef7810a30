"""A place to paste the output of a tool, which is read while it is there."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel

MOST_CHARACTERS = 4_000_000


class PasteField(QWidget):
    """``given`` carries what ``read`` made of the text, None while there is none or it cannot be read."""

    given = Signal(object)

    def __init__(self, name: str, hint: str, read: Callable[[str], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self._value: object = None
        self.text = widgets.named(QPlainTextEdit(self), name)
        self.text.setPlaceholderText(hint)
        self.text.setFixedHeight(4 * GRID)
        self.text.setTabChangesFocus(True)
        self.said = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("What was read: {name}", name=name))
        self.said.hide()
        widgets.column(self.text, self.said, of=self, gap=GRID // 2)
        self.text.textChanged.connect(self._on_text)

    def _on_text(self) -> None:
        text, problem = self.text.toPlainText(), ""
        value: object = None
        try:
            if len(text) > MOST_CHARACTERS:
                raise UserError(_("This is too long: paste a part of it."))
            value = self._read(text) if text.strip() else None
        except PoolwrightError as error:
            problem = error.text
        told = _("Read.") if value is not None else problem
        self.said.set_tone(Tone.WARN if problem else Tone.MUTED)
        self.said.setText(told)
        self.said.setVisible(bool(told))
        if value != self._value:
            self._value = value
            self.given.emit(value)
