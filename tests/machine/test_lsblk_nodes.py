"""One column, one signature, one name at a time: what lsblk's cells mean, and what a device is used for."""

from dataclasses import fields, replace

import pytest
from tests.cases import cases
from tests.machines.writing import block, lsblk

from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.steps import at_once
from poolwright.machine.lsblk.node import BlockNode, make_node, uses_of
from poolwright.machine.lsblk.read import LsblkReading, merged, never_a_disk, read_lsblk

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")


def node(name: str, kind: str | None = "disk", /, *children: BlockNode, **facts: object) -> BlockNode:
    made = BlockNode(kname=name, name=name, path=f"/dev/{name}", type=kind, columns=frozenset(), children=children)
    return replace(made, **facts)  # type: ignore[arg-type]


def cell(column: str, value: object) -> BlockNode:
    made = make_node({"name": "sda", column: value})
    assert made is not None
    return made


def read(*devices: dict[str, object]) -> LsblkReading:
    return at_once(read_lsblk(lsblk(*devices), ORIGIN))


@pytest.mark.parametrize(
    ("column", "value", "field", "read"),
    [*cases(__file__, "cells"), ("mountpoints", ["/a", None, "/b", "/a"], "mountpoints", ["/a", "/b"])],
)  # fmt: skip
def test_that_a_cell_becomes_its_field(column: str, value: object, field: str, read: object) -> None:
    found = getattr(cell(column, value), field)
    assert (list(found) if isinstance(found, tuple) else found) == read


@pytest.mark.parametrize(("facts", "kind", "detail"), cases(__file__, "uses"))
def test_that_what_stands_on_a_disk_is_its_use(facts: dict[str, object], kind: str, detail: str) -> None:
    assert uses_of(node("sda", **facts)) == (Use(kind=UseKind(kind), detail=detail),)


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
    assert [disk.key for disk in reading.disks] == ["sda", "sdb", "dm-0"]
    return reading.disks[2]


def test_that_a_multipath_device_has_its_own_size_and_content_and_its_paths_identity() -> None:
    own = mapped(**OWN)
    assert (own.path, own.key, own.serial, own.model) == ("/dev/mapper/mpatha", "dm-0", "MP1", "ST6000NM0034")
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
    ("name", "never"),
    [("loop0", True), ("zd16", True), ("fd0", True), ("md_x", True), ("dm-0", True), ("mmcblk0boot0", True),
     ("sda", False), ("mmcblk0", False)],
)  # fmt: skip
def test_that_some_names_are_never_disks(name: str, never: bool) -> None:
    assert never_a_disk(name) is never


def test_that_two_readings_of_a_device_complete_each_other() -> None:
    child = node("sda1", "part")
    one = node("sda", "disk", size_bytes=5, size_text="5B", model="M", mountpoints=("/a",), columns=frozenset({"size"}))
    more = {"fstype": "xfs", "mountpoints": ("/a", "/b"), "columns": frozenset({"fstype"})}
    other = node("sda", "disk", child, size_bytes=7, model="N", **more)
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
