"""A place to paste the output of a tool: folded away until wanted, read while it is there."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QToolButton, QWidget

from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.texts import _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone

_HEIGHT = 12 * GRID
MOST_CHARACTERS = 4_000_000


class PasteField(QWidget):
    """``given`` carries what ``read`` made of the text, None while there is none or it cannot be read."""

    given = Signal(object)

    def __init__(
        self, action: str, name: str, hint: str, read: Callable[[str], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._read = read
        self._value: object = None
        self.button = lay.named(QToolButton(self), action)
        self.button.setText(action)
        self.button.setCheckable(True)
        self.button.setAutoRaise(True)
        self.button.setMinimumHeight(4 * GRID)
        self.text = lay.named(QPlainTextEdit(self), name)
        self.text.setPlaceholderText(hint)
        self.text.setFixedHeight(_HEIGHT)
        self.text.setTabChangesFocus(True)
        self.text.hide()
        self.said = lay.named(ToneLabel("", Tone.MUTED, self, small=True), _("What was read: {name}", name=name))
        self.said.hide()
        lay.column(self.button, self.text, self.said, of=self, gap=GRID // 2)
        self.button.setToolButtonStyle(self.button.toolButtonStyle().ToolButtonTextBesideIcon)
        icons.give(self.button, "fold-right", Tone.MUTED)
        self.button.toggled.connect(self._on_toggled)
        self.text.textChanged.connect(self._on_text)

    def _on_toggled(self, shown: bool) -> None:
        icons.give(self.button, "fold-down" if shown else "fold-right", Tone.MUTED)
        self.text.setVisible(shown)
        self.said.setVisible(shown and bool(self.said.text()))
        if shown:
            self.text.setFocus()

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
        self.said.setVisible(bool(told) and self.button.isChecked())
        if value != self._value:
            self._value = value
            self.given.emit(value)
