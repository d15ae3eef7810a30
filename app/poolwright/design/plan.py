"""Vdevs of unequal disks and plans of pools made of them: each vdev is worked out once, a pool is a sum."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache, partial
from itertools import chain
from math import expm1
from typing import Any

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_devices, slop_bytes
from poolwright.capacity.vdev import TopCapacity, TopVdev, top_capacity
from poolwright.design.equal_layouts import EqualLayout
from poolwright.design.groups import DiskCounts, Packing, Stock
from poolwright.design.request import Medium, spare_specs
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.predict.assessment import Assessment, Forecast, Outlook, outlook_for, risk_for, scaled, share_of_first
from poolwright.predict.assumptions import SpeedInputs
from poolwright.predict.groups import added, group_of, times
from poolwright.predict.reliability import assess_vdev, joined
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions, mean_of, shared_by, sort_of
from poolwright.predict.speed import Typical, typical_speed
from poolwright.texts import per_language


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PackedVdev:
    """A vdev of known kinds of disks. A stripe of N stands for N top-level vdevs: ``tops`` is N, elsewhere 1.

    ``failures_survived`` is how many of its disks may fail; ``stranded_bytes`` is what its members have more than the
    smallest of them. ``kinds`` are the numbers of the kinds of disks in it;
    ``speed_sort`` and ``risk_sort`` are equal of vdevs that are equally fast, and that are lost as easily.
    """

    spec: VdevSpec
    taken: DiskCounts
    layer: int
    slice_bytes: int | None
    top: TopCapacity
    tops: int
    failures_survived: int
    stranded_bytes: int
    kinds: frozenset[int]
    least_bytes: int
    speed_sort: tuple[VdevKind, int, int, int, int]
    risk_sort: tuple[object, ...]


VdevCounts = tuple[tuple[PackedVdev, int], ...]  # equal vdevs with their number


class VdevFactory:
    def __init__(self, medium: Medium) -> None:
        self.medium, self.sizes = medium, tuple([kind.least_bytes for kind in medium.kinds])
        self._version = medium.request.version
        self._leaves = tuple(leaf_bytes(medium.device_bytes(kind)) for kind in range(len(medium.kinds)))
        self._made: dict[tuple[object, ...], PackedVdev] = {}

    def runs(self, stock: Stock, shape: EqualLayout) -> tuple[VdevCounts, DiskCounts]:
        """Return ``shape`` made of ``stock``, wider vdevs of larger pieces, and its spares; raises Refusal."""
        if shape.kind is VdevKind.STRIPE:
            spares, ((taken, _),) = stock.dealt(shape.widths, shape.spares)
            return tuple([(self.vdev(shape.kind, 0, (one,), stock), 1) for one in taken]), spares
        spares, dealt = stock.dealt(shape.widths, shape.spares)
        kind, parity, data, distributed = shape.kind, shape.parity, shape.data, shape.distributed
        each = [(self.vdev(kind, parity, taken, stock, data, distributed), count) for taken, count in dealt]
        return tuple(each), spares

    def vdev(
        self,
        kind: VdevKind,
        parity: int,
        taken: DiskCounts,
        stock: Stock,
        data: int | None = None,
        distributed: int = 0,
    ) -> PackedVdev:
        """Return the vdev of these pieces of ``stock``; raises Refusal for one that OpenZFS refuses."""
        key = (kind, parity, taken, stock.layer, stock.slice_bytes, data, distributed)
        if (found := self._made.get(key)) is not None:
            return found
        sliced, single, sizes = stock.slice_bytes, kind is VdevKind.STRIPE, list[int]()
        for group, count in taken:
            sizes += (sliced or self.sizes[group],) * count
        spec = VdevSpec(
            kind=kind,
            parity=parity,
            sizes=tuple(sizes),
            draid_data=data,
            draid_spares=distributed,
            disk_bytes=None if sliced is None else min(self.sizes[group] for group, _ in taken),
        )
        width, least = 1 if single else spec.width, min(spec.sizes)
        group = spec.group_data if kind is VdevKind.DRAID else 0
        speed_sort = (kind, parity, width, group, distributed)
        top = TopVdev(
            kind=kind,
            width=width,
            parity=parity,
            least_leaf_bytes=min(self._leaves[group] for group, _ in taken) if sliced is None else leaf_bytes(sliced),
            group_data=group,
            spares=distributed,
        )
        packed = self._made[key] = PackedVdev(
            spec=spec,
            taken=taken,
            layer=stock.layer,
            slice_bytes=sliced,
            top=top_capacity(top, self.medium.ashift, self._version),
            tops=spec.width if single else 1,
            failures_survived=0 if single else spec.failures_survived,
            stranded_bytes=sum(spec.sizes) - least * spec.width,
            kinds=frozenset(group for group, _ in taken),
            least_bytes=least,
            speed_sort=speed_sort,
            risk_sort=(*speed_sort, spec.width, least, spec.disk_bytes),
        )
        return packed

    def refused(self, shape: EqualLayout) -> Layout:
        """Return the vdevs of a shape of equal disks that OpenZFS refuses."""
        bare = VdevSpec(kind=shape.kind, parity=shape.parity, draid_data=shape.data, draid_spares=shape.distributed)
        widths = [width for width, count in shape.widths for _ in range(count)]
        return (
            *(replace(bare, sizes=self.sizes * width) for width in widths),
            *spare_specs(self.medium, ((0, shape.spares),) if shape.spares else ()),
        )

    def usable_bytes(self, runs: VdevCounts) -> int:
        """Return what USED + AVAIL of a new pool of these vdevs will be."""
        normal = embedded = 0
        for made, count in runs:
            number = count * made.tops
            normal += made.top.usable_bytes * number
            embedded += made.top.embedded_usable_bytes * number
        return normal - slop_bytes(normal, embedded, self._version)


Spares = Sequence[tuple[int, int]]  # sizes of hot spares with their number

# Conditions of the members of vdevs, and the risks that are known under them: the logarithms of a year without loss by
# whatever cause and by failures of disks alone; the hours of a rebuild. Told apart by what the risk of a vdev depends
# on beside the conditions, its sort and the spares.
KnownRisks = tuple[RiskConditions, dict[tuple[object, ...], tuple[float, float, float | None]]]
_Sorts = tuple[tuple[tuple[VdevKind, int, int, int, int], int], ...]  # of the speed of vdevs, with their number


# Conditions that are remembered at once: each mix of kinds of disks has its own, and each share of time for a rebuild.
# Whoever changes a wish asks about the same vdevs again.
@per_language
@lru_cache(maxsize=512)
def _known_under(_: RiskConditions | SpeedInputs) -> dict[Any, Any]:
    return {}


class Forecaster:
    """Forecasts pools under one outlook. The number of disks that share the spares is rounded up.

    What was worked out under equal conditions is remembered from one request to the next.
    """

    def __init__(self, outlook: Outlook) -> None:
        self.outlook = outlook
        self._own: KnownRisks = (outlook.risk, _known_under(outlook.risk))
        self._spared, self._floor = outlook.risk.causes.log_spared(1), outlook.risk.causes.floor(1)
        self._speeds: dict[_Sorts, Typical] = _known_under(outlook.pool_side)

    def forecast(self, runs: VdevCounts, spares: Spares, of: Sequence[KnownRisks] | None = None) -> Forecast:
        """Return the typical values of a pool of these data vdevs.

        ``of`` is for each of the runs what holds for its members, where they are not like all of the outlook.
        """
        served, kept, from_disks, hours = 0, self._spared, 0.0, None
        counted: dict[tuple[VdevKind, int, int, int, int], int] = {}
        for made, count in runs:
            served += made.spec.width * count
            counted[made.speed_sort] = counted.get(made.speed_sort, 0) + made.tops * count
        sorts = tuple(counted.items())
        speed = self._speeds.get(sorts)
        if speed is None:
            groups = tuple([group_of(*sort, count) for sort, count in sorts])
            speed = self._speeds[sorts] = typical_speed(groups, self.outlook.pool_side)
        rounded = shared_by(served)
        own = (self._own,) * len(runs) if of is None else of
        for (made, count), under in zip(runs, own, strict=True):
            # More spares than a vdev can lose disks change its risk by almost nothing.
            fitting = sum([n for size, n in spares if size >= made.least_bytes]) if spares else 0
            usable = min(fitting, made.failures_survived)
            whole, alone, rebuild = _risk(made, under, usable, rounded if usable else 0)
            kept += whole * made.tops * count
            from_disks += alone * made.tops * count
            if rebuild is not None and (hours is None or rebuild > hours):
                hours = rebuild
        return Forecast(
            speed=speed, yearly_loss=-expm1(kept), disk_loss=-expm1(from_disks), floor=self._floor, rebuild_hours=hours
        )

    def rebuild_hours(self, runs: VdevCounts, of: Sequence[KnownRisks] | None = None) -> float:
        """Return the hours of the slowest rebuild of a member, 0 where nothing is rebuilt; ``of`` as in `forecast`."""
        own = (self._own,) * len(runs) if of is None else of
        hours = [_risk(made, under)[2] for (made, _), under in zip(runs, own, strict=True)]
        return max((known for known in hours if known is not None), default=0.0)


def _risk(made: PackedVdev, under: KnownRisks, spares: int = 0, served: int = 0) -> tuple[float, float, float | None]:
    conditions, risks = under
    key = (made.risk_sort, spares, served)
    found = risks.get(key)
    if found is None:
        risk = assess_vdev(made.spec, conditions, spares, served)
        rebuild = risk.repairs.rebuild
        found = risks[key] = (risk.log_kept_of_all, risk.log_kept, None if rebuild is None else rebuild.typical)
    return found


# How the disks of each vdev of a layout fail and are rebuilt, before its disks have places: where those of one size are
# of several models, each counts as the mean of those that hold data. As a loss grows faster than the failure rates,
# that is about the least it can be: `select.placed` reckons anew.

# Of which kinds of disks a vdev has how many, and how many of each kind hold data where they are unlike (else 0).
_Parts = tuple[tuple[int, int, int], ...]


class DiskRisks:
    """Tells how vdevs made of ``groups`` of disks fail; ``of`` tells it of a vdev of such disks."""

    def __init__(self, groups: Sequence[Sequence[Disk]], of: Callable[[Sequence[Disk]], RiskConditions]) -> None:
        self._groups, self._of = groups, of
        known: dict[tuple[object, ...], RiskConditions] = {}
        for disk in chain.from_iterable(groups):
            if (sort := sort_of(disk)) not in known:
                known[sort] = of((disk,))
        self.unlike = len(set(known.values())) > 1
        self._mixed = [len({known[sort_of(disk)] for disk in disks}) > 1 for disks in groups]
        self._known: dict[tuple[_Parts, int], KnownRisks] = {}

    def is_sure_of(self, part: Sequence[tuple[PackedVdev, int]]) -> bool:
        """Tell whether it is known which vdev has which disks; of single ones, whose losses add up, it need not be."""
        return not any(self._mixed[group] for made, _ in part if made.failures_survived for group in made.kinds)

    def conditions(self, part: VdevCounts, load: int = 0) -> Sequence[KnownRisks] | None:
        """Return for each of these vdevs how its disks fail; None where all disks are alike.

        ``load`` is the per cent of a rebuilding disk's time that its other slices take.
        """
        if not self.unlike:
            return None
        totals: Counter[int] = Counter()
        for made, count in part:
            for group, number in made.taken:
                totals[group] += number * count
        mixed = self._mixed
        return [
            self._under(tuple([(group, n, totals[group] if mixed[group] else 0) for group, n in made.taken]), load)
            for made, _ in part
        ]

    def outlook(self, outlook: Outlook, part: VdevCounts, load: int) -> Outlook:
        """Return the outlook with how each top-level vdev of ``part`` fails, where the disks are unlike."""
        under = self.conditions(part, load)
        if under is None:
            return outlook
        each = [
            _members(of) for (made, count), (of, _) in zip(part, under, strict=True) for _ in range(made.tops * count)
        ]
        return with_members(outlook, each)

    def _under(self, parts: _Parts, load: int) -> KnownRisks:
        """Return what is known of vdevs of so many disks of each kind."""
        if len(parts) == 1:
            parts = ((parts[0][0], 1, parts[0][2]),)  # of one kind: the number does not matter
        found = self._known.get((parts, load))
        if found is None:
            own = [self._groups[group][: total or 1] for group, _, total in parts]
            rates = [(self._of(disks).drive, number) for disks, (_, number, _) in zip(own, parts, strict=True)]
            conditions = replace(self._of([*chain.from_iterable(own)]), drive=mean_of(rates))
            conditions = conditions.busy(load) if load else conditions
            found = self._known[parts, load] = (conditions, _known_under(conditions))
        return found

    def placed(self, tops: Sequence[Sequence[Disk]], load: int) -> tuple[MemberConditions, ...]:
        """Return how vdevs fail that were given these disks, each top-level vdev by itself."""
        known: dict[tuple[object, ...], MemberConditions] = {}
        for disks in tops:
            key = tuple(map(sort_of, disks))
            if key not in known:
                known[key] = _members(self._of(disks).busy(load))
        return tuple([known[tuple(map(sort_of, disks))] for disks in tops])


# Whoever looks at one layout looks at another of the same disks next.
@per_language
@lru_cache(maxsize=16)
def disk_risks_of(medium: Medium) -> DiskRisks:
    asked = medium.request
    risk = partial(risk_for, workload=asked.workload, drives=asked.drives, ashift=medium.ashift, version=asked.version)
    return DiskRisks([kind.disks for kind in medium.kinds], risk)


@per_language
@lru_cache(maxsize=256)
def outlook_under(medium: Medium, taken: DiskCounts, load: int) -> Outlook:
    """Return what predictions of pools rest on of which ``taken`` hold the data; ``load`` as for `DiskRisks`."""
    if load:
        outlook = outlook_under(medium, taken, 0)
        rebuild = replace(outlook.risk.rebuild, load_percent=load)
        return replace(outlook, risk=replace(outlook.risk, rebuild=rebuild))
    # A disk stands there once for each slice that holds data, as in a design.
    disks = tuple(disk for group, number in taken for disk in medium.kinds[group].disks[:number])
    asked, ashift = medium.request, medium.ashift
    return outlook_for(
        disks, workload=asked.workload, host=asked.host, drives=asked.drives, ashift=ashift, version=asked.version
    )


def _members(conditions: RiskConditions) -> MemberConditions:
    return MemberConditions(drive=conditions.drive, rebuild=conditions.rebuild)


def with_members(outlook: Outlook, each: Sequence[MemberConditions]) -> Outlook:
    return replace(outlook, risk=replace(outlook.risk, of_data=tuple(each)))


# A way to place unequal disks: pools of vdevs of known kinds, with what it leaves stranded and idle.


class Purpose(StrEnum):
    MAIN = "main"  # holds the data that the goal is about
    PEER = "peer"  # of equal rank, on other disks
    DATA = "data"  # for data of another kind, on disks that suit them
    REST = "rest"  # holds what else fits into left-over space


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """A pool: ``segments`` are its vdevs, those of one layer of slices together; ``spares`` are whole disks."""

    segments: tuple[VdevCounts, ...]
    spares: DiskCounts = ()
    purpose: Purpose = Purpose.MAIN

    @property
    def layout(self) -> Layout:
        layout: Layout = ()
        for made, count in self.runs:
            layout += (made.spec,) * count
        return layout

    @property
    def runs(self) -> VdevCounts:
        return self.segments[0] if len(self.segments) == 1 else tuple(run for part in self.segments for run in part)

    @property
    def failures_survived(self) -> int:
        return min([made.failures_survived for part in self.segments for made, _ in part])

    @property
    def members(self) -> int:
        return sum([made.spec.width * count for part in self.segments for made, count in part])

    @property
    def tops(self) -> list[tuple[int, int, int]]:
        """Return how many top-level vdevs there are of a width, and how many disks each of them may lose."""
        return [(made.tops * count, made.spec.width // made.tops, made.failures_survived) for made, count in self.runs]

    @property
    def kinds(self) -> frozenset[int]:
        return frozenset[int]().union(*(made.kinds for made, _ in self.runs), (group for group, _ in self.spares))

    @property
    def speed_share(self) -> float:
        """Return what becomes of the first segment's rate where further ones lie on the same disks."""
        space = [sum(made.top.usable_bytes * made.tops * count for made, count in part) for part in self.segments]
        return share_of_first(space, [part[0][0].slice_bytes or 0 for part in self.segments])


