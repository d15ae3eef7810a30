"""The first page: where the disks of a new design come from, the designs made lately, and example machines."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from poolwright.domain.inventory import Inventory, group_disks
from poolwright.domain.units import binary, drive_size
from poolwright.texts import marked, tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import Card, ChoiceCard, inert
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import Heading, ToneLabel
from poolwright.ui.parts.page import Page, when
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.sources import example

if TYPE_CHECKING:
    from poolwright.store.designs import DesignEntry

# The cards of the start page: a source of disks, a design made lately, an example machine.


class SourceCard(ChoiceCard):
    """Icon, title and one line; pressed as a whole."""

    def __init__(self, icon: str, title: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setAccessibleDescription(text)
        words = lay.column(_head(title, self), inert(ToneLabel(text, Tone.MUTED, self)), 1, gap=GRID // 2)
        row = lay.row((inert(Mark(icon, self)), 0, Qt.AlignmentFlag.AlignTop), gap=2 * GRID)
        row.addLayout(words, 1)
        self.body.addLayout(row)


class ThingCard(ChoiceCard):
    """A name and lines below it; ``key`` is what it stands for."""

    def __init__(self, key: str, name: str, lines: tuple[tuple[str, Tone], ...], parent: QWidget) -> None:
        super().__init__(name, parent)
        self.key = key
        self.setAccessibleDescription(". ".join(text for text, _ in lines))
        lay.room(self.body, gap=GRID // 2)
        self.body.addWidget(_head(name, self))
        for text, tone in lines:
            self.body.addWidget(inert(ToneLabel(text, tone, self)))
        self.body.addStretch(1)


class ExampleCard(ThingCard):
    """A machine that ships with the program: what it is, and its disks."""

    def __init__(self, inventory: Inventory, parent: QWidget) -> None:
        about = inventory.notes[0].text if inventory.notes else ""
        lines = ((about, Tone.MUTED), (disks_in_words(inventory), Tone.TEXT))
        super().__init__(inventory.name, inventory.name, lines, parent)


class RecentCard(ThingCard):
    """A design of the library: its layout, and when it was changed."""

    def __init__(self, key: str, name: str, layout: str, changed: str, parent: QWidget) -> None:
        super().__init__(key, name, ((layout, Tone.TEXT), (changed, Tone.MUTED)), parent)


def _head(text: str, parent: QWidget) -> ToneLabel:
    head = inert(ToneLabel(text, Tone.TEXT, parent))
    head.setFont(text_font(semibold=True))
    return head


def disks_in_words(inventory: Inventory) -> str:
    counts: dict[str, int] = {}
    for group in group_disks(inventory.disks):
        media = group.disks[0].media
        words = f"{drive_size(group.size_bytes)} {media.words if media else ''}".strip()
        counts[words] = counts.get(words, 0) + len(group.disks)
    parts = [f"{count} × {words}" for words, count in counts.items()]
    if inventory.host.ram_bytes is not None:
        parts.append(f"{binary(inventory.host.ram_bytes)} RAM")
    return ", ".join(parts)


SHOWN_EXAMPLES = ("thesis", "macblog", "tunables")

MOST_RECENT = 3
MOST_SOURCES = 4
_RECENT_AFTER_MILLISECONDS = 50


class StartPage(Page):
    width_limit: ClassVar[int | None] = 1680

    heading = marked("Design a ZFS pool")
    about = marked("Choose where the disks come from. Nothing is changed on any machine: you take away a script.")

    def build(self) -> None:
        self.body.addWidget(Heading(tell("New design"), self))
        self.body.addLayout(self._make_sources())
        self.body.addWidget(self._make_typed())
        self.body.addSpacing(GRID)
        self._recent_heading = Heading(tell("Recent designs"), self)
        self._recent_heading.hide()
        self._waits_for_paint = False
        self._library_wait = lay.later(self, 0, self._after_wait)
        self.body.addWidget(self._recent_heading)
        self._recent_row = self._cards_row()
        self._recent_cards: list[QWidget] = []
        self._recent_shown: tuple[DesignEntry, ...] | None = None
        self.body.addLayout(self._recent_row)
        self.body.addWidget(Heading(tell("Example machines"), self))
        self.body.addLayout(self._make_examples())
        self.body.addStretch(1)

    def _cards_row(self) -> Flow:
        return Flow(gap=2 * GRID, column=26 * GRID, most=MOST_RECENT)

    def _make_sources(self) -> Flow:
        row = Flow(gap=2 * GRID, column=26 * GRID, most=MOST_SOURCES)
        sources = self.session.sources
        here = tell("Read the disks of this computer. Every command only reads.")
        over_ssh = tell("Read a server with your keys, ~/.ssh/config and jump hosts.")
        elsewhere = tell("A line to paste over there, or open files that its tools printed.")
        money = tell("Say what may be spent, and see which disks to buy.")
        for icon, title, text, slot in (
            ("machine", tell("This machine"), here, sources.read_this_machine),
            ("hosts", tell("A host over SSH…"), over_ssh, self._on_hosts),
            ("capture", tell("From another machine…"), elsewhere, self._on_another),
            ("buy", tell("Money, not disks"), money, self._on_money),
        ):
            card = SourceCard(icon, title, text, self)
            card.clicked.connect(slot)
            row.addWidget(card)
        return row

    def refresh(self) -> None:
        if self.session.library.is_open:
            self._show_recent()
        else:
            self._waits_for_paint = True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Let the library be opened in a moment, where the page waits for that."""
        super().paintEvent(event)
        if self._waits_for_paint:
            self._waits_for_paint = False
            self._library_wait.start(_RECENT_AFTER_MILLISECONDS)

    def _after_wait(self) -> None:
        if self.isVisible():
            self._show_recent()
        else:
            self._stale = True  # another page is shown, or the window was closed

    def _show_recent(self) -> None:
        entries = self.session.library.entries()[:MOST_RECENT]
        if entries == self._recent_shown:
            return
        self._recent_shown = entries
        self._recent_heading.setVisible(bool(entries))
        for card in self._recent_cards:
            self._recent_row.removeWidget(card)
            card.deleteLater()
        self._recent_cards = [self._make_recent(entry) for entry in entries]
        for card in self._recent_cards:
            self._recent_row.addWidget(card)

    def _make_recent(self, entry: "DesignEntry") -> RecentCard:
        changed = tell("for {goal}, changed {when}", goal=tell(entry.goal.value), when=when(entry.modified))
        card = RecentCard(entry.key, entry.name, entry.summary, changed, self)
        card.clicked.connect(self._on_recent)
        return card

    def _make_typed(self) -> QWidget:
        card = Card(self)
        label = QLabel(tell("Shopping list"), card)
        label.setFont(text_font(semibold=True))
        self._typed = lay.named(QLineEdit(card), tell("Disks you may buy"))
        self._typed.setPlaceholderText(tell("12 x 16TB CMR SATA, 2 x 960GB NVMe"))
        self._typed.setMinimumHeight(4 * GRID)
        self._typed.setAcceptDrops(False)
        self._typed.returnPressed.connect(self._on_typed)
        self._typed.textChanged.connect(self._on_typing)
        label.setBuddy(self._typed)
        self._use_typed = lay.button(tell("Design with these"), card, self._on_typed)
        self._use_typed.setEnabled(False)
        self._use_typed.setMinimumHeight(4 * GRID)
        mark = (Mark("list", card), 0, Qt.AlignmentFlag.AlignVCenter)
        card.body.addLayout(lay.row(mark, label, (self._typed, 1), self._use_typed, gap=2 * GRID))
        return card

    def _make_examples(self) -> Flow:
        row = self._cards_row()
        for name in SHOWN_EXAMPLES:
            card = ExampleCard(example(name), self)
            card.clicked.connect(self._on_example)
            row.addWidget(card)
        return row

    def _on_typing(self, text: str) -> None:
        self._use_typed.setEnabled(bool(text.strip()))

    def _on_typed(self) -> None:
        if self._typed.text().strip():
            self.session.sources.take_typed(self._typed.text())

    def _on_recent(self) -> None:
        card = self.sender()
        design = self.session.library.read(card.key) if isinstance(card, RecentCard) else None
        if design is not None:
            self.session.show_design(design)

    def _on_money(self) -> None:
        self.go.emit("buying")

    def _on_hosts(self) -> None:
        self.go.emit("hosts")

    def _on_another(self) -> None:
        self.go.emit("another")

    def _on_example(self) -> None:
        card = self.sender()
        if isinstance(card, ExampleCard):
            self.session.sources.open_example(card.key)
