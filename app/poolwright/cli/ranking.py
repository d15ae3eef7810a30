"""A ranking as a JSON object and as lines: the layout printed in full, the list, and why the others were not chosen."""

from poolwright.cli.capacity import capacity_document
from poolwright.cli.costs import cost_document, cost_line, cost_of_candidate
from poolwright.cli.output import print_line, print_table
from poolwright.cli.predictions import predictions_document, print_losses, risk_document, rounded
from poolwright.cli.proposals import print_properties, sources_document
from poolwright.design.candidate import Candidate, DataPool, Recommendation, Rejected, describe_pool
from poolwright.design.enumerate import family_words
from poolwright.design.plan import CandidatePool
from poolwright.design.request import Request
from poolwright.design.roles.advice import held_back
from poolwright.design.roles.model import Role
from poolwright.design.told import below_words, told_lines
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Host
from poolwright.judging import findings_with_predictions
from poolwright.predict.number_words import CANNOT_TELL, RUN_THE_BENCHMARK
from poolwright.predict.risk_words import TABLE_HEADER, UNTOLD, loss_words, speed_lines, table_cells
from poolwright.predict.speed import SpeedPrediction
from poolwright.rules.model import RuleBook
from poolwright.texts import tell, tell_counted

SHOWN_FINDINGS = 12


def ranking_document(recommendation: Recommendation, request: Request, book: RuleBook, top: int) -> dict[str, object]:
    """Return the ranking as one JSON object, with ``top`` candidates in full."""
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
        "told": list(told_lines(recommendation)),
        "as_good": [_named_layout(c) for c in recommendation.as_good],
        "decided_by": recommendation.decided_by or None,
        "near": [{**_named_layout(c), "missed": _missed(c)} for c in recommendation.near],
        "reach": None
        if recommendation.reach is None
        else {
            "more_disks": recommendation.reach.disks,
            "description": recommendation.reach.words,
            "size_bytes": recommendation.reach.size_bytes,
        },
        "answers": [
            {
                "name": answer.name.value,
                **_named_layout(answer.candidate),
                "place": place_of(recommendation, answer.candidate),
                "price": answer.price or None,
            }
            for answer in recommendation.answers
        ],
        "candidates": [
            _candidate(c, request, findings_with_predictions(book, c, request, request.host))
            for c in recommendation.candidates[:top]
        ],
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
        "pools": [_data_pool(part, pool) for part, pool in zip(candidate.of_data, candidate.pools, strict=False)]
        or [_pool(pool, candidate.copies if pool is candidate.main else 1) for pool in candidate.pools],
        "below": [floor.value for floor in candidate.below],
        "missed": _missed(candidate),
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
        "unused_of_the_medium": candidate.idle_disks,
        "stranded_bytes": candidate.stranded_bytes,
        "idle_bytes": candidate.idle_bytes,
        "cost": cost_document(cost_of_candidate(candidate, request)),
        "predictions": predictions_document(predictions),
        "risk": risk_document(predictions.risk),
        "yearly_loss_any_pool": rounded(candidate.disk_loss),
        "yearly_loss_any_pool_with_other_causes": rounded(candidate.yearly_loss),
        "findings": [finding_document(f) for f in findings],
    }


def _named_layout(candidate: Candidate) -> dict[str, object]:
    """Return a layout in few words, where the list has it in full or another one is meant."""
    return {
        "layout": [str(spec) for spec in candidate.layout],
        "description": candidate.words,
        "score": round(candidate.score, 3),
        "usable_bytes": candidate.usable_bytes,
    }


def _missed(candidate: Candidate) -> list[dict[str, object]]:
    """Return the wishes that a layout misses, each with the share of it that is missing."""
    return [{"text": missed.text, "share": round(missed.share, 6)} for missed in candidate.missed]


def place_of(recommendation: Recommendation, candidate: Candidate) -> int:
    """Return the place of a layout in the list, from 1."""
    return next(n for n, other in enumerate(recommendation.candidates, start=1) if other is candidate)


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


def _pool(pool: CandidatePool, count: int) -> dict[str, object]:
    """Return a pool of a candidate; ``count`` equal ones are made."""
    return {
        "layout": [str(spec) for spec in pool.layout],
        "description": describe_pool(pool),
        "purpose": pool.purpose.value,
        "count": count,
        "usable_bytes": pool.usable_bytes,
        "failures_survived": pool.failures_survived,
    }


