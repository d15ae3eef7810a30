"""What runs under one load tell of another: each is held against the model of its own load."""

import itertools
import math
import random

import pytest

from poolwright.domain.units import KIB
from poolwright.domain.vdev import parse_layout
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.media import disk_rates
from poolwright.predict.runs import Calibration, Metric, Run
from poolwright.predict.speed import RUN_SPREAD, Miss, foreseen, predict_speed, together

LAYOUT = parse_layout(["raidz2:6x4TB"])
DISKS = disk_rates()


def load(clients: int, record: int = 128 * KIB) -> PoolLoad:
    return PoolLoad(clients=clients, record_bytes=record)


@pytest.mark.parametrize("metric", [Metric.SYNC_WRITE, Metric.RAND_READ, Metric.RAND_WRITE])
@pytest.mark.parametrize(("measured", "asked"), [((32, 16 * KIB), (1, 128 * KIB)), ((1, 128 * KIB), (32, 16 * KIB))])
def test_that_a_host_that_is_as_modelled_is_foretold_the_same_under_every_load(
    metric: Metric, measured: tuple[int, int], asked: tuple[int, int]
) -> None:
    def typical(of: tuple[int, int], *runs: Run) -> float:
        told = predict_speed(LAYOUT, disks=DISKS, load=load(*of), calibration=Calibration(runs=runs))
        return float(getattr(told, metric).typical)

    run = Run(
        layout=LAYOUT, metric=metric, value=typical(measured), record_bytes=measured[1], clients=measured[0]
    )  # fmt: skip
    assert typical(asked, run) == pytest.approx(typical(asked), rel=1e-9)


def test_that_what_was_seen_at_one_load_counts_less_the_farther_another_lies() -> None:
    seen = (Miss(where=(0.0,), mean=0.5, variance=0.01),)
    found = [foreseen((float(far),), seen, spread=0.4) for far in (0, 1, 3, 7, 20, 200)]
    means, spreads = zip(*found, strict=True)
    assert list(means) == sorted(means, reverse=True)
    assert list(spreads) == sorted(spreads)
    assert means[-1] == pytest.approx(0.0, abs=1e-6)
    assert spreads[-1] == pytest.approx(0.4)


@pytest.mark.parametrize("count", [1, 2, 5, 60])
def test_that_equal_loads_are_weighed_as_one_mean_of_so_many_runs(count: int) -> None:
    spread = 0.5
    seen = together((1.0, 2.0), [(-0.3, RUN_SPREAD**2)] * count)
    mean, left = foreseen((1.0, 2.0), (seen,), spread=spread)
    known, before = count / RUN_SPREAD**2, 1 / spread**2
    assert mean == pytest.approx(-0.3 * known / (known + before))
    assert left == pytest.approx(math.sqrt(1 / (known + before)))


def test_that_the_band_holds_hosts_that_are_drawn_as_it_says() -> None:
    """Hosts are drawn from the very process by another way: a random walk, whose increments are independent."""
    drawn = random.Random(7)
    steps = [0.0, 1.0, 2.5, 4.0, 6.0]
    inside, tries, spread, noise = 0, 4000, 0.5, 0.15
    reach = math.log(1000.0) / math.log(2.0)
    for _ in range(tries):
        truth = [drawn.gauss(0, spread)]
        for before, after in itertools.pairwise(steps):
            keeps = math.exp(-(after - before) / reach)
            truth.append(keeps * truth[-1] + drawn.gauss(0, spread * math.sqrt(1 - keeps**2)))
        hidden = drawn.randrange(len(steps))
        seen = [
            Miss(where=(step,), mean=value + drawn.gauss(0, noise), variance=noise**2)
            for number, (step, value) in enumerate(zip(steps, truth, strict=True))
            if number != hidden
        ]
        mean, left = foreseen((steps[hidden],), seen, spread=spread)
        inside += abs(truth[hidden] - mean) < left
    assert inside / tries == pytest.approx(0.683, abs=0.03)


@pytest.mark.parametrize("metric", list(Metric))
def test_that_a_value_whose_repeats_differ_narrows_the_band_less(metric: Metric) -> None:
    def width(error: float) -> float:
        run = Run(layout=LAYOUT, metric=metric, value=3e8 if metric.value.startswith("seq") else 200.0, error=error)
        told = getattr(predict_speed(LAYOUT, disks=DISKS, calibration=Calibration(runs=(run,))), metric)
        return float(told.high / told.low)

    widths = [width(error) for error in (0.0, 0.1, 0.3)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]
