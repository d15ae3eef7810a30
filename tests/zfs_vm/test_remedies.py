"""What `audit` says would mend a fault, typed on real OpenZFS: the fault is gone."""

import json
from datetime import date
from unittest.mock import patch

import pytest
from tests.command_line import poolwright
from tests.zfs_vm.emulated import GB, hard_disks
from tests.zfs_vm.machine import Machine

from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.emit.names import BY_ID
from poolwright.emit.remedies import remedy_of
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book

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


def test_that_nothing_is_left_of_what_datasets_below_have_of_their_own(machine: Machine) -> None:
    first, second = (machine.emulated(f"EMU5120{n}").path for n in range(2))
    machine.run(
        f"set -e; zpool create -f -O compression=off -O atime=on -O xattr=on tank mirror {first} {second}\n"
        "zfs create -o compression=off -o sync=disabled tank/home; zfs create -o atime=on 'tank/home/my films'\n"
        "zfs create -o compression=off -o checksum=off 'tank/home/my films/a'; zfs create tank/rest\n"
        "zpool scrub -w tank"
    )
    audit = audited(machine)
    rules = {
        found.rule_id
        for found in audit.findings
        if any(line.startswith("zfs set ") for line in remedy_of(found, audit).commands)
    }
    assert {"datasets.compression-off", "datasets.sync-disabled", "datasets.checksum-off"} <= rules
    for finding in audit.findings:
        if finding.rule_id in rules:
            machine.run("\n".join(("set -e", *remedy_of(finding, audit).commands)))
    again = audited(machine)
    assert rules & {found.rule_id for found in again.findings} == set(), machine.run(
        "zfs get -r -s local all tank"
    ).text


def test_that_what_improve_says_is_typed_literally_and_not_said_again(machine: Machine) -> None:
    first, second = (machine.emulated(f"EMU5120{n}").path for n in range(2))
    machine.run(
        f"zpool create -f -O sync=disabled -O checksum=off tank mirror {first} {second} && "
        # As an import does: until then 2.1 takes no disk that is smaller by a single byte.
        "head -c 20M /dev/urandom >/tank/x && zpool sync && zpool reopen tank"
    )

    def improved() -> tuple[list[list[str]], dict[str, list[str]]]:
        inventory = machine.read()
        with patch("poolwright.cli.design_source.read_source", lambda _: inventory):
            done = poolwright("improve", "--from", "machine", "--pool", "tank", "--money", "0 USD", "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        changes = {one["title"]: one["commands"] for one in told["changes"] if not one["buys"] and one["commands"]}
        return [one["commands"] for one in told["mend"]], changes

    mends, changes = improved()
    assert mends
    title, commands = next(iter(changes.items()), ("", []))  # what costs nothing, where there is such a change
    for line in (*(line for mend in mends for line in mend), *commands):
        machine.run(f"udevadm settle; {line}")
    left, then = improved()
    assert not [mend for mend in mends if mend in left]
    assert title not in then
    assert machine.run("zpool list -H -o health tank").text == "ONLINE\n"


# Resilvers stand still, so that what comes can be pulled out before it is filled.
HELD = "echo {0} >/sys/module/zfs/parameters/zfs_scan_suspend_progress"


def test_that_a_replacement_whose_new_disk_failed_goes_on_and_a_spare_stays_where_its_disk_is_bad(
    machine: Machine,
) -> None:
    old, second, new, other = (machine.emulated(f"EMU5120{n}").path for n in range(4))
    machine.run(
        f"set -e; zpool create -f tank mirror {old} {second}; head -c 50M /dev/urandom >/tank/x; zpool sync\n"
        f"zpool offline -f tank {old}; {HELD.format(1)}; zpool replace tank {old} {new}; zpool offline -f tank {new}\n"
        f"{HELD.format(0)}; zpool wait -t resilver tank; {HELD.format(0)}"
    )
    audit = audited(machine)
    finding = next(found for found in audit.findings if found.rule_id == "existing.replacing-stopped")
    detach, replace = remedy_of(finding, audit).commands
    assert detach.startswith("zpool detach tank "), detach
    machine.run(
        f"{detach} && {replace.replace(BY_ID + '<new disk 1>', other)} && zpool wait -t resilver tank && {WELL}"
    )
    # A spare that stands in, and the disk it stands in for, which the test showed to be bad.
    machine.run(f"zpool add -f tank spare {new} && zpool replace tank {second} {new} && zpool wait -t resilver tank")
    audit = audited(machine)
    finding = next(found for found in audit.findings if found.rule_id == "existing.spare-in-use")
    assert [line.split()[0] for line in remedy_of(finding, audit).commands] == ["smartctl", "smartctl"]
    machine.run(f"zpool detach tank {second}")
    assert "existing.spare-in-use" not in {found.rule_id for found in audited(machine).findings}
    machine.run(f"! zpool status tank | grep -q INUSE && {WELL}")
