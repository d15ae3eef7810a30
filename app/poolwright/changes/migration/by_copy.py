"""A migration by copy: the steps of one variant, and the state of both pools between two of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from poolwright.changes.as_design import PoolVdev
from poolwright.changes.growth.design import opened_bytes
from poolwright.changes.migration.values import SUPPORT, MigrationStep, Move, NewPlace, OldData, places_of
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind

_AFTER_ALL_THAT_EXIST = 1 << 16  # more failures than any vdev survives


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

    def survives(self) -> tuple[int | None, int | None]:
        """Return how many further disks each copy of the data survives; None of one that is not whole."""
        old = new = None
        if self.old_lives and not self.stale:
            holding = (vdev for vdev in self.old.vdevs if vdev.holds and vdev.name not in self.evacuated)
            old = min(map(self.old_survives, holding))
        if self.copied:
            new = min(self.new_survives(n) for n in self.made if self.target.vdevs[n].vdev_class in HOLDS_THE_POOL)
        return old, new

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
    return opened_bytes(design.disk(key), design.version)


# One variant of a migration by copy: which disks leave the old pool before the copy, after it, and at the end.


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationVariant:
    """What is decided before the first step.

    ``evacuated`` old vdevs give their data to the others; so many ``disks_before_copy`` leave the old pool before the
    copy, ``disks_one_by_one`` after it, each rebuilt in the new pool before the next leaves. ``complete_vdevs_only``:
    the new pool begins with the vdevs whose disks are all there, the others are added at the end.
    """

    evacuated: tuple[str, ...] = ()
    disks_before_copy: int = 0
    disks_one_by_one: int = 0
    complete_vdevs_only: bool = False


def steps_of_variant(old: OldData, target: Design, variant: MigrationVariant) -> tuple[MigrationStep, ...] | None:
    """Return the steps; None where the variant cannot be done: too few disks would be there at the beginning."""
    builder = _StepBuilder(old, target)
    if not builder.prepare(variant) or not builder.create(complete_only=variant.complete_vdevs_only):
        return None
    builder.copy()
    for __ in range(variant.disks_one_by_one):
        if not builder.move_one():
            return None
    builder.switch_over()
    return tuple(builder.steps)


class _StepBuilder:
    """Appends one step after the other, each with how many disks may fail while it lasts."""

    def __init__(self, old: OldData, target: Design) -> None:
        self.now = MigrationState(old, target)
        self.steps: list[MigrationStep] = []

    def prepare(self, variant: MigrationVariant) -> bool:
        """Look, and take out of the old pool what is needed before the copy; False where it cannot be done."""
        now = self.now
        takes = variant.evacuated or variant.disks_before_copy
        degraded = any(vdev.lost for vdev in now.old.vdevs if vdev.holds)
        # A degraded pool from which nothing is taken yet had better be copied than worked by a scrub first.
        self._append(Move.CHECK if degraded and not takes else Move.LOOK)
        support = [
            key for v in now.old.vdevs if not v.holds for key in v.keys if key in now.place_of and key not in v.tied
        ]
        if support:
            self._append(Move.REMOVE, disk_keys=tuple(support))
        for vdev in now.old.vdevs:
            if vdev.name in variant.evacuated:
                self._append(Move.EVACUATE, disk_keys=vdev.keys)
        for __ in range(variant.disks_before_copy):
            key = next(iter(now.releasable()), None)
            if key is None:
                return False
            self._release(key, down=False)
        return True

    def create(self, *, complete_only: bool) -> bool:
        """Create the new pool with what is there; False where no data vdev can be made of it."""
        now, vdevs = self.now, self.now.target.vdevs
        made = {n for n, v in enumerate(vdevs) if len(v.members) - len(now.ready(n)) <= v.failures_survived}
        full = {n for n in made if len(now.ready(n)) == len(vdevs[n].members)}
        made -= {n for n in made - full if vdevs[n].vdev_class in SUPPORT}
        data = {n for n in made if vdevs[n].vdev_class is VdevClass.DATA}
        if complete_only:
            if not data & full or data <= full:
                return False  # nothing to begin with, or the same variant as without
            made -= data - full
        if not data:
            return False
        filled = {place for n in made for place in now.ready(n)}
        stand_ins = tuple(
            (place, placeholder_bytes(now.target, now.keys[place]))
            for n in sorted(made)
            if vdevs[n].kind in (VdevKind.RAIDZ, VdevKind.DRAID)
            for place in (NewPlace(n, m) for m in range(len(vdevs[n].members)))
            if place not in filled
        )
        self._append(Move.CREATE, places=tuple(sorted(filled)), vdevs=tuple(sorted(made)), files=stand_ins)
        return True

    def copy(self) -> None:
        self._append(Move.COPY)
        self._append(Move.VERIFY)
        self._append(Move.STOP, down=True)
        self._append(Move.COPY_REST, down=True)

    def move_one(self) -> bool:
        """Take one disk out of the old pool and rebuild it in the new one; False where none can leave."""
        now = self.now
        key = next((k for k in now.releasable() if now.place_of[k].vdev in now.made), None)
        if key is None:
            return False
        self._release(key, down=True)
        self._append(Move.FILL, places=(now.place_of[key],), down=True)
        return True

    def switch_over(self) -> None:
        """Give up the old data, use the new pool, and put in what is left.

        Where no disk is waited for the old data stay until somebody is content: a copy that grows old.
        """
        now = self.now
        waiting = any(not now.available(key) for key in now.place_of)
        if waiting:
            self._append(Move.DESTROY, final=True, down=True)
        self._append(Move.RENAME, down=True)
        fill = tuple(sorted(place for n in now.made for place in now.missing(n)))
        if fill:
            self._append(Move.FILL, places=fill)
        rest = tuple(n for n in range(len(now.target.vdevs)) if n not in now.made)
        if rest:
            self._append(Move.ADD, vdevs=rest, places=tuple(place for n in rest for place in now.missing(n)))
        self._append(Move.FINISH)
        self._append(Move.CLEAN_UP)
        if not waiting:
            self._append(Move.DESTROY, final=True)

    def _release(self, key: str, *, down: bool) -> None:
        vdev = next(v for v in self.now.old.vdevs if key in v.keys)
        move = Move.DETACH if vdev.vdev.kind is VdevKind.MIRROR else Move.OFFLINE
        self._append(move, disk_keys=(key,), down=down)

    # Append a step: it is worth what the data survive at its worse end. Disks that come follow from ``places``.
    def _append(self, move: Move, **more: Any) -> None:
        now = self.now
        step = MigrationStep(move=move, **more)
        step = replace(step, disk_keys=step.disk_keys or tuple(now.keys[place] for place in step.places))
        before = now.survives()
        now.apply(step)
        stands = (replace(step, old=old, new=new) for old, new in (before, now.survives()))
        self.steps.append(min(stands, key=lambda each: each.survives))
