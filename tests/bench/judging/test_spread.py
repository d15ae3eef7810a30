"""What repeats allow for grows narrower with their number, while the least and the most of them move apart."""

from dataclasses import replace

import numpy as np
import pytest
from tests.bench.judging.made_runs import Made, band, bench_test, foretold, place_of, record_of, run_of

from poolwright.bench.judging.spread import median_within, spread
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Judgement, TestVerdict
from poolwright.bench.record import Repeat
from poolwright.predict.runs import Metric


@pytest.mark.parametrize("count", [6, 9, 10, 15, 30])
def test_that_the_median_of_all_runs_lies_between_them_in_95_of_100_cases(count: int) -> None:
    chance = np.random.default_rng(count)
    held = 0
    for _ in range(2000):
        found = spread(chance.lognormal(0, 0.3, count).tolist())
        assert found is not None
        low, high = median_within(found)
        held += low <= 1.0 <= high
    assert held >= 0.94 * 2000


@pytest.mark.parametrize(("count", "place"), [(1, 1), (3, 1), (8, 1), (9, 2), (10, 2), (12, 3), (20, 6)])
def test_that_as_many_are_left_out_on_either_side_as_tables_of_order_statistics_say(count: int, place: int) -> None:
    found = spread([float(value) for value in range(1, count + 1)])
    assert found is not None
    assert median_within(found) == (place, count + 1 - place)


def judged(*parts: float) -> TestVerdict:
    """Return the verdict on repeats that give such parts of the least that is expected."""
    test, place, estimate = bench_test(Metric.SEQ_WRITE), place_of(), band(Metric.SEQ_WRITE)
    repeats: list[Repeat] = []
    for number, part in enumerate(parts, start=1):
        made = run_of(test, place, Made(value=part * estimate.low, repeats=1, spread=0.0), number)
        repeats.append(replace(made.repeats[0], number=number))
    run = replace(run_of(test, place, Made(value=1e9)), repeats=tuple(repeats))
    return judge(record_of((run,), place), {test.name: foretold(Metric.SEQ_WRITE)}).tests[0]


def test_that_one_of_ten_repeats_below_the_band_does_not_leave_the_verdict_open() -> None:
    assert judged(0.97, *[1.1 + 0.01 * n for n in range(9)]).judgement is Judgement.PASSED
    assert judged(0.97, 1.1, 1.2).judgement is Judgement.CANNOT_TELL


def test_that_ten_repeats_that_leave_it_open_are_not_told_to_be_ten() -> None:
    found = judged(*[0.8 + 0.05 * n for n in range(10)])
    assert found.judgement is Judgement.CANNOT_TELL
    assert "longer" in found.next_steps[0]
