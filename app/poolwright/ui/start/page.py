"""The first page: where the disks of a new design come from, the designs made lately, and example machines."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.flow import Flow
from poolwright.ui.parts.labels import Heading
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.moment import when
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.theme import GRID, text_font
from poolwright.ui.start.source_cards import ExampleCard, RecentCard, SourceCard
from poolwright.ui.state.sources import example

if TYPE_CHECKING:  # what SQLite is needed for: the first page does not wait for it
    from poolwright.store.designs import DesignEntry

SHOWN_EXAMPLES = ("thesis", "macblog", "tunables")

MOST_RECENT = 3
MOST_SOURCES = 4
_RECENT_AFTER_MILLISECONDS = 50


class StartPage(Page):
    width_limit: ClassVar[int | None] = 1680

    def title(self) -> str:
        return tell("Design a ZFS pool")

    def sentence(self) -> str:
        return tell("Choose where the disks come from. Nothing is changed on any machine: you take away a script.")

    def build(self) -> None:
        self.body.addWidget(Heading(tell("New design"), self))
        self.body.addLayout(self._make_sources())
        self.body.addWidget(self._make_typed())
        self.body.addSpacing(GRID)
        self._recent_heading = Heading(tell("Recent designs"), self)
        self._recent_heading.hide()
        self._waits_for_paint = False
        self._library_wait = QTimer(self)
        self._library_wait.setSingleShot(True)
        self._library_wait.timeout.connect(self._after_wait)
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
        for icon, title, text, slot in (
            (
                "machine",
                tell("This machine"),
                tell("Read the disks of the computer you sit at. Every command only reads."),
                self.session.sources.read_this_machine,
            ),
            (
                "hosts",
                tell("A host over SSH…"),
                tell("Read a server from here, by OpenSSH: your keys, ~/.ssh/config and jump hosts work."),
                self._on_hosts,
            ),
            (
                "capture",
                tell("From another machine…"),
                tell("A line to paste over there, or a small script; or open files that its tools printed."),
                self._on_another,
            ),
            (
                "buy",
                tell("Money, not disks"),
                tell("Say what may be spent: which disks to buy, and how many, is worked out with the layout."),
                self._on_money,
            ),
        ):
            card = SourceCard(icon, title, text, self)
            card.clicked.connect(slot)
            row.addWidget(card)
        return row

    def refresh(self) -> None:
        """Show the designs made lately; at the start of the program once the page is painted."""
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
        self._typed = QLineEdit(card)
        self._typed.setPlaceholderText(tell("12 x 16TB CMR SATA, 2 x 960GB NVMe"))
        self._typed.setAccessibleName(tell("Disks you may buy"))
        self._typed.setMinimumHeight(4 * GRID)
        self._typed.setAcceptDrops(False)
        self._typed.returnPressed.connect(self._on_typed)
        self._typed.textChanged.connect(self._on_typing)
        label.setBuddy(self._typed)
        self._use_typed = QPushButton(tell("Design with these"), card)
        self._use_typed.setEnabled(False)
        self._use_typed.setMinimumHeight(4 * GRID)
        self._use_typed.clicked.connect(self._on_typed)
        row = lay.row(
            (Mark("list", card), 0, Qt.AlignmentFlag.AlignVCenter),
            label,
            (self._typed, 1),
            self._use_typed,
            gap=2 * GRID,
        )
        card.body.addLayout(row)
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
            self.session.sources.open_example(card.name)
