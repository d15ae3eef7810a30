"""“Why?” of a property: what it does, where its value comes from, and the rule that proposed it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPlainTextEdit, QWidget

from poolwright.design.amounts import size_text
from poolwright.domain.design import Dataset
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inheritance import Effective
from poolwright.domain.rates import size_read
from poolwright.domain.units import GB, TB, parse_size
from poolwright.domain.workload import Workload
from poolwright.rules.model import RuleBook, explain_rule
from poolwright.rules.presets import PRESETS, Preset, preset
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import full_name, property_words, source_words
from poolwright.ui.parts import lay
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.theme import GRID, Tone, mono_font
from poolwright.ui.parts.understood import Understood


class PropertyDialog(WhyDialog):
    """Stands beside the window while it is read."""

    def __init__(
        self, effective: Effective, where: str, pool_name: str, rule: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(f"{effective.name}={effective.value}", parent)
        self.add_part(tell("What it does"), property_words(effective.name))
        self.add_part(
            tell("In force"),
            tell(
                "{name}={value} on {where}, {source}",
                name=effective.name,
                value=effective.value,
                where=full_name(pool_name, where),
                source=source_words(effective, pool_name),
            ),
        )
        self.add_part(tell("Why"), effective.reason or self._without_reason(effective))
        self.add_part(tell("OpenZFS's default"), effective.default_value or "")
        if effective.fixed:
            self.add_part(tell("When"), tell("Only when the dataset is made; cannot be changed later."))
        if rule:
            self.add_heading(tell("The rule that proposed it"))
            text = QPlainTextEdit(rule, self)
            text.setReadOnly(True)
            text.setAccessibleName(tell("The rule"))
            text.setFont(mono_font(10.0))
            text.setMinimumHeight(25 * GRID)
            self.body.addWidget(text, 1)
        self.body.addStretch(1)

    def _without_reason(self, effective: Effective) -> str:
        if effective.source.value == "default":
            return tell("Nobody set it here or above, and no rule proposed anything else.")
        return tell("It was set by hand.")


def show_property(
    effective: Effective, where: str, pool_name: str, book: RuleBook | None, parent: QWidget
) -> PropertyDialog:
    """Open “Why?” of a property beside the window."""
    rule = book.rule(effective.rule_id) if book is not None and effective.rule_id is not None else None
    told = "" if rule is None or book is None else explain_rule(rule, book)
    dialog = PropertyDialog(effective, where, pool_name, told, parent)
    dialog.show()
    return dialog


# What is said of a dataset: how much lies in it, its size, what it holds, and what follows from that.

LINE_HEIGHT = 4 * GRID


def parse_data(text: str) -> int | None:
    """Return an amount of data in bytes, None for an empty text (unknown). Raises UserError."""
    return 0 if text.strip() == "0" else parse_size(text, what=tell("amount of data")) if text.strip() else None


def read_data(text: str) -> str:
    """Return in words what `parse_data` understands. Raises UserError."""
    return tell("data of {text}", text=size_read(parse_data(text) or 0))


def parse_volume(text: str) -> int:
    """Return the size of a volume in bytes. Raises UserError."""
    return parse_size(text, what=tell("volume size"))


def read_volume(text: str) -> str:
    """Return in words what `parse_volume` understands. Raises UserError."""
    return tell("a volume of {text}", text=size_read(parse_volume(text)))


class SizeField(QLineEdit):
    """A line of text that is read when it is left or Return is pressed.

    ``entered`` carries the value; ``failed`` why the text cannot be read, and then nothing is entered.
    """

    entered = Signal(object)
    failed = Signal(str)

    def __init__(
        self, name: str, parse: Callable[[str], object], shown: Callable[[object], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumHeight(LINE_HEIGHT)
        self.setMaxLength(300)
        self._parse, self._shown = parse, shown
        self._value: object = None
        self.editingFinished.connect(self._on_finished)

    def show_value(self, value: object) -> None:
        """Show a value; a text that means the same stays as it was typed."""
        if value != self._value or not self.isModified():
            self._value = value
            self.setText("" if value is None else self._shown(value))
        self.setModified(False)

    def read(self) -> object:
        """Return what the text means. Raises UserError."""
        return self._parse(self.text())

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        try:
            value = self.read()
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return
        self.setModified(False)
        if value != self._value:
            self._value = value
            self.entered.emit(value)


class HoldsChoice(QComboBox):
    """What a dataset holds: a preset, or whatever the pool is for. ``chosen`` is sent when a person chooses."""

    chosen = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumHeight(LINE_HEIGHT)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.setPlaceholderText(tell("A workload of its own"))
        self.addItem(tell("As the pool"), None)
        for known in PRESETS:
            self.addItem(tell(known.title), known.key)
            self.setItemData(self.count() - 1, tell(known.summary), Qt.ItemDataRole.ToolTipRole)
        self.activated.connect(self._on_activated)

    def preset(self) -> Preset | None:
        """Return what is chosen, None for whatever the pool is for."""
        return preset(self.currentData())

    def workload(self) -> Workload | None:
        chosen = self.preset()
        return None if chosen is None else replace(chosen.workload, preset=chosen.key)

    def show_workload(self, workload: Workload | None) -> None:
        """Show what a dataset holds; a workload that follows no preset is shown as its own."""
        row = 0 if workload is None else self.findData(workload.preset) if workload.preset else -1
        self.setCurrentIndex(row)

    def _on_activated(self) -> None:
        self.chosen.emit()


class DatasetFields(QWidget):
    """Fields of the selected dataset.

    ``data_entered`` and ``size_entered`` carry bytes (None: unknown), ``holds_chosen`` follows a choice of ``holds``,
    ``failed`` says why a text cannot be read.
    """

    data_entered = Signal(object)
    size_entered = Signal(object)
    holds_chosen = Signal()
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.data = SizeField(tell("Data in the dataset"), parse_data, _shown, self)
        self.data.setPlaceholderText(tell("unknown"))
        self.data.setToolTip(tell("What programs will write, before compression: 2 TiB, 500 GB, 0"))
        self.volume_size = SizeField(tell("Size of the volume"), parse_volume, _shown_volume, self)
        self.holds = HoldsChoice(tell("What the dataset holds"), self)
        self.holds.setToolTip(tell("Choosing one sets the properties that the rules propose for it"))
        self._size_label = QLabel(tell("Size"), self)
        self.notes = NoteLines(tell("What is to be said of the dataset"), self, most=1, small=True)
        grid = lay.grid(gap=(GRID, 0))
        fields: tuple[tuple[QLabel, QWidget], ...] = (
            (QLabel(tell("Data"), self), self.data),
            (self._size_label, self.volume_size),
            (QLabel(tell("Holds"), self), self.holds),
        )
        for number, (label, field) in enumerate(fields):
            label.setBuddy(field)
            grid.addWidget(label, 0, 2 * number)
            grid.addWidget(field, 0, 2 * number + 1)
            grid.setColumnStretch(2 * number + 1, 1)
        self._size_read = Understood(self.volume_size, read_volume, self)
        grid.addWidget(Understood(self.data, read_data, self), 1, 0, 1, 2)
        grid.addWidget(self._size_read, 1, 2, 1, 4)
        lay.column(grid, self.notes, of=self)
        self.data.entered.connect(self.data_entered)
        self.volume_size.entered.connect(self.size_entered)
        for entry in (self.data, self.volume_size):
            entry.failed.connect(self.failed)
        self.holds.chosen.connect(self.holds_chosen)

    def show_dataset(self, dataset: Dataset, notes: Sequence[tuple[str, Tone]]) -> None:
        volume = dataset.volume_bytes is not None
        self.data.show_value(dataset.logical_bytes)
        self.volume_size.show_value(dataset.volume_bytes)
        self.volume_size.setVisible(volume)
        self._size_label.setVisible(volume)
        self._size_read.setVisible(volume)
        self.holds.show_workload(dataset.workload)
        self.notes.show_lines([Line(text=text, tone=tone) for text, tone in notes])


def _shown_volume(value: object) -> str:
    """Return the size that a person types for a volume; one that was rounded up to whole blocks as what was typed."""
    if isinstance(value, int):
        for unit, name in ((TB, "TB"), (GB, "GB")):
            typed = value // unit * unit
            blocks = (1 << exponent for exponent in range(9, 25))
            if typed and typed != value and any(-(-typed // block) * block == value for block in blocks):
                return f"{typed // unit} {name}"
    return _shown(value)


def _shown(value: object) -> str:
    return "0" if value == 0 else size_text(value) if isinstance(value, int) else ""
