"""What is said of a first choice: what is as good, what misses a wish by little, what would reach one it misses."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from poolwright.design.answers import drawbacks, space_words
from poolwright.design.candidate import Candidate, MoreDisks, Recommendation, Rejected
from poolwright.design.choose import NEARLY_POINTS, decided_against
from poolwright.design.equal_layouts import FAMILIES, LEAST_DRAID, family_words
from poolwright.design.floors import Floor, floor_words
from poolwright.domain.design import Design, NotChosen, Ranking
from poolwright.domain.units import binary, drive_size
from poolwright.texts import CLAUSES, _, either, inside, listed, ngettext, sentence

# A layout that survives the loss of each shelf is told where it holds at least this share of the first choice.
WORTH_A_SHELF = 0.5
LEAST_TOLD = 0.05  # points by which a score is higher as it is printed


def lines_of_first(found: Recommendation) -> tuple[str, ...]:
    """Return all that is said of the first choice beside its numbers, a sentence each."""
    below = below_words(found.best, found.survives)
    below = below and _("Below the usual minimum: it {below}; no layout found meets it.", below=below)
    two_pools = _(
        "Two pools, for unlike data on unlike drives: what is read at random never waits for hard disks, and what only "
        "needs room does not fill the flash."
    )
    good = ", ".join(c.words for c in found.as_good if c.words != found.best.words)
    said = (
        below,
        two_pools if found.best.of_data else "",
        missing_words(found),
        good and _("As good: {others}; decided by {decided_by}.", others=good, decided_by=found.decided_by),
        spare_words(found),
        *(sentence(_short_of(candidate)) for candidate in found.near),  # before the first choice, but for a wish
        shelf_words(found),
    )
    return tuple(text for text in said if text)


def lines_of(candidate: Candidate, found: Recommendation) -> tuple[str, ...]:
    """Return what is said of any layout of a recommendation: of the first choice all, of others how they stand to it.

    Of one below the floors why. What a named answer costs stands with its name.
    """
    if candidate is found.best:
        return lines_of_first(found)
    named = any(answer.candidate is candidate for answer in found.answers)
    below = below_words(candidate, found.survives)
    if below and not named:  # the price of a named one says it
        return (_("Not for a first choice: it {below}.", below=below),)
    return tuple(order_words(candidate, found))


def order_words(candidate: Candidate, found: Recommendation) -> Iterator[str]:
    """Yield why layouts with fewer points come before one that keeps to all limits: only what was chosen can."""
    for place, first in enumerate(found.candidates[:2], start=1):
        if first is candidate or candidate.below or candidate.missed:
            return
        if candidate.score > first.score + LEAST_TOLD:
            reason = found.decided_by if candidate in found.as_good else decided_against(first, candidate)
            reason = _("own drives for each kind of data") if first.of_data else reason
            if candidate.measures.single_points > first.measures.single_points:
                yield _("Scores higher, but is lost if one shelf or controller fails.")
            elif candidate.idle_disks and reason == _("no idle disks"):
                yield _("Scores higher, but leaves disks unused.")
            else:
                yield _("Scores higher; number {place} wins by {reason}.", place=place, reason=reason)


def spare_words(found: Recommendation) -> str:
    """Return what serves where the first choice has no hot spare (limit `spares.needed_of_two`), and what keeps one."""
    best = found.best
    other = next((one for one in found.as_good if one.spare_count and not one.measures.draid), None)
    if other is None or best.spare_count or best.measures.failures_survived < 2:
        return ""
    words = {"count": best.measures.failures_survived, "words": other.words, "space": space_words(best, other)}
    return _("No hot spare: any {count} disks may fail, so keep a tested one in a drawer. {words} {space}.", **words)


def shelf_words(found: Recommendation) -> str:
    """Return the best layout that survives each shelf and controller where one takes the first choice with it.

    Empty where none has half of the room: who needs that bears a shelf that comes back. Where the first choice
    outlasts each of them, what would be first without that.
    """
    first = found.best.measures
    if not first.single_points:
        return _without_a_shelf(found)
    for other in found.candidates:
        there = other.measures
        if other.below or other.missed or there.single_points or there.more_single_points:
            continue
        if there.held_bytes >= WORTH_A_SHELF * first.held_bytes:
            less = 100 * (1 - there.held_bytes / first.held_bytes)
            if less < 1:
                return _("{words} survives the loss of any shelf or controller and holds as much.", words=other.words)
            words = {"words": other.words, "less": less}
            return _("{words} survives the loss of any shelf or controller and holds {less:.0f} % less.", **words)
    return ""


def _without_a_shelf(found: Recommendation) -> str:
    best = found.best
    for other in found.candidates:
        if other.score > best.score and other.measures.single_points and not (other.below or other.missed):
            more = 100 * (other.measures.held_bytes / best.measures.held_bytes - 1)
            if more >= 1:
                return _(
                    "It survives the loss of any shelf or controller; {words} holds {more:.0f} % more but does not.",
                    words=other.words,
                    more=more,
                )
            return _(
                "It survives the loss of any shelf or controller; {words}, with a higher score, does not.",
                words=other.words,
            )
    return ""


def missing_words(found: Recommendation) -> str:
    """Return how much the first choice lacks of a wish and what would reach it; empty where it meets all."""
    best = found.best
    if not best.missed:
        return ""
    worst, share = _worst(best)
    text = _("{words}: {worst}, {share} % short", words=best.words, worst=worst, share=share)
    more = "" if found.reach is None else f"{_more_disks(found.reach)} ({found.reach.words})"
    lower = next((candidate for candidate in found.candidates if candidate.below and not candidate.missed), None)
    if lower is None:
        return _("{told}; {more} would reach it.", told=text, more=more) if more else sentence(text)
    words = {"told": text, "more": more, "layout": lower.words, "below": below_words(lower, found.survives)}
    if Floor.WIDTH in lower.below:  # nothing to be named as a way
        if not more:
            return _("{told}; with these disks only a layout that {below} reaches it.", **words)
        return _("{told}; {more} would reach it; with these disks only a layout that {below} does.", **words)
    if not more:
        return _("{told}; {layout}, which {below}, would reach it.", **words)
    return _("{told}; {more}, or {layout}, which {below}, would reach it.", **words)


def _more_disks(reach: MoreDisks) -> str:
    if reach.size_bytes is None:
        return ngettext("one more disk", "{count} more disks", reach.disks)
    size = drive_size(reach.size_bytes)
    return ngettext("one more {size} disk", "{count} more {size} disks", reach.disks, size=size)


def below_words(candidate: Candidate, survives: int) -> str:
    """Return why a layout is below the floors, of which one asks that so many failures are survived."""
    return listed([floor_words(floor, survives=survives) for floor in candidate.below], CLAUSES)


def why_below(candidate: Candidate, found: Recommendation) -> str:
    return below_words(candidate, found.survives) or "; ".join(missed.text for missed in candidate.missed)


def _short_of(candidate: Candidate) -> str:
    worst, share = _worst(candidate)
    return _("{words} is {share} % short of your wish ({worst})", words=candidate.words, share=share, worst=worst)


def _worst(candidate: Candidate) -> tuple[str, str]:
    """Return the wish that a layout misses most, in words, and the share of it that is missing, in per cent."""
    worst = max(candidate.missed, key=lambda missed: missed.share)
    return worst.text, _("less than 1") if worst.share < 0.005 else f"{100 * worst.share:.0f}"


# Why each family of layouts was not chosen: one line, with the rule and the number.


def why_not(
    ranked: Sequence[Candidate], refused: Sequence[Rejected], *, short: Sequence[Candidate] = (), survives: int = 0
) -> Iterator[Rejected]:
    """Return one entry for each family but the winner's, in the usual order.

    A family with feasible layouts is compared with the winner by the terms that cost it most; one without tells why
    its layouts are not possible. ``short`` are layouts that miss a wish the winner meets, ``survives`` is how many
    failures the floor asks for.
    """
    chosen = ranked[0] if ranked else None
    best: dict[str, Candidate] = {}
    for candidate in ranked:
        best.setdefault(candidate.family, candidate)
    for family in FAMILIES:
        if chosen is not None and family == chosen.family:
            continue
        missing = next((c for c in short if c.family == family), None)
        if missing is not None and (family not in best or best[family].below):
            yield missed_wishes(missing)
        elif chosen is not None and family in best and best[family].below and not chosen.below:
            words, below = best[family].words, below_words(best[family], survives)
            reason = _("best is {words}, which {told}", words=words, told=below)
            yield Rejected.of(best[family], reason, feasible=True)
        elif chosen is not None and family in best and best[family].missed:
            yield missed_wishes(best[family])
        elif chosen is not None and family in best:
            yield _outranked(chosen, best[family])
        else:
            yield _impossible(family, [r for r in refused if r.family == family])


def anyraid_line(found: Recommendation) -> tuple[Rejected, ...]:
    """Return as a line beside the families what AnyRAID would hold of unequal disks; it is none of them."""
    lines = []
    for survives, same in groupby(found.anyraid, key=lambda vdev: vdev.survives):
        first, *__ = vdevs = tuple(same)
        whole, cut = (None if size is None else binary(size) for size in (first.whole_bytes, first.cut_bytes))
        released = (whole and _("{size} on whole disks", size=whole), cut and _("{size} on partitions", size=cut))
        line = ngettext(
            "To survive {count} failure: {vdevs}; released layouts found: {released}.",
            "To survive {count} failures: {vdevs}; released layouts found: {released}.",
            survives,
            vdevs=either([f"{vdev.word} {binary(vdev.usable_bytes)}" for vdev in vdevs]),
            released=either([text for text in released if text]) or _("none"),
        )
        lines.append(line)
    preview = _(
        "Preview of one vdev of all these disks: no OpenZFS release had it in July 2026, its speed is unknown, and no "
        "script makes it. Pull requests 17567 and 18406 may still change it."
    )
    return (Rejected(family="AnyRAID", reason=" ".join((preview, *lines))),) if lines else ()


def with_ranking(design: Design, candidate: Candidate, found: Recommendation) -> Design:
    """Return a design made of ``candidate`` that keeps its rank, its score, and why the others were not chosen."""
    rank = found.rank_of(candidate)
    assert rank is not None
    rejected = [
        NotChosen(family=family_words(one.family), reason=_beside(candidate, one, found)) for one in found.rejected
    ]
    if rank != 1:
        rejected.insert(0, NotChosen(family=found.best.words, reason=_("First choice")))
    ranking = Ranking(
        goal=candidate.measures.ideal.goal,
        rank=rank,
        examined=found.feasible,
        score=candidate.score,
        terms=tuple(replace(term, weight=float(term.weight)) for term in candidate.terms),
        not_chosen=tuple(rejected),
        layout=design.layout_words(),
    )
    return replace(design, ranking=ranking)


def _beside(chosen: Candidate, rejected: Rejected, found: Recommendation) -> str:
    """Return why a family was not chosen: what its best layout has worse, else what decided between equals."""
    best = next((one for one in found.candidates if one.main.layout == rejected.layout and not one.below), None)
    if best is None:
        return rejected.reason
    worse = listed(list(drawbacks(chosen, best))[:2], CLAUSES)
    text = _("{reason}, decided by {decided}", reason=best.words, decided=decided_against(chosen, best))
    return f"{best.words}: {worse}" if worse else text


def missed_wishes(candidate: Candidate) -> Rejected:
    missed = "; ".join(missed.text for missed in candidate.missed)
    reason, unmet = f"{candidate.words}: {missed}", len(candidate.missed)
    return Rejected.of(candidate, reason, unmet=unmet, usable_bytes=candidate.measures.usable_bytes)


def _outranked(chosen: Candidate, other: Candidate) -> Rejected:
    mine = {t.name: t for t in chosen.terms}
    theirs = {t.name: t for t in other.terms}
    losses = []
    for name in dict.fromkeys((*mine, *theirs)):
        gap = (mine[name].points if name in mine else 0.0) - (theirs[name].points if name in theirs else 0.0)
        term = theirs.get(name) or mine[name]
        losses.append((gap, term, name in theirs))
    losses.sort(key=lambda item: -item[0])
    clauses = [
        _("{why} ({what}, −{gap:.1f} points)", why=t.why, what=inside(t.title), gap=gap)
        for gap, t, own in losses[:2]
        if gap > 0.05 and own
    ]
    words = {"words": other.words, "score": other.score, "best": chosen.score}
    reason = _("best is {words} with {score:.1f} points against {best:.1f}", **words)
    if other.score >= chosen.score - NEARLY_POINTS:
        reason = _("{reason}, decided by {decided}", reason=reason, decided=decided_against(chosen, other))
    rule = next((t.name for gap, t, own in losses if gap > 0.05 and own and "." in t.name), None)
    reason = f"{reason}: {'; '.join(clauses)}" if clauses else reason
    return Rejected.of(other, reason, rule_id=rule, feasible=True)


def _impossible(family: str, refused: Sequence[Rejected]) -> Rejected:
    if not refused:
        few = (
            _("fewer than {least_draid} disks", least_draid=LEAST_DRAID)
            if family.startswith("draid")
            else _("too few disks")
        )
        return Rejected(family=family, reason=few)
    # What comes closest to the wish: no rule blocks it, it misses the fewest wishes and has the most space.
    return max(refused, key=lambda r: (r.rule_id is None, r.usable_bytes is not None, -r.unmet, r.usable_bytes or 0))
