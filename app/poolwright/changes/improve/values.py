"""What could be done to a pool that exists, and what it would bring. Values only."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.money import Money
from poolwright.texts import marked


class Urgency(StrEnum):
    """How much speaks for a change, most first."""

    FIRST = marked("first of all")
    WORTH = marked("worth it")
    LITTLE = marked("brings little here")
    DEAR = marked("more than there is to spend")
    ASK = marked("not known enough to say")
    NOT = marked("better not")


class ChangeKind(StrEnum):
    """What is done. The words are those of the JSON document."""

    REPLACE_FAILING = "replace-failing"
    MIRROR_BARE = "mirror-bare-disks"
    MIRROR_SUPPORT = "mirror-support"
    MIRROR_LOG = "mirror-log"
    ADD_VDEV = "add-vdev"
    REPLACE_LARGER = "replace-larger"
    WIDEN = "widen-raidz"
    ADD_SIDES = "add-sides"
    SPARE = "add-spare"
    SPECIAL = "add-special"
    LOG = "add-log"
    CACHE = "add-cache"
    LONE_DISK = "add-lone-disk"
    UNLIKE_VDEV = "add-unlike-vdev"
    REBUILD = "rebuild"
    NEW_POOL = "new-pool"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNumbers:
    """What is known of a pool before or after a change; None is unknown.

    ``usable_bytes`` is USED + AVAIL of `zfs list`, ``room_bytes`` what the data may take in it: more, where blocks
    lie over more disks than `zfs list` counts with. ``loss`` is the yearly probability of loss by whatever cause; rates
    are bytes/s and operations a second.
    """

    usable_bytes: int | None = None
    room_bytes: int | None = None
    survived: int | None = None
    loss: float | None = None
    rebuild_hours: float | None = None
    seq_read: float | None = None
    seq_write: float | None = None
    rand_read_iops: float | None = None
    rand_write_iops: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMove:
    """What `poolwright migrate` is asked for a change that no command makes of the pool itself.

    ``layout`` is of the new pool, ``bought`` the disks that come for it; empty where none do.
    """

    layout: str
    bought: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolChange:
    """One change.

    ``design`` is the pool after it (None where there is nothing to plan), ``disks`` are those that come; ``cost`` is
    None where a price is unknown. ``points`` say what it is worth for the goal, by the steps of the ranking, ``lifts``
    that it brings the pool above a floor of its goal that it is below. ``more_disks`` is how many more disks than now a
    new pool has; ``move`` is how the data come into it, for its ``design`` is no pool that commands make of this one.
    ``rewrite`` says what stays as it is of the data, ``minds`` what to mind, ``behind`` why it stands behind the first.
    """

    kind: ChangeKind
    urgency: Urgency
    title: str
    why: str
    design: Design | None = None
    disks: tuple[Disk, ...] = ()
    cost: Money | None = None
    after: PoolNumbers | None = None
    gains: tuple[str, ...] = ()
    points: float = 0.0
    lifts: bool = False
    more_disks: int = 0
    move: PoolMove | None = None
    rewrite: str = ""
    minds: tuple[str, ...] = ()
    behind: str = ""

    @property
    def bought(self) -> tuple[Disk, ...]:
        return tuple(disk for disk in self.disks if disk.planned)

    @property
    def at_hand(self) -> tuple[Disk, ...]:
        return tuple(disk for disk in self.disks if not disk.planned)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolImprovements:
    """The answer for one pool: ``changes`` in the order in which to think of them; ``before`` as the pool is now.

    ``left`` is what is left of the money when the urgent is paid; ``notes`` say what the answer rests on.
    """

    design: Design
    pool_name: str
    before: PoolNumbers
    fill_percent: int | None
    changes: tuple[PoolChange, ...]
    money: Money | None = None
    left: Money | None = None
    notes: tuple[str, ...] = ()
