"""lsblk output in every form, on small machines written for the purpose."""

import json

import pytest
from tests.cases import cases

from poolwright.domain.disk import Disk, Media, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.steps import at_once
from poolwright.machine.lsblk.read import LsblkReading, read_lsblk

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk on box")


def read(text: str) -> LsblkReading:
    return at_once(read_lsblk(text, ORIGIN))


def document(*devices: object) -> str:
    return json.dumps({"blockdevices": devices})


def device(name: str, kind: str = "disk", /, **columns: object) -> dict[str, object]:
    base: dict[str, object] = {"name": name, "kname": name, "type": kind, "fstype": None, "mountpoints": [None]}
    return base | {key.replace("_", "-"): value for key, value in columns.items()}


def uses(disk: Disk) -> list[str]:
    return [str(use) for use in disk.uses]


def one(text: str) -> Disk:
    (disk,) = read(text).disks
    return disk


def test_that_every_fact_of_a_disk_is_read_with_its_origin() -> None:
    disk = one(
        document(
            device("sdc", size=6001175126016, log_sec=512, phy_sec=4096, rota=True, rm=False, ro=False, tran="sas",
                   model="ST6000NM0034    ", vendor="SEAGATE ", serial=" Z4D0ABCD ", wwn="0x5000c50012345678",
                   rev="E005", hctl="0:0:3:0", zoned="none", id_link="scsi-35000c50012345678"),
        )
    )  # fmt: skip
    assert (disk.path, disk.size_bytes) == ("/dev/sdc", 6001175126016)
    assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == (512, 4096)
    assert (disk.model, disk.vendor, disk.serial) == ("ST6000NM0034", "SEAGATE", "Z4D0ABCD")
    assert (disk.wwn, disk.firmware, disk.transport) == ("0x5000c50012345678", "E005", "sas")
    assert (disk.media, disk.removable, disk.uses, disk.smr) == (Media.HDD, False, (), None)
    assert disk.by_id == ("scsi-35000c50012345678",)
    assert disk.origin_of("size_bytes") == ORIGIN
    assert disk.origin_of("smr") is None


def test_that_a_rounded_size_is_taken_and_marked() -> None:
    disk = one('{"blockdevices": [{"name":"sda", "size":"5,5T", "type":"disk"}]}')
    assert disk.size_bytes == int(5.5 * 2**40)
    assert any("rounded (5,5T)" in note.text for note in disk.notes)
    origin = disk.origin_of("size_bytes")
    assert origin is not None
    assert origin.source == "lsblk on box (rounded)"


def test_that_uses_are_found_at_any_depth_and_the_boot_disk_comes_first() -> None:
    root = device("dm-0", "lvm", fstype="ext4", mountpoints=["/", "/srv"]) | {"name": "vg-root"}
    swap = device("dm-1", "lvm", fstype="swap", mountpoints=["[SWAP]"]) | {"name": "vg-swap"}
    luks = device("dm-2", "crypt", fstype="LVM2_member", children=[root, swap]) | {"name": "safe"}
    disk = one(document(device("sda", size=10**12, pttype="gpt", children=[
        device("sda1", "part", fstype="vfat", mountpoints=["/boot/efi"]),
        device("sda2", "part", fstype="crypto_LUKS", children=[luks]),
    ])))  # fmt: skip
    assert uses(disk) == [
        "boot disk: /boot/efi", "boot disk: /", "mounted: /srv", "swap: vg-swap", "LVM: vg-root", "LVM: vg-swap",
        "LUKS: safe", "partitioned: 2 partitions, gpt",
    ]  # fmt: skip


def test_that_devices_made_of_disks_are_not_disks() -> None:
    reading = read(document(
        device("loop0", "loop", size=10**9), device("sr0", "rom"), device("zram0", size=10**9),
        device("zd0", size=10**9),
        device("nbd0", size=0), device("md127", "raid1"), device("drbd1", size=10**12), device("bcache0", size=10**12),
        device("mmcblk0boot0", size=4 << 20), device("sda", size=10**12),
    ))  # fmt: skip
    assert [disk.path for disk in reading.disks] == ["/dev/sda"]
    left_out = " ".join(note.text for note in reading.notes)
    for name in ("zd0", "nbd0", "drbd1", "bcache0", "mmcblk0boot0"):
        assert name in left_out


def test_that_one_disk_seen_twice_without_multipath_is_usable_once() -> None:
    same: dict[str, object] = {"size": 10**12, "wwn": "0x5000cca2", "serial": "S1"}
    reading = read(document(device("sda", **same), device("sdb", **same)))
    assert [len(disk.uses) for disk in reading.disks] == [0, 1]
    assert reading.disks[1].uses[0].kind is UseKind.MULTIPATH
    assert "a second path to /dev/sda" in reading.disks[1].notes[-1].text


@pytest.mark.parametrize(("first", "second"), [("S1", None), (None, "S1"), (None, None)])
def test_that_a_second_path_without_serial_number_is_no_second_disk(first: str | None, second: str | None) -> None:
    same: dict[str, object] = {"size": 10**12, "wwn": "0x5000cca2"}
    reading = read(document(device("sda", **same, serial=first), device("sdb", **same, serial=second)))
    assert [disk.in_use for disk in reading.disks] == [False, True]


def test_that_equal_wwn_with_different_serials_are_two_disks() -> None:
    clones = [device(f"sd{c}", size=10**12, wwn="0x5000000000000000", serial=f"S{c}") for c in "ab"]
    assert all(disk.refusals() == () for disk in read(document(*clones)).disks)


