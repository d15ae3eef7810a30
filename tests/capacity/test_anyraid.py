"""The space of AnyRAID: the closed form against the allocation of the pull request, and what its authors published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.capacity.anyraid import AnyraidVdev, anyraid_vdevs, logical_tiles
from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.domain.units import GIB, TB
from poolwright.domain.version import ZfsVersion

VERSION = ZfsVersion(2, 4, 4)


def vdevs(*sizes: int, survives: int = 1, widest: int = 16) -> dict[str, AnyraidVdev]:
    devices = [device_bytes(size, MemberKind.DISK, 512, VERSION) for size in sizes]
    found = anyraid_vdevs(devices, survives=survives, widest=widest, ashift=12, version=VERSION)
    return {vdev.word: vdev for vdev in found}


def allocated(tiles: list[int], width: int) -> int:
    """Return how many logical tiles one after the other are allocated: each on the disks with most tiles free."""
    free, count = list(tiles), 0
    while True:
        disks = sorted(range(len(free)), key=lambda disk: (-free[disk], -disk))[:width]
        if free[disks[-1]] == 0:
            return count
        count += 1
        for disk in disks:
            free[disk] -= 1


@given(st.lists(st.integers(1, 40), min_size=2, max_size=9), st.data())
def test_that_the_closed_form_is_what_the_greedy_allocation_comes_to(tiles: list[int], data: st.DataObject) -> None:
    width = data.draw(st.integers(1, len(tiles)))
    assert logical_tiles(tiles, width) == allocated(tiles, width)


def test_that_the_allocation_of_real_disks_comes_to_the_space_that_is_told() -> None:
    for sizes in ((4, 4, 8, 8), (4, 4, 4, 12), (1, 2, 4, 8, 16), (12, 12, 12, 12, 18, 18), (2, 3, 3, 2, 2)):
        for word, vdev in vdevs(*(size * TB for size in sizes)).items():
            tiles = [size * TB // vdev.tile_bytes for size in sizes]
            data = 1 if word == "anymirror1" else int(word.partition(":")[2])
            room = allocated(tiles, data + 1) * data * vdev.tile_bytes
            assert 0.95 * room < vdev.usable_bytes < room, (sizes, word)


def test_that_the_disks_of_the_authors_example_hold_12_and_16_tb() -> None:
    """BSDCan 2026, “ZFS AnyRAID”: 4, 6, 6 and 8 TB; mirrors of them would hold 10, a raidz1 12."""
    found = vdevs(4 * TB, 6 * TB, 6 * TB, 8 * TB)
    assert {word: round(vdev.usable_bytes / TB) for word, vdev in found.items()} == {
        "anymirror1": 12,
        "anyraidz1:2": 16,
    }


@pytest.mark.parametrize(("least", "tile"), [(500 * 10**9, 16), (TB, 16), (2 * TB, 32), (4 * TB, 64), (20 * TB, 512)])
def test_that_a_tile_is_a_64th_of_the_smallest_disk_rounded_up_to_a_power_of_two(least: int, tile: int) -> None:
    assert {vdev.tile_bytes for vdev in vdevs(least, 2 * least, 2 * least).values()} == {tile * GIB}


def test_that_nothing_is_told_where_there_is_nothing_to_gain_or_no_such_vdev() -> None:
    assert not vdevs(*(4 * TB,) * 6)
    assert not vdevs(4 * TB, 8 * TB)
    assert not vdevs(4 * TB, 8 * TB, 8 * TB, survives=2)
    assert not vdevs(10 * GIB, 4 * TB, 4 * TB)
    assert vdevs(*(4 * TB,) * 254, 8 * TB)
    assert not vdevs(*(4 * TB,) * 255, 8 * TB)


def test_that_a_raidz_is_no_wider_than_asked_and_told_only_where_it_holds_more_than_the_mirror() -> None:
    assert set(vdevs(*(4 * TB,) * 8, 6 * TB, 6 * TB, widest=6)) == {"anymirror1", "anyraidz1:5"}
    assert set(vdevs(*(4 * TB,) * 3, 12 * TB)) == {"anymirror1"}
    assert set(vdevs(*(4 * TB,) * 8, 8 * TB, survives=4)) == {"anymirror4"}
