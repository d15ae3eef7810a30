"""All layouts as a table, with a filter, columns to choose, and copying; why one stands where it does.

Where there are very many layouts, a recommendation holds only those that a person would ask for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QItemSelection, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from poolwright.design.candidate import Candidate, Recommendation, Rejected
from poolwright.design.changes import Change
from poolwright.design.equal_layouts import family_words
from poolwright.design.explanations import below_words, order_words, why_below
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Severity, violated
from poolwright.domain.units import GB, TB, TIB, binary
from poolwright.emit.report import Words
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.predict.number_words import SPEED_TITLES, cell_text, odds_text, operations_text
from poolwright.questions import RankedRows, what_would_change
from poolwright.texts import _, ngettext, numeral
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.finding_rows import each_count
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.report_view import Link, ReportView, Shown
from poolwright.ui.parts.table import KEY_ROLE, ColumnsMenu, Index, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.state.recommending import request_of

_ROW_HEIGHT, _MOST_ROWS, _IN_SIGHT = 24, 8, 20
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
        self.speed = SPEED_COLUMNS[found.cards[0].speed_name] if found else self.speed
        above, below = found.rivals if found else ((), ())
        self._rivals = (*above, *below)
        self._dividers = {}
        if found and below and above:
            self._dividers[id(below[0])] = Divider(_("Below: {why}", why=why_below(below[0], found)), warns=True)
        before = ""
        for other in above[1:]:
            text = next(iter(order_words(other, found)), "") if found else ""
            if text != before:  # each is said above those of whom it is true
                self._dividers[id(other)] = Divider(text or _("In order of score"), warns=False)
            before = text
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
            return super().data(index, role)
        if role == KEY_ROLE:
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
        whole, gravest = (lambda c: ", ".join(_finding_counts(c)) or none), (lambda c: (*_finding_counts(c), none)[0])
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
            _column(_("Stranded, TB"), stranded, lambda c: c.stranded_bytes / TB, stranded_shown, hidden=True),
            _column(_("Findings"), "", grave, text=gravest, tip=whole, plain=whole, hidden=True),
            _speed(_("Read, GB/s"), "", "seq_read", hidden=True),
            _speed(_("Write, GB/s"), "", "seq_write", hidden=True),
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
    return numeral(value, ",.0f") if value >= 99.95 else numeral(value, "#.3g")


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
        return cell_text(rate, operations_text if counted else lambda value: three_digits(value / GB))

    return _column(title, meaning, value, text=text, best=max, hidden=hidden)


def _finding_counts(candidate: Candidate) -> list[str]:
    warnings, notes = (len(violated(candidate.findings, each)) for each in (Severity.WARN, Severity.NOTE))
    return [*filter(None, each_count(warnings=warnings, notes=notes))]


def _csv_value(value: float | None) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    # Probabilities are smaller than any fixed number of digits.
    return f"{value:.6f}".rstrip("0").rstrip(".") if value == 0 or value >= 1 else f"{value:.6g}"


# The table on the page.

# Where the layout in words would be cut these make room for it, in this order.
_LEAVING = (
    CandidateColumn.SPARES, CandidateColumn.SCORE, *SPEED_COLUMNS.values(), CandidateColumn.REBUILD,
)  # fmt: skip
_LONGEST_LAYOUT = 28 * GRID  # beyond it a layout is told by its tooltip


class CandidatePane(QWidget):
    """The table, and where all are shown a filter above it. ``selected`` sends the candidate of the row the user moved
    to; ``taken`` follows Enter or a double click, ``compared`` Space; ``shown_changed`` says that other rows are there.
    """

    selected = Signal(object)
    taken = Signal()
    compared = Signal()
    shown_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = CandidateTable(self)
        self._quiet = False
        self._fitted: dict[CandidateColumn, int] = {}  # the width that each column beside the layout needs
        name = _("Filter the layouts")
        self.filter = widgets.search_line(self, name, name, self._apply_filter)
        self.filter.hide()
        self.table = self._make_table()
        self.columns.arranged.connect(self._on_arranged)
        widgets.column(self.filter, (self.table, 1), of=self)

    def show_recommendation(self, recommendation: RankedRows | None) -> None:
        with self._quietly():
            self.model.show_recommendation(recommendation)
        model, each, layout = self.model, CandidateColumn, int(CandidateColumn.LAYOUT)  # which is always there
        empty = ((each.COST, model.priced), (each.STRANDED, model.stranded), (each.SHELF, model.shelved))
        self.columns.left_out = frozenset((layout, *(int(column) for column, known in empty if not known)))
        self._fit_columns()
        self._fit_rows()

    def show_all(self, *, whole: bool) -> None:
        """Show all layouts with a filter above them, or the rivals alone."""
        self.filter.setVisible(whole)
        with self._quietly():
            self.filter.clear()
            self.model.show_whole(whole=whole)
        self._fit_columns()
        self._fit_rows()

    def select(self, candidate: Candidate | None) -> None:
        with self._quietly():
            if candidate is not None:
                self.model.let_in(candidate)
            row = self.model.row_of(candidate) if candidate is not None else None
            if row is None:
                self.table.clearSelection()
            else:
                self.table.selectRow(row)
                self.table.scrollTo(self.model.index(row, CandidateColumn.LAYOUT))

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        self._quiet = True
        yield
        self._quiet = False

    def _fit_rows(self) -> None:
        """Keep room for all rivals, and for some rows of a long table, which scrolls; let dividers span theirs."""
        around = self.table.horizontalHeader().sizeHint().height() + 2 * self.table.frameWidth()
        rows = self.model.rowCount()
        self.table.setMinimumHeight((min(rows, _MOST_ROWS) if self.model.whole else rows) * _ROW_HEIGHT + around)
        self.table.clearSpans()
        for line in self.model.dividers:
            self.table.setSpan(line, 0, 1, len(CandidateColumn))
        self.shown_changed.emit()

    def copy(self) -> None:
        columns = [c for c in CandidateColumn if not self.table.isColumnHidden(c)]
        QGuiApplication.clipboard().setText(self.model.csv(columns))

    def _make_table(self) -> QTableView:
        table = plain_table(_("Layouts"), self.model, self, row_height=_ROW_HEIGHT)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = table.horizontalHeader()
        header.setSectionsMovable(True)
        header.setMinimumSectionSize(5 * GRID)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(CandidateColumn.LAYOUT, QHeaderView.ResizeMode.Stretch)
        self.columns = ColumnsMenu(header, self, CandidateColumn)
        header.setSortIndicator(CandidateColumn.RANK, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
        table.selectionModel().selectionChanged.connect(self._on_selected)
        table.doubleClicked.connect(self.taken)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        widgets.action(_("Use"), table, "Return", self.taken)
        widgets.action(_("Compare"), table, "Space", self.compared)
        widgets.action(_("Copy"), table, "Ctrl+C", self.copy)
        table.viewport().installEventFilter(self)
        return table

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Make room once the table has its width, which of a page that was hidden comes after that of this pane."""
        if event.type() is QEvent.Type.Resize and watched is self.table.viewport():
            self._make_room()
        return super().eventFilter(watched, event)

    def _make_room(self) -> None:
        """Let columns go until the layout in words is not cut, and show the others that are chosen."""
        header, chosen = self.table.horizontalHeader(), self.columns.columns
        room = self.table.viewport().width() - 3 * GRID - self._layout_width()
        wanted = {column for column in CandidateColumn if not self.model.columns[column].hidden}
        wanted = {*wanted.difference(SPEED_COLUMNS.values()), self.model.speed}
        self.columns.usual = frozenset(wanted) - self.columns.left_out
        widths = {
            column: header.sectionSize(column) or fitted
            for column, fitted in self._fitted.items()
            if column in (wanted if chosen is None else chosen) - self.columns.left_out
        }
        for column in _LEAVING if chosen is None else ():
            if sum(widths.values()) > room:
                widths.pop(column, None)
        for column in self._fitted:
            self.table.setColumnHidden(column, column not in widths)

    def _layout_width(self) -> int:
        metrics = self.table.fontMetrics()
        words = (
            self.model.index(row, CandidateColumn.LAYOUT).data() for row in range(min(_IN_SIGHT, self.model.rowCount()))
        )
        return min(max((metrics.horizontalAdvance(text) for text in words), default=0), _LONGEST_LAYOUT)

    def _fit_columns(self) -> None:
        metrics = self.table.fontMetrics()
        header = self.table.horizontalHeader()
        bold, rows = QFontMetrics(text_font(SMALL_POINTS, semibold=True)), self.model.shown()[:_IN_SIGHT]
        for column in CandidateColumn:
            if column is CandidateColumn.LAYOUT:
                continue
            # What others hold may take long to work out.
            at_once = column <= CandidateColumn.COST or column is self.model.speed
            texts = [self.model.columns[column].text(row) for row in rows] if at_once else ["00,000"]
            if column is CandidateColumn.FINDINGS:
                texts = [ngettext("{count} warning", "{count} warnings", 10)]
            cell = max(bold.horizontalAdvance(text) for text in ("000", *texts))
            heading = metrics.horizontalAdvance(self.model.columns[column].title)
            # What the style leaves around the text of a cell, and the sheet around that of a heading.
            self._fitted[column] = max(heading, cell) + 2 * GRID + 3
            header.resizeSection(column, self._fitted[column])
        self._make_room()

    def _apply_filter(self) -> None:
        with self._quietly():
            self.model.keep(self.filter.text())
        self._fit_rows()

    def _on_arranged(self) -> None:
        self._make_room()
        self._fit_rows()

    def _on_selected(self, chosen: QItemSelection, _before: QItemSelection) -> None:
        rows = [index.row() for index in chosen.indexes()]
        candidate = self.model.candidate(rows[0]) if rows and not self._quiet else None
        if candidate is not None:
            self.selected.emit(candidate)


