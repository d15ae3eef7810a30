"""What would mend each finding of the audit of a pool, as commands. They are shown; nothing here runs them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from poolwright.capacity.expansion import REMOVAL_SINCE
from poolwright.changes.against.datasets import rewrite_words
from poolwright.changes.audit import NO_SCRUB_NOW, PoolAudit
from poolwright.changes.growth.design import REWRITE_SINCE
from poolwright.domain.action import (
    Action,
    AddVdevs,
    Attach,
    Copy,
    CreateDataset,
    DeviceVerb,
    Group,
    MemberDevice,
    OnDevices,
    OnPool,
    PoolVerb,
    Reimport,
    Replace,
    RunCommand,
    SetProperty,
    Wait,
    coming,
    set_on_pool,
)
from poolwright.domain.design import Member, Setting, Vdev
from poolwright.domain.disk import Disk, Health, kernel_name, without_partition
from poolwright.domain.estimate import OriginKind
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.pool import WELL, ExistingDataset, PoolNode, ScanKind
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.commands import action_word, chain, lines
from poolwright.emit.names import BY_ID
from poolwright.rules.existing_tree import last_copies, lost_devices, name_of_another

# A pool that the audit looked at, with what is done for devices that are gone, count errors, or have a stand-in.

# What installers call the pool that is booted from, and that of the system: FreeNAS and TrueNAS, Debian and Ubuntu on
# ZFS, Proxmox VE, FreeBSD.
BOOT_POOLS = frozenset({"bpool", "boot-pool", "freenas-boot"})
_OF_SYSTEMS = BOOT_POOLS | {"rpool", "zroot"}
# What FreeBSD calls devices, which it has no /dev/disk/by-id for.
_OF_FREEBSD = re.compile(r"(?:/dev/)?(?:(?:gpt|gptid|diskid|label)/.|(?:a?da|nda|nvd)\d+(?:p\d+)?\Z)")
# Taken out by a person or a hand: what is on them is theirs still, and little of it is old.
_COMES_BACK = frozenset({"OFFLINE", "REMOVED"})
_DISTRIBUTED = re.compile(r"draid[123]-(\d{1,9})-\d{1,9}\Z")


class PoolInTrouble:
    """Finds the actions for findings; each disk that comes has one number, in the order in which it is asked for."""

    def __init__(self, audit: PoolAudit, numbers: dict[str, int]) -> None:
        self.audit, self.name, self.vdevs = audit, audit.pool.name, audit.pool.vdevs
        self.datasets = audit.known.datasets or ()
        made = audit.made
        design = made.design if made is not None else None
        self.version = design.version if design is not None else DEFAULT_VERSION
        system = design.machine.os_name if design is not None else None
        named = any(_OF_FREEBSD.match(leaf.device) for leaf in audit.pool.leaves())
        self._freebsd = "freebsd" in (system or "").lower() or named
        self._numbers = numbers
        # The places of the vdevs with their members, and the disk of each device, also of one that stands in.
        self._seats: list[tuple[PoolNode, PoolNode, Member]] = []
        self._places: dict[int, tuple[Disk, int | None]] = {}
        if made is not None:
            for __, member, node, seat in made.seats():
                self._seats.append((node, seat, member))
                for leaf in (seat, *seat.leaves()):
                    self._places.setdefault(id(leaf), (made.design.disk(member.disk_key), member.part))
        # Spares that wait, the smallest first: a larger one is kept for a larger disk.
        spares = [leaf for leaf in audit.pool.leaves() if leaf.section == "spares" and leaf.state == "AVAIL"]
        waiting = sorted(spares, key=lambda leaf: self._size(leaf) or 0)
        disks = ((seat.name, self._place(seat)[0]) for _node, seat, _member in self._seats)
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

    def device(self, leaf: PoolNode) -> MemberDevice:
        return MemberDevice(disk=leaf.name, path=leaf.device)

    def online_name(self, leaf: PoolNode) -> MemberDevice:
        """Return what `zpool online` takes: the disk itself where zpool made the partition.

        With -e or autoexpand=on it writes such a table anew, and fails on the path that `zpool status -P` prints:
        "cannot relabel …-part1: unable to read disk capacity" (https://github.com/openzfs/zfs/issues/8449).
        """
        device, name = self.device(leaf), leaf.device
        if not name.startswith("/dev/") or without_partition(name)[1] != 1 or self._place(leaf)[1] is not None:
            return device
        return MemberDevice(disk=leaf.name, path=without_partition(name)[0])

    def new_disk(self, purpose: str) -> MemberDevice:
        number = self._numbers.setdefault(f"{self.name} {purpose}", len(self._numbers) + 1)
        return MemberDevice(disk="", path=f"{'/dev/' if self._freebsd else BY_ID}<new disk {number}>")

    def on(self, verb: DeviceVerb, leaf: PoolNode) -> OnDevices:
        device = self.online_name(leaf) if verb is DeviceVerb.ONLINE else self.device(leaf)
        return OnDevices(pool=self.name, verb=verb, devices=(device,))

    def added(self, kind: VdevKind, vdev_class: VdevClass, count: int, purpose: str = "") -> AddVdevs:
        members = tuple(Member(disk_key=str(number)) for number in range(count))
        vdev = Vdev(kind=kind, vdev_class=vdev_class, members=members)
        group = Group(vdev=vdev, devices=tuple(self.new_disk(f"{vdev_class} {m.disk_key} {purpose}") for m in members))
        return AddVdevs(pool=self.name, groups=(group,), ashift=None)

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
            before = len(found)
            for leaf in lost_devices(top):
                if top.section == "spares" or (top.section == "cache" and leaf.state not in _COMES_BACK):
                    found.extend(self._exchanged(leaf))
                    continue
                if leaf.state in _COMES_BACK:
                    found.append(self.on(DeviceVerb.ONLINE, leaf))
                    continue
                # Where the kernel gave its name to another disk, it may be there under a new one.
                moved = self.by_stable_names() if name_of_another(leaf, self.vdevs) else []
                # One that could not be opened may be loose; a spare does not wait for that.
                if leaf.state == "UNAVAIL" and not moved and id(leaf) not in self._spares:
                    found.append(self.on(DeviceVerb.ONLINE, leaf))
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
        whole = (top for top in self.vdevs if not any(lost_devices(top)))
        worn = [(top, leaf) for top in whole for leaf in top.leaves() if leaf.state == "DEGRADED"]
        return [action for top, leaf in worn[:1] for action in self._by_spare_or_new(top, leaf)]

    def rescuing(self) -> Iterator[Action]:
        """Yield how the data leave a pool before a device is touched that alone has them, and what comes then."""
        snapshot = f"{self.name}@rescue"
        yield RunCommand(argv=("zfs", "snapshot", "-r", snapshot))
        yield Copy(snapshot=snapshot, target=f"OTHER-POOL/{self.name}", options=("-R",), force=False)
        for top in (top for top in self.vdevs if top in self._last):
            if self.version >= REMOVAL_SINCE and self._has_room_beside(top):
                yield self.on(DeviceVerb.REMOVE, top)
            else:
                yield from self._by_spare_or_new(top, top)

    def standing_in(self) -> Iterator[Action]:
        """Yield how each spare that stands in goes back: its disk is replaced, or works again."""
        if self._resilvering:
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
                yield Replace(pool=self.name, old=self.device(first), new=self.new_disk(first.device))

    def on_new_disk(self, leaf: PoolNode, like: PoolNode | None, *, attach: bool = False) -> Iterator[Action]:
        """Yield how a new disk replaces a device, or is attached to it, after it got the table of the disk of ``like``.

        Where nothing lies beside the pool on that disk, zpool makes the table. `sgdisk` copies it and gives the copy
        GUIDs of its own.
        """
        new = self.new_disk(f"{'beside ' if attach else ''}{leaf.device}")
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

    # Whether `zpool remove` would take a vdev: no raidz in the pool, one ashift, room in the others.
    def _has_room_beside(self, top: PoolNode) -> bool:
        known = self.audit.known
        others = [node for node in self.vdevs if node.section == "data" and node is not top]
        if top.section != "data" or not others or any(n.kind.startswith(("raidz", "draid")) for n in self.vdevs):
            return False
        own, beside = known.vdev(top.name), [known.vdev(node.name) for node in others]
        free = [one.free_bytes for one in beside if one is not None and one.free_bytes is not None]
        ashifts = {one.ashift for one in (own, *beside) if one is not None and one.ashift}
        held = own.allocated_bytes if own is not None else None
        return held is not None and len(free) == len(others) and held < sum(free) and len(ashifts) <= 1

    def _fitting(self, waiting: Sequence[PoolNode], top: PoolNode, leaf: PoolNode) -> PoolNode | None:
        largest = max(self._logical_sector(seat) for seat in top.leaves())
        fitting = [one for one in waiting if self._serves(one, top, leaf)]
        # One of larger sectors than the vdev has is refused where its ashift is small, which nobody may have read.
        return min(fitting, key=lambda one: self._logical_sector(one) > largest, default=None)

    # The replacement of a device by the spare that is meant for it, or by a new disk.
    def _by_spare_or_new(self, top: PoolNode, leaf: PoolNode) -> Iterable[Action]:
        spare = self._spares.get(id(leaf))
        if spare is None:
            return self._replaced(leaf)
        ashift = self._small_blocks(spare, top)
        return (Replace(pool=self.name, old=self.device(leaf), new=self.device(spare), ashift=ashift),)

    # The replacement by a new disk, which gets the table of a disk of the same vdev that is well.
    def _replaced(self, leaf: PoolNode) -> Iterable[Action]:
        home = next((node for node, seat, __ in self._seats if seat is leaf), None)
        well = (
            seat
            for node, seat, member in self._seats
            if node is home and seat is not leaf and member.part and seat.state in WELL
        )
        return self.on_new_disk(leaf, next(well, None))

    # How a spare or a cache that is gone gives way to another one. zpool replaces neither, and brings no spare online
    # (`libzfs_pool.c`: EZFS_ISSPARE, EZFS_ISL2CACHE). A distributed spare belongs to its dRAID.
    def _exchanged(self, leaf: PoolNode) -> Iterator[Action]:
        if leaf.kind != "dspare":
            yield self.on(DeviceVerb.REMOVE, leaf)
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

    # The disk that a device lies on, and the number of its partition where a person made that.
    def _place(self, leaf: PoolNode | None) -> tuple[Disk | None, int | None]:
        return self._places.get(id(leaf), (None, None))

    def _logical_sector(self, leaf: PoolNode) -> int:
        disk = self._place(leaf)[0]
        return disk.logical_sector_bytes or 0 if disk is not None else 0

    # The bytes of a device as the pool or its disk tells them; None where neither does.
    def _size(self, leaf: PoolNode) -> int | None:
        sizes = self.audit.known.vdev(leaf.name)
        if sizes is not None and sizes.size_bytes is not None:
            return sizes.size_bytes
        disk, part = self._place(leaf)
        told = disk is not None and not any(o.kind is OriginKind.ASSUMED for __, o in disk.origins) and part is None
        return disk.size_bytes if disk is not None and told else None

    # The ashift without which zpool refuses a disk of larger sectors than those of the vdev. Where the vdev's was not
    # read, its disks tell what it was made with.
    def _small_blocks(self, spare: PoolNode, top: PoolNode) -> int | None:
        disk = self._place(spare)[0]
        physical = disk.physical_sector_bytes if disk is not None else None
        there = [one.physical_sector_bytes or 0 for seat in top.leaves() if (one := self._place(seat)[0]) is not None]
        block = 1 << ashift if (ashift := self.audit.known.ashift_of(top.name)) is not None else max(there, default=0)
        return None if physical is None or not block or physical <= block else block.bit_length() - 1


_MOST_LINES = 8
_WAITING = ("attach", "replace", "remove", "scrub", "clear", "export", "import")
# What must not be worked harder before its data are elsewhere, or its redundancy is back.
_LITTLE_LEFT = ("existing.no-redundancy-left", "existing.failing-last-copy")
# What nobody needs to think about again, a disk that comes back or a spare that is there, and what is at work then.
_BEGUN = {"zpool online": "resilver", "zpool replace": "replace", "zpool scrub": "scrub"}
_GROUP = re.compile(r"(?:replacing|spare|indirect|hole|missing)-\d{1,6}")
_EXPANDED = frozenset({"data", "special", "dedup", "logs"})
_REFUSED_BY_CHECKPOINT = ("zpool attach", "zpool detach", "zpool replace", "zpool remove")
_SETTINGS = {
    "datasets.sync-disabled": ("sync", "standard"),
    "datasets.compression-off": ("compression", "lz4"),
    "datasets.atime-on": ("atime", "off"),
    "datasets.xattr-dir": ("xattr", "sa"),
    "access.dnodesize-legacy": ("dnodesize", "auto"),
    "access.acl-without-sa": ("xattr", "sa"),
    "datasets.checksum-off": ("checksum", "on"),
    "records.copies": ("copies", "1"),
    "access.aclinherit-restricted": ("aclinherit", "passthrough"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Commands for a person to run, in order, and what they leave as it is (``rewrite``; empty where nothing).

    ``buys``: a disk comes that nobody has yet. ``ready``: nobody has to look, decide or buy before it or in it, so that
    it can be run with others once ``wait`` has waited for its end.
    """

    commands: tuple[str, ...] = ()
    rewrite: str = ""
    buys: bool = False
    ready: bool = False
    wait: str = ""


# What is done before all else, whatever the rules weigh: what is lost for good, then what bears failures.
_FIRST = (
    "existing.multihost-suspended", "existing.unusable", "existing.failing-last-copy", "existing.resilvering",
    "existing.twice", "existing.no-redundancy-left", "existing.not-online", "existing.degraded",
    "existing.still-serving", "existing.damaged-files", "disks.failing", "existing.spare-in-use",
)  # fmt: skip
# Of warnings, which of any pool come before the others: data may be lost soonest.
_DATA_AT_RISK = (
    "existing.errors", "redundancy.none-for-safety", "redundancy.none-for-clients", "redundancy.none-for-space",
    "redundancy.none-for-speed", "existing.key-inside", "datasets.sync-disabled", "existing.full",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStep:
    audit: PoolAudit
    finding: Finding
    remedy: Remedy

    @property
    def commands(self) -> tuple[str, ...]:
        return self.remedy.commands

    @property
    def is_urgent(self) -> bool:
        return self.finding.rule_id in _FIRST or self.finding.severity is Severity.BLOCK


def first_steps(audits: Sequence[PoolAudit]) -> tuple[FirstStep, ...]:
    """Return what is to be done now, in order: the gravest first, of the worst pool first; the same mend once."""
    found = [
        (_urgency(finding, number), audit, finding)
        for number, audit in enumerate(audits) for finding in audit.findings
        if finding.severity is not Severity.NOTE or finding.rule_id == "existing.resilvering"
    ]  # fmt: skip
    steps: list[FirstStep] = []
    said: set[str] = set()
    numbers: dict[str, int] = {}
    for __, audit, finding in sorted(found, key=lambda one: one[0]):
        remedy = _remedy(finding, PoolInTrouble(audit, numbers))
        if remedy.commands and said.issuperset(remedy.commands):
            continue
        said.update(remedy.commands)
        steps.append(FirstStep(audit=audit, finding=finding, remedy=remedy))
    return tuple(steps)


def _urgency(finding: Finding, number: int = 0) -> tuple[int, ...]:
    grave = (Severity.BLOCK, Severity.WARN, Severity.NOTE).index(finding.severity)
    at_risk, stranded = _place(finding, _DATA_AT_RISK), finding.rule_id == "existing.stranded"
    return (_place(finding, _FIRST), grave, at_risk, number, stranded)


def _place(finding: Finding, among: tuple[str, ...]) -> int:
    return among.index(finding.rule_id) if finding.rule_id in among else len(among)


def remedy_of(finding: Finding, audit: PoolAudit) -> Remedy:
    """Return the commands that mend a finding; none where only a new pool, a new disk or a person can."""
    pool = PoolInTrouble(audit, {})
    # A disk that an earlier step asks for keeps its number.
    for earlier in takewhile(lambda one: one is not finding, sorted(audit.findings, key=_urgency)):
        _wanted(earlier, pool)
    return _remedy(finding, pool)


def _wanted(finding: Finding, pool: PoolInTrouble) -> list[Action]:
    return [one for one in _actions(finding, pool) if not _waits(one, pool.audit) and not _names_a_group(one)]


def _remedy(finding: Finding, pool: PoolInTrouble) -> Remedy:
    audit, actions = pool.audit, _wanted(finding, pool)
    if audit.known.checkpoint_bytes is not None and any(action_word(one) in _REFUSED_BY_CHECKPOINT for one in actions):
        actions.insert(0, OnPool(pool=pool.name, verb=PoolVerb.DISCARD_CHECKPOINT))
    commands = tuple(line for one in actions for line in lines(one, version=pool.version))
    buys = any(not device.disk for one in actions for device in coming(one))
    begun = [_BEGUN.get(action_word(one), "") for one in actions if not isinstance(one, Wait)]
    waits = (Wait(pool=pool.name, activity=activity) for activity in dict.fromkeys(filter(None, begun)))
    return Remedy(
        commands=commands[:_MOST_LINES],
        rewrite=rewrite_words(finding.rule_id, audit.made.design.version if audit.made is not None else None),
        buys=buys,
        ready=all(begun) and len(commands) <= _MOST_LINES and not buys,
        wait=chain(waits, version=pool.version),
    )


def _actions(finding: Finding, pool: PoolInTrouble) -> Iterable[Action]:
    if finding.rule_id in _MENDS:
        return _MENDS[finding.rule_id](pool)
    if finding.rule_id not in _SETTINGS:
        return ()
    subjects = finding.subjects or (finding.subject,)
    named = [subject for subject in subjects if subject == pool.name or subject.startswith(f"{pool.name}/")]
    return _setting(pool, named, *_SETTINGS[finding.rule_id])


# Whether an action has to wait: OpenZFS refuses it, or it would delay a rebuild.
def _waits(action: Action, audit: PoolAudit) -> bool:
    rules = {finding.rule_id for finding in audit.findings}
    if "existing.multihost-suspended" in rules:
        words: tuple[str, ...] = ("clear", "attach", "replace", "remove", "scrub")
    elif audit.known.runs(ScanKind.REMOVAL, ScanKind.RESILVER, ScanKind.EXPANSION):
        words = _WAITING
    else:
        scrub = ("scrub", "clear") if rules.intersection(NO_SCRUB_NOW) else ()
        words = ("attach", *scrub) if rules.intersection(_LITTLE_LEFT) else scrub
    return action_word(action) in [f"zpool {word}" for word in words]


# Whether a command names what stands between a vdev and its devices: zpool takes no such name.
def _names_a_group(action: Action) -> bool:
    return any(_GROUP.fullmatch(word) for line in lines(action) for word in line.split())


# What sets a property on datasets; those below one of them that inherit it need no word.
def _setting(pool: PoolInTrouble, names: Sequence[str], name: str, value: str) -> Iterator[Action]:
    own = {dataset.name for dataset in pool.datasets if _is_own(dataset, name)}
    told = [one for one in names if one in own or not any(one.startswith(f"{other}/") for other in names)]
    if told:
        yield SetProperty(name=told[0], others=tuple(told[1:]), setting=Setting(name=name, value=value))


def _is_own(dataset: ExistingDataset, name: str) -> bool:
    source = next((one.source for one in dataset.properties if one.name == name), "")
    return source in {"local", "received"}


def _expanding(pool: PoolInTrouble) -> Iterator[Action]:
    offered = {vdev.name for vdev in pool.audit.known.vdevs if vdev.expandable_bytes}
    grown = [top for top in pool.vdevs if top.section in _EXPANDED and (not offered or top.name in offered)]
    leaves = [leaf for top in grown for leaf in top.leaves() if leaf.state is None or leaf.state in WELL]
    # Each of a mirror or raidz has to be expanded before the pool grows (zpool-online(8)).
    yield OnDevices(pool=pool.name, verb=DeviceVerb.EXPAND, devices=tuple(map(pool.online_name, leaves)))
    yield set_on_pool(pool.name, "autoexpand", "on")


def _works_alone(node: PoolNode) -> bool:
    return not node.children and (node.state is None or node.state in WELL)


# A further side for each device that stands alone, then for the mirrors of special and dedup.
def _mirroring(pool: PoolInTrouble, *sections: str) -> Iterator[Action]:
    tops = [node for node in pool.vdevs if node.section in sections]
    weak = [node for node in tops if node.children and sections != ("logs",)]
    first = (next(filter(_works_alone, node.leaves()), None) for node in (*filter(_works_alone, tops), *weak))
    return (Attach(pool=pool.name, to=pool.device(n), device=pool.new_disk(f"beside {n.device}")) for n in first if n)


# How each data vdev of one disk becomes a mirror.
def _attaching(pool: PoolInTrouble) -> Iterator[Action]:
    bare = (node for node in pool.vdevs if node.section == "data" and _works_alone(node))
    return (action for node in bare for action in pool.on_new_disk(node, node, attach=True))


# How a further special vdev joins, as redundant as the data: zpool refuses another one without -f.
def _another_special(pool: PoolInTrouble) -> Iterator[Action]:
    made = pool.audit.made
    data = [v for v in made.design.vdevs if v.vdev_class is VdevClass.DATA] if made is not None else []
    sides = max(2, 1 + min((v.failures_survived for v in data), default=1))
    yield pool.added(VdevKind.MIRROR, VdevClass.SPECIAL, sides)


def _sparse(pool: PoolInTrouble) -> Iterator[Action]:
    held = {dataset.name: dataset.number("usedbyrefreservation") or 0 for dataset in pool.datasets}
    thick = sorted((name for name in held if held[name] > 0), key=lambda name: -held[name])
    return (SetProperty(name=name, setting=Setting(name="refreservation", value="none")) for name in thick)


# How to look which features there are; the upgrade itself not for a pool that a boot loader reads.
def _upgrading(pool: PoolInTrouble) -> Iterator[Action]:
    yield RunCommand(argv=("zpool", "upgrade", "-v"))
    yield RunCommand(argv=("zpool", "get", "all", pool.name))
    if pool.audit.known.value("bootfs") is None and pool.name not in BOOT_POOLS:
        yield OnPool(pool=pool.name, verb=PoolVerb.UPGRADE)


def _undedup(pool: PoolInTrouble) -> Iterator[Action]:
    return _setting(pool, [d.name for d in pool.datasets if d.value("dedup") not in {None, "off"}], "dedup", "off")


# What writes every file of the root and below it anew, where this OpenZFS has it.
def _rewriting(pool: PoolInTrouble) -> Iterator[Action]:
    if pool.audit.made is None or pool.version < REWRITE_SINCE:
        return
    root = next((dataset for dataset in pool.datasets if dataset.name == pool.name), None)
    where = root.value("mountpoint") if root is not None else None
    yield RunCommand(
        argv=("zfs", "rewrite", "-r", where if where is not None and where.startswith("/") else f"/{pool.name}")
    )


# How to look at the devices that count errors, and how to count anew those that work. `zpool clear` would put a device
# to work again that was given up, and a vdev that lacks one is not worked harder.
def _erring(pool: PoolInTrouble) -> Iterator[Action]:
    leaves = list(pool.audit.pool.leaves())
    found = [leaf for leaf in leaves if leaf.read_errors or leaf.write_errors or leaf.checksum_errors]
    for name in (without_partition(leaf.device)[0] for leaf in found):
        if name.startswith("/dev/") or kernel_name(name) or _LINK.match(name):
            folder = "" if name.startswith("/") else BY_ID if _LINK.match(name) else "/dev/"
            yield RunCommand(argv=("smartctl", "-x", f"{folder}{name}"))
    if all(leaf.state is None or leaf.state in WELL for leaf in leaves):
        yield from (OnPool(pool=pool.name, verb=verb) for verb in (PoolVerb.CLEAR, PoolVerb.SCRUB))
    else:
        yield from (pool.on(DeviceVerb.CLEAR, leaf) for leaf in found if leaf.state in WELL)


_LINK = re.compile("(?:ata|nvme|scsi|usb|wwn)-")
_Mend = Callable[[PoolInTrouble], Iterable[Action]]


def _reads(*words: str) -> _Mend:
    return lambda pool: (RunCommand(argv=(*words, pool.name)),)


def _set(name: str, value: str) -> _Mend:
    return lambda pool: (set_on_pool(pool.name, name, value),)


_SPACE = ("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r")
# Mends, each with the rules whose findings it serves.
_MEND_OF: tuple[tuple[_Mend, tuple[str, ...]], ...] = (
    (PoolInTrouble.replacing, ("existing.not-online", "existing.no-redundancy-left")),
    (PoolInTrouble.replacing_worn, ("existing.still-serving",)),
    (PoolInTrouble.rescuing, ("existing.failing-last-copy",)),
    (PoolInTrouble.standing_in, ("existing.spare-in-use",)),
    (PoolInTrouble.by_stable_names, ("existing.unstable-names",)),
    (_erring, ("existing.errors",)),
    (lambda pool: () if pool.audit.pool.damaged_files else _reads("zpool", "status", "-v")(pool),
     ("existing.damaged-files",)),
    (lambda pool: (Wait(pool=pool.name, activity="resilver"),), ("existing.resilvering",)),
    (lambda pool: (RunCommand(argv=("reboot",)), RunCommand(argv=("zpool", "import", pool.name))),
     ("existing.multihost-suspended",)),
    (lambda pool: (Reimport(pool=pool.name, stable=False),), ("existing.other-host", "existing.read-only")),
    (lambda pool: (OnPool(pool=pool.name, verb=PoolVerb.SCRUB),),
     ("existing.scrub-repaired", "existing.scrub-overdue", "existing.never-scrubbed", "existing.scrub-stopped")),
    (_reads(*_SPACE), ("existing.full", "existing.nearly-full")),
    (_reads("zpool", "status", "-v"), ("existing.scrub-errors",)),
    (_reads("zpool", "status"), ("existing.moving",)),
    (_reads("zpool", "checkpoint", "-d"), ("existing.checkpoint",)),
    (_reads("zfs", "list", "-t", "snapshot", "-s", "used", "-r"), ("existing.snapshots-hold",)),
    (_reads("zfs", "load-key", "-r"), ("existing.keys-missing",)),
    (_reads("zfs", "list", "-o", "space,quota,refquota", "-r"), ("existing.quota-near",)),
    (_set("cachefile", ""), ("existing.cachefile-none",)),
    (_set("failmode", "wait"), ("existing.failmode-panic",)),
    (_set("autotrim", "on"), ("existing.autotrim-off",)),
    (_expanding, ("existing.not-expanded",)),
    (_upgrading, ("existing.features-disabled", "existing.legacy-version")),
    (_sparse, ("existing.reserved",)),
    (_undedup, ("existing.dedup-in-vain", "datasets.dedup")),
    (_rewriting, ("existing.uneven-fill", "existing.expanded")),
    (lambda pool: (CreateDataset(name=f"{pool.name}/data"),), ("existing.data-in-root",)),
    (_another_special, ("existing.special-full",)),
    (lambda pool: (pool.on(DeviceVerb.REMOVE, node) for node in pool.vdevs if node.section == "cache"),
     ("cache.header-ram",)),
    (_attaching,
     ("redundancy.none-for-safety", "redundancy.none-for-clients", "redundancy.none-for-space",
      "redundancy.bare-disk-beside")),
    (lambda pool: _mirroring(pool, "special", "dedup"), ("redundancy.special-bare", "redundancy.special-weaker")),
    (lambda pool: _mirroring(pool, "logs"), ("support.log-not-mirrored",)),
    (lambda pool: (pool.added(VdevKind.STRIPE, VdevClass.SPARE, 1),), ("spares.none-for-safety", "spares.too-few")),
)  # fmt: skip
_MENDS = {rule: mend for mend, rules in _MEND_OF for rule in rules}
