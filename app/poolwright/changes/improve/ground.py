"""What every change of an existing pool is worked out from: the pool as it stands, disks at hand, prices, wishes."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from poolwright.changes.as_design import PoolDesign
from poolwright.changes.explain import with_expansions
from poolwright.changes.growth.design import GrownDesign, born, filled
from poolwright.changes.growth.plan import charged_percent
from poolwright.changes.improve.values import PoolNumbers
from poolwright.design.buying import still_sold
from poolwright.design.evaluate import DEFAULTS, evaluate_in_steps
from poolwright.domain.catalogue import Catalogue, Product, planned_disks
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import MixedCurrenciesError, Money, money
from poolwright.domain.pool import ExistingPool
from poolwright.domain.vdev import VdevClass
from poolwright.domain.workload import Budget
from poolwright.predict.drives import DriveBook
from poolwright.texts import tell

MOST_FILL_PERCENT = 85  # of a pool made anew, with the data of now
_ABOUT = 0.7  # a disk that is smaller than this share of those beside it in a vdev wastes them
_LEAST_SHARE = 0.995  # disks of one trade size differ by some MB


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAtHand:
    """The pool, and what may come into it. ``free`` are disks of the machine that nothing uses and that are sound.

    ``flash`` has drives for a log device, where the catalogue has none.
    """

    made: PoolDesign
    known: ExistingPool
    state: GrownDesign
    free: tuple[Disk, ...]
    catalogue: Catalogue
    flash: Catalogue
    budget: Budget
    drives: DriveBook
    today: date

    @property
    def data(self) -> tuple[tuple[int, Vdev], ...]:
        return tuple((n, v) for n, v in enumerate(self.state.tops) if v and v.vdev_class is VdevClass.DATA)

    def size(self, vdev: Vdev) -> int:
        """Return the bytes of the smallest member."""
        return min((m.slice_bytes or self.state.disk(m.disk_key).size_bytes or 0) for m in vdev.members)

    def media(self, vdevs: Sequence[Vdev]) -> Media | None:
        """Return what the members lie on; None where nobody knows, or they differ."""
        found = {self.state.disk(member.disk_key).media for vdev in vdevs for member in vdev.members}
        return found.pop() if len(found) == 1 else None

    def choices(
        self,
        count: int,
        least: int,
        media: Media | None,
        *,
        larger: bool = False,
        shingled: bool = False,
        unpriced: int | None = None,
    ) -> Iterator[tuple[Disk, ...]]:
        """Yield in which ways ``count`` disks of at least ``least`` bytes can be had.

        Those at hand, smallest first; where they are too few, with the rest of the cheapest model, or all of it. With
        ``larger`` the disks make a vdev together, in which each counts as the smallest: then the cheapest model of each
        size, beside disks at hand of about its size alone. One of unknown price, of ``unpriced`` bytes, where the
        catalogue has none. Shingled disks only where they are wanted.
        """
        fitting = sorted(
            (
                disk
                for disk in self.free
                if _fits(disk.size_bytes, disk.media, least, media) and (shingled or not disk.smr)
            ),
            key=_order,
        )
        if len(fitting) >= count:
            yield _alike(fitting, count) if larger else tuple(fitting[:count])
            if not larger:
                return
        products = list(self._cheapest_of_each_size(least, media))
        if not larger:
            products = sorted(products, key=_price)[:1]
        for product in products:
            beside = [disk for disk in fitting if not larger or _of_about(disk, product.size_bytes)]
            if 0 < len(beside) < count:
                yield (*beside, *planned_disks(product, count - len(beside)))
            yield planned_disks(product, count)
        if not products and len(fitting) < count:
            yield (*fitting, *_unpriced(count - len(fitting), unpriced or least, media))

    def _cheapest_of_each_size(self, least: int, media: Media | None) -> Iterator[Product]:
        cheapest: dict[int, Product] = {}
        for product in still_sold(self.catalogue).products:
            if product.price is None or not _fits(product.size_bytes, product.media, least, media):
                continue
            other = cheapest.get(product.size_bytes)
            if other is None or other.price is None or product.price.amount < other.price.amount:
                cheapest[product.size_bytes] = product
        yield from (cheapest[size] for size in sorted(cheapest))

    def cost(self, disks: Sequence[Disk]) -> Money | None:
        """Return what the planned ones of these disks cost together; None where one cannot be told."""
        prices = [disk.price or self.budget.price_per_disk for disk in disks if disk.planned]
        known = [price for price in prices if price is not None]
        if len(known) < len(prices):
            return None
        try:
            return self.budget.sum_of(known) if known else money(0, self.budget.reckoned_in)
        except MixedCurrenciesError:
            return None

    def filled(self, state: GrownDesign) -> Design:
        """Return what becomes of the pool as a design, as full as the data of now make it."""
        return filled(state, self.state.pool.capacity())

    def numbers(self, state: GrownDesign) -> Generator[None, None, PoolNumbers]:
        """Return what the models say of a pool, in slices; what they cannot tell is None."""
        numbers, design = PoolNumbers(), self.filled(state)
        try:
            usable = state.pool.capacity().available_bytes
            numbers = PoolNumbers(usable_bytes=usable, room_bytes=round(usable * 100 / charged_percent(state)))
            found = yield from evaluate_in_steps(
                design, drives=self.drives, today=self.today, rules=None, assumed=DEFAULTS, unassigned_disks=0
            )
        except PoolwrightError:
            return numbers
        numbers, expected = replace(numbers, survived=found.survived), found.main.expected
        if expected is None:
            return numbers
        speed, rebuild = expected.speed, expected.rebuild
        return replace(
            numbers,
            loss=expected.risk.probability,
            rebuild_hours=None if rebuild is None else rebuild.typical,
            seq_read=speed.seq_read.typical,
            seq_write=speed.seq_write.typical,
            rand_read_iops=speed.rand_read_iops.typical,
            rand_write_iops=speed.rand_write_iops.typical,
        )


def state_of(made: PoolDesign, known: ExistingPool) -> GrownDesign:
    """Return the pool as it stands, with what raidz vdevs had of disks when they were made.

    Raises Refusal where OpenZFS would not make such a pool.
    """
    names = {vdev.members: node.name for vdev, node in zip(made.design.vdevs, made.nodes, strict=True)}
    return grown_widths(born(made.design), names, with_expansions(made, known))


def grown_widths(state: GrownDesign, names: dict[tuple[Member, ...], str], known: ExistingPool) -> GrownDesign:
    """Return a pool whose raidz vdevs may have been expanded since they were made; ``names`` are those of its vdevs."""
    widths = {
        members: len(members) - (sizes.expansions or 0)
        for members, name in names.items()
        if (sizes := known.vdev(name)) is not None
    }
    tops = tuple(replace(top, born_width=widths.get(top.members, top.born_width)) for top in state.pool.tops)
    return replace(state, pool=replace(state.pool, tops=tops))


def sound_and_free(design: Design) -> tuple[Disk, ...]:
    """Return the disks that may come into the pool: nothing uses them, and they are sound as far as they say."""
    placed = design.used_keys()
    return tuple(
        disk
        for disk in design.disks
        if disk.key not in placed and disk.use_known and not disk.refusals() and disk.health in (Health.GOOD, None)
    )


def _price(product: Product) -> Fraction:
    return Fraction(product.price.amount) if product.price is not None else Fraction(0)


def _fits(size: int | None, own: Media | None, least: int, media: Media | None) -> bool:
    same = media is None or own is media or (own in FLASH_MEDIA and media in FLASH_MEDIA)
    return same and size is not None and size >= least * _LEAST_SHARE


def _of_about(disk: Disk, size: int) -> bool:
    return (disk.size_bytes or 0) >= size * _ABOUT


def _alike(fitting: Sequence[Disk], count: int) -> tuple[Disk, ...]:
    """Return so many disks of about one size, the smallest that there are; else the largest."""
    windows = [tuple(fitting[n : n + count]) for n in range(len(fitting) - count + 1)]
    return next((some for some in windows if _of_about(some[0], some[-1].size_bytes or 0)), windows[-1])


def _order(disk: Disk) -> tuple[int, str]:
    return disk.size_bytes or 0, disk.key


def _unpriced(count: int, size: int, media: Media | None) -> tuple[Disk, ...]:
    return tuple(
        Disk(key=f"buy-{n + 1:02d}", model=tell("any model"), size_bytes=size, media=media, planned=True)
        for n in range(count)
    )
