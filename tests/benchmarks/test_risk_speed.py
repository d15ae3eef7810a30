"""How fast risk is computed and simulated: run by `make bench`."""

import subprocess
import sys
from typing import Any

import pytest
from tests.pace import slowness

from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, parse_spec
from poolwright.predict.drives import typed_rate
from poolwright.predict.montecarlo import simulate
from poolwright.predict.reliability import yearly_loss
from poolwright.predict.risk_conditions import RiskConditions

pytestmark = pytest.mark.bench

SIX_TB = 6001175126016
POOL_YEARS = 1_000_000
THESIS_SAFETY: Layout = (parse_spec(f"raidz2:8x{SIX_TB}"),) * 5 + (parse_spec(f"spare/stripe:4x{SIX_TB}"),)
CONDITIONS = RiskConditions(drive=typed_rate(1.5))


@pytest.mark.parametrize(
    ("layout", "conditions"),
    [
        ((parse_spec("raidz2:8x6TB"),), CONDITIONS),
        (THESIS_SAFETY, CONDITIONS),
        ((parse_spec("mirror:2x6TB"),) * 20, CONDITIONS),
        ((parse_spec("draid2:8d:2s:44x6TB"),), CONDITIONS),
    ],
    ids=["raidz2 of 8", "thesis", "20 mirrors", "draid2 of 44"],
)
def test_that_a_million_pool_years_a_second_are_played(
    benchmark: Any, layout: Layout, conditions: RiskConditions
) -> None:
    hazards = yearly_loss(layout, conditions).hazards
    benchmark.pedantic(
        simulate, args=(hazards,), kwargs={"pool_years": POOL_YEARS, "seed": 1}, rounds=5, warmup_rounds=1
    )
    rate = POOL_YEARS / benchmark.stats.stats.median
    benchmark.extra_info["pool_years_per_second"] = rate
    assert rate > 1_000_000 / slowness()


def shapes() -> list[Layout]:
    """Return some 2000 layouts of 44 disks: each raidz, every width and number, with 0 to 4 spares."""
    found: list[Layout] = []
    for parity in (1, 2, 3):
        for width in range(parity + 1, 45):
            spec = VdevSpec(kind=VdevKind.RAIDZ, parity=parity, sizes=(SIX_TB,) * width)
            for count in range(1, 44 // width + 1):
                for spares in range(min(4, 44 - count * width) + 1):
                    spare = VdevSpec(kind=VdevKind.STRIPE, sizes=(SIX_TB,) * spares, vdev_class=VdevClass.SPARE)
                    found.append((spec,) * count + ((spare,) if spares else ()))
    return found


def test_that_2000_unknown_layouts_take_less_than_half_a_second(benchmark: Any) -> None:
    layouts, rates = shapes(), iter(range(100))

    def assess_all() -> None:
        conditions = RiskConditions(drive=typed_rate(1.5 + next(rates) / 1e6))  # that nobody remembers
        for layout in layouts:
            yearly_loss(layout, conditions)

    benchmark.pedantic(assess_all, rounds=5, warmup_rounds=1)
    benchmark.extra_info["layouts"] = len(layouts)
    assert benchmark.stats.stats.median * 2000 / len(layouts) < 0.5 * slowness()


def test_that_the_risk_command_answers_in_under_0_3_s(benchmark: Any) -> None:
    command = [sys.executable, "-m", "poolwright", "risk", "--vdev", f"raidz2:8x{SIX_TB}", "--json"]

    def ask() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    benchmark.pedantic(ask, rounds=7, warmup_rounds=1)
    assert benchmark.stats.stats.median < 0.3 * slowness()
