"""A machine: what is told of it apart from its disks, and all that was read of one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from poolwright.domain.disk import Disk, Note, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.grouping import grouped
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.units import zero_is_unknown
from poolwright.domain.version import System, ZfsVersion, known_system, parse_modelled, systems
from poolwright.domain.workload import Budget
from poolwright.texts import N_, _


class ControllerKind(StrEnum):
    HBA = "HBA"  # the drives themselves
    RAID = N_("RAID controller")  # arrays that it makes of them
    PASSING = N_("RAID controller that passes drives through")


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A host bus adapter: name and, where known, the fastest rate of its links together in bytes/s.

    ``origin`` says where it was read; controllers that a person named have none, and no ``kind``.
    """

    name: str
    bytes_per_second: int | None = None
    kind: ControllerKind | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        zero_is_unknown(self, "bytes_per_second")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What is known of the machine: RAM in bytes, cores, kernel, OpenZFS version, controllers, network in bytes/s."""

    name: str | None = None
    ram_bytes: int | None = None
    cores: int | None = None
    kernel: str | None = None
    os_name: str | None = None
    zfs_version: str | None = None
    controllers: tuple[Controller, ...] = ()
    network_bytes_per_second: int | None = None
    ups: bool | None = None
    notes: tuple[Note, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = ()

    def __post_init__(self) -> None:
        zero_is_unknown(self, "ram_bytes", "cores", "network_bytes_per_second")

    @property
    def system(self) -> System | None:
        """Return the system that it runs, by what that calls itself; None where that is none of them."""
        if self.os_name is None:
            return None
        looks = f"{self.os_name} {self.kernel or ''}"
        seen = (system for system in systems().values() if system.seen and re.search(system.seen, looks))
        return known_system(self.os_name) or next(seen, None)

    @property
    def has_zfs(self) -> bool:
        """Tell whether an OpenZFS was read of it, rather than what a system that it shall run ships."""
        origin = dict(self.origins).get("zfs_version")
        return self.zfs_version is not None and (origin is None or origin.kind is not OriginKind.TYPED)

    @property
    def modelled(self) -> ZfsVersion | None:
        """Return its OpenZFS, or what its system ships; None where nobody knows it, or the models do not."""
        if self.zfs_version is None:
            return None if (system := self.system) is None else system.version
        try:
            return parse_modelled(self.zfs_version)
        except UserError:
            return None


# The machine as it is planned: what a person told of it comes before what was read.


def planned_host(host: Host, budget: Budget) -> Host:
    given: dict[str, object] = {"ram_bytes": budget.ram_bytes, "ups": budget.ups}
    if system := known_system(budget.system):
        given |= {"os_name": system.name, "zfs_version": str(system.version)}
    new = {name: value for name, value in given.items() if value is not None and value != getattr(host, name)}
    if not new:
        return host
    kept = tuple((name, origin) for name, origin in host.origins if name not in new)
    typed = Origin(kind=OriginKind.TYPED, source=_("told with the budget"))
    return replace(host, **new, origins=(*kept, *((name, typed) for name in new)))  # type: ignore[arg-type]


# What a machine (or a shopping list) has: host, disks, pools.


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskGroup:
    model: str | None
    size_bytes: int | None
    disks: tuple[Disk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """One reading of a machine, a capture, an example, or disks typed by hand.

    ``existing`` tell more of ``pools``, by name, where it was read. ``pools_unread``: nobody looked for imported pools,
    so that none in ``pools`` does not mean that there is none. ``denied`` are the devices that tools might not open for
    lack of rights.
    """

    name: str
    host: Host = field(default_factory=Host)
    disks: tuple[Disk, ...] = ()
    pools: tuple[Pool, ...] = ()
    existing: tuple[ExistingPool, ...] = ()
    pools_unread: bool = False
    notes: tuple[Note, ...] = ()
    denied: tuple[str, ...] = ()
    origin: Origin

    def disk(self, key: str) -> Disk | None:
        return next((disk for disk in self.disks if disk.key == key), None)

    def imported(self) -> tuple[Pool, ...]:
        return tuple(pool for pool in self.pools if not pool.importable)

    @property
    def tells_uses(self) -> bool:
        """Tell whether it was read what any of its disks holds, as lsblk does."""
        return any(disk.use_known and not disk.planned for disk in self.disks)

    @property
    def has_foreign_pools(self) -> bool:
        """Tell whether lsblk told what all disks hold, and none is a device of the imported pools."""
        pools = {pool.name for pool in self.imported() if pool.leaves()}
        held = {
            use.detail for disk in self.disks for use in disk.uses if use.kind in {UseKind.POOL, UseKind.FOREIGN_POOL}
        }
        return bool(pools) and self.tells_uses and not held & {*pools, ""}

    def facts_of(self, pool: Pool) -> ExistingPool | None:
        return next((facts for facts in self.existing if facts.name == pool.name), None)

    def notes_of_disks(self) -> tuple[tuple[Note, tuple[str, ...]], ...]:
        found = grouped((note, disk.path or disk.label) for disk in self.disks for note in disk.notes)
        return tuple((note, tuple(owners)) for note, owners in found.items())

    def usable(self) -> tuple[Disk, ...]:
        return tuple(disk for disk in self.disks if not disk.refusals())


def group_disks(disks: Iterable[Disk]) -> tuple[DiskGroup, ...]:
    groups = grouped(((disk.model, disk.size_bytes), disk) for disk in disks)
    made = [DiskGroup(model=m, size_bytes=s, disks=tuple(d)) for (m, s), d in groups.items()]
    return tuple(sorted(made, key=lambda g: (-len(g.disks), -(g.size_bytes or 0), g.model or "")))


def with_planned(inventory: Inventory, typed: Inventory) -> tuple[Inventory, frozenset[str]]:
    """Return the machine with the disks that were typed for it, and their keys there."""
    taken = {disk.key for disk in inventory.disks}
    added: list[Disk] = []
    for disk in typed.disks:
        key = _free_key(disk.key, taken)
        taken.add(key)
        added.append(replace(disk, key=key))
    notes = inventory.notes + tuple(note for note in typed.notes if note not in inventory.notes)
    made = replace(inventory, disks=(*inventory.disks, *added), notes=notes)
    return made, frozenset(disk.key for disk in added)


def _free_key(wanted: str, taken: set[str]) -> str:
    stem, dash, number = wanted.rpartition("-")
    stem, at = (stem, int(number)) if dash and number.isdecimal() else (wanted, 1)
    names = (wanted, *(f"{stem}-{n:02d}" for n in range(at, at + len(taken) + 1)))
    return next(name for name in names if name not in taken)
