"""`poolwright migrate`: from the pool that is there to another layout, with the disks there are."""

import argparse
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from poolwright import __version__
from poolwright.changes.migration.values import (
    MigrationAnswer,
    MigrationPlan,
    MigrationStep,
    step_title,
    survival_words,
)
from poolwright.cli.design_source import only_pool
from poolwright.cli.numbers import whole_number
from poolwright.cli.output import add_output_option, check_outputs, print_json, print_line, write_output
from poolwright.cli.predictions import estimate_document
from poolwright.cli.sources import add_source_options, capture_names, has_source, read_source, read_this_machine
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.steps import Estimate
from poolwright.emit.migration.lines import MoveLine, MoveLineKind, guard_words
from poolwright.emit.migration.steps import lines_of
from poolwright.emit.migration.told import kept_words
from poolwright.texts import tell

if TYPE_CHECKING:
    from poolwright.changes.migration.target import NewLayout
    from poolwright.changes.migration.values import OldData


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "design",
        metavar="DESIGN",
        nargs="?",
        help=tell("the new layout: a file (JSON), a name of the library, or - for standard input"),
    )
    parser.add_argument(
        "--layout",
        metavar="SPEC",
        action="extend",
        nargs="+",
        help=tell("the new layout, instead of a file: raidz2:4x6TB, or “2 x mirror of 2”"),
    )
    add_source_options(parser, required=False)
    _add_what_is_there(parser)
    parser.add_argument(
        "--backup-exists",
        action="store_true",
        help=tell("a backup exists and can be read: ways that leave no redundancy for a while are allowed"),
    )
    parser.add_argument(
        "--new-name", metavar="NAME", help=tell("what the new pool is called until it takes the old name")
    )
    parser.add_argument(
        "--ashift", type=whole_number("--ashift", least=9, most=16), metavar="N",
        help=tell("9 to 16 (default: from the physical sector size)"),
    )  # fmt: skip
    parser.add_argument("--format", choices=("text", "sh"), default="text", help=tell("the plan, or its script"))
    add_output_option(parser, tell("it"))
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document"))


