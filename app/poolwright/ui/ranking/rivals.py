"""Which layouts of a ranking a person would choose among, and in a few words how one differs from another."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.told import below_words
from poolwright.predict.number_words import hours_text, odds_text
from poolwright.texts import N_, _, capital, listed, ngettext

_MOST_ABOVE, _MOST_BELOW, _CARDS = 6, 2, 3
_CLEARLY = 1.02, 1.25  # more space, and more of anything else, from which on a person would choose by it
_NEVER = 1e-15  # less than what anybody can tell of a yearly loss


class _Measure(NamedTuple):
    """What layouts are chosen by: how one is called that has clearly more of it, and the measure in a sentence."""

    name: str
    value: float
    least: float
    title: str
    noun: str


def _measures(candidate: Candidate) -> tuple[_Measure, ...]:
    """Return what a layout is compared by, the larger the better, the gravest first."""
    wide, forecast = _CLEARLY[1], candidate.measures.forecast
    return (
        _Measure("space", candidate.usable_bytes, _CLEARLY[0], N_("more space"), N_("space")),
        _Measure("survives", 1 + candidate.failures_survived, 1.01, N_("more protection"), N_("failures survived")),
        _Measure("reads", candidate.measures.speed.rand_read_iops, wide, N_("more random reads"), N_("random reads")),
        _Measure("risk", 1 / max(_NEVER, candidate.yearly_loss), 2.0, N_("less risk"), N_("risk")),
        _Measure("resilver", 1 / (forecast.rebuild_hours or 1e9), wide, N_("faster resilver"), N_("resilver")),
        _Measure("spares", 1 + candidate.spares, 1.01, N_("more spares"), N_("spares")),
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
    others = [answer.candidate for answer in found.answers if answer.candidate is not first]
    others += [one for one in rivals(found)[0] if one is not first and not any(one is other for other in others)]
    shown: list[OnCard] = []
    for other in others:
        title = _title(other, first, {card.title for card in shown})
        if title and len(shown) < _CARDS - 1:
            cost = _cost(other, first)
            shown.append(OnCard(other, title, f"{capital(cost)}."))
    return (OnCard(first, _("First choice"), _why(first, [card.candidate for card in shown], found)), *shown)


def _title(other: Candidate, first: Candidate, taken: set[str]) -> str:
    titles = (capital(_(measure.title)) for measure, __ in _gains(other, first))
    return next((title for title in titles if title not in taken), "")


def _why(first: Candidate, others: Sequence[Candidate], found: Recommendation) -> str:
    ahead = [{measure.name for measure, __ in _gains(first, other)} for other in others]
    nouns = [_(measure.noun) for measure in _measures(first) if ahead and all(measure.name in each for each in ahead)]
    if nouns:
        return _("Best of these in {what}.", what=listed(nouns[:3]))
    return _("Most points for the goal {goal}: {score:.0f} of 100.", goal=_(found.goal.value), score=first.score)


def _cost(other: Candidate, first: Candidate) -> str:
    """Return in one sentence what a rival has more than the first choice, and what it has less."""
    gain = next((_difference(measure, other, first) for measure, __ in _gains(other, first)), "")
    losses = sorted(_gains(first, other), key=lambda lost: -lost[1])
    if not losses:
        return gain
    return _("{gain}, but {loss}", gain=gain, loss=_difference(losses[0][0], other, first))


def _difference(measure: _Measure, other: Candidate, first: Candidate) -> str:
    if measure.name == "survives":
        count = other.failures_survived
        return ngettext("survives {count} failure", "survives {count} failures", count)
    if measure.name == "spares":
        return ngettext("{count} spare", "{count} spares", other.spares) if other.spares else _("no spare")
    if measure.name == "resilver":
        hours = other.measures.forecast.rebuild_hours
        return _("resilver in {hours}", hours=hours_text(hours)) if hours else _("no redundancy")
    if measure.name == "risk":
        return _("pool loss {odds} a year", odds=odds_text(other.yearly_loss))
    mine, theirs = (next(m.value for m in _measures(c) if m.name == measure.name) for c in (other, first))
    if mine >= 2 * theirs > 0:
        return _("{times:.2g} times the {what}", times=mine / theirs, what=_(measure.noun))
    share = 100 * abs(mine / theirs - 1) if theirs else 100
    if mine > theirs:
        return _("{share:.0f} % more {what}", share=share, what=_(measure.noun))
    return _("{share:.0f} % less {what}", share=share, what=_(measure.noun))
