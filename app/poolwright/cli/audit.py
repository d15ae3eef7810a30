"""`poolwright audit`: the pools that exist on a machine against the rules, and their printed sizes explained."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import wrap

from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine, tree_lines, worst_first
from poolwright.changes.imported import why_no_pool
from poolwright.cli.asked import made_words, today
from poolwright.cli.design_source import read_design
from poolwright.cli.documents import all_picked, picked, plain
from poolwright.cli.inventory import pool_document
from poolwright.cli.options import options
from poolwright.cli.output import check_outputs, print_json, print_line, print_table, report_bytes, write_output
from poolwright.cli.report import _format
from poolwright.cli.sources import add_source_options, capture_names, has_source, read_source, read_this_machine
from poolwright.domain.errors import UserError
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.inventory import Inventory
from poolwright.domain.units import binary
from poolwright.domain.workload import Goal, Workload
from poolwright.drive_library import load_drive_book
from poolwright.emit.remedies import first_steps, remedy_of
from poolwright.emit.report_audit import (
    answer_of,
    audit_report,
    nothing_found,
    overview_header,
    overview_row,
    rest_words,
    signed,
    sizes_line,
    summary_of,
)
from poolwright.rule_library import load_rules
from poolwright.texts import marked, tell

_MOST_STEPS, _COLUMNS = 9, 80
_TITLES = ((Severity.BLOCK, marked("Critical")), (Severity.WARN, marked("Warnings")), (Severity.NOTE, marked("Notes")))


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    options(
        parser,
        "--goal --pool --design --all --sizes --format -o|--output --force --json",
        output={"what": tell("the report")},
    )


def run(args: argparse.Namespace) -> int:
    """Audit and print; exit status 1 where something is critical, 3 where no pool could be read."""
    wanted = _format(args.format, args.output) if args.format or args.output else None
    check_outputs(args, "--output", inputs=capture_names(args))
    inventory = read_source(args) if has_source(args) else read_this_machine()
    request = AuditRequest(
        workload=Workload(goal=Goal(args.goal) if args.goal else Goal.SAFETY),
        goal_told=args.goal is not None,
        today=today(),
        design=read_design(args.design) if args.design is not None else None,
    )
    audits = worst_first(audit_machine(load_rules(), inventory, request, load_drive_book()))
    if args.pool is not None:
        audits = _named(audits, inventory, args.pool)
    if wanted is not None:
        _write(args, wanted, audits, inventory)
    if args.json:
        print_json(audit_document(inventory, audits))
    elif wanted is None:
        _print(audits, inventory, every_step=args.sizes, whole=args.all or args.pool is not None)
    if not audits:
        return 3 if inventory.pools_unread else 0
    return 1 if any(audit.gravest is Severity.BLOCK for audit in audits) else 0


def _named(audits: "tuple[PoolAudit, ...]", inventory: Inventory, name: str) -> "tuple[PoolAudit, ...]":
    found = tuple(audit for audit in audits if audit.pool.name == name)
    if not found:
        why = why_no_pool(inventory, name)
        raise UserError(why.text, where="--pool", todo=why.todo)
    return found


def _write(args: argparse.Namespace, wanted: str, audits: Sequence[PoolAudit], inventory: Inventory) -> None:
    if wanted == "pdf" and args.output is None:
        raise UserError(tell("A PDF is nothing for a terminal or for JSON"), todo=tell("Name a file with -o."))
    content = report_bytes(audit_report(audits, inventory, made=made_words()), wanted)
    if args.output is not None:
        write_output(args.output, content, force=args.force)
    elif not args.json:
        sys.stdout.buffer.write(content)


def _print(audits: "Sequence[PoolAudit]", inventory: Inventory, *, every_step: bool, whole: bool) -> None:
    """Print the answer, the pools in a table and what to do now; all that was found where it is asked for."""
    if not audits:
        why = why_no_pool(inventory)
        print_line(f"{why.text}.")
        print_line(why.todo)
        return
    print_line(answer_of(audits))
    if len(audits) > 1:
        print_line()
        rows = [("  " + name, *rest) for name, *rest in map(overview_row, audits)]
        head, *heads = overview_header()
        print_table(("  " + head, *heads), rows, right=frozenset({2, 3, 4, 5}))
    whole = whole or len(audits) == 1
    _print_first_steps(audits, every=whole)
    for audit in audits if whole or every_step else ():
        print_line()
        _print_pool(audit, every_step=every_step)
    if not whole:
        print_line()
        print_line(tell("More: --pool {pool}  --all  --sizes  -o audit.pdf", pool=audits[0].pool.name))


def _print_first_steps(audits: "Sequence[PoolAudit]", *, every: bool) -> None:
    steps = first_steps(audits)
    if steps:
        print_line()
        print_line(tell("Now, in this order"))
    width = max(len(audit.pool.name) for audit in audits)
    for number, step in enumerate(steps if every else steps[:_MOST_STEPS], 1):
        front = f" {number:>2}  {step.audit.pool.name:<{width}}  "
        for line in wrap(step.finding.text, _COLUMNS, initial_indent=front, subsequent_indent=" " * len(front)):
            print_line(line)
        advice = [] if step.commands else wrap(step.finding.advice.partition(". ")[0], _COLUMNS - len(front))
        for line in (*step.commands, *advice):
            print_line(" " * len(front) + line)
    if not every and len(steps) > _MOST_STEPS:
        print_line("     " + tell("+{count} more: --all", count=len(steps) - _MOST_STEPS))


def _print_pool(audit: PoolAudit, *, every_step: bool) -> None:
    print_line(summary_of(audit))
    for text in (sizes_line(audit), audit.unread, audit.pool.status, *audit.pool.scans, *audit.pool.operations):
        if text:
            print_line(f"  {text}")
    _print_tree(audit)
    for severity, title in _TITLES:
        found = [finding for finding in audit.findings if finding.severity is severity]
        if found:
            print_line()
            print_line(tell(title))
        for finding in found:
            _print_finding(finding, audit)
    if not audit.findings:
        print_line()
        print_line(nothing_found(audit))
    for finding in audit.unsure:
        print_line(tell("Not known: {texts}", texts=finding.text))
    if audit.problem:
        print_line(audit.problem)
    if audit.misplaced is not None:
        print_line()
        print_line(tell("Against the design"))
        for place in audit.misplaced:
            print_line(f"  {place.text}")
        if not audit.misplaced:
            print_line("  " + tell("Every disk is where the design says."))
    _print_sizes(audit, every_step=every_step)


def _print_tree(audit: PoolAudit) -> None:
    rows = []
    for depth, node in tree_lines(audit.pool):
        sizes = audit.known.vdev(node.name)
        section = "" if node.section == "data" or depth else node.section
        counts = ("" if n is None else str(n) for n in (node.read_errors, node.write_errors, node.checksum_errors))
        size = binary(sizes.size_bytes) if sizes is not None and sizes.size_bytes else ""
        name = "  " * (depth + 1) + node.label
        rows.append((name, node.state or "", *counts, size, " ".join(p for p in (section, node.note or "") if p)))
    if rows:
        print_line()
        header = ("  " + tell("device"), tell("state"), tell("read"), tell("write"), tell("checksum"), tell("size"), "")
        print_table(header, rows, right=frozenset({2, 3, 4, 5}))


def _print_finding(finding: Finding, audit: PoolAudit) -> None:
    print_line(f"  {finding.text} [{finding.rule_id}]")
    if finding.severity is not Severity.NOTE and finding.why:
        print_line("    " + tell("Why: {why}", why=finding.why))
    if finding.advice:
        print_line("    " + tell("Advice: {advice}", advice=finding.advice))
    remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
    if gain is not None:
        print_line("    " + tell("Gain: {gain}", gain=gain.text))
    if remedy.rewrite:
        print_line(f"    {remedy.rewrite}")
    for command in remedy.commands:
        print_line(f"      {command}")


def _print_sizes(audit: PoolAudit, *, every_step: bool) -> None:
    if audit.sizes is None:
        return
    print_line()
    print_line(tell("What is it, really?"))
    for cascade in audit.sizes.cascades():
        if every_step:
            rows = [(f"    {s.title}", signed(s.change_bytes), f"{s.bytes_left:,}", s.why) for s in cascade.steps]
            print_line(f"  {cascade.title}")
            print_table(
                ("    " + tell("step"), tell("bytes"), tell("left"), tell("why")), rows, right=frozenset({1, 2})
            )
        else:
            first, *rest = cascade.steps
            changes = (f"{s.title} {'−' if s.change_bytes < 0 else '+'}{binary(abs(s.change_bytes))}" for s in rest
                       if s.change_bytes and s.name != "rest")  # fmt: skip
            begin = f"{first.title} {binary(first.bytes_left)}" if first.bytes_left else ""
            way = ", ".join(part for part in (begin, *changes) if part)
            print_line(f"  {cascade.title}: {binary(cascade.printed_bytes)} = {way}")
        print_line(f"    {rest_words(cascade)}")
    if audit.sizes.rounded:
        print_line("  " + tell("The sizes were printed with three digits; with -p they are exact."))
    for text in audit.sizes.missing:
        print_line("  " + tell("Not read: {what}", what=text))


# The JSON document of `poolwright audit`.

AUDIT_SCHEMA = 1


def audit_document(inventory: Inventory, audits: Sequence[PoolAudit]) -> dict[str, object]:
    """Return the audit of a machine as one JSON object."""
    return {
        "schema": AUDIT_SCHEMA,
        "machine": inventory.name,
        "pools_looked_for": not inventory.pools_unread,
        "answer": {
            "text": answer_of(audits) or why_no_pool(inventory).text,
            "worst": audits[0].pool.name if audits else None,
            "critical": sum(f.severity is Severity.BLOCK for audit in audits for f in audit.findings),
            "warnings": sum(f.severity is Severity.WARN for audit in audits for f in audit.findings),
        },
        "now": all_picked(first_steps(audits), "pool=audit.pool.name rule=finding.rule_id text=finding.text commands"),
        "why_none": None if audits or inventory.imported() else why_no_pool(inventory).text,
        "pools": [_audit(audit) for audit in audits],
        "not_judged": [pool.name for pool in inventory.pools if pool.importable],
    }


def _audit(audit: PoolAudit) -> dict[str, object]:
    known, sizes, misplaced = audit.known, audit.sizes, audit.misplaced
    return {
        **pool_document(audit.pool),
        "gravest": plain(audit.gravest),
        "read": {
            **picked(known, "origin rounded=origin.rounded read_at"),
            "properties": {told.name: told.value for told in known.properties},
            "vdevs": [asdict(each) for each in known.vdevs],
            "scans": all_picked(known.scans, "kind state began ended percent errors vdev"),
            "checkpoint_bytes": known.checkpoint_bytes,
            "datasets": None if known.datasets is None else len(known.datasets),
        },
        "findings": [_finding(finding, audit) for finding in audit.findings],
        "not_known": all_picked(audit.unsure, "rule=rule_id text missing"),
        "sizes": None if sizes is None else {
            **picked(sizes, "rounded missing"),
            "cascades": [
                {**picked(each, "title printed_bytes rest_bytes"), "steps": [step._asdict() for step in each.steps]}
                for each in sizes.cascades()
            ],
        },
        "misplaced": None if misplaced is None else [asdict(place) for place in misplaced],
        **picked(audit, "problem? unread?"),
    }  # fmt: skip


def _finding(finding: Finding, audit: PoolAudit) -> dict[str, object]:
    remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
    return {
        **picked(finding, "rule=rule_id severity basis subject"),
        "subjects": list(finding.subjects or (finding.subject,)),
        **picked(finding, "text why advice"),
        **picked(remedy, "commands needs_rewrite?=rewrite"),
        "gain": None if gain is None else picked(gain, "text origin"),
        "facts": {fact.name: fact.value for fact in finding.facts},
        "sources": [str(source) for source in finding.sources],
    }
