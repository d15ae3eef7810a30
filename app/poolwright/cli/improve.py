"""`poolwright improve`: what to add, replace or rebuild in a pool that exists, ranked, with so much to spend."""

import argparse
from dataclasses import asdict, replace
from pathlib import Path

from poolwright.catalogue_library import shipped_catalogue, shipped_flash
from poolwright.changes.as_design import design_of_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.changes.imported import imported_pool, why_no_pool
from poolwright.changes.improve.improve import ImproveQuestion, improve
from poolwright.changes.improve.values import ChangeKind, PoolChange, PoolImprovements, PoolNumbers, Urgency
from poolwright.cli.asked import today
from poolwright.cli.design_source import only_pool, read_text
from poolwright.cli.documents import all_picked, picked, rounded
from poolwright.cli.options import amount_of, currency_of, day_of_today, options
from poolwright.cli.output import check_outputs, print_json, print_line, write_output
from poolwright.cli.sources import add_source_options, capture_names, has_source, read_source, read_this_machine
from poolwright.cli.wishes import add_workload_options, workload_of
from poolwright.design.reckoning import reckoned_in
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.errors import UserError
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import Pool
from poolwright.domain.workload import Budget
from poolwright.drive_library import load_drive_book
from poolwright.emit.report_live import (
    URGENCY_TITLES,
    commands_of_change,
    cost_words,
    course_line,
    free_mends,
    steps_of_change,
    summary_line,
)
from poolwright.machine.catalogue import read_catalogue
from poolwright.rule_library import load_rules
from poolwright.texts import tell

IMPROVE_SCHEMA = 1


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(parser, "--pool:improve --money --price:improve --currency --catalogue")
    add_workload_options(parser)
    options(parser, "--take --save-design:improve --force --json")


def run(args: argparse.Namespace) -> int:
    """Work out and print; exit status 0 whatever is advised."""
    if args.take is not None and args.save_design is None:
        raise UserError(
            tell("{option} goes with --save-design", option="--take"), todo=tell("Name a file with --save-design.")
        )
    check_outputs(args, "--save-design", inputs=[*capture_names(args), str(args.catalogue or "-")])
    catalogue, workload = _catalogue(args.catalogue), workload_of(args)
    budget = _budget(args, catalogue)
    question = ImproveQuestion(
        budget=budget, catalogue=catalogue, drives=load_drive_book(), today=today(), flash=shipped_flash()
    )
    inventory = read_source(args) if has_source(args) else read_this_machine()
    if args.pool is None and not inventory.imported():
        return _nothing(inventory, as_json=args.json)
    pool = imported_pool(inventory, args.pool or only_pool(inventory))
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    made = design_of_pool(inventory, pool, workload=workload)
    found = improve(replace(made, design=replace(made.design, budget=question.budget)), known, question)
    request = AuditRequest(workload=workload, goal_told=False, today=question.today)
    only = replace(inventory, pools=(pool,))
    audit = audit_machine(load_rules(), only, request, question.drives)[0]
    written = _save(args, found)
    if args.json:
        print_json(improve_document(found, audit, inventory, pool, written))
    else:
        _print(found, audit, inventory, pool)
        for name in written:
            print_line(tell("Written: {name}", name=name))
    return 0


def _budget(args: argparse.Namespace, catalogue: Catalogue) -> Budget:
    """Return what there is to spend; raises UserError where prices and money have different currencies."""
    currency = currency_of(args)
    price = amount_of(args.price, currency, what="--price", positive=True)
    budget = Budget(
        money=amount_of(args.money, currency, what="--money"),
        price_per_disk=price,
        price_on=day_of_today() if price is not None else "",
        currency=currency,
    )
    return replace(budget, currency=reckoned_in(budget, catalogue))


def _catalogue(path: Path | None) -> Catalogue:
    if path is None:
        return shipped_catalogue()
    text = read_text(str(path), tell("catalogue"), todo=tell("Save it as CSV in UTF-8."))
    return read_catalogue(text, where=str(path))


def _nothing(inventory: Inventory, *, as_json: bool) -> int:
    why = why_no_pool(inventory)
    if as_json:
        nothing: dict[str, object] = {"pool": None, "why_none": why.text, "changes": []}
        print_json({"schema": IMPROVE_SCHEMA, "machine": inventory.name, **nothing})
    else:
        print_line(f"{why.text}.")
        print_line(why.todo)
    return 0


