"""The commands that change a pool that is there: into its design, or by a step of growth. Shown; never run here.

Those into its design are also a guarded script: everything is checked before the first step and again before each,
which it asks for; the first command that fails ends it. Disks that are not there yet stand as ``<new disk 1>``, so that
no command can be pasted before it names real disks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from poolwright.capacity.expansion import target
from poolwright.changes.growth.design import new_disks, new_vdevs
from poolwright.changes.growth.plan import GrowthPlan, Stage
from poolwright.changes.live_difference.values import LiveComparison, LiveDifference, LiveWay
from poolwright.domain.action import (
    Action,
    AddVdevs,
    Ask,
    Attach,
    Guard,
    OnPool,
    Reimport,
    Replace,
    Verb,
    Wait,
    awaited,
    coming,
    expands,
    named,
    rehearsed,
    set_on_pool,
)
from poolwright.domain.design import Member
from poolwright.domain.disk import Disk
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.names import check_pool_name
from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind, add_wants_force
from poolwright.emit.commands import chain
from poolwright.emit.names import BY_ID, StandIns, comment, comment_line, commented, device_path, part_path, quote
from poolwright.emit.partitions import new_disk_steps, split_disks
from poolwright.emit.script import PlanStep, plan_script
from poolwright.texts import _

_LONGEST_TITLE = 400
_STABLE_AREAS = ("/dev/disk/", "/dev/mapper/")


def live_commands(comparison: LiveComparison) -> dict[LiveDifference, tuple[str, ...]]:
    """Return the commands of every step, in order; ``<...>`` stands where a disk has no stable name yet."""
    writer = _Writer(comparison)
    return {one: writer.commands(one.action) for one in comparison.steps if one.action is not None}


def guarded_text(comparison: LiveComparison) -> str:
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
    )


def _head(comparison: LiveComparison) -> Iterator[str]:
    yield comment_line(_("Turns the pool {pool} into its design.", pool=comparison.pool.name))
    yield from commented(
        _(
            "Try it first with --check, which changes nothing. It checks the pool and every disk, asks before "
            "each step, and stops at the first failure: then read the machine again and write it anew."
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
            path, by_id = seat.path, seat.disk.by_id_name
            if path.startswith("/dev/") and not path.startswith(_STABLE_AREAS):
                last = path.rpartition("/")[2]
                self._stable[path] = f"{BY_ID}<{last}>" if by_id is None else part_path(BY_ID + by_id, seat.member.part)
        self._there = {seat.identity: seat for seat in comparison.seats if seat.well}
        # Disks without a name to write are numbered in the order in which they come.
        self._stand_ins = StandIns("new disk")  # for machines
        for step in comparison.steps:
            for device in coming(step.action):
                self._named(device)

    def steps(self) -> Iterator[PlanStep]:
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
            lines = (*very, Ask(words="yes"), Reimport(pool=pool))  # for machines
            yield PlanStep(title=title, reason=why, lines=lines)
        for one in comparison.steps:
            if one.action is None:
                continue
            title = comment(" ".join(one.text.split()), longest=_LONGEST_TITLE)
            why = shown_text(" ".join(text for text in (one.reason, one.rewrite) if text))
            own = (*rehearsed(one.action), Ask(words="yes"), *awaited(one.action))  # for machines
            # After a disk took the place of another one nothing else is begun before all is well.
            last = one.effect is not None and comparison.pool.state == "ONLINE"
            ends = (Guard(words=("healthy", pool, "0")),) if last else ()
            yield PlanStep(title=title, reason=why, lines=(*very, *self._guards(one), *own, *ends))

    def disks(self) -> list[Disk]:
        """Return every disk that a step names; one that is not there yet under the name of its gap."""
        found = []
        for step in self._comparison.steps:
            for device in _of_design(step.action):
                disk = self._comparison.design.disk(device.disk_key)
                gap = self._named(device).removeprefix(BY_ID)
                found.append(disk if disk.nameable else replace(disk, by_id=(gap,)))
            found.extend(self._disk_there(step.action))
        return found

    # The disk of the pool that an action names, where it is well and has a name.
    def _disk_there(self, action: Action | None) -> tuple[Disk, ...]:
        device = named(action)
        seat = self._there.get(device.identity) if device is not None and device.path is not None else None
        return (seat.disk,) if seat is not None and seat.disk.nameable else ()

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
        version = self._comparison.live.version
        every = (*((one,) for one in rehearsed(action)), awaited(action))
        return tuple(chain(one, version=version, path=self.path) for one in every)

    def path(self, device: Member) -> str:
        if device.path is not None:
            return self._stable.get(device.path, device.path)
        return part_path(self._named(device), device.part)

    def _named(self, device: Member) -> str:
        disk = self._comparison.design.disk(device.disk_key)
        return device_path(disk) if disk.nameable else self._stand_ins.path(disk)


# The devices that an action names as the design does.
def _of_design(action: Action | None) -> tuple[Member, ...]:
    if isinstance(action, OnPool) and expands(action):
        return tuple(device for device in action.devices if isinstance(device, Member))
    return coming(action)


# The commands of a step of growth, for people to read and run one by one; never run by the program.


class StepCommand(NamedTuple):
    """One command line of a step with what it is for. ``text`` holds ``<new disk N>`` where a disk is not known yet."""

    text: str
    reason: str


def step_commands(plan: GrowthPlan, number: int) -> tuple[StepCommand, ...]:
    """Return the commands of the plan's stage ``number`` (from 1; stage 0 is the new pool, which the script makes).

    None where the stage says why nobody should type them.

    Raises UserError where the pool has a name that no command may hold.
    """
    before, stage = plan.stages[number - 1], plan.stages[number]
    origin = stage.grown.origin
    check_pool_name(origin.pool_name, origin.version)
    if stage.step is None or stage.refusal:
        return ()
    return tuple(StepCommand(*command) for command in _GrowthWriter(before, stage, stage.step).commands())


def commands_text(plan: GrowthPlan, number: int) -> list[str]:
    return [f"{comment_line(c.reason)}\n{c.text}" if c.reason else c.text for c in step_commands(plan, number)]


_Told = tuple[str, str]  # a command line, and what it is for


class _GrowthWriter:
    def __init__(self, before: Stage, stage: Stage, step: GrowthStep) -> None:
        self._before, self._stage, self._step = before, stage, step
        self._pool = stage.grown.origin.pool_name
        name_of = StandIns("new disk").path  # for machines
        self._new = {disk.key: name_of(disk) for disk in stage.disks}
        # zpool knows a member by the name it was made with: another link to the same disk, or its kernel name, is "no
        # such device in pool" (tried on OpenZFS 2.3).
        members = (member for vdev in stage.grown.origin.vdevs for member in vdev.members)
        self._there = {member.identity: member.path for member in members if member.path}
        # A disk of the pool that has no name is told by its vdev and its number there.
        tops = ((n, vdev) for n, vdev in enumerate(before.grown.tops) if vdev is not None)
        self._seats = {
            key: before.grown.pool.name(n) + (f", disk {at}" if len(vdev.keys) > 1 else "")
            for n, vdev in tops for at, key in enumerate(vdev.keys, 1)
        }  # fmt: skip

    def commands(self) -> Iterator[_Told]:
        stage, pool = self._stage, quote(self._pool)
        yield f"zpool status -x {pool}", _("Begin only where the pool is healthy")
        # A table on a disk that comes must be there before zpool names one of its partitions.
        if self._step.kind is not GrowthKind.REPLACE:  # which takes one disk after the other
            yield from self._tables(disk.key for disk in new_disks(self._before.grown, stage.grown))
        for action, reason in self._own():
            yield from self._written(action, reason)
        # AVAIL follows a transaction group later, so the pool is synced before anything is compared.
        words = {"size": stage.pool_size_bytes or _("unknown"), "available": stage.usable_bytes or _("unknown")}
        reason = _("Expect SIZE {size} and USED + AVAIL {available}, some seconds after the end of the step", **words)
        yield f"zpool sync {pool}; zpool list -p -o size {pool}; zfs list -p -o used,available {pool}", reason

    def _disk(self, key: str) -> str:
        disk = self._stage.grown.disk(key)
        seat = self._seats.get(key, "old disk")  # for machines
        return self._new.get(key) or (device_path(disk) if disk.nameable else f"{BY_ID}<{seat}>")

    def _path(self, device: Member) -> str:
        return self._there.get(device.identity) or part_path(self._disk(device.disk_key), device.part)

    # What gives new disks the partitions that are reserved on them, before a pool gets the rest.
    def _tables(self, new: Iterable[str]) -> Iterator[_Told]:
        if self._stage.grown.origin.reserve:
            split = {disk.disk_key: disk for disk in split_disks(self._stage.grown.design)}
            for key in new:
                if key in split:
                    yield from new_disk_steps(split[key], self._disk(key))

    # The lines of an action, tried before it where zpool can, and awaited.
    def _written(self, action: Action, reason: str) -> Iterator[_Told]:
        if isinstance(action, Replace):
            yield from self._tables((action.new.disk_key,))
        if isinstance(action, Attach) and action.widens:
            feature = "feature@raidz_expansion"  # for machines
            words = {"feature": feature, "pool": quote(self._pool)}
            asked = _("“enabled” or “active”; else first: zpool set {feature}=enabled {pool}", **words)
            yield f"zpool get -H -o value {feature} {quote(self._pool)}", asked
        tried = _("Only tried: nothing is written")
        lines = [(chain((one,), path=self._path), tried) for one in rehearsed(action)]
        lines.append((chain(awaited(action), path=self._path), reason))  # nobody should begin the next too early
        if isinstance(action, AddVdevs) and any(vdev.vdev_class in HOLDS_THE_POOL for vdev in action.vdevs):
            # What was read of the pool may be long ago, or nobody read it.
            shown = f'zdb -C {quote(self._pool)} | sed -n "s/^ *ashift: \\([1-9]\\)/\\1/p" | sort -u'  # for machines
            found = f'"$({shown})"'  # for machines
            if self._stage.grown.origin.ashift_read:
                lines[-1] = f"[ {found} = {action.ashift} ] && {lines[-1][0]}", reason  # for machines
            else:
                lines = [(line.replace(f"ashift={action.ashift}", f"ashift={found}"), why) for line, why in lines]
        if isinstance(action, AddVdevs) and action.force:
            disks = " ".join(quote(self._path(device)) for device in coming(action))
            lines[-1] = (
                f'[ "$(wipefs --no-act {disks} && echo empty)" = empty ] && {lines[-1][0]}',
                reason,
            )  # for machines
        yield from lines

    # What is done, with what it is for.
    def _own(self) -> Iterator[tuple[Action, str]]:
        pool, grown = self._pool, self._before.grown
        if self._step.kind is GrowthKind.ADD:
            yield self._added()
            return
        at = target(grown.pool, self._step)
        old, new = (state.pool.tops[at].vdev for state in (grown, self._stage.grown))
        name = grown.pool.name(at)
        here, come = old.members, new.members
        match self._step.kind:
            case GrowthKind.REMOVE:
                vdev = name if old.kind is not VdevKind.STRIPE else here[0]
                holds = old.vdev_class in HOLDS_THE_POOL
                leaving = OnPool(pool=pool, verb=Verb.REMOVE, devices=(vdev,), moves_data=holds)
                yield leaving, _("Its data move to the other vdevs")
                if not holds:
                    yield Wait(pool=pool, activity="remove"), _("Wait until it has ended")
            case GrowthKind.ATTACH:
                widens = name if old.kind is VdevKind.RAIDZ else ""
                reason = _("{vdev} gets one disk wider", vdev=name) if widens else _("One side more")
                yield Attach(pool=pool, to=here[0], device=come[-1], widens=widens), reason
            case GrowthKind.REPLACE:
                if self._stage.grown.pool.autoexpand:
                    yield set_on_pool(pool, "autoexpand", "on"), _("The vdev grows with its last disk")
                pairs = [
                    (gone, comes) for gone, comes in zip(here, come, strict=True) if gone.identity != comes.identity
                ]
                for number, (gone, comes) in enumerate(pairs, 1):
                    reason = _(
                        "Disk {number} of {all}: go on when it has ended without errors", number=number, all=len(pairs)
                    )
                    yield Replace(pool=pool, old=gone, new=comes), reason
                grows = grown.pool.tops[at].asize < self._stage.grown.pool.tops[at].asize
                if grows and not self._stage.grown.pool.autoexpand:
                    expanding = OnPool(pool=pool, verb=Verb.EXPAND, devices=come)
                    yield expanding, _("Take the room of the larger disks, which autoexpand=off leaves unused")
            case GrowthKind.EXPAND:
                expanding = OnPool(pool=pool, verb=Verb.EXPAND, devices=here)
                yield expanding, _("Take the room of the larger disks, which autoexpand=off leaves unused")
            case GrowthKind.DETACH:
                leaving = OnPool(pool=pool, verb=Verb.DETACH, devices=here[-1:])
                yield leaving, _("The side leaves the mirror")

    def _added(self) -> tuple[Action, str]:
        before, grown = self._before.grown, self._stage.grown
        new = new_vdevs(before, grown)
        force = add_wants_force(before.design.layout(), grown.design.spec(new[0]), grown.pool.version)
        holds = any(vdev.vdev_class in HOLDS_THE_POOL for vdev in new)
        ashift = grown.pool.ashift if holds or grown.origin.ashift_read else None
        reason = _("Runs only if every vdev has this ashift: once they differ, no vdev can be removed") if holds else ""
        if force:
            why = _("the new vdev differs from the last one")
            reason = _("{what}. With -f, as {why}: zpool then looks for no old data, wipefs does", what=reason, why=why)
        return AddVdevs(pool=self._pool, vdevs=tuple(new), ashift=ashift, force=force), reason
