"""The choice of a volume's block size, beside what each of them wastes on this pool."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.units import KIB
from poolwright.predict.volume_blocks import VOLUME_BLOCKS, volume_blocks
from poolwright.rules.dataset_facts import volume_block_bytes
from poolwright.texts import tell
from poolwright.ui.design.datasets.volume_block_table import VolumeBlockTable
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.theme import GRID, Tone

_ROW = 2 * GRID + 4
_FRAME = 4
_LEAST_ROWS = 3  # in a small window


class VolumeBlocksPane(QWidget):
    """Hidden but for volumes. ``chosen`` carries a volblocksize as it is written: ``64K``."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told: tuple[PoolCapacity, int | None] | None = None
        self.table = VolumeBlockTable(self)
        self.view = plain_table(tell("What each volblocksize wastes"), self.table, self, row_height=_ROW)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        self.view.doubleClicked.connect(self._on_use)
        self.view.verticalHeader().setMinimumSectionSize(_ROW)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._hint = ToneLabel(
            tell("Chosen when the volume is made, for ever."),
            Tone.MUTED,
            self,
            small=True,
        )
        self.use = lay.button(
            tell("Use this size"),
            self,
            self._on_use,
            icon="ok",
            tip=tell("Make the selected row the volblocksize of the volume"),
        )
        lay.column(self.view, lay.row((self._hint, 1), self.use), of=self, gap=GRID // 2)
        self.hide()

    def show_blocks(self, capacity: PoolCapacity | None, current: int | None) -> None:
        """Show what each size takes on a pool; ``current`` bytes are in force. Without a capacity there is no table."""
        self.setVisible(capacity is not None)
        if capacity is None or (capacity, current) == self._told:
            return
        self._told = (capacity, current)
        self.table.show_blocks(volume_blocks(capacity), current, volume_block_bytes(capacity.version))
        header = self.view.horizontalHeader().sizeHint().height()
        self.view.setMinimumHeight(header + _LEAST_ROWS * _ROW + _FRAME)
        self.view.setMaximumHeight(header + len(VOLUME_BLOCKS) * _ROW + _FRAME)
        row = self.table.row_in_force()
        if row is None:
            self.view.clearSelection()
        else:
            self.view.selectRow(row)
        self._on_selected()

    def _selected(self) -> int | None:
        rows = self.view.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def _on_selected(self) -> None:
        row = self._selected()
        self.use.setEnabled(row is not None and row != self.table.row_in_force())

    def _on_use(self) -> None:
        row = self._selected()
        if row is not None and row != self.table.row_in_force():
            self.chosen.emit(f"{self.table.block(row) // KIB}K")
