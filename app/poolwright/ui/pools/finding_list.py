"""The findings on one pool: what is wrong, why, what to do, what it brings, and the commands for it to be copied."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from poolwright.changes.audit import PoolAudit
from poolwright.domain.finding import Finding, Severity
from poolwright.emit.remedies import remedy_of
from poolwright.emit.report_audit import SEVERITIES
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.finding_rows import mark_of
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.scrolled_rows import ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone, mono_font, text_font


class PoolFindings(ScrolledRows):
    """Shows the findings of an audit, the gravest first, then what is not known and what differs from a design."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("What was found"), parent)
        self.rows: list[FindingRow] = []
        self._shown: PoolAudit | None = None

    def show_audit(self, audit: PoolAudit) -> None:
        if audit is self._shown:
            return
        self._shown = audit
        inner = QWidget(self)
        column = lay.column(of=inner, gap=2 * GRID, around=(0, 0, GRID, 0))
        self.rows = [FindingRow(finding, audit, inner) for finding in audit.findings]
        for row in self.rows:
            column.addWidget(row)
        if not self.rows:
            column.addWidget(ToneLabel(tell("No rule speaks against this pool."), Tone.OK, inner))
        for finding in audit.unsure:
            column.addWidget(ToneLabel(tell("Not known: {texts}", texts=finding.text), Tone.MUTED, inner, small=True))
        if audit.problem:
            column.addWidget(ToneLabel(audit.problem, Tone.MUTED, inner, small=True))
        column.addStretch(1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)


class FindingRow(QWidget):
    """One finding with its commands and a button that copies them; ``brief`` without its reasons."""

    def __init__(self, finding: Finding, audit: PoolAudit, parent: QWidget, *, brief: bool = False) -> None:
        super().__init__(parent)
        self.finding = finding
        remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
        self.commands = remedy.commands
        icon, tone = mark_of(finding)
        mark = Mark(icon, self, tone, icons.SMALL)
        title = ToneLabel(f"{tell(SEVERITIES[finding.severity])}: {finding.text}", tone, self)
        title.setFont(text_font(semibold=finding.severity is not Severity.NOTE))
        texts = lay.column(title, gap=2)
        reasons = (
            tell("Why: {why}", why=finding.why) if finding.why else "",
            tell("Advice: {advice}", advice=finding.advice) if finding.advice else "",
            tell("Gain: {gain}", gain=gain.text) if gain is not None else "",
            remedy.rewrite,
        )
        for text in reasons if not brief else ():
            if text:
                texts.addWidget(ToneLabel(text, Tone.TEXT, self, small=True))
        if remedy.commands:
            texts.addLayout(self._command_row())
        if not brief:
            texts.addWidget(ToneLabel(_source_words(finding), Tone.MUTED, self, small=True))
        lay.row((mark, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), of=self)

    def _command_row(self) -> QHBoxLayout:
        lines = ToneLabel("\n".join(self.commands), Tone.TEXT, self)
        lines.setFont(mono_font())
        lines.setTextFormat(Qt.TextFormat.PlainText)
        lines.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        lines.setAccessibleName(tell("Commands for a person to run"))
        copy = lay.button(
            tell("Copy"),
            self,
            self._on_copy,
            icon="copy",
            name=tell("Copy the commands: {title}", title=self.finding.title),
        )
        return lay.row((lines, 1), (copy, 0, Qt.AlignmentFlag.AlignTop))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self.commands) + "\n")


def _source_words(finding: Finding) -> str:
    rule = tell("Rule {rule} ({basis}).", rule=finding.rule_id, basis=tell(finding.basis))
    sources = "; ".join(dict.fromkeys(f"{tell(s.kind)}: {tell(s.ref)}" for s in finding.sources))
    return tell("{rule} Source: {sources}.", rule=rule, sources=sources) if sources else rule
