"""The pools that exist on the machine in front of us: their state, what the rules say, their sizes explained."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QComboBox, QPushButton, QVBoxLayout, QWidget

from poolwright.capacity.explained import SizeCascade
from poolwright.changes.against.difference import against_live_in_steps
from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.changes.as_design import why_no_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_in_steps, tree_lines
from poolwright.changes.improve.ground import PoolMove
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.existing_pool import VdevSizes
from poolwright.domain.finding import Severity
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.units import binary
from poolwright.drive_library import load_drive_book
from poolwright.emit.change import guarded_text, live_commands
from poolwright.emit.report import html_text, markdown_text
from poolwright.emit.report_pools import WAYS, audit_report, counted_words, rest_words, sizes_line, summary_of
from poolwright.jobs.job import Asking, SlicedJob, Work
from poolwright.rules.model import RuleBook
from poolwright.texts import marked, tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import CascadeStep
from poolwright.ui.parts.lay import ScrolledRows, SmallHeading, ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.row_list import Item, ListRow, RowList
from poolwright.ui.parts.save_file import KeptNames, ask_where
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme
from poolwright.ui.pools.improve_pane import MigrationPane, PoolImprover, audit_items
from poolwright.ui.state.session import Session

_WIDE_FROM = 150 * GRID
_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.TEXT}


class PoolsPage(Page):
    """Follows the machine; nothing here changes a pool: commands are shown and copied."""

    heading = marked("Pools")
    about = marked("The pools of this machine against the rules. Commands are shown, never run.")

    def build(self) -> None:
        self._audits: tuple[PoolAudit, ...] = ()
        self._of: tuple[Inventory, RuleBook] | None = None
        self._asking = Asking(self.session.jobs, self, self._on_audited, self.session.complain)
        self._empty = ToneLabel("", Tone.MUTED, self)
        self._read = lay.button(tell("Read a machine"), self, self._go_disks, icon="machine")
        self._choice = lay.named(QComboBox(self), tell("Pool"))
        self._choice.currentIndexChanged.connect(self._show_chosen)
        self._state = ToneLabel("", Tone.TEXT, self, bold=True)
        self._save = lay.button(tell("Report…"), self, self._on_save, icon="export")
        self._open = lay.button(tell("Open as design"), self, self._on_open, icon="design")
        self._told = ToneLabel("", Tone.MUTED, self, small=True)
        self.findings = RowList(tell("What was found"), self)
        self.devices, self.sizes = PoolDevices(self), SizesPane(self)
        self._make_panes()
        self._wide = True
        self._fit(wide=False)
        self.body.addWidget(self._empty)
        self.body.addWidget(self._read, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addLayout(lay.row(self._choice, (self._state, 1), self._open, self._save))
        self.body.addWidget(self._told)
        self.body.addLayout(lay.row((self.panes, 1), (self.facts, 1), gap=3 * GRID), 1)
        self.body.addStretch(0)

    def _make_panes(self) -> None:
        """Make the parts: in a wide window what the pool is stands beside what is to be said of it."""
        self.against, self.improver = AgainstDesign(self.session, self), PoolImprover(self.session, self)
        self.improver.opened.connect(self._take_change)
        self.improver.moving.connect(self._plan_move)
        self.facts = Panes(tell("The pool as it is"), 0, self)
        self.panes = Panes(tell("Parts of the audit"), _WIDE_FROM, self)
        self.panes.keep_tabs(only_tabs=True)
        self._facts = ((tell("Devices"), self.devices), (tell("What is it, really?"), self.sizes))
        for number, (title, pane) in enumerate(self._facts):
            self.facts.add(title, pane, Place(row=number))
        self.panes.add(tell("Findings"), self.findings, Place())
        for title, pane in self._facts:
            self.panes.add(title, pane, Place())
        self.panes.add(tell("Design"), self.against, Place())
        self.panes.add(tell("Improve"), self.improver, Place())
        self.migration = MigrationPane(self.session, self)
        self.panes.add(tell("Move"), self.migration, Place())
        self.panes.shown_changed.connect(self._work_out)
        self.panes.setMinimumWidth(60 * GRID)

    def refresh(self) -> None:
        inventory, rules = self._machine(), self.session.rules
        there = inventory is not None and bool(inventory.imported())
        self._show_parts(shown=there and rules is not None)
        if inventory is None or rules is None or not there:
            self._empty.setText(self._why_empty(inventory))
            return
        if self._of is not None and self._of[0] is inventory and self._of[1] is rules:
            self._compare()
            return
        self._of, self._audits = (inventory, rules), ()
        self._state.setText(tell("Looking at the pools…"))
        self._asking.ask(SlicedJob(tell("Judging the pools"), "audit", _auditing(inventory, rules), self))

    def _machine(self) -> Inventory | None:
        at_hand = self.session.work.at_hand
        if at_hand is not None and at_hand.inventory.imported():
            return at_hand.inventory
        return self.session.inventory

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.body.count():
            self._fit(wide=event.size().width() >= _WIDE_FROM)

    def _fit(self, *, wide: bool) -> None:
        if wide == self._wide:
            return
        self._wide = wide
        leaves, takes = (self.panes, self.facts) if wide else (self.facts, self.panes)
        for _, pane in self._facts:
            leaves.hold(pane, held=False)
            takes.hold(pane, held=True)
        self.facts.setVisible(wide and not self.panes.isHidden())

    def main_button(self) -> QPushButton | None:
        return self._read if self._read.isVisibleTo(self) else self._save

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        """Begin at the choice of the pool, else at what is to be said of the only one."""
        wanted = (self._choice, self.panes.tabs)
        return next((widget for widget in wanted if widget in stops), super().first_stop(stops))

    def _why_empty(self, inventory: Inventory | None) -> str:
        if self.session.rules is None and inventory is not None:
            return self.session.rules_problem or tell("The rules are being loaded.")
        if inventory is None:
            return tell("No machine was read yet. Read one on Disks, or paste `zpool status` there.")
        return ". ".join(why_no_pool(inventory))

    def _show_parts(self, *, shown: bool) -> None:
        for part in (self._state, self._open, self._save, self._told, self.panes):
            part.setVisible(shown)
        self.facts.setVisible(shown and self._wide)
        self._choice.setVisible(shown and len(self._audits) > 1)
        self._empty.setVisible(not shown)
        self._read.setVisible(not shown)

    def _on_audited(self, audits: tuple[PoolAudit, ...]) -> None:
        self._audits = audits
        name = self._choice.currentText()
        self._choice.blockSignals(True)
        self._choice.clear()
        self._choice.addItems([audit.pool.name for audit in audits])
        gravest = [number for number, audit in enumerate(audits) if audit.gravest is Severity.BLOCK]
        kept = self._choice.findText(name)
        self._choice.setCurrentIndex(kept if kept >= 0 else gravest[0] if gravest else 0)
        self._choice.blockSignals(False)
        self._choice.setVisible(len(audits) > 1)
        self._show_chosen()

    def _show_chosen(self) -> None:
        audit = self._chosen()
        if audit is None:
            return
        self._state.set_tone(_TONES[audit.gravest] if audit.gravest is not None else Tone.OK)
        self._state.setText(summary_of(audit))
        texts = (sizes_line(audit), audit.unread, audit.pool.status or "", *audit.pool.scans, *audit.pool.operations)
        self._told.set_tone(Tone.WARN if audit.unread else Tone.MUTED)
        self._told.setText(" · ".join(text for text in texts if text))
        self.findings.show_items(audit_items(audit))
        self.devices.show_audit(audit)
        self.sizes.show_audit(audit)
        self.improver.show_audit(audit)
        self._open.setEnabled(audit.made is not None)
        self._compare()
        if self._of is not None:
            self.migration.show_pool(self._of[0], audit.pool.name, self.session.design)

    def _compare(self) -> None:
        audit = self._chosen()
        if audit is not None and self._of is not None:
            self.against.compare(self.session.design, self._of[0], audit.pool)
        self._work_out()

    def _work_out(self) -> None:
        if self.panes.shows(self.improver):
            self.improver.work_out()

    def _on_open(self) -> None:
        audit = self._chosen()
        if audit is None or audit.made is None:
            return
        self._put_design(audit.made.design)
        self.go.emit("design")

    def _take_change(self, design: Design) -> None:
        self._put_design(design)
        self.panes.bring_to_front(self.against)

    def _plan_move(self, move: PoolMove) -> None:
        self.migration.ask_for(move.layout, move.bought)
        self.panes.bring_to_front(self.migration)

    def _put_design(self, design: Design) -> None:
        self.session.change_design(design, tell("Open pool as design"))
        self.session.say(tell("The pool {pool} is the design now; Undo takes it back.", pool=design.pool_name))

    def _chosen(self) -> PoolAudit | None:
        number = self._choice.currentIndex()
        return self._audits[number] if 0 <= number < len(self._audits) else None

    def _on_save(self) -> None:
        ask_where(self, tell("Save the audit"), "audit.html", tell("Report"), self._write)

    def _write(self, name: str) -> None:
        if self._of is None:
            return
        made = tell("Poolwright, {moment}", moment=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))
        report = audit_report(self._audits, self._of[0], made=made)
        self.session.write(name, markdown_text(report) if name.lower().endswith(".md") else html_text(report))

    def _go_disks(self) -> None:
        self.go.emit("disks")


def _auditing(inventory: Inventory, rules: RuleBook) -> Work:
    try:
        drives = load_drive_book()
    except PoolwrightError:
        drives = None
    yield None
    request = AuditRequest.usual(datetime.now().astimezone().date())
    return (yield from audit_in_steps(rules, inventory, request, drives))


# “What is it, really?”: each size that zpool and zfs print, from where it begins to what is printed, step by step.


class SizesPane(ScrolledRows):
    """Shows the cascades of one pool; a press on a step unfolds its bytes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("What is it, really?"), parent)
        self.steps: list[CascadeStep] = []
        self._shown: PoolAudit | None = None

    def show_audit(self, audit: PoolAudit) -> None:
        if audit is self._shown:
            return
        self._shown = audit
        self.steps = []
        inner = QWidget(self)
        column = lay.column(of=inner, gap=0, around=(0, 0, GRID, 0))
        sizes = audit.sizes
        for cascade in sizes.cascades() if sizes is not None else ():
            self._add(cascade, inner, column)
        missing = sizes.missing if sizes is not None else (audit.problem,)
        texts = [tell("Not read: {what}", what=text) for text in missing if text]
        if sizes is not None and sizes.rounded:
            texts.append(tell("Printed with three digits; with -p sizes are exact."))
        for text in texts:
            column.addWidget(ToneLabel(text, Tone.MUTED, inner, small=True))
        column.addStretch(1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _add(self, cascade: SizeCascade, inner: QWidget, column: QVBoxLayout) -> None:
        most = max(1, *(step.bytes_left for step in cascade.steps))
        title = f"{cascade.title}: {binary(cascade.printed_bytes)}"
        parts: list[QWidget] = [SmallHeading(title, inner)]
        for step in cascade.steps:
            line = CascadeStep(inner)
            line.show_step(step, most, "")
            self.steps.append(line)
            parts.append(line)
        told = ToneLabel(rest_words(cascade), Tone.MUTED, inner, small=True)
        lay.room(told, around=(GRID, 0, 0, 2 * GRID))
        for part in (*parts, told):
            column.addWidget(part)


# The open design against the pool that exists: what differs, the commands that change it, what cannot be changed.

_MARKS = {
    LiveWay.STEP: ("next", Tone.ACCENT),
    LiveWay.CANNOT: ("block", Tone.BLOCK),
    LiveWay.LEFT: ("note", Tone.NOTE),
    LiveWay.UNKNOWN: ("unknown", Tone.MUTED),
}


class AgainstDesign(QWidget):
    """Holds the open design against one pool whenever either is another, with commands to be copied or saved."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._text = ""
        self._of: tuple[Design, Inventory, Pool] | None = None
        self._asking = Asking(session.jobs, self, self._show_comparison, self.say)
        self.told = ToneLabel("", Tone.TEXT, self)
        self._copy = lay.button(tell("Copy commands"), self, self._on_copy, icon="copy")
        self._save = lay.button(tell("Save commands…"), self, self._on_save, icon="save")
        self.list = RowList(tell("What differs"), self)
        lay.column(lay.row((self.told, 1), self._copy, self._save), (self.list, 1), of=self)
        self.compare(None, None, None)

    def compare(self, design: Design | None, inventory: Inventory | None, pool: Pool | None) -> None:
        """Hold this design against this pool of the machine; without a design say how to come by one."""
        if design is None or inventory is None or pool is None:
            self._of = None
            self._asking.forget()
            self.say(tell("Open a design, and it is compared with this pool."))
            return
        now = (design, inventory, pool)
        if self._of is not None and all(old is new for old, new in zip(self._of, now, strict=True)):
            return
        self._of = now
        self._asking.ask(SlicedJob(tell("Comparing with the design"), "design", against_live_in_steps(*now), self))

    def say(self, text: str) -> None:
        self._text = ""
        self.told.setText(text)
        self.told.set_tone(Tone.MUTED)
        self._show_rows(None)

    def _show_comparison(self, comparison: LiveComparison) -> None:
        self._text = guarded_text(comparison)
        self.told.setText(counted_words(comparison))
        self.told.set_tone(Tone.TEXT if comparison.differences else Tone.OK)
        self._show_rows(comparison)

    def _show_rows(self, comparison: LiveComparison | None) -> None:
        for button in (self._copy, self._save):
            button.setVisible(bool(self._text))
        items: list[Item] = []
        if comparison is not None:
            before = comparison.before if self._text else ()
            items += [(tell("First: {text}", text=text), Tone.WARN) for text in before]
            lines = live_commands(comparison)
            for way, (title, _) in WAYS.items():
                found = [difference_row(one, lines.get(one, ())) for one in comparison.of_way(way)]
                items += [tell(title), *found] if found else []
        self.list.show_items(items)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self._session.say(tell("The commands were copied."))

    def _on_save(self) -> None:
        ask_where(self, tell("Save the commands"), "change-pool.sh", tell("Shell script"), self.write)

    def write(self, name: str) -> None:
        self._session.write(name, self._text)


def difference_row(difference: LiveDifference, lines: tuple[str, ...]) -> ListRow:
    icon, tone = _MARKS[difference.way]
    texts = ((difference.reason, Tone.MUTED), (difference.rewrite, Tone.MUTED), ("\n".join(lines), None))
    return ListRow(title=difference.text, icon=icon, tone=tone, bold=False, texts=texts)


# The vdevs and devices of one pool with state, errors and sizes, indented as `zpool status` prints them.

_WELL = frozenset({"ONLINE", "AVAIL"})
_LEAST = 24 * GRID  # px of a name: in a small window the others are scrolled to
_SOMETIMES = (4, 5, 6, 7)  # sizes, ashift and remark: shown where the pool has such


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLine:
    """A vdev or device, how deep it lies, and its sizes where they were read."""

    depth: int
    node: PoolNode
    sizes: VdevSizes | None

    @property
    def wrong(self) -> bool:
        return self.node.state is not None and self.node.state not in _WELL


class PoolDevices(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: RowModel[DeviceLine] = RowModel(_columns(), self)
        self.view = plain_table(tell("Devices of the pool"), self.model, self)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names of one kind begin alike
        self._names = KeptNames(self.view, _LEAST)
        lay.column((self.view, 1), of=self)

    def show_audit(self, audit: PoolAudit) -> None:
        self.model.show_rows(
            DeviceLine(depth=depth, node=node, sizes=audit.known.vdev(node.name))
            for depth, node in tree_lines(audit.pool)
        )
        for column in _SOMETIMES:
            self.view.setColumnHidden(column, self.model.is_empty(column))
        self._names.keep()


def _columns() -> tuple[TableColumn[DeviceLine], ...]:
    return (
        TableColumn(title=tell("Device"), text=_name, tip=_tip),
        TableColumn(title=tell("Role"), text=_role),
        TableColumn(title=tell("State"), text=lambda line: line.node.state or "", look=_state_look),
        TableColumn(
            title=tell("Errors"),
            text=_errors,
            value=_sum_of_errors,
            number=True,
            look=_error_look,
            meaning=tell("Since they were last cleared"),
        ),
        TableColumn(title=tell("Size"), text=lambda line: _size(line, "size_bytes"), number=True),
        TableColumn(title=tell("Used"), text=lambda line: _size(line, "allocated_bytes"), number=True),
        TableColumn(
            title=tell("ashift"), text=_ashift, number=True, meaning=tell("The vdev's blocks are 2^ashift bytes.")
        ),
        TableColumn(title=tell("Remark"), text=lambda line: line.node.note or ""),
    )


def _name(line: DeviceLine) -> str:
    return "\u2003" * line.depth + line.node.label


def _tip(line: DeviceLine) -> str:
    return line.node.path or line.node.name


def _sum_of_errors(line: DeviceLine) -> int | None:
    node = line.node
    known = [each for each in (node.read_errors, node.write_errors, node.checksum_errors) if each is not None]
    return sum(known) if known else None


def _errors(line: DeviceLine) -> str:
    """Return how many errors of which kind were counted; a single zero for none of any."""
    node, total = line.node, _sum_of_errors(line)
    if not total:
        return "" if total is None else "0"
    parts = (
        tell("{count} read", count=node.read_errors) if node.read_errors else "",
        tell("{count} write", count=node.write_errors) if node.write_errors else "",
        tell("{count} checksum", count=node.checksum_errors) if node.checksum_errors else "",
    )
    return ", ".join(part for part in parts if part)


def _size(line: DeviceLine, name: str) -> str:
    size = getattr(line.sizes, name) if line.sizes is not None else None
    return binary(size) if size else ""


def _ashift(line: DeviceLine) -> str:
    return str(line.sizes.ashift) if line.depth == 0 and line.sizes is not None and line.sizes.ashift else ""


def _role(line: DeviceLine) -> str:
    return "" if line.depth else line.node.section


def _state_look(line: DeviceLine, role: int) -> object:
    if not line.wrong:
        return None
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.WARN)
    return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None


def _error_look(line: DeviceLine, role: int) -> object:
    if not _sum_of_errors(line):
        return None
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.WARN)
    return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None
