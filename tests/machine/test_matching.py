"""Which disk a further reading speaks of: controllers and namespaces, names, serial numbers, doubtful cases."""

from dataclasses import replace

import pytest
from tests.machine.test_merge import merged
from tests.machines.writing import block, by_id, lsblk, nvme_smartctl, smartctl

from poolwright.domain.disk import Disk, Note, NoteLevel, Use, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.steps import at_once
from poolwright.machine.by_id import KnownDisks, read_by_id
from poolwright.machine.identity import contradict, is_second_path, namespace_of, telling_serial, with_keys
from poolwright.machine.lsblk.read import LsblkReading, read_lsblk
from poolwright.machine.recognition import PieceKind

LSBLK, SMART = PieceKind.LSBLK, PieceKind.SMARTCTL
HERE = Origin(kind=OriginKind.READ, source="lsblk")


def known(*disks: Disk, links: str = "") -> KnownDisks:
    reading = LsblkReading(disks=disks)
    return KnownDisks([reading] if disks else [], [read_by_id(links)] if links else [])


def disk(path: str | None = None, /, **facts: object) -> Disk:
    return Disk(key=(path or "?").removeprefix("/dev/").replace("/", "!"), path=path, **facts)  # type: ignore[arg-type]


def hours(table: KnownDisks) -> list[int | None]:
    return [found.power_on_hours for found in table.disks]


@pytest.mark.parametrize(("namespace", "disks"), [(1, ["/dev/nvme0n1"]), (2, ["/dev/nvme0", "/dev/nvme0n2"])])
def test_that_a_controller_read_first_becomes_its_first_namespace_and_no_other(
    namespace: int, disks: list[str]
) -> None:
    # Serial numbers are blacked out: only the paths can tell.
    pieces = [(SMART, nvme_smartctl(path, serial_number="XXXX")) for path in ("/dev/nvme0", f"/dev/nvme0n{namespace}")]
    assert [d.path for d in merged(*pieces).disks] == disks


@pytest.mark.parametrize("serial", ["NV1", "XXXX"])
@pytest.mark.parametrize("numbers", [(1, 2), (2, 3), (3, 2)])
def test_that_what_a_controllers_reading_says_of_a_namespace_is_of_the_first(
    serial: str, numbers: tuple[int, int]
) -> None:
    spaces = [
        block(f"nvme0n{n}", serial=serial, model="EXAMPLE NVMe 1TB", size=1000204886016, tran="nvme", log_sec=None)
        for n in numbers
    ]
    text = nvme_smartctl("/dev/nvme0", serial_number=serial, temperature={"current": 41})
    found = merged((LSBLK, lsblk(*spaces)), (SMART, text)).disks
    assert [d.temperature_celsius for d in found] == [41, 41]
    assert [d.logical_sector_bytes for d in found] == [512 if n == min(numbers) else None for n in numbers]


def test_that_a_namespace_reading_tells_nothing_of_the_others() -> None:
    table = known(disk("/dev/nvme0n1", serial="NV1"), disk("/dev/nvme0n2", serial="NV1"), disk("/dev/nvme1n1"))
    table.add(disk("/dev/nvme0n2", serial="NV1", power_on_hours=7))
    assert hours(table) == [None, 7, None]
    table.add(disk("/dev/nvme0", serial="NV1", power_on_hours=8), whole_controller=True)
    assert hours(table) == [8, 8, None]
    # Another namespace of a controller whose serial number is known is a disk of its own.
    table.add(disk("/dev/nvme0n3", serial="NV1", power_on_hours=9))
    assert [d.path for d in table.disks] == ["/dev/nvme0n1", "/dev/nvme0n2", "/dev/nvme1n1", "/dev/nvme0n3"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/dev/nvme0n1", ("/dev/nvme0", 1)),
        ("/dev/nvme12c3n45", ("/dev/nvme12", 45)),
        ("/dev/nvme0", None),
        ("/dev/nvme0n1p1", None),
        ("/dev/sda", None),
        (None, None),
    ],
)
def test_that_a_namespace_names_its_controller(path: str | None, found: tuple[str, int] | None) -> None:
    assert namespace_of(path) == found


