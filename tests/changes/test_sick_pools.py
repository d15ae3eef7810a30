"""Pools that are not whole, or at work on themselves: the names, findings and commands that fit them now."""

from pathlib import Path

import pytest
from tests.cases import table
from tests.changes.existing_machines import TODAY, rules_of
from tests.design.half_known import read

from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.emit.remedies import first_steps, remedy_of
from poolwright.emit.report_pools import free_mends
from poolwright.rule_library import load_shipped

TREES: dict[str, str] = table(__file__, "trees")
FAILED, WITH_SPARE, DRAID = TREES["failed"], TREES["with_spare"], TREES["draid"]
STANDS_IN, REPLACING, LEAVING = TREES["stands_in"], TREES["replacing"], TREES["leaving"]
HEAD = "  pool: tank\n state: {state}\n  scan: {scan}\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
SCRUBBED = "scrub repaired 0B in 05:42:32 with 0 errors on Sun Nov 22 09:06:21 2026"
MOVING = """none requested
remove: Evacuation of /dev/sdaf1 in progress since Fri Nov 20 08:42:44 2026
\t17.0M copied out of 17.0M at 17.0M/s, 100.00% done, 0h0m to go"""
RESILVERED = "resilvered 1T in 01:00:00 with 0 errors on Tue Nov 24 06:06:21 2026"
RESILVERING = """resilver in progress since Tue Nov 24 14:34:25 2026
\t3.51T scanned at 13.4G/s, 1.59T issued 6.07G/s, 6.13T total
\t326G resilvered, 57.17% done, 00:03:21 to go"""


def status_of(tree: str, state: str = "DEGRADED", scan: str = RESILVERED) -> str:
    """Return what `zpool status` prints of a pool with these rows."""
    rows = "".join(f"\t{line}\n" for line in tree.strip("\n").splitlines())
    return f"{HEAD.format(state=state, scan=scan)}{rows}\nerrors: No known data errors\n"


def audit_of(tree: str, folder: Path, *, state: str = "ONLINE", scan: str = SCRUBBED, **files: str) -> PoolAudit:
    """Return the audit of a pool; ``tree`` are lines of `zpool status`, ``files`` what else printed of it."""
    inventory = read(folder, status_of(tree, state, scan), *files.values())
    (audit,) = audit_machine(load_shipped(), inventory, AuditRequest.usual(TODAY))
    return audit


def commands(audit: PoolAudit, rule: str) -> tuple[str, ...]:
    return remedy_of(next(f for f in audit.findings if f.rule_id == rule), audit).commands


def all_commands(audit: PoolAudit) -> list[str]:
    return [line for finding in audit.findings for line in remedy_of(finding, audit).commands]


def test_that_vdevs_have_the_names_that_zpool_status_prints(tmp_path: Path) -> None:
    """After a removal the numbers have gaps, and support vdevs have numbers among those of the data."""
    tree = TREES["gaps"]
    told = next(f for f in audit_of(tree, tmp_path).findings if f.rule_id == "redundancy.pair-for-safety")
    assert told.subject == "mirror-1, mirror-4"
    assert told.text.startswith("Each of mirror-1, mirror-4 ")


def test_that_names_that_a_person_masked_are_no_disk_with_two_places(tmp_path: Path) -> None:
    audit = audit_of(TREES["masked"], tmp_path, state="DEGRADED")
    assert not {"existing.twice", "members.same-disk-twice"} & {finding.rule_id for finding in audit.findings}
    assert first_steps((audit,))[0].finding.rule_id == "existing.not-online"
    assert audit.made is not None
    assert audit.made.failed() == [(0, 0)]


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


def test_that_a_draid_whose_distributed_spare_is_being_filled_bears_no_further_failure(tmp_path: Path) -> None:
    """Every child is printed as resilvering then, for all of them are written to; each is whole but the lost one."""
    audit = audit_of(DRAID, tmp_path, state="DEGRADED", scan=RESILVERING)
    assert "existing.no-redundancy-left" in rules_of(audit)
    assert "redundancy.one-failure-for-safety" not in rules_of(audit)  # which would say that it bears one more
    after = audit_of(DRAID.replace("(resilvering)", ""), tmp_path, state="DEGRADED", scan=RESILVERED)
    assert "existing.no-redundancy-left" not in rules_of(after)
    two = DRAID.replace("draid1:", "draid2:")
    assert "existing.no-redundancy-left" not in rules_of(audit_of(two, tmp_path, state="DEGRADED", scan=RESILVERING))


