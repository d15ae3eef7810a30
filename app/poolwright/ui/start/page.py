"""The first page: one field for what one has, the other ways to get disks, and the designs made lately."""

from collections.abc import Generator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import binary
from poolwright.machine.examples import EXAMPLES
from poolwright.texts import N_, _, capital
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import ChoiceCard, inert
from poolwright.ui.parts.given_field import GivenField
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.page import Page, Slices, when
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.pool_picture import PoolPicture
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import SmallHeading, ToneLabel

if TYPE_CHECKING:
    from poolwright.store.library import DesignEntry


MOST_RECENT = 3
_RECENT_AFTER_MILLISECONDS = 50


class StartCard(ChoiceCard):
    """A way to get disks or a design made lately: its name, and lines below it; ``key`` is what it stands for.

    ``picture`` is the place above the name for an icon or the picture of the vdevs.
    """

    def __init__(
        self, key: str, name: str, lines: tuple[tuple[str, Tone], ...], parent: QWidget, icon: str = ""
    ) -> None:
        super().__init__(name, parent)
        self.key = key
        self.setAccessibleDescription(". ".join(text for text, __ in lines))
        head = inert(ToneLabel(name, Tone.TEXT, self, bold=True))
        self.picture = widgets.row()
        self.pool: PoolPicture | None = None
        if icon:
            self.picture.addWidget(inert(IconLabel(icon, self)))
            self.picture.addStretch(1)
        labels = [inert(ToneLabel(text, tone, self, small=True)) for text, tone in lines]
        self.last = labels[-1]
        words = widgets.column(head, *labels, gap=GRID // 4)
        widgets.room(self.body, gap=GRID, around=(GRID, GRID + 4, GRID, GRID))
        self.body.addLayout(self.picture)
        self.body.addLayout(words)
        self.body.addStretch(1)


class StartPage(Page):
    width_limit: ClassVar[int | None] = 1680

    heading = N_("What do you have?")
    about = N_("Nothing is changed on any machine; the result is a script.")

    def build(self) -> None:
        self._field = GivenField(
            self.session, self, hint=_("Typed disks, or pasted output of lsblk, smartctl or zpool status")
        )
        self.begins = (self._field.text,)
        self._field.taken.connect(self._field.go_on)
        self._field.understood.connect(self.session.preview)
        self.body.addWidget(self._field)
        self.body.addWidget(SmallHeading(_("Or start from"), self))
        self.body.addLayout(self._make_ways())
        self._recent_heading = SmallHeading(_("Recent designs"), self)
        self._recent_heading.hide()
        self._waits_for_paint = False
        self._library_wait = widgets.single_shot_timer(self, 0, self._after_wait)
        self.body.addWidget(self._recent_heading)
        self._recent_row = Flow(gap=2 * GRID, column=24 * GRID, most=MOST_RECENT)
        self._recent_cards: list[StartCard] = []
        self._bare: list[StartCard] = []  # those that still lack their picture
        self._pictures = Slices(self)
        self._recent_shown: tuple[object, ...] = ()
        self.body.addLayout(self._recent_row)
        self.body.addStretch(1)
        self.body.addLayout(self._make_examples())
        self._foot.addWidget(self._field.button)
        self._foot.parentWidget().show()  # type: ignore[union-attr]  # a page without neighbours hides it

    def main_button(self) -> QPushButton:
        return self._field.button

    def take(self, text: str) -> None:
        """Put a text into the field, as if it was pasted there."""
        self._field.text.setPlainText(text)
        self._field.text.setFocus()

    def _make_ways(self) -> Flow:
        row = Flow(gap=2 * GRID, column=14 * GRID, most=5)
        for key, title, text, slot in (
            ("machine", _("This machine"), _("Only reads"), self.session.sources.read_this_machine),
            ("hosts", _("A host"), _("Over SSH"), partial(self.go.emit, "hosts")),
            ("capture", _("Files"), _("Or drop here"), self.ask_files),
            ("pools", _("A pool"), _("Already in use"), partial(self.go.emit, "pools")),
            ("buying", capital(_("money")), _("What to buy"), partial(self.go.emit, "buying")),
        ):
            card = StartCard(key, title, ((text, Tone.MUTED),), self, "buy" if key == "buying" else key)
            card.clicked.connect(slot)
            row.addWidget(card)
        return row

    def _make_examples(self) -> Flow:
        row = Flow(gap=GRID // 2)
        row.addWidget(ToneLabel(_("Examples"), Tone.MUTED, self, small=True, wrapped=False))
        for name, disks in EXAMPLES.items():
            link = widgets.button(disks, self, partial(self.session.sources.open_example, name), tip=name)
            link.setProperty("link", True)
            link.setFont(text_font(SMALL_POINTS))
            row.addWidget(link)
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
        entries = tuple(self.session.library.entries()[:MOST_RECENT])
        if entries == self._recent_shown:
            self._show_pictures()
            return
        self._recent_shown = entries
        self._pictures.stop()
        self._recent_heading.setVisible(bool(entries))
        for card in self._recent_cards:
            self._recent_row.removeWidget(card)
            card.deleteLater()
        self._recent_cards = [self._make_recent(entry) for entry in entries]
        self._bare = [*self._recent_cards]
        for card in self._recent_cards:
            self._recent_row.addWidget(card)
        self._show_pictures()

    def _show_pictures(self) -> None:
        """Draw the designs, once what computes them is imported."""
        if self._bare and (self.session.rules or self.session.rules_problem):
            bare, self._bare = self._bare, []
            self._pictures.begin(self._drawing(bare))

    def _drawing(self, cards: "list[StartCard]") -> Generator[None, None, None]:
        from poolwright.design.evaluate import numbers_of  # noqa: PLC0415 - the first page does not wait for it

        for card in cards:
            open_now = self.session.design
            same = open_now is not None and open_now.key == card.key
            design = open_now if same else self.session.library.read(card.key)
            yield
            if design is None or card.pool is None:
                continue
            with suppress(PoolwrightError):  # a size is unknown: it has no layout to draw
                card.pool.show_layout(tuple(spec for pool in design.pools() for spec in pool.layout()))
            yield
            if (usable := numbers_of(design).usable_bytes) is not None:
                card.last.setText(f"{binary(usable)} · {card.last.text()}")
            yield

    def _make_recent(self, entry: "DesignEntry") -> StartCard:
        lines = ((entry.summary, Tone.TEXT), (when(entry.modified), Tone.MUTED))
        card = StartCard(entry.key, entry.name, lines, self)
        card.pool = PoolPicture(card, height=8 * GRID)
        card.picture.addWidget(card.pool)
        card.clicked.connect(self._on_recent)
        return card

    def _on_recent(self) -> None:
        design = self.session.library.read(widgets.sent(self, StartCard).key)
        if design is not None:
            self.session.show_design(design)
