"""The cards of the start page: a source of disks, and an example machine with its picture."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.domain.inventory import Inventory, group_disks
from poolwright.domain.units import binary, drive_size
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import ChoiceCard, inert
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.start.machine_picture import MachinePicture


class SourceCard(ChoiceCard):
    """Icon, title and one line; pressed as a whole."""

    def __init__(self, icon: str, title: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setAccessibleDescription(text)
        row = lay.row((inert(Mark(icon, self)), 0, Qt.AlignmentFlag.AlignTop), gap=2 * GRID)
        head = inert(QLabel(title, self))
        head.setFont(text_font(semibold=True))
        row.addLayout(lay.column(head, inert(ToneLabel(text, Tone.MUTED, self)), 1, gap=GRID // 2), 1)
        self.body.addLayout(row)


class ExampleCard(ChoiceCard):
    """A machine's picture, its name, what it is and its disks."""

    def __init__(self, inventory: Inventory, parent: QWidget | None = None) -> None:
        super().__init__(inventory.name, parent)
        self.name = inventory.name
        picture = inert(MachinePicture(self))
        picture.show_inventory(inventory)
        self.body.addWidget(picture)
        head = inert(QLabel(inventory.name, self))
        head.setFont(text_font(semibold=True))
        self.body.addWidget(head)
        about = inventory.notes[0].text if inventory.notes else ""
        self.body.addWidget(inert(ToneLabel(about, Tone.MUTED, self)))
        disks = inert(ToneLabel(disks_in_words(inventory), Tone.TEXT, self))
        self.body.addWidget(disks)
        self.body.addStretch(1)
        self.setAccessibleDescription(f"{about}. {disks.text()}")


class RecentCard(ChoiceCard):
    """A design of the library: its name, its layout, and when it was changed."""

    def __init__(self, key: str, name: str, layout: str, changed: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.key = key
        self.setAccessibleDescription(f"{layout}, {changed}")
        lay.room(self.body, gap=GRID // 2)
        head = inert(ToneLabel(name, Tone.TEXT, self))
        head.setFont(text_font(semibold=True))
        self.body.addWidget(head)
        self.body.addWidget(inert(ToneLabel(layout, Tone.TEXT, self)))
        self.body.addWidget(inert(ToneLabel(changed, Tone.MUTED, self, small=True)))
        self.body.addStretch(1)


def disks_in_words(inventory: Inventory) -> str:
    """Return the disks as “44 × 6 TB HDD, 1 × 800 GB SSD”, and the RAM where it is known."""
    counts: dict[str, int] = {}
    for group in group_disks(inventory.disks):
        media = group.disks[0].media
        words = f"{drive_size(group.size_bytes)} {media.words if media else ''}".strip()
        counts[words] = counts.get(words, 0) + len(group.disks)
    parts = [f"{count} × {words}" for words, count in counts.items()]
    if inventory.host.ram_bytes is not None:
        parts.append(f"{binary(inventory.host.ram_bytes)} RAM")
    return ", ".join(parts)
