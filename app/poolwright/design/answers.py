"""The named answers side by side: the first choice, more space, more protection, fastest, cheapest or fewest disks.

Each is the best of all that was found, in what its name says; none is shown twice, and none that is the first choice.
Below: the rivals, layouts that a person would choose among.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf, sqrt
from typing import NamedTuple

from poolwright.design.candidate import AnswerName, Candidate, NamedAnswer, Recommendation, survivors
from poolwright.design.choose import AS_FOUND, Key, Shortlist, order, using_idle, warnings_on
from poolwright.design.floors import Floor
from poolwright.design.groups import Way
from poolwright.design.rank import MOSTLY_RANDOM, odds
from poolwright.domain.units import binary
from poolwright.domain.workload import Budget, Goal
from poolwright.predict.number_words import hours_text
from poolwright.texts import N_, _, capital, listed, ngettext, numeral, sentence

# More protection holds at least this share of the first choice: one mirror with all else as spares is no answer.
LEAST_SHARE = 0.25
# A risk is clearly less from half of it on: the models behind it do not tell smaller differences.
CLEARLY_LESS = 0.5
# A difference in space below this share is none that a person would choose by; one in speed or time below the second.
_TOLD_SPACE, _TOLD_SPEED, _TOLD_TIME = 0.01, 0.10, 1.25
_MOST_DRAWBACKS = 2

Rank = Callable[[Candidate], Key]


def answers(
    first: Candidate, ranked: Sequence[Candidate], budget: Budget, rank: Rank = order, shortlist: Shortlist = AS_FOUND
) -> tuple[NamedAnswer, ...]:
    """Return the first choice and the named layouts beside it; of equal measures the earlier one by ``rank``.

    More space is the layout that holds most of all that keep to the floors that the first choice keeps to, those of
    partitions included. More protection is the best that survives a failure more, else has clearly less risk. The
    fewest disks (the cheapest where all have a price) are an answer only where a capacity is asked for: else they are
    a pool of two. Where the first choice is made of partitions the best layout of whole disks stands beside it.
    """
    contests: dict[str, list[Candidate]] = {}
    for candidate in ranked:
        for contest in _contests(candidate, first):
            contests.setdefault(contest, []).append(candidate)

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
    yield from ("fastest", "fewest", "cheapest")
    if not candidate.partitioned:
        yield "whole"
    if candidate.measures.held_bytes < LEAST_SHARE * first.measures.held_bytes:
        return
    if _protects_more(candidate, first):
        yield "sturdier"
    if not _loses_a_unit(candidate, first) and candidate.measures.any_loss <= CLEARLY_LESS * first.measures.any_loss:
        yield "safer"


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
        share = _difference(speed(other), speed(first))
        random = _("{share} more random I/O a second", share=share)
        gain = random if _at_random(first) else _("{share} more sequential throughput", share=share)
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
    if cut and other.way is Way.LAYERED:
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
    share = _difference(held, than)
    told = _("holds {share} more", share=share) if held > than else _("holds {share} less", share=share)
    told = _("holds as much") if abs(held - than) < _TOLD_SPACE * than else told
    if abs(held / than - other.measures.usable_bytes / first.measures.usable_bytes) < _TOLD_SPACE * held / than:
        return told
    return _("{told} in blocks of {blocks}", told=told, blocks=binary(first.measures.ideal.block_bytes))


def _counts(candidate: Candidate) -> str:
    """Return how many failures the pools survive: one number, or that of each where they differ."""
    counts = [str(pool.plan.failures_survived or _("none")) for pool in candidate.pools]
    return listed(counts[:1] if len(set(counts)) == 1 else counts)


def _lost(first: Candidate, other: Candidate) -> str:
    words = {"odds": odds(other.measures.any_loss), "first": odds(first.measures.any_loss)}
    return _("pool loss {odds} instead of {first} a year", **words)


def _difference(value: float, than: float) -> str:
    """Return by which share a value is more or less than another: 12 %, 150 %."""
    return numeral(100 * abs(value / than - 1 if than else inf), ",.0f", "%")


# Which layouts of a ranking a person would choose among, and in a few words how one differs from another.

_MOST_ABOVE, _MOST_BELOW, _CARDS = 6, 2, 3
_NEVER = 1e-15  # less than what anybody can tell of a yearly loss
# What layouts are chosen by, the gravest first: from how many times as much of it on a person would, how a layout is
# called that has so much more, and the measure in a sentence.
_COMPARED = (
    (1.02, N_("more space"), N_("space")),
    (1.01, N_("more protection"), N_("failures survived")),
    (1.25, N_("more random reads"), N_("random reads")),
    (2.0, N_("less risk"), N_("risk")),
    (1.25, N_("faster resilver"), N_("resilver")),
    (1.01, N_("more spares"), N_("spares")),
    (1.01, N_("whole disks"), N_("whole disks")),
)


def _measures(candidate: Candidate) -> tuple[float, ...]:
    """Return what a layout has of each that is `_COMPARED`, the larger the better."""
    known = candidate.measures
    return (
        known.held_bytes,
        1 + known.failures_survived,
        known.speed.rand_read_iops,
        1 / max(_NEVER, known.any_loss),
        1 / (known.forecast.rebuild_hours or 1e9),
        1 + candidate.spare_count,
        2 - candidate.partitioned,
    )


def _gains(one: Candidate, other: Candidate) -> Iterator[tuple[str, str]]:
    """Yield in what ``one`` is clearly better: how it is called for that, and the measure."""
    for title, noun in _ahead(_measures(one), _measures(other)):
        if noun != _COMPARED[1][2] or _protects_more(one, other):
            yield title, noun


def _ahead(one: tuple[float, ...], other: tuple[float, ...]) -> Iterator[tuple[str, str]]:
    for mine, theirs, (least, title, noun) in zip(one, other, _COMPARED, strict=True):
        if (mine / theirs if theirs else 1.0) >= least:
            yield title, noun


def rivals(found: Recommendation) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Return the first choice with its rivals, best first, and those with about as many points below the floors.

    A layout that is not clearly better in anything than one before it is none: nobody would take it.
    """
    named = {id(answer.candidate) for answer in found.answers}
    above: list[Candidate] = []
    below: list[Candidate] = []
    known: dict[int, tuple[float, ...]] = {}  # worked out once: of two thousand disks it takes its time
    for candidate in found.candidates:
        deeper = (candidate.below or candidate.missed) and not (found.best.below or found.best.missed)
        kept, most = (below, _MOST_BELOW) if deeper else (above, _MOST_ABOVE)
        worth = not deeper or (bool(above) and candidate.score >= above[-1].score)
        if id(candidate) not in named and not (worth and len(kept) < most):
            continue
        measures = _measures(candidate)
        if id(candidate) in named or all(any(_ahead(measures, known[id(other)])) for other in kept):
            known[id(candidate)] = measures
            kept.append(candidate)
    return tuple(above), tuple(below)


