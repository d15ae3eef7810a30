"""The layouts of a recommendation as a table: sorted by value, filtered by words and families.

Where there are very many layouts, a recommendation holds only those that a person would ask for.
"""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFontMetrics

from poolwright.design.candidate import Candidate
from poolwright.design.enumerate import family_words
from poolwright.design.told import below_words
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.units import GB, TB, TIB
from poolwright.predict.number_words import cell_text, gigabytes_text, odds_text, operations_text, rounded
from poolwright.questions import RankedRows
from poolwright.texts import _, ngettext
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, Tone, theme

_IN_SIGHT = 20  # rows that are looked at first
_MEASURED = 200  # rows whose texts are measured for the width of a column


def main_text(candidate: Candidate) -> str:
    """Return the main pool in words, with the number of its copies; all pools where each holds a kind of data."""
    if candidate.of_data:
        return candidate.words
    words = candidate.main_words
    return _("{pools} pools: {layout}", pools=candidate.copies, layout=words) if candidate.copies > 1 else words


class CandidateTable(RowModel[Candidate]):
    """All candidates of a recommendation; shows those that the filter admits, in the order asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent, searched=lambda c: f"{self._told(c)} {c.family}")
        self._total = 0
        self._ranks: dict[int, int] = {}
        self._layouts: dict[int, str] = {}  # the layouts in words, made when first needed: they cost most
        self._most_usable, self._survives = 1, 0
        self._currency = ""  # of all costs that are shown, where they have one
        self.priced = self.stranded = False  # whether any has a cost, and any of the first has disks not used whole
        self.longest_findings = ""  # among the better layouts, for the width of the column
        self.sort(CandidateColumn.RANK)

    def show_recommendation(self, recommendation: RankedRows | None) -> None:
        candidates = recommendation.candidates if recommendation else ()
        self._total = recommendation.feasible if recommendation else 0
        self._ranks = {id(candidate): rank for rank, candidate in enumerate(candidates, start=1)}
        self._layouts = {}
        self._most_usable = max((c.usable_bytes for c in candidates), default=1)
        self.priced = any(c.cost is not None for c in candidates)
        self.stranded = any(c.stranded_bytes >= SHOWN_STRANDED for c in candidates[:_IN_SIGHT])
        self.longest_findings = max((gravest_text(c) for c in candidates[:_MEASURED]), key=len, default="")
        self._survives = recommendation.survives if recommendation else 0
        self.show_rows(candidates)

    def layout_width(self, metrics: QFontMetrics, most: int) -> int:
        """Return how wide the layouts that are in sight first are in words, at most ``most`` pixels."""
        return min(max((metrics.horizontalAdvance(self._told(c)) for c in self.shown()[:_IN_SIGHT]), default=0), most)

    def total(self) -> int:
        """Return how many layouts meet the wishes; those that are not listed were not judged by the rules."""
        return self._total

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
        title = super().csv_title(number)
        return f"{title} ({self._currency})" if self._currency and number == CandidateColumn.COST else title

    def _make_columns(self) -> tuple[TableColumn[Candidate], ...]:
        """Return the columns in the order of `CandidateColumn`."""
        told, tenths, two = self._told, "{:.1f}".format, "{:.2f}".format
        layout = _("The vdevs of the pool and its hot spares; disk sizes where several are packed")
        usable = _("What zfs list shows on the new, empty pool, of all pools together")
        survives = _("That many disks may fail at once, whichever they are, and every pool is there")
        unused = _("Ticked disks of the data’s medium without a place here")
        stranded = _("What assigned disks have more than any vdev can use, in drive makers' TB")
        findings = _("Rules that this layout does not satisfy, by severity")
        loss = _("The probability that a pool is lost within a year by whatever cause, typical")
        rebuild = _("The rebuild of one disk of the slowest vdev when the pool is 80 % full, typical")
        return (
            _column(_("Rank"), _("For your goal"), self.rank_of),
            _column(_("Score"), _("Points for your goal, of 100"), lambda c: round(c.score, 1), tenths, best=max),
            TableColumn(title=_("Layout"), meaning=layout, text=told, value=told, tip=told, look=self._look_of_layout),
            TableColumn(
                title=_("Family"), hidden=True, text=lambda c: family_words(c.family), value=lambda c: c.family
            ),
            _column(_("Pools"), "", lambda c: c.pool_count, hidden=True),
            _column(_("vdevs"), _("Data vdevs of the main pool"), lambda c: c.vdevs, hidden=True),
            _column(_("Width"), _("Disks of a data vdev"), lambda c: sum(c.widths) / 2, text=_width_text, hidden=True),
            _column(_("Usable (TiB)"), usable, lambda c: c.usable_bytes / TIB, two, best=max, share=self._share),
            _column(_("Survives"), survives, lambda c: c.failures_survived, text=lambda c: c.survives_counts, best=max),
            _column(_("Disks"), _("Disks used, spares included"), lambda c: c.used, hidden=True),
            _column(_("Spares"), _("Hot and distributed"), lambda c: c.spares, hidden=True),
            _column(_("Unused"), unused, lambda c: c.idle_disks),
            _column(_("Stranded (TB)"), stranded, lambda c: c.stranded_bytes / TB, _stranded_text),
            _column(_("Findings"), findings, _findings, text=gravest_text, tip=findings_text, plain=findings_text),
            _column(_("Cost"), "", _cost, text=_cost_text, plain=self._cost, best=min),
            *_speeds(),
            _column(_("Loss a year"), loss, lambda c: c.yearly_loss, odds_text, best=min, wide_from=_WIDE),
            _column(_("Rebuild (h)"), rebuild, _rebuild, tenths, best=min, wide_from=_WIDEST),
        )

    def _share(self, candidate: Candidate) -> float:
        return candidate.usable_bytes / self._most_usable

    def _told(self, candidate: Candidate) -> str:
        words = self._layouts.get(id(candidate))
        if words is None:
            words = self._layouts[id(candidate)] = candidate.words
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
            return icons.icon("warn", Tone.WARN)
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().colour(Tone.MUTED)
        if role not in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        why = _("Not for a first choice: it {why}", why=below_words(candidate, self._survives))
        between = "\n" if role == Qt.ItemDataRole.ToolTipRole else ". "
        return f"{self._told(candidate)}{between}{why}"


# The columns of the table of layouts: their order, what they mean and show, and which are shown where.


class CandidateColumn(IntEnum):
    RANK = 0
    SCORE = 1
    LAYOUT = 2
    FAMILY = 3
    POOLS = 4
    VDEVS = 5
    WIDTH = 6
    USABLE = 7
    SURVIVES = 8
    DISKS = 9
    SPARES = 10
    UNASSIGNED = 11
    STRANDED = 12
    FINDINGS = 13
    COST = 14
    READ = 15
    WRITE = 16
    RANDOM_READ = 17
    RANDOM_WRITE = 18
    RISK = 19
    REBUILD = 20


# From these widths of the table on, in pixels, what is predicted is shown by itself; anybody may ask for it before.
_WIDE, _WIDER, _WIDEST = 124 * GRID, 152 * GRID, 184 * GRID
SHOWN_STRANDED = 5_000_000_000  # bytes: less is the partition table and the rounding of slices


def _speeds() -> tuple[TableColumn[Candidate], ...]:
    read = _("Sequential reads of one pool, as clients get them, typical; the outlook page has the band")
    write = _("Sequential writes of one pool, as clients get them, typical")
    reads = _("Random reads a second of one pool, typical")
    writes = _("Random writes a second of one pool, typical; ?: cannot tell, run the benchmark")
    return (
        _speed(_("Read (GB/s)"), read, "seq_read", _WIDER),
        _speed(_("Write (GB/s)"), write, "seq_write", _WIDER),
        _speed(_("Read IOPS"), reads, "rand_read_iops", _WIDEST),
        _speed(_("Write IOPS"), writes, "rand_write_iops", _WIDEST),
    )


def _rebuild(candidate: Candidate) -> float | None:
    return candidate.measures.forecast.rebuild_hours


def _stranded_text(value: float) -> str:
    return f"{value:.2f}" if value * TB >= SHOWN_STRANDED else "–"


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


def _speed(title: str, meaning: str, name: str, wide_from: int) -> TableColumn[Candidate]:
    """Return a column of one speed of a pool, as clients get it; `cell_text` where its band is wide."""
    counted = name.endswith("iops")

    def value(candidate: Candidate) -> float:
        speed: float = getattr(candidate.measures.forecast.speed, name)
        return speed if counted else min(speed, candidate.measures.ideal.network) / GB

    def text(candidate: Candidate) -> str:
        rate: Estimate = getattr(candidate.predictions.speed, name)
        if rate.cannot_tell:
            return cell_text(rate, operations_text if counted else gigabytes_text)
        return operations_text(rate.typical) if counted else f"{rounded(rate.typical / GB, 3):,g}"

    return _column(title, meaning, value, text=text, best=max, wide_from=wide_from)


def violations(candidate: Candidate, severity: Severity) -> int:
    return sum(1 for f in candidate.findings if f.outcome is Outcome.VIOLATED and f.severity is severity)


def _told_findings(candidate: Candidate) -> list[str]:
    warnings, notes = violations(candidate, Severity.WARN), violations(candidate, Severity.NOTE)
    told = [ngettext("{count} warning", "{count} warnings", warnings)] if warnings else []
    return [*told, ngettext("{count} note", "{count} notes", notes)] if notes else told


def findings_text(candidate: Candidate) -> str:
    return ", ".join(_told_findings(candidate)) or _("none")


def gravest_text(candidate: Candidate) -> str:
    """Return how many of its gravest findings a layout has: the warnings, else the notes."""
    return next(iter(_told_findings(candidate)), "") or _("none")


def _findings(candidate: Candidate) -> float:
    return 100.0 * violations(candidate, Severity.WARN) + violations(candidate, Severity.NOTE)


def _width_text(candidate: Candidate) -> str:
    least, most = candidate.widths
    return f"{least}" if least == most else f"{least}–{most}"


def _cost(candidate: Candidate) -> float | None:
    return None if candidate.cost is None else float(candidate.cost.amount)


def _cost_text(candidate: Candidate) -> str:
    return "–" if candidate.cost is None else str(candidate.cost)


def _csv_value(value: float | None) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    # Probabilities are smaller than any fixed number of digits.
    return f"{value:.6f}".rstrip("0").rstrip(".") if value == 0 or value >= 1 else f"{value:.6g}"