# Why the selected layout stands where it does, why the other families were not chosen, and what would change that.

JOB_TARGET = "recommendation changes"  # for machines


class WhyPane(QWidget):
    """All that is said of the selected layout, the other families, and a button that works out the changes."""

    def __init__(self, parent: Page) -> None:
        super().__init__(parent)
        self._session = session = parent.session
        self._found: Recommendation | None = None
        self._of_layout: tuple[Shown, ...] = ()
        self._of_others: tuple[Shown, ...] = ()
        self._asking = Asking(session.jobs, self, self._on_tried)
        self._asking.ended.connect(self._allow)
        self.report = ReportView(_("About this layout"), self, grows=True)
        self.report.pressed.connect(parent.explain)
        self.look = widgets.button(_("What would change the answer?"), self, self._start)
        widgets.column(self.report, (self.look, 0, Qt.AlignmentFlag.AlignLeft), 1, of=self)
        self.setFocusProxy(self.report)

    def show_layout(self, blocks: Iterable[Shown]) -> None:
        self._of_layout = tuple(blocks)
        self.report.show_blocks((*self._of_layout, *self._of_others))

    def show_ranking(self, found: Recommendation | None, lines: Sequence[Rejected], *, whole: bool) -> None:
        """Show why not of a ranking; ``whole`` tells that it came to its end, so that changes can be tried."""
        self._asking.forget()
        self._found, self._of_others = found, tuple(_rejected_blocks(lines))
        self.show_layout(self._of_layout)
        self.look.setVisible(whole and found is not None)
        self.look.setEnabled(True)

    def _start(self) -> None:
        request = request_of(self._session)
        if request is None or self._found is None:
            return
        self.look.setEnabled(False)
        self._asking.ask(WorkerJob(_("Trying changes"), JOB_TARGET, self, what_would_change, request))

    def _allow(self) -> None:
        self.look.setEnabled(True)

    def _on_tried(self, changes: tuple[Change, ...]) -> None:
        self.look.hide()
        self._of_others = (*_rejected_blocks(map(_change_line, changes)), *self._of_others)
        self.show_layout(self._of_layout)


def _rejected_blocks(rejected: Iterable[Rejected]) -> Iterator[Shown]:
    for line in rejected:
        yield Words(family_words(line.family), strong=True, small=line.reason)
        if line.rule_id is not None:
            yield Link(text=_("Why?"), of=line.rule_id)


def _change_line(change: Change) -> Rejected:
    if change.choice is None:
        return Rejected(family=_("Would not change"), reason=change.said)
    text = _("{said}: {layout}, {space} usable")
    space = binary(change.choice.measures.usable_bytes)
    reason = text.format(said=change.said, layout=change.choice.words, space=space)
    return Rejected(family=_("Would change"), reason=reason, feasible=True)
