"""A ranking as lines: the layout printed in full, the list, why the others were not chosen, advice beside it."""

from typing import TYPE_CHECKING

from poolwright.cli.pool_numbers import loss_figures
from poolwright.design.answers import rivals
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, DataPool, Recommendation
from poolwright.design.enumerate import family_words
from poolwright.design.request import Request
from poolwright.design.support import Role
from poolwright.design.told import below_words, order_words, why_below
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.encryption import kept_words
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.inheritance import Resolver
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import Layout
from poolwright.emit.commands import short_lines
from poolwright.emit.report import (
    ALL,
    WHY,
    Answer,
    Blocks,
    Bullets,
    Code,
    ReportHeading,
    Words,
    behind,
    bullets,
    code,
    facts,
    table,
    warnings,
)
from poolwright.judging import advice_for
from poolwright.predict import number_words
from poolwright.predict.assessment import Assessment, cost_of
from poolwright.predict.assumptions import NOTHING_SAID
from poolwright.predict.cost import Cost, price_of_reads
from poolwright.predict.speed import SpeedPrediction
from poolwright.predict.throughput import volumes_wait
from poolwright.rules.model import RuleBook
from poolwright.texts import _, capital, ngettext

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup


def place_of(recommendation: Recommendation, candidate: Candidate) -> int:
    return next(n for n, other in enumerate(recommendation.candidates, start=1) if other is candidate)


def answer_parts(candidate: Candidate, place: int, request: Request, design: Design) -> Blocks:
    """Yield the layout at ``place`` in a line, and what decides."""
    size = candidate.usable_bytes
    text = _(
        "{layout}: {binary} usable ({decimal}), {survives}.", layout=candidate.words, binary=binary(size),
        decimal=units.decimal(size), survives=candidate.survives_words,
    )  # fmt: skip
    if place != 1:
        text = _("Number {place} of the list: {text}", place=place, text=text)
    loss, disk_loss = candidate.yearly_loss, candidate.disk_loss
    yield Answer(text=text, figures=figures_of(candidate.layout, size, candidate.failures_survived, loss, disk_loss))
    served = candidate.predictions.speed
    alone = candidate.predictions if candidate.pool_count == 1 else None
    speeds_of = () if candidate.of_data else speed_facts(served, candidate.main.itself, copies=candidate.copies)
    yield facts(
        (_("Pool loss"), number_words.loss_words(candidate.yearly_loss, candidate.disk_loss)),
        (capital(_("resilver")), hours_words(candidate.measures.forecast.rebuild_hours)),
        *speeds_of,
        (_("Price"), price_words(cost_of_candidate(candidate, request), alone) or _("unknown (--price sets it)")),
    )
    for part, pool in zip(candidate.of_data, design.pools(), strict=False):
        yield from _part_blocks(part, pool.pool_name)


def figures_of(
    layout: Layout, usable: int, survived: int | None, loss: float | None, disk_loss: float | None
) -> dict[str, object]:
    shape = {"layout": " ".join(map(str, layout)), "usable_bytes": usable, "survives": survived}
    return shape | loss_figures(loss, disk_loss)


def hours_words(hours: float | None) -> str:
    return _(number_words.UNKNOWN) if hours is None else number_words.hours_text(hours)


def speed_facts(served: SpeedPrediction, itself: SpeedPrediction, *, copies: int = 1) -> tuple[tuple[str, str], ...]:
    """Return the speeds that clients get, and what the disks alone would give where a network passes less."""
    read, write = (number_words.banded_text(rate, rate_text) for rate in (served.seq_read, served.seq_write))
    some, more = (
        number_words.banded_text(rate, number_words.operations_text)
        for rate in (served.rand_read_iops, served.rand_write_iops)
    )
    sequential = _("reads {read}, writes {write}", read=read, write=write)
    if itself.seq_read != served.seq_read:
        reads, writes = rate_text(itself.seq_read.typical), rate_text(itself.seq_write.typical)
        sequential = _("{text}; without the network {reads} and {writes}", text=sequential, reads=reads, writes=writes)
    random = _("per second: reads {some}, writes {more}", some=some, more=more)
    if copies > 1:
        sequential, random = (_("{text}, each pool", text=text) for text in (sequential, random))
    return (_("Sequential"), sequential), (_("Random"), random)


