"""Finds the coefficients on the measured rows, and tells the error on rows that were left out.

`predict/throughput.py` holds what this finds, `left_out.csv` how each row is missed when it is left out: run
``python -m tests.predict.fitting`` to write it anew. Coefficients of all machines and the six numbers of each machine
(`belief.py`) are found together by Gauss-Newton steps; the machines' numbers are held by the same expectation as in a
prediction.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tests.predict.shipped import table

from poolwright.domain.units import MIB
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec, parse_spec
from poolwright.predict import throughput as fitted
from poolwright.predict.assumptions import SpeedInputs
from poolwright.predict.belief import Numbers, prior, read_rate, write_rate
from poolwright.predict.groups import Groups, groups_of, members_of
from poolwright.predict.media import UNKNOWN_HOST, DiskRates, disk_rates
from poolwright.predict.throughput import FITTED, Coefficients, capability

NAMES = ("read_column_cost", "mirror_read_gain", "parity_exponent")
HOST_NUMBERS = 6
STEPS = 12
_ANY_SIZE = 6 * 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A measured sequential rate in bytes/s of a pool on ``machine``, whose single disk gives ``disks``."""

    machine: str
    layout: Layout
    reading: bool
    bytes_per_second: float
    disks: DiskRates


def thesis_rows(pool_throughput_csv: str) -> tuple[Measured, ...]:
    """Return the rates of `pool_throughput.csv` (Wikibook, table 2); its single disk is the first row."""
    rows = list(csv.DictReader(io.StringIO(pool_throughput_csv)))
    single = next(row for row in rows if row["layout"] == "stripe" and row["vdevs"] == "1")
    disks = _disks(float(single["read_mb_s"]), float(single["write_mb_s"]))
    found = []
    for row in rows:
        layout = _layout(row["layout"], int(row["vdevs"]), int(row["width"]))
        found.append(_measured("thesis", layout, float(row["read_mb_s"]), disks, reading=True))
        found.append(_measured("thesis", layout, float(row["write_mb_s"]), disks, reading=False))
    return tuple(found)


def blog_rows(ashift_effect_csv: str) -> tuple[Measured, ...]:
    """Return the rates of `ashift_effect.csv` (MacZFS blog) at ashift 12; a vdev is as fast as its slowest disk."""
    rows = [row for row in csv.DictReader(io.StringIO(ashift_effect_csv)) if row["document"] == "macblog"]
    single = {
        (row["members"], row["operation"]): float(row["ashift_12_mib_s"]) for row in rows if row["spec"] == "stripe:1"
    }
    found = []
    for row in rows:
        kind, _, width = row["spec"].partition(":")
        if kind == "stripe":
            continue
        models = [part.split(" x ")[1] for part in row["members"].split(", ")]
        disks = _disks(min(single[m, "read"] for m in models), min(single[m, "write"] for m in models))
        layout = _layout(kind, 1, int(width))
        reading = row["operation"] == "read"
        found.append(_measured("blog", layout, float(row["ashift_12_mib_s"]), disks, reading=reading))
    return tuple(found)


def _disks(read: float, write: float) -> DiskRates:
    return disk_rates(read_bytes_per_second=read * MIB, write_bytes_per_second=write * MIB)


def _measured(machine: str, layout: Layout, rate: float, disks: DiskRates, *, reading: bool) -> Measured:
    return Measured(machine=machine, layout=layout, reading=reading, bytes_per_second=rate * MIB, disks=disks)


def _layout(word: str, vdevs: int, width: int) -> Layout:
    one: VdevSpec = parse_spec(f"{word}:{width}x{_ANY_SIZE}")
    if one.kind is VdevKind.STRIPE:
        return (replace(one, sizes=one.sizes * vdevs),)
    return (one,) * vdevs


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    model: Coefficients
    hosts: tuple[tuple[str, Numbers], ...]

    def host(self, machine: str) -> Numbers:
        return dict(self.hosts)[machine]


