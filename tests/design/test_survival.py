"""Survival counted in closed form against trying every set of failing disks."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.design.enumerate import EqualLayout
from poolwright.design.survival import survival_shares
from poolwright.domain.vdev import VdevKind


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
