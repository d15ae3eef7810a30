"""One fact at a time of nvme-cli, of a machine's small files, of importable pools and of the table of pools."""

import json
from collections.abc import Mapping

import pytest

from poolwright.domain.disk import Disk, Health, LbaFormat, Media, Use, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.pool import Pool, PoolNode
from poolwright.machine.by_id import ById, ByIdLink, with_pools
from poolwright.machine.json_values import integer, json_start, parse_json, positive, split_json, string
from poolwright.machine.nvme import read_id_ns, read_nvme_list, read_smart_log
from poolwright.machine.recognition import PieceKind, kind_of
from poolwright.machine.smartctl.read import read_scan
from poolwright.machine.zpool.status import read_zpool_status

ORIGIN = Origin(kind=OriginKind.READ, source="nvme")
SPACE = {"PhysicalSize": 10**12, "SectorSize": 512}
DRIVE = {"SerialNumber": "S", "ModelNumber": "M", "Firmware": "F"}


def listed(*devices: Mapping[str, object]) -> list[tuple[str | None, str | None, int | None]]:
    found = read_nvme_list(json.dumps({"Devices": devices}), ORIGIN)
    return [(disk.path, disk.serial, disk.size_bytes) for disk in found]


def test_that_both_forms_of_nvme_list_name_the_same_disk() -> None:
    flat = DRIVE | SPACE | {"DevicePath": "/dev/nvme0n1"}
    (disk,) = read_nvme_list(json.dumps({"Devices": [flat]}), ORIGIN)
    assert (disk.key, disk.path, disk.model, disk.serial, disk.firmware) == ("S", "/dev/nvme0n1", "M", "S", "F")
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.media) == (10**12, 512, Media.NVME)
    assert (disk.smr, disk.transport) == (False, "nvme")
    assert {name for name, origin in disk.origins if origin == ORIGIN} == {
        "model", "serial", "firmware", "size_bytes", "logical_sector_bytes", "media", "transport",
    }  # fmt: skip
    space = SPACE | {"NameSpace": "nvme0n1"}
    for nested in (
        {"Subsystems": [{"Controllers": [DRIVE | {"Transport": "pcie", "Namespaces": [space]}]}]},
        {"Subsystems": [{"Controllers": [DRIVE], "Namespaces": [space]}]},
    ):
        assert read_nvme_list(json.dumps({"Devices": [nested]}), ORIGIN) == (disk,)


def test_that_namespaces_are_disks_once_and_controllers_none() -> None:
    space = SPACE | {"NameSpace": "nvme0n1"}
    shared = {"Subsystems": [{"Controllers": [DRIVE | {"Namespaces": [space]}, {"Namespaces": [space]}]}]}
    assert listed(shared) == [("/dev/nvme0n1", "S", 10**12)]
    assert listed(SPACE | {"DevicePath": "/dev/nvme0"}, SPACE, SPACE | {"DevicePath": "/dev/ng0n1"}) == []
    assert listed({"Subsystems": [{"Namespaces": [space]}]}) == [("/dev/nvme0n1", None, 10**12)]
    remote = DRIVE | SPACE | {"DevicePath": "/dev/nvme1c2n3", "Transport": "tcp"}
    (disk,) = read_nvme_list(json.dumps({"Devices": [remote]}), ORIGIN)
    assert (disk.path, disk.transport) == ("/dev/nvme1c2n3", "tcp")


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"Devices": []}, PieceKind.NVME_LIST), ({"Devices": [], "x": 1}, None),
        ({"nsze": 1, "lbafs": []}, PieceKind.NVME_NAMESPACE),
        ({"nsze": 1}, None), ({"critical_warning": 0, "avail_spare": 1}, PieceKind.NVME_SMART_LOG),
        ({"avail_spare": 1}, None),
    ],
)  # fmt: skip
def test_that_nvme_clis_documents_are_told_apart(document: object, kind: PieceKind | None) -> None:
    assert kind_of(json.dumps(document), "") is kind


