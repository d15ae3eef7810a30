"""Money: what is known is exact, what is assumed is a band, what is unknown stays unknown."""

import pytest

from poolwright.domain.disk import Media
from poolwright.domain.money import money
from poolwright.domain.origin import OriginKind
from poolwright.domain.units import TB
from poolwright.predict.cost import CostDefaults, DiskGroupCost, exactly, pool_cost
from poolwright.predict.drives import typed_rate

DISKS = DiskGroupCost(count=10, media=Media.HDD, drive=typed_rate(2), price=money(200, "EUR"))


def test_that_the_sums_are_those_of_a_pocket_calculator() -> None:
    defaults = CostDefaults(years=5, kwh_price=exactly(0.3), watts=exactly(8))
    cost = pool_cost((DISKS,), usable_bytes=50 * TB, defaults=defaults)
    assert cost.purchase == money(2000, "EUR")
    assert cost.per_usable_tb == money(40, "EUR")
    assert cost.energy_kwh.typical == pytest.approx(10 * 8 * 5 * 8766 / 1000)
    assert cost.power is not None
    assert cost.power.typical == pytest.approx(3506.4 * 0.3)
    assert cost.replacements.typical == pytest.approx(1.0)
    assert cost.replacement is not None
    assert cost.replacement.typical == pytest.approx(200)
    assert cost.total is not None
    assert cost.total.typical == pytest.approx(2000 + 1051.92 + 200)
    assert cost.energy_kwh.origin.kind is OriginKind.TYPED


def test_that_assumed_watts_are_a_band_and_say_so() -> None:
    energy = pool_cost((DISKS,), usable_bytes=TB).energy_kwh
    assert energy.low < energy.typical < energy.high
    assert energy.origin.kind is OriginKind.ASSUMED
    assert "assumed" in energy.origin.source


def test_that_an_unknown_price_leaves_the_money_unknown_and_the_rest_known() -> None:
    unknown = DiskGroupCost(count=2, media=Media.SSD, drive=typed_rate(1))
    cost = pool_cost((DISKS, unknown), usable_bytes=TB)
    assert (cost.purchase, cost.per_usable_tb, cost.replacement, cost.total) == (None, None, None, None)
    assert cost.replacements.typical == pytest.approx(1.1)
    assert cost.power is not None
    assert cost.power.typical > 0
