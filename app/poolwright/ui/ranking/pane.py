"""All layouts as a table, with a filter, columns to choose, and copying."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QMenu, QPushButton, QTableView, QToolButton, QWidget

from poolwright.design.candidate import Candidate, Recommendation, Rejected
from poolwright.design.changes import Change
from poolwright.design.enumerate import family_words
from poolwright.domain.units import binary
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import RankedRows, what_would_change
from poolwright.texts import _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.table import ShareDelegate, plain_table
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme
from poolwright.ui.ranking.candidate_table import CandidateColumn, CandidateTable
from poolwright.ui.state.recommending import request_of
from poolwright.ui.state.session import Session

_ROW_HEIGHT = 3 * GRID
# Above the heading, where it covers no text whichever side that is aligned to.
SORT_MARK = (
    "QHeaderView::up-arrow, QHeaderView::down-arrow "
    "{ subcontrol-origin: padding; subcontrol-position: top center; width: 9px; height: 6px; }"
)
# Where the layout in words would be cut these make room for it, in this order.
_LEAVING = (CandidateColumn.UNASSIGNED, CandidateColumn.FINDINGS, CandidateColumn.STRANDED, CandidateColumn.SURVIVES)
_LONGEST_LAYOUT = 28 * GRID  # beyond it a layout is told by its tooltip


class CandidatePane(QWidget):
    """The table and its tools. ``selected`` sends the candidate of the row the user moved to; ``taken`` follows Enter
    or a double click; ``shown_changed`` says that the filter admits other rows; ``copied`` how many were copied;
    ``arranged`` that the user chose columns or an order.
    """

    selected = Signal(object)
    taken = Signal()
    shown_changed = Signal()
    copied = Signal(int)
    arranged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = CandidateTable(self)
        self._quiet = False
        self._fitted: dict[CandidateColumn, int] = {}  # the width that each column beside the layout needs
        self._chosen = False  # columns were chosen by hand: none comes or goes with the width
        column = lay.column(self._make_tools(), of=self)
        self.table = self._make_table()
        column.addWidget(self.table, 1)
        theme().changed.connect(self._repaint)

    def show_recommendation(self, recommendation: RankedRows | None) -> None:
        self._quiet = True
        self.model.show_recommendation(recommendation)
        self._quiet = False
        self._show_rest()
        self._show_possible()
        self._fit_columns()
        self.shown_changed.emit()

    def select(self, candidate: Candidate | None) -> None:
        row = self.model.row_of(candidate) if candidate is not None else None
        self._quiet = True
        if row is None:
            self.table.clearSelection()
        else:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, CandidateColumn.LAYOUT))
        self._quiet = False

    def keep_rows(self, count: int) -> None:
        around = self.table.horizontalHeader().sizeHint().height() + 2 * self.table.frameWidth()
        self.table.setMinimumHeight(count * _ROW_HEIGHT + around)

    def copy(self) -> None:
        columns = [c for c in CandidateColumn if not self.table.isColumnHidden(c)]
        QGuiApplication.clipboard().setText(self.model.csv(columns))
        self.copied.emit(self.model.rowCount())

    def _show_rest(self) -> None:
        held, total = len(self.model.rows), self.model.total()
        self.rest.setVisible(held < total)
        self.rest.setText(_("{held:,} of {count:,} were judged", held=held, count=total))

    def _make_tools(self) -> QHBoxLayout:
        self.filter = lay.search_line(self, _("Filter the layouts"), _("Filter"), self._apply_filter)
        self.filter.setMinimumWidth(8 * GRID)
        # What is not in the table is said above it: below, a low window would cut it off.
        self.rest = ToneLabel("", Tone.MUTED, self, small=True)
        self.rest.setWordWrap(False)
        self.rest.setToolTip(_("The first, the best of each family, the leaders in space, risk, speed and disks."))
        row = lay.row((self.filter, 1), self.rest, gap=GRID // 2)
        self._columns = self._tool("list", _("Choose columns"), _("Choose columns"))
        self._columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        copy = self._tool("copy", _("Copy as CSV"), _("Copy the shown rows as CSV (Ctrl+C)"))
        copy.clicked.connect(self.copy)
        row.addWidget(self._columns)
        row.addWidget(copy)
        return row

    def _tool(self, icon: str, name: str, tip: str) -> QToolButton:
        made = lay.named(QToolButton(self), name)
        icons.give(made, icon)
        made.setToolTip(tip)
        return made

    def _make_table(self) -> QTableView:
        table = plain_table(_("Layouts"), self.model, self, row_height=_ROW_HEIGHT)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.setItemDelegateForColumn(CandidateColumn.USABLE, ShareDelegate(table))
        header = table.horizontalHeader()
        header.setStyleSheet(SORT_MARK)
        header.setSectionsMovable(True)
        header.setMinimumSectionSize(5 * GRID)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(CandidateColumn.LAYOUT, QHeaderView.ResizeMode.Stretch)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_columns_menu)
        header.setSortIndicator(CandidateColumn.RANK, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
        table.selectionModel().selectionChanged.connect(self._on_selected)
        table.activated.connect(self._on_activated)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)
        header.sortIndicatorChanged.connect(self.arranged)
        self._columns.setMenu(self._make_columns_menu(table))
        return table

    def _make_columns_menu(self, table: QTableView) -> QMenu:
        menu = QMenu(self)
        for column, told in zip(CandidateColumn, self.model.columns, strict=True):
            action = menu.addAction(told.title)
            action.setCheckable(True)
            action.setData(column.value)
            hidden = told.hidden or told.wide_from > 0
            action.setChecked(not hidden)
            action.setEnabled(column is not CandidateColumn.LAYOUT)
            action.toggled.connect(self._on_column_toggled)
            table.setColumnHidden(column, hidden)
        return menu

    def _show_columns_menu(self, at: QPoint) -> None:
        self._columns.menu().popup(self.table.horizontalHeader().mapToGlobal(at))

    def _on_column_toggled(self) -> None:
        self._chosen = True
        self._make_room()
        self.arranged.emit()

    def arrangement(self) -> str:
        header = self.table.horizontalHeader()
        shown = (CandidateColumn(int(a.data())).name for a in self._columns.menu().actions() if a.isChecked())
        return f"{','.join(shown)};{header.sortIndicatorSection()};{header.sortIndicatorOrder().value}"

    def arrange(self, text: str) -> None:
        """Take up an arrangement; what cannot be understood changes nothing."""
        columns, __, rest = text.partition(";")
        section, __, order = rest.partition(";")
        if not (section.isdigit() and order in ("0", "1") and int(section) < len(CandidateColumn)):
            return
        names = columns.split(",")
        self._chosen = True
        for action in self._columns.menu().actions():
            column = CandidateColumn(int(action.data()))
            action.setChecked(column is CandidateColumn.LAYOUT or column.name in names)
        self.table.sortByColumn(int(section), Qt.SortOrder(int(order)))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 22 * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep room for the layout in words where there is little."""
        super().resizeEvent(event)
        width = event.size().width()
        self._offer_predicted(width)
        self._make_room()

    def _offer_predicted(self, width: int) -> None:
        """Choose the predicted columns that there is room for, unless somebody chose."""
        for action, least in zip(
            self._columns.menu().actions(), (c.wide_from for c in self.model.columns), strict=True
        ):
            if least and not self._chosen and action.isChecked() is not (width >= least):
                action.blockSignals(True)
                action.setChecked(width >= least)
                action.blockSignals(False)

    def _make_room(self) -> None:
        """Let columns go until the layout in words is not cut, and show the others that are chosen."""
        header, actions = self.table.horizontalHeader(), self._columns.menu().actions()
        room = self.table.viewport().width() - 2 * GRID
        room -= self.model.layout_width(self.table.fontMetrics(), _LONGEST_LAYOUT)
        widths = {
            column: header.sectionSize(column) or fitted
            for column, fitted in self._fitted.items()
            if actions[column].isChecked() and self._is_possible(column)
        }
        for column in () if self._chosen else _LEAVING:
            if sum(widths.values()) > room:
                widths.pop(column, None)
        for column in self._fitted:
            self.table.setColumnHidden(column, column not in widths)

    def _is_possible(self, column: CandidateColumn) -> bool:
        if column is CandidateColumn.COST:
            return self.model.priced
        return self.model.stranded or column is not CandidateColumn.STRANDED

    def _show_possible(self) -> None:
        for column, possible in (
            (CandidateColumn.COST, self.model.priced),
            (CandidateColumn.STRANDED, self.model.stranded),
        ):
            self._columns.menu().actions()[column].setVisible(possible)

    def _fit_columns(self) -> None:
        metrics = self.table.fontMetrics()
        header = self.table.horizontalHeader()
        widest = {
            CandidateColumn.FINDINGS: self.model.longest_findings,
            CandidateColumn.COST: "00,000.00 EUR",
            CandidateColumn.RISK: _("1 in 1,000 million"),
            CandidateColumn.READ: "00,000",
            CandidateColumn.WRITE: "00,000",
        }
        for column in CandidateColumn:
            if column is CandidateColumn.LAYOUT:
                continue
            # The header needs room for the sort mark as well.
            heading = metrics.horizontalAdvance(self.model.columns[column].title) + 3 * GRID
            # The margin of a cell's text comes to what the table leaves around it: or “2 warnings” ends in dots.
            cell = metrics.horizontalAdvance(widest.get(column, "0000")) + 3 * GRID
            self._fitted[column] = max(heading, cell)
            header.resizeSection(column, self._fitted[column])
        self._make_room()

    def _apply_filter(self) -> None:
        self._quiet = True
        self.model.keep(self.filter.text())
        self._quiet = False
        self.shown_changed.emit()

    def _on_selected(self, chosen: QItemSelection, _before: QItemSelection) -> None:
        rows = [index.row() for index in chosen.indexes()]
        if rows and not self._quiet:
            self.selected.emit(self.model.row(rows[0]))

    def _on_activated(self) -> None:
        self.taken.emit()

    def _repaint(self) -> None:
        self.table.viewport().update()


