"""One column, one signature, one name at a time: what lsblk's cells mean, and what a device is used for."""

from dataclasses import fields, replace

import pytest
from tests.machines.writing import block, lsblk

from poolwright.domain.disk import Disk, Media, NoteLevel, Use, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.machine.lsblk.node import (
    BlockNode,
    column_key,
    infer_type,
    make_node,
    parent_by_name,
    unescape,
    uses_of,
)
from poolwright.machine.lsblk.read import (
    LsblkReading,
    as_tree,
    is_raid,
    is_virtual,
    media_notes,
    media_of,
    merged,
    never_a_disk,
    read_lsblk,
)

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")


def node(name: str, kind: str | None = "disk", /, *children: BlockNode, **facts: object) -> BlockNode:
    made = BlockNode(kname=name, name=name, path=f"/dev/{name}", type=kind, columns=frozenset(), children=children)
    return replace(made, **facts)  # type: ignore[arg-type]


def cell(column: str, value: object) -> BlockNode:
    made = make_node({"name": "sda", column: value})
    assert made is not None
    return made


def read(*devices: dict[str, object]) -> LsblkReading:
    return read_lsblk(lsblk(*devices), ORIGIN)


@pytest.mark.parametrize(
    ("column", "value", "field", "read"),
    [
        ("size", 0, "size_bytes", 0), ("size", -1, "size_bytes", None),
        ("size", (1 << 63) - 1, "size_bytes", (1 << 63) - 1),
        ("size", 1 << 63, "size_bytes", None), ("size", "1K", "size_bytes", 1024), ("size", "1K", "size_text", "1K"),
        ("size", "1.5KiB", "size_bytes", 1536), ("size", "0B", "size_bytes", 0), ("size", "0.0", "size_text", None),
        ("size", 5.0, "size_bytes", 5), ("size", 5.5, "size_bytes", None), ("size", float("inf"), "size_bytes", None),
        ("size", float("nan"), "size_bytes", None), ("size", True, "size_bytes", None),
        ("size", "many", "size_bytes", None),
        ("size", "9" * 20, "size_bytes", None), ("size", "1" + "0" * 18, "size_bytes", 10**18),
        ("size", "0" * 20 + "1", "size_bytes", None), ("size", "0" * 19 + "1", "size_bytes", 1),
        ("log-sec", 0, "logical_sector_bytes", None), ("log-sec", 1, "logical_sector_bytes", 1),
        ("log-sec", (1 << 32) - 1, "logical_sector_bytes", (1 << 32) - 1),
        ("log-sec", 1 << 32, "logical_sector_bytes", None),
        ("phy-sec", "4096", "physical_sector_bytes", 4096),
        ("rota", True, "rotational", True), ("rota", "1", "rotational", True), ("rota", 0, "rotational", False),
        ("rota", "false", "rotational", False), ("rota", "TRUE ", "rotational", True),
        ("rota", "x", "rotational", None),
        ("rm", "1", "removable", True), ("ro", "1", "read_only", True), ("tran", " sas ", "transport", "sas"),
        ("model", "A\\x20B", "model", "A B"), ("model", "  ", "model", None), ("model", ["x"], "model", None),
        ("model", 5, "model", "5"), ("vendor", "V", "vendor", "V"), ("serial", "S", "serial", "S"),
        ("wwn", "0x5", "wwn", "0x5"), ("rev", "R", "firmware", "R"), ("hctl", "0:0:1:0", "hctl", "0:0:1:0"),
        ("state", "running", "state", "running"), ("zoned", "none", "zoned", "none"),
        ("id-link", "ata-X", "id_link", "ata-X"),
        ("fstype", "ext4", "fstype", "ext4"), ("label", "L", "label", "L"), ("pttype", "gpt", "table", "gpt"),
        ("ptttype", "dos", "table", "dos"), ("pkname", "/dev/sdb", "parent", "sdb"),
        ("pkname", "/dev/mapper/x", "parent", "x"), ("pkname", "cciss/c0d0", "parent", "cciss/c0d0"),
        ("pkname", "/dev/cciss/c0d0", "parent", "cciss!c0d0"), ("mountpoint", "/a", "mountpoints", ("/a",)),
        ("mountpoints", ["/a", None, "/b", "/a"], "mountpoints", ("/a", "/b")),
        ("mountpoints", "/a\n/b", "mountpoints", ("/a", "/b")),
    ],
)  # fmt: skip
def test_that_a_cell_becomes_its_field(column: str, value: object, field: str, read: object) -> None:
    assert getattr(cell(column, value), field) == read


