"""The commands that turn a pool into its design, as lines and as a guarded script. Shown and saved; never run here.

The script has the fixed part of all scripts that take a pool through steps: everything is checked before the first
step and again before each, which it asks for; the first command that fails ends it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from poolwright.changes.against.values import Identity, LiveComparison, LiveDifference, LiveStep, LiveWay, StepKind
from poolwright.domain.design import Member, Setting
from poolwright.domain.pool import WELL
from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import VdevClass
from poolwright.emit.actions import CreateDataset
from poolwright.emit.commands import command
from poolwright.emit.growth import vdev_word
from poolwright.emit.names import BY_ID, comment, comment_line, commented, device_path, device_problem, quote
from poolwright.emit.script_tables import Roots, assemble, disk_line, root_constants
from poolwright.emit.waiting import discard_lines, wait_line
from poolwright.texts import tell

_TRIALS = ("zpool add -n ", "zpool remove -n ")
_WAITS = ("zpool wait ", "while ")  # the script looks by itself whether it has ended
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
        LiveCommand(lines=tuple(writer.lines(one.step)), difference=one)
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
        yield from ("ask yes", f"write zpool export {quote(pool)}")  # for machines
        yield f"write zpool import -d {BY_ID} {quote(pool)}"  # for machines
    for one in live_commands(comparison):
        step, difference = one.difference.step, one.difference
        if step is None:
            continue
        why = " ".join(text for text in (difference.reason, difference.rewrite) if text)
        tried = [line for line in one.lines if line.startswith(_TRIALS)]
        yield from ("", _step(difference.text, why), *very, *writer.guard_lines(step))
        yield from (f"write {line}" for line in tried)
        yield "ask yes"  # for machines
        for line in (line for line in one.lines if line not in tried):
            waits = line.startswith(_WAITS)
            words = f"settle {quote(pool)} {quote(step.kind.value)}" if waits else f"write {line}"
            yield from words.split("\n")
        if step.survives is not None and comparison.pool.state == "ONLINE":
            # After a disk took the place of another one nothing else is begun before all is well.
            yield f"guard healthy {quote(pool)} 0"  # for machines


def _step(title: str, why: str) -> str:
    return f"step {quote(comment(' '.join(title.split()), longest=_LONGEST_TITLE))} {quote(shown_text(why))}"


class _Writer:
    """Writes the lines of steps; knows by which path each device is named."""

    def __init__(self, comparison: LiveComparison) -> None:
        self._comparison = comparison
        self._pool, self._version = quote(comparison.pool.name), comparison.live.version
        self._paths: dict[Identity, str] = {}
        self._unstable: set[Identity] = set()
        for seat in comparison.seats:
            path = seat.path or seat.name
            if path.startswith("/dev/") and not path.startswith(_STABLE_AREAS):
                self._unstable.add(seat.identity)
                path = _stable(seat.disk.by_id_name, path, seat.member)
            self._paths[seat.identity] = quote(path)
        self._there = {seat.identity: seat for seat in comparison.seats if seat.state in (None, *WELL)}
        # Disks without a name to write are numbered in the order in which they come.
        self._gaps: dict[str, int] = {}
        # A disk that changes its place is named as a member first, and whole when it comes back.
        self._new_paths = {
            identity: self._new(member)
            for step in comparison.steps
            for member, identity in zip(step.new, step.needs, strict=False)
        }

    def unstable(self) -> bool:
        """Tell whether a step names a device that the pool knows by a name which may change."""
        named = {step.old for step in self._comparison.steps if step.old is not None}
        return bool(named & self._unstable)

    def disk_lines(self) -> list[str]:
        """Return the line of every disk that a step names; of one that is not there yet under the name of its gap."""
        design, lines = self._comparison.design, dict[str, None]()
        for step in self._comparison.steps:
            for member in step.new:
                disk = design.disk(member.disk_key)
                name = self._named(member).removeprefix(BY_ID)
                lines[disk_line(disk if device_problem(disk) is None else replace(disk, by_id=(name,)))] = None
            if step.old is not None and step.old in self._there and device_problem(self._there[step.old].disk) is None:
                lines[disk_line(self._there[step.old].disk)] = None
        return list(lines)

    def guard_lines(self, step: LiveStep) -> list[str]:
        """Return the checks of the disks of a step: each is the very one, and one that comes in holds nothing."""
        seats = {seat.identity for seat in self._comparison.seats}
        fresh = {m for m, identity in zip(step.new, step.needs, strict=False) if identity not in seats}
        lines = []
        for member in step.new:
            path = quote(self._named(member))
            if member not in fresh:
                lines.append(f"guard known {path}")  # for machines
            elif member.part is not None:
                lines.append(f"guard part {path} {member.part}")  # for machines
            else:
                lines.append(f"guard empty {path}")  # for machines
        if step.old is not None and step.old in self._there and device_problem(self._there[step.old].disk) is None:
            lines.append(f"guard known {quote(device_path(self._there[step.old].disk))}")  # for machines
        return list(dict.fromkeys(lines))

    def lines(self, step: LiveStep) -> list[str]:
        """Return the command lines of a step, what waits for its end included."""
        pool, kind = self._pool, step.kind
        if kind is StepKind.DISCARD:
            return list(discard_lines(self._comparison.pool.name, self._version))
        if kind is StepKind.SET_POOL and step.setting is not None:
            return [f"zpool set {_given(step.setting)} {pool}"]
        if kind is StepKind.ADD:
            return self._add(step)
        if kind in (StepKind.ATTACH, StepKind.REPLACE):
            return self._resilvered(step)
        if kind is StepKind.REMOVE:
            return self._remove(step)
        if kind is StepKind.DETACH:
            return [f"zpool detach {pool} {self._path(step.old)}"]
        if kind is StepKind.EXPAND:
            return [f"zpool online -e {pool} {' '.join(self._new(member) for member in step.new)}"]
        if kind is StepKind.RENAME and step.setting is not None:
            export = f"zpool export {pool}"  # for machines
            return [export, f"zpool import {pool} {quote(step.setting.value)}"]
        return self._of_dataset(step)

    def _of_dataset(self, step: LiveStep) -> list[str]:
        name = self._comparison.pool.name
        full = f"{name}/{step.dataset}" if step.dataset else name
        if step.created is not None:
            create = CreateDataset(
                name=full, settings=step.created.settings, volume_bytes=step.created.volume_bytes, reason=""
            )
            return [command(create).text]
        if step.setting is None:
            return []
        if step.kind is StepKind.INHERIT:
            return [f"zfs inherit {quote(step.setting.name)} {quote(full)}"]  # for machines
        return [f"zfs set {_given(step.setting)} {quote(full)}"]

    def _add(self, step: LiveStep) -> list[str]:
        made = step.made
        if made is None:
            return []
        words = [] if made.vdev_class is VdevClass.DATA else [made.vdev_class.value]
        word = vdev_word(made)
        words += [word] if word else []
        words += [self._new_paths[identity] for identity in step.needs]
        plain = made.vdev_class in (VdevClass.CACHE, VdevClass.SPARE)
        options = "" if plain else f"-o ashift={self._comparison.design.ashift} "
        line = f"{options}{self._pool} {' '.join(words)}"
        return [f"zpool add -n {line}", f"zpool add {line}"]

    def _resilvered(self, step: LiveStep) -> list[str]:
        new = self._new_paths[step.needs[0]]
        if step.kind is StepKind.ATTACH and step.vdev.startswith("raidz"):
            return [f"zpool attach {self._pool} {quote(step.vdev)} {new}", self._wait("raidz_expand")]
        word, activity = ("replace", "replace") if step.kind is StepKind.REPLACE else ("attach", "resilver")
        line = f"zpool {word} {self._small_blocks(step)}{self._pool} {self._path(step.old)} {new}"
        return [line, self._wait(activity)]

    def _small_blocks(self, step: LiveStep) -> str:
        """Return the option without which zpool refuses a disk whose sectors are larger than the vdev's blocks."""
        sizes = self._comparison.known.vdev(step.vdev)
        physical = self._comparison.design.disk(step.new[0].disk_key).physical_sector_bytes
        if sizes is None or sizes.ashift is None or physical is None or physical <= 1 << sizes.ashift:
            return ""
        return f"-o ashift={sizes.ashift} "

    def _remove(self, step: LiveStep) -> list[str]:
        name = self._path(step.old) if step.old is not None else quote(step.vdev)
        line = f"zpool remove {self._pool} {name}"
        if step.made is not None and step.made.vdev_class in (VdevClass.CACHE, VdevClass.SPARE, VdevClass.LOG):
            return [line]
        return [f"zpool remove -n {self._pool} {name}", line, self._wait("remove")]

    def _wait(self, activity: str) -> str:
        return wait_line(self._comparison.pool.name, activity, self._version)

    def _path(self, identity: Identity | None) -> str:
        if identity is None:
            return quote(f"{BY_ID}<disk>")
        return self._paths.get(identity) or self._new_paths[identity]

    def _new(self, member: Member) -> str:
        return quote(self._named(member) + (f"-part{member.part}" if member.part is not None else ""))

    def _named(self, member: Member) -> str:
        disk = self._comparison.design.disk(member.disk_key)
        if device_problem(disk) is None:
            return device_path(disk)
        return f"{BY_ID}<new disk {self._gaps.setdefault(member.disk_key, len(self._gaps) + 1)}>"


def _stable(by_id: str | None, path: str, member: Member) -> str:
    if by_id is None:
        return f"{BY_ID}<{path.rpartition('/')[2]}>"
    return f"{BY_ID}{by_id}" + (f"-part{member.part}" if member.part is not None else "")


def _given(setting: Setting) -> str:
    return quote(f"{setting.name}={setting.value}")
