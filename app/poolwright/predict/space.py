"""Space as it will really be: each dataset of a design with what it takes, the sum, and when the pool is 80 % full."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from math import log

from poolwright.capacity.pool import PoolCapacity
from poolwright.capacity.vdev import allocated_bytes
from poolwright.domain.dataset_properties import space_bytes
from poolwright.domain.design import Dataset, Design
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.inheritance import Resolver
from poolwright.domain.money import Money, rounded
from poolwright.domain.units import KIB, PLAN_FILL_PERCENT, TIB, binary
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.groups import band_of, times
from poolwright.predict.usage import (
    DatasetContent,
    DatasetUsage,
    PoolUsage,
    block_efficiency,
    contents_of,
    predict_usage,
)
from poolwright.texts import N_, _

# What each volblocksize wastes on a layout: parity and padding of raidz, whole stripes of dRAID, whole sectors.

VOLUME_BLOCKS = tuple(KIB << shift for shift in range(2, 8))  # 4K to 128K, which OpenZFS takes without a tunable
PROBE_BYTES = TIB


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeBlock:
    """One volblocksize on a pool.

    ``disk_bytes`` is what one incompressible block takes on all disks, ``efficiency`` the share of that which is data,
    ``nominal`` the share without padding and stripes; ``reserved_bytes`` what a volume of 1 TiB that is not sparse
    sets aside.
    """

    block_bytes: int
    disk_bytes: int
    efficiency: float
    nominal: float
    reserved_bytes: int

    @property
    def waste(self) -> float:
        return max(0.0, 1 - self.efficiency / self.nominal)


def volume_blocks(capacity: PoolCapacity) -> tuple[VolumeBlock, ...]:
    found = []
    for block in VOLUME_BLOCKS:
        efficiency, nominal = block_efficiency(capacity, block)
        found.append(
            VolumeBlock(
                block_bytes=block,
                disk_bytes=round(block / efficiency),
                efficiency=efficiency,
                nominal=nominal,
                reserved_bytes=volume_reservation(capacity, PROBE_BYTES, block),
            )
        )
    return tuple(found)


# When a pool reaches 80 %: the date to plan for (thesis, chapter 5.7: random writes collapse above it).

DAYS_PER_YEAR = 365.25
# Nobody knows the growth of the next years to better than a third either way: the band.
GROWTH_DOUBT = 1 / 3
LONGEST_YEARS = 200.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FillForecast:
    """When the plan's level is reached: years from today, and the dates (None: not within 200 years).

    ``earliest`` belongs to the fastest growth of the band. ``reached`` says that it already is.
    """

    level_bytes: int
    reached: bool
    years: float | None
    earliest: date | None
    typical: date | None
    latest: date | None


def forecast(
    *,
    used_bytes: int,
    available_bytes: int,
    growth: float,  # per cent a year
    today: date,
    used_band: tuple[int, int] | None = None,
    fixed_bytes: int = 0,
) -> FillForecast:
    """Return when ``used_bytes`` grow to 80 % of ``available_bytes`` (USED + AVAIL of the empty pool).

    ``used_band`` is the least and the most that ``used_bytes`` may be, where it is predicted itself: the most with the
    fastest growth gives the earliest date. ``fixed_bytes`` of it, such as the reservation of a volume, do not grow.
    """
    least, most = used_band if used_band is not None else (used_bytes, used_bytes)
    level = int(available_bytes * PLAN_FILL_PERCENT // 100)
    if used_bytes >= level:
        return FillForecast(level_bytes=level, reached=True, years=None, earliest=today, typical=today, latest=today)
    # The band of the date: most stored and growing fastest, least stored and growing slowest.
    fast, typical, slow = (
        0.0 if used >= level else _years(used - fixed_bytes, level - fixed_bytes, growth, 1 + doubt)
        for used, doubt in ((most, GROWTH_DOUBT), (used_bytes, 0), (least, -GROWTH_DOUBT))
    )
    return FillForecast(
        level_bytes=level,
        reached=False,
        years=typical,
        earliest=_date(today, fast),
        typical=_date(today, typical),
        latest=_date(today, slow),
    )


def _years(used: int, level: int, growth: float, factor: float) -> float | None:
    rate = growth / 100 * factor
    # Nothing grows from nothing by a percentage.
    years = log(level / used) / log(1 + rate) if rate > 0 and used > 0 else LONGEST_YEARS + 1
    return years if years <= LONGEST_YEARS else None


def _date(today: date, years: float | None) -> date | None:
    return None if years is None else today + timedelta(days=round(years * DAYS_PER_YEAR))


_NOTHING = (0.0, 0.0, 0.0)
_TYPICAL_BLOCK = 128 << 10
_POINTERS = 1024
_FIXED_METADATA_BLOCKS = 7
_RESERVED = Origin(
    kind=OriginKind.COMPUTED, source=N_("OpenZFS's reservation of a volume: lib/libzfs, zvol_volsize_to_reservation")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSpace:
    """What one dataset takes.

    ``usage`` is None where nobody said how much lies in it. ``reserved_bytes`` are set aside for it alone. ``used`` is
    what `zfs list` will print as USED without its children: the larger of the two, None where neither is known.
    ``block_bytes`` is the size of its typical block; of the disks' bytes such a block fills ``efficiency`` with data,
    where ``nominal`` is the share of data disks. ``waste_bytes`` are bytes of disks that its data take beyond that,
    and ``waste_money`` what these cost at the price of the disks.
    """

    dataset: Dataset
    notes: tuple[str, ...]
    usage: DatasetUsage | None
    reserved_bytes: int | None
    used: Estimate | None
    block_bytes: int
    efficiency: float
    nominal: float
    waste_bytes: int | None
    waste_money: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a dataset may come to take: by itself up to ``most`` beside its snapshots, with all below up to ``whole``.

    ``kept`` and ``whole_kept`` are set aside for it. 0 where there is no such limit or reservation.
    """

    name: str
    volume: bool
    used: int
    most: int
    whole: int
    kept: int
    whole_kept: int
    snapshots: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Promises:
    """What the volumes, quotas and reservations of a pool come to, against what it holds.

    ``promised_bytes`` are taken when every volume and quota is full and all else stays as it is; ``thin_bytes`` of them
    belong to volumes for which nothing is set aside. ``reserved_bytes`` are set aside, written or not.
    """

    usable_bytes: int
    promised_bytes: int
    thin_bytes: int
    reserved_bytes: int
    free_bytes: int

    @property
    def percent(self) -> int:
        return -(-self.promised_bytes * 100 // self.usable_bytes)

    @property
    def text(self) -> str:
        words = {name: binary(getattr(self, f"{name}_bytes")) for name in ("promised", "thin", "reserved", "usable")}
        return _(
            "Promised {promised}, {percent} % of {usable}; thin volumes {thin}, reserved {reserved}, free {free}",
            **words, percent=self.percent, free=binary(max(0, self.free_bytes)),
        )  # fmt: skip

    def facts(self) -> dict[str, int]:
        whole = {"pool.promised_bytes": self.promised_bytes, "pool.promised_percent": self.percent}
        return {**whole, "pool.thin_bytes": self.thin_bytes}


def promises_of(each: Iterable[Promise], usable_bytes: int, free_bytes: int) -> Promises | None:
    """Return the sum of what is promised; None where no dataset has a limit, a size or a reservation."""
    found = tuple(each)
    if usable_bytes <= 0 or not any(one.most or one.whole or one.kept or one.whole_kept for one in found):
        return None
    parts = []
    for one in found:  # a quota holds volumes back as well, but no guest knows of it
        volumes = sum(each.most for each in found if one.whole and each.volume and each.name.startswith(f"{one.name}/"))
        full = max(one.used, one.most, one.kept) + one.snapshots
        parts.append((one.name, full, one.whole_kept, one.whole and max(one.whole, volumes)))
    return Promises(
        usable_bytes=usable_bytes,
        promised_bytes=round(_summed(parts)),
        thin_bytes=sum(max(0, one.most - one.kept) for one in found if one.volume),
        reserved_bytes=round(_summed((one.name, one.kept, one.whole_kept, 0) for one in found)),
        free_bytes=free_bytes,
    )


def _summed(parts: Iterable[tuple[str, float, int, int]]) -> float:
    """Return what datasets take together: each its name, what it takes itself, and the least with all below it.

    The last is its limit with all below it, which it is to reach; 0 for none.
    """
    found = sorted(parts, key=lambda part: -part[0].count("/"))  # what is below counts towards what is said above
    names = {part[0] for part in found}
    sums: defaultdict[str, float] = defaultdict(float)
    for name, own, least, limit in found:
        above = name.rpartition("/")[0]
        sums[above if above in names else ""] += max(limit or own + sums[name], least)
    return sums[""]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSpace:
    """All datasets of a pool, parents first, and their sum.

    ``used`` is the sum of all that is known, reservations included; ``normal`` the part of it that the data vdevs
    carry, ``fixed_bytes`` the part that is reserved and does not grow. ``uncounted`` names datasets of unknown content,
    ``promised`` is what they may come to, by name.
    """

    datasets: tuple[DatasetSpace, ...]
    usage: PoolUsage
    used: Estimate
    normal: Estimate
    fixed_bytes: int
    uncounted: tuple[str, ...]
    promised: tuple[Promise, ...] = ()

    @property
    def promises(self) -> Promises | None:
        return promises_of(self.promised, self.available_bytes, self.free_bytes)

    @property
    def available_bytes(self) -> int:
        return self.usage.available_bytes

    @property
    def fill_percent(self) -> Estimate:
        return times(self.normal, 100 / self.available_bytes)

    @property
    def free_bytes(self) -> int:
        return self.available_bytes - round(self.normal.typical)

    def of(self, name: str) -> DatasetSpace | None:
        return next((item for item in self.datasets if item.dataset.name == name), None)

    def full_at(self, growth: float, today: date) -> FillForecast:
        normal = self.normal
        return forecast(
            used_bytes=round(normal.typical),
            available_bytes=self.available_bytes,
            growth=growth,
            today=today,
            used_band=(round(normal.low), round(normal.high)),
            fixed_bytes=min(self.fixed_bytes, round(normal.low)),
        )


def predict_space(design: Design, capacity: PoolCapacity, *, compress_ratio: float | None = None) -> PoolSpace:
    """Return what the datasets of the main pool of ``design`` take in the pool of ``capacity``.

    ``compress_ratio`` is how much data that compress do so, where somebody measured it. Raises UserError where a
    property has a value that is none.
    """
    contents = contents_of(design, compress_ratio=compress_ratio)
    known = [item for item in contents if item.content is not None]
    usage = predict_usage(capacity, tuple(item.content for item in known if item.content is not None))
    of_name = {item.dataset.name: found for item, found in zip(known, usage.datasets, strict=True)}
    price = _price_per_byte(design)
    datasets = tuple(_one(item, of_name.get(item.dataset.name), capacity, price) for item in contents)
    resolver = Resolver(design)
    promised = tuple(_promise(*each, resolver, capacity) for each in zip(contents, datasets, strict=True))
    # zfs list charges a reservation as used whether or not anything is stored.
    extra = _reserved_beyond(promised, datasets)
    return PoolSpace(
        datasets=datasets,
        usage=usage,
        used=_added(usage.used, extra),
        normal=_added(usage.normal, extra),
        fixed_bytes=sum(item.reserved_bytes or 0 for item in datasets),
        uncounted=tuple(item.dataset.name for item in contents if item.uncounted),
        promised=promised,
    )


def _promise(item: DatasetContent, space: DatasetSpace, resolver: Resolver, capacity: PoolCapacity) -> Promise:
    size = item.dataset.volume_bytes
    limit, whole = (space_bytes(resolver.value(item.dataset, name)) or 0 for name in ("refquota", "quota"))
    return Promise(
        name=f"./{item.dataset.name}".rstrip("/"),
        volume=size is not None,
        used=0 if space.usage is None else round(space.usage.used.typical),
        most=volume_reservation(capacity, size, item.block_bytes) if size else limit,
        whole=whole,
        kept=space.reserved_bytes or 0,
        whole_kept=item.subtree_bytes or 0,
    )


def reservation_problems(design: Design, capacity: PoolCapacity) -> list[str]:
    empty = tuple(replace(dataset, logical_bytes=None) for dataset in design.datasets)
    space = predict_space(replace(design, datasets=empty), capacity)
    if space.free_bytes >= 0:
        return []
    asked, room = binary(round(space.normal.typical)), binary(space.available_bytes)
    return [
        _(
            "{pool}: reservations and volumes set aside {asked}, and the pool has {room}. Make them smaller, or "
            "volumes sparse (refreservation=none)",
            pool=design.pool_name,
            asked=asked,
            room=room,
        )
    ]


def volume_reservation(capacity: PoolCapacity, volume_bytes: int, block_bytes: int) -> int:
    # Source: OpenZFS `lib/libzfs/libzfs_dataset.c:zvol_volsize_to_reservation, volsize_from_vdevs`: the blocks at the
    # cost of the dearest raidz or dRAID vdev, and indirect blocks of 128 KiB counted whole, twice. `copies` is not
    # looked at: OpenZFS reserves for one copy whatever is set (seen in 2.3.2).
    blocks = volume_bytes // block_bytes
    data = 0
    for top in (placed.top for placed in capacity.vdevs):
        if top.kind in (VdevKind.RAIDZ, VdevKind.DRAID):  # OpenZFS looks at no other kinds here
            args = (top.kind, top.width, top.parity, top.group_data, capacity.ashift)
            one, usual = allocated_bytes(*args, block_bytes), allocated_bytes(*args, _TYPICAL_BLOCK)
            data = max(data, (blocks * one) // (usual >> 9) * (_TYPICAL_BLOCK >> 9))  # deflated
    indirect, left = _FIXED_METADATA_BLOCKS, blocks
    while left > 1:
        left = -(-left // _POINTERS)
        indirect += left
    return (data or blocks * block_bytes) + indirect * 2 * _TYPICAL_BLOCK


def _one(
    item: DatasetContent, usage: DatasetUsage | None, capacity: PoolCapacity, price: tuple[Fraction, str | None] | None
) -> DatasetSpace:
    dataset = item.dataset
    reserved = item.reserved_bytes
    if item.thick and dataset.volume_bytes is not None:
        reserved = volume_reservation(capacity, dataset.volume_bytes, item.block_bytes)
    block = item.block_bytes
    if usage is not None and usage.content.file_bytes is not None:
        block = min(block, usage.content.file_bytes)
    efficiency, nominal = block_efficiency(capacity, block)
    waste = None if usage is None else max(0, round(usage.disk_bytes - usage.ideal_disk_bytes))
    return DatasetSpace(
        dataset=dataset,
        notes=item.notes,
        usage=usage,
        reserved_bytes=reserved,
        used=_larger(None if usage is None else usage.used, reserved),
        block_bytes=block,
        efficiency=efficiency,
        nominal=nominal,
        waste_bytes=waste,
        waste_money=None if waste is None or price is None else rounded(waste * price[0], price[1]),
    )


def _larger(used: Estimate | None, reserved: int | None) -> Estimate | None:
    if reserved is None:
        return used
    if used is None or used.high <= reserved:
        amount = float(reserved)
        return Estimate(low=amount, typical=amount, high=amount, limit=_("the reservation"), origin=_RESERVED)
    return replace(
        used, low=max(used.low, reserved), typical=max(used.typical, reserved), high=max(used.high, reserved)
    )


def _reserved_beyond(promised: Sequence[Promise], datasets: Sequence[DatasetSpace]) -> list[float]:
    """Return what reservations charge beyond what is used, in the low, the typical and the high case."""
    used = [_NOTHING if item.used is None else band_of(item.used) for item in datasets]
    plain = [_NOTHING if item.usage is None else band_of(item.usage.used) for item in datasets]
    return [
        _summed((one.name, own[case], one.whole_kept, 0) for one, own in zip(promised, used, strict=True))
        - sum(own[case] for own in plain)
        for case in range(3)
    ]


def _price_per_byte(design: Design) -> tuple[Fraction, str | None] | None:
    """Return what a byte of the data disks costs; None unless the price of each of them is known in one currency."""
    disks = [design.disk(m.disk_key) for v in design.vdevs if v.vdev_class is VdevClass.DATA for m in v.members]
    prices = []
    for disk in disks:
        price = disk.price if disk.price is not None else design.budget.price_per_disk
        if price is None or disk.size_bytes is None:
            return None
        prices.append(price)
    try:
        paid = design.budget.sum_of(prices)
    except UserError:  # mixed currencies without a rate: the cost says so
        return None
    total = sum(disk.size_bytes or 0 for disk in disks)
    return (Fraction(paid.amount) / total, paid.currency) if total else None


def _added(estimate: Estimate, extra: Sequence[float]) -> Estimate:
    low, typical, high = (a + b for a, b in zip(band_of(estimate), extra, strict=True))
    return replace(estimate, low=low, typical=typical, high=high)
