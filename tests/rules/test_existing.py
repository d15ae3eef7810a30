"""Pools that exist: each rule is reached by what `zpool status` and `zpool list` print."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Host
from poolwright.domain.pool import ExistingDataset, ExistingPool, Pool, PropertyValue, VdevSizes
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.machine.zpool.existing import PoolReadings, existing_pools
from poolwright.machine.zpool.status import read_zpool_status
from poolwright.rules.existing_judge import PoolSurroundings, judge_existing, last_scrub
from poolwright.rules.model import RuleBook, Scope

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "zpool_status"
TODAY = date(2026, 11, 20)
READ = Origin(kind=OriginKind.READ, source="zpool status")
GOOD = """  pool: tank
 state: ONLINE
  scan: scrub repaired 0B in 05:01:44 with 0 errors on Sun Nov  8 05:25:46 2026
config:

\tNAME                                     STATE     READ WRITE CKSUM
\ttank                                     ONLINE       0     0     0
\t  mirror-0                               ONLINE       0     0     0
\t    ata-WDC_WD6002FFWX-68TZ4N0_NCGW0001  ONLINE       0     0     0
\t    ata-WDC_WD6002FFWX-68TZ4N0_NCGW0002  ONLINE       0     0     0
\tspares
\t  ata-WDC_WD6002FFWX-68TZ4N0_NCGW0003    AVAIL

