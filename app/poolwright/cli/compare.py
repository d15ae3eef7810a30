"""`poolwright compare`: two to six designs side by side, and Linux RAID 6 of the same disks beside them."""

import argparse
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path

from poolwright.changes.as_design import PoolDesign, design_of_pool
from poolwright.changes.live_difference.difference import compare_with_live, pool_for
from poolwright.changes.live_difference.values import LiveComparison
from poolwright.cli.as_json import json_of, json_value
from poolwright.cli.design_options import DEFAULT_POOL, add_design_arguments, read_given_designs
from poolwright.cli.design_source import read_design, read_machine_of
from poolwright.cli.options import COVER, REPORT, options, today, with_currency
from poolwright.cli.output import answer, deliver, write_output
from poolwright.cli.own_layout import evaluate_design
from poolwright.design.compare import Comparison, Section, ahead_in, change_percent, check_count, compare, verdict
from poolwright.design.comparison_columns import Cell, zfs_column
from poolwright.design.md_column import md_column
from poolwright.domain.design import Design, Setting
from poolwright.domain.errors import UserError, excluded
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool
from poolwright.emit.commands import action_word
from poolwright.emit.comparison_charts import LETTERS, comparison_csv, layout_with_badge
from poolwright.emit.difference_script import guarded_text, live_commands
from poolwright.emit.report import ALL, MORE, NEXT, SAVED, Answer, Behind, Blocks, endings
from poolwright.emit.report_comparison import column_commands, comparison_report, deciding_table, section_blocks
from poolwright.emit.report_pools import counted_words, live_blocks, live_report
from poolwright.paper.cover import report_foot
from poolwright.predict.number_words import rounded
from poolwright.table_library import load_drive_book
from poolwright.texts import _


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser, several=True)
    options(parser, f"--md-raid6 --differences --title --currency --csv --live {COVER} {REPORT}")


def run(args: argparse.Namespace) -> int:
    if args.live:
        return run_live(args)
    asked = read_given_designs(args)
    names = [*args.designs, *("--layout" for __ in args.layout or ())]
    names += [args.pool or "--from"] * (len(asked) - len(names))
    designs = _distinct([with_currency(design, args) for design in asked], names)
    check_count(len(designs) + bool(args.md_raid6))
    columns = [zfs_column(evaluate_design(design)) for design in designs]
    if args.md_raid6:
        columns.append(md_column(designs[0], load_drive_book(), today=today()))
    comparison = compare(columns)
    if args.csv:
        write_output(args.csv, comparison_csv(comparison), force=args.force)
    written = [name for name in (args.csv, args.output) if name]
    blocks = endings(SAVED, args.csv) if args.csv else _blocks(comparison, only_differences=args.differences)
    report = partial(comparison_report, comparison, title=args.title, made=report_foot())
    answer(args, lambda: comparison_document(comparison, written), blocks, report=report)
    return 0


def comparison_document(comparison: Comparison, written: list[str] | None = None) -> dict[str, object]:
    return json_of(
        comparison,
        "columns[key name=title kind layout commands@ remarks[text source]] "
        "rows[name=line.name title=line.title section=line.section unit=line.unit better=line.better differs best "
        "sure@ change_percent@ values@] properties[place name differs values@settings] files@",
        commands=column_commands,
        sure=lambda row: row.sure if row.best else None,
        change_percent=lambda row: [None if one is None else rounded(one, 6) for one in change_percent(row, 0)],
        values=lambda row: list(map(_cell_document, row.cells)),
        settings=lambda row: [None if setting is None else setting.value for setting in row.settings],
        files=written or [],
    )


def _cell_document(cell: Cell) -> dict[str, object]:
    note = {"note": cell.note} if cell.note else {}
    if cell.estimate is not None:
        unit = {"currency": cell.currency} if cell.currency is not None else {}
        return {"value": rounded(cell.estimate.typical, 6), **unit, **json_value(cell.estimate), **note}
    value: object = cell.text if cell.money is None else json_value(cell.money)
    if value is None and cell.number is not None:
        value = int(cell.number) if float(cell.number).is_integer() else rounded(cell.number, 6)
    return {"value": value, **({} if value is None else {"origin": str(cell.origin)}), **note}


