"""Findings one below the other: severity as icon and word, what is found, and “Why?”."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QWidget

from poolwright.domain.finding import Finding, Outcome, Severity, UsedFact
from poolwright.rules.facts import FACTS
from poolwright.rules.model import RuleBook, explain_rule
from poolwright.rules.texts import plain_value
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.row_list import Item, ListRow, RowButton, RowList
from poolwright.ui.parts.save_file import keep_size
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, Tone, mono_font, text_font

# How severities are shown: a colour, an icon of the same name, and a word; the gravest first.
SEVERITY_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.NOTE}
_ORDER = tuple(SEVERITY_TONES)


def severity_word(severity: Severity) -> str:
    words = {Severity.BLOCK: tell("Blocks"), Severity.WARN: tell("Warning"), Severity.NOTE: tell("Note")}
    return words[severity]


def text_of(finding: Finding) -> str:
    """Return what a finding says; where a rule has no words for what is unknown, the facts: the title says of what."""
    if not finding.unworded:
        return finding.sentence
    words = (FACTS[name].words if name in FACTS else name for name in finding.missing)
    return tell("Not known: {facts}.", facts=", ".join(words))


def word_of(finding: Finding) -> str:
    return tell("Cannot tell") if finding.outcome is Outcome.CANNOT_TELL else severity_word(finding.severity)


def mark_of(finding: Finding) -> tuple[str, Tone]:
    if finding.outcome is Outcome.CANNOT_TELL:
        return "unknown", Tone.UNKNOWN
    return finding.severity.value, SEVERITY_TONES[finding.severity]


class FindingRows(RowList):
    """Shows findings, the gravest first; ``asked`` sends the finding whose “Why?” was pressed."""

    asked = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent, least=12 * GRID)
        self.pressed.connect(self._on_pressed)
        self.show_findings(())

    def show_findings(self, findings: Sequence[Finding]) -> None:
        told = sorted((f for f in findings if f.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL)), key=_gravity)
        nothing: Item = (tell("No rule speaks against this layout."), Tone.MUTED)
        self.show_items(map(_row, told) if told else (nothing,))

    def _on_pressed(self, _key: str, finding: Finding) -> None:
        self.asked.emit(finding)


def _gravity(finding: Finding) -> tuple[bool, int]:
    return finding.outcome is Outcome.CANNOT_TELL, _ORDER.index(finding.severity)


def _row(finding: Finding) -> ListRow:
    icon, tone = mark_of(finding)
    return ListRow(
        title=f"{word_of(finding)}: {finding.title}",
        icon=icon,
        tone=tone,
        title_tone=tone,
        texts=((text_of(finding), Tone.TEXT),),
        offers=(RowButton(text=tell("Why?"), key="", name=tell("Why? {title}", title=finding.title)),),
        of=finding,
    )


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
        area = ScrolledRows(self.windowTitle(), self)
        self.body = lay.column(of=area.inner, around=(0, 0, GRID, 0))
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
        label = ToneLabel(heading, Tone.MUTED, self, bold=True)
        lay.room(label, around=(0, GRID, 0, 0))
        self.body.addWidget(label)


def show_finding(finding: Finding, parent: QWidget) -> None:
    dialog = WhyDialog(finding.title, parent)
    icon, tone = mark_of(finding)
    head = ToneLabel(f"{word_of(finding)}: {finding.title}", tone, dialog)
    head.setFont(text_font(HEADING_POINTS, semibold=True))
    dialog.body.addLayout(lay.row(Mark(icon, dialog, tone, icons.MEDIUM), (head, 1)))
    since, until = finding.since, finding.until
    versions = ""
    if since and until:
        versions = tell("OpenZFS {since} to before {until}", since=since, until=until)
    elif since or until:
        newer, older = tell("OpenZFS {since} and newer", since=since), tell("OpenZFS before {until}", until=until)
        versions = newer if since else older
    rule = f"{finding.rule_id}, {tell(finding.basis)}, {tell(finding.subject)}"
    for heading, text in (
        ("", text_of(finding)),
        (tell("Why"), finding.why),
        (tell("What to do"), finding.advice if finding.outcome is Outcome.VIOLATED else ""),
        (tell("Not known"), ", ".join(map(_words, finding.missing))),
        (tell("Facts it looked at"), "\n".join(map(_fact_words, finding.facts))),
        (tell("Sources"), "\n".join(map(str, finding.sources))),
        (tell("Holds for"), versions),
        (tell("Rule"), tell("{rule}, your own", rule=rule) if finding.users_own else rule),
    ):
        dialog.add_part(heading, text)
    dialog.body.addStretch(1)
    dialog.show()


def show_rule(rule_id: str, book: RuleBook, parent: QWidget) -> bool:
    rule = book.rule(rule_id)
    if rule is not None:
        dialog = WhyDialog(rule.title, parent)
        text = lay.named(QPlainTextEdit(explain_rule(rule, book), dialog), tell("The rule"))
        text.setReadOnly(True)
        text.setFont(mono_font(10.0))
        dialog.body.addWidget(text, 1)
        dialog.show()
    return rule is not None


def _fact_words(fact: UsedFact) -> str:
    origin = str(fact.origin) if fact.origin else tell("origin not known")
    return f"{_words(fact.name)}: {plain_value(fact.value)} ({origin})"


def _words(name: str) -> str:
    known = FACTS.get(name)
    return known.words if known else name