def _data_pool(part: DataPool, pool: CandidatePool) -> dict[str, object]:
    best = part.candidate
    return {
        **_pool(pool, 1),
        "data": list(part.workload.uses),
        "goal": part.workload.goal.value,
        "spares": best.spares,
        "predictions": predictions_document(best.predictions),
        "yearly_loss": rounded(best.disk_loss),
        "yearly_loss_with_other_causes": rounded(best.yearly_loss),
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


def host_line(host: Host) -> str:
    """Return what the advice rests on of the host; empty where nothing is known."""
    parts = [
        None if host.ram_bytes is None else tell("{size} of RAM", size=units.binary(host.ram_bytes)),
        None if host.cores is None else tell_counted("{count} core", "{count} cores", host.cores),
        None if host.zfs_version is None else f"OpenZFS {host.zfs_version}",
    ]
    return ", ".join(part for part in parts if part)


def print_choice(
    candidate: Candidate,
    place: int,
    request: Request,
    design: Design,
    findings: tuple[Finding, ...],
    told: tuple[str, ...] = (),
) -> None:
    """Print the layout at ``place`` of the list, from 1, in full: its numbers, what speaks for it and against it.

    ``told`` are sentences on how it stands to the wishes and to the other layouts.
    """
    name = tell("First choice") if place == 1 else tell("Choice {place} of the list", place=place)
    print_line(tell("{name}: {layout}, ashift {ashift}", name=name, layout=candidate.words, ashift=candidate.ashift))
    usable = candidate.usable_bytes
    room = tell("usable {binary} ({decimal})", binary=units.binary(usable), decimal=units.decimal(usable))
    print_line(f"  {room}, {candidate.survives_words}")
    if not candidate.of_data:
        for text in speeds(candidate.predictions.speed, candidate.itself):
            each = tell("each of the {count} pools, {text}", count=candidate.copies, text=text)
            print_line(f"  {text if candidate.copies == 1 else each}")
    for part, pool in zip(candidate.of_data, design.pools(), strict=False):
        _print_part(part, pool.pool_name)
    print_losses(candidate.yearly_loss, candidate.disk_loss)
    for text in told:
        print_line(f"  {text}")
    print_line("  " + tell("cost: {cost}", cost=cost_line(cost_of_candidate(candidate, request))))
    for term in candidate.terms:
        print_line(f"  {term.points:+6.1f}  {term.title}: {term.why}")
    print_findings(findings)
    print_properties(design)


def speeds(served: SpeedPrediction, itself: SpeedPrediction) -> list[str]:
    """Return the speeds that clients get, a line each, and those without the network where they differ."""
    lines, alone = speed_lines(served), speed_lines(itself)
    return [*lines, *(tell("without the network, {text}", text=text) for text in alone if text not in lines)]


def _print_part(part: DataPool, name: str) -> None:
    """Print one of several pools with data of their own: its layout, its goal and its numbers."""
    best = part.candidate
    goal = tell("goal {goal}", goal=tell(part.workload.goal.value))
    usable = tell("usable {binary}", binary=units.binary(best.usable_bytes))
    print_line("  " + tell("pool {name}, {data}: {layout}", name=name, data=part.words, layout=best.main_words))
    print_line(f"    {goal}, {usable}, {best.survives_words}")
    for text in speeds(best.predictions.speed, best.itself):
        print_line(f"    {text}")
    print_line("    " + tell("lost within a year: {loss}", loss=loss_words(best.yearly_loss, best.disk_loss)))


def print_findings(findings: tuple[Finding, ...]) -> None:
    """Print the gravest findings, a line each, and how many more there are.

    What is said in the same words of vdevs that differ in nothing but the size of their disks is said once.
    """
    order = list(Severity)
    by_weight = sorted(findings, key=lambda f: (f.outcome is Outcome.CANNOT_TELL, order.index(f.severity)))
    lines = dict.fromkeys(
        (tell(CANNOT_TELL if f.outcome is Outcome.CANNOT_TELL else f.severity.value), f.sentence, f.rule_id)
        for f in by_weight
    )
    for doubt, text, rule in list(lines)[:SHOWN_FINDINGS]:
        print_line(f"  {doubt}: {text} [{rule}]")
    if len(lines) > SHOWN_FINDINGS:
        print_line("  " + tell("and {count} more: --json", count=len(lines) - SHOWN_FINDINGS))


def print_ranking(recommendation: Recommendation, top: int, *, carried: frozenset[Role] = frozenset()) -> None:
    """Print the list, the families that were not chosen, and what was looked at.

    ``carried`` are the roles that flash drives of the design have.
    """
    print_line()
    _print_answers(recommendation)
    shown = recommendation.candidates[:top]
    _print_table(shown)
    below: dict[str, list[str]] = {}
    for place, candidate in enumerate(shown, start=1):
        if candidate.below:
            below.setdefault(below_words(candidate, recommendation.survives), []).append(str(place))
    for words, places in below.items():
        print_line(
            tell("Below what is asked of a first choice ({places}): it {words}.", places=", ".join(places), words=words)
        )
    print_line()
    print_line(tell("Not chosen:"))
    for rejected in recommendation.rejected:
        rule = f" [{rejected.rule_id}]" if rejected.rule_id else ""
        print_line(f"  {family_words(rejected.family)}: {rejected.reason}{rule}")
    _print_roles(recommendation, carried)
    print_line()
    print_line(tell_counted("Looked at ({count} layout):", "Looked at ({count} layouts):", recommendation.examined))
    for text in recommendation.searched:
        print_line(f"  {text}")
    print_line(tell("Left out:"))
    for text in recommendation.left_out:
        print_line(f"  {text}")


def _print_roles(recommendation: Recommendation, carried: frozenset[Role]) -> None:
    if recommendation.roles is None:
        return
    print_line()
    print_line(tell("Flash drives beside the data (details: poolwright roles):"))
    back = dict(held_back(recommendation.roles))
    for judgement in recommendation.roles.judgements:
        verdict = tell(judgement.verdict.value)
        if judgement.role in carried:
            told = tell("{verdict}, in the design", verdict=verdict)
        elif judgement.role in back:
            told = tell("{verdict}, not in the design ({why})", verdict=verdict, why=back[judgement.role].rstrip("."))
        else:
            told = verdict
        print_line(f"  {tell(judgement.role.value)}: {told}; {' '.join(judgement.because[:1])}")


def _print_answers(recommendation: Recommendation) -> None:
    """Print the named layouts beside the first choice, a line each, with their place in the list."""
    if len(recommendation.answers) < 2:
        return
    print_line(tell("Side by side (--take takes the number of the list):"))
    for answer in recommendation.answers:
        candidate = answer.candidate
        place, usable = place_of(recommendation, candidate), units.binary(candidate.usable_bytes)
        price = answer.price or candidate.survives_words
        print_line(f"  {tell(answer.name.value)}: {candidate.words} ({place}), {usable}: {price}")
    print_line()


def _print_table(candidates: tuple[Candidate, ...]) -> None:
    rows = [
        (
            str(place),
            f"{c.score:.1f}",
            c.words,
            units.binary(c.usable_bytes),
            units.decimal(c.usable_bytes),
            c.survives_counts,
            str(c.spares),
            str(c.idle_disks),
            units.decimal(c.stranded_bytes) if c.stranded_bytes >= units.GB else "-",
            str(len(c.findings)),
            *table_cells(c.predictions.speed),
        )
        for place, c in enumerate(candidates, start=1)
    ]
    header = (
        "",
        tell("score"),
        tell("layout"),
        tell("usable"),
        "",
        tell("survives"),
        tell("spares"),
        tell("unused"),
        tell("stranded"),
        tell("findings"),
    )
    print_table((*header, *map(tell, TABLE_HEADER)), rows, right=frozenset({0, 1, 3, 4, 5, 6, 7, 8, 9}))
    others = max([c.for_other_uses for c in candidates], default=0)
    if others:
        print_line(
            tell_counted(
                "Not counted as unused: {count} drive of another medium, left for other uses.",
                "Not counted as unused: {count} drives of another medium, left for other uses.",
                others,
            )
        )
    of_clients = tell(
        "Speeds as clients get them, in brackets their band; {mark}: {told}.", mark=UNTOLD, told=tell(RUN_THE_BENCHMARK)
    )
    several = any(c.pool_count > 1 for c in candidates)
    print_line(f"{of_clients} {tell('Speeds are those of one pool.')}" if several else of_clients)
