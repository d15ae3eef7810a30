"""The guarded script: checks every disk, lets zpool rehearse, asks, creates, verifies; safe to run twice.

The parts that are the same for every design are the files of ``shell/``; what a design adds are tables of disks,
partitions and members and command lines, every word of them quoted by one function.
"""

from collections.abc import Sequence

from poolwright.domain.design import Design, Setting
from poolwright.domain.vdev import VdevClass, describe
from poolwright.emit.actions import Action, CreateDataset, CreatePartitions, CreatePool, SetPoolProperty, plan_actions
from poolwright.emit.commands import command
from poolwright.emit.names import comment, quote
from poolwright.emit.script_tables import (
    STRICT_BASH,
    PredictedSpace,
    Roots,
    disk_tables,
    plain_serial,
    pool_switch,
    setting_lines,
    shell_part,
    words,
)
from poolwright.emit.spellings import spellings

__all__ = ["PredictedSpace", "Roots", "guarded_script", "plain_serial"]

_SPECIAL = (VdevClass.SPECIAL, VdevClass.DEDUP)
_TOOLS = (
    *("id", "zpool", "zfs", "lsblk", "blkid", "blockdev", "wipefs"),
    *("readlink", "stat", "cat", "chmod", "date", "tee"),
)
_PARTITION_TOOLS = ("sgdisk", "udevadm", "sleep")


def guarded_script(
    design: Design,
    *,
    generated_at: str,
    program_version: str,
    predicted_size_bytes: int | None = None,
    predicted_available_bytes: int | None = None,
    further_predicted: Sequence[PredictedSpace] = (),
    roots: Roots | None = None,
) -> str:
    """Return the bash script (4.2 or newer) that builds ``design``.

    ``predicted_size_bytes`` is what `zpool list -p` should show as SIZE, ``predicted_available_bytes`` what USED and
    AVAIL of the root dataset should add up to, ``further_predicted`` the same of the further pools in order; the
    script prints them beside the real ones. ``generated_at`` is shown as it is. ``roots`` is for trying the script
    without real disks. Raises Refusal with all reasons when the design cannot be built or its disks not be named,
    UserError for names and values that cannot be written.
    """
    actions = plan_actions(design)
    pools = by_pool(actions)
    first = PredictedSpace(size_bytes=predicted_size_bytes, available_bytes=predicted_available_bytes)
    predicted = [first, *further_predicted]
    predicted += [PredictedSpace()] * (len(pools) - len(predicted))
    split = any(isinstance(action, CreatePartitions) for action in actions)
    pieces = [
        _head(design, generated_at=generated_at, program_version=program_version, split=split),
        _constants(design, roots or Roots(), split=split),
        disk_tables(design, [_create(pool) for pool in pools]),
        pool_switch([_pool_lines(pool, space) for pool, space in zip(pools, predicted, strict=True)]),
        _per_pool(
            "build_datasets",
            "What is created in the pool, parents first; what is there already is left as it is",
            [_later_steps(pool) for pool in pools],
        ),
        _per_pool(
            "check_properties",
            "What every property must read afterwards, with the other ways the tools print the same value",
            [_property_checks(pool) for pool in pools],
        ),
        *(shell_part(name) for name in _part_names(split=split)),
    ]
    return "\n".join(pieces)


def by_pool(actions: tuple[Action, ...]) -> list[tuple[Action, ...]]:
    """Return the actions of each pool, its creation first; partitions belong to no pool."""
    starts = [i for i, action in enumerate(actions) if isinstance(action, CreatePool)]
    return [actions[start:end] for start, end in zip(starts, [*starts[1:], len(actions)], strict=True)]


def _create(actions: tuple[Action, ...]) -> CreatePool:
    create = actions[0]
    assert isinstance(create, CreatePool)
    return create


def _part_names(*, split: bool) -> tuple[str, ...]:
    partitions = ("22_partitions.sh", "26_partitioning.sh") if split else ()
    return ("10_report.sh", "20_disks.sh", *partitions, "30_layout.sh", "35_create.sh", "38_machine.sh", "40_main.sh")


