"""`poolwright audit`: the pools that exist on a machine against the rules, and their printed sizes explained."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import wrap

from poolwright.capacity.explained import SizeCascade
from poolwright.changes.audit import PoolAudit
from poolwright.changes.imported import why_no_pool
from poolwright.cli.designs import made_words, today
from poolwright.cli.inventory import _pool as pool_document
from poolwright.cli.output import add_output_option, check_outputs, print_json, print_line, print_table, write_output
from poolwright.cli.sources import add_source_options, capture_names, has_source, read_source, read_this_machine
from poolwright.domain.errors import UserError
from poolwright.domain.existing_pool import ExistingPool, Scan, VdevSizes
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.inventory import Inventory
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.remedies import first_steps, remedy_of
from poolwright.emit.report_audit import answer_of
from poolwright.texts import marked, tell

_MOST_STEPS, _COLUMNS = 9, 80
_TITLES = ((Severity.BLOCK, marked("Critical")), (Severity.WARN, marked("Warnings")), (Severity.NOTE, marked("Notes")))


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser, required=False)
    parser.add_argument(
        "--goal",
        choices=[goal.value for goal in Goal],
        help=tell("what the pools are for; without it, what only one goal asks for weighs less"),
    )
    parser.add_argument("--pool", metavar="NAME", help=tell("this pool alone"))
    parser.add_argument(
        "--design", metavar="FILE", help=tell("a design: tell which disks are not where it says, by serial number")
    )
    parser.add_argument("--all", action="store_true", help=tell("tell all that was found, pool by pool"))
    parser.add_argument("--sizes", action="store_true", help=tell("tell every step of the sizes that are explained"))
    parser.add_argument("--format", choices=("md", "html", "pdf"), help=tell("write a report in this form"))
    add_output_option(parser, tell("the report"))
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document"))


def run(args: argparse.Namespace) -> int:
    """Audit and print; exit status 1 where something is critical, 3 where no pool could be read."""
    from poolwright.changes.audit import AuditRequest, audit_machine, worst_first
    from poolwright.cli.design_source import read_design
    from poolwright.cli.report import _format
    from poolwright.drive_library import load_drive_book
    from poolwright.rule_library import load_rules

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
    from poolwright.changes.imported import why_no_pool

    found = tuple(audit for audit in audits if audit.pool.name == name)
    if not found:
        why = why_no_pool(inventory, name)
        raise UserError(why.text, where="--pool", todo=why.todo)
    return found


def _write(args: argparse.Namespace, wanted: str, audits: "Sequence[PoolAudit]", inventory: Inventory) -> None:
    from poolwright.emit.report_audit import audit_report
    from poolwright.emit.report_blocks import markdown_text
    from poolwright.emit.report_html import html_text

    report = audit_report(audits, inventory, made=made_words())
    if wanted == "pdf":
        if args.output is None:
            raise UserError(tell("A PDF is nothing for a terminal or for JSON"), todo=tell("Name a file with -o."))
        from poolwright.paper.display import pdf_bytes

        content = pdf_bytes(report)
    else:
        content = (html_text(report) if wanted == "html" else markdown_text(report)).encode()
    if args.output is not None:
        write_output(args.output, content, force=args.force)
    elif not args.json:
        sys.stdout.buffer.write(content)


def _print(audits: "Sequence[PoolAudit]", inventory: Inventory, *, every_step: bool, whole: bool) -> None:
    """Print the answer, the pools in a table and what to do now; all that was found where it is asked for."""
    from poolwright.changes.imported import why_no_pool
    from poolwright.emit.report_audit import answer_of, overview_header, overview_row

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
    from poolwright.emit.remedies import first_steps

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


def _print_pool(audit: "PoolAudit", *, every_step: bool) -> None:
    from poolwright.emit.report_audit import nothing_found, sizes_line, summary_of

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


def _print_tree(audit: "PoolAudit") -> None:
    from poolwright.changes.audit import tree_lines
    from poolwright.domain.units import binary

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


def _print_finding(finding: "object", audit: "PoolAudit") -> None:
    from poolwright.domain.finding import Finding
    from poolwright.emit.remedies import remedy_of

    assert isinstance(finding, Finding)
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


def _print_sizes(audit: "PoolAudit", *, every_step: bool) -> None:
    from poolwright.domain.units import binary
    from poolwright.emit.report_audit import rest_words, signed

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
        "now": [
            {
                "pool": step.audit.pool.name,
                "rule": step.finding.rule_id,
                "text": step.finding.text,
                "commands": list(step.commands),
            }
            for step in first_steps(audits)
        ],
        "why_none": None if audits or inventory.imported() else why_no_pool(inventory).text,
        "pools": [_audit(audit) for audit in audits],
        "not_judged": [pool.name for pool in inventory.pools if pool.importable],
    }


def _audit(audit: PoolAudit) -> dict[str, object]:
    return {
        **pool_document(audit.pool),
        "gravest": audit.gravest.value if audit.gravest is not None else None,
        "read": _known(audit.known),
        "findings": [_finding(finding, audit) for finding in audit.findings],
        "not_known": [{"rule": f.rule_id, "text": f.text, "missing": list(f.missing)} for f in audit.unsure],
        "sizes": None
        if audit.sizes is None
        else {
            "rounded": audit.sizes.rounded,
            "missing": list(audit.sizes.missing),
            "cascades": [_cascade(cascade) for cascade in audit.sizes.cascades()],
        },
        "misplaced": None if audit.misplaced is None else [asdict(place) for place in audit.misplaced],
        "problem": audit.problem or None,
        "unread": audit.unread or None,
    }


def _finding(finding: Finding, audit: PoolAudit) -> dict[str, object]:
    remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
    return {
        "rule": finding.rule_id,
        "severity": finding.severity.value,
        "basis": finding.basis,
        "subject": finding.subject,
        "subjects": list(finding.subjects or (finding.subject,)),
        "text": finding.text,
        "why": finding.why,
        "advice": finding.advice,
        "commands": list(remedy.commands),
        "needs_rewrite": remedy.rewrite or None,
        "gain": None if gain is None else {"text": gain.text, "origin": str(gain.origin)},
        "facts": {fact.name: fact.value for fact in finding.facts},
        "sources": [str(source) for source in finding.sources],
    }


def _cascade(cascade: SizeCascade) -> dict[str, object]:
    return {
        "title": cascade.title,
        "printed_bytes": cascade.printed_bytes,
        "rest_bytes": cascade.rest_bytes,
        "steps": [step._asdict() for step in cascade.steps],
    }


def _known(known: ExistingPool) -> dict[str, object]:
    return {
        "origin": str(known.origin),
        "rounded": known.origin.rounded,
        "read_at": known.read_at.isoformat() if known.read_at is not None else None,
        "properties": {told.name: told.value for told in known.properties},
        "vdevs": [_sizes(sizes) for sizes in known.vdevs],
        "scans": [_scan(scan) for scan in known.scans],
        "checkpoint_bytes": known.checkpoint_bytes,
        "datasets": None if known.datasets is None else len(known.datasets),
    }


def _sizes(sizes: VdevSizes) -> dict[str, object]:
    return asdict(sizes)


def _scan(scan: Scan) -> dict[str, object]:
    return {
        "kind": scan.kind.value,
        "state": scan.state.value,
        "began": scan.began.isoformat() if scan.began is not None else None,
        "ended": scan.ended.isoformat() if scan.ended is not None else None,
        "percent": scan.percent,
        "errors": scan.errors,
        "vdev": scan.vdev,
    }
