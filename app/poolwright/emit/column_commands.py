"""The commands behind a column of a comparison, as lines that can be compared."""

import re
from collections.abc import Generator

from poolwright.design.compare import DiffLine, lines_diff_in_steps
from poolwright.design.compared import ComparedDesign
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.md_raid import RAID6_PARITY, MdRaid6
from poolwright.domain.steps import at_once
from poolwright.domain.units import KIB
from poolwright.emit.actions import plan_actions
from poolwright.emit.commands import ScriptCommand, commands
from poolwright.emit.names import BY_ID, comment_line, device_path, device_problem
from poolwright.texts import tell


def design_commands(design: Design) -> tuple[ScriptCommand, ...]:
    """Return the commands that make partitions and pools of ``design``, with placeholders for disks without a name.

    Raises Refusal with the reasons where a pool cannot be made.
    """
    return commands(plan_actions(design, placeholders=True))


def column_commands(column: ComparedDesign) -> tuple[str, ...]:
    """Return the lines of all commands of a column; a comment with the reason where there are none."""
    try:
        if column.raid is not None:
            found = md_commands(column.raid)
        elif column.evaluation is not None:
            found = design_commands(column.evaluation.design)
        else:
            found = ()
    except PoolwrightError as error:
        reasons = getattr(error, "reasons", ()) or (error.what,)
        return tuple(comment_line(reason) for reason in (tell("There are no commands:"), *reasons))
    return tuple(line for command in found for line in command.text.splitlines())


def commands_diff(first: ComparedDesign, second: ComparedDesign) -> tuple[DiffLine, ...]:
    return at_once(commands_diff_in_steps(first, second))


def commands_diff_in_steps(
    first: ComparedDesign, second: ComparedDesign
) -> Generator[None, None, tuple[DiffLine, ...]]:
    lines = column_commands(first)
    yield
    others = column_commands(second)
    yield
    return (yield from lines_diff_in_steps(lines, others))


# Linux software RAID 6 as commands for people: text to compare with, never part of a script of ours.

_CONF = "/etc/mdadm/mdadm.conf"
_LONGEST_NAME = 26  # mdadm takes 32; a dash and a number follow
_LONGEST_XFS_LABEL = 12
_NOT_PORTABLE = re.compile(r"[^A-Za-z0-9_.-]")


def md_commands(raid: MdRaid6) -> tuple[ScriptCommand, ...]:
    """Return the commands that make the arrays, join them, write the file system and the configuration, in order.

    Disks without a by-id name are written as ``<disk 1>``.
    """
    name = _NOT_PORTABLE.sub("-", raid.device_name)[:_LONGEST_NAME]
    many = len(raid.arrays) > 1
    numbers = {disk.key: number for number, disk in enumerate(raid.disks, start=1)}
    made, devices = [], []
    for place, array in enumerate(raid.arrays):
        device = f"/dev/md/{name}-{place + 1}" if many else f"/dev/md/{name}"
        # Spares are dealt round; mdadm --monitor moves them between arrays of one spare-group.
        spares = raid.spares[place :: len(raid.arrays)]
        made.append(_create(device, array, spares, raid.chunk_bytes, numbers))
        devices.append(device)
    device = f"/dev/md/{name}"
    if many:
        made.append(_join(device, devices, raid.chunk_bytes))
    return (*made, *_afterwards(raid, name, device, grouped=many and bool(raid.spares)))


def _create(
    device: str, array: tuple[Disk, ...], spares: tuple[Disk, ...], chunk_bytes: int, numbers: dict[str, int]
) -> ScriptCommand:
    options = [("--metadata=1.2", "--level=6", f"--raid-devices={len(array)}"), (f"--chunk={chunk_bytes // KIB}",)]
    options.append(("--bitmap=internal",))
    if spares:
        options.append((f"--spare-devices={len(spares)}",))
    paths = tuple((_path(disk, numbers[disk.key]),) for disk in (*array, *spares))
    return ScriptCommand(
        rows=(("mdadm", "--create", device), *options, *paths),
        reason=tell("RAID 6 of {disks} disks; the first sync begins at once", disks=len(array)),
    )


def _join(device: str, arrays: list[str], chunk_bytes: int) -> ScriptCommand:
    options = ("--metadata=1.2", "--level=0", f"--raid-devices={len(arrays)}", f"--chunk={chunk_bytes // KIB}")
    return ScriptCommand(
        rows=(("mdadm", "--create", device), options, *((array,) for array in arrays)),
        reason=tell("One device striped over all arrays, as a pool is over its vdevs"),
    )


def _afterwards(raid: MdRaid6, name: str, device: str, *, grouped: bool) -> tuple[ScriptCommand, ...]:
    scan = "mdadm --detail --scan"  # for machines
    if grouped:
        scan += f" | sed '/{name}-[0-9]/s/$/ spare-group={name}/'"  # for machines
    return (
        _one(tell("A file system that knows the stripes"), "mkfs.xfs", *_geometry(raid), device),
        _one(tell("Where it is mounted"), "mkdir", "-p", f"/{name}"),
        _one(tell("Mounted now; a line in /etc/fstab keeps it"), "mount", device, f"/{name}"),
        _one(tell("Found again under its name after a restart"), "sh", "-c", f"{scan} >>{_CONF}"),
        _one(tell("The boot image holds a copy of that file"), "update-initramfs", "-u"),
    )


def _one(reason: str, *argv: str) -> ScriptCommand:
    return ScriptCommand(rows=(argv,), reason=reason)


def _geometry(raid: MdRaid6) -> tuple[str, ...]:
    label = ("-L", raid.device_name) if len(raid.device_name) <= _LONGEST_XFS_LABEL else ()
    widths = {len(array) for array in raid.arrays}
    if len(widths) > 1:
        return label  # stripes of several widths have no geometry
    units = (widths.pop() - RAID6_PARITY) * len(raid.arrays)
    return (*label, "-d", f"su={raid.chunk_bytes // KIB}k,sw={units}")


def _path(disk: Disk, number: int) -> str:
    return f"{BY_ID}<disk {number}>" if device_problem(disk) is not None else device_path(disk)
