"""One variant of a migration by copy: which disks leave the old pool before the copy, after it, and at the end."""

from dataclasses import dataclass, replace
from typing import Any

from poolwright.changes.migration.state import MigrationState, placeholder_bytes
from poolwright.changes.migration.values import SUPPORT, MigrationStep, Move, NewPlace, OldData
from poolwright.domain.design import Design
from poolwright.domain.vdev import VdevClass, VdevKind


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
        self._append(Move.LOOK)
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
