"""The commands of a step of growth, for people to read and run one by one; never run by the program.

Disks that are not there yet stand as ``<new disk 1>``, so that no command can be pasted before it names real disks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from poolwright.capacity.expansion import target
from poolwright.changes.growth.design import new_disks, new_vdevs
from poolwright.changes.growth.plan import GrowthPlan, Stage
from poolwright.domain.action import (
    Action,
    AddVdevs,
    Attach,
    DeviceVerb,
    Group,
    MemberDevice,
    OnDevices,
    Replace,
    Wait,
    rehearsed,
    set_on_pool,
)
from poolwright.domain.design import Member, Vdev
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.names import check_pool_name
from poolwright.domain.replication import add_wants_force
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind
from poolwright.emit.commands import lines
from poolwright.emit.names import BY_ID, comment_line, device_path, device_problem, part_path, quote
from poolwright.emit.partitions import new_disk_steps, split_disks
from poolwright.texts import tell


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
    origin = stage.grown.origin
    check_pool_name(origin.pool_name, origin.version)
    assert stage.step is not None
    told = _Writer(before, stage, stage.step).commands()
    return tuple(StepCommand(text=text, reason=reason) for text, reason in told)


def commands_text(plan: GrowthPlan, number: int) -> str:
    """Return the commands of a stage as shell text with the reasons as comments; raises as `step_commands`."""
    return "".join(f"{comment_line(c.reason)}\n{c.text}\n" for c in step_commands(plan, number))


_Told = tuple[str, str]  # a command line, and what it is for


class _Writer:
    def __init__(self, before: Stage, stage: Stage, step: GrowthStep) -> None:
        self._before, self._stage, self._step = before, stage, step
        self._pool = stage.grown.origin.pool_name
        self._numbers = {disk.key: number for number, disk in enumerate(stage.disks, 1)}

    def commands(self) -> Iterator[_Told]:
        stage, pool = self._stage, quote(self._pool)
        yield f"zpool status -x {pool}", tell("Begin only where the pool is healthy")
        if self._step.kind is not GrowthKind.REPLACE:  # which takes one disk after the other
            yield from self._tables(disk.key for disk in new_disks(self._before.grown, stage.grown))
        yield from self._own()
        told = tell(
            "Expect SIZE {size} and USED + AVAIL {available}, some seconds after the end of the step",
            size=stage.capacity.pool_size_bytes,
            available=stage.capacity.available_bytes,
        )
        yield f"zpool sync {pool}; zpool list -p -o size {pool}; zfs list -p -o used,available {pool}", told

    def _path(self, key: str) -> str:
        disk = self._stage.grown.disk(key)
        if device_problem(disk) is None:
            return device_path(disk)
        return f"{BY_ID}<new disk {self._numbers[key]}>" if key in self._numbers else f"{BY_ID}<{key}>"

    def _device(self, member: Member) -> MemberDevice:
        path = part_path(self._path(member.disk_key), member.part)
        return MemberDevice(disk=member.disk_key, part=member.part, path=path)

    def _tables(self, new: Iterable[str]) -> Iterator[_Told]:
        """Yield what gives new disks the partitions that are reserved on them, before a pool gets the rest."""
        if self._stage.grown.origin.reserve:
            split = {disk.disk_key: disk for disk in split_disks(self._stage.grown.design)}
            for key in new:
                if key in split:
                    yield from new_disk_steps(split[key], self._path(key))

    def _own(self) -> Iterator[_Told]:
        grown = self._before.grown
        if self._step.kind is GrowthKind.ADD:
            yield from self._add()
            return
        at = target(grown.pool, self._step)
        old, new = (state.pool.tops[at].vdev for state in (grown, self._stage.grown))
        name = grown.pool.name(at)
        match self._step.kind:
            case GrowthKind.REMOVE:
                vdev = name if old.kind is not VdevKind.STRIPE else self._device(old.members[0])
                holds = old.vdev_class in HOLDS_THE_POOL
                leaving = OnDevices(pool=self._pool, verb=DeviceVerb.REMOVE, devices=(vdev,), moves_data=holds)
                yield from (
                    (_line(one), tell("See what it would take; nothing is written")) for one in rehearsed(leaving)
                )
                yield _line(leaving), tell("Its data move to the other vdevs")
                yield self._wait("remove"), tell("Wait until they have")
            case GrowthKind.ATTACH:
                yield from self._attach(old, new, name)
            case GrowthKind.REPLACE:
                yield from self._replace(old, new)
            case GrowthKind.EXPAND:
                devices = map(self._device, old.members)
                yield self._on(DeviceVerb.EXPAND, *devices), tell("Take the room of the larger disks")
            case GrowthKind.DETACH:
                yield self._on(DeviceVerb.DETACH, self._device(old.members[-1])), tell("The side leaves the mirror")

    def _on(self, verb: DeviceVerb, *devices: MemberDevice | str) -> str:
        return _line(OnDevices(pool=self._pool, verb=verb, devices=devices))

    def _wait(self, activity: str) -> str:
        return _line(Wait(pool=self._pool, activity=activity))

    def _add(self) -> Iterator[_Told]:
        before, grown = self._before.grown, self._stage.grown
        new = new_vdevs(before, grown)
        force = add_wants_force(before.design.layout(), grown.design.spec(new[0]), grown.pool.version)
        groups = tuple(Group(vdev=vdev, devices=tuple(map(self._device, vdev.members))) for vdev in new)
        adding = AddVdevs(pool=self._pool, groups=groups, ashift=grown.pool.ashift, force=force)
        reason = tell("ashift is given so that the new vdev has that of the others")
        if force:
            reason = tell(
                "With -f because the new vdev differs from the last one. "
                "ashift is given so that the new vdev has that of the others"
            )
        yield _line(*rehearsed(adding)), tell("See what would be made; nothing is written")
        yield _line(adding), reason

    def _attach(self, old: Vdev, new: Vdev, name: str) -> Iterator[_Told]:
        widens = name if old.kind is VdevKind.RAIDZ else ""
        to, disk = self._device(old.members[0]), self._device(new.members[-1])
        line = _line(Attach(pool=self._pool, to=to, device=disk, widens=widens))
        if widens:
            yield (
                f"zpool get -H -o value feature@raidz_expansion {quote(self._pool)}",
                tell("“enabled” or “active”; where it is disabled run zpool upgrade first"),
            )
            yield line, tell("{vdev} gets one disk wider", vdev=name)
            yield self._wait("raidz_expand"), tell("The room is there when it has ended")
        else:
            yield line, tell("One side more")
            yield self._wait("resilver"), tell("Wait until it holds all data")

    def _replace(self, old: Vdev, new: Vdev) -> Iterator[_Told]:
        if self._stage.grown.pool.autoexpand:
            yield _line(set_on_pool(self._pool, "autoexpand", "on")), tell("The vdev grows with its last disk")
        pairs = list(zip(old.members, new.members, strict=True))
        for number, (gone, come) in enumerate(pairs, 1):
            yield from self._tables((come.disk_key,))
            line = _line(Replace(pool=self._pool, old=self._device(gone), new=self._device(come)))
            told = tell("Disk {number} of {all}: go on when it has ended without errors", number=number, all=len(pairs))
            yield f"{line} && {self._wait('replace')}", told


def _line(action: Action) -> str:
    (line,) = lines(action)
    return line
