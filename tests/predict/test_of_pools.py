"""What is told of several pools together."""

import pytest

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.predict.groups import any_loss

ORIGIN = Origin(kind=OriginKind.COMPUTED, source="a test")
SHORT = Estimate(low=1, typical=2, high=4, limit="disk", origin=ORIGIN)
LONG = Estimate(low=3, typical=5, high=6, limit="host", origin=ORIGIN)


def test_that_what_threatens_all_pools_counts_once() -> None:
    assert any_loss([0.1, 0.2]) == pytest.approx(1 - 0.9 * 0.8)
    floor = 0.05
    spared = [(1 - 0.1) / (1 - floor), (1 - 0.2) / (1 - floor)]
    assert any_loss([0.1, 0.2], floor) == pytest.approx(1 - spared[0] * spared[1] * (1 - floor))
    assert any_loss([0.1], 0.05) == pytest.approx(0.1)


def test_that_a_pool_lost_for_certain_is_a_loss_for_certain() -> None:
    assert any_loss([0.5, 1.0]) == 1.0
    assert any_loss([1e-18, 1e-18]) == pytest.approx(2e-18)
