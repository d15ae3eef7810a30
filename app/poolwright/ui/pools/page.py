"""The pools that exist on the machine in front of us: their state, what the rules say, their sizes explained."""

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton

from poolwright.advise.existing.audit import AuditRequest, PoolAudit, audit_in_steps
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Severity
from poolwright.domain.inventory import Inventory
from poolwright.domain.steps import at_each
from poolwright.drive_library import load_drive_book
from poolwright.emit.report_audit import audit_report, sizes_line, summary_of
from poolwright.emit.report_html import html_text
from poolwright.emit.report_markdown import markdown_text
from poolwright.jobs.asking import Asking
from poolwright.jobs.sliced_job import SlicedJob, Work
from poolwright.rules.model import RuleBook
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.pools.device_table import PoolDevices
from poolwright.ui.pools.finding_list import PoolFindings
from poolwright.ui.pools.sizes_pane import SizesPane

_WIDE_FROM = 150 * GRID
_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.TEXT}


class PoolsPage(Page):
    """Follows the machine; nothing here changes a pool: commands are shown and copied."""

    def title(self) -> str:
        """Return the page's title."""
        return tell("Pools")

    def sentence(self) -> str:
        """Return what to do here."""
        return tell(
            "What exists on this machine, held against the rules. Commands are shown for you to run, never run."
        )

    def build(self) -> None:
        """Make choice, state and panes."""
        self._audits: tuple[PoolAudit, ...] = ()
        self._of: tuple[Inventory, RuleBook] | None = None
        self._asking = Asking(self.session.jobs, self)
        self._asking.answered.connect(self._on_audited)
        self._asking.failed.connect(self.session.complain)
        self._empty = ToneLabel("", Tone.MUTED, self)
        self._empty.setAccessibleName(tell("Why no pool is shown"))
        self._read = lay.button(tell("Read a machine"), self, self._go_disks, icon="machine")
        self._choice = QComboBox(self)
        self._choice.setAccessibleName(tell("Pool"))
        self._choice.currentIndexChanged.connect(self._show_chosen)
        self._state = ToneLabel("", Tone.TEXT, self)
        self._state.setFont(text_font(semibold=True))
        self._state.setAccessibleName(tell("State of the pool"))
        self._save = lay.button(tell("Report…"), self, self._on_save, icon="export", tip=tell("Save all as a report"))
        self._told = ToneLabel("", Tone.MUTED, self, small=True)
        self.findings, self.devices, self.sizes = PoolFindings(self), PoolDevices(self), SizesPane(self)
        self.panes = Panes(tell("Parts of the audit"), _WIDE_FROM, self)
        self.panes.add(tell("Findings"), self.findings, Place(rows=2))
        self.panes.add(tell("Devices"), self.devices, Place(column=1))
        self.panes.add(tell("What is it, really?"), self.sizes, Place(row=1, column=1))
        self.panes.setMinimumWidth(60 * GRID)
        self.body.addWidget(self._empty)
        self.body.addWidget(self._read, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addLayout(lay.row(self._choice, (self._state, 1), self._save))
        self.body.addWidget(self._told)
        self.body.addWidget(self.panes, 1)
        self.body.addStretch(0)

    def refresh(self) -> None:
        """Audit the machine anew where it or the rules are others now."""
        inventory, rules = self.session.inventory, self.session.rules
        there = inventory is not None and any(not pool.importable for pool in inventory.pools)
        self._show_parts(shown=there and rules is not None)
        if inventory is None or rules is None or not there:
            self._empty.setText(self._why_empty(inventory))
            return
        if self._of is not None and self._of[0] is inventory and self._of[1] is rules:
            return
        self._of, self._audits = (inventory, rules), ()
        self._state.setText(tell("Looking at the pools…"))
        self._asking.ask(SlicedJob(tell("Judging the pools"), "audit", _auditing(inventory, rules), self))

    def main_button(self) -> QPushButton | None:
        """Return the button that goes on from here."""
        return self._read if self._read.isVisibleTo(self) else self._save

    def _why_empty(self, inventory: Inventory | None) -> str:
        if self.session.rules is None and inventory is not None:
            return self.session.rules_problem or tell("The rules are being loaded.")
        if inventory is None:
            return tell(
                "No machine was read yet. Read one on the Disks page, or paste the output of `zpool status` there."
            )
        exported = [pool.name for pool in inventory.pools if pool.importable]
        if exported:
            return tell("No pool is imported. Exported, and not judged: {names}.", names=", ".join(exported))
        return tell(
            "{machine} has no imported pool. Read a machine with pools, or paste the output of `zpool status`.",
            machine=inventory.name,
        )

    def _show_parts(self, *, shown: bool) -> None:
        for part in (self._state, self._save, self._told, self.panes):
            part.setVisible(shown)
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
        texts = (sizes_line(audit), audit.pool.status or "", *audit.pool.scans, *audit.pool.operations)
        self._told.setText(" · ".join(text for text in texts if text))
        self.findings.show_audit(audit)
        self.devices.show_audit(audit)
        self.sizes.show_audit(audit)

    def _chosen(self) -> PoolAudit | None:
        number = self._choice.currentIndex()
        return self._audits[number] if 0 <= number < len(self._audits) else None

    def _on_save(self) -> None:
        dialog = save_dialog(self, tell("Save the audit"), "audit.html", tell("Report"), "html")
        dialog.fileSelected.connect(self._write)
        dialog.open()

    def _write(self, name: str) -> None:
        machine = self._of[0].name if self._of is not None else ""
        made = tell("Poolwright, {moment}", moment=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))
        report = audit_report(self._audits, machine=machine, made=made)
        text = markdown_text(report) if name.lower().endswith(".md") else html_text(report)
        try:
            with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123 - the name comes from the dialog
                file.write(text)
        except OSError as error:
            self.session.complain(tell("The report was not saved: {why}", why=error.strerror or str(error)))
            return
        self.session.say(tell("Saved as {name}.", name=name))

    def _go_disks(self) -> None:
        self.go.emit("disks")


def _auditing(inventory: Inventory, rules: RuleBook) -> Work:
    try:
        drives = load_drive_book()
    except PoolwrightError:
        drives = None
    yield None
    request = AuditRequest.usual(datetime.now().astimezone().date())
    return (yield from at_each(audit_in_steps(rules, inventory, request, drives), lambda _: None))
