"""Pools that are not whole, or at work on themselves: the names, findings and commands that fit them now."""

from pathlib import Path

from tests.advise.existing_machines import TODAY, rules_of

from poolwright.advise.existing.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.emit.remedies import remedy_of
from poolwright.inventory.recorded import open_captures
from poolwright.rule_library import load_shipped

HEAD = """  pool: tank
 state: {state}
  scan: {scan}
config:

\tNAME                 STATE     READ WRITE CKSUM
"""
TAIL = "\nerrors: No known data errors\n"
SCRUBBED = "scrub repaired 0B in 05:42:32 with 0 errors on Sun Nov 22 09:06:21 2026"
RESILVERING = """resilver in progress since Tue Nov 24 14:34:25 2026
\t3.51T scanned at 13.4G/s, 1.59T issued 6.07G/s, 6.13T total
\t326G resilvered, 57.17% done, 00:03:21 to go"""


def audit_of(tree: str, folder: Path, *, state: str = "ONLINE", scan: str = SCRUBBED) -> PoolAudit:
    """Return the audit of a pool of which `zpool status` alone is known; ``tree`` are lines without their tab."""
    lines = [f"\t{line}\n" for line in tree.strip("\n").splitlines()]
    (folder / "status.txt").write_text(HEAD.format(state=state, scan=scan) + "".join(lines) + TAIL, encoding="utf-8")
    (audit,) = audit_machine(load_shipped(), open_captures([folder / "status.txt"]), AuditRequest.usual(TODAY))
    return audit


def commands(audit: PoolAudit, rule: str) -> tuple[str, ...]:
    return remedy_of(next(f for f in audit.findings if f.rule_id == rule), audit).commands


def all_commands(audit: PoolAudit) -> list[str]:
    return [line for finding in audit.findings for line in remedy_of(finding, audit).commands]


def test_that_vdevs_have_the_names_that_zpool_status_prints(tmp_path: Path) -> None:
    """After a removal the numbers have gaps, and support vdevs have numbers among those of the data."""
    tree = """
tank           ONLINE       0     0     0
  mirror-1     ONLINE       0     0     0
    ata-A      ONLINE       0     0     0
    ata-B      ONLINE       0     0     0
  mirror-4     ONLINE       0     0     0
    ata-C      ONLINE       0     0     0
    ata-D      ONLINE       0     0     0
"""
    told = next(f for f in audit_of(tree, tmp_path).findings if f.rule_id == "redundancy.one-failure-for-safety")
    assert told.subject == "mirror-1, mirror-4"
    assert told.text.startswith("each of mirror-1, mirror-4 ")


def test_that_a_draid_is_called_what_zpool_calls_it(tmp_path: Path) -> None:
    disks = "".join(f"    ata-{n:02d}             ONLINE       0     0     0\n" for n in range(8))
    tree = f"""
tank                 ONLINE       0     0     0
  draid1:4d:8c:1s-0  ONLINE       0     0     0
{disks}spares
  draid1-0-0         AVAIL
"""
    told = next(f for f in audit_of(tree, tmp_path).findings if f.rule_id == "redundancy.one-failure-for-safety")
    assert told.subject == "draid1:4d:8c:1s-0"
