"""Measured runs of pools on one host, to which predictions are adapted: `vdevs,metric,value` rows of a CSV file."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from poolwright.domain.errors import UserError
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.shown import csv_rows
from poolwright.domain.units import DEFAULT_RECORD_BYTES, out_of_range, parse_block_size, parse_record_size
from poolwright.domain.vdev import Layout, parse_layout
from poolwright.predict.groups import Groups, groups_of
from poolwright.texts import _

MOST_RUNS = 1000
MOST_CLIENTS = 100_000
_LARGEST_NUMBER = 1e15
_OPTIONAL_COLUMNS = ("recordsize", "clients", "blocksize")  # for machines


class Metric(StrEnum):
    SEQ_WRITE = "seq_write"
    SEQ_READ = "seq_read"
    RAND_READ = "rand_read_iops"
    RAND_WRITE = "rand_write_iops"
    SYNC_WRITE = "sync_write_iops"


SEQUENTIAL = (Metric.SEQ_READ, Metric.SEQ_WRITE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """One measured value of a pool on the host.

    ``clients`` is how many requests were under way at once; None: unknown, then as many as where it is looked up.
    ``request_bytes`` None is requests as large as the records. ``error`` is the standard error of the value, as that of
    its logarithm: what its repeats differ by. ``fill_percent`` is how full the pool was, which was in use then.
    """

    layout: Layout
    metric: Metric
    value: float
    record_bytes: int = DEFAULT_RECORD_BYTES
    clients: int | None = None
    request_bytes: int | None = None
    error: float = 0.0
    fill_percent: float = 0.0

    @property
    def groups(self) -> Groups:
        return groups_of(self.layout)


def read_runs(text: str, *, where: str = "runs") -> tuple[MeasuredRun, ...]:
    """Return the runs of a CSV text: columns vdevs, metric, value and, where known, recordsize, clients and blocksize.

    Several vdevs stand in one cell with spaces between them, equal ones as ``4*SPEC``; other columns are passed over.
    Raises UserError with the line.
    """
    rows = _rows(text, where)
    names = [name.strip() for name in next(rows, (0, []))[1]]
    if not {"vdevs", "metric", "value"} <= set(names):
        raise UserError(_("The runs lack a column"), where=where, todo=_("The first line is vdevs,metric,value."))
    runs: list[MeasuredRun] = []
    for number, values in rows:
        row = dict(zip_longest(names, values[: len(names)], fillvalue=""))
        cells = [row[name] for name in ("vdevs", "metric", "value")]
        record, clients, request = (row.get(name, "").strip() or None for name in _OPTIONAL_COLUMNS)
        line = _("{file}, line {line}", file=where, line=number)
        if len(runs) == MOST_RUNS:
            raise out_of_range(number, 1, MOST_RUNS, of=line)
        runs.append(make_run(*cells, record=record, clients=clients, request=request, where=line))
    if not runs:
        raise UserError(_("There is no run in it"), where=where)
    return tuple(runs)


def _rows(text: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with its line; the first wrong one ends the reading of a long text."""
    try:
        yield from ((number, row) for number, row in csv_rows(text) if row)
    except UserError as error:
        raise UserError(error.what, where=f"{where}, {error.where}", todo=error.todo) from None


def make_run(
    vdevs: str,
    metric: str,
    value: str,
    *,
    record: str | None = None,
    clients: str | None = None,
    request: str | None = None,
    where: str,
) -> MeasuredRun:
    try:
        layout = parse_layout([vdevs])
        groups_of(layout)
        kind = Metric(metric.strip())
        number = parse_disk_rate(value) if kind in SEQUENTIAL else parse_number(value)
        record_bytes = DEFAULT_RECORD_BYTES if record is None else parse_record_size(record)
        request_bytes = None if request is None else parse_block_size(request)
        at_once = None if clients is None else _parse_clients(clients)
    except UserError as error:
        raise UserError(error.what, where=where, todo=error.todo) from None
    except ValueError:
        known = ", ".join(Metric)
        raise UserError(
            _("“{name}” does not exist", name=metric), where=where, todo=_("Choose from {names}.", names=known)
        ) from None
    return MeasuredRun(
        layout=layout,
        metric=kind,
        value=number,
        record_bytes=record_bytes,
        clients=at_once,
        request_bytes=None if request_bytes == record_bytes else request_bytes,
    )


def _parse_clients(text: str) -> int:
    # Cut before it is converted: Python refuses numbers of more than 4300 digits with an error of its own.
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:10]) <= MOST_CLIENTS and len(text) < 10):
        raise out_of_range(text, 1, MOST_CLIENTS, of="clients")
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Runs on one host. Compared by identity: it is made once and looked up often."""

    runs: tuple[MeasuredRun, ...]

    def of(self, *metrics: Metric) -> tuple[MeasuredRun, ...]:
        return tuple(run for metric in metrics for run in self.runs if run.metric is metric)


NO_RUNS = Calibration(runs=())


def parse_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not (math.isfinite(value) and 0 < value < _LARGEST_NUMBER):
        raise out_of_range(text)
    return value
