"""lsblk on real machines: sizes, sectors and uses as the files show them. Skipped where the collection is absent."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases

from poolwright.domain.disk import Disk, Media, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.steps import at_once
from poolwright.machine.lsblk.read import LsblkReading, read_lsblk

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real outputs is not here")
ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")
GIB, MIB = 1 << 30, 1 << 20
MADE_OF_OTHERS = ("zram", "ram", "zd", "nbd", "loop", "sr")


def files(*folders: str) -> list[str]:
    found = [CORPUS / folder for folder in folders if (CORPUS / folder).is_dir()]
    return [f"{where.name}/{path.name}" for where in found for path in sorted(where.iterdir())]


def text_of(name: str) -> str:
    path = CORPUS / name
    if not path.is_file():
        pytest.skip("this capture is not here")
    return path.read_text()


def read(name: str) -> LsblkReading:
    return at_once(read_lsblk(text_of(name), ORIGIN))


def kernel_name(disk: Disk) -> str:
    return (disk.path or "").removeprefix("/dev/")


def by_name(reading: LsblkReading) -> dict[str, Disk]:
    return {kernel_name(disk): disk for disk in reading.disks}


def uses(disk: Disk) -> list[str]:
    return [str(use) for use in disk.uses]


@pytest.mark.parametrize("name", [f for f in files("lsblk_json") + files("lsblk_text") if "badcol" not in f])
def test_that_every_capture_is_read(name: str) -> None:
    reading = read(name)
    assert reading.disks
    assert len({disk.key for disk in reading.disks}) == len(reading.disks)


@pytest.mark.parametrize("name", [f for f in files("lsblk_json") if "badcol" in f])
def test_that_an_unknown_column_is_named(name: str) -> None:
    with pytest.raises(UserError, match="NOSUCHCOL"):
        read(name)


def plain_number(value: object) -> int | None:
    return int(str(value)) if isinstance(value, (int, str)) and str(value).isdigit() else None


def printed_disks(name: str) -> Iterator[dict[str, object]]:
    for device in json.loads(text_of(name))["blockdevices"]:
        kernel = str(device.get("kname") or device.get("name", "")).removeprefix("/dev/")
        if device.get("type") == "disk" and not kernel.startswith(MADE_OF_OTHERS):
            yield device | {"kname": kernel}


@pytest.mark.parametrize("name", [f for f in files("lsblk_json") if "badcol" not in f])
def test_that_sizes_and_sectors_are_those_printed(name: str) -> None:
    found = by_name(read(name))
    printed = list(printed_disks(name))
    assert {str(device["kname"]) for device in printed} <= set(found)
    for device in printed:
        disk = found[str(device["kname"])]
        exact = plain_number(device.get("size"))
        if exact is not None:
            assert disk.size_bytes == exact
        assert disk.logical_sector_bytes == plain_number(device.get("log-sec"))
        assert disk.physical_sector_bytes == plain_number(device.get("phy-sec"))
        if device.get("children"):
            assert disk.in_use


# The virtual test machine: 44 shelf disks, five SSDs, a disk on two paths, SATA, USB, virtio root, two NVMe.
USED = (
    "lsblk_json/local__vm__zfs-0.6.5.6_xenial_lsblk_used_JbO.json",
    "lsblk_json/local__vm__zfs-0.8.3_focal_lsblk_used_JbO.json",
    "lsblk_json/local__vm__zfs-2.2.2_noble_lsblk_used_JbO.json",
    "lsblk_json/local__vm__zfs-2.3.9_trixie_lsblk_used_a_JbO.json",
)
USED_TEXT = (
    "lsblk_text/local__vm__zfs-0.6.5.6_xenial_lsblk_used.txt",
    "lsblk_text/local__vm__zfs-0.8.3_focal_lsblk_used.txt",
    "lsblk_text/local__vm__zfs-2.3.9_trixie_lsblk_used.txt",
)
MOUNTED_BEFORE_REBOOT = "trixie"  # there the file systems were not mounted when lsblk ran


@pytest.mark.parametrize("name", USED + USED_TEXT)
def test_that_the_used_test_machine_has_its_uses(name: str) -> None:
    reading = read(name)
    in_use = {d.path: {use.kind for use in d.uses} for d in reading.disks if d.in_use}
    kinds = Counter(kind for found in in_use.values() for kind in found)
    mounted = 0 if MOUNTED_BEFORE_REBOOT in name else 4
    assert len(reading.disks) == 57
    assert len(in_use) == 8
    assert kinds[UseKind.MOUNTED] == mounted
    assert in_use["/dev/vda"] == {UseKind.BOOT}
    assert in_use["/dev/sdax"] == in_use["/dev/sday"] == {UseKind.MULTIPATH}
    for kind, count in ((UseKind.MD, 2), (UseKind.LUKS, 1), (UseKind.LVM, 1), (UseKind.SWAP, 1),
                        (UseKind.PARTITIONED, 1), (UseKind.MULTIPATH, 2), (UseKind.BOOT, 1)):  # fmt: skip
        assert kinds[kind] == count
    (multipath,) = [disk for disk in reading.disks if disk.path == "/dev/mapper/mpatha"]
    assert (multipath.size_bytes, multipath.uses) == (640 * MIB, ())


@pytest.mark.parametrize("name", USED)
def test_that_the_used_test_machine_has_its_sectors_and_media(name: str) -> None:
    reading = read(name)
    sectors = Counter((d.logical_sector_bytes, d.physical_sector_bytes) for d in reading.disks)
    # 40 of the shelf and the SATA disk are 512e; 4 of the shelf and one NVMe are 4Kn.
    assert sectors == {(512, 4096): 41, (4096, 4096): 5, (512, 512): 11}
    media = Counter(disk.media for disk in reading.disks)
    assert media == {Media.HDD: 48, Media.SSD: 5, Media.NVME: 2, None: 2}
    assert {disk.path for disk in reading.disks if disk.media is None} >= {"/dev/vda"}
    shelf = [disk for disk in reading.disks if disk.size_bytes == 512 * MIB]
    assert len(shelf) == 44
    assert not any(disk.in_use for disk in shelf)


@pytest.mark.parametrize(
    "name",
    [
        "lsblk_json/local__vm__zfs-0.6.5.6_xenial_lsblk_blank_JbO.json",
        "lsblk_json/local__vm__zfs-2.2.2_noble_lsblk_blank_JbO.json",
        "lsblk_text/local__vm__zfs-2.2.2_noble_lsblk_blank.txt",
    ],
)
def test_that_on_the_blank_test_machine_only_the_boot_disk_and_a_second_path_are_used(name: str) -> None:
    reading = read(name)
    in_use = {kernel_name(disk): uses(disk) for disk in reading.disks if disk.in_use}
    assert len(reading.disks) == 56
    assert in_use["vda"] == ["boot disk: /"]
    assert set(in_use) <= {"vda", "sday"}


def test_that_the_members_of_every_pool_are_found() -> None:
    found = by_name(read("lsblk_json/local__vm__zfs-2.2.2_noble_lsblk_healthy_JbO.json"))
    pools: dict[str, set[str]] = {}
    for name, disk in found.items():
        for use in disk.uses:
            if use.kind is UseKind.POOL:
                pools.setdefault(use.detail, set()).add(name)
    assert {pool: len(members) for pool, members in pools.items()} == {
        "tank": 9, "mpool": 8, "dpool": 8, "stripe": 3, "nv": 1, "nv4k": 1,
    }  # fmt: skip
    assert {"nvme0n1"} == pools["nv"]
    # Cache and spares carry no signature, but their partitions show that they are not free.
    for name in ("sdj", "sdk", "sdl"):
        assert uses(found[name]) == ["partitioned: 2 partitions, gpt"]
    assert "zd0" not in found


@pytest.mark.parametrize(("name", "expected"), cases(__file__, "machines"))
def test_that_other_machines_have_their_disks(name: str, expected: dict[str, list[Any]]) -> None:
    found = by_name(read(f"lsblk_json/{name}"))
    assert {
        kernel: [sorted({use.kind.value for use in d.uses}), *([d.size_bytes] if d.size_bytes is not None else [])]
        for kernel, d in found.items()
    } == expected


@pytest.mark.parametrize("version", ["2.36.1", "2.41.5", "2.42.4"])
def test_that_the_recorded_bcachefs_machine_reads_alike_in_every_version(version: str) -> None:
    found = by_name(read(f"lsblk_json/util-linux__util-linux__multi-devs-bcachefs_lsblk-{version}_JbO.json"))
    assert {name: (d.size_bytes, d.media, d.logical_sector_bytes) for name, d in found.items()} == {
        "sda": (240057409536, Media.SSD, 512),
        "sdb": (80026361856, Media.HDD, 512),
        "sdc": (524288000, None, 512),
        "nvme0n1": (1024209543168, Media.NVME, 512),
    }
    assert uses(found["sda"])[:3] == ["boot disk: /boot/efi", "boot disk: /boot", "boot disk: /"]
    assert [use.kind for use in found["sdc"].uses] == [UseKind.MOUNTED, UseKind.CACHE_LAYER, UseKind.PARTITIONED]


@pytest.mark.parametrize("name", ["centos-7.7_lsblk.out", "centos-7.7_lsblk-allcols.out"])
def test_that_the_centos_machine_is_read_from_text(name: str) -> None:
    found = by_name(read(f"lsblk_text/kellyjonbrazil__jc__{name}"))
    assert list(found) == ["sda"]
    disk = found["sda"]
    assert disk.size_bytes == 20 * GIB
    assert uses(disk) == [
        "boot disk: /boot", "boot disk: /", "swap: centos-swap", "LVM: centos-root", "LVM: centos-swap",
        "partitioned: 2 partitions",
    ]  # fmt: skip
    if "allcols" in name:
        assert (disk.model, disk.transport, disk.firmware) == ("VMware Virtual S", "spi", "1.0")
        assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == (512, 512)
        assert disk.media is None
