"""A design: which disks form which vdevs with which properties. Immutable; an edit makes a new one."""

from dataclasses import dataclass, field, replace

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.finding import Source
from poolwright.domain.host import Host
from poolwright.domain.origin import Origin
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload

DESIGN_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A disk's part in a vdev: the whole disk, or a partition of ``slice_bytes``."""

    disk_key: str
    slice_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vdev:
    """A top-level vdev with its disks. A bare disk is a stripe of one; ``spare`` and ``cache`` vdevs are stripes."""

    kind: VdevKind
    members: tuple[Member, ...]
    parity: int = 0
    vdev_class: VdevClass = VdevClass.DATA
    draid_data: int | None = None
    draid_spares: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A property with its value and why it is set; ``rule_id`` names the rule that proposed it."""

    name: str
    value: str
    reason: str = ""
    rule_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAdvice:
    """Advice for the machine around the pool: ``kind`` is setting, timer, command or note.

    ``command`` is for a person to run or to write down; None where there is only something to know.
    """

    kind: str
    title: str
    command: str | None = None
    reason: str = ""
    why: str = ""
    rule_id: str | None = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A filesystem, or a zvol when ``volume_bytes`` is given; ``name`` is relative to the pool, '' is the root."""

    name: str
    settings: tuple[Setting, ...] = ()
    volume_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A whole pool on paper, with the disks and the host it was made for.

    ``key`` identifies it in the library. ``disks`` are all disks of the inventory it came from, so that a design
    opens anywhere; members refer to them by key. ``version`` is the OpenZFS it is computed for.
    """

    key: str
    name: str
    pool_name: str
    workload: Workload = field(default_factory=lambda: Workload(goal=Goal.SAFETY))
    budget: Budget = field(default_factory=Budget)
    host: Host = field(default_factory=Host)
    disks: tuple[Disk, ...] = ()
    vdevs: tuple[Vdev, ...] = ()
    ashift: int = 12
    version: ZfsVersion = DEFAULT_VERSION
    pool_settings: tuple[Setting, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    inventory_name: str = ""
    inventory_origin: Origin | None = None

    def disk(self, key: str) -> Disk:
        """Return the disk with this key; raises UserError when the design refers to a disk it does not hold."""
        for disk in self.disks:
            if disk.key == key:
                return disk
        raise UserError(f"The design “{self.name}” refers to a disk “{key}” that it does not describe")

    def spec(self, vdev: Vdev) -> VdevSpec:
        """Return the vdev by sizes; raises UserError where a member's size is unknown."""
        by_key = {disk.key: disk for disk in self.disks}
        sizes: list[int] = []
        for member in vdev.members:
            disk = by_key.get(member.disk_key) or self.disk(member.disk_key)
            size = member.slice_bytes if member.slice_bytes is not None else disk.size_bytes
            if size is None:
                raise UserError(f"The size of {disk.label} is unknown", todo="Enter it on the disks page.")
            sizes.append(size)
        return VdevSpec(
            kind=vdev.kind,
            sizes=tuple(sizes),
            parity=vdev.parity,
            vdev_class=vdev.vdev_class,
            draid_data=vdev.draid_data,
            draid_spares=vdev.draid_spares,
        )

    def layout(self) -> Layout:
        """Return all vdevs by sizes, in order."""
        return tuple(self.spec(vdev) for vdev in self.vdevs)

    def used_keys(self) -> frozenset[str]:
        """Return the keys of the disks that have a place in this design."""
        return frozenset(m.disk_key for vdev in self.vdevs for m in vdev.members)

    def renamed(self, *, name: str | None = None, pool_name: str | None = None) -> "Design":
        """Return this design under another name."""
        return replace(self, name=name or self.name, pool_name=pool_name or self.pool_name)
