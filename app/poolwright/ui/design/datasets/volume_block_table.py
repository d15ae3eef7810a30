"""What each volblocksize takes and wastes on the pool of a volume, as a table."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QObject, Qt

from poolwright.domain.units import KIB, binary
from poolwright.predict.volume_blocks import VolumeBlock
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import text_font
from poolwright.ui.synclog.tables import TextTable


class BlockColumn(IntEnum):
    """The columns."""

    BLOCK = 0
    TAKES = 1
    STORED = 2
    WASTED = 3
    RESERVES = 4


class VolumeBlockTable(TextTable):
    """A row for each usual volblocksize, the one in force in bold."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), 1, parent)
        self._headings = (
            ("volblocksize", self.tr("The size of the volume's blocks; it cannot be changed later")),
            (self.tr("A block takes"), self.tr("Of all disks, parity and padding included; nothing is compressed")),
            (self.tr("Stored at"), self.tr("Share of that which is data; behind “of” without padding and stripes")),
            (self.tr("Wasted"), self.tr("Lost to padding and stripes, beyond the layout's own parity or copies")),
            (self.tr("1 TiB reserves"), self.tr("What a volume of 1 TiB that is not sparse sets aside")),
        )
        self._blocks: tuple[VolumeBlock, ...] = ()
        self._current: int | None = None

    def show_blocks(self, blocks: Sequence[VolumeBlock], current: int | None, usual: int) -> None:
        """Show these; ``current`` is in force on the volume, ``usual`` OpenZFS's default."""
        self.beginResetModel()
        self._blocks, self._current = tuple(blocks), current
        self.cells = tuple(self._cells(block, usual) for block in blocks)
        self.endResetModel()

    def block(self, row: int) -> int:
        """Return the block size of a row, in bytes."""
        return self._blocks[row].block_bytes

    def row_in_force(self) -> int | None:
        """Return the row of the block size in force, None where it is no usual one."""
        return next((row for row, block in enumerate(self._blocks) if block.block_bytes == self._current), None)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if role == Qt.ItemDataRole.FontRole and index.row() == self.row_in_force():
            return text_font(semibold=True)
        return super().data(index, role)

    def _cells(self, block: VolumeBlock, usual: int) -> tuple[str, ...]:
        name = self.tr("{size}K, default") if block.block_bytes == usual else "{size}K"
        stored = self.tr("{share:.0f} % of {nominal:.0f} %")
        return (
            name.format(size=block.block_bytes // KIB),
            binary(block.disk_bytes),
            stored.format(share=100 * block.efficiency, nominal=100 * block.nominal),
            f"{100 * block.waste:.0f} %",
            binary(block.reserved_bytes),
        )
