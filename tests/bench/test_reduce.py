"""What a screen shows of a curve with more values than pixels: every peak, every gap, and nothing else."""

import numpy as np
import pytest

from poolwright.bench.lanes import _LONG, Numbers, _kept, reduced


def curve(count: int, seed: int = 1) -> tuple[Numbers, Numbers]:
    random = np.random.default_rng(seed)
    return np.cumsum(random.random(count)), random.normal(size=count)


def test_that_a_curve_with_fewer_values_than_pixels_stays_as_it_is() -> None:
    xs, ys = curve(900)
    shown = reduced(xs, ys, 500, xs[0], xs[-1])
    assert np.array_equal(shown[0], xs)
    assert np.array_equal(shown[1], ys)


@pytest.mark.parametrize("count", [5_000, 40_000, _LONG + 77])
def test_that_no_peak_is_lost_wherever_it_stands(count: int) -> None:
    xs, ys = curve(count)
    for place in np.random.default_rng(2).integers(0, count, 40):
        for peak in (99.0, -99.0):
            one = ys.copy()
            one[place] = peak
            assert peak in reduced(xs, one, 300, xs[0], xs[-1])[1]


@pytest.mark.parametrize("count", [5_000, _LONG * 2])
def test_that_least_and_most_of_any_part_are_those_of_its_values(count: int) -> None:
    xs, ys = curve(count)
    for left, right in np.sort(np.random.default_rng(3).random((40, 2)) * xs[-1]):
        shown_x, shown_y = reduced(xs, ys, 200, left, right)
        assert len(shown_x) <= 2 * 200 or len(shown_x) == np.count_nonzero((xs >= left) & (xs <= right)) + 2
        inside = ys[(xs >= left) & (xs <= right)]
        if len(inside):
            around = ys[(xs >= shown_x[0]) & (xs <= shown_x[-1])]
            assert shown_y.max() == around.max() >= inside.max()
            assert shown_y.min() == around.min() <= inside.min()
            pixel = (right - left) / 200
            assert shown_x[0] >= left - 2 * pixel - 200
            assert np.all(np.diff(shown_x) >= 0)


def test_that_a_gap_stays_a_gap_and_hides_no_value_beside_it() -> None:
    xs = np.arange(100_000.0)
    ys = np.ones(100_000)
    ys[40_000:60_000] = np.nan
    shown_x, shown_y = reduced(xs, ys, 100, 0, 1e5)
    gap = np.isnan(shown_y)
    assert gap.sum() == 2 * 20
    assert shown_x[gap].min() == 40_000
    assert np.all(shown_y[~gap] == 1)


def test_that_what_is_kept_of_a_long_curve_goes_with_it() -> None:
    xs, ys = curve(_LONG)
    reduced(xs, ys, 10, xs[0], xs[-1])
    assert id(ys) in _kept
    key = id(ys)
    del ys
    assert key not in _kept
