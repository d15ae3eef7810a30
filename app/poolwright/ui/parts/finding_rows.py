"""Findings one below the other: severity as icon and word, what is found, and “Why?”."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.rules.facts import FACTS
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.scrolled_rows import ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone, text_font

_ICONS = {Severity.BLOCK: ("block", Tone.BLOCK), Severity.WARN: ("warn", Tone.WARN), Severity.NOTE: ("note", Tone.NOTE)}
_ORDER = (Severity.BLOCK, Severity.WARN, Severity.NOTE)


def text_of(finding: Finding) -> str:
    """Return what a finding says; of what cannot be told, which facts are unknown: the title says of what."""
    if finding.outcome is not Outcome.CANNOT_TELL or not finding.missing:
        return finding.sentence
    words = (FACTS[name].words if name in FACTS else name for name in finding.missing)
    return tell("Not known: {facts}.", facts=", ".join(words))


def word_of(finding: Finding) -> str:
    if finding.outcome is Outcome.CANNOT_TELL:
        return tell("Cannot tell")
    words = {Severity.BLOCK: tell("Blocks"), Severity.WARN: tell("Warning"), Severity.NOTE: tell("Note")}
    return words[finding.severity]


def mark_of(finding: Finding) -> tuple[str, Tone]:
    """Return the icon and the colour of a finding."""
    return ("unknown", Tone.UNKNOWN) if finding.outcome is Outcome.CANNOT_TELL else _ICONS[finding.severity]


class FindingRows(ScrolledRows):
    """Shows findings, the gravest first; ``asked`` sends the finding whose “Why?” was pressed."""

    asked = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._shown: tuple[Finding, ...] | None = None
        self.show_findings(())

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the list where it has room."""
        return QSize(super().sizeHint().width(), 12 * GRID)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Replace the rows: what is violated and what cannot be told."""
        told = tuple(f for f in findings if f.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL))
        if told == self._shown:
            return
        self._shown = told
        inner = QWidget(self)
        inner.setAutoFillBackground(False)
        column = lay.column(of=inner, around=(0, 0, GRID, 0))
        for finding in sorted(told, key=_gravity):
            row = _Row(finding, inner)
            row.asked.connect(self.asked)
            column.addWidget(row)
        if not told:
            column.addWidget(ToneLabel(tell("No rule speaks against this layout."), Tone.MUTED, inner))
        column.addStretch(1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)


def _gravity(finding: Finding) -> tuple[bool, int]:
    return finding.outcome is Outcome.CANNOT_TELL, _ORDER.index(finding.severity)


class _Row(QWidget):
    asked = Signal(object)

    def __init__(self, finding: Finding, parent: QWidget) -> None:
        super().__init__(parent)
        self._finding = finding
        icon, tone = mark_of(finding)
        mark = Mark(icon, self, tone, icons.SMALL)
        title = ToneLabel(f"{word_of(finding)}: {finding.title}", tone, self)
        title.setFont(text_font(semibold=True))
        texts = lay.column(title, ToneLabel(text_of(finding), Tone.TEXT, self, small=True), gap=0)
        ask = lay.button(tell("Why?"), self, self._ask, name=tell("Why? {title}", title=finding.title))
        lay.row((mark, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), (ask, 0, Qt.AlignmentFlag.AlignTop), of=self)

    def _ask(self) -> None:
        self.asked.emit(self._finding)
