"""The named answers side by side: the first choice, more space, more protection, fastest, cheapest or fewest disks.

Each is the best of all that was found, in what its name says; none is shown twice, and none that is the first choice.
Below: the rivals, layouts that a person would choose among.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf, log, sqrt
from operator import le
from typing import NamedTuple

from poolwright.design.candidate import AnswerName, Candidate, NamedAnswer, Recommendation, survivors
from poolwright.design.choose import JUDGED, Key, Shortlist, data_disks, order, using_idle, usual_vdevs, warnings_on
from poolwright.design.floors import Floor
from poolwright.design.groups import Packing
from poolwright.design.rank import MOSTLY_RANDOM, against_words, deductions, odds, speeds_that_count, survives
from poolwright.domain.grouping import grouped
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Budget, Goal
from poolwright.predict.number_words import block_text, hours_text
from poolwright.texts import N_, _, capital, inside, listed, ngettext, numeral, sentence

# More protection holds at least this share of the first choice: one mirror with all else as spares is no answer.
LEAST_SHARE = 0.5
# Data lie on this share of the disks at least: what leaves more of them idle, or as spares, is nobody's second choice.
AT_WORK = 2 / 3
# A risk is clearly less from half of it on: the models behind it do not tell smaller differences.
CLEARLY_LESS = 0.5
# A difference in space below this share is none that a person would choose by; one in speed or time below the second.
_TOLD_SPACE, _TOLD_SPEED, _TOLD_TIME = 0.01, 0.10, 1.25
_MOST_DRAWBACKS = 2

Rank = Callable[[Candidate], Key]


def answers(
    first: Candidate, ranked: Sequence[Candidate], budget: Budget, rank: Rank = order, shortlist: Shortlist = JUDGED
) -> tuple[NamedAnswer, ...]:
    """Return the first choice and the named layouts beside it; of equal measures the earlier one by ``rank``.

    More space is the layout that holds most of all that keep to the floors that the first choice keeps to, those of
    partitions included. More protection is the best that survives a failure more, else has clearly less risk. The
    fewest disks (the cheapest where all have a price) are an answer only where a capacity is asked for: else they are
    a pool of two. Where the first choice is made of partitions the best layout of whole disks stands beside it.
    """
    contests = grouped((contest, candidate) for candidate in ranked for contest in _contests(candidate, first))

    def leader(contest: str, than: float = -inf) -> Candidate | None:
        measure = _MEASURES[contest]
        among = [c for c in contests.get(contest, ()) if measure(c) >= than]
        # The most room of all is often what the rules warn of: one parity for eight large disks.
        fewest = warnings_on(first) if contest == "space" else inf
        best = shortlist.first(among, lambda c: (max(fewest, warnings_on(c)), -measure(c), *rank(c)))
        if not best or measure(best[0]) < than:
            return None
        return using_idle(contests[contest], best[0], shortlist) if contest in ("sturdier", "safer") else best[0]

    wished = budget.least_usable_bytes is not None and not first.missed
    prices = {None if c.cost is None else (c.cost.currency,) for c in contests.get("fewest", ())} if wished else {None}
    priced = len(prices) == 1 and None not in prices
    picked = (
        (AnswerName.SPACE, leader("space", (1 + _TOLD_SPACE) * first.measures.held_bytes)),
        (AnswerName.PROTECTION, leader("sturdier") or leader("safer")),
        (AnswerName.FASTEST, leader("fastest", (1 + _TOLD_SPEED) * speed(first))),
        (AnswerName.CHEAPEST, leader("cheapest") if wished and priced else None),
        (AnswerName.FEWEST, leader("fewest") if wished and not priced else None),
        (AnswerName.WHOLE, leader("whole") if first.partitioned else None),
    )
    named = [NamedAnswer(name=AnswerName.BALANCED, candidate=first)]
    for name, other in picked:
        if other is not None and not any(known.candidate is other for known in named):
            if name in (AnswerName.CHEAPEST, AnswerName.FEWEST) and other.used_count >= first.used_count:
                continue
            named.append(NamedAnswer(name=name, candidate=other, trade_off=trade_off(name, first, other)))
    return tuple(named)


def _contests(candidate: Candidate, first: Candidate) -> Iterator[str]:
    """Yield in what a layout may be best among all beside the first choice."""
    deeper = set(candidate.below) - set(first.below)  # the floors that the first choice keeps to and it does not
    if deeper <= {Floor.PARTITIONS}:
        yield "space"
    if deeper:
        return
    yield from ("fewest", "cheapest")
    if _is_built(candidate, first):
        yield "fastest"
    if not candidate.partitioned:
        yield "whole"
    if candidate.measures.held_bytes < LEAST_SHARE * first.measures.held_bytes or not _is_built(candidate, first):
        return
    if _protects_more(candidate, first):
        yield "sturdier"
    if not _loses_a_unit(candidate, first) and candidate.measures.any_loss <= CLEARLY_LESS * first.measures.any_loss:
        yield "safer"


def _is_built(candidate: Candidate, first: Candidate) -> bool:
    """Tell whether somebody would build it beside ``first``: most disks hold data, in vdevs of no unheard-of parity.

    Nor a single mirror beside disks that hold nothing, of which each would serve better as one of its sides.
    """
    held, disks = data_disks(candidate), candidate.measures.ideal.most_disks
    lone = candidate.vdev_count == 1 and candidate.family.startswith(VdevKind.MIRROR.value) and held < disks
    if usual_vdevs(first) and (lone or not usual_vdevs(candidate)):
        return False
    return held >= min(AT_WORK * disks, data_disks(first))


def _protects_more(candidate: Candidate, first: Candidate) -> bool:
    """Tell whether it survives more failing disks, and is neither lost with a shelf nor more often otherwise."""
    mine, others = candidate.measures, first.measures
    more = mine.failures_survived > others.failures_survived and mine.any_loss <= others.any_loss
    return more and not _loses_a_unit(candidate, first)


def _loses_a_unit(candidate: Candidate, first: Candidate) -> bool:
    """Tell whether a shelf or controller takes it, and none takes the first choice."""
    measures = candidate.measures
    return bool(measures.single_points or measures.more_single_points) and bool(first.unit_survived)


def speed(candidate: Candidate) -> float:
    """Return the rate asked for: random I/O a second for many clients and random data, else bytes/s to clients.

    It is the geometric mean of reading and writing, as the score counts them.
    """
    rates = candidate.measures.speed
    if _at_random(candidate):
        return sqrt(rates.rand_read_iops * rates.rand_write_iops)
    network = candidate.measures.ideal.network
    return sqrt(min(rates.seq_read, network) * min(rates.seq_write, network))


_MEASURES: dict[str, Callable[[Candidate], float]] = {
    "space": lambda c: c.measures.held_bytes,
    "fastest": speed,
    "fewest": lambda c: -c.used_count,
    "cheapest": lambda c: -inf if c.cost is None else -float(c.cost.amount),
    **dict.fromkeys(("whole", "sturdier", "safer"), lambda c: c.score),
}


def _at_random(candidate: Candidate) -> bool:
    """Tell whether random I/O is what the data wait for: for many clients, and where they are told to be such data."""
    in_order = candidate.measures.ideal.sequential_percent
    return candidate.measures.ideal.goal is Goal.CONCURRENT or (in_order is not None and in_order < MOSTLY_RANDOM)


def trade_off(name: AnswerName, first: Candidate, other: Candidate, most: int = _MOST_DRAWBACKS) -> str:
    """Return what a named layout has more than the first choice, and the ``most`` that is paid, in one sentence."""
    if name is AnswerName.SPACE:
        gain = space_words(first, other)
    elif name is AnswerName.ONE_POOL:
        gain = _("one pool to look after, and its space is shared")
    elif name is AnswerName.PROTECTION and other.measures.failures_survived > first.measures.failures_survived:
        gain = _("{survived} instead of {first}", survived=survivors(other.pools), first=_counts(first))
    elif name is AnswerName.PROTECTION:
        gain = _lost(first, other)
    elif name is AnswerName.FASTEST:
        gain = _more(speed(other), speed(first), *(_MORE_AT_RANDOM if _at_random(first) else _MORE_IN_SEQUENCE))
    elif name is AnswerName.CHEAPEST:
        gain = _("costs {cost} instead of {first}", cost=other.cost, first=first.cost)
    elif name is AnswerName.FEWEST:
        gain = ngettext("takes {count} disk instead of {first}", "takes {count} disks instead of {first}",
                        other.used_count, first=first.used_count)  # fmt: skip
    else:
        gain = _("no disk is cut into partitions")
    return "; ".join(filter(None, (gain, ", ".join(list(drawbacks(first, other, but=name))[:most]))))


def drawbacks(first: Candidate, other: Candidate, *, but: AnswerName | None = None) -> Iterator[str]:
    """Return what the other layout has worse than the first choice, the gravest first."""
    cut = other.partitioned and not first.partitioned
    if cut and other.way is Packing.LAYERED:
        yield ngettext(
            "disks are cut into partitions that share their heads, so that a rebuild serves {count} pool",
            "disks are cut into partitions that share their heads, so that a rebuild serves {count} pools",
            other.measures.pool_count,
        )
    elif cut:
        yield _(
            "disks are cut into partitions that share their heads, so that a rebuild serves several vdevs at the "
            "same time"
        )
    if _loses_a_unit(other, first):
        yield _("does not survive {what}", what=first.unit_survived)
    if other.measures.failures_survived < first.measures.failures_survived:
        yield _("{survived} instead of {first}", survived=survivors(other.pools), first=_counts(first))
    elif other.measures.any_loss > first.measures.any_loss / CLEARLY_LESS and but is not AnswerName.PROTECTION:
        yield _lost(first, other)
    if other.measures.held_bytes < (1 - _TOLD_SPACE) * first.measures.held_bytes:
        yield space_words(first, other)
    if other.measures.pool_count > first.measures.pool_count and not other.partitioned:
        yield _("{pools} pools to look after", pools=other.measures.pool_count)
    known = {finding.rule_id for finding, __ in deductions(first.findings)}
    costs = [each for each in deductions(other.findings) if each[0].rule_id not in known]
    yield from (inside(finding.title) for finding, __ in sorted(costs, key=lambda each: -each[1]))
    if speed(other) < (1 - _TOLD_SPEED) * speed(first):
        share = _difference(speed(other), speed(first))
        yield (
            _("{share} less random I/O", share=share)
            if _at_random(first)
            else _("{share} less sequential throughput", share=share)
        )
    mine, others = first.measures.forecast.rebuild_hours, other.measures.forecast.rebuild_hours
    if mine is not None and others is not None and others > _TOLD_TIME * mine:
        yield _("resilver in {others} instead of {mine}", others=hours_text(others), mine=hours_text(mine))
    if first.spare_count and not other.spare_count:
        yield _("there is no spare")


def space_words(first: Candidate, other: Candidate) -> str:
    """Return how much more or less room another layout has for the workload's blocks.

    With their size where the usable sizes, which count blocks of 128 KiB, tell another difference.
    """
    held, than = other.measures.held_bytes, first.measures.held_bytes
    more = _more(held, than, N_("holds {share} more"), N_("holds {times} times as much")) if held > than else ""
    text = more or _("holds {share} less", share=_difference(held, than))
    text = _("holds as much") if abs(held - than) < _TOLD_SPACE * than else text
    if abs(held / than - other.measures.usable_bytes / first.measures.usable_bytes) < _TOLD_SPACE * held / than:
        return text
    return _("{told} with {block} blocks", told=text, block=block_text(first.measures.ideal.block_bytes))


def _counts(candidate: Candidate) -> str:
    """Return how many failures the pools survive: one number, or that of each where they differ."""
    counts = [str(pool.plan.failures_survived or _("none")) for pool in candidate.pools]
    return listed(counts[:1] if len(set(counts)) == 1 else counts)


def _lost(first: Candidate, other: Candidate) -> str:
    words = {"odds": odds(other.measures.any_loss), "first": odds(first.measures.any_loss)}
    return _("pool loss {odds} instead of {first} a year", **words)


def _difference(value: float, than: float) -> str:
    """Return by which share a value is more or less than another: 12 %."""
    return numeral(100 * abs(value / than - 1 if than else inf), ",.0f", "%")


_MORE_AT_RANDOM = N_("{share} more random I/O a second"), N_("{times} times the random I/O a second")
_MORE_IN_SEQUENCE = N_("{share} more sequential throughput"), N_("{times} times the sequential throughput")


def _more(value: float, than: float, some: str, many: str) -> str:
    """Return by how much a value is more than another: by a share, and from twice as much on how many times."""
    times = value / than if than else inf
    return _(some, share=_difference(value, than)) if times < 2 else _(many, times=numeral(round(times, 1), ",g"))


# Which layouts of a ranking a person would choose among, and in a few words how one differs from another.

_MOST_ABOVE, _MOST_BELOW, _CARDS = 6, 2, 3
_NEVER = 1e-15  # less than what anybody can tell of a yearly loss
# Of so many equal disks everybody weighs one raidz2, mirrors of two and, of few, one raidz1.
_FEW, _FEW_FOR_ONE_PARITY = 8, 5
# What layouts are chosen by, the gravest first: from how many times as much of it on a person would, and how a layout
# is called that has so much more. Cards show the first six.
_COMPARED = (
    (1.02, N_("more space")),
    (1.01, _SAFER := N_("more protection")),
    (1.15, N_("faster")),
    (2.0, N_("less risk")),
    (1.25, N_("faster resilver")),
    (1.01, N_("any one shelf")),
    (1.01, N_("more spares")),
    (1.01, N_("whole disks")),
)
_ON_CARDS = 6
_SHOWN = 1.05  # from which ratio on two figures are seen to differ
_ALIKE = 1.2  # rates within such a factor tell nothing apart


def speed_on_cards(found: Recommendation) -> str:
    """Return the name of the speed that cards and rows show: the weightiest that tells these layouts apart.

    All drives of a machine may read as fast in any layout; then it is what the first choice writes faster.
    """
    first, *others = found.candidates[:4]
    others += [answer.candidate for answer in found.answers[1:]]
    weightiest, second = speeds_that_count(first.main.medium.request.workload)
    if not others or weightiest.startswith("seq"):
        return weightiest
    rates = [_rate(one, weightiest) for one in (first, *others)]
    lead = sum([log(_rate(first, second) / _rate(other, second)) for other in others])
    return weightiest if max(rates) >= _ALIKE * min(rates) or lead <= 0 else second


def _rate(candidate: Candidate, name: str) -> float:
    rate: float = getattr(candidate.measures.speed, name)
    return max(1e-9, rate)


def _measures(candidate: Candidate, speed_name: str) -> tuple[float, ...]:
    """Return what a layout has of each that is `_COMPARED`, the larger the better."""
    known = candidate.measures
    return (
        known.held_bytes,
        1 + known.failures_survived,
        _rate(candidate, speed_name),
        1 / max(_NEVER, known.any_loss),
        1 / (known.forecast.rebuild_hours or 1e9),
        1 + bool(candidate.unit_survived),
        1 + candidate.spare_count,
        2 - candidate.partitioned,
    )


def _ahead(one: Sequence[float], other: Sequence[float]) -> Iterator[str]:
    """Yield how one is called that is clearly better, for each measure in which it is."""
    for mine, theirs, (least, title) in zip(one, other, _COMPARED, strict=False):
        if (mine / theirs if theirs else 1.0) >= least:
            yield title


def _better(one: Sequence[float], other: Sequence[float]) -> list[str]:
    """Return how one is called that is better: first for what is clearly so, then for what comes next to that."""
    clear = list(_ahead(one, other))
    ratios = [(mine / theirs, least, t) for mine, theirs, (least, t) in zip(one, other, _COMPARED, strict=False)]
    some = [(least / ratio, title) for ratio, least, title in ratios if ratio >= _SHOWN and title not in clear]
    return [*clear, *(title for __, title in sorted(some, key=lambda known: known[0]))]


def _weighed(candidate: Candidate) -> bool:
    """Tell whether it is one of the few layouts that every administrator weighs for few equal disks."""
    disks, layout = candidate.measures.ideal.most_disks, candidate.main.plan.layout
    alike = candidate.main.medium.equal and candidate.measures.pool_count == 1
    if not (3 <= disks <= _FEW and alike and usual_vdevs(candidate)):
        return False
    (kind, parity), *others = {(spec.kind, spec.parity) for spec in layout}
    if others or kind is VdevKind.MIRROR:
        return not others and data_disks(candidate) >= disks - 1 and layout[0].width == max(2, 6 - disks)
    most = {1: _FEW_FOR_ONE_PARITY, 2: _FEW}.get(parity, 0)
    return kind is VdevKind.RAIDZ and layout[0].width == disks <= most


def rivals(found: Recommendation) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Return the first choice with its rivals, best first, and those with about as many points below the floors.

    A layout that is not clearly better in anything than one before it is none: nobody would take it.
    """
    first, speed_name = found.best, speed_on_cards(found)
    named = {id(answer.candidate) for answer in found.answers}
    above: list[Candidate] = []
    below: list[Candidate] = []
    known: dict[int, tuple[float, ...]] = {}  # worked out once: of two thousand disks it takes its time
    for candidate in found.candidates:
        deeper = (candidate.below or candidate.missed) and not (first.below or first.missed)
        kept, most = (below, _MOST_BELOW) if deeper else (above, _MOST_ABOVE)
        wanted = id(candidate) in named or _weighed(candidate)
        worth = not deeper or (bool(above) and candidate.score >= above[-1].score)
        if not wanted and not (worth and len(kept) < most and _is_built(candidate, first)):
            continue
        measures = _measures(candidate, speed_name)
        if wanted or all(any(_ahead(measures, known[id(other)])) for other in kept):
            known[id(candidate)] = measures
            kept.append(candidate)
    return tuple(above), tuple(below)


