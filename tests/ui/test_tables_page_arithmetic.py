"""What the plots of tables compute: room for labels, labels that keep apart, colours that can be told apart."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor
from tests.ui.test_theme import contrast

from poolwright.emit.chart import ends, kept_apart, log_axis, range_with_labels, ticks_between
from poolwright.emit.drawing import DARK, LIGHT, MARKERS, SERIES, Colours
from poolwright.predict.table_model import MOST_SERIES

values = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(st.tuples(values, st.floats(0, 190)), min_size=1, max_size=12))
def test_that_zero_and_every_label_are_in_the_range(labels: list[tuple[float, float]]) -> None:
    numbers, widths = [value for value, _ in labels], [width for _, width in labels]
    low, high = range_with_labels(numbers, widths, 400, least=0, most=0)
    assert low <= 0 <= high
    pixel = (high - low) / 400
    one_sided = all(value >= 0 for value in numbers) or all(value <= 0 for value in numbers)
    for value, width in labels:
        assert low <= value <= high
        if one_sided and width <= 100:
            # Six rounds come within two hundredths of the width.
            assert (high - value if value >= 0 else value - low) >= width * pixel - 0.02 * (high - low)


@given(st.lists(values, max_size=8), st.floats(1, 1e4))
def test_that_labels_kept_apart_keep_their_order_and_distance(wanted: list[float], distance: float) -> None:
    placed = kept_apart(wanted, distance)
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    for before, after in pairwise(order):
        assert placed[after] - placed[before] >= distance * (1 - 1e-6) - 1e-6


def test_that_labels_far_apart_stay_where_they_are() -> None:
    assert kept_apart([30.0, 10.0], 5) == [30.0, 10.0]


def test_that_decades_have_a_tick_at_each_power_of_ten() -> None:
    axis = log_axis("Rate", [0.3, 42])
    assert [text for _, text in ticks_between(axis, *ends(axis), 8)] == ["0.1", "1", "10", "100"]


def series_colours(colours: Colours) -> list[str]:
    return [getattr(colours, role) for role in SERIES]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_series_stand_out_from_the_ground(colours: Colours) -> None:
    assert len(SERIES) == len(set(MARKERS)) == MOST_SERIES
    assert min(contrast(colour, colours.base) for colour in series_colours(colours)) >= 3


# Linear RGB as people without one kind of cone see it (Vienot, Brettel and Mollon 1999).
_PROTAN = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
_DEUTAN = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))
_ALL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.9505, 1.0, 1.089)

Three = tuple[float, float, float]


def times(matrix: tuple[Three, Three, Three], vector: Three) -> Three:
    x, y, z = (sum(a * b for a, b in zip(line, vector, strict=True)) for line in matrix)
    return x, y, z


def lab(colour: str, seen: tuple[Three, Three, Three]) -> Three:
    """Return a colour in CIE L*a*b*, as it is seen with these cones."""
    of = QColor(colour)
    r, g, b = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (of.redF(), of.greenF(), of.blueF())
    )
    seen_as = times(_TO_XYZ, times(seen, (r, g, b)))
    x, y, z = (max(part, 0.0) / white for part, white in zip(seen_as, _WHITE, strict=True))
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("seen", [_ALL, _PROTAN, _DEUTAN])
def test_that_series_differ_for_any_eye(colours: Colours, seen: tuple[Three, Three, Three]) -> None:
    for one, other in combinations(series_colours(colours), 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one, seen), lab(other, seen), strict=True)) ** 0.5
        assert distance >= 20, (one, other, distance)
