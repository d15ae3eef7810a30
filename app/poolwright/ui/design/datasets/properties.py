"""Every property in force on one dataset, with its reason; values are changed here."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from poolwright.domain.inheritance import Effective
from poolwright.domain.version import ZfsVersion
from poolwright.texts import marked, tell
from poolwright.ui.design.datasets.property_sheet import (
    PropertyColumn,
    PropertySheet,
    PropertyWords,
    ValueDelegate,
    size_words,
    typed_property,
)
from poolwright.ui.parts import lay
from poolwright.ui.parts.understood import Understood

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