@pytest.mark.parametrize(("flags", "current"), [(0, 0), (1, 1), (0x11, 1), (0x20, 16), (0x41, 33), (2, None)])
def test_that_the_format_in_use_is_found_by_all_its_bits(flags: int, current: int | None) -> None:
    rows = [{"ds": 9, "ms": 0}, {"ds": 12, "ms": 8}, {"ds": 8}, *({"ds": 9 + n % 4} for n in range(40))]
    disk = read_id_ns(json.dumps({"nsze": 1000, "flbas": flags, "lbafs": rows}), ORIGIN, path_hint="/dev/nvme0n1")
    shift = None if current in (None, 2) else rows[current]["ds"]
    assert disk.logical_sector_bytes == (None if shift is None else 1 << shift)
    assert disk.size_bytes == (None if shift is None else 1000 << shift)
    assert disk.lba_formats[:2] == (
        LbaFormat(data_bytes=512, current=current == 0),
        LbaFormat(data_bytes=4096, metadata_bytes=8, current=current == 1),
    )  # fmt: skip
    assert (disk.key, disk.path, len(disk.lba_formats)) == ("/dev/nvme0n1", "/dev/nvme0n1", 42)


def test_that_the_first_format_is_in_use_where_nothing_is_said() -> None:
    disk = read_id_ns(json.dumps({"nsze": 10, "lbafs": [{"ds": 12}, {"ds": 9}]}), ORIGIN)
    assert (disk.size_bytes, disk.logical_sector_bytes) == (40960, 4096)
    few = [{"ds": 8}, {"ds": 9}, {"ds": 20}, {"ds": 21}, {}]
    disk = read_id_ns(json.dumps({"nsze": 1, "lbafs": few}), ORIGIN)
    assert [f.data_bytes for f in disk.lba_formats] == [512, 1 << 20]


@pytest.mark.parametrize(
    ("names", "wwn"),
    [
        ({"eui64": "0025380000000011"}, "eui.0025380000000011"),
        ({"eui64": "0" * 16, "nguid": "3" + "0" * 30 + "1"}, f"eui.3{'0' * 30}1"),
        ({"eui64": "0000000000000000"}, None), ({}, None),
    ],
)  # fmt: skip
def test_that_a_namespace_has_the_name_that_is_not_empty(names: dict[str, str], wwn: str | None) -> None:
    disk = read_id_ns(json.dumps({"nsze": 1, "lbafs": [{"ds": 9}]} | names), ORIGIN)
    assert (disk.wwn, disk.key, disk.media, disk.smr, disk.transport) == (wwn, "namespace", Media.NVME, False, "nvme")


@pytest.mark.parametrize(
    ("log", "field", "value"),
    [
        ({"critical_warning": 0}, "health", Health.GOOD), ({"critical_warning": 4}, "health", Health.FAILING),
        ({"critical_warning": {"value": 1}}, "health", Health.FAILING), ({"percent_used": 3}, "wear_percent", 3),
        ({"media_errors": 2}, "media_errors", 2), ({"power_on_hours": 100}, "power_on_hours", 100),
        ({"temperature": 313.0}, "temperature_celsius", 40), ({"temperature": 273}, "temperature_celsius", None),
        ({"avail_spare": 5, "spare_thresh": 10}, "health", Health.SUSPECT), ({"avail_spare": 5}, "health", None),
    ],
)  # fmt: skip
def test_that_each_line_of_the_smart_log_is_a_fact(log: dict[str, object], field: str, value: object) -> None:
    disk = read_smart_log(json.dumps({"power_on_hours": 1} | log), ORIGIN, path_hint="/dev/nvme0n1").disk
    assert disk is not None
    assert getattr(disk, field) == value
    assert (disk.path, disk.media, disk.transport) == ("/dev/nvme0n1", Media.NVME, "nvme")


