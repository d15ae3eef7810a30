"""The space of a design: each member by its own disk, each pool by itself."""

from dataclasses import replace

from poolwright.capacity.pool import VdevDevices, predict_design, predict_devices, predict_pools
from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion

SIZE = 6001175126016
# Seen on real disks of 512-byte and of 4096-byte sectors: partition 1.
OF_512, OF_4096 = 6001165074432, 6001092722688
V232 = ZfsVersion(2, 3, 2)


def mirror(*members: Member) -> Vdev:
    return Vdev(kind=VdevKind.MIRROR, members=members)


def design(*vdevs: Vdev, sectors: tuple[int | None, int | None] = (512, 512)) -> Design:
    disks = tuple(
        Disk(key=key, size_bytes=SIZE, logical_sector_bytes=sector) for key, sector in zip("ab", sectors, strict=True)
    )
    return Design(key="k", name="n", pool_name="tank", disks=disks, vdevs=vdevs, version=V232)


def device_sum(of: Design) -> int:
    (placed,) = predict_design(of).vdevs
    return placed.device_sum


def test_that_a_whole_disk_is_partitioned_by_its_own_sectors_and_a_slice_is_used_as_it_is() -> None:
    whole = mirror(Member(disk_key="a"), Member(disk_key="b"))
    assert device_sum(design(whole)) == 2 * OF_512
    assert device_sum(design(whole, sectors=(512, 4096))) == OF_512 + OF_4096
    assert device_sum(design(whole, sectors=(None, None))) == 2 * OF_512
    half = SIZE // 2
    sliced = mirror(Member(disk_key="a", slice_bytes=half, part=1), Member(disk_key="b", slice_bytes=half, part=1))
    assert device_sum(design(sliced)) == 2 * half
    mixed = mirror(Member(disk_key="a", slice_bytes=half, part=1), Member(disk_key="b"))
    assert device_sum(design(mixed)) == half + OF_512


def test_that_each_pool_has_the_space_of_its_own_vdevs_and_ashift() -> None:
    half = SIZE // 2
    first, second = (mirror(*(Member(disk_key=key, slice_bytes=half, part=part) for key in "ab")) for part in (1, 2))
    both = replace(
        design(first), further_pools=(FurtherPool(pool_name="second", vdevs=(second, second), ashift=13),), ashift=9
    )
    main, other = predict_pools(both)
    assert (main.ashift, other.ashift) == (9, 13)
    assert (main.version, len(main.layout), len(other.layout)) == (V232, 1, 2)
    spec = both.spec(first)
    assert main == predict_devices((VdevDevices(spec=spec, devices=(half, half)),), ashift=9, version=V232)
