"""Which vdev of a design stands for which one of the pool: that which holds most of its disks, whatever its number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from poolwright.changes.against.tops import SINGLY, LiveTop, WantedTop, convertible
from poolwright.domain.vdev import VdevKind

Pair = tuple[LiveTop, WantedTop]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """``pairs`` belong together; ``added`` has no vdev in the pool yet, ``left_over`` none in the design any more."""

    pairs: tuple[Pair, ...]
    added: tuple[WantedTop, ...]
    left_over: tuple[LiveTop, ...]


def paired(live: Sequence[LiveTop], wanted: Sequence[WantedTop], fits: Callable[[LiveTop, WantedTop], bool]) -> Paired:
    """Return what belongs together.

    First by the disks that both have where the one can become the other, then by the shape where all disks are others
    and large enough (``fits``), at last by the disks alone. A spare or a cache gives way to no other: one leaves,
    another comes.
    """
    partner: dict[int, int] = {}
    taken: set[int] = set()
    shared = _by_disks(live, wanted)
    alike = [(mine, theirs) for mine, theirs in shared if convertible(live[theirs].vdev, wanted[mine].vdev)]
    shaped = [(mine, theirs) for mine, theirs in _by_shape(live, wanted) if fits(live[theirs], wanted[mine])]
    for mine, theirs in [*alike, *shaped, *shared]:
        if mine not in partner and theirs not in taken:
            partner[mine] = theirs
            taken.add(theirs)
    return Paired(
        pairs=tuple((live[partner[n]], wanted[n]) for n in sorted(partner)),
        added=tuple(top for n, top in enumerate(wanted) if n not in partner),
        left_over=tuple(top for n, top in enumerate(live) if n not in taken),
    )


def _by_disks(live: Sequence[LiveTop], wanted: Sequence[WantedTop]) -> list[tuple[int, int]]:
    """Return the numbers of those that share disks, the best pairs first."""
    homes: dict[object, list[int]] = {}
    for n, top in enumerate(live):
        for identity in top.identities:
            homes.setdefault(identity, []).append(n)
    found = []
    for mine, one in enumerate(wanted):
        shared: dict[int, int] = {}
        for identity in one.identities:
            for home in homes.get(identity, ()):
                shared[home] = shared.get(home, 0) + 1
        for theirs, count in shared.items():
            if live[theirs].vdev.vdev_class is one.vdev.vdev_class:
                found.append((-count, mine, theirs))
    return [(mine, theirs) for _, mine, theirs in sorted(found)]


def _by_shape(live: Sequence[LiveTop], wanted: Sequence[WantedTop]) -> list[tuple[int, int]]:
    return [
        (mine, theirs)
        for mine, one in enumerate(wanted)
        for theirs, top in enumerate(live)
        if convertible(top.vdev, one.vdev) and one.vdev.vdev_class not in SINGLY
        and len(top.seats) == len(one.identities) and top.vdev.kind is one.vdev.kind is not VdevKind.STRIPE
    ]  # fmt: skip
