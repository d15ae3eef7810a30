"""The guarded script: checks every disk, lets zpool rehearse, asks, creates, verifies; safe to run twice.

The parts that are the same for every design are the files of ``shell/``; what a design adds is a table of disks and
command lines, every word of it quoted by one function.
"""

from dataclasses import dataclass
from importlib import resources

from poolwright.domain.design import Design, Setting
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass, describe
from poolwright.emit.actions import Action, CreateDataset, CreatePool, SetPoolProperty, VdevWords, plan_actions
from poolwright.emit.commands import command
from poolwright.emit.names import comment, quote
from poolwright.emit.spellings import spellings

_SPECIAL = (VdevClass.SPECIAL, VdevClass.DEDUP)
_PARTS = ("10_report.sh", "20_disks.sh", "30_pool.sh", "40_main.sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """Where the script looks for devices. Written into it as constants: nothing at run time can change them."""

    by_id: str = "/dev/disk/by-id"
    sys_block: str = "/sys/class/block"


def guarded_script(
    design: Design,
    *,
    generated_at: str,
    program_version: str,
    predicted_size_bytes: int | None = None,
    predicted_available_bytes: int | None = None,
    roots: Roots | None = None,
) -> str:
    """Return the bash script (4.2 or newer) that builds ``design``.

    ``predicted_size_bytes`` is what `zpool list -p` should show as SIZE, ``predicted_available_bytes`` what USED and
    AVAIL of the root dataset should add up to; the script prints them beside the real ones. ``generated_at`` is
    shown as it is. ``roots`` is for trying the script without real disks. Raises Refusal with all reasons when the
    design cannot be built or its disks not be named, UserError for names and values that cannot be written.
    """
    actions = plan_actions(design)
    create = actions[0]
    assert isinstance(create, CreatePool)
    pieces = [
        _head(design, generated_at=generated_at, program_version=program_version),
        _constants(design, predicted_size_bytes, predicted_available_bytes, create, roots or Roots()),
        _disk_table(design, create),
        _create_arguments(create),
        _later_steps(actions),
        _property_checks(design, actions),
        *(_part(name) for name in _PARTS),
    ]
    return "\n".join(pieces)


def _part(name: str) -> str:
    return resources.files("poolwright.emit").joinpath("shell", name).read_text(encoding="utf-8")


def _head(design: Design, *, generated_at: str, program_version: str) -> str:
    lines = [
        "#!/usr/bin/env bash",
        f"# Guarded script of the design “{comment(design.name)}”: creates the pool {comment(design.pool_name)}.",
        f"# {comment(describe(design.layout()))}; ashift {design.ashift}; computed for OpenZFS {design.version}.",
        f"# Written by Poolwright {comment(program_version)}, {comment(generated_at)}.",
        "#",
        "# Try it first with --check, which changes nothing. It checks every disk, lets zpool rehearse, asks for the",
        "# name of the pool to be typed, and only then creates the pool. It never erases a disk. A second run changes",
        "# nothing.",
        "# shellcheck disable=SC1003,SC2016 # words of the design stand in single quotes: nothing expands",
        "set -euo pipefail",
        "IFS=$' \\t\\n'",
        "export LC_ALL=C",
        'export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"',
        "",
    ]
    return "\n".join(lines)


def _constants(design: Design, size: int | None, available: int | None, create: CreatePool, roots: Roots) -> str:
    values = {
        "pool": design.pool_name,
        "ashift": str(design.ashift),
        "designed_for": str(design.version),
        "predicted_size": "" if size is None else str(size),
        "predicted_available": "" if available is None else str(available),
        "has_special": "yes" if any(v.vdev_class in _SPECIAL for v in create.vdevs) else "no",
        "forced": "yes" if create.force else "no",
        "dev_by_id": roots.by_id,
        "sys_block": roots.sys_block,
    }
    lines = [f"readonly {name}={quote(value)}" for name, value in values.items()]
    if create.force:
        lines.insert(list(values).index("forced"), f"# zpool wants -f because {comment(create.force)}.")
    return "\n".join(lines) + "\n"


def _disk_table(design: Design, create: CreatePool) -> str:
    lines = [
        "# One line a disk: name, bytes, bytes of a logical sector, serial number, class, vdev, kind of vdev",
        "describe_disks() {",
    ]
    for (vdev_class, number), vdev, key, device in _members(create):
        disk = design.disk(key)
        sector = "" if disk.logical_sector_bytes is None else str(disk.logical_sector_bytes)
        fields = (
            device.rpartition("/")[2],
            str(disk.size_bytes),
            sector,
            plain_serial(disk.serial or ""),
            vdev_class.value,
            str(number),
            vdev.status_word,
        )
        told = comment(" ".join(p for p in (disk.vendor, disk.model, drive_size(disk.size_bytes)) if p))
        lines.append(f"  disk {' '.join(quote(f) for f in fields)} # {told}")
    return "\n".join([*lines, "}", ""])


def _members(create: CreatePool) -> list[tuple[tuple[VdevClass, int], VdevWords, str, str]]:
    """Return each disk with its class and the number of its vdev in that class; a bare disk is a vdev of its own."""
    found: list[tuple[tuple[VdevClass, int], VdevWords, str, str]] = []
    numbers: dict[VdevClass, int] = {}
    for vdev in create.vdevs:
        for position, (key, device) in enumerate(zip(vdev.disk_keys, vdev.devices, strict=True)):
            if vdev.word is None or position == 0:
                numbers[vdev.vdev_class] = numbers.get(vdev.vdev_class, -1) + 1
            found.append(((vdev.vdev_class, numbers[vdev.vdev_class]), vdev, key, device))
    return found


def plain_serial(serial: str) -> str:
    """Return a serial number without padding, underscores and control characters, by which tools differ."""
    return "".join(c for c in serial if c != "_" and not c.isspace() and c.isprintable())


def _create_arguments(create: CreatePool) -> str:
    rows = command(create).rows
    lines = ["# What follows `zpool create`, in the rehearsal and for real", "create_arguments=("]
    lines.extend(f"  {_words(row)}" for row in (rows[0][2:], *rows[1:]) if row)
    lines.append(")")
    lines.append("device_paths=(")
    lines.extend(f"  {quote(device)}" for vdev in create.vdevs for device in vdev.devices)
    return "\n".join([*lines, ")", ""])


def _later_steps(actions: tuple[Action, ...]) -> str:
    steps: list[str] = []
    for action in actions:
        if isinstance(action, CreateDataset):
            steps.append(f"  step {quote(action.name)} {_words(command(action).argv)}")
        elif isinstance(action, SetPoolProperty):
            steps.append(f"  pool_step {_words((action.setting.name, action.setting.value))}")
    lines = [
        "# What is created in the pool, parents first; what is there already is left as it is",
        "build_datasets() {",
        *(steps or ["  true # nothing but the pool itself"]),
        "}",
        "",
    ]
    return "\n".join(lines)


def _property_checks(design: Design, actions: tuple[Action, ...]) -> str:
    lines = ["# What every property must read afterwards, with the other ways the tools print the same value"]
    lines.append("check_properties() {")
    lines.append(f"  pool_property ashift {design.ashift}")
    for action in actions:
        if isinstance(action, CreatePool):
            lines.extend(f"  pool_property {_expected(s)}" for s in action.pool_settings)
            lines.extend(f"  dataset_property {quote(action.pool)} {_expected(s)}" for s in action.root_settings)
            if action.mountpoint is not None:
                lines.append(f"  dataset_property {quote(action.pool)} mountpoint {quote(action.mountpoint)}")
        elif isinstance(action, CreateDataset):
            lines.extend(f"  dataset_property {quote(action.name)} {_expected(s)}" for s in action.settings)
        else:
            lines.append(f"  pool_property {_expected(action.setting)}")
    return "\n".join([*lines, "}", ""])


def _expected(setting: Setting) -> str:
    return _words((setting.name, *spellings(setting.name, setting.value)))


def _words(row: tuple[str, ...]) -> str:
    return " ".join(quote(word) for word in row)
