"""Findings one below the other: severity as icon and word, what is found, and “Why?”."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from poolwright.domain.finding import Finding, Outcome, Severity, UsedFact
from poolwright.rules.facts import FACTS
from poolwright.rules.model import RuleBook, explain_rule
from poolwright.rules.texts import plain_value
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.save_file import keep_size
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, Tone, mono_font, text_font

_ICONS = {Severity.BLOCK: ("block", Tone.BLOCK), Severity.WARN: ("warn", Tone.WARN), Severity.NOTE: ("note", Tone.NOTE)}
_ORDER = (Severity.BLOCK, Severity.WARN, Severity.NOTE)


def text_of(finding: Finding) -> str:
    """Return what a finding says; where a rule has no words for what is unknown, the facts: the title says of what."""
    if not finding.unworded:
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


# How severities are shown: a colour, an icon of the same name, and a word.

SEVERITY_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.NOTE}


def severity_word(severity: Severity) -> str:
    words = {Severity.BLOCK: tell("Block"), Severity.WARN: tell("Warning"), Severity.NOTE: tell("Note")}
    return words[severity]


# “Why?”: what a finding rests on: its reason, its facts with their origins, its sources.

_WIDTH, _HEIGHT = 82 * GRID, 70 * GRID


class WhyDialog(QDialog):
    """Stands beside the window while it is read; closed with Escape."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tell("Why? {title}", title=title))
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_WIDTH, _HEIGHT)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.viewport().setAutoFillBackground(False)
        inner = QWidget(area)
        self.body = lay.column(of=inner, around=(0, 0, GRID, 0))
        area.setWidget(inner)
        inner.setAutoFillBackground(False)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        lay.column((area, 1), buttons, of=self, around=2 * GRID)
        keep_size(self)

    def add_part(self, heading: str, text: str) -> None:
        """Add a paragraph under a heading; nothing for an empty text."""
        if not text:
            return
        if heading:
            self.add_heading(heading)
        label = ToneLabel(text, Tone.TEXT, self)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.body.addWidget(label)

    def add_heading(self, heading: str) -> None:
        label = ToneLabel(heading, Tone.MUTED, self)
        label.setFont(text_font(semibold=True))
        lay.room(label, around=(0, GRID, 0, 0))
        self.body.addWidget(label)


class FindingDialog(WhyDialog):
    """The facts, origins and sources of a finding."""

    def __init__(self, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(finding.title, parent)
        self._add_head(finding)
        self.add_part("", text_of(finding))
        self.add_part(tell("Why"), finding.why)
        if finding.outcome is Outcome.VIOLATED:
            self.add_part(tell("What to do"), finding.advice)
        self.add_part(tell("Not known"), ", ".join(_words(name) for name in finding.missing))
        if finding.facts:
            self.add_heading(tell("Facts it looked at"))
            self.body.addLayout(_facts_grid(finding.facts, self))
        self.add_part(tell("Sources"), "\n".join(map(str, finding.sources)))
        self.add_part(tell("Holds for"), self._versions(finding))
        rule = tell(
            "{rule}, {basis}, about {subject}",
            rule=finding.rule_id,
            basis=tell(finding.basis),
            subject=tell(finding.subject),
        )
        self.add_part(tell("Rule"), tell("{rule}, your own", rule=rule) if finding.users_own else rule)
        self.body.addStretch(1)

    def _add_head(self, finding: Finding) -> None:
        name, tone = mark_of(finding)
        head = ToneLabel(finding.title, tone, self)
        head.setFont(text_font(HEADING_POINTS, semibold=True))
        word = word_of(finding)
        mark = QLabel(self)
        mark.setPixmap(icons.icon(name, tone).pixmap(icons.MEDIUM, icons.MEDIUM))
        mark.setAccessibleName(word)
        self.body.addLayout(lay.row(mark, (ToneLabel(word, tone, self), 1)))
        self.body.addWidget(head)

    def _versions(self, finding: Finding) -> str:
        if finding.since and finding.until:
            return tell("OpenZFS {since} to before {until}", since=finding.since, until=finding.until)
        if finding.since:
            return tell("OpenZFS {since} and newer", since=finding.since)
        return tell("OpenZFS before {until}", until=finding.until) if finding.until else ""


class RuleDialog(WhyDialog):
    def __init__(self, title: str, explanation: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        text = QPlainTextEdit(explanation, self)
        text.setReadOnly(True)
        text.setAccessibleName(tell("The rule"))
        text.setFont(mono_font(10.0))
        self.body.addWidget(text, 1)


def show_finding(finding: Finding, parent: QWidget) -> FindingDialog:
    """Open “Why?” of a finding beside the window."""
    dialog = FindingDialog(finding, parent)
    dialog.show()
    return dialog


def show_rule(rule_id: str, book: RuleBook, parent: QWidget) -> RuleDialog | None:
    """Open the rule with this id; None where the book has no such rule."""
    rule = book.rule(rule_id)
    if rule is None:
        return None
    dialog = RuleDialog(rule.title, explain_rule(rule, book), parent)
    dialog.show()
    return dialog


def _facts_grid(facts: tuple[UsedFact, ...], parent: QWidget) -> QGridLayout:
    grid = lay.grid(gap=(2 * GRID, GRID))
    for column in range(3):
        grid.setColumnStretch(column, 1)
    for row, fact in enumerate(facts):
        words = ToneLabel(_words(fact.name), Tone.MUTED, parent)
        words.setToolTip(fact.name)
        value = ToneLabel(_value(fact), Tone.UNKNOWN if fact.value is None else Tone.TEXT, parent)
        value.setFont(text_font(semibold=fact.value is not None))
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        origin = ToneLabel(str(fact.origin) if fact.origin else tell("origin not known"), Tone.MUTED, parent)
        for column, label in enumerate((words, value, origin)):
            grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
    return grid


def _words(name: str) -> str:
    known = FACTS.get(name)
    return known.words if known else name


def _value(fact: UsedFact) -> str:
    return plain_value(fact.value)
