"""Before its disks have places, a vdev of a layout fails as the disks do that it will have there."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from tests.design.test_ranked_as_designed import BOOK, designed, of_models
from tests.design.test_recommend import no_rules

from poolwright.design.forecaster import Dealing
from poolwright.design.recommend import recommend
from poolwright.design.request import Request, outlook_of, risk_of
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.groups import any_loss
from poolwright.predict.risk_conditions import mean_rate

GOOD, BAD = "WDC HUH728080ALE604", "ST8000DM002"


def asked(disks: Sequence[Disk]) -> Request:
    return Request(disks=tuple(disks), workload=Workload(goal=Goal.SAFETY), drives=BOOK)


def dealing(*groups: Sequence[Disk]) -> Dealing:
    return Dealing(groups, partial(risk_of, asked([]), ashift=12))


def mirror(width: int) -> VdevSpec:
    return VdevSpec(kind=VdevKind.MIRROR, sizes=(8,) * width)


def test_that_vdevs_take_the_disks_in_their_order_and_equal_ones_stay_together() -> None:
    disks = of_models((5, 8, BAD), (8, 8, GOOD))
    counted, of = dealing(disks).counted([(mirror(3), ((0, 3),), 2), (mirror(2), ((0, 2),), 3)])
    assert [(spec.width, count) for spec, count in counted] == [(3, 1), (3, 1), (2, 3)]
    assert of is not None
    for under, own in zip(of, (disks[:3], disks[3:6], disks[6:8]), strict=True):
        assert under.members.drive.typical == pytest.approx(mean_rate(own, BOOK).typical, rel=1e-12)


def test_that_vdevs_of_two_sizes_take_from_both() -> None:
    large, small = of_models((4, 16, "ST16000NM001G")), of_models((4, 8, BAD))
    made = dealing(large, small)
    _, of = made.counted([(mirror(2), ((0, 2),), 1), (mirror(2), ((0, 1), (1, 1)), 2), (mirror(2), ((1, 2),), 1)], 40)
    assert of is not None
    rates = [BOOK.rate("ST16000NM001G").typical, BOOK.rate(BAD).typical]
    assert [under.members.drive.typical for under in of] == pytest.approx([rates[0], sum(rates) / 2, rates[1]])
    assert {under.members.rebuild.load_percent for under in of} == {40}


def test_that_disks_that_follow_their_shelves_count_as_the_mean_of_those_with_data() -> None:
    disks = of_models((4, 8, BAD), (8, 8, GOOD), shelves=2)
    made = dealing(disks)
    assert not made.is_sure()
    _, of = made.counted([(mirror(2), ((0, 2),), 4)])
    assert of is not None
    assert [under.members.drive.typical for under in of] == pytest.approx([mean_rate(disks[:8], BOOK).typical])


def test_that_alike_disks_are_not_told_apart() -> None:
    disks = of_models((4, 8, GOOD))
    made, runs = dealing(disks, of_models((4, 16, GOOD))), [(mirror(2), ((0, 2),), 2)]
    assert not made.unlike
    assert made.counted(runs) == ([(mirror(2), 2)], None)
    outlook = outlook_of(asked(disks), disks, 12)
    assert made.told(outlook, runs) is outlook


@pytest.mark.parametrize("shelves", [0, 2])
def test_that_two_models_of_one_size_are_ranked_with_the_risk_of_their_design(shelves: int) -> None:
    request = asked(of_models((3, 8, BAD), (5, 8, GOOD), shelves=shelves))
    found = recommend(request, no_rules)
    for candidate in found.leading[:12]:
        risks = [pool.risk for pool in designed(candidate, request)]
        assert candidate.measures.dealt
        assert any_loss([risk.probability for risk in risks], risks[0].causes.floor(1)) == pytest.approx(
            candidate.yearly_loss, rel=1e-9
        )
        assert any_loss([risk.disk_probability for risk in risks]) == pytest.approx(candidate.disk_loss, rel=1e-9)
        assert candidate.predictions.risk.probability == pytest.approx(risks[0].probability, rel=1e-9)


def test_that_a_shingled_size_does_not_slow_the_vdevs_of_another() -> None:
    disks = of_models((4, 16, GOOD), (4, 8, GOOD))
    shingled = tuple(replace(disk, smr=True) if number >= 4 else disk for number, disk in enumerate(disks))
    _, of = dealing(shingled[:4], shingled[4:]).counted([(mirror(2), ((0, 2),), 2), (mirror(2), ((1, 2),), 2)])
    assert of is not None
    assert [under.members.rebuild.smr for under in of] == [None, True]
