"""The rules and proposals of a rule book as a table."""

from collections.abc import Callable
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from poolwright.domain.finding import Severity
from poolwright.rules.model import PropertyRule, Rule, RuleBook
from poolwright.texts import tell
from poolwright.ui.parts import icons
from poolwright.ui.parts.severities import SEVERITY_TONES, severity_word
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone

_GRAVITY = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
_PROPOSAL_GRAVITY = 3


class RuleColumn(IntEnum):
    KIND = 0
    TITLE = 1
    SUBJECT = 2
    BASIS = 3


class RuleTable(RowModel[Rule | PropertyRule]):
    """One row per rule or proposal; the filter looks into its texts and reasons as well."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent, key=lambda rule: rule.id, searched=self._all_said)

    def show_book(self, book: RuleBook | None) -> None:
        """Show the rules of ``book``."""
        self.show_rows((*book.rules, *book.properties) if book else ())

    def _make_columns(self) -> tuple[TableColumn[Rule | PropertyRule], ...]:
        columns: tuple[tuple[str, Callable[[Rule | PropertyRule], str]], ...] = (
            (tell("Kind"), self._kind),
            (tell("Rule"), lambda rule: rule.title),
            (tell("On"), _subject),
            (tell("Rests on"), lambda rule: tell(rule.basis.value)),
        )
        return tuple(
            TableColumn(
                title=title,
                text=text,
                tip=text,
                value=gravity if number == RuleColumn.KIND else None,
                look=_icon if number == RuleColumn.KIND else None,
            )
            for number, (title, text) in enumerate(columns)
        )

    def _kind(self, rule: Rule | PropertyRule) -> str:
        return severity_word(rule.severity) if isinstance(rule, Rule) else tell("Proposal")

    def _all_said(self, rule: Rule | PropertyRule) -> str:
        cells = (self._kind(rule), rule.title, _subject(rule), tell(rule.basis.value))
        return " ".join((*cells, rule.id, rule.text.raw(), rule.why.raw()))


def gravity(rule: Rule | PropertyRule) -> int:
    """Return how grave what a rule says is, 0 the gravest; proposals come last."""
    return _GRAVITY[rule.severity] if isinstance(rule, Rule) else _PROPOSAL_GRAVITY


def _subject(rule: Rule | PropertyRule) -> str:
    return tell(rule.scope.words) if isinstance(rule, Rule) else rule.target


def _icon(rule: Rule | PropertyRule, role: int) -> object:
    if role != Qt.ItemDataRole.DecorationRole:
        return None
    if isinstance(rule, Rule):
        return icons.icon(rule.severity.value, SEVERITY_TONES[rule.severity])
    return icons.icon("recommendation", Tone.ACCENT)
