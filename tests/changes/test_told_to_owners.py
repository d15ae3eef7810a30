"""What is told to the owner of a pool in trouble: nothing that harms, nothing that is false, each device by name."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.changes.existing_machines import TODAY
from tests.design.half_known import read

from poolwright.changes.as_design import design_of_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.changes.improve.improve import improve
from poolwright.changes.improve.pool_change import ChangeKind, ImproveQuestion, PoolImprovements, Urgency
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.migration.target import old_pool
from poolwright.domain.errors import Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.workload import Budget
from poolwright.emit.remedies import remedy_of
from poolwright.emit.report_pools import steps_of_change
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book

ZERO = "0     0     0"


def status(
    tree: str, *, state: str = "ONLINE", scan: str = "none requested", errors: str = "No known data errors"
) -> str:
    rows = "".join(f"\t{row}\n" for row in tree.strip("\n").splitlines())
    head = f"  pool: tank\n state: {state}\n  scan: {scan}\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n"
    return f"{head}{rows}\nerrors: {errors}\n"


def sizes(tree: str, full: int = 82) -> str:
    """Return `zpool list -v` of the same tree, as full as that."""
    size = 5_995_774_345_216
    head = "NAME  SIZE  ALLOC  FREE  CKPOINT  EXPANDSZ  FRAG  CAP  DEDUP  HEALTH  ALTROOT\n"
    numbers = f"{size}  {size * full // 100}  {size * (100 - full) // 100}  -  -  5%  {full}%"
    lines = [head, f"tank  {numbers}  1.00x  ONLINE  -\n"]
    for row in tree.strip("\n").splitlines()[1:]:
        words, indent = row.split(), len(row) - len(row.lstrip())
        if not indent:
            lines.append("spare  -  -  -  -  -  -  -  -  -\n")
            continue
        shown = numbers if row[2:7].startswith(("raidz", "mirro")) else "6001164206080  -  -  -  -  -  -"
        lines.append(f"{' ' * indent}{words[0]}  {shown}  -  {words[1]}\n")
    return "".join(lines)


def machine(folder: Path, tree: str, **more: str) -> tuple[Inventory, Pool]:
    inventory = read(folder, status(tree, **more), sizes(tree))
    (pool,) = inventory.imported()
    return inventory, pool


def audited(folder: Path, tree: str, **more: str) -> PoolAudit:
    inventory, _ = machine(folder, tree, **more)
    return audit_machine(load_shipped(), inventory, AuditRequest.usual(TODAY))[0]


def improved(inventory: Inventory, pool: Pool) -> PoolImprovements:
    from poolwright.catalogue_library import shipped_catalogue

    question = ImproveQuestion(
        budget=Budget(currency="USD"), catalogue=shipped_catalogue(), drives=load_drive_book(), today=TODAY
    )
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    return improve(design_of_pool(inventory, pool), known, question)


SUSPENDED = f"""
tank        UNAVAIL  {ZERO}  insufficient replicas
  raidz1-0  UNAVAIL  {ZERO}
    ata-A   ONLINE   {ZERO}
    ata-B   UNAVAIL  {ZERO}
    ata-C   UNAVAIL  {ZERO}
"""
LOST = "List of errors unavailable: pool I/O is currently suspended"


def test_that_nothing_is_to_be_done_to_a_pool_whose_data_cannot_be_read(tmp_path: Path) -> None:
    inventory, pool = machine(tmp_path, SUSPENDED, state="SUSPENDED", errors=LOST)
    with pytest.raises(Refusal, match="SUSPENDED: its data cannot be read"):
        improved(inventory, pool)
    with pytest.raises(Refusal) as refused:
        old_pool(inventory, "tank")
    assert not any("damaged" in reason for reason in refused.value.reasons)
    live = design_of_pool(inventory, pool).design
    (vdev,) = live.vdevs
    other = replace(live.disks[1], key="new", by_id=("ata-NEW",))
    members = (vdev.members[0], replace(vdev.members[1], disk_key="new"), vdev.members[2])
    wanted = replace(live, vdevs=(replace(vdev, members=members),), disks=(*live.disks, other))
    found = compare_with_live(wanted, inventory, pool)
    assert found.differences
    assert not found.steps


SPARED = f"""
tank          DEGRADED  {ZERO}
  raidz2-0    DEGRADED  {ZERO}
    ata-A     ONLINE    {ZERO}
    spare-1   DEGRADED  {ZERO}
      ata-B   FAULTED   {ZERO}  too many errors
      ata-S   ONLINE    {ZERO}
    ata-C     ONLINE    {ZERO}
    ata-D     ONLINE    {ZERO}
spares
  ata-S       INUSE     currently in use
  ata-T       AVAIL
