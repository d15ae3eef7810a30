"""`poolwright recommend`: every layout of the disks, ranked for a goal, with reasons."""

import argparse
import uuid
from dataclasses import replace
from pathlib import Path

from poolwright.advise.assign import Identity, design_of
from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.advise.pools import Pool
from poolwright.advise.rank import survives
from poolwright.advise.recommend import Request, recommend
from poolwright.advise.rejected import Rejected
from poolwright.advise.stock import Way
from poolwright.advise.support import with_support
from poolwright.advise.words import describe_pool
from poolwright.capacity.device import LEAST_ASHIFT, MOST_ASHIFT
from poolwright.cli.capacity import capacity_document
from poolwright.cli.costs import cost_document, cost_line, cost_of_candidate
from poolwright.cli.output import print_json, print_line, print_table
from poolwright.cli.predictions import predictions_document, risk_document
from poolwright.cli.proposals import (
    host_advice_document,
    print_host_advice,
    print_properties,
    print_synclog,
    properties_document,
    sources_document,
    synclog_document,
)
from poolwright.cli.sources import add_source_options, read_source
from poolwright.cli.wishes import add_budget_options, add_workload_options, budget_of, workload_of
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Note, NoteLevel
from poolwright.domain.errors import UserError
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.inventory import Inventory
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion, parse_modelled
from poolwright.drive_library import load_drive_book
from poolwright.judging import advice_for, findings_with_predictions, judge_maker, properties_for
from poolwright.predict.synclog.of_design import advise_design
from poolwright.rule_library import load_shipped
from poolwright.rules.model import RuleBook

