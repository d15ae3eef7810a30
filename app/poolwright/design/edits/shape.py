"""Kinds of vdevs as one chooses them, and whether OpenZFS takes a vdev."""

from dataclasses import dataclass, replace

from poolwright.capacity.pool import check_class
from poolwright.capacity.vdev import TopVdev, check_shape
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import Refusal
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell

_SINGLES = (VdevClass.SPARE, VdevClass.CACHE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind of vdev without its disks; the fields are those of Vdev."""

    kind: VdevKind
    parity: int = 0
    draid_data: int | None = None
    draid_spares: int = 0

    @property
    def word(self) -> str:
        """Return the kind as `zpool create` writes it."""
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
    """Return the vdev's members in another kind of vdev."""
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
    top = TopVdev(
        kind=vdev.kind,
        width=len(vdev.members),
        least_leaf_bytes=0,
        parity=vdev.parity,
        vdev_class=vdev.vdev_class,
        group_data=spec.group_data if vdev.kind is VdevKind.DRAID else 0,
        spares=vdev.draid_spares,
    )
    check_shape(top)


def usual_shape(design: Design, pool: int, count: int, vdev_class: VdevClass = VdevClass.DATA) -> Shape:
    """Return the kind that a new vdev of ``count`` disks gets unless another is asked for.

    A data vdev becomes like the pool's others where that many disks allow it; else up to three disks are mirrored and
    more become a raidz2. Support vdevs are mirrored, spares and caches are not.
    """
    if vdev_class in _SINGLES or count < 2:
        return STRIPE
    if vdev_class is not VdevClass.DATA:
        return MIRROR
    vdevs = design.vdevs if pool == 0 or pool > len(design.further_pools) else design.further_pools[pool - 1].vdevs
    alike = [vdev for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    for vdev in sorted(alike, key=lambda v: len(v.members) != count):
        shape = shape_of(vdev)
        fits = shape.kind is VdevKind.STRIPE or (shape.kind is VdevKind.MIRROR and count == len(vdev.members))
        if fits or (shape.kind is VdevKind.RAIDZ and count >= shape.parity + 2):
            return shape
    return MIRROR if count <= 3 else RAIDZ2
