"""What a machine (or a shopping list) has: host, disks, pools."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from poolwright.domain.disk import Disk, Note
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.host import Host
from poolwright.domain.origin import Origin
from poolwright.domain.pool import Pool


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

    def facts_of(self, pool: Pool) -> ExistingPool | None:
        return next((facts for facts in self.existing if facts.name == pool.name), None)

    def notes_of_disks(self) -> tuple[tuple[Note, tuple[str, ...]], ...]:
        """Return each note about disks once, with the devices that it is about."""
        found: dict[Note, list[str]] = {}
        for disk in self.disks:
            for note in disk.notes:
                found.setdefault(note, []).append(disk.path or disk.label)
        return tuple((note, tuple(owners)) for note, owners in found.items())

    def usable(self) -> tuple[Disk, ...]:
        return tuple(disk for disk in self.disks if not disk.refusals())


def group_disks(disks: Iterable[Disk]) -> tuple[DiskGroup, ...]:
    """Return the disks grouped by model and size, largest group first."""
    groups: dict[tuple[str | None, int | None], list[Disk]] = {}
    for disk in disks:
        groups.setdefault((disk.model, disk.size_bytes), []).append(disk)
    made = [DiskGroup(model=m, size_bytes=s, disks=tuple(d)) for (m, s), d in groups.items()]
    return tuple(sorted(made, key=lambda g: (-len(g.disks), -(g.size_bytes or 0), g.model or "")))
