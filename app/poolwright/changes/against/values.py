"""What differs between a design and a pool that exists, and the steps by which the one becomes the other."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.domain.action import Action, MemberDevice, Replace
from poolwright.domain.design import Design, Member
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.vdev import VdevClass

# A disk under the key that it has on the machine, and its partition; of a whole disk zpool makes partition 1 itself.
Identity = tuple[str, int]


class LiveWay(StrEnum):
    STEP = "step"  # one command changes it
    CANNOT = "cannot"  # OpenZFS does not change it, or not so
    LEFT = "left"  # it could be changed, and nobody should by a list: what lies in it would be lost
    UNKNOWN = "unknown"  # the pool was not read far enough to tell


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSeat:
    """A device that belongs into a vdev of the pool. ``path`` is what zpool printed in full, ``size`` in bytes."""

    name: str
    identity: Identity
    disk: Disk
    member: Member
    path: str | None = None
    state: str | None = None
    size: int | None = None

    @property
    def device(self) -> MemberDevice:
        return MemberDevice(disk=self.identity[0], part=self.member.part, path=self.path or self.name)

    @property
    def label(self) -> str:
        return self.disk.label if self.disk.by_id_name else self.name.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStep:
    """One action on the vdev that `zpool status` calls ``vdev``; ``vdev_class`` is of one that is added or removed.

    The devices of the design that come in have the names ``needs``; ``frees`` is what nothing uses any more.
    ``broken`` says that the device is not well. Of a disk that gives way to another, ``hours`` is the time of the
    resilver (None: not known) and ``survives`` how many failures its vdev bears all the time.
    """

    action: Action
    vdev: str = ""
    vdev_class: VdevClass | None = None
    broken: bool = False
    needs: tuple[Identity, ...] = ()
    frees: tuple[Identity, ...] = ()
    hours: Estimate | None = None
    survives: int | None = None

    @property
    def mends(self) -> bool:
        return isinstance(self.action, Replace) and self.broken


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveDifference:
    """One difference.

    ``place`` is the vdev, dataset or pool, ``name`` the property or the kind of thing; ``found`` and ``wanted`` are
    what the pool has and the design says, in words. ``text`` says it in a sentence, ``reason`` why it cannot be changed
    or what to mind, ``rewrite`` what stays as it is of the data stored already. A step only where ``way`` is a step.
    ``bars``: a data vdev of the pool that the design does not have; where it cannot leave, the design is out of reach.
    """

    way: LiveWay
    place: str
    name: str
    found: str
    wanted: str
    text: str
    reason: str = ""
    rewrite: str = ""
    step: LiveStep | None = None
    bars: bool = False

    @property
    def doing(self) -> LiveStep:
        assert self.step is not None
        return self.step

    @property
    def replaces(self) -> bool:
        return self.step is not None and isinstance(self.step.action, Replace)

    def refused(self, reason: str) -> "LiveDifference":
        """Return it as what cannot be changed, and why."""
        return replace(self, way=LiveWay.CANNOT, reason=reason, rewrite="", step=None)


def differs(
    place: str,
    name: str,
    found: str,
    wanted: str,
    text: str,
    *,
    step: LiveStep | None = None,
    why_not: str = "",
    mind: str = "",
    rewrite: str = "",
    bars: bool = False,
    way: LiveWay | None = None,
) -> LiveDifference:
    """Return a difference with its step, or with why there is none: what cannot be, unless ``way`` says otherwise."""
    own = None if why_not else step
    return LiveDifference(
        way=way or (LiveWay.CANNOT if own is None else LiveWay.STEP),
        place=place,
        name=name,
        found=found,
        wanted=wanted,
        text=text,
        reason=why_not or mind,
        rewrite="" if why_not else rewrite,
        step=own,
        bars=bars,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveComparison:
    """A design against one pool. ``differences`` with the steps first, in the order in which they are safe.

    ``before`` are reasons why to wait or to mend something before the first step. ``live`` is the pool as a design.
    """

    design: Design
    live: Design
    pool: Pool
    known: ExistingPool
    differences: tuple[LiveDifference, ...]
    before: tuple[str, ...] = ()
    seats: tuple[PoolSeat, ...] = ()

    def of_way(self, way: LiveWay) -> Iterator[LiveDifference]:
        return (difference for difference in self.differences if difference.way is way)

    @property
    def barred_by(self) -> tuple[LiveDifference, ...]:
        """Return the data vdevs that stay in the pool and are not in the design, which is out of reach then."""
        return tuple(one for one in self.of_way(LiveWay.CANNOT) if one.bars)

    @property
    def steps(self) -> tuple[LiveStep, ...]:
        return tuple(one.step for one in self.differences if one.step is not None)
