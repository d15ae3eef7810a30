"""A ranking as lines: the layout printed in full, the list, why the others were not chosen, advice beside it."""

from textwrap import wrap
from typing import TYPE_CHECKING

from poolwright.cli.pool_numbers import losses_blocks
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, DataPool, Recommendation
from poolwright.design.enumerate import family_words
from poolwright.design.request import Request
from poolwright.design.support import Role
from poolwright.design.told import below_words
from poolwright.domain import units
from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.encryption import kept_words
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.inheritance import Resolver
from poolwright.domain.units import binary
from poolwright.emit.report import Blocks, Bullets, Code, ReportHeading, Words, bullets, code, table
from poolwright.predict.assessment import cost_of
from poolwright.predict.assumptions import NOTHING_SAID
from poolwright.predict.cost import Cost
from poolwright.predict.number_words import (
    CANNOT_TELL,
    RUN_THE_BENCHMARK,
    TABLE_HEADER,
    UNTOLD,
    loss_words,
    speed_lines,
    table_cells,
)
from poolwright.predict.speed import SpeedPrediction
from poolwright.texts import _, ngettext

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup

SHOWN_FINDINGS = 12
_WIDTH = 110  # of a sentence below its title


def place_of(recommendation: Recommendation, candidate: Candidate) -> int:
    return next(n for n, other in enumerate(recommendation.candidates, start=1) if other is candidate)


def choice_blocks(
    candidate: Candidate,
    place: int,
    request: Request,
    design: Design,
    findings: tuple[Finding, ...],
    told: tuple[str, ...],
) -> Blocks:
    """Yield the layout at ``place`` in full; ``told`` is how it stands to the wishes and to the other layouts."""
    name = _("First choice") if place == 1 else _("Choice {place} of the list", place=place)
    yield _("{name}: {layout}, ashift {ashift}", name=name, layout=candidate.words, ashift=candidate.ashift)
    yield from bullets(f"{usable_words(candidate.usable_bytes)}, {candidate.survives_words}")
    served = () if candidate.of_data else speeds(candidate.predictions.speed, candidate.main.itself)
    if candidate.copies > 1:
        served = [_("each of the {count} pools, {text}", count=candidate.copies, text=text) for text in served]
    yield from bullets(*served)
    for part, pool in zip(candidate.of_data, design.pools(), strict=False):
        yield from _part_blocks(part, pool.pool_name)
    yield from losses_blocks(candidate.yearly_loss, candidate.disk_loss)
    yield from bullets(
        *told,
        _("cost: {cost}", cost=cost_line(cost_of_candidate(candidate, request))),
        *(f"{term.points:+6.1f}  {term.title}: {term.why}" for term in candidate.terms),
    )
    yield from findings_blocks(findings)
    yield from properties_blocks(design)


def usable_words(size_bytes: int) -> str:
    return _("usable {binary} ({decimal})", binary=binary(size_bytes), decimal=units.decimal(size_bytes))


def speeds(served: SpeedPrediction, itself: SpeedPrediction) -> list[str]:
    """Return the speeds that clients get, a line each, and those without the network where they differ."""
    lines, alone = speed_lines(served), speed_lines(itself)
    return [*lines, *(_("without the network, {text}", text=text) for text in alone if text not in lines)]


def _part_blocks(part: DataPool, name: str) -> Blocks:
    best = part.candidate
    goal = _("goal {goal}", goal=_(part.workload.goal.value))
    usable = _("usable {binary}", binary=binary(best.usable_bytes))
    pool = _("pool {name}, {data}: {layout}", name=name, data=part.words, layout=best.main_words)
    small = (
        f"{goal}, {usable}, {best.survives_words}",
        *speeds(best.predictions.speed, best.main.itself),
        _("lost within a year: {loss}", loss=loss_words(best.yearly_loss, best.disk_loss)),
    )
    yield Bullets(items=(Words(text=pool, small="\n".join(small)),))


def findings_blocks(findings: tuple[Finding, ...]) -> Blocks:
    """Yield the gravest findings, what is said in the same words of several vdevs once."""
    order = list(Severity)
    by_weight = sorted(findings, key=lambda f: (f.outcome is Outcome.CANNOT_TELL, order.index(f.severity)))
    lines = dict.fromkeys(
        (_(CANNOT_TELL if f.outcome is Outcome.CANNOT_TELL else f.severity.value), f.sentence, f.rule_id)
        for f in by_weight
    )
    yield from bullets(*(f"{doubt}: {text} [{rule}]" for doubt, text, rule in list(lines)[:SHOWN_FINDINGS]))
    if len(lines) > SHOWN_FINDINGS:
        yield from bullets(_("and {count} more: --json", count=len(lines) - SHOWN_FINDINGS))


