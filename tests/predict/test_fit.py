"""The coefficients are what the measured rows give, and the errors stated are those of left-out rows."""

import math
from itertools import combinations, permutations
from statistics import median

import pytest
from tests.predict.shipped import table

from poolwright.predict import coefficients as stated
from poolwright.predict.belief import (
    RAIDZ_LIMIT,
    READ_LIMIT,
    WRITE_DISK,
    WRITE_GAIN,
    WRITE_LIMIT,
    Setting,
    numbers,
    prior,
    read_rate,
    write_rate,
)
from poolwright.predict.calibrate import Calibration, Metric, Run, posterior
from poolwright.predict.caps import UNKNOWN_HOST
from poolwright.predict.fit import NAMES, Fit, Measured, blog_rows, fit, leave_one_out, summary, thesis_rows
from poolwright.predict.groups import groups_of, members_of
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


def _sum_of_disks(rows: tuple[Measured, ...], machine: str, *, reading: bool) -> float:
    """The rates of all disks that the machine holds, as fast as the fastest of them."""
    disks = [row.disks for row in rows if row.machine == machine]
    rates = [d.read_bytes_per_second if reading else d.write_bytes_per_second for d in disks]
    return INSTALLED[machine] * max(rates)


def _mean(logarithms: list[float]) -> float:
    return math.exp(sum(logarithms) / len(logarithms))


@pytest.mark.parametrize(
    ("reading", "index", "floor", "factor"),
    [
        (True, READ_LIMIT, stated.HOST_READ_FLOOR, stated.HOST_READ_FACTOR),
        (False, WRITE_LIMIT, stated.HOST_WRITE_FLOOR, stated.HOST_WRITE_FACTOR),
    ],
)
def test_that_what_is_expected_of_an_unknown_host_comes_from_the_two_known_ones(
    rows: tuple[Measured, ...], found: Fit, reading: bool, index: int, floor: float, factor: float
) -> None:
    limits = [numbers[index] for _, numbers in found.hosts]
    roots = [math.log(_sum_of_disks(rows, machine, reading=reading)) / 2 for machine, _ in found.hosts]
    assert floor == pytest.approx(_mean(limits), rel=0.02)
    assert factor == pytest.approx(_mean([c - r for c, r in zip(limits, roots, strict=True)]), rel=0.02)


def test_that_a_lone_raidz_vdev_passed_two_thirds_of_what_either_host_did(found: Fit) -> None:
    for machine in ("thesis", "blog"):
        assert math.exp(found.host(machine)[RAIDZ_LIMIT]) == pytest.approx(stated.RAIDZ_LIMIT, rel=0.1)


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
    assert 0.80 < inside <= 0.95
    assert error < 0.45


def test_that_a_machine_left_out_altogether_is_foretold_from_one_run(rows: tuple[Measured, ...]) -> None:
    for machine, reading, mean in (
        ("thesis", True, 0.30),
        ("thesis", False, 0.13),
        ("blog", True, 0.26),
        ("blog", False, 0.25),
    ):
        model = fit(tuple(row for row in rows if row.machine != machine)).model
        own = [row for row in rows if row.machine == machine and row.reading == reading]
        errors = []
        for row, known in permutations(own, 2):
            setting = Setting(disks=row.disks, model=model)
            groups = groups_of(row.layout)
            belief = posterior(Calibration(runs=(_run(known),)), UNKNOWN_HOST, setting, members_of(groups))
            rate = (read_rate if reading else write_rate)(groups, belief.mean, setting)
            errors.append(abs(rate.bytes_per_second / row.bytes_per_second - 1))
        assert sum(errors) / len(errors) == pytest.approx(mean, abs=0.015)


@pytest.mark.parametrize(
    ("machine", "reading", "mean"),
    [("thesis", True, 0.45), ("thesis", False, 0.64), ("blog", True, 0.28), ("blog", False, 0.82)],
)
def test_that_one_machine_alone_foretells_the_other_badly_without_a_run(
    rows: tuple[Measured, ...], machine: str, reading: bool, mean: float
) -> None:
    """Why the band of an unknown host is as wide as it is: limits in proportion to the root of the disks' rates."""
    rest = tuple(row for row in rows if row.machine != machine)
    alone = fit(rest)
    known = list(alone.host(rest[0].machine))
    own = [row for row in rows if row.machine == machine]
    expected = list(prior(UNKNOWN_HOST, own[0].disks, INSTALLED[machine]).mean)
    for index, reads in ((READ_LIMIT, True), (WRITE_LIMIT, False)):
        there, here = (_sum_of_disks(some, some[0].machine, reading=reads) for some in (rest, tuple(own)))
        expected[index] = known[index] + math.log(here / there) / 2
    expected[RAIDZ_LIMIT] = known[RAIDZ_LIMIT]
    errors = []
    for row in own:
        if row.reading == reading:
            rate = (read_rate if reading else write_rate)(
                groups_of(row.layout), numbers(expected), Setting(disks=row.disks, model=alone.model)
            )
            errors.append(abs(rate.bytes_per_second / row.bytes_per_second - 1))
    assert sum(errors) / len(errors) == pytest.approx(mean, abs=0.03)
