"""The commands that build the current design, why each line is there, and the guarded script."""

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from poolwright import __version__
from poolwright.design.edits.places import rename_pool
from poolwright.design.evaluate import Evaluation, unassigned_of
from poolwright.domain.action import CreatePool, Creation
from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Severity, violated
from poolwright.domain.names import pool_name_problem
from poolwright.emit.command_lines import ashift_reason, block_words, command_lines
from poolwright.emit.commands import shell_text
from poolwright.emit.exports import ExportContext
from poolwright.emit.names import BY_ID, Stamp
from poolwright.emit.report import Report
from poolwright.emit.script import recorded
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob, WorkerJob
from poolwright.judging import Preview, preview_of
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.drives import DriveBook
from poolwright.questions import design_report_on, write_script
from poolwright.store.design_file import to_json
from poolwright.texts import N_, _, ngettext, sentence
from poolwright.ui.commands.lines import (
    SCRIPT,
    CommandTable,
    ExportPane,
    advice_blocks,
    blocked,
    exists,
    lasting,
    refused,
    saved_to,
)
from poolwright.ui.compare.comparing import ReportDialog, write_report
from poolwright.ui.parts import widgets
from poolwright.ui.parts.given_field import Given, GivenField, paste_hint
from poolwright.ui.parts.note_lines import Message, Notice, no_design
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Folds
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.table import PADDING, WrappedDelegate, plain_table
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.parts.widgets import ChoiceBox, Complaint
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session

LEAST_ASHIFT, MOST_ASHIFT = 9, 16  # what zpool create takes
_ROW_HEIGHT = 24
_LEAST_TABLE = 4 * _ROW_HEIGHT  # a low window scrolls the page rather than a table of two lines
_MOST_OF_TABLE = 0.62
JOB_TARGET = "script"
_AT_ONCE = 150  # disks: the script of so many is written in a few milliseconds


