"""The commands of a design line by line, each line with its reason."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt

from poolwright.domain.design import Dataset, Design, HostAdvice
from poolwright.domain.disk import Disk
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.finding import Finding
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import exists_already
from poolwright.emit.command_lines import CommandLine
from poolwright.emit.names import device_problem
from poolwright.emit.report import Code, TextTone, Words
from poolwright.machine.by_id import mixed_words
from poolwright.texts import _, capital, first_of
from poolwright.ui.disks.columns import short_name
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.note_lines import Message
from poolwright.ui.parts.report_view import Link, Shown
from poolwright.ui.parts.table import Index, RowModel, TableColumn
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, mono_font, text_font, theme

_MONO_POINTS = 9.0  # names of disks are long, and should be read whole


_AT_ONCE = 150  # lines taken in at once: each is wrapped and measured, and thousands of disks make thousands of lines


class CommandTable(RowModel[CommandLine]):
    """Command lines in two columns, the line and why; a view that nears its end asks for more of them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._made_columns(), parent)
        self._lines: tuple[CommandLine, ...] = ()
        # Made once: a table with wrapped lines asks for the font of every line whenever it is laid out.
        self._head, self._command = mono_font(_MONO_POINTS), mono_font(_MONO_POINTS)
        self._head.setBold(True)
        self._reason, self._grave = text_font(SMALL_POINTS), text_font(SMALL_POINTS, semibold=True)

    def show_lines(self, lines: Sequence[CommandLine]) -> None:
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.show_rows(self._lines[:_AT_ONCE])

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self.rowCount() < len(self._lines)

    def fetchMore(self, parent: Index) -> None:
        """Take the next lines in; a view asks for them as soon as its end is in sight."""
        if self.canFetchMore(parent):
            shown = self.rowCount()
            self.add_rows(self._lines[shown : shown + _AT_ONCE])

    def _made_columns(self) -> tuple[TableColumn[CommandLine], ...]:
        return (
            TableColumn(
                title=_("Command"),
                text=lambda line: line.text,
                tip=lambda line: line.text.strip(" \\"),
                look=self._look_of_command,
            ),
            TableColumn(title=_("Why"), text=lambda line: capital(line.reason), tip=_why, look=self._look_of_reason),
        )

    def _look_of_command(self, line: CommandLine, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole:
            return self._head if line.head else self._command
        return _look(line, role, Tone.TEXT)

    def _look_of_reason(self, line: CommandLine, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole:
            return self._grave if line.irreversible else self._reason
        return _look(line, role, Tone.MUTED)


def _look(line: CommandLine, role: int, usual: Tone) -> object:
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    if role == Qt.ItemDataRole.BackgroundRole:
        return theme().colour(Tone.SELECTION) if line.unsure else None
    return theme().colour(Tone.TEXT if line.irreversible else usual) if role == Qt.ItemDataRole.ForegroundRole else None


def _why(line: CommandLine) -> str:
    return f"{line.reason} [{line.rule_id}]" if line.rule_id else line.reason


# Advice for the machine around the pool, piece by piece: what, the command to copy, why, and where it is from.


def advice_blocks(advice: Sequence[HostAdvice]) -> Iterator[Shown]:
    """Yield the advice; a link is of the rule that is asked “Why?”."""
    words = {"setting": _("Setting"), "timer": _("Timer"), "command": _("Command"), "note": _("Note")}
    choice = None
    for item in advice:
        if item.choice is not choice:
            choice = item.choice
            before, after = (
                _("Decide before you run the script."),
                _("Once the pool exists. The script runs none of it."),
            )
            yield Words(before if choice else after, TextTone.MUTED)
        sources = "" if item.rule_id else "; ".join(map(str, item.sources))  # else behind “Why?”
        small = (sentence(item.reason), item.why, _("Source: {sources}", sources=sources) if sources else "")
        title = f"{words[item.kind]}: {item.title}" if item.kind in words else item.title
        yield Words(title, strong=True, small=" ".join(part for part in small if part))
        if item.command:
            yield Code(text=item.command)
        if item.content:
            yield Words(_("In {file}:", file=item.file))
            yield Code(text=item.content)
        if item.rule_id:
            yield Link(text=_("Why?"), of=item.rule_id)


# What there is to say about the script: why there is none, that it was saved and how to use it.

_MOST_REASONS = 3
# What is sent for copying the line that checks, saving anew, and binding disks; all else is a page, and what it shows.
COPY, SAVE, BIND = "copy", "save", "bind"


def lasting(design: Design) -> Message:
    """Return what the script decides once and for all, and where it is changed."""
    root = next((dataset for dataset in design.datasets if not dataset.name), Dataset(name=""))
    case = Resolver(design).value(root, "casesensitivity")
    title = _("Cannot be changed later: ashift {ashift}, {encrypted}, casesensitivity={case}.", ashift=design.ashift,
              encrypted=_("encrypted") if encryption_roots(design) else _("not encrypted"), case=case)  # fmt: skip
    return Message(title=title, offers=((_("Change…"), "design/datasets"),), framed=False)


def exists(pool: str) -> Message:
    offers = ((_("Compare"), "pools/design"), (_("Grow"), "design/growth"), (_("Migrate"), "pools/migration"))
    return Message(title=sentence(exists_already(pool)), offers=offers, bold=True, apart=True)


def refused(error: PoolwrightError, disks: Iterable[Disk]) -> Message:
    """Return why no script can be written of a design with these disks, and what to do: bind them to real ones."""
    there = tuple(disks)
    planned = any(disk.planned for disk in there)
    listed = [disk for disk in there if disk.by_id or disk.origin_of("by_id") is None]  # of others it was looked
    unnamed = [(device_problem(disk) or "", short_name(disk)) for disk in listed if disk.by_id_name is None]
    why = error.reasons if isinstance(error, Refusal) else (error.text,)
    others = [f"• {reason}" for reason in why if not reason.startswith(tuple(why for why, __ in unnamed))]
    title, todo = _("No script can be written for this design yet."), error.todo or ""
    if planned:
        title, todo, others = _("This is a plan: a script needs real disks."), "", []
    elif unnamed:
        names = first_of(sorted(name for __, name in unnamed))
        title, todo = _("No stable name is known for {disks}.", disks=names), mixed_words(there)
    return Message(
        title=title,
        tone=Tone.NOTE if planned or (unnamed and not others) else Tone.BLOCK,
        reasons=first_of(others, _MOST_REASONS, between="\n") if others else "",
        todo=todo,
        offers=((_("Bind disks…"), BIND),) if planned or unnamed else ((_("Choose disks"), "disks"),),
        bold=True,
    )


def blocked(finding: Finding) -> Message:
    """Return which rule a design breaks whose commands nobody should run."""
    return Message(
        title=_("Do not build this: {title}.", title=_(finding.title).rstrip(".。")),
        tone=Tone.BLOCK,
        reasons=finding.text,
        offers=((_("Change the design"), "design"),),
        bold=True,
    )


def saved_to(path: Path) -> Message:
    return Message(
        title=_("Saved to {path}", path=path),
        tone=Tone.OK,
        reasons=f"sudo bash {shlex.quote(path.name)} --check",  # for machines
        todo=_("Run this on the machine first: it checks every disk and changes nothing."),
        offers=((_("Copy this line"), COPY), (_("Save script…"), SAVE)),
        bold=True,
        command=True,
    )
