"""The first page: where the disks of a new design come from, the designs made lately, and example machines."""

from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from poolwright.ui.pages.page import Page
from poolwright.ui.sources import example
from poolwright.ui.theme import GRID, text_font
from poolwright.ui.widgets.card import Card
from poolwright.ui.widgets.labels import Heading
from poolwright.ui.widgets.mark import Mark
from poolwright.ui.widgets.source_cards import ExampleCard, SourceCard

SHOWN_EXAMPLES = ("thesis", "macblog", "tunables")


class StartPage(Page):
    """Where a design begins."""

    scrolls: ClassVar[bool] = True
    width_limit: ClassVar[int | None] = 1200

    def title(self) -> str:
        """Return the page's title."""
        return self.tr("Design a ZFS pool")

    def sentence(self) -> str:
        """Return what to do here."""
        return self.tr("Choose where the disks come from. Nothing is changed on any machine: you take away a script.")

    def build(self) -> None:
        """Make the cards."""
        self.body.addWidget(Heading(self.tr("New design"), self))
        self.body.addLayout(self._make_sources())
        self.body.addWidget(self._make_typed())
        self.body.addSpacing(GRID)
        self.body.addWidget(Heading(self.tr("Example machines"), self))
        self.body.addLayout(self._make_examples())
        self.body.addStretch(1)

    def _make_sources(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(2 * GRID)
        for icon, title, text, slot in (
            (
                "machine",
                self.tr("This machine"),
                self.tr("Read the disks of the computer you sit at. Every command only reads."),
                self.session.sources.read_this_machine,
            ),
            (
                "capture",
                self.tr("Capture files…"),
                self.tr("Output of lsblk, smartctl, nvme or zpool status from another machine."),
                self._on_files,
            ),
            (
                "open",
                self.tr("Capture folder…"),
                self.tr("A folder of such files: one per disk, or all of them."),
                self._on_folder,
            ),
        ):
            card = SourceCard(icon, title, text, self)
            card.clicked.connect(slot)
            row.addWidget(card, 1)
        return row

    def _make_typed(self) -> QWidget:
        card = Card(self)
        row = QHBoxLayout()
        row.setSpacing(2 * GRID)
        label = QLabel(self.tr("Shopping list"), card)
        label.setFont(text_font(semibold=True))
        self._typed = QLineEdit(card)
        self._typed.setPlaceholderText(self.tr("12 x 16TB CMR SATA, 2 x 960GB NVMe"))
        self._typed.setAccessibleName(self.tr("Disks you may buy"))
        self._typed.setMinimumHeight(4 * GRID)
        self._typed.returnPressed.connect(self._on_typed)
        self._typed.textChanged.connect(self._on_typing)
        label.setBuddy(self._typed)
        self._use_typed = QPushButton(self.tr("Design with these"), card)
        self._use_typed.setEnabled(False)
        self._use_typed.setMinimumHeight(4 * GRID)
        self._use_typed.clicked.connect(self._on_typed)
        row.addWidget(Mark("list", card), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(label)
        row.addWidget(self._typed, 1)
        row.addWidget(self._use_typed)
        card.body.addLayout(row)
        return card

    def _make_examples(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(2 * GRID)
        for name in SHOWN_EXAMPLES:
            card = ExampleCard(example(name), self)
            card.clicked.connect(self._on_example)
            row.addWidget(card, 1)
        return row

    def _on_typing(self, text: str) -> None:
        self._use_typed.setEnabled(bool(text.strip()))

    def _on_typed(self) -> None:
        if self._typed.text().strip():
            self.session.sources.take_typed(self._typed.text())

    def _on_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, self.tr("Open capture files"))
        self.session.sources.open_captures([Path(name) for name in names])

    def _on_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, self.tr("Open a folder of captures"))
        if name:
            self.session.sources.open_captures([Path(name)])

    def _on_example(self) -> None:
        card = self.sender()
        if isinstance(card, ExampleCard):
            self.session.sources.open_example(card.name)