errors: No known data errors
"""
NON_NATIVE = """status: One or more devices are configured to use a non-native block size.
\tExpect reduced performance.
action: Replace affected devices with devices that support the
\tconfigured block size, or migrate data to a properly configured
\tpool.
"""
LATE = GOOD.replace("Nov  8 05:25:46 2026", "Aug  8 05:25:46 2026")


def _pool(text: str) -> Pool:
    return read_zpool_status(text)[0]


def _known(pool: Pool, more: ExistingPool | None = None) -> ExistingPool:
    (read,) = existing_pools((pool,), PoolReadings(), READ)
    return read if more is None else replace(more, scans=more.scans or read.scans)


def _more(*properties: tuple[str, str], **more: Any) -> ExistingPool:
    told = tuple(PropertyValue(name=name, value=value) for name, value in properties)
    return ExistingPool(name="tank", origin=READ, properties=told, **more)


def _judged(
    book: RuleBook, text: str, more: ExistingPool | None = None, around: PoolSurroundings | None = None
) -> tuple[Finding, ...]:
    pool = _pool(text)
    return judge_existing(
        book, pool, _known(pool, more), workload=Workload(goal=Goal.SAFETY), version=ZfsVersion(2, 3, 9), today=TODAY,
        host=Host(ram_bytes=16 << 30), around=around,
    )  # fmt: skip


def _violated(book: RuleBook, text: str, more: ExistingPool | None, around: PoolSurroundings | None) -> list[str]:
    return [f.rule_id for f in _judged(book, text, more, around) if f.outcome is Outcome.VIOLATED]


def _dataset(name: str, **told: str) -> ExistingDataset:
    properties = tuple(PropertyValue(name=key, value=value) for key, value in told.items())
    return ExistingDataset(name=name, kind="filesystem", properties=properties)


TWO_MIRRORS = GOOD.replace(
    "\tspares", "\t  mirror-1   ONLINE       0     0     0\n\t    ata-X_A  ONLINE  0  0  0\n\tspares"
)
MIRROR = VdevSizes(name="mirror-0", ashift=9)
ROOM = {"used": "1000000000000", "available": "1000000000000"}
REACHED = {
    "existing.not-online": (GOOD.replace("state: ONLINE", "state: DEGRADED"), None),
    "existing.degraded": (
        GOOD.replace("state: ONLINE", "state: DEGRADED").partition("config:")[0] + "errors: No known data errors\n",
        None,
    ),
    "existing.errors": (
        GOOD.replace("NCGW0001  ONLINE       0     0     0", "NCGW0001  ONLINE       0     0     3"),
        None,
    ),
    "existing.multihost-suspended": (
        GOOD.replace(
            "state: ONLINE\n",
            "state: SUSPENDED\n"
            "status: The pool is suspended because multihost writes failed or were delayed;\n"
            "\tanother system could import the pool undetected.\n"
            "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-MM\n",
        ),
        None,
    ),
    "existing.failing-last-copy": (GOOD.replace("\tspares", "\t  ata-X_A  ONLINE  0  0  2\n\tspares"), None),
    "existing.twice": (GOOD, None),
    "existing.still-serving": (
        GOOD.replace("NCGW0001  ONLINE       0     0     0", "NCGW0001  DEGRADED     0     0     3  too many errors"),
        None,
    ),
    "existing.unrepaired": (
        GOOD.replace(
            "  mirror-0                               ONLINE       0     0     0",
            "  mirror-0                               ONLINE       0     0     4",
        ),
        None,
    ),
    "existing.damaged-files": (GOOD.replace("No known data errors", "2 data errors, use '-v' for a list"), None),
    "existing.spare-in-use": (GOOD.replace("AVAIL", "INUSE     currently in use"), None),
    "existing.small-sectors": (GOOD.replace("  scan:", NON_NATIVE + "  scan:"), None),
    "existing.full": (GOOD, _more(("capacity", "87"), ("fragmentation", "20"))),
    "existing.fragmented": (GOOD, _more(("capacity", "70"), ("fragmentation", "60"))),
    "existing.scrub-overdue": (LATE, None),
    "existing.never-scrubbed": ("\n".join(line for line in GOOD.split("\n") if "scan:" not in line), None),
    "existing.unstable-names": (GOOD.replace("ata-WDC_WD6002FFWX-68TZ4N0_NCGW0001", "sda" + " " * 32), None),
    "existing.resilvering": (
        GOOD.replace("config:", "  scan: resilver in progress since Thu Nov 19 08:28:41 2026\n\t3.66% done\nconfig:"),
        None,
    ),
    "existing.scrub-stopped": (
        GOOD.replace("config:", "  scan: scrub canceled on Thu Nov 19 08:28:41 2026\nconfig:"),
        None,
    ),
    "existing.checkpoint": (GOOD, _more(checkpoint_bytes=1 << 30)),
    "existing.removal-mapping": (GOOD, _more(mapping_bytes=1 << 20)),
    "existing.not-expanded": (GOOD, _more(("expandsize", str(1 << 40)))),
    "existing.expanded": (GOOD, _more(vdevs=(VdevSizes(name="raidz1-0", expansions=1),))),
    "existing.features-disabled": (GOOD, _more(("feature@draid", "disabled"), ("compatibility", "off"))),
    "existing.leaked": (GOOD, _more(("leaked", "512"))),
    "existing.read-only": (GOOD, _more(("readonly", "on"))),
    "existing.dedup-in-vain": (GOOD, _more(("dedupratio", "1.02x"))),
    "existing.keys-missing": (GOOD, _more(datasets=(_dataset("tank/a", keystatus="unavailable"),))),
    "existing.reserved": (
        GOOD,
        _more(datasets=(_dataset("tank", **ROOM), _dataset("tank/v", usedbyrefreservation="600000000000"))),
    ),
    "existing.snapshots-hold": (
        GOOD,
        _more(datasets=(_dataset("tank", **ROOM), _dataset("tank/a", usedbysnapshots="700000000000"))),
    ),
    "existing.data-in-root": (
        GOOD,
        _more(datasets=(_dataset("tank", usedbydataset="100000000", **ROOM), _dataset("tank/a"))),
    ),
    "existing.ashift-mixed": (
        TWO_MIRRORS,
        _more(vdevs=(VdevSizes(name="mirror-0", ashift=12), VdevSizes(name="mirror-1", ashift=9))),
    ),
    "existing.ashift-small": (GOOD, _more(vdevs=(MIRROR,))),
    "existing.autotrim-off": (GOOD, _more(("autotrim", "off"))),
    "existing.no-redundancy-left": (
        GOOD.replace("state: ONLINE", "state: DEGRADED").replace("NCGW0002  ONLINE ", "NCGW0002  UNAVAIL"),
        None,
    ),
    "existing.unusable": (GOOD.replace("state: ONLINE", "state: SUSPENDED"), None),
    "existing.scrub-errors": (GOOD.replace("with 0 errors", "with 3 errors"), None),
    "existing.scrub-repaired": (GOOD.replace("repaired 0B", "repaired 17.9M"), None),
    "existing.moving": (
        GOOD.replace(
            "config:", "expand: expansion of raidz1-0 in progress since Fri Nov 20 08:30:16 2026\n\t3.08% done\nconfig:"
        ),
        None,
    ),
    "existing.errata": (GOOD.replace("  scan:", "status: Errata #4 detected.\n  scan:"), None),
    "existing.other-host": (
        GOOD.replace("  scan:", "status: Mismatch between pool hostid and system hostid on imported pool.\n  scan:"),
        None,
    ),
    "existing.nearly-full": (GOOD, _more(("capacity", "96"), ("fragmentation", "20"))),
    "existing.special-full": (
        GOOD.replace("\tspares", "\tspecial\n\t  nvme-A   ONLINE       0     0     0\n\tspares"),
        _more(vdevs=(VdevSizes(name="nvme-A", size_bytes=100 << 30, allocated_bytes=80 << 30),)),
    ),
    "existing.uneven-fill": (
        TWO_MIRRORS,
        _more(
            vdevs=(
                VdevSizes(name="mirror-0", size_bytes=100 << 30, allocated_bytes=90 << 30),
                VdevSizes(name="mirror-1", size_bytes=100 << 30, allocated_bytes=2 << 30),
            )
        ),
    ),
    "existing.legacy-version": (GOOD, _more(("version", "28"))),
    "existing.cachefile-none": (GOOD, _more(("cachefile", "none"))),
    "existing.failmode-panic": (GOOD, _more(("failmode", "panic"))),
    "existing.quota-near": (GOOD, _more(datasets=(_dataset("tank/a", quota="1000000", used="950000"),))),
    "existing.key-inside": (
        GOOD,
        _more(
            datasets=(
                _dataset("tank", mountpoint="/tank"),
                _dataset("tank/v", encryptionroot="tank/v", keylocation="file:///tank/v.key", mountpoint="/vault"),
            )
        ),
    ),
    "existing.stranded": (GOOD, None),
    "existing.dedup-table": (GOOD, _more(("dedup_table_size", str(8 << 30)), ("dedupratio", "3.00x"))),
}
# What the disks of the pool add to what the tools tell.
AROUND = {
    "existing.ashift-small": PoolSurroundings(sector_bytes={"mirror-0": 4096}),
    "existing.autotrim-off": PoolSurroundings(flash=True),
    "existing.twice": PoolSurroundings(twice=("ata-X",)),
    "existing.stranded": PoolSurroundings(disk_bytes=10 << 40, stranded_bytes=2 << 40),
}


def test_that_a_good_pool_draws_nothing(shipped: RuleBook) -> None:
    told = [f.rule_id for f in _judged(shipped, GOOD, _more(("capacity", "60"), ("fragmentation", "9")))
            if f.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL)]  # fmt: skip
    assert told == []


def test_that_every_rule_on_existing_pools_is_reached(shipped: RuleBook) -> None:
    assert {rule.id for rule in shipped.rules if rule.scope is Scope.EXISTING} == REACHED.keys()


# vdev that bears no further failure lacks a device, which is a finding of its own.
ALONE = REACHED.keys() - {"existing.no-redundancy-left"}


def test_that_a_vdev_at_its_limit_is_found_beside_the_device_it_lacks(shipped: RuleBook) -> None:
    text, more = REACHED["existing.no-redundancy-left"]
    assert _violated(shipped, text, more, None) == ["existing.no-redundancy-left", "existing.not-online"]


@pytest.mark.parametrize("rule_id", sorted(ALONE))
def test_that_the_pool_violates_this_rule_alone(rule_id: str, shipped: RuleBook) -> None:
    text, more = REACHED[rule_id]
    assert _violated(shipped, text, more, AROUND.get(rule_id)) == [rule_id]


def test_that_an_unknown_fill_level_is_not_reported_as_a_fault(shipped: RuleBook) -> None:
    assert "existing.full" not in {finding.rule_id for finding in _judged(shipped, GOOD)}


def _known_of(text: str) -> ExistingPool:
    return _known(_pool(text))


def test_that_the_day_of_the_scrub_is_read_in_any_language_of_the_user() -> None:
    assert last_scrub(_known_of(GOOD)) == date(2026, 11, 8)
    older = GOOD.replace("repaired 0B in 05:01:44", "repaired 0 in 0 days 00:19:47")
    assert last_scrub(_known_of(older)) == date(2026, 11, 8)


def test_that_a_rebuild_or_a_scrub_under_way_is_no_finished_scrub() -> None:
    assert last_scrub(_known_of(GOOD.replace("scrub repaired 0B in", "resilvered 21K in"))) is None
    running = GOOD.replace("scrub repaired 0B in 05:01:44 with 0 errors on", "scrub in progress since")
    assert last_scrub(_known_of(running)) is None
    assert last_scrub(_known_of(GOOD.replace("Nov  8 05", "Nov 31 05"))) is None


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recordings are not here")
def test_that_recorded_pools_are_judged_and_the_sick_ones_noticed(shipped: RuleBook) -> None:
    seen: dict[str, list[str]] = {}
    for path in sorted(CORPUS.glob("local__vm__*.txt")):
        pools = read_zpool_status(path.read_text(encoding="utf-8"))
        for pool in pools:
            findings = judge_existing(
                shipped,
                pool,
                _known(pool),
                workload=Workload(goal=Goal.SAFETY),
                version=ZfsVersion(2, 3, 9),
                today=TODAY,
            )
            seen.setdefault(path.name, []).extend(f.rule_id for f in findings if f.outcome is Outcome.VIOLATED)
    sick = [name for name in seen if "faulted" in name or ("removed" in name and "mpool" in name)]
    assert sick
    assert all("existing.not-online" in seen[name] for name in sick if "faulted" in name)
    assert all("existing.spare-in-use" in told for name, told in seen.items() if "spare_inuse" in name)
    assert all("existing.errors" in told for name, told in seen.items() if "cksum_errors" in name)
