"""Whether everything fits: the data in the new pool as it is at first, disks in their places, the old pool's rest."""

from dataclasses import replace

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.of_design import predict_design
from poolwright.changes.migration.standing import Walked, narrowed, placeholder_bytes, remaining
from poolwright.changes.migration.values import NewPlace, OldData
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.vdev import VdevKind

# Of the rest of an old pool whose vdev is taken out: OpenZFS wants room to work.
MOST_FILLED_PERCENT = 95


def room_of(design: Design) -> int | None:
    """Return what a design offers; None where no model can tell."""
    try:
        return predict_design(design).available_bytes
    except PoolwrightError:
        return None


def first_room(target: Design, walked: Walked) -> int:
    """Return USED + AVAIL of the new pool as it is created, with files in the places that wait for a disk."""
    vdevs = narrowed(target, walked.made, walked.filled)
    return predict_design(replace(target, vdevs=vdevs)).available_bytes


def room_without(old: OldData, emptied: tuple[str, ...]) -> int:
    """Return USED + AVAIL of the old pool without these vdevs."""
    return predict_design(replace(old.design, vdevs=remaining(old, (), emptied))).available_bytes


def too_small_later(target: Design, walked: Walked) -> tuple[NewPlace, ...]:
    """Return the places of mirrors whose disk comes later and is smaller than those that are there: it is refused."""
    found = []
    for number in sorted(walked.made):
        vdev = target.vdevs[number]
        if vdev.kind is not VdevKind.MIRROR:
            continue
        sizes = _leaves(target, vdev)
        there = [sizes[i] for i in range(len(sizes)) if NewPlace(number, i) in walked.filled]
        least = min(there)
        found += [NewPlace(number, i) for i, size in enumerate(sizes) if size < least]
    return tuple(found)


def _leaves(design: Design, vdev: Vdev) -> list[int]:
    return [leaf_bytes(placeholder_bytes(design, member.disk_key)) for member in vdev.members]