# The cards: the first choice and its two rivals.


class OnCard(NamedTuple):
    """``speed_name`` is the speed that is shown, empty for the weightiest of the workload.

    ``beside`` says what flash drives carry in the design that is made of it.
    """

    candidate: Candidate
    title: str
    sentence: str
    speed_name: str = ""
    beside: str = ""


def cards(found: Recommendation) -> tuple[OnCard, ...]:
    """Return the first choice and two others, each named by what it is better at, with what that costs.

    None that another one beats in every figure that they show.
    """
    first, named, speed_name = found.best, {id(one.candidate): one for one in found.answers}, speed_on_cards(found)
    above, below = rivals(found)
    weighed = [c for c in (*above, *below) if _weighed(c)]
    figures = {id(c): _measures(c, speed_name)[:_ON_CARDS] for c in (*above, *below)}
    best = figures[id(first)]
    offered = (*weighed, *(one.candidate for one in found.answers), *above)
    others: list[OnCard] = []
    for rival in {id(c): c for c in offered if c is not first}.values():
        if len(others) == _CARDS - 1:
            break
        mine, answer = figures[id(rival)], named.get(id(rival))
        if any(all(map(le, mine, figures[id(one)])) for one in (first, *(card.candidate for card in others))):
            continue
        others = [card for card in others if not all(map(le, figures[id(card.candidate)], mine))]
        taken = {card.title for card in others}
        titles = [_(one) for one in _better(mine, best) if one != _SAFER or _protects_more(rival, first)]
        called = [answer.name.words] if answer else titles
        title = next((capital(one) for one in called if capital(one) not in taken), "")
        if title:
            price = trade_off(answer.name, first, rival, most=1) if answer else next(drawbacks(first, rival), "")
            others.append(OnCard(rival, title, sentence(capital(price)), speed_name))
    why = _why(first, [card.candidate for card in others], found)
    return (OnCard(first, _("First choice"), why, speed_name), *others)


def _why(first: Candidate, others: Sequence[Candidate], found: Recommendation) -> str:
    """Return what speaks for the first choice: that none so safe holds more, else what cost the others most points."""
    measures = first.measures
    survived, most = measures.failures_survived, measures.held_bytes * (1 + _TOLD_SPACE)
    as_safe = [c for c in found.candidates if c.measures.failures_survived >= survived and not (c.below or c.missed)]
    if survived and all(c.measures.held_bytes <= most for c in as_safe):
        return _("Most space that {survives}.", survives=survives(survived))
    return against_words(first.terms, [other.terms for other in others])