def ranking_blocks(recommendation: Recommendation, top: int, *, carried: frozenset[Role] = frozenset()) -> Blocks:
    """Yield the list, the families that were not chosen, and what was looked at; flash has the roles ``carried``."""
    yield from _answers_blocks(recommendation)
    shown = recommendation.candidates[:top]
    yield from _table_blocks(shown)
    below: dict[str, list[str]] = {}
    for place, candidate in enumerate(shown, start=1):
        if candidate.below:
            below.setdefault(below_words(candidate, recommendation.survives), []).append(str(place))
    for words, places in below.items():
        yield _("Below what is asked of a first choice ({places}): it {words}.", places=", ".join(places), words=words)
    yield ReportHeading(text=_("Not chosen:"))
    for rejected in recommendation.rejected:
        rule = f" [{rejected.rule_id}]" if rejected.rule_id else ""
        yield from bullets(f"{family_words(rejected.family)}: {rejected.reason}{rule}")
    yield from _roles_blocks(recommendation, carried)
    looked = ngettext("Looked at ({count} layout):", "Looked at ({count} layouts):", recommendation.examined)
    yield ReportHeading(text=looked)
    yield from bullets(*recommendation.searched)
    yield _("Left out:")
    yield from bullets(*recommendation.left_out)


def _roles_blocks(recommendation: Recommendation, carried: frozenset[Role]) -> Blocks:
    if recommendation.roles is None:
        return
    from poolwright.design.roles.advice import held_back

    yield ReportHeading(text=_("Flash drives beside the data (details: poolwright roles):"))
    back = dict(held_back(recommendation.roles))
    for judgement in recommendation.roles.judgements:
        verdict = _(judgement.verdict.value)
        if judgement.role in carried:
            told = _("{verdict}, in the design", verdict=verdict)
        elif judgement.role in back:
            told = _("{verdict}, not in the design ({why})", verdict=verdict, why=back[judgement.role].rstrip("."))
        else:
            told = verdict
        yield from bullets(f"{_(judgement.role.value)}: {told}; {' '.join(judgement.because[:1])}")


def _answers_blocks(recommendation: Recommendation) -> Blocks:
    if len(recommendation.answers) < 2:
        return
    yield ReportHeading(text=_("Side by side (--take takes the number of the list):"))
    for answer in recommendation.answers:
        candidate = answer.candidate
        place, usable = place_of(recommendation, candidate), binary(candidate.usable_bytes)
        price = answer.price or candidate.survives_words
        yield from bullets(f"{_(answer.name.value)}: {candidate.words} ({place}), {usable}: {price}")


def _table_blocks(candidates: tuple[Candidate, ...]) -> Blocks:
    rows = [
        (
            str(place), f"{c.score:.1f}", c.words, binary(c.usable_bytes), units.decimal(c.usable_bytes),
            c.survives_counts, str(c.spares), str(c.idle_disks),
            units.decimal(c.stranded_bytes) if c.stranded_bytes >= units.GB else "-",
            str(len(c.findings)), *table_cells(c.predictions.speed),
        )
        for place, c in enumerate(candidates, start=1)
    ]  # fmt: skip
    header = (
        "", _("Score"), _("Layout"), _("Usable"), "", _("Survives"), _("Spares"), _("Unused"),
        _("Stranded"), _("Findings"),
    )  # fmt: skip
    yield table((*header, *map(_, TABLE_HEADER)), rows, right=(0, 1, 3, 4, 5, 6, 7, 8, 9))
    others = max([c.for_other_uses for c in candidates], default=0)
    if others:
        yield ngettext(
            "Not counted as unused: {count} drive of another medium, left for other uses.",
            "Not counted as unused: {count} drives of another medium, left for other uses.",
            others,
        )
    of_clients = _(
        "Speeds as clients get them, in brackets their band; {mark}: {told}.", mark=UNTOLD, told=_(RUN_THE_BENCHMARK)
    )
    several = any(c.pool_count > 1 for c in candidates)
    yield f"{of_clients} {_('Speeds are those of one pool.')}" if several else of_clients


