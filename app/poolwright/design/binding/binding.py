"""The pairs of a design's disks and a machine's: found, chosen by hand, and why some are none."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from poolwright.design.binding.judging import (
    DiskSeat,
    JudgedPair,
    PairedBy,
    PairVerdict,
    completed,
    identified,
    judge,
    names_of_device,
    seats_of,
)
from poolwright.design.binding.transport import Costs, VdevShare, alike_in_vdevs, transport
from poolwright.design.groups import assignment_order
from poolwright.design.spread import spread
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Inventory
from poolwright.domain.units import size_difference
from poolwright.domain.vdev import VdevSpec
from poolwright.texts import _, first_of, ngettext


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundPair:
    """A place of the design with the disk that takes it; ``real`` is None where none does, and ``reasons`` say why.

    ``own`` is the very disk of the design where the machine has it, also where it cannot be used there.
    """

    seat: DiskSeat
    real: Disk | None = None
    by: PairedBy | None = None
    judged: JudgedPair | None = None
    own: Disk | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """All pairs of a design and a machine, in the order of the design; ``idle`` are disks without a place."""

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
    def places(self) -> tuple[int, int]:
        """Return how many places a script needs, and how many of them have a disk that it can name."""
        needed = [pair.real for pair in self.pairs if pair.seat.needed]
        return len(needed), sum(real is not None and real.nameable for real in needed)

    @property
    def all_known(self) -> bool:
        return all(pair.own is not None and pair.real is not None for pair in self.pairs)

    @property
    def to_look_at(self) -> int:
        """Return in how many pairs something should be looked at."""
        return sum(pair.judged is not None and pair.judged.verdict is PairVerdict.LOOK for pair in self.pairs)


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
    by_key = {disk.key: disk for disk in inventory.disks}
    pairs: dict[str, BoundPair] = {}
    taken: dict[str, DiskSeat] = {}
    for seat in seats:
        if seat.disk.key in hand:
            wanted = by_key.get(hand[seat.disk.key] or "")
            open_ = BoundPair(seat=seat, by=PairedBy.HAND, reasons=(_("left open by hand"),))
            pairs[seat.disk.key] = open_ if wanted is None else _judged(seat, wanted, PairedBy.HAND, taken, smaller)
    for seat in seats:
        own, how = known.get(seat.disk.key, (None, PairedBy.FACTS))
        if own is not None and seat.disk.key not in pairs and own.key not in taken:
            pairs[seat.disk.key] = replace(_judged(seat, own, how, taken, smaller), own=own)
    # A disk that the design names stays its own, also where it cannot be used now.
    others = {own.key for key, (own, __) in known.items() if key in pairs and key not in hand}
    free = [disk for disk in inventory.disks if disk.key not in others and not disk.refusals()]
    first = {name: disk for disk in reversed(free) for name in names_of_device(disk)}
    once = [disk for disk in free if all(first[name] is disk and name not in taken for name in names_of_device(disk))]
    for disks in (once, free):  # what was read twice comes last: it is said of whom it is
        open_seats = [seat for seat in seats if seat.disk.key not in pairs]
        dealt = deal(design, open_seats, [disk for disk in disks if disk.key not in taken], smaller=smaller)
        for seat in (seat for seat in open_seats if seat.disk.key in dealt):
            pairs[seat.disk.key] = _judged(seat, dealt[seat.disk.key], PairedBy.FACTS, taken, smaller)
    pairs = {seat.disk.key: BoundPair(seat=seat) for seat in seats} | pairs
    unbound = [pair.seat for pair in pairs.values() if pair.real is None and not pair.reasons]
    otherwise = _("there is no disk left") if inventory.disks else _("no disk was read")
    why: dict[str, tuple[str, ...]] = {}
    for row in _kinds(unbound, _kind_of_seat):  # places that ask the same have the same reasons: hundreds of them
        reasons = tuple(_reasons(row[0], inventory.disks, taken, smaller=smaller)) or (otherwise,)
        why.update((seat.disk.key, reasons) for seat in row)
    return Binding(
        design=design,
        inventory=inventory,
        pairs=tuple(replace(p, reasons=why[p.seat.disk.key]) if p.seat.disk.key in why else p for p in pairs.values()),
        idle=tuple(disk for disk in inventory.disks if disk.key not in taken),
        remarks=tuple(_remarks(design, inventory)),
    )


def _judged(seat: DiskSeat, real: Disk, how: PairedBy, taken: dict[str, DiskSeat], smaller: bool) -> BoundPair:
    """Return the place with the disk, unless that is refused there; ``taken`` are the places by all names of disks."""
    judged, names = judge(seat, real, smaller=smaller), names_of_device(real)
    other = next((taken[name] for name in names if name in taken), None)
    if other is not None:
        text = _("{disk} already has the place of {planned} in {place}")
        planned = " ".join(filter(None, (other.label, other.disk.model)))  # several may have been sda, once
        words = {"disk": real.label, "planned": planned, "place": other.words}
        return BoundPair(seat=seat, by=how, reasons=(text.format(**words),))
    if not judged.refused:
        taken.update(dict.fromkeys(names, seat))
        return BoundPair(seat=seat, real=real, by=how, judged=judged)
    refusals = (d.text for d in judged.differences if d.verdict is PairVerdict.REFUSED)
    reasons = tuple(_("{name}: {value}", name=real.label, value=reason) for reason in refusals)
    return BoundPair(seat=seat, by=how, reasons=reasons)


def _remarks(design: Design, inventory: Inventory) -> Iterable[str]:
    version = inventory.host.zfs_version
    if version is not None and not version.startswith(f"{design.version.major}.{design.version.minor}."):
        words = {"planned": design.made_for, "machine": inventory.name, "version": version}
        yield _("The design is computed for OpenZFS {planned}; {machine} has {version}.", **words)
    there = {pool.name for pool in inventory.pools}
    for pool in design.pools():
        if pool.pool_name in there:
            yield _("{machine} has a pool “{pool}” already.", machine=inventory.name, pool=pool.pool_name)


# Which disk goes to which place: least differences first, then like with like in each vdev, then spread.

_T = TypeVar("_T")
# Beyond so many pairs of kinds (hundreds of disks of which hardly two are alike) each place takes what is best of what
# is left, in turn: the search would be felt.
MOST_KINDS = 40_000
_RANK = 10**15  # a place that the pool needs is filled before all that are needed less


def deal(design: Design, seats: Sequence[DiskSeat], disks: Sequence[Disk], *, smaller: bool) -> dict[str, Disk]:
    """Return for each place, by the key of its disk in the design, the disk of the machine that takes it.

    As many places as possible, those first that the pool needs; then the least sum of `JudgedPair.cost`; then vdevs
    of as few kinds of disks as an exchange can reach; then equal disks of whole vdevs spread over enclosures,
    controllers and deliveries. The answer depends neither on the order of the disks nor on their kernel names alone.
    """
    in_order = assignment_order(sorted(disks, key=lambda disk: disk.key))  # whatever order they come in
    rows, columns = _kinds(seats, _kind_of_seat), _kinds(in_order, _kind_of_disk)
    if not rows or not columns:
        return {}
    costs = [[_cost(row[0], column[0], smaller=smaller) for column in columns] for row in rows]
    wanted, there = [len(row) for row in rows], [len(column) for column in columns]
    flow = (_in_turn if len(rows) * len(columns) > MOST_KINDS else transport)(wanted, there, costs)
    units = alike_in_vdevs(_units(rows), flow, costs, [column[0].size_bytes or 0 for column in columns], there)
    return _disks_of(design, units, rows, columns)


def _cost(seat: DiskSeat, disk: Disk, *, smaller: bool) -> int | None:
    judged = judge(seat, disk, smaller=smaller)
    return None if judged.refused else judged.cost + _RANK * seat.rank


def _kind_of_seat(seat: DiskSeat) -> Hashable:
    disk = seat.disk
    facts = (disk.size_bytes, disk.media, disk.model, disk.smr, disk.power_loss_protection)
    sectors = (disk.logical_sector_bytes, disk.physical_sector_bytes)
    return seat.rank, seat.whole, seat.least_bytes, seat.block_bytes, seat.classes, facts, sectors, disk.transport


def _kind_of_disk(disk: Disk) -> Hashable:
    facts = (disk.size_bytes, disk.media, disk.model, disk.smr, disk.power_loss_protection, disk.health)
    sectors = (disk.logical_sector_bytes, disk.physical_sector_bytes)
    size_read = disk.origin_of("size_bytes")
    rough = size_read is not None and size_read.rounded
    return facts, sectors, rough, disk.transport, disk.use_known, disk.by_id_name is None, disk.planned, disk.uses


def _kinds(things: Iterable[_T], kind_of: Callable[[_T], Hashable]) -> list[list[_T]]:
    return list(grouped((kind_of(thing), thing) for thing in things).values())


def _in_turn(wanted: Sequence[int], there: Sequence[int], costs: Costs) -> list[list[int]]:
    """Return what transport does, row by row: each takes the cheapest of what is left."""
    flow, free = [[0] * len(there) for __ in wanted], list(there)
    for row in sorted(range(len(wanted)), key=lambda row: min((c for c in costs[row] if c is not None), default=0)):
        left = wanted[row]
        priced = [(cost, column) for column, cost in enumerate(costs[row]) if cost is not None]
        for __, column in sorted(priced):
            taken = min(left, free[column])
            flow[row][column] += taken
            free[column] -= taken
            left -= taken
            if not left:
                break
    return flow


def _units(rows: Sequence[Sequence[DiskSeat]]) -> list[VdevShare]:
    """Return the places of each kind in each vdev; one that has several counts with the first."""
    found: list[VdevShare] = []
    for number, row in enumerate(rows):
        counted = Counter(seat.vdevs[0] if seat.vdevs else None for seat in row)
        found.extend(VdevShare(vdev, number, count) for vdev, count in counted.items())
    return found


def _disks_of(
    design: Design,
    units: Mapping[VdevShare, Sequence[int]],
    rows: Sequence[Sequence[DiskSeat]],
    columns: Sequence[Sequence[Disk]],
) -> dict[str, Disk]:
    """Return the disk of each place, of units that have so many disks of each kind."""
    seats: dict[VdevShare, list[DiskSeat]] = defaultdict(list)
    of_place = {(unit.vdev, unit.row): unit for unit in units}
    for number, row in enumerate(rows):
        for seat in row:
            seats[of_place[seat.vdevs[0] if seat.vdevs else None, number]].append(seat)
    found: dict[str, Disk] = {}
    for number, column in enumerate(columns):
        own = {unit: counts[number] for unit, counts in units.items() if counts[number]}
        specs = {unit: _filled_vdev(design, unit, count, seats[unit], column[0]) for unit, count in own.items()}
        whole = {unit: spec for unit, spec in specs.items() if spec is not None}
        dealt = spread(column, list(whole.values())) if whole else ()
        for unit, row_of_disks in zip(whole, dealt, strict=True):
            found.update({seat.disk.key: disk for seat, disk in zip(seats[unit], row_of_disks, strict=True)})
        taken = {disk.key for row_of_disks in dealt for disk in row_of_disks}
        left = iter([disk for disk in column if disk.key not in taken])
        for unit in own:
            if unit not in whole:
                free = [seat for seat in seats[unit] if seat.disk.key not in found][: own[unit]]
                found.update({seat.disk.key: disk for seat, disk in zip(free, left, strict=False)})
    return found


def _filled_vdev(design: Design, unit: VdevShare, count: int, seats: Sequence[DiskSeat], like: Disk) -> VdevSpec | None:
    """Return the vdev that so many whole disks alike make up alone; None where others have a part in it."""
    if unit.vdev is None or any(not seat.whole or len(seat.vdevs) > 1 for seat in seats):
        return None
    pool, index = unit.vdev
    vdev = design.pools()[pool].vdevs[index]
    alone = count == len(vdev.members)
    return replace(vdev.sizeless(), sizes=(like.size_bytes or 0,) * count) if alone else None


# Why a place gets no disk of a machine: what was looked at, and how much is missing.

_MOST_NAMED = 3


def _reasons(seat: DiskSeat, disks: Sequence[Disk], held: Collection[str], *, smaller: bool) -> Iterator[str]:
    taken = sum(1 for d in disks if d.key in held and not judge(seat, d, smaller=smaller).refused)
    used = [disk for disk in disks if disk.refusals()]
    free = [disk for disk in disks if disk.key not in held and not disk.refusals()]
    small = [disk for disk in free if seat.least_bytes is not None and (disk.size_bytes or 0) < seat.least_bytes]
    if taken:
        yield ngettext("the {count} disk that fits has a place", "the {count} disks that fit have places", taken)
    if small:
        yield _too_small(seat, small)
    if used:
        named = first_of([f"{disk.label} ({'; '.join(disk.refusals())})" for disk in used], _MOST_NAMED)
        yield _("in use: {disks}", disks=named)
    yield from _others(seat, [disk for disk in free if disk not in small], smaller=smaller)


def _others(seat: DiskSeat, disks: Sequence[Disk], *, smaller: bool) -> Iterator[str]:
    """Return why disks are refused that are free and large enough; those of one reason together."""
    by_reason = grouped(
        (difference.text, disk.label)
        for disk in disks
        for difference in judge(seat, disk, smaller=smaller).differences
        if difference.verdict is PairVerdict.REFUSED
    )
    for reason, labels in by_reason.items():
        yield _("{name}: {value}", name=reason, value=first_of(labels, _MOST_NAMED))


def _too_small(seat: DiskSeat, small: Sequence[Disk]) -> str:
    largest = max(small, key=lambda disk: (disk.size_bytes or 0, disk.key))
    lacks = size_difference((seat.least_bytes or 0) - (largest.size_bytes or 0))
    return ngettext("{count} disk is too small: {label} by {bytes}",
                    "{count} disks are too small: the largest, {label}, by {bytes}",
                    len(small), label=largest.label, bytes=lacks)  # fmt: skip