def test_that_errors_of_a_disk_that_was_given_up_are_not_cleared(tmp_path: Path) -> None:
    """`zpool clear` puts it back to work, and a scrub is what a vdev without redundancy is to be spared."""
    for scan in (SCRUBBED, SCRUBBED.replace("0B", "17.9M")):
        audit = audit_of(FAILED, tmp_path, state="DEGRADED", scan=scan)
        assert not [line for line in all_commands(audit) if line.startswith(("zpool clear", "zpool scrub"))]
        assert "existing.errors" not in rules_of(audit)


def test_that_beside_a_lost_disk_the_errors_of_the_next_one_stay_until_it_has_been_replaced(tmp_path: Path) -> None:
    """Cleared, they could not tell any more which disk the resilver may lose."""
    two = TREES["two_failed"].replace("ata-B          FAULTED  ", "ata-B          ONLINE   ")
    audit = audit_of(two, tmp_path, state="DEGRADED", scan=SCRUBBED.replace("0B", "17.9M"))
    first, then, *__ = first_steps((audit,))
    assert (first.finding.rule_id, then.finding.rule_id) == ("existing.doubtful-beside-lost", "existing.not-online")
    assert first.commands == ("smartctl -x /dev/disk/by-id/ata-B",)
    assert "Check the backup first" in first.advice
    assert not [line for line in all_commands(audit) if line.startswith(("zpool clear", "zpool scrub"))]
    assert not {"existing.errors", "existing.scrub-repaired"} & rules_of(audit)
    three = audit_of(two.replace("raidz2", "raidz3"), tmp_path, state="DEGRADED", scan=SCRUBBED)
    assert "existing.errors" in rules_of(three)  # it bears a further one
    assert remedy_of(next(f for f in three.findings if f.rule_id == "existing.errors"), three).then


def test_that_errors_are_cleared_of_the_devices_that_work_after_a_look_at_them(tmp_path: Path) -> None:
    tree = FAILED.replace("FAULTED ", "ONLINE  ").replace("DEGRADED", "ONLINE  ")
    assert commands(audit_of(tree, tmp_path), "existing.errors") == (
        "smartctl -x /dev/disk/by-id/ata-A", "zpool clear tank", "zpool scrub tank",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("member", "disk"),
    [
        ("/dev/sdm1", "/dev/sdm"),
        ("sdm1", "/dev/sdm"),
        ("/dev/nvme0n1p2", "/dev/nvme0n1"),
        ("/dev/disk/by-id/wwn-0x5000c50000000000-part1", "/dev/disk/by-id/wwn-0x5000c50000000000"),
        ("/dev/disk/by-id/ata-ST8000VN004_WSD4EYE1", "/dev/disk/by-id/ata-ST8000VN004_WSD4EYE1"),
    ],
)
def test_that_a_drive_and_not_its_partition_is_asked_how_it_is(tmp_path: Path, member: str, disk: str) -> None:
    tree = FAILED.replace("FAULTED ", "ONLINE  ").replace("DEGRADED", "ONLINE  ").replace("ata-A", member)
    assert commands(audit_of(tree, tmp_path), "existing.errors")[0] == f"smartctl -x {disk}"


def test_that_a_spare_that_waits_takes_the_place_of_a_failed_disk(tmp_path: Path) -> None:
    """Nothing has to be bought first, and the distributed spare of another dRAID is none for a mirror."""
    audit = audit_of(WITH_SPARE, tmp_path, state="DEGRADED")
    assert commands(audit, "existing.no-redundancy-left") == ("zpool replace tank ata-A ata-S",)
    assert commands(audit_of(FAILED, tmp_path, state="DEGRADED"), "existing.no-redundancy-left") == (
        "zpool replace tank ata-A '/dev/disk/by-id/<new disk 1>'",
    )


def test_that_two_failed_disks_are_not_given_the_same_spare(tmp_path: Path) -> None:
    tree = TREES["two_failed"]
    assert commands(audit_of(tree, tmp_path, state="DEGRADED"), "existing.no-redundancy-left") == (
        "zpool replace tank ata-A ata-S",
        "zpool replace tank ata-B '/dev/disk/by-id/<new disk 1>'",
    )


def listed(audit: PoolAudit) -> list[str]:
    return [line for step in first_steps((audit,)) for line in step.commands if line.startswith("zpool")]