def properties_blocks(design: Design) -> Blocks:
    for pool in design.pools() if design.main_workload else (design,):
        resolver, own = Resolver(pool), "" if design.main_workload is None else f", {pool.pool_name}"
        lines = [(_("the pool (-o)") + own, pool.pool_settings)]
        lines += [
            (
                _("the dataset {name}", name=f"{pool.pool_name}/{d.name}") if d.name else _("its root (-O)") + own,
                resolver.written(d),
            )
            for d in pool.datasets
        ]
        for name, settings in lines:
            if settings:
                values = " ".join(f"{s.name}={s.value}" for s in settings)
                yield from bullets(_("properties of {name}: {values}", name=name, values=values))
    yield from bullets(*(_("encrypted: {text}", text=text) for text in kept_words(design)))


def synclog_blocks(found: "tuple[Setup, tuple[Advice, ...]] | None") -> Blocks:
    if found is None:
        return
    setup, advice = found
    where = _("one log device") if setup.log is not None else ngettext("{count} vdev", "{count} vdevs", setup.disks)
    heading = ngettext(
        "Synchronous writes, by the model: {count} volume on {where}, requests of "
        "{size}, one in {requests} waits (more: poolwright synclog)",
        "Synchronous writes, by the model: {count} volumes on {where}, requests of "
        "{size}, one in {requests} waits (more: poolwright synclog)",
        setup.volumes,
        where=where,
        size=binary(setup.block_bytes),
        requests=setup.requests_per_sync,
    )
    yield ReportHeading(text=heading)
    yield from bullets(*(f"{piece.title}: {piece.text}" for piece in advice))


def host_advice_blocks(advice: tuple[HostAdvice, ...]) -> Blocks:
    """Yield what is to be done on the host; a piece without command or file is its reason itself."""
    if advice:
        yield ReportHeading(text=_("For the host, once the pool exists (reasons: --json):"))
    for piece in advice:
        reason = "" if piece.command or piece.content else "\n".join(wrap(piece.reason, width=_WIDTH))
        yield Bullets(items=(Words(text=piece.title, small=reason),))
        yield from code([piece.command] if piece.command else [])
        if piece.content:
            content = "\n".join(f"  | {line}" for line in piece.content.splitlines())
            yield Code(text=f"{_('in {file}:', file=piece.file)}\n{content}", shell=False)


# What a candidate costs; what depends on an unknown price stays unknown.


def cost_of_candidate(candidate: Candidate, request: Request) -> Cost:
    """Return what the disks with a place in any of its pools cost, power and replacements over the default years."""
    made = design_of(candidate, request, Identity(key="", name=""))
    return cost_of(made, NOTHING_SAID, request.drives, usable_bytes=candidate.usable_bytes)


def cost_line(cost: Cost) -> str:
    energy = f"{cost.energy_kwh.typical:,.0f} kWh"
    power = energy if cost.power is None else f"{_about(cost.power, cost.power_currency)} ({energy})"
    years = _("1 year") if cost.years == 1 else _("{years:g} years", years=cost.years)
    running = _("power for {years} {power}", years=years, power=power)
    failed = _("{count:.1f} disks to replace", count=cost.replacements.typical)
    if cost.purchase is None:
        why = cost.problem.removesuffix(".") if cost.problem else _("price of a disk unknown")
        return _("{why} (--price tells it); {running}, {failed}", why=why, running=running, failed=failed)
    bought = _("{price} to buy", price=cost.purchase)
    if cost.per_usable_tb is not None:
        bought = _("{bought} ({price} for a usable TB)", bought=bought, price=cost.per_usable_tb)
    if cost.replacement is not None:
        failed = _("{failed} for {price}", failed=failed, price=_about(cost.replacement, cost.purchase.currency))
    told = [f"{bought}, {running}, {failed}"]
    told += [str(cost.purchase_origin)] if cost.purchase_origin is not None else []
    told += [cost.problem.removesuffix(".")] if cost.problem else []
    return "; ".join(told)


def _about(estimate: Estimate, currency: str | None) -> str:
    """Return a predicted amount, rounded as it is shown: the one place where money is a float."""
    return f"{estimate.typical:,.0f} {currency or ''}".rstrip()
