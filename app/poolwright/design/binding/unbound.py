"""Why a place gets no disk of a machine: what was looked at, how much is missing, what less would cost."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from poolwright.capacity.of_design import predict_design
from poolwright.design.binding.judging import PairVerdict, judge
from poolwright.design.binding.places import DiskSeat
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inventory import Inventory
from poolwright.domain.units import binary, size_difference
from poolwright.texts import first_of, tell, tell_counted

_MOST_NAMED = 3


def why_unbound(
    design: Design, seats: Sequence[DiskSeat], inventory: Inventory, held: Collection[str], smaller: bool
) -> dict[str, tuple[str, ...]]:
    """Return for each place, by the key of its disk in the design, why no disk of the machine takes it.

    ``held`` are the keys of the disks that other places have.
    """
    known: dict[Hashable, tuple[str, ...]] = {}
    told = {}
    for seat in seats:
        pools = tuple(pool for pool, _ in seat.vdevs)
        kind = (seat.least_bytes, seat.disk.size_bytes, seat.disk.media, seat.whole, seat.block_bytes, pools)
        if kind not in known:
            known[kind] = tuple(_reasons(design, seat, inventory.disks, held, smaller=smaller))
        told[seat.disk.key] = known[kind]
    return told


def _reasons(
    design: Design, seat: DiskSeat, disks: Sequence[Disk], held: Collection[str], *, smaller: bool
) -> list[str]:
    if not disks:
        return [tell("no disk was read")]
    taken = sum(1 for d in disks if d.key in held and not judge(seat, d, smaller=smaller).refused)
    used = [disk for disk in disks if disk.refusals()]
    free = [disk for disk in disks if disk.key not in held and not disk.refusals()]
    small = [disk for disk in free if seat.least_bytes is not None and (disk.size_bytes or 0) < seat.least_bytes]
    other = [disk for disk in free if disk not in small]
    found = []
    if taken:
        found.append(
            tell_counted("the {count} disk that fits has a place", "the {count} disks that fit have places", taken)
        )
    if small:
        found.append(_too_small(design, seat, small))
    if used:
        named = first_of([f"{disk.label} ({'; '.join(disk.refusals())})" for disk in used], _MOST_NAMED)
        found.append(tell("in use: {disks}", disks=named))
    found.extend(_others(seat, other, smaller=smaller))
    return found or [tell("there is no disk left")]


def _others(seat: DiskSeat, disks: Sequence[Disk], *, smaller: bool) -> list[str]:
    """Return why disks are refused that are free and large enough; those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for disk in disks:
        for difference in judge(seat, disk, smaller=smaller).differences:
            if difference.verdict is PairVerdict.REFUSED:
                by_reason.setdefault(difference.text, []).append(disk.label)
    return [
        tell("{reason}: {disks}", reason=reason, disks=first_of(labels, _MOST_NAMED))
        for reason, labels in by_reason.items()
    ]


def _too_small(design: Design, seat: DiskSeat, small: Sequence[Disk]) -> str:
    """Return by how many bytes the largest of these is too small, and what the pool would have with it."""
    largest = max(small, key=lambda disk: (disk.size_bytes or 0, disk.key))
    less = (seat.least_bytes or 0) - (largest.size_bytes or 0)
    told = tell_counted(
        "{count} disk is too small: {label} by {bytes}",
        "{count} disks are too small: the largest, {label}, by {bytes}",
        len(small),
        label=largest.label,
        bytes=size_difference(less),
    )
    before, after = _space(design, seat, None), _space(design, seat, largest)
    if before is None or after is None or not seat.whole:
        return told
    if before == after:
        return tell("{told} (the pool would keep its {now})", told=told, now=binary(before))
    return tell(
        "{told} (the pool would have {then} instead of {now})", told=told, then=binary(after), now=binary(before)
    )


def _space(design: Design, seat: DiskSeat, instead: Disk | None) -> int | None:
    """Return the usable bytes of the pool of a place with another disk there; None where nobody can tell."""
    if not seat.vdevs:
        return None
    pool = design.pools()[seat.vdevs[0][0]]
    if instead is not None:
        like = replace(seat.disk, size_bytes=instead.size_bytes, logical_sector_bytes=instead.logical_sector_bytes)
        disks = tuple(like if disk.key == like.key else disk for disk in pool.disks)
        pool = replace(pool, disks=disks)
    try:
        return predict_design(pool).available_bytes
    except PoolwrightError:
        return None
