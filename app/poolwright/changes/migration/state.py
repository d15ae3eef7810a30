"""The state of both pools between two steps of a migration: which disks are where, and how many more may fail."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.changes.against.values import PoolVdev
from poolwright.changes.migration.values import MigrationStep, Move, NewPlace, OldData, places_of
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind

_AFTER_ALL_THAT_EXIST = 1 << 16  # more failures than any vdev survives


class Survives(NamedTuple):
    """How many further disks each copy of the data survives; None of one that is not whole."""

    old: int | None
    new: int | None


class MigrationState:
    """Changes as the steps of one plan are applied. A disk is in the old pool, in the new pool, or waits in between."""

    def __init__(self, old: OldData, target: Design) -> None:
        self.old, self.target = old, target
        self.keys = places_of(target)
        self.place_of = {key: place for place, key in self.keys.items()}
        self._of_old = {vdev.name: vdev.keys for vdev in old.vdevs}
        self._old_keys = old.keys  # asked for thousands of times
        self.old_lives = True
        self.released: set[str] = set()  # disks that have left the old pool
        self.evacuated: set[str] = set()  # names of old vdevs whose data went onto the others
        self.made: set[int] = set()  # vdevs of the new pool that exist
        self.filled: set[NewPlace] = set()
        self.copied = False
        self.stale = False  # the new pool is in use: the old copy lacks what is written now

    def apply(self, step: MigrationStep) -> None:
        match step.move:
            case Move.REMOVE | Move.DETACH | Move.OFFLINE:
                self.released.update(step.disk_keys)
            case Move.EVACUATE:
                self.released.update(step.disk_keys)
                self.evacuated.update(v.name for v in self.old.vdevs if set(v.keys) == set(step.disk_keys))
            case Move.CREATE | Move.ADD:
                self.made.update(step.vdevs)
            case Move.COPY_REST:
                self.copied = True
            case Move.DESTROY:
                self.old_lives = False
            case Move.RENAME:
                self.stale = True
        # The other moves (scrubs, copies, resilvers) change no more than which places are filled.
        self.filled.update(step.places)

    def available(self, key: str) -> bool:
        return not self.old_lives or key not in self._old_keys or key in self.released

    def old_survives(self, vdev: PoolVdev) -> int:
        return vdev.survives - sum(1 for key in self._of_old[vdev.name] if key in self.released)

    def new_survives(self, number: int) -> int:
        return self.target.vdevs[number].failures_survived - len(self.missing(number))

    def missing(self, number: int) -> tuple[NewPlace, ...]:
        members = range(len(self.target.vdevs[number].members))
        return tuple(p for p in (NewPlace(number, m) for m in members) if p not in self.filled)

    def survives(self) -> Survives:
        old = new = None
        if self.old_lives and not self.stale:
            holding = (vdev for vdev in self.old.vdevs if vdev.holds and vdev.name not in self.evacuated)
            old = min(map(self.old_survives, holding))
        if self.copied:
            new = min(self.new_survives(n) for n in self.made if self.target.vdevs[n].vdev_class in HOLDS_THE_POOL)
        return Survives(old, new)

    def ready(self, number: int) -> tuple[NewPlace, ...]:
        members = range(len(self.target.vdevs[number].members))
        return tuple(p for p in (NewPlace(number, m) for m in members) if self.available(self.keys[p]))

    def releasable(self) -> tuple[str, ...]:
        """Return the disks that the new pool needs and that an old vdev can do without, the least harm first."""
        if not self.old_lives:
            return ()
        found = [
            (vdev, key)
            for vdev in self.old.vdevs
            if vdev.holds and vdev.name not in self.evacuated and self.old_survives(vdev) > 0
            for key in self._of_old[vdev.name]
            if key in self.place_of and key not in self.released and key not in vdev.tied
        ]
        found.sort(key=lambda each: (-self.old_survives(each[0]), self._need(each[1])))
        return tuple(key for __, key in found)

    # Vdevs that exist already and bear least need a disk most; of others, which come after all of these, the one that
    # lacks fewest.
    def _need(self, key: str) -> tuple[int, int]:
        number = self.place_of[key].vdev
        waits = len(self.target.vdevs[number].members) - len(self.ready(number))
        return (self.new_survives(number), waits) if number in self.made else (_AFTER_ALL_THAT_EXIST, waits)


def new_vdevs_with(design: Design, vdevs: Iterable[int], filled: Iterable[NewPlace]) -> tuple[Vdev, ...]:
    """Return these vdevs of a design as they are with what is there: a mirror with its present sides."""
    there = set(filled)
    return tuple(
        _with_sides(design.vdevs[n], [m for i, m in enumerate(design.vdevs[n].members) if NewPlace(n, i) in there])
        for n in sorted(vdevs)
    )


def old_vdevs_without(old: OldData, released: Iterable[str], evacuated: Iterable[str]) -> tuple[Vdev, ...]:
    """Return the vdevs of the old pool without what has left: mirrors are narrower, a raidz is as it was."""
    gone, without = set(released), set(evacuated)
    return tuple(
        _with_sides(own.vdev, [m for m in own.vdev.members if m.disk_key not in gone])
        for own in old.vdevs
        if own.holds and own.name not in without
    )


def _with_sides(vdev: Vdev, sides: Sequence[Member]) -> Vdev:
    if vdev.kind is not VdevKind.MIRROR:
        return vdev
    kind = VdevKind.MIRROR if len(sides) > 1 else VdevKind.STRIPE
    return Vdev(kind=kind, members=tuple(sides), vdev_class=vdev.vdev_class)


def placeholder_bytes(design: Design, key: str) -> int:
    """Return the size of the file that stands for a disk: what zpool will use of it, partition 1 of the whole disk.

    A file as large as the disk would make the vdev larger than what the disk can take its place in.
    """
    disk = design.disk(key)
    sector = disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
    return device_bytes(disk.size_bytes or 0, MemberKind.DISK, sector, design.version)
