"""`poolwright compare DESIGN --live`: a design against the pool that exists."""

import argparse
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from poolwright.cli.output import check_outputs, print_json, print_line, write_output
from poolwright.domain.errors import UserError
from poolwright.texts import marked, tell

if TYPE_CHECKING:
    from poolwright.changes.against.values import LiveComparison, LiveDifference
    from poolwright.changes.as_design import PoolDesign
    from poolwright.domain.design import Design, Setting
    from poolwright.domain.inventory import Inventory
    from poolwright.domain.pool import Pool

LIVE_SCHEMA = 1
_OF_DESIGNS = ("--html", "--pdf", "--csv", "--md-raid6")
_NOTHING = marked("The pool {pool} is as the design says, as far as it was read.")


def add_live_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--live",
        action="store_true",
        help=tell("hold one design against the pool on the machine of --from or --host (default: this one)"),
    )
    parser.add_argument(
        "--commands",
        metavar="FILE",
        help=tell("with --live: write the commands that turn the pool into the design; the text asks before each step"),
    )


def check_live(args: argparse.Namespace) -> None:
    """Raise UserError for options that go with --live alone, or not with it."""
    if not args.live:
        if args.commands is not None:
            raise UserError(
                tell("{option} goes with --live", option="--commands"),
                todo=tell("Add --live and the machine with its pool, by --from or --host."),
            )
        return
    for option in _OF_DESIGNS:
        if getattr(args, option.lstrip("-").replace("-", "_")):
            raise UserError(
                tell("{option} compares designs, not a design with a pool", option=option),
                todo=tell("Leave it away; --markdown, --json and --commands go with --live."),
            )
    if len(args.designs) + len(args.layout or ()) != 1:
        raise UserError(tell("--live takes one design"), todo=tell("Name one design file, or one --layout."))


def run_live(args: argparse.Namespace) -> int:
    """Compare one design with one pool; exit status 1 where the pool cannot become the design."""
    from poolwright.changes.against.difference import against_live, pool_for
    from poolwright.cli.asked import input_names
    from poolwright.cli.sources import has_source, read_source, read_this_machine
    from poolwright.emit.live_commands import guarded_text

    design = _design(args)
    check_outputs(args, "--commands", "--markdown", inputs=input_names(args))
    inventory = read_source(args) if has_source(args) else read_this_machine()
    pool = pool_for(design, inventory, args.pool)
    comparison = against_live(_layout_alone(design, pool) if args.layout else design, inventory, pool)
    written = []
    text = guarded_text(comparison)
    if args.commands is not None and text:
        write_output(args.commands, text, force=args.force)
        written.append(args.commands)
    if args.markdown is not None:
        from poolwright.cli.designs import made_words
        from poolwright.emit.report_blocks import markdown_text
        from poolwright.emit.report_live import live_report

        write_output(args.markdown, markdown_text(live_report(comparison, made=made_words())), force=args.force)
        written.append(args.markdown)
    if args.json:
        print_json(live_document(comparison, written))
    else:
        _print(comparison, next_words=_migrate_words(args, comparison))
        for name in written:
            print_line(tell("Written: {name}", name=name))
    return 1 if comparison.barred_by else 0


def _migrate_words(args: argparse.Namespace, comparison: "LiveComparison") -> str:
    """Return the command that plans what no change of this pool reaches; empty where the design is in reach."""
    if not comparison.barred_by:
        return ""
    words = [*args.designs, *(word for layout in args.layout or () for word in ("--layout", *layout))]
    words += [word for path in args.from_paths or () for word in ("--from", str(path))]
    words += ["--host", args.host] if args.host is not None else []
    return shlex.join(["poolwright", "migrate", *words, "--pool", comparison.pool.name])


def live_pool(inventory: "Inventory", name: str | None) -> "PoolDesign | None":
    """Return the pool that a layout is held against as a design; None where none is, or it is not clear which one."""
    from poolwright.changes.as_design import design_of_pool
    from poolwright.cli.design_options import DEFAULT_POOL

    imported = inventory.imported()
    named = [pool for pool in imported if pool.name == (name or DEFAULT_POOL)]
    chosen = named or (list(imported) if name is None and len(imported) == 1 else [])
    return design_of_pool(inventory, chosen[0]) if chosen else None


def _design(args: argparse.Namespace) -> "Design":
    from poolwright.cli.asked import read_asked_designs
    from poolwright.cli.design_source import read_design

    if args.layout:
        return read_asked_designs(args)[0]
    return read_design(args.designs[0])


def _layout_alone(design: "Design", pool: "Pool") -> "Design":
    """Return the design of a layout without what the program proposed beside it: only what was said is a difference."""
    datasets = [replace(one, settings=_said(one.settings)) for one in design.datasets]
    return replace(
        design,
        pool_name=pool.name,
        pool_settings=_said(design.pool_settings),
        datasets=tuple(one for one in datasets if one.settings),
    )


def _said(settings: "tuple[Setting, ...]") -> "tuple[Setting, ...]":
    return tuple(one for one in settings if one.rule_id is None)


def live_document(comparison: "LiveComparison", files: list[str]) -> dict[str, object]:
    from poolwright.emit.live_commands import live_commands

    lines = {id(one.difference): one.lines for one in live_commands(comparison)}
    return {
        "schema": LIVE_SCHEMA,
        "design": comparison.design.name,
        "pool": comparison.pool.name,
        "same": not comparison.differences,
        "reachable": not comparison.barred_by,
        "before": list(comparison.before),
        "differences": [_document(one, lines.get(id(one), ())) for one in comparison.differences],
        "commands": [line for one in comparison.differences for line in lines.get(id(one), ())],
        "files": files,
    }


def _document(one: "LiveDifference", lines: tuple[str, ...]) -> dict[str, object]:
    from poolwright.emit.commands import action_word

    return {
        "way": one.way.value,
        "place": one.place,
        "name": one.name,
        "found": one.found or None,
        "wanted": one.wanted or None,
        "text": one.text,
        "reason": one.reason or None,
        "needs_rewrite": one.rewrite or None,
        "step": action_word(one.step.action) if one.step is not None else None,
        "commands": list(lines),
    }


def _print(comparison: "LiveComparison", *, next_words: str) -> None:
    from poolwright.emit.live_commands import live_commands
    from poolwright.emit.report_live import WAYS, counted_words, way_title

    pool = comparison.pool.name
    if not comparison.differences:
        print_line(tell(_NOTHING, pool=pool))
        return
    print_line(counted_words(comparison))
    if next_words:
        print_line(tell("Next: {command}", command=next_words))
    for text in comparison.before:
        print_line("  " + tell("First: {text}", text=text))
    lines = {id(one.difference): one.lines for one in live_commands(comparison)}
    for way in WAYS:
        found = list(comparison.of_way(way))
        if found:
            print_line()
            print_line(way_title(way))
        for one in found:
            print_line(f"  {one.text}")
            for text in (one.reason, one.rewrite):
                if text:
                    print_line(f"    {text}")
            for line in lines.get(id(one), ()):
                print_line(f"      {line}")
