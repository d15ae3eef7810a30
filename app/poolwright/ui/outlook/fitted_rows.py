"""The measured rates that the speed model rests on, each beside what the model says when it has not seen the row."""

from collections.abc import Generator
from enum import IntEnum
from math import exp

from PySide6.QtCore import QObject

from poolwright import paths
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.units import MB
from poolwright.domain.vdev import describe
from poolwright.predict.fit import Missed, blog_rows, leave_out_in_steps, thesis_rows
from poolwright.texts import tell
from poolwright.ui.parts.table import RowModel, TableColumn

_TABLES = {"thesis": "pool_throughput", "blog": "ashift_effect"}


class FittedColumn(IntEnum):
    POOL = 0
    MACHINE = 1
    DIRECTION = 2
    MEASURED = 3
    MODEL = 4
    MISSED = 5


class FittedRows(RowModel[Missed]):
    """Every row of the fit; sorted by value."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), parent)

    def table_of(self, line: int) -> str:
        """Return the name of the table in which a shown row stands."""
        return _TABLES[self.row(line).row.machine]


def fitting() -> Generator[float, None, tuple[Missed, ...]]:
    """Yield the share of rows that were left out once; return how each was missed. Raises EnvironmentFailure."""
    texts = []
    for name in _TABLES.values():
        path = paths.rules_folder() / "tables" / f"{name}.csv"
        try:
            texts.append(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise EnvironmentFailure(
                tell("A table of measurements cannot be read: {error}", error=error), where=str(path)
            ) from error
    rows = thesis_rows(texts[0]) + blog_rows(texts[1])
    yield 0.0
    found: list[Missed] = []
    for missed in leave_out_in_steps(rows):
        found.append(missed)
        yield len(found) / len(rows)
    return tuple(found)


def _columns() -> tuple[TableColumn[Missed], ...]:
    source = {"thesis": tell("Wikibook"), "blog": tell("MacZFS blog")}
    return (
        TableColumn(
            title=tell("Pool"), meaning=tell("The data vdevs that were measured"), text=lambda m: describe(m.row.layout)
        ),
        TableColumn(
            title=tell("Source"),
            meaning=tell("Wikibook, table 2; MacZFS blog, tables 2 and 3"),
            text=lambda m: source[m.row.machine],
        ),
        TableColumn(
            title=tell("What"),
            meaning=tell("Sequential reads or writes"),
            text=lambda m: tell("read") if m.row.reading else tell("write"),
        ),
        TableColumn(
            title=tell("MB/s"),
            meaning=tell("The rate that was measured; it is printed in MiB/s there"),
            value=lambda m: m.row.bytes_per_second,
            text=lambda m: f"{m.row.bytes_per_second / MB:,.0f}",
            number=True,
        ),
        TableColumn(
            title=tell("Model MB/s"),
            meaning=tell("Predicted by a model that was fitted to all other rows"),
            value=_modelled,
            text=lambda m: f"{_modelled(m) / MB:,.0f}",
            number=True,
        ),
        TableColumn(
            title=tell("Off (%)"),
            meaning=tell("Model against measured, for a row the model has not seen"),
            value=lambda m: m.percent,
            text=lambda m: f"{100 * (exp(m.logarithm) - 1):+.1f}",
            number=True,
        ),
    )


def _modelled(missed: Missed) -> float:
    return missed.row.bytes_per_second * exp(missed.logarithm)
