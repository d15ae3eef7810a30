"""Disks that stand in each other's places: which of them need not move at all, and how the others would."""

from collections.abc import Iterator, Sequence

from poolwright.changes.against.tops import LiveTop
from poolwright.changes.against.values import Identity, LiveDifference, LiveWay, PoolSeat, StepKind
from poolwright.domain.disk import Disk
from poolwright.texts import listed, tell


def exchanged(waiting: Sequence[LiveDifference], tops: Sequence[LiveTop]) -> Iterator[tuple[LiveDifference, ...]]:
    """Yield the replacements that wait for each other in a circle: each takes the disk that the next one gives up."""
    gives = {one.step.frees[0]: one for one in waiting if _replaces(one) and one.step is not None}
    seats = {seat.identity for top in tops for seat in top.seats}
    seen: set[Identity] = set()
    for start, first in gives.items():
        circle: list[LiveDifference] = []
        one: LiveDifference | None = first
        while one is not None and one.step is not None and one.step.frees[0] not in seen:
            seen.add(one.step.frees[0])
            circle.append(one)
            one = gives.get(one.step.needs[0])
        closed = one is not None and one.step is not None and one.step.frees[0] == start
        if circle and closed and start in seats:
            yield tuple(circle)


def as_one_difference(circle: Sequence[LiveDifference], tops: Sequence[LiveTop]) -> LiveDifference:
    """Return a circle as one difference: nothing to do for disks that are alike, else what it would take."""
    seats = {seat.identity: seat for top in tops for seat in top.seats}
    steps = [one.step for one in circle if one.step is not None]
    here = [seats[step.frees[0]] for step in steps]
    alike = all(_same(here[0].disk, seat.disk) and here[0].size == seat.size for seat in here)
    found = listed([tell("{disk} in {vdev}", disk=seat.label, vdev=step.vdev)
                    for seat, step in zip(here, steps, strict=True)])  # fmt: skip
    wanted = listed([tell("{disk} in {vdev}", disk=seats[step.needs[0]].label, vdev=step.vdev) for step in steps])
    return LiveDifference(
        way=LiveWay.LEFT if alike else LiveWay.CANNOT,
        place=listed([step.vdev for step in steps]),
        name="disk",
        found=found,
        wanted=wanted,
        text=tell("The pool has {found}; the design has {wanted}.", found=found, wanted=wanted),
        reason=_alike_words() if alike else _other_words(here),
    )


def _replaces(one: LiveDifference) -> bool:
    step = one.step
    return step is not None and step.kind is StepKind.REPLACE and len(step.needs) == len(step.frees) == 1


def _same(one: Disk, other: Disk) -> bool:
    return _nature(one) == _nature(other)


def _nature(disk: Disk) -> tuple[object, ...]:
    return (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.media, disk.rotation_rpm,
            disk.smr, disk.transport)  # fmt: skip


def _alike_words() -> str:
    return tell(
        "The disks are alike, so nothing is to be done: the pool is as good either way. Where their bays count (a "
        "shelf or a controller for each side), export the pool, exchange the disks and import it again: ZFS knows "
        "its disks by their labels."
    )


def _other_words(here: Sequence[PoolSeat]) -> str:
    most = max(here, key=lambda seat: seat.size or 0)
    return tell(
        "The disks differ, and would have to change places: with a free disk as large as {disk} in between that is one "
        "replacement more than there are disks, each awaited. Without one a mirror would lose a side meanwhile.",
        disk=most.label,
    )
