"""The values that roles of support devices are judged by; what will lie in the pool, as `predict.usage` counts it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.block_counts import BlockCount, DedupCount
from poolwright.domain.design import Dataset, Design, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.host import Host
from poolwright.domain.inheritance import Resolver
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import Layout, VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.assumptions import Circumstances
from poolwright.predict.usage import COMPRESSIBLE_RATIO, StoredContent, contents_of
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.texts import marked, tell, told_once

# What is asked about support devices, and what is answered. Values only; `roles.py` does the asking.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """The data of one dataset: how much, in files of which sizes (None: unknown, or a volume).

    ``whole`` is all of it with the properties in force; ``dedup`` tells whether it is deduplicated.
    """

    name: str
    whole: StoredContent
    files: FileSizes | None
    workload: Workload
    dedup: bool

    @property
    def logical_bytes(self) -> int:
        return self.whole.logical_bytes

    @property
    def block_bytes(self) -> int:
        return self.whole.block_bytes

    @property
    def volume(self) -> bool:
        return self.whole.volume

    @property
    def file_count(self) -> float | None:
        """Return how many files there are; None where their sizes are unknown."""
        return None if self.files is None else self.logical_bytes / mean_bytes(self.files)

    def contents(self, special_small_bytes: int) -> tuple[StoredContent, ...]:
        """Return the dataset in classes of files of one size, with this `special_small_blocks`."""
        whole = replace(self.whole, special_small_bytes=special_small_bytes)
        if self.files is None:
            return (whole,)
        mean = mean_bytes(self.files)
        return tuple(
            replace(
                whole,
                logical_bytes=round(self.logical_bytes * c.count_share * c.size_bytes / mean),
                file_bytes=c.size_bytes,
            )
            for c in self.files.classes
        )


def fillings(setting: RoleSetting, capacity: PoolCapacity) -> tuple[Filling, ...]:
    """Return what lies in the datasets of which somebody said how much; without any, data up to 80 % in one of them.

    That one is the first below the root, else the root.
    """
    datasets = _with_sizes(setting) if is_told(setting) else _filled(setting, capacity)
    design = Design(
        key="", name="", pool_name="", workload=setting.workload, version=setting.version, datasets=datasets
    )
    resolver = Resolver(design)
    found = []
    counted = setting.choices.dedup.compress if setting.choices.dedup is not None else None
    for item in contents_of(design, compress_ratio=None if counted is None else max(1.0, counted)):
        content = item.content
        if content is None or not content.logical_bytes:
            continue
        if item.workload.volumes and not content.volume:
            content = replace(content, volume=True, block_bytes=volume_block_bytes(setting.version))
        found.append(
            Filling(
                name=item.dataset.name,
                whole=replace(content, file_bytes=None),
                files=None if content.volume else _files(setting, content.file_bytes),
                workload=item.workload,
                dedup=resolver.value(item.dataset, "dedup") != "off",
            )
        )
    return tuple(found)


def is_told(setting: RoleSetting) -> bool:
    """Tell whether somebody said how much data will lie in a dataset."""
    return any(_logical(dataset) for dataset in setting.datasets)


def _logical(dataset: Dataset) -> int:
    return dataset.logical_bytes or dataset.volume_bytes or 0


def _with_sizes(setting: RoleSetting) -> tuple[Dataset, ...]:
    """Return the datasets; a volume of which nobody said how full it is counts as full."""
    return tuple(
        replace(d, logical_bytes=d.volume_bytes) if d.logical_bytes is None and d.volume_bytes else d
        for d in setting.datasets
    )


def _filled(setting: RoleSetting, capacity: PoolCapacity) -> tuple[Dataset, ...]:
    datasets = setting.datasets or (Dataset(name=""),)
    chosen = next((d for d in datasets if d.name), datasets[0])
    workload = chosen.workload or (setting.workload if len(datasets) == 1 else None)
    logical = capacity.available_bytes * PLAN_FILL_PERCENT // 100
    if (workload or setting.workload).compressible:
        logical = round(logical * COMPRESSIBLE_RATIO)
    filled = replace(chosen, logical_bytes=logical, workload=workload)
    return tuple(filled if d is chosen else d for d in datasets)


def _files(setting: RoleSetting, typical_bytes: int | None) -> FileSizes | None:
    if setting.choices.files is not None:
        return setting.choices.files
    return None if typical_bytes is None else spread_sizes(typical_bytes)


# How large the files of a dataset are: counted by somebody, or spread about the typical size.

SIGMA = 2.6
_LEAST_BYTES, _MOST_BYTES = 512, 1 << 44
_NEGLIGIBLE = 1e-12


@told_once
@lru_cache(maxsize=64)
def spread_sizes(mean_bytes: int, sigma: float = SIGMA) -> FileSizes:
    """Return classes of a log-normal distribution with this mean, a class for each power of two from 512 bytes.

    Each class has the mean size of its files, so that counts and bytes add up to those of the distribution.
    """
    if mean_bytes < 1:
        raise UserError(tell("A typical file has at least one byte"))
    middle = math.log(mean_bytes) - sigma * sigma / 2
    classes: list[SizeClass] = []
    low = 0.0
    high = float(_LEAST_BYTES)
    while high <= _MOST_BYTES:
        count = _below(high, middle, sigma) - _below(low, middle, sigma)
        share = _below(high, middle + sigma * sigma, sigma) - _below(low, middle + sigma * sigma, sigma)
        if count > _NEGLIGIBLE and share > 0:
            classes.append(SizeClass(size_bytes=max(1, round(share * mean_bytes / count)), count_share=count))
        low, high = high, high * 2
    total = sum(c.count_share for c in classes)
    return FileSizes(
        classes=tuple(SizeClass(size_bytes=c.size_bytes, count_share=c.count_share / total) for c in classes),
        origin=Origin(
            kind=OriginKind.ASSUMED,
            source=tell(
                "sizes spread log-normally about the typical file (sigma {sigma:g}, as in file "
                "systems that were counted: Agrawal et al. 2007)",
                sigma=sigma,
            ),
        ),
    )


def counted_sizes(sizes: Iterable[int], origin: Origin) -> FileSizes:
    """Return the classes of files that were counted, a class for each power of two; empty files do not count.

    Raises UserError where there is no file.
    """
    counts: dict[int, tuple[int, int]] = {}
    for size in sizes:
        if size > 0:
            step = max(9, (size - 1).bit_length())
            number, total = counts.get(step, (0, 0))
            counts[step] = (number + 1, total + size)
    files = sum(number for number, _ in counts.values())
    if not files:
        raise UserError(tell("There is no file to count"), todo=tell("Give one size in bytes a line."))
    return FileSizes(
        classes=tuple(
            SizeClass(size_bytes=round(total / number), count_share=number / files)
            for _, (number, total) in sorted(counts.items())
        ),
        origin=origin,
    )


def mean_bytes(files: FileSizes) -> float:
    return sum(c.size_bytes * c.count_share for c in files.classes)


def share_up_to(files: FileSizes, limit_bytes: int) -> tuple[float, float]:
    """Return the share of the files, and of their bytes, in classes whose mean is at most ``limit_bytes``."""
    small = [c for c in files.classes if c.size_bytes <= limit_bytes]
    count = sum(c.count_share for c in small)
    return count, sum(c.size_bytes * c.count_share for c in small) / mean_bytes(files)


def _below(value: float, middle: float, sigma: float) -> float:
    """Return the share of a log-normal distribution below ``value``."""
    if value <= 0:
        return 0.0
    return 0.5 * (1 + math.erf((math.log(value) - middle) / (sigma * math.sqrt(2))))
