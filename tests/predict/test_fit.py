"""The coefficients are what the measured rows give, and the errors stated are those of left-out rows."""

import csv
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from statistics import median

import pytest
from tests.cases import cases
from tests.predict.fitting import LEFT_OUT, NAMES, Fit, Measured, fit, left_out_text, seed_rows
from tests.predict.published import (
    PUBLISHED,
    hosts,
    likeliest_factor,
    likeliest_spread,
    predicted,
    rows_of_seeds,
    unpublished_hosts,
)

from poolwright.predict import throughput as stated
from poolwright.predict.assumptions import SpeedInputs
from poolwright.predict.belief import (
    RAIDZ_LIMIT,
    READ_LIMIT,
    WRITE_DISK,
    WRITE_GAIN,
    WRITE_LIMIT,
    posterior,
    prior,
    read_rate,
    write_rate,
)
from poolwright.predict.groups import groups_of, members_of
from poolwright.predict.measured_runs import Calibration, MeasuredRun, Metric
from poolwright.predict.media import UNKNOWN_HOST, HostCaps
from poolwright.predict.speed import predict_speed
from poolwright.predict.throughput import capability

pytestmark = pytest.mark.slow

_HOSTS_SPREAD = 0.8  # standard deviation of the logarithm of the hosts' limits


@pytest.fixture(scope="module")
def rows() -> tuple[Measured, ...]:
    return seed_rows()


@pytest.fixture(scope="module")
def found(rows: tuple[Measured, ...]) -> Fit:
    return fit(rows)


def test_that_all_measured_rows_are_used(rows: tuple[Measured, ...]) -> None:
    assert len(rows) == stated.ROWS
    assert len([row for row in rows if row.machine == "blog"]) == 12


def test_that_the_coefficients_are_those_of_the_fit(found: Fit) -> None:
    for name in NAMES:
        assert getattr(stated.FITTED, name) == pytest.approx(getattr(found.model, name), rel=0.03), name


@pytest.mark.parametrize(
    ("reading", "factor", "floor", "count", "below"),
    [
        (True, stated.HOST_READ_FACTOR, stated.HOST_READ_FLOOR, 6, 0.45),
        (False, stated.HOST_WRITE_FACTOR, stated.HOST_WRITE_FLOOR, 9, 0.9),
    ],
)
def test_that_what_is_expected_of_an_unknown_host_is_below_what_the_known_ones_make_likeliest(
    rows: tuple[Measured, ...], reading: bool, factor: float, floor: float, count: int, below: float
) -> None:
    known = hosts(PUBLISHED + rows_of_seeds(rows), reading=reading) + (unpublished_hosts() if reading else ())
    assert len(known) == count
    best, error = likeliest_factor(known, floor, _HOSTS_SPREAD), _HOSTS_SPREAD / math.sqrt(count)
    assert math.log(factor / best) / error == pytest.approx(-below, abs=0.2)


def test_that_hosts_differ_as_much_as_stated(rows: tuple[Measured, ...]) -> None:
    """The spread of the hosts, and the error of their mean, make that of a host of which nothing is known."""
    known = hosts(PUBLISHED + rows_of_seeds(rows), reading=False)
    spread = likeliest_spread(known, stated.HOST_WRITE_FLOOR)
    assert spread == pytest.approx(_HOSTS_SPREAD, abs=0.15)
    assert pytest.approx(_HOSTS_SPREAD * math.sqrt(1 + 1 / len(known)), abs=0.1) == stated.HOST_SPREAD


@pytest.mark.parametrize(("host", "reading", "mean"), cases(__file__, "published"))
def test_that_published_hosts_are_foretold_as_far_off_as_stated(host: str, reading: bool, mean: float) -> None:
    own = [row for row in PUBLISHED if row.host == host and row.reading is reading]
    (known,) = hosts(tuple(own), reading=reading)
    factor, floor = (
        (stated.HOST_READ_FACTOR, stated.HOST_READ_FLOOR)
        if reading
        else (stated.HOST_WRITE_FACTOR, stated.HOST_WRITE_FLOOR)
    )
    limit = max(floor, factor * math.sqrt(known.sum_of_disks))
    missed = [abs(predicted(row, limit) / row.rate - 1) for row in own]
    assert sum(missed) / len(missed) == pytest.approx(mean, abs=0.02)


def test_that_one_pool_of_flash_foretells_the_others_on_its_host() -> None:
    """Vector code: one, two or three parities cost about the same, which parity in plain code did not."""
    own = [row for row in PUBLISHED if row.host == "pastebin"]
    missed = []
    for row, known in permutations(own, 2):
        run = MeasuredRun(layout=known.layout, metric=Metric.SEQ_WRITE, value=known.rate)
        found = predict_speed(
            row.layout, disks=row.disks, host=HostCaps(vector_parity=True), calibration=Calibration(runs=(run,))
        )
        missed.append(abs(found.seq_write.typical / row.rate - 1))
    assert sum(missed) / len(missed) < 0.21


