"""What is said of a first choice: what is as good, what misses a wish by little, what would reach one it misses."""

from poolwright.design.candidate import Candidate, Reach, Recommendation
from poolwright.design.choose import decided_against
from poolwright.design.floors import floor_words
from poolwright.domain.units import drive_size
from poolwright.texts import listed, tell, tell_counted

# A layout that survives the loss of each shelf is told where it holds at least this share of the first choice.
WORTH_A_SHELF = 0.5
LEAST_TOLD = 0.05  # points by which a score is higher as it is printed


def told_lines(found: Recommendation) -> tuple[str, ...]:
    """Return all that is said of the first choice beside its numbers, a sentence each."""
    below = below_words(found.best, found.survives)
    if not below:
        below_told = ""
    elif found.partial:
        below_told = tell(
            "Below what is usually asked: it {below}; no layout tried up to now keeps to it.", below=below
        )
    else:
        below_told = tell("Below what is usually asked: it {below}; no layout of these disks keeps to it.", below=below)
    said = (
        below_told,
        _two_pools_words(found.best),
        missing_words(found),
        as_good_words(found),
        more_points_words(found),
        *near_words(found),
        shelf_words(found),
    )
    return tuple(text for text in said if text)


def _two_pools_words(best: Candidate) -> str:
    """Return why there are two pools; empty where there is one for all of the data."""
    if not best.of_data:
        return ""
    return tell(
        "Two pools, for unlike data on unlike drives: what is read at random never waits for hard disks, and what only "
        "needs room does not fill the flash."
    )


def lines_of(candidate: Candidate, found: Recommendation) -> tuple[str, ...]:
    """Return what is said of any layout of a recommendation: of the first choice all, of others how they stand to it.

    Of one below the floors why. What a named answer costs stands with its name.
    """
    if candidate is found.best:
        return told_lines(found)
    lines = []
    named = any(answer.candidate is candidate for answer in found.answers)
    below = below_words(candidate, found.survives)
    if below and not named:  # the price of a named one says it
        lines.append(tell("Not for a first choice: it {below}.", below=below))
    if any(candidate is other for other in found.as_good):
        lines.append(
            tell("As good as the first choice; the first choice was decided by {reason}.", reason=found.decided_by)
            if found.decided_by
            else tell("As good as the first choice.")
        )
    return tuple(lines)


def as_good_words(found: Recommendation) -> str:
    """Return what is as good as the first choice, and what decided all the same; empty where nothing is."""
    others = ", ".join(c.words for c in found.as_good if c.words != found.best.words)
    if not others:
        return ""
    return (
        tell("As good: {others}; decided by {decided_by}.", others=others, decided_by=found.decided_by)
        if found.decided_by
        else tell("As good: {others}.", others=others)
    )


def more_points_words(found: Recommendation) -> str:
    """Return which layout of the same family has more points and is not named, and why it is not first."""
    best, named = found.best, {c.words for c in found.as_good}
    for other in found.candidates:
        if other.family != best.family or other.words in named or other.below or other.missed or best.missed:
            continue
        if other.score > best.score + LEAST_TOLD and other.measures.taking <= best.measures.taking:
            reason = decided_against(best, other)
            return tell("{words} has more points; decided by {reason}.", words=other.words, reason=reason)
    return ""


def near_words(found: Recommendation) -> tuple[str, ...]:
    """Return which layouts would come before the first choice and miss a wish by little, a sentence each."""
    return tuple(f"{_short_of(candidate)}." for candidate in found.near)


def shelf_words(found: Recommendation) -> str:
    """Return the best layout that survives each shelf and controller where one takes the first choice with it.

    Empty where none has half of the room: who needs that bears a shelf that comes back. Where the first choice
    outlasts each of them, what would be first without that.
    """
    first = found.best.measures
    if not first.taking:
        return _without_a_shelf(found)
    for other in found.candidates:
        there = other.measures
        if other.below or other.missed or there.taking or there.taking_least:
            continue
        if there.held_bytes >= WORTH_A_SHELF * first.held_bytes:
            less = 100 * (1 - there.held_bytes / first.held_bytes)
            if less < 1:
                return tell(
                    "Every shelf and controller may be gone with {words}, which holds as much.", words=other.words
                )
            return tell(
                "Every shelf and controller may be gone with {words}, which holds {less:.0f} % less.",
                words=other.words,
                less=less,
            )
    return ""


def _without_a_shelf(found: Recommendation) -> str:
    best = found.best
    for other in found.candidates:
        if other.score > best.score and other.measures.taking and not (other.below or other.missed):
            more = 100 * (other.measures.held_bytes / best.measures.held_bytes - 1)
            if more >= 1:
                return tell(
                    "It outlasts any one shelf or controller; {words} holds {more:.0f} % more and does not.",
                    words=other.words,
                    more=more,
                )
            return tell(
                "It outlasts any one shelf or controller, which {words} with its higher score does not.",
                words=other.words,
            )
    return ""


def missing_words(found: Recommendation) -> str:
    """Return how much the first choice lacks of a wish and what would reach it; empty where it meets all."""
    best = found.best
    if not best.missed:
        return ""
    worst, share = _worst(best)
    told = tell("{words}: {worst}, {share} % short", words=best.words, worst=worst, share=share)
    more = "" if found.reach is None else f"{_more_disks(found.reach)} ({found.reach.words})"
    lower = next((candidate for candidate in found.candidates if candidate.below and not candidate.missed), None)
    if lower is None:
        return tell("{told}; {more} would reach it.", told=told, more=more) if more else f"{told}."
    layout, below = lower.words, below_words(lower, found.survives)
    if not more:
        return tell("{told}; {layout}, which {below}, would reach it.", told=told, layout=layout, below=below)
    return tell(
        "{told}; {more}, or {layout}, which {below}, would reach it.", told=told, more=more, layout=layout, below=below
    )


def _more_disks(reach: Reach) -> str:
    if reach.size_bytes is None:
        return tell_counted("one more disk", "{count} more disks", reach.disks)
    size = drive_size(reach.size_bytes)
    return tell_counted("one more {size} disk", "{count} more {size} disks", reach.disks, size=size)


def below_words(candidate: Candidate, survives: int) -> str:
    """Return why a layout is below the floors, of which one asks that so many failures are survived."""
    return listed([floor_words(floor, survives=survives) for floor in candidate.below])


def _short_of(candidate: Candidate) -> str:
    worst, share = _worst(candidate)
    return tell("{words} is {share} % short of your wish ({worst})", words=candidate.words, share=share, worst=worst)


def _worst(candidate: Candidate) -> tuple[str, str]:
    """Return the wish that a layout misses most, in words, and the share of it that is missing, in per cent."""
    worst = max(candidate.missed, key=lambda missed: missed.share)
    return worst.text, tell("less than 1") if worst.share < 0.005 else f"{100 * worst.share:.0f}"
