"""A pool that the audit looked at, with what is done for devices that are gone, count errors, or have a stand-in."""

import re
from collections.abc import Iterable, Iterator

from poolwright.changes.against.vdevs import REMOVAL_SINCE
from poolwright.changes.audit import PoolAudit
from poolwright.domain.action import (
    Action,
    AddVdevs,
    Attach,
    Copy,
    DeviceVerb,
    Group,
    MemberDevice,
    OnDevices,
    Reimport,
    Replace,
    RunCommand,
)
from poolwright.domain.design import Member, Vdev
from poolwright.domain.disk import Disk, Health, without_partition
from poolwright.domain.estimate import OriginKind
from poolwright.domain.existing_pool import ScanKind
from poolwright.domain.pool import SERVING, STANDING_IN, WELL, PoolNode
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.names import BY_ID
from poolwright.rules.existing_tree import last_copies, name_of_another

# What installers call the pool that is booted from, and that of the system: FreeNAS and TrueNAS, Debian and Ubuntu on
# ZFS, Proxmox VE, FreeBSD.
BOOT_POOLS = frozenset({"bpool", "boot-pool", "freenas-boot"})
_OF_SYSTEMS = BOOT_POOLS | {"rpool", "zroot"}
# What FreeBSD calls devices, which it has no /dev/disk/by-id for.
_OF_FREEBSD = re.compile(r"(?:/dev/)?(?:(?:gpt|gptid|diskid|label)/.|(?:a?da|nda|nvd)\d+(?:p\d+)?\Z)")
# Taken out by a person or a hand: what is on them is theirs still, and little of it is old.
_COMES_BACK = frozenset({"OFFLINE", "REMOVED"})
_DISTRIBUTED = re.compile(r"draid[123]-(\d{1,9})-\d{1,9}\Z")


def device_of(node: PoolNode) -> str:
    return node.path or node.name


