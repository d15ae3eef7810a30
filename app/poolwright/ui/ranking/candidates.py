"""The layouts of a recommendation as a table: sorted by value, filtered by words and families.

One model keeps rows, order and filter. A Python sort of keys is some twenty times faster than a proxy that asks this
model for two values at each comparison, and 5000 rows must not be felt. Of very many layouts it holds those that
a person would ask for, and more when asked; what a cell shows is worked out when it is looked at.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt

from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.advise.stock import Way
from poolwright.advise.told import below_words
from poolwright.advise.words import describe_pool
from poolwright.domain.cells import csv_text
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.units import MB, TB, TIB
from poolwright.predict.number_words import operations_text, rounded
from poolwright.predict.speed import Typical
from poolwright.ui.parts.expected_words import odds_text
from poolwright.ui.parts.model_index import SHARE_ROLE, Index
from poolwright.ui.ranking.columns import CandidateColumn, headings, meanings
from poolwright.ui.ranking.marks import mark_of_below, mark_of_best
from poolwright.ui.ranking.speeds import untold

MORE = 1000  # rows that are taken in when more are asked for
_MEASURED = 200  # rows whose texts are measured for the width of a column
CANDIDATE_ROLE = Qt.ItemDataRole.UserRole + 2

_ROOT = QModelIndex()
_TEXT_COLUMNS = (CandidateColumn.LAYOUT, CandidateColumn.FAMILY)
# What is best: the highest, or the lowest value. Columns that are no merit have none.
_HIGHEST_IS_BEST = (
    CandidateColumn.SCORE, CandidateColumn.USABLE, CandidateColumn.SURVIVES, CandidateColumn.READ,
    CandidateColumn.WRITE, CandidateColumn.RANDOM_READ, CandidateColumn.RANDOM_WRITE
)  # fmt: skip
_LOWEST_IS_BEST = (CandidateColumn.COST, CandidateColumn.RISK, CandidateColumn.REBUILD)
_SHOWN_STRANDED = 0.005  # TB: less is the partition table and the rounding of slices


@dataclass(slots=True)
class _Row:
    """A candidate with the values its cells are sorted by. The words are made when first needed: they cost most."""

    candidate: Candidate
    rank: int
    kept_words: str | None = None

    @property
    def words(self) -> str:
        if self.kept_words is None:
            self.kept_words = layout_text(self.candidate)
        return self.kept_words

    @property
    def searched(self) -> str:
        return f"{self.words} {self.candidate.family}".casefold()

    def value(self, column: int) -> float | str | None:
        return _VALUES[column](self)


def layout_text(candidate: Candidate) -> str:
    """Return the layout in words, with the number of pools where there are several."""
    return candidate.words


def main_text(candidate: Candidate) -> str:
    """Return the main pool in words, with the number of its copies where there are several."""
    words = describe_pool(candidate.main)
    return _tr("{pools} pools: {layout}", pools=candidate.copies, layout=words) if candidate.copies > 1 else words


def violations(candidate: Candidate, severity: Severity) -> int:
    """Return how many rules of this severity the layout violates."""
    return sum(1 for f in candidate.findings if f.outcome is Outcome.VIOLATED and f.severity is severity)


class CandidateTable(QAbstractTableModel):
    """All candidates of a recommendation; shows those that the filter admits, in the order asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self._shown: list[_Row] = []
        self._recommendation: Recommendation | None = None
        self._ranks: dict[int, int] = {}
        self._best: dict[int, float | None] = {}
        self._most_usable, self._survives = 1, 0
        self._words: tuple[str, ...] = ()
        self._families: frozenset[str] | None = None
        self._sorted_by = (CandidateColumn.RANK.value, Qt.SortOrder.AscendingOrder)
        self._priced = self._packed = False
        self._longest_findings = ""

    @property
    def packed(self) -> bool:
        """Tell whether disks of several sizes are packed."""
        return self._packed

    @property
    def priced(self) -> bool:
        """Tell whether the candidates have a cost."""
        return self._priced

    def show_recommendation(self, recommendation: Recommendation | None) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._recommendation = recommendation
        ranked = recommendation.candidates if recommendation else ()
        candidates = recommendation.leading if recommendation else ()
        self._ranks = {id(candidate): rank for rank, candidate in enumerate(ranked, start=1)}
        self._rows = [_Row(candidate, self._ranks[id(candidate)]) for candidate in candidates]
        self._most_usable = max((c.usable_bytes for c in candidates), default=1)
        self._priced = any(c.cost is not None for c in candidates)
        self._packed = any(c.way is not Way.EQUAL for c in candidates)
        told = (_findings_text(row.candidate) for row in self._rows[:_MEASURED])
        self._longest_findings = max(told, key=len, default="")
        self._survives = recommendation.survives if recommendation else 0
        self._best = {}
        self._arrange()
        self.endResetModel()

    def show_more(self) -> None:
        """Take the next layouts of the ranking in as well."""
        if self._recommendation is None:
            return
        self.beginResetModel()
        held = {row.rank for row in self._rows}
        left = (rank for rank in range(1, self.total() + 1) if rank not in held)
        ranked = self._recommendation.candidates
        self._rows += [_Row(ranked[rank - 1], rank) for rank in islice(left, MORE)]
        self._best = {}
        self._arrange()
        self.endResetModel()

    def set_filter(self, text: str, families: Iterable[str] | None) -> None:
        """Show rows that hold every word of ``text`` and are of these families; None admits all families."""
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._families = None if families is None else frozenset(families)
        self._arrange()
        self.endResetModel()

    def longest_findings(self) -> str:
        """Return the longest text of the findings column among the better layouts, for its width."""
        return self._longest_findings

    def candidate(self, row: int) -> Candidate:
        """Return what a shown row stands for."""
        return self._shown[row].candidate

    def shown(self) -> tuple[Candidate, ...]:
        """Return the candidates that are shown, in their order."""
        return tuple(row.candidate for row in self._shown)

    def total(self) -> int:
        """Return the number of layouts that were found."""
        return len(self._ranks)

    def held(self) -> int:
        """Return the number of rows without a filter; `show_more` adds some of those that are left."""
        return len(self._rows)

    def row_of(self, candidate: Candidate) -> int | None:
        """Return the shown row of this candidate; None where the filter hides it."""
        return next((i for i, row in enumerate(self._shown) if row.candidate is candidate), None)

    def rank_of(self, candidate: Candidate) -> int | None:
        """Return the place of this candidate in the ranking, from 1."""
        return self._ranks.get(id(candidate))

    def csv(self, columns: Sequence[int]) -> str:
        """Return the shown rows as CSV with these columns; numbers plain, sizes in TiB as the header says."""
        units = {row.candidate.cost.currency or "" for row in self._shown if row.candidate.cost is not None}
        unit = units.pop() if len(units) == 1 else ""
        rows = ([_csv_cell(row, column, unit) for column in columns] for row in self._shown)
        heads = [self.heading(c) + (f" ({unit})" if unit and c == CandidateColumn.COST else "") for c in columns]
        return csv_text([heads, *rows])

    def heading(self, column: int) -> str:
        """Return the header of a column, with its unit."""
        return headings()[CandidateColumn(column)]

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of shown rows."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(CandidateColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return headings and what they mean."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heading(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return meanings()[CandidateColumn(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section in _TEXT_COLUMNS else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        row, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column in _TEXT_COLUMNS else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == SHARE_ROLE:
            return row.candidate.usable_bytes / self._most_usable if column == CandidateColumn.USABLE else None
        if role == CANDIDATE_ROLE:
            return row.candidate
        if column == CandidateColumn.LAYOUT and row.candidate.below:
            return mark_of_below(row.words, below_words(row.candidate, self._survives), role)
        if self._is_best(row, column):
            return mark_of_best(_text(row, column), role)
        if role == Qt.ItemDataRole.ToolTipRole and column == CandidateColumn.LAYOUT:
            return _text(row, column)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by the value in a column."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(index, self._shown[index.row()]) for index in before]
        self._sorted_by = (column, order)
        self._arrange()
        places = {id(row): number for number, row in enumerate(self._shown)}
        after = [self.index(places[id(row)], index.column()) for index, row in kept]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        column, order = self._sorted_by
        shown = [row for row in self._rows if self._admits(row)]
        known = [row for row in shown if row.value(column) is not None]
        known.sort(key=_key(column), reverse=order is Qt.SortOrder.DescendingOrder)
        # Unknown values come last, whichever way the column is sorted.
        self._shown = known + [row for row in shown if row.value(column) is None]

    def _admits(self, row: _Row) -> bool:
        if self._families is not None and row.candidate.family not in self._families:
            return False
        return all(word in row.searched for word in self._words)

    def _is_best(self, row: _Row, column: int) -> bool:
        if column not in self._best:
            self._best[column] = _best_value(self._rows, column)
        best = self._best[column]
        return best is not None and row.value(column) == best


def _width(row: _Row) -> float:
    least, most = row.candidate.widths
    return (least + most) / 2


def _findings(row: _Row) -> float:
    return 100.0 * violations(row.candidate, Severity.WARN) + violations(row.candidate, Severity.NOTE)


def _speed(row: _Row) -> Typical:
    """Return what is predicted of one pool of the layout, without the network."""
    return row.candidate.measures.forecast.speed


def _cost(row: _Row) -> float | None:
    """Return the cost to sort by; what is shown is exact."""
    return None if row.candidate.cost is None else float(row.candidate.cost.amount)


# What the columns are sorted by. The risk is that of losing any pool, the rebuild that of the main one.
_VALUES: dict[int, Callable[[_Row], float | str | None]] = {
    CandidateColumn.RANK: lambda row: row.rank,
    CandidateColumn.SCORE: lambda row: round(row.candidate.score, 1),
    CandidateColumn.LAYOUT: lambda row: row.words,
    CandidateColumn.FAMILY: lambda row: row.candidate.family,
    CandidateColumn.POOLS: lambda row: row.candidate.pool_count,
    CandidateColumn.VDEVS: lambda row: row.candidate.vdevs,
    CandidateColumn.WIDTH: _width,
    CandidateColumn.USABLE: lambda row: row.candidate.usable_bytes / TIB,
    CandidateColumn.SURVIVES: lambda row: row.candidate.failures_survived,
    CandidateColumn.DISKS: lambda row: row.candidate.used,
    CandidateColumn.SPARES: lambda row: row.candidate.spares,
    CandidateColumn.UNASSIGNED: lambda row: row.candidate.unassigned,
    CandidateColumn.STRANDED: lambda row: row.candidate.stranded_bytes / TB,
    CandidateColumn.FINDINGS: _findings,
    CandidateColumn.COST: _cost,
    CandidateColumn.READ: lambda row: _speed(row).seq_read / MB,
    CandidateColumn.WRITE: lambda row: _speed(row).seq_write / MB,
    CandidateColumn.RANDOM_READ: lambda row: _speed(row).rand_read_iops,
    CandidateColumn.RANDOM_WRITE: lambda row: _speed(row).rand_write_iops,
    CandidateColumn.RISK: lambda row: row.candidate.yearly_loss,
    CandidateColumn.REBUILD: lambda row: row.candidate.measures.forecast.rebuild_hours,
}


def _whole(value: float) -> str:
    return f"{rounded(value, 3):,.0f}"


def _hours(value: float) -> str:
    return f"{value:.1f}"


def _text(row: _Row, column: int) -> str:
    value = row.value(column)
    if column == CandidateColumn.FINDINGS:
        return _findings_text(row.candidate)
    if column == CandidateColumn.WIDTH:
        least, most = row.candidate.widths
        return f"{least}" if least == most else f"{least}–{most}"
    if column == CandidateColumn.COST and row.candidate.cost is not None:
        return str(row.candidate.cost)
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if column == CandidateColumn.SCORE:
        return f"{value:.1f}"
    if column == CandidateColumn.USABLE:
        return f"{value:.2f}"
    if column == CandidateColumn.STRANDED:
        return f"{value:.2f}" if value >= _SHOWN_STRANDED else "–"
    if column in _PREDICTED_TEXTS:
        return untold(row.candidate, column) or _PREDICTED_TEXTS[CandidateColumn(column)](value)
    return f"{value:.0f}"


_PREDICTED_TEXTS: dict[CandidateColumn, Callable[[float], str]] = {
    CandidateColumn.READ: _whole,
    CandidateColumn.WRITE: _whole,
    CandidateColumn.RANDOM_READ: operations_text,
    CandidateColumn.RANDOM_WRITE: operations_text,
    CandidateColumn.RISK: odds_text,
    CandidateColumn.REBUILD: _hours,
}


def _findings_text(candidate: Candidate) -> str:
    warnings, notes = violations(candidate, Severity.WARN), violations(candidate, Severity.NOTE)
    parts = []
    if warnings:
        parts.append(_tr("1 warning") if warnings == 1 else _tr("{count} warnings", count=warnings))
    if notes:
        parts.append(_tr("1 note") if notes == 1 else _tr("{count} notes", count=notes))
    return ", ".join(parts) or _tr("none")


def _key(column: int) -> Callable[[_Row], Any]:
    def value(row: _Row) -> Any:
        return row.value(column)

    return value


def _best_value(rows: Sequence[_Row], column: int) -> float | None:
    """Return what is best in a column; None where nothing is, or all are equal."""
    if column not in (*_HIGHEST_IS_BEST, *_LOWEST_IS_BEST):
        return None
    values = [v for row in rows if isinstance(v := row.value(column), int | float)]
    if not values or min(values) == max(values):
        return None
    return max(values) if column in _HIGHEST_IS_BEST else min(values)


def _csv_cell(row: _Row, column: int, unit: str) -> str:
    """Return a cell for CSV; a cost exactly, with its currency where the column's heading does not say ``unit``."""
    cost = row.candidate.cost
    if column != CandidateColumn.COST or cost is None:
        return _csv_value(row.value(column))
    return cost.plain() if unit else f"{cost.plain()} {cost.currency or ''}".rstrip()


def _csv_value(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        # Probabilities are smaller than any fixed number of digits.
        return f"{value:.6f}".rstrip("0").rstrip(".") if value == 0 or value >= 1 else f"{value:.6g}"
    return str(value)


def _tr(text: str, **values: object) -> str:
    return QCoreApplication.translate("candidates", text).format(**values)
