"""How long the judge takes for all layouts of 44 disks; run with the other benchmarks."""

from typing import Any

import pytest
from tests.rules.machines import SIX_TB, disks

from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.judge import Judge
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook
from poolwright.rules.profile import DiskProfile


def _layouts(number: int) -> list[tuple[Layout, LayoutNumbers]]:
    shapes = [(VdevKind.MIRROR, 0, width) for width in (2, 3, 4)]
    shapes += [(VdevKind.RAIDZ, parity, width) for parity in (1, 2, 3) for width in range(parity + 1, number + 1)]
    made: list[tuple[Layout, LayoutNumbers]] = []
    for kind, parity, width in shapes:
        spec = VdevSpec(kind=kind, sizes=(SIX_TB,) * width, parity=parity)
        for count in range(1, number // width + 1):
            rest = number - count * width
            for spares in range(min(8, rest) + 1):
                spare = VdevSpec(kind=VdevKind.STRIPE, sizes=(SIX_TB,) * spares, vdev_class=VdevClass.SPARE)
                layout = (spec,) * count + ((spare,) if spares else ())
                usable = count * (width - parity) * SIX_TB
                made.append((layout, LayoutNumbers(usable_bytes=usable, unassigned_disks=rest - spares)))
    return made


@pytest.mark.bench
@pytest.mark.parametrize("goal", list(Goal))
def test_that_every_layout_of_44_disks_is_judged(goal: Goal, shipped: RuleBook, benchmark: Any) -> None:
    layouts = _layouts(44)[:3000]
    profile = DiskProfile.from_disks(disks(44))

    def judge_all() -> int:
        judge = Judge(
            shipped,
            goal=goal,
            version=DEFAULT_VERSION,
            profile=profile,
            workload=Workload(goal=goal),
            budget=Budget(),
            host=Host(),
            ashift=12,
        )
        return sum(len(judge.layout(layout, numbers)) for layout, numbers in layouts)

    assert benchmark(judge_all) > 0
