"""A form of optional facts: each row has a name, an editor and a remark that says what the value means, where it comes
from or what is wrong with it. Empty is unknown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.note_lines import TONE_ICONS
from poolwright.ui.parts.theme import GRID, Tone, theme

EDITOR_WIDTH = 20 * GRID
_ROW_HEIGHT = 4 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What stands beside an editor; ``icon`` is empty for plain help."""

    text: str
    tone: Tone = Tone.MUTED
    icon: str = ""


class RemarkLabel(QWidget):
    """Icon and text beside an editor."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remark = Remark(text="")
        self._icon = QLabel(self)
        self._icon.setFixedWidth(icons.SMALL)
        self._text = ToneLabel("", Tone.MUTED, self, small=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        lay.row(self._icon, (self._text, 1), of=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme().changed.connect(self._recolour)

    def show_remark(self, remark: Remark) -> None:
        """Show this."""
        self._remark = remark
        self._text.setText(remark.text)
        self._recolour()

    def keep_height(self) -> None:
        """Do not become lower again, so that what stands below stays where it is while somebody types."""
        if self.isVisible():
            self.setMinimumHeight(max(self.minimumHeight(), self.height()))

    def text(self) -> str:
        """Return what is shown."""
        return self._text.text()

    def name(self, text: str) -> None:
        """Give the text a name for assistive technology."""
        self._text.setAccessibleName(text)

    def _recolour(self) -> None:
        tone = self._remark.tone
        self._text.set_tone(tone if tone in {Tone.BLOCK, Tone.WARN} else Tone.MUTED)
        name = self._remark.icon or (TONE_ICONS.get(tone, "") if tone is not Tone.MUTED else "")
        if name:
            self._icon.setPixmap(icons.icon(name, tone).pixmap(icons.SMALL, icons.SMALL))
        else:
            self._icon.clear()


class FactEntry(QLineEdit):
    """A line of text that is read while it is typed. ``value_changed`` carries the value, None for unknown.

    A text that cannot be read counts as unknown and says so in the remark; of one that can, ``told`` says there what
    was understood.
    """

    value_changed = Signal(object)

    def __init__(
        self,
        name: str,
        parse: Callable[[str], object],
        shown: Callable[[object], str],
        parent: QWidget | None = None,
        *,
        told: Callable[[Any], str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedWidth(EDITOR_WIDTH)
        self.setMinimumHeight(_ROW_HEIGHT)
        self.setMaxLength(80)
        self._parse, self._shown, self._told = parse, shown, told
        self._value: object = None
        self._error = ""
        self._help = Remark(text="")
        self.remark = RemarkLabel(parent)
        self.remark.name(name)
        self.textEdited.connect(self._on_edited)

    @property
    def error(self) -> str:
        """Return what is wrong with the text; empty when nothing is."""
        return self._error

    def show_value(self, value: object, remark: Remark, placeholder: str) -> None:
        """Show a value of the session; a text being typed stays as long as it means the same."""
        self._help = remark
        self.setPlaceholderText(placeholder)
        if value != self._value:
            self._value = value
            self._error = ""
            self.setText("" if value is None else self._shown(value))
        self._show_remark()

    def show_unread(self, text: str) -> None:
        """Show a text that nobody understands as it was typed; without one, the value alone."""
        if text:
            self.setText(text)
            self._value = self._understood(text)
        elif self._error:
            self._error = ""
            self.setText("" if self._value is None else self._shown(self._value))
        self._show_remark()

    def _understood(self, text: str) -> object:
        self._error = ""
        try:
            return self._parse(text) if text.strip() else None
        except PoolwrightError as error:
            self._error = error.text
            return None

    def _on_edited(self, text: str) -> None:
        value = self._value = self._understood(text)
        self.remark.keep_height()
        self._show_remark()
        self.value_changed.emit(value)

    def _show_remark(self) -> None:
        remark = self._help
        if self._error:
            remark = Remark(text=self._error, tone=Tone.BLOCK)
        elif self._told is not None and self._value is not None and self.isModified():
            remark = replace(remark, text=f"= {self._told(self._value)}. {remark.text}".rstrip())
        self.remark.show_remark(remark)
        self.setAccessibleDescription(remark.text)


class FactChoice(QComboBox):
    """A choice among a few values, the first of them None for unknown unless the fact is always known."""

    value_changed = Signal(object)

    def __init__(self, name: str, choices: Sequence[tuple[object, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedWidth(EDITOR_WIDTH)
        self.setMinimumHeight(_ROW_HEIGHT)
        self._values = [value for value, _ in choices]
        self.addItems([text for _, text in choices])
        self.remark = RemarkLabel(parent)
        self.remark.name(name)
        self.activated.connect(self._on_activated)

    def show_value(self, value: object, remark: Remark) -> None:
        """Show a value of the session."""
        if value in self._values:
            self.setCurrentIndex(self._values.index(value))
        self.remark.show_remark(remark)
        self.setAccessibleDescription(remark.text)

    def _on_activated(self, row: int) -> None:
        self.value_changed.emit(self._values[row])


def unread_texts(editors: Iterable[FactEntry | FactChoice]) -> dict[str, str]:
    """Return the texts that nobody understands, by the names of their fields."""
    return {e.accessibleName(): e.text() for e in editors if isinstance(e, FactEntry) and e.error}


def show_unread_texts(editors: Iterable[FactEntry | FactChoice], texts: Mapping[str, str]) -> None:
    """Show these texts that nobody understands, by the names of their fields, and the values alone in all others."""
    for editor in editors:
        if isinstance(editor, FactEntry):
            editor.show_unread(texts.get(editor.accessibleName(), ""))


class FactForm(QWidget):
    """Rows of a name, an editor and its remark, aligned."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID)
        self._grid.setColumnStretch(2, 1)

    def add_row(self, label: str, editor: FactEntry | FactChoice) -> None:
        """Add an editor below the others."""
        row = self._grid.rowCount()
        name = QLabel(label, self)
        name.setBuddy(editor)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(editor, row, 1)
        self._grid.addWidget(editor.remark, row, 2)