# Why the other families were not chosen, and on request what would change the answer.

JOB_TARGET = "recommendation changes"  # for machines


class WhyNotPane(QWidget):
    """The list and a button that works out the changes. ``asked`` sends the id of the rule that is asked about."""

    asked = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: Recommendation | None = None
        self._lines: tuple[Rejected, ...] = ()
        self._asking = Asking(session.jobs, self)
        self._asking.answered.connect(self._on_tried)
        self._asking.ended.connect(self._allow)
        self.list = WhyNotList(self)
        self.list.asked.connect(self.asked)
        tip = _("Tries other numbers of disks, failures and clients, more space, a lower price")
        self.look = lay.button(_("What would change the answer?"), self, self._start, tip=tip)
        lay.column((self.list, 1), (self.look, 0, Qt.AlignmentFlag.AlignLeft), of=self)
        self.setFocusProxy(self.list)

    def show_ranking(self, found: Recommendation | None, lines: Sequence[Rejected], *, whole: bool) -> None:
        """Show why not of a ranking; ``whole`` tells that it came to its end, so that changes can be tried."""
        self._asking.forget()
        self._found, self._lines = found, tuple(lines)
        self.list.show_rejected(self._lines)
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
        self.list.show_rejected((*(self._line(change) for change in changes), *self._lines))
        self.list.verticalScrollBar().setValue(0)

    def _line(self, change: Change) -> Rejected:
        if change.choice is None:
            return Rejected(family=_("Would not change"), reason=change.said)
        told = _("{said}: {layout}, {space} usable")
        space = binary(change.choice.usable_bytes)
        reason = told.format(said=change.said, layout=change.choice.words, space=space)
        return Rejected(family=_("Would change"), reason=reason, feasible=True)


