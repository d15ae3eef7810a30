"""How the old data and the new pool stand between two steps: which disks are where, and how many may fail."""

from collections.abc import Iterable
from dataclasses import dataclass

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.of_design import DEFAULT_LOGICAL_SECTOR_BYTES
from poolwright.changes.migration.values import MigrationStep, NewPlace, OldData, OldVdev
from poolwright.domain.design import Design, Vdev
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """The steps of a course, and which vdevs and places the new pool began with."""

    steps: tuple[MigrationStep, ...]
    made: frozenset[int]
    filled: frozenset[NewPlace]


class Between:
    """Changes as the steps of one plan are taken. A disk is in the old data, in the new pool, or waits in between."""

    def __init__(self, old: OldData, target: Design) -> None:
        self.old, self.target = old, target
        self.keys = {
            NewPlace(n, m): part.disk_key for n, vdev in enumerate(target.vdevs) for m, part in enumerate(vdev.members)
        }
        self.place_of = {key: place for place, key in self.keys.items()}
        self._of_old = {vdev.name: vdev.keys for vdev in old.vdevs}
        self._old_keys = old.keys  # asked for thousands of times
        self.old_lives = True
        self.left: set[str] = set()  # disks that have left the old data
        self.emptied: set[str] = set()  # names of old vdevs whose data went onto the others
        self.made: set[int] = set()  # vdevs of the new pool that exist
        self.filled: set[NewPlace] = set()
        self.copied = False
        self.stale = False  # the new pool is in use: the old copy lacks what is written now

    def available(self, key: str) -> bool:
        """Tell whether a disk can be put into the new pool now."""
        return not self.old_lives or key not in self._old_keys or key in self.left

    def old_survives(self) -> int | None:
        """Return how many further disks the old copy survives; None when there is none."""
        if not self.old_lives or self.stale:
            return None
        return min(self.left_of(vdev) for vdev in self.old.vdevs if vdev.holds and vdev.name not in self.emptied)

    def left_of(self, vdev: OldVdev) -> int:
        """Return how many further members of an old vdev may fail."""
        return vdev.survives - sum(1 for key in self._of_old[vdev.name] if key in self.left)

    def new_survives(self) -> int | None:
        """Return how many further disks the new copy survives; None as long as it is not whole."""
        if not self.copied:
            return None
        return min(self.spared(n) for n in self.made if self.target.vdevs[n].vdev_class in HOLDS_THE_POOL)

    def spared(self, number: int) -> int:
        """Return how many further members of a vdev of the new pool may fail."""
        vdev = self.target.vdevs[number]
        missing = len(self.missing(number))
        return vdev.failures_survived - missing

    def missing(self, number: int) -> tuple[NewPlace, ...]:
        """Return the places of a vdev of the new pool that no disk has taken."""
        members = range(len(self.target.vdevs[number].members))
        return tuple(p for p in (NewPlace(number, m) for m in members) if p not in self.filled)

    def survives(self) -> int:
        """Return how many disks may fail, whichever they are, before no copy is whole.

        The copies share no disk, so each failure can hit only one of them.
        """
        copies = [found for found in (self.old_survives(), self.new_survives()) if found is not None]
        return sum(copies) + len(copies) - 1

    def can_be_made(self, number: int) -> bool:
        """Tell whether a vdev of the new pool can be created with the disks that are available now."""
        vdev = self.target.vdevs[number]
        absent = len(vdev.members) - len(self.ready(number))
        if vdev.kind is VdevKind.MIRROR:
            return absent < len(vdev.members)
        return absent <= (vdev.parity if vdev.kind is not VdevKind.STRIPE else 0)

    def ready(self, number: int) -> tuple[NewPlace, ...]:
        """Return the places of a vdev whose disks are available."""
        members = range(len(self.target.vdevs[number].members))
        return tuple(p for p in (NewPlace(number, m) for m in members) if self.available(self.keys[p]))

    def releasable(self) -> tuple[str, ...]:
        """Return the disks that the new pool needs and that an old vdev can do without, the least harm first."""
        if not self.old_lives:
            return ()
        found = [
            (vdev, key)
            for vdev in self.old.vdevs
            if vdev.holds and vdev.name not in self.emptied and self.left_of(vdev) > 0
            for key in self._of_old[vdev.name]
            if key in self.place_of and key not in self.left and key not in vdev.tied
        ]
        found.sort(key=lambda each: (-self.left_of(each[0]), self._need(each[1])))
        return tuple(key for _, key in found)

    def _need(self, key: str) -> tuple[int, int]:
        """Return how badly the new pool needs a disk: vdevs that exist and bear least come first."""
        number = self.place_of[key].vdev
        waits = len(self.target.vdevs[number].members) - len(self.ready(number))
        return (self.spared(number), waits) if number in self.made else (1 << 16, waits)


def narrowed(design: Design, vdevs: Iterable[int], filled: Iterable[NewPlace]) -> tuple[Vdev, ...]:
    """Return these vdevs of a design as they are with what is there: a mirror with its present sides."""
    there = set(filled)
    made = []
    for number in sorted(vdevs):
        vdev = design.vdevs[number]
        if vdev.kind is VdevKind.MIRROR:
            members = tuple(m for i, m in enumerate(vdev.members) if NewPlace(number, i) in there)
            kind = VdevKind.MIRROR if len(members) > 1 else VdevKind.STRIPE
            vdev = Vdev(kind=kind, members=members, vdev_class=vdev.vdev_class)
        made.append(vdev)
    return tuple(made)


def remaining(old: OldData, left: Iterable[str], emptied: Iterable[str]) -> tuple[Vdev, ...]:
    """Return the vdevs of the old pool without what has left: mirrors are narrower, a raidz is as it was."""
    gone, without = set(left), set(emptied)
    made = []
    for own in old.vdevs:
        vdev: Vdev = own.vdev
        if own.name in without or not own.holds:
            continue
        if vdev.kind is VdevKind.MIRROR:
            members = tuple(m for m in vdev.members if m.disk_key not in gone)
            kind = VdevKind.MIRROR if len(members) > 1 else VdevKind.STRIPE
            vdev = Vdev(kind=kind, members=members, vdev_class=vdev.vdev_class)
        made.append(vdev)
    return tuple(made)


def placeholder_bytes(design: Design, key: str) -> int:
    """Return the size of the file that stands for a disk: what zpool will use of it, partition 1 of the whole disk.

    A file as large as the disk would make the vdev larger than what the disk can take its place in.
    """
    disk = design.disk(key)
    sector = disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
    return device_bytes(disk.size_bytes or 0, MemberKind.DISK, sector, design.version)
