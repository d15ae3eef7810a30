"""A ranking as lines: the layout printed in full, the list, why the others were not chosen, advice beside it."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from poolwright.cli.as_json import loss_figures
from poolwright.design.answers import rivals
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, DataPool, Recommendation
from poolwright.design.equal_layouts import family_words
from poolwright.design.explanations import anyraid_line, order_words, why_below
from poolwright.design.request import Request
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
from poolwright.emit import report
from poolwright.judging import advice_for
from poolwright.predict import number_words
from poolwright.predict.assessment import Assessment, cost_of
from poolwright.predict.assumptions import NOTHING_SAID
from poolwright.predict.cost import Cost, price_of_reads
from poolwright.predict.throughput import volumes_wait
from poolwright.rules.dataset_plan import planned_datasets
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import _, capital, ngettext, numeral

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup


def answer_parts(candidate: Candidate, place: int, request: Request, design: Design) -> report.Blocks:
    """Yield the layout at ``place`` in a line, and what decides."""
    expected = candidate.predictions
    alone = expected if candidate.measures.pool_count == 1 else None
    speeds_of = () if candidate.of_data else speed_facts(expected, copies=candidate.main.copies)
    price = price_words(cost_of_candidate(candidate, request), alone) or _("unknown (--price sets it)")
    words, more = (candidate.words, candidate.survives_words), (*speeds_of, (_("Price"), price))
    known, losses = candidate.measures, (candidate.measures.any_loss, candidate.measures.any_disk_loss)
    size, survived, hours = known.usable_bytes, known.failures_survived, known.forecast.rebuild_hours
    yield from layout_blocks(candidate.main.layout, words, size, survived, losses, hours, more, place)
    for part, pool in zip(candidate.of_data, design.pools(), strict=False):
        yield from _part_blocks(part, pool.pool_name)


def layout_blocks(
    layout: Layout,
    words: tuple[str, str],
    size: int,
    survived: int | None,
    losses: tuple[float, float] | tuple[()],
    hours: float | None,
    more: Iterable[tuple[str, str]],
    place: int = 1,
) -> report.Blocks:
    """Yield a layout in a line, and what decides; ``words`` say what it is and what it survives."""
    values = {"layout": words[0], "binary": binary(size), "decimal": units.decimal(size), "survives": words[1]}
    text = _("{layout}: {binary} usable ({decimal}), {survives}.", **values)
    if place != 1:
        text = _("Number {place} of the list: {text}", place=place, text=text)
    shape = {"layout": " ".join(map(str, layout)), "usable_bytes": size, "survives": survived}
    yield report.Answer(text=text, figures=shape | loss_figures(*(losses or (None, None))))
    loss = (_("Pool loss"), number_words.loss_words(*losses) if losses else "")
    yield report.facts(loss, (capital(_("resilver")), hours_words(hours)), *more)


def hours_words(hours: float | None) -> str:
    return _(number_words.UNKNOWN) if hours is None else number_words.hours_text(hours)


def speed_facts(expected: Assessment, *, copies: int = 1) -> tuple[tuple[str, str], ...]:
    """Return the speeds that clients get, and what the disks alone would give where a network passes less."""
    served, itself = expected.speed, expected.itself
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
    block = number_words.block_text(served.asked_bytes)
    return (_("Sequential"), sequential), (_("Random {size}", size=block), random)


_ROOM_IN_SIGHT, _WORDS_IN_A_LINE, _CUTS_IN_SIGHT = 9, 22, 4


def rivals_blocks(recommendation: Recommendation, *, less: int = 0) -> report.Blocks:
    """Yield the layouts one would choose among, as the window has them; below a line what keeps not to the limits."""
    best, (above, deeper) = recommendation.best, rivals(recommendation)
    named = {id(one.candidate): one.name.words for one in recommendation.answers}
    below = [c for c in deeper if id(c) not in named]

    words, lines = dict[int, str](), dict[int, int]()
    for c in (*above, *deeper):
        idle = _("{layout}, {count} unused", layout=c.words, count=c.idle_disks) if c.idle_disks else c.words
        words[id(c)] = f"{idle}: {named[id(c)]}" if id(c) in named and c is not best else idle
        lines[id(c)] = 1 + len(words[id(c)]) // _WORDS_IN_A_LINE
    # What is named goes before the others, and what misses a limit comes where there is room for it.
    room = _ROOM_IN_SIGHT - less - 3 * bool(best.of_data) - 2 * (best.partitioned and best.unassigned > best.idle_disks)
    shown = list[Candidate]()
    front = sorted((c for c in (*above, *deeper) if id(c) in named), key=lambda c: c.partitioned and c is not best)
    for c in (*front, *(c for c in above if id(c) not in named)):
        room -= lines[id(c)]
        if room >= 0 or not shown:
            shown.append(c)
    below = below if room >= 2 + sum(lines[id(c)] for c in below) else []
    places = {id(c): place for place, c in enumerate(recommendation.candidates, 1)}
    shown.sort(key=lambda c: places[id(c)])

    rows = [_row(places[id(c)], c, words[id(c)]) for c in (*shown, *below)]
    if below:
        rows.insert(len(shown), ("",) * 6 + (_("Below: {why}", why=why_below(below[0], recommendation)),))
    if len(shown) + len(below) > 1:
        yield ""
        yield report.table(_header(), rows, right=range(6))
        why = [(text, str(places[id(c)])) for c in shown for text in order_words(c, recommendation)]
        for text in dict(why):
            yield f"{', '.join(place for said, place in why if said == text)}: {text}"
        yield ngettext(
            "{count} layout, goal {goal}.", "{count} layouts, goal {goal}.", recommendation.feasible,
            goal=_(recommendation.goal.value),
        )  # fmt: skip


def _header() -> tuple[str, ...]:
    return ("#", _("Usable"), _("Survives"), _("Loss a year"), capital(_("resilver")), _("Score"), _("Layout"))


def _row(place: int, c: Candidate, words: str) -> tuple[str, ...]:
    return (
        str(place), binary(c.measures.usable_bytes), c.survives_counts, number_words.odds_text(c.measures.any_loss),
        hours_words(c.measures.forecast.rebuild_hours), numeral(c.score, ".1f"), words,
    )  # fmt: skip


def volume_lines(design: Design, book: RuleBook) -> list[str]:
    """Return what makes volumes where the data are such and nobody has said their sizes, to be completed."""
    within = [planned.name for planned in planned_datasets(design.workload) if planned.workload.volumes]
    if not within or design.main_workload or any(dataset.volume_bytes for dataset in design.datasets):
        return []
    volumes = [each.command for each in advice_for(book, design) if " -V " in (each.command or "")]
    return [f"# {line}".replace("/NAME", f"/{name}/NAME") for name in within for line in volumes]


def commands_blocks(design: Design) -> report.Blocks:
    """Yield the commands that make the pools as the script writes them; disks by number where names would fill it."""
    from poolwright.emit.commands import short_lines

    try:
        cut, made = short_lines(design)
    except PoolwrightError:
        return
    if cut or not made[0][0].startswith("#"):  # which parts as well as an empty line
        yield ""
    if len(cut) > _CUTS_IN_SIGHT:
        first = ngettext("# first {count} disk is cut: --all", "# first {count} disks are cut: --all", len(cut))
        yield from report.code([first])
    yield from report.code(cut) if len(cut) <= _CUTS_IN_SIGHT else (report.Behind(report.ALL, report.code(cut)),)
    yield from report.code(row for folded in made for row in folded)


def details_blocks(candidate: Candidate, request: Request, design: Design, told: tuple[str, ...]) -> report.Blocks:
    """Yield why the layout stands where it does; ``told`` is how it stands to the wishes and to the others."""
    cost = _("cost: {cost}", cost=cost_line(cost_of_candidate(candidate, request)))
    terms = (f"{numeral(term.points, '+6.1f')}  {term.title}: {term.why}" for term in candidate.terms)
    yield from report.bullets(*told, number_words.advice_on(candidate.measures.any_disk_loss), cost, *terms)
    yield from properties_blocks(design)


def finding_warnings(findings: tuple[Finding, ...], *more: str) -> report.Blocks:
    """Yield what the rules say against a layout, the worst first and last what they cannot tell; notes with --why."""
    of: dict[object, list[str]] = {}
    for finding in findings:
        kind = finding.outcome if finding.outcome is Outcome.CANNOT_TELL else finding.severity
        of.setdefault(kind, []).append(f"{finding.sentence} [{finding.rule_id}]")
    against = of.get(Severity.BLOCK, []) + of.get(Severity.WARN, [])
    yield from report.warnings(*more, *against, unknown=of.get(Outcome.CANNOT_TELL, []))
    notes = dict.fromkeys(of.get(Severity.NOTE, []))
    yield report.Behind(report.WHY, report.bullets(*(_("note: {text}", text=text) for text in notes)))


def _part_blocks(part: DataPool, name: str) -> report.Blocks:
    best = part.candidate
    goal = _("goal {goal}", goal=_(part.workload.goal.value))
    usable = _("usable {binary}", binary=binary(best.measures.usable_bytes))
    pool = _("pool {name}, {data}: {layout}", name=name, data=part.words, layout=best.main_words)
    yield report.Bullets(items=(report.Words(text=pool, small=f"{goal}, {usable}, {best.survives_words}"),))
    small = (
        *(f"{name}: {text}" for name, text in speed_facts(best.predictions)),
        _("pool loss: {loss}", loss=number_words.loss_words(best.measures.any_loss, best.measures.any_disk_loss)),
    )
    yield report.Behind(report.WHY, (report.Bullets(items=tuple(report.Words(text=f"    {text}") for text in small)),))


def ranking_blocks(recommendation: Recommendation) -> report.Blocks:
    yield report.ReportHeading(text=_("Not chosen:"))
    for rejected in recommendation.rejected:
        rule = f" [{rejected.rule_id}]" if rejected.rule_id else ""
        yield from report.bullets(f"{family_words(rejected.family)}: {rejected.reason}{rule}")
    searched = ngettext("Searched ({count} layout):", "Searched ({count} layouts):", recommendation.examined)
    yield report.ReportHeading(text=searched)
    yield from report.bullets(*recommendation.searched)
    yield _("Not searched:")
    yield from report.bullets(*recommendation.left_out)


def list_blocks(recommendation: Recommendation, top: int) -> report.Blocks:
    """Yield the whole list, with the speeds as clients get them."""
    rates: dict[str, Callable[[float], str]] = {"seq_read": rate_text, "seq_write": rate_text}
    rates |= dict.fromkeys(("rand_read_iops", "rand_write_iops"), number_words.operations_text)
    rows = []
    for n, c in enumerate(recommendation.candidates[:top], 1):
        speeds = (number_words.cell_text(getattr(c.predictions.speed, name), text) for name, text in rates.items())
        rows.append((*_row(n, c, c.words), *speeds))
    yield report.table(
        (*_header(), *(_(number_words.SPEED_TITLES[name]) for name in rates)), rows, (*range(6), *range(7, 11))
    )
    yield from report.bullets(*(f"{line.family}: {line.reason}" for line in anyraid_line(recommendation)))


def properties_blocks(design: Design) -> report.Blocks:
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
                yield from report.bullets(_("properties of {name}: {values}", name=name, values=values))
    yield from report.bullets(*(_("encrypted: {text}", text=text) for text in kept_words(design)))


def asked_of_log(design: Design) -> "tuple[Setup, tuple[Advice, ...]] | None":
    """Return what the model of synchronous writes says of a design; None where that asks nothing, as most do."""
    if not volumes_wait(design):
        return None
    from poolwright.design.goals import advise_design

    return advise_design(design)


# What a candidate costs; what depends on an unknown price stays unknown.


def cost_of_candidate(candidate: Candidate, request: Request) -> Cost:
    """Return what the disks with a place in any of its pools cost, power and replacements over the default years."""
    made = design_of(candidate, request, Identity(key=""))
    return cost_of(made, NOTHING_SAID, request.drives, usable_bytes=candidate.measures.usable_bytes)


def price_words(cost: Cost, expected: Assessment | None) -> str:
    """Return what the disks cost, and that for what they hold and read at random; empty where nobody knows."""
    if cost.purchase is None:
        return ""
    words = [str(cost.purchase)]
    if cost.per_usable_tb is not None:
        words.append(_("{each} for a usable TB", each=cost.per_usable_tb))
    if expected is not None and (each := price_of_reads(cost, expected.speed.rand_read_iops)) is not None:
        price, size = _about(each, cost.purchase.currency), units.binary(expected.load.asked_bytes)
        words.append(_("{price} for 1,000 random reads/s of {size}", price=price, size=size))
    return ", ".join(words)


def cost_line(cost: Cost) -> str:
    energy = numeral(cost.energy_kwh.typical, ",.0f", "kWh")
    paid = cost.power and cost.power_currency and _about(cost.power, cost.power_currency)
    power = f"{paid} ({energy})" if paid else energy
    years = _("1 year") if cost.years == 1 else _("{years:g} years", years=cost.years)
    running = _("power for {years} {power}", years=years, power=power)
    failed = _("expect {count:.1f} failed disks", count=cost.replacements.typical)
    if cost.purchase is None:
        why = cost.problem.rstrip(".。") if cost.problem else _("price of a disk unknown")
        return _("{why} (--price tells it); {running}, {failed}", why=why, running=running, failed=failed)
    bought = _("{price} to buy", price=cost.purchase)
    if cost.per_usable_tb is not None:
        bought = _("{bought} ({price} for a usable TB)", bought=bought, price=cost.per_usable_tb)
    if cost.replacement is not None:
        failed = _("{told} for {cost}", told=failed, cost=_about(cost.replacement, cost.purchase.currency))
    parts = (f"{bought}, {running}, {failed}", str(cost.purchase_origin or ""), (cost.problem or "").rstrip(".。"))
    return "; ".join(filter(None, parts))


def _about(estimate: Estimate, currency: str | None) -> str:
    """Return a predicted amount, rounded as it is shown: the one place where money is a float."""
    return f"{numeral(estimate.typical, ',.0f')} {currency or ''}".rstrip()
