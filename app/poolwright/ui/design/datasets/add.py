"""The line in which a new filesystem or volume is described before it is added."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from poolwright.domain.design import Dataset
from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell
from poolwright.ui.design.datasets.fields import (
    LINE_HEIGHT,
    HoldsChoice,
    SizeField,
    parse_data,
    parse_volume,
    read_data,
    read_volume,
)
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.understood import Understood


class AddForm(QWidget):
    """Hidden until `begin`. ``wanted`` sends the `Dataset` described, ``left`` that somebody thought better of it."""

    wanted = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._volume = False
        grid = lay.grid(of=self, gap=(GRID, GRID // 2))
        self.name = QLineEdit(self)
        self.name.setAccessibleName(tell("Name of the new dataset"))
        self.name.setMinimumHeight(LINE_HEIGHT)
        self.name.setMaxLength(255)
        self.holds = HoldsChoice(tell("What the new dataset holds"), self)
        self.volume_size = SizeField(tell("Size of the new volume"), parse_volume, str, self)
        self.volume_size.setPlaceholderText(tell("such as 100 GiB"))
        self.data = SizeField(tell("Data in the new dataset"), parse_data, str, self)
        self.data.setPlaceholderText(tell("unknown"))
        self._size_label = QLabel(tell("Size"), self)
        fields: tuple[tuple[QLabel, QWidget], ...] = (
            (QLabel(tell("Name"), self), self.name),
            (QLabel(tell("Holds"), self), self.holds),
            (self._size_label, self.volume_size),
            (QLabel(tell("Data"), self), self.data),
        )
        for column, (label, field) in enumerate(fields):
            label.setBuddy(field)
            grid.addWidget(label, 0, column)
            grid.addWidget(field, 1, column)
            grid.setColumnStretch(column, 3 if column == 0 else 2)
        self._size_read = Understood(self.volume_size, read_volume, self, lines=2)
        grid.addWidget(self._size_read, 2, 0, 1, 2)
        grid.addWidget(Understood(self.data, read_data, self, lines=2), 2, 2, 1, 2)
        grid.addLayout(self._make_buttons(), 3, 0, 1, 4)
        self.hide()

    def _make_buttons(self) -> QHBoxLayout:
        self.problem = ToneLabel("", Tone.BLOCK, self, small=True)
        self.problem.setAccessibleName(tell("What is wrong with the new dataset"))
        self._add = lay.button(tell("Add"), self, self._on_add, icon="add")
        return lay.row((self.problem, 1), self._add, lay.button(tell("Cancel"), self, self.leave, icon="cancel"))

    def begin(self, *, volume: bool, name: str) -> None:
        """Ask for a filesystem or a volume, ``name`` to begin with."""
        self._volume = volume
        self.name.setText(name)
        self.volume_size.clear()
        self.data.clear()
        self.holds.show_workload(None)
        self.problem.setText("")
        self.volume_size.setVisible(volume)
        self._size_label.setVisible(volume)
        self._size_read.setVisible(volume)
        self._add.setText(tell("Add volume") if volume else tell("Add filesystem"))
        self.show()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.setCursorPosition(len(name))

    def complain(self, text: str) -> None:
        """Say why what is described cannot be added."""
        self.problem.setText(text)

    def leave(self) -> None:
        self.hide()
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._add_or_cancel_focused():
            self._on_add()
        else:
            super().keyPressEvent(event)

    def _add_or_cancel_focused(self) -> bool:
        return isinstance(self.focusWidget(), QPushButton)

    def _on_add(self) -> None:
        try:
            size, data = (self.volume_size.read() if self._volume else None), self.data.read()
        except PoolwrightError as error:
            self.complain(error.text)
            return
        dataset = Dataset(
            name=self.name.text().strip().strip("/"),
            volume_bytes=size if isinstance(size, int) else None,
            logical_bytes=data if isinstance(data, int) else None,
            workload=self.holds.workload(),
        )
        self.wanted.emit(dataset)
