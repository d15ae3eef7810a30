"""The commands that turn a pool into its design, as lines and as a guarded script. Shown and saved; never run here.

The script has the fixed part of all scripts that take a pool through steps: everything is checked before the first
step and again before each, which it asks for; the first command that fails ends it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from poolwright.changes.against.values import LiveComparison, LiveDifference, LiveStep, LiveWay
from poolwright.domain.action import (
    Action,
    Attach,
    DeviceVerb,
    MemberDevice,
    OnDevices,
    Reimport,
    Replace,
    Wait,
    coming,
    named,
)
from poolwright.domain.design import Member
from poolwright.domain.disk import Disk
from poolwright.domain.pool import WELL
from poolwright.domain.shown import shown_text
from poolwright.emit.commands import lines, script_lines
from poolwright.emit.names import BY_ID, comment, comment_line, commented, device_path, device_problem, part_path, quote
from poolwright.emit.script_tables import Roots, assemble, disk_line, root_constants
from poolwright.texts import tell

_TRIALS = ("write zpool add -n ", "write zpool remove -n ")  # for machines
_LONGEST_TITLE = 400
_STABLE_AREAS = ("/dev/disk/", "/dev/mapper/")


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCommand:
    """The lines of one step, in order, with the difference that it ends."""

    lines: tuple[str, ...]
    difference: LiveDifference


def live_commands(comparison: LiveComparison) -> tuple[LiveCommand, ...]:
    """Return the commands of every step, in order; ``<...>`` stands where a disk has no stable name yet."""
    writer = _Writer(comparison)
    return tuple(
        LiveCommand(lines=writer.lines(one.step.action), difference=one)
        for one in comparison.differences
        if one.step is not None
    )


def guarded_text(comparison: LiveComparison, *, roots: Roots | None = None) -> str:
    """Return the steps as a bash script (4.2 or newer) that asks before each of them; empty where there is none."""
    if not comparison.steps:
        return ""
    return assemble(
        "change",
        head=tuple(_head(comparison)),
        constants=root_constants(roots or Roots()),
        design=tuple(_design_lines(comparison)),
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


def _design_lines(comparison: LiveComparison) -> Iterator[str]:
    pool, guid = comparison.pool.name, comparison.known.value("guid") or comparison.pool.guid
    writer = _Writer(comparison)
    very = [f"guard pool {quote(pool)} {quote(guid)}"] if guid else []  # for machines
    yield f"pool_names=({quote(pool)})"
    yield comment_line(tell("The disks: name, bytes, bytes of a logical sector, serial number"))
    yield from writer.disk_lines()
    if writer.unstable():
        title = tell("Export and import the pool, by names that stay")
        yield from ("", _step(title, tell("Some disks are known to the pool by names that may change.")), *very)
        yield from ("ask yes", *script_lines(Reimport(pool=pool)))  # for machines
    for difference in comparison.differences:
        step = difference.step
        if step is None:
            continue
        why = " ".join(text for text in (difference.reason, difference.rewrite) if text)
        lines = writer.script(step.action)
        trial = 1 if lines[0].startswith(_TRIALS) else 0
        yield from ("", _step(difference.text, why), *very, *writer.guard_lines(step))
        yield from (*lines[:trial], "ask yes", *lines[trial:])  # for machines
        if step.survives is not None and comparison.pool.state == "ONLINE":
            # After a disk took the place of another one nothing else is begun before all is well.
            yield f"guard healthy {quote(pool)} 0"  # for machines


def _step(title: str, why: str) -> str:
    return f"step {quote(comment(' '.join(title.split()), longest=_LONGEST_TITLE))} {quote(shown_text(why))}"


class _Writer:
    """Writes the lines of steps; knows by which path each device is named."""

    def __init__(self, comparison: LiveComparison) -> None:
        self._comparison, self._version = comparison, comparison.live.version
        # Names that may change, and those that stay.
        self._stable: dict[str, str] = {}
        for seat in comparison.seats:
            path = seat.path or seat.name
            if path.startswith("/dev/") and not path.startswith(_STABLE_AREAS):
                self._stable[path] = _stable(seat.disk.by_id_name, path, seat.member)
        self._there = {seat.identity: seat for seat in comparison.seats if seat.state in (None, *WELL)}
        # Disks without a name to write are numbered in the order in which they come.
        self._gaps: dict[str, int] = {}
        for step in comparison.steps:
            for device in coming(step.action):
                self._named(device)

    def unstable(self) -> bool:
        """Tell whether a step names a device that the pool knows by a name which may change."""
        devices = [device for step in self._comparison.steps if (device := named(step.action)) is not None]
        return any(device.path in self._stable for device in devices)

    def disk_lines(self) -> list[str]:
        """Return the line of every disk that a step names; of one that is not there yet under the name of its gap."""
        design, lines = self._comparison.design, dict[str, None]()
        for step in self._comparison.steps:
            for device in _of_design(step.action):
                disk = design.disk(device.disk)
                name = self._named(device).removeprefix(BY_ID)
                lines[disk_line(disk if device_problem(disk) is None else replace(disk, by_id=(name,)))] = None
            if (disk_there := self._disk_there(step.action)) is not None:
                lines[disk_line(disk_there)] = None
        return list(lines)

    def _disk_there(self, action: Action) -> Disk | None:
        """Return the disk of the pool that an action names, where it is well and has a name."""
        device = named(action)
        seat = self._there.get(device.identity) if device is not None and device.path is not None else None
        return seat.disk if seat is not None and device_problem(seat.disk) is None else None

    def guard_lines(self, step: LiveStep) -> list[str]:
        """Return the checks of the disks of a step: each is the very one, and one that comes in holds nothing."""
        seats = {seat.identity for seat in self._comparison.seats}
        fresh = {d for d, identity in zip(coming(step.action), step.needs, strict=False) if identity not in seats}
        lines = []
        for device in _of_design(step.action):
            # A disk that comes in holds nothing, or, where a partition of it comes, nothing in that partition.
            check = "known" if device not in fresh else "part" if device.part is not None else "empty"
            part = f" {device.part}" if check == "part" else ""
            lines.append(f"guard {check} {quote(self._named(device))}{part}")  # for machines
        if (disk := self._disk_there(step.action)) is not None:
            lines.append(f"guard known {quote(device_path(disk))}")  # for machines
        return list(dict.fromkeys(lines))

    def lines(self, action: Action) -> tuple[str, ...]:
        """Return the command lines of a step, what waits for its end included."""
        return tuple(t for one in self._awaited(action) for t in lines(one, version=self._version, path=self._path))

    def script(self, action: Action) -> tuple[str, ...]:
        awaited = self._awaited(action)
        return tuple(t for one in awaited for t in script_lines(one, version=self._version, path=self._path))

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

    def _path(self, device: MemberDevice) -> str:
        if device.path is not None:
            return self._stable.get(device.path, device.path)
        return part_path(self._named(device), device.part)

    def _named(self, device: MemberDevice) -> str:
        disk = self._comparison.design.disk(device.disk)
        if device_problem(disk) is None:
            return device_path(disk)
        return f"{BY_ID}<new disk {self._gaps.setdefault(device.disk, len(self._gaps) + 1)}>"


def _of_design(action: Action) -> tuple[MemberDevice, ...]:
    """Return the devices that an action names as the design does."""
    if isinstance(action, OnDevices) and action.verb is DeviceVerb.EXPAND:
        return tuple(device for device in action.devices if isinstance(device, MemberDevice))
    return coming(action)


def _stable(by_id: str | None, path: str, member: Member) -> str:
    if by_id is None:
        return f"{BY_ID}<{path.rpartition('/')[2]}>"
    return part_path(f"{BY_ID}{by_id}", member.part)
