"""What each volblocksize takes and wastes on the pool of a volume, as a table."""

from collections.abc import Callable, Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from poolwright.domain.units import KIB, binary
from poolwright.predict.volume_blocks import VolumeBlock
from poolwright.texts import tell
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import text_font


class BlockColumn(IntEnum):
    """The columns."""

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
            (
                tell("Stored at"),
                tell("Share of that which is data; behind “of” without padding and stripes"),
                stored,
            ),
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