def _head(design: Design, *, generated_at: str, program_version: str, split: bool) -> str:
    pools = design.pools()
    names = ", ".join(pool.pool_name for pool in pools)
    each = "each" if len(pools) > 1 else "the"
    partitions = " partitions the disks that vdevs share and" if split else ""
    lines = [
        "#!/usr/bin/env bash",
        f"# Guarded script of the design “{comment(design.name)}”: creates {_pools(len(pools))} {comment(names)}.",
        *(f"# {comment(_described(pool, len(pools)))}" for pool in pools),
        f"# Written by Poolwright {comment(program_version)}, {comment(generated_at)}.",
        "#",
        "# Try it first with --check, which changes nothing. It checks every disk, lets zpool rehearse, asks for the",
        f"# name of {each} pool to be typed, and only then{partitions} creates {_pools(len(pools))}.",
        "# It never erases a disk. A second run changes nothing.",
        *STRICT_BASH,
        "",
    ]
    return "\n".join(lines)


def _pools(count: int) -> str:
    return "the pools" if count > 1 else "the pool"


def _described(pool: Design, count: int) -> str:
    front = f"{pool.pool_name}: " if count > 1 else ""
    return f"{front}{describe(pool.layout())}; ashift {pool.ashift}; computed for OpenZFS {pool.version}."


def _constants(design: Design, roots: Roots, *, split: bool) -> str:
    values = {
        "designed_for": str(design.version),
        "partitioned": "yes" if split else "no",
        "device_noun": "disks and partitions" if split else "disks",
        "needed_packages": "OpenZFS, util-linux and gdisk" if split else "OpenZFS and util-linux",
        "dev_by_id": roots.by_id,
        "sys_block": roots.sys_block,
    }
    lines = [f"readonly {name}={quote(value)}" for name, value in values.items()]
    names = words(tuple(pool.pool_name for pool in design.pools()))
    tools = " ".join((*_TOOLS, *(_PARTITION_TOOLS if split else ())))
    return "\n".join([*lines, f"readonly pool_names=({names})", f"readonly needed_tools=({tools})", ""])


def _pool_lines(actions: tuple[Action, ...], predicted: PredictedSpace) -> list[str]:
    create = _create(actions)
    lines = setting_lines(
        {
            "pool": create.pool,
            "ashift": str(create.ashift),
            "predicted_size": "" if predicted.size_bytes is None else str(predicted.size_bytes),
            "predicted_available": "" if predicted.available_bytes is None else str(predicted.available_bytes),
            "has_special": "yes" if any(v.vdev_class in _SPECIAL for v in create.vdevs) else "no",
        }
    )
    if create.force:
        lines.append(f"# zpool wants -f because {comment(create.force)}.")
    lines.append(f"forced={'yes' if create.force else 'no'}")
    rows = command(create).rows
    lines += ["# What follows `zpool create`, in the rehearsal and for real", "create_arguments=("]
    lines += [f"  {words(row)}" for row in (rows[0][2:], *rows[1:]) if row]
    lines += [")", "device_paths=("]
    lines += [f"  {quote(device)}" for vdev in create.vdevs for device in vdev.devices]
    return [*lines, ")"]


def _per_pool(function: str, what: str, bodies: list[list[str]]) -> str:
    lines = [f"# {what}", f"{function}() {{"]
    if len(bodies) == 1:
        lines += [f"  {line}" for line in bodies[0]]
    else:
        lines.append('  case "$pool_number" in')
        for number, body in enumerate(bodies):
            lines += [f"    {number})", *(f"      {line}" for line in body), "      ;;"]
        lines.append("  esac")
    return "\n".join([*lines, "}", ""])


def _later_steps(actions: tuple[Action, ...]) -> list[str]:
    steps: list[str] = []
    for action in actions:
        if isinstance(action, CreateDataset):
            steps.append(f"step {quote(action.name)} {words(command(action).argv)}")
        elif isinstance(action, SetPoolProperty):
            steps.append(f"pool_step {words((action.setting.name, action.setting.value))}")
    return steps or ["true # nothing but the pool itself"]


def _property_checks(actions: tuple[Action, ...]) -> list[str]:
    lines = [f"pool_property ashift {_create(actions).ashift}"]
    for action in actions:
        if isinstance(action, CreatePool):
            lines.extend(f"pool_property {_expected(s)}" for s in action.pool_settings)
            lines.extend(f"dataset_property {quote(action.pool)} {_expected(s)}" for s in action.root_settings)
            if action.mountpoint is not None:
                lines.append(f"dataset_property {quote(action.pool)} mountpoint {quote(action.mountpoint)}")
        elif isinstance(action, CreateDataset):
            lines.extend(f"dataset_property {quote(action.name)} {_expected(s)}" for s in action.settings)
        elif isinstance(action, SetPoolProperty):
            lines.append(f"pool_property {_expected(action.setting)}")
    return lines


def _expected(setting: Setting) -> str:
    return words((setting.name, *spellings(setting.name, setting.value)))