def test_that_a_truncated_list_is_refused() -> None:
    with pytest.raises(UserError, match="cut off or damaged"):
        read_nvme_list('{"Devices": [{', ORIGIN)


def test_that_a_scan_names_disks_but_none_behind_a_controller() -> None:
    text = "/dev/sda -d sat # /dev/sda\n/dev/bus/0 -d megaraid,4 # x\n/dev/sdb -d cciss,1 # y\n/dev/nvme0 -d nvme # z\n"
    assert [(d.path, d.media, d.transport) for d in read_scan(text, ORIGIN)] == [
        ("/dev/sda", None, None), ("/dev/nvme0", Media.NVME, "nvme"),
    ]  # fmt: skip
    devices = [{"name": "/dev/sda", "type": "scsi"}, {"name": "/dev/bus/1", "type": "x"}, {"type": "sat"}]
    assert [d.key for d in read_scan(json.dumps({"devices": devices}), ORIGIN)] == ["/dev/sda"]
    assert read_scan("# smartctl found nothing\n", ORIGIN) == ()
    with pytest.raises(UserError, match="nothing from smartctl --scan"):
        read_scan("hello", ORIGIN)


def leaf(name: str, kind: str = "disk", path: str | None = None) -> PoolNode:
    return PoolNode(name=name, kind=kind, section="data", state="ONLINE", path=path)


def pool(name: str, *leaves: PoolNode) -> Pool:
    return Pool(name=name, state="ONLINE", vdevs=leaves)


LABELLED = (Use(kind=UseKind.POOL, detail="old"),)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("sda", True), ("sda1", True), ("/dev/sda1", True), ("sdb", False), ("ata-A_S1234-part1", True),
        ("ata-A_S1234", True),
        ("scsi-SX_S1234", True), ("scsi-SX_S1234_1", True), ("scsi-SX_9S1234", False),
        ("wwn-0x5000c50012345678-part9", True),
        ("scsi-35000c50012345678", True), ("wwn-0x5000c50012345679", False), ("dm-uuid-x", False),
    ],
)  # fmt: skip
def test_that_a_member_of_a_pool_is_found_under_each_of_its_names(name: str, found: bool) -> None:
    disk = Disk(key="k", path="/dev/sda", serial="S1234", wwn="0x5000c50012345678", by_id=("ata-A_S1234",))
    (used,) = with_pools([disk], {"k": "sda"}, (), (pool("tank", leaf(name)),), None)
    assert used.uses == ((Use(kind=UseKind.POOL, detail="tank"),) if found else ())


def test_that_a_file_is_no_disk_and_a_short_serial_number_no_name() -> None:
    disk = Disk(key="k", path="/dev/sda", serial="S12", by_id=())
    for member in (leaf("/dev/sda", "file"), leaf("scsi-SX_S12")):
        assert with_pools([disk], {}, (), (pool("tank", member),), None)[0].uses == ()
    linked = ById(links=(ByIdLink(name="slot-3", kernel_name="sda"),))
    (used,) = with_pools([disk], {}, (linked,), (pool("tank", leaf("slot-3-part1"), leaf("slot-3")),), None)
    assert [use.detail for use in used.uses] == ["tank"]
    twins = [Disk(key=key, path=f"/dev/{key}", serial="SAME") for key in ("sdx", "sdy")]
    assert [d.uses for d in with_pools(twins, {}, (), (pool("tank", leaf("scsi-SX_SAME")),), None)] == [(), ()]


