"""Of very many layouts those that a person would ask for: the first ones, and the leaders in whatever else counts."""

from collections.abc import Generator, Sequence
from math import inf

from poolwright.design.candidate import Candidate
from poolwright.design.floors import FAILURES_WANTED
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.steps import at_once

# So many are shown whole: a person reads through some hundred at most.
MOST_WHOLE = 600
_FIRST = 300
_OF_FAMILY = 15
# Leaders are looked for apart in so many steps of the space too: they show what is given up for more of it.
_STEPS = 16
_AT_ONCE = 500  # layouts that are looked at between two looks at the clock

_Measures = tuple[float, ...]


def leading_in_steps(ranked: Sequence[Candidate]) -> Generator[None, None, tuple[Candidate, ...]]:
    """Return the first layouts of a ranking, those of each family, and the leaders in every measure, in its order.

    Leaders have the most space, the least risk, the highest rates, the shortest rebuild, the fewest disks or the least
    cost: of all, of those that survive what the goal asks for, of those among these without a warning, and at each
    step of the space. All are returned where they are few. Yields now and then.
    """
    if len(ranked) <= MOST_WHOLE:
        return tuple(ranked)
    kept = set(range(_FIRST))
    of_family: dict[str, int] = {}
    members: dict[object, list[tuple[int, _Measures]]] = {}
    for number, candidate in enumerate(ranked):
        family = of_family.get(candidate.family, 0)
        if family < _OF_FAMILY:
            of_family[candidate.family] = family + 1
            kept.add(number)
        measured = _measures(candidate)
        for group in _groups(candidate):
            members.setdefault(group, []).append((number, measured))
        if number % _AT_ONCE == 0:
            yield
    for group_members in members.values():
        numbers = [number for number, _ in group_members]
        for values in zip(*(measured for _, measured in group_members), strict=True):
            kept.add(numbers[values.index(min(values))])
        yield
    return tuple([ranked[number] for number in sorted(kept)])


def leading(ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Do the same as `leading_in_steps` at once."""
    return at_once(leading_in_steps(ranked))


def _measures(candidate: Candidate) -> _Measures:
    """Return what layouts can lead in, less is better."""
    forecast = candidate.measures.forecast
    speed, copies = forecast.speed, candidate.copies
    hours = forecast.rebuild_hours
    return (
        -candidate.usable_bytes,
        # The surest first: failures survived, then the risk, which is below 1.
        candidate.yearly_loss - candidate.failures_survived,
        -copies * (speed.seq_read + speed.seq_write),
        -copies * (speed.rand_read_iops + speed.rand_write_iops),
        inf if hours is None else hours,
        candidate.used,
        inf if candidate.cost is None else float(candidate.cost.amount),
        -candidate.score if not candidate.partitioned else inf,
    )


def _groups(candidate: Candidate) -> Sequence[object]:
    """Return the groups of layouts among which this one may lead."""
    step = _STEPS * candidate.usable_bytes // max(1, candidate.measures.raw_bytes)
    if candidate.failures_survived < FAILURES_WANTED[candidate.goal]:
        return ("all", step)
    if any(f.outcome is Outcome.VIOLATED and f.severity is Severity.WARN for f in candidate.findings):
        return ("all", "surviving", step)
    return ("all", "surviving", "sound", step)
