"""Machines with a pool and some free disks, made up for migrations."""

from collections.abc import Sequence

from poolwright.changes.migration.search import plan_migration
from poolwright.changes.migration.target import NewLayout, old_pool, target_of_layout
from poolwright.changes.migration.values import MigrationAnswer, MigrationPlan, OldData
from poolwright.domain.disk import Disk, Media, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.domain.pool import ExistingDataset, ExistingPool, Pool, PoolNode, PropertyValue
from poolwright.domain.vdev import parse_layout
from poolwright.emit.commands import script_lines
from poolwright.emit.migration_script import lines_of

TB, GIB = 10**12, 1 << 30
SIZE = 4_000_787_030_016
ORIGIN = Origin(kind=OriginKind.READ, source="made up")


def disk(name: str, size: int = SIZE, *, of_pool: str | None = None, media: Media | None = Media.HDD) -> Disk:
    table = Use(kind=UseKind.PARTITIONED, detail="2 partitions, gpt")
    uses = (Use(kind=UseKind.POOL, detail=of_pool), table) if of_pool is not None else ()
    return Disk(
        key=name,
        path=f"/dev/{name}",
        by_id=(f"ata-DISK_{name}",),
        model="DISK",
        serial=name,
        size_bytes=size,
        logical_sector_bytes=512,
        physical_sector_bytes=4096,
        media=media,
        uses=uses,
    )


def properties(values: dict[str, object]) -> tuple[PropertyValue, ...]:
    return tuple(PropertyValue(name=name, value=str(value)) for name, value in values.items())


def machine(
    vdevs: Sequence[tuple[str, int]],
    free: int,
    *,
    used: int | None = TB,
    size: int = SIZE,
    free_size: int | None = None,
    sections: Sequence[str] = (),
    datasets: Sequence[ExistingDataset] = (),
    pool_values: dict[str, object] | None = None,
    offline: int = 0,
    version: str = "2.3.2",
    **pool_words: object,
) -> Inventory:
    """Return a machine with the pool ``tank`` of vdevs such as ``("raidz1", 3)`` and so many free disks."""
    disks, nodes, number = [], [], 0
    for order, (kind, count) in enumerate(vdevs):
        section = sections[order] if order < len(sections) else "data"
        leaves = []
        for _ in range(count):
            found = disk(f"old{number}", size, of_pool="tank")
            disks.append(found)
            path = f"/dev/disk/by-id/{found.by_id_name}-part1"
            state = "OFFLINE" if number < offline else "ONLINE"
            leaves.append(PoolNode(name=path, path=path, kind="disk", section=section, state=state))
            number += 1
        if kind == "disk":
            nodes.extend(leaves)
        else:
            nodes.append(
                PoolNode(name=f"{kind}-{order}", kind=kind, section=section, children=tuple(leaves), state="ONLINE")
            )
    disks += [disk(f"new{n}", free_size or size) for n in range(free)]
    root = ExistingDataset(
        name="tank",
        kind="filesystem",
        properties=properties({"used": used, "recordsize": 131072, "encryption": "off"} if used is not None else {}),
    )
    known = ExistingPool(
        name="tank", origin=ORIGIN, datasets=(root, *datasets), properties=properties(pool_values or {})
    )
    pool = Pool(name="tank", state="ONLINE", errors="No known data errors", vdevs=tuple(nodes), **pool_words)  # type: ignore[arg-type]
    return Inventory(
        name="box", host=Host(zfs_version=version), disks=tuple(disks), pools=(pool,), existing=(known,), origin=ORIGIN
    )


def target_on(inventory: Inventory, layout: str, old: OldData) -> NewLayout:
    return target_of_layout(parse_layout(layout.split()), inventory, old)


def migration(inventory: Inventory, layout: str, *, backup: bool = False, stored: int | None = None) -> MigrationAnswer:
    old = old_pool(inventory, "tank", stored_bytes=stored)
    return plan_migration(old, target_on(inventory, layout, old), inventory, backup_exists=backup)


def script_of(plan: MigrationPlan) -> list[list[str]]:
    """Return the lines of each step as the script has them: ``guard …``, ``ask …``, ``write …``, ``pipe …``."""
    return [[text for line in lines for text in script_lines(line)] for lines in lines_of(plan)]