_ROOM_IN_SIGHT, _WORDS_IN_A_LINE, _CUTS_IN_SIGHT = 9, 22, 4


def rivals_blocks(recommendation: Recommendation) -> Blocks:
    """Yield the layouts one would choose among, as the window has them; below a line what keeps not to the limits."""
    best, (above, deeper) = recommendation.best, rivals(recommendation)
    named = {id(one.candidate): one.name.words for one in recommendation.answers}
    below = [c for c in deeper if id(c) not in named]

    def words(c: Candidate) -> str:
        idle = _("{layout}, {count} unused", layout=c.words, count=c.idle_disks) if c.idle_disks else c.words
        return f"{idle}: {named[id(c)]}" if id(c) in named and c is not best else idle

    def lines(c: Candidate) -> int:
        return 1 + len(words(c)) // _WORDS_IN_A_LINE

    # What is named goes before the others, and what misses a limit comes where there is room for it.
    room = _ROOM_IN_SIGHT - 3 * bool(best.of_data) - 2 * bool(best.partitioned and best.for_other_uses)
    shown = list[Candidate]()
    front = sorted((c for c in (*above, *deeper) if id(c) in named), key=lambda c: c.partitioned and c is not best)
    for c in (*front, *(c for c in above if id(c) not in named)):
        room -= lines(c)
        if room >= 0 or not shown:
            shown.append(c)
    below = below if room >= 2 + sum(map(lines, below)) else []
    places = {id(c): place_of(recommendation, c) for c in (*shown, *below)}
    shown.sort(key=lambda c: places[id(c)])

    def row(c: Candidate) -> tuple[str, ...]:
        return (
            str(places[id(c)]), binary(c.usable_bytes), c.survives_counts,
            number_words.odds_text(c.yearly_loss), hours_words(c.measures.forecast.rebuild_hours), f"{c.score:.1f}",
            words(c),
        )  # fmt: skip

    limits = [row(c) for c in below]
    if below:
        limits.insert(0, ("",) * 6 + (_("Below: {why}", why=why_below(below[0], recommendation)),))
    header = ("#", _("Usable"), _("Survives"), _("Loss a year"), capital(_("resilver")), _("Score"), _("Layout"))
    if len(shown) + len(below) > 1:
        yield ""
        yield table(header, [*map(row, shown), *limits], right=range(6))
        why = [(text, str(places[id(c)])) for c in shown for text in order_words(c, recommendation)]
        for text in dict(why):
            yield f"{', '.join(place for said, place in why if said == text)}: {text}"
        yield ngettext(
            "{count} layout, goal {goal}.", "{count} layouts, goal {goal}.", recommendation.feasible,
            goal=_(recommendation.goal.value),
        )  # fmt: skip


def commands_blocks(design: Design) -> Blocks:
    """Yield the commands that make the pools as the script writes them; disks by number where names would fill it."""
    try:
        cut, made = short_lines(design)
    except PoolwrightError:
        return
    if cut or not made[0][0].startswith("#"):  # which parts as well as an empty line
        yield ""
    if len(cut) > _CUTS_IN_SIGHT:
        yield from code(
            [ngettext("# first {count} disk is cut: --all", "# first {count} disks are cut: --all", len(cut))]
        )
    yield from code(cut) if len(cut) <= _CUTS_IN_SIGHT else behind(ALL, code(cut))
    yield from code(row for folded in made for row in folded)


def details_blocks(candidate: Candidate, request: Request, design: Design, told: tuple[str, ...]) -> Blocks:
    """Yield why the layout stands where it does; ``told`` is how it stands to the wishes and to the others."""
    alone = () if candidate.of_data else speeds(candidate.predictions.speed, candidate.main.itself)
    yield from bullets(*told, *alone, number_words.advice_on(candidate.disk_loss))
    yield from bullets(_("cost: {cost}", cost=cost_line(cost_of_candidate(candidate, request))))
    yield from bullets(*(f"{term.points:+6.1f}  {term.title}: {term.why}" for term in candidate.terms))
    yield from properties_blocks(design)


