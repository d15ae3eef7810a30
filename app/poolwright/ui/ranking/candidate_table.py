"""The layouts of a recommendation as a table: sorted by value, filtered by words and families.

Where there are very many layouts, a recommendation holds only those that a person would ask for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt

from poolwright.design.answers import rivals, speed_on_cards
from poolwright.design.candidate import Candidate
from poolwright.design.explanations import below_words, order_words, why_below
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Severity, violated
from poolwright.domain.units import GB, TB, TIB
from poolwright.predict.number_words import SPEED_TITLES, cell_text, odds_text, operations_text, rounded
from poolwright.questions import RankedRows
from poolwright.texts import _, ngettext, numeral
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import KEY_ROLE, ROW_ROLE, Index, RowModel, TableColumn
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, text_font, theme

_IN_SIGHT = 20  # rows that are looked at first
_RISING = Qt.SortOrder.AscendingOrder


@dataclass(frozen=True, slots=True, eq=False)
class Divider:
    """A row that says why those below it stand there: below a floor (``warns``), or with more points than the first."""

    text: str
    warns: bool


class CandidateTable(RowModel[Candidate]):
    """The rivals of a recommendation, or all of it; shows those that the filter admits, in the order asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        searched = lambda c: f"{c.words} {c.family}"  # noqa: E731
        super().__init__(self._make_columns(), parent, searched=searched)
        self._found: RankedRows | None = None
        self._ranks: dict[int, int] = {}
        self._rivals: tuple[Candidate, ...] = ()
        self._layouts: dict[int, str] = {}  # the layouts in words, made when first needed: they cost most
        self._dividers: dict[int, Divider] = {}  # by the candidate that each stands above
        self._currency = ""  # of all costs that are shown, where they have one
        self.priced = self.stranded = self.shelved = self.whole = False  # whole: more than the rivals is shown
        self.speed = CandidateColumn.RANDOM_READ  # the one that is on the cards
        self.sort(CandidateColumn.RANK)

    def show_recommendation(self, found: RankedRows | None) -> None:
        self._found, self._layouts = found, {}
        candidates = found.candidates if found else ()
        self._ranks = {id(candidate): rank for rank, candidate in enumerate(candidates, start=1)}
        self.priced = any(c.cost is not None for c in candidates)
        self.stranded = any(c.stranded_bytes >= SHOWN_STRANDED for c in candidates[:_IN_SIGHT])
        self.shelved = any(c.measures.single_points or c.unit_survived for c in candidates[:_IN_SIGHT])
        self.speed = SPEED_COLUMNS[speed_on_cards(found)] if found else self.speed
        above, below = rivals(found) if found else ((), ())
        self._rivals = (*above, *below)
        self._dividers = {}
        if found and below and above:
            self._dividers[id(below[0])] = Divider(_("Below: {why}", why=why_below(below[0], found)), warns=True)
        for other in above[1:2]:
            for text in order_words(other, found) if found else ():
                self._dividers[id(other)] = Divider(text, warns=False)
        self._show_chosen(())

    def show_whole(self, *, whole: bool) -> None:
        self.whole = whole
        self._show_chosen(())

    def let_in(self, candidate: Candidate) -> None:
        """Show this one too where it is none of the rivals: it was chosen on a card, in the chart or before."""
        if not self.whole and id(candidate) in self._ranks and self.line_of(id(candidate)) is None:
            self._show_chosen((candidate,))

    def _show_chosen(self, more: tuple[Candidate, ...]) -> None:
        found = self._found.candidates if self._found else ()
        wanted = {id(candidate) for candidate in (*self._rivals, *more)}
        self.show_rows(found if self.whole else [c for c in found if id(c) in wanted])

    def _arranged(self) -> list[Candidate]:
        """Put the dividers between the rivals, where these stand in the order of the ranking."""
        rows: list[Any] = super()._arranged()
        if self.whole or self._sorted_by != (CandidateColumn.RANK, _RISING):
            return rows
        parted: list[Any] = [part for row in rows for part in (self._dividers.get(id(row)), row) if part is not None]
        return parted

    @property
    def dividers(self) -> tuple[int, ...]:
        lines = (self.line_of(id(divider)) for divider in self._dividers.values())
        return tuple(line for line in lines if line is not None)

    def shown(self) -> tuple[Candidate, ...]:
        rows: tuple[Any, ...] = super().shown()
        return tuple(row for row in rows if not isinstance(row, Divider))

    def candidate(self, line: int) -> Candidate | None:
        row: Any = self.row(line)
        return None if isinstance(row, Divider) else row

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let nobody stop at the divider."""
        row: Any = self.row(index.row()) if index.isValid() else None
        if isinstance(row, Divider):
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row: Any = self.row(index.row()) if index.isValid() else None
        if not isinstance(row, Divider):
            told = super().data(index, role)
            return text_font(SMALL_POINTS, semibold=True) if role == Qt.ItemDataRole.FontRole and told else told
        if role in (KEY_ROLE, ROW_ROLE):
            return None
        if role == Qt.ItemDataRole.DecorationRole and index.column() == CandidateColumn.RANK:
            return icons.icon("warn", Tone.WARN) if row.warns else None
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().colour(Tone.MUTED)
        return row.text if role == Qt.ItemDataRole.DisplayRole and index.column() == CandidateColumn.RANK else None

    def total(self) -> int:
        """Return how many layouts meet the wishes; those that are not listed were not judged by the rules."""
        return self._found.feasible if self._found else 0

    def row_of(self, candidate: Candidate) -> int | None:
        return self.line_of(id(candidate))

    def rank_of(self, candidate: Candidate) -> int | None:
        return self._ranks.get(id(candidate))

    def csv(self, columns: Iterable[int] | None = None) -> str:
        """Return the shown rows as CSV; numbers plain, sizes in TiB and costs in the currency that the header says."""
        currencies = {c.cost.currency or "" for c in self.shown() if c.cost is not None}
        self._currency = currencies.pop() if len(currencies) == 1 else ""
        return super().csv(columns)

    def csv_title(self, number: int) -> str:
        whole = {0: _("Rank"), CandidateColumn.USABLE: _("Usable (TiB)"), CandidateColumn.RISK: _("Loss a year")}
        title = whole.get(number) or super().csv_title(number)
        return f"{title} ({self._currency})" if self._currency and number == CandidateColumn.COST else title

    def _make_columns(self) -> tuple[TableColumn[Candidate], ...]:
        """Return the columns in the order of `CandidateColumn`."""
        words = self._shown_words
        usable = _("What zfs list shows for all new, empty pools together")
        stranded = _("Space on the assigned disks that no vdev can use, in TB")
        loss = _("The probability per year of losing the pool, by all causes")
        shelf, yes, no = _("Whether the loss of any one shelf or controller is survived"), _("yes"), _("no")
        rebuild = _("The rebuild of one disk of the slowest vdev when the pool is 80 % full, typical")
        writes = _("Random writes a second of one pool, typical; ?: unpredictable, run the benchmark")
        cost: Callable[[Candidate], float | None] = lambda c: None if c.cost is None else float(c.cost.amount)  # noqa: E731
        grave = lambda c: sum(100.0 if f.severity is Severity.WARN else 1.0 for f in violated(c.findings))  # noqa: E731
        stranded_shown = lambda value: numeral(value, ".2f") if value * TB >= SHOWN_STRANDED else "–"  # noqa: E731
        layout, none = self._look_of_layout, _("none")
        whole, gravest = (lambda c: ", ".join(_told_findings(c)) or none), (lambda c: (*_told_findings(c), none)[0])
        return (
            _column("#", "", self.rank_of),
            TableColumn(title=_("Layout"), text=words, value=words, tip=words, look=layout, plain=lambda c: c.words),
            _column(_("TiB"), usable, lambda c: c.measures.usable_bytes / TIB, three_digits, best=max),
            _column(
                _("Survives"), "", lambda c: c.measures.failures_survived, text=lambda c: c.survives_counts, best=max
            ),
            _column(_("Spares"), _("Hot and distributed"), lambda c: c.spare_count, best=max),
            _column(_("Loss, 1 in"), loss, lambda c: c.measures.any_loss, one_in_text, best=min),
            _column(_("Shelf"), shelf, lambda c: float(bool(c.unit_survived)), lambda on: yes if on else no, best=max),
            _column(_("Resilver, h"), rebuild, lambda c: c.measures.forecast.rebuild_hours, hours_shown, best=min),
            _speed(_("Read IOPS"), "", "rand_read_iops"),
            _column(
                _("Score"), _("Points for your goal, of 100"), lambda c: round(c.score, 1), partial(numeral, form=".1f")
            ),
            _column(
                _("Cost"), "", cost, text=lambda c: "–" if c.cost is None else str(c.cost), plain=self._cost, best=min
            ),
            _column(_("Disks"), _("Disks used, spares included"), lambda c: c.used_count, hidden=True),
            _column(_("Unused"), "", lambda c: c.idle_disks, hidden=True),
            _column(_("Stranded (TB)"), stranded, lambda c: c.stranded_bytes / TB, stranded_shown, hidden=True),
            _column(_("Findings"), "", grave, text=gravest, tip=whole, plain=whole, hidden=True),
            _speed(_("Read (GB/s)"), "", "seq_read", hidden=True),
            _speed(_("Write (GB/s)"), "", "seq_write", hidden=True),
            _speed(_("Write IOPS"), writes, "rand_write_iops", hidden=True),
            _speed(_("Sync IOPS"), _(SPEED_TITLES["sync_write_iops"]), "sync_write_iops", hidden=True),
        )

    def _shown_words(self, candidate: Candidate) -> str:
        words = self._layouts.get(id(candidate))
        if words is None:
            words = self._layouts[id(candidate)] = candidate.short_words
        return words

    def _cost(self, candidate: Candidate) -> str:
        cost = candidate.cost
        if cost is None:
            return ""
        return cost.plain() if self._currency else f"{cost.plain()} {cost.currency or ''}".rstrip()

    def _look_of_layout(self, candidate: Candidate, role: int) -> object:
        """Return what marks a layout that is below a floor: an icon, and why in words."""
        if not candidate.below:
            return None
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon("warn", Tone.WARN) if self.whole else None  # among rivals the divider says it
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().colour(Tone.MUTED)
        if role not in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        below = below_words(candidate, self._found.survives if self._found else 0)
        why = _("Not for a first choice: it {below}.", below=below)
        between = "\n" if role == Qt.ItemDataRole.ToolTipRole else ". "
        return f"{self._shown_words(candidate)}{between}{why}"


# The columns of the table of layouts: their order, what they mean and show, and which are shown where.


class CandidateColumn(IntEnum):
    RANK = 0
    LAYOUT = 1
    USABLE = 2
    SURVIVES = 3
    SPARES = 4
    RISK = 5
    SHELF = 6
    REBUILD = 7
    RANDOM_READ = 8
    SCORE = 9
    COST = 10
    DISKS = 11
    UNASSIGNED = 12
    STRANDED = 13
    FINDINGS = 14
    READ = 15
    WRITE = 16
    RANDOM_WRITE = 17
    SYNC_WRITE = 18


# The column of each speed, by its name; that of the speed on the cards is shown.
SPEED_COLUMNS = {
    "rand_read_iops": CandidateColumn.RANDOM_READ,
    "seq_read": CandidateColumn.READ,
    "seq_write": CandidateColumn.WRITE,
    "rand_write_iops": CandidateColumn.RANDOM_WRITE,
    "sync_write_iops": CandidateColumn.SYNC_WRITE,
}


SHOWN_STRANDED = 5_000_000_000  # bytes: less is the partition table and the rounding of slices


def three_digits(value: float) -> str:
    return numeral(value, ",.0f") if value >= 100 else numeral(value, ".3g")


def hours_shown(hours: float) -> str:
    return numeral(hours, ",.0f") if hours >= 10 else numeral(hours, ".1f")


def one_in_text(probability: float) -> str:
    """Return a probability as the number that stands behind “1 in”: 16,000; as a percentage where it is large."""
    words = odds_text(max(probability, 1e-15))
    return words.removeprefix(_("1 in {count}", count=""))


def _column(
    title: str,
    meaning: str,
    value: Callable[[Candidate], float | None],
    shown: Callable[[float], str] = "{:.0f}".format,
    **more: Any,
) -> TableColumn[Candidate]:
    """Return a column of numbers, "–" where there is none."""

    def text(candidate: Candidate) -> str:
        known = value(candidate)
        return "–" if known is None else shown(known)

    def plain(candidate: Candidate) -> str:
        return _csv_value(value(candidate))

    more = {"text": text, "plain": plain, **more}
    return TableColumn(title=title, meaning=meaning, value=value, number=True, **more)


def _speed(title: str, meaning: str, name: str, *, hidden: bool = False) -> TableColumn[Candidate]:
    """Return a column of one speed of a pool, as clients get it; `cell_text` where its band is wide."""
    counted = name.endswith("iops")

    def value(candidate: Candidate) -> float:
        speed: float = getattr(candidate.measures.forecast.speed, name)
        return speed if counted else min(speed, candidate.measures.ideal.network) / GB

    def text(candidate: Candidate) -> str:
        # Not of the whole predictions: their risk places the disks, half a second of two thousand.
        first = candidate.of_data[0].candidate if candidate.of_data else candidate
        rate: Estimate = getattr(first.main.predictions.speed, name)
        return cell_text(rate, operations_text if counted else lambda value: numeral(rounded(value / GB, 3), ",g"))

    return _column(title, meaning, value, text=text, best=max, hidden=hidden)


def _told_findings(candidate: Candidate) -> list[str]:
    warnings, notes = (len(violated(candidate.findings, each)) for each in (Severity.WARN, Severity.NOTE))
    told = [ngettext("{count} warning", "{count} warnings", warnings)] if warnings else []
    return [*told, ngettext("{count} note", "{count} notes", notes)] if notes else told


def _csv_value(value: float | None) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    # Probabilities are smaller than any fixed number of digits.
    return f"{value:.6f}".rstrip("0").rstrip(".") if value == 0 or value >= 1 else f"{value:.6g}"
