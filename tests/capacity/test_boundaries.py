"""Where one byte more or less makes a difference: OpenZFS's own arithmetic, written down a second time and slowly."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.capacity.device import BACK_BYTES, FRONT_BYTES, MemberKind, device_bytes, device_for, leaf_bytes
from poolwright.capacity.pool import slop_bytes
from poolwright.capacity.vdev import TopVdev, asize_bytes, check_shape, metaslab_shift, top_capacity
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion

V232 = ZfsVersion(2, 3, 2)
MASTER = ZfsVersion(2, 5, 0)


# Sectors of a whole disk that are no part of partition 1: start, reserved partition, both tables, the last sector.
@pytest.mark.parametrize(
    ("sector", "version", "taken"),
    [
        (512, V232, 2048 + 16384 + 33),
        (512, ZfsVersion(2, 4, 98), 2048 + 16384 + 33),
        (512, MASTER, 2048 + 16384 + 33),
        (4096, V232, 2048 + 16384 + 5),
        (4096, ZfsVersion(2, 4, 98), 2048 + 16384 + 5),
        (4096, ZfsVersion(2, 4, 99), 256 + 2048 + 5),
        (4096, MASTER, 256 + 2048 + 5),
    ],
)
def test_that_partition_1_begins_and_ends_on_2048_sectors_as_libzfs_counts_them(
    sector: int, version: ZfsVersion, taken: int
) -> None:
    # Its size is rounded down to 2048 sectors: one sector less on the disk and it loses all of them.
    exact = taken + 1000 * 2048
    assert device_bytes(exact * sector, MemberKind.DISK, sector, version) == 1000 * 2048 * sector
    assert device_bytes(exact * sector + sector - 1, MemberKind.DISK, sector, version) == 1000 * 2048 * sector
    assert device_bytes((exact - 1) * sector, MemberKind.DISK, sector, version) == 999 * 2048 * sector


@pytest.mark.parametrize("sector", [512, 4096])
def test_that_a_whole_disk_needs_64_mib_in_its_partition(sector: int) -> None:
    taken = 2048 + 16384 + (33 if sector == 512 else 5)
    least = (taken + 64 * MIB // sector) * sector
    assert device_bytes(least, MemberKind.DISK, sector, V232) == 64 * MIB
    for disk in (least - sector, 10 * MIB, MIB):
        with pytest.raises(Refusal, match=f"{disk} B") as refused:
            device_bytes(disk, MemberKind.DISK, sector, V232)
        assert refused.value.reasons == (f"A member is too small: {disk} B",)


def test_that_a_leaf_is_what_lies_between_its_labels() -> None:
    # vdev_open: down to 256 KiB, less two labels and the boot area in front (4 MiB) and two labels behind.
    assert leaf_bytes(64 * MIB) == 64 * MIB - 4718592
    assert leaf_bytes(64 * MIB + 256 * KIB - 1) == 64 * MIB - 4718592
    assert leaf_bytes(64 * MIB + 256 * KIB) == 64 * MIB - 4718592 + 256 * KIB
    with pytest.raises(Refusal, match=f"{64 * MIB - 1} B"):
        leaf_bytes(64 * MIB - 1)
    assert (FRONT_BYTES, BACK_BYTES) == (4194304, 524288)


@given(st.integers(64 * MIB, 1024 * TIB))
def test_that_the_device_for_a_leaf_is_the_smallest_that_offers_it(leaf: int) -> None:
    device = device_for(leaf)
    assert leaf_bytes(device) >= leaf > leaf_bytes(device - 1)


def slow_shift(asize: int) -> int:
    """Return the metaslab shift as `vdev_metaslab_set_size` finds it, with its constants and `highbit64`."""

    def highbit(value: int) -> int:
        return next((bit + 1 for bit in reversed(range(64)) if value & (1 << bit)), 0)

    count = asize >> 29
    if count < 16:
        shift = highbit(asize // 16)
    elif count > 200:
        shift = highbit(asize // 200)
    else:
        shift = 29
    if shift < 24:
        return 24
    if shift > 34:
        shift = 34
        if (asize >> shift) > 131072:
            shift = highbit(asize // 131072)
    return shift


STEPS = sorted(
    {
        edge + more
        for edge in (
            *(16 << bit for bit in range(18, 50)),
            *(200 << bit for bit in range(18, 40)),
            *(131072 << bit for bit in range(30, 40)),
            *(131073 << bit for bit in range(30, 40)),
            *(n << 29 for n in (15, 16, 17, 199, 200, 201, 202)),
        )
        for more in (-1, 0, 1)
    }
)


def test_that_the_metaslab_size_changes_where_openzfs_changes_it() -> None:
    for version in (V232, ZfsVersion(0, 8, 0)):
        assert [metaslab_shift(asize, version) for asize in STEPS] == [slow_shift(asize) for asize in STEPS]


@pytest.mark.parametrize(
    ("asize", "shift"), [(1 << 28, 24), ((200 << 24) - 1, 24), (200 << 24, 25), ((200 << 38) - 1, 38), (200 << 38, 39)]
)
def test_that_up_to_0_7_a_vdev_has_at_most_200_metaslabs(asize: int, shift: int) -> None:
    assert metaslab_shift(asize, ZfsVersion(0, 7, 13)) == shift


@pytest.mark.parametrize("ashift", [9, 12, 13])
@pytest.mark.parametrize(
    ("data", "parity", "spares", "width"), [(4, 1, 0, 14), (8, 2, 2, 24), (3, 3, 1, 9), (2, 1, 0, 3)]
)
@pytest.mark.parametrize("leaf", [3 * 10**9, 7041231949, 10**12])
def test_that_each_metaslab_of_a_draid_is_trimmed_to_whole_stripes(
    data: int, parity: int, spares: int, width: int, leaf: int, ashift: int
) -> None:
    top = TopVdev(
        kind=VdevKind.DRAID, width=width, least_leaf_bytes=leaf, parity=parity, group_data=data, spares=spares
    )
    space = top_capacity(top, ashift, V232)
    # vdev_draid_open: each child less 32 MiB, in rows of 16 MiB; all of them in whole groups.
    group = data + parity
    rows = (leaf - (32 << 20)) // (16 << 20) * (width - spares) // group * group
    assert space.asize_bytes == rows * (16 << 20) == asize_bytes(top)
    # vdev_draid_metaslab_init: each begins at the next stripe and ends at its last whole one.
    stripe, slab = group << ashift, 1 << space.metaslab_shift
    sizes = []
    for number in range(space.metaslab_count):
        begin = -(-number * slab // stripe) * stripe
        sizes.append(((number + 1) * slab - begin) // stripe * stripe)
    assert space.metaslab_count == space.asize_bytes // slab
    assert space.raw_bytes == sum(sizes)
    assert space.embedded_bytes == (sizes[0] if space.metaslab_count > 64 else 0)


@pytest.mark.parametrize(("count", "kept"), [(64, 0), (65, 1 << 29)])
def test_that_a_metaslab_is_kept_for_the_log_where_there_are_more_than_64(count: int, kept: int) -> None:
    top = TopVdev(kind=VdevKind.STRIPE, width=1, least_leaf_bytes=count << 29)
    space = top_capacity(top, 12, V232)
    assert (space.metaslab_count, space.embedded_bytes, space.embedded_usable_bytes) == (count, kept, kept)
    assert (space.raw_bytes, space.usable_bytes) == (count << 29, (count << 29) - kept)
    assert top_capacity(top, 12, ZfsVersion(2, 0, 7)).embedded_bytes == 0


@pytest.mark.parametrize(
    ("vdev_class", "version", "keeps"),
    [
        (VdevClass.DATA, (2, 0, 99), False),
        (VdevClass.DATA, (2, 1, 0), True),
        (VdevClass.SPECIAL, (2, 3, 99), False),
        (VdevClass.SPECIAL, (2, 4, 0), True),
        (VdevClass.DEDUP, (2, 4, 4), False),
        (VdevClass.LOG, (2, 4, 4), False),
    ],
)
def test_that_only_data_and_since_2_4_special_vdevs_keep_a_metaslab_for_the_log(
    vdev_class: VdevClass, version: tuple[int, int, int], keeps: bool
) -> None:
    top = TopVdev(kind=VdevKind.STRIPE, width=1, least_leaf_bytes=TIB, vdev_class=vdev_class)
    assert (top_capacity(top, 12, ZfsVersion(*version)).embedded_bytes > 0) is keeps


def test_that_a_vdev_of_less_than_one_metaslab_is_refused() -> None:
    top = TopVdev(kind=VdevKind.STRIPE, width=1, least_leaf_bytes=16 * MIB)
    assert top_capacity(top, 12, V232).metaslab_count == 1
    with pytest.raises(Refusal) as refused:
        top_capacity(replace(top, least_leaf_bytes=16 * MIB - 1), 12, V232)
    assert refused.value.where == "the members are too small for one metaslab of 16 MiB"


def test_that_a_mirror_may_be_as_wide_as_anyone_likes() -> None:
    check_shape(TopVdev(kind=VdevKind.MIRROR, width=300, least_leaf_bytes=GIB))


# By hand from spa_get_slop_space: a 32nd, at most 128 GiB, less the embedded log (half of it at most), and at least
# 128 MiB or half of a pool that is smaller than 256 MiB.
@pytest.mark.parametrize(
    ("normal", "embedded", "slop"),
    [
        (4 * TIB, 0, 128 * GIB),
        (4 * TIB - 32, 0, 128 * GIB - 1),
        (8 * TIB, 0, 128 * GIB),
        (4 * TIB, 16 * GIB, 112 * GIB),
        (4 * TIB, 64 * GIB, 64 * GIB),
        (4 * TIB, 65 * GIB, 64 * GIB),
        (4 * GIB, 0, 128 * MIB),
        (4 * GIB + 64, 0, 128 * MIB + 2),
        (4 * GIB, GIB, 128 * MIB),
        (256 * MIB, 0, 128 * MIB),
        (256 * MIB - 2, 0, 128 * MIB - 1),
        (100 * MIB, 0, 50 * MIB),
    ],
)
def test_that_slop_has_the_bounds_that_openzfs_gives_it(normal: int, embedded: int, slop: int) -> None:
    assert slop_bytes(normal, embedded, V232) == slop


@pytest.mark.parametrize(
    ("version", "normal", "slop"),
    [
        ((0, 6, 4), 4 * GIB, 64 * MIB),
        ((0, 6, 4), GIB, 32 * MIB),
        ((0, 6, 4), 20 * MIB, 20 * MIB),
        ((0, 6, 5), 4 * GIB, 128 * MIB),
        ((0, 6, 5), 20 * MIB, 20 * MIB),
        ((0, 7, 0), 20 * MIB, 10 * MIB),
        ((2, 0, 5), 8 * TIB, 256 * GIB),
        ((2, 0, 6), 8 * TIB, 128 * GIB),
    ],
)
def test_that_older_versions_keep_back_what_they_did(version: tuple[int, int, int], normal: int, slop: int) -> None:
    assert slop_bytes(normal, 0, ZfsVersion(*version)) == slop
