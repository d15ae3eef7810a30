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
from poolwright.design.rank import MOSTLY_RANDOM, bare_odds
from poolwright.domain.units import binary
from poolwright.domain.workload import Budget, Goal
from poolwright.predict.number_words import hours_text
from poolwright.texts import N_, _, capital, listed, ngettext

# More protection holds at least this share of the first choice: one mirror with all else as spares is no answer.
LEAST_SHARE = 0.25
# A risk is clearly less from half of it on: the models behind it do not tell smaller differences.
CLEARLY_LESS = 0.5
# A difference in space below this share is none that a person would choose by; one in speed or time below the second.
_TOLD_SPACE, _TOLD_SPEED, _TOLD_TIME = 0.01, 0.10, 1.25
_MOST_PRICES = 2

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
        return best[0] if best and measure(best[0]) >= than else None

    def sturdiest(contest: str) -> Candidate | None:
        best = leader(contest)
        return best and using_idle(contests[contest], best, shortlist)

    wished = budget.least_usable_bytes is not None and not first.missed
    prices = {None if c.cost is None else (c.cost.currency,) for c in contests.get("fewest", ())} if wished else {None}
    priced = len(prices) == 1 and None not in prices
    picked = (
        (AnswerName.SPACE, leader("space", (1 + _TOLD_SPACE) * first.measures.held_bytes)),
        (AnswerName.PROTECTION, sturdiest("sturdier") or sturdiest("safer")),
        (AnswerName.FASTEST, leader("fastest", (1 + _TOLD_SPEED) * speed(first))),
        (AnswerName.CHEAPEST, leader("cheapest") if wished and priced else None),
        (AnswerName.FEWEST, leader("fewest") if wished and not priced else None),
        (AnswerName.WHOLE, leader("whole") if first.partitioned else None),
    )
    named = [NamedAnswer(name=AnswerName.BALANCED, candidate=first)]
    for name, other in picked:
        if other is not None and not any(known.candidate is other for known in named):
            if name in (AnswerName.CHEAPEST, AnswerName.FEWEST) and other.used >= first.used:
                continue
            named.append(NamedAnswer(name=name, candidate=other, price=price_words(name, first, other)))
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
    if candidate.failures_survived > first.failures_survived:
        yield "sturdier"
    if candidate.yearly_loss <= CLEARLY_LESS * first.yearly_loss:
        yield "safer"


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
    "fewest": lambda c: -c.used,
    "cheapest": lambda c: -inf if c.cost is None else -float(c.cost.amount),
    **dict.fromkeys(("whole", "sturdier", "safer"), lambda c: c.score),
}


def _at_random(candidate: Candidate) -> bool:
    """Tell whether random I/O is what the data wait for: for many clients, and where they are told to be such data."""
    in_order = candidate.measures.ideal.sequential_percent
    return candidate.goal is Goal.CONCURRENT or (in_order is not None and in_order < MOSTLY_RANDOM)


def price_words(name: AnswerName, first: Candidate, other: Candidate, most: int = _MOST_PRICES) -> str:
    """Return what a named layout has more than the first choice, and the ``most`` that is paid, in one sentence."""
    prices = list(prices_of(first, other, but=name))[:most]
    gain = _gain(name, first, other)
    return f"{gain}; {', '.join(prices)}" if prices else gain


def _gain(name: AnswerName, first: Candidate, other: Candidate) -> str:
    if name is AnswerName.SPACE:
        return space_words(first, other)
    if name is AnswerName.ONE_POOL:
        return _("one pool to look after, and its space is shared")
    if name is AnswerName.PROTECTION:
        if other.failures_survived > first.failures_survived:
            return _("{survived} instead of {first}", survived=survivors(other.pools), first=_counts(first))
        return _lost(first, other)
    if name is AnswerName.FASTEST:
        share = _more(speed(other), speed(first))
        if _at_random(first):
            return _("{share} more random I/O a second", share=share)
        return _("{share} more sequential throughput", share=share)
    if name is AnswerName.CHEAPEST:
        return _("costs {cost} instead of {first}", cost=other.cost, first=first.cost)
    if name is AnswerName.FEWEST:
        return ngettext(
            "takes {count} disk instead of {first}",
            "takes {count} disks instead of {first}",
            other.used,
            first=first.used,
        )
    return _("no disk is cut into partitions")


def prices_of(first: Candidate, other: Candidate, *, but: AnswerName | None = None) -> Iterator[str]:
    """Return what the other layout has worse than the first choice, the gravest first."""
    cut = other.partitioned and not first.partitioned
    if cut and other.way is Way.LAYERED:
        yield ngettext(
            "disks are cut into partitions that share their heads, so that a rebuild serves {count} pool",
            "disks are cut into partitions that share their heads, so that a rebuild serves {count} pools",
            other.pool_count,
        )
    elif cut:
        yield _(
            "disks are cut into partitions that share their heads, so that a rebuild serves several vdevs at the "
            "same time"
        )
    if other.failures_survived < first.failures_survived:
        yield _("{survived} instead of {first}", survived=survivors(other.pools), first=_counts(first))
    elif other.yearly_loss > first.yearly_loss / CLEARLY_LESS and but is not AnswerName.PROTECTION:
        yield _lost(first, other)
    if other.measures.held_bytes < (1 - _TOLD_SPACE) * first.measures.held_bytes:
        yield space_words(first, other)
    if other.pool_count > first.pool_count and not other.partitioned:
        yield _("{pools} pools to look after", pools=other.pool_count)
    if speed(other) < (1 - _TOLD_SPEED) * speed(first):
        share = _less(speed(other), speed(first))
        yield (
            _("{share} less random I/O", share=share)
            if _at_random(first)
            else _("{share} less sequential throughput", share=share)
        )
    mine, others = first.measures.forecast.rebuild_hours, other.measures.forecast.rebuild_hours
    if mine is not None and others is not None and others > _TOLD_TIME * mine:
        yield _("resilver in {others} instead of {mine}", others=hours_text(others), mine=hours_text(mine))
    if first.spares and not other.spares:
        yield _("there is no spare")


