"""The choice of a volume's block size, beside what each of them takes and wastes on this pool."""

from collections.abc import Callable, Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.units import KIB, binary
from poolwright.predict.volume_blocks import VOLUME_BLOCKS, VolumeBlock, volume_blocks
from poolwright.rules.dataset_facts import volume_block_bytes
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, Tone, text_font

_ROW = 2 * GRID + 4
_FRAME = 4
_LEAST_ROWS = 3  # in a small window


class BlockColumn(IntEnum):
    BLOCK = 0
    TAKES = 1
    STORED = 2
    WASTED = 3
    RESERVES = 4


class VolumeBlockTable(RowModel[VolumeBlock]):
    """A row for each usual volblocksize, the one in force in bold."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent)
        self._current: int | None = None

    def show_blocks(self, blocks: Sequence[VolumeBlock], current: int | None, usual: int) -> None:
        """Show these; ``current`` is in force on the volume, ``usual`` OpenZFS's default."""
        self._current = current
        self.show_rows(blocks, self._make_columns(usual))

    def block(self, row: int) -> int:
        """Return the block size of a row, in bytes."""
        return self.row(row).block_bytes

    def row_in_force(self) -> int | None:
        """Return the row of the block size in force, None where it is no usual one."""
        return next((row for row, block in enumerate(self.rows) if block.block_bytes == self._current), None)

    def _make_columns(self, usual: int) -> tuple[TableColumn[VolumeBlock], ...]:
        def size(block: VolumeBlock) -> str:
            name = tell("{size}K, default") if block.block_bytes == usual else "{size}K"
            return name.format(size=block.block_bytes // KIB)

        def stored(block: VolumeBlock) -> str:
            words = tell("{share:.0f} % of {nominal:.0f} %")
            return words.format(share=100 * block.efficiency, nominal=100 * block.nominal)

        told: tuple[tuple[str, str, Callable[[VolumeBlock], str]], ...] = (
            ("volblocksize", tell("The size of the volume's blocks; it cannot be changed later"), size),
            (
                tell("A block takes"),
                tell("Of all disks, parity and padding included; nothing is compressed"),
                lambda block: binary(block.disk_bytes),
            ),
            (tell("Stored at"), tell("Share of that which is data; behind “of” without padding and stripes"), stored),
            (
                tell("Wasted"),
                tell("Lost to padding and stripes, beyond the layout's own parity or copies"),
                lambda block: f"{100 * block.waste:.0f} %",
            ),
            (
                tell("1 TiB reserves"),
                tell("What a volume of 1 TiB that is not sparse sets aside"),
                lambda block: binary(block.reserved_bytes),
            ),
        )
        return tuple(
            TableColumn(title=title, meaning=meaning, text=text, look=self._look, number=bool(number))
            for number, (title, meaning, text) in enumerate(told)
        )

    def _look(self, block: VolumeBlock, role: int) -> object:
        in_force = role == Qt.ItemDataRole.FontRole and block.block_bytes == self._current
        return text_font(semibold=True) if in_force else None


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
        self._hint = ToneLabel(tell("Chosen when the volume is made, for ever."), Tone.MUTED, self, small=True)
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
