"""`poolwright migrate`: from the pool that is there to another layout, with the disks there are."""

import argparse
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from poolwright import __version__
from poolwright.changes.migration import values
from poolwright.changes.migration.search import plan_migration
from poolwright.changes.migration.target import NewLayout, freed_machine, old_pool, target_of_design, target_of_layout
from poolwright.cli.as_json import json_of
from poolwright.cli.design_options import DEFAULT_POOL
from poolwright.cli.design_source import add_source_options, has_source, only_pool, read_design, read_machine_of
from poolwright.cli.options import REPORT_FORMS, options
from poolwright.cli.output import answer, deliver
from poolwright.cli.own_layout import disks_named_by, layout_at_hand
from poolwright.domain.action import Ask, Guard, Line
from poolwright.domain.errors import PoolwrightError, UserError, excluded
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import parse_layout
from poolwright.emit.commands import guard_words
from poolwright.emit.commands import lines as shell_lines
from poolwright.emit.migration_script import kept_words, lines_of, migration_parts, migration_script
from poolwright.emit.names import Stamp
from poolwright.emit.report import ALL, NEXT, WHY, endings
from poolwright.machine.typed.read import read_typed
from poolwright.store.files import SCRIPT_MODE
from poolwright.texts import _


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "design --layout")
    add_source_options(parser, required=False)
    options(
        parser,
        "--pool --now --stored --buy --backup-exists --ashift --why --all --format -w|--output --force --color --json",
        format={"choices": (*REPORT_FORMS, "sh")},
    )


def run(args: argparse.Namespace) -> int:
    """Plan and print; raises Refusal where no way may be taken."""
    found, script = _planned(args), ""
    wanted = args.format == "sh" or (args.format is None and str(args.output).endswith(".sh"))
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    try:
        script = migration_script(found.plan, Stamp(generated_at=now, program_version=__version__))
    except PoolwrightError:  # a plan is read without one
        if wanted:
            raise

    def document() -> dict[str, object]:
        plans = {**_plan(found.plan), "others": list(map(_plan, found.others))}
        return {**plans, **({"script": script} if wanted else {})}

    if not wanted:
        asked = [word for word in args.argv if word not in (WHY, ALL)]
        script_of = shlex.join(("poolwright", *asked, "-w", f"migrate-{found.plan.old.name}.sh"))
        answer(args, document, (*migration_parts(found), *endings(NEXT, script_of if script else "")))
    else:
        deliver(args, script, document, mode=SCRIPT_MODE)
    return 0


def _planned(args: argparse.Namespace) -> values.MigrationAnswer:
    inventory = _machine(args)
    old = old_pool(inventory, args.pool or only_pool(inventory), stored_bytes=args.stored)
    return plan_migration(old, _target(args, inventory, old), inventory, backup_exists=args.backup_exists)


def _machine(args: argparse.Namespace) -> Inventory:
    if args.now is None:
        inventory = read_machine_of(args)
    elif has_source(args):
        raise excluded("--now", "--from, --host, --example")
    else:
        layout = parse_layout(args.now)
        inventory = values.told_pool(disks_named_by(layout), layout, args.pool or DEFAULT_POOL)
    if args.buy is None:
        return inventory
    bought = (replace(disk, key=f"new {disk.key}") for disk in read_typed(args.buy).disks)
    return replace(inventory, disks=(*inventory.disks, *bought))


def _target(args: argparse.Namespace, inventory: Inventory, old: values.OldData) -> NewLayout:
    if args.design is not None and args.layout:
        raise excluded("DESIGN", "--layout")
    if args.design is not None:
        return target_of_design(read_design(args.design), old, inventory)
    if not args.layout:
        raise UserError(_("No new layout is named"), todo=_("Name a design file, or --layout raidz2:4x6TB."))
    layout = layout_at_hand(args.layout, freed_machine(inventory, old))
    return target_of_layout(layout, inventory, old, ashift=args.ashift)


# The JSON document of `poolwright migrate`.


def _plan(plan: values.MigrationPlan) -> dict[str, object]:
    lines = dict(zip(map(id, plan.steps), lines_of(plan, preview=True), strict=True))
    return json_of(
        plan,
        "old=old.name layout@ in_place new_name@ parked_name@ least_failures_survived=least steps_without_redundancy@ "
        "no_way_back_from_step@ stored_bytes=old.used_bytes needed_bytes first_available_bytes=first_bytes "
        "final_available_bytes=final_bytes final_size_bytes hours stopped_hours=down_hours warnings what_stays@ "
        "steps[move title@ failures_survived=survives survival@ old_copy_survives=old new_copy_survives=new "
        "whole_copies=copies disks@ bytes_moved hours why_no_hours? stopped=down no_way_back=final lines@]",
        layout=plan.target.layout(),
        new_name=None if plan.in_place else plan.new_name,
        parked_name=None if plan.in_place else plan.parked_name,
        steps_without_redundancy=[n for n, step in enumerate(plan.steps, 1) if step in plan.unprotected],
        no_way_back_from_step=None if plan.final_step is None else plan.final_step + 1,
        what_stays=tuple(kept_words(plan)),
        title=partial(values.step_title, plan),
        survival=values.survival_words,
        disks=lambda step: [plan.disk(key).label for key in step.disk_keys],
        lines=lambda step: [document for line in lines[id(step)] for document in _line(plan, line)],
    )


def _line(plan: values.MigrationPlan, line: Line) -> list[dict[str, object]]:
    if isinstance(line, Guard):
        return [{"kind": "check", "check": list(line.words), "text": guard_words(line)}]
    if isinstance(line, Ask):
        return [{"kind": "type", "text": line.words}]
    return [{"kind": "command", "text": text} for text in shell_lines(line, version=plan.target.version)]
