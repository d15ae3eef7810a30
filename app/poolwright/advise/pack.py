"""Ways to pack unequal disks: by grouping, by cutting to the smallest, by partitions, by leaving disks out as spares.

For each run of neighbouring sizes, and each layer of slices, every full shape is looked at; of those that are combined
with others, the ones that score best by themselves are taken. What that leaves out is said in `left_out`.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from poolwright.advise.enumerate import full_shapes, spare_numbers
from poolwright.advise.mixed import PlanEvaluator
from poolwright.advise.plan import Plan, PoolPlan, Purpose
from poolwright.advise.stock import Stock, Way, blocks, layerings
from poolwright.advise.workshop import Runs
from poolwright.domain.errors import Refusal

# Disks of a raidz of unequal disks at most, or all there are: beyond eight they are worse with every rule.
WIDEST = 20
WIDEST_COMBINED = 12  # the same for vdevs that are combined with others
# Combinations that are tried for one way to divide the disks and one number of failures survived.
MOST_COMBINED = 50
# The same for further vdevs in one pool on the same disks, which is hardly ever good.
MOST_STACKED = 12


@dataclass(frozen=True, slots=True)
class _Option:
    """Vdevs of one stock, with their score by themselves."""

    runs: Runs
    spares: tuple[tuple[int, int], ...]
    points: float
    survived: int


class Packer:
    """Yields plans for the disks of one medium, of which ``counts`` of each kind may be used."""

    def __init__(self, evaluator: PlanEvaluator, counts: Sequence[int], spares: int | None) -> None:
        self._evaluator, self._workshop = evaluator, evaluator.workshop
        self._counts = tuple(counts)
        self._spares = spare_numbers(sum(counts), spares)
        self._known: dict[tuple[Stock, tuple[int, ...], int], tuple[_Option, ...]] = {}
        self.looked_at = 0

    def plans(self) -> Iterator[Plan | None]:
        """Yield every plan, and None now and then while nothing but preparation is done."""
        if len(self._counts) < 2:
            return
        for division in blocks(self._counts):
            if len(division) == 1:
                yield from self._cut(division[0])
            else:
                yield from self._divided(division)
        for layers in layerings(self._workshop.sizes, self._counts):
            yield from self._layered(layers)

    def _cut(self, stock: Stock) -> Iterator[Plan | None]:
        options = yield from self._options(stock, self._spares, WIDEST)
        for option in options:
            yield Plan(_way(option.runs), (PoolPlan((option.runs,), option.spares),))

    def _divided(self, division: Sequence[Stock]) -> Iterator[Plan | None]:
        """Yield one pool of all runs of kinds, and a pool for each."""
        held_by = self._spares
        # Spares serve the whole pool, so that they come from the largest disks.
        options = yield from self._all_options(
            [(stock, held_by if not at else (0,)) for at, stock in enumerate(division)]
        )
        for survived in self._levels(options):
            fitting = [[o for o in found if o.survived == survived] for found in options]
            for combined in _combined([found for found in fitting if found]):
                if len(combined) > 1 or len(division[0].groups) > 1:
                    runs = tuple(run for option in combined for run in option.runs)
                    held = tuple(spare for option in combined for spare in option.spares)
                    yield Plan(_way(runs), (PoolPlan((runs,), held),))
        apart = yield from self._all_options([(stock, held_by) for stock in division])
        for combined in _combined([found for found in apart if found]):
            if len(combined) > 1:
                pools = tuple(PoolPlan((option.runs,), option.spares) for option in combined)
                yield Plan(Way.SEPARATE, pools)

    def _layered(self, layers: Sequence[Stock]) -> Iterator[Plan | None]:
        smallest = len(self._counts) - 1
        for spares in sorted({self._spares[0], self._spares[-1]}):
            if spares >= self._counts[smallest]:
                break
            held = ((smallest, spares),) if spares else ()
            stocks = (layers[0].without(smallest, spares), *layers[1:])
            options = yield from self._all_options([(stock, (0,)) for stock in stocks])
            for first, *others in _combined(options):
                main = PoolPlan((first.runs,), held)
                rests = tuple(PoolPlan((o.runs,), (), Purpose.REST) for o in others)
                yield Plan(Way.LAYERED, (main, *rests))
            for survived in self._levels(options[:1]):
                fitting = [[o for o in found if o.survived == survived] for found in options]
                for combined in _combined([found for found in fitting if found], MOST_STACKED):
                    if len(combined) > 1 and combined[0].runs[0][0].layer == 1:
                        yield Plan(Way.STACKED, (PoolPlan(tuple(o.runs for o in combined), held),))

    def _all_options(
        self, wanted: Sequence[tuple[Stock, Sequence[int]]]
    ) -> Generator[None, None, list[tuple[_Option, ...]]]:
        """Return the options of each stock with these numbers of spares."""
        found = []
        for stock, spares in wanted:
            options = yield from self._options(stock, spares, WIDEST_COMBINED)
            found.append(options)
        return found

    def _options(self, stock: Stock, spares: Sequence[int], widest: int) -> Generator[None, None, tuple[_Option, ...]]:
        """Return the full shapes of a stock, the best by itself first."""
        known = self._known.get((stock, tuple(spares), widest))
        if known is None:
            found: list[_Option] = []
            for shape in full_shapes(stock.total, widest=widest, spares=spares):
                self.looked_at += 1
                if self.looked_at % 20 == 0:
                    yield None
                try:
                    runs, left = self._workshop.runs(stock, shape)
                except Refusal:
                    continue
                pool = PoolPlan((runs,), left)
                found.append(_Option(runs, left, self._evaluator.points(pool), pool.failures_survived))
            found.sort(key=lambda option: -option.points)
            known = self._known[stock, tuple(spares), widest] = tuple(found)
        return known

    def _levels(self, options: Sequence[Iterable[_Option]]) -> list[int]:
        """Return the numbers of failures survived that are combined; none only where the goal asks for none."""
        found = {option.survived for of_stock in options for option in of_stock}
        return sorted(found if self._evaluator.bare_wanted else found - {0})


def _combined(options: Sequence[Iterable[_Option]], most: int = MOST_COMBINED) -> Iterator[tuple[_Option, ...]]:
    """Yield the combinations of the best options of each stock."""
    lists = [list(found) for found in options]
    if not lists or not all(lists):
        return
    each = 1
    while (each + 1) ** len(lists) <= most:
        each += 1
    yield from product(*(found[:each] for found in lists))


def _way(runs: Runs) -> Way:
    kinds = {made.kinds for made, _ in runs}
    if any(len(one) > 1 for one in kinds):
        return Way.CUT
    return Way.GROUPED if len(kinds) > 1 else Way.EQUAL
