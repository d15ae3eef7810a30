"""All layouts as a table, with a filter, columns to choose, and copying."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QItemSelection, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from poolwright.design.candidate import Candidate, Recommendation, Rejected
from poolwright.design.changes import Change
from poolwright.design.equal_layouts import family_words
from poolwright.domain.units import binary
from poolwright.emit.report import Words
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import RankedRows, what_would_change
from poolwright.texts import _, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.report_view import Link, ReportView, Shown
from poolwright.ui.parts.table import ColumnsMenu, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, text_font, theme
from poolwright.ui.ranking.candidate_table import SPEED_COLUMNS, CandidateColumn, CandidateTable
from poolwright.ui.state.recommending import request_of
from poolwright.ui.state.session import Session

_ROW_HEIGHT, _MOST_ROWS, _IN_SIGHT = 24, 8, 20
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
        theme().changed.connect(self.table.viewport().update)

    def show_recommendation(self, recommendation: RankedRows | None) -> None:
        with self._quietly():
            self.model.show_recommendation(recommendation)
        self._show_possible()
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
        for part in (table, header):
            part.setFont(text_font(SMALL_POINTS))
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
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)
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

    def _show_possible(self) -> None:
        model, each = self.model, CandidateColumn
        empty = ((each.COST, model.priced), (each.STRANDED, model.stranded), (each.SHELF, model.shelved))
        layout = int(CandidateColumn.LAYOUT)  # always there
        self.columns.left_out = frozenset((layout, *(int(column) for column, known in empty if not known)))

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
    """All that is said of the selected layout, the other families, and a button that works out the changes.

    ``pressed`` sends the finding whose “Why?” was pressed, or the id of the rule that speaks against a family.
    """

    pressed = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: Recommendation | None = None
        self._of_layout: tuple[Shown, ...] = ()
        self._of_others: tuple[Shown, ...] = ()
        self._asking = Asking(session.jobs, self, self._on_tried)
        self._asking.ended.connect(self._allow)
        self.report = ReportView(_("About this layout"), self, grows=True)
        self.report.pressed.connect(self.pressed)
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
    told = _("{said}: {layout}, {space} usable")
    space = binary(change.choice.measures.usable_bytes)
    reason = told.format(said=change.said, layout=change.choice.words, space=space)
    return Rejected(family=_("Would change"), reason=reason, feasible=True)
