"""Every property in force on one dataset, with its reason; values are changed here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from poolwright.domain.dataset_properties import ValueKind, dataset_property
from poolwright.domain.dataset_values import entered_bytes
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.rates import size_read
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.texts import marked, tell
from poolwright.ui.design.datasets.words import property_words, reason_words, source_words, told_words
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import CellEcho
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import KEY_ROLE, ROW_HEIGHT, Index, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme
from poolwright.ui.parts.understood import Understood

# What the properties of datasets and of pools have in common: table, editors, keys, buttons and field.

_BLOCKS = ("4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "4M", "16M")
_MOST_WORDS = 60
_ROOMY_FROM = 100 * GRID


def size_words(name: str, text: str, version: ZfsVersion) -> str:
    """Return what a typed value means as a size; empty where it is none. Raises UserError."""
    size = entered_bytes(name, text, version)
    return size_read(size) if size else ""


class ValueDelegate(QStyledItemDelegate):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.version: ZfsVersion = DEFAULT_VERSION

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return a box with the values that OpenZFS takes; others can be typed."""
        name = str(index.data(KEY_ROLE))
        box = QComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setAccessibleName(tell("Value of {name}", name=name))
        box.addItems(list(self.words_for(name)[:_MOST_WORDS]))
        CellEcho(box, partial(self.read, name))
        return box

    def words_for(self, name: str) -> tuple[str, ...]:
        """Return the values to choose from; others can be typed."""
        known = dataset_property(name, self.version)
        if known is None:
            return ()
        if known.kind is ValueKind.BLOCK:
            return (("0",) if name == "special_small_blocks" else ()) + _BLOCKS
        return ("none",) if known.kind is ValueKind.SPACE else known.words

    def read(self, name: str, text: str) -> str:
        """Return what a typed value means as a size; empty where it is none. Raises UserError."""
        return size_words(name, text, self.version)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentText(str(index.data(Qt.ItemDataRole.EditRole)))
            line = editor.lineEdit()
            if line is not None:
                line.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand over what was chosen or typed."""
        if isinstance(editor, QComboBox):
            model.setData(model.index(index.row(), index.column()), editor.currentText(), Qt.ItemDataRole.EditRole)


class PropertyColumn(IntEnum):
    NAME = 0
    VALUE = 1
    SOURCE = 2
    CHANGED = 3
    WHY = 4


class PropertyTable(RowModel[Effective]):
    """One row a property; values can be edited. ``asked`` sends name and value wanted; an empty value is inherit."""

    asked = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent, key=lambda item: item.name, searched=_searched)
        self._pool_name = ""

    def show_properties(self, rows: Sequence[Effective], pool_name: str) -> None:
        """Show these properties; values change in place where the properties are the same."""
        self._pool_name = pool_name
        self.show_rows(rows)

    def keep_set(self, text: str, *, only_set: bool) -> None:
        """Show rows with all words of ``text``; with ``only_set`` without those at their default."""
        self.keep(text, lambda item: not only_set or item.source is not SettingSource.DEFAULT)

    def _make_columns(self) -> tuple[TableColumn[Effective], ...]:
        return (
            TableColumn(
                title=tell("Property"),
                text=lambda item: item.name,
                tip=lambda item: property_words(item.name),
                look=partial(_look, PropertyColumn.NAME),
            ),
            TableColumn(
                title=tell("Value"),
                text=_value,
                tip=_value,
                look=partial(_look, PropertyColumn.VALUE),
                write=self._write,
            ),
            TableColumn(
                title=tell("Source"), text=self._source, tip=self._source, look=partial(_look, PropertyColumn.SOURCE)
            ),
            TableColumn(
                title=tell("Default?"),
                text=self._changed,
                tip=self._default,
                look=partial(_look, PropertyColumn.CHANGED),
            ),
            TableColumn(
                title=tell("Why"), text=reason_words, tip=reason_words, look=partial(_look, PropertyColumn.WHY)
            ),
        )

    def _write(self, item: Effective, text: str) -> bool:
        """Ask for another value; an empty one asks to inherit."""
        wanted = text.strip()
        if wanted == item.value:
            return False
        self.asked.emit(item.name, wanted)
        return True

    def _source(self, item: Effective) -> str:
        return source_words(item, self._pool_name)

    def _changed(self, item: Effective) -> str:
        if item.default_value is None:
            return tell("none")
        return tell("changed") if item.changed else tell("default")

    def _default(self, item: Effective) -> str:
        if item.default_value is None:
            return self._changed(item)
        return tell("OpenZFS's default is {value}", value=item.default_value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyWords:
    """How a sheet of properties calls its parts; ``leave`` gives up a property's own value, ``example`` is typed."""

    table: str
    told: str
    typed: str
    leave: str
    leave_tip: str
    example: str


