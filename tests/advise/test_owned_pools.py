"""Pools as their owners meet them: what would fail, or be wrong, when it is typed on that machine."""

from collections.abc import Mapping
from pathlib import Path

from tests.advise.existing_machines import TODAY, rules_of
from tests.advise.test_sick_pools import all_commands, audit_of, commands

from poolwright.advise.existing.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.inventory.recorded import open_captures
from poolwright.rule_library import load_shipped

HEAD = "  pool: tank\n state: {state}\n  scan: {scan}\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
SCRUBBED = "scrub repaired 0B in 05:42:32 with 0 errors on Sun Nov 22 09:06:21 2026"
WHOLE = 12000128000000
NO_SIZES = "\t-" * 9 + "\n"


def audit_of_files(
    tmp_path: Path, tree: str, *, state: str = "ONLINE", scan: str = SCRUBBED, **files: str
) -> PoolAudit:
    """Return the audit of a pool of which more than its tree is known: ``files`` are texts by what printed them."""
    rows = "".join(f"\t{line}\n" for line in tree.strip("\n").splitlines())
    told = {"status": HEAD.format(state=state, scan=scan) + rows + "\nerrors: No known data errors\n", **files}
    for name, text in told.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    paths = [tmp_path / f"{name}.txt" for name in told]
    (audit,) = audit_machine(load_shipped(), open_captures(paths), AuditRequest.usual(TODAY))
    return audit


def test_that_a_name_which_exists_is_not_called_impossible(tmp_path: Path) -> None:
    """OpenZFS takes spaces (zfs_namecheck.c); only a plan is better without them."""
    tree = "tank  ONLINE  0 0 0\n  mirror-0  ONLINE  0 0 0\n    ata-A  ONLINE  0 0 0\n    ata-B  ONLINE  0 0 0"
    names = "tank\ttype\tfilesystem\t-\ntank/of bob\ttype\tfilesystem\t-\n"
    assert "records.name" not in rules_of(audit_of_files(tmp_path, tree, datasets=names))


SUPPORT = """
tank               ONLINE       0     0     0
  raidz2-0         ONLINE       0     0     0
    ata-A          ONLINE       0     0     0
    ata-B          ONLINE       0     0     0
    ata-C          ONLINE       0     0     0
    ata-D          ONLINE       0     0     0
cache
  nvme-C           UNAVAIL      0     0     0  cannot open
spares
  ata-S            UNAVAIL   cannot open
"""


def test_that_a_lost_spare_and_a_lost_cache_leave_and_others_join(tmp_path: Path) -> None:
    """`zpool replace` refuses both: “device is reserved as a hot spare”, “device is in use as a cache”."""
    assert commands(audit_of(SUPPORT, tmp_path), "existing.not-online") == (
        "zpool remove tank nvme-C",
        "zpool add tank cache /dev/disk/by-id/NEW-DISK",
        "zpool remove tank ata-S",
        "zpool add tank spare /dev/disk/by-id/NEW-DISK",
    )


def test_that_a_spare_that_was_pulled_out_is_not_brought_online(tmp_path: Path) -> None:
    """`zpool online` refuses a spare as well; a cache comes back by it."""
    told = commands(audit_of(SUPPORT.replace("UNAVAIL", "REMOVED"), tmp_path), "existing.not-online")
    assert told == (
        "zpool online tank nvme-C",
        "zpool remove tank ata-S",
        "zpool add tank spare /dev/disk/by-id/NEW-DISK",
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
    audit = audit_of_files(
        tmp_path,
        f"tank  DEGRADED  0 0 0\n  draid1:2d:6c:2s-0  DEGRADED  0 0 0\n{rows}",
        state="DEGRADED",
        list=f"tank\t47996000000000\t1000000\t47995999000000\t-\t-\t0\t0\t1.00\tDEGRADED\t-\n"
        f"\tdraid1:2d:6c:2s-0\t47996000000000\t1000000\t47995999000000\t-\t-\t0\t0\t-\tDEGRADED\n{listed(disks)}",
    )
    assert "existing.stranded" not in rules_of(audit)


def test_that_an_unread_spare_leaves_the_sizes_of_the_pool_explained(tmp_path: Path) -> None:
    disks = {f"ata-{n}": WHOLE for n in "ABCD"}
    audit = audit_of_files(
        tmp_path,
        SUPPORT,
        list="tank\t47983000000000\t1000000\t47982999000000\t-\t-\t0\t0\t1.00\tONLINE\t-\n"
        f"\traidz2-0\t47983000000000\t1000000\t47982999000000\t-\t-\t0\t0\t-\tONLINE\n{listed(disks)}"
        f"cache{NO_SIZES}{listed({'nvme-C': None})}spare{NO_SIZES}{listed({'ata-S': None})}",
    )
    assert audit.sizes is not None
    assert audit.sizes.size is not None
