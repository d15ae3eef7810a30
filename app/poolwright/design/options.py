"""What can be made of one stock, best first by itself, and which of it is combined with others."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from poolwright.design.enumerate import full_shapes
from poolwright.design.mixed import PlanEvaluator
from poolwright.design.plan import PoolPlan
from poolwright.design.stock import Stock, Taken
from poolwright.design.workshop import Runs
from poolwright.domain.errors import Refusal
from poolwright.domain.vdev import VdevKind

Sort = tuple[VdevKind, int, int]


@dataclass(frozen=True, slots=True)
class StockOption:
    """Vdevs of one stock, with their score by themselves and the failures they survive.

    ``sort`` is what the vdevs have in common: kind, parity or sides, data disks of a dRAID group.
    """

    runs: Runs
    spares: Taken
    points: float
    survived: int
    sort: Sort


class Options:
    """Knows the options of every stock that was asked for."""

    def __init__(self, evaluator: PlanEvaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[tuple[Stock, tuple[int, ...], int], tuple[StockOption, ...]] = {}
        self._looked_at = 0

    def of(self, stock: Stock, spares: Sequence[int], widest: int) -> Generator[None, None, tuple[StockOption, ...]]:
        """Return the full shapes of a stock with these numbers of spares, the best by itself first.

        raidz has at most ``widest`` disks, or all there are. Yields now and then.
        """
        key = (stock, tuple(spares), widest)
        known = self._known.get(key)
        if known is None:
            found: list[StockOption] = []
            for shape in full_shapes(stock.total, widest=widest, spares=spares):
                self._looked_at += 1
                if self._looked_at % 20 == 0:
                    yield None
                try:
                    runs, held = self._evaluator.workshop.runs(stock, shape)
                except Refusal:
                    continue
                plan = PoolPlan((runs,), held)
                points = self._evaluator.points(plan)
                sort = (
                    shape.kind,
                    shape.parity or (shape.width if shape.kind is VdevKind.MIRROR else 0),
                    shape.data or 0,
                )
                found.append(StockOption(runs, held, points, plan.failures_survived, sort))
            found.sort(key=lambda option: -option.points)
            known = self._known[key] = tuple(found)
        return known

    def of_all(
        self, wanted: Sequence[tuple[Stock, Sequence[int]]], widest: int
    ) -> Generator[None, None, list[tuple[StockOption, ...]]]:
        """Return the options of each stock with its numbers of spares."""
        found = []
        for stock, spares in wanted:
            options = yield from self.of(stock, spares, widest)
            found.append(options)
        return found

    def levels(self, options: Sequence[Iterable[StockOption]]) -> list[int]:
        """Return the numbers of failures survived that are combined; none only where the goal asks for none."""
        found = {option.survived for of_stock in options for option in of_stock}
        return sorted(found if self._evaluator.bare_wanted else found - {0})


def alike(options: Sequence[Sequence[StockOption]], survived: int, most: int) -> Iterator[tuple[StockOption, ...]]:
    """Yield combinations of vdevs that survive as many failures: of one sort everywhere, and the best of any sort.

    Stocks that have no such vdevs are left out of a combination. At most ``most`` are yielded for each sort.
    """
    fitting = [[option for option in found if option.survived == survived] for found in options]
    fitting = [found for found in fitting if found]
    seen: set[tuple[int, ...]] = set()
    for sort in sorted({option.sort for found in fitting for option in found}):
        for combined in combinations_of([[o for o in found if o.sort == sort] for found in fitting], most):
            seen.add(tuple(id(option) for option in combined))
            yield combined
    for combined in combinations_of(fitting, most):
        if tuple(id(option) for option in combined) not in seen:
            yield combined


def combinations_of(options: Sequence[Sequence[StockOption]], most: int) -> Iterator[tuple[StockOption, ...]]:
    """Yield the combinations of the leading options of each stock, at most ``most``; none where a stock has none."""
    if not options or not all(options):
        return
    each = 1
    while (each + 1) ** len(options) <= most and each < max(map(len, options)):
        each += 1
    yield from product(*(leading(found, each) for found in options))


def leading(options: Sequence[StockOption], number: int) -> list[StockOption]:
    """Return the best of each sort, then the next best, at most ``number``: the rules may turn the sorts round."""
    first: dict[Sort, StockOption] = {}
    for option in options:
        first.setdefault(option.sort, option)
    best = list(first.values())[:number]
    chosen = {id(option) for option in best}
    best.extend([option for option in options if id(option) not in chosen][: number - len(best)])
    return best