class PropertySheet(QWidget):
    """A table of properties with why the selected one has its value.

    ``property_asked`` carries a name and a value (empty: leave it), ``propose_asked`` asks for the rules' proposals,
    ``why_asked`` carries the property asked about, ``failed`` why a text cannot be read.
    """

    property_asked = Signal(str, str)
    propose_asked = Signal()
    why_asked = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        words: PropertyWords,
        delegate: ValueDelegate,
        samples: Mapping[PropertyColumn, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words, self.delegate = words, delegate
        delegate.setParent(self)
        self.table = PropertyTable(self)
        self.table.asked.connect(self.property_asked)
        self.view = self._make_view(samples)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(words.told)
        self.told.setMinimumHeight(2 * self.told.fontMetrics().lineSpacing())
        self.told.setAlignment(Qt.AlignmentFlag.AlignTop)
        tip = tell("Show where the value comes from and the rule behind it (Return)")
        self._change = lay.button(
            tell("Change"), self, self._on_change, icon="rename", tip=tell("Give it another value (F2)")
        )
        self._leave = lay.button(words.leave, self, self._on_leave, icon="undo", tip=words.leave_tip)
        self._why = lay.button(tell("Why?"), self, self._on_why, icon="unknown", tip=tip)
        tip = tell("Set again what the rules propose; what was typed stays")
        self.propose = lay.button(tell("Propose"), self, self.propose_asked, icon="recommendation", tip=tip)
        self.typed = QLineEdit(self)
        self.typed.setAccessibleName(words.typed)
        self.typed.setPlaceholderText(tell("name=value"))
        self.typed.returnPressed.connect(self._on_typed)
        foot = lay.row(self._change, self._leave, self._why, self.propose, (self.typed, 1))
        self.column = lay.column((self.view, 1), self.told, foot, of=self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room to the reasons where there is little: the source tells what is at its default as well."""
        super().resizeEvent(event)
        self.view.setColumnHidden(PropertyColumn.CHANGED, event.size().width() < _ROOMY_FROM)

    def _make_view(self, samples: Mapping[PropertyColumn, str]) -> QTableView:
        view = plain_table(self._words.table, self.table, self)
        view.setItemDelegateForColumn(PropertyColumn.VALUE, self.delegate)
        view.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        header = view.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, sample in samples.items():
            more = 6 * GRID if column is PropertyColumn.CHANGED else 3 * GRID  # with its icon
            view.setColumnWidth(column, view.fontMetrics().horizontalAdvance(tell(sample)) + more)
        view.setMinimumHeight(5 * ROW_HEIGHT)
        view.selectionModel().currentChanged.connect(self.show_selected)
        lay.action(tell("Change"), view, "F2", self._on_change)
        lay.action(self._words.leave, view, "Del", self._on_leave)
        view.activated.connect(self._on_why)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return view

    def current(self) -> Effective | None:
        index = self.view.currentIndex()
        return self.table.row(index.row()) if index.isValid() and index.row() < self.table.rowCount() else None

    def select(self, name: str) -> bool:
        row = self.table.line_of(name)
        if row is None:
            return False
        index = self.table.index(row, PropertyColumn.VALUE)
        if index != self.view.currentIndex():
            self.view.setCurrentIndex(index)
        return True

    def show_selected(self) -> None:
        """Tell why the selected property has its value, and allow what can be done with it."""
        item = self.current()
        self.told.setText("" if item is None else told_words(item))
        self._change.setEnabled(item is not None)
        self._why.setEnabled(item is not None)
        self._leave.setEnabled(item is not None and item.source is SettingSource.LOCAL)

    def typed_taken(self) -> None:
        """Empty the field for properties by name, whose text was taken."""
        self.typed.clear()

    def _on_change(self) -> None:
        index = self.view.currentIndex()
        if index.isValid():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.view.edit(QModelIndex(index.siblingAtColumn(PropertyColumn.VALUE)))

    def _on_leave(self) -> None:
        item = self.current()
        if item is not None and item.source is SettingSource.LOCAL:
            self.property_asked.emit(item.name, "")

    def _on_typed(self) -> None:
        typed = typed_property(self.typed.text())
        if typed is None:
            self.failed.emit(tell("Write a property as name=value, such as {example}.", example=self._words.example))
        else:
            self.property_asked.emit(*typed)

    def _on_why(self) -> None:
        item = self.current()
        if item is not None:
            self.why_asked.emit(item.name)


def typed_property(text: str) -> tuple[str, str] | None:
    """Return name and value of a property that is written ``name=value``; None for anything else."""
    name, sign, value = (part.strip() for part in text.partition("="))
    return (name, value) if name and sign and value else None


def _value(item: Effective) -> str:
    return item.value


def _searched(item: Effective) -> str:
    return f"{item.name} {item.value} {reason_words(item)}"


def _look(column: PropertyColumn, item: Effective, role: int) -> object:
    if role == Qt.ItemDataRole.FontRole and column in (PropertyColumn.NAME, PropertyColumn.VALUE):
        return text_font(semibold=item.source is SettingSource.LOCAL)
    if role == Qt.ItemDataRole.DecorationRole and column is PropertyColumn.CHANGED and item.changed:
        return icons.icon("rename", Tone.NOTE)
    return theme().colour(_tone(item, column)) if role == Qt.ItemDataRole.ForegroundRole else None


def _tone(item: Effective, column: PropertyColumn) -> Tone:
    if column is PropertyColumn.CHANGED:
        return Tone.NOTE if item.changed else Tone.MUTED
    if item.source is SettingSource.LOCAL:
        return Tone.TEXT
    if column is PropertyColumn.WHY or item.source is SettingSource.DEFAULT:
        return Tone.MUTED
    return Tone.TEXT


_SAMPLES = {
    PropertyColumn.NAME: "special_small_blo",
    PropertyColumn.VALUE: "standard",
    PropertyColumn.SOURCE: marked("inherited from tank"),
    PropertyColumn.CHANGED: "changed",
}


class DatasetProperties(PropertySheet):
    """The properties of the selected dataset, and a box to select another: ``chosen``."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        words = PropertyWords(
            table=tell("Properties of the dataset"),
            told=tell("Why the selected property has its value"),
            typed=tell("Set a property by name"),
            leave=tell("Inherit"),
            leave_tip=tell("Take the value of the dataset above, or the default (Delete)"),
            example="atime=off",
        )
        super().__init__(words, ValueDelegate(), _SAMPLES, parent)
        self.column.insertLayout(0, self._make_head())
        self.typed.setToolTip(tell("Set any property, also one of your own: com.example:owner=alice"))
        self.column.addWidget(Understood(self.typed, self._read_typed, self))

    def _make_head(self) -> QHBoxLayout:
        self.datasets = QComboBox(self)
        self.datasets.setAccessibleName(tell("Dataset whose properties are shown"))
        self.datasets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.datasets.setMinimumContentsLength(14)
        self.datasets.activated.connect(self._on_chosen)
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(tell("Filter the properties"))
        self._search.setAccessibleName(tell("Filter the properties"))
        self._search.setClearButtonEnabled(True)
        self._only_set = QCheckBox(tell("Only what is set"), self)
        self._only_set.setToolTip(tell("Leave out what nobody set here or above"))
        self._search.textChanged.connect(self._on_filter)
        self._only_set.toggled.connect(self._on_filter)
        return lay.row((self.datasets, 1), (self._search, 1), self._only_set)

    def show_dataset(
        self, name: str, rows: Sequence[Effective], *, pool_name: str, version: ZfsVersion, rules: bool
    ) -> None:
        """Show the properties of a dataset; ``rules`` tells whether there are any to propose."""
        self.datasets.setCurrentIndex(self.datasets.findData(name))
        self.delegate.version = version
        before = self.current()
        self.table.show_properties(rows, pool_name)
        if before is None or not self.select(before.name):
            self.view.setCurrentIndex(self.table.index(0, PropertyColumn.VALUE))
        self.propose.setEnabled(rules)
        self.show_selected()

    def show_names(self, names: Sequence[tuple[str, str]]) -> None:
        """Offer these datasets to choose from: name within the pool, and as it is shown."""
        if [self.datasets.itemData(n) for n in range(self.datasets.count())] == [name for name, _ in names]:
            return
        self.datasets.clear()
        for name, shown in names:
            self.datasets.addItem(shown, name)

    def keep_only_set(self, *, only: bool) -> None:
        """Leave out what nobody set, or show everything."""
        self._only_set.setChecked(only)

    def _on_chosen(self) -> None:
        self.chosen.emit(str(self.datasets.currentData()))

    def _on_filter(self) -> None:
        held = self.current()
        self.table.keep_set(self._search.text(), only_set=self._only_set.isChecked())
        if held is not None:
            self.select(held.name)
        self.show_selected()

    def _read_typed(self, text: str) -> str:
        """Return what a typed property means. Raises UserError."""
        typed = typed_property(text)
        if typed is None:
            return tell("a property is written name=value")
        name, value = typed
        size = size_words(name, value, self.delegate.version)
        return tell("{name}: {value}", name=name, value=size or value)
