"""Space beside reserved partitions: that of files or disks of just the size that is left, by the formulas for those."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.domain.test_reserve import EMPTY, ESP, LAST, SIZE, SWAP, mirror

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.explained import cascade
from poolwright.capacity.pool import predict_design, predict_pool
from poolwright.design.groups import offered_beside
from poolwright.domain.disk import Disk
from poolwright.domain.reserve import ReservedPartition, ReservePurpose
from poolwright.domain.units import GIB, MIB
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion


@given(reserved=st.integers(1, 3_000_000), size=st.integers(4 * 10**12, 30 * 10**12))
@settings(max_examples=60)
def test_that_the_space_is_that_of_a_partition_of_what_is_left(reserved: int, size: int) -> None:
    design = mirror(ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=reserved * MIB), size=size)
    # The first MiB holds the table, the last its copy; a partition is used as a file of its size is.
    left = (size // MIB - 2 - reserved) * MIB
    spec = VdevSpec(kind=VdevKind.MIRROR, sizes=(left, left))
    plain = predict_pool((spec,), ashift=12, version=design.version, members=MemberKind.FILE)
    found = predict_design(design)
    assert (found.pool_size_bytes, found.available_bytes) == (plain.pool_size_bytes, plain.available_bytes)


def test_that_the_cascade_tells_what_is_reserved_and_ends_at_the_same_bytes() -> None:
    found = predict_design(mirror(ESP, SWAP, EMPTY))
    steps = {step.name: step for step in cascade(found)}
    assert steps["reserved"].change_bytes == -2 * (512 * MIB + 12 * GIB)
    assert steps["usable"].bytes_left == found.available_bytes
    assert "reserved" not in {step.name for step in cascade(predict_design(mirror()))}


def test_that_the_place_of_a_reserved_partition_does_not_matter_to_the_space() -> None:
    assert predict_design(mirror(ESP, LAST)) == predict_design(mirror(SWAP, ESP))


@pytest.mark.parametrize(("sector", "step"), [(512, MIB), (4096, 8 * MIB)])
@pytest.mark.parametrize("version", [ZfsVersion(2, 3, 9), ZfsVersion(2, 4, 4)])
def test_that_a_ranking_sees_disks_of_which_zpool_makes_what_is_left(
    sector: int, step: int, version: ZfsVersion
) -> None:
    disk = Disk(key="a", size_bytes=SIZE, logical_sector_bytes=sector)
    (seen,) = offered_beside((disk,), (ESP, SWAP), version)
    left = (SIZE // MIB - 2 - 512 - 2048) * MIB
    assert seen == replace(disk, size_bytes=seen.size_bytes)
    assert 0 <= left - device_bytes(seen.size_bytes or 0, MemberKind.DISK, sector, version) < step
    assert offered_beside((disk,), (), version) == (disk,)
