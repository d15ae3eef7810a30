"""What a person may vary on the cards of support devices: working set, small blocks, counts of real data."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.design.roles.model import FileSizes, RoleChoices, SmallBlocks, counted_sizes
from poolwright.domain.block_counts import BlockCount
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import KIB, MIB
from poolwright.machine.zdb import read_block_count
from poolwright.texts import tell
from poolwright.ui.design.roles import words
from poolwright.ui.parts import lay
from poolwright.ui.parts.drop_ground import PasteField
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.theme import GRID

LIMITS = (0, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB)


class SpecialControls(QWidget):
    """The limit of each dataset, and the sizes of files somebody counted."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dataset = lay.named(QComboBox(self), tell("Dataset of the limit"))
        self.dataset.setMinimumHeight(4 * GRID)
        self.limit = ValueSlider(tell("special_small_blocks"), LIMITS, words.limit_text, self)
        self.paste = PasteField(
            tell("Paste zdb -Lbbbs or file sizes"),
            tell("Blocks or sizes of existing files"),
            tell("The output of zdb -Lbbbs POOL, or of find DIRECTORY -type f -printf '%s\\n'"),
            _read_counts,
            self,
        )
        lay.column(lay.row(self.dataset, (self.limit, 1)), self.paste, of=self, gap=GRID // 2)
        self._chosen: dict[str, int] = {}
        self._proposed: dict[str, int] = {}
        self._counted: FileSizes | BlockCount | None = None
        self.limit.changed.connect(self._on_limit)
        self.dataset.currentIndexChanged.connect(self._show_limit)
        self.paste.given.connect(self._on_counted)

    def show_blocks(self, blocks: tuple[SmallBlocks, ...]) -> None:
        """Show the datasets and the limits in force for them."""
        names = [block.dataset for block in blocks]
        self._proposed = {block.dataset: block.limit_bytes for block in blocks}
        self._chosen = {name: limit for name, limit in self._chosen.items() if name in self._proposed}
        if names != [self.dataset.itemData(n) for n in range(self.dataset.count())]:
            with QSignalBlocker(self.dataset):
                self.dataset.clear()
                for name in names:
                    self.dataset.addItem(name or tell("root dataset"), name)
        self.setVisible(bool(names))
        self.dataset.setVisible(len(names) > 1)
        self._show_limit()

    def apply(self, choices: RoleChoices) -> RoleChoices:
        counted = self._counted
        return replace(
            choices,
            small_blocks=tuple(sorted(self._chosen.items())),
            files=counted if isinstance(counted, FileSizes) else None,
            blocks=counted if isinstance(counted, BlockCount) else None,
        )

    def _show_limit(self) -> None:
        name = self.dataset.currentData()
        if name is not None:
            with QSignalBlocker(self.limit):
                self.limit.set_value(self._chosen.get(name, self._proposed.get(name, 0)))

    def _on_limit(self) -> None:
        name = self.dataset.currentData()
        if name is not None:
            self._chosen[name] = self.limit.value()
            self.changed.emit()

    def _on_counted(self, counted: object) -> None:
        self._counted = counted if isinstance(counted, FileSizes | BlockCount) else None
        self._chosen.clear()
        self.changed.emit()


def _read_counts(text: str) -> FileSizes | BlockCount:
    if "Block Size Histogram" in text:
        return read_block_count(text)
    sizes = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            if not line.strip().isdigit():
                raise UserError(
                    tell("Line {number} is no size of a file", number=number),
                    todo=tell("Paste one number of bytes a line."),
                )
            sizes.append(int(line))
    return counted_sizes(
        sizes, Origin(kind=OriginKind.READ, source=tell("{count} files that were pasted", count=len(sizes)))
    )
