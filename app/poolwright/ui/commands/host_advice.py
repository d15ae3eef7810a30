"""Advice for the machine around the pool, piece by piece: what, the command to copy, why, and where it is from."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from poolwright.domain.design import HostAdvice
from poolwright.domain.disk import Disk, plan_only
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.texts import tell
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.row_list import COPY, ListRow, RowButton, RowList, copying
from poolwright.ui.parts.theme import GRID, Tone

_ICONS = {"setting": "settings", "timer": "refresh", "command": "commands", "note": "note"}


class HostAdviceList(RowList):
    """Shows the advice; ``asked`` sends the id of the rule whose “Why?” was pressed, ``copied`` the title."""

    asked = Signal(str)
    copied = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent, least=20 * GRID)
        self.pressed.connect(self._on_pressed)

    def show_advice(self, advice: Sequence[HostAdvice]) -> None:
        about = tell("Once the pool exists. The script runs none of it.")
        self.show_items(((about, Tone.MUTED), *map(_row, advice)))

    def _on_pressed(self, key: str, advice: HostAdvice) -> None:
        if key == COPY:
            self.copied.emit(advice.title)
        else:
            self.asked.emit(key)


def _row(advice: HostAdvice) -> ListRow:
    words = {
        "setting": tell("Setting"),
        "timer": tell("At intervals"),
        "command": tell("Command"),
        "note": tell("Note"),
    }
    why = RowButton(text=tell("Why?"), key=advice.rule_id or "", name=tell("Why? {title}", title=advice.title))
    sources = "; ".join(map(str, advice.sources))
    return ListRow(
        title=f"{words.get(advice.kind, advice.kind)}: {advice.title}",
        icon=_ICONS.get(advice.kind, "note"),
        tone=Tone.MUTED,
        texts=(
            (advice.command or "", None),
            (tell("In {file}:", file=advice.file) if advice.content else "", Tone.TEXT),
            (advice.content, None),
            (sentence(advice.reason), Tone.TEXT),
            (advice.why, Tone.MUTED),
            (tell("From: {sources}.", sources=sources) if sources else "", Tone.MUTED),
        ),
        offers=(
            *((copying(advice.title),) if advice.command or advice.content else ()),
            *((why,) if advice.rule_id else ()),
        ),
        of=advice,
    )


# What there is to say about the script: why there is none, that it was saved and how to use it.

_MOST_REASONS = 3
# What is sent for copying the line that checks, and for binding disks; everything else is the name of a page.
BIND = "bind"


class ScriptNotice(Notice):
    """One card, hidden when there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("State of the script"), parent)

    def show_no_design(self) -> None:
        self.say(
            Message(
                title=tell("There is no design yet."),
                todo=tell("Choose one of the layouts."),
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
        self.say(Message(title=error.text, tone=Tone.BLOCK, bold=True))

    def show_saved(self, path: Path) -> None:
        todo = tell("Run this line on the machine first: it checks every disk and changes nothing.")
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
