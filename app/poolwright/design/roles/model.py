"""What is asked about support devices, and what is answered. Values only; `roles.py` does the asking.

A role is what a flash device may do for a pool of slower disks. Each role gets a judgement with its reasons in
numbers; which devices then carry which roles together is a `RolePlan` (`role_share.py`).
"""

from dataclasses import dataclass, field
from enum import StrEnum

from poolwright.domain.block_counts import BlockCount, DedupCount
from poolwright.domain.design import Dataset, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Host
from poolwright.domain.origin import Origin
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import Layout, VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.assumptions import Circumstances
from poolwright.texts import marked

# Three transaction groups of zfs_txg_timeout = 5 s: one open, one quiescing, one being written (zfs(4)).
DEFAULT_INGEST_SECONDS = 15


class Role(StrEnum):
    """What a flash device can be used for beside slower disks."""

    SPECIAL = marked("special")
    LOG = marked("log")
    CACHE = marked("cache")
    DEDUP = marked("dedup")
    OWN_POOL = marked("own pool")

    @property
    def vdev_class(self) -> VdevClass:
        return VdevClass.DATA if self is Role.OWN_POOL else VdevClass(self.value)


class Verdict(StrEnum):
    HELPS = marked("helps")
    DOES_NOT_HELP = marked("does not help")
    CANNOT_TELL = marked("it depends")


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeClass:
    """Files (or blocks) of about one size: ``size_bytes`` is the mean, ``count_share`` of all files, 0 to 1."""

    size_bytes: int
    count_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSizes:
    """How large the files are: classes whose shares add up to 1, smallest first; ``origin`` tells who counted."""

    classes: tuple[SizeClass, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChoices:
    """What a person may vary.

    ``ingest_seconds`` of writes a log must hold; ``working_set_bytes`` in place of the workload's (None);
    ``small_blocks`` gives `special_small_blocks` for datasets by name, in place of the proposal; ``files``, ``blocks``
    and ``dedup`` are counts of the real data, where somebody made them.
    """

    ingest_seconds: float = DEFAULT_INGEST_SECONDS
    working_set_bytes: int | None = None
    small_blocks: tuple[tuple[str, int], ...] = ()
    files: FileSizes | None = None
    blocks: BlockCount | None = None
    dedup: DedupCount | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSetting:
    """What judgements of roles rest on.

    ``data`` are the data vdevs (no others), on disks of ``data_media`` (None: unknown). ``flash`` are the SSDs and
    NVMe drives that are free. ``around`` are the circumstances of speed predictions without a log device.
    """

    data: Layout
    data_media: Media | None
    flash: tuple[Disk, ...]
    workload: Workload
    around: Circumstances
    host: Host = field(default_factory=Host)
    version: ZfsVersion = DEFAULT_VERSION
    ashift: int = 12
    datasets: tuple[Dataset, ...] = ()
    choices: RoleChoices = field(default_factory=RoleChoices)

    @property
    def redundancy(self) -> int:
        """Return how many failures the weakest data vdev survives."""
        return min((spec.failures_survived for spec in self.data), default=0)

    @property
    def working_set_bytes(self) -> int | None:
        """Return the data in constant use: as varied, or as the workload says."""
        chosen = self.choices.working_set_bytes
        return self.workload.working_set_bytes if chosen is None else chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What a device is expected to change: ``what`` before and after, in ``unit`` (``bytes/s``, ``IOPS``, ``s``)."""

    what: str
    unit: str
    before: Estimate
    after: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallBlocks:
    """A proposed `special_small_blocks` of a dataset and what it puts on the special vdev.

    ``moved`` are the bytes of data that go there (charged, without metadata), ``share_of_files`` and
    ``share_of_bytes`` how much of the dataset that is; ``reason`` says why this value. ``limit_bytes`` 0 is off.
    """

    dataset: str
    limit_bytes: int
    moved: Estimate
    share_of_files: float
    share_of_bytes: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleJudgement:
    """What is to be said of one role for one pool.

    ``because`` are the reasons, the weightiest first. ``size`` is what the role wants, in bytes that it can hold
    (of one side of a mirror); None where nothing is wanted or known. ``least_redundancy`` are the failures its vdev
    must survive, ``wished_redundancy`` those it should. ``missing`` names what somebody would have to tell.
    """

    role: Role
    verdict: Verdict
    because: tuple[str, ...]
    size: Estimate | None = None
    gain: Gain | None = None
    least_redundancy: int = 0
    wished_redundancy: int = 0
    risks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    small_blocks: tuple[SmallBlocks, ...] = ()
    dataset: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRole:
    """The vdevs that carry a role; ``capacity_bytes`` is what they hold (cache: together).

    ``risks`` say what may go wrong, ``notes`` what else there is to know.
    """

    role: Role
    vdevs: tuple[Vdev, ...]
    capacity_bytes: int
    risks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RolePlan:
    """Which flash devices carry which of the wanted roles together.

    ``refused`` are roles that the devices at hand cannot carry, with the reason; ``idle`` the keys of flash disks
    without a part. ``shared`` tells whether a disk carries more than one role.
    """

    planned: tuple[PlannedRole, ...]
    refused: tuple[tuple[Role, str], ...] = ()
    idle: tuple[str, ...] = ()
    shared: bool = False

    def of(self, role: Role) -> PlannedRole | None:
        return next((planned for planned in self.planned if planned.role is role), None)

    def refusal(self, role: Role) -> str | None:
        """Return why the devices cannot carry ``role``; None where they can, or nobody asked."""
        return next((why for refused, why in self.refused if refused is role), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAdvice:
    """A judgement of every role, in the order of `Role`, and the setting they rest on."""

    setting: RoleSetting
    judgements: tuple[RoleJudgement, ...]

    def of(self, role: Role) -> RoleJudgement:
        return next(judgement for judgement in self.judgements if judgement.role is role)

    @property
    def helpful(self) -> tuple[Role, ...]:
        return tuple(j.role for j in self.judgements if j.verdict is Verdict.HELPS)
