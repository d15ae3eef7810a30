"""Which disk goes where: the pools of a candidate with a member for each place."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.plan import CandidatePool, PackedVdev, PoolPlan
from poolwright.design.request import Medium, spare_specs
from poolwright.design.spread import spread
from poolwright.domain.design import Member, Vdev, vdev_of
from poolwright.domain.disk import Disk
from poolwright.domain.outage import top_vdevs
from poolwright.domain.vdev import VdevClass, VdevSpec


def placed_vdevs(pools: Sequence[CandidatePool]) -> tuple[tuple[Vdev, ...], ...]:
    """Return the vdevs of each pool with their members, each of its copies by itself.

    Disks are taken in their order, data vdevs of all pools first, so that suspect disks end up as spares or unassigned.
    """
    each = [pool for pool in pools for _ in range(pool.copies)]
    media = dict.fromkeys(pool.medium for pool in each)
    dealers = {medium: _Dealer(medium, [pool.plan for pool in each if pool.medium is medium]) for medium in media}
    data = []
    for pool in each:
        deal = dealers[pool.medium].members
        data.append([vdev_of(made.spec, deal(made)) for made, count in pool.plan.runs for _ in range(count)])
    spares = [dealers[pool.medium].spares(pool.plan) for pool in each]
    return tuple((*own, *spare) for own, spare in zip(data, spares, strict=True))


def failing_sets(pools: Sequence[CandidatePool]) -> list[tuple[tuple[str, ...], int]]:
    """Return, for each top-level data vdev of the pools, its disks and how many of them may fail."""
    return [
        (keys, vdev.failures_survived)
        for vdevs in placed_vdevs(pools)
        for vdev in vdevs
        if vdev.vdev_class is VdevClass.DATA
        for keys in top_vdevs(vdev)
    ]


class _Dealer:
    """Deals the disks of a medium, of each kind the first ones first, in each layer of slices anew."""

    def __init__(self, medium: Medium, plans: Sequence[PoolPlan]) -> None:
        self._medium = medium
        self._wanted: dict[int, Counter[int]] = {}
        self._dealt: Counter[tuple[int, int]] = Counter()
        self._seats: dict[int, list[VdevSpec]] = {}
        self._spares: list[VdevSpec] = []  # of equal disks: they are spread together with those that hold data
        self._spared: Counter[int] = Counter()
        self._orders: dict[int, tuple[Disk, ...]] = {}
        # What the pools will ask for tells how many slices a disk has, and where spares begin.
        for plan in plans:
            for made, count in plan.runs:
                wanted = self._wanted.setdefault(made.layer, Counter())
                for group, number in made.taken:
                    wanted[group] += number * count
                    if made.layer <= 1:
                        seat = replace(made.spec, sizes=made.spec.sizes[:number])
                        self._seats.setdefault(group, []).extend([seat] * count)
            if medium.equal:
                self._spares += spare_specs(medium, plan.spares)

    def _disks(self, group: int) -> tuple[Disk, ...]:
        """Return the disks of a kind in the order they are dealt: so that those of a vdev lie on several shelves."""
        order = self._orders.get(group)
        if order is None:
            left: Sequence[Disk] = self._medium.kinds[group].disks
            parts: list[list[VdevSpec]] = [self._seats.get(group, []), self._spares]
            # Of several models the first ones hold the data: what is predicted rests on these, and models fail unlike.
            if len({disk.model for disk in left}) < 2:
                parts = [[*parts[0], *parts[1]]]
            placed: list[Disk] = []
            for part in filter(None, parts):
                placed += [disk for row in spread(left, part) for disk in row]
                keys = {disk.key for disk in placed}
                left = [disk for disk in left if disk.key not in keys]
            order = self._orders[group] = (*placed, *left)
        return order

    def spares(self, plan: PoolPlan) -> tuple[Vdev, ...]:
        vdevs = []
        for (group, count), spec in zip(plan.spares, spare_specs(self._medium, plan.spares), strict=True):
            first = max((wanted[group] for wanted in self._wanted.values()), default=0) + self._spared[group]
            self._spared[group] += count
            disks = self._disks(group)[first : first + count]
            vdevs.append(vdev_of(spec, [Member(disk_key=disk.key) for disk in disks]))
        return tuple(vdevs)

    def members(self, made: PackedVdev) -> list[Member]:
        members = []
        for group, number in made.taken:
            first = self._dealt[made.layer, group]
            self._dealt[made.layer, group] += number
            for at in range(first, first + number):
                key = self._disks(group)[at].key
                part = None if made.slice_bytes is None else self._part(group, at, made.layer)
                members.append(Member(disk_key=key, slice_bytes=made.slice_bytes, part=part))
        return members

    def _part(self, group: int, at: int, layer: int) -> int:
        """Return the number of a slice: one more than there are slices in front of it on this disk."""
        return 1 + sum(1 for below, wanted in self._wanted.items() if below < layer and wanted[group] > at)
