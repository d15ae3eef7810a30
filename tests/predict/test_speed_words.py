"""Speeds in short: the band stands beside the value where it is wide, and instead of it where nobody can tell."""

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import parse_spec
from poolwright.predict.number_words import banded_text, operations_text
from poolwright.predict.risk_words import TABLE_HEADER, speed_lines, table_cells
from poolwright.predict.speed import predict_speed


def estimate(low: float, typical: float, high: float) -> Estimate:
    return Estimate(
        low=low, typical=typical, high=high, limit="", origin=Origin(kind=OriginKind.PREDICTED, source="a model")
    )


def test_that_a_wide_band_stands_beside_the_value_and_a_narrow_one_does_not() -> None:
    assert banded_text(estimate(4e8, 9e8, 1.6e9), rate_text) == "900 MB/s (400 MB/s to 1.60 GB/s)"
    assert banded_text(estimate(8e8, 9e8, 1.1e9), rate_text) == "900 MB/s"
    assert banded_text(estimate(100, 200, 400), operations_text) == "200 (100 to 400)"


def test_that_a_band_of_a_factor_of_25_sends_to_the_benchmark_with_the_band() -> None:
    told = banded_text(estimate(4e8, 2e9, 1e10), rate_text)
    assert told == "cannot tell, run the benchmark (400 MB/s to 10.0 GB/s)"


def test_that_lines_and_cells_of_a_pool_tell_all_four_speeds() -> None:
    speed = predict_speed((parse_spec("raidz2:8x16TB"),))
    sequential, random = speed_lines(speed)
    assert sequential.startswith("sequential: reads ")
    assert ", writes " in sequential
    assert random.startswith("random, a second: reads ")
    assert "fresh, 200 aged (200 to " in random
    cells = table_cells(speed)
    assert len(cells) == len(TABLE_HEADER)
    assert cells[3].startswith("2,900 or 200 (200-")
    assert cells[0].count("(") == 1