DEFAULT_TOP = 10
SHOWN_FINDINGS = 6


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_source_options(parser)
    add_workload_options(parser)
    add_budget_options(parser)
    parser.add_argument("--ashift", type=int, metavar="N", help="9 to 16 (default: from the physical sector size)")
    parser.add_argument("--zfs", metavar="VERSION", help="OpenZFS version (default: the host's)")
    parser.add_argument("--top", type=int, default=DEFAULT_TOP, metavar="N", help=f"layouts shown ({DEFAULT_TOP})")
    parser.add_argument("--pool", default="tank", metavar="NAME", help="the pool's name in the saved design (tank)")
    parser.add_argument("--save-design", metavar="FILE", help="save the first choice as a design for `script`")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Rank, print, and save the first choice where asked."""
    if args.top < 1:
        raise UserError(f"--top {args.top} shows nothing", todo="Give 1 or more.")
    if args.ashift is not None and not LEAST_ASHIFT <= args.ashift <= MOST_ASHIFT:
        raise UserError(f"ashift {args.ashift} is out of range", todo="OpenZFS takes 9 to 16.")
    version = parse_modelled(args.zfs) if args.zfs else None
    inventory = read_source(args)
    request = Request(
        disks=_chosen(inventory),
        workload=workload_of(args),
        budget=budget_of(args, inventory.host),
        version=version or _host_version(inventory) or DEFAULT_VERSION,
        ashift=args.ashift,
        host=inventory.host,
        drives=load_drive_book(),
    )
    book = load_shipped()
    recommendation = recommend(request, judge_maker(book, inventory.host))
    if inventory.host.zfs_version and not (version or _host_version(inventory)):
        text = f"OpenZFS {inventory.host.zfs_version} of the host is not modelled: computed for {DEFAULT_VERSION}."
        recommendation = replace(recommendation, notes=(*recommendation.notes, Note(text=text, level=NoteLevel.WARN)))
    first = _first_choice(args, recommendation.best, request, inventory, book)
    if args.save_design:
        _save(args, first)
    if args.json:
        print_json(document(recommendation, request, first, book, args.top))
    else:
        findings = findings_with_predictions(book, recommendation.best, request, inventory.host)
        _print(recommendation, request, first, findings, args.top)
        print_synclog(advise_design(first))
        print_host_advice(advice_for(book, first))
    return 0


def _chosen(inventory: Inventory) -> tuple[Disk, ...]:
    """Return the disks to plan with: all that nothing uses; where there are none, all, so that the refusal says why."""
    return inventory.usable() or inventory.disks


def _host_version(inventory: Inventory) -> ZfsVersion | None:
    try:
        return parse_modelled(inventory.host.zfs_version or "")
    except UserError:
        return None


def _first_choice(
    args: argparse.Namespace, best: Candidate, request: Request, inventory: Inventory, book: RuleBook
) -> Design:
    """Return the design of the first choice, with the properties the rules propose."""
    identity = Identity(key=str(uuid.uuid4()), name=f"{inventory.name}, {args.goal}", pool_name=args.pool)
    properties = properties_for(book, best, request, inventory.host)
    design = design_of(best, request, identity, inventory=inventory, properties=properties)
    return with_support(design, request)


def _save(args: argparse.Namespace, design: Design) -> None:
    from poolwright.emit.names import check_pool_name
    from poolwright.store.design_file import to_json
    from poolwright.store.files import write_text

    check_pool_name(design.pool_name, design.version)
    write_text(Path(args.save_design), to_json(design))


def document(
    recommendation: Recommendation, request: Request, first: Design, book: RuleBook, top: int
) -> dict[str, object]:
    """Return the answer as one JSON object; properties and advice are those of ``first``, the first choice."""
    return {
        "goal": recommendation.goal.value,
        "ashift": recommendation.ashift,
        "zfs": str(request.version),
        "disks": len(request.disks),
        "examined": recommendation.examined,
        "searched": list(recommendation.searched),
        "left_out": list(recommendation.left_out),
        "roles": _roles(recommendation),
        "feasible": len(recommendation.candidates),
        "candidates": [
            _candidate(c, request, findings_with_predictions(book, c, request, first.host))
            for c in recommendation.candidates[:top]
        ],
        "properties": properties_document(first, book),
        "host_advice": host_advice_document(advice_for(book, first)),
        "synchronous_writes": synclog_document(advise_design(first)),
        "rejected": [_rejected(r) for r in recommendation.rejected],
        "notes": [note.text for note in recommendation.notes],
    }


def _candidate(candidate: Candidate, request: Request, findings: tuple[Finding, ...]) -> dict[str, object]:
    predictions = candidate.predictions
    return {
        "layout": [str(spec) for spec in candidate.layout],
        "description": candidate.words,
        "way": candidate.way.value,
        "family": candidate.family,
        "disk_size_bytes": candidate.layout[0].sizes[0],
        "pools": [_pool(pool, candidate.copies if pool is candidate.main else 1) for pool in candidate.pools],
        "score": round(candidate.score, 3),
        "score_terms": [
            {
                "name": t.name,
                "title": t.title,
                "points": round(t.points, 3),
                "weight": t.weight,
                "value": None if t.value is None else round(t.value, 6),
                "why": t.why,
            }
            for t in candidate.terms
        ],
        "capacity": {**capacity_document(candidate.capacity), "usable_bytes_all_pools": candidate.usable_bytes},
        "failures_survived": candidate.failures_survived,
        "survival": [round(share, 6) for share in candidate.survival],
        "spares": candidate.spares,
        "unassigned": candidate.unassigned,
        "stranded_bytes": candidate.stranded_bytes,
        "idle_bytes": candidate.idle_bytes,
        "cost": cost_document(cost_of_candidate(candidate, request)),
        "predictions": predictions_document(predictions),
        "risk": risk_document(predictions.risk),
        "yearly_loss_any_pool": candidate.yearly_loss,
        "findings": [finding_document(f) for f in findings],
    }


def _roles(recommendation: Recommendation) -> list[dict[str, object]]:
    """Return what the flash drives without a place are worth beside the first choice."""
    advice = recommendation.roles
    return [
        {
            "role": judgement.role.value,
            "verdict": judgement.verdict.value,
            "because": list(judgement.because),
            "risks": list(judgement.risks),
            "missing": list(judgement.missing),
        }
        for judgement in (advice.judgements if advice is not None else ())
    ]


def _pool(pool: Pool, count: int) -> dict[str, object]:
    """Return a pool of a candidate; ``count`` equal ones are made."""
    return {
        "layout": [str(spec) for spec in pool.layout],
        "description": describe_pool(pool),
        "purpose": pool.purpose.value,
        "count": count,
        "usable_bytes": pool.usable_bytes,
        "failures_survived": pool.failures_survived,
    }


def finding_document(finding: Finding) -> dict[str, object]:
    """Return a finding as a JSON object, with the facts it rests on and their origin."""
    return {
        "rule": finding.rule_id,
        "title": finding.title,
        "severity": finding.severity.value,
        "outcome": finding.outcome.value,
        "subject": finding.subject,
        "text": finding.text,
        "why": finding.why,
        "advice": finding.advice,
        "facts": [
            {"name": f.name, "value": f.value, "origin": str(f.origin) if f.origin else None} for f in finding.facts
        ],
        "missing": list(finding.missing),
        "sources": sources_document(finding.sources),
    }


def _rejected(rejected: Rejected) -> dict[str, object]:
    return {
        "family": rejected.family,
        "reason": rejected.reason,
        "layout": None if rejected.layout is None else [str(spec) for spec in rejected.layout],
        "score": None if rejected.score is None else round(rejected.score, 3),
        "rule": rejected.rule_id,
        "feasible": rejected.feasible,
    }


def _print(
    recommendation: Recommendation, request: Request, first: Design, findings: tuple[Finding, ...], top: int
) -> None:
    best = recommendation.best
    print_line(f"{first.inventory_name}: goal {recommendation.goal.value}, {recommendation.examined} layouts examined")
    for note in recommendation.notes:
        print_line(f"note: {note.text}")
    print_line()
    print_line(f"First choice: {best.words}, ashift {recommendation.ashift}")
    usable = best.usable_bytes
    print_line(f"  usable {units.binary(usable)} ({units.decimal(usable)}), {survives(best.failures_survived)}")
    print_line(f"  cost: {cost_line(cost_of_candidate(best, request))}")
    for term in best.terms:
        print_line(f"  {term.points:+6.1f}  {term.title}: {term.why}")
    for finding in findings[:SHOWN_FINDINGS]:
        doubt = "cannot tell" if finding.outcome is Outcome.CANNOT_TELL else finding.severity.value
        print_line(f"  {doubt}: {finding.text} [{finding.rule_id}]")
    print_properties(first)
    print_line()
    kinds = {(c.disks[0].media, c.layout[0].sizes[0]) for c in recommendation.candidates}
    _print_table(recommendation.candidates[:top], several_kinds=len(kinds) > 1)
    print_line()
    print_line("Not chosen:")
    for rejected in recommendation.rejected:
        rule = f" [{rejected.rule_id}]" if rejected.rule_id else ""
        print_line(f"  {rejected.family}: {rejected.reason}{rule}")
    if recommendation.roles is not None:
        print_line()
        print_line("Flash drives without a place (details: poolwright roles):")
        for judgement in recommendation.roles.judgements:
            print_line(f"  {judgement.role.value}: {judgement.verdict.value}; {' '.join(judgement.because[:1])}")
    print_line()
    print_line(f"Looked at ({recommendation.examined} layouts):")
    for text in recommendation.searched:
        print_line(f"  {text}")
    print_line("Left out:")
    for text in recommendation.left_out:
        print_line(f"  {text}")


def _print_table(candidates: tuple[Candidate, ...], *, several_kinds: bool) -> None:
    rows = [
        (
            f"{c.score:.1f}",
            c.words + (f" ({_disk_kind(c)})" if several_kinds and c.way is Way.EQUAL else ""),
            units.binary(c.usable_bytes),
            units.decimal(c.usable_bytes),
            str(c.failures_survived),
            str(c.spares),
            str(c.unassigned),
            units.decimal(c.stranded_bytes) if c.stranded_bytes >= units.GB else "-",
            str(len(c.findings)),
        )
        for c in candidates
    ]
    header = ("score", "layout", "usable", "", "survives", "spares", "unassigned", "stranded", "findings")
    print_table(header, rows, right=frozenset({0, 2, 3, 4, 5, 6, 7, 8}))


def _disk_kind(candidate: Candidate) -> str:
    media = candidate.disks[0].media
    size = units.drive_size(candidate.layout[0].sizes[0])
    return f"{size} {media.value.upper()}" if media else size
