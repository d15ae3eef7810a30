"""lsblk's text forms: table, tree, list, raw, pairs, without heading."""

import pytest

from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.steps import at_once
from poolwright.machine.lsblk.read import LsblkReading, read_lsblk

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")

TREE = """\
NAME           MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINTS
sda              8:0    0 476,9G  0 disk
├─sda1           8:1    0   512M  0 part  /boot/efi
├─sda2           8:2    0     1G  0 part  /boot
└─sda3           8:3    0 475,4G  0 part
  └─luks-home  253:0    0 475,4G  0 crypt
    ├─vg-root  253:1    0   100G  0 lvm   /var/lib/containers
    │                                     /
    └─vg-swap  253:2    0     8G  0 lvm   [SWAP]
sdb              8:16   0  14,6T  0 disk
└─md127          9:127  0  14,6T  0 raid6
sdc              8:32   0  14,6T  0 disk
sr0             11:0    1  1024M  0 rom
nvme0n1        259:0    0   1,8T  0 disk
"""


def read(text: str) -> LsblkReading:
    return at_once(read_lsblk(text, ORIGIN))


def disks(text: str) -> dict[str | None, Disk]:
    return {disk.path: disk for disk in read(text).disks}


def uses(disk: Disk) -> list[str]:
    return [str(use) for use in disk.uses]


