"""The first page: where the disks of a new design come from, the designs made lately, and example machines."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.domain.host import Inventory, group_disks
from poolwright.domain.units import binary, drive_size
from poolwright.texts import N_, _
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import Card, ChoiceCard, inert
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import Heading, ToneLabel
from poolwright.ui.parts.page import Page, when
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.sources import example

if TYPE_CHECKING:
    from poolwright.store.library import DesignEntry


class StartCard(ChoiceCard):
    """A source of disks, a design made lately or an example machine: its name, and lines below it.

    ``key`` is what it stands for; an ``icon`` stands beside the words.
    """

    def __init__(
        self, key: str, name: str, lines: tuple[tuple[str, Tone], ...], parent: QWidget, icon: str = ""
    ) -> None:
        super().__init__(name, parent)
        self.key = key
        self.setAccessibleDescription(". ".join(text for text, __ in lines))
        head = inert(ToneLabel(name, Tone.TEXT, self))
        head.setFont(text_font(semibold=True))
        words = lay.column(head, *(inert(ToneLabel(text, tone, self)) for text, tone in lines), 1, gap=GRID // 2)
        mark = ((inert(Mark(icon, self)), 0, Qt.AlignmentFlag.AlignTop),) if icon else ()
        self.body.addLayout(lay.row(*mark, (words, 1), gap=2 * GRID))


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

    heading = N_("Design a ZFS pool")
    about = N_("Choose where the disks come from. Nothing is changed on any machine: you take away a script.")

    def build(self) -> None:
        self.body.addWidget(Heading(_("New design"), self))
        self.body.addLayout(self._make_sources())
        self.body.addWidget(self._make_typed())
        self.body.addSpacing(GRID)
        self._recent_heading = Heading(_("Recent designs"), self)
        self._recent_heading.hide()
        self._waits_for_paint = False
        self._library_wait = lay.later(self, 0, self._after_wait)
        self.body.addWidget(self._recent_heading)
        self._recent_row = self._cards_row()
        self._recent_cards: list[QWidget] = []
        self._recent_shown: tuple[DesignEntry, ...] | None = None
        self.body.addLayout(self._recent_row)
        self.body.addWidget(Heading(_("Example machines"), self))
        self.body.addLayout(self._make_examples())
        self.body.addStretch(1)

    def _cards_row(self) -> Flow:
        return Flow(gap=2 * GRID, column=26 * GRID, most=MOST_RECENT)

    def _make_sources(self) -> Flow:
        row = Flow(gap=2 * GRID, column=26 * GRID, most=MOST_SOURCES)
        sources = self.session.sources
        here = _("Read the disks of this computer. Every command only reads.")
        over_ssh = _("Read a server with your keys, ~/.ssh/config and jump hosts.")
        elsewhere = _("A line to paste over there, or open files that its tools printed.")
        money = _("Say what may be spent, and see which disks to buy.")
        for icon, title, text, slot in (
            ("machine", _("This machine"), here, sources.read_this_machine),
            ("hosts", _("A host over SSH…"), over_ssh, self._on_hosts),
            ("capture", _("From another machine…"), elsewhere, self._on_another),
            ("buy", _("Money, not disks"), money, self._on_money),
        ):
            card = StartCard("", title, ((text, Tone.MUTED),), self, icon)
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

    def _make_recent(self, entry: "DesignEntry") -> StartCard:
        changed = _("for {goal}, changed {when}", goal=_(entry.goal.value), when=when(entry.modified))
        card = StartCard(entry.key, entry.name, ((entry.summary, Tone.TEXT), (changed, Tone.MUTED)), self)
        card.clicked.connect(self._on_recent)
        return card

    def _make_typed(self) -> QWidget:
        card = Card(self)
        label = QLabel(_("Shopping list"), card)
        label.setFont(text_font(semibold=True))
        self._typed = lay.entry(card, _("Disks you may buy"), _("12 x 16TB CMR SATA, 2 x 960GB NVMe"))
        self._typed.setMinimumHeight(4 * GRID)
        self._typed.setAcceptDrops(False)
        self._typed.returnPressed.connect(self._on_typed)
        self._typed.textChanged.connect(self._on_typing)
        label.setBuddy(self._typed)
        self._use_typed = lay.button(_("Design with these"), card, self._on_typed)
        self._use_typed.setEnabled(False)
        self._use_typed.setMinimumHeight(4 * GRID)
        mark = (Mark("list", card), 0, Qt.AlignmentFlag.AlignVCenter)
        card.body.addLayout(lay.row(mark, label, (self._typed, 1), self._use_typed, gap=2 * GRID))
        return card

    def _make_examples(self) -> Flow:
        row = self._cards_row()
        for name in SHOWN_EXAMPLES:
            machine = example(name)
            about = machine.notes[0].text if machine.notes else ""
            lines = ((about, Tone.MUTED), (disks_in_words(machine), Tone.TEXT))
            card = StartCard(machine.name, machine.name, lines, self)
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
        design = self.session.library.read(card.key) if isinstance(card, StartCard) else None
        if design is not None:
            self.session.show_design(design)

    def _on_money(self) -> None:
        self.go.emit("buying")

    def _on_hosts(self) -> None:
        self.go.emit("hosts")

    def _on_another(self) -> None:
        self.go.emit("other_machine")

    def _on_example(self) -> None:
        card = self.sender()
        if isinstance(card, StartCard):
            self.session.sources.open_example(card.key)