@pytest.mark.parametrize(
    ("columns", "kname", "name", "path"),
    [
        ({"name": "sda"}, "sda", "sda", "/dev/sda"),
        ({"name": "/dev/sda"}, "sda", "sda", "/dev/sda"),
        ({"kname": "dm-0", "name": "vg-root", "type": "lvm"}, "dm-0", "vg-root", "/dev/mapper/vg-root"),
        ({"kname": "dm-0", "name": "dm-0", "type": "lvm"}, "dm-0", "dm-0", "/dev/dm-0"),
        ({"name": "mpatha", "type": "mpath"}, "mpatha", "mpatha", "/dev/mapper/mpatha"),
        ({"kname": "md0", "name": "md0", "type": "raid1"}, "md0", "md0", "/dev/md0"),
        ({"path": "/dev/sdc"}, "sdc", "sdc", "/dev/sdc"),
        ({"kname": "cciss!c0d0"}, "cciss!c0d0", "cciss!c0d0", "/dev/cciss/c0d0"),
    ],
)
def test_that_a_device_has_its_names_and_its_path(columns: dict[str, object], kname: str, name: str, path: str) -> None:
    made = make_node(columns)
    assert made is not None
    assert (made.kname, made.name, made.path) == (kname, name, path)
    assert made.columns == columns.keys()
    assert make_node({"size": 5}) is None


@pytest.mark.parametrize(
    ("kname", "kind", "parent"),
    [
        ("sda", "disk", None), ("sda1", "part", "sda"), ("nvme0n1", "disk", "nvme"), ("nvme0n1p2", "part", "nvme0n1"),
        ("mmcblk0p1", "part", "mmcblk0"), ("mmcblk0", "disk", "mmcblk"), ("loop3", "loop", "loop"),
        ("sr0", "rom", "sr"),
        ("md127", "md", "md"), ("md_home", "md", None), ("dm-3", "dm", None), ("zd16", "disk", "zd"),
        ("what", None, None),
    ],
)  # fmt: skip
def test_that_a_kernel_name_tells_what_it_is(kname: str, kind: str | None, parent: str | None) -> None:
    assert infer_type(kname) == kind
    if kind == "part" or parent is None:
        assert parent_by_name(kname) == parent


def test_that_headings_and_escapes_have_one_spelling() -> None:
    assert [column_key(h) for h in (" LOG_SEC", "log-sec", "MAJ_MIN", "FSUSE_PCT")] == [
        "log-sec", "log-sec", "maj:min", "fsuse%",
    ]  # fmt: skip
    assert (unescape("a\\x20b"), unescape("\\xc3\\xa4"), unescape("a\\b")) == ("a b", "ä", "a\\b")


