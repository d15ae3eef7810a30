"""How many disks more would reach a wish for space that no layout above the floors meets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from poolwright.design.candidate import Candidate, MoreDisks, plan_words
from poolwright.design.equal_layouts import WIDEST, EqualLayout, full_shapes, spare_numbers
from poolwright.design.evaluator import PlanEvaluator
from poolwright.design.floors import Floors, floors_of
from poolwright.design.groups import DiskKind, equal_groups
from poolwright.design.request import Terms
from poolwright.domain.disk import Disk

# So many disks more, or as many as there are, are tried: a wish beyond that is one for another machine.
MOST_TRIED = 24
# Of several kinds each number is a search of its own: so many are made, on machines of so many disks.
MOST_SEARCHES, MOST_SEARCHED = 8, 60

# Finds the best layout of the disks of a request that keeps to the floors and to all wishes.
Find = Callable[[Terms, tuple[DiskKind, ...]], Candidate | None]


def reach(terms: Terms, groups: Sequence[DiskKind], best: Candidate, find: Find) -> MoreDisks | None:
    """Return what would reach the wish for space that ``best`` misses, with disks more of its medium.

    None where it misses no space, and where bays or money admit no disk more.
    """
    budget, media = terms.request.budget, best.main.disks[0].media
    wanted, full = budget.wanted_bytes, budget.bays is not None or budget.money is not None
    if wanted is None or full or min(best.measures.usable_bytes, best.measures.held_bytes) >= wanted:
        return None
    kinds = [group for group in groups if group.media is media]
    if len(kinds) > 1:
        return _of_kinds(terms, groups, kinds, find)
    found = _of_one_kind(terms, kinds[0], wanted)
    return found if found is None or len(groups) == 1 else replace(found, size_bytes=kinds[0].least_bytes)


def one_more(like: Disk, number: int) -> Disk:
    return replace(like, key=f"{like.key} +{number + 1}", serial=None, by_id=(), path=None, planned=True)


def _of_kinds(terms: Terms, groups: Sequence[DiskKind], kinds: Sequence[DiskKind], find: Find) -> MoreDisks | None:
    """Return the least number of disks of any one of ``kinds``, the largest first, with which the wish is met."""
    request = terms.request
    if terms.disks > MOST_SEARCHED:
        return None
    tried = islice(_worth_trying(terms, kinds), MOST_SEARCHES)
    for more, kind in tried:
        added = tuple(one_more(kind.disks[0], number) for number in range(more))
        disks = (*(disk for group in groups for disk in group.disks), *added)
        grown = replace(
            terms,
            request=replace(request, disks=disks),
            floors=floors_of(request.workload.goal, request.budget, disks),
            disks=len(disks),
            most_disks=terms.most_disks + more,
            raw_bytes=terms.raw_bytes + more * kind.least_bytes,
        )
        found = find(grown, equal_groups(disks))
        if found is not None:
            return MoreDisks(more, found.words, kind.least_bytes)
    return None


def _worth_trying(terms: Terms, kinds: Sequence[DiskKind]) -> Iterable[tuple[int, DiskKind]]:
    """Yield numbers of disks and their kind, few and large ones first, with which the space wished is there at all.

    No layout holds more than its disks without the largest ones, of which it survives the loss.
    """
    sizes = [group.least_bytes for group in kinds for _ in group.disks]
    for more in range(1, MOST_TRIED + 1):
        for kind in sorted(kinds, key=lambda kind: -kind.least_bytes):
            grown = sorted((*sizes, *(kind.least_bytes,) * more), reverse=True)
            if sum(grown[terms.floors.survives :]) >= (terms.request.budget.wanted_bytes or 0):
                yield more, kind


def _of_one_kind(terms: Terms, group: DiskKind, wanted: int) -> MoreDisks | None:
    """Return the least number of disks like those of ``group`` that reach the wished space, and the layout of all.

    Only layouts above the floors count, and of those that use all disks the one that holds most. None where too many
    were needed.
    """
    request = terms.request
    budget, have = request.budget, len(group.disks)
    evaluator = PlanEvaluator(terms, (group,), equal=True)
    for more in range(1, min(MOST_TRIED, max(have, 2)) + 1):
        all_disks = (*group.disks, *group.disks[:1] * more)
        floors, best = floors_of(request.workload.goal, budget, all_disks), None
        tried = spare_numbers(have + more, budget.spares)
        for shape in full_shapes(have + more, widest=WIDEST, spares=tried, draid_spares=budget.spares):
            holds = _holds(evaluator, shape, floors, budget.spares)
            if holds >= wanted and (best is None or holds > best[0]):
                best = (holds, shape)
        if best is not None:
            return MoreDisks(more, plan_words(evaluator.plan_of(best[1]).pools[0], evaluator.medium))
    return None


def _holds(evaluator: PlanEvaluator, shape: EqualLayout, floors: Floors, spares: int | None) -> int:
    """Return what a shape holds for the wish; 0 below a floor, with too few spares, or where OpenZFS refuses it."""
    holds = 0 if shape.all_spares < (spares or 0) else evaluator.counted_bytes(shape)
    return 0 if not holds or evaluator.below(evaluator.plan_of(shape), floors) else holds
