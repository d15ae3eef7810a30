"""What is said of a dataset in fields: how much lies in it, its size, what it holds."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

from poolwright.design.amounts import size_text
from poolwright.domain.design import Dataset
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.rates import size_read
from poolwright.domain.units import GB, TB, parse_size
from poolwright.domain.workload import Workload
from poolwright.rules.presets import PRESETS, preset
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID
from poolwright.ui.parts.understood import Understood

_LINE_HEIGHT = 4 * GRID


class SizeField(QLineEdit):
    """A line of text that is read when it is left or Return is pressed.

    ``entered`` carries the value; ``failed`` why the text cannot be read, and then nothing is entered.
    """

    entered = Signal(object)
    failed = Signal(str)

    def __init__(
        self, name: str, parse: Callable[[str], int | None], shown: Callable[[int], str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumHeight(_LINE_HEIGHT)
        self.setMaxLength(300)
        self._parse, self._shown = parse, shown
        self._value: int | None = None
        self.editingFinished.connect(self._on_finished)

    def show_value(self, value: int | None) -> None:
        """Show a value; a text that means the same stays as it was typed."""
        if value != self._value or not self.isModified():
            self._value = value
            self.setText("" if value is None else self._shown(value))
        self.setModified(False)

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        try:
            value = self._parse(self.text())
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return
        self.setModified(False)
        if value != self._value:
            self._value = value
            self.entered.emit(value)


class HoldsChoice(QComboBox):
    """What a dataset holds: a preset, or whatever the pool is for."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumHeight(_LINE_HEIGHT)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.setPlaceholderText(tell("A workload of its own"))
        self.addItem(tell("As the pool"), None)
        for known in PRESETS:
            self.addItem(tell(known.title), known.key)
            self.setItemData(self.count() - 1, tell(known.summary), Qt.ItemDataRole.ToolTipRole)

    def workload(self) -> Workload | None:
        chosen = preset(self.currentData())
        return None if chosen is None else replace(chosen.workload, preset=chosen.key)

    def show_workload(self, workload: Workload | None) -> None:
        """Show what a dataset holds; a workload that follows no preset is shown as its own."""
        row = 0 if workload is None else self.findData(workload.preset) if workload.preset else -1
        self.setCurrentIndex(row)


class DatasetFields(QWidget):
    """Data, size of a volume and what it holds, side by side; below, what was understood of the sizes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.data = SizeField(tell("Data in the dataset"), _parse_data, _size_shown, self)
        self.data.setPlaceholderText(tell("unknown"))
        self.data.setToolTip(tell("What programs will write, before compression: 2 TiB, 500 GB, 0"))
        self.volume_size = SizeField(tell("Size of the volume"), _parse_volume, _volume_shown, self)
        self.holds = HoldsChoice(tell("What the dataset holds"), self)
        self.holds.setToolTip(tell("Choosing one sets the properties that the rules propose for it"))
        size_label = QLabel(tell("Size"), self)
        size_read_ = Understood(self.volume_size, _read_volume, self)
        grid = lay.grid(of=self, gap=(GRID, 0))
        labels = (QLabel(tell("Data"), self), size_label, QLabel(tell("Holds"), self))
        for number, (label, field) in enumerate(zip(labels, (self.data, self.volume_size, self.holds), strict=True)):
            label.setBuddy(field)
            grid.addWidget(label, 0, 2 * number)
            grid.addWidget(field, 0, 2 * number + 1)
            grid.setColumnStretch(2 * number + 1, 1)
        grid.addWidget(Understood(self.data, _read_data, self), 1, 0, 1, 2)
        grid.addWidget(size_read_, 1, 2, 1, 4)
        self._of_volume = (size_label, self.volume_size, size_read_)

    def show_dataset(self, dataset: Dataset) -> None:
        self.data.show_value(dataset.logical_bytes)
        self.volume_size.show_value(dataset.volume_bytes)
        self.holds.show_workload(dataset.workload)
        for part in self._of_volume:
            part.setVisible(dataset.volume_bytes is not None)


def _parse_data(text: str) -> int | None:
    """Return an amount of data in bytes, None for an empty text (unknown). Raises UserError."""
    return 0 if text.strip() == "0" else parse_size(text, what=tell("amount of data")) if text.strip() else None


def _read_data(text: str) -> str:
    return tell("data of {text}", text=size_read(_parse_data(text) or 0))


def _parse_volume(text: str) -> int:
    return parse_size(text, what=tell("volume size"))


def _read_volume(text: str) -> str:
    return tell("a volume of {text}", text=size_read(_parse_volume(text)))


def _size_shown(value: int) -> str:
    return "0" if value == 0 else size_text(value)


def _volume_shown(value: int) -> str:
    """Return the size that a person types for a volume; one that was rounded up to whole blocks as what was typed."""
    for unit, name in ((TB, "TB"), (GB, "GB")):
        typed = value // unit * unit
        blocks = (1 << exponent for exponent in range(9, 25))
        if typed and typed != value and any(-(-typed // block) * block == value for block in blocks):
            return f"{typed // unit} {name}"
    return _size_shown(value)
