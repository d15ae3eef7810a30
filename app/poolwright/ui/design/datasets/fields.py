"""Fields for what is said of a dataset: its name, what lies in it, its size, what it holds."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.read_back import size_read
from poolwright.domain.units import parse_size
from poolwright.domain.workload import Workload
from poolwright.rules.presets import PRESETS, Preset, preset
from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID

LINE_HEIGHT = 4 * GRID


def parse_data(text: str) -> int | None:
    """Return an amount of data in bytes, None for an empty text (unknown). Raises UserError."""
    return 0 if text.strip() == "0" else parse_size(text, what=tell("amount of data")) if text.strip() else None


def read_data(text: str) -> str:
    """Return in words what `parse_data` understands. Raises UserError."""
    return tell("data of {text}", text=size_read(parse_data(text) or 0))


class SizeField(QLineEdit):
    """A line of text that is read when it is left or Return is pressed.

    ``entered`` carries the value; ``failed`` why the text cannot be read, and then nothing is entered.
    """

    entered = Signal(object)
    failed = Signal(str)

    def __init__(
        self,
        name: str,
        parse: Callable[[str], object],
        shown: Callable[[object], str],
        parent: QWidget | None = None,
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
        """Return the workload of what is chosen."""
        chosen = self.preset()
        return None if chosen is None else _of(chosen)

    def show_workload(self, workload: Workload | None) -> None:
        """Show what a dataset holds; a workload that follows no preset is shown as its own."""
        row = 0 if workload is None else self.findData(workload.preset) if workload.preset else -1
        self.setCurrentIndex(row)

    def _on_activated(self) -> None:
        self.chosen.emit()


def _of(chosen: Preset) -> Workload:
    return replace(chosen.workload, preset=chosen.key)
