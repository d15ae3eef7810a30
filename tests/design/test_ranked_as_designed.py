"""What a ranking says of a layout is what is said of the design made from it, whichever disks it is made of."""

from collections.abc import Sequence
from datetime import date

import pytest
from tests.design.test_recommend import no_rules

from poolwright.capacity.pool import predict_design
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import TB
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.predict.assessment import Assessment, assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.groups import any_loss, longest
from poolwright.table_library import load_drive_book

pytestmark = pytest.mark.slow

BOOK = load_drive_book()
LOOKED_AT = 40  # layouts of each machine, the leading ones


def of_models(*groups: tuple[int, int, str], shelves: int = 0) -> tuple[Disk, ...]:
    """Return so many disks of so many TB and a model, dealt over shelves where there are any."""
    made: list[Disk] = []
    for count, size, model in groups:
        for _ in range(count):
            number = len(made)
            shelf = f"shelf {number % shelves}" if shelves else None
            made.append(
                Disk(
                    key=f"d{number:02}",
                    size_bytes=size * TB // 4096 * 4096,
                    model=model,
                    media=Media.HDD,
                    logical_sector_bytes=512,
                    physical_sector_bytes=4096,
                    enclosure=shelf,
                )
            )
    return tuple(made)


# Models of one size that fail at rates of 1.5 and 4.7, of 2.1 and 0.5, of 5.9 and 1.4 per cent a year (drive_afr.csv).
MACHINES = {
    "two models": of_models((8, 8, "ST8000DM002"), (4, 8, "WDC HUH728080ALE604")),
    "shelves": of_models((6, 12, "ST12000NM0007"), (7, 12, "WDC HUH721212ALE600"), shelves=3),
    "many": of_models((12, 14, "ST14000NM0138"), (13, 14, "ST14000NM001G")),
    "sizes": of_models((4, 16, "ST16000NM001G"), (3, 12, "ST12000NM0007"), (3, 12, "WDC HUH721212ALE600")),
}


def designed(candidate: Candidate, request: Request) -> list[Assessment]:
    design = design_of(candidate, request, Identity(key="x", name="x"))
    pools, today = design.pools(), date(2026, 1, 1)
    return [assess(pool, predict_design(pool), BOOK, Assumptions(), today=today, among=pools) for pool in pools]


@pytest.mark.parametrize("goal", [Goal.SAFETY, Goal.CONCURRENT])
@pytest.mark.parametrize("machine", MACHINES)
def test_that_a_layout_has_the_risk_speed_and_rebuild_of_its_design(machine: str, goal: Goal) -> None:
    allow = (Allowance.PARTITIONS,) if machine == "sizes" else ()
    request = Request(disks=MACHINES[machine], workload=Workload(goal=goal), budget=Budget(allow=allow), drives=BOOK)
    for candidate in recommend(request, no_rules).candidates[:LOOKED_AT]:
        pools = designed(candidate, request)
        risks, known = [pool.risk for pool in pools], candidate.measures
        floor = risks[0].causes.floor(1)
        assert any_loss([risk.probability for risk in risks], floor) == pytest.approx(known.any_loss, rel=1e-9)
        assert any_loss([risk.disk_probability for risk in risks]) == pytest.approx(known.any_disk_loss, rel=1e-9)
        speed, told = pools[0].speed, candidate.predictions.speed
        for name in ("seq_read", "seq_write", "rand_read_iops", "rand_write_iops"):
            assert getattr(speed, name).typical == pytest.approx(getattr(told, name).typical, rel=1e-9)
        if candidate.partitioned:
            rebuilds = [found for pool in pools if (found := pool.rebuild) is not None]
            hours = longest(rebuilds, shared=True).typical
            assert hours == pytest.approx(candidate.measures.forecast.rebuild_hours, rel=1e-9)
            whole = candidate.predictions.rebuild
            assert whole is not None
            assert whole.typical == pytest.approx(hours, rel=1e-9)


def test_that_partitions_of_one_pool_do_not_count_as_disks_of_their_own() -> None:
    request = Request(
        disks=MACHINES["sizes"],
        workload=Workload(goal=Goal.SAFETY),
        budget=Budget(allow=(Allowance.PARTITIONS,)),
        drives=BOOK,
    )
    found = recommend(request, no_rules)
    cut = next(c for c in found.candidates if c.partitioned and not c.further and len(c.main.plan.layout) > 1)
    safe = (c for c in found.candidates if not c.partitioned and c.measures.failures_survived)
    whole = max(c.predictions.speed.seq_read.typical for c in safe)
    (pool,) = designed(cut, request)
    assert pool.speed.seq_read.typical < 1.2 * whole
    assert pool.speed.seq_read.limit == "one disk serves several vdevs"


# Before its disks have places, a vdev of a layout fails as the disks do that it will have there.

GOOD, BAD = "WDC HUH728080ALE604", "ST8000DM002"


def asked(disks: Sequence[Disk]) -> Request:
    return Request(disks=tuple(disks), workload=Workload(goal=Goal.SAFETY), drives=BOOK)


@pytest.mark.parametrize("shelves", [0, 2])
def test_that_two_models_of_one_size_are_ranked_with_the_risk_of_their_design(shelves: int) -> None:
    request = asked(of_models((3, 8, BAD), (5, 8, GOOD), shelves=shelves))
    found = recommend(request, no_rules)
    for candidate in found.candidates[:12]:
        risks = [pool.risk for pool in designed(candidate, request)]
        assert candidate.measures.dealt
        assert any_loss([risk.probability for risk in risks], risks[0].causes.floor(1)) == pytest.approx(
            candidate.measures.any_loss, rel=1e-9
        )
        assert any_loss([risk.disk_probability for risk in risks]) == pytest.approx(
            candidate.measures.any_disk_loss, rel=1e-9
        )
        assert candidate.predictions.risk.probability == pytest.approx(risks[0].probability, rel=1e-9)
