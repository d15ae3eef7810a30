"""What is said of a first choice: what is as good, what misses a wish by little, what would reach one it misses."""

from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.advise.floors import floor_words
from poolwright.domain.units import drive_size
from poolwright.texts import tell


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
    return tuple(text for text in (below_told, missing_words(found), as_good_words(found), *near_words(found)) if text)


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
        lines.append(f"Not for a first choice: it {below}.")
    if any(candidate is other for other in found.as_good):
        why = f"; the first choice was decided by {found.decided_by}" if found.decided_by else ""
        lines.append(f"As good as the first choice{why}.")
    return tuple(lines)


def as_good_words(found: Recommendation) -> str:
    """Return what is as good as the first choice, and what decided all the same; empty where nothing is."""
    others = ", ".join(c.words for c in found.as_good if c.words != found.best.words)
    if not others:
        return ""
    return f"As good: {others}; decided by {found.decided_by}." if found.decided_by else f"As good: {others}."


def near_words(found: Recommendation) -> tuple[str, ...]:
    """Return which layouts would come before the first choice and miss a wish by little, a sentence each."""
    return tuple(f"{_short_of(candidate)}." for candidate in found.near)


def missing_words(found: Recommendation) -> str:
    """Return how much the first choice lacks of a wish and what would reach it; empty where it meets all."""
    best = found.best
    if not best.missed:
        return ""
    ways = []
    if found.reach is not None:
        kind = "" if found.reach.size_bytes is None else f"{drive_size(found.reach.size_bytes)} "
        count = f"one more {kind}disk" if found.reach.disks == 1 else f"{found.reach.disks} more {kind}disks"
        ways.append(f"{count} ({found.reach.words})")
    lower = next((candidate for candidate in found.candidates if candidate.below and not candidate.missed), None)
    if lower is not None:
        ways.append(f"{lower.words}, which {below_words(lower, found.survives)}")
    worst, share = _worst(best)
    told = f"{best.words}: {worst}, {share} % short"
    return f"{told}; {', or '.join(ways)}, would reach it." if ways else f"{told}."


def below_words(candidate: Candidate, survives: int) -> str:
    """Return why a layout is below the floors, of which one asks that so many failures are survived."""
    return " and ".join(floor_words(floor, survives=survives) for floor in candidate.below)


def _short_of(candidate: Candidate) -> str:
    worst, share = _worst(candidate)
    return f"{candidate.words} is {share} % short of your wish ({worst})"


def _worst(candidate: Candidate) -> tuple[str, str]:
    """Return the wish that a layout misses most, in words, and the share of it that is missing, in per cent."""
    worst = max(candidate.missed, key=lambda missed: missed.share)
    return worst.text, "less than 1" if worst.share < 0.005 else f"{100 * worst.share:.0f}"
