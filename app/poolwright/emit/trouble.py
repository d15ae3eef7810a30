"""A pool in trouble: which device is brought back, exchanged, or left alone, as actions for a person to take."""

import re
from collections.abc import Iterable, Iterator, Sequence

from poolwright.changes.as_design import is_booted
from poolwright.changes.audit import PoolAudit
from poolwright.domain.action import Action, AddVdevs, Attach, Copy, OnPool, Reimport, Replace, RunCommand, Verb, Wait
from poolwright.domain.design import Member, Vdev
from poolwright.domain.disk import Disk, Health, kernel_name, without_partition
from poolwright.domain.estimate import OriginKind
from poolwright.domain.pool import SERVING, STANDING_IN, WELL, PoolNode, ScanKind
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import BY_ID
from poolwright.rules.existing_tree import all_erring, last_copies, lost_devices, name_of_another, with_spare

# What FreeBSD calls devices, which it has no /dev/disk/by-id for.
_OF_FREEBSD = re.compile(r"(?:/dev/)?(?:(?:gpt|gptid|diskid|label)/.|(?:a?da|nda|nvd)\d+(?:p\d+)?\Z)")
# Taken out by a person or a hand: what is on them is theirs still, and little of it is old.
_COMES_BACK = frozenset({"OFFLINE", "REMOVED"})
_DISTRIBUTED = re.compile(r"draid[123]-(\d{1,9})-\d{1,9}\Z")
_LINK = re.compile("(?:ata|nvme|scsi|usb|wwn)-")
_NEW = re.compile("<new disk ([0-9a-f]+)>")
_RAW_SINCE = ZfsVersion(0, 8, 0)
_BESIDE = ("-u", "-x", "mountpoint")  # else the copy would be mounted over the pool, or over /, at the next start


def numbered(line: str, numbers: dict[str, int]) -> str:
    """Return a command line with the number of each disk that comes, in the order in which they are asked for."""
    return _NEW.sub(lambda found: f"<new disk {numbers.setdefault(found[1], len(numbers) + 1)}>", line)