class CommandsPage(Page):
    """Shows what would be run; nothing is run here."""

    heading = N_("Script")
    about = N_("Read it, save it, and run it on the server yourself.")
    gap: ClassVar[int] = GRID

    def missing(self) -> str:
        if self.session.design is None:
            return _("No design yet: choose a layout first.")
        if self._name_problem:
            return _("Give the pool another name.")
        if self._asking.busy:
            return _("Writing the script")
        if self._refusal is not None and not self._exists():
            return _("Disk names are missing.") if self._unnamed else _("No script yet.")
        return ""

    def main_button(self) -> QPushButton | None:
        return super().main_button() if self.session.script_saved or self._exists() else self.save

    def _exists(self) -> bool:
        design = self.session.design
        return design is not None and design.exists

    def build(self) -> None:
        self._name_problem = ""
        self._refusal: PoolwrightError | None = None
        self._unnamed = False  # refused for want of names
        self._actions: tuple[Creation, ...] = ()
        self._previewed: Design | None = None
        self._asked: tuple[Design, ExportContext] | None = None
        self._asking = Asking(self.session.jobs, self, self._on_written, self.session.complain)
        self._asking.ended.connect(self.show_missing)
        self._reporting = Asking(self.session.jobs, self, self._on_reported, self.session.complain)
        self._reporting.ended.connect(self._offer)
        self._report_path = Path()
        self._advice: tuple[HostAdvice, ...] = ()
        self._saved_to: Path | None = None
        self.export = ExportPane(self.session, self)
        self.body.addLayout(self._make_tools())
        self._problem = Complaint(_("What is wrong with the name"), self)
        self.further = FurtherPoolNames(self.session, self)
        self.notice = Notice(_("State of the script"), self)
        self.notice.pressed.connect(self._on_notice)
        self.given = GivenField(self.session, self, verb=_("Bind these"))
        self.given.taken.connect(self._on_given)
        self.lasting = Notice(_("What cannot be changed later"), self)
        self.lasting.pressed.connect(self._on_notice)
        for part in (self._problem, self.further, self.notice, self.given, self.lasting):
            self.body.addWidget(part)
        self.panes = Folds(self)
        self.panes.add(_("Your lines"), self._make_table())
        self.script = self.export.text
        self.export.changed.connect(self._show_export_title)
        self.export.chooser.activated.connect(self._on_form)
        self.panes.add(_("Whole script"), self.export)
        self.host = ReportView(_("For the host"), self, least=20 * GRID)
        self.host.document().setDocumentMargin(2 * GRID)
        self.host.pressed.connect(self.explain)
        self.host.copied.connect(self.session.copy)
        self.panes.add(_("For the host"), self.host)
        self.body.addWidget(self.panes, 1)
        self.body.addStretch(0)
        self.put_in_foot(self.report, self.copy, self.save)

    def take(self, _what: object) -> None:
        self.panes.bring_to_front(self.export)
        self.save.show()
        self.save.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        design = self.session.design
        if design is None or not self.name.hasFocus():
            self.name.setText("" if design is None else design.pool_name)
        self.name.setEnabled(design is not None and not self._exists())
        self.further.show_design(design)
        self._show_name_problem()
        self._preview()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Share the room of the table anew once it has another width."""
        if event.type() is QEvent.Type.Resize and watched is self.table.viewport():
            QTimer.singleShot(0, self, self._fit_columns)
        return super().eventFilter(watched, event)

    def commit_name(self) -> None:
        """Give the design the name that was typed, as one step that can be undone."""
        design, name = self.session.design, self.name.text()
        if design is not None and not self._name_problem and name != design.pool_name:
            self.session.change_design(design.renamed(pool_name=name), _("Rename the pool"))

    def _make_tools(self) -> QHBoxLayout:
        label = QLabel(_("Pool &name"), self)
        self.name = widgets.entry(self, _("Pool name"))
        self.name.setMinimumWidth(8 * GRID)
        self.name.setMaximumWidth(24 * GRID)
        self.name.setMinimumHeight(4 * GRID)
        self.name.setMaxLength(300)
        self.name.textEdited.connect(self._on_name_edited)
        self.name.editingFinished.connect(self.commit_name)
        label.setBuddy(self.name)
        self.copy = widgets.button(_("Copy"), self, self._copy, icon="copy")
        self.save = widgets.button(_("Save script…"), self, self._ask_where, icon="save")
        self.report = widgets.button(_("Report…"), self, self._ask_report, icon="export")
        self.ashift = ChoiceBox(self, "ashift", self._on_ashift)  # for machines
        self.ashift.offer((f"{each} ({block_words(each)})", each) for each in range(LEAST_ASHIFT, MOST_ASHIFT + 1))
        self.ashift.setMinimumHeight(4 * GRID)
        form, block = QLabel(_("&Format"), self), QLabel("&ashift", self)  # for machines
        form.setBuddy(self.export.chooser)
        block.setBuddy(self.ashift)
        return widgets.row(label, (self.name, 2), form, (self.export.chooser, 3), block, self.ashift, 0)

    def _on_ashift(self, number: int) -> None:
        self.session.set_ashift(self.ashift.itemData(number))

    def _on_form(self) -> None:
        self.panes.bring_to_front(self.table if self.export.form.key == SCRIPT else self.export)

    def _make_table(self) -> QWidget:
        self.lines = CommandTable(self)
        name = _("Command lines with reasons")
        self.table = table = plain_table(name, self.lines, self, wrapped=1, row_height=_ROW_HEIGHT)
        table.setAlternatingRowColors(False)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.horizontalHeader().hide()
        table.setStyleSheet(f"QTableView::item {{ padding: {PADDING}px {GRID}px; }}")
        table.setItemDelegateForColumn(0, WrappedDelegate(table))
        table.setMinimumHeight(_LEAST_TABLE)
        table.horizontalHeader().setStretchLastSection(True)
        table.activated.connect(self._on_activated)
        table.viewport().installEventFilter(self)
        return table

    def _on_name_edited(self) -> None:
        self._show_name_problem()
        self._preview()
        self.show_missing()

    def _show_name_problem(self) -> None:
        design = self.session.design
        name = self.name.text()
        problem = pool_name_problem(name, design.version) if design is not None else None
        if design is not None and name in {pool.pool_name for pool in design.further_pools}:
            problem = _("Another pool of the design is called “{name}”", name=name)
        self._name_problem = problem or ""
        self._problem.say(sentence(problem or ""))

    def _preview(self) -> None:
        """Show commands and script under the name in the field, which the design gets when the field is left."""
        self._asking.forget()
        design = self.session.design
        if design is None or self._name_problem:
            self._asked = None
            self._show(design, Preview())
            return
        named = design.renamed(pool_name=self.name.text())
        self._asked = named, export_context(named, self.session.assessment)
        if len(named.disks) <= _AT_ONCE:
            self._write_now()
            return
        self._previewed = None
        for part in (self.save, self.copy, self.export):
            part.setEnabled(False)
        self._asking.ask(BriefJob(_("Writing the script"), JOB_TARGET, self, write_script, *self._asked))

    def _write_now(self) -> None:
        self._asking.forget()
        if self._asked is not None:
            self._on_written(preview_of(self.session.rules, self._asked[0]))

    def _on_written(self, done: Preview) -> None:
        if self._asked is not None:
            self._show(self._asked[0], done)

    def _show(self, design: Design | None, done: Preview) -> None:
        self._actions, self._refusal, self._advice = done.actions, done.refusal, done.advice
        self.host.show_blocks(advice_blocks(self._advice))
        choices = sum(item.choice for item in self._advice)
        further = len(self._advice) - choices
        hint = _("{count} things to set up once the pool exists", count=further)
        if choices:
            hint = _("{count} to decide before, {further} once the pool exists", count=choices, further=further)
        self.panes.set_title(self.host, _("For the host"), hint)
        self.panes.offer(self.host, offered=bool(self._advice))
        self._show_commands(design)
        if self._asked is None:
            self.export.show_design(None, None)
        else:
            self.export.show_design(design, replace(self._asked[1], advice=self._advice), done.script)
        self._previewed = design if self._asked is not None and self._refusal is None else None
        self._show_notice(design)
        self.export.setEnabled(True)
        self._offer()

    def _offer(self) -> None:
        """Let copy and save be of the form that is shown; the commands themselves where that is the script."""
        script, there = self.export.form.key == SCRIPT, bool(self.export.content) and not self._asking.busy
        name = _("Copy commands") if script else _("Copy")
        self.copy.setToolTip(name)
        self.copy.setAccessibleName(name)
        self.copy.setEnabled(bool(self._actions) and self._blocking() is None if script else there)
        self.save.setText(_("Save script…") if script else _("Save…"))
        self.save.setEnabled(self._previewed is not None if script else there)
        self.save.setToolTip("" if self.save.isEnabled() else self.missing())
        saved = script and self.session.script_saved and self._saved_to is not None  # the notice offers it again
        design = self.session.design
        self.report.setVisible(design is not None)
        self.report.setEnabled(not self._reporting.busy)
        self.copy.setVisible(design is not None and not self._exists())
        self.save.setVisible(not self._exists() and not saved)
        self.show_main_button()

    def _show_commands(self, design: Design | None) -> None:
        shown = command_lines(design, self._written()) if design is not None else ()
        self.lines.show_lines(shown)
        folder, count = BY_ID.rstrip("/"), len(shown)
        hint = ngettext(
            "{count} line; names are below {folder}", "{count} lines; names are below {folder}", count, folder=folder
        )
        self.panes.set_title(self.table, _("Your lines"), hint)
        self._fit_columns()
        self.ashift.setEnabled(bool(self._actions))
        self.ashift.setPlaceholderText("" if design is None else _("not read"))
        self.ashift.setCurrentIndex(-1 if design is None else self.ashift.findData(design.known_ashift))
        if design is not None:
            self.ashift.setToolTip(ashift_reason(design, design.ashift))

    def _fit_columns(self) -> None:
        most = int(self.table.viewport().width() * _MOST_OF_TABLE)
        rows = self.lines.rowCount()
        metrics = QFontMetrics(self.lines.index(0, 0).data(Qt.ItemDataRole.FontRole)) if rows else self.fontMetrics()
        widest = max((metrics.horizontalAdvance(line.text) for line in self.lines.shown()), default=0)
        self.table.setColumnWidth(0, min(most, widest + 4 * GRID))

    def _show_export_title(self) -> None:
        form = self.export.form
        if form.key == SCRIPT:
            self.panes.set_title(self.export, _("Whole script"), _("your lines; the rest is fixed and checksummed"))
        else:
            lines = ngettext("{count} line", "{count} lines", self.export.lines) if not form.paged else ""
            self.panes.set_title(self.export, _(form.title), lines)
        self._offer()

    def _show_notice(self, design: Design | None) -> None:
        self.panes.setVisible(bool(self._actions))
        self.lasting.show_or_hide(lasting(design) if design is not None and self._actions else None)
        used = [] if design is None else [design.disk(key) for key in design.used_keys()]
        unsure = any(line.unsure for line in self.lines.shown())
        self._unnamed = self._refusal is not None and any(disk.by_id_name is None for disk in used)
        self.given.setVisible(unsure or (self._unnamed and not self._exists()))
        derived = _("Names are derived from serial numbers. To check them now, paste `ls -l /dev/disk/by-id`.")
        self.given.text.setPlaceholderText(paste_hint() if self._unnamed else derived.replace("`", ""))
        if design is None:
            self.notice.say(no_design())
        elif self._exists():
            self.notice.say(exists(design.pool_name))
        elif (finding := self._blocking()) is not None:
            self.notice.say(blocked(finding))
        elif self._refusal is not None:
            self.notice.say(refused(self._refusal, used))
        elif self.session.script_saved and self._saved_to is not None:
            self.notice.say(saved_to(self._saved_to, self._copy_check, self._ask_where))
        else:
            self.notice.hide()

    def _blocking(self) -> Finding | None:
        found = self.session.assessment
        return next(iter(violated(found.findings if found else None, Severity.BLOCK)), None)

    def _on_given(self, given: Given) -> None:
        """Let the design have the disks of what was pasted: the pairs are shown before anything is bound."""
        if given.inventory is not None:
            self.session.sources.take_read(given.inventory, given.read_from)
            self.session.ask_binding()

    def _on_notice(self, what: str) -> None:
        if "/" in what:
            self.session.asked.emit(*what.split("/"))
        else:
            self.go.emit(what)

    def _copy_check(self) -> None:
        self.session.copy(self.notice.reasons())

    def _copy(self) -> None:
        script = self.export.form.key == SCRIPT
        self.session.copy(shell_text(self._written()) if script else self.export.content)

    def _written(self) -> tuple[Creation, ...]:
        """Return the commands as the script has them: with the mark by which it knows its pool."""
        return tuple(recorded(action) if isinstance(action, CreatePool) else action for action in self._actions)

    def _on_activated(self, index: QModelIndex) -> None:
        rule_id = self.lines.row(index.row()).rule_id
        if rule_id:
            self.explain(rule_id)

    def _ask_where(self) -> None:
        self.commit_name()
        if self._asking.busy:
            self._write_now()
        if self.export.form.key != SCRIPT:
            self.export.ask_where()
        elif self._previewed is not None:
            ask_where(self, f"create-{self._previewed.pool_name}.sh", self._save_to)

    def _ask_report(self) -> None:
        self.commit_name()
        if self.session.design is not None:
            ReportDialog(self.session, f"{self.session.design.pool_name}-report.pdf", self._save_report_to, self)

    def _save_report_to(self, path: str) -> None:
        """Have the report worked out and then written, by the ending of ``path`` as PDF, HTML or Markdown."""
        if self.session.design is None:
            return
        self._report_path = Path(path)
        self.report.setEnabled(False)
        request = report_asked(self.session, self.session.design)
        self._reporting.ask(WorkerJob(_("Writing the report"), "report", self, design_report_on, *request))

    def _on_reported(self, report: Report) -> None:
        write_report(self.session, str(self._report_path), lambda: report)

    def _save_to(self, path: str) -> None:
        if self._previewed is None:
            return
        try:
            self.export.write_script_to(Path(path))
        except PoolwrightError as error:
            self.notice.say(Message(title=error.text, tone=Tone.BLOCK, bold=True))
            return
        self._saved_to = Path(path)
        self.session.mark_script_saved()
        self.session.say(_("Saved to {path}", path=path))


def report_asked(session: Session, design: Design) -> tuple[Design, DriveBook, Assumptions, date, int]:
    known, left = session.expectations, unassigned_of(design, list(session.ticked))
    return design, known.book(), known.assumed, today_here(), left


def export_context(design: Design, assessment: Evaluation | None) -> ExportContext:
    """Return what the exports of ``design`` say now; the space is that of ``assessment``, unknown without one."""
    spaces = [pool.capacity for pool in assessment.pools] if assessment is not None else []
    stamp = Stamp(generated_at=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z"), program_version=__version__)
    predicted = tuple(
        (s.pool_size_bytes, s.available_bytes) if s is not None else (None, None) for s in spaces[: len(design.pools())]
    )
    return ExportContext(stamp=stamp, predicted=predicted, design_text=to_json)


# The names of the second, third … pool of a design, a field each; hidden where there is one pool only.

_FIELDS_A_ROW = 4


class FurtherPoolNames(QWidget):
    """A name that is left is given to the pool as one step that can be undone; one that is refused says why."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.fields: list[QLineEdit] = []
        self._label = QLabel(_("Further pools"), self)
        self._label.setFont(text_font(semibold=True))
        self.problem = Complaint(_("What is wrong with the name"), self)
        self._grid = widgets.grid(gap=(GRID, GRID // 2))
        self._grid.addWidget(self._label, 0, 0)
        widgets.column(self._grid, self.problem, of=self, gap=GRID // 2)
        self.hide()

    def show_design(self, design: Design | None) -> None:
        pools = () if design is None else design.further_pools
        while len(self.fields) < len(pools):
            self._add_field()
        for number, field in enumerate(self.fields):
            field.setVisible(number < len(pools))
            if number < len(pools) and not field.hasFocus():
                field.setText(pools[number].pool_name)
        self.setVisible(bool(pools))
        self.problem.say("")

    def _add_field(self) -> None:
        number = len(self.fields)
        field = widgets.entry(self, _("Name of pool {number}", number=number + 2))
        field.setMaxLength(300)
        field.setMinimumWidth(10 * GRID)
        field.textEdited.connect(self._renamed)
        field.editingFinished.connect(self._on_left)
        self._grid.addWidget(field, number // _FIELDS_A_ROW, 1 + number % _FIELDS_A_ROW)
        self._grid.setColumnStretch(1 + number % _FIELDS_A_ROW, 1)
        self.fields.append(field)
        if number == 0:
            self._label.setBuddy(field)

    def _renamed(self) -> Design | None:
        """Return the design with the name in the field that is typed in; None where it cannot be, which is told."""
        design, field = self._session.design, self.sender()
        assert isinstance(field, QLineEdit)
        if design is None or self.fields.index(field) >= len(design.further_pools):
            return None
        try:
            changed = rename_pool(design, self.fields.index(field) + 1, field.text())
        except PoolwrightError as error:
            self.problem.say(error.text)
            return None
        self.problem.say("")
        return changed

    def _on_left(self) -> None:
        changed = self._renamed()
        if changed is not None:
            self._session.change_design(changed, _("Rename the pool"))
