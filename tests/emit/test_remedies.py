"""What would mend a finding: commands for a person, quoted, and what they leave as it is."""

from dataclasses import replace

from tests.changes.existing_machines import audits, machine

from poolwright.domain.action import OnPool, Verb
from poolwright.domain.pool import PropertyValue
from poolwright.domain.version import ZfsVersion
from poolwright.emit.commands import lines
from poolwright.emit.remedies import Remedy, remedy_of
from poolwright.emit.report import html_text, markdown_text
from poolwright.emit.report_pools import audit_report


def remedy(machine: str, pool: str, rule: str) -> Remedy:
    audit = audits(machine)[pool]
    return remedy_of(next(f for f in audit.findings if f.rule_id == rule), audit)


def test_that_an_offline_disk_comes_back_and_a_lone_special_device_gets_a_second_side() -> None:
    online = remedy("wrong", "tank", "existing.not-online").commands
    assert online == ("zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000",)
    attach = remedy("wrong", "tank", "redundancy.special-bare").commands
    device = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0001-part1"
    assert attach == (f"zpool attach tank {device} '/dev/disk/by-id/<new disk 1>'",)


def test_that_a_partition_of_ones_own_is_brought_online_as_it_is_and_no_whole_disk_by_the_one_that_zpool_made() -> None:
    audit = audits("wrong")["tank"]
    finding = next(f for f in audit.findings if f.rule_id == "existing.not-online")
    assert audit.made is not None
    seats = (tuple(replace(s, member=replace(s.member, part=1)) for s in top.seats) for top in audit.made.tops)
    tops = tuple(replace(top, seats=found) for top, found in zip(audit.made.tops, seats, strict=True))
    own = replace(audit, made=replace(audit.made, tops=tops))
    assert remedy_of(finding, own).commands == ("zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000-part1",)
    unknown = replace(audit, made=None)
    assert remedy_of(finding, unknown).commands == ("zpool online tank /dev/disk/by-id/wwn-0x5000c50000000000",)


def test_that_only_what_has_larger_disks_than_it_uses_is_expanded() -> None:
    audit = audits("wrong")["mixed"]
    finding = replace(audit.findings[0], rule_id="existing.not-expanded")
    every = "zpool online -e mixed /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi"
    assert remedy_of(finding, audit).commands == (every, "zpool set autoexpand=on mixed")
    larger = tuple(replace(v, expandable_bytes=1 << 40) if v.name == "mirror-0" else v for v in audit.known.vdevs)
    expanded, __ = remedy_of(finding, replace(audit, known=replace(audit.known, vdevs=larger))).commands
    assert expanded == "zpool online -e mixed /dev/sde /dev/sdf"


def test_that_a_pool_of_single_disks_is_told_how_each_becomes_a_mirror() -> None:
    attach = remedy("wrong", "full", "redundancy.none-for-safety").commands
    assert [line.split()[:3] for line in attach] == [["zpool", "attach", "full"]]
    assert attach[0].endswith("<new disk 1>'")


def test_that_a_checkpoint_is_discarded_before_what_it_forbids() -> None:
    """While it exists OpenZFS attaches, replaces and removes nothing, not even a failed disk."""
    told = remedy("wrong", "rem", "redundancy.none-for-safety")
    discard, attach = told.commands
    assert told.then == "The way back to the checkpoint is lost."
    assert discard == "zpool checkpoint -d -w rem"
    assert attach.startswith("zpool attach rem ")
    # Before OpenZFS 2.0 nothing waits by itself.
    discards = OnPool(pool="rem", verb=Verb.DISCARD_CHECKPOINT)
    assert lines(discards, version=ZfsVersion(0, 8, 6)) == (
        "zpool checkpoint -d rem", "while zpool status rem | grep -q discarding; do sleep 60; done"
    )  # fmt: skip


def test_that_a_property_is_set_once_where_those_below_inherit_it() -> None:
    assert remedy("wrong", "tank", "datasets.sync-disabled").commands == ("zfs set sync=standard tank",)
    assert remedy("wrong", "tank", "records.copies").commands == ("zfs set copies=1 tank/dd",)


def test_that_what_is_stored_already_is_said_to_need_a_rewrite() -> None:
    assert "from then on" in remedy("wrong", "tank", "datasets.compression-off").rewrite
    assert "from then on" in remedy("expanded", "exp", "existing.expanded").rewrite
    assert remedy("wrong", "tank", "datasets.sync-disabled").rewrite == ""


def test_that_another_size_of_blocks_needs_a_copy_and_no_rewrite() -> None:
    told = remedy("wrong", "tank", "datasets.record-wasteful").rewrite
    assert "only a copy" in told
    assert "rewrite" not in told


def test_that_no_upgrade_is_offered_for_a_pool_that_a_boot_loader_reads() -> None:
    audit = audits("wrong")["old"]
    finding = next(f for f in audit.findings if f.rule_id == "existing.features-disabled")
    assert "zpool upgrade old" in remedy_of(finding, audit).commands
    booted = replace(audit.known, properties=(*audit.known.properties, PropertyValue(name="bootfs", value="old/root")))
    known = replace(booted, properties=tuple(p for p in booted.properties if (p.name, p.value) != ("bootfs", "-")))
    assert "zpool upgrade old" not in remedy_of(finding, replace(audit, known=known)).commands


def test_that_no_command_destroys_anything() -> None:
    for name in ("good", "expanded", "wrong"):
        for audit in audits(name).values():
            for finding in audit.findings:
                for line in remedy_of(finding, audit).commands:
                    assert line.split()[1] not in {"destroy", "create"} or line.startswith("zfs create")
                    assert " labelclear" not in line


def test_that_the_report_tells_state_findings_commands_and_sizes() -> None:
    report = audit_report(tuple(audits("wrong").values()), machine("wrong"), made="now")
    text = markdown_text(report)
    assert "tank: DEGRADED" in text
    assert "zpool checkpoint -d rem" in text
    assert "Explained to the byte" in text
    page = html_text(report)
    assert "<svg" in page
    assert f"Audit of the pools of {machine('wrong').name}" in page