def test_that_names_in_a_listing_lead_to_the_path_of_the_kernel() -> None:
    links = by_id(**{"sda": "ata-A_1", "cciss!c0d0": "scsi-B_2"})
    table = known(disk("/dev/sda"), disk("/dev/cciss/c0d0"), links=links)
    table.add(disk("/dev/disk/by-id/ata-A_1", power_on_hours=1))
    table.add(disk("/dev/disk/by-id/scsi-B_2", power_on_hours=2))
    assert hours(table) == [1, 2]
    assert [table.kernel_name(d) for d in table.disks] == ["sda", "cciss!c0d0"]
    # Without a listing, lsblk's own ID-LINK tells; a name nobody knows stays a device of its own.
    named = known(disk("/dev/sdb", by_id=("ata-C_3",)))
    named.add(disk("/dev/disk/by-id/ata-C_3", power_on_hours=3))
    named.add(disk("/dev/disk/by-id/ata-D_4", model="D", power_on_hours=4))
    assert hours(named) == [3, 4]
    assert named.kernel_name(disk()) is None


def test_that_the_kernel_name_of_lsblk_counts_before_the_path() -> None:
    mapped = replace(disk("/dev/mapper/mpatha"), key="dm-3")
    table = known(mapped)
    assert table.kernel_name(mapped) == "dm-3"
    table.add(disk("/dev/dm-3", power_on_hours=5))
    assert hours(table) == [5]


def test_that_the_first_of_two_listings_of_one_name_counts() -> None:
    listings = [read_by_id(by_id(sda="ata-A_1")), read_by_id(by_id(sdb="ata-A_1"))]
    table = KnownDisks([LsblkReading(disks=(disk("/dev/sda"), disk("/dev/sdb")))], listings)
    table.add(disk("/dev/disk/by-id/ata-A_1", power_on_hours=1))
    assert hours(table) == [1, None]


WWN = "0x5000c50012345678"


@pytest.mark.parametrize(
    ("here", "told", "joined"),
    [
        # A world-wide name finds a disk where one of the two has no path, and nothing else speaks against it.
        (disk(None, wwn=WWN), disk("/dev/sda", wwn="5000c50012345678"), True),
        (disk("/dev/sda", wwn=WWN), disk(None, wwn=WWN), True),
        (disk("/dev/sda", wwn=WWN), disk("/dev/sdb", wwn=WWN, model="M"), False),
        (disk(None, wwn=WWN, model="ONE"), disk(None, wwn=WWN, model="TWO"), False),
        (disk(None, wwn=WWN), disk(None, wwn="0x5000c50012345679"), False),
        # A path finds it unless serial number, size or model speak against it.
        (disk("/dev/sda"), disk("/dev/sda"), True),
        (disk("/dev/sda", serial="A1234567"), disk("/dev/sda", serial="B1234567"), None),
        (disk("/dev/sda", serial="A1234567"), disk("/dev/sda", serial="1234567"), True),
        (disk("/dev/sda", size_bytes=10**12), disk("/dev/sda", size_bytes=10**12 + 10**9), True),
        (disk("/dev/sda", size_bytes=10**12), disk("/dev/sda", size_bytes=10**12 + 2 * 10**9), None),
        (disk("/dev/sda", size_bytes=10**6), disk("/dev/sda", size_bytes=999_000), True),
        (disk("/dev/sda", size_bytes=10**6), disk("/dev/sda", size_bytes=998_999), None),
        (disk("/dev/sda", model="WDC WD40EFRX-68N"), disk("/dev/sda", model="WD40EFRX"), True),
        (disk("/dev/sda", model="WDC WD40EFRX"), disk("/dev/sda", model="ST4000"), None),
        # A serial number finds it wherever it is; a blacked-out one nowhere.
        (disk("/dev/sda", serial="A1234567"), disk("/dev/sdb", serial="a123-4567 "), True),
        (disk("/dev/sda", serial="XXXXXXXX"), disk("/dev/sdb", serial="XXXXXXXX"), False),
    ],
)  # fmt: skip
def test_that_a_reading_joins_the_disk_it_speaks_of(here: Disk, told: Disk, joined: bool | None) -> None:
    """None: lsblk has another disk there, so it is left out, and that is told."""
    table = known(here)
    remarks = [remark.after for remark in table.add(told)]
    assert len(table.disks) == (2 if joined is False else 1)
    assert (table.disks == (here,) and "in another: these files" in remarks[0]) if joined is None else not remarks


def test_that_a_serial_number_on_two_disks_is_decided_by_the_path() -> None:
    table = known(disk("/dev/sda", serial="TWIN1"), disk("/dev/sdb", serial="TWIN1"))
    table.add(disk("/dev/sdb", serial="TWIN1", power_on_hours=1))
    assert hours(table) == [None, 1]
    table.add(disk("/dev/sdc", serial="TWIN1", power_on_hours=2))
    assert hours(table) == [None, 1, 2]


