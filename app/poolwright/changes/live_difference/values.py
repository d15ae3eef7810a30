"""What differs between a design and a pool that exists, and the steps by which the one becomes the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from poolwright.changes.as_design import PoolSeat
from poolwright.domain.action import Action, Replace, coming
from poolwright.domain.design import Design
from poolwright.domain.estimate import Estimate
from poolwright.domain.pool import ExistingPool, Pool
from poolwright.domain.vdev import VdevClass
from poolwright.texts import _

# The names of differences that are about vdevs and their disks.
OF_DISKS = frozenset({"disk", "vdev", *VdevClass})
# The key of a disk on the machine, and the number of its partition.
Identity = tuple[str, int]


class LiveWay(StrEnum):
    STEP = "step"  # one command changes it
    CANNOT = "cannot"  # OpenZFS does not change it, or not so
    LEFT = "left"  # it could be changed, but its data would be lost
    UNKNOWN = "unknown"  # the pool was not read far enough to tell


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEffect:
    """What a step does to the data. ``old`` and ``new``: how many further disks each copy survives while it lasts.

    None of a copy that is not whole; of a pool that stays ``old`` is all there is. ``hours`` is None where
    ``why_no_hours`` may say why. ``final``: there is no way back from here; ``down``: programs cannot use the data.
    """

    old: int | None = None
    new: int | None = None
    bytes_moved: int | None = None
    hours: Estimate | None = None
    why_no_hours: str = ""
    final: bool = False
    down: bool = False

    @property
    def copies(self) -> int:
        return (self.old is not None) + (self.new is not None)

    @property
    def survives(self) -> int:
        """Return the least that the data survive of all disks, whichever fail."""
        # The copies share no disk, so each failure can hit only one of them.
        return sum(survived for survived in (self.old, self.new) if survived is not None) + self.copies - 1


def total_hours(effects: Sequence[StepEffect]) -> Estimate | None:
    known = [effect.hours for effect in effects if effect.hours is not None]
    if not known or len(known) != len(effects):
        return None
    longest = max(known, key=lambda hours: hours.typical)
    low, typical, high = (sum(getattr(hours, end) for hours in known) for end in ("low", "typical", "high"))
    return replace(longest, low=low, typical=typical, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveDifference:
    """One difference, and the action that ends it where ``way`` is a step.

    ``place`` is the vdev, dataset or pool, ``name`` the property or the kind of thing, of a vdev its class; ``found``
    and ``wanted`` are what the pool has and the design says, in words. ``text`` says it in a sentence, ``reason`` why
    it cannot be changed or what to mind, ``rewrite`` what stays as it is of the data stored already.
    ``bars``: a data vdev of the pool that the design does not have; where it cannot leave, the design is out of reach.
    ``frees`` is what nothing uses any more, ``broken`` that it is not well. ``effect`` is told of a disk that gives way
    to another: the time of the resilver, and how many failures its vdev bears meanwhile.
    """

    way: LiveWay
    place: str
    name: str
    found: str
    wanted: str
    text: str
    reason: str = ""
    rewrite: str = ""
    bars: bool = False
    action: Action | None = None
    broken: bool = False
    frees: tuple[Identity, ...] = ()
    effect: StepEffect | None = None

    @property
    def needs(self) -> tuple[Identity, ...]:
        return tuple(device.identity for device in coming(self.action))

    @property
    def replaces(self) -> bool:
        return isinstance(self.action, Replace)

    @property
    def mends(self) -> bool:
        return self.replaces and self.broken

    def refused(self, reason: str, way: LiveWay = LiveWay.CANNOT) -> "LiveDifference":
        """Return it without its action, with the reason why there is none."""
        return replace(self, way=way, reason=reason, rewrite="", action=None)


def differs(
    place: str,
    name: str,
    found: str,
    wanted: str,
    text: str = "",
    *,
    action: Action | None = None,
    why_not: str = "",
    mind: str = "",
    way: LiveWay = LiveWay.STEP,
    **more: Any,
) -> LiveDifference:
    """Return a difference with its action, or with why there is none: what cannot be, unless ``way`` says otherwise.

    Without a ``text`` it says of what is at ``place`` how ``name`` is found and wanted.
    """
    words = {"place": place, "name": name, "found": found or "-", "wanted": wanted or "-"}
    text = text or _("{place}: {name} is {found}, the design says {wanted}.", **words)
    difference = LiveDifference(
        way=way, place=place, name=name, found=found, wanted=wanted, text=text, reason=mind, action=action, **more
    )
    if action is not None and not why_not:
        return difference
    return difference.refused(why_not or mind, LiveWay.CANNOT if way is LiveWay.STEP else way)


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
        return tuple(difference for difference in self.of_way(LiveWay.CANNOT) if difference.bars)

    @property
    def steps(self) -> tuple[LiveDifference, ...]:
        return tuple(self.of_way(LiveWay.STEP))
