"""Predicted numbers are written as people read them, no finer than they are known."""

import pytest

from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.emit.chart import TickForm, ends, log_axis, ticks_between
from poolwright.predict.number_words import band_text, hours_text, odds_text, operations_text
from poolwright.ui.parts.estimate_line import origin_text


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.0, "never"),
        (3.4e-8, "1 in 29 million"),
        (1 / 2_400, "1 in 2,400"),
        (1.2e-10, "1 in 8.3 billion"),
        (1e-20, "less than 1 in 1000 trillion"),
        (0.25, "25 %"),
        (1.0, "100 %"),
    ],
)
def test_that_a_probability_is_told_in_odds(probability: float, words: str) -> None:
    assert odds_text(probability) == words


@pytest.mark.parametrize(("hours", "words"), [(24.0006, "24 h"), (9.78, "9.8 h"), (240.0, "10 days")])
def test_that_a_time_has_the_unit_that_fits(hours: float, words: str) -> None:
    assert hours_text(hours) == words


def test_that_operations_have_two_digits_that_mean_something() -> None:
    assert operations_text(6275.17) == "6,300"
    assert operations_text(993.8) == "990"
    assert operations_text(0.123) == "0.12"


def test_that_an_axis_is_labelled_in_odds() -> None:
    axis = log_axis("", [1e-6, 0.9], form=TickForm.ODDS)
    texts = [text for _, text in ticks_between(axis, *ends(axis), most=10)]
    assert (texts[0], texts[-1]) == ("1 in 1 million", "100 %")


def test_that_an_origin_tells_band_limit_model_and_its_error_and_no_band_where_there_is_none() -> None:
    origin = Origin(kind=OriginKind.PREDICTED, source="model fitted to 44 rows; left-out rows missed by 3 %")
    estimate = Estimate(low=8e8, typical=1e9, high=1.2e9, limit="network", origin=origin)
    assert origin_text(estimate, rate_text, "as it is").splitlines() == [
        "Between 800 MB/s and 1.20 GB/s.",
        "Limited by: network.",
        "Model fitted to 44 rows.",
        "Left-out rows missed by 3 %.",
        "As it is.",
    ]
    origin = Origin(kind=OriginKind.TYPED, source="5 h entered")
    estimate = Estimate(low=5, typical=5, high=5, limit="entered", origin=origin)
    assert band_text(estimate, hours_text) == "5 h"
