"""The commands that change a pool that is there: into its design, or by a step of growth. Shown; never run here.

Those into its design are also a guarded script: everything is checked before the first step and again before each,
which it asks for; the first command that fails ends it. Disks that are not there yet stand as ``<new disk 1>``, so that
no command can be pasted before it names real disks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from poolwright.capacity.expansion import target
from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.changes.growth.design import new_disks, new_vdevs
from poolwright.changes.growth.plan import GrowthPlan, Stage
from poolwright.domain.action import (
    Action,
    AddVdevs,
    Ask,
    Attach,
    DeviceVerb,
    Group,
    Guard,
    MemberDevice,
    OnDevices,
    Reimport,
    Replace,
    Wait,
    coming,
    expands,
    named,
    rehearsed,
    set_on_pool,
)
from poolwright.domain.design import Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.names import check_pool_name
from poolwright.domain.pool import WELL
from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind, add_wants_force
from poolwright.emit.commands import lines
from poolwright.emit.names import BY_ID, comment, comment_line, commented, device_path, device_problem, part_path, quote
from poolwright.emit.partitions import new_disk_steps, split_disks
from poolwright.emit.script import Roots, ScriptStep, plan_script
from poolwright.texts import _

_LONGEST_TITLE = 400
_STABLE_AREAS = ("/dev/disk/", "/dev/mapper/")


def live_commands(comparison: LiveComparison) -> dict[LiveDifference, tuple[str, ...]]:
    """Return the commands of every step, in order; ``<...>`` stands where a disk has no stable name yet."""
    writer = _Writer(comparison)
    return {one: writer.commands(one.action) for one in comparison.steps if one.action is not None}


def guarded_text(comparison: LiveComparison, *, roots: Roots | None = None) -> str:
    """Return the steps as a bash script (4.2 or newer) that asks before each of them; empty where there is none."""
    if not comparison.steps:
        return ""
    writer = _Writer(comparison)
    return plan_script(
        _head(comparison),
        one_by_one=False,
        pool=comparison.pool.name,
        disks=writer.disks(),
        steps=writer.steps(),
        version=comparison.live.version,
        path=writer.path,
        roots=roots,
    )


def _head(comparison: LiveComparison) -> Iterator[str]:
    yield comment_line(_("Turns the pool {pool} into its design.", pool=comparison.pool.name))
    yield from commented(
        _(
            "Try it first with --check, which changes nothing. It checks the pool and every disk, asks before each "
            "step, and stops at the first command that fails. Where it stopped, read the machine again and let it be "
            "written anew."
        )
    )
    for text in comparison.before:
        yield from commented(_("First: {text}", text=text))
    for held in comparison.of_way(LiveWay.CANNOT):
        yield from commented(_("Not changed: {text} {why}", text=held.text, why=held.reason))


class _Writer:
    """Writes the lines of steps; knows by which path each device is named."""

    def __init__(self, comparison: LiveComparison) -> None:
        self._comparison = comparison
        # Names that may change, and those that stay.
        self._stable: dict[str, str] = {}
        for seat in comparison.seats:
            path, by_id = seat.path or seat.name, seat.disk.by_id_name
            if path.startswith("/dev/") and not path.startswith(_STABLE_AREAS):
                last = path.rpartition("/")[2]
                self._stable[path] = f"{BY_ID}<{last}>" if by_id is None else part_path(BY_ID + by_id, seat.member.part)
        self._there = {seat.identity: seat for seat in comparison.seats if seat.state in (None, *WELL)}
        # Disks without a name to write are numbered in the order in which they come.
        self._gaps: dict[str, int] = {}
        for step in comparison.steps:
            for device in coming(step.action):
                self._named(device)

    def steps(self) -> Iterator[ScriptStep]:
        """Yield every step with its checks: the very pool, the very disks, nothing on those that come in."""
        comparison, pool = self._comparison, self._comparison.pool.name
        guid = comparison.known.value("guid") or comparison.pool.guid
        # A pool of the same name may have been made anew since: names say nothing, the guid does.
        very = (Guard(words=("pool", pool, guid)),) if guid else ()
        devices = (named(step.action) for step in comparison.steps)
        # A name that may change is no name for a script: the pool takes those that stay before anything else.
        if any(device is not None and device.path in self._stable for device in devices):
            title = _("Export and import the pool, by names that stay")
            why = _("Some disks are known to the pool by names that may change.")
            yield ScriptStep(title, why, (*very, Ask(words="yes"), Reimport(pool=pool)))  # for machines
        for one in comparison.steps:
            if one.action is None:
                continue
            title = comment(" ".join(one.text.split()), longest=_LONGEST_TITLE)
            why = shown_text(" ".join(text for text in (one.reason, one.rewrite) if text))
            own = (*rehearsed(one.action), Ask(words="yes"), *self._awaited(one.action))  # for machines
            # After a disk took the place of another one nothing else is begun before all is well.
            last = one.survives is not None and comparison.pool.state == "ONLINE"
            ends = (Guard(words=("healthy", pool, "0")),) if last else ()
            yield ScriptStep(title, why, (*very, *self._guards(one), *own, *ends))

    def disks(self) -> list[Disk]:
        """Return every disk that a step names; one that is not there yet under the name of its gap."""
        found = []
        for step in self._comparison.steps:
            for device in _of_design(step.action):
                disk = self._comparison.design.disk(device.disk)
                gap = self._named(device).removeprefix(BY_ID)
                found.append(disk if device_problem(disk) is None else replace(disk, by_id=(gap,)))
            found.extend(self._disk_there(step.action))
        return found

    # The disk of the pool that an action names, where it is well and has a name.
    def _disk_there(self, action: Action | None) -> tuple[Disk, ...]:
        device = named(action)
        seat = self._there.get(device.identity) if device is not None and device.path is not None else None
        return (seat.disk,) if seat is not None and device_problem(seat.disk) is None else ()

    def _guards(self, step: LiveDifference) -> dict[Guard, None]:
        seats = {seat.identity for seat in self._comparison.seats}
        fresh = {device for device in coming(step.action) if device.identity not in seats}
        found = []
        for device in _of_design(step.action):
            # A disk that comes in holds nothing, or, where a partition of it comes, nothing in that partition.
            check = "known" if device not in fresh else "part" if device.part is not None else "empty"
            part = (str(device.part),) if check == "part" else ()
            found.append((check, self._named(device), *part))
        found += [("known", device_path(disk)) for disk in self._disk_there(step.action)]
        return dict.fromkeys(Guard(words=words) for words in found)

    def commands(self, action: Action) -> tuple[str, ...]:
        """Return the command lines of a step, what waits for its end included."""
        every = (*rehearsed(action), *self._awaited(action))
        return tuple(t for one in every for t in lines(one, version=self._comparison.live.version, path=self.path))

    def _awaited(self, action: Action) -> tuple[Action, ...]:
        match action:
            case Attach():
                activity = "raidz_expand" if action.widens else "resilver"
            case Replace():
                activity = "replace"
            case OnDevices(moves_data=True):
                activity = "remove"
            case _:
                return (action,)
        return action, Wait(pool=self._comparison.pool.name, activity=activity)

    def path(self, device: MemberDevice) -> str:
        if device.path is not None:
            return self._stable.get(device.path, device.path)
        return part_path(self._named(device), device.part)

    def _named(self, device: MemberDevice) -> str:
        disk = self._comparison.design.disk(device.disk)
        if device_problem(disk) is None:
            return device_path(disk)
        return f"{BY_ID}<new disk {self._gaps.setdefault(device.disk, len(self._gaps) + 1)}>"


# The devices that an action names as the design does.
def _of_design(action: Action | None) -> tuple[MemberDevice, ...]:
    if isinstance(action, OnDevices) and expands(action):
        return tuple(device for device in action.devices if isinstance(device, MemberDevice))
    return coming(action)


# The commands of a step of growth, for people to read and run one by one; never run by the program.


class StepCommand(NamedTuple):
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
    return tuple(StepCommand(*told) for told in _GrowthWriter(before, stage, stage.step).commands())


def commands_text(plan: GrowthPlan, number: int) -> str:
    return "".join(f"{comment_line(c.reason)}\n{c.text}\n" for c in step_commands(plan, number))


_Told = tuple[str, str]  # a command line, and what it is for


class _GrowthWriter:
    def __init__(self, before: Stage, stage: Stage, step: GrowthStep) -> None:
        self._before, self._stage, self._step = before, stage, step
        self._pool = stage.grown.origin.pool_name
        self._numbers = {disk.key: number for number, disk in enumerate(stage.disks, 1)}

    def commands(self) -> Iterator[_Told]:
        stage, pool = self._stage, quote(self._pool)
        yield f"zpool status -x {pool}", _("Begin only where the pool is healthy")
        # A table on a disk that comes must be there before zpool names one of its partitions.
        if self._step.kind is not GrowthKind.REPLACE:  # which takes one disk after the other
            yield from self._tables(disk.key for disk in new_disks(self._before.grown, stage.grown))
        yield from self._own()
        # AVAIL follows a transaction group later, so the pool is synced before anything is compared.
        told = _(
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

    # What gives new disks the partitions that are reserved on them, before a pool gets the rest.
    def _tables(self, new: Iterable[str]) -> Iterator[_Told]:
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
                yield from ((_line(one), _("Only tried: nothing is written")) for one in rehearsed(leaving))
                yield _line(leaving), _("Its data move to the other vdevs")
                yield self._wait("remove"), _("Wait until it has ended")
            case GrowthKind.ATTACH:
                yield from self._attach(old, new, name)
            case GrowthKind.REPLACE:
                yield from self._replace(old, new)
            case GrowthKind.EXPAND:
                devices = map(self._device, old.members)
                yield self._on(DeviceVerb.EXPAND, *devices), _("Take the room of the larger disks")
            case GrowthKind.DETACH:
                yield self._on(DeviceVerb.DETACH, self._device(old.members[-1])), _("The side leaves the mirror")

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
        reason = _("ashift is given so that the new vdev has that of the others")
        if force:
            reason = _(
                "With -f because the new vdev differs from the last one. "
                "ashift is given so that the new vdev has that of the others"
            )
        yield _line(*rehearsed(adding)), _("Only tried: nothing is written")
        yield _line(adding), reason

    def _attach(self, old: Vdev, new: Vdev, name: str) -> Iterator[_Told]:
        widens = name if old.kind is VdevKind.RAIDZ else ""
        to, disk = self._device(old.members[0]), self._device(new.members[-1])
        line = _line(Attach(pool=self._pool, to=to, device=disk, widens=widens))
        if widens:
            yield (
                f"zpool get -H -o value feature@raidz_expansion {quote(self._pool)}",
                _("“enabled” or “active”; where it is disabled run zpool upgrade first"),
            )
            yield line, _("{vdev} gets one disk wider", vdev=name)
            yield self._wait("raidz_expand"), _("Wait until it has ended")
        else:
            yield line, _("One side more")
            yield self._wait("resilver"), _("Wait until it has ended")

    def _replace(self, old: Vdev, new: Vdev) -> Iterator[_Told]:
        if self._stage.grown.pool.autoexpand:
            yield _line(set_on_pool(self._pool, "autoexpand", "on")), _("The vdev grows with its last disk")
        pairs = list(zip(old.members, new.members, strict=True))
        for number, (gone, come) in enumerate(pairs, 1):
            yield from self._tables((come.disk_key,))
            line = _line(Replace(pool=self._pool, old=self._device(gone), new=self._device(come)))
            told = _("Disk {number} of {all}: go on when it has ended without errors", number=number, all=len(pairs))
            yield f"{line} && {self._wait('replace')}", told


def _line(action: Action) -> str:
    (line,) = lines(action)
    return line