@pytest.mark.parametrize(
    ("tree", "first", "then"), [(WITH_SPARE, "ata-S", "<new disk 1>"), (FAILED, "<new disk 1>", "<new disk 2>")]
)
def test_that_a_disk_that_still_reads_is_replaced_after_the_lost_one_and_by_another_disk(
    tmp_path: Path, tree: str, first: str, then: str
) -> None:
    """The one spare goes to what is gone; to take out the last copy first would cost the data."""
    tree = tree.replace("ONLINE       0     0     0", "ONLINE       5     0     3")
    audit = audit_of(tree, tmp_path, state="DEGRADED")
    lost, wait, worn = listed(audit)[:3]
    assert (lost[:24], first in lost) == ("zpool replace tank ata-A", True)
    assert wait == "zpool wait -t resilver tank"
    assert (worn[:24], then in worn) == ("zpool replace tank ata-B", True)
    assert tuple(listed(audit)[:3]) == commands(audit, "existing.no-redundancy-left")


def test_that_a_spare_is_kept_for_a_lost_disk_of_another_vdev_and_no_number_given_to_two_new_disks(
    tmp_path: Path,
) -> None:
    worn = """  mirror-1         DEGRADED     0     0     0
    ata-C          DEGRADED     0     0    40  too many errors
    ata-D          ONLINE       0     0     0
"""
    audit = audit_of(FAILED.replace("  mirror-0", f"{worn}  mirror-0"), tmp_path, state="DEGRADED")
    assert [line.split("<")[-1] for line in listed(audit)] == ["new disk 1>'", "new disk 2>'"]
    audit = audit_of(WITH_SPARE.replace("  mirror-0", f"{worn}  mirror-0"), tmp_path, state="DEGRADED")
    assert commands(audit, "existing.still-serving") == ("zpool replace tank ata-C '/dev/disk/by-id/<new disk 1>'",)
    assert [line for line in listed(audit) if "ata-S" in line] == ["zpool replace tank ata-A ata-S"]


def test_that_a_disk_that_could_not_be_opened_is_brought_online_before_it_is_replaced(tmp_path: Path) -> None:
    tree = FAILED.replace("FAULTED", "UNAVAIL")
    assert commands(audit_of(tree, tmp_path, state="DEGRADED"), "existing.no-redundancy-left") == (
        "zpool online tank ata-A",
        "zpool replace tank ata-A '/dev/disk/by-id/<new disk 1>'",
    )
    # Nor is the last copy replaced before anybody knows whether one that was taken out is back.
    tree = FAILED.replace("FAULTED", "OFFLINE").replace("ONLINE       0     0     0", "ONLINE       5     0     3")
    assert listed(audit_of(tree, tmp_path, state="DEGRADED")) == ["zpool online tank ata-A"]


def test_that_a_draid_takes_its_own_distributed_spare(tmp_path: Path) -> None:
    tree = DRAID.replace("    spare-2           DEGRADED     0     0     0\n", "").replace(
        "      draid1-0-0      ONLINE       0     0     0  (resilvering)\n", ""
    )
    tree = tree.replace("      ata-C ", "    ata-C ").replace("(resilvering)", "").replace("INUSE ", "AVAIL ")
    tree = tree.replace("currently in use", "")
    audit = audit_of(tree, tmp_path, state="DEGRADED")
    assert commands(audit, "existing.no-redundancy-left") == ("zpool replace tank ata-C draid1-0-0",)


def test_that_a_disk_that_was_pulled_out_is_brought_back_before_it_is_replaced(tmp_path: Path) -> None:
    tree = FAILED.replace("FAULTED      5   257     0  too many errors", "REMOVED      0     0     0")
    audit = audit_of(tree, tmp_path, state="DEGRADED")
    assert commands(audit, "existing.not-online") == ("zpool online tank ata-A",)


def test_that_a_disk_for_which_a_spare_stands_in_is_told_to_be_replaced_once(tmp_path: Path) -> None:
    audit = audit_of(STANDS_IN, tmp_path, state="DEGRADED", scan=RESILVERED)
    assert [line for line in all_commands(audit) if line.startswith("zpool replace")] == [
        "zpool replace tank ata-A '/dev/disk/by-id/<new disk 1>'"
    ]