@pytest.mark.parametrize(
    ("facts", "kind", "detail"),
    [
        ({"fstype": "zfs_me", "label": "tank"}, UseKind.POOL, "tank"),
        ({"fstype": "LVM2_m"}, UseKind.LVM, "sda"),
        ({"fstype": "LVM1_member"}, UseKind.LVM, "sda"),
        ({"fstype": "crypto_LUKS"}, UseKind.LUKS, "sda"),
        ({"fstype": "linux_raid_member"}, UseKind.MD, "linux_raid_member"),
        ({"fstype": "ddf_raid_member", "label": "x"}, UseKind.MD, "x"),
        ({"fstype": "bcache"}, UseKind.CACHE_LAYER, "bcache"),
        ({"fstype": "DM_snapshot_cow", "label": "x"}, UseKind.HOLDER, "DM_snapshot_cow"),
        ({"fstype": "drbd"}, UseKind.HOLDER, "drbd"),
        ({"fstype": "vdo"}, UseKind.HOLDER, "vdo"),
        ({"fstype": "zfs"}, UseKind.FILESYSTEM, "zfs on sda"),
        ({"fstype": "xfs", "label": "x"}, UseKind.FILESYSTEM, "xfs “x” on sda"),
        ({"fstype": "swap"}, UseKind.SWAP, "sda, not active"),
        ({"fstype": "swap", "mountpoints": ("[SWAP]",)}, UseKind.SWAP, "sda"),
        ({"fstype": "xfs", "mountpoints": ("/srv",)}, UseKind.MOUNTED, "/srv"),
        ({"mountpoints": ("/boot/firmware",)}, UseKind.BOOT, "/boot/firmware"),
        ({"mountpoints": ("/sysroot",)}, UseKind.BOOT, "/sysroot"),
        ({"read_only": True}, UseKind.READ_ONLY, "the kernel refuses writes"),
        ({"table": "dos"}, UseKind.PARTITIONED, "empty dos partition table"),
        ({"fstype": "mpath_member"}, UseKind.MULTIPATH, ""),
    ],
)
def test_that_what_stands_on_a_disk_is_its_use(facts: dict[str, object], kind: UseKind, detail: str) -> None:
    assert uses_of(node("sda", **facts)) == (Use(kind=kind, detail=detail),)


@pytest.mark.parametrize(
    ("child", "kind"),
    [
        (node("dm-0", "lvm"), UseKind.LVM), (node("dm-0", "crypt"), UseKind.LUKS), (node("md0", "md"), UseKind.MD),
        (node("md0", "linear"), UseKind.MD), (node("md0", "raid10"), UseKind.MD),
        (node("bcache0", "disk"), UseKind.CACHE_LAYER),
        (node("drbd0", "disk"), UseKind.HOLDER), (node("dm-0", None), UseKind.HOLDER),
        (node("dm-0", "dm"), UseKind.HOLDER),
    ],
)  # fmt: skip
def test_that_what_lies_on_a_disk_holds_it(child: BlockNode, kind: UseKind) -> None:
    assert uses_of(node("sda", "disk", child)) == (Use(kind=kind, detail=child.name),)


def test_that_a_reason_with_its_name_stands_for_the_one_without() -> None:
    lvm = node("sda", "disk", node("dm-0", "lvm", name="vg-root"), fstype="LVM2_member")
    assert uses_of(lvm) == (Use(kind=UseKind.LVM, detail="vg-root"),)
    unknown = node("sda", "disk", node("dm-0", None), fstype="crypto_LUKS")
    assert uses_of(unknown) == (Use(kind=UseKind.LUKS, detail="dm-0"),)
    raid = node("sda", "disk", node("md0", "raid1"), fstype="linux_raid_member", label="box:0")
    assert uses_of(raid) == (Use(kind=UseKind.MD, detail="md0"),)
    parts = node("sda", "disk", node("sda1", "part"), node("sda2", "part"), table="gpt")
    assert uses_of(parts) == (Use(kind=UseKind.PARTITIONED, detail="2 partitions, gpt"),)
    assert uses_of(node("sda", "disk", node("sda1", "part"))) == (Use(kind=UseKind.PARTITIONED, detail="1 partition"),)
    paths = node("sda", "disk", node("dm-1", "mpath", name="b"), node("dm-0", "mpath", name="a"), fstype="mpath_member")
    assert uses_of(paths) == (Use(kind=UseKind.MULTIPATH, detail="a, b"),)


OWN = {
    "size": 5 << 40, "log-sec": 4096, "phy-sec": 8192, "ro": True, "fstype": "xfs", "label": "data", "pttype": "gpt",
    "id-link": "dm-name-mpatha", "mountpoints": ["/srv"],
}  # fmt: skip


