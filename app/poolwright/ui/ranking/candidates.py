"""The layouts of a recommendation as a table: sorted by value, filtered by words and families.

Of very many layouts it holds those that a person would ask for, and more when asked.
"""

from collections.abc import Iterable
from itertools import islice

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFontMetrics

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.told import below_words
from poolwright.texts import tell
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import RowModel
from poolwright.ui.parts.theme import Tone, theme
from poolwright.ui.ranking.columns import SHOWN_STRANDED, CandidateColumn, Told, gravest_text, layout_columns

MORE = 1000  # rows that are taken in when more are asked for
_IN_SIGHT = 20  # rows that are looked at first
_MEASURED = 200  # rows whose texts are measured for the width of a column


def main_text(candidate: Candidate) -> str:
    """Return the main pool in words, with the number of its copies where there are several; all that hold own data."""
    if candidate.of_data:
        return candidate.words
    words = candidate.main_words
    return tell("{pools} pools: {layout}", pools=candidate.copies, layout=words) if candidate.copies > 1 else words


class CandidateTable(RowModel[Candidate]):
    """All candidates of a recommendation; shows those that the filter admits, in the order asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        told = Told(rank=self._rank, words=self._told, share=self._share, look=self._look_of_layout, cost=self._cost)
        super().__init__(layout_columns(told), parent, searched=lambda c: f"{self._told(c)} {c.family}")
        self._recommendation: Recommendation | None = None
        self._ranks: dict[int, int] = {}
        self._layouts: dict[int, str] = {}  # the layouts in words, made when first needed: they cost most
        self._most_usable, self._survives = 1, 0
        self._currency = ""  # of all costs that are shown, where they have one
        self.priced = self.stranded = False  # whether any has a cost, and any of the first has disks not used whole
        self.longest_findings = ""  # among the better layouts, for the width of the column
        self.sort(CandidateColumn.RANK)

    def show_recommendation(self, recommendation: Recommendation | None) -> None:
        self._recommendation = recommendation
        ranked = recommendation.candidates if recommendation else ()
        candidates = recommendation.leading if recommendation else ()
        self._ranks = {id(candidate): rank for rank, candidate in enumerate(ranked, start=1)}
        self._layouts = {}
        self._most_usable = max((c.usable_bytes for c in candidates), default=1)
        self.priced = any(c.cost is not None for c in candidates)
        self.stranded = any(c.stranded_bytes >= SHOWN_STRANDED for c in candidates[:_IN_SIGHT])
        self.longest_findings = max((gravest_text(c) for c in candidates[:_MEASURED]), key=len, default="")
        self._survives = recommendation.survives if recommendation else 0
        self.show_rows(candidates)

    def show_more(self) -> None:
        """Take the next layouts of the ranking in as well."""
        if self._recommendation is not None:
            held = {id(candidate) for candidate in self.rows}
            left = (candidate for candidate in self._recommendation.candidates if id(candidate) not in held)
            self.show_rows((*self.rows, *islice(left, MORE)))

    def layout_width(self, metrics: QFontMetrics, most: int) -> int:
        """Return how wide the layouts that are in sight first are in words, at most ``most`` pixels."""
        return min(max((metrics.horizontalAdvance(self._told(c)) for c in self.shown()[:_IN_SIGHT]), default=0), most)

    def total(self) -> int:
        """Return the number of layouts that were found; `show_more` adds some of those that are not among the rows."""
        return len(self._ranks)

    def row_of(self, candidate: Candidate) -> int | None:
        """Return the shown row of this candidate; None where the filter hides it."""
        return self.line_of(id(candidate))

    def rank_of(self, candidate: Candidate) -> int | None:
        """Return the place of this candidate in the ranking, from 1."""
        return self._ranks.get(id(candidate))

    def csv(self, columns: Iterable[int] | None = None) -> str:
        """Return the shown rows as CSV; numbers plain, sizes in TiB and costs in the currency that the header says."""
        currencies = {c.cost.currency or "" for c in self.shown() if c.cost is not None}
        self._currency = currencies.pop() if len(currencies) == 1 else ""
        return super().csv(columns)

    def csv_title(self, number: int) -> str:
        """Return the heading of a column, with the currency of costs."""
        title = super().csv_title(number)
        return f"{title} ({self._currency})" if self._currency and number == CandidateColumn.COST else title

    def _rank(self, candidate: Candidate) -> int:
        return self._ranks[id(candidate)]

    def _told(self, candidate: Candidate) -> str:
        words = self._layouts.get(id(candidate))
        if words is None:
            words = self._layouts[id(candidate)] = candidate.words
        return words

    def _share(self, candidate: Candidate) -> float:
        return candidate.usable_bytes / self._most_usable

    def _cost(self, candidate: Candidate) -> str:
        """Return a cost exactly, with its currency where the column's heading does not say it."""
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
        why = tell("Not for a first choice: it {why}", why=below_words(candidate, self._survives))
        between = "\n" if role == Qt.ItemDataRole.ToolTipRole else ". "
        return f"{self._told(candidate)}{between}{why}"
