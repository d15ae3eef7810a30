"""Ordinary pools as people have them, written down by their vdevs, disks and fill."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.domain.disk import Disk, Health, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.domain.pool import ExistingDataset, ExistingPool, Pool, PoolNode, PropertyValue, VdevSizes
from poolwright.domain.units import GIB
from poolwright.machine.typed.read import read_typed

ORIGIN = Origin(kind=OriginKind.READ, source="written by hand")


def _real(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    return tuple(
        replace(disk, key=f"SN{n:04}", serial=f"SN{n:04}", by_id=(f"ata-DISK_SN{n:04}",), planned=False,
                health=Health.GOOD, path=f"/dev/sd{n}")
        for n, disk in enumerate(disks)
    )  # fmt: skip


def _leaf(number: int, section: str, state: str | None, errors: tuple[int, int, int] | None) -> PoolNode:
    path = f"/dev/disk/by-id/ata-DISK_SN{number:04}-part1"
    read, write, checksum = errors or (0, 0, 0)
    return PoolNode(
        name=path, kind="disk", section=section, state=state or "ONLINE", path=path, read_errors=read,
        write_errors=write, checksum_errors=checksum,
    )  # fmt: skip


def machine_with(
    disks: Sequence[str],
    vdevs: Sequence[tuple[str, str, int]],
    *,
    fill: int = 70,
    version: str = "2.3.4",
    states: dict[int, str] | None = None,
    failing: Sequence[int] = (),
    ram: int = 32 * GIB,
    errors: dict[int, tuple[int, int, int]] | None = None,
    ashift: int = 12,
    more: dict[str, str] | None = None,
) -> Inventory:
    """Return a machine with the pool ``tank``.

    ``vdevs`` are section, kind and how many disks, taken in order; what is left over is free. ``states`` and
    ``failing`` name disks by number, as do ``errors`` (read, write, checksum). ``more`` are further properties.
    """
    made = list(_real(read_typed(list(disks)).disks))
    for number in failing:
        made[number] = replace(made[number], health=Health.FAILING)
    nodes: list[PoolNode] = []
    sizes: list[VdevSizes] = []
    at = 0
    for number, (section, kind, width) in enumerate(vdevs):
        members = range(at, at + width)
        at += width
        leaves = tuple(_leaf(n, section, (states or {}).get(n), (errors or {}).get(n)) for n in members)
        for n in members:
            made[n] = replace(made[n], uses=(Use(kind=UseKind.POOL, detail="tank"),))
        if kind == "disk":
            nodes.extend(leaves)
            sizes.extend(VdevSizes(name=leaf.name, ashift=ashift) for leaf in leaves)
        else:
            nodes.append(PoolNode(name=f"{kind}-{number}", kind=kind, section=section, state="ONLINE", children=leaves))
            sizes.append(VdevSizes(name=f"{kind}-{number}", ashift=ashift))
    told = {"capacity": str(fill), "autoexpand": "off", "autotrim": "off", **(more or {})}
    known = ExistingPool(
        name="tank",
        origin=ORIGIN,
        properties=tuple(PropertyValue(name=name, value=value, source="local") for name, value in told.items()),
        vdevs=tuple(sizes),
        datasets=(ExistingDataset(name="tank", kind="filesystem"),),
    )
    pool = Pool(name="tank", state="ONLINE" if not states else "DEGRADED", vdevs=tuple(nodes))
    host = Host(zfs_version=version, ram_bytes=ram)
    return Inventory(name="by hand", host=host, disks=tuple(made), pools=(pool,), existing=(known,), origin=ORIGIN)
