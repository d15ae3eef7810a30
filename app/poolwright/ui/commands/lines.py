"""The commands of a design line by line, each line with its reason; and the design in other forms."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QStackedWidget, QTextBrowser, QWidget

from poolwright.domain.design import Dataset, Design, HostAdvice
from poolwright.domain.disk import Disk
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.finding import Finding
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import exists_already
from poolwright.emit.command_lines import CommandLine
from poolwright.emit.disk_words import short_name
from poolwright.emit.exports import EXPORTS, ExportContext, ExportFormat, export_format, export_text
from poolwright.emit.names import device_problem
from poolwright.emit.report import Code, TextTone, Words
from poolwright.emit.script import FIXED_PART, fixed_part_sum
from poolwright.emit.sheet import recovery_sheet
from poolwright.machine.by_id import mixed_words
from poolwright.paper.report_pdf import drawn_elsewhere
from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE, write_script
from poolwright.texts import _, capital, first_of, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.note_lines import Message
from poolwright.ui.parts.report_view import Link, Shown
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.table import Index, RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, mono_font, text_font, theme
from poolwright.ui.parts.widgets import ChoiceBox, ElidedLabel, ToneLabel
from poolwright.ui.state.session import Session

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
BIND = "design/binding"  # for machines: a page, and what it shows


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


def saved_to(path: Path, copy: Callable[[], object], save: Callable[[], object]) -> Message:
    """Return how to check what was saved there; its buttons ``copy`` that line, and ``save`` anew."""
    return Message(
        title=_("Saved to {path}", path=path),
        tone=Tone.OK,
        reasons=f"sudo bash {shlex.quote(path.name)} --check",  # for machines
        todo=_("Run this on the machine first: it checks every disk and changes nothing."),
        offers=((_("Copy this line"), copy), (_("Save script…"), save)),
        bold=True,
        command=True,
    )


# The design in the form that is chosen: what the form is for, and its text.

SCRIPT = "sh"
_GROUPS = ("sheet", "ansible")  # the forms that begin one: scripts stand before the papers, other programs' after them
_TABLE = '<table width="100%" cellspacing="0" cellpadding="4">'
_ROWS, _ROW_END, _MOST_ROWS = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL), "</tr>", 60
_MOST_LINES = 10_000  # of a form that is data; Qt takes in many more in one turn, too long for the window


class ExportPane(QWidget):
    """Shows one form of the current design; ``changed`` says that other text is shown."""

    changed = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._design: Design | None = None
        self._context: ExportContext | None = None
        self._error: PoolwrightError | None = None
        self.content = self._shown_text = self._script = ""
        self.fixed = ElidedLabel(Tone.MUTED, self)
        self.fixed.setFont(mono_font(SMALL_POINTS))
        self.purpose = ToneLabel("", Tone.MUTED, self)
        around = (2 * GRID, 0, 2 * GRID, GRID)
        column = widgets.column(self.purpose, self.fixed, of=self, gap=GRID // 2, around=around)
        self.chooser = self._make_chooser()
        self.stack = QStackedWidget(self)
        self.text = self._make_text()
        self.page = widgets.named(QTextBrowser(self), _("The page as it is printed"))
        self.page.setOpenLinks(False)
        self.stack.addWidget(self.text)
        self.stack.addWidget(self.page)
        column.addWidget(self.stack, 1)
        self._show()

    @property
    def form(self) -> ExportFormat:
        return export_format(str(self.chooser.currentData()))

    @property
    def lines(self) -> int:
        return self.content.count("\n")

    def show_design(self, design: Design | None, context: ExportContext | None, script: str = "") -> None:
        """Show a design, whose ``script`` may be written already."""
        self._design, self._context, self._script = design, context, script
        self._show()

    def text_in(self, key: str) -> str:
        if self._design is None or self._context is None:
            raise Refusal(_("No design yet: choose a layout first."))
        return self._script if key == SCRIPT and self._script else export_text(key, self._design, self._context)

    def _make_chooser(self) -> ChoiceBox:
        chooser = ChoiceBox(self, _("Form of export"), letters=6)
        chooser.setMinimumHeight(4 * GRID)
        for form in EXPORTS:
            if form.key in _GROUPS:
                chooser.insertSeparator(chooser.count())
            chooser.addItem(_(form.title), form.key)
            chooser.setItemData(chooser.count() - 1, _(form.purpose), Qt.ItemDataRole.ToolTipRole)
        chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        chooser.setMaximumWidth(36 * GRID)
        chooser.currentIndexChanged.connect(self._show)
        return chooser

    def _make_text(self) -> QPlainTextEdit:
        text = QPlainTextEdit(self)
        text.setReadOnly(True)
        text.setUndoRedoEnabled(False)
        text.setFont(mono_font(SMALL_POINTS))
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        return text

    def _show(self) -> None:
        form = self.form
        self._error, self.content = None, ""
        try:
            self.content = self.text_in(form.key)
        except PoolwrightError as error:
            self._error = error
        self._say_purpose(form)
        name = _("The script") if form.key == SCRIPT else _(form.title)
        self.text.setAccessibleName(name)
        self.stack.setCurrentWidget(self.page if form.paged else self.text)
        if form.paged:  # with as many rows of each table as a person reads here; Qt lays out a table in one go
            html = _ROWS.sub(self._first_rows, self.content)
            self.page.setHtml(html.replace("<table>", _TABLE))  # Qt reads no such room from the style of a page
        else:
            shown = self.content if form.key == SCRIPT else self._first_lines(self.content)
            if shown != self._shown_text:  # else one would be led back to its first line
                self._shown_text = shown
                self.text.setPlainText(shown)
        self.text.setPlaceholderText(_("This design cannot be written in this form yet."))
        self.changed.emit()

    def _first_lines(self, text: str) -> str:
        """Return as much of a form as a person reads here, with a line on the rest; a script is always whole."""
        left = text.count("\n") - _MOST_LINES
        if left <= 0:
            return text
        rest = ngettext(
            "… {count} further line is saved and copied", "… {count} further lines are saved and copied", left
        )
        first = text.split("\n", _MOST_LINES)[:-1]
        return "\n".join((*first, rest))

    def _first_rows(self, rows: re.Match[str]) -> str:
        first = rows[0].split(_ROW_END, _MOST_ROWS)
        left = first[-1].count(_ROW_END)
        if not left:
            return rows[0]
        rest = ngettext(
            "{count} further row is saved and in the PDF", "{count} further rows are saved and in the PDF", left
        )
        return f"{_ROW_END.join(first[:-1])}{_ROW_END}<tr><td colspan='7'>{rest}</td></tr>"

    def _say_purpose(self, form: ExportFormat) -> None:
        self._say_checksum(form)
        self.purpose.setVisible(form.key != SCRIPT)
        # Why there is no script stands above all panes already.
        if self._error is None or self._design is None or form.key == SCRIPT:
            self.purpose.setText(_(form.purpose))
            self.purpose.set_tone(Tone.MUTED)
        else:
            reasons = self._error.reasons if isinstance(self._error, Refusal) else ()
            reason = "; ".join(reasons) or self._error.what
            self.purpose.setText(_("Not for this design: {reason}", reason=reason))
            self.purpose.set_tone(Tone.WARN)

    def _say_checksum(self, form: ExportFormat) -> None:
        self.fixed.setVisible(form.fixed_part is not None)
        if form.fixed_part is not None:
            checksum = fixed_part_sum(form.fixed_part)
            self.fixed.show_text(_("Fixed part: sha256 {checksum}", checksum=checksum))
            tip = _("Everything after “{title}” is the same in every script. sha256: {checksum}")
            self.fixed.setToolTip(tip.format(title=FIXED_PART, checksum=checksum))

    def ask_where(self) -> None:
        if self._design is not None:
            endings = ("html", "pdf") if self.form.paged else ()
            ask_where(self, self.form.name_for(self._design), self.save_to, *endings)

    def save_to(self, path: str) -> None:
        if self.form.paged and path.endswith(".pdf"):
            self.save_pdf_to(path)
        else:
            self._session.write(path, self.content, SCRIPT_MODE if self.form.program else PLAIN_MODE)

    def write_script_to(self, path: Path) -> None:
        """Write the guarded script, and the advice for its host beside it; raises as `text_in` and `write_script`."""
        advised = self._context is not None and bool(self._context.advice)
        write_script(path, self.text_in(SCRIPT), self.text_in("advice") if advised else None)

    def save_pdf_to(self, path: str) -> None:
        if self._design is None or self._context is None:
            return
        sheet = recovery_sheet(self._design, self._context.stamp)
        self._session.write_beside(_(self.form.title), path, drawn_elsewhere(sheet))