@pytest.mark.parametrize(
    ("imported", "importable", "uses"),
    [
        (None, None, [(UseKind.POOL, "old")]),
        ((), None, [(UseKind.FOREIGN_POOL, "old")]),
        ((pool("tank", leaf("sda")),), None, [(UseKind.POOL, "tank")]),
        ((pool("tank", leaf("sdb")),), None, [(UseKind.FOREIGN_POOL, "old")]),
        ((pool("old", leaf("hidden")),), None, [(UseKind.POOL, "old")]),
        ((pool("old", leaf("/a/file", "file")),), None, [(UseKind.FOREIGN_POOL, "old")]),
        (None, (pool("old", leaf("sda")),), [(UseKind.FOREIGN_POOL, "old, can be imported")]),
        ((), (pool("old", leaf("sda")),), [(UseKind.FOREIGN_POOL, "old, can be imported")]),
        ((pool("one", leaf("sda")), pool("two", leaf("sda"))), None, [(UseKind.POOL, "one"), (UseKind.POOL, "two")]),
    ],
)
def test_that_a_label_is_of_a_pool_that_is_here_or_of_another(
    imported: tuple[Pool, ...] | None, importable: tuple[Pool, ...] | None, uses: list[tuple[UseKind, str]]
) -> None:
    swap = Use(kind=UseKind.SWAP, detail="sda2")
    disk = Disk(key="k", path="/dev/sda", uses=(*LABELLED, swap))
    other = Disk(key="b", path="/dev/sdb")
    used, free = with_pools([disk, other], {"k": "sda", "b": "sdb"}, (), imported, importable)
    assert [(use.kind, use.detail) for use in used.uses] == [*uses, (UseKind.SWAP, "sda2")]
    assert bool(free.uses) is (imported is not None and any(n.name == "sdb" for p in imported for n in p.leaves()))


def test_that_json_is_found_behind_other_lines_and_cut_apart() -> None:
    assert parse_json('[root@host ~]# smartctl\n{"a": 1}', where="w", tool="t") == {"a": 1}
    assert (json_start('x\n  {"a": 1}'), json_start("nothing")) == (4, 0)
    assert split_json('{"a": 1}\nx\n{"b": 2}') == ('{"a": 1}', '{"b": 2}')
    assert split_json('{"a": 1}{"b":') == ('{"a": 1}', '{"b":')
    assert split_json('{"a": 1}') == ('{"a": 1}',)
    for text in ('{"a": ', '{"a": x}'):
        with pytest.raises(UserError, match="The output of t is cut off or damaged") as refused:
            parse_json(text, where="w", tool="t")
        assert (refused.value.where, refused.value.todo) == ("w", "Run t again and save all of it.")
    values = {"a": "5", "b": 5.0, "c": True, "d": 5.5, "e": 1 << 128, "f": " ", "g": "-5", "h": 0, "i": (1 << 128) - 1}
    assert [integer(values, key) for key in "abhi"] == [5, 5, 0, (1 << 128) - 1]
    assert {integer(values, key) for key in "cdefgj"} == {None}
    assert [positive(values, key) for key in "ahj"] == [5, None, None]
    assert (string(values, "f"), string(values, "a"), integer([1, 2], 1), integer([1, 2], 2)) == (None, "5", 2, None)


def deep(levels: int) -> dict[str, object]:
    node: dict[str, object] = {"name": "leaf", "vdev_type": "disk", "state": "ONLINE"}
    for level in range(levels):
        node = {"name": f"g{level}", "vdev_type": "mirror", "state": "ONLINE", "vdevs": {"x": node}}
    return node


@pytest.mark.parametrize(("levels", "kept"), [(3, 4), (64, 65), (70, 65)])
def test_that_damaged_pools_nest_no_deeper_than_64(levels: int, kept: int) -> None:
    text = json.dumps({"pools": {"tank": {"vdevs": {"tank": {"vdev_type": "root", "vdevs": {"x": deep(levels)}}}}}})
    rows = "".join(f"\t{'  ' * (level + 1)}mirror-{level} ONLINE 0 0 0\n" for level in range(levels + 1))
    printed = f"  pool: tank\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n{rows}"
    for found in (*read_zpool_status(text), *read_zpool_status(printed)):
        depth, nodes = 0, found.vdevs
        while nodes:
            depth, nodes = depth + 1, nodes[0].children
        assert depth == kept