def mapped(**columns: object) -> Disk:
    """Return the multipath device over sda and sdb, whose own columns are these."""
    device: dict[str, object] = {"name": "mpatha", "kname": "dm-0", "path": "/dev/mapper/mpatha", "type": "mpath"}
    device |= {key.replace("_", "-"): value for key, value in columns.items()}
    paths = [
        block(n, serial="MP1", fstype="mpath_member", id_link=f"ata-{n}", children=[device]) for n in ("sda", "sdb")
    ]
    reading = read(*paths)
    assert [reading.kernel_name(disk.key) for disk in reading.disks] == ["sda", "sdb", "dm-0"]
    return reading.disks[2]


def test_that_a_multipath_device_has_its_own_size_and_content_and_its_paths_identity() -> None:
    own = mapped(**OWN)
    assert (own.path, own.key, own.serial, own.model) == ("/dev/mapper/mpatha", "MP1", "MP1", "ST6000NM0034")
    assert (own.size_bytes, own.logical_sector_bytes, own.physical_sector_bytes) == (5 << 40, 4096, 8192)
    assert own.by_id == ("dm-name-mpatha",)
    assert [str(use) for use in own.uses] == [
        "mounted: /srv", "partitioned: empty gpt partition table", "read-only: the kernel refuses writes",
    ]  # fmt: skip
    assert [n.text for n in own.notes] == [
        "multipath device over sda, sdb; OpenZFS uses it as it is, without partitioning it"
    ]
    bare = mapped()
    assert (bare.size_bytes, bare.logical_sector_bytes, bare.physical_sector_bytes) == (6001175126016, 512, 4096)
    assert (bare.by_id, bare.uses) == ((), ())
    assert [str(use) for use in mapped(fstype="zfs_member", label="tank").uses] == ["pool member: tank"]
    child = {"name": "mpatha1", "type": "part"}
    assert [str(use) for use in mapped(children=[child]).uses] == ["partitioned: 1 partition"]
    rounded = mapped(size="5T")
    assert (rounded.size_bytes, "rounded (5T)" in rounded.notes[0].text) == (5 << 40, True)


@pytest.mark.parametrize(
    ("second", "marked"),
    [
        ({}, True),
        ({"serial": None}, True),
        ({"serial": "OTHER"}, False),
        ({"size": 10**12}, False),
        ({"wwn": "0x5000c50000000002"}, False),
        ({"wwn": None}, False),
    ],
)
def test_that_a_disk_seen_twice_is_used_once(second: dict[str, object], marked: bool) -> None:
    both = {"serial": "S1", "wwn": "0x5000c50000000001"}
    one, other = read(block("sda", **both), block("sdb", **(both | second))).disks
    assert one.uses == ()
    expected = (Use(kind=UseKind.MULTIPATH, detail="the same disk as /dev/sda"),) if marked else ()
    assert other.uses == expected
    warned = "a second path to /dev/sda (same world-wide name); multipath is not set up"
    assert [(n.text, n.level) for n in other.notes] == ([(warned, NoteLevel.WARN)] if marked else [])
    # Where the first has no serial number, the second's tells nothing either.
    assert bool(read(block("sda", **(both | {"serial": None})), block("sdb", **both)).disks[1].uses)


def test_that_each_path_keeps_the_serial_number_only_where_no_other_disk_has_it() -> None:
    keys = [
        d.key
        for d in read(
            block("sda", serial="A", wwn="0x1"), block("sdb", serial="A", wwn="0x2"), block("sdc", serial="B")
        ).disks
    ]
    assert keys == ["0x1", "0x2", "B"]
    assert [d.key for d in read(block("sda", serial=None), block("sdb", serial="", wwn="0x2")).disks] == [
        "/dev/sda",
        "0x2",
    ]
    assert read(block("sda")).kernel_name("SERsda") == "sda"
    assert read(block("sda")).kernel_name("other") is None


