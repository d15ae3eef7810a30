"""One inventory out of several tools: matching, precedence, doubt, pools."""

import gettext
import json
from dataclasses import replace

import pytest
from tests.machines.writing import block, by_id, lsblk, nvme_smartctl, smartctl, smartctl_complaint, zpool_status

from poolwright import texts
from poolwright.domain.disk import Disk, Media, NoteLevel, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.steps import at_once
from poolwright.machine.gather import Gatherer, ToolOutput, merge_in_steps
from poolwright.machine.identity import finished
from poolwright.machine.recognition import PieceKind

LSBLK, SMART, LINKS = PieceKind.LSBLK, PieceKind.SMARTCTL, PieceKind.BY_ID
STATUS = PieceKind.ZPOOL_STATUS


def merged(*pieces: tuple[PieceKind, str]) -> Inventory:
    gatherer = Gatherer()
    for kind, text in pieces:
        gatherer.add(ToolOutput(kind=kind, text=text, origin=Origin(kind=OriginKind.READ, source=kind.value)))
    return at_once(merge_in_steps(gatherer, name="box", origin=Origin(kind=OriginKind.READ, source="box")))


def on(inventory: Inventory, path: str) -> Disk:
    (disk,) = [d for d in inventory.disks if d.path == path]
    return disk


def warnings(disk: Disk) -> str:
    return "\n".join(n.text for n in disk.notes if n.level is NoteLevel.WARN)


def test_that_lsblk_and_smartctl_make_one_disk_with_the_origin_of_each_fact() -> None:
    box = merged((LSBLK, lsblk(block("sda", phy_sec=None))), (SMART, smartctl("/dev/sda")))
    (disk,) = box.disks
    assert (disk.path, disk.serial, disk.physical_sector_bytes) == ("/dev/sda", "SERsda", 4096)
    assert [str(disk.origin_of(f)) for f in ("physical_sector_bytes", "size_bytes")] == ["smartctl", "lsblk"]


def test_that_smartctls_sector_size_wins_and_the_doubt_is_shown() -> None:
    box = merged((LSBLK, lsblk(block("sda", phy_sec=512))), (SMART, smartctl("/dev/sda")))
    (disk,) = box.disks
    assert disk.physical_sector_bytes == 4096
    assert "smartctl says 4096 bytes" in warnings(disk)
    assert "lsblk says 512" in warnings(disk)


def test_that_the_kernels_size_wins_over_the_drives() -> None:
    box = merged((LSBLK, lsblk(block("sda", size=6001175126000))), (SMART, smartctl("/dev/sda")))
    (disk,) = box.disks
    assert disk.size_bytes == 6001175126000
    assert "the size is in doubt" in warnings(disk)


def test_that_a_controller_that_got_another_number_is_found_by_its_serial() -> None:
    machine = lsblk(block("nvme1n1", serial="NV1", model="EXAMPLE NVMe 1TB", size=1000204886016, tran="nvme"))
    box = merged((LSBLK, machine), (SMART, nvme_smartctl("/dev/nvme0n1", temperature={"current": 41})))
    assert [(disk.path, disk.temperature_celsius) for disk in box.disks] == [("/dev/nvme1n1", 41)]


def test_that_a_512_formatted_drive_offering_4096_is_pointed_out() -> None:
    formats = json.dumps({"nsze": 1953525168, "flbas": 0, "lbafs": [{"ms": 0, "ds": 9}, {"ms": 0, "ds": 12}]})
    gatherer = Gatherer()
    origin = Origin(kind=OriginKind.READ, source="nvme")
    gatherer.add(ToolOutput(kind=PieceKind.NVME_NAMESPACE, text=formats, origin=origin, device="/dev/nvme0n1"))
    gatherer.add(ToolOutput(kind=SMART, text=nvme_smartctl("/dev/nvme0n1"), origin=origin))
    (disk,) = at_once(merge_in_steps(gatherer, name="box", origin=origin)).disks
    assert any("offers 4096" in n.text for n in disk.notes)


def test_that_a_usb_bridge_that_hides_the_sector_size_leaves_it_unknown() -> None:
    failed = smartctl_complaint("/dev/sdg", "/dev/sdg: Unknown USB bridge [0x1e91:0xa3a5]", status=1)
    (disk,) = merged((LSBLK, lsblk(block("sdg", tran="usb", phy_sec=512))), (SMART, failed)).disks
    assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == (512, None)
    assert "cannot be told" in warnings(disk)


