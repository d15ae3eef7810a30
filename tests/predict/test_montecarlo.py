"""The simulation against the Markov chain: 40 layouts under assumptions bad enough that pools are lost."""

from typing import Any

import pytest
from tests.cases import cases
from tests.predict.shipped import layout

from poolwright.predict.drives import typed_rate
from poolwright.predict.montecarlo import Share, Simulation, simulate
from poolwright.predict.reliability import Risk, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions

POOL_YEARS = 60_000
CASES = cases(__file__, "layouts")


def expected(case: list[Any]) -> Risk:
    specs, afr, rebuild, correlation, errors, wait = case
    conditions = RiskConditions(
        drive=typed_rate(afr),
        rebuild_hours=rebuild,
        replace_hours=wait,
        correlation=correlation,
        read_errors_per_bit=errors,
    )
    return yearly_loss(layout(specs), conditions)


@pytest.fixture(scope="module")
def played() -> list[tuple[Risk, Simulation]]:
    risks = [expected(case) for case in CASES]
    return [(r, simulate(r.hazards, pool_years=POOL_YEARS, seed=1000 + i)) for i, r in enumerate(risks)]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["lost", "damaged"])
def test_that_chain_and_simulation_agree_within_the_confidence_interval(
    played: list[tuple[Risk, Simulation]], what: str
) -> None:
    outside = []
    for case, (risk, simulation) in zip(CASES, played, strict=True):
        share: Share = getattr(simulation, what)
        chain = risk.disk_probability if what == "lost" else risk.disk_damage.typical
        assert share.hits > 50, case
        # 99.99 % for each, so that all 40 hold; of the 95 % intervals some must fail, but few.
        low, high = share.interval(z=3.89)
        assert low <= chain <= high, (case, chain, share)
        low, high = share.interval()
        if not low <= chain <= high:
            outside.append(case)
    assert len(outside) <= 6


def test_that_all_layouts_together_show_no_bias(played: list[tuple[Risk, Simulation]]) -> None:
    deviations = []
    for risk, simulation in played:
        p = risk.disk_probability
        deviations.append((simulation.lost.probability - p) / (p * (1 - p) / POOL_YEARS) ** 0.5)
    # The sum of 40 standard normal variables has a standard deviation of 6.3, that of their squares one of 9.
    assert abs(sum(deviations)) < 3 * 6.33
    assert 40 - 3 * 8.95 < sum(d * d for d in deviations) < 40 + 3 * 8.95


def test_that_the_same_seed_gives_the_same_result_and_another_does_not() -> None:
    hazards = expected(CASES[20]).hazards
    first, again, other = (simulate(hazards, pool_years=20_000, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.lost != other.lost