@pytest.mark.parametrize(
    ("facts", "media"),
    [
        ({"kname": "nvme0n1"}, Media.NVME), ({"transport": "nvme"}, Media.NVME), ({"kname": "mmcblk0"}, Media.SSD),
        ({"rotational": None, "model": "X"}, None), ({"rotational": True, "model": "X"}, Media.HDD),
        ({"rotational": True, "transport": "sas"}, Media.HDD), ({"rotational": True}, None),
        ({"rotational": True, "model": "X", "transport": "usb"}, None),
        ({"rotational": False, "transport": "usb"}, Media.SSD),
        ({"rotational": False, "model": "X"}, Media.SSD), ({"rotational": False}, None),
        ({"rotational": True, "model": "QEMU HARDDISK"}, None),
        ({"rotational": True, "vendor": "VMware", "model": "X"}, None),
        ({"rotational": True, "model": "PERC H730"}, None),
        ({"rotational": True, "model": "X", "transport": "iscsi"}, None),
        ({"rotational": True, "model": "X", "kname": "vda"}, None),
        ({"rotational": True, "model": "X", "transport": "virtio"}, None),
        ({"rotational": True, "model": "X", "kname": "cciss!c0d0"}, None),
    ],
)  # fmt: skip
def test_that_media_are_only_what_lsblk_proves(facts: dict[str, object], media: Media | None) -> None:
    assert media_of(node("sda", "disk", **facts)) is media


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"model": "PERC H730"}, [("looks like a logical drive", NoteLevel.WARN)]), ({"model": "QEMU RAID"}, []),
        ({"transport": "fc"}, [("reached over fc: what is below", NoteLevel.NOTE)]),
        ({"zoned": "host-managed"}, [("drive, host-managed: not", NoteLevel.WARN)]), ({"zoned": "none"}, []),
        ({"state": "offline"}, [("has set this disk offline", NoteLevel.WARN)]), ({"state": "running"}, []),
    ],
)  # fmt: skip
def test_that_what_to_know_of_a_disk_is_told(facts: dict[str, object], words: list[tuple[str, NoteLevel]]) -> None:
    notes = media_notes(node("sda", "disk", **facts))
    assert [note.level for note in notes] == [level for _, level in words]
    assert all(told in note.text for note, (told, _) in zip(notes, words, strict=True))
    assert not is_raid(node("sda", "disk", model="ST6000NM0034"))
    assert not is_virtual(node("sda", "disk", model="ST6000NM0034"))


@pytest.mark.parametrize(
    ("name", "never"),
    [("loop0", True), ("zd16", True), ("fd0", True), ("md_x", True), ("dm-0", True), ("mmcblk0boot0", True),
     ("sda", False), ("mmcblk0", False)],
)  # fmt: skip
def test_that_some_names_are_never_disks(name: str, never: bool) -> None:
    assert never_a_disk(name) is never