def test_that_nothing_is_replaced_or_exported_while_it_is_being_replaced(tmp_path: Path) -> None:
    nested = DRAID.replace(
        "      ata-C           UNAVAIL      0     0     0\n",
        "      replacing-0     DEGRADED     0     0     0\n"
        "        ata-C         UNAVAIL      0     0     0\n"
        "        sdx           ONLINE       0     0     0  (resilvering)\n",
    )
    for tree in (REPLACING, nested, STANDS_IN):
        audit = audit_of(tree, tmp_path, state="DEGRADED", scan=RESILVERING)
        assert not [line for line in all_commands(audit) if not line.startswith("zpool wait")]


def test_that_a_log_that_is_gone_is_not_mirrored(tmp_path: Path) -> None:
    tree = TREES["log_gone"]
    assert not [line for line in all_commands(audit_of(tree, tmp_path, state="DEGRADED")) if "attach" in line]


def test_that_a_scrub_that_was_stopped_is_told_once(tmp_path: Path) -> None:
    tree = FAILED.replace("FAULTED      5   257     0  too many errors", "ONLINE  0 0 0").replace("DEGRADED", "ONLINE")
    told = rules_of(audit_of(tree, tmp_path, scan="scrub canceled on Tue Nov 24 06:06:21 2026"))
    assert told & {"existing.scrub-stopped", "existing.never-scrubbed"} == {"existing.scrub-stopped"}


def test_that_a_pool_at_work_on_itself_is_left_alone(tmp_path: Path) -> None:
    """OpenZFS attaches nothing while a vdev leaves; after an expansion it scrubs by itself."""
    audit = audit_of(LEAVING, tmp_path, scan=MOVING)
    assert "redundancy.none-for-safety" in rules_of(audit)
    assert all_commands(audit) == ["zpool status tank"]
    moving = next(f for f in audit.findings if f.rule_id == "existing.moving")
    assert moving.text == "tank: /dev/sdaf1 is being removed."


def test_that_no_rewrite_is_proposed_for_some_bytes_of_a_mapping(tmp_path: Path) -> None:
    scan = "none requested\nremove: Removal of vdev 0 copied 20.6M in 0h0m, completed on Fri Nov 20 08:29:42 2026\n"
    scan += "\t192 memory used for removed device mappings"
    audit = audit_of(LEAVING, tmp_path, scan=scan)
    assert "existing.removal-mapping" in rules_of(audit)
    assert not [line for line in all_commands(audit) if "rewrite" in line]


def test_that_what_mends_two_findings_is_told_once(tmp_path: Path) -> None:
    audit = audit_of(WITH_SPARE, tmp_path, state="DEGRADED")
    assert {"existing.no-redundancy-left", "existing.not-online"} <= rules_of(audit)
    assert [mend.commands for mend in free_mends(audit)] == [("zpool replace tank ata-A ata-S",)]


def test_that_an_owner_is_told_of_the_redundancy_of_his_own_kind_of_vdev(tmp_path: Path) -> None:
    """Of mirrors a side can join, of parity nothing: nobody is told of the other kind."""
    rows = "".join(f"    ata-{n}        ONLINE       0     0     0\n" for n in "ABCD")
    for kind, own, other in (
        ("mirror-0 ", "zpool attach", "raidz"),
        ("raidz1-0 ", "parity of a raidz or dRAID", "mirror"),
        ("raidz1-1 ", "parity of a raidz or dRAID", "zpool attach"),
        ("draid1:2d:4c:0s-0", "parity of a raidz or dRAID", "mirror"),
    ):
        many = {"mirror-0 ": 2, "raidz1-1 ": 3}.get(kind)
        members = "".join(rows.splitlines(keepends=True)[:many])
        audit = audit_of(f"\ntank    ONLINE       0     0     0\n  {kind}   ONLINE  0  0  0\n{members}", tmp_path)
        (told,) = [f for f in audit.findings if f.rule_id.startswith("redundancy.")]
        assert own in told.advice
        assert other not in f"{told.text} {told.why} {told.advice}"


def test_that_a_disk_that_was_only_pulled_out_comes_back_instead_of_being_replaced(tmp_path: Path) -> None:
    tree = DRAID.replace("(resilvering)", "").replace("UNAVAIL", "REMOVED")
    audit = audit_of(tree, tmp_path, state="DEGRADED")
    (told,) = [f for f in audit.findings if f.rule_id == "existing.spare-in-use"]
    online, *tests = remedy_of(told, audit).commands
    assert online == "zpool online tank ata-C"
    assert all(line.startswith("smartctl ") for line in tests)
