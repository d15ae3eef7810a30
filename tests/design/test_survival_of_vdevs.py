"""Survival of random failures, against every set of disks tried one by one."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.design.side_by_side import concurrent, safety

from poolwright.design.equal_layouts import EqualLayout
from poolwright.design.survival import failures_survived, survival_share, survival_shares
from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.vdev import VdevClass, VdevKind

KINDS = [(VdevKind.STRIPE, 0), (VdevKind.MIRROR, 0), (VdevKind.RAIDZ, 1), (VdevKind.RAIDZ, 2), (VdevKind.RAIDZ, 3)]


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Draw pools of up to nine disks, whole or in two partitions that may meet in one vdev."""
    parts = [Member(disk_key=f"d{n}", slice_bytes=1, part=p) for n in range(draw(st.integers(2, 9))) for p in (1, 2)]
    order = draw(st.permutations(parts))
    vdevs, at = [], 0
    while at < len(order):
        (kind, parity), width = draw(st.sampled_from(KINDS)), draw(st.integers(1, 6))
        width = 1 if kind is VdevKind.STRIPE else max(width, parity + 1)
        taken = tuple(order[at : at + width])
        if len(taken) == width:
            role = draw(st.sampled_from([VdevClass.DATA, VdevClass.SPECIAL, VdevClass.CACHE]))
            vdevs.append(Vdev(kind=kind, parity=parity, members=taken, vdev_class=role))
        at += width
    cut = draw(st.integers(0, len(vdevs)))
    further = (FurtherPool(pool_name="rest", vdevs=tuple(vdevs[cut:])),) if cut < len(vdevs) else ()
    return Design(key="k", name="n", pool_name="tank", vdevs=tuple(vdevs[:cut]), further_pools=further)


def stands(design: Design, failed: set[str]) -> bool:
    for vdev in design.all_vdevs():
        if vdev.vdev_class in (VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE):
            continue
        gone = sum(member.disk_key in failed for member in vdev.members)
        if gone > (len(vdev.members) - 1 if vdev.kind is VdevKind.MIRROR else vdev.parity):
            return False
    return True


def disks_of(design: Design) -> list[str]:
    losing = [v for v in design.all_vdevs() if v.vdev_class in (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)]
    return sorted({member.disk_key for vdev in losing for member in vdev.members})


@given(designs(), st.integers(1, 3))
def test_that_the_share_is_that_of_all_sets_tried(design: Design, failures: int) -> None:
    disks = disks_of(design)
    sets = list(combinations(disks, failures))
    share = survival_share(design, failures)
    if not sets:
        assert share is None
    else:
        assert share == pytest.approx(sum(stands(design, set(s)) for s in sets) / len(sets))


@given(designs())
def test_that_no_set_of_the_survived_number_loses_a_pool_and_one_more_can(design: Design) -> None:
    disks, survived = disks_of(design), failures_survived(design)
    if not disks:
        assert survived is None
        return
    assert survived is not None
    assert all(stands(design, set(s)) for s in combinations(disks, survived))
    if survived < len(disks):
        assert not all(stands(design, set(s)) for s in combinations(disks, survived + 1))


def test_that_it_agrees_with_the_counting_of_equal_shapes() -> None:
    raidz2, mirrors = survival_shares([(5, 8, 2)]), survival_shares([(22, 2, 1)])
    for failures in (2, 3):
        assert survival_share(safety(), failures) == pytest.approx(raidz2[failures - 1])
        assert survival_share(concurrent(), failures) == pytest.approx(mirrors[failures - 1])


# Survival counted in closed form against trying every set of failing disks.


def brute_force(shape: EqualLayout, failures: int) -> float:
    """Return the share of survived sets by trying all of them."""
    vdev_of = [
        index
        for index, width in enumerate([shape.width] * shape.narrow + [shape.width + 1] * shape.wide)
        for _ in range(width)
    ]
    tolerance = shape.failures_survived
    sets = list(combinations(range(len(vdev_of)), failures))
    if not sets:
        return 0.0
    survived = 0
    for failed in sets:
        hit = [vdev_of[disk] for disk in failed]
        survived += all(hit.count(vdev) <= tolerance for vdev in set(hit))
    return survived / len(sets)


@settings(deadline=None, max_examples=60)
@given(
    kind=st.sampled_from([VdevKind.MIRROR, VdevKind.RAIDZ]),
    parity=st.integers(1, 3),
    extra=st.integers(1, 3),
    narrow=st.integers(1, 3),
    wide=st.integers(0, 2),
)
def test_that_survival_equals_trying_every_set(kind: VdevKind, parity: int, extra: int, narrow: int, wide: int) -> None:
    mirror = kind is VdevKind.MIRROR
    shape = EqualLayout(
        kind=kind,
        parity=0 if mirror else parity,
        width=1 + extra if mirror else parity + extra,
        narrow=narrow,
        wide=0 if mirror else wide,
    )
    tolerance = shape.failures_survived
    shares = survival_shares([(shape.narrow, shape.width, tolerance), (shape.wide, shape.width + 1, tolerance)])
    for failures, share in enumerate(shares, start=1):
        assert share == pytest.approx(brute_force(shape, failures))


def test_that_a_stripe_survives_nothing() -> None:
    assert survival_shares([(20, 1, 0)]) == (0.0, 0.0, 0.0, 0.0)


def test_that_five_raidz2_of_eight_lose_280_of_9880_sets_of_three() -> None:
    shares = survival_shares([(5, 8, 2)])
    assert shares[:2] == (1.0, 1.0)
    assert shares[2] == pytest.approx(1 - 280 / 9880)
