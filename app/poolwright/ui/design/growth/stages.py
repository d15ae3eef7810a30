"""The time line as a table: the new pool and every step, with what zpool list and zfs list print after it."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt

from poolwright.advise.growth_plan import GrowthPlan, Stage
from poolwright.domain.growth import GrowthStep
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.ui.design.growth.words import day_text, percent_text, step_title, when_text
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import Tone

_ROOT = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    hint: str
    number: bool = True


@dataclass(frozen=True, slots=True)
class StageRow:
    """A row: the step (None: the new pool), its stage where it could be computed, and why not otherwise."""

    step: GrowthStep | None
    stage: Stage | None
    name: str
    problem: str = ""


def stage_rows(plan: GrowthPlan, steps: tuple[GrowthStep, ...]) -> tuple[StageRow, ...]:
    """Return a row for the new pool and one for each step, computed or not."""
    rows = [StageRow(None, plan.stages[0], "")]
    for number, step in enumerate(steps):
        stage = plan.stages[number + 1] if number + 1 < len(plan.stages) else None
        before = plan.stages[min(number, len(plan.stages) - 1)].grown.pool
        at = step.top if step.top is not None else next((n for n, t in enumerate(before.tops) if not t.removed), 0)
        name = before.name(at) if 0 <= at < len(before.tops) else ""
        problem = ""
        if stage is None:
            own = plan.problem is not None and plan.problem.number == number
            problem = (
                (plan.problem.text if plan.problem is not None else "") if own else _tr("waits for the step above it")
            )
        rows.append(StageRow(step, stage, name, problem))
    return tuple(rows)


class GrowthStages(QAbstractTableModel):
    """Shows a plan. The first column says when, the second what; the last ones what the tools print."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[StageRow, ...] = ()
        self._columns = _columns()

    @property
    def rows(self) -> tuple[StageRow, ...]:
        """Return the rows shown."""
        return self._rows

    def show_rows(self, rows: tuple[StageRow, ...]) -> None:
        """Show these rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the heading of a column."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.hint
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.number else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows; exact bytes are the tooltip."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.problem or self._exact(row, index.column())
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 1 and row.problem:
            return icons.icon("block", Tone.BLOCK)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if self._columns[index.column()].number else _LEFT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._columns[index.column()].title}: {self._text(row, index.column())}"
        return None

    def _text(self, row: StageRow, column: int) -> str:
        stage = row.stage
        if column == 0:
            return self._when(row)
        if column == 1:
            return self._title(row)
        if stage is None:
            return ""
        return (
            binary(stage.capacity.pool_size_bytes),
            "" if stage.used_bytes is None else binary(stage.used_bytes),
            binary(stage.capacity.available_bytes if stage.avail_bytes is None else stage.avail_bytes),
            percent_text(stage.fill_after),
            str(stage.failures_survived),
            day_text(stage.full_on),
            "" if stage.price is None else str(stage.price),
        )[column - 2]

    def _title(self, row: StageRow) -> str:
        if row.step is None:
            return _tr("New pool")
        return step_title(row.step, row.name)

    def _when(self, row: StageRow) -> str:
        if row.step is None:
            return _tr("now")
        if row.stage is None:
            return _tr("not possible")
        return day_text(row.stage.begins) or when_text(row.step)

    def _exact(self, row: StageRow, column: int) -> str:
        stage = row.stage
        if stage is None:
            return ""
        if column == 0 and row.step is not None:
            return when_text(row.step)
        exact = {
            2: stage.capacity.pool_size_bytes,
            3: stage.used_bytes,
            4: stage.capacity.available_bytes if stage.avail_bytes is None else stage.avail_bytes,
        }.get(column)
        return "" if exact is None else _tr("{size} bytes").format(size=f"{exact:,}")


def _columns() -> tuple[_Column, ...]:
    level = PLAN_FILL_PERCENT
    return (
        _Column(_tr("When"), _tr("When the step is begun"), number=False),
        _Column(_tr("Step"), _tr("What is done"), number=False),
        _Column(_tr("SIZE"), _tr("What zpool list prints when the step has ended, parity included")),
        _Column(_tr("USED"), _tr("What zfs list prints for the root dataset when the step has ended")),
        _Column(_tr("AVAIL"), _tr("What zfs list prints for the root dataset when the step has ended")),
        _Column(_tr("Full"), _tr("USED of USED + AVAIL")),
        _Column(_tr("Survives"), _tr("Failures survived, whichever disks they are")),
        _Column(_tr("{level} % on").format(level=level), _tr("When this is no longer enough")),
        _Column(_tr("Price"), _tr("Of the disks of this step")),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("growth", text)
