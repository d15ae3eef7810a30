"""What becomes of one answer of smartctl: a disk, a remark, another try."""

import json

import pytest
from tests.machines.writing import nvme_smartctl, smartctl, smartctl_complaint

from poolwright.domain.disk import Disk, Media, NoteLevel
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.machine.remarks import joined
from poolwright.machine.smartctl.read import SmartctlReading, other_types, read_smartctl, tells_capacity

ORIGIN = Origin(kind=OriginKind.READ, source="smartctl")


def read(text: str, path: str | None = None) -> SmartctlReading:
    return read_smartctl(text, ORIGIN, path_hint=path)


def disk(text: str) -> Disk:
    found = read(text).disk
    assert found is not None
    return found


def answer(**document: object) -> str:
    return json.dumps({"json_format_version": [1, 0], "smartctl": {"exit_status": 0}} | document)


@pytest.mark.parametrize(
    ("path", "whole", "controller"),
    [
        ("/dev/sda1", "/dev/sda", False), ("/dev/sda", "/dev/sda", False), ("/dev/nvme0n1p2", "/dev/nvme0n1", False),
        ("/dev/nvme0n1", "/dev/nvme0n1", False), ("/dev/nvme0", "/dev/nvme0", True), ("/dev/md1", "/dev/md1", False),
    ],
)  # fmt: skip
def test_that_a_partition_stands_for_its_disk_and_a_controller_for_itself(
    path: str, whole: str, controller: bool
) -> None:
    reading = read(smartctl(path))
    assert (reading.path, reading.whole_controller, reading.silent) == (whole, controller, False)
    assert disk(smartctl(path)).path == whole


def test_that_the_path_that_was_asked_counts_where_the_answer_names_none() -> None:
    assert read(answer(model_name="M"), "/dev/sdx").path == "/dev/sdx"
    named = answer(model_name="M", device={"name": "/dev/sda"})
    assert read(named, "/dev/sdx").path == "/dev/sda"


OPTICAL = answer(device={"name": "/dev/sr0"}, device_type={"name": "CD/DVD"})
SILENT = "smartctl reported nothing for /dev/sdb"
VANISHED = smartctl_complaint("/dev/sdb", "/dev/sdb: No such device")


@pytest.mark.parametrize(
    ("text", "remark", "level"),
    [
        (OPTICAL, "/dev/sr0: CD/DVD, not a disk; left out", NoteLevel.NOTE),
        (VANISHED, f"{SILENT}: No such device", NoteLevel.WARN),
        (answer(device={"name": "/dev/sdb"}), f"{SILENT}: it printed nothing", NoteLevel.WARN),
        (answer(smartctl={"messages": [{"string": "bad"}]}), "smartctl read no device: bad (smartctl)", NoteLevel.WARN),
        (answer(), "smartctl read no device: it printed nothing (smartctl)", NoteLevel.WARN),
    ],
)  # fmt: skip
def test_that_what_is_no_disk_or_gone_becomes_a_remark(text: str, remark: str, level: NoteLevel) -> None:
    reading = read(text)
    assert reading.disk is None
    assert [(note.text, note.level) for note in joined(reading.remarks)] == [(remark, level)]
    assert reading.silent is (level is NoteLevel.WARN)


RAID = {"name": "/dev/sda", "type": "megaraid,4", "protocol": "SCSI"}
USB = {"name": "/dev/sdg", "type": "usbjmicron", "protocol": "ATA"}
HIDDEN = "behind a USB bridge that hides the sector size: it cannot be told"
AS_ROOT = "smartctl was not permitted to open the disk: run it as root to learn sector sizes and health"
BEHIND_RAID = "behind a RAID controller (megaraid,4): /dev/sda is not this disk alone"
PLACEHOLDER = "the serial number “XXXX” is a placeholder"
SHINGLED = "shingled recording (SMR): writes and rebuilds can be very slow"


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (smartctl("/dev/sda"), []),
        (smartctl("/dev/sdg", device=USB, physical_block_size=None), [(HIDDEN, NoteLevel.WARN)]),
        (smartctl("/dev/sdg", device=USB), []),
        (smartctl_complaint("/dev/sda", "/dev/sda: Permission denied"), [(AS_ROOT, NoteLevel.WARN)]),
        (smartctl_complaint("/dev/sda", "/dev/sda: Invalid"), [("smartctl: Invalid", NoteLevel.WARN)]),
        (smartctl("/dev/sda", device=RAID), [(BEHIND_RAID, NoteLevel.NOTE)]),
        (smartctl("/dev/sda", serial_number="XXXX"), [(PLACEHOLDER, NoteLevel.WARN)]),
        (smartctl("/dev/sda", zoned_device="Host Aware"), [(SHINGLED, NoteLevel.WARN)]),
    ],
)  # fmt: skip
def test_that_a_reading_tells_what_to_know_of_it(text: str, notes: list[tuple[str, NoteLevel]]) -> None:
    assert [(note.text, note.level) for note in disk(text).notes] == notes