class German(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return message.replace("USB bridge", "USB-Brücke")


def test_that_a_usb_bridge_is_doubted_once_in_any_language() -> None:
    texts.use(German())
    try:
        (disk,) = merged((LSBLK, lsblk(block("sdg", tran="usb", phy_sec=512)))).disks
        assert [note.text for note in disk.notes if "USB" in note.text] == [
            "behind a USB-Brücke: the bridge reports 512-byte sectors, the disk may have 4096"
        ]
        assert finished(disk) == disk
        half_told = replace(disk, physical_sector_bytes=None)
        assert finished(half_told) == half_told
    finally:
        texts.use(None)


def test_that_drives_behind_a_raid_controller_stay_apart_from_the_logical_drive() -> None:
    drives = [
        smartctl(
            "/dev/sda", device={"name": "/dev/sda", "type": f"megaraid,{n}", "protocol": "SCSI"}, serial_number=f"R{n}"
        )
        for n in (0, 1)
    ]
    box = merged((LSBLK, lsblk(block("sda", model="PERC H730", serial="LOGICAL"))), *((SMART, d) for d in drives))
    assert [d.serial for d in box.disks] == ["LOGICAL", "R0", "R1"]
    assert [d.path for d in box.disks] == ["/dev/sda", None, None]


def test_that_members_of_an_imported_pool_are_in_use_by_it() -> None:
    machine = lsblk(block("sda", fstype="zfs_member", label="tank"), block("sdb"), block("sdc"))
    status = zpool_status("tank", "scsi-SX_SERsda-part1", "/dev/sdb1")
    box = merged((LINKS, by_id(sda="scsi-SX_SERsda")), (LSBLK, machine), (STATUS, status))
    member = Use(kind=UseKind.POOL, detail="tank")
    assert [d.uses for d in box.disks] == [(member,), (member,), ()]
    assert [p.name for p in box.pools] == ["tank"]


def test_that_without_zpool_status_a_label_is_a_pool_member_and_a_note_says_so() -> None:
    box = merged((LSBLK, lsblk(block("sda", fstype="zfs_member", label="tank"))))
    assert box.disks[0].uses == (Use(kind=UseKind.POOL, detail="tank"),)
    assert any("No zpool status" in n.text for n in box.notes)


def test_that_a_capture_of_smartctl_alone_says_that_use_is_unknown() -> None:
    box = merged((SMART, smartctl("/dev/sda")))
    assert any("whether something uses these disks is not known" in n.text for n in box.notes)


def test_that_a_pool_listing_alone_gives_its_devices_in_use() -> None:
    box = merged((STATUS, zpool_status("tank", "ata-X_1-part1", "sdb", "/files/a.img", "/dev/mapper/mpatha-part1")))
    assert [(d.by_id_name or d.path, d.in_use, d.size_bytes) for d in box.disks] == [
        ("ata-X_1", True, None), ("/dev/sdb", True, None), ("/dev/mapper/mpatha", True, None),
    ]  # fmt: skip


def test_that_known_smr_models_are_marked_from_lsblk_alone() -> None:
    (disk,) = merged((LSBLK, lsblk(block("sda", model="WDC_WD40EFAX-68JH4N0", tran="sata")))).disks
    assert disk.smr is True
    assert disk.media is Media.HDD


def test_that_both_paths_of_a_multipath_disk_get_the_facts_and_the_device_stands_once() -> None:
    mapped = {"name": "mpatha", "kname": "dm-0", "path": "/dev/mapper/mpatha", "type": "mpath", "size": 6001175126016,
              "log-sec": 512, "phy-sec": 4096, "fstype": None, "mountpoints": [None]}  # fmt: skip
    paths = [
        block(n, serial="MP1", wwn="0x5000cca0aabbcc01", fstype="mpath_member", children=[mapped])
        for n in ("sda", "sdb")
    ]
    box = merged((LSBLK, lsblk(*paths)), (SMART, smartctl("/dev/sda", serial_number="MP1")))
    free = [d for d in box.disks if not d.in_use]
    assert [(d.path, d.key, d.rotation_rpm) for d in free] == [("/dev/mapper/mpatha", "MP1", 7200)]


def test_that_only_lsblk_with_its_columns_makes_the_use_of_a_disk_known() -> None:
    assert on(merged((LSBLK, lsblk(block("sda")))), "/dev/sda").use_known
    assert not on(merged((SMART, smartctl("/dev/sda"))), "/dev/sda").use_known
    assert not on(merged((LINKS, by_id(sda="ata-X_1"))), "/dev/sda").use_known
    blind = {key: value for key, value in block("sda").items() if key not in {"fstype", "mountpoints"}}
    assert not on(merged((LSBLK, lsblk(blind))), "/dev/sda").use_known


def test_that_a_failed_reading_leaves_nothing_where_another_type_answered() -> None:
    failed = smartctl_complaint("/dev/sda", "Read Device Identity failed: Invalid argument")
    box = merged((LSBLK, lsblk(block("sda"))), (SMART, failed), (SMART, smartctl("/dev/sda")))
    assert (on(box, "/dev/sda").rotation_rpm, warnings(on(box, "/dev/sda"))) == (7200, "")
    alone = merged((LSBLK, lsblk(block("sda"))), (SMART, failed))
    assert "Read Device Identity failed" in warnings(on(alone, "/dev/sda"))


@pytest.mark.slow
def test_that_a_thousand_disks_are_matched_by_path_serial_and_name_alike() -> None:
    names = [f"sd{a}{b}" for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrst"]
    devices = [block(name, wwn=f"0x5000c5{number:010x}") for number, name in enumerate(names)]
    shuffled = [(SMART, smartctl(f"/dev/{name}", rotation_rate=5400 + number)) for number, name in enumerate(names)]
    box = merged((LSBLK, lsblk(*devices)), *reversed(shuffled))
    assert [d.rotation_rpm for d in box.disks] == [5400 + number for number in range(len(names))]
