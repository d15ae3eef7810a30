"""The commands that turn a pool into its design, as lines and as a guarded script. Shown and saved; never run here.

The script has the fixed part of all scripts that take a pool through steps: everything is checked before the first
step and again before each, which it asks for; the first command that fails ends it.
"""

from collections.abc import Iterator
from dataclasses import replace

from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveWay
from poolwright.domain.action import (
    Action,
    Ask,
    Attach,
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
)
from poolwright.domain.disk import Disk
from poolwright.domain.pool import WELL
from poolwright.domain.shown import shown_text
from poolwright.emit.commands import lines
from poolwright.emit.names import BY_ID, comment, comment_line, commented, device_path, device_problem, part_path
from poolwright.emit.script_tables import Roots, ScriptStep, plan_script
from poolwright.texts import tell

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
        "change",
        head=_head(comparison),
        pool=comparison.pool.name,
        disks=writer.disks(),
        steps=writer.steps(),
        version=comparison.live.version,
        path=writer.path,
        roots=roots,
    )


def _head(comparison: LiveComparison) -> Iterator[str]:
    yield comment_line(tell("Turns the pool {pool} into its design.", pool=comparison.pool.name))
    yield from commented(
        tell(
            "Try it first with --check, which changes nothing. It checks the pool and every disk, asks before each "
            "step, and stops at the first command that fails. Where it stopped, read the machine again and let it be "
            "written anew."
        )
    )
    for text in comparison.before:
        yield from commented(tell("First: {text}", text=text))
    for held in comparison.of_way(LiveWay.CANNOT):
        yield from commented(tell("Not changed: {text} {why}", text=held.text, why=held.reason))


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
        very = (Guard(words=("pool", pool, guid)),) if guid else ()
        devices = (named(step.action) for step in comparison.steps)
        # A name that may change is no name for a script: the pool takes those that stay before anything else.
        if any(device is not None and device.path in self._stable for device in devices):
            title = tell("Export and import the pool, by names that stay")
            why = tell("Some disks are known to the pool by names that may change.")
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

    def _disk_there(self, action: Action | None) -> tuple[Disk, ...]:
        """Return the disk of the pool that an action names, where it is well and has a name."""
        device = named(action)
        seat = self._there.get(device.identity) if device is not None and device.path is not None else None
        return (seat.disk,) if seat is not None and device_problem(seat.disk) is None else ()

    def _guards(self, step: LiveDifference) -> dict[Guard, None]:
        seats = {seat.identity for seat in self._comparison.seats}
        fresh = {d for d, identity in zip(coming(step.action), step.needs, strict=False) if identity not in seats}
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


def _of_design(action: Action | None) -> tuple[MemberDevice, ...]:
    """Return the devices that an action names as the design does."""
    if isinstance(action, OnDevices) and expands(action):
        return tuple(device for device in action.devices if isinstance(device, MemberDevice))
    return coming(action)
