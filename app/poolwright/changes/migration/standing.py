"""How the old data and the new pool stand between two steps: which disks are where, and how many may fail."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import DEFAULT_LOGICAL_SECTOR_BYTES, predict_design
from poolwright.changes.against.values import PoolVdev
from poolwright.changes.growth.design import refill_hours
from poolwright.changes.migration.values import MigrationStep, Move, NewPlace, OldData, places_of
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.vdev import HOLDS_THE_POOL, Layout, VdevClass, VdevKind
from poolwright.predict.circumstances import PoolLoad, rates_of_disks
from poolwright.predict.media import host_caps
from poolwright.predict.number_words import hours_text
from poolwright.predict.rebuild import RebuildConditions, expansion_hours, layout_scrub_hours, rebuild_hours
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.predict.speed import SpeedPrediction, predict_speed
from poolwright.texts import N_, _


class Between:
    """Changes as the steps of one plan are taken. A disk is in the old data, in the new pool, or waits in between."""

    def __init__(self, old: OldData, target: Design) -> None:
        self.old, self.target = old, target
        self.keys = places_of(target)
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

    def take(self, step: MigrationStep) -> None:
        match step.move:
            case Move.REMOVE | Move.DETACH | Move.OFFLINE:
                self.left.update(step.disk_keys)
            case Move.EVACUATE:
                self.left.update(step.disk_keys)
                self.emptied.update(v.name for v in self.old.vdevs if set(v.keys) == set(step.disk_keys))
            case Move.CREATE | Move.ADD:
                self.made.update(step.vdevs)
            case Move.COPY_REST:
                self.copied = True
            case Move.DESTROY:
                self.old_lives = False
            case Move.RENAME:
                self.stale = True
        self.filled.update(step.places)

    def available(self, key: str) -> bool:
        return not self.old_lives or key not in self._old_keys or key in self.left

    def left_of(self, vdev: PoolVdev) -> int:
        return vdev.survives - sum(1 for key in self._of_old[vdev.name] if key in self.left)

    def spared(self, number: int) -> int:
        vdev = self.target.vdevs[number]
        missing = len(self.missing(number))
        return vdev.failures_survived - missing

    def missing(self, number: int) -> tuple[NewPlace, ...]:
        members = range(len(self.target.vdevs[number].members))
        return tuple(p for p in (NewPlace(number, m) for m in members) if p not in self.filled)

    def standing(self) -> tuple[int | None, int | None]:
        """Return how many further disks the old copy and the new one survive; None of one that is not whole."""
        old = new = None
        if self.old_lives and not self.stale:
            old = min(self.left_of(vdev) for vdev in self.old.vdevs if vdev.holds and vdev.name not in self.emptied)
        if self.copied:
            new = min(self.spared(n) for n in self.made if self.target.vdevs[n].vdev_class in HOLDS_THE_POOL)
        return old, new

    def can_be_made(self, number: int) -> bool:
        """Tell whether a vdev of the new pool can be created with the disks that are available now."""
        vdev = self.target.vdevs[number]
        absent = len(vdev.members) - len(self.ready(number))
        if vdev.kind is VdevKind.MIRROR:
            return absent < len(vdev.members)
        return absent <= (vdev.parity if vdev.kind is not VdevKind.STRIPE else 0)

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
            if vdev.holds and vdev.name not in self.emptied and self.left_of(vdev) > 0
            for key in self._of_old[vdev.name]
            if key in self.place_of and key not in self.left and key not in vdev.tied
        ]
        found.sort(key=lambda each: (-self.left_of(each[0]), self._need(each[1])))
        return tuple(key for __, key in found)

    # Vdevs that exist already and bear least need a disk most; of others the one that lacks fewest.
    def _need(self, key: str) -> tuple[int, int]:
        number = self.place_of[key].vdev
        waits = len(self.target.vdevs[number].members) - len(self.ready(number))
        return (self.spared(number), waits) if number in self.made else (1 << 16, waits)


def narrowed(design: Design, vdevs: Iterable[int], filled: Iterable[NewPlace]) -> tuple[Vdev, ...]:
    """Return these vdevs of a design as they are with what is there: a mirror with its present sides."""
    there = set(filled)
    return tuple(
        _with_sides(design.vdevs[n], [m for i, m in enumerate(design.vdevs[n].members) if NewPlace(n, i) in there])
        for n in sorted(vdevs)
    )


def remaining(old: OldData, left: Iterable[str], emptied: Iterable[str]) -> tuple[Vdev, ...]:
    """Return the vdevs of the old pool without what has left: mirrors are narrower, a raidz is as it was."""
    gone, without = set(left), set(emptied)
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


# How many bytes each step moves and how long it takes, by the models for speed, resilver, scrub and expansion.

_COPYING = N_("the bytes at the slower of reading the old data and writing the new pool; {origin}")
_BY_SCRUB = N_("the last scrub read the pool in {hours}; a copy takes as long, or up to three times as long")
_TYPING = Origin(kind=OriginKind.ASSUMED, source=N_("commands that answer at once"))
# A step of commands alone: somebody reads, types, and looks at what is told.
_COMMAND_HOURS = 2 / 60
_MOVING = (Move.COPY, Move.COPY_REST)
_AT_ONCE = frozenset({
    Move.REMOVE, Move.DETACH, Move.OFFLINE, Move.CREATE, Move.STOP, Move.DESTROY, Move.RENAME, Move.ADD,
    Move.CLEAN_UP, Move.COPY_REST,
})  # fmt: skip


def timed(
    old: OldData, target: Design, steps: Sequence[MigrationStep], needed: int | None
) -> tuple[MigrationStep, ...]:
    clock = _Clock(old, target, needed)
    return tuple(clock.step(step) for step in steps)


class _Clock:
    """Follows the steps, since a mirror that has lost a side reads more slowly, and a fuller pool is rebuilt longer."""

    def __init__(self, old: OldData, target: Design, needed: int | None) -> None:
        self._old, self._target, self._needed = old, target, needed
        self._now = Between(old, target)

    def step(self, step: MigrationStep) -> MigrationStep:
        moved: int | None = None
        hours: Estimate | None = None
        try:
            moved, hours = self._reckoned(step)
            why = "" if hours is not None else self._unknown(step)
        except PoolwrightError as error:
            why = error.text
        self._now.take(step)
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

    # The bytes that a step moves and its time; None for what cannot be told.
    def _reckoned(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        if step.move in _AT_ONCE:
            return 0 if step.move is not Move.COPY_REST else None, _commands()
        if self._needed is None or any(disk.media is None for disk in self._disks(step)):
            return self._needed if step.move is Move.COPY else None, self._by_scrub(step)
        match step.move:
            case Move.LOOK:
                return 0, self._scrub(self._old.design, self._rest())
            case Move.EVACUATE:
                return self._evacuated(step)
            case Move.COPY:
                return self._needed, self._copied(self._needed)
            case Move.VERIFY | Move.FINISH:
                return 0, self._scrub(self._target, self._there() or self._rest())
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

    def _rest(self) -> tuple[Vdev, ...]:
        return remaining(self._old, self._now.left, self._now.emptied)

    def _there(self) -> tuple[Vdev, ...]:
        holding = (n for n in self._now.made if self._target.vdevs[n].vdev_class in HOLDS_THE_POOL)
        return narrowed(self._target, holding, self._now.filled)

    def _layout(self, design: Design, vdevs: Sequence[Vdev]) -> Layout:
        return tuple(design.spec(vdev) for vdev in vdevs)

    def _fill(self, design: Design, vdevs: Sequence[Vdev], used: int) -> float:
        room = predict_design(replace(design, vdevs=tuple(vdevs))).available_bytes
        return min(100.0, 100 * used / room) if room > 0 else 100.0

    def _how(self, design: Design, vdevs: Sequence[Vdev], used: int) -> RebuildConditions:
        disks = [self._disk(m.disk_key) for vdev in vdevs for m in vdev.members]
        fill = self._fill(design, vdevs, used)
        return rebuild_conditions(disks, fill_percent=fill, ashift=design.ashift, version=design.version)

    def _scrub(self, design: Design, vdevs: Sequence[Vdev]) -> Estimate:
        used = self._used(design)
        return layout_scrub_hours(self._layout(design, vdevs), self._how(design, vdevs, used))

    def _used(self, design: Design) -> int:
        found = self._old.used_bytes if design is self._old.design else self._needed
        return found or 0

    def _speed(self, design: Design, vdevs: Sequence[Vdev]) -> SpeedPrediction:
        data = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
        disks = [self._disk(m.disk_key) for vdev in data for m in vdev.members]
        caps = replace(host_caps(design.host, design.version, disks), network_bytes_per_second=None)
        load = PoolLoad(version=design.version, encrypted=bool(self._old.encrypted))
        return predict_speed(self._layout(design, vdevs), host=caps, disks=rates_of_disks(disks), load=load)

    def _copied(self, count: int) -> Estimate:
        reading = self._speed(self._old.design, self._rest()).seq_read
        return _duration(count, reading, self._speed(self._target, self._there()).seq_write)

    def _evacuated(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        vdevs = self._rest()
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
        vdevs = self._rest() if in_place else self._there()
        design = self._old.design if in_place else target
        how = self._how(design, vdevs, self._used(design))
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
        how = self._how(design, self._rest(), self._used(design))
        vdev = next(v.vdev for v in self._old.vdevs if step.disk_keys[0] in v.keys)
        spec = design.spec(vdev)
        return round(min(spec.sizes) * how.fill_percent / 100), refill_hours(spec, how)

    def _expanded(self, step: MigrationStep) -> tuple[int | None, Estimate | None]:
        number = step.vdevs[0]
        new = self._target.vdevs[number]
        width = len(new.members) - len(step.places) - self._later(step)
        how = self._how(self._old.design, self._rest(), self._used(self._old.design))
        spec = self._target.spec(new)
        size = min(spec.sizes)
        raw = size * width * how.fill_percent / 100
        return round(raw), expansion_hours(old_width=width, disk_bytes=size, allocated_bytes=raw, how=how)

    def _later(self, step: MigrationStep) -> int:
        number = step.vdevs[0]
        own = {key for vdev in self._old.vdevs for key in vdev.keys}
        keys = [m.disk_key for m in self._target.vdevs[number].members]
        waiting = [i for i, key in enumerate(keys) if key not in own and NewPlace(number, i) not in self._now.filled]
        return len(waiting) - len(step.places)


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
    minutes = _COMMAND_HOURS
    return Estimate(low=minutes / 2, typical=minutes, high=minutes * 5, limit=_("the person"), origin=_TYPING)
