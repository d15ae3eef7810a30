"""What is said of one dataset: how much lies in it, its size, what it holds, and what follows from that."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from poolwright.advise.amounts import size_text
from poolwright.domain.design import Dataset
from poolwright.domain.read_back import size_read
from poolwright.domain.units import GB, TB, parse_size
from poolwright.texts import tell
from poolwright.ui.design.datasets.fields import HoldsChoice, SizeField, parse_data, read_data
from poolwright.ui.parts import lay
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.understood import Understood


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
        self.volume_size = SizeField(tell("Size of the volume"), _parse_size, _shown_volume, self)
        self.holds = HoldsChoice(tell("What the dataset holds"), self)
        self.holds.setToolTip(tell("Choosing one sets the properties that the rules propose for it"))
        self._size_label = QLabel(tell("Size"), self)
        self.notes = NoteLines(tell("What is to be said of the dataset"), self, most=1, small=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID)
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
        self._size_read = Understood(self.volume_size, _read_volume, self)
        grid.addWidget(Understood(self.data, read_data, self), 1, 0, 1, 2)
        grid.addWidget(self._size_read, 1, 2, 1, 4)
        grid.setVerticalSpacing(0)
        lay.column(grid, self.notes, of=self)
        self.data.entered.connect(self.data_entered)
        self.volume_size.entered.connect(self.size_entered)
        for entry in (self.data, self.volume_size):
            entry.failed.connect(self.failed)
        self.holds.chosen.connect(self.holds_chosen)

    def show_dataset(self, dataset: Dataset, notes: Sequence[tuple[str, Tone]]) -> None:
        """Show a dataset and what is to be said of it."""
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


def _read_volume(text: str) -> str:
    return tell("a volume of {text}", text=size_read(_parse_size(text)))


def _parse_size(text: str) -> int:
    return parse_size(text, what=tell("volume size"))
