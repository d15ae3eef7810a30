"""The day on which the pool is as full as it should ever be."""

from datetime import date

import pytest

from poolwright.domain.units import TIB
from poolwright.predict.space import Growth, forecast

TODAY = date(2026, 11, 20)


def test_that_doubling_each_year_fills_from_a_fifth_to_four_fifths_in_two_years() -> None:
    found = forecast(used_bytes=20 * TIB, available_bytes=100 * TIB, growth=Growth(percent=100), today=TODAY)
    assert found.years is not None
    assert found.years.typical == pytest.approx(2, rel=1e-9)
    assert found.typical == date(2028, 11, 19)
    assert found.earliest is not None
    assert found.latest is not None
    assert TODAY < found.earliest < found.typical < found.latest


@pytest.mark.parametrize(
    ("used", "growth"), [(TIB, Growth(percent=0)), (0, Growth(percent=30)), (TIB, Growth(bytes_per_year=0))]
)
def test_that_what_never_fills_has_no_date(used: int, growth: Growth) -> None:
    found = forecast(used_bytes=used, available_bytes=100 * TIB, growth=growth, today=TODAY)
    assert (found.reached, found.years, found.typical) == (False, None, None)


def test_that_what_is_only_predicted_widens_the_dates() -> None:
    growth = Growth(percent=100)
    certain = forecast(used_bytes=20 * TIB, available_bytes=100 * TIB, growth=growth, today=TODAY)
    unsure = forecast(
        used_bytes=20 * TIB, available_bytes=100 * TIB, growth=growth, today=TODAY, used_band=(10 * TIB, 40 * TIB)
    )
    assert certain.earliest is not None
    assert certain.latest is not None
    assert unsure.earliest is not None
    assert unsure.latest is not None
    assert unsure.typical == certain.typical
    assert unsure.earliest < certain.earliest
    assert unsure.latest > certain.latest


def test_that_the_earliest_day_is_today_where_it_may_be_full_already() -> None:
    found = forecast(
        used_bytes=70 * TIB,
        available_bytes=100 * TIB,
        growth=Growth(percent=10),
        today=TODAY,
        used_band=(60 * TIB, 85 * TIB),
    )
    assert not found.reached
    assert found.earliest == TODAY
