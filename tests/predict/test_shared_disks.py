"""Disks that serve several vdevs: what each pool has of their speed."""

from dataclasses import replace

import pytest
from tests.design.side_by_side import one_vdev
from tests.predict.test_md_raid import expected_of


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
