"""The commands that turn a pool into its design, as lines and as a guarded text. Shown and saved; never run here.

The text stops at the first command that fails, asks before each step, and begins only on the pool that was read: the
guid is compared. Every disk that is named has to be the very one, by size, sectors and serial number; one that comes
in has no signature of anything on it. With --check it ends there; what it does goes to a log as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.advise.existing.against.values import (
    Identity,
    LiveComparison,
    LiveDifference,
    LiveStep,
    LiveWay,
    StepKind,
)
from poolwright.domain.design import Member, Setting
from poolwright.domain.disk import Disk
from poolwright.domain.pool import WELL
from poolwright.domain.vdev import VdevClass
from poolwright.emit.actions import CreateDataset
from poolwright.emit.commands import command
from poolwright.emit.growth import vdev_word
from poolwright.emit.names import BY_ID, comment, commented, device_path, device_problem, quote
from poolwright.emit.script_tables import plain_serial
from poolwright.emit.waiting import discard_lines, wait_line
from poolwright.texts import tell

_GUARDS = (
    "set -eu",
    "export LC_ALL=C",  # for machines
    "stop() {{ printf '%s\\n' \"$*\" >&2; exit 1; }}",  # for machines
    '[ "$#" = 0 ] || [ "$*" = --check ] || stop {usage}',  # for machines
    'check="${{1-no}}"',
    "serials() {{",  # every tool tells one in its own way
    '  lsblk -dno SERIAL "$1" 2>/dev/null || :',  # for machines
    '  udevadm info --query=property --name="$1" 2>/dev/null |',  # for machines
    "    sed -nE 's/^(ID_SERIAL_SHORT|ID_SCSI_SERIAL|SCSI_IDENT_SERIAL)=//p' || :",  # for machines
    "  smartctl -i \"$1\" 2>/dev/null | sed -nE 's/^Serial [Nn]umber: *//p' || :",  # for machines
    "}}",
    "same() {{ # PATH SIZE SECTOR SERIAL",  # for machines
    '  [ -b "$1" ] || stop {missing} "$1"',  # for machines
    '  [ -z "$2" ] || [ "$(blockdev --getsize64 "$1")" = "$2" ] || stop {other} "$1"',  # for machines
    '  [ -z "$3" ] || [ "$(blockdev --getss "$1")" = "$3" ] || stop {other} "$1"',  # for machines
    '  [ -z "$4" ] || serials "$1" | tr -d "[:blank:]_" | grep -qxF -- "$4" || stop {other} "$1"',  # for machines
    "}}",
    "log() {{",
    '  [ "$check" = no ] || return 0',  # for machines
    '  log="${{POOLWRIGHT_LOG:-/var/log/poolwright-change-$pool-$(date +%Y%m%d-%H%M%S).log}}"',  # for machines
    '  (set -C; : >"$log") || stop {unlogged} "$log"',  # for machines
    '  exec > >(tee -a -- "$log") 2>&1',  # for machines
    "}}",
    "ask() {{",
    "  printf '\\n%s\\n%s ' \"$1\" {on}",  # for machines
    '  read -r answer; [ "$answer" = yes ] || stop {stopped}',  # for machines
    "}}",
    "free() {{",
    '  [ -b "$1" ] || stop {missing} "$1"',  # for machines
    '  wipefs -n "$1" >/dev/null || stop {used} "$1"',  # for machines
    '  [ -z "$(wipefs -n "$1")" ] || stop {used} "$1"',  # for machines
    "}}",
)
_BY_STABLE_NAMES = (
    'zpool export "$pool"',  # for machines
    'zpool import -d /dev/disk/by-id "$pool"',  # for machines
)
# After a disk took the place of another one nothing else is begun before all is well.
_WHOLE = '[ "$(zpool list -H -o health "$pool")" = ONLINE ] || stop {hurt}'  # for machines
_LONGEST_QUESTION = 400
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


def guarded_text(comparison: LiveComparison) -> str:
    """Return the steps as a text for bash that asks before each of them; empty where there is none."""
    found = live_commands(comparison)
    if not found:
        return ""
    pool, guid = comparison.pool.name, comparison.known.value("guid") or comparison.pool.guid
    parts = ["#!/bin/bash", *commented(tell("Turns the pool {pool} into its design.", pool=pool))]
    parts += commented(tell("Read it first. It asks before each step and stops at the first command that fails."))
    parts += commented(tell("With --check it looks at the pool and its disks, and changes nothing."))
    parts += commented(tell("Where it stopped, read the machine again and let it be written anew."))
    for text in comparison.before:
        parts += commented(tell("First: {text}", text=text))
    for held in comparison.of_way(LiveWay.CANNOT):
        parts += commented(tell("Not changed: {text} {why}", text=held.text, why=held.reason))
    parts += [*_functions(), f"pool={quote(pool)}"]
    # Within a function, so that a text that was cut off does nothing.
    parts += ["main() {", *_checks(guid)]
    writer = _Writer(comparison)
    parts += writer.identity_lines(comparison.steps)
    parts += [f"free {path}" for path in writer.fresh_paths()]
    whole = quote(tell("Everything was checked; nothing was changed."))
    parts += [f"[ \"$check\" = no ] || {{ printf '%s\\n' {whole}; exit 0; }}", "log"]  # for machines
    if writer.unstable():
        parts += ["", *commented(tell("Some disks are known to the pool by names that may change:"))]
        parts += [_ask(tell("Export and import the pool, by names that stay?")), *_BY_STABLE_NAMES]
    for number, one in enumerate(found, 1):
        difference = one.difference
        parts += ["", *commented(f"{number}. {difference.text}")]
        parts += [line for text in (difference.reason, difference.rewrite) if text for line in commented(text)]
        parts.append(_ask(tell("Step {number} of {count}: {text}", number=number, count=len(found),
                               text=difference.text)))  # fmt: skip
        # Somebody may have changed disks since the checks at the beginning, or while the question stood.
        parts += writer.identity_lines((difference.step,) if difference.step is not None else ())
        parts += one.lines
        if difference.step is not None and difference.step.survives is not None and comparison.pool.state == "ONLINE":
            parts.append(_WHOLE.format(hurt=quote(tell("The pool is not whole: look at zpool status first."))))
    parts += ["", 'zpool status "$pool"'] if not _renames(comparison) else []
    parts += ["}", "main"]
    return "\n".join(parts) + "\n"


def _renames(comparison: LiveComparison) -> bool:
    return any(step.kind is StepKind.RENAME for step in comparison.steps)


def _ask(text: str) -> str:
    return f"ask {quote(comment(' '.join(text.split()), longest=_LONGEST_QUESTION))}"


def _functions() -> list[str]:
    """Return the lines by which the text stops, asks, and looks at a disk that comes in."""
    said = {
        "on": tell("Type yes to go on:"),
        "stopped": tell("Stopped; nothing more was done."),
        "missing": tell("This disk is not there:"),
        "used": tell("This disk is not empty:"),
        "other": tell("This is not the disk that was read, by its size, sectors or serial number:"),
        "unlogged": tell("The log cannot be written, or is there already:"),
        "usage": tell("The only option is --check."),
    }
    words = {name: quote(text) for name, text in said.items()}
    return [line.format(**words) for line in _GUARDS]


def _checks(guid: str | None) -> list[str]:
    """Return the checks that root asks, and that this is the pool that was read."""
    lines = ['[ "$(id -u)" = 0 ] || stop ' + quote(tell("Run it as root."))]
    if guid:
        other = quote(tell("This is not the pool that was read."))
        printed = '"$(zpool get -H -o value guid "$pool")"'  # for machines
        lines.append(f"[ {printed} = {quote(guid)} ] || stop {other}")
    return lines


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

    def fresh_paths(self) -> list[str]:
        """Return the paths of the disks that come in and are in no place of the pool now."""
        there = {seat.identity for seat in self._comparison.seats}
        fresh = [identity for step in self._comparison.steps for identity in step.needs if identity not in there]
        return [self._new_paths[identity] for identity in dict.fromkeys(fresh)]

    def identity_lines(self, steps: Sequence[LiveStep]) -> list[str]:
        """Return the checks that each disk which a step names, and that is there, is the very one that was read."""
        there = {seat.identity: seat for seat in self._comparison.seats if seat.state in (None, *WELL)}
        lines: dict[str, None] = {}
        for step in steps:
            for member in step.new:
                lines[_same(self._comparison.design.disk(member.disk_key))] = None
            if step.old is not None and step.old in there:
                lines[_same(there[step.old].disk)] = None
        return [line for line in lines if line]

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
        if step.kind is StepKind.REPLACE:
            line = f"zpool replace {self._small_blocks(step)}{self._pool} {self._path(step.old)} {new}"
            return [line, self._wait("replace")]
        if step.vdev.startswith("raidz"):
            return [f"zpool attach {self._pool} {quote(step.vdev)} {new}",
                    self._wait("raidz_expand")]  # fmt: skip
        line = f"zpool attach {self._small_blocks(step)}{self._pool} {self._path(step.old)} {new}"
        return [line, self._wait("resilver")]

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
        disk = self._comparison.design.disk(member.disk_key)
        part = f"-part{member.part}" if member.part is not None else ""
        if device_problem(disk) is None:
            return quote(device_path(disk) + part)
        number = self._gaps.setdefault(member.disk_key, len(self._gaps) + 1)
        return quote(f"{BY_ID}<new disk {number}>{part}")


def _same(disk: Disk) -> str:
    """Return the line that compares a disk with what was read of it; none for one without a name to compare it by."""
    if device_problem(disk) is not None:
        return ""
    facts = ("" if fact is None else str(fact) for fact in (disk.size_bytes, disk.logical_sector_bytes))
    return " ".join(("same", quote(device_path(disk)), *map(quote, (*facts, plain_serial(disk.serial or "")))))


def _stable(by_id: str | None, path: str, member: Member) -> str:
    if by_id is None:
        return f"{BY_ID}<{path.rpartition('/')[2]}>"
    return f"{BY_ID}{by_id}" + (f"-part{member.part}" if member.part is not None else "")


def _given(setting: Setting) -> str:
    return quote(f"{setting.name}={setting.value}")
