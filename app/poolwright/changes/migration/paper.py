"""A pool that is told by its layout alone, so that a move can be planned away from the machine."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.errors import Refusal
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.texts import tell

_SECTIONS = {VdevClass.DATA: "data", VdevClass.LOG: "logs", VdevClass.SPARE: "spares"}  # the others are called alike


def told_pool(inventory: Inventory, layout: Layout, name: str) -> Inventory:
    """Return the inventory with a healthy pool of ``layout`` on its planned disks, those of each size first to last.

    Raises Refusal where the disks are not there.
    """
    free = [disk for disk in inventory.disks if disk.planned and not disk.uses]
    nodes: list[PoolNode] = []
    used: dict[str, Disk] = {}
    numbers: Counter[str] = Counter()
    for spec in layout:
        taken = []
        for size in spec.sizes:
            disk = next((d for d in free if d.size_bytes == size and d.key not in used), None)
            if disk is None:
                raise Refusal(tell("There is no disk of {size} for the pool as told", size=drive_size(size)))
            used[disk.key] = replace(disk, uses=(Use(kind=UseKind.POOL, detail=name),))
            taken.append(disk)
        nodes.extend(_nodes(spec, taken, numbers))
    disks = tuple(used.get(disk.key, disk) for disk in inventory.disks)
    pool = Pool(name=name, state="ONLINE", vdevs=tuple(nodes))
    return replace(inventory, disks=disks, pools=(*inventory.pools, pool))


def _nodes(spec: VdevSpec, disks: list[Disk], numbers: Counter[str]) -> Iterator[PoolNode]:
    section = _SECTIONS.get(spec.vdev_class, spec.vdev_class.value)
    leaves = tuple(
        PoolNode(name=disk.key, path=f"/dev/disk/by-id/<{disk.key}>", kind="disk", section=section) for disk in disks
    )
    if spec.kind is VdevKind.STRIPE:
        yield from leaves
        return
    word = spec.word
    if spec.kind is VdevKind.DRAID:
        word = f"draid{spec.parity}:{spec.group_data}d:{spec.width}c:{spec.draid_spares}s"
    number = sum(numbers.values())
    numbers[word] += 1
    yield PoolNode(name=f"{word}-{number}", kind=word, section=section, children=leaves)
