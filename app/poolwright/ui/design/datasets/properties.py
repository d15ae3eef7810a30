"""Every property in force on one dataset, with its reason; values are changed here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_properties import ValueKind, dataset_properties, entered_bytes, value_problem
from poolwright.domain.design import Design, Setting
from poolwright.domain.encryption import encryption_problems
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.rates import size_read
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.texts import _
from poolwright.ui.design.datasets.tree import explanation, full_name, property_words, reason_words, source_words
from poolwright.ui.parts import widgets
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.parts.form import Field, FormDialog, Remark, Typed, Understood
from poolwright.ui.parts.table import KEY_ROLE, ROW_HEIGHT, Index, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.state.session import Session

# What the properties of datasets and of pools have in common: table, editors, keys, buttons and field.

_BLOCKS = ("4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "4M", "16M")
_MOST_WORDS = 60
_VALUE_WIDTH = 11 * GRID  # room to choose and type in


def size_words(name: str, text: str, version: ZfsVersion) -> str:
    """Return what a typed value means as a size; empty where it is none. Raises UserError."""
    size = entered_bytes(name, text, version)
    return size_read(size) if size else ""


class ValueDelegate(QStyledItemDelegate):
    """Edits a value in a box with those that OpenZFS takes; others can be typed.

    ``read`` sends what a typed value means, and whether it can be read.
    """

    read = Signal(str, bool)

    version: ZfsVersion = DEFAULT_VERSION

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        name = str(index.data(KEY_ROLE))
        box = widgets.named(QComboBox(parent), _("Value of {name}", name=name))
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(list(self.words_for(name)[:_MOST_WORDS]))
        box.setObjectName(name)
        box.editTextChanged.connect(self._on_edited)
        return box

    def _on_edited(self, text: str) -> None:
        try:
            words = self.words_of(self.sender().objectName(), text)
        except PoolwrightError as error:
            self.read.emit(error.text, False)
        else:
            self.read.emit(f"= {words}" if words else "", True)

    def words_for(self, name: str) -> tuple[str, ...]:
        known = dataset_properties(self.version).get(name)
        if known is None:
            return ()
        if known.kind is ValueKind.BLOCK:
            return (("0",) if name == "special_small_blocks" else ()) + _BLOCKS
        return ("none",) if known.kind is ValueKind.SPACE else known.words

    def words_of(self, name: str, text: str) -> str:
        """Return what a typed value means as a size; empty where it is none. Raises UserError."""
        return size_words(name, text, self.version)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentText(str(index.data(Qt.ItemDataRole.EditRole)))
            line = editor.lineEdit()
            if line is not None:
                line.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(model.index(index.row(), index.column()), editor.currentText(), Qt.ItemDataRole.EditRole)


class PropertyColumn(IntEnum):
    NAME = 0
    VALUE = 1
    SOURCE = 2
    WHY = 3


_Text = Callable[[Effective], str]


class PropertyTable(RowModel[Effective]):
    """One row a property; values can be edited. ``asked`` sends name and value wanted; an empty value is inherit."""

    asked = Signal(str, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(self._make_columns(), parent, key=lambda item: item.name, searched=_searched)
        self.pool_name = ""

    def show_properties(self, rows: Sequence[Effective], pool_name: str) -> None:
        self.pool_name = pool_name
        self.show_rows(rows)

    def _make_columns(self) -> tuple[TableColumn[Effective], ...]:
        columns: tuple[tuple[str, _Text, _Text], ...] = (
            (_("Property"), lambda item: item.name, lambda item: property_words(item.name)),
            (_("Value"), lambda item: item.value, lambda item: item.value),
            (_("Source"), self._source, self._source),
            (_("Why"), reason_words, reason_words),
        )
        writes = {PropertyColumn.VALUE: self._write}
        return tuple(
            TableColumn(title=title, text=text, tip=tip, look=partial(_look, column), write=writes.get(column))
            for column, (title, text, tip) in zip(PropertyColumn, columns, strict=True)
        )

    def _write(self, item: Effective, text: str) -> bool:
        wanted = text.strip()
        if wanted == item.value:
            return False
        self.asked.emit(item.name, wanted)
        return True

    def _source(self, item: Effective) -> str:
        return source_words(item, self.pool_name)


def _searched(item: Effective) -> str:
    return f"{item.name} {item.value} {reason_words(item)}"


def _look(column: PropertyColumn, item: Effective, role: int) -> object:
    if role == Qt.ItemDataRole.FontRole and column in (PropertyColumn.NAME, PropertyColumn.VALUE):
        return text_font(SMALL_POINTS, semibold=item.source is SettingSource.LOCAL)
    return theme().colour(_tone(item, column)) if role == Qt.ItemDataRole.ForegroundRole else None


def _tone(item: Effective, column: PropertyColumn) -> Tone:
    if item.source is not SettingSource.LOCAL and (
        column is PropertyColumn.WHY or item.source is SettingSource.DEFAULT
    ):
        return Tone.MUTED
    return Tone.TEXT


class PropertySheet(QWidget):
    """A table of properties with why the selected one has its value.

    ``property_asked`` carries a name and a value (empty: leave it), ``failed`` why a text cannot be read; ``propose``
    is the button for what the rules recommend.
    """

    property_asked = Signal(str, str)
    failed = Signal(str)
    example: ClassVar[str]  # of a property by name
    dataset = ""  # whose properties they are; empty is the root, or the pool itself

    def __init__(
        self, session: Session, table: str, leave: str, leave_tip: str, delegate: ValueDelegate, parent: QWidget
    ) -> None:
        """Call the table and the button that gives up a property's own value so."""
        super().__init__(parent)
        self.session = session
        self.delegate = delegate
        delegate.setParent(self)
        delegate.read.connect(self._on_read)
        delegate.closeEditor.connect(self._on_closed)
        self.table = PropertyTable(self)
        self.table.asked.connect(self.property_asked)
        self.view = self._make_view(table, leave)
        self.explanation = widgets.named(ToneLabel("", Tone.TEXT, self), _("Why the selected property has its value"))
        self.explanation.setMinimumHeight(2 * self.explanation.fontMetrics().lineSpacing())
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._change = widgets.button(_("Edit"), self, self._on_change, icon="rename", tip="F2")
        self._leave = widgets.button(leave, self, self._on_leave, icon="undo", tip=leave_tip)
        why_tip = _("Where the value comes from, and the rule behind it (Return)")
        self._why = widgets.button(_("Why?"), self, self._on_why, icon="unknown", tip=why_tip)
        tip = _("Set what the rules recommend; what was typed stays")
        self.propose = widgets.button(_("Use recommended"), self, icon="recommendation", tip=tip)
        self.typed = widgets.named(QLineEdit(self), _("Set a property by name"))
        self.typed.setPlaceholderText(_("name=value"))
        self.typed.returnPressed.connect(self._on_typed)
        foot = widgets.row(self._change, self._leave, self._why, self.propose, (self.typed, 1), gap=GRID // 2)
        self.column = widgets.column((self.view, 1), self.explanation, foot, of=self)

    def _make_view(self, name: str, leave: str) -> QTableView:
        view = plain_table(name, self.table, self, wrapped=PropertyColumn.WHY)
        view.setItemDelegateForColumn(PropertyColumn.VALUE, self.delegate)
        view.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        header = view.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(PropertyColumn.VALUE, QHeaderView.ResizeMode.Interactive)
        view.setColumnWidth(PropertyColumn.VALUE, _VALUE_WIDTH)
        view.setMinimumHeight(5 * ROW_HEIGHT)
        view.selectionModel().currentChanged.connect(self.show_selected)
        widgets.action(_("Edit"), view, "F2", self._on_change)
        widgets.action(leave, view, "Del", self._on_leave)
        view.activated.connect(self._on_why)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return view

    def current(self) -> Effective | None:
        return self.table.at(self.view.currentIndex())

    def select(self, name: str) -> bool:
        row = self.table.line_of(name)
        if row is None:
            return False
        index = self.table.index(row, PropertyColumn.VALUE)
        if index != self.view.currentIndex():
            self.view.setCurrentIndex(index)
        return True

    def show_selected(self) -> None:
        item = self.current()
        self.explanation.setText("" if item is None else explanation(item))
        self.explanation.set_tone(Tone.TEXT)
        self._change.setEnabled(item is not None)
        self._why.setEnabled(item is not None)
        self._leave.setEnabled(item is not None and item.source is SettingSource.LOCAL)

    def complain(self, text: str) -> None:
        """Say why nothing was done, where the reasons of the selected property stand again with the next step."""
        self.explanation.setText(text)
        self.explanation.set_tone(Tone.BLOCK)

    def _on_read(self, text: str, fine: bool) -> None:
        self.explanation.setText(text)
        self.explanation.set_tone(Tone.MUTED if fine else Tone.WARN)

    def _on_closed(self, _editor: QWidget, why: QStyledItemDelegate.EndEditHint) -> None:
        if why is QStyledItemDelegate.EndEditHint.RevertModelCache:
            self.show_selected()

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
            self.failed.emit(_("Write a property as name=value, such as {example}.", example=self.example))
        else:
            self.property_asked.emit(*typed)

    def _on_why(self) -> None:
        item = self.current()
        if item is not None:
            _show_property(item, self.dataset, self.table.pool_name, self)


def typed_property(text: str) -> tuple[str, str] | None:
    """Return name and value of a property that is written ``name=value``; None for anything else."""
    name, sign, value = (part.strip() for part in text.partition("="))
    return (name, value) if name and sign and value else None


def _show_property(item: Effective, where: str, pool_name: str, parent: QWidget) -> None:
    """Open “Why?” of a property: what it does, where its value comes from, and the rule that proposed it."""
    by_default = item.source is SettingSource.DEFAULT
    nobody = _("It is not set here or above, and no rule recommends another value.")
    parts = (
        (_("What it does"), property_words(item.name)),
        (full_name(pool_name, where), source_words(item, pool_name)),
        (_("Why"), item.reason or (nobody if by_default else _("It was set by hand."))),
        (_("OpenZFS's default"), item.default_value or ""),
        (_("When"), _("Set at creation; cannot be changed later.") if item.fixed else ""),
    )
    WhyDialog(f"{item.name}={item.value}", parent, parts, item.rule_id or "")


class DatasetProperties(PropertySheet):
    """The properties of the selected dataset, and a box to select another: ``chosen``."""

    chosen = Signal(str)
    example = "atime=off"

    def __init__(self, session: Session, parent: QWidget) -> None:
        tip = _("Take the value of the dataset above, or the default (Delete)")
        super().__init__(session, _("Properties"), _("Inherit"), tip, ValueDelegate(), parent)
        self.datasets = ChoiceBox(self, _("Dataset whose properties are shown"), self._on_chosen, letters=14)
        title = _("Filter the properties")
        self._search = widgets.search_line(self, title, title, self._on_filter)
        self.only_set = QCheckBox(_("Only what is set"), self)
        self.only_set.toggled.connect(self._on_filter)
        self.column.insertLayout(0, widgets.row((self.datasets, 1), (self._search, 1), self.only_set))
        self.typed.setToolTip(_("Any property, user properties too: com.example:owner=alice"))
        self.column.addWidget(Understood(self.typed, self._read_typed, self))

    def show_dataset(self, name: str, rows: Sequence[Effective], pool: Design) -> None:
        self.dataset = name
        self.datasets.setCurrentIndex(self.datasets.findData(name))
        self.delegate.version = pool.version
        before = self.current()
        self.table.show_properties(rows, pool.pool_name)
        if before is None or not self.select(before.name):
            self.view.setCurrentIndex(self.table.index(0, PropertyColumn.VALUE))
        self.show_selected()

    def show_names(self, pool_name: str, names: Sequence[str]) -> None:
        self.datasets.offer(((full_name(pool_name, name), name) for name in names), self.datasets.currentData())

    def _on_chosen(self, number: int) -> None:
        self.chosen.emit(str(self.datasets.itemData(number)))

    def _on_filter(self) -> None:
        held, only = self.current(), self.only_set.isChecked()
        self.table.keep(self._search.text(), lambda item: not only or item.source is not SettingSource.DEFAULT)
        if held is not None:
            self.select(held.name)
        self.show_selected()

    def _read_typed(self, text: str) -> str:
        """Return what a typed property means. Raises UserError."""
        typed = typed_property(text)
        return "" if typed is None else size_words(*typed, self.delegate.version) or typed[1]


# Asks for the key of a dataset that is to be encrypted, and says what must be kept for ever.

Settings = tuple[Setting, ...]
_WIDTH = 28 * GRID


def _path(text: str) -> str:
    path = text.strip().removeprefix("file://")
    if not path.startswith("/"):
        raise UserError(_("Enter the full path of the file on the pool's machine, beginning with /."))
    return path


class KeyDialog(FormDialog):
    """Asks for key format and key location of the dataset ``name``, whose encryption is ``cipher``."""

    def __init__(self, pool: Design, name: str, cipher: str, parent: QWidget) -> None:
        where = full_name(pool.pool_name, name)
        super().__init__(_("Key of {name}", name=where), parent)
        self._pool, self._name, self._cipher = pool, name, cipher
        self._proposed = f"/etc/zfs/keys/{where.replace('/', '-')}.key"
        formats = (
            ("passphrase", _("Passphrase")),
            ("raw", _("Raw key, 32 bytes in a file")),
            ("hex", _("Hex key, 64 digits")),
        )
        self._empty = _("empty: entered at each boot")
        self.show_fields(
            Field("format", _("Key"), formats, width=_WIDTH),
            Field("file", _("Key file"), Typed(_path), empty=self._empty, longest=300, width=_WIDTH),
        )
        self.form.edited.connect(self._on_edited)

    def value(self) -> Settings:
        path = self.form.value("file")
        location = f"file://{path}" if path else "prompt"
        values = (("encryption", self._cipher), ("keyformat", self.form.value("format")), ("keylocation", location))
        return tuple(Setting(name=name, value=str(value)) for name, value in values)

    def outcome(self) -> tuple[str, bool]:
        problem, path = self._problem(), self.form.value("file")
        kept = _("Create {path} yourself and keep two copies off this machine; the script checks it.")
        lost = _("Without the key the data are lost: it cannot be reset.")
        lines = (lost, kept.format(path=path) if path else "", problem)
        return "\n".join(line for line in lines if line), not problem

    def _problem(self) -> str:
        """Return why OpenZFS would refuse the settings; empty where it takes them."""
        pool, settings = self._pool, self.value()
        volume = any(d.name == self._name and d.volume_bytes is not None for d in pool.datasets)
        values = (value_problem(s.name, s.value, pool.version, volume=volume) for s in settings)
        trial = replace(pool, datasets=edits.set_properties(pool.datasets, self._name, settings))
        return next((text for text in (*values, *encryption_problems(trial)) if text), "")

    def _on_edited(self, key: str, value: object) -> None:
        if key == "format" and value == "raw" and self.form.value("file") is None and not self.form.unread():
            self.form.editor("file").show_value(self._proposed, Remark(text=""), self._empty)
            self.tell()
