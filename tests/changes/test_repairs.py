"""What an administrator is told to do with a pool in trouble: the step that saves the data and none that loses it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cases import table
from tests.changes.existing_machines import TODAY, rules_of
from tests.changes.test_sick_pools import (
    FAILED,
    LEAVING,
    MOVING,
    REPLACING,
    RESILVERED,
    RESILVERING,
    SCRUBBED,
    STANDS_IN,
    TREES,
    audit_of,
    commands,
    listed,
    status_of,
)
from tests.changes.test_told_to_owners import improved
from tests.design.half_known import read

from poolwright.changes.as_design import why_no_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.changes.migration.target import old_pool
from poolwright.domain.disk import Media
from poolwright.domain.errors import Refusal
from poolwright.domain.pool import ExistingDataset, PropertyValue
from poolwright.emit.remedies import FirstStep, first_steps, remedy_of
from poolwright.rule_library import load_shipped

NEW = "'/dev/disk/by-id/<new disk 1>'"


def audits_of(folder: Path, text: str) -> tuple[PoolAudit, ...]:
    return audit_machine(load_shipped(), read(folder, text), AuditRequest.usual(TODAY))


def step(audit: PoolAudit, rule: str) -> FirstStep:
    return next(one for one in first_steps((audit,)) if one.finding.rule_id == rule)


def test_that_a_spare_goes_back_only_after_its_disk_was_tested(tmp_path: Path) -> None:
    """Whoever hands the good spare back puts the data on the disk that was taken out for its errors."""
    tree = STANDS_IN.replace("FAULTED      0     0     0  external device fault", "ONLINE       0     0     7")
    told = step(audit_of(tree, tmp_path, scan=RESILVERED), "existing.spare-in-use")
    assert told.commands == ("smartctl -t long /dev/disk/by-id/ata-A", "smartctl -x /dev/disk/by-id/ata-A")
    assert [one.finding.rule_id for one in first_steps((told.audit,))] == ["existing.spare-in-use"]  # nor is it cleared
    assert told.advice.startswith("Test ata-A before the spare goes back.")
    assert "Only if it is good, `zpool detach` the spare (ata-S)." in told.advice


def test_that_a_failed_disk_never_gets_its_place_back_from_a_spare(tmp_path: Path) -> None:
    told = step(audit_of(STANDS_IN, tmp_path, state="DEGRADED", scan=RESILVERED), "existing.spare-in-use")
    assert told.commands == (f"zpool replace tank ata-A {NEW}",)
    both = STANDS_IN.replace("ata-S          ONLINE ", "ata-S          FAULTED")
    audit = audit_of(both, tmp_path, state="DEGRADED", scan=RESILVERED)
    assert listed(audit)[:2] == ["zpool detach tank ata-S", f"zpool replace tank ata-A {NEW}"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # The new disk died: it goes, and the old place takes another one.
        ("FAULTED ", "FAULTED ", ["zpool detach tank ata-N", f"zpool replace tank ata-A {NEW}"]),
        ("ONLINE  ", "FAULTED ", ["zpool detach tank ata-N", f"zpool replace tank ata-A {NEW}"]),
        # It may only be loose.
        ("ONLINE  ", "REMOVED ", ["zpool online tank ata-N"]),
        ("FAULTED ", "UNAVAIL ", ["zpool online tank ata-N"]),
        # What the new disk lacks may be on the old one, which is only taken out.
        ("OFFLINE ", "ONLINE  ", ["zpool online tank ata-A"]),
        ("ONLINE  ", "ONLINE  ", ["zpool resilver tank"]),
        ("FAULTED ", "ONLINE  ", ["zpool resilver tank"]),
    ],
)
def test_that_a_replacement_that_has_stopped_goes_on(tmp_path: Path, old: str, new: str, told: list[str]) -> None:
    tree = REPLACING.replace("ata-A          FAULTED ", f"ata-A          {old}").replace("(resilvering)", "")
    tree = tree.replace("ata-N          ONLINE  ", f"ata-N          {new}")
    stopped = audit_of(tree, tmp_path, state="DEGRADED", scan=RESILVERED)
    assert "existing.replacing-stopped" in rules_of(stopped)
    assert listed(stopped)[: len(told)] == told
    assert not [line for line in listed(stopped) if line.startswith("zpool detach tank ata-A")]
    running = audit_of(tree, tmp_path, state="DEGRADED", scan=RESILVERING)
    assert "existing.replacing-stopped" not in rules_of(running)


def test_that_the_data_of_a_dying_pool_leave_it_encrypted_or_not(tmp_path: Path) -> None:
    """`zfs send -R` refuses an encrypted dataset without -w, and stops at the first block that it cannot read."""
    audit = audit_of(FAILED.replace("ONLINE       0     0     0", "ONLINE       5     0     3"), tmp_path)

    def sent(encryption: str | None, version: str = "2.2.0") -> str:
        value = (PropertyValue(name="encryption", value=encryption),) if encryption else ()
        known = replace(audit.known, datasets=(ExistingDataset(name="tank/a", kind="filesystem", properties=value),))
        finding = next(f for f in audit.findings if f.rule_id == "existing.failing-last-copy")
        return remedy_of(finding, replace(audit, known=known if encryption else audit.known)).commands[1]

    assert sent("aes-256-gcm").startswith("zfs send -R -w tank@rescue ")
    assert sent(None).startswith("zfs send -R -w tank@rescue ")  # nobody read whether it is
    assert sent("off").startswith("zfs send -R tank@rescue ")
    # Nor is the copy mounted over this very pool at the next start.
    assert sent("off").endswith("zfs receive -u -x mountpoint OTHER-POOL/tank")
    told = step(audit, "existing.failing-last-copy").advice
    assert all(word in told for word in ("dataset by dataset", "rsync", "zfs_send_corrupt_data", "readonly=on"))


def test_that_a_disk_of_a_boot_pool_gets_the_partitions_and_the_boot_loader_of_its_sister(tmp_path: Path) -> None:
    """Nothing but the names in `zpool status` tells here that zpool did not make the partition."""
    (audit,) = audits_of(tmp_path, status_of(TREES["booted"]).replace("pool: tank", "pool: rpool"))
    told = step(audit, "existing.no-redundancy-left")
    assert told.commands == (
        "sgdisk '--replicate=/dev/disk/by-id/<new disk 1>' /dev/disk/by-id/nvme-eui.0002",
        "sgdisk --randomize-guids '/dev/disk/by-id/<new disk 1>'",
        "zpool replace rpool nvme-eui.0001-part3 '/dev/disk/by-id/<new disk 1>-part3'",
    )
    assert "proxmox-boot-tool" in told.remedy.then
    (audit,) = audits_of(tmp_path, status_of(TREES["booted_alone"], "ONLINE").replace("pool: tank", "pool: rpool"))
    (attach,) = [one for one in first_steps((audit,)) if "attach" in " ".join(one.commands)]
    assert attach.commands[0].startswith("sgdisk '--replicate")
    assert attach.commands[-1] == f"zpool attach rpool nvme-eui.0002-part3 {NEW[:-1]}-part3'"


def test_that_a_pool_that_cannot_be_imported_is_asked_for_by_zpool_import(tmp_path: Path) -> None:
    text = table(__file__, "imported")["unavailable"]
    why, todo = why_no_pool(read(tmp_path, text))
    assert "cannot be imported" in f"{why} {todo}"
    assert "zpool status" not in f"{why} {todo}"
    assert "ata-A_1, ata-A_2" in todo
    assert "zpool import -d /dev/disk/by-id" in todo


def test_that_an_unusable_pool_has_commands_of_its_own(tmp_path: Path) -> None:
    told = step(audit_of(TREES["unusable"], tmp_path, state="SUSPENDED"), "existing.unusable")
    assert told.commands == ("zpool clear tank",)
    assert told.advice.startswith("First connect what is missing")
    told = step(audit_of(TREES["unusable"], tmp_path, state="UNAVAIL"), "existing.unusable")
    assert told.commands == ("zpool export tank", "zpool import -d /dev/disk/by-id tank")
    assert "readonly=on" in told.advice


def test_that_a_failed_disk_is_replaced_during_an_expansion_which_waits_for_it_and_not_during_a_removal(
    tmp_path: Path,
) -> None:
    """`zpool attach` is no advice either while the pool is at work on itself."""
    tree = FAILED.replace("mirror-0 ", "raidz1-0 ") + "    ata-C          ONLINE       0     0     0\n"
    scan = "none requested\nexpand: expansion of raidz1-0 in progress since Sun Nov 29 08:30:16 2026\n"
    scan += "\t4.65T / 15.1T copied at 104M/s, 30.8% done, 1 days 04:00:31 to go"
    expanding = audit_of(tree, tmp_path, state="DEGRADED", scan=scan)
    assert f"zpool replace tank ata-A {NEW}" in listed(expanding)
    leaving = audit_of(LEAVING, tmp_path, scan=MOVING)
    assert not [one for one in first_steps((leaving,)) if "zpool attach" in one.advice]
    assert "removal" in step(leaving, "redundancy.none-for-safety").remedy.then


def test_that_openzfs_0_8_is_told_no_word_that_came_later(tmp_path: Path) -> None:
    inventory = read(tmp_path, status_of(REPLACING, scan=RESILVERING), "zfs-0.8.6-1\nzfs-kmod-0.8.6-1\n")
    inventory = replace(inventory, host=replace(inventory.host, zfs_version="0.8.6"))
    for made in (True, False):
        (audit,) = audit_machine(load_shipped(), inventory, AuditRequest.usual(TODAY))
        audit = audit if made else replace(audit, made=None)
        assert step(audit, "existing.resilvering").commands[0].startswith("while zpool status tank")


def test_that_every_new_disk_of_all_pools_has_one_number_and_no_number_is_left_out(tmp_path: Path) -> None:
    texts = [status_of(FAILED).replace("tank", name).replace("ata-", f"ata-{name}") for name in ("a", "b")]
    audits = audits_of(tmp_path, "\n".join(texts))
    numbers: dict[str, int] = {}
    for one in first_steps(audits, numbers):
        assert remedy_of(one.finding, one.audit, numbers).commands == one.commands
    told = " ".join(line for one in first_steps(audits) for line in one.commands)
    assert [told.count(f"<new disk {number}>") for number in (1, 2, 3)] == [1, 1, 0]
    # A step that has to wait takes no number.
    tree = FAILED + "logs\n  ata-L            ONLINE       0     0     0\n"
    audit = audit_of(tree, tmp_path, state="DEGRADED")
    numbers = {}
    shown = " ".join(line for f in audit.findings for line in remedy_of(f, audit, numbers).commands)
    assert "<new disk 2>" not in shown


def test_that_errors_on_every_disk_of_a_vdev_are_no_matter_of_disks(tmp_path: Path) -> None:
    """Disks do not go bad all at once: a cable, the controller, memory or power does, and a scrub makes it worse."""
    rows = "".join(f"    ata-{n}  ONLINE       0     0     4\n" for n in "ABC")
    tree = f"tank  ONLINE  0 0 0\n  raidz1-0  ONLINE  0 0 0\n{rows}"
    for state in ("ONLINE ", "DEGRADED"):
        audit = audit_of(tree.replace("ONLINE ", state), tmp_path, scan=SCRUBBED.replace("0B", "1.21M"))
        told = step(audit, "existing.errors-everywhere")
        assert "dmesg" in told.commands
        assert not [line for line in listed(audit) if line.split()[1] in {"clear", "scrub", "replace", "export"}]
        assert "existing.errors" not in rules_of(audit)
    assert commands(audit_of(tree.replace("4\n", "0\n", 1), tmp_path), "existing.errors")[-1] == "zpool scrub tank"


@pytest.mark.parametrize("case", table(__file__, "posted"), ids=lambda case: case["title"])
def test_that_what_owners_post_is_answered_as_an_administrator_would(tmp_path: Path, case: dict[str, Any]) -> None:
    audits = audits_of(tmp_path, case["text"])
    told = [(s.finding.rule_id, "; ".join(filter(None, (*s.commands, s.remedy.then)))) for s in first_steps(audits)]
    assert [": ".join(filter(None, one)) for one in told] == case["now"]
    said = " ".join(f"{f.text} {remedy_of(f, audit)}" for audit in audits for f in audit.findings)
    assert (case["never"] in said, case.get("has", "") in said) == (False, True)


def test_that_no_copy_of_the_pool_of_a_system_is_planned_and_its_flash_gives_way_to_flash(tmp_path: Path) -> None:
    inventory = read(tmp_path, table(__file__, "started")["text"])
    with pytest.raises(Refusal) as refused:
        old_pool(inventory, "rpool")
    assert "the machine starts from it" in refused.value.reasons[0]
    found = improved(inventory, *inventory.imported())
    assert {disk.media for change in found.changes for disk in change.bought} <= {Media.SSD}
    assert any("starts from this pool" in note for note in found.notes)


def test_that_room_which_waits_for_a_command_is_not_bought(tmp_path: Path) -> None:
    (text,) = (case["text"] for case in table(__file__, "posted") if "have to be expanded" in case["title"])
    inventory = read(tmp_path, text)
    found = improved(inventory, *inventory.imported())
    assert found.fill_percent == 28
    assert found.notes[0] == "The figures include the 7.28 TiB that `zpool online -e` adds."
