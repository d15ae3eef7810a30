"""The commands of a step of growth, for people to read and run one by one; never run by the program.

Disks that are not there yet stand as ``<new disk 1>``, so that no command can be pasted before it names real disks.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from poolwright.capacity.expansion import target
from poolwright.changes.growth.design import GrownDesign, new_disks
from poolwright.changes.growth.plan import GrowthPlan, Stage
from poolwright.domain.design import Member, Vdev
from poolwright.domain.growth import GrowthKind
from poolwright.domain.names import check_pool_name
from poolwright.domain.replication import add_wants_force
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.names import BY_ID, comment_line, device_path, device_problem, quote
from poolwright.emit.partitions import new_disk_steps, split_disks
from poolwright.texts import tell

Path = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCommand:
    """One command line of a step with what it is for. ``text`` holds ``<new disk N>`` where a disk is not known yet."""

    text: str
    reason: str


def step_commands(plan: GrowthPlan, number: int) -> tuple[StepCommand, ...]:
    """Return the commands of the plan's stage ``number`` (from 1; stage 0 is the new pool, which the script makes).

    Raises UserError where the pool has a name that no command may hold.
    """
    before, stage = plan.stages[number - 1], plan.stages[number]
    check_pool_name(stage.grown.origin.pool_name, stage.grown.origin.version)
    pool = quote(before.grown.origin.pool_name)
    path = _paths(stage.grown, {disk.key: index + 1 for index, disk in enumerate(stage.disks)})
    found = [StepCommand(text=f"zpool status -x {pool}", reason=tell("Begin only where the pool is healthy"))]
    if stage.step is None or stage.step.kind is not GrowthKind.REPLACE:  # which takes one disk after the other
        new = [disk.key for disk in new_disks(before.grown, stage.grown)]
        found.extend(_tables(stage, new, path))
    found.extend(_own(before, stage, pool, path))
    found.append(
        StepCommand(
            text=f"zpool sync {pool}; zpool list -p -o size {pool}; zfs list -p -o used,available {pool}",
            reason=tell(
                "Expect SIZE {size} and USED + AVAIL {available}, some seconds after the end of the step",
                size=stage.capacity.pool_size_bytes,
                available=stage.capacity.available_bytes,
            ),
        )
    )
    return tuple(found)


def commands_text(plan: GrowthPlan, number: int) -> str:
    """Return the commands of a stage as shell text with the reasons as comments; raises as `step_commands`."""
    return "".join(f"{comment_line(c.reason)}\n{c.text}\n" for c in step_commands(plan, number))


def _paths(state: GrownDesign, numbers: dict[str, int]) -> Path:
    def path(key: str) -> str:
        disk = state.disk(key)
        if device_problem(disk) is None:
            return quote(device_path(disk))
        return f"{BY_ID}<new disk {numbers[key]}>" if key in numbers else f"{BY_ID}<{key}>"

    return path


def _member(member: Member, path: Path) -> str:
    return path(member.disk_key) + (f"-part{member.part}" if member.part is not None else "")


def _tables(stage: Stage, new: Iterable[str], path: Path) -> Iterator[StepCommand]:
    """Yield what gives new disks the partitions that are reserved on them, before a pool gets the rest."""
    if not stage.grown.origin.reserve:
        return
    split = {disk.disk_key: disk for disk in split_disks(stage.grown.design)}
    for key in new:
        if key in split:
            for text, reason in new_disk_steps(split[key], path(key)):
                yield StepCommand(text=text, reason=reason)


def _own(before: Stage, stage: Stage, pool: str, path: Path) -> tuple[StepCommand, ...]:
    step = stage.step
    if step is None:
        return ()
    if step.kind is GrowthKind.ADD:
        return _add(before, stage, pool, path)
    at = target(before.grown.pool, step)
    old, new = before.grown.tops[at], stage.grown.tops[at]
    if old is None:
        return ()
    name = before.grown.pool.name(at) if old.kind is not VdevKind.STRIPE else _member(old.members[0], path)
    if step.kind is GrowthKind.REMOVE:
        return (
            StepCommand(text=f"zpool remove {pool} {name}", reason=tell("Its data move to the other vdevs")),
            StepCommand(text=f"zpool wait -t remove {pool}", reason=tell("Wait until they have")),
        )
    if new is None:
        return ()
    if step.kind is GrowthKind.ATTACH:
        return _attach(old, new, pool, name, path)
    if step.kind is GrowthKind.REPLACE:
        return _replace(stage, old, new, pool, path)
    if step.kind is GrowthKind.EXPAND:
        devices = " ".join(_member(member, path) for member in old.members)
        return (
            StepCommand(text=f"zpool online -e {pool} {devices}", reason=tell("Take the room of the larger disks")),
        )
    return (
        StepCommand(
            text=f"zpool detach {pool} {_member(old.members[-1], path)}", reason=tell("The side leaves the mirror")
        ),
    )


def _add(before: Stage, stage: Stage, pool: str, path: Path) -> tuple[StepCommand, ...]:
    known = {id(vdev) for vdev in (*before.grown.tops, *before.grown.others)}
    new = [vdev for vdev in (*stage.grown.tops, *stage.grown.others) if vdev is not None and id(vdev) not in known]
    if not new:
        return ()
    first = new[0]
    words = [] if first.vdev_class is VdevClass.DATA else [first.vdev_class.value]
    word = vdev_word(first)
    words.extend([word] if word else [])
    words.extend(_member(member, path) for vdev in new for member in vdev.members)
    grown = stage.grown
    force = add_wants_force(before.grown.design.layout(), grown.design.spec(first), grown.pool.version)
    options = f"{'-f ' if force else ''}-o ashift={stage.grown.pool.ashift}"
    line = " ".join(words)
    reason = tell("ashift is given so that the new vdev has that of the others")
    if force:
        reason = tell(
            "With -f because the new vdev differs from the last one. "
            "ashift is given so that the new vdev has that of the others"
        )
    return (
        StepCommand(
            text=f"zpool add -n {options} {pool} {line}", reason=tell("See what would be made; nothing is written")
        ),
        StepCommand(text=f"zpool add {options} {pool} {line}", reason=reason),
    )


def vdev_word(vdev: Vdev) -> str | None:
    """Return the keyword of a vdev as `zpool add` takes it; None for a bare disk. dRAID is written out in full."""
    if vdev.kind is VdevKind.STRIPE:
        return None
    if vdev.kind is VdevKind.MIRROR:
        return "mirror"
    if vdev.kind is VdevKind.RAIDZ:
        return f"raidz{vdev.parity}"
    width = len(vdev.members)
    data = vdev.draid_data if vdev.draid_data is not None else min(width - vdev.draid_spares - vdev.parity, 8)
    return f"draid{vdev.parity}:{data}d:{width}c:{vdev.draid_spares}s"


def _attach(old: Vdev, new: Vdev, pool: str, name: str, path: Path) -> tuple[StepCommand, ...]:
    disk = _member(new.members[-1], path)
    if old.kind is VdevKind.RAIDZ:
        return (
            StepCommand(
                text=f"zpool get -H -o value feature@raidz_expansion {pool}",
                reason=tell("“enabled” or “active”; where it is disabled run zpool upgrade first"),
            ),
            StepCommand(
                text=f"zpool attach {pool} {name} {disk}", reason=tell("{vdev} gets one disk wider", vdev=name)
            ),
            StepCommand(text=f"zpool wait -t raidz_expand {pool}", reason=tell("The room is there when it has ended")),
        )
    side = _member(old.members[0], path)
    return (
        StepCommand(text=f"zpool attach {pool} {side} {disk}", reason=tell("One side more")),
        StepCommand(text=f"zpool wait -t resilver {pool}", reason=tell("Wait until it holds all data")),
    )


def _replace(stage: Stage, old: Vdev, new: Vdev, pool: str, path: Path) -> tuple[StepCommand, ...]:
    found: list[StepCommand] = []
    if stage.grown.pool.autoexpand:
        found.append(
            StepCommand(text=f"zpool set autoexpand=on {pool}", reason=tell("The vdev grows with its last disk"))
        )
    pairs = list(zip(old.members, new.members, strict=True))
    for index, (gone, come) in enumerate(pairs):
        found.extend(_tables(stage, (come.disk_key,), path))
        line = f"zpool replace {pool} {_member(gone, path)} {_member(come, path)}"
        found.append(
            StepCommand(
                text=f"{line} && zpool wait -t replace {pool}",  # for machines
                reason=tell(
                    "Disk {number} of {all}: go on when it has ended without errors", number=index + 1, all=len(pairs)
                ),
            )
        )
    return tuple(found)
