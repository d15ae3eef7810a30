"""How many disks more would reach a wish for space that no layout above the floors meets."""

from collections.abc import Generator

from poolwright.advise.candidate import Reach
from poolwright.advise.enumerate import Shape, full_shapes, spare_numbers
from poolwright.advise.equal import EqualEvaluator
from poolwright.advise.floors import Floors, floors_of
from poolwright.advise.groups import EqualDisks
from poolwright.advise.pack import WIDEST
from poolwright.advise.request import Terms
from poolwright.domain.errors import Refusal
from poolwright.domain.vdev import describe

# So many disks more, or as many as there are, are tried: a wish beyond that is one for another machine.
MOST_TRIED = 24


def reach_in_steps(terms: Terms, group: EqualDisks) -> Generator[None, None, Reach | None]:
    """Return the least number of disks like those of ``group`` that reach the wished space, and the layout of all.

    Only layouts above the floors count, and of those that use all disks the one that holds most. None where no wish
    is, where bays or money admit no disk more, and where too many were needed. Yields now and then.
    """
    request = terms.request
    budget, have = request.budget, len(group.disks)
    wanted = budget.least_usable_bytes
    if wanted is None or budget.bays is not None or budget.money is not None:
        return None
    evaluator = EqualEvaluator(terms, group)
    for more in range(1, min(MOST_TRIED, max(have, 2)) + 1):
        floors, best = floors_of(request.workload.goal, budget, have + more), None
        tried = spare_numbers(have + more, budget.spares)
        for shape in full_shapes(have + more, widest=WIDEST, spares=tried, draid_spares=budget.spares):
            holds = _holds(evaluator, shape, floors, budget.spares)
            if holds >= wanted and (best is None or holds > best[0]):
                best = (holds, shape)
        if best is not None:
            return Reach(more, describe(evaluator.layout(best[1])))
        yield
    return None


def _holds(evaluator: EqualEvaluator, shape: Shape, floors: Floors, spares: int | None) -> int:
    """Return what a shape holds for the wish; 0 below a floor, with too few spares, or where OpenZFS refuses it."""
    if shape.all_spares < (spares or 0) or evaluator.below(shape, floors):
        return 0
    try:
        return evaluator.counted_bytes(shape)
    except Refusal:
        return 0
