"""Numbers as people read them: the last value on either side of each change of unit, and no digit too many."""

import pytest

from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.domain.units import MB, TIB
from poolwright.predict.drives import Cause
from poolwright.predict.number_words import (
    Unit,
    advice_on,
    band_text,
    banded_text,
    between_text,
    cause_words,
    has_band,
    hours_text,
    loss_words,
    money_text,
    odds_text,
    operations_text,
    rounded,
    share_text,
    speed_text,
    units_words,
)


def guess(low: float, typical: float, high: float) -> Estimate:
    return Estimate(
        low=low, typical=typical, high=high, limit="", origin=Origin(kind=OriginKind.PREDICTED, source="model")
    )


_FORMS = (
    (Unit.BYTES, TIB + 0.4, "1.00 TiB (1.10 TB)"), (Unit.RATE, 250.4 * MB, "250 MB/s"),
    (Unit.OPERATIONS, 6349, "6,300"), (Unit.HOURS, 9.5, "9.5 h"), (Unit.PROBABILITY, 0.001, "1 in 1,000"),
    (Unit.SHARE, 0, "0 %"), (Unit.SHARE, 0.5, "50 %"), (Unit.SHARE, 0.9996, "100.0 %"), (Unit.SHARE, 1, "100 %"),
    (Unit.COUNT, 1234, "1,234"), (Unit.FEW, 0.123, "0.12"), (Unit.MONEY, 99.994, "99.99"),
    (Unit.ENERGY, 12_345, "12,000 kWh"),
)  # fmt: skip


@pytest.mark.parametrize(("unit", "value", "text"), _FORMS)
def test_that_each_unit_has_its_own_form(unit: Unit, value: float, text: str) -> None:
    assert unit.text(value) == text


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (0, "< 1 s"), (0.0005, "2 s"), (0.0165, "59 s"), (0.0166, "1 min"), (1 / 60, "1 min"), (0.5, "30 min"),
        (0.99, "59 min"), (0.999, "1 h"), (1, "1 h"),
        (2.44, "2.4 h"), (95.4, "95 h"), (96, "4 days"), (228, "9.5 days"), (24 * 1234, "1,200 days"),
    ],
)  # fmt: skip
def test_that_a_time_has_the_unit_that_suits_it(hours: float, text: str) -> None:
    assert hours_text(hours) == text


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (-1, "never"), (0, "never"), (1, "100 %"), (0.9999, "100 %"), (0.996, "99.6 %"), (0.995, "99.5 %"),
        (0.9949, "99 %"), (0.1, "10 %"), (0.0999, "1 in 10"), (0.012, "1 in 83"), (1 / 29_400_000, "1 in 29 million"),
        (1.01e-6, "1 in 990,000"), (1e-6, "1 in 1 million"), (1e-9, "1 in 1 billion"), (1 / 999e6, "1 in 1 billion"),
        (1e-12, "1 in 1 trillion"), (1 / 2.5e12, "1 in 2.5 trillion"), (1.1e-15, "1 in 910 trillion"),
        (0.99e-15, "less than 1 in 1000 trillion"),
    ],
)  # fmt: skip
def test_that_a_probability_reads_as_odds_and_as_a_share_where_it_is_large(probability: float, text: str) -> None:
    assert odds_text(probability) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0.00"), (-99.999, "-100.00"), (99.994, "99.99"), (100, "100"), (-100.4, "-100"), (12_345.6, "12,346")],
)
def test_that_money_has_cents_below_a_hundred(amount: float, text: str) -> None:
    assert money_text(amount) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(9.94, "9.9"), (9.96, "10"), (10.4, "10"), (994, "990"), (0.0123, "0.012"), (1.5e6, "1,500,000")],
)
def test_that_operations_have_two_digits(value: float, text: str) -> None:
    assert operations_text(value) == text


def test_that_what_was_measured_is_told_in_whole_per_cent() -> None:
    assert [share_text(share) for share in (0, 0.004, 0.987, 0.996, 1.5)] == ["0 %", "0 %", "99 %", "100 %", "150 %"]
    assert [share_text(share, signed=True) for share in (0.12, -0.5)] == ["+12 %", "-50 %"]
    assert (rounded(12_345, 2), rounded(0.012345, 3)) == (12_000, 0.0123)
    assert rate_text(999.4) == "999 B/s"


def test_that_a_band_is_told_where_its_ends_read_differently() -> None:
    wide, narrow = guess(1, 2, 3), guess(2, 2, 2.004)
    assert [has_band(one, hours_text) for one in (wide, narrow)] == [True, False]
    assert [band_text(one, hours_text) for one in (wide, narrow)] == ["1 h to 3 h", "2 h"]
    assert between_text(wide, hours_text) == "Between 1 h and 3 h."


@pytest.mark.parametrize(
    ("low", "high", "speed", "banded"),
    [
        (6, 11, "10", "10"),
        (6, 12, "10", "10 (6 to 12)"),
        (1, 24, "1–24", "10 (1 to 24)"),
        (1, 25, "1–25", "unpredictable, run the benchmark (1 to 25)"),
    ],
)
def test_that_of_a_speed_whose_band_is_wide_the_band_is_told(low: float, high: float, speed: str, banded: str) -> None:
    estimate = guess(low, 10, high)
    assert (speed_text(estimate, operations_text), banded_text(estimate, operations_text)) == (speed, banded)


def test_that_both_risks_stand_together_and_advice_comes_where_other_causes_dominate() -> None:
    assert loss_words(1e-4, 1e-6) == "1 in 10,000 per year (disk failures alone 1 in 1 million)"
    assert advice_on(1e-3) == ""
    assert "backup" in advice_on(1e-9)
    assert units_words([]) == ""
    assert units_words(["shelf 2"]).startswith("The loss of shelf 2 takes the pool")
    assert units_words(["shelf 2", "shelf 1"]).startswith("The loss of any of shelf 1, shelf 2 takes the pool")


@pytest.mark.parametrize(
    ("numbers", "unit", "text"),
    [
        ((0.01, 0.03, 0.1), "percent", "3 % (1 to 10)"),
        ((0.03, 0.03, 0.03), "percent", "3 %"),
        ((720, 168, 72), "h", "168 h (720 to 72)"),
        ((1, 2, 4), "times", "2 (1 to 4)"),
    ],
)
def test_that_a_cause_is_told_in_its_unit(numbers: tuple[float, float, float], unit: str, text: str) -> None:
    low, typical, high = numbers
    cause = Cause(name="x", low=low, typical=typical, high=high, unit=unit, basis="", means="", source="")
    assert cause_words(cause) == text
