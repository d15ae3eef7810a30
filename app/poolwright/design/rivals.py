"""Which layouts of a ranking a person would choose among, and in a few words how one differs from another."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from poolwright.design.answers import price_words, prices_of
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.told import below_words
from poolwright.texts import N_, _, capital, listed

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


def why_below(candidate: Candidate, found: Recommendation) -> str:
    return below_words(candidate, found.survives) or "; ".join(missed.text for missed in candidate.missed)


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
