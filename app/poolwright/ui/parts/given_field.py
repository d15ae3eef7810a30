"""One field for what somebody has: disks typed, output pasted; what was understood of it stands below in chips."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from poolwright.domain.design import Design
from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool, pool_troubles
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.jobs.job import Asking
from poolwright.texts import _, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import draw_card
from poolwright.ui.parts.icons import SMALL, IconLabel
from poolwright.ui.parts.note_lines import TONE_ICONS
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, mono_font, text_font, theme
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import Pieces, is_output, reading_job, typed_disks

MOST_CHARACTERS = 64_000_000
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
    read_from: Pieces = ()

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
        todo = whole.todo
        for part in parts:
            try:
                found.extend(_disk_pieces(typed_disks(part)))
            except PoolwrightError as error:
                error = whole if len(parts) == 1 else error
                todo = error.todo
                found.append(GivenPiece(text=error.what, tone=Tone.BLOCK, why=error.text))
        if all(piece.tone is Tone.OK for piece in found):  # only together they are wrong
            found.append(GivenPiece(text=whole.what, tone=Tone.BLOCK, why=whole.text))
        if unfinished and found[-1].tone is Tone.BLOCK:
            del found[-1]
        return Given(pieces=tuple(found), more=(todo or "") if found and found[-1].tone is Tone.BLOCK else "")
    size = sum(disk.size_bytes or 0 for disk in inventory.disks)
    more = _("{tib} raw ({tb})", tib=binary(size), tb=decimal(size))
    return Given(pieces=_disk_pieces(inventory), more=more, inventory=inventory, typed=text)


def of_machine(inventory: Inventory, known: Iterable[Note] = ()) -> Given:
    """Return what the output of tools is understood as; what was left out of it, unless ``known``, stands in red."""
    host = inventory.host
    ram = GivenPiece(text=_("{ram} RAM", ram=binary(host.ram_bytes))) if host.ram_bytes is not None else None
    warned = (note.text for note in inventory.notes if note.level is NoteLevel.WARN and note not in known)
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
    shelves = len({disk.enclosure for disk in inventory.disks if disk.enclosure})
    shelf_texts = (ngettext("{count} shelf", "{count} shelves", shelves),) if shelves else ()
    return tuple(GivenPiece(text=text) for text in (*disk_words(inventory), *shelf_texts))


def _pool_piece(pool: Pool) -> GivenPiece:
    count = len(pool.leaves())
    disks = ngettext("{count} disk", "{count} disks", count) if count else ""
    text = ", ".join(filter(None, (_("pool {name}", name=pool.name), disks, pool.state)))
    troubles = ", ".join(pool_troubles(pool))
    return GivenPiece(
        text=text, tone=Tone.WARN if troubles or pool.state not in {None, "ONLINE"} else Tone.OK, why=troubles
    )


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
        mark = IconLabel(TONE_ICONS[piece.tone], self, piece.tone, SMALL)
        widgets.row(mark, (self._label, 1), of=self, gap=GRID // 2, around=(GRID, 3, GRID + 4, 3))
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
    """The field, and below it what is understood; ``taken`` sends that when its ``button`` or Return is pressed.

    What is pasted is read together with the machine in front, unless it is one itself. A ``hint`` stands in the frame;
    without one the field is small, and what is typed in it joins that machine too. A ``verb`` is what the button says.
    """

    taken = Signal(object)
    understood = Signal(object)  # the inventory of what stands in it now, else None

    def __init__(self, session: Session, parent: QWidget, *, hint: str = "", verb: str = "") -> None:
        super().__init__(parent)
        self.given, self._verb = Given(), verb
        self._session = session
        self._asking = Asking(session.jobs, self, self._on_read, self._on_failed)
        self._pause = widgets.single_shot_timer(self, _PAUSE_MILLISECONDS, self._read)
        self.text = widgets.named(_Text(self), _("What do you have?"))
        self.text.setPlaceholderText(
            _("24 x 16TB in 2 shelves, 2 x 960GB NVMe") if hint else _("Type or paste: 12 x 16TB CMR SATA")
        )
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setFont(text_font())
        self.text.document().setDocumentMargin(0)
        self.text.setStyleSheet("QPlainTextEdit { border: none; background: transparent; padding: 0 }")
        self.text.setTabChangesFocus(True)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the chips tell the whole
        self.text.setAcceptDrops(False)
        self.text.textChanged.connect(self._on_text)
        self.text.entered.connect(self._on_entered)
        self.text.focused.connect(self.update)
        self.text.setAccessibleDescription(_("Typed disks, or pasted output of lsblk, smartctl or zpool status"))
        side, above = (2 * GRID, GRID + 4) if hint else (GRID, 6)
        self._frame = widgets.column(self.text, gap=GRID // 2, around=(side, above, side, min(above, GRID)))
        if hint:
            self._frame.addWidget(ToneLabel(hint, Tone.MUTED, self, small=True))
        self._chips = Flow(gap=GRID)
        self._shown: list[QWidget] = []
        self._more = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("About the typed disks"))
        self._answer = QWidget(self)
        self.button = widgets.button("", self, self.take, icon="next" if hint else "add")
        below = widgets.row((widgets.column(self._chips, self._more, gap=GRID // 2), 1), of=self._answer)
        if not hint:
            below.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        self._joins = not hint
        self._answer.hide()
        widgets.column(self._frame, self._answer, of=self)
        self._fit()
        self._show_button()

    def paintEvent(self, _event: QPaintEvent) -> None:
        where = QRectF(self._frame.geometry())
        draw_card(QPainter(self), where, marked=self.text.hasFocus())

    def _fit(self) -> None:
        lines = min(_MOST_LINES, max(1, self.text.document().blockCount()))
        self.text.setFixedHeight(lines * self.text.fontMetrics().lineSpacing() + 1)

    def _on_text(self) -> None:
        self._asking.forget()
        text = self.text.toPlainText()
        output = is_output(text)
        self.text.setFont(mono_font(SMALL_POINTS) if output else text_font())
        self._fit()
        self._show(Given() if output or not text.strip() else of_typed(text, unfinished=True))
        self._pause.start()

    def _on_entered(self) -> None:
        if self._pause.isActive():
            self._read()
        self.take()

    def take(self) -> None:
        given = self.given
        if given.inventory is not None or given.design is not None:
            self.text.clear()
            self.taken.emit(given)

    def go_on(self, given: Given) -> None:
        """Go on with what was understood: its design, its pool, or its disks in place of those in front."""
        session = self._session
        if given.design is not None:
            session.show_design(given.design)
        elif given.inventory is not None:
            if given.typed:
                session.preferences.typed_disks = given.typed
            session.sources.take_read(given.inventory, given.read_from)
            if given.is_pool:
                session.asked.emit("pools", None)

    def _read(self) -> None:
        self._pause.stop()
        text = self.text.toPlainText()
        if not text.strip():
            self._show(Given())
        elif len(text) > MOST_CHARACTERS:
            self._on_failed(_("Too long to paste: open the file instead."))
        elif not is_output(text):
            self._show(of_typed(text))
        elif text.lstrip().startswith("{") and _DESIGN in text:
            self._read_design(text)
        else:
            self._asking.ask(reading_job(self._session.sources.joined(text), self))

    def _read_design(self, text: str) -> None:
        from poolwright.store.design_file import from_json

        try:
            design = from_json(text, where=_("pasted text"))
        except PoolwrightError as error:
            self._on_failed(error.text)
        else:
            words = _("design {name}", name=design.name)
            self._show(Given(pieces=(GivenPiece(text=words),), design=design))

    def _on_read(self, read: tuple[Inventory, Pieces]) -> None:
        inventory, pieces = read
        # Where names are asked for, what else a machine lacks is said beside the pairs.
        front = inventory if self._verb else self._session.inventory
        known = () if front is None else front.notes
        self._show(replace(of_machine(inventory, known), read_from=pieces))

    def _on_failed(self, text: str) -> None:
        self._show(Given(pieces=(GivenPiece(text=text, tone=Tone.BLOCK, why=text),)))

    def _show(self, given: Given) -> None:
        if given == self.given:
            return
        self.given = given
        self.understood.emit(given.inventory)
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
        self._more.setVisible(bool(given.more))
        self._answer.setVisible(bool(given.pieces))
        notes = given.inventory.notes if given.typed and given.inventory else ()
        self._more.setToolTip("\n".join(note.text for note in notes))
        self._show_button()

    def _show_button(self) -> None:
        given = self.given
        joins = self._joins and self._session.inventory is not None and (given.typed or len(given.read_from) > 1)
        words = _("Add these") if joins else _("Design with these")
        words = _("Look at this pool") if given.is_pool and not joins else words
        self.button.setText(_("Open this design") if given.design else self._verb or words)
        self.button.setEnabled(given.design is not None or given.inventory is not None)


def paste_hint() -> str:
    """Return what stands in the field where the disks of a machine get their names."""
    return _("Paste what `lsblk -JbO` or `ls -l /dev/disk/by-id` prints there").replace("`", "")