# Why the other families of layouts were not chosen: a line each, with the rule where one speaks against it.


class WhyNotList(ScrolledRows):
    """Shows rejected families; ``asked`` sends the id of the rule whose button was pressed."""

    asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_("Why not the other families"), parent)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 12 * GRID)

    def show_rejected(self, rejected: Sequence[Rejected]) -> None:
        inner = QWidget(self)
        grid = lay.grid(of=inner, gap=(2 * GRID, GRID), around=(0, 0, GRID, 0))
        grid.setColumnStretch(1, 1)
        for row, line in enumerate(rejected):
            family = QLabel(family_words(line.family), inner)
            family.setFont(text_font(semibold=True))
            grid.addWidget(family, row, 0, Qt.AlignmentFlag.AlignTop)
            tone = Tone.TEXT if line.feasible else Tone.MUTED
            reason = ToneLabel(line.reason, tone, inner)
            reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(reason, row, 1, Qt.AlignmentFlag.AlignTop)
            if line.rule_id is not None:
                name = _("Why not {family}? Rule {rule}", family=family_words(line.family), rule=line.rule_id)
                button = lay.button(_("Why?"), inner, self._ask, tip=line.rule_id, name=name)
                button.setProperty("ruleId", line.rule_id)
                grid.addWidget(button, row, 2, Qt.AlignmentFlag.AlignTop)
        grid.setRowStretch(len(rejected), 1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _ask(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QPushButton)
        self.asked.emit(str(sender.property("ruleId")))
