"""What is known of pools beside their tree: recorded outputs of zpool, zdb and zfs."""

from datetime import datetime
from pathlib import Path

import pytest

from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool, Scan, ScanKind, ScanState, printed_number
from poolwright.machine.zpool.configured import read_zdb_config
from poolwright.machine.zpool.existing import checkpoint_bytes, mapping_bytes, scans_of
from poolwright.machine.zpool.listed import read_zfs_get, read_zfs_list, read_zpool_get, read_zpool_list
from poolwright.store.capture_files import open_captures

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
KINDS = (
    "zpool_status", "zpool_status_docs", "zpool_status_json", "zpool_list", "zpool_list_json", "zpool_get", "zfs_list",
    "zfs_list_json", "zfs_get", "zpool_import",
)  # fmt: skip
FILES = [path for kind in KINDS for path in sorted((CORPUS / kind).glob("*"))]

needs_corpus = pytest.mark.skipif(not FILES, reason="the recorded outputs are not here")


def read(*names: str) -> Inventory:
    return open_captures([CORPUS / name for name in names])


def pool_of(inventory: Inventory, name: str) -> ExistingPool:
    return next(pool for pool in inventory.existing if pool.name == name)


@needs_corpus
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_that_every_recorded_output_of_a_pool_is_recognised_and_read(path: Path) -> None:
    inventory = open_captures([path])
    assert not [note.text for note in inventory.notes if "left out" in note.text]
    if path.name.endswith("get_vdev_all.txt") or "status-x" in path.name:
        return  # of vdevs without their pool, or of healthy pools, nothing is to be known
    assert inventory.pools or inventory.existing


@needs_corpus
def test_that_status_list_properties_and_configuration_are_joined_by_pool() -> None:
    inventory = read(
        "zpool_status/local__vm__zfs-2.3.9_trixie_zpool_status_healthy.txt",
        "zpool_list/local__vm__zfs-2.3.9_trixie_zpool_list-vHp_healthy.txt",
        "zpool_get/local__vm__zfs-2.3.9_trixie_zpool_get_all_tank.txt",
        "zdb/local__vm__zfs-2.3.9_trixie_zdb-C_tank.txt",
        "zfs_get/local__vm__zfs-2.3.9_trixie_zfs_get_all_tank.txt",
    )
    tank = pool_of(inventory, "tank")
    raidz = tank.vdev("raidz2-0")
    assert raidz is not None
    assert (raidz.size_bytes, raidz.ashift, raidz.asize_bytes, raidz.metaslab_shift) == (4026531840, 12, 4173332480, 28)
    assert tank.number("size") == 4026531840  # exact from zpool list, 3.75G in zpool get
    assert tank.value("feature@lz4_compress") == "active"
    assert tank.datasets is not None
    assert [dataset.name for dataset in tank.datasets] == ["tank"]
    assert tank.origin.rounded  # the datasets were listed without -p
    leaf = tank.vdev("scsi-35000c500d0000010")
    assert leaf is not None
    assert (leaf.whole_disk, leaf.path) == (True, "/dev/disk/by-id/scsi-35000c500d0000010-part1")


@needs_corpus
def test_that_old_releases_print_groups_without_number_and_each_finds_its_row() -> None:
    inventory = read(
        "zpool_status/local__vm__zfs-0.8.3_focal_zpool_status-P_healthy.txt",
        "zpool_list/local__vm__zfs-0.8.3_focal_zpool_list-vHp_spare_inuse.txt",
    )
    mpool = pool_of(inventory, "mpool")
    sizes = [(vdev.name, vdev.allocated_bytes) for vdev in mpool.vdevs if vdev.name.startswith("mirror")]
    assert sizes == [("mirror-0", 25559040), ("mirror-1", 25427968), ("mirror-3", 1474560), ("mirror-2", 2904064)]


@needs_corpus
def test_that_sizes_in_words_of_bytes_stay_exact_and_three_digits_are_told_as_rounded() -> None:
    (exact,) = read("zpool_list/netdata__netdata__zpool-list-vdev.txt").existing
    assert (exact.number("size"), exact.number("fragmentation"), exact.origin.rounded) == (3985729650688, 55, False)
    rounded = pool_of(read("zpool_list/local__vm__zfs-2.3.9_trixie_zpool_list-v_faulted.txt"), "dpool")
    assert (rounded.number("size"), rounded.origin.rounded) == (3 << 30, True)


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment)