def _save(args: argparse.Namespace, found: PoolImprovements) -> list[str]:
    """Save the design of the change that is taken; return the names of the files."""
    if args.save_design is None:
        return []
    from poolwright.store.design_file import to_json

    number = args.take or 1
    if number > len(found.changes) or found.changes[number - 1].design is None:
        raise UserError(
            tell("Number {number} of the list leads to no design", number=number),
            where="--take",
            todo=tell("Take one that is not advised against."),
        )
    change = found.changes[number - 1]
    assert change.design is not None
    write_output(args.save_design, to_json(change.design), force=args.force)
    return [args.save_design]


def improve_document(
    found: PoolImprovements, audit: PoolAudit, inventory: Inventory, pool: Pool, files: list[str]
) -> dict[str, object]:
    return {
        "schema": IMPROVE_SCHEMA,
        "machine": inventory.name,
        **picked(found, "pool=pool_name fill_percent money left"),
        "now": _numbers(found.before),
        "mend": [
            {"rule": mend.finding.rule_id, "text": mend.finding.text, "commands": list(mend.commands)}
            for mend in free_mends(audit)
        ],
        "changes": [_change(change, commands_of_change(change, inventory, pool)) for change in found.changes],
        "notes": list(found.notes),
        "files": files,
    }


def _numbers(numbers: PoolNumbers | None) -> dict[str, object] | None:
    if numbers is None:
        return None
    return {name: rounded(value) if isinstance(value, float) else value for name, value in asdict(numbers).items()}


def _change(change: PoolChange, commands: tuple[str, ...]) -> dict[str, object]:
    return {
        "kind": change.kind.value,
        "urgency": change.urgency.name.lower(),
        **picked(change, "title why cost"),
        "buys": all_picked(change.bought, "model size_bytes"),
        "at_hand": [disk.label for disk in change.at_hand],
        **picked(change, "points:g gains"),
        "after": _numbers(change.after),
        **picked(change, "needs_rewrite?=rewrite minds behind?"),
        "commands": list(commands),
    }


def _print(found: PoolImprovements, audit: PoolAudit, inventory: Inventory, pool: Pool) -> None:
    print_line(summary_line(found))
    for note in found.notes:
        print_line(f"  {note}")
    mends = free_mends(audit)
    if mends:
        print_line()
        print_line(tell("Wrong, and mended without buying anything"))
    for mend in mends:
        print_line(f"  {mend.finding.sentence} [{mend.finding.rule_id}]")
        for line in mend.commands:
            print_line(f"      {line}")
    shown = None
    for number, change in enumerate(found.changes, 1):
        if change.urgency is not shown:
            shown = change.urgency
            print_line()
            print_line(tell(URGENCY_TITLES[change.urgency]))
        _print_change(number, change, inventory, pool)


def _print_change(number: int, change: PoolChange, inventory: Inventory, pool: Pool) -> None:
    cost = cost_words(change, tell("Name one by --catalogue or --price."))
    print_line(f"  {number:>2}  {change.title}" + (f": {cost}" if cost else ""))
    if change.gains:
        print_line("      " + tell("Brings: {gains}", gains=", ".join(change.gains)))
    print_line(f"      {change.why}")
    for text in (*change.minds, change.rewrite):
        if text:
            print_line(f"      {text}")
    if change.behind:
        print_line("      " + tell("Behind the first: {why}", why=change.behind))
    if change.urgency not in (Urgency.FIRST, Urgency.WORTH):
        return
    if change.kind is ChangeKind.REPLACE_LARGER:
        _print_course(change, inventory, pool)
        return
    for line in commands_of_change(change, inventory, pool):
        print_line(f"        {line}")


def _print_course(change: PoolChange, inventory: Inventory, pool: Pool) -> None:
    """Print how disks give way to others: each step with what holds while it lasts."""
    steps = steps_of_change(change, inventory, pool)
    if line := course_line(steps):
        print_line(f"      {line}")
    for number, one in enumerate(steps, 1):
        print_line("      " + tell("Step {number} of {count}: {text}", number=number, count=len(steps),
                                   text=one.difference.text))  # fmt: skip
        if one.difference.reason:
            print_line(f"        {one.difference.reason}")
        for line in one.lines:
            print_line(f"          {line}")