def test_that_keys_are_unique_where_paths_repeat() -> None:
    # Two machines pasted into one file.
    disks = read(document(*(device("sda", size=10**12) for _ in range(3)))).disks
    assert len({disk.key for disk in disks}) == len(disks)


@pytest.mark.parametrize(("name", "columns", "media"), cases(__file__, "media"))
def test_that_media_are_named_only_where_lsblk_proves_them(
    name: str, columns: dict[str, object], media: str | None
) -> None:
    assert one(document(device(name, size=10**12, **columns))).media == media


def test_that_a_raid_controllers_drive_and_an_smr_drive_get_a_note() -> None:
    raid = one(document(device("sda", size=10**12, model="MR9361-8i", vendor="AVAGO")))
    zoned = one(document(device("sdb", size=10**12, model="HSH721414", zoned="host-managed")))
    assert "RAID controller" in raid.notes[0].text
    assert zoned.smr is True
    assert "host-managed" in zoned.notes[0].text


def test_that_an_empty_card_reader_is_shown_as_such() -> None:
    disk = one(document(device("sdd", size=0, rm=True)))
    assert disk.size_bytes == 0
    assert "size 0" in disk.notes[0].text
    assert disk.refusals()


def test_that_the_json_is_found_between_prompt_and_later_text() -> None:
    text = f"[root@box ~]# lsblk -J -b -O\r\n{document(device('sda', size=10**12))}\r\n[root@box ~]# exit\r\n"
    assert one(text).size_bytes == 10**12


def test_that_a_list_of_devices_without_its_name_is_read_like_one_with_it() -> None:
    devices = [device("sda", serial="A"), device("sdb", serial="B")]
    bare = read(f"$ lsblk\n{json.dumps(devices)}\n$ ")
    assert bare.disks == read(document(*devices)).disks
    assert [disk.serial for disk in bare.disks] == ["A", "B"]


def test_that_two_documents_in_one_file_are_read_as_one() -> None:
    text = document(device("sda", size=10**12)) + "\n" + document(device("sdb", size=10**12))
    assert len(read(text).disks) == 2


def test_that_a_flat_list_is_nested_by_pkname_and_by_name() -> None:
    listed = [
        device("sda", size=10**12), device("sda1", "part", fstype="ext4", mountpoints=["/"], pkname="sda"),
        device("nvme0n1", size=10**12), device("nvme0n1p1", "part", fstype="zfs_member", label="fast"),
    ]  # fmt: skip
    disks = {disk.path: disk for disk in read(document(*listed)).disks}
    assert uses(disks["/dev/sda"]) == ["boot disk: /", "partitioned: 1 partition"]
    assert uses(disks["/dev/nvme0n1"]) == ["pool member: fast", "partitioned: 1 partition"]


@pytest.mark.parametrize(
    "above", [{"sda": "sda"}, {"sda": "sdb", "sdb": "sda"}, {"sda": "sdc", "sdb": "sda", "sdc": "sdb"}]
)
def test_that_devices_that_lie_on_each_other_in_a_circle_end_at_the_last(above: dict[str, str]) -> None:
    assert one(document(*(device(name, pkname=below) for name, below in above.items()))).path == f"/dev/{max(above)}"


def test_that_what_lies_on_a_device_made_of_disks_is_put_under_a_disk_in_a_list_without_parents() -> None:
    cached = [device("sda", size=10**12), device("bcache0", size=10**12), device("dm-0", "crypt", name="safe")]
    assert uses(one(document(*cached))) == ["LUKS: safe"]


def test_that_names_with_dev_in_front_are_the_same_devices() -> None:
    text = document(device("/dev/sda", size=10**12), device("/dev/mapper/vg-x", "lvm"))
    assert one(text).path == "/dev/sda"


def test_that_a_disk_behind_a_slash_keeps_its_path() -> None:
    assert one(document(device("cciss!c0d0", size=10**12))).path == "/dev/cciss/c0d0"


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "refused"))
def test_that_what_is_not_lsblk_output_is_refused_with_a_reason(text: str, expected: str) -> None:
    with pytest.raises(UserError, match=expected) as caught:
        read(text)
    assert "lsblk -J -b -O" in caught.value.text or "Install" in caught.value.text


def test_that_nesting_without_end_is_refused() -> None:
    text = '{"blockdevices": ' + '[{"name": "sda", "children": ' * 3000 + "[]" + "}]" * 3000 + "}"
    with pytest.raises(UserError):
        read(text)


def test_that_missing_columns_and_hidden_uses_are_said() -> None:
    def notes(text: str) -> str:
        return " ".join(note.text for note in read(text).notes)

    assert "FSTYPE" in notes('{"blockdevices": [{"name": "sda", "type": "disk", "mountpoint": null}]}')
    assert "MOUNTPOINT" in notes('{"blockdevices": [{"name": "sda", "type": "disk", "fstype": null}]}')
    assert "with -d" in notes(document(device("sda", size=10**12)))
    assert "no disk" in notes(document(device("loop0", "loop")))
    assert "sda1" in notes(document(device("sda1", "part")))


def test_that_letters_that_an_older_lsblk_wrote_as_bytes_are_read() -> None:
    text = document(device("sda", size=10**12, model="Bücher"))
    assert one(text.replace("\\u00fc", r"\xc3\xbc")).model == "Bücher"
