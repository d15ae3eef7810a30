"""How well a real disk fits a place of a design: what is equal, what differs, and whether that can be taken."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.design.blast import pool_outcome
from poolwright.domain.as_built import reserved_by_disk, total_bytes
from poolwright.domain.design import Design
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media, UseKind
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Inventory
from poolwright.domain.reserve import SLICE_STEP_BYTES, whole_mib
from poolwright.domain.units import drive_size, size_difference
from poolwright.domain.vdev import SIZE_SLACK_BYTES, VdevClass, VdevKind
from poolwright.texts import N_, _

# What a design asks of each disk that it names: the room, the blocks, the vdevs that wait for it.

# Which places are filled first where there are too few disks: what holds the pool, then what can be added later.
_LATER = {VdevClass.SPARE: 1, VdevClass.CACHE: 2}
GROWTH_RANK = 3
_TABLE_BYTES = 2 * SLICE_STEP_BYTES  # the first MiB holds the partition table, the last its copy


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSeat:
    """A disk of a design and all places it has there; ``vdevs`` are numbers of pool and vdev, ``names`` their words.

    ``least_bytes`` is the size from which on a disk has the room (of a whole disk its own size; None where that is
    unknown), ``block_bytes`` the smallest block that is written to it. ``rank`` is 0 where the pool needs it, higher
    for spares, caches and, last, what is kept for a step of growth: that has no vdev yet.
    """

    disk: Disk
    names: tuple[str, ...]
    vdevs: tuple[tuple[int, int], ...] = ()
    classes: frozenset[VdevClass] = frozenset()
    whole: bool = True
    least_bytes: int | None
    block_bytes: int = 0
    rank: int = 0

    @property
    def needed(self) -> bool:
        return self.rank < GROWTH_RANK

    @property
    def words(self) -> str:
        return ", ".join(self.names)

    @property
    def label(self) -> str:
        """Return how the disk is called: planned ones of one model are told apart by their keys."""
        return self.disk.key if self.disk.planned else self.disk.label


def seats_of(design: Design) -> tuple[DiskSeat, ...]:
    """Return each disk that the design names with its places, the main pool's first, disks for later growth last.

    Raises UserError for a disk that the design does not describe.
    """
    pools, reserved = design.pools(), reserved_by_disk(design)
    words = [vdev_words(pool, alone=len(pools) == 1) for pool in pools]
    held = grouped(
        (member.disk_key, (number, index, member.slice_bytes))
        for number, pool in enumerate(pools)
        for index, vdev in enumerate(pool.vdevs)
        for member in vdev.members
    )
    found = []
    for key, places in held.items():
        disk, sizes = design.disk(key), [size for *__, size in places]
        vdevs = tuple(dict.fromkeys((number, index) for number, index, __ in places))
        classes = frozenset(pools[number].vdevs[index].vdev_class for number, index in vdevs)
        room = sum(size or 0 for size in sizes) + total_bytes(reserved.get(key, ()))
        seat = DiskSeat(
            disk=disk,
            names=tuple(words[number][index] for number, index in vdevs),
            vdevs=vdevs,
            classes=classes,
            whole=None in sizes,
            least_bytes=disk.size_bytes if None in sizes else whole_mib(room) + _TABLE_BYTES,
            block_bytes=min(1 << pools[number].ashift for number, __ in vdevs),
            rank=min(_LATER.get(vdev_class, 0) for vdev_class in classes),
        )
        found.append(seat)
    for number, step in enumerate(design.growth, 1):
        for disk in (design.disk(key) for key in step.disk_keys if key not in held):
            held[disk.key] = []
            names = (_("step {number} of growth", number=number),)
            found.append(DiskSeat(disk=disk, names=names, least_bytes=disk.size_bytes, rank=GROWTH_RANK))
    return tuple(found)


def vdev_words(pool: Design, *, alone: bool = True) -> dict[int, str]:
    """Return for each vdev of one pool what a person calls it: by its class, and by the pool unless it is ``alone``."""
    names = {blast.index: blast.name for blast in reversed(pool_outcome(pool, ()).pools[0].vdevs)}
    made = {}
    for index, vdev in enumerate(pool.vdevs):
        bare = vdev.kind is VdevKind.STRIPE
        name = vdev.vdev_class.value if bare else names.get(index, vdev.kind.value)
        if bare and vdev.vdev_class is VdevClass.DATA:
            name = _("single disk") if len(vdev.members) == 1 else "stripe"
        elif not bare and vdev.vdev_class is not VdevClass.DATA:
            name = f"{vdev.vdev_class.value} {name}"
        made[index] = name if alone else f"{pool.pool_name}: {name}"
    return made


# What a difference costs: each kind weighs more than several of the kinds below it, for every place of a large pool.
_MEDIA, _SMALLER, _SHINGLED, _FAILING = 10**9, 10**8, 10**7, 10**7
_SUSPECT, _LARGER, _UNNAMED, _PROTECTION, _MODEL, _SECTORS, _UNKNOWN = 10**6, 10**4, 5000, 2000, 1000, 100, 5
_PER_MILLE, _MOST_PER_MILLE = 1000, 9000
# Vdevs whose devices are asked to keep what they said is written.
_SYNCHRONOUS = frozenset((VdevClass.LOG, VdevClass.SPECIAL, VdevClass.DEDUP))


class PairVerdict(StrEnum):
    FINE = N_("fine")
    LOOK = N_("look")
    REFUSED = N_("refused")


_ORDER = list(PairVerdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference:
    """One thing in which a real disk is not what the design says; ``cost`` is for comparing pairs alone."""

    verdict: PairVerdict
    text: str
    cost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    """A place and a real disk: in what they are ``equal`` (in words), and in what they differ, the gravest first."""

    equal: tuple[str, ...]
    differences: tuple[PairDifference, ...]

    @property
    def verdict(self) -> PairVerdict:
        return max((d.verdict for d in self.differences), key=_ORDER.index, default=PairVerdict.FINE)

    @property
    def refused(self) -> bool:
        return self.verdict is PairVerdict.REFUSED

    @property
    def cost(self) -> int:
        """Return how far the disk is from what the design says: a number for comparing, 0 is equal in everything."""
        return sum(difference.cost for difference in self.differences)


def judge(seat: DiskSeat, real: Disk, *, smaller: bool = False) -> JudgedPair:
    """Return what is equal and what differs between a place of a design and a disk of a machine.

    A disk in use, or without the room, is refused; with ``smaller`` less room on a whole disk is looked at instead,
    for the pool is then smaller. Unknown is never taken as equal.
    """
    refusals = (*real.refusals(), *((_("is planned itself, no disk of a machine"),) if real.planned else ()))
    compared = [_size(seat, real, smaller=smaller), _media(seat, real), _model(seat, real), _sectors(seat, real)]
    found = [_refused(reason) for reason in refusals]
    found += [said for said in compared if isinstance(said, PairDifference)]
    found += _conditions(seat, real)
    found.sort(key=lambda difference: -_ORDER.index(difference.verdict))
    equal = tuple(said for said in compared if isinstance(said, str) and said)
    return JudgedPair(equal=equal, differences=tuple(found))


def _refused(text: str, cost: int = 0) -> PairDifference:
    return PairDifference(verdict=PairVerdict.REFUSED, text=text, cost=cost)


def _fine(text: str, cost: int = 0) -> PairDifference:
    return PairDifference(verdict=PairVerdict.FINE, text=text, cost=cost)


def _look(text: str, cost: int) -> PairDifference:
    return PairDifference(verdict=PairVerdict.LOOK, text=text, cost=cost)


def _size(seat: DiskSeat, real: Disk, *, smaller: bool) -> str | PairDifference:
    planned, least, has = seat.disk.size_bytes, seat.least_bytes, real.size_bytes
    if has is None:
        return ""  # its refusals say so
    if planned is None or least is None:
        return _look(_("the design does not know the size of this disk"), _UNKNOWN)
    if has == planned:
        return _("size")
    if _rounding_bytes(real, has) >= abs(has - planned) and seat.whole:
        text = _("{real} as printed with few digits: it may be smaller than planned", real=drive_size(has))
        return _look(text, _SECTORS)
    if has < least and not seat.whole:
        return _refused(_("too small for its partitions by {bytes}", bytes=size_difference(least - has)))
    off = abs(has - planned)
    by_far = _LARGER + _LARGER * min(_MOST_PER_MILLE, off * _PER_MILLE // max(1, planned)) // _PER_MILLE
    if has < least:
        text = _("{real}, smaller than planned by {bytes}", real=drive_size(has), bytes=size_difference(off))
        return (_look if smaller else _refused)(text, _SMALLER + by_far)
    if has < planned:
        return _fine(_("smaller by {bytes}, with room for its partitions", bytes=size_difference(off)), _SECTORS)
    if off <= SIZE_SLACK_BYTES:
        return _fine(_("larger by {bytes}", bytes=size_difference(off)), _UNKNOWN)
    return _look(_("{real}, larger than planned by {bytes}", real=drive_size(has), bytes=size_difference(off)), by_far)


def _rounding_bytes(real: Disk, has: int) -> int:
    """Return by how many bytes a size may be off that a tool printed with one digit behind the point; 0 if exact."""
    origin = real.origin_of("size_bytes")
    if origin is None or not origin.rounded:
        return 0
    unit = 1 << max(0, has.bit_length() - 1) // 10 * 10
    return unit // 20 + unit // 100


def _media(seat: DiskSeat, real: Disk) -> str | PairDifference:
    planned = seat.disk.media
    if planned is None:
        return ""
    unlike = [_("connected by USB")] if real.transport == "usb" != seat.disk.transport else []
    if unlike or (real.array and not seat.disk.array):
        text = _("{real}, not {planned} as planned", real=(*unlike, _("a RAID array"))[0], planned=planned.words)
        return _refused(text) if planned in FLASH_MEDIA else _look(text, _MEDIA)
    if planned is real.media:
        return planned.words
    if real.media is None:
        return _look(_("whether it is a hard disk or flash is unknown, {planned} planned", planned=planned.words), 50)
    text = _("{real}, not {planned} as planned", real=real.media.words, planned=planned.words)
    if planned in FLASH_MEDIA and real.media is Media.HDD:
        return _refused(text)
    return _look(text, _MEDIA)


def _model(seat: DiskSeat, real: Disk) -> str | PairDifference:
    planned = seat.disk.model
    if planned is None:
        return ""
    if same_model(planned, real.model):
        return _("model")
    if real.model is None:
        return _fine(_("its model is unknown"), _UNKNOWN)
    return _look(_("model {real}, not {planned}", real=real.model, planned=planned), _MODEL)


def _sectors(seat: DiskSeat, real: Disk) -> str | PairDifference:
    mine = seat.disk.logical_sector_bytes, seat.disk.physical_sector_bytes
    has = real.logical_sector_bytes, real.physical_sector_bytes
    if seat.block_bytes and has[0] is not None and has[0] > seat.block_bytes:
        text = _("sectors of {bytes} bytes, larger than the blocks of {block}", bytes=has[0], block=seat.block_bytes)
        return _refused(text)
    if seat.block_bytes and has[1] is not None and has[1] > seat.block_bytes:
        text = _("physical sectors of {bytes} bytes: blocks of {block} are slow", bytes=has[1], block=seat.block_bytes)
        return _look(text, _MODEL)
    if None in mine or None in has:
        return _fine(_("its sector sizes are unknown"), _UNKNOWN) if has[0] is None else ""
    if mine == has:
        return _("sectors")
    shown = {"real": f"{has[0]}/{has[1]}", "planned": f"{mine[0]}/{mine[1]}"}
    return _fine(_("sectors {real}, {planned} planned; the pool’s blocks fit", **shown), _SECTORS)


def _conditions(seat: DiskSeat, real: Disk) -> Iterator[PairDifference]:
    if real.smr and not seat.disk.smr:
        yield _look(_("shingled (SMR), which the plan is not"), _SHINGLED)
    if seat.disk.power_loss_protection and real.power_loss_protection is False:
        yield _look(_("without power-loss protection, which was planned"), _PROTECTION)
    elif seat.disk.power_loss_protection and real.power_loss_protection is None:
        text = _("planned with power-loss protection, of which no tool tells: look it up")
        yield _look(text, _UNKNOWN) if seat.classes & _SYNCHRONOUS else _fine(text, _UNKNOWN)
    if real.transport == "usb" and seat.disk.transport != "usb":
        yield _look(_("attached by USB"), _SHINGLED)
    if real.health is Health.FAILING:
        yield _look(_("its health is failing"), _FAILING)
    elif real.health is Health.SUSPECT:
        yield _look(_("its health is suspect"), _SUSPECT)
    if not real.use_known and not real.uses:
        yield _look(_("not checked what uses it; the script checks before it writes"), _UNKNOWN)
    if not real.nameable:
        yield _look(_("its name in /dev/disk/by-id was not read: a script needs it"), _UNNAMED)


def same_model(one: str | None, other: str | None) -> bool:
    """Tell whether two texts name one model; tools and shops leave blanks, makers and endings out."""
    first, second = (re.sub(r"[^a-z0-9]", "", (text or "").lower()) for text in (one, other))
    return bool(first and second) and (first in second or second in first)


# Which disks of a design and of a machine are one and the same, whatever they are called now.

_SIZES_AGREE = 1000  # sizes that differ by less than a thousandth are one size, printed with fewer digits
# Names that a mapping has, not the disk below it.
_MAPPED = ("dm-", "md-", "lvm-", "raid-", "usb-")


class PairedBy(StrEnum):
    HAND = N_("by hand")
    NAME = N_("same by-id name")
    SERIAL = N_("same serial number")
    WWN = N_("same world-wide name")
    FACTS = N_("what it is")


def identified(planned: Sequence[Disk], real: Iterable[Disk]) -> dict[str, tuple[Disk, PairedBy]]:
    """Return by the key of each design's disk the one that it is on the machine, and by what it is known.

    Nothing that two disks share on either side tells them apart. Paths below a multipath disk do not count.
    """
    there = [disk for disk in real if not any(use.kind is UseKind.MULTIPATH for use in disk.uses)]
    found: dict[str, tuple[Disk, PairedBy]] = {}
    taken: set[str] = set()
    for how, names_of in _WAYS:
        mine, theirs = _owners(planned, names_of), _owners(there, names_of)
        for name, disk in mine.items():
            other = theirs.get(name)
            if disk is None or other is None or disk.key in found or other.key in taken:
                continue
            if how is not PairedBy.SERIAL or _sizes_agree(disk, other):
                found[disk.key] = other, how
                taken.add(other.key)
    return found


def completed(inventory: Inventory, planned: Sequence[Disk]) -> Inventory:
    """Return the machine with the facts that were read before of disks of which a listing tells nothing but names."""
    seen = [disk for disk in planned if not disk.planned]
    bare = [disk for disk in inventory.disks if disk.size_bytes is None and disk.model is None and disk.by_id]
    before = {}
    for disk in bare:
        known = [other for other in seen if _is_listed(other, disk.by_id)]
        if len(known) == 1:
            origins = tuple(named for named in known[0].origins if named[0] != "by_id")
            now = replace(known[0], key=disk.key, path=disk.path, by_id=disk.by_id, origins=origins)
            before[disk.key] = now
    return replace(inventory, disks=tuple(before.get(disk.key, disk) for disk in inventory.disks))


def _is_listed(disk: Disk, names: Collection[str]) -> bool:
    """Tell whether names of udev's are of this disk: they end in its serial number, or are its world-wide name."""
    serial, wide = disk.telling_serial, _world_wide_names(disk)
    ending = "_" + re.sub(r"\s+", "_", serial) if serial else None
    return any(
        name in disk.by_id or (ending is not None and name.endswith(ending)) or name.removeprefix("wwn-0x") in wide
        for name in names
    )


