"""Pools beside an ESP or swap, as installers make them: read from lsblk, told as a design reserves them."""

import json

import pytest
from tests.changes.existing_machines import given

from poolwright.capacity.pool import predict_design
from poolwright.changes.as_design import design_of_pool
from poolwright.changes.audit import PoolAudit
from poolwright.domain.as_built import as_built
from poolwright.domain.design import Design
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool, PoolNode, VdevSizes
from poolwright.domain.steps import at_once
from poolwright.emit.remedies import remedy_of
from poolwright.machine.lsblk.read import read_lsblk

READ = Origin(kind=OriginKind.READ, source="a test")
SIZE = 4000787030016
ESP, BIOS = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "21686148-6449-6e6f-744e-656564454649"
SWAP, ZFS = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "6a898cc3-1dd2-11b2-99a6-080020736631"
BSD_SWAP, BSD_ZFS = "516e7cb5-6ecf-11d6-8ff8-00022d09712b", "516e7cba-6ecf-11d6-8ff8-00022d09712b"
Part = tuple[int, str, str | None]  # bytes, type, what blkid finds
# As Proxmox VE 7 lays out each disk of its root pool, and as TrueNAS CORE and SCALE those of a data pool.
PROXMOX: tuple[Part, ...] = ((1031168, BIOS, None), (536870912, ESP, "vfat"), (4000248823296, ZFS, "zfs_member"))
CORE: tuple[Part, ...] = ((2147483648, BSD_SWAP, None), (3998639460352, BSD_ZFS, "zfs_member"))
SCALE: tuple[Part, ...] = ((2147484160, SWAP, None), (3998637322752, ZFS, "zfs_member"))


def audited(parts: tuple[Part, ...], number: int, *, only: str = "", failed: str = "") -> PoolAudit:
    """Return the mirror on partition ``number`` of two disks; ``only`` one of them has the others, one has failed."""
    disks = ("sda", "sdb")

    def told(disk: str) -> dict[str, object]:
        shown = enumerate(parts, 1) if not only or disk == only else [(number, parts[number - 1])]
        children = [
            {"name": f"{disk}{n}", "kname": f"{disk}{n}", "type": "part", "size": size, "parttype": kind, "fstype": fs}
            for n, (size, kind, fs) in shown
        ]
        return {"name": disk, "kname": disk, "type": "disk", "size": SIZE, "serial": f"S{disk}", "children": children}

    reading = at_once(read_lsblk(json.dumps({"blockdevices": [told(disk) for disk in disks]}), READ))
    leaves = tuple(
        PoolNode(
            name=f"{disk}{number}",
            path=f"/dev/{disk}{number}",
            kind="disk",
            section="data",
            state="FAULTED" if disk == failed else "ONLINE",
        )
        for disk in disks
    )
    pool = Pool(name="rpool", vdevs=(PoolNode(name="mirror-0", kind="mirror", section="data", children=leaves),))
    sizes = tuple(
        VdevSizes(name=leaf.name, path=leaf.path, size_bytes=parts[number - 1][0], whole_disk=False) for leaf in leaves
    )
    known = ExistingPool(name="rpool", origin=READ, vdevs=sizes)
    inventory = Inventory(name="pve", origin=READ, disks=reading.disks, pools=(pool,), existing=(known,))
    return PoolAudit(pool=pool, known=known, made=design_of_pool(inventory, pool), findings=())


def found(parts: tuple[Part, ...], number: int, *, only: str = "") -> Design:
    return given(audited(parts, number, only=only).made).design


@pytest.mark.parametrize(
    ("parts", "number", "told"),
    [
        (PROXMOX, 3, ["bios=1MiB", "esp=512MiB"]),
        (CORE, 2, ["truenas=2GiB"]),
        (SCALE, 2, ["truenas=2GiB"]),
        (((500 << 30, ZFS, "zfs_member"), (8 << 30, SWAP, "swap")), 1, ["swap=8GiB:last"]),
        (((500 << 30, ZFS, "zfs_member"), (8 << 20, "6a945a3b-1dd2-11b2-99a6-080020736631", None)), 1, []),
        (((500 << 30, ZFS, "zfs_member"), (9 << 30, ZFS, "zfs_member")), 1, []),
    ],
)
def test_that_what_an_installer_made_is_found_again(parts: tuple[Part, ...], number: int, told: list[str]) -> None:
    design = found(parts, number)
    assert [str(one) for one in design.reserve] == told
    assert all(one.disk_keys == () for one in design.reserve)
    members = as_built(design).vdevs[0].members
    assert [(m.part, m.slice_bytes) for m in members] == [(number, parts[number - 1][0])] * 2
    bare = found(parts[number - 1 : number], 1)
    assert predict_design(design).available_bytes == predict_design(bare).available_bytes


def test_that_what_only_one_disk_has_is_said_of_that_one() -> None:
    design = found(PROXMOX, 3, only="sdb")
    assert [one.disk_keys for one in design.reserve] == [(design.vdevs[0].members[1].disk_key,)] * 2


def test_that_a_failed_disk_is_replaced_by_one_with_the_table_of_its_sister_first() -> None:
    finding = Finding(
        rule_id="existing.not-online",
        title="",
        basis="documented",
        severity=Severity.BLOCK,
        outcome=Outcome.VIOLATED,
        subject="rpool",
        text="",
    )
    assert remedy_of(finding, audited(PROXMOX, 3, failed="sda")).commands == (
        "sgdisk '--replicate=/dev/disk/by-id/<new disk 1>' /dev/sdb",
        "sgdisk --randomize-guids '/dev/disk/by-id/<new disk 1>'",
        "zpool replace rpool /dev/sda3 '/dev/disk/by-id/<new disk 1>-part3'",
    )
    assert remedy_of(finding, audited(PROXMOX[2:], 1, failed="sda")).commands == (
        "zpool replace rpool /dev/sda1 '/dev/disk/by-id/<new disk 1>'",
    )
