"""The pairs of a design's disks and a machine's: found, chosen by hand, and why some are none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from poolwright.design.binding.dealing import deal
from poolwright.design.binding.identity import PairedBy, completed, identified
from poolwright.design.binding.judging import JudgedPair, PairVerdict, judge
from poolwright.design.binding.places import DiskSeat, seats_of
from poolwright.design.binding.unbound import why_unbound
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.inventory import Inventory
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundPair:
    """A place of the design with the disk that takes it; ``real`` is None where none does, and ``reasons`` say why.

    ``judged`` is None without a disk. ``own`` is the very disk of the design where the machine has it, also where it
    cannot be used there.
    """

    seat: DiskSeat
    real: Disk | None = None
    by: PairedBy | None = None
    judged: JudgedPair | None = None
    own: Disk | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """All pairs of a design and a machine, in the order of the design; ``idle`` are disks without a place.

    ``remarks`` are sentences about the machine as a whole.
    """

    design: Design
    inventory: Inventory
    pairs: tuple[BoundPair, ...]
    idle: tuple[Disk, ...]
    remarks: tuple[str, ...] = ()

    @property
    def bound(self) -> tuple[BoundPair, ...]:
        return tuple(pair for pair in self.pairs if pair.real is not None)

    @property
    def missing(self) -> tuple[BoundPair, ...]:
        """Return the places that a script needs and that have no disk; what is kept for growth may wait."""
        return tuple(pair for pair in self.pairs if pair.real is None and pair.seat.needed)

    @property
    def all_known(self) -> bool:
        """Tell whether every disk of the design is itself a disk of the machine."""
        return all(pair.own is not None and pair.real is not None for pair in self.pairs)

    @property
    def to_look_at(self) -> int:
        """Return in how many pairs something should be looked at."""
        looks = (pair.judged is not None and pair.judged.verdict is PairVerdict.LOOK for pair in self.pairs)
        return sum(looks)


def bind_disks(
    design: Design, inventory: Inventory, *, chosen: Mapping[str, str | None] | None = None, smaller: bool = False
) -> Binding:
    """Return which disk of the machine takes which place of the design.

    The same disk first, known by its world-wide name, by-id name or serial number, then the disks that differ least.
    ``chosen`` says by hand which disk (by its key) takes the place of which disk of the design; None leaves a place
    empty. No disk that something uses takes a place. With ``smaller`` a whole disk may be smaller than planned.
    """
    seats, hand = seats_of(design), dict(chosen or {})
    inventory = completed(inventory, [seat.disk for seat in seats])
    known = identified([seat.disk for seat in seats], inventory.disks)
    pairs: dict[str, BoundPair] = {}
    by_key = {disk.key: disk for disk in inventory.disks}
    for seat in seats:
        if seat.disk.key in hand:
            wanted = by_key.get(hand[seat.disk.key] or "")
            pairs[seat.disk.key] = _by_hand(seat, wanted, smaller=smaller)
    held = {pair.real.key for pair in pairs.values() if pair.real is not None}
    for seat in seats:
        own = known.get(seat.disk.key)
        if own is not None and seat.disk.key not in pairs and own[0].key not in held:
            pairs[seat.disk.key] = _known(seat, *own, smaller=smaller)
    held = {pair.real.key for pair in pairs.values() if pair.real is not None}
    # A disk that the design names stays its own, also where it cannot be used now.
    others = {own.key for key, (own, _) in known.items() if key in pairs and key not in hand}
    free = [disk for disk in inventory.disks if disk.key not in held | others and not disk.refusals()]
    open_seats = [seat for seat in seats if seat.disk.key not in pairs]
    dealt = deal(design, open_seats, free, smaller=smaller)
    for seat in open_seats:
        pairs[seat.disk.key] = _dealt(seat, dealt.get(seat.disk.key), smaller=smaller)
    ordered = [pairs[seat.disk.key] for seat in seats]
    return _whole(design, inventory, ordered, smaller=smaller)


def _by_hand(seat: DiskSeat, real: Disk | None, *, smaller: bool) -> BoundPair:
    if real is None:
        return BoundPair(seat=seat, by=PairedBy.HAND, reasons=(tell("left open by hand"),))
    return _judged(seat, real, PairedBy.HAND, smaller=smaller)


def _known(seat: DiskSeat, real: Disk, how: PairedBy, *, smaller: bool) -> BoundPair:
    return replace(_judged(seat, real, how, smaller=smaller), own=real)


def _dealt(seat: DiskSeat, real: Disk | None, *, smaller: bool) -> BoundPair:
    return BoundPair(seat=seat) if real is None else _judged(seat, real, PairedBy.FACTS, smaller=smaller)


def _judged(seat: DiskSeat, real: Disk, how: PairedBy, *, smaller: bool) -> BoundPair:
    judged = judge(seat, real, smaller=smaller)
    if not judged.refused:
        return BoundPair(seat=seat, real=real, by=how, judged=judged)
    refusals = [d.text for d in judged.differences if d.verdict is PairVerdict.REFUSED]
    reasons = tuple(tell("{disk}: {reason}", disk=real.label, reason=reason) for reason in refusals)
    return BoundPair(seat=seat, by=how, reasons=reasons)


def _whole(design: Design, inventory: Inventory, pairs: Sequence[BoundPair], *, smaller: bool) -> Binding:
    held = {pair.real.key for pair in pairs if pair.real is not None}
    idle = tuple(disk for disk in inventory.disks if disk.key not in held)
    told = why_unbound(design, [p.seat for p in pairs if p.real is None and not p.reasons], inventory, held, smaller)
    filled = tuple(replace(p, reasons=told[p.seat.disk.key]) if p.seat.disk.key in told else p for p in pairs)
    return Binding(
        design=design, inventory=inventory, pairs=filled, idle=idle, remarks=tuple(_remarks(design, inventory))
    )


def _remarks(design: Design, inventory: Inventory) -> Iterable[str]:
    version = inventory.host.zfs_version
    if version is not None and not version.startswith(f"{design.version.major}.{design.version.minor}."):
        yield tell(
            "The design is computed for OpenZFS {planned}; {machine} has {version}.",
            planned=design.version,
            machine=inventory.name,
            version=version,
        )
    there = {pool.name for pool in inventory.pools}
    for pool in design.pools():
        if pool.pool_name in there:
            yield tell("{machine} has a pool “{pool}” already.", machine=inventory.name, pool=pool.pool_name)
