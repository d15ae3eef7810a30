"""Where things are in a design, and how to get at them: pieces of disks, vdevs, bays, pools."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.pool import check_class
from poolwright.capacity.vdev import check_shape, top_of
from poolwright.domain.as_built import reserved_by_disk, total_bytes
from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell

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


def vdevs_of(design: Design, pool: int) -> tuple[Vdev, ...]:
    """Return the vdevs of a pool by its number; raises UserError where there is none of that number."""
    return design.vdevs if pool == MAIN_POOL else _further(design, pool).vdevs


def pool_name_of(design: Design, pool: int) -> str:
    return design.pool_name if pool == MAIN_POOL else _further(design, pool).pool_name


def ashift_of(design: Design, pool: int) -> int:
    return design.ashift if pool == MAIN_POOL else _further(design, pool).ashift


def vdev_at(design: Design, place: VdevPlace) -> Vdev:
    """Return the vdev at a place; raises UserError where there is none."""
    vdevs = vdevs_of(design, place.pool)
    if not 0 <= place.vdev < len(vdevs):
        raise UserError(
            tell("The pool “{pool}” has no vdev number {vdev}", pool=pool_name_of(design, place.pool), vdev=place.vdev)
        )
    return vdevs[place.vdev]


def with_vdevs(design: Design, pool: int, vdevs: Sequence[Vdev]) -> Design:
    return design.with_pool(pool, vdevs=tuple(vdevs))


def with_vdev(design: Design, place: VdevPlace, vdev: Vdev) -> Design:
    """Return the design with another vdev at a place; raises UserError where there is none."""
    vdev_at(design, place)
    vdevs = list(vdevs_of(design, place.pool))
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
    """Return the design without vdevs that have no members and without further pools that have no vdevs."""
    further = (replace(pool, vdevs=_filled(pool.vdevs)) for pool in design.further_pools)
    return replace(design, vdevs=_filled(design.vdevs), further_pools=tuple(p for p in further if p.vdevs))


def members_with_places(design: Design) -> Iterator[tuple[VdevPlace, Member]]:
    """Yield every member of every pool with the place of its vdev."""
    for pool in range(pool_count(design)):
        for number, vdev in enumerate(vdevs_of(design, pool)):
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
    """Return the members that are parts of one disk, in the order in which they lie on it."""
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


def _further(design: Design, pool: int) -> FurtherPool:
    if not 1 <= pool <= len(design.further_pools):
        raise UserError(tell("The design “{name}” has no pool number {pool}", name=design.name, pool=pool))
    return design.further_pools[pool - 1]


# Kinds of vdevs as one chooses them, and whether OpenZFS takes a vdev.

_SINGLES = (VdevClass.SPARE, VdevClass.CACHE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    kind: VdevKind
    parity: int = 0
    draid_data: int | None = None
    draid_spares: int = 0

    @property
    def word(self) -> str:
        spec = VdevSpec(
            kind=self.kind, sizes=(), parity=self.parity, draid_data=self.draid_data, draid_spares=self.draid_spares
        )
        return spec.word


STRIPE = Shape(kind=VdevKind.STRIPE)
MIRROR = Shape(kind=VdevKind.MIRROR)
RAIDZ1, RAIDZ2, RAIDZ3 = (Shape(kind=VdevKind.RAIDZ, parity=parity) for parity in (1, 2, 3))
PLAIN_SHAPES = (STRIPE, MIRROR, RAIDZ1, RAIDZ2, RAIDZ3)


def shape_of(vdev: Vdev) -> Shape:
    return Shape(kind=vdev.kind, parity=vdev.parity, draid_data=vdev.draid_data, draid_spares=vdev.draid_spares)


def shaped(vdev: Vdev, shape: Shape) -> Vdev:
    return replace(
        vdev, kind=shape.kind, parity=shape.parity, draid_data=shape.draid_data, draid_spares=shape.draid_spares
    )


def check_vdev(vdev: Vdev, version: ZfsVersion) -> None:
    """Raise Refusal where OpenZFS ``version`` takes no vdev of this kind, width and class, whatever its sizes."""
    spec = vdev.sizeless()
    if vdev.vdev_class in _SINGLES and vdev.kind is not VdevKind.STRIPE:
        reason = tell(
            "{vdev_class} devices are single disks, not {word}", vdev_class=vdev.vdev_class.value, word=spec.word
        )
        raise Refusal(tell("OpenZFS does not accept this vdev"), where=reason, reasons=(reason,))
    check_class(spec, version)
    check_shape(top_of(spec, 0))


def usual_shape(design: Design, pool: int, count: int, vdev_class: VdevClass = VdevClass.DATA) -> Shape:
    """Return the kind that a new vdev of ``count`` disks gets unless another is asked for.

    A data vdev becomes like the pool's others where that many disks allow it; else up to three disks are mirrored and
    more become a raidz2. Support vdevs are mirrored, spares and caches are not.
    """
    if vdev_class in _SINGLES or count < 2:
        return STRIPE
    if vdev_class is not VdevClass.DATA:
        return MIRROR
    vdevs = vdevs_of(design, pool) if pool < pool_count(design) else ()
    alike = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    for vdev in sorted(alike, key=lambda v: len(v.members) != count):
        shape = shape_of(vdev)
        fits = shape.kind is VdevKind.STRIPE or (shape.kind is VdevKind.MIRROR and count == len(vdev.members))
        if fits or (shape.kind is VdevKind.RAIDZ and count >= shape.parity + 2):
            return shape
    return MIRROR if count <= 3 else RAIDZ2
