"""Partitions reserved beside the data: which disks a person means, and what gives way to them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from poolwright.design.edits.places import parts_of, with_members
from poolwright.domain import as_built
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.reserve import AskedReserve, ReservedPartition, sliceable_bytes
from poolwright.domain.shown import shown_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevKind
from poolwright.rules.layout_facts import slack_slice
from poolwright.texts import _


def reserve_of(asked: AskedReserve, design: Design) -> ReservedPartition:
    """Return the partition with the disks that are meant. Raises UserError where the design lacks one of them."""
    if asked.count is not None:
        keys = as_built.data_keys(design)
        if asked.count > len(keys):
            words = {"count": asked.count, "purpose": asked.partition.words, "data": len(keys)}
            raise UserError(_("{count} disks are to have {purpose}, the design has {data} data disks", **words))
        return replace(asked.partition, disk_keys=keys[: asked.count])
    return replace(asked.partition, disk_keys=tuple(_key(name, design) for name in asked.names))


def _key(name: str, design: Design) -> str:
    used = design.used_keys()
    for disk in design.disks:
        if disk.key in used and name in (disk.key, disk.label, disk.serial, *disk.by_id):
            return disk.key
    raise UserError(
        _("“{name}” does not exist", name=shown_text(name)),
        todo=_("Name a disk by its serial number or its name under /dev/disk/by-id."),
    )


def with_reserve(design: Design, reserve: Sequence[ReservedPartition]) -> Design:
    """Return the design with just these partitions reserved beside the data.

    Where a disk is cut for several uses and has not the room, its first partition gets smaller. Raises UserError with
    every reason where they cannot be.
    """
    slack = has_slack(design)
    bare = with_slack(design, on=False) if slack else design
    changed = replace(bare, reserve=tuple(reserve))
    problems = as_built.reserve_problems(changed)
    if problems:
        raise UserError("; ".join(problems), todo=_("Reserve less, or on other disks."))
    changed = _with_room(changed)
    return with_slack(changed, on=True) if slack else changed


def _with_room(design: Design) -> Design:
    """Return the design with the first partition of each disk smaller by what is missing for the reserved ones."""
    smaller: dict[Member, Member] = {}
    for key, partitions in as_built.reserved_by_disk(design).items():
        parts, disk = parts_of(design, key), design.disk(key)
        if not parts or disk.size_bytes is None:
            continue
        taken = sum(part.slice_bytes or 0 for part in parts) + as_built.total_bytes(partitions)
        missing = taken - sliceable_bytes(disk.size_bytes)
        if missing <= 0:
            continue
        left = (parts[0].slice_bytes or 0) - missing
        if left < as_built.LEAST_LEFT_BYTES:
            words = {"disk": disk.label, "missing": binary(missing)}
            raise UserError(
                _("The first partition of {disk} would have to be {missing} smaller, and has not so much", **words),
                todo=_("Make its partitions smaller first, or reserve less."),
            )
        smaller[parts[0]] = replace(parts[0], slice_bytes=left)
    return with_members(design, lambda member: smaller.get(member, member)) if smaller else design


# Room for slightly smaller replacements in every vdev with redundancy: one switch, on or off.


def has_slack(design: Design) -> bool:
    """Tell whether every disk that could be replaced by rebuilding leaves room for a smaller one."""
    members = [member for vdev in _rebuilt(design) for member in vdev.members]
    reserved = as_built.reserved_by_disk(design)
    return bool(members) and all(_cut(design, member, reserved) == member for member in members)


def can_have_slack(design: Design) -> bool:
    """Tell whether there is a vdev whose disks could leave room, or leave it."""
    reserved = as_built.reserved_by_disk(design)
    members = (member for vdev in _rebuilt(design) for member in vdev.members)
    return any(member.slice_bytes is None or _cut(design, member, reserved) == member for member in members)


def with_slack(design: Design, *, on: bool) -> Design:
    """Return the design whose redundant vdevs leave room for smaller replacements, or use their disks whole again.

    Disks in several partitions, and partitions of another size, stay as they are.
    """
    reserved = as_built.reserved_by_disk(design)
    uses = Counter(member.disk_key for vdev in design.all_vdevs() for member in vdev.members)
    rebuilt = {member for vdev in _rebuilt(design) for member in vdev.members}

    def turned(member: Member) -> Member:
        cut = _cut(design, member, reserved) if member in rebuilt else None
        if on:
            return cut or member
        return Member(disk_key=member.disk_key) if cut == member and uses[member.disk_key] == 1 else member

    return with_members(design, turned)


def _cut(design: Design, member: Member, reserved: as_built.Reserved) -> Member | None:
    """Return the member with its room left; None for another partition and a disk of unknown size."""
    size = design.disk(member.disk_key).size_bytes
    if size is None:
        return None
    beside = as_built.total_bytes(reserved.get(member.disk_key, ()))
    cut = Member(disk_key=member.disk_key, slice_bytes=slack_slice(size) - beside, part=1)
    return cut if member.slice_bytes is None or member == cut else None


def _rebuilt(design: Design) -> Iterator[Vdev]:
    return (vdev for vdev in design.all_vdevs() if vdev.kind in (VdevKind.MIRROR, VdevKind.RAIDZ, VdevKind.DRAID))
