"""An existing pool as a design, so that the rules, the models and the pages for designs judge it as they do a plan."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.domain.as_built import reserved_on_disks
from poolwright.domain.design import STAND_IN_BYTES, Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Note, Use, UseKind, is_masked, without_partition
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.pool import (
    SERVING,
    STANDING_IN,
    USABLE,
    WELL,
    ExistingDataset,
    ExistingPool,
    FoundMember,
    MemberFinder,
    Pool,
    PoolNode,
    VdevSizes,
    import_words,
)
from poolwright.domain.units import binary, drive_size, parse_drive_size
from poolwright.domain.vdev import HOLDS_THE_POOL, NOT_RELEASED, UNRELEASED, VdevClass, VdevKind
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.domain.workload import Goal, Workload
from poolwright.shipped import shipped
from poolwright.texts import N_, _, first_of, listed, sentence

_DRAID = re.compile(r"draid([123])?((?::\d+[dcs])*)\Z")
# What a section of `zpool status` is for.
CLASS_OF = {
    "data": VdevClass.DATA,
    "special": VdevClass.SPECIAL,
    "dedup": VdevClass.DEDUP,
    "logs": VdevClass.LOG,
    "cache": VdevClass.CACHE,
    "spares": VdevClass.SPARE,
}
IN_SIZE = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG)
_GONE = frozenset({"hole", "missing", "indirect", "dspare", "root"})
# Of a pool that exists only these are settings; the rest is what it counts.
_POOL_SETTINGS = ("autotrim", "autoexpand", "compatibility", "dedup_table_quota", "bootfs", "comment")
# These where somebody changed them.
_CHANGED_SETTINGS = frozenset(("autoreplace", "failmode", "delegation", "listsnapshots", "multihost"))
_COUNTED = frozenset((
    "type", "used", "available", "referenced", "logicalused", "logicalreferenced", "compressratio", "refcompressratio",
    "mounted", "origin", "usedbysnapshots", "usedbydataset", "usedbychildren", "usedbyrefreservation",
    "encryptionroot", "keystatus", "snapshot_count", "written", "volsize",
))  # fmt: skip
# Their values where nobody chose, as `zfs get -p` prints them.
_AT_CREATION = {
    "encryption": "off", "keyformat": "none", "pbkdf2iters": "0", "casesensitivity": "sensitive",
    "normalization": "none", "utf8only": "off",
}  # fmt: skip
_OF_THE_KEY = ("encryption", "keyformat", "pbkdf2iters")
_INHERITED = ("default", "-", "")
_FROM_SIZE = N_("its size is assumed from SIZE of the pool and the layout")
_UNKNOWN_SIZE = N_("its size is not known: read zpool list -v -p or lsblk too")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSeat:
    """A device that belongs into a vdev of the pool. ``path`` is how zpool knows it, ``size`` in bytes."""

    node: PoolNode
    path: str
    disk: Disk
    member: Member
    size: int | None

    @property
    def identity(self) -> tuple[str, int]:
        return self.member.identity

    @property
    def device(self) -> Member:
        return replace(self.member, path=self.path)

    @property
    def label(self) -> str:
        return self.disk.label if self.disk.by_id_name else self.node.name.rpartition("/")[2]

    @property
    def well(self) -> bool:
        return self.node.state is None or self.node.state in WELL


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolVdev:
    """A top-level vdev of the pool, or one of its spares and caches; ``sizes`` None where they were not read.

    ``lost`` of its members are not well, ``tied`` are keys of disks that serve something else beside it.
    """

    node: PoolNode
    vdev: Vdev
    seats: tuple[PoolSeat, ...]
    sizes: VdevSizes | None
    lost: int
    tied: frozenset[str]

    @property
    def name(self) -> str:
        return self.node.name.rpartition("/")[2]

    @property
    def identities(self) -> frozenset[tuple[str, int]]:
        return frozenset(seat.identity for seat in self.seats)

    @property
    def ashift(self) -> int | None:
        return (self.sizes.ashift or None) if self.sizes is not None else None

    @property
    def keys(self) -> tuple[str, ...]:
        return self.vdev.keys

    @property
    def holds(self) -> bool:
        """Tell whether the pool is gone without it."""
        return self.vdev.vdev_class in HOLDS_THE_POOL

    @property
    def survives(self) -> int:
        """Return how many further members may fail, whichever they are."""
        return max(0, self.vdev.failures_survived - self.lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolDesign:
    """An existing pool as a design; members without a size stand in with one TiB each.

    ``assumed`` says of which sizes they stand in where SIZE of the pool and its layout tell.
    ``tops`` are the top-level vdevs of the pool in the order of the design's vdevs. ``unread`` says what is not known
    of a pool that `zpool status` did not tell of, or whose disks nobody read, ``state`` is that of the pool. The design
    counts the ``expanded_bytes`` of SIZE that come only with `zpool online -e`.
    """

    design: Design
    tops: tuple[PoolVdev, ...]
    unread: str = ""
    state: str | None = None
    assumed: tuple[str, ...] = ()
    expanded_bytes: int = 0

    @property
    def expanded_words(self) -> str:
        """Return what is to be known of figures that count `expanded_bytes`; empty where there are none."""
        if not self.expanded_bytes:
            return ""
        return _("The figures include the {size} that `zpool online -e` adds.", size=binary(self.expanded_bytes))

    @property
    def sizes_known(self) -> bool:
        return not self.design.assumed_sizes()

    def failed(self) -> list[tuple[int, int]]:
        """Return the places whose device does not work, as numbers of vdev and member."""
        seats = ((n, m, seat) for n, top in enumerate(self.tops) for m, seat in enumerate(top.seats))
        return [(n, m) for n, m, seat in seats if seat.node.state not in {None, *SERVING}]


def design_of_pool(inventory: Inventory, pool: Pool, *, workload: Workload | None = None) -> PoolDesign:
    """Return the pool as a design with every vdev, disk, setting and dataset that was read.

    A disk that the inventory does not list is made up from what the pool tells of it, and noted. Of a member that is
    being replaced, or that a spare stands in for, the disk that belongs there counts. Raises UserError where the pool
    has no data vdev or one of no release, or nobody read its vdevs.
    """
    if not pool.vdevs:
        need_status(pool)
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    maker = _Maker(MemberFinder(inventory.disks), known, pool)
    vdevs = []
    tops = []
    for node in pool.vdevs:
        if UNRELEASED.match(node.kind):  # whose kind nothing here can tell
            raise UserError(_(NOT_RELEASED), where=node.name)
        if node.kind not in _GONE:
            vdevs.append(maker.vdev(node))
            tops.append(node)
    if not any(vdev.vdev_class is VdevClass.DATA for vdev in vdevs):
        raise UserError(_("The pool {name} shows no data vdev", name=pool.name), todo=_("Run: zpool status -P"))
    ordered = sorted(zip(vdevs, tops, strict=True), key=lambda pair: pair[0].rank[0])
    read = (disk for disk in inventory.disks if f"{disk.key} in {pool.name}" not in maker.made)
    disks, ashift = (*read, *maker.made.values()), _ashift(known, pool)
    design = Design(
        key=f"pool-{pool.name}",
        name=pool.name,
        pool_name=pool.name,
        workload=workload or Workload(goal=Goal.SAFETY),
        host=inventory.host,
        disks=disks,
        vdevs=tuple(vdev for vdev, __ in ordered),
        ashift=ashift or SAFE_ASHIFT,
        ashift_read=bool(ashift),
        version=inventory.host.modelled or DEFAULT_VERSION,
        pool_settings=tuple(_pool_settings(known)),
        datasets=datasets_of(known),
        in_use_percent=known.fill_percent,
        in_use_bytes=_held(known, tops),
        inventory_name=inventory.name,
        inventory_origin=inventory.origin,
        reserve=reserved_on_disks(vdevs, {disk.key: disk for disk in disks}),
    )
    unread = not_known(pool) or _strangers(design, tops, inventory)
    assumed, more = maker.assumptions(), maker.expanded(tops)
    seated = tuple(_seated(vdev, node, design, known) for vdev, node in ordered)
    return PoolDesign(design=design, tops=seated, unread=unread, state=pool.state, assumed=assumed, expanded_bytes=more)


def _seated(vdev: Vdev, node: PoolNode, design: Design, known: ExistingPool) -> PoolVdev:
    seats, tied = [], set()
    for leaf, member in zip(seats_of(node), vdev.members, strict=True):
        disk, sizes = design.disk(member.disk_key), known.vdev(leaf.name)
        path = leaf.path or (sizes.path if sizes is not None else None) or leaf.name
        size = member.slice_bytes if member.slice_bytes is not None else disk.size_bytes
        if member.part is not None or tied_to(disk, design.pool_name):
            tied.add(disk.key)
        seats.append(PoolSeat(node=leaf, path=path, disk=disk, member=member, size=size))
    lost = sum(not seat.well for seat in seats)
    sizes = known.vdev(node.name)
    return PoolVdev(node=node, vdev=vdev, seats=tuple(seats), sizes=sizes, lost=lost, tied=frozenset(tied))


def tied_to(disk: Disk, pool_name: str) -> bool:
    """Tell whether something beside the pool lies on a disk, so that leaving the pool does not free it."""
    own = Use(kind=UseKind.POOL, detail=pool_name)  # and the table that zpool makes on a whole disk
    return any(use != own and use.kind is not UseKind.PARTITIONED for use in disk.uses)


# A listing of another machine, or from before the pool, is no news of its disks.
def _strangers(design: Design, nodes: Sequence[PoolNode], inventory: Inventory) -> str:
    there = {key for disk in inventory.disks for key in (disk.key, f"{disk.key} in {design.pool_name}")}
    files = all(leaf.kind == "file" for node in nodes for leaf in node.leaves())
    if not there or files or not there.isdisjoint(design.used_keys()):
        return ""
    return _("None of the disks of {pool} is among the {count} that were read: those are of another machine, or have "
             "other names.", pool=design.pool_name, count=len(inventory.disks))  # fmt: skip


def kind_of_node(node: PoolNode) -> tuple[VdevKind, int, int | None, int]:
    """Return kind, parity, dRAID data disks and distributed spares of a top-level vdev."""
    if node.kind == "mirror":
        return VdevKind.MIRROR, 0, None, 0
    if node.kind.startswith("raidz"):
        return VdevKind.RAIDZ, int(node.kind[5:] or 1), None, 0
    match = _DRAID.match(node.kind)
    if match is not None:
        parts = {part[-1]: int(part[:-1]) for part in (match.group(2) or "").split(":") if part}
        return VdevKind.DRAID, int(match.group(1) or 1), parts.get("d"), parts.get("s", 0)
    return VdevKind.STRIPE, 0, None, 0


def seats_of(node: PoolNode) -> tuple[PoolNode, ...]:
    """Return the devices that belong into a vdev, one for each place: of a replacement and a spare the first."""
    if not node.children:
        return (node,)
    if node.kind in STANDING_IN:
        return seats_of(node.children[0])
    return tuple(seat for child in node.children for seat in seats_of(child))


class _Maker:
    """Makes the vdevs of one pool, and the disks that only the pool tells of."""

    def __init__(self, finder: MemberFinder, known: ExistingPool, pool: Pool) -> None:
        self._finder = finder
        self._known = known
        self._sizes = {sizes.name: sizes for sizes in known.vdevs}
        self.made: dict[str, Disk] = {}
        self._largest = 0
        self._assumed = self._from_size(pool)

    # The size of the disks that SIZE of the pool and its layout tell, where nothing tells of any disk. It holds where
    # all have one size: the parts that a vdev counts in SIZE are then equal. What special and dedup vdevs add is less
    # than the step to the next size that is sold, or nothing is assumed.
    def _from_size(self, pool: Pool) -> int | None:
        tops = [top for top in pool.vdevs if top.section in {"data", "special", "dedup"} and top.kind not in _GONE]
        size = self._known.number("size")
        known_size = any(self._printed_size(seat) or self._least(top, ()) for top in tops for seat in seats_of(top))
        self._alone = all(top.section == "data" for top in tops)
        if size is None or known_size:
            return None
        each = size // max(1, sum(_counted_in_size(top) for top in tops if top.section == "data"))
        return _sold_size(each) if self._alone else _sold_below(each)

    def assumptions(self) -> tuple[str, ...]:
        if self._assumed is None:
            return ()
        size = self._known.number("size") or 0
        text = _("disks of {size}, assumed from SIZE {total} and the layout", size=drive_size(self._assumed),
                    total=binary(size))  # fmt: skip
        others = _("disks of 1 TiB in special and dedup vdevs, whose size is not known")
        return (text,) if self._alone else (text, others)

    # Where no disk tells its size, the design is as large as SIZE.
    def expanded(self, tops: Sequence[PoolNode]) -> int:
        counted = all(self._printed_size(seat) for top in tops if top.section == "data" for seat in seats_of(top))
        return (self._known.number("expandsize") or 0) if counted else 0

    def vdev(self, node: PoolNode) -> Vdev:
        kind, parity, data, spares = kind_of_node(node)
        seats = seats_of(node)
        least = self._least(node, seats)
        vdev_class = CLASS_OF.get(node.section, VdevClass.DATA)
        members = tuple(self._member(seat, least) for seat in seats)
        if kind is VdevKind.MIRROR and len(members) == 1:
            kind = VdevKind.STRIPE  # a mirror of which one side was detached
        return Vdev(
            kind=kind, parity=parity, draid_data=data, draid_spares=spares, vdev_class=vdev_class, members=members
        )

    def _member(self, leaf: PoolNode, least: int | None) -> Member:
        sizes, found = self._read(leaf)
        size = self._printed_size(leaf) or least
        if found.disk is None or found.disk.size_bytes is None:
            disk = self._stand_in(leaf, found, size)
            return Member(disk_key=disk.key, path=leaf.device)
        part = _is_part(sizes, found)
        if part and size is not None:
            return Member(disk_key=found.disk.key, slice_bytes=size, part=found.part, path=leaf.device)
        return Member(disk_key=found.disk.key, path=without_partition(leaf.device)[0])

    def _read(self, leaf: PoolNode) -> tuple[VdevSizes | None, FoundMember]:
        sizes = self._sizes.get(leaf.name)
        return sizes, self._finder.of(leaf, sizes.path if sizes is not None else None)

    # How large a member is of which no size is told: no smaller than what the vdev takes of the others. What SIZE tells
    # of a whole vdev is less, by metaslabs and the distributed spares of a dRAID.
    def _least(self, top: PoolNode, seats: Sequence[PoolNode]) -> int | None:
        beside = [size for seat in seats if (size := self._printed_size(seat))]
        if top.section == "data":
            self._largest = max((*beside, self._largest))
        if beside:
            return min(beside)
        if top.section == "spares" and self._largest:
            return self._largest  # one that is gone was to serve every disk of the data
        whole = self._sizes.get(top.name)
        asize = whole.asize_bytes or whole.size_bytes if whole is not None else None
        if asize is None:
            return None
        return asize if kind_of_node(top)[0] in {VdevKind.MIRROR, VdevKind.STRIPE} else asize // max(1, len(seats))

    def _printed_size(self, seat: PoolNode) -> int | None:
        sizes, found = self._read(seat)
        if sizes is not None and sizes.size_bytes:
            return sizes.size_bytes
        if found.disk is None:
            return None
        if not _is_part(sizes, found):
            return found.disk.size_bytes
        return next((part.size_bytes for part in found.disk.parts if part.number == found.part), None)

    def _stand_in(self, leaf: PoolNode, found: FoundMember, size: int | None) -> Disk:
        of_data = leaf.section in {"data", "spares"}
        assumed = self._assumed if size is None and of_data else None
        stand_in = size or assumed or STAND_IN_BYTES
        why = _(_UNKNOWN_SIZE) if assumed is None else _(_FROM_SIZE)
        notes = () if size is not None else (Note(text=why),)
        origin = self._known.origin if size is not None else Origin(kind=OriginKind.ASSUMED, source=why)
        own = (Use(kind=UseKind.POOL, detail=self._known.name),)
        disk = found.disk or Disk(key=leaf.device, path=leaf.path, use_known=False, uses=own)
        key = disk.key if found.disk is None else f"{disk.key} in {self._known.name}"
        if key in self.made and is_masked(leaf.name):  # equal by that alone
            key = f"{key} {len(self.made) + 1}"
        origins, notes = (*disk.origins, ("size_bytes", origin)), (*disk.notes, *notes)
        disk = replace(disk, key=key, size_bytes=stand_in, origins=origins, notes=notes)
        return self.made.setdefault(disk.key, disk)


# What zfs list would print as USED: of what the pool has allocated, the share that is no parity.
def _held(known: ExistingPool, tops: Sequence[PoolNode]) -> int | None:
    used, allocated = known.used_bytes, known.number("allocated")
    if used is not None or allocated is None:
        return used
    data = [(_counted_in_size(top), *kind_of_node(top)[1:3]) for top in tops if top.section == "data"]
    width = sum(group + parity if group else counted for counted, parity, group in data)
    return allocated * (width - sum(parity for _counted, parity, _group in data)) // width


# SIZE counts of a mirror one disk, of raidz all with their parity, of dRAID not its spares.
def _counted_in_size(top: PoolNode) -> int:
    kind, _parity, _data, spares = kind_of_node(top)
    return 1 if kind in {VdevKind.MIRROR, VdevKind.STRIPE} else len(seats_of(top)) - spares


# The drive that is sold and leaves so many bytes to a vdev, which loses labels and part of a metaslab. The number
# itself where none fits: partitions, virtual disks.
def _sold_size(least: int) -> int:
    sizes = (parse_drive_size(f"{gb}GB") for gb in shipped("trade_sizes")["gb"])
    # SIZE has three digits: half of the last is up to a two-hundredth.
    return next((size for size in sizes if least <= size * 1.005 and size <= least * 1.03), least)


# What special and dedup vdevs add to SIZE is less than a twelfth, or nothing can be told of the disks.
def _sold_below(most: int) -> int | None:
    sizes = (parse_drive_size(f"{gb // 1000}TB") for gb in shipped("trade_sizes")["gb"] if gb % 1000 == 0)
    found = max((size for size in sizes if size <= most * 1.005), default=0)
    return found if most <= found * 13 // 12 else None


# Of a whole disk zpool makes partition 1 itself, so that number alone is no partition of a person's.
def _is_part(sizes: VdevSizes | None, found: FoundMember) -> bool:
    if found.part is None:
        return False
    if sizes is not None and sizes.whole_disk is not None:
        return not sizes.whole_disk
    return found.part != 1


def _ashift(known: ExistingPool, pool: Pool) -> int | None:
    data = [vdev.name for vdev in pool.vdevs if vdev.section == "data"]
    shifts = [sizes.ashift for sizes in known.vdevs if sizes.ashift and sizes.name in data]
    return min(shifts) if shifts else known.number("ashift")


def _pool_settings(known: ExistingPool) -> Iterator[Setting]:
    for name in _POOL_SETTINGS:
        value = known.value(name)
        if value is not None:
            yield Setting(name=name, value=value)
    for printed in known.properties:
        if printed.name in _CHANGED_SETTINGS and printed.source not in _INHERITED:
            yield Setting(name=printed.name, value=printed.value)


def datasets_of(known: ExistingPool) -> tuple[Dataset, ...]:
    """Return the datasets with the values that are not the default; the root alone where none were read.

    What a dataset inherits from one that was read stands there and not at every one below it.
    """
    found = known.datasets or (ExistingDataset(name=known.name, kind="filesystem"),)
    above = {dataset.name: dataset for dataset in found}
    return tuple(_dataset(dataset, known.name, above) for dataset in found)


def _dataset(dataset: ExistingDataset, pool: str, there: dict[str, ExistingDataset]) -> Dataset:
    settings = [
        Setting(name=one.name, value=one.value)
        for one in dataset.properties
        if one.name not in _COUNTED
        # `zfs list` tells no source: what is costly is judged all the same.
        and (one.source not in _INHERITED or (one.name == "dedup" and not one.source and one.value != "off"))
        and one.value not in {"", "-"}
        and one.source.removeprefix("inherited from ") not in there
    ]
    size = dataset.number("volsize") if dataset.kind == "volume" else None
    if dataset.kind == "volume":
        settings.extend(_block(dataset))
    settings.extend(_given_at_creation(dataset, there.get(dataset.name.rpartition("/")[0])))
    return Dataset(
        name=dataset.name.removeprefix(pool).removeprefix("/"),
        settings=tuple(settings),
        volume_bytes=size or (0 if dataset.kind == "volume" else None),
    )


def _block(dataset: ExistingDataset) -> Sequence[Setting]:
    value = dataset.value("volblocksize")
    own = any(p.name == "volblocksize" and p.source not in _INHERITED for p in dataset.properties)
    return () if value is None or own else (Setting(name="volblocksize", value=value),)


# What was chosen when the dataset was made and is not what it would have from its parent. `zfs get` prints no source
# for these, whoever chose them.
def _given_at_creation(dataset: ExistingDataset, parent: ExistingDataset | None) -> Iterator[Setting]:
    for printed in dataset.properties:
        if printed.name not in _AT_CREATION or printed.source not in {"-", ""} or printed.value in {"", "-"}:
            continue
        above = parent.value(printed.name) if parent is not None else _AT_CREATION[printed.name]
        own_key = dataset.value("encryptionroot") == dataset.name
        if printed.name in _OF_THE_KEY and not own_key:
            continue  # a child has the key of its parent
        if printed.value != above or (printed.name in _OF_THE_KEY and printed.value != _AT_CREATION[printed.name]):
            yield Setting(name=printed.name, value=printed.value)


# Which pools of a machine are imported, why there is none, and what is not known of one that was told of only half.

_MOST_NAMED = 4
# What installers call the pool that is booted from, and that of the system: FreeNAS and TrueNAS, Debian and Ubuntu on
# ZFS, Proxmox VE, FreeBSD.
OF_TRUENAS = frozenset({"boot-pool", "freenas-boot"})
BOOT_POOLS = OF_TRUENAS | {"bpool"}
_OF_SYSTEMS = BOOT_POOLS | {"rpool", "zroot"}
_READ_ALL = N_("Run `zpool status -P` there as root and add what it prints, or read the whole machine with the "
                   "collector.")  # fmt: skip
_ADD = N_("Add what `zpool status -P` and `zpool list -v -Hp -P` print as root.")
_READ_POOLS = N_("Read a machine with pools with the collector, or save the output of `zpool status -P`.")


def why_no_pool(inventory: Inventory, name: str | None = None) -> tuple[str, str]:
    """Return why there is no imported pool (``name`` None), or none of this name; and what to do. Pure.

    Where nobody looked for pools, that is the reason: there may be some.
    """
    there = [pool.name for pool in inventory.imported()]
    waiting = [pool for pool in inventory.pools if pool.importable]
    exported = [f"{pool.name} ({import_words(pool)})" for pool in waiting]
    if there and not any(pool.name == name for pool in waiting):
        assert name is not None
        return _("“{name}” does not exist", name=name), _("Choose from {names}.", names=listed(there))
    gone = [pool for pool in waiting if pool.cannot_be_imported]
    lost = [leaf.label for pool in gone for leaf in pool.leaves() if leaf.state not in SERVING]
    if exported:
        no_pool = _("{machine} has no imported pool", machine=inventory.name)
        text = _("“{name}” is not imported", name=name) if there else no_pool
        unread = _("Not imported, and not judged: {names}.", names=", ".join(exported))
        how = _("First connect what is missing: {devices}. `zpool import` alone then says what a pool lacks, and "
                "`zpool import -d /dev/disk/by-id` searches all disks; if it does not import, try `-o readonly=on`, "
                "and `-m` where only a log device is lost.", devices=first_of(lost))  # fmt: skip
        return text, f"{unread} {how}" if lost else unread
    if inventory.pools_unread:
        labels = _labels(inventory)
        text = _("Whether {machine} has pools cannot be told: `zpool status` was not read", machine=inventory.name)
        on_disks = _("Labels on its disks name {pools}.", pools=first_of(labels, _MOST_NAMED)) if labels else ""
        return text, " ".join(part for part in (on_disks, _(_READ_ALL)) if part)
    return _("{machine} has no imported pool", machine=inventory.name), _(_READ_POOLS)


def imported_pool(inventory: Inventory, name: str) -> Pool:
    """Return the imported pool of that name; raises UserError with the reason where there is none."""
    found = next((pool for pool in inventory.imported() if pool.name == name), None)
    if found is None:
        why, todo = why_no_pool(inventory, name)
        raise UserError(why, todo=todo)
    return found


def is_booted(known: ExistingPool) -> bool:
    """Tell whether a machine starts from a pool or has its root file system on it, as far as it or its name says."""
    rooted = any(d.value("mountpoint") == "/" and d.value("mounted") != "no" for d in known.datasets or ())
    return rooted or known.value("bootfs") is not None or known.name in _OF_SYSTEMS


def not_known(pool: Pool) -> str:
    """Return what is not known of a pool that `zpool status` did not tell of, and what to add; empty where it did."""
    what = _unread(pool)
    return " ".join((sentence(what), _(_ADD))) if what else ""


def need_status(pool: Pool) -> None:
    if not pool.status_read:
        raise UserError(_unread(pool), todo=_(_ADD))


def why_unusable(state: str | None, name: str) -> str:
    """Return why nothing can be done to a pool in this state; empty where its data can be read, or nobody knows."""
    if state is None or state in USABLE:
        return ""
    return _("{pool} is {state}: its data cannot be read", pool=name, state=state)


def unusable_todo() -> str:
    return _(
        "Connect what is missing, find the cause, and run `zpool clear`; a pool that multihost suspended takes a "
        "restart and an import instead. Replace, add and force nothing before."
    )


def _unread(pool: Pool) -> str:
    if pool.status_read:
        return ""
    return _("`zpool status` was not read of {pool}: errors, damaged files, scrubs and rebuilds under way are not "
                "known", pool=pool.name)  # fmt: skip


def _labels(inventory: Inventory) -> list[str]:
    kinds = {UseKind.POOL, UseKind.FOREIGN_POOL}
    named = (use.detail.partition(",")[0] for disk in inventory.disks for use in disk.uses if use.kind in kinds)
    return list(dict.fromkeys(named))
