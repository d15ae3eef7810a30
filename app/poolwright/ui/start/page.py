"""The first page: one field for what one has, the other ways to get disks, and the designs made lately."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QSizePolicy, QToolButton, QWidget

from poolwright.domain.design import Design
from poolwright.domain.disk import NoteLevel
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool, pool_troubles
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.jobs.job import Asking
from poolwright.machine.examples import example_names
from poolwright.store.design_file import from_json
from poolwright.texts import N_, _, ngettext
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import ChoiceCard, draw_card, inert
from poolwright.ui.parts.icons import SMALL, Mark
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.page import Page, when
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.save_file import ask_files
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import is_output, pasted_job, typed_disks

if TYPE_CHECKING:
    from poolwright.store.library import DesignEntry


MOST_RECENT = 3
_TYPED = "typed"  # for machines: the card of the disks that were typed last
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
        self.picture = lay.row()
        if icon:
            self.picture.addWidget(inert(Mark(icon, self)))
            self.picture.addStretch(1)
        labels = (inert(ToneLabel(text, tone, self, small=True)) for text, tone in lines)
        words = lay.column(head, *labels, gap=GRID // 4)
        lay.room(self.body, gap=GRID, around=(GRID, GRID + 4, GRID, GRID))
        self.body.addLayout(self.picture)
        self.body.addLayout(words)
        self.body.addStretch(1)


class StartPage(Page):
    width_limit: ClassVar[int | None] = 1680

    heading = N_("What do you have?")
    about = N_("Nothing is changed on any machine: you take away a script.")

    def build(self) -> None:
        self._field = GivenField(self.session, self)
        self._field.changed.connect(self._show_take)
        self._field.entered.connect(self._on_take)
        self.body.addWidget(self._field)
        self.body.addWidget(SmallHeading(_("Or start from"), self))
        self.body.addLayout(self._make_ways())
        self._recent_heading = SmallHeading(_("Recent designs"), self)
        self._recent_heading.hide()
        self._waits_for_paint = False
        self._library_wait = lay.later(self, 0, self._after_wait)
        self.body.addWidget(self._recent_heading)
        self._recent_row = Flow(gap=2 * GRID, column=24 * GRID, most=MOST_RECENT)
        self._recent_cards: list[QWidget] = []
        self._recent_shown: tuple[object, ...] = ()
        self.body.addLayout(self._recent_row)
        self.body.addStretch(1)
        self.body.addLayout(self._make_examples())
        self._take = lay.button("", self, self._on_take, icon="next")
        self._take.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._foot.addWidget(self._take)
        self._foot.parentWidget().show()  # type: ignore[union-attr]  # a page without neighbours hides it
        self._show_take()

    def main_button(self) -> QPushButton:
        return self._take

    def first_stop(self, _stops: Sequence[QWidget]) -> QWidget:
        return self._field.text

    def take(self, text: str) -> None:
        """Put a text into the field, as if it was pasted there."""
        self._field.text.setPlainText(text)
        self._field.text.setFocus()

    def _make_ways(self) -> Flow:
        row = Flow(gap=2 * GRID, column=14 * GRID, most=5)
        for icon, title, text, slot in (
            ("machine", _("This machine"), _("Only reads"), self.session.sources.read_this_machine),
            ("hosts", _("A host"), _("Over SSH"), self._on_hosts),
            ("capture", _("Files"), _("Or drop here"), self._on_files),
            ("pools", _("A pool"), _("That exists"), self._on_pools),
            ("buy", _("Money"), _("What to buy"), self._on_money),
        ):
            card = StartCard("", title, ((text, Tone.MUTED),), self, icon)
            card.clicked.connect(slot)
            row.addWidget(card)
        return row

    def _make_examples(self) -> QHBoxLayout:
        row = lay.row(ToneLabel(_("Examples"), Tone.MUTED, self, small=True), gap=GRID // 2)
        for name in example_names():
            link = QToolButton(self)
            link.setText(name)
            link.setAutoRaise(True)
            link.setFont(text_font(SMALL_POINTS))
            link.clicked.connect(self._on_example)
            row.addWidget(link)
        row.addStretch(1)
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
        typed = self.session.preferences.typed_disks
        entries = self.session.library.entries()[: MOST_RECENT - bool(typed)]
        if (*entries, typed) == self._recent_shown:
            return
        self._recent_shown = (*entries, typed)
        self._recent_heading.setVisible(bool(entries or typed))
        for card in self._recent_cards:
            self._recent_row.removeWidget(card)
            card.deleteLater()
        self._recent_cards = [self._make_recent(entry) for entry in entries]
        if typed:
            lines = ((_("Typed disks"), Tone.MUTED),)
            card = StartCard(_TYPED, typed, lines, self)
            card.clicked.connect(self._on_recent)
            self._recent_cards.append(card)
        for card in self._recent_cards:
            self._recent_row.addWidget(card)

    def _make_recent(self, entry: "DesignEntry") -> StartCard:
        lines = ((entry.summary, Tone.TEXT), (when(entry.modified), Tone.MUTED))
        card = StartCard(entry.key, entry.name, lines, self)
        card.clicked.connect(self._on_recent)
        return card

    def _show_take(self) -> None:
        given = self._field.given
        words = _("Open this design") if given.design else _("Design with these")
        self._take.setText(_("Look at this pool") if given.is_pool else words)
        self._take.setEnabled(given.design is not None or given.inventory is not None)

    def _on_take(self) -> None:
        given = self._field.given
        if given.design is not None:
            self._field.text.clear()
            self.session.show_design(given.design)
        elif given.inventory is not None:
            self._field.text.clear()
            if given.typed:
                self.session.preferences.typed_disks = given.typed
            self.session.sources.take_read(given.inventory)
            if given.is_pool:
                self.go.emit("pools")

    def _on_recent(self) -> None:
        card = self.sender()
        if not isinstance(card, StartCard):
            return
        if card.key == _TYPED:
            self.take(self.session.preferences.typed_disks)
            return
        design = self.session.library.read(card.key)
        if design is not None:
            self.session.show_design(design)

    def _on_files(self) -> None:
        ask_files(self, _("Open"), self.session.open_files)

    def _on_money(self) -> None:
        self.go.emit("buying")

    def _on_hosts(self) -> None:
        self.go.emit("hosts")

    def _on_pools(self) -> None:
        self.go.emit("pools")

    def _on_example(self) -> None:
        link = self.sender()
        if isinstance(link, QToolButton):
            self.session.sources.open_example(link.text())


# What was typed or pasted: what it is, in chips, and what can be taken on from it.

MOST_CHARACTERS = 4_000_000
_MOST_CHIPS = 9
_PAUSE_MILLISECONDS = 400  # before that a text is unfinished rather than wrong
_DESIGN = '"poolwright-design"'
_BETWEEN_PIECES = re.compile(r"[,;+\n]")
_MOST_LINES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPiece:
    text: str
    tone: Tone = Tone.OK
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What was understood of a text: a machine or planned disks, or a design; neither where nothing can go on."""

    pieces: tuple[GivenPiece, ...] = ()
    more: str = ""
    inventory: Inventory | None = None
    design: Design | None = None
    typed: str = ""

    @property
    def is_pool(self) -> bool:
        """Tell whether there is a pool and no disk to design another one with."""
        return self.inventory is not None and bool(self.inventory.pools) and not self.inventory.usable()