def status(*lines: str) -> Pool:
    return Pool(name="tank", scans=lines)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("none requested", None),
        ("scrub repaired 0B in 14h7m with 1 errors on Sun Feb  4 20:54:25 2024",
         Scan(kind=ScanKind.SCRUB, state=ScanState.FINISHED, began=at("2024-02-04 06:47:25"),
              ended=at("2024-02-04 20:54:25"), errors=1, repaired_bytes=0)),
        ("resilvered (draid1:4d:11c:1s-0) 15.9G in 00:01:43 with 0 errors on Tue Nov 24 14:45:16 2020",
         Scan(kind=ScanKind.RESILVER, state=ScanState.FINISHED, began=at("2020-11-24 14:43:33"),
              ended=at("2020-11-24 14:45:16"), errors=0, vdev="draid1:4d:11c:1s-0")),
        ("resilver in progress since Fri Nov 20 08:41:22 2026 301M scanned at 301M/s 1.28M resilvered, 3.63% done",
         Scan(kind=ScanKind.RESILVER, state=ScanState.RUNNING, began=at("2026-11-20 08:41:22"), percent=3.63)),
        ("scrub paused since Fri Nov 20 08:43:30 2026 scrub started on Fri Nov 20 08:43:28 2026 44.37% done",
         Scan(kind=ScanKind.SCRUB, state=ScanState.PAUSED, began=at("2026-11-20 08:43:28"), percent=44.37)),
        ("scrub canceled on Fri Aug 19 15:33:19 2022",
         Scan(kind=ScanKind.SCRUB, state=ScanState.CANCELLED, ended=at("2022-08-19 15:33:19"))),
        ("scrub finished, start Fri Nov 20 08:29:09 UTC 2026, end 2026-11-20 08:29:12 UTC, processed 26.5M, 0 errors",
         Scan(kind=ScanKind.SCRUB, state=ScanState.FINISHED, began=at("2026-11-20 08:29:09"),
              ended=at("2026-11-20 08:29:12"), errors=0, repaired_bytes=27787264)),
        ("scrub repaired 0B in 9999 days 03:04:05 with 0 errors on Sun Nov  1 10:00:00 0010",
         Scan(kind=ScanKind.SCRUB, state=ScanState.FINISHED, ended=at("0010-11-01 10:00:00"), errors=0,
              repaired_bytes=0)),
        ("scrub repaired 0B in 0h0m with 0 errors on Sun Feb 31 20:54:25 2024",
         Scan(kind=ScanKind.SCRUB, state=ScanState.FINISHED, errors=0, repaired_bytes=0)),
    ],
)  # fmt: skip
def test_that_a_line_of_scan_becomes_what_it_says(line: str, expected: Scan | None) -> None:
    assert scans_of(status(line)) == ((expected,) if expected is not None else ())


def test_that_removals_expansions_and_checkpoints_are_told() -> None:
    pool = Pool(
        name="tank",
        operations=(
            "remove: Removal of vdev 0 completed on Fri Nov 6 08:42:45 2026 9K memory used for removed device mappings",
            "expand: expansion of raidz1-0 in progress since Fri Nov 20 08:30:16 2026 4.65M / 151M copied, 3.08% done",
            "expand: expanded raidz1-0 copied 65.5M in 00:00:10, on Tue Nov 24 08:57:12 2026",
            "checkpoint: created Fri Nov 20 08:42:22 2026, consumes 64.5K",
        ),
    )
    assert [(scan.kind, scan.state, scan.vdev) for scan in scans_of(pool)] == [
        (ScanKind.REMOVAL, ScanState.FINISHED, "vdev 0"),
        (ScanKind.EXPANSION, ScanState.RUNNING, "raidz1-0"),
        (ScanKind.EXPANSION, ScanState.FINISHED, "raidz1-0"),
    ]
    assert (mapping_bytes(pool), checkpoint_bytes(pool)) == (9 << 10, 66048)


@needs_corpus
def test_that_the_running_share_is_worked_out_of_json() -> None:
    inventory = read("zpool_status_json/local__vm__zfs-2.3.9_trixie_zpool_status-int-flat_spare_inuse.json")
    (scan,) = pool_of(inventory, "tank").scans
    assert scan.percent == pytest.approx(90.72)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7340032", 7340032), ("7M", 7 << 20), ("13.2K", 13517), ("1,81T", 1990116046275), ("80%", 80), ("1.00x", 1),
     ("-", None), ("none", None), ("", None), ("9" * 30, None)],
)  # fmt: skip
def test_that_numbers_are_read_as_the_tools_print_them(text: str, number: int | None) -> None:
    assert printed_number(text) == number