def finding_warnings(findings: tuple[Finding, ...], *more: str) -> Blocks:
    """Yield what the rules say against a layout, the worst first and last what they cannot tell; notes with --why."""
    of: dict[object, list[str]] = {}
    for finding in findings:
        kind = finding.outcome if finding.outcome is Outcome.CANNOT_TELL else finding.severity
        of.setdefault(kind, []).append(f"{finding.sentence} [{finding.rule_id}]")
    against = of.get(Severity.BLOCK, []) + of.get(Severity.WARN, [])
    yield from warnings(*more, *against, unknown=of.get(Outcome.CANNOT_TELL, []))
    notes = dict.fromkeys(of.get(Severity.NOTE, []))
    yield from behind(WHY, bullets(*(_("note: {text}", text=text) for text in notes)))


def speeds(served: SpeedPrediction, itself: SpeedPrediction) -> list[str]:
    """Return the speeds without the network, a line each, where they differ from what clients get."""
    lines, alone = number_words.speed_lines(served), number_words.speed_lines(itself)
    return [_("without the network, {text}", text=text) for text in alone if text not in lines]


def _part_blocks(part: DataPool, name: str) -> Blocks:
    best = part.candidate
    goal = _("goal {goal}", goal=_(part.workload.goal.value))
    usable = _("usable {binary}", binary=binary(best.usable_bytes))
    pool = _("pool {name}, {data}: {layout}", name=name, data=part.words, layout=best.main_words)
    yield Bullets(items=(Words(text=pool, small=f"{goal}, {usable}, {best.survives_words}"),))
    small = (
        *number_words.speed_lines(best.predictions.speed),
        *speeds(best.predictions.speed, best.main.itself),
        _("pool loss: {loss}", loss=number_words.loss_words(best.yearly_loss, best.disk_loss)),
    )
    yield from behind(WHY, (Bullets(items=tuple(Words(text=f"    {text}") for text in small)),))


def ranking_blocks(recommendation: Recommendation, top: int, *, carried: frozenset[Role] = frozenset()) -> Blocks:
    """Yield the families that were not chosen, and what was searched; flash has the roles ``carried``."""
    shown = recommendation.candidates[:top]
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
    searched = ngettext("Searched ({count} layout):", "Searched ({count} layouts):", recommendation.examined)
    yield ReportHeading(text=searched)
    yield from bullets(*recommendation.searched)
    yield _("Not searched:")
    yield from bullets(*recommendation.left_out)


def _roles_blocks(recommendation: Recommendation, carried: frozenset[Role]) -> Blocks:
    if recommendation.roles is None:
        return
    from poolwright.design.roles.advice import held_back

    yield ReportHeading(text=_("Flash drives beside the data (details: poolwright flash):"))
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
        yield from bullets(f"{answer.name.words}: {candidate.words} ({place}), {usable}: {price}")


