"""What people paste: tables that lost their blanks, quoted mail, facts without their heading, partitions."""

from pathlib import Path

import pytest
from tests.cases import table
from tests.design.half_known import STATUS

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.steps import at_once
from poolwright.machine.lsblk.read import read_lsblk
from poolwright.machine.zpool.status import read_zpool_status
from poolwright.store.capture_files import open_captures

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")
GIB = 1 << 30


def disks(text: str) -> dict[str, Disk]:
    return {(disk.path or "").removeprefix("/dev/"): disk for disk in at_once(read_lsblk(text, ORIGIN)).disks}


def opened(folder: Path, text: str) -> Inventory:
    path = folder / "pasted.txt"
    path.write_text(text)
    return open_captures([path])


@pytest.mark.parametrize(
    "text",
    [
        "NAME SIZE MODEL SERIAL\nsda 1.8T Some Disk Model SER1\n└─sda1 1.8T\n",
        "NAME FSTYPE SIZE LABEL\nsda 931.5G\nsdb zfs_member 2T tank\n",
        "NAME       SIZE TYPE MOUNTPOINT\nvda         10G disk\n`-vda2    9.5G part\n    `-rhel-root 9.4G lvm   /\n",
    ],
)
def test_that_a_table_that_lost_its_columns_is_refused_and_what_is_read_is_named(text: str) -> None:
    with pytest.raises(UserError, match=r"lost its columns and is not read.*lsblk -J"):
        at_once(read_lsblk(text, ORIGIN))


@pytest.mark.parametrize("front", ["", "> ", ">> ", "    "])
def test_that_quoted_and_indented_output_is_read(front: str, tmp_path: Path) -> None:
    table = ["NAME   SIZE TYPE", "sda     40G disk", "└─sda1   1G part", "sdb     10G disk"]
    quoted = "".join(f"{front}{line}\n" for line in table)
    assert [d.size_bytes for d in opened(tmp_path, quoted).disks] == [40 * GIB, 10 * GIB]
    facts = "smartctl 7.4 2023\n\nDevice Model:     X1\nSector Sizes:     512 bytes logical, 4096 bytes physical\n"
    (disk,) = opened(tmp_path, "".join(f"{front}{line}\n" for line in facts.splitlines())).disks
    assert (disk.model, disk.physical_sector_bytes) == ("X1", 4096)


def test_that_pairs_that_begin_with_another_column_are_known_for_lsblk(tmp_path: Path) -> None:
    row = (
        'ALIGNMENT="0" FSTYPE="" KNAME="sda" LOG-SEC="512" MAJ:MIN="8:0" NAME="sda" PHY-SEC="4096" SIZE="1000204886016"'
    )
    (disk,) = opened(tmp_path, f'\t\t{row} TYPE="disk" MOUNTPOINT=""\n').disks
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes) == (1000204886016, 512, 4096)


def test_that_facts_of_a_drive_without_any_heading_are_known_for_smartctl(tmp_path: Path) -> None:
    text = (
        "Model Family:     Some Family\nDevice Model:     X1\nSerial Number:    S1\n"
        "User Capacity:    12,000,138,625,024 bytes [12.0 TB]\n"
        "Sector Sizes:     512 bytes logical, 4096 bytes physical\n"
    )
    (disk,) = opened(tmp_path, text).disks
    assert (disk.serial, disk.size_bytes, disk.physical_sector_bytes) == ("S1", 12000138625024, 4096)


def test_that_a_pool_whose_indentation_was_lost_keeps_its_devices_in_their_groups() -> None:
    rows = ["tank ONLINE", "raidz1-0 ONLINE", "sda ONLINE", "sdb ONLINE", "mirror-1 ONLINE", "sdc ONLINE", "sdd ONLINE"]
    tree = "".join(f"{row} 0 0 0\n" for row in rows)
    (pool,) = read_zpool_status(
        f"pool: tank\nstate: ONLINE\nconfig:\nNAME STATE READ WRITE CKSUM\n{tree}spares\nsde AVAIL\n"
    )
    assert [(v.section, v.kind, [c.name for c in v.children]) for v in pool.vdevs] == [
        ("data", "raidz1", ["sda", "sdb"]), ("data", "mirror", ["sdc", "sdd"]), ("spares", "disk", [])
    ]  # fmt: skip


def test_that_a_shortened_status_document_takes_names_from_its_keys() -> None:
    leaf = '{"vdev_type": "disk", "state": "ONLINE", "path": "/dev/disk/by-id/wwn-0xaa-part1"}'
    group = f'{{"vdev_type": "raidz", "state": "ONLINE", "vdevs": {{"wwn-0xaa": {leaf}}}}}'
    root = f'{{"vdev_type": "root", "vdevs": {{"raidz1-0": {group}}}}}'
    (pool,) = read_zpool_status(f'{{"pools": {{"tank": {{"state": "ONLINE", "vdevs": {{"tank": {root}}}}}}}}}')
    (vdev,) = pool.vdevs
    assert (vdev.name, vdev.kind, [c.name for c in vdev.children]) == ("raidz1-0", "raidz1", ["wwn-0xaa"])


LISTED: str = table(__file__, "listed")
SETS = """NAME       USED  AVAIL  REFER  MOUNTPOINT
tank      8.26T  5.80T    96K  /tank
tank/a b  8.26T  5.80T  8.26T  /tank/a b
"""
PROSE = "\nHere is what the other one says, as asked:\n\n"


@pytest.mark.parametrize(
    "text",
    [
        STATUS + LISTED + SETS,
        LISTED + SETS + STATUS,
        f"root@nas:~# zpool status\n{STATUS}root@nas:~# zpool list -v\n{LISTED}r@nas:~# zfs list\n{SETS}r@nas:~#\n",
        f"$ zpool status\n{STATUS}$ sudo zpool list -v\n{LISTED}\n$ zfs list\n{SETS}$\n",
        f"Hello,{PROSE}{STATUS}{PROSE}{LISTED}{PROSE}{SETS}{PROSE}",
        f"zpool status:\n{STATUS}\nzpool list -v\n\n{LISTED}zfs list\n{SETS}lsblk\nbash: lsblk: command not found\n",
        f"# zpool list -v\n{LISTED}# zpool status\n{STATUS}# zfs list\n{SETS}",
    ],
)
def test_that_status_and_listings_of_one_terminal_are_one_pool(text: str, tmp_path: Path) -> None:
    inventory = opened(tmp_path, text)
    (pool,) = inventory.pools
    facts = inventory.facts_of(pool)
    assert facts is not None
    assert facts.datasets is not None
    assert [leaf.name for leaf in pool.leaves()] == ["sda", "sdb"]
    assert pool.errors == "No known data errors"
    assert facts.value("size") == "14.5T"
    assert [dataset.name for dataset in facts.datasets] == ["tank", "tank/a b"]


def test_that_pools_of_one_terminal_stay_apart(tmp_path: Path) -> None:
    other, listed = STATUS.replace("tank", "pond"), LISTED.replace("tank", "pond")
    inventory = opened(tmp_path, f"$ zpool status\n{STATUS}\n{other}$ zpool list -v\n{LISTED}{listed}$\n")
    assert [pool.name for pool in inventory.pools] == ["tank", "pond"]
    assert [facts.name for facts in inventory.existing] == ["tank", "pond"]
