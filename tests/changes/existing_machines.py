"""Machines with pools that were made in a virtual machine, read by the collector, for the tests of existing pools."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeVar

from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.domain.host import Inventory
from poolwright.rule_library import load_shipped
from poolwright.store.capture_files import open_captures
from poolwright.table_library import load_drive_book

FOLDER = Path(__file__).parents[1] / "machines" / "existing"
TODAY = date(2026, 11, 24)
T = TypeVar("T")
# A degraded disk, checksum errors and a lone special device: what once read “ONLINE: 3 devices”.
SICK = """  pool: tank
 state: ONLINE
status: One or more devices has experienced an unrecoverable error.
  scan: scrub repaired 17.9M in 00:00:03 with 0 errors on Fri Nov 20 09:06:21 2026
config:

\tNAME                                     STATE     READ WRITE CKSUM
\ttank                                     ONLINE       0     0     0
\t  mirror-0                               DEGRADED     0     0     0
\t    ata-WDC_WD6002FFWX-68TZ4N0_NCGW0001  FAULTED      0     0     0  too many errors
\t    ata-WDC_WD6002FFWX-68TZ4N0_NCGW0002  ONLINE       0     0 13.2K
\tspecial
\t  nvme-INTEL_SSDPE2KX010T8_BTLJ0001      ONLINE       0     0     0

errors: No known data errors
"""


def given(value: T | None) -> T:
    """Return what is there."""
    assert value is not None
    return value


@cache
def machine(name: str) -> Inventory:
    """Return the machine ``good``, ``expanded``, ``wrong`` or ``audited``."""
    return open_captures([FOLDER / f"{name}.capture"])


@cache
def audits(name: str) -> dict[str, PoolAudit]:
    found = audit_machine(load_shipped(), machine(name), AuditRequest.usual(TODAY), load_drive_book())
    return {audit.pool.name: audit for audit in found}


def rules_of(audit: PoolAudit) -> set[str]:
    return {finding.rule_id for finding in audit.findings}
