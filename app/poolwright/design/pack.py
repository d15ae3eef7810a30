"""Ways to pack unequal disks: by grouping, by cutting to the smallest, by partitions, by leaving disks out as spares.

For each run of neighbouring sizes, and each layer of slices, every full shape is looked at; of those that are combined
with others, the ones that score best by themselves are taken. Few disks are divided in every way (`exact`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from poolwright.design import equal_layouts
from poolwright.design.evaluator import PlanEvaluator
from poolwright.design.groups import DiskCounts, Packing, Stock, blocks, layerings
from poolwright.design.plan import Plan, PoolPlan, Purpose, VdevCounts
from poolwright.domain.errors import Refusal
from poolwright.domain.vdev import VdevKind

# Every division of a few whole disks among the vdevs of one pool, its spares, and disks left idle.

Vdev = tuple[VdevKind, int, DiskCounts]  # kind, parity, disks
Division = tuple[tuple[Vdev, ...], DiskCounts]  # data vdevs, spares
_Counts = tuple[int, ...]


def divisions(counts: Sequence[int], spares: int | None, most: int) -> tuple[Division, ...] | None:
    """Return every division of disks, ``counts`` of each kind, the largest kind first; None beyond ``most``.

    Disks of one kind are interchangeable. A vdev is a single disk, a mirror of 2 to 4 or a raidz1-3, of any disks; a
    pool may have vdevs of several kinds. ``spares`` fixes the number of spares; otherwise each number is tried. Spares
    come from the largest disks left, for one must replace any member.
    """
    blocks = _blocks(tuple(counts))
    found: list[Division] = []
    for vdevs, left in _fillings(blocks, 0, tuple(counts)):
        total = sum(left)
        for number in range(total + 1) if spares is None else (spares,) if spares <= total else ():
            if len(found) == most:
                return None
            found.append((vdevs, _largest(left, number)))
    return tuple(found)


def _blocks(counts: _Counts) -> list[tuple[Vdev, _Counts]]:
    """Return every vdev that these disks could form, with the disks it takes."""
    found: list[tuple[Vdev, _Counts]] = []
    for taken in product(*(range(count + 1) for count in counts)):
        width = sum(taken)
        members = tuple((group, number) for group, number in enumerate(taken) if number)
        if width == 1:
            found.append(((VdevKind.STRIPE, 0, members), taken))
        if width in equal_layouts.MIRROR_WIDTHS:
            found.append(((VdevKind.MIRROR, 0, members), taken))
        found.extend(((VdevKind.RAIDZ, p, members), taken) for p in equal_layouts.RAIDZ_PARITIES if width > p)
    return found


def _fillings(
    blocks: Sequence[tuple[Vdev, _Counts]], first: int, left: _Counts
) -> Iterator[tuple[tuple[Vdev, ...], _Counts]]:
    """Yield every multiset of at least one of the blocks from number ``first`` on, with the disks it leaves."""
    for number in range(first, len(blocks)):
        vdev, taken = blocks[number]
        rest = tuple(have - used for have, used in zip(left, taken, strict=True))
        if min(rest) < 0:
            continue
        yield (vdev,), rest
        for others, idle in _fillings(blocks, number, rest):
            yield (vdev, *others), idle


def _largest(left: _Counts, number: int) -> DiskCounts:
    taken = []
    for group, have in enumerate(left):
        held = min(have, number)
        if held:
            taken.append((group, held))
            number -= held
    return tuple(taken)


# Combinations that are tried for one way to divide the disks and one sort of vdevs, and for pools beside each other.
MOST_ALIKE = 25
MOST_POOLS = 50
MOST_STACKED = 4  # the same for further vdevs on the same disks, which are hardly ever good
# Ways to divide few disks that are looked at.
MOST_OF_FEW = 200
MOST_EXACT = 2000


class Packer:
    """Yields plans for the disks of one medium, of which ``counts`` of each kind may be used.

    ``strict``: only plans that keep to the floors are wanted, in any order.
    """

    def __init__(
        self, evaluator: PlanEvaluator, counts: Sequence[int], spares: int | None, *, strict: bool = False
    ) -> None:
        self._workshop = evaluator.workshop
        self._options = Options(evaluator)
        self._counts, self._strict = tuple(counts), strict
        self._spares = equal_layouts.spare_numbers(sum(counts), spares)
        few = sum(counts) <= equal_layouts.FEW_DISKS
        self._most_alike, self._most_pools, self._most_stacked = (
            (MOST_OF_FEW, MOST_OF_FEW, MOST_ALIKE) if few else (MOST_ALIKE, MOST_POOLS, MOST_STACKED)
        )
        self._exact = divisions(self._counts, spares, MOST_EXACT) if few else None
        self.share = 0.0  # of the plans yielded up to now

    @property
    def disks(self) -> int:
        return sum(self._counts)

    @property
    def kinds(self) -> int:
        return len(self._counts)

    @property
    def exhaustive(self) -> bool:
        """Tell whether whole disks are divided among the vdevs of one pool in every way."""
        return self._exact is not None

    def plans(self) -> Iterator[Plan]:
        seen = set()
        for plan in self._ways():
            same = _content(plan)
            if same not in seen:
                seen.add(same)
                yield plan

    def _ways(self) -> Iterator[Plan]:
        """Yield the plans of each way to pack; a few are the same: a run of each kind, and runs dealt over all."""
        in_blocks = tuple(blocks(self._counts)) if len(self._counts) > 1 else ()
        # Nobody cuts up very many disks without having asked for it.
        strict = self._strict or sum(self._counts) > equal_layouts.EVERY_WIDTH_TO
        cut = len(self._counts) > 1 and (self._options.may_slice or not strict)
        in_layers = tuple(layerings(self._workshop.sizes, self._counts)) if cut else ()
        steps = len(in_blocks) + len(in_layers) + 1
        for number, division in enumerate(in_blocks):
            self.share = number / steps
            if len(division) > 1:
                yield from self._divided(division)
            elif not self.exhaustive:
                yield from self._cut(division[0])
        for number, layers in enumerate(in_layers, start=len(in_blocks)):
            self.share = number / steps
            yield from self._layered(layers)
        self.share = (steps - 1) / steps
        yield from self._every_way()
        self.share = 1.0

    def _every_way(self) -> Iterator[Plan]:
        """Yield every division of few disks that the other ways do not yield."""
        whole = Stock(tuple(range(len(self._counts))), self._counts)
        for vdevs, spares in self._exact or ():
            try:
                made = [self._workshop.vdev(kind, parity, taken, whole) for kind, parity, taken in vdevs]
            except Refusal:
                continue
            runs = tuple((one, 1) for one in made)
            least = min(size for one in made for size in one.spec.sizes)
            if any(self._workshop.sizes[group] < least for group, _ in spares):
                continue  # a spare that can take the place of no disk
            kinds = {group for one in made for group in one.kinds} | {group for group, _ in spares}
            if len(kinds) > 1 or not _even(runs):
                yield Plan(_way(runs), (PoolPlan((runs,), spares),))

    def _cut(self, stock: Stock) -> Iterator[Plan]:
        for _, runs, held in self._options.made(stock, self._spares, equal_layouts.WIDEST):
            yield Plan(_way(runs), (PoolPlan((runs,), held),))

    def _divided(self, division: Sequence[Stock]) -> Iterator[Plan]:
        """Yield one pool of all runs of kinds, and a pool for each."""
        if not self.exhaustive:
            # Spares serve the whole pool, so that they come from the largest disks.
            wanted = [(stock, (0,) if at else self._spares) for at, stock in enumerate(division)]
            options = self._options.of_all(wanted, equal_layouts.WIDEST_COMBINED)
            for survived in self._options.levels(options):
                for combined in alike(options, survived, self._most_alike):
                    runs = tuple(run for option in combined for run in option.runs)
                    if len({group for made, _ in runs for group in made.kinds}) > 1:
                        held = tuple(spare for option in combined for spare in option.spares)
                        yield Plan(_way(runs), (PoolPlan((runs,), held),))
        if len(division) > equal_layouts.MOST_SEPARATE:
            return
        apart = self._options.of_all([(stock, self._spares) for stock in division], equal_layouts.WIDEST_COMBINED)
        for combined in combinations_of([found for found in apart if found], self._most_pools):
            if len(combined) > 1:
                yield Plan(Packing.SEPARATE, tuple(PoolPlan((option.runs,), option.spares) for option in combined))

    def _layered(self, layers: Sequence[Stock]) -> Iterator[Plan]:
        smallest = len(self._counts) - 1
        for spares in sorted({self._spares[0], self._spares[-1]}):
            if spares >= self._counts[smallest]:
                break
            held = ((smallest, spares),) if spares else ()
            stocks = (layers[0].without(smallest, spares), *layers[1:])
            options = self._options.of_all([(stock, (0,)) for stock in stocks], equal_layouts.WIDEST_COMBINED)
            for first, *others in combinations_of(options, self._most_pools):
                main = PoolPlan((first.runs,), held)
                rests = tuple(PoolPlan((option.runs,), (), Purpose.REST) for option in others)
                yield Plan(Packing.LAYERED, (main, *rests))
            for survived in self._options.levels(options[:1]):
                for combined in alike(options, survived, self._most_stacked):
                    if len(combined) > 1 and combined[0].runs[0][0].layer == 1:
                        yield Plan(Packing.STACKED, (PoolPlan(tuple(option.runs for option in combined), held),))


def _content(plan: Plan) -> tuple[object, ...]:
    """Return what two plans have in common that are the same pools, whichever way they were found in.

    A vdev of the same disks is one object of the workshop, and the order of vdevs is none.
    """
    pools = []
    for pool in plan.pools:
        parts = tuple([frozenset(_counted(part).items()) for part in pool.segments])
        pools.append((parts, frozenset(pool.spares), pool.purpose))
    return tuple(pools)


def _counted(runs: VdevCounts) -> dict[int, int]:
    counted: dict[int, int] = {}
    for made, count in runs:
        counted[id(made)] = counted.get(id(made), 0) + count
    return counted


def _even(runs: VdevCounts) -> bool:
    """Tell whether all vdevs are of one kind and of widths that differ by no more than one: `shapes` has those."""
    widths = [made.spec.width for made, _ in runs]
    sorts = {(made.spec.kind, made.spec.parity) for made, _ in runs}
    return len(sorts) == 1 and max(widths) - min(widths) <= 1


def _way(runs: VdevCounts) -> Packing:
    kinds = {made.kinds for made, _ in runs}
    if any(len(one) > 1 for one in kinds):
        return Packing.CUT
    return Packing.GROUPED if len(kinds) > 1 else Packing.EQUAL


# What can be made of one stock, best first by itself, and which of it is combined with others.

Sort = tuple[VdevKind, int, int]


@dataclass(frozen=True, slots=True)
class StockOption:
    """Vdevs of one stock, with their score by themselves and the failures they survive.

    ``sort`` is what the vdevs have in common: kind, parity or sides, data disks of a dRAID group.
    """

    runs: VdevCounts
    spares: DiskCounts
    points: float
    survived: int
    sort: Sort


class Options:
    def __init__(self, evaluator: PlanEvaluator) -> None:
        self._evaluator, self.may_slice = evaluator, evaluator.may_slice
        self._known: dict[tuple[Stock, tuple[int, ...], int], tuple[StockOption, ...]] = {}

    def of(self, stock: Stock, spares: Sequence[int], widest: int) -> tuple[StockOption, ...]:
        """Return the full shapes of a stock with these spares, the best first, raidz of at most ``widest`` disks."""
        key = (stock, tuple(spares), widest)
        known = self._known.get(key)
        if known is None:
            found: list[StockOption] = []
            for shape, runs, held in self.made(stock, spares, widest):
                plan = PoolPlan((runs,), held)
                points = self._evaluator.points(plan, stock)
                sort = (
                    shape.kind,
                    shape.parity or (shape.width if shape.kind is VdevKind.MIRROR else 0),
                    shape.data or 0,
                )
                found.append(StockOption(runs, held, points, plan.failures_survived, sort))
            found.sort(key=lambda option: -option.points)
            known = self._known[key] = tuple(found)
        return known

    def made(
        self, stock: Stock, spares: Sequence[int], widest: int
    ) -> Iterator[tuple[equal_layouts.EqualLayout, VdevCounts, DiskCounts]]:
        """Yield the full shapes of a stock that OpenZFS takes, with the vdevs and the spares that they are made of."""
        beside = widest < equal_layouts.WIDEST
        for shape in equal_layouts.full_shapes(stock.total, widest=widest, spares=spares, beside=beside):
            try:
                yield shape, *self._evaluator.workshop.runs(stock, shape)
            except Refusal:
                continue

    def of_all(self, wanted: Sequence[tuple[Stock, Sequence[int]]], widest: int) -> list[tuple[StockOption, ...]]:
        return [self.of(stock, spares, widest) for stock, spares in wanted]

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
