"""Where things are in a design and how they move: pieces of disks, vdevs, bays, pools."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import LEAST_ASHIFT, MOST_ASHIFT
from poolwright.capacity.pool import check_class
from poolwright.capacity.vdev import check_shape, top_of
from poolwright.domain.as_built import reserved_by_disk, total_bytes
from poolwright.domain.design import Design, FurtherPool, Member, Vdev, vdev_of
from poolwright.domain.disk import Disk, sectors_problem
from poolwright.domain.errors import Refusal, UserError, not_there
from poolwright.domain.names import check_pool_name
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import out_of_range
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.texts import _

LEFT_OVER = 0
MAIN_POOL = 0


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Piece:
    """A disk or a part of one: ``part`` None is the whole disk, from 1 a partition, `LEFT_OVER` what no part takes."""

    disk_key: str
    part: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class VdevPlace:
    """A vdev by the number of its pool (0 is the main pool) and its own in that pool."""

    pool: int = MAIN_POOL
    vdev: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bay:
    """All of a pool that serves one purpose: its spares, its log, its cache, …"""

    vdev_class: VdevClass
    pool: int = MAIN_POOL


@dataclass(frozen=True, slots=True)
class Tray:
    """Where the disks lie that have no part in the design."""


Target = VdevPlace | Bay | Tray


def pool_count(design: Design) -> int:
    """Return how many pools the design has; the main pool counts even while it is empty."""
    return 1 + len(design.further_pools)


def pool_of(design: Design, pool: int) -> Design:
    """Return a pool as a design of its own; raises UserError where there is none of that number."""
    if not MAIN_POOL <= pool < pool_count(design):
        raise not_there(pool, where=design.name)
    return design.pools()[pool]


def vdev_at(design: Design, place: VdevPlace) -> Vdev:
    vdevs = pool_of(design, place.pool).vdevs
    if not 0 <= place.vdev < len(vdevs):
        raise not_there(place.vdev, where=pool_of(design, place.pool).pool_name)
    return vdevs[place.vdev]


def with_vdevs(design: Design, pool: int, vdevs: Sequence[Vdev]) -> Design:
    return design.with_pool(pool, vdevs=tuple(vdevs))


def with_vdev(design: Design, place: VdevPlace, vdev: Vdev) -> Design:
    vdev_at(design, place)
    vdevs = list(pool_of(design, place.pool).vdevs)
    vdevs[place.vdev] = vdev
    return with_vdevs(design, place.pool, vdevs)


def with_members(design: Design, change: Callable[[Member], Member | None]) -> Design:
    """Return the design with what ``change`` makes of each member; None takes it away."""

    def changed(vdevs: Sequence[Vdev]) -> tuple[Vdev, ...]:
        return tuple(
            replace(vdev, members=tuple(new for old in vdev.members if (new := change(old)) is not None))
            for vdev in vdevs
        )

    further = tuple(replace(pool, vdevs=changed(pool.vdevs)) for pool in design.further_pools)
    return replace(design, vdevs=changed(design.vdevs), further_pools=further)


def tidied(design: Design) -> Design:
    further = (replace(pool, vdevs=_filled(pool.vdevs)) for pool in design.further_pools)
    return replace(design, vdevs=_filled(design.vdevs), further_pools=tuple(p for p in further if p.vdevs))


def members_with_places(design: Design) -> Iterator[tuple[VdevPlace, Member]]:
    for pool in range(pool_count(design)):
        for number, vdev in enumerate(pool_of(design, pool).vdevs):
            for member in vdev.members:
                yield VdevPlace(pool=pool, vdev=number), member


def piece_of(member: Member) -> Piece:
    """Return what identifies a member in its design; a slice without a number counts as the first."""
    part = member.part if member.part is not None or member.slice_bytes is None else 1
    return Piece(disk_key=member.disk_key, part=part)


def place_of(design: Design, piece: Piece) -> VdevPlace | None:
    """Return the vdev that holds a piece; None where it lies in the tray."""
    return next((place for place, member in members_with_places(design) if piece_of(member) == piece), None)


def parts_of(design: Design, disk_key: str) -> tuple[Member, ...]:
    parts = [m for m in design.members() if m.disk_key == disk_key and m.slice_bytes is not None]
    return tuple(sorted(parts, key=lambda member: member.part or 1))


def left_over_bytes(design: Design, disk: Disk) -> int:
    """Return the room on a partitioned disk that no partition takes; 0 for a disk used whole, or of unknown size."""
    taken = [member.slice_bytes or 0 for member in parts_of(design, disk.key)]
    if not taken or disk.size_bytes is None:
        return 0
    beside = total_bytes(reserved_by_disk(design).get(disk.key, ()))
    return max(0, sliceable_bytes(disk.size_bytes) - sum(taken) - beside)


def _filled(vdevs: tuple[Vdev, ...]) -> tuple[Vdev, ...]:
    return tuple(vdev for vdev in vdevs if vdev.members)


# Kinds of vdevs as one chooses them, and whether OpenZFS takes a vdev.


# A kind is a specification without members.
STRIPE, MIRROR = VdevSpec(kind=VdevKind.STRIPE), VdevSpec(kind=VdevKind.MIRROR)
RAIDZ1, RAIDZ2, RAIDZ3 = (VdevSpec(kind=VdevKind.RAIDZ, parity=parity) for parity in (1, 2, 3))
PLAIN_KINDS = (STRIPE, MIRROR, RAIDZ1, RAIDZ2, RAIDZ3)


def kind_of(vdev: Vdev) -> VdevSpec:
    return replace(vdev.sizeless(), sizes=(), vdev_class=VdevClass.DATA)


def of_kind(vdev: Vdev, kind: VdevSpec) -> Vdev:
    return replace(vdev_of(kind, vdev.members), vdev_class=vdev.vdev_class)


def check_vdev(vdev: Vdev, version: ZfsVersion) -> None:
    """Raise Refusal where OpenZFS ``version`` takes no vdev of this kind, width and class, whatever its sizes."""
    spec = vdev.sizeless()
    check_class(spec, version)
    check_shape(top_of(spec, 0))


def usual_kind(design: Design, pool: int, count: int) -> VdevSpec:
    """Return the kind that a new data vdev of ``count`` disks gets unless another is asked for.

    It is like the pool's others where that many disks allow it; else three are mirrored and more become a raidz2.
    """
    if count < 2:
        return STRIPE
    vdevs = pool_of(design, pool).vdevs if pool < pool_count(design) else ()
    alike = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    for vdev in sorted(alike, key=lambda v: len(v.members) != count):
        kind = kind_of(vdev)
        fits = kind.kind is VdevKind.STRIPE or (kind.kind is VdevKind.MIRROR and count == len(vdev.members))
        if fits or (kind.kind is VdevKind.RAIDZ and count >= kind.parity + 2):
            return kind
    return MIRROR if count <= 3 else RAIDZ2


# Several pools in one design, the ashift of each, and disks that came to the machine later.


def free_name(design: Design, taken: Iterable[str] = ()) -> str:
    names = {*taken, *_names(design)}
    stem = design.pool_name.rstrip("0123456789") or design.pool_name
    return next(name for number in range(2, len(names) + 3) if (name := f"{stem}{number}") not in names)


def _names(design: Design) -> list[str]:
    return [design.pool_name, *(pool.pool_name for pool in design.further_pools)]


def _check_free(name: str, taken: Iterable[str]) -> None:
    if name in taken:
        raise Refusal(_("There is a pool “{name}” already", name=name), todo=_("Choose another name."))


def move_vdevs(design: Design, places: Sequence[VdevPlace], pool: int) -> Design:
    """Return the design with these vdevs in another of its pools, behind those it has.

    Raises UserError where there is no such pool. A further pool that loses its last vdev is gone.
    """
    wanted = [place for place in sorted(set(places)) if place.pool != pool]
    coming = [vdev_at(design, place) for place in wanted]
    made = design
    for place, vdev in zip(wanted, coming, strict=True):
        made = with_vdev(made, place, replace(vdev, members=()))
    made = with_vdevs(made, pool, (*pool_of(made, pool).vdevs, *coming))
    return tidied(made)


def with_pool(design: Design, places: Sequence[VdevPlace], name: str, purpose: str = "") -> Design:
    """Return the design with these vdevs as a further pool.

    It begins with the properties of the pool that the first of them came from, and with those of its root dataset.
    Raises Refusal without a vdev and for a name that is taken.
    """
    if not places:
        raise Refusal(_("A pool needs a vdev"), todo=_("Select one first, or make one."))
    _check_free(name, _names(design))
    first = min(places)
    like = design.pools()[first.pool]
    fresh = FurtherPool(
        pool_name=name,
        vdevs=(),
        ashift=like.ashift,
        pool_settings=like.pool_settings,
        datasets=tuple(replace(d, logical_bytes=None, workload=None) for d in like.datasets if d.name == ""),
        purpose=purpose,
    )
    grown = replace(design, further_pools=(*design.further_pools, fresh))
    return move_vdevs(grown, places, pool_count(grown) - 1)


def rename_pool(design: Design, pool: int, name: str) -> Design:
    """Return the design with another name for a pool. Raises UserError for a bad name, Refusal for a taken one."""
    check_pool_name(name, design.version)
    _check_free(name, [other for number, other in enumerate(_names(design)) if number != pool])
    return design.with_pool(pool, pool_name=name)


def set_ashift(design: Design, pool: int, ashift: int) -> Design:
    """Return the design with another ashift for a pool; UserError outside 9 to 16, Refusal for larger sectors."""
    if not LEAST_ASHIFT <= ashift <= MOST_ASHIFT:
        raise out_of_range(ashift, LEAST_ASHIFT, MOST_ASHIFT, of="ashift")
    for vdev in pool_of(design, pool).vdevs:
        for member in vdev.members:
            if problem := sectors_problem(design.disk(member.disk_key), ashift):
                raise Refusal(problem)
    return design if ashift == pool_of(design, pool).ashift else design.with_pool(pool, ashift=ashift)


def with_disks(design: Design, disks: Iterable[Disk]) -> Design:
    """Return the design with these disks described in it as well; those it knows stay as they are."""
    known = {disk.key for disk in design.disks}
    new = tuple(disk for disk in disks if disk.key not in known)
    return replace(design, disks=(*design.disks, *new)) if new else design


# Moving disks and parts of disks: into a vdev, a bay or the tray, and two for one another.

LEAST_PIECE_BYTES = 64 << 20


def move(design: Design, pieces: Sequence[Piece], target: Target) -> Design:
    """Return the design with ``pieces`` moved.

    Into a vdev they come behind its members; a vdev they come from becomes narrower, and a mirror of which one side is
    left a single disk, as after `zpool detach`. In a bay they join what is there: spares and caches stay single
    disks, a log, special or dedup device becomes a mirror. A partition that goes into the tray is no longer one.
    Raises Refusal where OpenZFS would not take a vdev that changes, or where a disk may not be used.
    """
    wanted = unique(pieces)
    if isinstance(target, Tray):
        lifted, __ = lift(design, wanted)
        return tidied(checked(lifted, touched(design, lifted)))
    if isinstance(target, VdevPlace):
        staying = vdev_at(design, target).members
    else:
        own = (vdev for vdev in pool_of(design, target.pool).vdevs if vdev.vdev_class is target.vdev_class)
        staying = tuple(member for vdev in own for member in vdev.members)
    coming = [piece for piece in wanted if piece not in set(map(piece_of, staying))]
    if not coming:
        return design
    lifted, members = lift(design, coming)
    made = _put(lifted, members, target)
    return tidied(checked(made, touched(design, made)))


def swap(design: Design, one: Piece, other: Piece) -> Design:
    """Return the design with two pieces in each other's place; one of them may lie in the tray.

    Raises Refusal for a part of a disk that would lie in the tray, and for a disk that may not be used.
    """
    if one == other:
        return design
    by_piece = {piece_of(member): member for member in design.members()}
    lying = [piece for piece in (one, other) if piece not in by_piece]
    if len(lying) == 2:
        return design
    for piece in lying:
        if piece.part is not None:
            raise Refusal(_("A left-over part of a disk cannot be swapped"), todo=_("Move it into a vdev instead."))
        check_usable(design, piece)
    if lying and one.disk_key != other.disk_key and any(piece.part for piece in (one, other)):
        raise Refusal(
            _("A part of a disk cannot be swapped for a whole disk in the tray"), todo=_("Move it to the tray.")
        )
    first = by_piece.get(one, Member(disk_key=one.disk_key))
    second = by_piece.get(other, Member(disk_key=other.disk_key))
    instead = {one: second, other: first}
    return with_members(design, lambda member: instead.get(piece_of(member), member))


def unique(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    return tuple(dict.fromkeys(pieces))


def lift(design: Design, pieces: Sequence[Piece]) -> tuple[Design, tuple[Member, ...]]:
    """Return the design without these pieces, each given once, and the members they make elsewhere.

    Vdevs may be empty afterwards, so that places stay what they were: call `tidied` in the end. Raises Refusal where a
    disk may not be used, UserError for a piece that there is not.
    """
    members: list[Member] = []
    found = {piece_of(member): member for member in design.members()}
    for piece in pieces:
        if piece in found:
            members.append(found[piece])
        elif piece.part == LEFT_OVER:
            members.append(_from_left_over(design, piece))
        else:
            check_usable(design, piece)
            members.append(Member(disk_key=piece.disk_key))
    gone = set(pieces)
    return with_members(design, lambda member: None if piece_of(member) in gone else member), tuple(members)


def _from_left_over(design: Design, piece: Piece) -> Member:
    disk = design.disk(piece.disk_key)
    size = whole_slice(left_over_bytes(design, disk))
    if size < LEAST_PIECE_BYTES:
        raise Refusal(_("There is no room left over on {label}", label=disk.label))
    last = max((m.part or 1 for m in parts_of(design, disk.key)), default=0)
    return Member(disk_key=disk.key, slice_bytes=size, part=last + 1)


def check_usable(design: Design, piece: Piece) -> None:
    """Raise Refusal where a disk from the tray may not be used, UserError where there is no such piece."""
    disk = design.disk(piece.disk_key)
    if piece.part is not None:
        raise UserError(_("{label} has no partition {part} in this design", label=disk.label, part=piece.part))
    if parts_of(design, disk.key):
        raise Refusal(
            _("{label} is partitioned", label=disk.label), todo=_("Use what is left over, or undo the partition first.")
        )
    refusals = disk.refusals()
    if refusals:
        raise Refusal(_("{label} cannot be used", label=disk.label), reasons=refusals, where="; ".join(refusals))


def touched(before: Design, after: Design) -> tuple[VdevPlace, ...]:
    """Return the places of vdevs that differ between two designs with the same places."""
    return tuple(
        VdevPlace(pool=pool, vdev=number)
        for pool in range(pool_count(after))
        for old in (pool_of(before, pool).vdevs if pool < pool_count(before) else (),)
        for number, vdev in enumerate(pool_of(after, pool).vdevs)
        if vdev not in old[number : number + 1]
    )


def checked(design: Design, places: Iterable[VdevPlace]) -> Design:
    """Return the design, mirrors of one side as single disks; raises Refusal for a vdev OpenZFS would not take."""
    made = design
    for place in places:
        vdev = vdev_at(made, place)
        if not vdev.members:
            continue
        if vdev.kind is VdevKind.MIRROR and len(vdev.members) == 1:
            vdev = of_kind(vdev, STRIPE)
            made = with_vdev(made, place, vdev)
        keys = [member.disk_key for member in vdev.members]
        if vdev.kind is not VdevKind.STRIPE and len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Refusal(
                _("Two parts of {label} would be in one vdev", label=design.disk(twice).label),
                todo=_("If the disk failed, both would be gone. Use another disk."),
            )
        check_vdev(vdev, design.version)
    return made


def _put(design: Design, members: tuple[Member, ...], target: VdevPlace | Bay) -> Design:
    if isinstance(target, VdevPlace):
        held = vdev_at(design, target)
        return with_vdev(design, target, replace(held, members=(*held.members, *members)))
    return _put_in_bay(design, members, target)


def _put_in_bay(design: Design, members: tuple[Member, ...], bay: Bay) -> Design:
    if bay.vdev_class is VdevClass.DATA:
        raise UserError(_("Data vdevs are chosen one by one"))
    vdevs = list(pool_of(design, bay.pool).vdevs)
    at = next((i for i, v in enumerate(vdevs) if v.vdev_class is bay.vdev_class and v.members), None)
    if at is None:
        at = len(vdevs)
        vdevs.append(Vdev(kind=VdevKind.STRIPE, members=(), vdev_class=bay.vdev_class))
    held = replace(vdevs[at], members=(*vdevs[at].members, *members))
    # What was alone, or is new, is mirrored as soon as it is two.
    mirrored = bay.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE) and len(vdevs[at].members) <= 1 < len(
        held.members
    )
    vdevs[at] = of_kind(held, MIRROR) if mirrored else held
    return with_vdevs(design, bay.pool, vdevs)
