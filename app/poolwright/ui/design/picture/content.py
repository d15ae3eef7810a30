"""What the picture and the tree show of a design: pools, bays, vdevs, disks and parts of disks, with their findings."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from poolwright.capacity.pool import PoolCapacity, predict_design
from poolwright.design.blast import vdev_names
from poolwright.design.edits.places import LEFT_OVER, Piece, VdevPlace, left_over_bytes, parts_of, piece_of
from poolwright.domain.as_built import reserved_by_disk
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, shelf_words
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Severity, violated
from poolwright.domain.outage import numbered
from poolwright.domain.reserve import ReservedPartition
from poolwright.domain.shown import natural
from poolwright.domain.vdev import VdevClass, VdevKind, shares_of
from poolwright.rules.design_judge import split_by_pool
from poolwright.texts import _, capital, comma

# Which vdevs and disks of a design each finding is about.

_ORDER = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
_POOL = "pool"  # how rules call the pool as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsByPart:
    """The violated findings on one pool, gravest first: by number of the vdev, by key of the disk, and on the pool."""

    vdevs: dict[int, tuple[Finding, ...]] = field(default_factory=dict)
    disks: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    pool: tuple[Finding, ...] = ()


def gravest(findings: Iterable[Finding]) -> Finding | None:
    return min(findings, key=_gravity, default=None)


def findings_by_part(design: Design, findings: Sequence[Finding]) -> FindingsByPart:
    """Return the violated findings on one pool, its vdevs and its disks.

    A finding names its disks. Of vdevs that no rule can tell apart it names the first four and how many more there are;
    those are then found by their likeness to the first.
    """
    vdevs: dict[int, list[Finding]] = {}
    disks: dict[str, list[Finding]] = {}
    pool: list[Finding] = []
    labels: dict[str, str] | None = None
    named: dict[str, int] | None = None
    for finding in violated(findings):
        if finding.subject == _POOL:
            pool.append(finding)
            continue
        if labels is None or named is None:
            used = design.used_keys()
            labels = {disk.label: disk.key for disk in design.disks if disk.key in used}
            named = _judged_names(design)
        keys = [labels[name] for name in finding.subjects or (finding.subject,) if name in labels]
        for key in keys:
            disks.setdefault(key, []).append(finding)
        if not keys:
            for index in _vdevs_of(design, finding.subject, named):
                vdevs.setdefault(index, []).append(finding)
    return FindingsByPart(
        vdevs={index: tuple(sorted(found, key=_gravity)) for index, found in vdevs.items()},
        disks={key: tuple(sorted(found, key=_gravity)) for key, found in disks.items()},
        pool=tuple(sorted(pool, key=_gravity)),
    )


def findings_of_disks(by_part: Iterable[FindingsByPart]) -> dict[str, tuple[Finding, ...]]:
    """Return the findings on each disk from all pools: parts of one disk may be in several."""
    found: dict[str, dict[tuple[str, str], Finding]] = {}
    for of_pool in by_part:
        for key, findings in of_pool.disks.items():
            for finding in findings:
                found.setdefault(key, {}).setdefault((finding.rule_id, finding.text), finding)
    return {key: tuple(sorted(of_disk.values(), key=_gravity)) for key, of_disk in found.items()}


def _judged_names(design: Design) -> dict[str, int]:
    """Return the vdevs of a pool by the names under which rules speak of them."""
    names: dict[str, int] = {}
    for index, vdev, number in numbered(design):
        if vdev.kind is VdevKind.STRIPE:
            for member in vdev.members:
                names.setdefault(design.disk(member.disk_key).label, index)
        else:
            names[f"{design.spec(vdev).word}-{number}"] = index
    return names


def _vdevs_of(design: Design, subject: str, named: dict[str, int]) -> list[int]:
    more = re.fullmatch(re.sub(r"\\{\w+\\}", "(.*)", re.escape(_("{names} and {count} more"))), subject)
    found = [named[name] for name in (more[1] if more else subject).split(comma()) if name in named]
    if more and found:
        alike = _likeness(design, design.vdevs[found[0]])
        rest = [i for i, v in enumerate(design.vdevs) if i not in found and _likeness(design, v) == alike]
        found += rest[: int(more[2])]
    return list(dict.fromkeys(found))


def _likeness(design: Design, vdev: Vdev) -> tuple[object, ...]:
    disks = [design.disk(member.disk_key) for member in vdev.members]
    facts = sorted(
        str((d.size_bytes, d.media, d.logical_sector_bytes, d.physical_sector_bytes, d.smr, d.health)) for d in disks
    )
    return vdev.kind, vdev.parity, vdev.vdev_class, vdev.draid_data, vdev.draid_spares, tuple(facts)


def _gravity(finding: Finding) -> int:
    return _ORDER[finding.severity]


# The classes that have a bay beside the data vdevs, in the order in which the bays are drawn.
BAY_CLASSES = (VdevClass.LOG, VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.CACHE, VdevClass.SPARE)
LEAST_LEFT_OVER_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A disk or a part of one. ``size_bytes`` is the piece's own size, ``share`` what it is of its disk (0 to 1).

    ``before`` is the share of the disk that lies before it; ``partitions`` are those reserved for others than ZFS.
    """

    piece: Piece
    disk: Disk
    size_bytes: int | None
    share: float = 1.0
    before: float = 0.0
    place: VdevPlace | None = None
    findings: tuple[Finding, ...] = ()
    partitions: tuple[ReservedPartition, ...] = ()

    @property
    def whole(self) -> bool:
        return self.piece.part is None

    @property
    def left_over(self) -> bool:
        return self.piece.part == LEFT_OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A vdev. ``parity_share`` is the share of its disks that parity, copies or distributed spares take (0 to 1)."""

    place: VdevPlace
    name: str
    vdev: Vdev
    tiles: tuple[Tile, ...]
    parity_share: float
    usable_bytes: int | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolBox:
    """A pool of the design, its data vdevs first. ``problem`` says why OpenZFS would refuse it."""

    number: int
    name: str
    ashift: int
    frames: tuple[Frame, ...]
    capacity: PoolCapacity | None
    problem: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def data(self) -> tuple[Frame, ...]:
        return self.serving(VdevClass.DATA)

    def serving(self, vdev_class: VdevClass) -> tuple[Frame, ...]:
        return tuple(frame for frame in self.frames if frame.vdev.vdev_class is vdev_class)


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """Disks that are in one enclosure, or behind one controller; ``name`` is empty where nothing is known."""

    name: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """All that is shown. ``tray`` are the disks that may be used and have no place, and what is left over of others."""

    pools: tuple[PoolBox, ...] = ()
    tray: tuple[Tile, ...] = ()

    def frames(self) -> tuple[Frame, ...]:
        return tuple(frame for pool in self.pools for frame in pool.frames)

    def tiles(self) -> tuple[Tile, ...]:
        return (*(tile for frame in self.frames() for tile in frame.tiles), *self.tray)


EMPTY = Content()


def content_of(
    design: Design | None,
    tray: Iterable[Disk],
    *,
    capacity: PoolCapacity | None = None,
    problem: str = "",
    findings: Sequence[Finding] = (),
) -> Content:
    """Return what is to be shown of ``design``, with the disks of the tray that it does not use.

    ``capacity`` and ``problem`` are those of the main pool, ``findings`` those on all pools, from the assessment.
    """
    if design is None:
        return Content(tray=tuple(Tile(piece=Piece(disk_key=d.key), disk=d, size_bytes=d.size_bytes) for d in tray))
    parts = design.pools()
    by_pool = split_by_pool(design, findings)
    by_part = [findings_by_part(part, found) for part, found in zip(parts, by_pool, strict=True)]
    tiles = _Tiles(design, findings_of_disks(by_part))
    spaces = ((capacity, problem) if number == 0 else _space(pool) for number, pool in enumerate(parts))
    pools = [
        _pool(pool, number, space, by_part[number], tiles)
        for number, (pool, space) in enumerate(zip(parts, spaces, strict=True))
    ]
    used = design.used_keys()
    free = [tiles.of_disk(disk) for disk in tray if disk.key not in used]
    return Content(pools=tuple(pools), tray=(*free, *tiles.left_over()))


def _space(pool: Design) -> tuple[PoolCapacity | None, str]:
    try:
        return predict_design(pool), ""
    except PoolwrightError as error:
        return None, error.text


def _pool(
    pool: Design, number: int, space: tuple[PoolCapacity | None, str], by_part: FindingsByPart, tiles: "_Tiles"
) -> PoolBox:
    names, (capacity, why) = _names(pool), space
    usable: dict[int, int] = {}  # of the pool's usable space: what it keeps for itself is taken of each vdev
    if capacity is not None:
        whole = sum(v.capacity.usable_bytes * v.count for v in capacity.vdevs if v.top.vdev_class is VdevClass.DATA)
        for placed in capacity.vdevs:
            own = placed.capacity.usable_bytes * placed.count * capacity.available_bytes // max(1, whole)
            usable[placed.index] = usable.get(placed.index, 0) + own
    frames: list[Frame] = []
    for index, vdev in enumerate(pool.vdevs):
        place = VdevPlace(pool=number, vdev=index)
        frames.append(
            Frame(
                place=place, name=names[index], vdev=vdev,
                tiles=tuple(tiles.of_member(member, place) for member in vdev.members),
                parity_share=min(1.0, 1 - shares_of(vdev.sizeless())[0]),  # more parity than disks: half an edit
                usable_bytes=usable.get(index), findings=by_part.vdevs.get(index, ()),
            )
        )  # fmt: skip
    order = (VdevClass.DATA, *BAY_CLASSES)
    return PoolBox(
        number=number, name=pool.pool_name, ashift=pool.ashift, capacity=capacity, problem=why, findings=by_part.pool,
        frames=tuple(sorted(frames, key=lambda frame: order.index(frame.vdev.vdev_class))),
    )  # fmt: skip


def _names(pool: Design) -> dict[int, str]:
    """Return what each vdev of one pool is called: as `zpool status` will, bare disks as a stripe."""
    names = vdev_names(pool)
    for index, vdev in enumerate(pool.vdevs):
        if vdev.kind is VdevKind.STRIPE:
            names[index] = "stripe" if len(vdev.members) > 1 else _("single disk")
    return names


class _Tiles:
    """Makes the tiles of one design: whole disks, parts of disks and what no part takes."""

    def __init__(self, design: Design, findings: Mapping[str, tuple[Finding, ...]]) -> None:
        self._design, self._findings = design, findings
        self._disks = {disk.key: disk for disk in design.disks}
        self._reserved = reserved_by_disk(design)
        cut = dict.fromkeys(m.disk_key for v in design.all_vdevs() for m in v.members if m.slice_bytes is not None)
        self._parts = {key: parts_of(design, key) for key in cut}

    def of_disk(self, disk: Disk) -> Tile:
        piece = Piece(disk_key=disk.key)
        return Tile(piece=piece, disk=disk, size_bytes=disk.size_bytes, findings=self._findings.get(disk.key, ()))

    def of_member(self, member: Member, place: VdevPlace) -> Tile:
        disk = self._disks[member.disk_key]
        whole = disk.size_bytes or member.slice_bytes
        share, before = 1.0, 0.0
        if member.slice_bytes is not None and whole:
            parts = self._parts.get(disk.key, ())
            lower = sum(m.slice_bytes or 0 for m in parts if (m.part or 1) < (member.part or 1))
            share, before = member.slice_bytes / whole, lower / whole
        size = disk.size_bytes if member.slice_bytes is None else member.slice_bytes
        return Tile(
            piece=piece_of(member), disk=disk, size_bytes=size, share=share, before=before, place=place,
            findings=self._findings.get(disk.key, ()), partitions=self._reserved.get(disk.key, ()),
        )  # fmt: skip

    def left_over(self) -> list[Tile]:
        found = []
        for key, parts in self._parts.items():
            disk = self._disks[key]
            room = left_over_bytes(self._design, disk)
            if room >= LEAST_LEFT_OVER_BYTES:
                whole, used = disk.size_bytes or room, sum(member.slice_bytes or 0 for member in parts)
                piece = Piece(disk_key=key, part=LEFT_OVER)
                found.append(Tile(piece=piece, disk=disk, size_bytes=room, share=room / whole, before=used / whole))
        return found


# The same disks by where they are: shelf after shelf, or controller after controller, in the order of the bays.


def shelves_of(content: Content) -> tuple[Shelf, ...]:
    """Return the disks by enclosure, else by controller, each in the order of its bays; the unknown ones last.

    A disk that is cut into parts stands there once.
    """
    found: dict[str, dict[str, Tile]] = {}
    for tile in content.tiles():
        found.setdefault(_shelf_name(tile.disk), {}).setdefault(tile.disk.key, tile)
    names = sorted(found, key=lambda name: (not name, natural(name)))
    return tuple(Shelf(name, tuple(sorted(found[name].values(), key=_bay_order))) for name in names)


def _shelf_name(disk: Disk) -> str:
    if disk.enclosure:
        return capital(shelf_words(disk.enclosure))
    return _("Controller {name}", name=disk.controller) if disk.controller else ""


def _bay_order(tile: Tile) -> tuple[bool, object, str]:
    slot = tile.disk.slot
    return slot is None, natural(slot or ""), tile.disk.key
