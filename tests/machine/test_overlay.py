"""One disk out of two readings: whose word counts for which fact, and what is told where they differ."""

import pytest

from poolwright.domain.disk import Disk, LbaFormat, Media, Note
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.machine.identity import overlay
from poolwright.machine.smartctl.facts import CONTROLLER_SIZE

WWN = "0x5000c50012345678"
HERE = Origin(kind=OriginKind.READ, source="lsblk")
DRIVE = Origin(kind=OriginKind.READ, source="smartctl")


def disk(path: str | None = None, /, **facts: object) -> Disk:
    return Disk(key=path or "?", path=path, **facts)  # type: ignore[arg-type]


OF_DRIVE = {
    "model": "M", "vendor": "V", "firmware": "F", "logical_sector_bytes": 4096, "physical_sector_bytes": 4096,
    "media": Media.SSD, "rotation_rpm": 7200, "health": "ok", "wear_percent": 3, "power_on_hours": 4,
    "temperature_celsius": 5, "media_errors": 6, "controller": "c", "slot": "1:2",
    "lba_formats": (LbaFormat(data_bytes=4096),),
}  # fmt: skip
OF_KERNEL = {"wwn": WWN, "removable": False, "enclosure": "e", "path": "/dev/sda"}
OTHERS = {
    "model": "m", "vendor": "v", "firmware": "f", "logical_sector_bytes": 512, "physical_sector_bytes": 512,
    "media": Media.HDD, "rotation_rpm": 5400, "health": "bad", "wear_percent": 13, "power_on_hours": 14,
    "temperature_celsius": 15, "media_errors": 16, "controller": "d", "slot": "3:4",
    "lba_formats": (LbaFormat(data_bytes=512),), "wwn": "0x2", "removable": True, "enclosure": "x", "path": "/dev/sdz",
}  # fmt: skip


@pytest.mark.parametrize("field", [*OF_DRIVE, *OF_KERNEL])
def test_that_the_drive_knows_itself_and_the_kernel_its_place(field: str) -> None:
    mine, theirs = OTHERS[field], (OF_DRIVE | OF_KERNEL)[field]
    here = Disk(key="k", **{field: mine}, origins=((field, HERE),))  # type: ignore[arg-type]
    told = Disk(key="k", **{field: theirs}, origins=((field, DRIVE),))  # type: ignore[arg-type]
    nothing = Disk(key="k")
    assert getattr(overlay(nothing, told), field) == theirs
    assert overlay(nothing, told).origin_of(field) == DRIVE
    assert getattr(overlay(here, nothing), field) == mine
    assert overlay(here, nothing).origin_of(field) == HERE
    both = overlay(here, told)
    drive_wins = field in OF_DRIVE
    assert getattr(both, field) == (theirs if drive_wins else mine)
    assert both.origin_of(field) == (DRIVE if drive_wins else HERE)


def test_that_a_controllers_size_stays_a_remark_where_the_kernel_said_none() -> None:
    told = disk(size_bytes=8, notes=(Note(text=CONTROLLER_SIZE),))
    assert overlay(disk(), told).notes == told.notes
    assert overlay(disk(notes=told.notes), told).notes == told.notes


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"),
    [
        ("A", "B", "B"), (None, "B", "B"), ("A", None, "A"), ("A", "REDACTED", "A"), (None, "REDACTED", "REDACTED"),
    ],
)  # fmt: skip
def test_that_a_placeholder_replaces_no_serial_number(mine: str | None, theirs: str | None, kept: str) -> None:
    assert overlay(disk(serial=mine), disk(serial=theirs)).serial == kept


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"),
    [(None, True, True), (None, False, False), (False, True, True), (True, False, True), (True, None, True)],
)
def test_that_a_disk_said_to_be_shingled_stays_so(mine: bool | None, theirs: bool | None, kept: bool) -> None:
    assert overlay(disk(smr=mine), disk(smr=theirs)).smr is kept


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"),
    [("usb", "sata", "usb"), ("ata", "sata", "sata"), (None, "sas", "sas"), ("sas", None, "sas")],
)
def test_that_a_bridge_stays_a_bridge(mine: str | None, theirs: str | None, kept: str) -> None:
    assert overlay(disk(transport=mine), disk(transport=theirs)).transport == kept


@pytest.mark.parametrize(
    ("mine", "theirs", "tool", "left"),
    [
        (disk(transport="usb", physical_sector_bytes=512), disk(), "smartctl", None),
        (disk(transport="usb", physical_sector_bytes=512), disk(), "nvme", 512),
        (disk(transport="usb", physical_sector_bytes=4096), disk(), "smartctl", 4096),
        (disk(transport="usb", physical_sector_bytes=512), disk(physical_sector_bytes=512), "smartctl", 512),
        (disk(transport="sata", physical_sector_bytes=512), disk(), "smartctl", 512),
        (disk(physical_sector_bytes=512), disk(transport="usb"), "smartctl", None),
    ],
)
def test_that_512_bytes_behind_a_bridge_are_not_believed(mine: Disk, theirs: Disk, tool: str, left: int | None) -> None:
    here = Disk(key="k", path="/dev/sda", transport=mine.transport, physical_sector_bytes=mine.physical_sector_bytes,
                origins=(("physical_sector_bytes", HERE),))  # fmt: skip
    both = overlay(here, theirs, tool=tool)
    assert both.physical_sector_bytes == left
    assert (both.origin_of("physical_sector_bytes") is None) is (left is None)


def test_that_names_and_notes_of_both_are_kept_once() -> None:
    note = Note(text="n")
    here, told = disk(by_id=("a", "b"), notes=(note,)), disk(by_id=("b", "c"), notes=(note, Note(text="m")))
    both = overlay(here, told)
    assert (both.by_id, [n.text for n in both.notes]) == (("a", "b", "c"), ["n", "m"])
