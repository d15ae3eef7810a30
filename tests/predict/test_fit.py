"""The coefficients are what the measured rows give, and the errors stated are those of left-out rows."""

import math
from itertools import combinations
from statistics import median

import pytest
from tests.predict.shipped import table

from poolwright.predict import coefficients as stated
from poolwright.predict.belief import READ_LIMIT, WRITE_DISK, WRITE_GAIN, WRITE_LIMIT
from poolwright.predict.calibrate import Calibration, Metric, Run
from poolwright.predict.fit import NAMES, Fit, Measured, blog_rows, fit, leave_one_out, summary, thesis_rows
from poolwright.predict.speed import predict_speed

# Disks that the two machines hold: what share of their sum the host lets through.
INSTALLED = {"thesis": 44, "blog": 6}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows() -> tuple[Measured, ...]:
    return thesis_rows(table("pool_throughput.csv")) + blog_rows(table("ashift_effect.csv"))


@pytest.fixture(scope="module")
def found(rows: tuple[Measured, ...]) -> Fit:
    return fit(rows)


def test_that_all_measured_rows_are_used(rows: tuple[Measured, ...]) -> None:
    assert len(rows) == stated.ROWS
    assert len([row for row in rows if row.machine == "blog"]) == 12


def test_that_the_coefficients_are_those_of_the_fit(found: Fit) -> None:
    for name in NAMES:
        assert getattr(stated.FITTED, name) == pytest.approx(getattr(found.model, name), rel=0.03), name


def test_that_what_is_expected_of_an_unknown_host_comes_from_the_two_known_ones(
    rows: tuple[Measured, ...], found: Fit
) -> None:
    for reading, index, floor, share in (
        (True, READ_LIMIT, stated.HOST_READ_FLOOR, stated.HOST_READ_SHARE),
        (False, WRITE_LIMIT, stated.HOST_WRITE_FLOOR, stated.HOST_WRITE_SHARE),
    ):
        limits, shares = [], []
        for machine, numbers in found.hosts:
            disks = next(row.disks for row in rows if row.machine == machine and len(row.layout[0].sizes) > 0)
            single = disks.read_bytes_per_second if reading else disks.write_bytes_per_second
            limits.append(numbers[index])
            shares.append(math.exp(numbers[index]) / single / INSTALLED[machine])
        assert floor == pytest.approx(math.exp(sum(limits) / 2), rel=0.05)
        assert share == pytest.approx(math.sqrt(shares[0] * shares[1]), rel=0.05)


def test_that_half_of_the_write_gain_of_the_one_machine_is_expected_of_others(found: Fit) -> None:
    thesis = found.host("thesis")
    assert pytest.approx((thesis[WRITE_GAIN] + thesis[WRITE_DISK]) / 2, rel=0.1) == stated.WRITE_GAIN


def _reads(row: Measured) -> bool:
    return row.reading


def _writes(row: Measured) -> bool:
    return not row.reading


def test_that_the_stated_errors_are_those_of_left_out_rows(rows: tuple[Measured, ...]) -> None:
    missed = leave_one_out(rows)
    for reading, percent, error in (
        (True, stated.READ_LEFT_OUT_PERCENT, stated.READ_ERROR),
        (False, stated.WRITE_LEFT_OUT_PERCENT, stated.WRITE_ERROR),
    ):
        middle, worst, rms = summary(missed, _reads if reading else _writes)
        assert middle == pytest.approx(percent[0], abs=1.0)
        assert worst == pytest.approx(percent[1], abs=3.0)
        assert rms == pytest.approx(error, abs=0.02)


def _run(row: Measured) -> Run:
    metric = Metric.SEQ_READ if row.reading else Metric.SEQ_WRITE
    return Run(layout=row.layout, metric=metric, value=row.bytes_per_second)


def _judge(rows: tuple[Measured, ...], runs: int) -> tuple[float, float]:
    """Return the median error and the share in the band of all rows, each predicted from ``runs`` others like it."""
    errors, inside = [], []
    for row in rows:
        others = [o for o in rows if o.machine == row.machine and o.reading == row.reading and o is not row]
        for chosen in list(combinations(others, runs))[:: 7 if runs > 1 else 1]:
            calibration = Calibration(runs=tuple(_run(o) for o in chosen))
            both = predict_speed(row.layout, disks=row.disks, calibration=calibration)
            estimate = both.seq_read if row.reading else both.seq_write
            errors.append(abs(estimate.typical / row.bytes_per_second - 1))
            inside.append(estimate.low <= row.bytes_per_second <= estimate.high)
    return median(errors), sum(inside) / len(inside)


def test_that_one_run_on_the_host_predicts_the_other_pools(rows: tuple[Measured, ...]) -> None:
    error, inside = _judge(rows, 1)
    assert error < 0.10
    assert inside > 0.85


def test_that_two_runs_predict_better_than_one(rows: tuple[Measured, ...]) -> None:
    error, inside = _judge(rows, 2)
    assert error < _judge(rows, 1)[0]
    assert inside > 0.85


def test_that_without_any_run_most_rows_lie_in_the_band(rows: tuple[Measured, ...]) -> None:
    error, inside = _judge(rows, 0)
    assert inside > 0.80
    assert error < 0.35