def test_that_the_configuration_tells_expansions_ashift_and_whole_disks() -> None:
    found = read_zdb_config(Path(__file__).with_name("zdb-configuration.txt").read_text(encoding="utf-8"))
    (raidz,), (disk, *_) = found["exp"], found["nv"]
    assert list(found) == ["exp", "nv"]
    told = {"path": None, "ashift": 12, "asize_bytes": 24004641423360, "metaslab_shift": 34, "whole_disk": None}
    assert (raidz.kind, raidz.facts) == ("raidz", told | {"expansions": 1})
    assert raidz.children[0].facts["whole_disk"] is True
    assert (disk.facts["ashift"], disk.facts["whole_disk"]) == (9, False)


def test_that_vdev_properties_belong_to_the_pool_whose_root_stands_before_them() -> None:
    told = read_zpool_get("root-0\tashift\t0\t-\nroot-0\tguid\t77\t-\nraidz1-0\tashift\t13\t-\nraidz1-0\tguid\t5\t-\n")
    assert [(one.name, one.value("ashift")) for one in told] == [("root-0", "0"), ("raidz1-0", "13")]


def test_that_a_property_asked_for_alone_is_that_of_the_pool(tmp_path: Path) -> None:
    head = "\tNAME  STATE  READ WRITE CKSUM\n"
    status = f"  pool: tank\n state: ONLINE\nconfig:\n\n{head}\ttank  ONLINE  0 0 0\n\t  sda  ONLINE  0 0 0\n"
    file = tmp_path / "pasted.txt"
    file.write_text(f"{status}NAME  PROPERTY  VALUE  SOURCE\ntank  ashift    9      local\nsda   ashift    9      -\n")
    found = open_captures([file])
    assert [(pool.name, pool.number("ashift")) for pool in found.existing] == [("tank", 9)]
    assert [pool.name for pool in found.pools or ()] == ["tank"]


def test_that_of_datasets_snapshots_and_own_properties_are_passed_over() -> None:
    text = "\n".join((
        "tank\ttype\tfilesystem\t-", "tank\tused\t123\t-", "tank\tcom.example:note\thello\tlocal",
        "tank/a b\ttype\tvolume\t-", "tank/a b\tvolsize\t77\tlocal", "tank@s\ttype\tsnapshot\t-",
    ))  # fmt: skip
    found = read_zfs_get(text)
    assert [(d.name, d.kind) for d in found.datasets] == [("tank", "filesystem"), ("tank/a b", "volume")]
    assert [p.name for p in found.datasets[0].properties] == ["type", "used"]
    assert found.datasets[1].number("volsize") == 77


def test_that_a_listing_of_datasets_tells_volumes_from_filesystems() -> None:
    found = read_zfs_list(
        "NAME  USED  AVAIL  REFER  MOUNTPOINT\nt  4M  1G  96K  /t\nt/v  2M  1G  2M  -\nt@s  0B  -  1M  -\n"
    )
    assert [(d.name, d.kind, d.number("used")) for d in found.datasets] == [
        ("t", "filesystem", 4 << 20), ("t/v", "volume", 2 << 20),
    ]  # fmt: skip


def test_that_a_pool_with_blanks_in_its_name_is_listed() -> None:
    head = "NAME       SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
    (pool,) = read_zpool_list(
        head + "my pool   3.75G  48.6M  3.70G        -         -     0%     1%  1.00x    ONLINE  -\n"
    )
    assert pool.name == "my pool"


def test_that_names_and_mount_points_with_blanks_are_kept_in_columns() -> None:
    text = (
        "NAME                USED  AVAIL     REFER  MOUNTPOINT\n"
        "tank               1.2T   3.0T       96K  /tank\n"
        "tank/my files       10G   3.0T       10G  /srv/my own files\n"
        "tank/vol 1          10G   3.0T       10G  -\n"
    )
    told = {one.name: {p.name: p.value for p in one.properties} for one in read_zfs_list(text).datasets}
    assert list(told) == ["tank", "tank/my files", "tank/vol 1"]
    assert told["tank/my files"]["mountpoint"] == "/srv/my own files"
    assert told["tank/my files"]["used"] == "10G"