@dataclass(frozen=True, slots=True)
class Plan:
    """Pools made of disks of one medium, the main pool first; ``copies`` of a single one are made."""

    way: Packing
    pools: tuple[PoolPlan, ...]
    copies: int = 1

    @property
    def runs(self) -> VdevCounts:
        return self.pools[0].runs if len(self.pools) == 1 else tuple(run for pool in self.pools for run in pool.runs)

    def disks_used(self, *, spares: bool = True) -> Counter[int]:
        """Return how many disks of each kind have a place; slices of one disk count once."""
        by_layer: dict[int, Counter[int]] = {}
        for made, count in self.runs:
            layer = by_layer.setdefault(made.layer, Counter())
            for group, number in made.taken:
                layer[group] += number * count
        # Slices are dealt from the first disk of a kind on, in every layer.
        used: Counter[int] = Counter()
        for layer in by_layer.values():
            used |= layer
        if spares:
            for pool in self.pools:
                used.update(dict(pool.spares))
        return used if self.copies == 1 else Counter({group: self.copies * number for group, number in used.items()})

    def stranded_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of disks in data vdevs that no vdev can use; ``sizes`` are those of the kinds."""
        runs = self.runs
        if any(made.slice_bytes is not None for made, _ in runs):
            held = sum(sizes[group] * number for group, number in self.disks_used(spares=False).items())
            return held - sum(sum(made.spec.sizes) * count for made, count in runs)
        return sum([made.stranded_bytes * count for made, count in runs])


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePool:
    """A pool of a candidate, of whole disks or of slices, of which ``copies`` are made: how it is made of which disks.

    ``taken`` are the disks that hold its data, ``loads`` for each segment the per cent of a rebuilding disk's time that
    its other slices take; ``forecast`` is of all its slices. ``members`` tell for each segment how its vdevs fail once
    its disks have places. All else is worked out when asked for.
    """

    plan: PoolPlan
    medium: Medium
    usable_bytes: int
    forecast: Forecast
    taken: DiskCounts
    loads: tuple[int, ...]
    copies: int = 1
    members: tuple[tuple[MemberConditions, ...], ...] = ()

    @property
    def layout(self) -> Layout:
        return self.plan.layout + spare_specs(self.medium, self.plan.spares)

    @property
    def disks(self) -> tuple[Disk, ...]:
        """Return the disks it is made of (more than it needs, in the order they are assigned)."""
        return self.medium.disks(self.plan.kinds)

    @property
    def capacity(self) -> PoolCapacity:
        medium, vdevs = self.medium, []
        for made, count in self.plan.runs:
            devices = made.spec.sizes
            if made.slice_bytes is None:
                devices = tuple([size for of, n in made.taken for size in (medium.device_bytes(of),) * n])
            vdevs.append(VdevDevices(spec=made.spec, devices=devices, count=count))
        for (group, count), spec in zip(self.plan.spares, spare_specs(medium, self.plan.spares), strict=True):
            vdevs.append(VdevDevices(spec=spec, devices=(medium.device_bytes(group),) * count))
        return predict_devices(tuple(vdevs), ashift=medium.ashift, version=medium.request.version)

    @property
    def predictions(self) -> Assessment:
        spares, parts = spare_specs(self.medium, self.plan.spares), []
        for at, (part, load) in enumerate(zip(self.plan.segments, self.loads, strict=True)):
            outlook = outlook_under(self.medium, self.taken, load)  # rebuilt for several vdevs, it serves each in part
            if self.members:
                outlook = with_members(outlook, self.members[at])
            elif self.copies == 1:
                outlook = disk_risks_of(self.medium).outlook(outlook, part, load)
            parts.append(outlook.assess((*(made.spec for made, count in part for _ in range(count)), *spares)))
        first, risk = parts[0], joined([part.risk for part in parts])
        slowest = risk.slowest_rebuild
        if slowest is not None and self.forecast.rebuild_hours is not None and not self.medium.equal:
            slowest = times(slowest, self.forecast.rebuild_hours / slowest.typical)  # rebuilt for all slices of a disk
        if len(parts) == 1:
            return replace(first, rebuild=slowest)
        return replace(
            first,
            layout=self.layout,
            speed=scaled(first.speed, self.plan.speed_share),
            itself=scaled(first.itself, self.plan.speed_share),
            risk=risk,
            rebuild=slowest,
            scrub=added([part.scrub for part in parts]),
        )