def of_typed(text: str, *, unfinished: bool = False) -> Given:
    """Return what typed disks are understood as: whole, else piece by piece; nothing goes on while one is not."""
    try:
        inventory = typed_disks(text)
    except PoolwrightError as whole:
        parts = [part.strip() for part in _BETWEEN_PIECES.split(text) if part.strip()]
        found: list[GivenPiece] = []
        for part in parts:
            try:
                found.extend(_disk_pieces(typed_disks(part)))
            except PoolwrightError as error:
                error = whole if len(parts) == 1 else error
                found.append(GivenPiece(text=error.what, tone=Tone.BLOCK, why=error.text))
        if all(piece.tone is Tone.OK for piece in found):  # only together they are wrong
            found.append(GivenPiece(text=whole.what, tone=Tone.BLOCK, why=whole.text))
        if unfinished and found[-1].tone is Tone.BLOCK:
            del found[-1]
        return Given(pieces=tuple(found))
    size = sum(disk.size_bytes or 0 for disk in inventory.disks)
    more = _("{tib} raw ({tb})", tib=binary(size), tb=decimal(size))
    return Given(pieces=_disk_pieces(inventory), more=more, inventory=inventory, typed=text)


def of_machine(inventory: Inventory) -> Given:
    """Return what the output of tools is understood as; what was left out of it stands in red."""
    host = inventory.host
    ram = GivenPiece(text=_("{ram} RAM", ram=binary(host.ram_bytes))) if host.ram_bytes is not None else None
    warned = (note.text for note in inventory.notes if note.level is NoteLevel.WARN)
    pieces = (
        *map(_pool_piece, inventory.pools),
        *_disk_pieces(inventory),
        *((ram,) if ram else ()),
        *(GivenPiece(text=text, tone=Tone.BLOCK, why=text) for text in warned),
    )
    return Given(pieces=pieces, inventory=inventory)


