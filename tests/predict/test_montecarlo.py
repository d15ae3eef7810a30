"""The simulation against the Markov chain: 40 layouts under assumptions bad enough that pools are lost."""

import pytest
from tests.predict.shipped import layout

from poolwright.predict.drives import typed_rate
from poolwright.predict.montecarlo import Share, Simulation, simulate
from poolwright.predict.reliability import Risk, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions

POOL_YEARS = 60_000
# Layout, AFR in per cent, rebuild hours, wait for a disk (None: part of the rebuild), correlation, errors per bit.
Case = tuple[str, float, float, float | None, float, float]
CASES: tuple[Case, ...] = (
    ("stripe:1x6TB", 2, 24, None, 1, 1e-15),
    ("stripe:4x6TB", 1.5, 24, None, 1, 1e-16),
    ("stripe:20x6TB", 5, 24, None, 1, 1e-17),
    ("stripe:3x6TB stripe:2x12TB", 10, 24, None, 2, 1e-15),
    ("mirror:2x6TB", 60, 100, None, 1, 1e-15),
    ("mirror:2x6TB", 100, 24, None, 4, 1e-14),
    ("mirror:2x6TB", 300, 500, None, 1, 1e-15),
    ("mirror:2x16TB mirror:2x16TB mirror:2x16TB", 50, 72, None, 1, 1e-15),
    (" ".join(["mirror:2x6TB"] * 10), 20, 48, None, 2, 1e-15),
    ("mirror:3x6TB", 200, 200, None, 1, 1e-14),
    ("mirror:3x6TB mirror:3x6TB", 150, 150, None, 3, 1e-15),
    ("mirror:4x6TB", 300, 400, None, 1, 1e-15),
    ("raidz1:3x6TB", 50, 48, None, 1, 1e-15),
    ("raidz1:5x6TB", 30, 48, None, 1, 1e-14),
    ("raidz1:5x6TB raidz1:5x6TB", 20, 30, None, 2, 1e-15),
    ("raidz1:12x6TB", 20, 72, None, 1, 1e-16),
    ("raidz1:4x6TB raidz1:9x6TB", 25, 40, None, 1, 1e-15),
    ("raidz2:6x6TB", 100, 100, None, 1, 1e-15),
    ("raidz2:8x6TB", 60, 150, None, 1, 1e-14),
    ("raidz2:8x6TB", 80, 60, None, 3, 1e-15),
    (" ".join(["raidz2:8x6TB"] * 5), 50, 100, None, 1, 1e-15),
    (" ".join(["raidz2:5x6TB"] * 8), 60, 90, None, 2, 1e-14),
    ("raidz2:20x6TB", 40, 80, None, 1, 1e-15),
    ("raidz2:8x6TB raidz2:10x6TB raidz2:12x6TB", 40, 120, None, 1, 1e-15),
    ("raidz3:9x6TB", 120, 150, None, 1, 1e-14),
    ("raidz3:11x6TB", 150, 200, None, 1, 1e-15),
    ("raidz3:15x6TB raidz3:15x6TB", 80, 120, None, 2, 1e-15),
    ("raidz3:30x6TB", 60, 90, None, 1, 1e-15),
    ("raidz2:8x6TB spare/stripe:1x6TB", 70, 100, 300, 1, 1e-14),
    (" ".join(["raidz2:8x6TB"] * 4) + " spare/stripe:2x6TB", 50, 80, 200, 1, 1e-15),
    (" ".join(["raidz1:6x6TB"] * 3) + " spare/stripe:1x6TB", 20, 40, 200, 2, 1e-15),
    (" ".join(["mirror:2x6TB"] * 6) + " spare/stripe:3x6TB", 40, 30, 300, 1, 1e-14),
    ("draid1:4d:11x6TB", 20, 30, 24, 1, 1e-15),
    ("draid1:4d:1s:11x6TB", 30, 30, 200, 1, 1e-14),
    ("draid2:8d:24x6TB", 30, 60, 48, 1, 1e-15),
    ("draid2:8d:2s:24x6TB", 50, 60, 300, 2, 1e-14),
    ("draid2:6d:1s:20x6TB draid2:6d:1s:20x6TB spare/stripe:1x6TB", 40, 60, 300, 1, 1e-15),
    ("draid3:8d:2s:40x6TB", 60, 80, 200, 1, 1e-15),
    ("raidz2:8x6TB special/mirror:2x960GB", 40, 60, None, 1, 1e-15),
    ("raidz2:8x6TB special/mirror:3x960GB dedup/mirror:2x480GB log/mirror:2x100GB", 60, 60, None, 1, 1e-15),
)  # fmt: skip


def expected(case: Case) -> Risk:
    specs, afr, rebuild, wait, correlation, errors = case
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
