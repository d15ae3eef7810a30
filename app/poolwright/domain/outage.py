"""What is left of a pool when disks fall out: whether each vdev still has enough members.

Source: OpenZFS `vdev_mirror_state_change`, `vdev_raidz_state_change`, `vdev_draid_state_change`, and
`vdev_root_state_change`: one data, special or dedup vdev without enough members takes the pool with it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.texts import N_, _


class UnitKind(StrEnum):
    ENCLOSURE = N_("enclosure")
    CONTROLLER = N_("controller")
    DRIVE = N_("drive")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureUnit:
    """An enclosure, a controller, or a drive of several block devices, with the keys of the disks in or behind it."""

    kind: UnitKind
    name: str
    disk_keys: frozenset[str]

    def __str__(self) -> str:
        return f"{_(self.kind.value)} {self.name}"


def top_vdevs(vdev: Vdev) -> tuple[tuple[str, ...], ...]:
    """Return the disk keys of each top-level vdev that ``vdev`` stands for: a stripe of N is N of one member."""
    keys = tuple(member.disk_key for member in vdev.members)
    return tuple((key,) for key in keys) if vdev.kind is VdevKind.STRIPE else (keys,)


def numbered(pool: Design) -> Iterator[tuple[int, Vdev, int]]:
    """Yield vdevs as on a command line: where it stands in the design, the vdev, its number in `zpool status`.

    That runs over all top-level vdevs, of which each bare disk is one; spares and cache devices have none.
    """
    number = 0
    for index, vdev in sorted(enumerate(pool.vdevs), key=lambda pair: pair[1].rank):
        yield index, vdev, number
        if vdev.vdev_class not in (VdevClass.CACHE, VdevClass.SPARE):
            number += len(top_vdevs(vdev))


def survives(vdevs: Iterable[Vdev], lost_keys: frozenset[str]) -> bool:
    return _all_survive(_holding(vdevs), lost_keys)


def _holding(vdevs: Iterable[Vdev]) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Return the keys of each top-level vdev that the pool cannot lose, and how many of its disks it can."""
    return tuple(
        (keys, vdev.failures_survived)
        for vdev in vdevs
        if vdev.vdev_class in HOLDS_THE_POOL
        for keys in top_vdevs(vdev)
    )


def _all_survive(holding: Iterable[tuple[tuple[str, ...], int]], lost_keys: frozenset[str]) -> bool:
    return all(sum(map(lost_keys.__contains__, keys)) <= survived for keys, survived in holding)


def units_of(disks: Iterable[Disk]) -> tuple[FailureUnit, ...]:
    """Return every enclosure, controller and drive of several parts known of these disks, in the order of names.

    Disks without a place count as well: a shelf that is still empty of members is one to spread over.
    """
    found: dict[tuple[UnitKind, str], set[str]] = {}
    for disk in disks:
        for kind, name in zip(UnitKind, (disk.enclosure, disk.controller, disk.body), strict=True):
            if name:
                found.setdefault((kind, name), set()).add(disk.key)
    order = sorted(found, key=lambda unit: (tuple(UnitKind).index(unit[0]), unit[1]))
    return tuple(FailureUnit(kind=k, name=n, disk_keys=frozenset(found[k, n])) for k, n in order)


def single_points(vdevs: Sequence[Vdev], disks: Iterable[Disk]) -> tuple[FailureUnit, ...]:
    """Return the enclosures and controllers that take with them the pool of ``vdevs``, which survives a failing disk.

    Only of kinds of which the pool lies in several: a single one is part of the machine. None for a pool without
    redundancy, which any disk takes.
    """
    vdevs = tuple(vdevs)
    holding = _holding(vdevs)
    if any(not survived for __, survived in holding):
        return ()
    used = {member.disk_key for vdev in vdevs for member in vdev.members}
    units = units_of(disk for disk in disks if disk.key in used)
    several = {kind for kind, count in Counter(unit.kind for unit in units).items() if count > 1}
    return tuple(unit for unit in units if unit.kind in several and not _all_survive(holding, unit.disk_keys))


def deadly_units(design: Design, kind: UnitKind) -> tuple[FailureUnit, ...]:
    """Return the enclosures or controllers whose loss a pool of the design does not survive.

    Only where several are known: with a single one there is nothing to spread over. One that holds a single disk of
    a pool is left out, its loss is the loss of that disk.
    """
    units = [unit for unit in units_of(design.disks) if unit.kind is kind]
    if len(units) < 2:
        return ()
    pools = [(pool.vdevs, pool.used_keys()) for pool in design.pools()]

    def takes(lost: frozenset[str]) -> bool:
        return any(len(used & lost) > 1 and not survives(vdevs, lost) for vdevs, used in pools)

    return tuple(unit for unit in units if takes(unit.disk_keys))