"""


def test_that_a_disk_for_which_a_spare_stands_in_gets_no_second_one(tmp_path: Path) -> None:
    found = improved(*machine(tmp_path, SPARED, state="DEGRADED", scan="resilvered 1T in 01:00:00 with 0 errors on "
                              "Tue Nov 24 06:06:21 2026"))  # fmt: skip
    change = next(one for one in found.changes if one.kind is ChangeKind.REPLACE_FAILING)
    assert "ata-S stands in for ata-B" in " ".join(change.minds)
    assert "ata-T" not in " ".join(change.minds)


REPLACING = f"""
tank             DEGRADED  {ZERO}
  raidz2-0       DEGRADED  {ZERO}
    ata-A        ONLINE    {ZERO}
    replacing-1  DEGRADED  {ZERO}
      ata-B      OFFLINE   {ZERO}
      ata-N      ONLINE    {ZERO}  (resilvering)
    ata-C        ONLINE    {ZERO}
    ata-D        ONLINE    {ZERO}
"""


def test_that_nothing_is_begun_while_a_disk_is_being_filled(tmp_path: Path) -> None:
    inventory, pool = machine(tmp_path, REPLACING, state="DEGRADED",
                              scan="resilver in progress since Tue Nov 24 08:28:41 2026\n\t15.63% done")  # fmt: skip
    found = improved(inventory, pool)
    assert any("the running resilver has ended" in note for note in found.notes)
    others = [one for one in found.changes if one.urgency is not Urgency.FIRST]
    assert others
    assert not any(steps_of_change(one, inventory, pool) for one in others)


GONE = f"""
tank                     DEGRADED  {ZERO}
  raidz1-0               DEGRADED  {ZERO}
    ata-A                ONLINE    {ZERO}
    1234567890123456789  UNAVAIL   {ZERO}  was /dev/disk/by-id/ata-B-part1
    ata-C                ONLINE    {ZERO}
"""


def test_that_a_device_that_is_gone_is_called_what_it_was_and_is_no_disk(tmp_path: Path) -> None:
    inventory, pool = machine(tmp_path, GONE, state="DEGRADED")
    assert not any("1234567890123456789" in (disk.path or "") for disk in inventory.disks)
    change = next(one for one in improved(inventory, pool).changes if one.kind is ChangeKind.REPLACE_FAILING)
    assert change.title == "Replace ata-B-part1"
    assert "raidz1-0 survives no failure" in change.why
    (spare,) = (one for one in improved(inventory, pool).changes if one.kind is ChangeKind.SPARE)
    assert any("single raidz" in mind for mind in spare.minds)
    larger = next(one for one in improved(inventory, pool).changes if one.kind is ChangeKind.REPLACE_LARGER)
    exchanged = [step.effect and step.effect.survives for step in steps_of_change(larger, inventory, pool)]
    # The lost disk is replaced first: after that the vdev bears one failure again.
    assert [survives for survives in exchanged if survives is not None] == [1, 1]


def test_that_the_pool_of_a_running_system_is_not_told_to_be_exported(tmp_path: Path) -> None:
    tree = f"\ntank  ONLINE  {ZERO}\n  mirror-0  ONLINE  {ZERO}\n    sda3  ONLINE  {ZERO}\n    sdb3  ONLINE  {ZERO}\n"
    for name, commands in (("tank", 2), ("rpool", 0)):
        text = status(tree).replace("tank", name)
        audit = audit_machine(load_shipped(), read(tmp_path, text), AuditRequest.usual(TODAY))[0]
        (told,) = [f for f in audit.findings if f.rule_id == "existing.unstable-names"]
        assert len(remedy_of(told, audit).commands) == commands


def test_that_a_further_special_vdev_is_as_redundant_as_the_data(tmp_path: Path) -> None:
    rows = "".join(f"    ata-{n}  ONLINE  {ZERO}\n" for n in "ABCDEF")
    tree = f"\ntank  ONLINE  {ZERO}\n  raidz2-0  ONLINE  {ZERO}\n{rows}"
    audit = audited(tmp_path, tree)
    finding = replace(audit.findings[0], rule_id="existing.special-full")
    assert audit.made is not None
    read_too = replace(audit.made, design=replace(audit.made.design, ashift_read=True))
    trial, line = remedy_of(finding, replace(audit, made=read_too)).commands
    assert line.count("<new disk ") == 3
    assert line.startswith("zpool add -o ashift=12 tank special mirror ")  # drives that claim 512 would get 9, for good
    assert trial == line.replace("add", "add -n", 1)


def test_that_a_three_way_mirror_is_not_told_to_become_a_raidz1_for_room(tmp_path: Path) -> None:
    rows = "".join(f"    ata-{n}  ONLINE  {ZERO}\n" for n in "ABC")
    found = improved(*machine(tmp_path, f"\ntank  ONLINE  {ZERO}\n  mirror-0  ONLINE  {ZERO}\n{rows}"))
    assert not any(one.kind is ChangeKind.REBUILD for one in found.changes)
    (spare,) = (one for one in found.changes if one.kind is ChangeKind.SPARE)
    assert not any("single raidz" in mind for mind in spare.minds)
