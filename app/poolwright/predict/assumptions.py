"""What a person said, or measured on a host, that predictions are made with. Values only: the window has them first."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.shown import csv_rows
from poolwright.domain.units import KIB, PLAN_FILL_PERCENT, out_of_range, parse_block_size, parse_record_size
from poolwright.domain.vdev import Layout, parse_layout
from poolwright.predict.groups import Groups, groups_of
from poolwright.texts import _

# The recordsize of OpenZFS, on which the model's coefficients were fitted.
BASE_RECORD_BYTES = 128 * KIB

# Runs on one host: `vdevs,metric,value` rows of measured pools, to which predictions are adapted.

MOST_RUNS = 1000
MOST_CLIENTS = 100_000
_LARGEST_NUMBER = 1e15
_TOLD_COLUMNS = ("recordsize", "clients", "blocksize")  # for machines


class Metric(StrEnum):
    SEQ_WRITE = "seq_write"
    SEQ_READ = "seq_read"
    RAND_READ = "rand_read_iops"
    RAND_WRITE = "rand_write_iops"
    SYNC_WRITE = "sync_write_iops"


SEQUENTIAL = (Metric.SEQ_READ, Metric.SEQ_WRITE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One measured value of a pool on the host.

    ``clients`` is how many requests were under way at once; None: nobody told, then as many as where it is looked up.
    ``request_bytes`` None is requests as large as the records. ``error`` is the standard error of the value, as that of
    its logarithm: what its repeats differ by. ``fill_percent`` is how full the pool was, which was in use then.
    """

    layout: Layout
    metric: Metric
    value: float
    record_bytes: int = BASE_RECORD_BYTES
    clients: int | None = None
    request_bytes: int | None = None
    error: float = 0.0
    fill_percent: float = 0.0

    @property
    def groups(self) -> Groups:
        return groups_of(self.layout)


def read_runs(text: str, *, where: str = "runs") -> tuple[Run, ...]:
    """Return the runs of a CSV text: columns vdevs, metric, value and, where told, recordsize, clients and blocksize.

    Several vdevs stand in one cell with spaces between them, equal ones as ``4*SPEC``; other columns are passed over.
    Raises UserError with the line.
    """
    rows = _rows(text, where)
    names = [name.strip() for name in next(rows, (0, []))[1]]
    if not {"vdevs", "metric", "value"} <= set(names):
        raise UserError(_("The runs lack a column"), where=where, todo=_("The first line is vdevs,metric,value."))
    runs: list[Run] = []
    for number, told in rows:
        row = dict(zip_longest(names, told[: len(names)], fillvalue=""))
        cells = [row[name] for name in ("vdevs", "metric", "value")]
        record, clients, request = (row.get(name, "").strip() or None for name in _TOLD_COLUMNS)
        place = _("{file}, line {line}", file=where, line=number)
        if len(runs) == MOST_RUNS:
            raise out_of_range(number, 1, MOST_RUNS, of=place)
        runs.append(make_run(*cells, record=record, clients=clients, request=request, where=place))
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
) -> Run:
    try:
        layout = parse_layout([vdevs])
        groups_of(layout)
        kind = Metric(metric.strip())
        number = parse_disk_rate(value) if kind in SEQUENTIAL else parse_number(value)
        record_bytes = BASE_RECORD_BYTES if record is None else parse_record_size(record)
        request_bytes = None if request is None else parse_block_size(request)
        at_once = None if clients is None else _parse_clients(clients)
    except UserError as error:
        raise UserError(error.what, where=where, todo=error.todo) from None
    except ValueError:
        known = ", ".join(Metric)
        raise UserError(
            _("“{name}” does not exist", name=metric), where=where, todo=_("Choose from {names}.", names=known)
        ) from None
    return Run(
        layout=layout,
        metric=kind,
        value=number,
        record_bytes=record_bytes,
        clients=at_once,
        request_bytes=None if request_bytes == record_bytes else request_bytes,
    )


def _parse_clients(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:10]) <= MOST_CLIENTS and len(text) < 10):
        raise out_of_range(text, 1, MOST_CLIENTS, of="clients")
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Runs on one host. Compared by identity: it is made once and looked up often."""

    runs: tuple[Run, ...]

    def of(self, *metrics: Metric) -> tuple[Run, ...]:
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


# What a person said about machine, disks, use and prices.


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What a person said about machine, disks, use and prices. None: what the design knows, else the model's default.

    Rates are bytes/s, ``fill_percent`` and ``load_percent`` those of a rebuild or scrub, ``growth_percent`` a year.
    ``cost_date`` is the month in which prices and watts were entered.
    """

    fill_percent: int = PLAN_FILL_PERCENT
    load_percent: int = 0
    disk_read: float | None = None
    disk_write: float | None = None
    hba: float | None = None
    network: float | None = None
    cores: int | None = None
    afr_percent: float | None = None
    replace_hours: float | None = None
    correlation: float | None = None
    read_errors_per_bit: float | None = None
    price: Money | None = None
    watts: float | None = None
    kwh_price: Money | None = None
    years: float | None = None
    cooling_factor: float | None = None
    cost_date: str | None = None
    used_bytes: int | None = None
    growth_percent: float | None = None
    calibration: Calibration = NO_RUNS
    runs_name: str = ""


NOTHING_SAID = Assumptions()