def disk_words(inventory: Inventory) -> tuple[str, ...]:
    """Return how many disks of each size and medium there are."""
    counts: dict[str, int] = {}
    for disk in inventory.disks:
        if disk.size_bytes is None and inventory.pools:  # all that is known of it is that it is in a pool
            continue
        words = f"{drive_size(disk.size_bytes)} {disk.media.words if disk.media else ''}".strip()
        words = f"{words} PLP" if disk.power_loss_protection else words
        counts[words] = counts.get(words, 0) + 1
    return tuple(f"{count} × {words}" for words, count in counts.items())


def _disk_pieces(inventory: Inventory) -> tuple[GivenPiece, ...]:
    return tuple(GivenPiece(text=text) for text in disk_words(inventory))


def _pool_piece(pool: Pool) -> GivenPiece:
    count = len(pool.leaves())
    disks = ngettext("{count} disk", "{count} disks", count) if count else ""
    text = ", ".join(filter(None, (_("pool {name}", name=pool.name), disks, pool.state)))
    troubles = ", ".join(pool_troubles(pool))
    return GivenPiece(
        text=text, tone=Tone.WARN if troubles or pool.state not in {None, "ONLINE"} else Tone.OK, why=troubles
    )


_ICONS = {Tone.OK: "ok", Tone.WARN: "warn", Tone.BLOCK: "block"}


class PieceChip(QWidget):
    """A piece of what was understood, or in red of what was not."""

    def __init__(self, piece: GivenPiece, parent: QWidget) -> None:
        super().__init__(parent)
        self.wrong = piece.tone is Tone.BLOCK
        self.setAccessibleName(piece.text)
        self.setAccessibleDescription(piece.why)
        self.setToolTip(piece.why)
        self._label = ToneLabel(piece.text, Tone.BLOCK if self.wrong else Tone.TEXT, self, small=True)
        self._label.setWordWrap(len(piece.text) > 60)
        lay.row(
            Mark(_ICONS[piece.tone], self, piece.tone, SMALL),
            (self._label, 1),
            of=self,
            gap=GRID // 2,
            around=(GRID, 3, GRID + 4, 3),
        )
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().colour(Tone.BLOCK), 1) if self.wrong else Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("base" if self.wrong else Tone.SELECTION))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)


class _Text(QPlainTextEdit):
    """``entered`` is Return; with Shift it begins a line, with Control it is the window's."""

    entered = Signal()
    focused = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers()
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or modifiers & Qt.KeyboardModifier.ShiftModifier:
            super().keyPressEvent(event)
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            self.entered.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit()