def test_that_a_name_on_two_disks_finds_neither() -> None:
    table = known(disk(None, wwn=WWN), disk(None, wwn=WWN))
    table.add(disk("/dev/sda", wwn=WWN, model="M", power_on_hours=1))
    assert hours(table) == [None, None, 1]


def test_that_what_is_read_of_one_path_holds_for_the_other_paths_of_the_disk() -> None:
    second = Use(kind=UseKind.MULTIPATH, detail="the same disk as /dev/sda")
    here = disk("/dev/sda", serial="MP1", wwn=WWN), disk("/dev/sdb", serial="MP1", wwn=WWN, uses=(second,))
    assert [is_second_path(d) for d in here] == [False, True]
    for path in ("/dev/sda", "/dev/sdb"):
        table = known(*here)
        table.add(disk(path, serial="MP1", power_on_hours=1))
        assert hours(table) == [1, 1]
    # The same number on two disks without multipath may be a faulty adapter: only the one that was asked is told.
    apart = known(disk("/dev/sda", serial="MP1", wwn=WWN), disk("/dev/sdb", serial="MP1", wwn=WWN))
    apart.add(disk("/dev/sda", serial="MP1", power_on_hours=1))
    assert hours(apart) == [1, None]


def test_that_doubt_names_the_tool_that_was_read_on_every_path() -> None:
    second = Use(kind=UseKind.MULTIPATH, detail="the same disk as /dev/sda")
    for tool in ("nvme", "smartctl"):
        table = known(
            disk("/dev/sda", serial="MP1", logical_sector_bytes=512),
            disk("/dev/sdb", serial="MP1", logical_sector_bytes=512, uses=(second,)),
        )
        table.add(disk("/dev/sda", serial="MP1", logical_sector_bytes=4096), tool=tool)
        assert [f"{tool} says 4096 bytes" in found.notes[0].text for found in table.disks] == [True, True]


def test_that_a_disk_lsblk_does_not_list_is_added_with_a_warning_unless_it_is_none() -> None:
    table = known(disk("/dev/sda"))
    assert table.add(disk("/dev/sdb", model="ST6000", use_known=True)) == []
    added = table.disks[1]
    assert (added.use_known, [n.level for n in added.notes]) == (False, [NoteLevel.WARN])
    assert "lsblk does not list this disk" in added.notes[0].text
    # One of which nothing is known is told of and not added; a floppy drive is not even told of.
    silent = Note(text="did not answer", level=NoteLevel.WARN)
    (remark,) = table.add(disk("/dev/sdc", notes=(silent,)))
    assert (remark.subject, remark.level) == ("/dev/sdc", NoteLevel.WARN)
    assert table.add(disk("/dev/fd0", notes=(silent,))) == []
    assert len(table.disks) == 2
    # Behind a RAID controller nothing is expected of lsblk, and without lsblk of no disk.
    table.add(disk("/dev/sdd", model="X", controller="megaraid,1"))
    assert table.disks[-1].notes == ()
    alone = known()
    alone.add(disk("/dev/sda"))
    assert [(d.path, d.notes, d.use_known) for d in alone.disks] == [("/dev/sda", (), False)]


@pytest.mark.parametrize(
    ("serial", "wwn", "telling"),
    [
        ("z4d 0-ab", None, "Z4D0AB"),
        ("", None, None),
        (None, None, None),
        ("REDACTED", None, None),
        ("5000c50012345678", WWN, None),
        ("5000c50012345678", None, None),
        ("1234c50012345678", None, "1234C50012345678"),
        ("1234c50012345678", "0x1234c50012345678", None),
        ("5000c5001234567", None, "5000C5001234567"),
    ],
)
def test_that_a_serial_number_tells_disks_apart_only_when_it_is_one(
    serial: str | None, wwn: str | None, telling: str | None
) -> None:
    assert telling_serial(disk(serial=serial, wwn=wwn)) == telling


def test_that_a_bridge_and_a_rounded_size_contradict_less() -> None:
    usb = disk(transport="usb", serial="BRIDGE", model="Portable")
    assert not contradict(usb, disk(serial="REAL1", model="ST4000"))
    assert not contradict(disk(serial="REAL1", model="ST4000"), usb)
    assert contradict(disk(serial="BRIDGE", model="A"), disk(serial="REAL1", model="A"))
    rounded = (("size_bytes", Origin(kind=OriginKind.READ, source="lsblk (rounded)")),)
    here, there = disk(size_bytes=10**12, origins=rounded), disk(size_bytes=11 * 10**11)
    assert not contradict(here, there)
    assert not contradict(there, here)
    assert contradict(disk(size_bytes=10**12), there)
    assert not contradict(disk(model="REDACTED"), disk(model="ST4000"))


