"""A machine whose pools were created and may be undone: what its disks and its record tell the undo twin."""

from pathlib import Path

from tests.emit.machines import macblog_design
from tests.emit.pretend import STAMP, Machine, guid_of, machine_for

from poolwright.domain.action import CreatePool
from poolwright.domain.design import Design
from poolwright.emit.commands import plan_actions
from poolwright.emit.script import pool_mark, undo_script

TYPED = "destroy tank\ndestroy rest\n"


def undo_for(design: Design, machine: Machine) -> str:
    return machine.here(undo_script(design, STAMP))


def label(
    machine: Machine, kernel: str, *, pool: str = "tank", guid: int | None = None, state: int = 0, txg: int = 4
) -> None:
    """Let `zdb -l` find the label of a pool; ``txg`` is 0 where its creation never came to its end."""
    text = f"LABEL 0\n    name: '{pool}'\n    state: {state}\n    txg: {txg}\n    pool_guid: {guid or guid_of(pool)}\n"
    machine.tell(kernel, "zdb", text)


def labelled(machine: Machine) -> None:
    """Give every member of the two pools its label."""
    for kernel in ("sda1", "sdb1", "sdc1", "sdd1", "sde1"):
        label(machine, kernel)
    for kernel in ("sda2", "sdb2"):
        label(machine, kernel, pool="rest")


def undone(result_calls: list[list[str]], *words: str) -> list[str]:
    return [call[-1] for call in result_calls if tuple(call[: len(words)]) == words]


def gone(machine: Machine, *facts: str) -> None:
    """Let the pools be gone while the disks still carry what they left; ``facts`` are recorded of each."""
    for name in ("tank", "rest"):
        (machine.root / f"status.{name}").unlink()
    (machine.root / "pools").write_text("")
    marks = [pool_mark(action) for action in plan_actions(macblog_design()) if isinstance(action, CreatePool)]
    machine.record(macblog_design(), *(f"{fact} {mark}" for fact in facts for mark in marks))


def both_destroyed(machine: Machine, *facts: str) -> None:
    """Let the pools be gone, and every member carry the label of a destroyed one."""
    gone(machine, *facts)
    destroyed(machine, "tank")
    destroyed(machine, "rest")


def destroyed(machine: Machine, pool: str) -> None:
    """Let every member of a pool carry the label of a destroyed pool."""
    for kernel in ("sda1", "sdb1", "sdc1", "sdd1", "sde1") if pool == "tank" else ("sda2", "sdb2"):
        label(machine, kernel, pool=pool, state=2)


def zpool_table(machine: Machine, kernel: str) -> None:
    """Give a disk the partition table that `zpool create` makes on a whole disk."""
    for number, kind, name in ((1, "6a898cc3", "zfs-0123456789abcdef"), (9, "6a945a3b", "")):
        machine.partition(kernel, f"{kernel}{number}")
        (machine.root / f"sys/{kernel}/{kernel}{number}/partition").write_text(f"{number}\n")
        (machine.root / f"dev/{kernel}{number}").touch()
        entry = f"PART_ENTRY_TYPE={kind}-1dd2-11b2-99a6-080020736631\nPART_ENTRY_NAME={name}"
        machine.tell(f"{kernel}{number}", "blkid", entry)
    machine.tell(kernel, "blkid", "PTTYPE=gpt")


def both_pools(folder: Path) -> Machine:
    """Return a machine on which the two pools of the macblog design were created, with record and labels."""
    made = machine_for(macblog_design(), folder)
    made.build(macblog_design())
    made.record(macblog_design())
    labelled(made)
    return made