def list_blocks(recommendation: Recommendation, top: int) -> Blocks:
    """Yield the whole list with all its columns."""
    yield from _answers_blocks(recommendation)
    candidates = recommendation.candidates[:top]
    rows = [
        (
            str(place), f"{c.score:.1f}", c.words, binary(c.usable_bytes), units.decimal(c.usable_bytes),
            c.survives_counts, str(c.spares), str(c.idle_disks),
            units.decimal(c.stranded_bytes) if c.stranded_bytes >= units.GB else "-",
            str(len(c.findings)), *number_words.table_cells(c.predictions.speed),
        )
        for place, c in enumerate(candidates, start=1)
    ]  # fmt: skip
    header = (
        "", _("Score"), _("Layout"), _("Usable"), "", _("Survives"), _("Spares"), _("Unused"),
        _("Stranded"), _("Findings"),
    )  # fmt: skip
    yield table((*header, *map(_, number_words.TABLE_HEADER)), rows, right=(0, 1, 3, 4, 5, 6, 7, 8, 9))
    of_clients = _(
        "Speeds as clients get them, in brackets their band; {mark}: {told}.",
        mark=number_words.UNTOLD,
        told=_(number_words.RUN_THE_BENCHMARK),
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


def asked_of_log(design: Design) -> "tuple[Setup, tuple[Advice, ...]] | None":
    """Return what the model of synchronous writes says of a design; None where that asks nothing, as most do."""
    if not volumes_wait(design):
        return None
    from poolwright.design.goals import advise_design

    return advise_design(design)


def synclog_blocks(design: Design) -> Blocks:
    found = asked_of_log(design)
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


def host_advice_blocks(book: RuleBook, design: Design) -> Blocks:
    """Yield what is to be done on the host; a piece without command or file is its reason itself."""
    advice = advice_for(book, design)
    if advice:
        yield ReportHeading(text=_("For the host, once the pool exists:"))
    for piece in advice:
        reason = "" if piece.command or piece.content else piece.reason
        yield Bullets(items=(Words(text=piece.title, small=reason),))
        yield from code([piece.command] if piece.command else [])
        if piece.content:
            content = "\n".join(f"  | {line}" for line in piece.content.splitlines())
            yield Code(text=f"{_('In {file}:', file=piece.file)}\n{content}", shell=False)


# What a candidate costs; what depends on an unknown price stays unknown.


def cost_of_candidate(candidate: Candidate, request: Request) -> Cost:
    """Return what the disks with a place in any of its pools cost, power and replacements over the default years."""
    made = design_of(candidate, request, Identity(key=""))
    return cost_of(made, NOTHING_SAID, request.drives, usable_bytes=candidate.usable_bytes)


def price_words(cost: Cost, expected: Assessment | None) -> str:
    """Return what the disks cost, and that for what they hold and read at random; empty where nobody knows."""
    if cost.purchase is None:
        return ""
    told = [str(cost.purchase)]
    if cost.per_usable_tb is not None:
        told.append(_("{each} for a usable TB", each=cost.per_usable_tb))
    if expected is not None and (each := price_of_reads(cost, expected.speed.rand_read_iops)) is not None:
        price, size = _about(each, cost.purchase.currency), units.binary(expected.load.asked_bytes)
        told.append(_("{price} for 1,000 random reads/s of {size}", price=price, size=size))
    return ", ".join(told)


def cost_line(cost: Cost) -> str:
    energy = f"{cost.energy_kwh.typical:,.0f} kWh"
    paid = cost.power and cost.power_currency and _about(cost.power, cost.power_currency)
    power = f"{paid} ({energy})" if paid else energy
    years = _("1 year") if cost.years == 1 else _("{years:g} years", years=cost.years)
    running = _("power for {years} {power}", years=years, power=power)
    failed = _("expect {count:.1f} failed disks", count=cost.replacements.typical)
    if cost.purchase is None:
        why = cost.problem.removesuffix(".") if cost.problem else _("price of a disk unknown")
        return _("{why} (--price tells it); {running}, {failed}", why=why, running=running, failed=failed)
    bought = _("{price} to buy", price=cost.purchase)
    if cost.per_usable_tb is not None:
        bought = _("{bought} ({price} for a usable TB)", bought=bought, price=cost.per_usable_tb)
    if cost.replacement is not None:
        failed = _("{told} for {cost}", told=failed, cost=_about(cost.replacement, cost.purchase.currency))
    told = [f"{bought}, {running}, {failed}"]
    told += [str(cost.purchase_origin)] if cost.purchase_origin is not None else []
    told += [cost.problem.removesuffix(".")] if cost.problem else []
    return "; ".join(told)


def _about(estimate: Estimate, currency: str | None) -> str:
    """Return a predicted amount, rounded as it is shown: the one place where money is a float."""
    return f"{estimate.typical:,.0f} {currency or ''}".rstrip()
