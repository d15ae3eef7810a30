"""The measured rates that the speed model rests on, each beside what the model says when it has not seen the row."""

from collections.abc import Callable, Generator, Sequence
from enum import IntEnum
from math import exp
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt

from poolwright import paths
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.units import MIB
from poolwright.domain.vdev import describe
from poolwright.predict.fit import Missed, blog_rows, leave_out_in_steps, thesis_rows
from poolwright.ui.synclog.tables import TextTable

_TABLES = {"thesis": "pool_throughput", "blog": "ashift_effect"}


class FittedColumn(IntEnum):
    """The columns."""

    POOL = 0
    MACHINE = 1
    DIRECTION = 2
    MEASURED = 3
    MODEL = 4
    MISSED = 5


class FittedRows(TextTable):
    """Every row of the fit; sorted by value."""

    def __init__(self, parent: QObject | None = None) -> None:
        headings = (
            (_tr("Pool"), _tr("The data vdevs that were measured")),
            (_tr("Source"), _tr("Wikibook, table 2; MacZFS blog, tables 2 and 3")),
            (_tr("What"), _tr("Sequential reads or writes")),
            (_tr("MiB/s"), _tr("The rate as it is printed there")),
            (_tr("Model MiB/s"), _tr("Predicted by a model that was fitted to all other rows")),
            (_tr("Off (%)"), _tr("Model against measured, for a row the model has not seen")),
        )
        super().__init__(headings, 3, parent)
        self._rows: list[Missed] = []

    def show_rows(self, rows: Sequence[Missed]) -> None:
        """Show these."""
        self._rows = list(rows)
        self._fill()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by the value in a column."""
        self._rows.sort(key=_key(column), reverse=order is Qt.SortOrder.DescendingOrder)
        self._fill()

    def table_of(self, row: int) -> str:
        """Return the name of the table in which a shown row stands."""
        return _TABLES[self._rows[row].row.machine]

    def _fill(self) -> None:
        self.beginResetModel()
        self.cells = tuple(_cells(missed) for missed in self._rows)
        self.endResetModel()


def fitting() -> Generator[float, None, tuple[Missed, ...]]:
    """Yield the share of rows that were left out once; return how each was missed. Raises EnvironmentFailure."""
    texts = []
    for name in _TABLES.values():
        path = paths.rules_folder() / "tables" / f"{name}.csv"
        try:
            texts.append(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise EnvironmentFailure(f"A table of measurements cannot be read: {error}", where=str(path)) from error
    rows = thesis_rows(texts[0]) + blog_rows(texts[1])
    yield 0.0
    found: list[Missed] = []
    for missed in leave_out_in_steps(rows):
        found.append(missed)
        yield len(found) / len(rows)
    return tuple(found)


def _cells(missed: Missed) -> tuple[str, ...]:
    row = missed.row
    source = _tr("Wikibook") if row.machine == "thesis" else _tr("MacZFS blog")
    measured = row.bytes_per_second / MIB
    return (
        describe(row.layout),
        source,
        _tr("read") if row.reading else _tr("write"),
        f"{measured:,.0f}",
        f"{measured * exp(missed.logarithm):,.0f}",
        f"{100 * (exp(missed.logarithm) - 1):+.1f}",
    )


def _values(missed: Missed) -> dict[int, float | str]:
    """Return what the columns are sorted by."""
    row = missed.row
    return {
        FittedColumn.POOL: describe(row.layout),
        FittedColumn.MACHINE: row.machine,
        FittedColumn.DIRECTION: "read" if row.reading else "write",
        FittedColumn.MEASURED: row.bytes_per_second,
        FittedColumn.MODEL: row.bytes_per_second * exp(missed.logarithm),
        FittedColumn.MISSED: missed.percent,
    }


def _key(column: int) -> Callable[[Missed], Any]:
    def value(missed: Missed) -> Any:
        return _values(missed)[column]

    return value


def _tr(text: str) -> str:
    return QCoreApplication.translate("fitted_rows", text)
