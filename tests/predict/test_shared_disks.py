"""Disks that serve several vdevs: what each pool has of their speed."""

from dataclasses import replace

import pytest
from tests.design.side_by_side import one_vdev
from tests.predict.test_md_raid import expected_of

from poolwright.predict.shared_disks import scaled, share_of_first


@pytest.mark.parametrize(
    ("space", "depth", "share"),
    [
        ((12, 12), (2, 2), 1.0),  # two halves side by side: each turn of the heads serves one of them
        ((10, 2), (2, 1), 0.8),  # the rest of two disks beside five slices of 2 TB
        ((10,), (2,), 1.0),
    ],
)
def test_that_the_first_part_has_its_share_of_what_the_disks_give(
    space: tuple[int, ...], depth: tuple[int, ...], share: float
) -> None:
    assert share_of_first(space, depth) == pytest.approx(share)


def test_that_typical_value_and_both_ends_of_each_speed_are_less_alike() -> None:
    whole = expected_of(one_vdev()).itself
    less = scaled(whole, 0.25)
    for name in ("seq_read", "seq_write", "rand_read_iops", "rand_write_iops", "sync_write_iops"):
        before, after = getattr(whole, name), getattr(less, name)
        assert (after.low, after.typical, after.high) == (before.low / 4, before.typical / 4, before.high / 4)
        assert after.limit == "one disk serves several vdevs"


def test_that_a_disk_is_scrubbed_for_one_vdev_after_the_other_that_it_serves() -> None:
    whole = one_vdev()
    (vdev,) = whole.vdevs
    size = whole.disks[0].size_bytes
    assert size is not None
    thirds = [
        replace(vdev, members=tuple(replace(m, slice_bytes=size // 3, part=part) for m in vdev.members))
        for part in (1, 2, 3)
    ]
    scrub = expected_of(whole).scrub
    for parts in (1, 2, 3):
        of_parts = expected_of(replace(whole, vdevs=tuple(thirds[:parts]))).scrub
        for name in ("low", "typical", "high"):
            assert getattr(of_parts, name) == pytest.approx(getattr(scrub, name) * parts / 3, rel=1e-6)
