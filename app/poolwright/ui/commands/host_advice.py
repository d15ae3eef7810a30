"""Advice for the machine around the pool, piece by piece: what, the command to copy, why, and where it is from."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.domain.design import HostAdvice
from poolwright.domain.disk import Disk, plan_only
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, mono_font, text_font

_ICONS = {"setting": "settings", "timer": "refresh", "command": "commands", "note": "note"}


def word_of(advice: HostAdvice) -> str:
    """Return the kind of a piece of advice in a word."""
    words = {
        "setting": tell("Setting"),
        "timer": tell("At intervals"),
        "command": tell("Command"),
        "note": tell("Note"),
    }
    return words.get(advice.kind, advice.kind)


class HostAdviceList(ScrolledRows):
    """Shows the advice; ``asked`` sends the id of the rule whose “Why?” was pressed, ``copied`` the title."""

    asked = Signal(str)
    copied = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._pieces: dict[HostAdvice, _Piece] = {}
        self._inner = inner = QWidget(self)
        about = tell("Once the pool exists. Nothing of it is in the commands, and the script runs none of it.")
        self._column = lay.column(
            ToneLabel(about, Tone.MUTED, inner), 1, of=inner, gap=2 * GRID, around=(0, 0, GRID, 0)
        )
        self.setWidget(inner)
        inner.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the list where it has room."""
        return QSize(super().sizeHint().width(), 20 * GRID)

    def show_advice(self, advice: Sequence[HostAdvice]) -> None:
        """Show these; a piece that was shown already stays as it is, for most do when a vdev is changed."""
        if tuple(advice) == tuple(self._pieces):
            return
        before, self._pieces = self._pieces, {}
        for at, piece in enumerate(advice, start=1):
            row = before.pop(piece, None)
            if row is None:
                row = self._made(piece)
            else:
                self._column.removeWidget(row)
            self._pieces[piece] = row
            self._column.insertWidget(at, row)
        for row in before.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()

    def _made(self, piece: HostAdvice) -> "_Piece":
        row = _Piece(piece, self._inner)
        row.asked.connect(self.asked)
        row.copied.connect(self.copied)
        return row


class _Piece(QWidget):
    asked = Signal(str)
    copied = Signal(str)

    def __init__(self, advice: HostAdvice, parent: QWidget) -> None:
        super().__init__(parent)
        self._advice = advice
        mark = Mark(_ICONS.get(advice.kind, "note"), self, Tone.MUTED, icons.SMALL)
        title = ToneLabel(f"{word_of(advice)}: {advice.title}", Tone.TEXT, self)
        title.setFont(text_font(semibold=True))
        head = lay.row((title, 1))
        for button in self._buttons():
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        texts = lay.column(head, gap=GRID // 4)
        if advice.command:
            texts.addWidget(self._command(advice.command))
        if advice.content:
            texts.addWidget(ToneLabel(tell("In {file}:", file=advice.file), Tone.TEXT, self, small=True))
            texts.addWidget(self._command(advice.content))
        texts.addWidget(ToneLabel(sentence(advice.reason), Tone.TEXT, self, small=True))
        if advice.why:
            texts.addWidget(ToneLabel(advice.why, Tone.MUTED, self, small=True))
        if advice.sources:
            from_ = tell("From: {sources}.", sources="; ".join(map(str, advice.sources)))
            texts.addWidget(ToneLabel(from_, Tone.MUTED, self, small=True))
        lay.row((mark, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), of=self)

    def _buttons(self) -> list[QPushButton]:
        buttons = []
        if self._advice.command or self._advice.content:
            copy = lay.button(
                tell("Copy"), self, self._copy, icon="copy", name=tell("Copy: {title}", title=self._advice.title)
            )
            buttons.append(copy)
        if self._advice.rule_id:
            ask = lay.button(tell("Why?"), self, self._ask, name=tell("Why? {title}", title=self._advice.title))
            buttons.append(ask)
        return buttons

    def _command(self, text: str) -> QWidget:
        # A line of a shell has few places to break at: the zero-width spaces are only shown, never copied.
        label = ToneLabel(text.replace("/", "/\u200b").replace("_", "_\u200b"), Tone.ACCENT, self)
        label.setFont(mono_font(SMALL_POINTS))
        told = tell("Command: {text}") if self._advice.command else tell("Content of the file: {text}")
        label.setAccessibleName(told.format(text=text))
        return label

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._advice.command or self._advice.content)
        self.copied.emit(self._advice.title)

    def _ask(self) -> None:
        self.asked.emit(self._advice.rule_id or "")


# What there is to say about the script: why there is none, that it was saved and how to use it.

_MOST_REASONS = 3
# What is sent for copying the line that checks, and for binding disks; everything else is the name of a page.
COPY, BIND = "copy", "bind"


class ScriptNotice(Notice):
    """One card, hidden when there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("State of the script"), parent)

    def show_no_design(self) -> None:
        """Say that a layout must be chosen first."""
        self.say(
            Message(
                title=tell("There is no design yet."),
                todo=tell("Choose one of the layouts on the recommendation page."),
                offers=((tell("Choose a layout"), "recommendation"),),
                bold=True,
            )
        )

    def show_refusal(self, error: PoolwrightError, disks: Iterable[Disk]) -> None:
        """Say why no script can be written of a design with these disks, and what to do: bind them to real ones."""
        there = tuple(disks)
        badge, unbound = plan_only(there), any(disk.planned or disk.by_id_name is None for disk in there)
        counted = list(Counter(error.reasons if isinstance(error, Refusal) else (error.text,)).items())
        shown = [
            f"• {reason}" if count == 1 else f"• {reason} ({count} ×)" for reason, count in counted[:_MOST_REASONS]
        ]
        if len(counted) > _MOST_REASONS:
            more = sum(count for _, count in counted[_MOST_REASONS:])
            shown.append(tell("and {count:,} more of this kind", count=more))
        self.say(
            Message(
                title=tell("No script can be written for this design yet ({badge}).", badge=badge)
                if badge
                else tell("No script can be written for this design yet."),
                tone=Tone.BLOCK,
                reasons="\n".join(shown),
                todo=error.todo or "",
                offers=(*(((tell("Bind disks…"), BIND),) if unbound else ()), (tell("Choose disks"), "disks")),
                bold=True,
            )
        )

    def show_failure(self, error: PoolwrightError) -> None:
        """Say why the file was not written."""
        self.say(Message(title=error.text, tone=Tone.BLOCK, bold=True))

    def show_saved(self, path: Path) -> None:
        todo = tell("Copy it to the machine and run this line there first: it checks every disk and changes nothing.")
        self.say(
            Message(
                title=tell("The script is saved to {path}", path=path),
                tone=Tone.OK,
                reasons=f"sudo bash {shlex.quote(path.name)} --check",  # for machines
                todo=todo,
                offers=((tell("Copy this line"), COPY),),
                bold=True,
                command=True,
            )
        )

    def copy_line(self) -> None:
        QGuiApplication.clipboard().setText(self.reasons())
