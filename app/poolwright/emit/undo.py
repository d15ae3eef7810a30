"""The undo twin of the guarded script: destroys what that script created, after showing it, and nothing else."""

from poolwright.domain.design import Design
from poolwright.emit.actions import CreateDataset, CreatePartitions, CreatePool, plan_actions
from poolwright.emit.names import comment, quote
from poolwright.emit.script import by_pool
from poolwright.emit.script_tables import STRICT_BASH, Roots, disk_tables, pool_switch, setting_lines, shell_part, words

_TOOLS = (
    *("id", "zpool", "zfs", "zdb", "lsblk", "blkid", "blockdev", "wipefs"),
    *("readlink", "stat", "cat", "chmod", "date", "tee", "find"),
)


def undo_script(design: Design, *, generated_at: str, program_version: str, roots: Roots | None = None) -> str:
    """Return the bash script (4.2 or newer) that takes back what the guarded script of the same design creates.

    It compares pools vdev by vdev and label by label with the design, tells what will be lost, refuses when a pool
    holds more than the script put there (unless told otherwise and typed), destroys, and clears labels, partitions
    and partition tables that are its own. Raises as `guarded_script`.
    """
    actions = plan_actions(design)
    pools = by_pool(actions)
    creates = [action for action in actions if isinstance(action, CreatePool)]
    split = any(isinstance(action, CreatePartitions) for action in actions)
    names = {pool[0].pool: _datasets(pool) for pool in pools if isinstance(pool[0], CreatePool)}
    pieces = [
        _head(design, tuple(names), generated_at=generated_at, program_version=program_version),
        _constants(tuple(names), roots or Roots(), split=split),
        disk_tables(design, creates),
        pool_switch([setting_lines({"pool": create.pool}) for create in creates]),
        _designed(names),
        *(shell_part(name) for name in _part_names()),
    ]
    return "\n".join(pieces)


def _part_names() -> tuple[str, ...]:
    return ("10_report.sh", "20_disks.sh", "22_partitions.sh", "30_layout.sh", "38_machine.sh", "50_undo.sh")


def _datasets(actions: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(action.name for action in actions if isinstance(action, CreateDataset))


def _designed(names: dict[str, tuple[str, ...]]) -> str:
    lines = ["is_designed() { # DATASET: whether the script creates it", '  case "$1" in']
    lines += [f"    {quote(name)}) return 0 ;;" for pool, datasets in names.items() for name in (pool, *datasets)]
    return "\n".join([*lines, "  esac", "  return 1", "}", ""])


def _head(design: Design, names: tuple[str, ...], *, generated_at: str, program_version: str) -> str:
    pools = comment(", ".join(names))
    lines = [
        "#!/usr/bin/env bash",
        f"# Undo of the guarded script of the design “{comment(design.name)}”: DESTROYS {pools}.",
        f"# Written by Poolwright {comment(program_version)}, {comment(generated_at)}.",
        "#",
        "# Try it first with --check, which changes nothing. It destroys a pool only when its vdevs are exactly those",
        '# of the design, nothing was stored in it, and "destroy NAME" was typed. What it does not recognise it leaves',
        "# alone.",
        *STRICT_BASH,
        "",
    ]
    return "\n".join(lines)


def _constants(names: tuple[str, ...], roots: Roots, *, split: bool) -> str:
    values = {
        "needed_packages": "OpenZFS, util-linux and gdisk" if split else "OpenZFS and util-linux",
        "dev_by_id": roots.by_id,
        "sys_block": roots.sys_block,
    }
    tools = " ".join((*_TOOLS, *(("sgdisk", "udevadm") if split else ())))
    lines = [f"readonly {name}={quote(value)}" for name, value in values.items()]
    return "\n".join([*lines, f"readonly pool_names=({words(names)})", f"readonly needed_tools=({tools})", ""])