def test_that_notes_tell_what_the_output_lacks() -> None:
    def told(*devices: dict[str, object]) -> list[str]:
        return [note.text for note in read(*devices).notes]

    part = {"name": "sda1", "kname": "sda1", "type": "part"}
    assert told(block("sda", children=[part])) == []
    assert told(block("sda"), block("zd0"), block("zd16")) == [
        "Left out, not disks for a pool: zd0, zd16 (zvols of a pool)",
        "Nothing here is partitioned or mounted: if lsblk ran with -d, what uses the disks is hidden",
    ]
    assert told() == ["This lsblk output shows no disk"]
    assert any("The disk below sdb1 is not" in text for text in told(block("sda"), {"name": "sdb1", "type": "part"}))
    lone = read(block("sda"), {"name": "sdb1", "type": "part"}).notes
    assert [note.level for note in (*read().notes, *lone)] == [NoteLevel.WARN, NoteLevel.WARN, NoteLevel.NOTE]
    for missing, words in (({"fstype"}, "no column FSTYPE"), ({"mountpoints"}, "no column MOUNTPOINT")):
        blind = {key: value for key, value in block("sda", children=[part]).items() if key not in missing}
        assert [words in text for text in told(blind)] == [True]
        assert not read(blind).disks[0].use_known


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("lsblk: unknown column: ZONED", "did not know the column ZONED"),
        ("bash: lsblk: command not found", "lsblk was not found"),
        ("lsblk: failed to access sysfs", "printed an error instead of disks: “lsblk: failed to access sysfs”"),
        (" \n", "is empty"),
        ("hello", "no heading line"),
    ],
)
def test_that_a_complaint_of_lsblk_is_told(printed: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read_lsblk(printed, ORIGIN)


def test_that_a_list_is_nested_by_its_parents_or_by_its_order() -> None:
    disk, part, crypt = node("sda"), node("sda1", "part"), node("dm-0", "crypt")
    (root,), uncertain = as_tree((disk, part, crypt))
    assert ([child.name for child in root.children], uncertain) == (["sda1", "dm-0"], ("dm-0",))
    named = replace(crypt, parent="sda1", columns=frozenset({"pkname"}))
    (root,), uncertain = as_tree((disk, part, named))
    assert ([c.name for c in root.children], [c.name for c in root.children[0].children]) == (["sda1"], ["dm-0"])
    assert uncertain == ()
    lost = replace(crypt, columns=frozenset({"pkname"}))
    assert as_tree((disk, lost)) == ((disk, lost), ())
    # A circle is cut, and a device named as its own parent stands alone.
    a, b = node("a", "lvm", parent="b"), node("b", "lvm", parent="a")
    roots, _ = as_tree((a, b, node("c", "lvm", parent="c")))
    assert sorted(n.name for root in roots for n in (root, *root.children)) == ["a", "b", "c"]


def test_that_what_is_drawn_as_a_tree_is_left_as_it_is() -> None:
    drawn = (node("sda", "disk", node("sda1", "part")), node("sdb"), node("md0", "raid1"), node("sdb1", "part"))
    assert as_tree(drawn) == (drawn, ())


def test_that_the_inverse_tree_is_turned_over() -> None:
    disk = node("sda")
    part = node("sda1", "part", disk)
    roots, uncertain = as_tree((node("dm-0", "lvm", part), node("dm-1", "lvm", part)))
    (root,) = roots
    assert (root.name, uncertain) == ("sda", ())
    assert [child.name for child in root.children] == ["sda1"]
    assert [child.name for child in root.children[0].children] == ["dm-0", "dm-1"]
    stacked = (node("sda", "disk", node("bcache0")),)
    assert as_tree(stacked) == (stacked, ())


def test_that_two_readings_of_a_device_complete_each_other() -> None:
    child = node("sda1", "part")
    one = node("sda", "disk", size_bytes=5, size_text="5B", model="M", mountpoints=("/a",), columns=frozenset({"size"}))
    other = node(
        "sda",
        "disk",
        child,
        size_bytes=7,
        model="N",
        fstype="xfs",
        mountpoints=("/a", "/b"),
        columns=frozenset({"fstype"}),
    )
    (both,) = merged((one, other))
    assert (both.size_bytes, both.size_text, both.model, both.fstype) == (7, None, "M", "xfs")
    assert (both.mountpoints, both.children, both.columns) == (("/a", "/b"), (child,), frozenset({"size", "fstype"}))
    twice = node("sdb", "disk", child, replace(child, fstype="xfs"))
    assert merged((twice,))[0].children == (replace(child, fstype="xfs"),)
    (kept,) = merged((replace(one, size_text=None), replace(other, size_text="7B")))
    assert (kept.size_bytes, kept.size_text) == (5, None)
    (filled,) = merged((replace(one, size_bytes=None, size_text=None), replace(other, size_text="7B")))
    assert (filled.size_bytes, filled.size_text) == (7, "7B")
    assert {f.name for f in fields(BlockNode)} > {"size_text", "columns"}