def test_that_a_lone_raidz_vdev_passed_two_thirds_of_what_either_host_did(found: Fit) -> None:
    for machine in ("thesis", "blog"):
        assert math.exp(found.host(machine)[RAIDZ_LIMIT]) == pytest.approx(stated.RAIDZ_LIMIT, rel=0.18)


def test_that_half_of_the_write_gain_of_the_one_machine_is_expected_of_others(found: Fit) -> None:
    thesis = found.host("thesis")
    assert pytest.approx((thesis[WRITE_GAIN] + thesis[WRITE_DISK]) / 2, rel=0.1) == stated.WRITE_GAIN


@pytest.mark.parametrize(
    ("metric", "percent", "error"),
    [
        (Metric.SEQ_READ, (4.2, 50.0), stated.READ_ERROR),  # as the guide has them
        (Metric.SEQ_WRITE, (6.5, 30.0), stated.WRITE_ERROR),
    ],
)
def test_that_the_stated_errors_are_those_of_left_out_rows(
    metric: Metric, percent: tuple[float, float], error: float
) -> None:
    text = left_out_text()
    assert LEFT_OUT.read_text(encoding="utf-8") == text
    ratios = [
        float(row["modelled"]) / float(row["value"])
        for row in csv.DictReader(text.splitlines())
        if row["metric"] == metric
    ]
    off = [100 * abs(ratio - 1) for ratio in ratios]
    assert median(off) == pytest.approx(percent[0], abs=1.0)
    assert max(off) == pytest.approx(percent[1], abs=3.0)
    assert math.sqrt(sum(math.log(ratio) ** 2 for ratio in ratios) / len(ratios)) == pytest.approx(error, abs=0.02)


def _chain_errors(rows: tuple[Measured, ...], machine: str, *, reading: bool, runs: int) -> Iterator[float]:
    """Yield by how many per cent each rate of a machine is missed that had no say in coefficients and host limits."""
    floor = stated.HOST_READ_FLOOR if reading else stated.HOST_WRITE_FLOOR
    known = hosts((*rows_of_seeds(rows), *PUBLISHED), reading=reading)
    rest = tuple(host for host in known if host.name != machine)
    factors = [likeliest_factor(some, floor, _HOSTS_SPREAD) for some in (rest, known)]
    model = fit(tuple(row for row in rows if row.machine != machine)).model
    own = [row for row in rows if row.machine == machine and row.reading is reading]
    for row in own:
        groups, setting = groups_of(row.layout), SpeedInputs(disks=row.disks, model=model)
        means = [list(prior(UNKNOWN_HOST, row.disks, members_of(groups)).mean)]
        means[0][READ_LIMIT if reading else WRITE_LIMIT] += math.log(factors[0] / factors[1])
        if runs:
            calibrations = [Calibration(runs=(_run(other),)) for other in own if other is not row]
            beliefs = [posterior(replace(setting, calibration=one), members_of(groups)) for one in calibrations]
            means = [list(belief.mean) for belief in beliefs]
        for mean in means:
            rate = (read_rate if reading else write_rate)(capability(groups, setting), tuple(mean), setting)
            yield 100 * abs(rate.bytes_per_second / row.bytes_per_second - 1)


@pytest.mark.parametrize("runs", [0, 1])
@pytest.mark.parametrize("reading", [True, False])
def test_that_the_error_told_is_that_of_the_whole_chain(
    rows: tuple[Measured, ...], *, reading: bool, runs: int
) -> None:
    errors = [e for m in ("thesis", "blog") for e in _chain_errors(rows, m, reading=reading, runs=runs)]
    middle, worst = (stated.READ_MISSED_PERCENT if reading else stated.WRITE_MISSED_PERCENT)[runs]
    assert median(errors) == pytest.approx(middle, abs=1)
    assert max(errors) == pytest.approx(worst, abs=1.5)
    one = rows[0]
    calibration = Calibration(runs=(_run(one),) * runs)
    both = predict_speed(one.layout, disks=one.disks, calibration=calibration)
    source = (both.seq_read if reading else both.seq_write).origin.source
    assert f"typical error on other machines: {middle:g} %, at most {worst:g} %" in source


def _run(row: Measured) -> MeasuredRun:
    metric = Metric.SEQ_READ if row.reading else Metric.SEQ_WRITE
    return MeasuredRun(layout=row.layout, metric=metric, value=row.bytes_per_second)


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


def test_that_without_any_run_most_rows_lie_in_the_band(rows: tuple[Measured, ...]) -> None:
    error, inside = _judge(rows, 0)
    assert 0.80 < inside <= 0.95
    assert error < 0.45
