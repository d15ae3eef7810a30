"""The space of md RAID 6, held to what mdadm 4.2 printed on a virtual machine with disks of these sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.capacity.md_raid import MdRaid6, data_offset_bytes, md_device_bytes, raid6_bytes
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.units import KIB, MIB

# Size of each of four disks, chunk in KiB, “Data Offset” in sectors, size of the block device in bytes.
PRINTED = cases(__file__, "printed")


@pytest.mark.parametrize(("size", "chunk", "offset", "device"), PRINTED)
def test_that_an_array_has_the_bytes_that_mdadm_gives_it(size: int, chunk: int, offset: int, device: int) -> None:
    assert data_offset_bytes(size, chunk * KIB) == offset * 512
    assert raid6_bytes((size,) * 4, chunk * KIB) == device


def test_that_a_small_member_has_the_offset_of_a_recorded_raid5() -> None:
    # /dev/vda1 of jc's sample: 409600 sectors, data offset 4096 sectors, chunk 512K, 405504 KiB from three disks.
    assert data_offset_bytes(409600 * 512, 512 * KIB) == 4096 * 512
    assert raid6_bytes((409600 * 512,) * 4, 512 * KIB) == 405504 * KIB


def test_that_arrays_joined_by_raid0_have_the_bytes_that_mdadm_gives_them() -> None:
    sizes = (6001175126016, 16000900661248)
    arrays = tuple(tuple(Disk(key=f"{size}-{n}", size_bytes=size) for n in range(4)) for size in sizes)
    assert md_device_bytes(MdRaid6(name="x", device_name="tank", arrays=arrays)) == 44003339796480


def test_that_the_smallest_disk_counts_for_all() -> None:
    assert raid6_bytes((6 * 10**12, 6 * 10**12, 4 * 10**12, 6 * 10**12), 512 * KIB) == raid6_bytes(
        (4 * 10**12,) * 4, 512 * KIB
    )


def test_that_a_disk_without_room_is_refused() -> None:
    with pytest.raises(Refusal, match="too small"):
        raid6_bytes((2 * MIB,) * 4, 512 * KIB)


@given(st.integers(10 * 2**30, 2**45), st.integers(4, 40))
def test_that_an_array_is_whole_chunks_and_never_more_than_its_data_disks(size: int, disks: int) -> None:
    found = raid6_bytes((size,) * disks, 512 * KIB)
    assert found % (512 * KIB * (disks - 2)) == 0
    assert 0.98 * size * (disks - 2) < found < size * (disks - 2)
