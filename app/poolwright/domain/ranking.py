"""Where a design stood in the ranking that it was taken from, kept with it so that a report can tell it later."""

from dataclasses import dataclass

from poolwright.domain.workload import Goal


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTerm:
    """One part of a score: ``points`` of at most ``weight``, or a deduction (negative points, weight 0).

    ``value`` is the share of the points, 0 to 1; ``why`` says it in numbers.
    """

    name: str
    title: str
    points: float
    weight: float = 0.0
    value: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChosen:
    """A family of layouts, or the first choice where another was taken, and why it was not chosen."""

    family: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The rank of a layout among those ``examined`` for a goal, what its score is made of, and what was not chosen.

    ``layout`` are the vdevs as they were ranked (`Design.layout_words`), so that a later edit is seen.
    """

    goal: Goal
    rank: int
    examined: int
    score: float
    terms: tuple[ScoreTerm, ...] = ()
    not_chosen: tuple[NotChosen, ...] = ()
    layout: tuple[str, ...] = ()
