"""Drives that cannot be used as they are, that are several block devices, or that two tools call differently."""

import json
from pathlib import Path

import pytest
from tests.cases import cases, table
from tests.command_line import poolwright

from poolwright.domain.disk import Disk, best_by_id, kernel_name, without_partition
from poolwright.domain.host import Inventory
from poolwright.domain.outage import UnitKind, units_of
from poolwright.emit.names import device_problem
from poolwright.store.capture_files import open_captures

GB = 10**9


def block(name: str, **columns: object) -> dict[str, object]:
    base: dict[str, object] = {
        "name": name, "size": 8000 * GB, "type": "disk", "rota": True, "tran": "sas", "model": "ST8000NM0001",
        "fstype": None, "mountpoint": None, "phy-sec": 4096, "log-sec": 512, "serial": f"S{name}",
    }  # fmt: skip
    return base | {key.replace("_", "-"): value for key, value in columns.items()}


def opened(folder: Path, *devices: dict[str, object], **others: str) -> Inventory:
    """Return the inventory of lsblk's devices and of further files, each named without its dots."""
    if devices:
        (folder / "lsblk.json").write_text(json.dumps({"blockdevices": devices}))
    for name, text in others.items():
        (folder / f"{name}.txt").write_text(text)
    return open_captures([folder])


def smartctl(*lines: str) -> str:
    head = ("smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local build)", "=== START OF INFORMATION SECTION ===")
    return "\n".join((*head, *lines, "SMART Health Status: OK", ""))


SAS = ("Vendor:               SEAGATE", "Product:              ST8000NM0001", "Serial number:        Ssda",
       "User Capacity:        8,000,000,000,000 bytes [8.00 TB]")  # fmt: skip


@pytest.mark.parametrize(("columns", "lines", "said"), cases(__file__, "unusable"))
def test_that_a_disk_that_cannot_be_used_as_it_is_says_what_to_do(
    tmp_path: Path, columns: dict[str, object], lines: tuple[str, ...], said: str
) -> None:
    others = {"smartctl_sda": smartctl(*SAS, *lines)} if lines else {}
    inventory = opened(tmp_path, block("sda", **columns), block("sdb"), **others)
    (usable,) = inventory.usable()
    assert usable.path == "/dev/sdb"
    assert said in "; ".join(next(d for d in inventory.disks if d.path == "/dev/sda").refusals())


@pytest.mark.parametrize("columns", [{"zoned": "host-aware"}, {"state": "running"}, {"state": "blocked"}])
def test_that_what_can_be_used_stays_usable(tmp_path: Path, columns: dict[str, object]) -> None:
    assert len(opened(tmp_path, block("sda", **columns)).usable()) == 1


def test_that_protection_in_smartctls_json_is_read(tmp_path: Path) -> None:
    told = {"smartctl": {"exit_status": 0}, "json_format_version": [1, 0], "device": {"name": "/dev/sda"},
            "scsi_protection_type": 1, "serial_number": "Ssda", "logical_block_size": 512}  # fmt: skip
    (disk,) = opened(tmp_path, block("sda"), smart=json.dumps(told)).disks
    assert "T10" in "; ".join(disk.refusals())


def test_that_a_blank_in_a_serial_number_makes_no_second_disk(tmp_path: Path) -> None:
    lines = [line.replace("Ssda", "AB 12 CD") for line in SAS]
    (disk,) = opened(tmp_path, block("sda", serial="AB_12_CD"), told=smartctl(*lines)).disks
    assert disk.size_bytes == 8000 * GB


def luns(count: int) -> list[dict[str, object]]:
    return [
        block(f"sd{chr(97 + 2 * body + lun)}", serial=f"ZHZ{body}", wwn=f"0x6000c500a1b2c3{body}{lun}")
        for body in range(count)
        for lun in range(2)
    ]


def test_that_luns_of_one_drive_are_parts_that_fail_together(tmp_path: Path) -> None:
    inventory = opened(tmp_path, *luns(3))
    assert len(inventory.usable()) == 6
    assert [len(unit.disk_keys) for unit in units_of(inventory.disks) if unit.kind is UnitKind.DRIVE] == [2, 2, 2]


def test_that_namespaces_of_one_drive_are_parts_of_it(tmp_path: Path) -> None:
    spaces = [block(f"nvme0n{n}", serial="NV1", tran="nvme", wwn=f"eui.{n:016x}") for n in (1, 2)]
    assert {disk.body for disk in opened(tmp_path, *spaces).disks} == {"NV1"}


def test_that_a_second_way_to_a_disk_is_no_part_of_it(tmp_path: Path) -> None:
    ways = [block(name, serial="S1", wwn="0x5000c50011112222") for name in ("sda", "sdb")]
    inventory = opened(tmp_path, *ways)
    assert {disk.body for disk in inventory.disks} == {None}
    assert len(inventory.usable()) == 1


