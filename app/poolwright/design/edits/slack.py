"""Room for slightly smaller replacements in every vdev with redundancy: one switch, on or off.

A replacement must hold the whole metaslabs of the vdev (OpenZFS `vdev_get_min_asize`), and disks of one label differ by
some MB from maker to maker. With the switch on, each whole disk becomes one partition that ends before the agreed size
of its label; spares stay whole, they are only larger. What is reserved beside the data is taken from that partition.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from poolwright.design.edits.places import pool_count, vdevs_of, with_vdevs
from poolwright.domain.as_built import Reserved, reserved_by_disk, total_bytes
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.vdev import VdevKind
from poolwright.rules.trade_size import slack_slice

_REBUILT = (VdevKind.MIRROR, VdevKind.RAIDZ, VdevKind.DRAID)


def has_slack(design: Design) -> bool:
    """Tell whether every disk that could be replaced by rebuilding leaves room for a smaller one."""
    members = [member for vdev in _rebuilt(design) for member in vdev.members]
    reserved = reserved_by_disk(design)
    return bool(members) and all(_cut(design, member, reserved) == member for member in members)


def can_have_slack(design: Design) -> bool:
    """Tell whether there is a vdev whose disks could leave room, or leave it."""
    reserved = reserved_by_disk(design)
    members = (member for vdev in _rebuilt(design) for member in vdev.members)
    return any(member.slice_bytes is None or _cut(design, member, reserved) == member for member in members)


def with_slack(design: Design, *, on: bool) -> Design:
    """Return the design whose redundant vdevs leave room for smaller replacements, or use their disks whole again.

    Disks in several partitions, and partitions of another size, stay as they are.
    """
    reserved = reserved_by_disk(design)
    uses = Counter(member.disk_key for vdev in design.all_vdevs() for member in vdev.members)

    def turned(member: Member) -> Member:
        cut = _cut(design, member, reserved)
        if on:
            return cut or member
        return Member(disk_key=member.disk_key) if cut == member and uses[member.disk_key] == 1 else member

    made = design
    for pool in range(pool_count(design)):
        vdevs = [
            replace(vdev, members=tuple(turned(member) for member in vdev.members)) if vdev.kind in _REBUILT else vdev
            for vdev in vdevs_of(design, pool)
        ]
        made = with_vdevs(made, pool, vdevs)
    return made


def _cut(design: Design, member: Member, reserved: Reserved) -> Member | None:
    """Return the member with its room left; None for another partition and a disk of unknown size."""
    size = design.disk(member.disk_key).size_bytes
    if size is None:
        return None
    beside = total_bytes(reserved.get(member.disk_key, ()))
    cut = Member(disk_key=member.disk_key, slice_bytes=slack_slice(size) - beside, part=1)
    return cut if member.slice_bytes is None or member == cut else None


def _rebuilt(design: Design) -> Iterator[Vdev]:
    return (vdev for pool in range(pool_count(design)) for vdev in vdevs_of(design, pool) if vdev.kind in _REBUILT)
