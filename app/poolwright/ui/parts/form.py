"""A form of optional values: each row has a name, an editor and a remark that says what the value means, where it comes
from or what is wrong with it. Empty is unknown.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QWidget,
)

from poolwright.domain.errors import PoolwrightError
from poolwright.texts import _, capital, numeral
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.note_lines import TONE_ICONS
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel

EDITOR_WIDTH = 20 * GRID
_ROW_HEIGHT = 4 * GRID
_LEAST_REMARK, _MOST_WORDS, _LETTERS = 18 * GRID, 4, 44  # where remarks have less room, they stand below the editors
short = partial(numeral, form="g")


@dataclass(frozen=True, slots=True)
class Typed:
    """How a value is typed: ``parse`` reads a text or raises what is wrong with it, ``shown`` writes what is read back
    the same, ``words`` says what was understood.
    """

    parse: Callable[[str], object]
    shown: Callable[[Any], str] = str
    words: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """A small whole number that is always known, ``least`` to ``most``, as it is ``at_first``."""

    least: int
    most: int
    at_first: int


Choices = Sequence[tuple[object, str]]


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a form: the attribute that holds it, its name for people, and how it is typed, or what to choose from.

    An ampersand in the name stands before the letter of its key. ``empty`` stands in a field where nothing is typed,
    which takes ``longest`` letters and is so wide.
    """

    key: str
    name: str
    how: Typed | Whole | Choices
    help: str = ""
    empty: str = ""
    longest: int = 80
    width: int = EDITOR_WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What stands beside an editor, and where that is not the field's own in it while it is ``empty``."""

    text: str
    tone: Tone = Tone.MUTED
    icon: str = ""
    empty: str = ""


