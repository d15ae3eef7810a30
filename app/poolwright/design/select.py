"""Which layouts are told, of all that were found: the first choice, the named ones, and those that are listed.

Of none more is known than has to be. The rules, which only take points, are asked of what stands in front. The search
reckons with the fewest shelves and controllers that can take a pool with them (`single_points`), so that no score grows
by a place: what stands in front after its disks were placed is ahead of all others, placed or not."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from math import inf

from poolwright.design.answers import answers
from poolwright.design.candidate import Candidate, NamedAnswer
from poolwright.design.choose import Selection, Shortlist, choose, order
from poolwright.design.floors import FAILURES_WANTED
from poolwright.design.plan import CandidatePool, disk_risks_of
from poolwright.design.rank import score
from poolwright.design.slots import placed_vdevs
from poolwright.design.survival import units_of_pools
from poolwright.design.wishes import missing_safety
from poolwright.domain.design import Vdev
from poolwright.domain.grouping import grouped
from poolwright.domain.outage import top_vdevs
from poolwright.domain.vdev import VdevClass
from poolwright.domain.workload import Budget
from poolwright.predict.groups import any_loss
from poolwright.predict.reliability import loss_with_units

# So many layouts are listed whole: a person reads through some hundred at most. Of more the first, the first of each
# family, and in so many steps of the space those that lead in something: what is given up for more of it.
MOST_WHOLE = 500
_FIRST, _OF_FAMILY, _STEPS = 100, 10, 8
# What may be placed: the squares of the disks of all layouts together, for the time grows with them. 40 layouts of 100
# disks; of the layouts of a thousand and more only what comes first is placed, so often as that may change.
_MOST_WORK = 400_000
_MOST_FIRST = 5


def select(found: Sequence[Candidate], budget: Budget, shortlist: Shortlist) -> Selection | None:
    """Return what is told of the layouts that were found; None where rules block all."""
    work = rounds = 0
    while True:
        choice = choose([now for c in found if (now := shortlist.of(c, ask=False)) is not None], shortlist)
        if choice is None:
            return None
        named = answers(choice.first, choice.ranked, budget, choice.rank, shortlist)
        rows = _listed(choice, named, shortlist)
        first = choice.first
        front = rows[: _MOST_WORK // first.used_count**2]
        shown = (first, *choice.as_good, *choice.near, *(answer.candidate for answer in named), *front)
        waiting = [c for c in {id(c): c for c in shown}.values() if waits(c)]
        if work >= _MOST_WORK:
            rounds += 1
            waiting = [first] if waits(first) else []
        for candidate in waiting:
            if work < _MOST_WORK or candidate is first:
                work += candidate.used_count**2
                shortlist.put(candidate, placed(candidate, budget))
        if not waiting or rounds > _MOST_FIRST:
            break
    short = tuple(_best_of_family(choice.short, order, 1, shortlist))
    if waiting:  # the first choice stays, however often another comes before it once its disks are placed
        exact = shortlist.of(first) or first
        named = tuple(replace(one, candidate=exact) if one.candidate is first else one for one in named)
        choice, rows = replace(choice, first=exact), (exact, *rows[1:])
    feasible = sum(shortlist.of(c, ask=False) is not None for c in choice.ranked)
    return replace(choice, named=named, rows=rows, short=short, feasible=feasible)


def _listed(choice: Selection, named: Sequence[NamedAnswer], shortlist: Shortlist) -> tuple[Candidate, ...]:
    ranked = choice.ranked
    if len(ranked) <= MOST_WHOLE:
        listed = [one for c in ranked if (one := shortlist.of(c)) is not None]
    else:
        listed = [*shortlist.first(ranked, choice.rank, _FIRST), *_leading(ranked, shortlist)]
        listed += _best_of_family(ranked, choice.rank, _OF_FAMILY, shortlist)
        listed += [choice.first, *choice.as_good, *(answer.candidate for answer in named)]
    return tuple(sorted({id(c): c for c in listed}.values(), key=choice.rank))


def _best_of_family(
    among: Iterable[Candidate], key: Callable[[Candidate], tuple[float, ...]], number: int, shortlist: Shortlist
) -> list[Candidate]:
    families = grouped((candidate.family, candidate) for candidate in among)
    return [best for family in families.values() for best in shortlist.first(family, key, number)]


def _leading(ranked: Sequence[Candidate], shortlist: Shortlist) -> list[Candidate]:
    """Return what leads in anything among those that survive what the goal asks for, at each step of the space."""
    steps: dict[int, list[Candidate]] = {}
    for candidate in ranked:
        if candidate.measures.failures_survived >= FAILURES_WANTED[candidate.measures.ideal.goal]:
            step = _STEPS * candidate.measures.usable_bytes // max(1, candidate.measures.ideal.raw_bytes)
            steps.setdefault(step, []).append(candidate)
    return [best for own in steps.values() for lead in _LEADS for best in shortlist.first(own, lead)]


def _rebuild(candidate: Candidate) -> tuple[float]:
    hours = candidate.measures.forecast.rebuild_hours
    return (inf if hours is None else hours,)


_LEADS: tuple[Callable[[Candidate], tuple[float, ...]], ...] = (
    lambda c: (-c.measures.usable_bytes,),
    lambda c: (c.measures.any_loss - c.measures.failures_survived,),
    lambda c: (-c.measures.speed.seq_read - c.measures.speed.seq_write,),
    lambda c: (-c.measures.speed.rand_read_iops - c.measures.speed.rand_write_iops,),
    lambda c: (c.used_count,),
    _rebuild,
)


def waits(candidate: Candidate) -> bool:
    """Tell whether the risk of a layout is known once its disks have places."""
    return candidate.measures.more_single_points or not candidate.measures.dealt


def placed(candidate: Candidate, budget: Budget) -> Candidate:
    """Return a layout with what its disks risk in their places, and the shelves and controllers that take its pools."""
    known, causes = candidate.measures, candidate.main.medium.request.drives.causes
    single_points = len(frozenset[str]().union(*units_of_pools(candidate.pools)))
    if known.dealt:
        lost = loss_with_units(known.any_loss, single_points - known.single_points * candidate.main.copies, causes)
    else:
        candidate = with_places(candidate)
        lost = loss_with_units(candidate.measures.any_loss, single_points, causes)
    measures = replace(candidate.measures, any_loss=lost, single_points=single_points, more_single_points=False)
    floor = known.forecast.floor
    before = missing_safety(budget, known.any_loss, floor)
    others = tuple(missed for missed in candidate.missed if missed not in before)
    return replace(
        candidate,
        measures=measures,
        score=score(measures, candidate.findings),
        missed=(*others, *missing_safety(budget, lost, floor)),
    )


# The risk of a candidate whose disks have places: each vdev with the disks that it has there.


def with_places(candidate: Candidate) -> Candidate:
    """Return a candidate, of one pool of each kind, with the risk that its disks have in their places.

    Shelves and controllers that take a pool with them are not in it.
    """
    vdevs = placed_vdevs(candidate.pools)
    pools = [_placed(pool, own) for pool, own in zip(candidate.pools, vdevs, strict=True)]
    risks = [pool.predictions.risk for pool in pools]
    measures = replace(
        candidate.measures,
        any_loss=any_loss([risk.probability for risk in risks], candidate.measures.forecast.floor),
        any_disk_loss=any_loss([risk.disk_probability for risk in risks]),
        dealt=True,
    )
    return replace(candidate, main=pools[0], further=tuple(pools[1:]), measures=measures)


def _placed(pool: CandidatePool, vdevs: Sequence[Vdev]) -> CandidatePool:
    disks = {disk.key: disk for disk in pool.disks}
    data = (top_vdevs(vdev) for vdev in vdevs if vdev.vdev_class is VdevClass.DATA)
    tops, members = ([disks[key] for key in keys] for own in data for keys in own), []
    for part, load in zip(pool.plan.segments, pool.loads, strict=True):
        own = [*islice(tops, sum(made.tops * count for made, count in part))]
        members.append(disk_risks_of(pool.medium).placed(own, load))
    return replace(pool, members=tuple(members))