class PoolInTrouble:
    """A pool that the audit looked at, with the actions for devices that are gone, count errors, or have a stand-in."""

    def __init__(self, audit: PoolAudit) -> None:
        self.audit, self.name, self.vdevs = audit, audit.pool.name, audit.pool.vdevs
        self.datasets, self.version = audit.known.datasets or (), audit.version
        made = audit.made
        system = (made.design.machine.os_name or "") if made is not None else ""
        self._freebsd = "freebsd" in system.lower() or any(_OF_FREEBSD.match(n.device) for n in audit.pool.leaves())
        self.runs_system = is_booted(audit.known)
        # The disk of each device, also of one that stands in.
        self._places: dict[int, tuple[Disk, int | None]] = {}
        if made is not None:
            for seat in (seat for top in made.tops for seat in top.seats):
                for leaf in (seat.node, *seat.node.leaves()):
                    self._places.setdefault(id(leaf), (seat.disk, seat.member.part))
        # Spares that wait, the smallest first: a larger one is kept for a larger disk.
        spares = [leaf for leaf in audit.pool.leaves() if leaf.section == "spares" and leaf.state == "AVAIL"]
        waiting = sorted(spares, key=lambda leaf: self._size(leaf) or 0)
        disks = ((leaf.name, self._place(leaf)[0]) for leaf in audit.pool.leaves())
        failing = frozenset(name for name, disk in disks if disk is not None and disk.health is Health.FAILING)
        self._resilvering = audit.known.runs(ScanKind.RESILVER)
        self._last = list(last_copies(audit.pool, resilvering=self._resilvering, failing=failing))
        # A spare goes to one device in all steps: to what is gone before what may come back, and then what still reads.
        gone = sorted(
            ((t, n) for t in self.vdevs for n in lost_devices(t)), key=lambda one: one[1].state in _COMES_BACK
        )
        worn = [(t, n) for t in self.vdevs for n in t.leaves() if n.state == "DEGRADED" or n in self._last]
        self._spares: dict[int, PoolNode] = {}
        for top, leaf in (*gone, *worn):
            if (spare := self._fitting(waiting, top, leaf)) is not None:
                self._spares[id(leaf)] = spare
                waiting.remove(spare)

    def device(self, leaf: PoolNode) -> Member:
        return Member(disk_key=leaf.name, path=leaf.device)

    def online_name(self, leaf: PoolNode) -> Member:
        """Return what `zpool online` takes: the disk itself where zpool made the partition.

        With -e or autoexpand=on it writes such a table anew, and fails on the path that `zpool status -P` prints:
        "cannot relabel …-part1: unable to read disk capacity" (https://github.com/openzfs/zfs/issues/8449).
        """
        device, name = self.device(leaf), leaf.device
        if not name.startswith("/dev/") or without_partition(name)[1] != 1 or self._place(leaf)[1] is not None:
            return device
        return Member(disk_key=leaf.name, path=without_partition(name)[0])

    def new_disk(self, purpose: str) -> Member:
        """Return a disk that comes; it gets its number where it is written (`numbered`), for not all of them are."""
        sign = f"{self.name} {purpose}".encode(errors="backslashreplace").hex()
        return Member(disk_key="", path=f"{'/dev/' if self._freebsd else BY_ID}<new disk {sign}>")

    def on(self, verb: Verb, leaf: PoolNode) -> OnPool:
        device = self.online_name(leaf) if verb is Verb.ONLINE else self.device(leaf)
        return OnPool(pool=self.name, verb=verb, devices=(device,))

    def added(self, kind: VdevKind, vdev_class: VdevClass, count: int, purpose: str = "") -> AddVdevs:
        members = tuple(self.new_disk(f"{vdev_class} {number} {purpose}") for number in range(count))
        vdev = Vdev(kind=kind, vdev_class=vdev_class, members=members)
        # What holds the pool gets the pool's ashift, whatever its disks claim: with two of them no vdev can leave.
        design = self.audit.made.design if self.audit.made is not None and vdev_class in HOLDS_THE_POOL else None
        ashift = design.ashift if design is not None and design.ashift_read else None
        return AddVdevs(pool=self.name, vdevs=(vdev,), ashift=ashift)

    def reimporting(self, *, stable: bool = True) -> list[Action]:
        """Return how it is imported anew; nothing for a pool that runs the system, which none exports."""
        return [] if self.runs_system else [Reimport(pool=self.name, stable=stable and not self._freebsd)]

    def reopening(self) -> list[Action]:
        """Return how a pool whose data cannot be read comes back once its devices are connected."""
        if self.audit.pool.log_unread:
            logs = (leaf for leaf in self.audit.pool.leaves() if leaf.section == "logs")
            return [self.on(Verb.ONLINE, leaf) for leaf in logs if leaf.state not in SERVING]
        if self.audit.pool.state == "SUSPENDED":
            return [OnPool(pool=self.name, verb=Verb.CLEAR)]
        return [Reimport(pool=self.name, stable=not self._freebsd)]

    def replacing(self) -> list[Action]:
        """Return how each device that is gone comes back or is replaced; a spare that waits needs no shopping.

        Nothing for a device in whose place another one is already.
        """
        found: list[Action] = []
        last: list[Action] = []
        for top in self.vdevs:
            before = len(found)
            taken = self._goes_on(top, found)
            for leaf in (one for one in lost_devices(top) if id(one) not in taken):
                if top.section == "spares" or (top.section == "cache" and leaf.state not in _COMES_BACK):
                    found.extend(self._exchanged(leaf))
                    continue
                if leaf.state in _COMES_BACK:
                    found.append(self.on(Verb.ONLINE, leaf))
                    continue
                # Where the kernel gave its name to another disk, it may be there under a new one.
                moved = self.reimporting() if name_of_another(leaf, self.vdevs) else []
                # One that could not be opened may be loose; a spare does not wait for that.
                if leaf.state == "UNAVAIL" and not moved and id(leaf) not in self._spares:
                    found.append(self.on(Verb.ONLINE, leaf))
                found.extend(() if moved else self._by_spare_or_new(top, leaf))
                last = moved or last
            # What still reads stays until the vdev has back what it lacks; of what was taken out nobody knows yet.
            back = len(found) > before and not any(leaf.state in _COMES_BACK for leaf in lost_devices(top))
            for leaf in top.leaves() if back and not last and not self._resilvering else ():
                if leaf in self._last:
                    found.append(Wait(pool=self.name, activity="resilver"))
                    found.extend(self._by_spare_or_new(top, leaf))
        return [*found, *last]

    def replacing_worn(self) -> list[Action]:
        """Return how devices give way that serve on with too many errors: one, for each resilver is awaited."""
        shared = all_erring(self.audit.pool)  # no disk is to blame for what all of them count
        whole = (top for top in self.vdevs if not any(lost_devices(top)) and top not in shared)
        worn = [(top, leaf) for top in whole for leaf in top.leaves() if leaf.state == "DEGRADED"]
        return [action for top, leaf in worn[:1] for action in self._by_spare_or_new(top, leaf)]

    def rescuing(self) -> Iterator[Action]:
        """Yield how the data leave a pool before a device is touched that alone has them, and what comes then."""
        snapshot = f"{self.name}@rescue"
        # -R takes an encrypted dataset only as it lies on the disks; where nobody read which there are, all go so.
        plain = bool(self.datasets) and all(d.value("encryption") in {None, "off"} for d in self.datasets)
        raw = () if plain or self.version < _RAW_SINCE else ("-w",)
        yield RunCommand(argv=("zfs", "snapshot", "-r", snapshot))
        yield Copy(snapshot=snapshot, target=f"OTHER-POOL/{self.name}", options=("-R", *raw), receiving=_BESIDE)
        # Not by `zpool remove`, which stops at the first block that cannot be read.
        for top in (top for top in self.vdevs if top in self._last):
            yield from self._by_spare_or_new(top, top)

    def standing_in(self) -> Iterator[Action]:
        """Yield what is done for the disks for which a spare stands in: the test that decides, or the exchange."""
        for first in (leaf for top in self.vdevs for leaf in with_spare(top) if not self._resilvering):
            if first.state in _COMES_BACK:
                yield self.on(Verb.ONLINE, first)
            if first.state in {"ONLINE", *_COMES_BACK}:
                yield from (*self.smart(first, "-t", "long"), *self.smart(first))
            else:
                yield Replace(pool=self.name, old=self.device(first), new=self.new_disk(first.device))

    def smart(self, leaf: PoolNode, *words: str) -> Iterator[Action]:
        if path := self._whole_path(leaf):
            yield RunCommand(argv=("smartctl", *(words or ("-x",)), path))

    # What goes on where one device takes the place of another and the resilver has stopped: the one that came serves
    # again or leaves, and what it lacks may be on the one that was taken out. A spare is not brought online. Returned
    # is what lost_devices need not tell of: what came, and what waits for it.
    def _goes_on(self, top: PoolNode, found: list[Action]) -> set[int]:
        taken: set[int] = set()
        for group in (n for n in top.walk() if n.kind in STANDING_IN and n.children and not self._resilvering):
            first, *others = group.children
            lost = [one for one in others if not one.children and one.state not in {None, *SERVING}]
            loose = [one for one in lost if one.state in {"UNAVAIL" if group.kind == "replacing" else "", *_COMES_BACK}]
            found.extend(self.on(Verb.ONLINE if one in loose else Verb.DETACH, one) for one in lost)
            taken.update(map(id, (first, *others) if loose and first.state not in _COMES_BACK else others))
            if group.kind == "replacing" and len(lost) < len(others):
                back = first.state in _COMES_BACK
                resilver = OnPool(pool=self.name, verb=Verb.RESILVER)
                found.append(self.on(Verb.ONLINE, first) if back else resilver)
            elif group.kind == "replacing" and first.state in SERVING and not loose:
                found.extend(self._by_spare_or_new(top, first))
        return taken

    def on_new_disk(self, leaf: PoolNode, like: PoolNode | None, *, attach: bool = False) -> Iterator[Action]:
        """Yield how a new disk replaces a device, or is attached to it, after it got the table of the disk of ``like``.

        Where nothing lies beside the pool on that disk, zpool makes the table. `sgdisk` copies it and gives the copy
        GUIDs of its own.
        """
        new = self.new_disk(f"{'beside ' if attach else ''}{leaf.device}")
        source, part = self._whole_path(like), self._place(like)[1]
        # Nobody starts from a disk without boot partitions.
        if self.runs_system and leaf.section == "data" and (part is None or not source):
            return
        if part is not None and source and self._has_others(like, part):
            path = new.path or ""
            if self._freebsd:
                yield RunCommand(argv=("gpart", "backup", source), into=("gpart", "restore", "-F", path))
            else:
                yield RunCommand(argv=("sgdisk", f"--replicate={path}", source))
                yield RunCommand(argv=("sgdisk", "--randomize-guids", path))
            new = Member(disk_key="", path=f"{path}{'p' if self._freebsd else '-part'}{part}")
        device = self.device(leaf)
        yield Attach(pool=self.name, to=device, device=new) if attach else Replace(pool=self.name, old=device, new=new)

    def _fitting(self, waiting: Sequence[PoolNode], top: PoolNode, leaf: PoolNode) -> PoolNode | None:
        largest = max(self._logical_sector(seat) for seat in top.leaves())
        fitting = [one for one in waiting if self._serves(one, top, leaf)]
        # One of larger sectors than the vdev has is refused where its ashift is small, which nobody may have read.
        return min(fitting, key=lambda one: self._logical_sector(one) > largest, default=None)

    # The replacement of a device by the spare that is meant for it, or by a new disk.
    def _by_spare_or_new(self, top: PoolNode, leaf: PoolNode) -> Iterable[Action]:
        spare = self._spares.get(id(leaf))
        if spare is None:  # a new disk gets the table of a disk of the same vdev that is well
            well = (one for one in top.leaves() if one is not leaf and one.state in WELL and self._place(one)[1])
            return self.on_new_disk(leaf, next(well, None))
        ashift = self._small_blocks(spare, top)
        return (Replace(pool=self.name, old=self.device(leaf), new=self.device(spare), ashift=ashift),)

    # Whether more than this pool lies on the disk of a device: a system boots from there, or it was cut for several.
    def _has_others(self, leaf: PoolNode | None, part: int) -> bool:
        disk, reserve = self._place(leaf)[0], self.audit.made.design.reserve if self.audit.made is not None else ()
        return part != 1 or any(not one.disk_keys or (disk and disk.key in one.disk_keys) for one in reserve)

    # The path of the whole disk that a device lies on; empty where nothing tells it.
    def _whole_path(self, leaf: PoolNode | None) -> str:
        name = without_partition(leaf.device)[0] if leaf is not None else ""
        if name.startswith("/dev/"):
            return name
        return f"{BY_ID}{name}" if _LINK.match(name) else f"/dev/{name}" if kernel_name(name) else ""

    # How a spare or a cache that is gone gives way to another one. zpool replaces neither, and brings no spare online
    # (`libzfs_pool.c`: EZFS_ISSPARE, EZFS_ISL2CACHE). A distributed spare belongs to its dRAID.
    def _exchanged(self, leaf: PoolNode) -> Iterator[Action]:
        if leaf.kind != "dspare":
            yield self.on(Verb.REMOVE, leaf)
            kind = VdevClass.SPARE if leaf.section == "spares" else VdevClass.CACHE
            yield self.added(VdevKind.STRIPE, kind, 1, leaf.device)

    # Whether a spare can take the place of a device that holds data; of unknown sizes the operator knows.
    def _serves(self, spare: PoolNode, top: PoolNode, leaf: PoolNode) -> bool:
        if top.section != "data":
            return False
        distributed = _DISTRIBUTED.match(spare.name)
        if distributed is not None:
            return top.kind.startswith("draid") and top.name.rpartition("-")[2] == distributed.group(1)
        ashift = self.audit.known.ashift_of(top.name)
        if ashift is not None and self._logical_sector(spare) > 1 << ashift:
            return False
        own, other = self._size(leaf), self._size(spare)
        return own is None or other is None or other >= own

    # The disk that a device lies on, and the number of its partition where a person or an installer made that. Where
    # nothing but its name is known, the first is the one that zpool makes.
    def _place(self, leaf: PoolNode | None) -> tuple[Disk | None, int | None]:
        disk, part = self._places.get(id(leaf), (None, None))
        named = without_partition(leaf.device)[1] if leaf is not None else None
        return disk, part or (named if named != 1 else None)

    def _logical_sector(self, leaf: PoolNode) -> int:
        disk = self._place(leaf)[0]
        return disk.logical_sector_bytes or 0 if disk is not None else 0

    # The bytes of a device as the pool or its disk tells them; None where neither does.
    def _size(self, leaf: PoolNode) -> int | None:
        sizes = self.audit.known.vdev(leaf.name)
        if sizes is not None and sizes.size_bytes is not None:
            return sizes.size_bytes
        disk, part = self._place(leaf)
        sure = disk is not None and not any(o.kind is OriginKind.ASSUMED for __, o in disk.origins) and part is None
        return disk.size_bytes if disk is not None and sure else None

    # The ashift without which zpool refuses a disk of larger sectors than those of the vdev. Where the vdev's was not
    # read, its disks tell what it was made with.
    def _small_blocks(self, spare: PoolNode, top: PoolNode) -> int | None:
        disk = self._place(spare)[0]
        physical = disk.physical_sector_bytes if disk is not None else None
        there = [one.physical_sector_bytes or 0 for seat in top.leaves() if (one := self._place(seat)[0]) is not None]
        block = 1 << ashift if (ashift := self.audit.known.ashift_of(top.name)) is not None else max(there, default=0)
        return None if physical is None or not block or physical <= block else block.bit_length() - 1
