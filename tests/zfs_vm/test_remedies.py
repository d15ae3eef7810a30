"""What `audit` says would mend a fault, typed on real OpenZFS: the fault is gone."""

from datetime import date

import pytest
from tests.zfs_vm.emulated import GB, hard_disks
from tests.zfs_vm.machine import Machine

from poolwright.advise.existing.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.drive_library import load_drive_book
from poolwright.emit.remedies import remedy_of
from poolwright.rule_library import load_shipped

PART = "sgdisk -n 1:1M:+8G -t 1:BF01 {0} >/dev/null; sgdisk -n 2:9G:+8G -t 2:BF01 {0} >/dev/null; udevadm settle\n"

# Where zpool writes the table anew, a busy udev is late with the partition in it, and one types the command again.
WELL = "for n in 1 2 3 4 5; do zpool status -x tank | grep -q 'is healthy' && exit 0; sleep 2; done; false"


def audited(machine: Machine) -> PoolAudit:
    (found,) = audit_machine(load_shipped(), machine.read(), AuditRequest.usual(date(2000, 1, 1)), load_drive_book())
    return found


def mended(machine: Machine, rule: str) -> tuple[str, ...]:
    """Type what is said of a finding, which is there before and not afterwards; return the commands."""
    audit = audited(machine)
    finding = next(found for found in audit.findings if found.rule_id == rule)
    commands = remedy_of(finding, audit).commands
    for command in commands:
        machine.run(command)
        machine.run(f"({WELL}) || {command}")
    machine.run("zpool wait -t resilver tank")
    left = {found.rule_id for found in audited(machine).findings}
    assert rule not in left, machine.run("zpool status -P tank; lsblk").text
    return commands


@pytest.mark.parametrize("expands", ["on", "off"])
@pytest.mark.parametrize("parts", ["", "-part1", "-part2"])
def test_that_a_disk_taken_offline_comes_back_also_where_the_pool_expands_by_itself(
    machine: Machine, expands: str, parts: str
) -> None:
    first, second = (machine.emulated(f"EMU5120{n}").path for n in range(2))
    table = "".join(PART.format(path) for path in (first, second)) if parts else ""
    machine.run(
        f"{table}zpool create -f -o autoexpand={expands} tank mirror {first}{parts} {second}{parts} && "
        f"zpool offline tank {first}{parts}"
    )
    mended(machine, "existing.not-online")
    assert machine.run("zpool list -H -o health").text == "ONLINE\n"


def test_that_every_vdev_takes_the_room_of_larger_disks(machine: Machine) -> None:
    old = [machine.emulated(f"EMU5120{n}").path for n in range(4)]
    with machine.shelf(hard_disks("LARGE0", 4, 30 * GB)) as large:
        new = [disk.path for disk in large]
        machine.run(f"zpool create -f tank mirror {old[0]} {old[1]} mirror {old[2]} {old[3]}")
        for gone, come in zip(old, new, strict=True):
            machine.run(f"zpool replace tank {gone} {come} && zpool wait -t replace tank")
        machine.run("zpool reopen tank")  # as an import or a restart does: till then it does not see the room
        before = int(machine.run("zpool list -Hp -o size tank").text)
        commands = mended(machine, "existing.not-expanded")
        assert commands[0].startswith("zpool online -e tank ")
        assert int(machine.run("zpool list -Hp -o size tank").text) - before > 15 * GB
        machine.run("zpool destroy tank")