class GivenField(QWidget):
    """The field, and below it what is understood; ``changed`` follows what ``given`` is, ``entered`` is Return."""

    changed = Signal()
    entered = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.given = Given()
        self._session = session
        self._asking = Asking(session.jobs, self, self._on_read, self._on_failed)
        self._pause = lay.later(self, _PAUSE_MILLISECONDS, self._read)
        self.text = lay.named(_Text(self), _("What do you have?"))
        self.text.setPlaceholderText(_("24 x 16TB, 2 x 960GB NVMe"))
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setFont(text_font())
        self.text.document().setDocumentMargin(0)
        self.text.setStyleSheet("QPlainTextEdit { border: none; background: transparent; padding: 0 }")
        self.text.setTabChangesFocus(True)
        self.text.setAcceptDrops(False)
        self.text.textChanged.connect(self._on_text)
        self.text.entered.connect(self._on_entered)
        self.text.focused.connect(self.update)
        hint = _("Typed disks, or pasted output of lsblk, smartctl or zpool status")
        self.text.setAccessibleDescription(hint)
        self._hint = ToneLabel(hint, Tone.MUTED, self, small=True)
        self._frame = lay.column(self.text, self._hint, gap=GRID // 2, around=(2 * GRID, GRID + 4, 2 * GRID, GRID))
        self._chips = Flow(gap=GRID)
        self._shown: list[QWidget] = []
        self._more = lay.named(ToneLabel("", Tone.MUTED, self, small=True), _("About the typed disks"))
        lay.column(self._frame, self._chips, self._more, of=self)
        theme().changed.connect(self.update)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        where = QRectF(self._frame.geometry())
        draw_card(QPainter(self), where, marked=self.text.hasFocus())

    def _fit(self) -> None:
        lines = min(_MOST_LINES, max(1, self.text.document().blockCount()))
        self.text.setFixedHeight(lines * self.text.fontMetrics().lineSpacing() + 1)

    def _on_text(self) -> None:
        self._fit()
        self._asking.forget()
        text = self.text.toPlainText()
        typing = bool(text.strip()) and not is_output(text)
        self._show(of_typed(text, unfinished=True) if typing else Given())
        self._pause.start()

    def _on_entered(self) -> None:
        if self._pause.isActive():
            self._read()
        self.entered.emit()

    def _read(self) -> None:
        self._pause.stop()
        text = self.text.toPlainText()
        if not text.strip():
            self._show(Given())
        elif len(text) > MOST_CHARACTERS:
            self._on_failed(_("Too long to paste: bring the file."))
        elif not is_output(text):
            self._show(of_typed(text))
        elif text.lstrip().startswith("{") and _DESIGN in text:
            self._read_design(text)
        else:
            self._asking.ask(pasted_job(text, self))

    def _read_design(self, text: str) -> None:
        try:
            design = from_json(text, where=_("pasted text"))
        except PoolwrightError as error:
            self._on_failed(error.text)
        else:
            words = _("design {name}", name=design.name)
            self._show(Given(pieces=(GivenPiece(text=words),), design=design))

    def _on_read(self, inventory: Inventory) -> None:
        self._show(of_machine(inventory))

    def _on_failed(self, text: str) -> None:
        self._show(Given(pieces=(GivenPiece(text=text, tone=Tone.BLOCK, why=text),)))

    def _show(self, given: Given) -> None:
        if given == self.given:
            return
        self.given = given
        for chip in self._shown:
            self._chips.removeWidget(chip)
            chip.hide()  # at once, for it goes only with the next events
            chip.deleteLater()
        red = [piece for piece in given.pieces if piece.tone is Tone.BLOCK][:_MOST_CHIPS]
        rest = [piece for piece in given.pieces if piece.tone is not Tone.BLOCK][:_MOST_CHIPS]
        self._shown = [PieceChip(piece, self) for piece in (*rest, *red)]
        for chip in self._shown:
            self._chips.addWidget(chip)
            chip.show()
        self._more.setText(given.more)
        notes = given.inventory.notes if given.typed and given.inventory else ()
        self._more.setToolTip("\n".join(note.text for note in notes))
        self.changed.emit()
