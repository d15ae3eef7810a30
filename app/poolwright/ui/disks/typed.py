"""The row in which disks are typed by hand: what it will add, or what is wrong with it, stands below while typing."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inventory import Inventory, group_disks
from poolwright.domain.units import decimal, drive_size
from poolwright.inventory.typed.read import read_typed
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import Tone


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
        self.add = lay.button(tell("Add disks"), self, icon="add")
        self.add.setEnabled(False)
        self.add.clicked.connect(self._on_add)
        self.below = QWidget(parent)
        self._mark = Mark("note", self.below, size=icons.SMALL)
        self.hint = ToneLabel("", Tone.MUTED, self.below, small=True)
        self.hint.setAccessibleName(tell("About the typed disks"))
        lay.row(self._mark, (self.hint, 1), of=self.below)
        lay.row((self.entry, 1), self.add, of=self)
        self._on_text()

    def _on_text(self) -> None:
        self._failed = False
        text = self.entry.text()
        if not text.strip():
            self.add.setEnabled(False)
            self._say("")
            return
        try:
            inventory = read_typed([text])
        except PoolwrightError as error:
            # While somebody types, a text is unfinished rather than wrong; Enter makes it wrong.
            self.add.setEnabled(False)
            self._say(error.text)
        else:
            self.add.setEnabled(True)
            self._say(_preview(inventory))

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
        self.hint.setText(text)
        self.hint.setToolTip(text)
        self.below.setVisible(bool(text))
        name, tone = ("block", Tone.BLOCK) if self._failed else ("note", Tone.MUTED)
        self.hint.set_tone(tone)
        self._mark.show_mark(name, tone)


def _preview(inventory: Inventory) -> str:
    groups = ", ".join(f"{len(g.disks)} × {drive_size(g.size_bytes)}" for g in group_disks(inventory.disks))
    total = sum(disk.size_bytes or 0 for disk in inventory.disks)
    assumed = "; ".join(note.text.partition(": ")[2] for note in inventory.notes)
    return f"{groups}: {decimal(total)} raw" + (f"; {assumed}" if assumed else "")
