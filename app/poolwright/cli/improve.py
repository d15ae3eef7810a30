"""`poolwright improve`: what to add, replace or rebuild in a pool that exists, ranked, with so much to spend."""

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial

from poolwright.catalogue_library import shipped_flash
from poolwright.changes.as_design import design_of_pool, imported_pool, why_no_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.changes.improve import pool_change
from poolwright.changes.improve.improve import improve
from poolwright.changes.improve.pool_change import ChangeKind, PoolChange, PoolImprovements, PoolNumbers, Urgency
from poolwright.cli.as_json import json_of, loss_figures
from poolwright.cli.design_source import add_source_options, only_pool, read_machine_of, source_words
from poolwright.cli.options import REPORT, amount_of, currency_of, options, today
from poolwright.cli.output import answer, save_design
from poolwright.cli.workload_options import add_workload_options, catalogue_of, workload_of
from poolwright.domain.catalogue import Catalogue, purchase_currency
from poolwright.domain.errors import UserError
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.workload import Budget
from poolwright.emit import report, report_pools
from poolwright.predict.number_words import rounded
from poolwright.rule_library import load_rules
from poolwright.table_library import load_drive_book
from poolwright.texts import _, sentence

CommandsOf = Callable[[PoolChange], tuple[str, ...]]


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(parser, "--pool --money --price --currency --catalogue --rate")
    add_workload_options(parser)
    options(parser, f"--take --save-design {REPORT}")


def run(args: argparse.Namespace) -> int:
    if args.take is not None and args.save_design is None:
        raise UserError(
            _("{option} goes with --save-design", option="--take"), todo=_("Name a file with --save-design.")
        )
    catalogue, workload = catalogue_of(args), workload_of(args)
    budget = _budget(args, catalogue)
    question = pool_change.ImproveQuestion(
        budget=budget, catalogue=catalogue, drives=load_drive_book(), today=today(), flash=shipped_flash()
    )
    inventory = read_machine_of(args)
    if args.pool is None and not inventory.imported():
        why, todo = why_no_pool(inventory)
        nothing = {"machine": inventory.name, "pool": None, "why_none": why}  # for machines
        answer(args, lambda: {**nothing, "changes": []}, (sentence(why), todo))
        return 0
    pool = imported_pool(inventory, args.pool or only_pool(inventory))
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    made = design_of_pool(inventory, pool, workload=workload)
    found = improve(replace(made, design=replace(made.design, budget=question.budget)), known, question)
    request = AuditRequest(workload=workload, goal_told=False, today=question.today)
    only = replace(inventory, pools=(pool,))
    audit = audit_machine(load_rules(), only, request, question.drives)[0]
    commands = partial(commands_of_change, inventory=inventory, pool=pool, source=source_words(args))
    blocks = tuple(_blocks(found, audit, inventory, pool, commands))
    if args.save_design is None:
        blocks += tuple(report.endings(report.MORE, _("--take 1 --save-design FILE")))
    else:
        kept = _save(args, found)
        differences = ("poolwright", "diff", args.save_design, *source_words(args), "--pool", pool.name)
        following = commands(kept) if kept.kind in report_pools.ANEW else (shlex.join(differences),)
        blocks += (*report.endings(report.SAVED, args.save_design), *report.endings(report.NEXT, *following))
    written = [args.save_design] if args.save_design is not None else []
    answer(args, lambda: improve_document(found, audit, inventory, commands, written), blocks)
    return 0


def _budget(args: argparse.Namespace, catalogue: Catalogue) -> Budget:
    currency = currency_of(args)
    price = amount_of(args.price, currency, positive=True)
    budget = Budget(
        money=amount_of(args.money, currency),
        price_per_disk=price,
        price_on=today().isoformat() if price is not None else "",
        currency=currency,
    )
    return replace(budget, currency=purchase_currency(budget, catalogue))


def _save(args: argparse.Namespace, found: PoolImprovements) -> PoolChange:
    number = args.take or 1
    change = found.changes[number - 1] if number <= len(found.changes) else None
    if change is None or change.design is None:
        raise UserError(
            _("Number {number} of the list leads to no design", number=number),
            where="--take",
            todo=_("Take one that is not advised against."),
        )
    save_design(args.save_design, change.design, force=args.force)
    return change


def commands_of_change(change: PoolChange, inventory: Inventory, pool: Pool, source: Sequence[str]) -> tuple[str, ...]:
    """Return the command lines of a change; of one by way of another pool the line that plans the move.

    None where there is no way by commands. ``source`` is the option that names the machine.
    """
    if change.kind in report_pools.ANEW:
        return _moving(change, pool, source)
    return tuple(line for lines in report_pools.steps_of_change(change, inventory, pool).values() for line in lines)


