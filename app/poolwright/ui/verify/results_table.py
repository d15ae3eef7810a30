"""What files of measurements told, as a table: a row for each direction of each job, and for each file passed over."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt

from poolwright.domain.errors import UserError
from poolwright.domain.latency import latency_of, latency_words, percentile
from poolwright.domain.measurement import Measurement, Recorded
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.predict.number_words import operations_text
from poolwright.store.read_results import OpenedResults
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, theme


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A measurement of a file; a file of curves or facts has none, one that cannot be read has only an error."""

    where: str
    recorded: Recorded | None = None
    measured: Measurement | None = None
    error: UserError | None = None

    @property
    def latency_ns(self) -> int | None:
        """Return what 99 % of the operations stayed below, ns."""
        latency = None if self.measured is None else latency_of(self.measured)
        return None if latency is None else percentile(latency, 99.0)


def rows_of(opened: OpenedResults) -> Iterator[ResultRow]:
    """Yield what was read, in order, then what was passed over."""
    for recorded in opened.recorded:
        if not recorded.measured:
            yield ResultRow(where=recorded.where, recorded=recorded)
        for measured in recorded.measured:
            yield ResultRow(where=recorded.where, recorded=recorded, measured=measured)
    for error in opened.passed_over:
        yield ResultRow(where=error.where or "", error=error)


class ResultsTable(RowModel[ResultRow]):
    """Rows as they were read, or in the order of a column."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), parent)


def _what(row: ResultRow) -> str:
    if row.error is not None:
        return row.error.what
    assert row.recorded is not None
    if row.measured is None:
        return _without_rates(row.recorded)
    one = row.measured
    size = "" if one.block_bytes is None else binary(one.block_bytes)
    words = [one.name, one.pattern or one.direction.value, size]
    if "rw" in (one.pattern or ""):  # whose reads and writes are a row each
        words.insert(2, one.direction.value)
    return " ".join(dict.fromkeys(" ".join(words).split()))


def _without_rates(recorded: Recorded) -> str:
    tool, curves, facts = recorded.tool.value, len(recorded.curves), len(recorded.facts)
    if curves:
        return tell_counted("{tool}: {count} curve", "{tool}: {count} curves", curves, tool=tool)
    if facts:
        return tell_counted("{tool}: {count} number", "{tool}: {count} numbers", facts, tool=tool)
    return tell("{tool}: nothing measured", tool=tool)


def _rate(row: ResultRow) -> float | None:
    return None if row.measured is None else row.measured.rate


def _iops(row: ResultRow) -> float | None:
    return None if row.measured is None else row.measured.iops


def _number(value: object) -> str:
    return "" if value is None else str(value)


def _look(row: ResultRow, role: int) -> object:
    if row.error is None:
        return None
    if role == Qt.ItemDataRole.DecorationRole:
        return icons.icon("block", Tone.BLOCK)
    return theme().colour(Tone.BLOCK) if role == Qt.ItemDataRole.ForegroundRole else None


def _tip(row: ResultRow) -> str:
    return row.error.text if row.error is not None else row.where


def _columns() -> tuple[TableColumn[ResultRow], ...]:
    return (
        TableColumn(title=tell("File"), text=lambda row: Path(row.where).name, tip=_tip, look=_look),
        TableColumn(title=tell("What"), text=_what, tip=_tip),
        TableColumn(
            title=tell("Rate"), value=_rate, number=True,
            text=lambda row: "" if (rate := _rate(row)) is None else rate_text(rate),
        ),
        TableColumn(
            title=tell("IOPS"), value=_iops, number=True, meaning=tell("Operations a second"),
            text=lambda row: "" if (iops := _iops(row)) is None else operations_text(iops),
        ),
        TableColumn(
            title=tell("99 % within"), value=lambda row: row.latency_ns, number=True,
            meaning=tell("The time within which 99 % of the operations ended"),
            text=lambda row: "" if (ns := row.latency_ns) is None else latency_words(ns),
        ),
        TableColumn(
            title=tell("Jobs"), number=True,
            text=lambda row: _number(None if row.measured is None else row.measured.jobs),
            value=lambda row: None if row.measured is None else row.measured.jobs,
        ),
        TableColumn(
            title=tell("Depth"), number=True,
            text=lambda row: _number(None if row.measured is None else row.measured.queue_depth),
            value=lambda row: None if row.measured is None else row.measured.queue_depth,
        ),
    )  # fmt: skip
