"""A slider over a few values, with its name and the value in words."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSlider, QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID


class ValueSlider(QWidget):
    """``changed`` is sent when another value is chosen."""

    changed = Signal()

    def __init__(
        self, name: str, values: tuple[int, ...], text: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._values, self._text = values, text
        title = ToneLabel(name, parent=self, small=True)
        title.setWordWrap(False)
        self._told = QLabel(self)
        self._told.setAlignment(Qt.AlignmentFlag.AlignRight)
        head = lay.row(title, (self._told, 1))
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(name)
        self.slider.setRange(0, len(values) - 1)
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._on_moved)
        lay.column(head, self.slider, of=self, gap=GRID // 2)
        self._tell()

    def value(self) -> int:
        return self._values[self.slider.value()]

    def set_value(self, value: int) -> None:
        distances = [abs(known - value) for known in self._values]
        self.slider.setValue(distances.index(min(distances)))

    def offer(self, value: int) -> None:
        """Move to ``value``; where the slider has no such value yet, it gets one."""
        if value not in self._values:
            here = self.value()
            self._values = tuple(sorted((*self._values, value)))
            self.slider.blockSignals(True)  # the value stays, only its place moves
            self.slider.setRange(0, len(self._values) - 1)
            self.slider.setValue(self._values.index(here))
            self.slider.blockSignals(False)
        self.set_value(value)

    def _on_moved(self) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        told = self._text(self.value())
        self._told.setText(told)
        self.slider.setAccessibleDescription(told)
