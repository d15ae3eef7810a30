"""Findings one below the other: severity as a word in its colour, what is found, and “Why?”."""

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from poolwright.domain.finding import SEVERITY_WORDS, Finding, Outcome, Severity, UsedFact
from poolwright.domain.version import versions_between
from poolwright.emit.report import Code, TextTone, Words
from poolwright.guide import guide_of_rule
from poolwright.rules.facts import FACTS
from poolwright.rules.rulebook import explain_rule
from poolwright.rules.texts import plain_value
from poolwright.texts import _, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.save_file import keep_size
from poolwright.ui.parts.theme import GRID, Tone

# How severities are shown: a colour, an icon of the same name, and a word; the gravest first.
SEVERITY_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.NOTE}
_ORDER = tuple(SEVERITY_TONES)


def text_of(finding: Finding) -> str:
    """Return what a finding says; where a rule has no words for what is unknown, the facts: the title says of what."""
    if not finding.unworded:
        return finding.sentence
    return _("Not known: {facts}.", facts=", ".join(dict.fromkeys(map(_words, finding.missing))))


def word_of(finding: Finding) -> str:
    return _("Cannot tell") if finding.outcome is Outcome.CANNOT_TELL else _(SEVERITY_WORDS[finding.severity])


def each_count(blocks: int = 0, warnings: int = 0, notes: int = 0, unknown: int = 0) -> tuple[str, ...]:
    """Return how many there are of each, in words; empty where there are none."""
    return (
        _("{count} critical", count=blocks) if blocks else "",
        ngettext("{count} warning", "{count} warnings", warnings) if warnings else "",
        ngettext("{count} note", "{count} notes", notes) if notes else "",
        ngettext("{count} unknown", "{count} unknown", unknown) if unknown else "",
    )


def finding_blocks(findings: Sequence[Finding]) -> list[Shown]:
    """Return findings, the gravest first, each with the link “Why?” that is of it."""
    known = (f for f in findings if f.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL))
    gravest_first = sorted(known, key=lambda f: (f.outcome is Outcome.CANNOT_TELL, _ORDER.index(f.severity)))
    nothing: Shown = Words(_("No findings."), TextTone.MUTED)
    return [shown for finding in gravest_first for shown in _shown(finding)] or [nothing]


def _shown(finding: Finding) -> tuple[Shown, Shown]:
    tone = TextTone.MUTED if finding.outcome is Outcome.CANNOT_TELL else TextTone(finding.severity.value)
    title = f"{word_of(finding)}: {finding.title}"
    return Words(title, tone, strong=True, small=text_of(finding)), Link(text=_("Why?"), of=finding)


# “Why?”: what a finding rests on: its reason, its facts with their origins, its sources.

_SIZE = QSize(82 * GRID, 70 * GRID)


class WhyDialog(QDialog):
    """Stands beside the window, which ``parent`` is a page of, while it is read. Parts with an empty text are left out.
    The rule may be ``explained`` below them; a link leads to the page of the guide on what it judges.
    """

    def __init__(
        self, title: str, parent: QWidget, parts: Iterable[tuple[str, str]], rule_id: str, *, explained: bool = True
    ) -> None:
        super().__init__(parent)
        session = self._session = parent.session  # type: ignore[attr-defined]
        self.setWindowTitle(_("Why? {title}", title=title))
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_SIZE.boundedTo(parent.window().size()))
        self.text = ReportView(self.windowTitle(), self)
        self.text.pressed.connect(self._on_pressed)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        widgets.column((self.text, 1), buttons, of=self, around=2 * GRID)
        keep_size(self)
        blocks: list[Shown] = []
        for heading, text in parts:
            if text:
                blocks += (subheading(heading), *map(Words, text.split("\n")))
        rule = session.rules and session.rules.rule(rule_id)
        if explained and rule is not None:
            blocks.append(Code(text=explain_rule(rule, session.rules)))
        self.text.show_blocks((*blocks, *guide_links(rule_id)))
        self.show()

    def _on_pressed(self, what: str) -> None:
        self.accept()
        self._session.asked.emit("reference", what)


def guide_links(rule_id: str) -> Iterator[Link]:
    page = guide_of_rule(rule_id)
    if page is not None:
        yield Link(text=_("Guide: {title}", title=page.title), of=f"guide:{page.name}")


def show_why(page: QWidget, of: Finding | str) -> None:
    """Tell what a finding rests on, or explain the rule with this id; ``page`` has the session."""
    session = page.session  # type: ignore[attr-defined]
    rule = session.rules and session.rules.rule(str(of))
    if isinstance(of, Finding):
        _show_finding(page, of)
    elif rule is not None:
        WhyDialog(rule.title, page, (), of)
    else:
        session.say(_("There is no rule {rule} any more.", rule=of))


def _show_finding(page: QWidget, finding: Finding) -> None:
    rule = f"{finding.rule_id}, {_(finding.basis)}, {_(finding.subject)}"
    parts = (
        (f"{word_of(finding)}: {finding.title}", text_of(finding)),
        (_("Why"), finding.why),
        (_("What to do"), finding.advice if finding.outcome is Outcome.VIOLATED else ""),
        (_("Not known"), ", ".join(dict.fromkeys(map(_words, finding.missing)))),
        (_("Facts it looked at"), "\n".join(map(_fact_words, finding.facts))),
        (_("Sources"), "\n".join(map(str, finding.sources))),
        (_("Holds for"), versions_between(finding.since, finding.until)),
        (_("Rule"), _("{rule}, your own", rule=rule) if finding.users_own else rule),
    )
    WhyDialog(finding.title, page, parts, finding.rule_id, explained=False)


def _fact_words(fact: UsedFact) -> str:
    origin = str(fact.origin) if fact.origin else _("origin not known")
    return f"{_words(fact.name)}: {plain_value(fact.value)} ({origin})"


def _words(name: str) -> str:
    known = FACTS.get(name)
    return known.shown if known else name
