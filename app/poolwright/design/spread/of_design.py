"""A design whose members are dealt anew over shelves, controllers and deliveries, its vdevs as they are."""

from dataclasses import replace

from poolwright.design.groups import equal_groups
from poolwright.design.spread.found import spread, spread_score
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Health
from poolwright.domain.vdev import VdevClass, VdevSpec


def spread_design(design: Design) -> Design:
    """Return the design with the disks of its main pool exchanged among its vdevs where that spreads them better.

    Only whole disks of equal size and media change places, and only such as have one: disks without a place stay
    without. Partitions stay where they are. The design itself is returned where nothing would be better.
    """
    by_key = {disk.key: disk for disk in design.disks}
    movable = [
        number
        for number, vdev in enumerate(design.vdevs)
        if vdev.members
        and all(m.slice_bytes is None and m.disk_key in by_key for m in vdev.members)
        and not _kept_apart(vdev, by_key)
    ]
    sliced = {m.disk_key for vdev in design.all_vdevs() for m in vdev.members if m.slice_bytes is not None}
    vdevs = list(design.vdevs)
    disks = [by_key[m.disk_key] for number in movable for m in vdevs[number].members]
    for group in equal_groups(disks):
        keys = {disk.key for disk in group.disks} - sliced
        own = [number for number in movable if all(m.disk_key in keys for m in vdevs[number].members)]
        if len({disk.model for disk in group.disks}) > 1:  # which of the models hold data is part of the layout
            own = [number for number in own if vdevs[number].vdev_class is not VdevClass.SPARE]
        if len(own) > 1:
            _deal(vdevs, own, by_key)
    return replace(design, vdevs=tuple(vdevs)) if tuple(vdevs) != design.vdevs else design


def _kept_apart(vdev: Vdev, by_key: dict[str, Disk]) -> bool:
    """Tell whether these are spares because they are suspect: no place for them among the data."""
    suspect = (Health.SUSPECT, Health.FAILING)
    return vdev.vdev_class is VdevClass.SPARE and any(by_key[m.disk_key].health in suspect for m in vdev.members)


def _deal(vdevs: list[Vdev], own: list[int], by_key: dict[str, Disk]) -> None:
    """Exchange the members of these vdevs where that scores better."""
    now = tuple(tuple(by_key[m.disk_key] for m in vdevs[number].members) for number in own)
    layout = tuple(_spec(vdevs[number], row) for number, row in zip(own, now, strict=True))
    better = spread([disk for row in now for disk in row], layout)
    if spread_score(better, layout) >= spread_score(now, layout):
        return
    for number, row in zip(own, better, strict=True):
        vdevs[number] = replace(vdevs[number], members=tuple(Member(disk_key=disk.key) for disk in row))


def _spec(vdev: Vdev, disks: tuple[Disk, ...]) -> VdevSpec:
    return VdevSpec(
        kind=vdev.kind,
        sizes=tuple(disk.size_bytes or 0 for disk in disks),
        parity=vdev.parity,
        vdev_class=vdev.vdev_class,
        draid_data=vdev.draid_data,
        draid_spares=vdev.draid_spares,
    )
