"""The named layouts beside the first choice: safest, largest, fastest, cheapest (or the one of fewest disks)."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.advise.floors import FAILURES_WANTED
from poolwright.domain.finding import Severity
from poolwright.domain.workload import Budget, Goal
from poolwright.ui.models.candidates import violations

_LEAST_SHARE = 4


class Alternative(StrEnum):
    """What a named layout is best at."""

    FIRST = "first"
    SAFEST = "safest"
    LARGEST = "largest"
    FASTEST = "fastest"
    FEWEST = "fewest"
    CHEAPEST = "cheapest"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A named layout. ``candidate`` is None where the question makes no sense: the name is then not shown."""

    name: Alternative
    candidate: Candidate | None


def alternatives(recommendation: Recommendation, budget: Budget) -> tuple[Named, ...]:
    """Return the first choice and the named layouts, in the order they are offered.

    The safest is looked for among those that hold at least a quarter of the first choice: one mirror with everything
    else as spares is safer still, and no answer. The others are looked for among the layouts that survive what the
    goal asks for and violate no rule that warns; where there is none, among all. Where the first choice is made of
    partitions the best layout of whole disks stands beside it.
    """
    wanted = FAILURES_WANTED[recommendation.goal]
    surviving = tuple(c for c in recommendation.leading if c.failures_survived >= wanted)
    sound = tuple(c for c in surviving if not violations(c, Severity.WARN))
    # The first choice is always among them: a further pool of left-over slices may survive less than is wanted.
    among = (recommendation.best, *(sound or surviving or recommendation.leading))
    # The fewest disks of all layouts are a pool of two: that is an answer only where a capacity is asked for.
    fewest = min(among, key=_disks) if budget.least_usable_bytes is not None else None
    costs = [candidate.cost for candidate in among if candidate.cost is not None]
    priced = len(costs) == len(among) and len({cost.currency for cost in costs}) == 1
    cheapest = min(among, key=_cost) if fewest is not None and priced else None
    picked = (
        (Alternative.FIRST, recommendation.best),
        (Alternative.SAFEST, max(_comparable(recommendation), key=_safety)),
        (Alternative.LARGEST, max(among, key=_capacity)),
        (Alternative.FASTEST, max(among, key=_speed(recommendation.goal))),
        (Alternative.FEWEST, None if priced else fewest),
        (Alternative.CHEAPEST, cheapest),
        (Alternative.WHOLE, _whole_disks(recommendation)),
    )
    return tuple(Named(name=name, candidate=candidate) for name, candidate in picked)


def _whole_disks(recommendation: Recommendation) -> Candidate | None:
    """Return the best layout of whole disks where the first choice is made of partitions."""
    if not recommendation.best.partitioned:
        return None
    return next((c for c in recommendation.leading if not c.partitioned), None)


def _comparable(recommendation: Recommendation) -> tuple[Candidate, ...]:
    least = recommendation.best.usable_bytes / _LEAST_SHARE
    return tuple(c for c in recommendation.leading if c.usable_bytes >= least)


def _safety(candidate: Candidate) -> tuple[int, float, float]:
    return candidate.failures_survived, -candidate.yearly_loss, candidate.score


def _capacity(candidate: Candidate) -> tuple[int, float]:
    return candidate.usable_bytes, candidate.score


def _speed(goal: Goal) -> Callable[[Candidate], tuple[float, float]]:
    def streaming(candidate: Candidate) -> tuple[float, float]:
        speed = candidate.measures.forecast.speed
        return candidate.copies * (speed.seq_read + speed.seq_write), candidate.score

    def small(candidate: Candidate) -> tuple[float, float]:
        speed = candidate.measures.forecast.speed
        return candidate.copies * (speed.rand_read_iops + speed.rand_write_iops), candidate.score

    return small if goal is Goal.CONCURRENT else streaming


def _disks(candidate: Candidate) -> tuple[int, float]:
    return candidate.used, -candidate.score


def _cost(candidate: Candidate) -> tuple[Decimal, float]:
    return candidate.cost.amount if candidate.cost is not None else Decimal(0), -candidate.score