def _moving(change: PoolChange, pool: Pool, source: Sequence[str]) -> tuple[str, ...]:
    if change.move is None:
        return ()
    buys = ["--buy", change.move.bought] if change.move.bought else []
    words = [*source, "--pool", pool.name, "--layout", change.move.layout, *buys]
    return (shlex.join(["poolwright", "migrate", *words]),)


def improve_document(
    found: PoolImprovements, audit: PoolAudit, inventory: Inventory, commands: CommandsOf, files: list[str]
) -> dict[str, object]:
    return json_of(
        found,
        "machine@ pool=pool_name fill_percent money left now@ "
        "mend@[rule=finding.rule_id text=finding.text commands] changes[kind urgency@ title why cost "
        "buys=bought[model@ size_bytes] at_hand=at_hand.label points:g gains after@ needs_rewrite?=rewrite minds "
        "behind? commands@] notes files@",
        machine=inventory.name,
        now=_numbers(found.before),
        mend=report_pools.free_mends(audit),
        urgency=lambda change: change.urgency.name.lower(),
        model=lambda disk: disk.model or _("any model"),
        after=lambda change: _numbers(change.after),
        commands=commands,
        files=files,
    )


def _numbers(numbers: PoolNumbers | None) -> dict[str, object] | None:
    if numbers is None:
        return None
    return {name: rounded(value, 6) if isinstance(value, float) else value for name, value in asdict(numbers).items()}


def _blocks(
    found: PoolImprovements, audit: PoolAudit, inventory: Inventory, pool: Pool, commands: CommandsOf
) -> report.Blocks:
    urgent = [change for change in found.changes if change.urgency in (Urgency.FIRST, Urgency.WORTH)]
    notes, mends, known = list(found.notes), report_pools.free_mends(audit), found.before
    if mends:
        first = _("Fix first: {text}", text=mends[0].finding.text)
    elif urgent:
        first = report_pools.change_title(urgent[0], "").rstrip()
    else:
        first = notes.pop(0) if notes else ""
    yield report.Answer(
        text=(first if found.pool_name in first else f"{found.pool_name}: {first}")
        if first
        else report_pools.summary_line(found),
        figures={"usable_bytes": known.usable_bytes, **loss_figures(known.loss, known.disk_loss)},
    )
    yield report_pools.changes_table(found)
    rest = report_pools.changes_table(found, judged=False)
    yield report.Behind(report.ALL, (rest,) if rest.rows else ())
    yield from report.warnings(*notes)
    if mends:
        yield report.ReportHeading(text=_("Fix first, nothing to buy"))
    for mend in mends:
        yield report.Behind(report.WHY, report.bullets(f"{mend.finding.sentence} [{mend.finding.rule_id}]"))
        yield from report.code(mend.commands)
    yield report.Behind(
        report.WHY, (report_pools.summary_line(found), *_reasons_blocks(found, inventory, pool, commands))
    )


def _reasons_blocks(found: PoolImprovements, inventory: Inventory, pool: Pool, commands: CommandsOf) -> report.Blocks:
    shown = None
    for number, change in enumerate(found.changes, 1):
        if change.urgency is not shown:
            shown = change.urgency
            yield report.ReportHeading(text=_(change.urgency.value))
        title = report_pools.change_title(change, _("Name one by --catalogue or --price."))
        by_steps = change.urgency in (Urgency.FIRST, Urgency.WORTH) and change.kind is ChangeKind.REPLACE_LARGER
        steps = report_pools.steps_of_change(change, inventory, pool) if by_steps else {}
        brings = _("Brings: {gains}.", gains=", ".join(change.gains)) if change.gains else ""
        course = report_pools.course_line(steps)
        reasons = filter(None, (brings, change.why, *change.minds, change.rewrite, change.behind, course))
        yield report.Bullets(items=(report.Words(text=f"{number:>2}  {title}", small="\n".join(reasons)),))
        if steps:
            for place, (one, lines) in enumerate(steps.items(), 1):
                step = _("Step {number} of {count}: {text}", number=place, count=len(steps), text=one.text)
                yield report.Bullets(items=(report.Words(text=step, small=one.reason),))
                yield from report.code(lines)
        elif change.urgency in (Urgency.FIRST, Urgency.WORTH) and not by_steps:
            yield from report.code(commands(change))