def space_words(first: Candidate, other: Candidate) -> str:
    """Return how much more or less room another layout has for the workload's blocks.

    With their size where the usable sizes, which count blocks of 128 KiB, tell another difference.
    """
    held, than = other.measures.held_bytes, first.measures.held_bytes
    more, less = _more(held, than), _less(held, than)
    told = _("holds {share} more", share=more) if held > than else _("holds {share} less", share=less)
    told = _("holds as much") if abs(held - than) < _TOLD_SPACE * than else told
    if abs(held / than - other.usable_bytes / first.usable_bytes) < _TOLD_SPACE * held / than:
        return told
    return _("{told} in blocks of {blocks}", told=told, blocks=binary(first.measures.ideal.block_bytes))


def _counts(candidate: Candidate) -> str:
    """Return how many failures the pools survive: one number, or that of each where they differ."""
    counts = [str(pool.failures_survived or _("none")) for pool in candidate.pools]
    return listed(counts[:1] if len(set(counts)) == 1 else counts)


def _lost(first: Candidate, other: Candidate) -> str:
    words = {"odds": bare_odds(other.yearly_loss), "first": bare_odds(first.yearly_loss)}
    return _("pool loss {odds} instead of {first} a year", **words)


def _more(value: float, than: float) -> str:
    share = value / than - 1 if than else inf
    return f"{100 * share:.0f} %" if share < 1 else _("{factor} times", factor=f"{1 + share:.1f}")


def _less(value: float, than: float) -> str:
    return f"{100 * (1 - value / than):.0f} %"


# Which layouts of a ranking a person would choose among, and in a few words how one differs from another.

_MOST_ABOVE, _MOST_BELOW, _CARDS = 6, 2, 3
_CLEARLY = 1.02, 1.25  # more space, and more of anything else, from which on a person would choose by it
_NEVER = 1e-15  # less than what anybody can tell of a yearly loss


class _Measure(NamedTuple):
    """What layouts are chosen by: how one is called that has clearly more of it, and the measure in a sentence."""

    value: float
    least: float
    title: str
    noun: str


def _measures(candidate: Candidate) -> tuple[_Measure, ...]:
    """Return what a layout is compared by, the larger the better, the gravest first."""
    wide, forecast = _CLEARLY[1], candidate.measures.forecast
    return (
        _Measure(candidate.measures.held_bytes, _CLEARLY[0], N_("more space"), N_("space")),
        _Measure(1 + candidate.failures_survived, 1.01, N_("more protection"), N_("failures survived")),
        _Measure(candidate.measures.speed.rand_read_iops, wide, N_("more random reads"), N_("random reads")),
        _Measure(1 / max(_NEVER, candidate.yearly_loss), 2.0, N_("less risk"), N_("risk")),
        _Measure(1 / (forecast.rebuild_hours or 1e9), wide, N_("faster resilver"), N_("resilver")),
        _Measure(1 + candidate.spares, 1.01, N_("more spares"), N_("spares")),
        _Measure(2 - candidate.partitioned, 1.01, N_("whole disks"), N_("whole disks")),
    )


def _gains(one: Candidate, other: Candidate) -> Iterator[tuple[_Measure, float]]:
    """Yield in what ``one`` is clearly better, and how many times."""
    yield from _ahead(_measures(one), _measures(other))


def _ahead(one: tuple[_Measure, ...], other: tuple[_Measure, ...]) -> Iterator[tuple[_Measure, float]]:
    for mine, theirs in zip(one, other, strict=True):
        times = mine.value / theirs.value if theirs.value else 1.0
        if times >= mine.least:
            yield mine, times


def rivals(found: Recommendation) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Return the first choice with its rivals, best first, and those with about as many points below the floors.

    A layout that is not clearly better in anything than one before it is none: nobody would take it.
    """
    named = {id(answer.candidate) for answer in found.answers}
    above: list[Candidate] = []
    below: list[Candidate] = []
    known: dict[int, tuple[_Measure, ...]] = {}  # worked out once: of two thousand disks it takes its time
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
        OnCard(one.candidate, capital(one.name.words), price_words(one.name, first, one.candidate, most=1))
        for one in found.answers
        if one.candidate is not first
    ]
    for rival in rivals(found)[0]:
        taken = {card.title for card in others}
        title = next((title for one, __ in _gains(rival, first) if (title := capital(_(one.title))) not in taken), "")
        if title and rival is not first and not any(rival is card.candidate for card in others):
            others.append(OnCard(rival, title, next(prices_of(first, rival), "")))
    shown = [card._replace(sentence=card.sentence and f"{capital(card.sentence)}.") for card in others[: _CARDS - 1]]
    return (OnCard(first, _("First choice"), _why(first, [card.candidate for card in shown], found)), *shown)


def _why(first: Candidate, others: Sequence[Candidate], found: Recommendation) -> str:
    if first.unit_survived and not all(other.unit_survived for other in others):
        return _("Survives {what} as well.", what=first.unit_survived)
    ahead = [{measure.noun for measure, __ in _gains(first, other)} for other in others]
    nouns = [_(measure.noun) for measure in _measures(first) if ahead and all(measure.noun in each for each in ahead)]
    if nouns:
        return _("Best of these in {what}.", what=listed(nouns[:3]))
    return _("Most points for the goal {goal}: {score:.0f} of 100.", goal=_(found.goal.value), score=first.score)
