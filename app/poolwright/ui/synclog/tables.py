"""The four combinations, and the paper's rows beside the model's, as tables."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt

from poolwright.domain.cells import csv_text
from poolwright.domain.units import binary
from poolwright.predict.synclog.compare import Comparison
from poolwright.predict.synclog.load import lopsided_share
from poolwright.predict.synclog.model import POLICIES, Commit, Placement, Policy
from poolwright.predict.synclog.paper import Reproduced
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import text_font

SHARE_ROLE = Qt.ItemDataRole.UserRole
_ROOT = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RunColumn(IntEnum):
    """The columns of the combinations."""

    COMBINATION = 0
    IOPS = 1
    GAIN = 2
    LATENCY = 3
    PER_COMMIT = 4
    LOPSIDED = 5


class PaperColumn(IntEnum):
    """The columns of the paper's rows."""

    FSYNC = 0
    BLOCK = 1
    PAPER = 2
    MODEL = 3
    ERROR = 4


class TextTable(QAbstractTableModel):
    """Cells of text under headings; subclasses fill them. All but ``left`` columns are aligned right."""

    def __init__(self, headings: Sequence[tuple[str, str]], left: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings, self._left = tuple(headings), left
        self.cells: tuple[tuple[str, ...], ...] = ()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.cells)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column, what it means, or its side."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings[section][0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._headings[section][1]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section < self._left else _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() < self._left else _RIGHT
        return None

    def csv(self) -> str:
        """Return the table as CSV."""
        rows = [tuple(heading for heading, _ in self._headings), *self.cells]
        return csv_text(rows)


class RunTable(TextTable):
    """A row for each combination; bars compare IOPS and latency, the best of them is set in bold."""

    def __init__(self, parent: QObject | None = None) -> None:
        headings = (
            (_tr("Commits, log blocks"), _tr("Which requests one commit takes, and how log blocks go round the disks")),
            (_tr("IOPS"), _tr("Committed requests per second, all volumes together")),
            (_tr("Gain (%)"), _tr("More IOPS than the first row")),
            (_tr("Latency (ms)"), _tr("From handing a request over to its commit, mean")),
            (_tr("Batch"), _tr("Requests that one commit takes, mean")),
            (_tr("Skew (%)"), _tr("Time in which a disk idles while log blocks queue up at another")),
        )
        super().__init__(headings, 1, parent)
        self._iops: tuple[float, ...] = ()
        self._latencies: tuple[float, ...] = ()  # each goes over all commits of a run, which no painting waits for

    def show_comparison(self, comparison: Comparison) -> None:
        """Show these runs."""
        fresh = not self._iops
        if fresh:
            self.beginResetModel()
        self._iops = tuple(run.iops for run in comparison.runs)
        self._latencies = tuple(run.latency_seconds for run in comparison.runs)
        self.cells = tuple(
            (
                policy_text(policy),
                f"{iops:,.0f}",
                f"{comparison.gain_percent(policy):+.1f}",
                f"{latency * 1e3:.3g}",
                f"{run.requests_per_commit:.1f}",
                f"{100 * lopsided_share(run):.0f}",
            )
            for policy, run, iops, latency in zip(POLICIES, comparison.runs, self._iops, self._latencies, strict=True)
        )
        if fresh:
            self.endResetModel()
        else:
            # The selected row stays selected.
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.cells) - 1, len(RunColumn) - 1))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, its bar, or the font of the best."""
        if role == SHARE_ROLE:
            return self._share(index.row(), index.column())
        if role == Qt.ItemDataRole.FontRole and self._is_best(index.row(), index.column()):
            return text_font(semibold=True)
        if role == Qt.ItemDataRole.AccessibleTextRole and self._is_best(index.row(), index.column()):
            return _tr("{value}, best of this column").format(value=self.cells[index.row()][index.column()])
        return super().data(index, role)

    def _share(self, row: int, column: int) -> float | None:
        if column == RunColumn.IOPS:
            return self._iops[row] / max(self._iops)
        if column == RunColumn.LATENCY:
            return self._latencies[row] / max(self._latencies)
        return None

    def _is_best(self, row: int, column: int) -> bool:
        if column == RunColumn.IOPS:
            return self._iops[row] == max(self._iops)
        if column == RunColumn.LATENCY:
            return self._latencies[row] == min(self._latencies)
        return False


class PaperTable(TextTable):
    """A row for each row of the paper."""

    def __init__(self, parent: QObject | None = None) -> None:
        headings = (
            (_tr("fsync"), _tr("Requests between two syncs")),
            (_tr("Block"), _tr("Size of a request; the paper does not say it for the rows that vary fsync")),
            (_tr("Paper (%)"), _tr("Gain in IOPS that the paper prints; it only draws the last two")),
            (_tr("Model (%)"), _tr("Gain in IOPS of the simulation, the same parameters in every row")),
            (_tr("Error (pp)"), _tr("Model less paper, in percentage points")),
        )
        super().__init__(headings, 0, parent)

    def show_rows(self, rows: Sequence[Reproduced]) -> None:
        """Show these rows."""
        self.beginResetModel()
        self.cells = tuple(
            (
                str(done.row.requests_per_sync),
                binary(done.row.block_bytes),
                "–" if done.row.gain_percent is None else f"{done.row.gain_percent:.1f}",
                f"{done.gain_percent:.1f}",
                "–" if done.error_points is None else f"{done.error_points:+.1f}",
            )
            for done in rows
        )
        self.endResetModel()


def policy_text(policy: Policy) -> str:
    """Return a combination in words."""
    commit = _tr("one by one") if policy.commit is Commit.PER_REQUEST else _tr("together")
    where = _tr("per volume") if policy.placement is Placement.PER_VOLUME else _tr("global")
    return f"{commit}, {where}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("synclog", text)
