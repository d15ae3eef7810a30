"""From a ZFS design to Linux software RAID 6 of the same disks."""

from collections.abc import Sequence

from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.md_raid import LEAST_RAID6_DISKS, MdRaid6
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import tell

# The thesis compared arrays of eight; wider ones are made only where the design itself has them.
USUAL_WIDTH = 8


def md_raid6_of(design: Design) -> MdRaid6:
    """Return RAID 6 of the disks that hold the data of ``design``, with its spares.

    Each raidz vdev becomes an array of the same disks; the disks of other vdevs are dealt to arrays of at most eight.
    Log, cache, special and dedup vdevs have no counterpart and are left out. Raises Refusal with the reason where
    there are too few disks or a size is unknown.
    """
    data = [vdev for vdev in design.all_vdevs() if vdev.vdev_class is VdevClass.DATA]
    whole = all(v.kind is VdevKind.RAIDZ and len(v.members) >= LEAST_RAID6_DISKS for v in data)
    sliced = any(member.slice_bytes is not None for vdev in data for member in vdev.members)
    if whole and data and not sliced:
        arrays = tuple(tuple(design.disk(m.disk_key) for m in vdev.members) for vdev in data)
    else:
        arrays = _dealt(_disks(design, data))
    taken = {disk.key for array in arrays for disk in array}
    spares = [d for d in _disks(design, _spare_vdevs(design)) if d.key not in taken]
    raid = MdRaid6(
        name=tell("md RAID 6 of “{name}”", name=design.name),
        device_name=design.pool_name,
        arrays=arrays,
        spares=tuple(spares),
    )
    unknown = [disk.label for disk in raid.disks if disk.size_bytes is None]
    if unknown:
        raise Refusal(
            tell("RAID 6 cannot be worked out"),
            reasons=(tell("The size of {unknown} is unknown.", unknown=unknown[0]),),
        )
    return raid


def _spare_vdevs(design: Design) -> list[Vdev]:
    return [vdev for vdev in design.all_vdevs() if vdev.vdev_class is VdevClass.SPARE]


def _disks(design: Design, vdevs: Sequence[Vdev]) -> list[Disk]:
    """Return the disks of ``vdevs``, each once, in order."""
    keys = dict.fromkeys(member.disk_key for vdev in vdevs for member in vdev.members)
    return [design.disk(key) for key in keys]


def _dealt(disks: Sequence[Disk]) -> tuple[tuple[Disk, ...], ...]:
    """Return the disks in arrays of at most eight, as equal as can be; disks of one size stay together."""
    if len(disks) < LEAST_RAID6_DISKS:
        reason = tell(
            "RAID 6 needs {least_raid6_disks} disks, the design has {count} for data.",
            least_raid6_disks=LEAST_RAID6_DISKS,
            count=len(disks),
        )
        raise Refusal(tell("There is no RAID 6 of these disks"), reasons=(reason,))
    ordered = sorted(disks, key=lambda disk: -(disk.size_bytes or 0))
    count = -(-len(ordered) // USUAL_WIDTH)
    wide, rest = divmod(len(ordered), count)
    arrays, at = [], 0
    for number in range(count):
        width = wide + (number < rest)
        arrays.append(tuple(ordered[at : at + width]))
        at += width
    return tuple(arrays)