def test_that_a_name_that_all_parts_claim_is_not_used(tmp_path: Path) -> None:
    pair = luns(1)
    pair[0]["id-link"] = "scsi-SSEAGATE_ST8000NM0001_ZHZ0"
    pair[1]["id-link"] = "wwn-0x6000c500a1b2c301"
    assert [disk.by_id for disk in opened(tmp_path, *pair).disks] == [(), ("wwn-0x6000c500a1b2c301",)]


@pytest.mark.parametrize(
    ("printed", "whole"),
    [
        ("sda1", ("sda", 1)), ("/dev/nvme0n1p2", ("/dev/nvme0n1", 2)), ("ada0p3", ("ada0", 3)), ("vdb2", ("vdb", 2)),
        ("/dev/disk/by-id/ata-X_1-part9", ("/dev/disk/by-id/ata-X_1", 9)), ("sdaa", ("sdaa", None)),
    ],
)  # fmt: skip
def test_that_partitions_of_kernel_names_and_links_are_taken_apart(printed: str, whole: tuple[str, int | None]) -> None:
    assert without_partition(printed) == whole


@pytest.mark.parametrize(
    "name",
    ["hdd1", "gpt/sdisk1", "sdisk1", "/dev/gpt/sda1", "d1", "d10", "slot1", "crypt1", "loop0", "md126", "vdev1",
     "disk1p2", "mpatha1", "/dev/disk/by-partlabel/hdd2", "1"],
)  # fmt: skip
def test_that_another_name_that_ends_in_digits_is_whole(name: str) -> None:
    assert without_partition(name) == (name, None)


def test_that_labels_are_no_names_of_the_kernel() -> None:
    assert [name for name in ("sda", "/dev/sdb1", "nvme0n1", "hdd1", "gpt/sda1", "d3") if kernel_name(name)] == [
        "sda", "/dev/sdb1", "nvme0n1",
    ]  # fmt: skip


def listing(*names: str) -> str:
    rows = "".join(f"\t    {name}  ONLINE       0     0     0\n" for name in names)
    return (
        "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
        f"\ttank        ONLINE       0     0     0\n\t  raidz2-0  ONLINE       0     0     0\n{rows}\n"
        "errors: No known data errors\n"
    )


@pytest.mark.parametrize("stem", ["d", "hdd", "slot", "gpt/sdisk", "crypt", ""])
def test_that_devices_with_numbered_names_stay_apart(tmp_path: Path, stem: str) -> None:
    disks: tuple[Disk, ...] = opened(tmp_path, status=listing(*(f"{stem}{n}" for n in (1, 2, 3, 10)))).disks
    assert len(disks) == 4