def test_that_a_drive_behind_a_controller_has_its_place_and_no_path() -> None:
    found = disk(smartctl("/dev/sda", device=RAID, serial_number="R4"))
    assert (found.path, found.controller, found.slot, found.key) == (None, "megaraid,4", "4", "R4")
    nameless = disk(smartctl("/dev/sda", device=RAID, serial_number="XXXX"))
    assert nameless.key == "/dev/sda:megaraid,4"
    by_name = disk(smartctl("/dev/disk/by-id/ata-X_1", serial_number=None, logical_unit_id="0x5000c50000000001"))
    assert (by_name.by_id, by_name.key) == (("ata-X_1",), "0x5000c50000000001")
    assert disk(answer(model_name="M", device={"name": "/dev/sda"})).key == "/dev/sda"
    assert disk(answer(model_name="M")).key == "M"


@pytest.mark.parametrize(
    ("facts", "media", "smr"),
    [
        ({"rotation_rate": 7200}, Media.HDD, False), ({"rotation_rate": 0}, Media.SSD, False),
        ({"rotation_rate": None}, None, False),
        ({"rotation_rate": None, "scsi_model_name": "X SSD 1"}, Media.SSD, False),
        ({"device": {"name": "/dev/sda", "type": "nvme"}}, Media.NVME, False),
        ({"device": {"name": "/dev/sda", "type": "sntasmedia"}}, Media.NVME, False),
        ({"zoned_device": "host managed"}, Media.HDD, True),
        ({"scsi_model_name": "WDC WD40EFAX-68JH4N0"}, Media.HDD, True),
        ({"seagate_farm_log": {"page_1_drive_information": {"drive_recording_type": "SMR"}}}, Media.HDD, True),
        ({"seagate_farm_log": {"page_1_drive_information": {"drive_recording_type": "CMR"}}}, Media.HDD, False),
    ],
)  # fmt: skip
def test_that_media_and_recording_are_what_smartctl_says(
    facts: dict[str, object], media: Media | None, smr: bool | None
) -> None:
    found = disk(smartctl("/dev/sda", **facts))
    assert (found.media, found.smr) == (media, smr)
    assert found.rotation_rpm == (facts.get("rotation_rate", 7200) or None)


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (smartctl("/dev/sda"), ()), (smartctl("/dev/sda", user_capacity=None), ("sat", "scsi")),
        (smartctl("/dev/sda", user_capacity=None, device=USB), ("scsi",)),
        (smartctl("/dev/sda", user_capacity=None, device_type={"name": "CD/DVD"}), ()),
        (smartctl_complaint("/dev/sda", "No such device"), ()),
        (smartctl_complaint("/dev/sda", "Permission denied"), ()),
        (smartctl_complaint("/dev/sda", "Invalid argument"), ("sat", "scsi")), ("{", ()),
        ("=== START OF INFORMATION SECTION ===\nUser Capacity:    1,000 bytes\n", ()),
    ],
)  # fmt: skip
def test_that_a_disk_without_capacity_is_tried_as_another_type(text: str, types: tuple[str, ...]) -> None:
    assert other_types(text) == types
    assert tells_capacity(text) is ("1,000" in text or text == smartctl("/dev/sda"))


def test_that_what_smartctl_did_not_print_is_refused() -> None:
    with pytest.raises(UserError, match="nothing from smartctl") as refused:
        read("hello")
    assert (refused.value.where, refused.value.todo) == ("smartctl", "Save what smartctl --json -x /dev/… prints.")
    with pytest.raises(UserError, match="The output of smartctl is cut off or damaged") as cut:
        read('{"smartctl": ')
    assert cut.value.where == "smartctl"
    facts = disk(nvme_smartctl("/dev/nvme0n1"))
    assert {name for name, origin in facts.origins if origin == ORIGIN} >= {"model", "serial", "size_bytes", "media"}