def _add_what_is_there(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pool", metavar="NAME", help=tell("the pool that is there (default: the only one)"))
    parser.add_argument(
        "--now",
        metavar="SPEC",
        nargs="+",
        help=tell("instead of a machine: the layout of the pool that is there, such as mirror:2x6TB"),
    )
    parser.add_argument(
        "--old-disk",
        metavar="DISK",
        help=tell("instead of a pool: a disk with a file system, which the new pool takes in"),
    )
    parser.add_argument(
        "--stored", metavar="SIZE", help=tell("how much is stored, where it cannot be read or will be less")
    )
    parser.add_argument(
        "--buy",
        metavar="SPEC",
        nargs="+",
        help=tell("disks that will come: “2 x 6TB”; their names follow when they are there"),
    )


def run(args: argparse.Namespace) -> int:
    """Plan and print; raises Refusal where no way may be taken."""
    from poolwright.emit.migration.told import migration_script, migration_text
    from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE

    designs = () if args.design in (None, "-") else (args.design,)
    check_outputs(args, "--output", inputs=(*capture_names(args), *designs))
    found = _planned(args)
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    as_script = args.format == "sh"
    text = (
        migration_script(found.plan, generated_at=now, program_version=__version__)
        if as_script
        else migration_text(found)
    )
    if args.output is not None:
        write_output(args.output, text, force=args.force, mode=SCRIPT_MODE if as_script else PLAIN_MODE)
    if args.json:
        print_json(migration_document(found) | ({"script": text} if as_script else {}))
    elif args.output is None and as_script:
        sys.stdout.write(text)
    elif args.output is None:
        print_line(text.rstrip("\n"))
    return 0


def _planned(args: argparse.Namespace) -> "MigrationAnswer":
    from poolwright.changes.migration.search import Wishes, plan_migration
    from poolwright.changes.migration.target import old_filesystem, old_pool
    from poolwright.domain.units import parse_size

    inventory = _machine(args)
    stored = None if args.stored is None else parse_size(args.stored, what=tell("amount stored"))
    if args.old_disk is not None:
        if args.pool is not None:
            raise UserError(tell("--pool and --old-disk name two places"), todo=tell("Give one of the two."))
        old = old_filesystem(inventory, args.old_disk, stored_bytes=stored)
    else:
        old = old_pool(inventory, args.pool or only_pool(inventory), stored_bytes=stored)
    wishes = Wishes(backup_exists=args.backup_exists, new_name=_new_name(args, old))
    return plan_migration(old, _target(args, inventory, old), inventory, wishes)


def _new_name(args: argparse.Namespace, old: "OldData") -> str:
    from poolwright.domain.names import check_pool_name

    name: str = args.new_name or ""
    if name:
        check_pool_name(name, old.design.version)
    return name


def _machine(args: argparse.Namespace) -> Inventory:
    """Return the machine with the pool and the disks that are to come."""
    from poolwright.changes.migration.values import told_pool
    from poolwright.cli.design_options import DEFAULT_POOL
    from poolwright.cli.laid_out import disks_named_by
    from poolwright.domain.md_raid import parse_layout
    from poolwright.machine.typed.read import read_typed

    if args.now is None:
        inventory = read_source(args) if has_source(args) else read_this_machine()
    elif has_source(args):
        raise UserError(tell("--now stands for a machine that is not read"), todo=tell("Leave it or the source away."))
    else:
        layout = parse_layout(args.now)
        inventory = told_pool(disks_named_by(layout), layout, args.pool or DEFAULT_POOL)
    if args.buy is None:
        return inventory
    bought = (replace(disk, key=f"new {disk.key}") for disk in read_typed(args.buy).disks)
    return replace(inventory, disks=(*inventory.disks, *bought))


def _target(args: argparse.Namespace, inventory: Inventory, old: "OldData") -> "NewLayout":
    from poolwright.changes.migration.target import freed, target_of_design, target_of_layout
    from poolwright.cli.design_source import read_design
    from poolwright.cli.laid_out import layout_at_hand

    if args.design is not None and args.layout:
        raise UserError(tell("DESIGN and --layout name two designs"), todo=tell("Give one of the two."))
    if args.design is not None:
        return target_of_design(read_design(args.design), old, inventory)
    if not args.layout:
        raise UserError(tell("No new layout is named"), todo=tell("Name a design file, or --layout raidz2:4x6TB."))
    machine = replace(inventory, disks=tuple(freed(disk, old) for disk in inventory.disks))
    layout = layout_at_hand(args.layout, machine)
    return target_of_layout(layout, inventory, old, ashift=args.ashift)


# The JSON document of `poolwright migrate`.

MIGRATION_SCHEMA = 1


def migration_document(migration: MigrationAnswer) -> dict[str, object]:
    """Return the plan and the others as one JSON object."""
    return {"schema": MIGRATION_SCHEMA, **_plan(migration.plan), "others": [_plan(plan) for plan in migration.others]}


def _plan(plan: MigrationPlan) -> dict[str, object]:
    return {
        "old": plan.old.name,
        "layout": [str(spec) for spec in plan.target.layout()],
        "in_place": plan.in_place,
        "new_name": None if plan.in_place else plan.new_name,
        "parked_name": None if plan.in_place else plan.parked_name,
        "least_failures_survived": plan.least,
        "steps_without_redundancy": [n for n, step in enumerate(plan.steps, 1) if step in plan.bare],
        "no_way_back_from_step": None if plan.final_step is None else plan.final_step + 1,
        "stored_bytes": plan.old.used_bytes,
        "needed_bytes": plan.needed_bytes,
        "first_available_bytes": plan.first_bytes,
        "final_available_bytes": plan.final_bytes,
        "final_size_bytes": plan.final_size_bytes,
        "hours": _estimate(plan.hours),
        "stopped_hours": _estimate(plan.down_hours),
        "warnings": list(plan.warnings),
        "what_stays": list(kept_words(plan)),
        "steps": [
            _step(plan, step, lines) for step, lines in zip(plan.steps, lines_of(plan, preview=True), strict=True)
        ],
    }


def _step(plan: MigrationPlan, step: MigrationStep, lines: tuple[MoveLine, ...]) -> dict[str, object]:
    return {
        "move": step.move.value,
        "title": step_title(plan, step),
        "failures_survived": step.survives,
        "survival": survival_words(step),
        "old_copy_survives": step.old,
        "new_copy_survives": step.new,
        "whole_copies": step.copies,
        "disks": [plan.disk(key).label for key in step.disk_keys],
        "bytes_moved": step.bytes_moved,
        "hours": _estimate(step.hours),
        "why_no_hours": step.why_no_time or None,
        "stopped": step.down,
        "no_way_back": step.final,
        "lines": [_line(line) for line in lines],
    }


def _line(line: MoveLine) -> dict[str, object]:
    if line.kind is MoveLineKind.GUARD:
        return {"kind": "check", "check": list(line.words), "text": guard_words(line)}
    if line.kind is MoveLineKind.ASK:
        return {"kind": "type", "text": line.words[0]}
    return {"kind": "command", "text": line.text}


def _estimate(estimate: Estimate | None) -> dict[str, object] | None:
    return None if estimate is None else estimate_document(estimate)