def _owners(disks: Iterable[Disk], names_of: Callable[[Disk], Collection[str]]) -> dict[str, Disk | None]:
    """Return the disk of each name; None where two have it."""
    owners: dict[str, Disk | None] = {}
    for disk in disks:
        for name in dict.fromkeys(names_of(disk)):
            owners[name] = None if name in owners else disk
    return owners


def _by_id_names(disk: Disk) -> tuple[str, ...]:
    return tuple(sorted(name for name in disk.by_id if not name.startswith(_MAPPED) and "-part" not in name))


def _serials(disk: Disk) -> tuple[str, ...]:
    serial = re.sub(r"[\s_-]", "", disk.telling_serial or "").upper()
    return (serial,) if serial else ()


def _world_wide_names(disk: Disk) -> tuple[str, ...]:
    bare = re.sub(r"^(0x|naa\.|wwn-)", "", (disk.wwn or "").strip().lower()).removeprefix("0x")
    return (bare,) if bare.strip("0") else ()


def names_of_device(disk: Disk) -> frozenset[str]:
    """Return what only one disk of a machine can be called; parts of one drive share its number, not their paths."""
    shared = () if disk.body is not None else (*_serials(disk), *_world_wide_names(disk))
    return frozenset({disk.key, disk.path or disk.key, *_by_id_names(disk), *shared})


def _sizes_agree(one: Disk, other: Disk) -> bool:
    if one.size_bytes is None or other.size_bytes is None:
        return True
    return abs(one.size_bytes - other.size_bytes) <= max(one.size_bytes, other.size_bytes) // _SIZES_AGREE


_WAYS: tuple[tuple[PairedBy, Callable[[Disk], Collection[str]]], ...] = (
    (PairedBy.WWN, _world_wide_names),
    (PairedBy.NAME, _by_id_names),
    (PairedBy.SERIAL, _serials),
)
