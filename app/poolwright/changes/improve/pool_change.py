"""A change to an existing pool: what it is worked out from, what it does, and what it is worth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from math import log2, log10
from typing import TypeVar

from poolwright.capacity.device import MOST_ASHIFT
from poolwright.changes.as_design import PoolDesign, PoolVdev
from poolwright.changes.explain import with_expansions
from poolwright.changes.growth.design import GrownDesign, created_pool, filled
from poolwright.changes.growth.plan import charged_percent
from poolwright.design.buying import still_sold
from poolwright.design.evaluate import evaluate
from poolwright.design.rank import weights_for
from poolwright.domain.catalogue import Catalogue, Product, planned_disks
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import MixedCurrenciesError, Money, money
from poolwright.domain.pool import ExistingPool
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass
from poolwright.domain.workload import Budget, Workload
from poolwright.predict.drives import DriveBook
from poolwright.predict.number_words import hours_text, odds_text, operations_text
from poolwright.texts import N_, _


class Urgency(StrEnum):
    FIRST = N_("First of all")
    WORTH = N_("Worth it, the best first")
    LITTLE = N_("Brings little here")
    DEAR = N_("More than there is to spend")
    ASK = N_("Not known enough to say")
    NOT = N_("Better not, or not possible")


class ChangeKind(StrEnum):
    """What is done. The words are those of the JSON document."""

    REPLACE_FAILING = "replace-failing"
    MIRROR_BARE = "mirror-bare-disks"
    MIRROR_SUPPORT = "mirror-support"
    MIRROR_LOG = "mirror-log"
    ADD_VDEV = "add-vdev"
    REPLACE_LARGER = "replace-larger"
    WIDEN = "widen-raidz"
    ADD_SIDES = "add-sides"
    SPARE = "add-spare"
    SPECIAL = "add-special"
    LOG = "add-log"
    CACHE = "add-cache"
    LONE_DISK = "add-lone-disk"
    UNLIKE_VDEV = "add-unlike-vdev"
    REBUILD = "rebuild"
    NEW_POOL = "new-pool"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNumbers:
    """What is known of a pool before or after a change; None is unknown.

    ``usable_bytes`` is USED + AVAIL of `zfs list`, ``room_bytes`` what the data may take in it: more, where blocks
    lie over more disks than `zfs list` counts with. ``loss`` is the yearly probability of loss by whatever cause,
    ``disk_loss`` by disks alone; rates are bytes/s and operations a second.
    """

    usable_bytes: int | None = None
    room_bytes: int | None = None
    survived: int | None = None
    loss: float | None = None
    disk_loss: float | None = None
    rebuild_hours: float | None = None
    seq_read: float | None = None
    seq_write: float | None = None
    rand_read_iops: float | None = None
    rand_write_iops: float | None = None


NOTHING_KNOWN = PoolNumbers()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMove:
    """What `poolwright migrate` is asked for a change that no command makes of the pool itself.

    ``layout`` is of the new pool, ``bought`` the disks that come for it; empty where none do.
    """

    layout: str
    bought: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolChange:
    """One change.

    ``design`` is the pool after it (None where there is nothing to plan), ``disks`` are those that come; ``cost`` is
    None where a price is unknown. ``points`` say what it is worth for the goal, by the steps of the ranking, ``lifts``
    that it brings the pool above a floor of its goal that it is below. ``more_disks`` is how many more disks than now a
    new pool has; ``move`` is how the data come into it, for its ``design`` is no pool that commands make of this one.
    ``rewrite`` says what stays as it is of the data, ``minds`` what to mind, ``behind`` why it is over budget.
    """

    kind: ChangeKind
    urgency: Urgency
    title: str
    why: str
    design: Design | None = None
    disks: tuple[Disk, ...] = ()
    cost: Money | None = None
    after: PoolNumbers | None = None
    gains: tuple[str, ...] = ()
    points: float = 0.0
    lifts: bool = False
    more_disks: int = 0
    move: PoolMove | None = None
    rewrite: str = ""
    minds: tuple[str, ...] = ()
    behind: str = ""

    @property
    def bought(self) -> tuple[Disk, ...]:
        return tuple(disk for disk in self.disks if disk.planned)

    @property
    def at_hand(self) -> tuple[Disk, ...]:
        return tuple(disk for disk in self.disks if not disk.planned)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolImprovements:
    """The answer for one pool: ``changes`` in the order in which to think of them; ``before`` as the pool is now.

    ``left`` is what is left of the money when the urgent is paid; ``notes`` say what the answer rests on.
    """

    design: Design
    pool_name: str
    before: PoolNumbers
    fill_percent: int | None
    changes: tuple[PoolChange, ...]
    money: Money | None = None
    left: Money | None = None
    notes: tuple[str, ...] = ()


# The pool as it stands, disks at hand, prices, wishes.

MOST_FILL_PERCENT = 85  # of a rebuilt pool, with today's data
_ABOUT = 0.7  # a disk that is smaller than this share of those beside it in a vdev wastes them
_LEAST_SHARE = 0.995  # disks of one trade size differ by some MB
NO_CATALOGUE = Catalogue()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveQuestion:
    """What is asked beside the pool: what there is to spend (``budget.money``), prices, and what the models rest on.

    ``flash`` has drives for a log device, for a catalogue that has none.
    """

    budget: Budget
    catalogue: Catalogue
    drives: DriveBook
    today: date
    flash: Catalogue = NO_CATALOGUE


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolToImprove:
    """The pool, and what may come into it. ``free`` are disks of the machine that nothing uses and that are sound.

    ``before`` is what the models say of it as it is.
    """

    made: PoolDesign
    known: ExistingPool
    state: GrownDesign
    free: tuple[Disk, ...]
    question: ImproveQuestion
    before: PoolNumbers = NOTHING_KNOWN

    @property
    def fill(self) -> int | None:
        """Return how full it is, in per cent, once its devices are expanded, where these make the design."""
        fill, size = self.known.number("capacity"), self.known.number("size")
        return fill * size // (size + self.made.expanded_bytes) if fill is not None and size else fill

    @property
    def data(self) -> tuple[tuple[int, Vdev], ...]:
        return self.of_class(VdevClass.DATA)

    def of_class(self, *classes: VdevClass) -> tuple[tuple[int, Vdev], ...]:
        return tuple((n, v) for n, v in enumerate(self.state.tops) if v and v.vdev_class in classes)

    def size(self, vdev: Vdev) -> int:
        return min((m.slice_bytes or self.state.disk(m.disk_key).size_bytes or 0) for m in vdev.members)

    def media(self, vdevs: Sequence[Vdev]) -> Media | None:
        """Return what the members lie on; None where nobody knows, or they differ."""
        media = {self.state.disk(member.disk_key).media for vdev in vdevs for member in vdev.members} - {None}
        return media.pop() if len(media) == 1 else None

    def choices(
        self, count: int, least: int, media: Media | None, *, larger: bool = False, unpriced: int | None = None
    ) -> Iterator[tuple[Disk, ...]]:
        """Yield the choices of ``count`` disks of at least ``least`` bytes.

        Those at hand, smallest first; where they are too few, with the rest of the cheapest model, or all of it. With
        ``larger`` the disks make a vdev together, in which each counts as the smallest: then the cheapest model of each
        size, beside disks at hand of about its size alone. One of unknown price, of ``unpriced`` bytes, where the
        catalogue has none. No shingled disks.
        """
        fitting = sorted(
            (disk for disk in self.free if _fits(disk.size_bytes, disk.media, least, media) and not disk.smr),
            key=lambda disk: (disk.size_bytes or 0, disk.key),
        )
        if len(fitting) >= count:
            yield _alike(fitting, count) if larger else tuple(fitting[:count])
            if not larger:
                return
        products = list(self._cheapest_of_each_size(least, media))
        if not larger:
            products = sorted(products, key=lambda p: p.price.amount if p.price is not None else 0)[:1]
        for product in products:
            beside = [disk for disk in fitting if not larger or _is_about(disk, product.size_bytes)]
            if 0 < len(beside) < count:
                yield (*beside, *planned_disks(product, count - len(beside)))
            yield planned_disks(product, count)
        if not products and len(fitting) < count:
            # No model, rather than words for it: a model is data, by which rates are remembered in any language.
            blank = Disk(key="", size_bytes=unpriced or least, media=media, planned=True)
            bought = (replace(blank, key=f"buy-{n:02d}") for n in range(1, count - len(fitting) + 1))
            yield (*fitting, *bought)

    def _cheapest_of_each_size(self, least: int, media: Media | None) -> Iterator[Product]:
        cheapest: dict[int, Product] = {}
        for product in still_sold(self.question.catalogue).products:
            if product.price is None or not _fits(product.size_bytes, product.media, least, media):
                continue
            other = cheapest.get(product.size_bytes)
            if other is None or other.price is None or product.price.amount < other.price.amount:
                cheapest[product.size_bytes] = product
        yield from (cheapest[size] for size in sorted(cheapest))

    def cost(self, disks: Sequence[Disk]) -> Money | None:
        """Return what the planned ones of these disks cost together; None where one cannot be told."""
        budget = self.question.budget
        prices = [disk.price or budget.price_per_disk for disk in disks if disk.planned]
        known = [price for price in prices if price is not None]
        if len(known) < len(prices):
            return None
        try:
            return budget.sum_of(known) if known else money(0, budget.reckoned_in)
        except MixedCurrenciesError:
            return None

    def filled(self, state: GrownDesign) -> Design:
        """Return what becomes of the pool as a design, as full as the data of now make it."""
        return filled(state, self.state.pool.capacity())

    def numbers(self, state: GrownDesign) -> PoolNumbers:
        """Return what the models say of a pool; what they cannot tell is None."""
        numbers, design = NOTHING_KNOWN, self.filled(state)
        try:
            usable = state.pool.capacity().available_bytes
            numbers = PoolNumbers(usable_bytes=usable, room_bytes=round(usable * 100 / charged_percent(state)))
            evaluation = evaluate(design, drives=self.question.drives, today=self.question.today)
        except PoolwrightError:
            return numbers
        numbers, expected = replace(numbers, survived=evaluation.survived), evaluation.main.expected
        if expected is None:
            return numbers
        speed, rebuild = expected.speed, expected.rebuild
        return replace(
            numbers,
            loss=expected.risk.probability,
            disk_loss=expected.risk.disk_probability,
            rebuild_hours=None if rebuild is None else rebuild.typical,
            seq_read=speed.seq_read.typical,
            seq_write=speed.seq_write.typical,
            rand_read_iops=speed.rand_read_iops.typical,
            rand_write_iops=speed.rand_write_iops.typical,
        )

    def weighed(self, change: PoolChange, after: PoolNumbers) -> PoolChange:
        """Return a change with the numbers of the pool ``after`` it, what it brings, and what that is worth."""
        points = _points(self.before, after, self.made.design.workload, self.fill)
        return replace(change, after=after, gains=tuple(_gains(self.before, after)), points=points)


def state_of(made: PoolDesign, known: ExistingPool) -> GrownDesign:
    """Return the pool as it stands and as its raidz were made. Raises Refusal where OpenZFS would not make it."""
    return grown_widths(created_pool(made.design), made.tops, with_expansions(made, known))


def grown_widths(state: GrownDesign, vdevs: Sequence[PoolVdev], known: ExistingPool) -> GrownDesign:
    """Return a pool whose raidz vdevs may have been expanded since they were made."""
    sizes_of = ((top.vdev.members, known.vdev(top.node.name)) for top in vdevs)
    widths = {members: len(members) - (sizes.expansions or 0) for members, sizes in sizes_of if sizes is not None}
    tops = tuple(replace(top, born_width=widths.get(top.members, top.born_width)) for top in state.pool.tops)
    return replace(state, pool=replace(state.pool, tops=tops))


def sound_and_free(design: Design) -> tuple[Disk, ...]:
    """Return the disks that may come into the pool: nothing uses them, and as far as they say they are sound.

    None whose sectors are larger than the blocks of the pool (4Kn for ashift 9): OpenZFS refuses those.
    """
    placed, block = design.used_keys(), 1 << (design.known_ashift or MOST_ASHIFT)
    free = (disk for disk in design.disks if disk.key not in placed and disk.use_known and not disk.refusals())
    return tuple(d for d in free if d.health in (Health.GOOD, None) and (d.logical_sector_bytes or 0) <= block)


def _fits(size: int | None, disk_media: Media | None, least: int, media: Media | None) -> bool:
    same = media is None or disk_media is media or (disk_media in FLASH_MEDIA and media in FLASH_MEDIA)
    return same and size is not None and size >= least * _LEAST_SHARE


def _is_about(disk: Disk, size: int) -> bool:
    return (disk.size_bytes or 0) >= size * _ABOUT


# ``count`` disks of about one size, the smallest there are; else the largest.
def _alike(fitting: Sequence[Disk], count: int) -> tuple[Disk, ...]:
    windows = [tuple(fitting[n : n + count]) for n in range(len(fitting) - count + 1)]
    return next((disks for disks in windows if _is_about(disks[0], disks[-1].size_bytes or 0)), windows[-1])


# What a change is worth: the points of the ranking for each doubling, and the same in words.

# Room is worth little in a pool that is half empty, and more than in a plan where it is nearly full.
_EMPTY_PERCENT, _FULL_PERCENT = 40, 80
_LEAST_FACTOR, _MOST_FACTOR = 0.15, 1.5
_Number = TypeVar("_Number", int, float)
_LEAST_CHANGE = 1.05  # smaller changes are within what the models can tell


def _points(before: PoolNumbers, after: PoolNumbers, workload: Workload, fill_percent: int | None) -> float:
    """Return what the change is worth for the goal: the steps of the ranking for each doubling (risk: power of ten)."""
    points = 0.0
    for name, (_most, step) in weights_for(workload.goal, workload.sequential_percent).items():
        ratio = _ratio(name, before, after)
        if ratio is None:
            continue
        if name == "risk":
            points += step * log10(ratio)
        elif name == "capacity":
            points += step * _room_doublings(ratio, fill_percent)
        else:
            points += step * log2(ratio)
    return points


# The doublings of room, weighed by how much of it is needed: until the pool is less than half full.
def _room_doublings(ratio: float, fill_percent: int | None) -> float:
    if fill_percent is None:
        return log2(ratio)
    share = (fill_percent - _EMPTY_PERCENT) / (_FULL_PERCENT - _EMPTY_PERCENT)
    factor = min(_MOST_FACTOR, max(_LEAST_FACTOR, share))
    needed = min(ratio, max(1.0, fill_percent / _EMPTY_PERCENT))
    return log2(needed) * factor + log2(ratio / needed) * _LEAST_FACTOR


# By what factor the pool is better; None where one of the two is unknown.
def _ratio(name: str, before: PoolNumbers, after: PoolNumbers) -> float | None:
    pairs = {
        "risk": (after.loss, before.loss),
        "capacity": (before.room_bytes, after.room_bytes),
        "rebuild": (after.rebuild_hours, before.rebuild_hours),
        "streaming": (_streaming(before), _streaming(after)),
        "reads": (before.rand_read_iops, after.rand_read_iops),
        "writes": (before.rand_write_iops, after.rand_write_iops),
    }
    low, high = pairs[name]
    return high / low if low and high else None


def _streaming(numbers: PoolNumbers) -> float | None:
    if numbers.seq_read is None or numbers.seq_write is None:
        return None
    return numbers.seq_read * numbers.seq_write


def _gains(before: PoolNumbers, after: PoolNumbers) -> Iterator[str]:
    """Yield what changes by 5 % or more, each in a few words, capacity first."""
    yield from _gain(N_("usable {before} → {after}"), binary, before.usable_bytes, after.usable_bytes)
    if after.room_bytes and after.usable_bytes and after.room_bytes > after.usable_bytes * _LEAST_CHANGE:
        yield _("room for {size} once all is written anew", size=binary(after.room_bytes))
    if before.survived != after.survived and before.survived is not None and after.survived is not None:
        yield _("failures survived {old} → {new}", old=before.survived, new=after.survived)
    for text, form, was, becomes in (
        (N_("pool loss {before} → {after} per year"), odds_text, before.loss, after.loss),
        (N_("sequential reads {before} → {after}"), rate_text, before.seq_read, after.seq_read),
        (N_("sequential writes {before} → {after}"), rate_text, before.seq_write, after.seq_write),
        (N_("random reads {before} → {after}"), operations_text, before.rand_read_iops, after.rand_read_iops),
        (N_("random writes {before} → {after}"), operations_text, before.rand_write_iops, after.rand_write_iops),
        (N_("rebuild {before} → {after}"), hours_text, before.rebuild_hours, after.rebuild_hours),
    ):
        yield from _gain(text, form, was, becomes)


def _gain(text: str, form: Callable[[_Number], str], before: _Number | None, after: _Number | None) -> Iterator[str]:
    if before and after and not 1 / _LEAST_CHANGE < after / before < _LEAST_CHANGE:
        yield _(text, before=form(before), after=form(after))
