"""The runs of the library as a table, of which some are ticked to be compared."""

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from poolwright.bench.words import time_words
from poolwright.store.runs import StoredRun
from poolwright.texts import tell
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.moment import when
from poolwright.ui.parts.table import RowModel, TableColumn

POOL, HOST, DESIGN = 4, 5, 6  # columns that are shown where a run has such


class RunsTable(RowModel[StoredRun]):
    """``ticks_changed`` says that other runs are ticked, in ``ticked`` in the order in which they were."""

    ticks_changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(_columns(), parent, key=_key)
        self.ticked: tuple[str, ...] = ()
        self.can_tick = True

    def show_runs(self, runs: tuple[StoredRun, ...], every: tuple[StoredRun, ...], *, can_tick: bool) -> None:
        """Show ``runs``, those of ``every`` that are looked for; ticks of runs that are no longer there are gone."""
        self.can_tick = can_tick
        there = {run.key for run in every}
        self.ticked = tuple(key for key in self.ticked if key in there) if can_tick else ()
        self.show_rows(runs)
        self.ticks_changed.emit()

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the first cell of a run be ticked."""
        flags = super().flags(index)
        ticks = self.can_tick and index.isValid() and index.column() == 0
        return flags | Qt.ItemFlag.ItemIsUserCheckable if ticks else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, and whether its run is ticked."""
        if role == Qt.ItemDataRole.CheckStateRole and self.can_tick and index.isValid() and index.column() == 0:
            ticked = self.row(index.row()).key in self.ticked
            return Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tick a run, or take its tick away."""
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != 0 or not self.can_tick:
            return super().setData(index, value, role)
        key = self.row(index.row()).key
        wanted = Qt.CheckState(value) is Qt.CheckState.Checked
        others = tuple(each for each in self.ticked if each != key)
        self.ticked = (*others, key) if wanted else others
        self.dataChanged.emit(index, index, [Qt.ItemDataRole.CheckStateRole])
        self.ticks_changed.emit()
        return True


def _key(run: StoredRun) -> str:
    return run.key


def _columns() -> tuple[TableColumn[StoredRun], ...]:
    return (
        TableColumn(title=tell("Begun"), text=lambda run: when(run.made), value=lambda run: run.made),
        TableColumn(title=tell("Profile"), text=lambda run: run.name, tip=lambda run: run.profile),
        TableColumn(title=tell("Verdict"), text=lambda run: run.judgement),
        TableColumn(
            title=tell("Took"), text=lambda run: time_words(run.seconds), value=lambda run: run.seconds, number=True
        ),
        TableColumn(title=tell("Pool"), text=lambda run: run.pool or ""),
        TableColumn(title=tell("Host"), text=lambda run: run.host),
        TableColumn(title=tell("Design"), text=lambda run: run.design_name or ""),
    )
