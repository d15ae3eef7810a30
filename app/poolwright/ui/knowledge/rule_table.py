"""The rules and proposals of a rule book as a table."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QSortFilterProxyModel, Qt

from poolwright.domain.finding import Severity
from poolwright.rules.model import PropertyRule, Rule, RuleBook
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import SORT_ROLE, Index
from poolwright.ui.parts.severities import SEVERITY_TONES, severity_word
from poolwright.ui.parts.theme import Tone

RULE_ROLE = Qt.ItemDataRole.UserRole + 1
_GRAVITY = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
_PROPOSAL_GRAVITY = 3


class RuleColumn(IntEnum):
    """The columns."""

    KIND = 0
    TITLE = 1
    SUBJECT = 2
    BASIS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A rule with the texts of its cells."""

    rule: Rule | PropertyRule
    cells: tuple[str, ...]
    gravity: int
    icon: str
    tone: Tone
    haystack: str


class RuleTable(QAbstractTableModel):
    """One row per rule or proposal."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[_Row, ...] = ()

    def show_book(self, book: RuleBook | None) -> None:
        """Show the rules of ``book``."""
        self.beginResetModel()
        rules: tuple[Rule | PropertyRule, ...] = (*book.rules, *book.properties) if book else ()
        self._rows = tuple(self._row(rule) for rule in rules)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rules."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(RuleColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Kind"), self.tr("Rule"), self.tr("On"), self.tr("Rests on"))[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, sorts by or stands for."""
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row.cells[index.column()]
        if role == Qt.ItemDataRole.DecorationRole and index.column() == RuleColumn.KIND:
            return icons.icon(row.icon, row.tone)
        if role == SORT_ROLE:
            return row.gravity if index.column() == RuleColumn.KIND else row.cells[index.column()].casefold()
        return row.rule if role == RULE_ROLE else None

    def matches(self, row: int, words: tuple[str, ...], gravity: int | None) -> bool:
        """Tell whether a row holds all ``words`` and is of this gravity (None: any)."""
        shown = self._rows[row]
        return (gravity is None or shown.gravity == gravity) and all(word in shown.haystack for word in words)

    def _row(self, rule: Rule | PropertyRule) -> _Row:
        if isinstance(rule, Rule):
            kind, subject = severity_word(rule.severity), rule.scope.value.replace("_", " ")
            gravity, icon, tone = _GRAVITY[rule.severity], rule.severity.value, SEVERITY_TONES[rule.severity]
        else:
            kind, subject = self.tr("Proposal"), rule.target
            gravity, icon, tone = _PROPOSAL_GRAVITY, "recommendation", Tone.ACCENT
        cells = (kind, rule.title, subject, rule.basis.value)
        text = " ".join((*cells, rule.id, rule.text.raw(), rule.why.raw())).casefold()
        return _Row(rule=rule, cells=cells, gravity=gravity, icon=icon, tone=tone, haystack=text)


class RuleFilter(QSortFilterProxyModel):
    """Sorts by value and keeps the rows that hold every word of the filter."""

    def __init__(self, table: RuleTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._words: tuple[str, ...] = ()
        self._gravity: int | None = None
        self.setSourceModel(table)
        self.setSortRole(SORT_ROLE)

    def keep(self, text: str, gravity: int | None) -> None:
        """Show rows with all words of ``text`` and of this gravity (None: any)."""
        self.beginFilterChange()
        self._words, self._gravity = tuple(text.casefold().split()), gravity
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, _source_parent: Index) -> bool:
        """Tell whether a row is shown."""
        return self._table.matches(source_row, self._words, self._gravity)
