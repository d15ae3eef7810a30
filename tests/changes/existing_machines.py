"""Machines with pools that were made in a virtual machine, read by the collector, for the tests of existing pools."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeVar

from tests.cases import table

from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.domain.host import Inventory
from poolwright.rule_library import load_shipped
from poolwright.store.capture_files import open_captures
from poolwright.table_library import load_drive_book

FOLDER = Path(__file__).parents[1] / "machines" / "existing"
TODAY = date(2026, 11, 24)
T = TypeVar("T")
# A degraded disk, checksum errors and a lone special device: what once read “ONLINE: 3 devices”.
SICK: str = table(__file__, "sick")


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
