"""What a person says takes the place of what the design or the model would say; what nobody says does not change."""

from dataclasses import replace
from datetime import date

import pytest
from tests.predict.dataset_designs import SIX_TB, dataset, design

from poolwright.capacity.pool import predict_design
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.host import Host
from poolwright.domain.money import money
from poolwright.domain.units import TB
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assessment import Assessment, assess, growth_of, stored_of
from poolwright.predict.assumptions import Assumptions, host_of
from poolwright.predict.cost import DiskGroupCost, pool_cost
from poolwright.predict.drives import typed_rate
from poolwright.predict.groups import any_loss
from poolwright.table_library import load_drive_book

TODAY = date(2026, 11, 20)
TIB = 1 << 40
POOL = design(
    dataset("files", data=4 * TIB),
    dataset("disk", volume=TIB),
    host=Host(cores=8, network_bytes_per_second=125_000_000),
    workload=Workload(goal=Goal.SAFETY, compressible=False, growth_percent=20),
)
NOTHING = Assumptions()


def expected(**said: object) -> Assessment:
    assumed = Assumptions(**said)  # type: ignore[arg-type]
    return assess(POOL, predict_design(POOL), load_drive_book(), assumed, today=TODAY)


def test_that_what_is_said_of_the_host_goes_before_what_was_read() -> None:
    read = host_of(POOL, NOTHING)
    assert (read.cores, read.network_bytes_per_second, read.hba_bytes_per_second) == (8, 125e6, None)
    told = host_of(replace(POOL, workload=replace(POOL.workload, network_bytes_per_second=10**9)), NOTHING)
    assert told.network_bytes_per_second == 10**9
    said = host_of(POOL, Assumptions(cores=2, network=5e8, hba=2e9))
    assert (said.cores, said.network_bytes_per_second, said.hba_bytes_per_second) == (2, 5e8, 2e9)


def test_that_the_cost_is_that_of_the_prices_said() -> None:
    cost = expected(
        price=money(200, "EUR"),
        watts=10.0,
        kwh_price=money("0.5", "EUR"),
        years=2.0,
        afr_percent=5.0,
        cooling_factor=1.0,
    ).cost
    assert cost is not None
    assert cost.purchase == money(8 * 200, "EUR")
    assert cost.energy_kwh.typical == pytest.approx(8 * 10 * 2 * 8.766)
    assert cost.power is not None
    assert cost.power.typical == pytest.approx(cost.energy_kwh.typical * 0.5)
    assert cost.replacements.typical == pytest.approx(8 * 0.05 * 2)


def test_that_the_network_bounds_the_pool_and_not_the_pool_itself() -> None:
    slow, quick = expected(), expected(network=1.25e9)
    assert slow.speed.seq_read.typical == pytest.approx(125e6 * 0.94, rel=0.02)
    assert quick.speed.seq_read.typical > 2 * slow.speed.seq_read.typical
    assert slow.itself.seq_read == quick.itself.seq_read


def test_that_what_is_stored_is_typed_or_what_the_datasets_take() -> None:
    capacity = predict_design(POOL)
    typed = stored_of(POOL, Assumptions(used_bytes=3 * TIB), capacity)
    assert typed is not None
    assert (typed.used_bytes, typed.fixed_bytes, typed.space) == (3 * TIB, 0, None)
    told = stored_of(POOL, NOTHING, capacity)
    assert told is not None
    assert told.space is not None
    # The volume reserves its whole size and does not grow, the files are charged hardly less than their bytes.
    assert TIB <= told.fixed_bytes < 1.1 * TIB
    assert 4.9 * TIB < told.used_bytes < 5.3 * TIB
    assert stored_of(POOL, NOTHING, None) is None
    assert stored_of(replace(POOL, datasets=()), NOTHING, capacity) is None
    assert stored_of(design(dataset("files", data=TIB)), NOTHING, capacity) is not None


def test_that_growth_is_said_here_or_on_the_workload_page() -> None:
    assert growth_of(POOL, NOTHING) == 20
    assert growth_of(POOL, Assumptions(growth_percent=0.0)) == 0
    of_datasets, grown, slower = (
        said.fill.typical if said.fill is not None and said.fill.typical is not None else TODAY
        for said in (expected(), expected(used_bytes=10 * TIB, growth_percent=100.0), expected(used_bytes=10 * TIB))
    )
    assert of_datasets > TODAY
    assert TODAY < grown < slower
    assert assess(design(), predict_design(design()), load_drive_book(), NOTHING, today=TODAY).fill is None


def test_that_a_pool_of_unknown_space_has_risk_and_speed_but_no_cost_or_date() -> None:
    found = assess(POOL, None, load_drive_book(), Assumptions(used_bytes=TIB), today=TODAY)
    assert (found.cost, found.fill) == (None, None)
    assert found.speed.seq_read.typical > 0
    assert found.layout[0].sizes == (SIX_TB,) * 8


def test_that_rules_are_told_what_the_pool_itself_can_do() -> None:
    found = expected(used_bytes=TIB, growth_percent=50.0)
    facts = found.facts_for_rules()
    # A slow network does not make the pool slow.
    assert found.speed.seq_read.typical < 125e6 < (facts["pool.seq_read_bytes_per_second"] or 0) / 2
    assert facts["pool.yearly_loss_percent"] == 100 * found.risk.probability
    assert facts["pool.scrub_hours"] == found.scrub.typical
    assert (facts["pool.years_until_full"] or 0) > 1


ORIGIN = Origin(kind=OriginKind.COMPUTED, source="a test")
SHORT = Estimate(low=1, typical=2, high=4, limit="disk", origin=ORIGIN)
LONG = Estimate(low=3, typical=5, high=6, limit="host", origin=ORIGIN)


def test_that_what_threatens_all_pools_counts_once() -> None:
    assert any_loss([0.1, 0.2]) == pytest.approx(1 - 0.9 * 0.8)
    floor = 0.05
    spared = [(1 - 0.1) / (1 - floor), (1 - 0.2) / (1 - floor)]
    assert any_loss([0.1, 0.2], floor) == pytest.approx(1 - spared[0] * spared[1] * (1 - floor))
    assert any_loss([0.1], 0.05) == pytest.approx(0.1)


DISKS = DiskGroupCost(count=10, media=Media.HDD, drive=typed_rate(2), price=money(200, "EUR"))


def test_that_the_sums_are_those_of_a_pocket_calculator() -> None:
    cost = pool_cost((DISKS,), usable_bytes=50 * TB, assumed=Assumptions(watts=8))
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


def test_that_an_unknown_price_leaves_the_money_unknown_and_the_rest_known() -> None:
    unknown = DiskGroupCost(count=2, media=Media.SSD, drive=typed_rate(1))
    cost = pool_cost((DISKS, unknown), usable_bytes=TB)
    assert (cost.purchase, cost.per_usable_tb, cost.replacement, cost.total) == (None, None, None, None)
    assert cost.replacements.typical == pytest.approx(1.1)
    assert cost.power is not None
    assert cost.power.typical > 0
