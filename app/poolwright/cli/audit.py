"""`poolwright audit`: the pools that exist on a machine against the rules, and their printed sizes explained."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from poolwright.changes.as_design import why_no_pool
from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine, worst_first
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_source import add_source_options, read_design, read_machine_of
from poolwright.cli.inventory import pool_document
from poolwright.cli.options import COVER, REPORT, options, today
from poolwright.cli.output import answer
from poolwright.domain.errors import UserError
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.host import Inventory
from poolwright.domain.shown import folded
from poolwright.domain.workload import Goal, Workload
from poolwright.emit import report_pools
from poolwright.emit.remedies import first_steps, remedy_of
from poolwright.emit.report import ALL, MORE, Answer, Behind, Blocks, Code, ReportHeading, endings
from poolwright.paper.cover import report_foot
from poolwright.rule_library import load_rules
from poolwright.table_library import load_drive_book
from poolwright.texts import _, sentence

_MOST_STEPS, _COLUMNS = 5, 80


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(parser, f"--goal --pool --design --sizes {COVER} {REPORT}")


def run(args: argparse.Namespace) -> int:
    """Audit and print; exit status 1 where something is critical, 3 where no pool could be read."""
    inventory = read_machine_of(args)
    request = AuditRequest(
        workload=Workload(goal=Goal(args.goal) if args.goal else Goal.SAFETY),
        goal_told=args.goal is not None,
        today=today(),
        design=read_design(args.design) if args.design is not None else None,
    )
    audits = worst_first(audit_machine(load_rules(), inventory, request, load_drive_book()))
    if args.pool is not None:
        audits = tuple(audit for audit in audits if audit.pool.name == args.pool)
        if not audits:
            why, todo = why_no_pool(inventory, args.pool)
            raise UserError(why, where="--pool", todo=todo)
    answer(
        args,
        lambda: audit_document(inventory, audits),
        _blocks(audits, inventory, sizes=args.sizes, whole=args.all),
        report=lambda: report_pools.audit_report(audits, inventory, made=report_foot()),
    )
    if not audits:
        return 3 if inventory.pools_unread else 0
    return 1 if any(audit.gravest is Severity.BLOCK for audit in audits) else 0


def _blocks(audits: "Sequence[PoolAudit]", inventory: Inventory, *, sizes: bool, whole: bool) -> Blocks:
    if not audits:
        why, todo = why_no_pool(inventory)
        yield sentence(why)
        yield todo
        return
    first, *others = audits
    yield Answer(text=report_pools.answer_of(audits))
    if others:
        yield report_pools.overview_table(audits)
    numbers: dict[str, int] = {}  # of disks that come: the first steps fill it, what follows refers to it
    yield from _first_steps_blocks(audits, numbers, every=whole or not others)
    for audit in audits if others and (whole or sizes) else ():
        yield ""
        yield from report_pools.pool_blocks(audit, numbers, every_step=sizes)
    if others:
        yield from () if whole else endings(MORE, f"--pool {first.pool.name}", ALL, "--sizes", "-w audit.pdf")
        return
    yield from (
        *report_pools.state_facts(first),
        report_pools.devices_table(first),
        *report_pools.unruled_blocks(first),
    )
    yield Behind(ALL, report_pools.finding_blocks(first, numbers))
    if first.sizes is not None:
        title = ReportHeading(text=_("Where did the space go?"), level=3)
        shown = (title, *report_pools.size_blocks(first.sizes, every_step=sizes))
        yield from shown if sizes else (Behind(ALL, shown),)
        yield from endings(MORE, "" if sizes else "--sizes", "-w audit.pdf")


def _first_steps_blocks(audits: "Sequence[PoolAudit]", numbers: dict[str, int], *, every: bool) -> Blocks:
    steps = first_steps(audits, numbers)
    if steps:
        yield ""
        yield _("Now, in this order")
    width = max(len(audit.pool.name) for audit in audits) if len(audits) > 1 else 0
    for number, step in enumerate(steps if every else steps[:_MOST_STEPS], 1):
        front = f" {number:>2}  {step.audit.pool.name:<{width}}  " if width else f" {number:>2}  "
        yield from folded(step.finding.text, _COLUMNS, first=front, below=" " * len(front))
        advice, then = (folded(text, _COLUMNS - len(front)) for text in (step.advice, step.remedy.then))
        if lines := (*advice, *step.commands, *then):
            yield Code(text="\n".join(lines), indent=len(front))
    if not every and len(steps) > _MOST_STEPS:
        yield "     " + _("+{count} more: --all", count=len(steps) - _MOST_STEPS)


# The JSON document of `poolwright audit`.


def audit_document(inventory: Inventory, audits: Sequence[PoolAudit]) -> dict[str, object]:
    numbers: dict[str, int] = {}
    return {
        "machine": inventory.name,
        "pools_looked_for": not inventory.pools_unread,
        "answer": {
            "text": report_pools.answer_of(audits) or why_no_pool(inventory)[0],
            "worst": audits[0].pool.name if audits else None,
            "critical": sum(f.severity is Severity.BLOCK for audit in audits for f in audit.findings),
            "warnings": sum(f.severity is Severity.WARN for audit in audits for f in audit.findings),
        },
        "now": json_list(
            first_steps(audits, numbers),
            "pool=audit.pool.name rule=finding.rule_id text=finding.text advice commands then=remedy.then",
        ),
        "why_none": None if audits or inventory.imported() else why_no_pool(inventory)[0],
        "pools": [_audit(audit, numbers) for audit in audits],
        "not_judged": [pool.name for pool in inventory.pools if pool.importable],
    }


def _audit(audit: PoolAudit, numbers: dict[str, int]) -> dict[str, object]:
    return {
        **pool_document(audit.pool),
        **json_of(
            audit,
            "gravest read=known[origin rounded=origin.rounded read_at properties@ vdevs@ scans[kind state began ended "
            "percent errors vdev] checkpoint_bytes datasets@] findings@ not_known=unsure[rule=rule_id text missing] "
            "sizes[rounded missing cascades[title printed_bytes rest_bytes steps@]] misplaced[disk@ wanted found text] "
            "promises[promised_bytes percent thin_bytes reserved_bytes free_bytes usable_bytes] problem? unread?",
            properties=lambda known: {one.name: one.value for one in known.properties},
            vdevs=lambda known: [asdict(each) for each in known.vdevs],
            datasets=lambda known: None if known.datasets is None else len(known.datasets),
            findings=[_finding(finding, audit, numbers) for finding in audit.findings],
            steps=lambda cascade: [step._asdict() for step in cascade.steps],
            disk=lambda place: place.place if place.name == "bay" else place.found or place.wanted,
        ),
    }


def _finding(finding: Finding, audit: PoolAudit, numbers: dict[str, int]) -> dict[str, object]:
    return json_of(
        finding,
        "rule=rule_id severity basis subject subjects@ text why advice commands@ then@ needs_rewrite@ "
        "gain@gain[text origin] facts@ sources@",
        subjects=finding.subjects or (finding.subject,),
        commands=(remedy := remedy_of(finding, audit, numbers)).commands,
        then=remedy.then,
        needs_rewrite=remedy.rewrite or None,
        gain=audit.gain(finding.rule_id),
        facts={fact.name: fact.value for fact in finding.facts},
        sources=[str(source) for source in finding.sources],
    )