def _distinct(designs: list[Design], names: list[str]) -> list[Design]:
    """Return the designs; copies of one design, changed or not, are told apart by their file. Raises UserError."""
    keys = [design.key for design in designs]
    twice = [(n, name) for n, name in enumerate(names) if keys.count(keys[n]) > 1]
    for n, name in twice:
        if names.count(name) > 1:
            raise UserError(_("A design stands twice in the comparison"), where=name)
        title = f"{designs[n].name} ({Path(name).name})"
        designs[n] = replace(designs[n], key=f"{keys[n]}:{name}", name=title)
    return designs


def _blocks(comparison: Comparison, *, only_differences: bool) -> Blocks:
    letters = LETTERS[: len(comparison.columns)]
    ahead = {letters[column]: phrases for column, phrases in ahead_in(comparison).items()}
    yield Answer(text=verdict(comparison, letters), figures={"clearly_better": ahead})
    for letter, column in zip(letters, comparison.columns, strict=True):
        yield f"{letter}  {layout_with_badge(column)}" + ("" if column.title in column.layout else f": {column.title}")
    sections = [section for section in Section if section is not Section.SHAPE]
    if not only_differences:
        yield deciding_table(comparison)
        yield ""
    whole = section_blocks(comparison, letters, sections, only_differences=only_differences)
    yield from whole if only_differences else (Behind(ALL, whole),)
    yield from endings(MORE, "" if only_differences else "--differences")


# `poolwright compare DESIGN --live`: a design against the pool that exists.


def run_live(args: argparse.Namespace) -> int:
    for option in ("--csv", "--md-raid6"):  # which are of designs
        if getattr(args, option.lstrip("-").replace("-", "_")):
            raise excluded("--live", option)
    if len(args.designs) + len(args.layout or ()) != 1:
        raise UserError(_("--live takes one design"), todo=_("Name one design file, or one --layout."))
    design = read_given_designs(args)[0] if args.layout else read_design(args.designs[0])
    inventory = read_machine_of(args)
    pool = pool_for(design, inventory, args.pool)
    comparison = compare_with_live(_layout_alone(design, pool) if args.layout else design, inventory, pool)
    text = guarded_text(comparison)
    as_script = str(args.output).endswith(".sh")
    written = [args.output] if args.output and (text or not as_script) else []
    if as_script and text:
        deliver(args, text, lambda: live_document(comparison, written))
    else:
        following = (*endings(NEXT, _migrate_words(args, comparison)),)
        blocks = (counted_words(comparison), *live_blocks(comparison), *following)
        report = partial(live_report, comparison, made=report_foot())
        answer(args, lambda: live_document(comparison, written), blocks, report=report, makes=as_script)
    return 1 if comparison.barred_by else 0


def _migrate_words(args: argparse.Namespace, comparison: LiveComparison) -> str:
    """Return the command that plans what no change of this pool reaches; empty where the design is in reach."""
    if not comparison.barred_by:
        return ""
    words = [*args.designs, *(word for layout in args.layout or () for word in ("--layout", *layout))]
    words += [word for path in args.from_paths or () for word in ("--from", str(path))]
    words += ["--host", args.host] if args.host is not None else []
    return shlex.join(["poolwright", "migrate", *words, "--pool", comparison.pool.name])


def live_pool(inventory: Inventory, name: str | None) -> PoolDesign | None:
    """Return the pool that a layout is held against as a design; None where none is, or it is not clear which one."""
    imported = inventory.imported()
    named = [pool for pool in imported if pool.name == (name or DEFAULT_POOL)]
    chosen = named or (list(imported) if name is None and len(imported) == 1 else [])
    return design_of_pool(inventory, chosen[0]) if chosen else None


def _layout_alone(design: Design, pool: Pool) -> Design:
    """Return the design of a layout without what the program proposed beside it: only what was said is a difference."""
    datasets = [replace(one, settings=_said(one.settings)) for one in design.datasets]
    return replace(
        design,
        pool_name=pool.name,
        pool_settings=_said(design.pool_settings),
        datasets=tuple(one for one in datasets if one.settings),
    )


def _said(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    return tuple(one for one in settings if one.rule_id is None)


def live_document(comparison: LiveComparison, files: list[str]) -> dict[str, object]:
    lines = live_commands(comparison)
    return json_of(
        comparison,
        "design=design.name pool=pool.name same@ reachable@ before differences[way place name found? wanted? "
        "text reason? needs_rewrite?=rewrite step@ commands@] commands@all files@",
        same=not comparison.differences,
        reachable=not comparison.barred_by,
        step=lambda one: None if one.action is None else action_word(one.action),
        commands=lambda one: lines.get(one, ()),
        all=[line for own in lines.values() for line in own],
        files=files,
    )