def test_that_keys_are_serial_numbers_names_or_paths_whichever_is_unique() -> None:
    second = (Use(kind=UseKind.MULTIPATH, detail="mpatha"),)
    disks = with_keys([
        disk("/dev/sda", serial="A1"),
        disk("/dev/sdb", serial="TWIN", wwn="0x1"),
        disk("/dev/sdc", serial="TWIN", wwn="0x2"),
        disk("/dev/sdd", serial="REDACTED", wwn="0x3"),
        disk("/dev/sde", wwn="0x4"),
        disk("/dev/sdf", wwn="0x4"),
        disk("/dev/sdf"),
        disk("/dev/sdf"),
        disk("/dev/sdg", serial="P1", wwn="0x5", uses=second),
        disk("/dev/mapper/mpatha", serial="P1", wwn="0x5"),
    ])  # fmt: skip
    assert [d.key for d in disks] == [
        "A1", "0x1", "0x2", "0x3", "/dev/sde", "/dev/sdf", "/dev/sdf#2", "/dev/sdf#3", "/dev/sdg", "P1",
    ]  # fmt: skip
    warned = {d.path: d.notes for d in disks if d.notes}
    assert sorted(path or "" for path in warned) == ["/dev/sdb", "/dev/sdc"]
    assert "TWIN is reported by /dev/sdc:" in warned["/dev/sdb"][0].text


def test_that_namespaces_share_a_serial_number_and_only_strangers_are_warned_of() -> None:
    paths = ("/dev/nvme0n1", "/dev/nvme0n2", "/dev/nvme1n1")
    first, second, third = with_keys([disk(path, serial="NV1") for path in paths])
    assert "reported by /dev/nvme1n1:" in first.notes[0].text
    assert "reported by /dev/nvme1n1:" in second.notes[0].text
    assert "reported by /dev/nvme0n1, /dev/nvme0n2:" in third.notes[0].text
    assert all(d.notes == () for d in with_keys([disk(path, serial="NV1") for path in paths[:2]]))
    assert all(len(d.notes) == 1 for d in with_keys([disk(f"/dev/sd{x}", serial="S1") for x in "ab"]))


def test_that_a_disk_that_was_listed_twice_stands_once_with_all_that_is_known() -> None:
    mounted = {"fstype": "ext4", "mountpoints": ["/srv"]}
    first, again = (at_once(read_lsblk(lsblk(block("sda", **told)), HERE)) for told in ({}, mounted))
    (found,) = KnownDisks([first, again], []).disks
    assert [str(use) for use in found.uses] == ["mounted: /srv"]


def test_that_two_disks_of_one_name_are_refused_for_they_are_of_two_machines() -> None:
    first, other = (
        at_once(read_lsblk(lsblk(block("sda", serial=serial)), HERE)) for serial in ("A1234567", "B1234567")
    )
    with pytest.raises(UserError, match=r"/dev/sda is .*A1234567.* in one reading and .*B1234567.* in another"):
        KnownDisks([first, other], [])


@pytest.mark.parametrize(
    ("listed", "names", "told"),
    [
        ({"sda": "ata-M_B1234567"}, {"sda": []}, True),  # another disk
        ({"sda": "ata-M_B1234567", "sdb": "ata-M_A1234567"}, {"sda": ["ata-M_A1234567"]}, False),  # another letter
        ({"sda": "scsi-35000c50012345678"}, {"sda": ["scsi-35000c50012345678"]}, False),  # tells neither
        ({"sda": "ata-M_A1234567-extra"}, {"sda": ["ata-M_A1234567-extra"]}, False),
        ({"sda": "usb-Bridge_B1234567-0:0"}, {"sda": ["usb-Bridge_B1234567-0:0"]}, False),  # the bridge's own
    ],
)
def test_that_links_are_those_of_the_disk_and_not_of_its_kernel_name(
    listed: dict[str, str], names: dict[str, list[str]], told: bool
) -> None:
    links = by_id(**listed)
    found = merged((PieceKind.LSBLK, lsblk(block("sda", serial="A1234567"))), (PieceKind.BY_ID, links))
    assert {disk.path: list(disk.by_id) for disk in found.disks} == {f"/dev/{k}": v for k, v in names.items()}
    assert any("another disk in /dev/disk/by-id" in note.text for note in found.notes) is told


def test_that_a_disk_of_smartctl_alone_is_matched_with_its_namespace() -> None:
    found = merged((SMART, nvme_smartctl("/dev/nvme0")), (SMART, smartctl("/dev/sda"))).disks
    assert [d.path for d in found] == ["/dev/nvme0", "/dev/sda"]