class PoolInTrouble:
    """Finds the actions for one finding; disks that come are numbered in the order in which they are asked for."""

    def __init__(self, audit: PoolAudit) -> None:
        self.audit, self.name, self.vdevs = audit, audit.pool.name, audit.pool.vdevs
        self.datasets = audit.known.datasets or ()
        made = audit.made
        design = made.design if made is not None else None
        self.version = design.version if design is not None else DEFAULT_VERSION
        system = design.machine.os_name if design is not None else None
        named = any(_OF_FREEBSD.match(device_of(leaf)) for leaf in audit.pool.leaves())
        self._freebsd = "freebsd" in (system or "").lower() or named
        self._new = 0
        # The places of the vdevs with their members, and the disk of each device, also of one that stands in.
        self._seats: list[tuple[PoolNode, PoolNode, Member]] = []
        self._places: dict[int, tuple[Disk, int | None]] = {}
        if made is not None:
            for _, member, node, seat in made.seats():
                self._seats.append((node, seat, member))
                for leaf in (seat, *seat.leaves()):
                    self._places.setdefault(id(leaf), (made.design.disk(member.disk_key), member.part))
        # Spares that wait, the smallest first: a larger one is kept for a larger disk.
        spares = [leaf for leaf in audit.pool.leaves() if leaf.section == "spares" and leaf.state == "AVAIL"]
        self._waiting = sorted(spares, key=lambda leaf: self._size(leaf) or 0)

    def device(self, leaf: PoolNode) -> MemberDevice:
        return MemberDevice(disk=leaf.name, path=device_of(leaf))

    def online_name(self, leaf: PoolNode) -> MemberDevice:
        """Return what `zpool online` takes: the disk itself where zpool made the partition.

        With -e or autoexpand=on it writes such a table anew, and fails on the path that `zpool status -P` prints:
        "cannot relabel …-part1: unable to read disk capacity" (https://github.com/openzfs/zfs/issues/8449).
        """
        device, name = self.device(leaf), device_of(leaf)
        if not name.startswith("/dev/") or without_partition(name)[1] != 1 or self._place(leaf)[1] is not None:
            return device
        return MemberDevice(disk=leaf.name, path=without_partition(name)[0])

    def new_disk(self) -> MemberDevice:
        """Return a disk that is put in, which nobody has yet."""
        self._new += 1
        return MemberDevice(disk="", path=f"{'/dev/' if self._freebsd else BY_ID}<new disk {self._new}>")

    def on(self, verb: DeviceVerb, leaf: PoolNode) -> OnDevices:
        device = self.online_name(leaf) if verb is DeviceVerb.ONLINE else self.device(leaf)
        return OnDevices(pool=self.name, verb=verb, devices=(device,))

    def added(self, kind: VdevKind, vdev_class: VdevClass, count: int) -> AddVdevs:
        """Return how a vdev of new disks joins."""
        members = tuple(Member(disk_key=str(number)) for number in range(count))
        vdev = Vdev(kind=kind, vdev_class=vdev_class, members=members)
        group = Group(vdev=vdev, devices=tuple(self.new_disk() for _ in members))
        return AddVdevs(pool=self.name, groups=(group,), ashift=None)

    def looks_at(self, leaves: Iterable[PoolNode]) -> Iterator[Action]:
        names = (device_of(leaf) for leaf in leaves)
        return (RunCommand(argv=("smartctl", "-x", without_partition(n)[0])) for n in names if n.startswith("/dev/"))

    def by_stable_names(self) -> list[Action]:
        """Return how the names become stable ones; nothing for a pool that runs the system, which none exports."""
        if self.audit.known.value("bootfs") is not None or self.name in _OF_SYSTEMS:
            return []
        return [Reimport(pool=self.name, stable=not self._freebsd)]

    def replacing(self) -> list[Action]:
        """Return how each device that is gone comes back or is replaced; a spare that waits needs no shopping.

        Nothing for a device in whose place another one is already.
        """
        found: list[Action] = []
        last: list[Action] = []
        for top in self.vdevs:
            for leaf in _lost(top):
                if top.section == "spares" or (top.section == "cache" and leaf.state not in _COMES_BACK):
                    found.extend(self._exchanged(leaf))
                    continue
                if leaf.state in _COMES_BACK:
                    found.append(self.on(DeviceVerb.ONLINE, leaf))
                    continue
                # Where the kernel gave its name to another disk, it may be there under a new one.
                moved = self.by_stable_names() if name_of_another(leaf, self.vdevs) else []
                found.extend(() if moved else self._by_spare_or_new(top, leaf))
                last = moved or last
        return [*found, *last]

    def replacing_worn(self) -> list[Action]:
        """Return how devices give way that serve on with too many errors: one, for each resilver is awaited."""
        worn = [(top, leaf) for top in self.vdevs for leaf in top.leaves() if leaf.state == "DEGRADED"]
        return [action for top, leaf in worn[:1] for action in self._by_spare_or_new(top, leaf)]

    def rescuing(self) -> Iterator[Action]:
        """Yield how the data leave a pool before a device is touched that alone has them, and what comes then."""
        snapshot = f"{self.name}@rescue"
        yield RunCommand(argv=("zfs", "snapshot", "-r", snapshot))
        yield Copy(snapshot=snapshot, target=f"OTHER-POOL/{self.name}", options=("-R",), force=False)
        failing = frozenset(seat.name for _, seat, _ in self._seats if self._fails(seat))
        resilvering = self.audit.known.runs(ScanKind.RESILVER)
        last = list(last_copies(self.audit.pool, resilvering=resilvering, failing=failing))
        for top in self.vdevs:
            for leaf in (leaf for leaf in top.leaves() if leaf in last):
                if leaf is top and self.version >= REMOVAL_SINCE and self._has_room_beside(top):
                    yield self.on(DeviceVerb.REMOVE, leaf)
                else:
                    yield from self._by_spare_or_new(top, leaf)

    def standing_in(self) -> Iterator[Action]:
        """Yield how each spare that stands in goes back: its disk is replaced, or works again."""
        if self.audit.known.runs(ScanKind.RESILVER):
            return
        groups = [node for vdev in self.vdevs for node in (vdev, *vdev.children) if node.kind == "spare"]
        for first, *others in (group.children for group in groups if group.children):
            if first.children:  # its replacement is on the way
                continue
            if first.state == "ONLINE":
                yield from (self.on(DeviceVerb.DETACH, other) for other in others)
            elif first.state in _COMES_BACK:
                yield self.on(DeviceVerb.ONLINE, first)
            else:
                yield Replace(pool=self.name, old=self.device(first), new=self.new_disk())

    def on_new_disk(self, leaf: PoolNode, like: PoolNode | None, *, attach: bool = False) -> Iterator[Action]:
        """Yield how a new disk replaces a device, or is attached to it, after it got the table of the disk of ``like``.

        Where nothing lies beside the pool on that disk, zpool makes the table. `sgdisk` copies it and gives the copy
        GUIDs of its own.
        """
        new = self.new_disk()
        disk, part = self._place(like)
        source = None if disk is None else f"{BY_ID}{disk.by_id_name}" if disk.by_id_name else disk.path
        reserve = self.audit.made.design.reserve if self.audit.made is not None else ()
        has_others = disk is not None and any(not one.disk_keys or disk.key in one.disk_keys for one in reserve)
        if part is not None and source is not None and has_others:
            path = new.path or ""
            if self._freebsd:
                yield RunCommand(argv=("gpart", "backup", source), into=("gpart", "restore", "-F", path))
            else:
                yield RunCommand(argv=("sgdisk", f"--replicate={path}", source))
                yield RunCommand(argv=("sgdisk", "--randomize-guids", path))
            new = MemberDevice(disk="", path=f"{path}{'p' if self._freebsd else '-part'}{part}")
        device = self.device(leaf)
        if attach:
            yield Attach(pool=self.name, to=device, device=new)
        else:
            yield Replace(pool=self.name, old=device, new=new)

    def _fails(self, seat: PoolNode) -> bool:
        disk = self._place(seat)[0]
        return disk is not None and disk.health is Health.FAILING

    def _has_room_beside(self, top: PoolNode) -> bool:
        """Tell whether `zpool remove` would take a vdev: no raidz in the pool, one ashift, room in the others."""
        known = self.audit.known
        others = [node for node in self.vdevs if node.section == "data" and node is not top]
        if top.section != "data" or not others or any(n.kind.startswith(("raidz", "draid")) for n in self.vdevs):
            return False
        own, beside = known.vdev(top.name), [known.vdev(node.name) for node in others]
        free = [one.free_bytes for one in beside if one is not None and one.free_bytes is not None]
        ashifts = {one.ashift for one in (own, *beside) if one is not None and one.ashift}
        held = own.allocated_bytes if own is not None else None
        return held is not None and len(free) == len(others) and held < sum(free) and len(ashifts) <= 1

    def _by_spare_or_new(self, top: PoolNode, leaf: PoolNode) -> Iterable[Action]:
        """Return the replacement of a device by a spare that fits, which waits no more then, or by a new disk."""
        largest = max(self._logical_sector(seat) for seat in top.leaves())
        fitting = [one for one in self._waiting if self._serves(one, top, leaf)]
        # One of larger sectors than the vdev has is refused where its ashift is small, which nobody may have read.
        spare = min(fitting, key=lambda one: self._logical_sector(one) > largest, default=None)
        if spare is None:
            return self._replaced(leaf)
        self._waiting.remove(spare)
        ashift = self._small_blocks(spare, top)
        return (Replace(pool=self.name, old=self.device(leaf), new=self.device(spare), ashift=ashift),)

    def _replaced(self, leaf: PoolNode) -> Iterable[Action]:
        """Return the replacement by a new disk, which gets the table of a disk of the same vdev that is well."""
        home = next((node for node, seat, _ in self._seats if seat is leaf), None)
        well = (
            seat
            for node, seat, member in self._seats
            if node is home and seat is not leaf and member.part and seat.state in WELL
        )
        return self.on_new_disk(leaf, next(well, None))

    def _exchanged(self, leaf: PoolNode) -> Iterator[Action]:
        """Yield how a spare or a cache that is gone gives way to another one.

        zpool replaces neither, and brings no spare online (`libzfs_pool.c`: EZFS_ISSPARE, EZFS_ISL2CACHE). A
        distributed spare belongs to its dRAID.
        """
        if leaf.kind != "dspare":
            yield self.on(DeviceVerb.REMOVE, leaf)
            yield self.added(VdevKind.STRIPE, VdevClass.SPARE if leaf.section == "spares" else VdevClass.CACHE, 1)

    def _serves(self, spare: PoolNode, top: PoolNode, leaf: PoolNode) -> bool:
        """Tell whether a spare can take the place of a device that holds data; of unknown sizes the operator knows."""
        if top.section != "data":
            return False
        distributed = _DISTRIBUTED.match(spare.name)
        if distributed is not None:
            return top.kind.startswith("draid") and top.name.rpartition("-")[2] == distributed.group(1)
        ashift = self._ashift(top)
        if ashift is not None and self._logical_sector(spare) > 1 << ashift:
            return False
        own, other = self._size(leaf), self._size(spare)
        return own is None or other is None or other >= own

    def _place(self, leaf: PoolNode | None) -> tuple[Disk | None, int | None]:
        """Return the disk that a device lies on, and the number of its partition where a person made that."""
        return self._places.get(id(leaf), (None, None))

    def _logical_sector(self, leaf: PoolNode) -> int:
        disk = self._place(leaf)[0]
        return disk.logical_sector_bytes or 0 if disk is not None else 0

    def _size(self, leaf: PoolNode) -> int | None:
        """Return the bytes of a device as the pool or its disk tells them; None where neither does."""
        sizes = self.audit.known.vdev(leaf.name)
        if sizes is not None and sizes.size_bytes is not None:
            return sizes.size_bytes
        disk, part = self._place(leaf)
        told = disk is not None and not any(o.kind is OriginKind.ASSUMED for _, o in disk.origins) and part is None
        return disk.size_bytes if disk is not None and told else None

    def _ashift(self, top: PoolNode) -> int | None:
        sizes = self.audit.known.vdev(top.name)
        return sizes.ashift if sizes is not None else None

    def _small_blocks(self, spare: PoolNode, top: PoolNode) -> int | None:
        """Return the ashift without which zpool refuses a disk of larger sectors than those of the vdev.

        Where the vdev's was not read, its disks tell what it was made with.
        """
        disk = self._place(spare)[0]
        physical = disk.physical_sector_bytes if disk is not None else None
        there = [one.physical_sector_bytes or 0 for seat in top.leaves() if (one := self._place(seat)[0]) is not None]
        block = 1 << ashift if (ashift := self._ashift(top)) is not None else max(there, default=0)
        return None if physical is None or not block or physical <= block else block.bit_length() - 1


def _lost(node: PoolNode, *, covered: bool = False) -> Iterator[PoolNode]:
    if not node.children:
        if not covered and node.state is not None and node.state not in SERVING:
            yield node
        return
    taken = covered or (node.kind in STANDING_IN and any(leaf.state == "ONLINE" for leaf in node.leaves()))
    for child in node.children:
        yield from _lost(child, covered=taken)
