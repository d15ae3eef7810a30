"""How many bytes each step of a migration moves and how long it takes, by the models for speed, resilver and scrub."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.capacity.pool import predict_design
from poolwright.changes.growth.design import refill_hours
from poolwright.changes.migration.by_copy import MigrationState, new_vdevs_with, old_vdevs_without
from poolwright.changes.migration.values import MigrationStep, Move, NewPlace, OldData
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.predict.assumptions import PoolLoad, rates_of_disks
from poolwright.predict.media import host_caps
from poolwright.predict.number_words import hours_text
from poolwright.predict.rebuild import RebuildConditions, expansion_hours, layout_scrub_hours, rebuild_hours
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.predict.speed import SpeedPrediction, predict_speed
from poolwright.texts import N_, _

_COPYING = N_("the bytes at the slower of reading the old data and writing the new pool; {origin}")
_BY_SCRUB = N_("the last scrub read the pool in {hours}; a copy takes as long, or up to three times as long")
_TYPING = Origin(kind=OriginKind.ASSUMED, source=N_("commands that answer at once"))
# A step of commands alone: somebody reads, types, and looks at what is printed.
_COMMAND_HOURS = 2 / 60
_MOVING = (Move.COPY, Move.COPY_REST)
# What was written since the first copy is unknown and little, so its copy counts as one of these.
_COMMANDS_ALONE = frozenset({
    Move.REMOVE, Move.DETACH, Move.OFFLINE, Move.CREATE, Move.STOP, Move.DESTROY, Move.RENAME, Move.ADD,
    Move.CLEAN_UP, Move.COPY_REST, Move.CHECK,
})  # fmt: skip


def with_durations(
    old: OldData, target: Design, steps: Sequence[MigrationStep], needed: int | None
) -> tuple[MigrationStep, ...]:
    """Return the steps with the bytes they move and their hours, or why these are unknown.

    ``needed`` is how many bytes the data take in the new pool; None where unknown.
    """
    clock = _Clock(old, target, needed)
    return tuple(clock.step(step) for step in steps)


class _Clock:
    """Follows the steps, since a mirror that has lost a side reads more slowly, and a fuller pool is rebuilt longer."""

    def __init__(self, old: OldData, target: Design, needed: int | None) -> None:
        self._old, self._target, self._needed = old, target, needed
        self._now = MigrationState(old, target)

    def step(self, step: MigrationStep) -> MigrationStep:
        moved: int | None = None
        hours: Estimate | None = None
        try:
            moved, hours = self._bytes_and_hours(step)
            why = "" if hours is not None else self._unknown(step)
        except PoolwrightError as error:
            why = error.text
        self._now.apply(step)
        return replace(step, bytes_moved=moved, hours=hours, why_no_hours=why)

    def _unknown(self, step: MigrationStep) -> str:
        if self._needed is None:
            return _("how much is stored is not known")
        disks = self._disks(step)
        unseen = next((disk for disk in disks if disk.media is None), None)
        if unseen is not None:
            return _("whether {disk} is a hard disk or flash is not known", disk=unseen.label)
        return _("unpredictable")

    def _disks(self, step: MigrationStep) -> list[Disk]:
        keys = dict.fromkeys(step.disk_keys)
        if step.move in {Move.LOOK, Move.EVACUATE, *_MOVING, Move.EXPAND, Move.ATTACH, Move.REPLACE}:
            keys |= dict.fromkeys(key for vdev in self._old.vdevs if vdev.holds for key in vdev.keys)
        if step.move in {*_MOVING, Move.VERIFY, Move.FILL, Move.FINISH}:
            keys |= dict.fromkeys(self._now.keys[place] for place in sorted(self._now.filled))
        return [self._disk(key) for key in keys]

    def _disk(self, key: str) -> Disk:
        known = {disk.key for disk in self._target.disks}
        return self._target.disk(key) if key in known else self._old.design.disk(key)

    # The bytes that a step moves and its time; None for what is unknown.
    def _bytes_and_hours(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        if step.move in _COMMANDS_ALONE:
            return 0 if step.move is not Move.COPY_REST else None, _commands()
        if self._needed is None or any(disk.media is None for disk in self._disks(step)):
            return self._needed if step.move is Move.COPY else None, self._by_scrub(step)
        match step.move:
            case Move.LOOK:
                return 0, self._scrub(self._old.design, self._old_vdevs())
            case Move.EVACUATE:
                return self._evacuated(step)
            case Move.COPY:
                return self._needed, self._copied(self._needed)
            case Move.VERIFY | Move.FINISH:
                return 0, self._scrub(self._target, self._new_vdevs() or self._old_vdevs())
            case Move.FILL | Move.ATTACH:
                return self._rebuilt(step)
            case Move.REPLACE:
                return self._replaced(step)
            case _:
                return self._expanded(step)

    # By the last scrub of the old pool, where no model can tell: it read what a copy reads.
    def _by_scrub(self, step: MigrationStep) -> Estimate | None:
        hours = self._old.scrub_hours
        if hours is None:
            return None
        slower = 1 if step.move is Move.LOOK else 3
        origin = Origin(kind=OriginKind.COMPUTED, source=_(_BY_SCRUB, hours=hours_text(hours)))
        return Estimate(low=hours, typical=hours * (1 + slower) / 2, high=hours * slower, limit="", origin=origin)

    def _old_vdevs(self) -> tuple[Vdev, ...]:
        return old_vdevs_without(self._old, self._now.released, self._now.evacuated)

    def _new_vdevs(self) -> tuple[Vdev, ...]:
        holding = (n for n in self._now.made if self._target.vdevs[n].vdev_class in HOLDS_THE_POOL)
        return new_vdevs_with(self._target, holding, self._now.filled)

    def _conditions(self, design: Design, vdevs: Sequence[Vdev]) -> RebuildConditions:
        disks = [self._disk(m.disk_key) for vdev in vdevs for m in vdev.members]
        room = predict_design(replace(design, vdevs=tuple(vdevs))).available_bytes
        fill = min(100.0, 100 * self._used(design) / room) if room > 0 else 100.0
        return rebuild_conditions(disks, fill_percent=fill, ashift=design.ashift, version=design.version)

    def _scrub(self, design: Design, vdevs: Sequence[Vdev]) -> Estimate:
        return layout_scrub_hours(tuple(map(design.spec, vdevs)), self._conditions(design, vdevs))

    def _used(self, design: Design) -> int:
        return (self._old.used_bytes if design is self._old.design else self._needed) or 0

    def _speed(self, design: Design, vdevs: Sequence[Vdev]) -> SpeedPrediction:
        data = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
        disks = [self._disk(m.disk_key) for vdev in data for m in vdev.members]
        caps = replace(host_caps(design.host, design.version, disks), network_bytes_per_second=None)
        load = PoolLoad(version=design.version, encrypted=bool(self._old.encrypted))
        return predict_speed(tuple(map(design.spec, vdevs)), host=caps, disks=rates_of_disks(disks), load=load)

    def _copied(self, count: int) -> Estimate:
        reading = self._speed(self._old.design, self._old_vdevs()).seq_read
        return _duration(count, reading, self._speed(self._target, self._new_vdevs()).seq_write)

    def _evacuated(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        vdevs = self._old_vdevs()
        gone = [v for v in vdevs if {m.disk_key for m in v.members} & set(step.disk_keys)]
        stay = [v for v in vdevs if v not in gone]
        used = self._old.used_bytes or 0
        share = _size(self._old.design, gone) / max(1, _size(self._old.design, vdevs))
        count = round(used * share)
        reading, writing = self._speed(self._old.design, gone).seq_read, self._speed(self._old.design, stay).seq_write
        return count, _duration(count, reading, writing)

    # The bytes written to the disks that come, and the time of the slowest vdev: all are filled at once.
    def _rebuilt(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        target, in_place = self._target, step.move is Move.ATTACH
        vdevs = self._old_vdevs() if in_place else self._new_vdevs()
        design = self._old.design if in_place else target
        how = self._conditions(design, vdevs)
        moved, longest = 0, None
        for number in sorted({place.vdev for place in step.places}):
            spec = target.spec(target.vdevs[number])
            if spec.kind is VdevKind.STRIPE and spec.width > 1:
                spec = replace(spec, kind=VdevKind.MIRROR)
            count = sum(1 for place in step.places if place.vdev == number)
            moved += round(min(spec.sizes) * how.fill_percent / 100) * count
            hours = rebuild_hours(spec, how)
            if hours is not None and (longest is None or hours.typical > longest.typical):
                longest = hours
        return moved, longest

    # The same for a disk that takes the place of one: the new disk is filled to what its vdev holds.
    def _replaced(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        design = self._old.design
        how = self._conditions(design, self._old_vdevs())
        vdev = next(v.vdev for v in self._old.vdevs if step.disk_keys[0] in v.keys)
        spec = design.spec(vdev)
        return round(min(spec.sizes) * how.fill_percent / 100), refill_hours(spec, how)

    def _expanded(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        number = step.vdevs[0]
        new = self._target.vdevs[number]
        # As wide as it is by then: with its own disks, and those that joined in the steps before.
        own, joined = self._old.keys, self._now.filled
        width = sum(key in own or NewPlace(number, at) in joined for at, key in enumerate(new.keys))
        how = self._conditions(self._old.design, self._old_vdevs())
        spec = self._target.spec(new)
        size = min(spec.sizes)
        raw = size * width * how.fill_percent / 100
        return round(raw), expansion_hours(old_width=width, disk_bytes=size, allocated_bytes=raw, how=how)


def _size(design: Design, vdevs: Sequence[Vdev]) -> int:
    return predict_design(replace(design, vdevs=tuple(vdevs))).available_bytes if vdevs else 0


def _duration(count: int, reading: Estimate, writing: Estimate) -> Estimate:
    rate = min(reading, writing, key=lambda rate: rate.typical)
    return Estimate(
        low=count / min(reading.high, writing.high) / 3600,
        typical=count / rate.typical / 3600,
        high=count / min(reading.low, writing.low) / 3600,
        limit=rate.limit,
        origin=replace(rate.origin, source=_(_COPYING, origin=rate.origin.source)),
    )


def _commands() -> Estimate:
    hours = _COMMAND_HOURS
    return Estimate(low=hours / 2, typical=hours, high=hours * 5, limit=_("the person"), origin=_TYPING)
