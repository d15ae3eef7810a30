"""Scripts ended by SIGKILL at every step that writes, and run again: in the end the design, or nothing at all."""

import pytest
from tests.zfs_vm.designs import HARD
from tests.zfs_vm.machine import Ended, Machine
from tests.zfs_vm.operator import created, undone
from tests.zfs_vm.test_creation import mirror
from tests.zfs_vm.test_hazards import MINE
from tests.zfs_vm.test_partitions import two_pools

from poolwright.domain.design import Design

# Stands before each tool that writes and counts the calls that do; with the one that STEP names, the script is ended:
# before it, while it runs (it goes on alone for a moment, then is ended too), or right after it.
STEPPER = r"""#!/bin/bash
me=${0##*/}
case $me\ $1\ $2 in
  *\ --pretend\ *|*\ -p\ *|zpool\ create\ -n|'wipefs -n '*) exec "/usr/sbin/$me" "$@" ;;
  zpool\ create\ *|zpool\ set\ *|zpool\ destroy\ *|zpool\ labelclear\ *) ;;
  zfs\ create\ *|zfs\ set\ *|sgdisk\ *|wipefs\ *) ;;
  *) exec "/usr/sbin/$me" "$@" ;;
esac
n=$(($(cat /tmp/operator/steps 2>/dev/null || echo 0) + 1))
echo "$n" >/tmp/operator/steps
[ "$n" = "$STEP" ] || exec "/usr/sbin/$me" "$@"
case $MOMENT in
  amid) "/usr/sbin/$me" "$@" & kill -9 "$PPID"; sleep 0.3; kill -9 $! ;;
  after) "/usr/sbin/$me" "$@"; kill -9 "$PPID" ;;
esac
echo "$me $*" >/tmp/operator/killed
exit 1
"""
LEFT = "zpool list -H; zpool import 2>&1; zpool import -D 2>&1"


def stepped(machine: Machine) -> None:
    """Put the stepper before the tools."""
    machine.put("/tmp/operator/stepper", STEPPER)
    machine.run("mkdir -p bin; for tool in zpool zfs sgdisk wipefs; do install -m 755 stepper bin/$tool; done")


def killed(machine: Machine, command: str, step: int, moment: str) -> str:
    """Run a command that is ended at a step; return that step, or nothing when it came to its end before."""
    path = "rm -f steps killed; PATH=/tmp/operator/bin:$PATH"
    machine.run(f"{path} STEP={step} MOMENT={moment} {command}", typed=["destroy tank"], check=False)
    return machine.run("sleep 1; udevadm settle; cat killed 2>/dev/null || true").text.strip()


def made_in_the_end(machine: Machine, design: Design) -> Ended:
    """Run the creation script again as it says, with the undo where it says so."""
    again = created(machine, design)
    if again.status:
        assert again.status == 1, again.text
        assert "undo script" in again.text, again.text
        assert "Nothing was changed" in again.text
        back = undone(machine, design)
        assert back.status == 0, f"{again.text}\n{back.text}"
        again = created(machine, design)
    assert again.status == 0, again.text
    assert "Done: as designed" in again.text
    return again


def others(machine: Machine) -> dict[str, str]:
    return machine.digests(serial for serial in HARD if serial not in MINE)


@pytest.mark.parametrize("moment", ["amid", "after"])
def test_that_a_creation_killed_at_any_step_comes_to_its_end(machine: Machine, moment: str) -> None:
    design = mirror(machine)
    stepped(machine)
    machine.run(f"head -c 8192 /etc/services | dd of={machine.emulated(HARD[4]).path} conv=fsync status=none")
    held, step, steps = others(machine), 0, list[str]()
    while True:
        created(machine, design, "--check")
        step += 1
        at = killed(machine, "bash create-tank.sh --yes-create tank", step, moment)
        if not at:
            break
        steps.append(at)
        made_in_the_end(machine, design)
        assert undone(machine, design).status == 0
    assert [line.split()[1] for line in steps][:1] == ["create"], steps
    assert len(steps) >= 4, steps
    assert others(machine) == held


@pytest.mark.parametrize("moment", ["amid", "after"])
def test_that_an_undo_killed_at_any_step_comes_to_its_end(machine: Machine, moment: str) -> None:
    design = mirror(machine)
    stepped(machine)
    step, steps = 0, list[str]()
    while True:
        assert created(machine, design).status == 0
        undone(machine, design, "--check")
        step += 1
        at = killed(machine, "bash undo-tank.sh", step, moment)
        if not at:
            break
        steps.append(at)
        back = undone(machine, design)
        assert back.status == 0, f"{at}\n{back.text}"
    assert any("destroy" in line for line in steps), steps
    assert len(steps) >= 4, steps
    text = machine.run(LEFT, check=False).text
    assert text.count("no pools available to import") == 2, text


def test_that_shared_disks_killed_between_the_pools_come_to_their_end(machine: Machine) -> None:
    design = two_pools(machine)
    stepped(machine)
    made = "bash create-tank.sh --yes-create tank --yes-create rest"
    for step in (1, 4, 5, 7):
        created(machine, design, "--check")
        assert killed(machine, made, step, "after")
        made_in_the_end(machine, design)
        back = undone(machine, design)
        assert back.status == 0, back.text
