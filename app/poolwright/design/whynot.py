"""Why each family of layouts was not chosen: one line, with the rule and the number."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.choose import NEARLY_POINTS, decided_against
from poolwright.design.enumerate import FAMILIES, LEAST_DRAID, family_words
from poolwright.design.floors import floor_words
from poolwright.design.rejected import Rejected
from poolwright.domain.design import Design
from poolwright.domain.ranking import NotChosen, Ranking
from poolwright.texts import listed, tell


def why_not(
    ranked: Sequence[Candidate], refused: Sequence[Rejected], *, short: Sequence[Candidate] = (), survives: int = 0
) -> tuple[Rejected, ...]:
    """Return one entry for each family but the winner's, in the usual order.

    A family with feasible layouts is compared with the winner by the terms that cost it most; one without tells why
    its layouts are not possible. ``short`` are layouts that miss a wish the winner meets, ``survives`` is how many
    failures the floor asks for.
    """
    chosen = ranked[0] if ranked else None
    best: dict[str, Candidate] = {}
    for candidate in ranked:
        best.setdefault(candidate.family, candidate)
    lines = []
    for family in FAMILIES:
        if chosen is not None and family == chosen.family:
            continue
        missing = next((c for c in short if c.family == family), None)
        if missing is not None and (family not in best or best[family].below):
            lines.append(missed_wishes(missing))
        elif chosen is not None and family in best and best[family].below and not chosen.below:
            lines.append(_below(best[family], survives))
        elif chosen is not None and family in best and best[family].missed:
            lines.append(missed_wishes(best[family]))
        elif chosen is not None and family in best:
            lines.append(_outranked(chosen, best[family]))
        else:
            lines.append(_impossible(family, [r for r in refused if r.family == family]))
    return tuple(lines)


def with_ranking(design: Design, candidate: Candidate, found: Recommendation) -> Design:
    """Return a design made of ``candidate`` that keeps its rank, its score, and why the others were not chosen."""
    rank = next(rank for rank, one in enumerate(found.candidates, start=1) if one is candidate)
    rejected = [NotChosen(family=family_words(one.family), reason=one.reason) for one in found.rejected]
    if rank != 1:
        first = tell("the first choice, with {score:.1f} points", score=found.best.score)
        rejected.insert(0, NotChosen(family=found.best.words, reason=first))
    ranking = Ranking(
        goal=candidate.goal,
        rank=rank,
        examined=found.examined,
        score=candidate.score,
        terms=tuple(replace(term, weight=float(term.weight)) for term in candidate.terms),
        not_chosen=tuple(rejected),
        layout=design.layout_words(),
    )
    return replace(design, ranking=ranking)


def missed_wishes(candidate: Candidate) -> Rejected:
    """Return a layout that was not chosen with the wishes that it misses."""
    return Rejected(
        family=candidate.family,
        reason=f"{candidate.words}: {'; '.join(missed.text for missed in candidate.missed)}",
        layout=candidate.layout,
        score=candidate.score,
        unmet=len(candidate.missed),
        usable_bytes=candidate.usable_bytes,
    )


def _below(other: Candidate, survives: int) -> Rejected:
    """Return that the best of a family falls below what the goal asks for at least, whatever its score."""
    told = listed([floor_words(floor, survives=survives) for floor in other.below])
    return Rejected(
        family=other.family,
        reason=tell("best is {words}, which {told}", words=other.words, told=told),
        layout=other.layout,
        score=other.score,
        feasible=True,
    )


def _outranked(chosen: Candidate, other: Candidate) -> Rejected:
    mine = {t.name: t for t in chosen.terms}
    theirs = {t.name: t for t in other.terms}
    losses = []
    for name in dict.fromkeys((*mine, *theirs)):
        gap = (mine[name].points if name in mine else 0.0) - (theirs[name].points if name in theirs else 0.0)
        term = theirs.get(name) or mine[name]
        losses.append((gap, term, name in theirs))
    losses.sort(key=lambda item: -item[0])
    told = [
        tell("{why} ({what}, −{gap:.1f} points)", why=t.why, what=t.title.lower(), gap=gap)
        for gap, t, own in losses[:2]
        if gap > 0.05 and own
    ]
    reason = tell(
        "best is {words} with {score:.1f} points against {best:.1f}",
        words=other.words,
        score=other.score,
        best=chosen.score,
    )
    if other.score >= chosen.score - NEARLY_POINTS:
        reason = tell("{reason}, decided by {decided}", reason=reason, decided=decided_against(chosen, other))
    rule = next((t.name for gap, t, own in losses if gap > 0.05 and own and "." in t.name), None)
    return Rejected(
        family=other.family,
        reason=f"{reason}: {'; '.join(told)}" if told else reason,
        layout=other.layout,
        score=other.score,
        rule_id=rule,
        feasible=True,
    )


def _impossible(family: str, refused: Sequence[Rejected]) -> Rejected:
    if not refused:
        few = (
            tell("fewer than {least_draid} disks", least_draid=LEAST_DRAID)
            if family.startswith("draid")
            else tell("too few disks")
        )
        return Rejected(family=family, reason=few)
    # What comes closest to the wish: no rule blocks it, it misses the fewest wishes and has the most space.
    return max(refused, key=lambda r: (r.rule_id is None, r.usable_bytes is not None, -r.unmet, r.usable_bytes or 0))
