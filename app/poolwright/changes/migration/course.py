"""One way through a migration: which disks leave the old pool before the copy, which after it, which at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from poolwright.changes.migration.standing import Between, Walked, placeholder_bytes
from poolwright.changes.migration.values import SUPPORT, MigrationStep, Move, NewPlace, OldData, Placeholder
from poolwright.domain.design import Design
from poolwright.domain.vdev import VdevClass, VdevKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is decided before the first step.

    ``emptied`` old vdevs give their data to the others; ``early`` disks leave the old pool before the copy, ``single``
    after it one by one, each rebuilt in the new pool before the next leaves. ``whole`` vdevs only: the new pool begins
    with the vdevs whose disks are all there, the others are added at the end.
    """

    emptied: tuple[str, ...] = ()
    early: int = 0
    single: int = 0
    whole: bool = False


def walk(old: OldData, target: Design, course: Course) -> Walked | None:
    """Return the steps of a course; None where it cannot be taken: too few disks would be there at the beginning."""
    walker = _Walker(old, target)
    if not walker.prepare(course) or not walker.create(whole=course.whole):
        return None
    begin = (frozenset(walker.now.made), frozenset(walker.now.filled))
    walker.copy()
    for _ in range(course.single):
        if not walker.move_one():
            return None
    walker.change()
    return Walked(steps=tuple(walker.steps), made=begin[0], filled=begin[1])


class _Walker:
    """Takes the steps one after the other and writes down what each leaves."""

    def __init__(self, old: OldData, target: Design) -> None:
        self.now = Between(old, target)
        self.steps: list[MigrationStep] = []

    def prepare(self, course: Course) -> bool:
        """Look, and take out of the old pool what is needed before the copy; False where it cannot be done."""
        now = self.now
        self._take(Move.LOOK, lambda: None)
        support = [
            key for v in now.old.vdevs if not v.holds for key in v.keys if key in now.place_of and key not in v.tied
        ]
        if support:
            self._take(Move.REMOVE, lambda: now.left.update(support), disk_keys=tuple(support))
        for vdev in now.old.vdevs:
            if vdev.name in course.emptied:
                self._take(Move.EVACUATE, partial(self._empty, vdev.name, vdev.keys), disk_keys=vdev.keys)
        for _ in range(course.early):
            key = next(iter(now.releasable()), None)
            if key is None:
                return False
            self._release(key, down=False)
        return True

    def create(self, *, whole: bool) -> bool:
        """Create the new pool with what is there; False where no data vdev can be made of it."""
        now, vdevs = self.now, self.now.target.vdevs
        made = {n for n in range(len(vdevs)) if now.can_be_made(n)}
        full = {n for n in made if len(now.ready(n)) == len(vdevs[n].members)}
        made -= {n for n in made - full if vdevs[n].vdev_class in SUPPORT}
        data = {n for n in made if vdevs[n].vdev_class is VdevClass.DATA}
        if whole:
            if not data & full or data <= full:
                return False  # nothing to begin with, or the same course as without
            made -= data - full
        if not data:
            return False
        filled = {place for n in made for place in now.ready(n)}
        stand_ins = tuple(
            Placeholder(
                place=place, disk_key=now.keys[place], size_bytes=placeholder_bytes(now.target, now.keys[place])
            )
            for n in sorted(made)
            if vdevs[n].kind in (VdevKind.RAIDZ, VdevKind.DRAID)
            for place in (NewPlace(n, m) for m in range(len(vdevs[n].members)))
            if place not in filled
        )

        def change() -> None:
            now.made |= made
            now.filled |= filled

        keys = tuple(now.keys[place] for place in sorted(filled))
        self._take(
            Move.CREATE,
            change,
            disk_keys=keys,
            places=tuple(sorted(filled)),
            vdevs=tuple(sorted(made)),
            placeholders=stand_ins,
        )
        return True

    def copy(self) -> None:
        """Copy while the old data are in use, read the copy once, stop, copy the rest and compare.

        Files are compared at the end, byte by byte; a stream of zfs is checked as it is received.
        """
        now, files = self.now, self.now.old.filesystem is not None
        self._take(Move.COPY, lambda: None)
        if not files:
            self._take(Move.VERIFY, lambda: None)
        self._take(Move.STOP, lambda: None, down=True)
        self._take(Move.COPY_REST, lambda: setattr(now, "copied", not files), down=True)
        if files:
            self._take(Move.VERIFY, lambda: setattr(now, "copied", True), down=True)

    def move_one(self) -> bool:
        """Take one disk out of the old pool and rebuild it in the new one; False where none can leave."""
        now = self.now
        key = next((k for k in now.releasable() if now.place_of[k].vdev in now.made), None)
        if key is None:
            return False
        self._release(key, down=True)
        place = now.place_of[key]
        self._take(Move.FILL, lambda: now.filled.add(place), disk_keys=(key,), places=(place,), down=True)
        return True

    def change(self) -> None:
        """Give up the old data, use the new pool, and put in what is left.

        Where no disk is waited for the old data stay until somebody is content: a copy that grows old.
        """
        now = self.now
        waiting = any(not now.available(key) for key in now.place_of)
        if waiting:
            self._take(Move.DESTROY, lambda: setattr(now, "old_lives", False), final=True, down=True)
        self._take(Move.RENAME, lambda: setattr(now, "stale", True), down=True)
        fill = tuple(sorted(place for n in now.made for place in now.missing(n)))
        if fill:
            keys = tuple(now.keys[place] for place in fill)
            self._take(Move.FILL, lambda: now.filled.update(fill), disk_keys=keys, places=fill)
        rest = tuple(n for n in range(len(now.target.vdevs)) if n not in now.made)
        if rest:
            places = tuple(place for n in rest for place in now.missing(n))
            keys = tuple(now.keys[place] for place in places)
            self._take(Move.ADD, partial(self._add, rest, places), vdevs=rest, places=places, disk_keys=keys)
        self._take(Move.FINISH, lambda: None)
        if not waiting:
            self._take(Move.DESTROY, lambda: None, final=True)

    def _add(self, vdevs: tuple[int, ...], places: tuple[NewPlace, ...]) -> None:
        self.now.made.update(vdevs)
        self.now.filled.update(places)

    def _empty(self, name: str, keys: tuple[str, ...]) -> None:
        self.now.emptied.add(name)
        self.now.left.update(keys)

    def _release(self, key: str, *, down: bool) -> None:
        vdev = next(v for v in self.now.old.vdevs if key in v.keys)
        move = Move.DETACH if vdev.vdev.kind is VdevKind.MIRROR else Move.OFFLINE
        self._take(move, lambda: self.now.left.add(key), disk_keys=(key,), down=down)

    def _take(self, move: Move, change: Callable[[], object], **told: object) -> None:
        """Take a step: it is worth what the data survive at its worse end."""
        now = self.now
        before = (now.survives(), now.old_survives(), now.new_survives())
        change()
        after = (now.survives(), now.old_survives(), now.new_survives())
        survives, old, new = min(before, after, key=lambda each: each[0])
        self.steps.append(MigrationStep(move=move, survives=survives, old=old, new=new, **told))  # type: ignore[arg-type]
