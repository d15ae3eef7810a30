"""A way to place unequal disks: pools of vdevs of known kinds, with what it leaves stranded and idle."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_devices
from poolwright.design.forecaster import dealing_of, outlook_under, taking, with_members
from poolwright.design.request import Medium
from poolwright.design.stock import Taken, Way
from poolwright.design.workshop import DEFAULT_LOGICAL_SECTOR_BYTES, Made, Runs
from poolwright.domain.disk import Disk
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import Layout
from poolwright.predict.assessment import Assessment
from poolwright.predict.outlook import Outlook
from poolwright.predict.reliability import joined
from poolwright.predict.risk_conditions import MemberConditions
from poolwright.predict.shared_disks import scaled
from poolwright.predict.speed import SpeedPrediction


class Purpose(StrEnum):
    MAIN = "main"  # holds the data that the goal is about
    PEER = "peer"  # of equal rank, on other disks
    DATA = "data"  # for data of another kind, on disks that suit them
    REST = "rest"  # holds what else fits into left-over space


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """A pool: ``segments`` are its vdevs, those of one layer of slices together; ``spares`` are whole disks."""

    segments: tuple[Runs, ...]
    spares: Taken = ()
    purpose: Purpose = Purpose.MAIN

    @property
    def layout(self) -> Layout:
        """Return its data vdevs one by one; spares are those of `Medium.spare_specs`."""
        layout: Layout = ()
        for made, count in self.runs:
            layout += (made.spec,) * count
        return layout

    @property
    def runs(self) -> Runs:
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
        return self.data_kinds | {group for group, _ in self.spares}

    @property
    def data_kinds(self) -> frozenset[int]:
        """Return the numbers of the kinds of disks that hold data: what is predicted rests on them."""
        return frozenset(group for part in self.segments for made, _ in part for group, _ in made.taken)


@dataclass(frozen=True, slots=True)
class Plan:
    """Pools made of disks of one medium, the main pool first; ``copies`` of a single one are made."""

    way: Way
    pools: tuple[PoolPlan, ...]
    copies: int = 1

    def vdevs(self) -> Iterator[tuple[Made, int]]:
        """Yield the data vdevs of all pools with their number."""
        for pool in self.pools:
            for part in pool.segments:
                yield from part

    def disks_used(self, *, spares: bool = True) -> Counter[int]:
        """Return how many disks of each kind have a place; slices of one disk count once."""
        by_layer: dict[int, Counter[int]] = {}
        for made, count in self.vdevs():
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
        if any(made.slice_bytes is not None for made, _ in self.vdevs()):
            held = sum(sizes[group] * number for group, number in self.disks_used(spares=False).items())
            return held - sum(sum(made.spec.sizes) * count for made, count in self.vdevs())
        return sum(made.stranded_bytes * count for made, count in self.vdevs())


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePool:
    """A pool of a candidate, of whole disks or of slices, of which ``copies`` are made: how it is made of which disks.

    ``taken`` are the disks that hold its data, ``loads`` for each segment the per cent of a rebuilding disk's time that
    its other slices take. ``rebuild_hours`` is how long it takes for all its slices, None where they are not shared.
    ``speed_share`` is what the first segment's rate becomes where further ones share its disks. ``members`` tell for
    each segment how its vdevs fail once its disks have places. All else is worked out when asked for.
    """

    plan: PoolPlan
    medium: Medium
    layout: Layout
    usable_bytes: int
    taken: Taken
    loads: tuple[int, ...]
    copies: int = 1
    rebuild_hours: float | None = None
    speed_share: float = 1.0
    members: tuple[tuple[MemberConditions, ...], ...] = ()

    @property
    def purpose(self) -> Purpose:
        return self.plan.purpose

    @property
    def failures_survived(self) -> int:
        return self.plan.failures_survived

    @property
    def disks(self) -> tuple[Disk, ...]:
        """Return the disks it is made of (more than it needs, in the order they are assigned)."""
        return self.medium.disks(self.plan.kinds)

    @property
    def outlooks(self) -> tuple[Outlook, ...]:
        """Return what predictions of each segment rest on: rebuilt for several vdevs, a disk serves each in part."""
        found = [outlook_under(self.medium, self.taken, load) for load in self.loads]
        if self.members:
            return tuple(map(with_members, found, self.members))
        if self.copies > 1:
            return tuple(found)
        dealing, parts = dealing_of(self.medium), zip(found, self.plan.segments, self.loads, strict=True)
        return tuple(dealing.told(outlook, taking(part), load) for outlook, part, load in parts)

    @property
    def capacity(self) -> PoolCapacity:
        devices, version = [self._devices(made, count) for made, count in self.plan.runs], self.medium.request.version
        for (group, count), spec in zip(self.plan.spares, self.medium.spare_specs(self.plan.spares), strict=True):
            devices.append(VdevDevices(spec=spec, devices=(self._device(group),) * count))
        return predict_devices(tuple(devices), ashift=self.medium.ashift, version=version)

    @property
    def predictions(self) -> Assessment:
        spares = self.medium.spare_specs(self.plan.spares)
        parts = [
            outlook.assess((*(made.spec for made, count in part for _ in range(count)), *spares))
            for part, outlook in zip(self.plan.segments, self.outlooks, strict=True)
        ]
        first, risk = parts[0], joined([part.risk for part in parts])
        slowest = risk.slowest_rebuild
        if slowest is not None and self.rebuild_hours is not None:
            slowest = _timed(slowest, self.rebuild_hours)
        if len(parts) == 1:
            return replace(first, rebuild=slowest)
        return replace(
            first,
            layout=self.layout,
            speed=scaled(first.speed, self.speed_share),
            itself=self.itself,
            risk=risk,
            rebuild=slowest,
            scrub=_summed([part.scrub for part in parts]),
        )

    @property
    def itself(self) -> SpeedPrediction:
        """Return the speeds were there no network."""
        part = self.plan.segments[0]
        outlook = outlook_under(self.medium, self.taken, self.loads[0])
        speed = outlook.itself(tuple([made.spec for made, count in part for _ in range(count)]))
        return speed if len(self.plan.segments) == 1 else scaled(speed, self.speed_share)

    def _devices(self, made: Made, count: int) -> VdevDevices:
        if made.slice_bytes is not None:
            return VdevDevices(spec=made.spec, devices=made.spec.sizes, count=count)
        devices = tuple(size for group, number in made.taken for size in (self._device(group),) * number)
        return VdevDevices(spec=made.spec, devices=devices, count=count)

    def _device(self, group: int) -> int:
        kind = self.medium.kinds[group]
        sector = max(disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES for disk in kind.disks)
        return device_bytes(kind.least_bytes, MemberKind.DISK, sector, self.medium.request.version)


def _timed(estimate: Estimate, typical: float) -> Estimate:
    """Return a time that typically is ``typical``, with a band as wide as that of ``estimate``."""
    times = typical / estimate.typical
    return replace(estimate, low=estimate.low * times, typical=typical, high=estimate.high * times)


def _summed(hours: list[Estimate]) -> Estimate:
    first = hours[0]
    return replace(
        first, low=sum(e.low for e in hours), typical=sum(e.typical for e in hours), high=sum(e.high for e in hours)
    )