def fit(rows: tuple[Measured, ...], start: Fit | None = None, *, steps: int = STEPS) -> Fit:
    machines = sorted({row.machine for row in rows})
    expected = {machine: _expected(machine, rows) for machine in machines}
    precision = {machine: np.linalg.inv(expected[machine][1]).tolist() for machine in machines}
    model = [getattr(start.model if start else FITTED, name) for name in NAMES]
    means = {m: list(start.host(m)) if start else list(expected[m][0]) for m in machines}
    for _ in range(steps):
        size = len(NAMES) + HOST_NUMBERS * len(machines)
        gradient, hessian = [0.0] * size, [[1e-9 * (i == j) for j in range(size)] for i in range(size)]
        for index, machine in enumerate(machines):
            base = len(NAMES) + HOST_NUMBERS * index
            offset = [m - e for m, e in zip(means[machine], expected[machine][0], strict=True)]
            for i, line in enumerate(precision[machine]):
                gradient[base + i] += sum(p * o for p, o in zip(line, offset, strict=True))
                for j, value in enumerate(line):
                    hessian[base + i][base + j] += value
            for row in rows:
                if row.machine == machine:
                    _add(row, model, means[machine], base, gradient, hessian)
        # All machines at once: a machine's own numbers must not take what holds for every one.
        step = np.linalg.solve(hessian, gradient).tolist()
        model = [value - _held(value, change) for value, change in zip(model, step, strict=False)]
        for index, machine in enumerate(machines):
            base = len(NAMES) + HOST_NUMBERS * index
            means[machine] = [m - s for m, s in zip(means[machine], step[base : base + HOST_NUMBERS], strict=True)]
        if max(abs(s) for s in step) < 1e-6:
            break
    return Fit(model=_model(model), hosts=tuple((m, tuple(means[m])) for m in machines))


def _held(value: float, change: float) -> float:
    """Return a step no longer than half of the value, so that a coefficient keeps its sign."""
    return math.copysign(min(abs(change), abs(value) / 2.0), change)


def _expected(machine: str, rows: tuple[Measured, ...]) -> tuple[Numbers, tuple[Numbers, ...]]:
    own = [row for row in rows if row.machine == machine]
    belief = prior(UNKNOWN_HOST, own[0].disks, max(members_of(groups_of(row.layout)) for row in own))
    return belief.mean, belief.covariance


def _add(
    row: Measured, model: list[float], mean: list[float], base: int, gradient: list[float], hessian: list[list[float]]
) -> None:
    groups = groups_of(row.layout)
    host = tuple(mean)
    at = _logarithm(row, groups, host, model)
    error = fitted.READ_ERROR if row.reading else fitted.WRITE_ERROR
    setting = SpeedInputs(disks=row.disks, model=_model(model))
    rated = (read_rate if row.reading else write_rate)(capability(groups, setting), host, setting)
    slopes = [(base + i, slope) for i, slope in rated.slopes]
    for i, value in enumerate(model):
        moved = [*model[:i], value * 1.0001, *model[i + 1 :]]
        slopes.append((i, (_logarithm(row, groups, host, moved) - at) / (value * 0.0001)))
    missed = (at - math.log(row.bytes_per_second)) / error**2
    for i, a in slopes:
        gradient[i] += a * missed
        for j, b in slopes:
            hessian[i][j] += a * b / error**2


def _logarithm(row: Measured, groups: Groups, mean: Numbers, model: list[float]) -> float:
    setting = SpeedInputs(disks=row.disks, model=_model(model))
    rate = (read_rate if row.reading else write_rate)(capability(groups, setting), mean, setting)
    return math.log(rate.bytes_per_second)


def _model(values: list[float]) -> Coefficients:
    cost, gain, exponent = values
    return Coefficients(read_column_cost=cost, mirror_read_gain=gain, parity_exponent=exponent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """How a prediction missed a row: logarithm of predicted over measured."""

    row: Measured
    logarithm: float

    @property
    def percent(self) -> float:
        return 100.0 * abs(math.expm1(self.logarithm))


def leave_one_out(rows: tuple[Measured, ...]) -> Iterator[Missed]:
    """Yield how each row in turn is missed by the fit to all others: some 20 ms a row."""
    start = fit(rows)
    for index, row in enumerate(rows):
        found = fit(rows[:index] + rows[index + 1 :], start, steps=4)
        model = [getattr(found.model, name) for name in NAMES]
        predicted = _logarithm(row, groups_of(row.layout), found.host(row.machine), model)
        yield Missed(row=row, logarithm=predicted - math.log(row.bytes_per_second))


LEFT_OUT = Path(__file__).with_name("left_out.csv")


def seed_rows() -> tuple[Measured, ...]:
    return thesis_rows(table("pool_throughput.csv")) + blog_rows(table("ashift_effect.csv"))


def left_out_text() -> str:
    """Return the rows as runs (`read_runs`), with the machine and what a model that has not seen the row says."""
    lines = ["machine,vdevs,metric,value,modelled"]
    for missed in leave_one_out(seed_rows()):
        row = missed.row
        vdevs = " ".join(f"{count}*{spec}" if count > 1 else str(spec) for spec, count in Counter(row.layout).items())
        metric, rate = "seq_read" if row.reading else "seq_write", row.bytes_per_second
        lines.append(f"{row.machine},{vdevs},{metric},{rate:.0f},{rate * math.exp(missed.logarithm):.0f}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    LEFT_OUT.write_text(left_out_text(), encoding="utf-8")
