"""Every property in force on one dataset, with its reason; values are changed here."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QWidget,
)

from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.version import ZfsVersion
from poolwright.texts import marked, tell
from poolwright.ui.design.datasets.delegate import ValueDelegate, size_words
from poolwright.ui.design.datasets.property_parts import (
    PropertyVerbs,
    give_keys,
    property_buttons,
    property_view,
    typed_property,
)
from poolwright.ui.design.datasets.property_table import PropertyColumn, PropertyTable
from poolwright.ui.design.datasets.words import told_words
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import ROW_HEIGHT
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.understood import Understood

_WIDTHS = {
    PropertyColumn.NAME: ("special_small_blo", 3 * GRID),
    PropertyColumn.VALUE: ("standard", 3 * GRID),
    PropertyColumn.SOURCE: (marked("inherited from tank"), 2 * GRID),
    PropertyColumn.CHANGED: ("changed", 6 * GRID),  # with its icon
}


class DatasetProperties(QWidget):
    """The properties of the selected dataset, and a box to select another.

    ``property_asked`` carries a name and a value (empty: inherit), ``propose_asked`` asks for the rules' proposals,
    ``why_asked`` carries the property asked about, ``chosen`` another dataset, ``failed`` why a text cannot be read.
    """

    property_asked = Signal(str, str)
    propose_asked = Signal()
    why_asked = Signal(str)
    chosen = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = PropertyTable(self)
        column = lay.column(self._make_head(), of=self)
        self.view = self._make_view()
        column.addWidget(self.view, 1)
        self.told = ToneLabel("", Tone.MUTED, self, small=True)
        self.told.setAccessibleName(tell("Why the selected property has its value"))
        self.told.setMinimumHeight(2 * self.told.fontMetrics().lineSpacing())
        self.told.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.told)
        column.addLayout(self._make_foot())
        column.addWidget(self._understood)
        self.table.asked.connect(self.property_asked)

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

    def _make_foot(self) -> QHBoxLayout:
        self._typed = QLineEdit(self)
        self._typed.setAccessibleName(tell("Set a property by name"))
        self._typed.setPlaceholderText(tell("name=value"))
        self._typed.setToolTip(tell("Set any property, also one of your own: com.example:owner=alice"))
        self._typed.returnPressed.connect(self._on_typed)
        self._understood = Understood(self._typed, self._read_typed, self)
        self._change, self._inherit, self._why, self._propose = property_buttons(
            self._verbs(), self.propose_asked, self
        )
        row = lay.row()
        for button in (self._change, self._inherit, self._why, self._propose):
            row.addWidget(button)
        row.addWidget(self._typed, 1)
        return row

    def _verbs(self) -> PropertyVerbs:
        return PropertyVerbs(
            change=self._on_change,
            leave=self._on_inherit,
            why=self._on_why,
            leave_text=tell("Inherit"),
            leave_tip=tell("Take the value of the dataset above, or the default (Delete)"),
        )

    def _make_view(self) -> QTableView:
        self._delegate = ValueDelegate(self)
        view = property_view(tell("Properties of the dataset"), self.table, self._delegate, _WIDTHS, self)
        view.setMinimumHeight(5 * ROW_HEIGHT)
        view.selectionModel().currentChanged.connect(self._on_selected)
        give_keys(view, self._verbs())
        return view

    def show_dataset(
        self, name: str, rows: Sequence[Effective], *, pool_name: str, version: ZfsVersion, rules: bool
    ) -> None:
        """Show the properties of a dataset; ``rules`` tells whether there are any to propose."""
        self.datasets.setCurrentIndex(self.datasets.findData(name))
        self._delegate.version = version
        before = self.current()
        self.table.show_properties(rows, pool_name)
        if before is None or not self.select(before.name):
            self.view.setCurrentIndex(self.table.index(0, PropertyColumn.VALUE))
        self._propose.setEnabled(rules)
        self._on_selected()

    def show_names(self, names: Sequence[tuple[str, str]]) -> None:
        """Offer these datasets to choose from: name within the pool, and as it is shown."""
        if [self.datasets.itemData(n) for n in range(self.datasets.count())] == [name for name, _ in names]:
            return
        self.datasets.clear()
        for name, shown in names:
            self.datasets.addItem(shown, name)

    def select(self, name: str) -> bool:
        """Select a property, and tell whether the filter shows it."""
        row = self.table.line_of(name)
        if row is None:
            return False
        index = self.table.index(row, PropertyColumn.VALUE)
        if index != self.view.currentIndex():
            self.view.setCurrentIndex(index)
        return True

    def current(self) -> Effective | None:
        """Return the selected property."""
        index = self.view.currentIndex()
        return self.table.row(index.row()) if index.isValid() else None

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
        self._on_selected()

    def _on_selected(self) -> None:
        item = self.current()
        self.told.setText("" if item is None else told_words(item))
        self._change.setEnabled(item is not None)
        self._why.setEnabled(item is not None)
        self._inherit.setEnabled(item is not None and item.source is SettingSource.LOCAL)

    def _on_change(self) -> None:
        index = self.view.currentIndex()
        if index.isValid():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.view.edit(QModelIndex(index.siblingAtColumn(PropertyColumn.VALUE)))

    def _on_inherit(self) -> None:
        item = self.current()
        if item is not None and item.source is SettingSource.LOCAL:
            self.property_asked.emit(item.name, "")

    def _on_typed(self) -> None:
        typed = typed_property(self._typed.text())
        if typed is None:
            self.failed.emit(tell("Write a property as name=value, such as atime=off."))
            return
        self.property_asked.emit(*typed)

    def _read_typed(self, text: str) -> str:
        """Return what a typed property means. Raises UserError."""
        typed = typed_property(text)
        if typed is None:
            return tell("a property is written name=value")
        name, value = typed
        size = size_words(name, value, self._delegate.version)
        return tell("{name}: {value}", name=name, value=size or value)

    def typed_taken(self) -> None:
        """Empty the field for properties by name, whose text was taken."""
        self._typed.clear()

    def _on_why(self) -> None:
        item = self.current()
        if item is not None:
            self.why_asked.emit(item.name)