class RemarkLabel(QWidget):
    """Icon and text beside an editor; there is room for some words, so that nothing moves while somebody types."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.only_wrong = False  # seen only where something is wrong
        self._icon = IconLabel("", self, size=icons.SMALL)
        self._text = widgets.named(ToneLabel("", Tone.MUTED, self, small=True, selectable=True), name)
        widgets.row(self._icon, (self._text, 1), of=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def show_of(self, editor: QWidget, remark: Remark) -> None:
        """Show what is said of an editor, and tell it to assistive technology there."""
        tone = remark.tone
        self._text.setText(remark.text)
        self._text.set_tone(tone if tone in {Tone.BLOCK, Tone.WARN} else Tone.MUTED)
        self._icon.show_icon(remark.icon or (TONE_ICONS.get(tone, "") if tone is not Tone.MUTED else ""), tone)
        if self.only_wrong:
            self.setVisible(tone is Tone.BLOCK)
        editor.setAccessibleDescription(remark.text)
        editor.setToolTip(remark.text if self.isHidden() else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        metrics = self._text.fontMetrics()
        lines = -(-_LETTERS * metrics.averageCharWidth() // max(1, self._text.width()))
        self.setMinimumHeight(lines * metrics.lineSpacing())


def _dressed(editor: QWidget, name: str, parent: QWidget | None) -> RemarkLabel:
    """Give an editor its name and size; return the remark that stands beside it."""
    editor.setAccessibleName(name)
    editor.setFixedWidth(EDITOR_WIDTH)
    editor.setMinimumHeight(_ROW_HEIGHT)
    return RemarkLabel(name, parent)


class FactEntry(QLineEdit):
    """A line of text that is read while it is typed. ``value_changed`` carries the value, None for unknown.

    A text that cannot be read counts as unknown and says so in the remark; one that can is told there as understood.
    """

    value_changed = Signal(object)

    def __init__(self, name: str, how: Typed, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.remark = _dressed(self, name, parent)
        self._how = how
        self._value: object = None
        self.error = ""
        self._help = Remark(text="")
        self.textEdited.connect(self._on_edited)

    def read(self) -> object:
        return self._value

    def show_value(self, value: object, remark: Remark, placeholder: str) -> None:
        """Show a value of the session; a text being typed stays as long as it means the same."""
        self._help = remark
        self.setPlaceholderText(placeholder)
        if value != self._value:
            self._value = value
            self.error = ""
            self.setText("" if value is None else self._how.shown(value))
        self._show_remark()

    def show_unread(self, text: str) -> None:
        if text:
            self.setText(text)
            self._value = self._understood(text)
        elif self.error:
            self.error = ""
            self.setText("" if self._value is None else self._how.shown(self._value))
        self._show_remark()

    def _understood(self, text: str) -> object:
        self.error = ""
        try:
            return self._how.parse(text) if text.strip() else None
        except PoolwrightError as error:
            self.error = error.text
            return None

    def _on_edited(self, text: str) -> None:
        value = self._value = self._understood(text)
        self._show_remark()
        self.value_changed.emit(value)

    def _show_remark(self) -> None:
        remark = self._help
        if self.error:
            remark = Remark(text=self.error, tone=Tone.BLOCK)
        elif self._how.words is not None and self._value is not None and self.isModified():
            remark = replace(remark, text=f"= {self._how.words(self._value)}. {capital(remark.text)}".rstrip())
        self.remark.show_of(self, remark)


class FactChoice(QComboBox):
    """A choice among a few values, the first of them None for unknown unless the fact is always known."""

    value_changed = Signal(object)

    def __init__(self, name: str, choices: Choices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.remark = _dressed(self, name, parent)
        self._values = [value for value, __ in choices]
        self.addItems([text for __, text in choices])
        self.activated.connect(self._on_activated)

    def read(self) -> object:
        return self._values[self.currentIndex()]

    def offer(self, value: object, text: str) -> None:
        if value not in self._values:
            self._values.append(value)
            self.addItem(text)

    def show_value(self, value: object, remark: Remark, _placeholder: str = "") -> None:
        if value in self._values:
            self.setCurrentIndex(self._values.index(value))
        self.remark.show_of(self, remark)

    def _on_activated(self, row: int) -> None:
        self.value_changed.emit(self._values[row])


class FactNumber(QSpinBox):
    """A whole number that is counted up and down as well as typed."""

    value_changed = Signal(object)

    def __init__(self, name: str, how: Whole, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.remark = _dressed(self, name, parent)
        self.setRange(how.least, how.most)
        self.setValue(how.at_first)
        self.valueChanged.connect(self.value_changed.emit)

    def read(self) -> object:
        return self.value()

    def show_value(self, value: object, remark: Remark, _placeholder: str = "") -> None:
        if isinstance(value, int):
            with QSignalBlocker(self):
                self.setValue(value)
        self.remark.show_of(self, remark)


Editor = FactEntry | FactChoice | FactNumber


class Form(QWidget):
    """Rows of a name, an editor and its remark, aligned. ``edited`` carries the key of a field and its new value.

    Forms below each other that give their names the same least width look like one. One of two ``columns`` has room
    for what is wrong alone, below its editor: other remarks are told to the pointer.
    """

    edited = Signal(str, object)

    def __init__(
        self, parent: QWidget | None = None, *, least_names: int = 0, editors: int = 0, columns: int = 1
    ) -> None:
        super().__init__(parent)
        self._editors = editors  # the one width of all of them, 0 where each has its own
        self._fields: dict[str, tuple[Field, Editor]] = {}
        self._entries: list[FactEntry] = []
        self._rows: list[Editor] = []  # each has a row of the grid, and one below it for its remark in a narrow form
        self._grid = widgets.grid(of=self, gap=(2 * GRID, GRID))
        self._grid.setColumnMinimumWidth(0, least_names)
        self._columns = columns
        self._grid.setColumnStretch(2 * columns, 1)
        self._names = [least_names]  # how wide
        self._narrow = False

    def add(self, *fields: Field) -> None:
        for field in fields:
            editor = self._made(field)
            editor.setFixedWidth(field.width)
            editor.setProperty("field", field.key)
            editor.value_changed.connect(self._on_value)
            self.add_row(field.name, editor)
            self._fields[field.key] = (field, editor)

    def _made(self, field: Field) -> Editor:
        name, how = widgets.keyless(field.name), field.how
        if isinstance(how, Whole):
            return FactNumber(name, how, self)
        if not isinstance(how, Typed):
            return FactChoice(name, how, self)
        entry = FactEntry(name, how, self)
        entry.setMaxLength(field.longest)
        entry.setPlaceholderText(field.empty)
        return entry

    def add_heads(self, names: str, remarks: str) -> None:
        """Write above the fields what stands in their column, and in that of the remarks."""
        for column, text in ((0, names), (2, remarks)):
            head = ToneLabel(text, Tone.MUTED, self, small=True, bold=True, wrapped=False)
            widgets.room(head, around=((icons.SMALL + GRID) * column // 2, 0, 0, 0))  # remarks begin with an icon
            self._grid.addWidget(head, 0, column)

    def add_row(self, label: str, editor: Editor) -> None:
        row, side = divmod(len(self._rows), self._columns)
        self._rows.append(editor)
        editor.setFixedWidth(self._editors or editor.width())
        name = QLabel(label, self)
        name.setBuddy(editor)
        self._names.append(name.sizeHint().width())
        self._grid.addWidget(name, 2 * row + 1, 2 * side)
        self._grid.addWidget(editor, 2 * row + 1, 2 * side + 1)
        place = (2 * row + 1, 2) if self._columns == 1 else (2 * row + 2, 2 * side, 1, 2)
        self._grid.addWidget(editor.remark, *place)
        if self._columns > 1:
            editor.remark.only_wrong = True
            editor.remark.hide()
        if isinstance(editor, FactEntry):
            self._entries.append(editor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = max((editor.width() for editor in self._rows), default=0) + max(self._names)
        if self._columns == 1 and self._narrow != (self.width() - width < _LEAST_REMARK):
            self._narrow = not self._narrow
            for row, editor in enumerate(self._rows):
                place = (2 * row + 2, 0, 1, 3) if self._narrow else (2 * row + 1, 2, 1, 1)
                self._grid.addWidget(editor.remark, *place)

    def add_beside(self, widget: QWidget) -> None:
        """Put a widget where the next field of a form of two columns would stand."""
        row, side = divmod(len(self._rows), self._columns)
        self._grid.addWidget(widget, 2 * row + 1, 2 * side, 1, 2)

    def put_behind(self, key: str, widget: QWidget, *, inside: bool = False) -> None:
        """Put a widget behind an editor that has no remark, or one that is not always there ``inside`` its end."""
        row = self._grid.getItemPosition(self._grid.indexOf(self.editor(key)))[0]  # type: ignore[index]
        side = Qt.AlignmentFlag.AlignRight if inside else Qt.AlignmentFlag.AlignLeft
        self._grid.addWidget(widget, row, 1 if inside else 2, side | Qt.AlignmentFlag.AlignVCenter)
        widget.raise_()
        if inside:
            widget.hide()
            self.editor(key).setTextMargins(0, 0, widget.sizeHint().width(), 0)  # type: ignore[union-attr]

    def editor(self, key: str) -> Editor:
        return self._fields[key][1]

    def value(self, key: str) -> Any:
        return self._fields[key][1].read()

    def show_values(self, values: object, remark_of: Callable[[Field, Any], Remark]) -> None:
        """Show the attributes of ``values`` with what ``remark_of`` says of each."""
        for key, (field, editor) in self._fields.items():
            value = getattr(values, key)
            remark = remark_of(field, value)
            editor.show_value(value, remark, remark.empty or field.empty)

    def words(self) -> str:
        """Return in a line what the first few of the fields hold that are not as at first; empty where all are."""
        held = [(field.name, editor) for field, editor in self._fields.values()]
        words = [f"{name} {e.text()}" for name, e in held if not isinstance(e, FactChoice) and e.read() is not None]
        words += [f"{name} {e.currentText()}" for name, e in held if isinstance(e, FactChoice) and e.currentIndex() > 0]
        return " · ".join((*words[:_MOST_WORDS], "…") if len(words) > _MOST_WORDS else words)

    def unread(self) -> dict[str, str]:
        return {entry.accessibleName(): entry.text() for entry in self._entries if entry.error}

    def show_unread(self, texts: Mapping[str, str]) -> None:
        for entry in self._entries:
            entry.show_unread(texts.get(entry.accessibleName(), ""))

    def _on_value(self, value: object) -> None:
        self.edited.emit(str(self.sender().property("field")), value)


# What the text of a field means, or why it cannot be read, told below it while it is typed.


class Understood(RemarkLabel):
    """``read`` turns a text into words, or raises what is wrong. An empty text is not spoken of.

    The place of ``lines`` lines is kept from the beginning, so that nothing moves; what does not fit is in the tip.
    """

    def __init__(self, field: QLineEdit, read: Callable[[str], str], parent: QWidget, *, lines: int = 1) -> None:
        super().__init__(_("What is understood: {field}", field=field.accessibleName()), parent)
        self._field, self._read = field, read
        self.setFixedHeight(lines * 2 * GRID + GRID // 2)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        field.textChanged.connect(self.read_again)
        self.read_again()

    def read_again(self) -> None:
        """Tell anew; for when what a text means depends on something else that has changed."""
        remark = Remark(text="")
        if self._field.isEnabled() and self._field.text().strip():
            try:
                remark = Remark(text=f"= {self._read(self._field.text())}")
            except PoolwrightError as error:
                remark = Remark(text=error.text, tone=Tone.WARN)
        self.show_of(self._field, remark)
        self.setToolTip(remark.text)


# A slider over a few values, with its name and the value in words.


class ValueSlider(QWidget):
    """``changed`` is sent when another value is chosen."""

    changed = Signal()

    def __init__(
        self, name: str, values: tuple[int, ...], text: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._values, self._text = values, text
        title = ToneLabel(name, parent=self, small=True, wrapped=False)
        self._value_label = QLabel(self)
        self._value_label.setAlignment(Qt.AlignmentFlag.AlignRight)
        head = widgets.row(title, (self._value_label, 1))
        self.slider = widgets.named(QSlider(Qt.Orientation.Horizontal, self), name)
        self.slider.setRange(0, len(values) - 1)
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._on_moved)
        widgets.column(head, self.slider, of=self, gap=GRID // 2)
        self._tell()

    def value(self) -> int:
        return self._values[self.slider.value()]

    def set_value(self, value: int) -> None:
        nearest = min(self._values, key=lambda known: abs(known - value))
        self.slider.setValue(self._values.index(nearest))

    def offer(self, value: int) -> None:
        """Move to ``value``; where the slider has no such value yet, it gets one."""
        if value not in self._values:
            here = self.value()
            self._values = tuple(sorted((*self._values, value)))
            with QSignalBlocker(self.slider):  # the value stays, only its place moves
                self.slider.setRange(0, len(self._values) - 1)
                self.slider.setValue(self._values.index(here))
        self.set_value(value)

    def _on_moved(self) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        text = self._text(self.value())
        self._value_label.setText(text)
        self.slider.setAccessibleDescription(text)


# A dialog of fields that tells what comes of them while they are typed, and takes them where they can be.


class FormDialog(QDialog):
    """``taken`` sends what `value` returns when the button is pressed that takes it."""

    taken = Signal(object)

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = Form(self)
        self.effect = widgets.named(ToneLabel("", Tone.TEXT, self), _("What comes of it"))
        self.effect.setMinimumSize(84 * GRID, 6 * GRID)  # room beside a long name for what was understood of a field
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel, self)
        self.ok = self.buttons.button(kinds.Ok)
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)

    @abstractmethod
    def value(self) -> object:
        """Return what the fields ask for; None while they say nothing."""

    @abstractmethod
    def outcome(self) -> tuple[str, bool]:
        """Return what comes of the fields, and whether they can be taken."""

    def show_fields(self, *fields: Field) -> None:
        """Put the fields above what comes of them."""
        self.form.add(*fields)
        self.form.edited.connect(self.tell)
        self._column = widgets.column((self.form, 1), self.effect, self.buttons, of=self, around=2 * GRID)
        self.tell()

    def tell(self) -> None:
        text, possible = self.outcome()
        self.effect.setText(text)
        self.effect.set_tone(Tone.TEXT if possible or not text else Tone.BLOCK)
        self.ok.setEnabled(possible and not self.form.unread())
        self._column.activate()  # the texts need room of their own length
        self.resize(self.width(), max(self.height(), self._column.totalHeightForWidth(self.width())))

    def _take(self) -> None:
        value = self.value()
        self.accept()
        self.taken.emit(value)
