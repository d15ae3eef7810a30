"""Whether each disk of an existing pool is where a design says: in which vdev, and in which bay where that is known."""

from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.changes.as_design import CLASS_OF, seats_of
from poolwright.changes.members import MemberFinder
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.inventory import Inventory
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class MisplacedDisk:
    """One difference between a design and the pool: ``disk`` in words, where it should be and where it is."""

    disk: str
    wanted: str
    found: str
    text: str


def misplaced(
    design: Design, inventory: Inventory, pool: Pool, finder: MemberFinder | None = None
) -> tuple[MisplacedDisk, ...]:
    """Return what differs between the design's pool of that name (else its first) and the pool; empty when all agree.

    Disks are told by serial number, world-wide name or stable name. A vdev of the design stands for the vdev of the
    pool that holds most of its disks, whatever its number. Pure.
    """
    finder = finder or MemberFinder(inventory)
    wanted = next((one for one in design.pools() if one.pool_name == pool.name), design.pools()[0])
    real: list[tuple[PoolNode, list[Disk | None]]] = [
        (node, [finder.of(seat).disk for seat in seats_of(node)]) for node in pool.vdevs
    ]
    where = {_identity(disk): node for node, disks in real for disk in disks if disk is not None}
    known = {_identity(disk): disk for _, disks in real for disk in disks if disk is not None}
    found: list[MisplacedDisk] = []
    seen: set[str] = set()
    for vdev, name in zip(wanted.vdevs, _names(wanted), strict=True):
        disks = [wanted.disk(member.disk_key) for member in vdev.members]
        home = _home(vdev, disks, where)
        for disk in disks:
            identity = _identity(disk)
            seen.add(identity)
            found.extend(_differences(disk, name, vdev, home, where.get(identity), known.get(identity)))
    for node, found_disks in real:
        for seat, real_disk in zip(seats_of(node), found_disks, strict=True):
            if real_disk is None or _identity(real_disk) not in seen:
                label = real_disk.label if real_disk is not None else seat.name
                text = tell("{disk} is in {vdev}; the design does not have it.", disk=label, vdev=node.name)
                found.append(MisplacedDisk(disk=label, wanted="", found=node.name, text=text))
    return tuple(found)


def _identity(disk: Disk) -> str:
    return (disk.serial or disk.wwn or disk.by_id_name or disk.key).casefold()


def _names(design: Design) -> Iterator[str]:
    number = 0
    for vdev in design.vdevs:
        word = vdev.sizeless().word
        if vdev.vdev_class in (VdevClass.SPARE, VdevClass.CACHE):
            yield vdev.vdev_class.value
            continue
        yield f"{word}-{number}"
        number += 1


def _home(vdev: Vdev, disks: list[Disk], where: dict[str, PoolNode]) -> PoolNode | None:
    """Return the vdev of the pool that holds most of the disks, of the same class first."""
    votes: dict[str, list[PoolNode]] = {}
    for disk in disks:
        node = where.get(_identity(disk))
        if node is not None:
            votes.setdefault(node.name, []).append(node)
    if not votes:
        return None
    return max(votes.values(), key=lambda nodes: (CLASS_OF.get(nodes[0].section) is vdev.vdev_class, len(nodes)))[0]


def _differences(
    disk: Disk, name: str, vdev: Vdev, home: PoolNode | None, at: PoolNode | None, real: Disk | None
) -> Iterator[MisplacedDisk]:
    if at is None or real is None:
        text = tell("{disk} belongs into {vdev} and is not in the pool.", disk=disk.label, vdev=name)
        yield MisplacedDisk(disk=disk.label, wanted=name, found="", text=text)
        return
    spare = vdev.vdev_class is VdevClass.SPARE and at.section == "spares"
    if not spare and (home is None or at.name != home.name):
        expected = home.name if home is not None else name
        words = {"disk": real.label, "wanted": expected, "found": at.name}
        text = tell("{disk} belongs into {wanted} and is in {found}.", **words)
        yield MisplacedDisk(disk=real.label, wanted=expected, found=at.name, text=text)
    elif not spare and CLASS_OF.get(at.section) is not vdev.vdev_class:
        words = {"disk": real.label, "wanted": vdev.vdev_class.value, "found": at.section}
        text = tell("{disk} should serve as {wanted} and serves as {found}.", **words)
        yield MisplacedDisk(disk=real.label, wanted=vdev.vdev_class.value, found=at.section, text=text)
    planned, bay = _bay(disk), _bay(real)
    if planned and bay and planned != bay:
        words = {"disk": real.label, "wanted": planned, "found": bay}
        text = tell("{disk} should be in {wanted} and is in {found}.", **words)
        yield MisplacedDisk(disk=real.label, wanted=planned, found=bay, text=text)


def _bay(disk: Disk) -> str:
    if not disk.bay:
        return ""
    if disk.enclosure:
        return tell("shelf {enclosure}, bay {slot}", enclosure=disk.enclosure, slot=disk.bay)
    return tell("bay {slot}", slot=disk.bay)
