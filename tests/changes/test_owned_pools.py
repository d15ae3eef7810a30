"""Pools as their owners meet them: what would fail, or be wrong, when it is typed on that machine."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.cases import table
from tests.changes.existing_machines import FOLDER, TODAY, given, machine, rules_of
from tests.changes.test_sick_pools import all_commands, audit_of, commands

from poolwright.changes.audit import AuditRequest, audit_machine
from poolwright.domain.vdev import VdevClass
from poolwright.rule_library import load_shipped
from poolwright.store.capture_files import open_captures

WHOLE = 12000128000000
ESP = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
SWAP = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
ZFS = "6a898cc3-1dd2-11b2-99a6-080020736631"
NO_SIZES = "\t-" * 9 + "\n"


def test_that_a_name_which_exists_is_not_called_impossible(tmp_path: Path) -> None:
    """OpenZFS takes spaces (zfs_namecheck.c); only a plan is better without them."""
    tree = "tank  ONLINE  0 0 0\n  mirror-0  ONLINE  0 0 0\n    ata-A  ONLINE  0 0 0\n    ata-B  ONLINE  0 0 0"
    names = "tank\ttype\tfilesystem\t-\ntank/of bob\ttype\tfilesystem\t-\n"
    assert "records.name" not in rules_of(audit_of(tree, tmp_path, datasets=names))


SUPPORT: str = table(__file__, "support")


def test_that_a_lost_spare_and_a_lost_cache_leave_and_others_join(tmp_path: Path) -> None:
    """`zpool replace` refuses both: “device is reserved as a hot spare”, “device is in use as a cache”."""
    assert commands(audit_of(SUPPORT, tmp_path), "existing.not-online") == (
        "zpool remove tank nvme-C",
        "zpool add tank cache '/dev/disk/by-id/<new disk 1>'",
        "zpool remove tank ata-S",
        "zpool add tank spare '/dev/disk/by-id/<new disk 2>'",
    )


def test_that_on_freebsd_a_new_disk_has_no_name_that_linux_alone_gives(tmp_path: Path) -> None:
    for name in ("gpt/{}", "/dev/ada{}p2", "da{}"):
        tree = SUPPORT
        for number, old in enumerate(("ata-A", "ata-B", "ata-C", "ata-D", "ata-S")):
            tree = tree.replace(old, name.format(number))
        told = commands(audit_of(tree, tmp_path), "existing.not-online")
        assert told[1] == "zpool add tank cache '/dev/<new disk 1>'"
        assert "by-id" not in " ".join(told)


def test_that_a_spare_that_was_pulled_out_is_not_brought_online(tmp_path: Path) -> None:
    """`zpool online` refuses a spare as well; a cache comes back by it."""
    told = commands(audit_of(SUPPORT.replace("UNAVAIL", "REMOVED"), tmp_path), "existing.not-online")
    assert told == (
        "zpool online tank nvme-C",
        "zpool remove tank ata-S",
        "zpool add tank spare '/dev/disk/by-id/<new disk 1>'",
    )


def test_that_a_distributed_spare_is_neither_removed_nor_added(tmp_path: Path) -> None:
    rows = "".join(f"    ata-{n}        ONLINE       0     0     0\n" for n in "ABCDEF")
    tree = (
        f"tank  ONLINE  0 0 0\n  draid1:2d:6c:1s-0  ONLINE  0 0 0\n{rows}spares\n  draid1-0-0  UNAVAIL  cannot open\n"
    )
    assert not [line for line in all_commands(audit_of(tree, tmp_path)) if "draid1-0-0" in line]


def listed(rows: Mapping[str, int | None]) -> str:
    """Return what `zpool list -v -Hp` prints of devices by their size, None for one that is gone."""
    told = (
        "\t{}\t{}\t-\t-\t-\t-\t-\t-\t-\t{}\n".format(n, s or "-", "ONLINE" if s else "UNAVAIL") for n, s in rows.items()
    )
    return "".join(told)


def test_that_a_lost_disk_of_a_draid_is_as_large_as_those_beside_it(tmp_path: Path) -> None:
    """What is left of SIZE for each disk is less: the distributed spares are not in it."""
    disks = {f"ata-{n}": None if n == "C" else WHOLE for n in "ABCDEF"}
    rows = "".join(f"    {n}  {'ONLINE' if size else 'UNAVAIL'}  0 0 0\n" for n, size in disks.items())
    audit = audit_of(
        f"tank  DEGRADED  0 0 0\n  draid1:2d:6c:2s-0  DEGRADED  0 0 0\n{rows}",
        tmp_path,
        state="DEGRADED",
        list=f"tank\t47996000000000\t1000000\t47995999000000\t-\t-\t0\t0\t1.00\tDEGRADED\t-\n"
        f"\tdraid1:2d:6c:2s-0\t47996000000000\t1000000\t47995999000000\t-\t-\t0\t0\t-\tDEGRADED\n{listed(disks)}",
    )
    assert "existing.stranded" not in rules_of(audit)


def test_that_an_unread_spare_leaves_the_sizes_of_the_pool_explained(tmp_path: Path) -> None:
    disks = {f"ata-{n}": WHOLE for n in "ABCD"}
    audit = audit_of(
        SUPPORT,
        tmp_path,
        list="tank\t47983000000000\t1000000\t47982999000000\t-\t-\t0\t0\t1.00\tONLINE\t-\n"
        f"\traidz2-0\t47983000000000\t1000000\t47982999000000\t-\t-\t0\t0\t-\tONLINE\n{listed(disks)}"
        f"cache{NO_SIZES}{listed({'nvme-C': None})}spare{NO_SIZES}{listed({'ata-S': None})}",
    )
    assert given(audit.sizes).size is not None
    design = given(audit.made).design
    spare = next(vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.SPARE)
    assert design.disk(spare.members[0].disk_key).size_bytes == WHOLE


def test_that_an_expansion_that_only_zpool_status_tells_of_is_counted(tmp_path: Path) -> None:
    """Without root there is no `zdb -C`: then the width that explains USED + AVAIL is the one it was made with."""
    text = (FOLDER / "expanded.capture").read_text(encoding="utf-8")
    before, _, rest = text.partition("### file: zdb-config")
    (tmp_path / "machine.capture").write_text(before + rest[rest.index("### file: ") :], encoding="utf-8")
    told = {vdev.name: vdev for pool in machine("expanded").existing for vdev in pool.vdevs if vdev.expansions}
    assert told
    without = audit_machine(load_shipped(), open_captures([tmp_path / "machine.capture"]), AuditRequest.usual(TODAY))
    for audit in without:
        for vdev in audit.known.vdevs:
            assert vdev.expansions == (told[vdev.name].expansions if vdev.name in told else None)
            assert vdev.name not in told or "existing.expanded" in rules_of(audit)


EXPANDABLE: str = table(__file__, "expandable")


def test_that_every_side_of_a_mirror_is_expanded(tmp_path: Path) -> None:
    """With one of them alone no room comes (zpool-online(8)), and a spare cannot be brought online."""
    properties = "tank\tsize\t1000000000000\t-\ntank\texpandsize\t1000000000000\t-\n"
    audit = audit_of(EXPANDABLE, tmp_path, properties=properties)
    assert commands(audit, "existing.not-expanded")[0] == "zpool online -e tank ata-A ata-B"


def test_that_a_boot_disk_gets_the_table_of_the_old_one_before_it_is_attached(tmp_path: Path) -> None:
    """A whole disk in the pool that the machine starts from could not start it."""
    parts = [
        {"name": "sdc1", "type": "part", "size": 536870912, "fstype": "vfat", "parttype": ESP},
        {"name": "sdc3", "type": "part", "size": 119 * 10**9, "fstype": "zfs_member", "parttype": ZFS},
    ]
    disk = {"name": "sdc", "type": "disk", "size": 120034123776, "model": "X", "serial": "S1", "children": parts}
    audit = audit_of(
        "tank  ONLINE  0 0 0\n  /dev/sdc3  ONLINE  0 0 0", tmp_path, lsblk=json.dumps({"blockdevices": [disk]})
    )
    assert commands(audit, "redundancy.none-for-safety") == (
        "sgdisk '--replicate=/dev/disk/by-id/<new disk 1>' /dev/sdc",
        "sgdisk --randomize-guids '/dev/disk/by-id/<new disk 1>'",
        "zpool attach tank /dev/sdc3 '/dev/disk/by-id/<new disk 1>-part3'",
    )


def test_that_swap_on_an_md_array_is_mirrored(tmp_path: Path) -> None:
    """TrueNAS made its mirrored swap of partitions that have the type of swap."""
    for signature, mirrored in (("linux_raid_member", True), ("swap", False)):
        disks = [
            {
                "name": name, "type": "disk", "size": 12 * 10**12, "model": "X", "serial": f"S{name}", "children": [
                    {"name": f"{name}1", "type": "part", "size": 2 << 30, "fstype": signature, "parttype": SWAP},
                    {"name": f"{name}2", "type": "part", "size": 11 * 10**12, "fstype": "zfs_member", "parttype": ZFS},
                ],
            }
            for name in ("sda", "sdb")
        ]  # fmt: skip
        tree = (
            "tank  ONLINE  0 0 0\n  mirror-0  ONLINE  0 0 0\n    /dev/sda2  ONLINE  0 0 0\n    /dev/sdb2  ONLINE  0 0 0"
        )
        told = rules_of(audit_of(tree, tmp_path, lsblk=json.dumps({"blockdevices": disks})))
        assert ("reserve.swap-not-mirrored" in told) is not mirrored