# The cards: the first choice and its two rivals.


class OnCard(NamedTuple):
    candidate: Candidate
    title: str
    sentence: str


def cards(found: Recommendation) -> tuple[OnCard, ...]:
    """Return the first choice and two others, each named by what it is better at, with what that costs."""
    first = found.best
    others = [
        OnCard(one.candidate, capital(one.name.words), trade_off(one.name, first, one.candidate, most=1))
        for one in found.answers
        if one.candidate is not first
    ]
    for rival in rivals(found)[0]:
        taken = {card.title for card in others}
        title = next((title for one, __ in _gains(rival, first) if (title := capital(_(one))) not in taken), "")
        if title and rival is not first and not any(rival is card.candidate for card in others):
            others.append(OnCard(rival, title, next(drawbacks(first, rival), "")))
    shown = [card._replace(sentence=sentence(capital(card.sentence))) for card in others[: _CARDS - 1]]
    return (OnCard(first, _("First choice"), _why(first, [card.candidate for card in shown], found)), *shown)


def _why(first: Candidate, others: Sequence[Candidate], found: Recommendation) -> str:
    if first.unit_survived and not all(other.unit_survived for other in others):
        return _("Survives {what} as well.", what=first.unit_survived)
    ahead = [{noun for __, noun in _gains(first, other)} for other in others]
    nouns = [_(noun) for *__, noun in _COMPARED if ahead and all(noun in each for each in ahead)]
    if nouns:
        return _("Best of these in {what}.", what=listed(nouns[:3]))
    return _("Most points for the goal {goal}: {score:.0f} of 100.", goal=_(found.goal.value), score=first.score)
