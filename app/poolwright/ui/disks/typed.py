"""Disks typed by hand: the row in which they are typed, what it will add, and their place in an inventory."""

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inventory import Inventory, group_disks
from poolwright.domain.units import decimal, drive_size
from poolwright.machine.typed.read import read_typed
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Remark, RemarkLabel
from poolwright.ui.parts.theme import Tone


def with_planned(inventory: Inventory, typed: Inventory) -> tuple[Inventory, frozenset[str]]:
    """Return the inventory with the typed disks behind its own, and the keys they got."""
    taken = {disk.key for disk in inventory.disks}
    added: list[Disk] = []
    for disk in typed.disks:
        key = _free_key(disk.key, taken)
        taken.add(key)
        added.append(replace(disk, key=key))
    notes = inventory.notes + tuple(note for note in typed.notes if note not in inventory.notes)
    made = replace(inventory, disks=(*inventory.disks, *added), notes=notes)
    return made, frozenset(disk.key for disk in added)


def without_planned(inventory: Inventory, keys: Iterable[str]) -> Inventory:
    """Return the inventory without those of its planned disks; what was read of a machine always stays."""
    gone = frozenset(keys)
    return replace(inventory, disks=tuple(d for d in inventory.disks if not (d.planned and d.key in gone)))


def _free_key(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    stem, dash, number = wanted.rpartition("-")
    at = int(number) if dash and number.isdecimal() else 1
    stem = stem if dash and number.isdecimal() else wanted
    while f"{stem}-{at:02d}" in taken:
        at += 1
    return f"{stem}-{at:02d}"


class TypedDisks(QWidget):
    """Sends ``typed`` with an Inventory when Add or Enter is pressed and the text is understood.

    ``below`` is the line about the text; the page puts it where there is room for it.
    """

    typed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failed = False
        self.entry = QLineEdit(self)
        self.entry.setAccessibleName(tell("Type disks by hand"))
        self.entry.setPlaceholderText(tell("or type 12 x 16TB CMR SATA"))
        self.entry.setToolTip(
            tell(
                "Number x size, and what is known: 12 x 16TB CMR SATA shelf=1 model=ST16000NM001G read=250MB/s, "
                "2 x 960GB NVMe PLP. Groups follow behind a comma."
            )
        )
        self.entry.setClearButtonEnabled(True)
        self.entry.setAcceptDrops(False)
        self.entry.setMaxLength(2000)
        self.entry.textChanged.connect(self._on_text)
        self.entry.returnPressed.connect(self._on_add)
        self.add = lay.button(tell("Add disks"), self, self._on_add, icon="add")
        self.below = RemarkLabel(parent)
        self.below.name(tell("About the typed disks"))
        lay.row((self.entry, 1), self.add, of=self)
        self._on_text()

    def _on_text(self) -> None:
        self._failed = False
        text, inventory, said = self.entry.text(), None, ""
        if text.strip():
            try:
                inventory = read_typed([text])
                said = _preview(inventory)
            except PoolwrightError as error:
                said = error.text  # while somebody types, a text is unfinished rather than wrong; Enter makes it wrong
        self.add.setEnabled(inventory is not None)
        self._say(said)

    def _on_add(self) -> None:
        text = self.entry.text()
        if not text.strip():
            return
        try:
            inventory = read_typed([text], name=tell("shopping list"))
        except PoolwrightError as error:
            self._failed = True
            self._say(error.text)
        else:
            self.entry.clear()
            self.typed.emit(inventory)

    def _say(self, text: str) -> None:
        name, tone = ("block", Tone.BLOCK) if self._failed else ("note", Tone.MUTED)
        self.below.show_remark(Remark(text=text, tone=tone, icon=name))
        self.below.setToolTip(text)
        self.below.setVisible(bool(text))


def _preview(inventory: Inventory) -> str:
    groups = ", ".join(f"{len(g.disks)} × {drive_size(g.size_bytes)}" for g in group_disks(inventory.disks))
    total = sum(disk.size_bytes or 0 for disk in inventory.disks)
    assumed = "; ".join(note.text.partition(": ")[2] for note in inventory.notes)
    told = tell("{disks}: {size} raw", disks=groups, size=decimal(total))
    return f"{told}; {assumed}" if assumed else told