def id_ns(size: int, formats: int = 2, metadata: int = 0) -> str:
    rows = [{"ms": metadata, "ds": 9}, {"ms": 0, "ds": 12}][:formats]
    return json.dumps({"nsze": size // 512, "flbas": 0, "lbafs": rows, "eui64": "0" * 16, "nguid": "0" * 32})


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_that_a_namespace_that_is_not_named_is_the_one_it_fits(tmp_path: Path, order: tuple[str, str]) -> None:
    drive = {"DevicePath": "/dev/nvme0n1", "ModelNumber": "X", "SerialNumber": "N1", "PhysicalSize": 1600 * GB}
    told = dict(zip(order, (json.dumps({"Devices": [drive]}), id_ns(1600 * GB)), strict=True))
    (disk,) = opened(tmp_path, **told).disks
    assert (disk.path, len(disk.lba_formats)) == ("/dev/nvme0n1", 2)


def test_that_a_namespace_that_fits_several_disks_makes_none(tmp_path: Path) -> None:
    pair = [block(f"nvme{n}n1", serial=f"N{n}", tran="nvme", size=1600 * GB) for n in (0, 1)]
    inventory = opened(tmp_path, *pair, told=id_ns(1600 * GB))
    assert len(inventory.disks) == 2
    assert any("fits 2 disks" in note.text for note in inventory.notes)


def test_that_redacted_drives_without_names_stay_apart(tmp_path: Path) -> None:
    lines = [line.replace("Ssda", "REDACTED") for line in SAS]
    assert len(opened(tmp_path, a=smartctl(*lines), b=smartctl(*lines)).usable()) == 2


@pytest.mark.parametrize("rest", ["0499602d2", "012345678"])
def test_that_no_name_is_made_of_what_redaction_writes_for_every_maker(tmp_path: Path, rest: str) -> None:
    serials = {"serial": "REDACTED", "wwn": f"0x5000cca{rest}"}, {"serial": "REDACTED", "wwn": f"0x5000c50{rest}"}
    disks = opened(tmp_path, block("sda", **serials[0]), block("sdb", **serials[1])).disks
    assert [(disk.key, disk.by_id_name) for disk in disks] == [("/dev/sda", None), ("/dev/sdb", None)]
    assert "/dev/sda cannot be named: “REDACTED” is no serial number" in (device_problem(disks[0]) or "")
    assert best_by_id(("wwn-0x5000cca0499602d2", "scsi-35000cca0499602d2")) is None


TABLE: str = table(__file__, "table")
NEWER = """\
Node                  Generic               SN                   Model                                    Namespace  Usage                      Format           FW Rev
--------------------- --------------------- -------------------- ---------------------------------------- ---------- -------------------------- ---------------- --------
/dev/nvme0n1          /dev/ng0n1            PHLJ13xxxxxxxxxxxxxxx   INTEL SSDPE2KX080T8                      0x1          8.00  TB /   8.00  TB      4 KiB +  0 B   VDV10182
"""  # noqa: E501


def test_that_the_table_of_nvme_list_is_read(tmp_path: Path) -> None:
    first, second = opened(tmp_path, told=TABLE).disks
    assert (first.model, first.serial, first.size_bytes, first.firmware) == (
        "HUSPR3216ADP301", "CJH001", 1600 * GB, "KMHTP103",
    )  # fmt: skip
    assert "8 bytes of metadata" in "; ".join(first.refusals())
    assert (second.model, second.serial, second.refusals()) == ("Samsung SSD 970 EVO 1TB", "S4EW 1", ())


def test_that_the_newer_table_and_a_serial_number_that_overflows_are_read(tmp_path: Path) -> None:
    (disk,) = opened(tmp_path, told=NEWER).disks
    assert (disk.model, disk.size_bytes, disk.logical_sector_bytes) == ("INTEL SSDPE2KX080T8", 8000 * GB, 4096)


def test_that_a_rounded_list_puts_no_size_in_doubt(tmp_path: Path) -> None:
    exact = block("nvme0n1", serial="CJH001", tran="nvme", size=1600321314816, model="HUSPR3216ADP301")
    disk = opened(tmp_path, exact, told=TABLE.rpartition("/dev/nvme1n1")[0]).disks[0]
    assert disk.size_bytes == 1600321314816
    assert not any("in doubt" in note.text for note in disk.notes)
    assert disk.refusals()


def test_that_a_raid_controllers_virtual_drives_keep_their_warning_in_the_recommendation(tmp_path: Path) -> None:
    volumes = [block(f"sd{letter}", model="PERC H730P Mini", vendor="DELL") for letter in "abcd"]
    opened(tmp_path, *volumes)
    assert "logical drive of a RAID controller" in poolwright("recommend", "--from", str(tmp_path)).stdout


@pytest.mark.parametrize("goal", ["safety", "concurrent", "space"])
def test_that_no_vdev_has_two_parts_of_one_drive(tmp_path: Path, goal: str) -> None:
    opened(tmp_path, *luns(4))
    target = tmp_path.parent / f"{tmp_path.name}.json"
    poolwright("recommend", "--goal", goal, "--from", str(tmp_path), "--save-design", str(target))
    design = json.loads(target.read_text())
    design = design.get("design", design)
    bodies = {disk["key"]: disk["body"] for disk in design["disks"]}
    rows = [[bodies[member["disk_key"]] for member in vdev["members"]] for vdev in design["vdevs"]]
    assert rows
    assert all(len(set(row)) == len(row) for row in rows)


@pytest.mark.parametrize("words", ["model=HC620", "model=HSH721414ALE6M0", "HC650", "hm-smr", "model=WSH722626ALE6L4"])
def test_that_typed_host_managed_disks_are_no_candidates_and_say_what_to_do(words: str) -> None:
    answer = poolwright("recommend", "--disks", f"8 x 14TB {words}")
    assert answer.returncode == 1
    assert "host-managed SMR, which OpenZFS cannot write to: use another disk" in answer.stderr
    beside = poolwright("recommend", "--disks", f"8 x 14TB {words}", "2 x 4TB")
    assert "8 disks are left out" in beside.stdout
    assert "mirror of 2: 3.51 TiB usable" in beside.stdout


def test_that_a_mapped_device_that_no_script_can_name_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    """A multipath map: the command line plans without it, as the window does, and says what to do."""
    capture = Path(__file__).parents[1] / "machines" / "vm-multipath.capture"
    answer = poolwright("recommend", "--from", str(capture), "--save-design", str(tmp_path / "d.json"))
    assert "dm-uuid-mpath-35000c500aaaa0001 is left out: it is a mapped device" in answer.stdout
    assert "multipath -f" in answer.stdout
    (tmp_path / "lsblk.json").write_text(json.dumps({"blockdevices": [
        block("sda", children=[block("mpatha", type="mpath")]), block("sdb", children=[block("mpatha", type="mpath")]),
    ]}))  # fmt: skip
    alone = poolwright("recommend", "--from", str(tmp_path / "lsblk.json"))
    assert alone.returncode == 1
    assert "no script can name" in alone.stderr


def test_that_a_disk_that_is_left_out_beside_others_is_told_with_what_mends_it(tmp_path: Path) -> None:
    opened(tmp_path, block("sda", log_sec=520), block("sdb"), block("sdc"))
    answer = poolwright("recommend", "--from", str(tmp_path / "lsblk.json"))
    assert "is left out: its sectors have 520 bytes" in answer.stdout
    assert "--size=512" in answer.stdout
