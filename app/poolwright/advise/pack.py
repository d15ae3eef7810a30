"""Ways to pack unequal disks: by grouping, by cutting to the smallest, by partitions, by leaving disks out as spares.

For each run of neighbouring sizes, and each layer of slices, every full shape is looked at; of those that are combined
with others, the ones that score best by themselves are taken. What that leaves out is said in `left_out`.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from poolwright.advise.enumerate import MOST_SPARES, full_shapes
from poolwright.advise.mixed import PlanEvaluator
from poolwright.advise.plan import Plan, PoolPlan, Purpose
from poolwright.advise.stock import Stock, Way, blocks, layerings
from poolwright.advise.workshop import Runs
from poolwright.domain.errors import Refusal

# Disks of a raidz of unequal disks at most, or all there are: beyond eight they are worse with every rule.
WIDEST = 20
# Combinations that are tried for one way to divide the disks and one number of failures survived.
MOST_COMBINED = 60
MOST_SPARES_COMBINED = 2


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
        self._wanted = spares
        self._known: dict[tuple[Stock, range], tuple[_Option, ...]] = {}
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
        options = yield from self._options(stock, self._spares(MOST_SPARES))
        for option in options:
            yield Plan(_way(option.runs), (PoolPlan((option.runs,), option.spares),))

    def _divided(self, division: Sequence[Stock]) -> Iterator[Plan | None]:
        """Yield one pool of all runs of kinds, and a pool for each."""
        held_by = self._spares(MOST_SPARES_COMBINED)
        # Spares serve the whole pool, so that they come from the largest disks.
        options = yield from self._all_options(
            [(stock, held_by if not at else range(1)) for at, stock in enumerate(division)]
        )
        for survived in sorted({option.survived for found in options for option in found}):
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
        for spares in self._spares(MOST_SPARES_COMBINED):
            if spares >= self._counts[smallest]:
                break
            held = ((smallest, spares),) if spares else ()
            stocks = (layers[0].without(smallest, spares), *layers[1:])
            options = yield from self._all_options([(stock, range(1)) for stock in stocks])
            for first, *others in _combined(options):
                main = PoolPlan((first.runs,), held)
                rests = tuple(PoolPlan((o.runs,), (), Purpose.REST) for o in others)
                yield Plan(Way.LAYERED, (main, *rests))
            for survived in sorted({option.survived for option in options[0]}):
                fitting = [[o for o in found if o.survived == survived] for found in options]
                for combined in _combined([found for found in fitting if found]):
                    if len(combined) > 1 and combined[0].runs[0][0].layer == 1:
                        yield Plan(Way.STACKED, (PoolPlan(tuple(o.runs for o in combined), held),))

    def _all_options(self, wanted: Sequence[tuple[Stock, range]]) -> Generator[None, None, list[tuple[_Option, ...]]]:
        """Return the options of each stock with these numbers of spares."""
        found = []
        for stock, spares in wanted:
            options = yield from self._options(stock, spares)
            found.append(options)
        return found

    def _options(self, stock: Stock, spares: range) -> Generator[None, None, tuple[_Option, ...]]:
        """Return the full shapes of a stock, the best by itself first."""
        known = self._known.get((stock, spares))
        if known is None:
            found: list[_Option] = []
            for shape in full_shapes(stock.total, widest=WIDEST, spares=spares):
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
            known = self._known[stock, spares] = tuple(found)
        return known

    def _spares(self, most: int) -> range:
        return range(most + 1) if self._wanted is None else range(self._wanted, self._wanted + 1)


def _combined(options: Sequence[Iterable[_Option]]) -> Iterator[tuple[_Option, ...]]:
    """Yield the combinations of the best options of each stock."""
    lists = [list(found) for found in options]
    if not lists or not all(lists):
        return
    each = 1
    while (each + 1) ** len(lists) <= MOST_COMBINED:
        each += 1
    yield from product(*(found[:each] for found in lists))


def _way(runs: Runs) -> Way:
    kinds = {made.kinds for made, _ in runs}
    if any(len(one) > 1 for one in kinds):
        return Way.CUT
    return Way.GROUPED if len(kinds) > 1 else Way.EQUAL
