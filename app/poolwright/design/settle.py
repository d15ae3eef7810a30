"""Which layout is first once it is known where its disks stand: those that would be shown are placed and scored anew.

The search reckons with the fewest shelves and controllers that can take a pool with them (`taking`), so that no score
grows by a place. What stands in front after its disks were placed is then ahead of all others, placed or not."""

from collections.abc import Generator, Sequence
from dataclasses import replace

from poolwright.design.answers import answers_in_steps
from poolwright.design.candidate import Candidate, NamedAnswer
from poolwright.design.choose import FirstChoice, Key, choose, order
from poolwright.design.places import placed_vdevs, placing_in_steps
from poolwright.design.plan import CandidatePool, dealing_of
from poolwright.design.rank import score
from poolwright.design.survival import units_of_pools
from poolwright.design.wishes import missing_safety
from poolwright.domain.design import Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Budget
from poolwright.predict.groups import any_loss
from poolwright.predict.reliability import loss_with_units

# What may be placed: the squares of the disks of all layouts together, for the time grows with them. 40 layouts of 100
# disks; of the layouts of a thousand and more only what comes first is placed, so often as that may change.
_MOST_WORK = 400_000
_MOST_FIRST = 5
_AT_ONCE = 500  # layouts that are ordered between two looks at the clock

Settled = tuple[FirstChoice, tuple[NamedAnswer, ...]]


def settled_in_steps(found: Sequence[Candidate], budget: Budget) -> Generator[None, None, Settled]:
    """Return the first choice among layouts, and the named ones beside it. Yields now and then."""
    ranks: list[tuple[Key, int, Candidate]] = []
    for candidate in found:
        ranks.append((order(candidate), len(ranks), candidate))
        if len(ranks) % _AT_ONCE == 0:
            yield
    work = rounds = 0
    while True:
        ranks.sort()
        choice = choose([candidate for _, _, candidate in ranks])
        yield
        named = yield from answers_in_steps(choice.ranked, budget)
        waiting = [c for c in _shown(choice, named) if waits(c)]
        first = choice.ranked[0]
        if work >= _MOST_WORK:
            rounds += 1
            waiting = [first] if waits(first) else []
        if rounds > _MOST_FIRST and waiting:
            return _said_of((choice, named), first, (yield from placed_in_steps(first, budget)))
        if not waiting:
            return choice, named
        exact: dict[int, Candidate] = {}
        for candidate in waiting:
            if work < _MOST_WORK or candidate is first:
                work += candidate.used**2
                exact[id(candidate)] = yield from placed_in_steps(candidate, budget)
        for at, (_, number, candidate) in enumerate(ranks):
            if id(candidate) in exact:
                placed = exact[id(candidate)]
                ranks[at] = (order(placed), number, placed)


def waits(candidate: Candidate) -> bool:
    """Tell whether the risk of a layout is known once its disks have places."""
    return candidate.measures.taking_least or not candidate.measures.dealt


def _said_of(settled: Settled, first: Candidate, placed: Candidate) -> Settled:
    """Return what was settled with what is known of the first choice once its disks are placed; it stays the first."""
    choice, named = settled
    others = tuple(one for one in choice.ranked if one is not first)
    told = tuple(replace(one, candidate=placed) if one.candidate is first else one for one in named)
    return replace(choice, ranked=(placed, *others)), told


def _shown(choice: FirstChoice, named: Sequence[NamedAnswer]) -> tuple[Candidate, ...]:
    first = choice.ranked[0]
    beside = (*choice.as_good, *choice.near, *(answer.candidate for answer in named))
    front = choice.ranked[: _MOST_WORK // first.used**2]
    return tuple({id(candidate): candidate for candidate in (first, *beside, *front)}.values())


def placed_in_steps(candidate: Candidate, budget: Budget) -> Generator[None, None, Candidate]:
    """Return a layout with what its disks risk in their places, and the shelves and controllers that take its pools."""
    yield from placing_in_steps(candidate.pools)
    known, causes = candidate.measures, candidate.main.medium.request.drives.causes
    taking = len(frozenset[str]().union(*units_of_pools(candidate.pools)))
    yield
    if known.dealt:
        lost = loss_with_units(known.any_loss, taking - known.taking * candidate.copies, causes)
    else:
        candidate = with_places(candidate)
        lost = loss_with_units(candidate.measures.any_loss, taking, causes)
    measures = replace(candidate.measures, any_loss=lost, taking=taking, taking_least=False)
    floor = known.forecast.floor
    before = missing_safety(budget, known.any_loss, floor)
    others = tuple(missed for missed in candidate.missed if missed not in before)
    return replace(
        candidate,
        measures=measures,
        score=score(candidate.goal, measures, candidate.findings),
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
    rows = [[disks[m.disk_key] for m in vdev.members] for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    left, members = iter(rows), []
    for part, load in zip(pool.plan.segments, pool.loads, strict=True):
        kinds = [made.spec.kind for made, count in part for _ in range(count)]
        members.append(dealing_of(pool.medium).placed(_tops([next(left) for _ in kinds], kinds), load))
    return replace(pool, members=tuple(members))


def _tops(rows: Sequence[Sequence[Disk]], kinds: Sequence[VdevKind]) -> list[Sequence[Disk]]:
    """Return the disks of each top-level vdev: each member of a stripe is one."""
    return [
        top
        for row, kind in zip(rows, kinds, strict=True)
        for top in ([[disk] for disk in row] if kind is VdevKind.STRIPE else [row])
    ]