def table(headings: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    """Lay a table out as lsblk does; a heading that ends in ``>`` is aligned to the right."""
    right = [heading.endswith(">") for heading in headings]
    lines = [tuple(heading.rstrip(">") for heading in headings), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]
    laid = (
        " ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True))
        for line in lines
    )
    return "".join(f"{line}\n" for line in laid)


def check_tree(text: str) -> None:
    found = disks(text)
    assert list(found) == ["/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/nvme0n1"]
    assert uses(found["/dev/sda"]) == [
        "boot disk: /boot/efi", "boot disk: /boot", "boot disk: /", "mounted: /var/lib/containers", "swap: vg-swap",
        "LVM: vg-root", "LVM: vg-swap", "LUKS: luks-home", "partitioned: 3 partitions",
    ]  # fmt: skip
    assert uses(found["/dev/sdb"]) == ["md array: md127"]
    assert uses(found["/dev/sdc"]) == []
    assert found["/dev/sdc"].size_bytes == int(14.6 * 2**40)
    assert found["/dev/sda"].logical_sector_bytes is None


def test_that_the_tree_with_several_mount_points_is_read() -> None:
    check_tree(TREE)


def test_that_windows_line_ends_prompts_and_messages_do_not_disturb() -> None:
    text = f"root@box:~# lsblk\n{TREE}root@box:~# \n"
    check_tree(text.replace("\n", "\r\n"))
    check_tree("lsblk: /dev/sdx: failed to get device path\n" + TREE)


def test_that_ascii_and_garbled_drawings_are_the_same_tree() -> None:
    ascii_tree = TREE.replace("├─", "|-").replace("└─", "`-").replace("│", "|")
    check_tree(ascii_tree)
    check_tree(TREE.encode().decode("latin-1"))


def test_that_cells_with_spaces_and_empty_cells_stay_in_their_columns() -> None:
    found = disks(
        table(
            ("MODEL", "SERIAL", "SIZE>", "ROTA>", "NAME", "LOG-SEC>", "PHY-SEC>", "TRAN", "REV>", "MOUNTPOINT"),
            ("ST6000NM0034", "Z4D0", "6001175126016", "1", "sda", "512", "4096", "sas", "E005", ""),
            ("WDC WD40 EFRX-68", "", "4000787030016", "1", "sdb", "512", "4096", "sata", "1.0 ", "/mnt/my data"),
            ("", "", "0", "", "sdc", "512", "512", "", "", ""),
        )
    )
    assert found["/dev/sda"].model == "ST6000NM0034"
    assert found["/dev/sda"].serial == "Z4D0"
    assert found["/dev/sda"].size_bytes == 6001175126016
    assert found["/dev/sdb"].model == "WDC WD40 EFRX-68"
    assert found["/dev/sdb"].serial is None
    assert found["/dev/sdb"].transport == "sata"
    assert uses(found["/dev/sdb"]) == ["mounted: /mnt/my data"]
    assert (found["/dev/sda"].firmware, found["/dev/sdb"].firmware) == ("E005", "1.0")
    assert (found["/dev/sdc"].size_bytes, found["/dev/sdc"].physical_sector_bytes) == (0, 512)
    assert found["/dev/sdc"].media is None


def test_that_pairs_are_read_with_quotes_and_escapes() -> None:
    found = disks(
        'NAME="sda" TYPE="disk" SIZE="1000204886016" LOG-SEC="512" PHY-SEC="4096" MODEL="My \\x22Disk\\x22" FSTYPE=""'
        ' MOUNTPOINT=""\n'
        'NAME="sda1" TYPE="part" SIZE="1000203820544" LOG-SEC="512" PHY-SEC="4096" MODEL="" FSTYPE="xfs"'
        ' MOUNTPOINT="/a\\x20b"\n'
    )
    assert found["/dev/sda"].model == 'My "Disk"'
    assert found["/dev/sda"].physical_sector_bytes == 4096
    assert uses(found["/dev/sda"]) == ["mounted: /a b", "partitioned: 1 partition"]


def test_that_pairs_with_shell_names_are_the_same_columns() -> None:
    (disk,) = read('NAME="sda" MAJ_MIN="8:0" TYPE="disk" SIZE="5T" LOG_SEC="4096" PHY_SEC="4096"').disks
    assert (disk.logical_sector_bytes, disk.size_bytes) == (4096, 5 * 2**40)


def test_that_raw_output_keeps_its_empty_cells() -> None:
    found = disks(
        "NAME TYPE MODEL SERIAL SIZE FSTYPE MOUNTPOINT\n"
        "sda disk ST6000NM0034\\x20X Z1 6001175126016  \n"
        "sda1 part   6001174077440 ext4 /mnt/a\\x20b\n"
        "sdb disk  Z2 512110190592  \n"
    )
    assert found["/dev/sda"].model == "ST6000NM0034 X"
    assert uses(found["/dev/sda"]) == ["mounted: /mnt/a b", "partitioned: 1 partition"]
    assert (found["/dev/sdb"].model, found["/dev/sdb"].serial, found["/dev/sdb"].size_bytes) == (
        None, "Z2", 512110190592,
    )  # fmt: skip


def test_that_a_list_puts_volumes_under_the_disk_before_them_and_says_so() -> None:
    reading = read(
        "NAME  MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT\n"
        "sda     8:0    0  1,8T  0 disk  \n"
        "sda1    8:1    0  1,8T  0 part  \n"
        "md0     9:0    0  1,8T  0 raid1 /srv\n"
        "sdb     8:16   0  1,8T  0 disk  \n"
    )
    assert uses(reading.disks[0]) == ["mounted: /srv", "md array: md0", "partitioned: 1 partition"]
    assert any("which disks md0 lies on" in note.text for note in reading.notes)


def test_that_lsblk_and_lsblk_f_in_one_file_are_one_machine() -> None:
    plain = table(("NAME", "SIZE>", "TYPE"), ("sda", "20G", "disk"), ("sdb", "20G", "disk"))
    full = table(("NAME", "FSTYPE", "LABEL"), ("sda", "zfs_member", "tank"), ("sdb", "", ""))
    found = disks(f"$ lsblk -o NAME,SIZE,TYPE\n{plain}\n$ lsblk -o NAME,FSTYPE,LABEL\n{full}")
    assert len(found) == 2
    assert uses(found["/dev/sda"]) == ["pool member: tank"]
    assert uses(found["/dev/sdb"]) == []
    assert found["/dev/sda"].size_bytes == 20 << 30


def test_that_a_use_percentage_is_not_taken_for_a_prompt() -> None:
    found = disks(
        "NAME   FSTYPE FSAVAIL FSUSE% MOUNTPOINTS\n"
        "sda                          \n"
        "└─sda1 ext4     10.2G    45% /home\n"
    )  # fmt: skip
    assert uses(found["/dev/sda"]) == ["mounted: /home", "partitioned: 1 partition"]


def test_that_text_without_a_heading_or_a_known_shape_is_refused() -> None:
    with pytest.raises(UserError, match="no heading line"):
        read("sda 20G Samsung\n")


def test_that_a_heading_alone_is_a_machine_without_disks() -> None:
    reading = read("NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\n")
    assert reading.disks == ()
    assert "no disk" in reading.notes[-1].text


def test_that_names_wrapped_in_a_narrow_terminal_keep_their_cells() -> None:
    laid = table(
        ("NAME", "FSTYPE", "FSVER", "LABEL", "UUID", "FSAVAIL>", "FSUSE%>", "MOUNTPOINTS"),
        ("sda", "", "", "", "", "", "", ""),
        ("│", "vfat", "FAT32", "", "20FD", "505M", "1%", "/boot/efi"),
        ("", "ext4", "1.0", "", "2e33", "10G", "45%", "/srv"),
        ("", "", "", "", "", "", "", "/home"),
        ("sdb", "zfs_me", "5000", "tank", "1784", "", "", ""),
        ("", "squash", "4.0", "", "", "0", "100%", "/snap"),
    ).splitlines()
    rows = "\n".join((laid[1], "├─sda1", laid[2], "└─sda2", *laid[3:6], "nvme0n1", laid[6], ""))
    for heading in (laid[0], f"NAME\n    {laid[0][4:]}"):
        found = disks(f"{heading}\n{rows}")
        assert uses(found["/dev/sda"]) == [
            "boot disk: /boot/efi", "mounted: /srv", "mounted: /home", "partitioned: 2 partitions",
        ]  # fmt: skip
        assert [use.kind for use in found["/dev/sdb"].uses] == [UseKind.POOL]
        assert uses(found["/dev/nvme0n1"]) == ["mounted: /snap"]
