"""The values that roles of support devices are judged by and answered with, and their numbers in the same words."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.support import Role
from poolwright.domain.block_counts import BlockCount, DedupCount
from poolwright.domain.design import Dataset, Design, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Host
from poolwright.domain.inheritance import Resolver
from poolwright.domain.rates import rate_text
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, out_of_range
from poolwright.domain.vdev import Layout
from poolwright.domain.workload import Workload
from poolwright.predict.assumptions import SpeedInputs
from poolwright.predict.groups import band_of
from poolwright.predict.number_words import with_band
from poolwright.predict.usage import COMPRESSIBLE_RATIO, StoredContent, contents_of
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.texts import N_, _, numeral, per_language

ON_FLASH = N_("The pool itself is flash: what lies there is read as fast.")

# Three transaction groups of zfs_txg_timeout = 5 s: one open, one quiescing, one being written (zfs(4)).
DEFAULT_INGEST_SECONDS = 15


class Verdict(StrEnum):
    HELPS = N_("helps")
    DOES_NOT_HELP = N_("does not help")
    CANNOT_TELL = N_("it depends")


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

    @property
    def mean_bytes(self) -> float:
        return sum(c.size_bytes * c.count_share for c in self.classes)

    def share_up_to(self, limit_bytes: int) -> tuple[float, float]:
        """Return the share of the files, and of their bytes, in classes whose mean is at most ``limit_bytes``."""
        small = [c for c in self.classes if c.size_bytes <= limit_bytes]
        return sum(c.count_share for c in small), sum(c.size_bytes * c.count_share for c in small) / self.mean_bytes


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

    ``pool`` is the design without support devices on flash, ``data`` are its data vdevs, on disks of ``data_media``
    (None: unknown). ``flash`` are the SSDs and NVMe drives that are free. ``inputs`` are the circumstances of speed
    predictions without a log device.
    """

    pool: Design
    data: Layout
    data_media: Media | None
    flash: tuple[Disk, ...]
    inputs: SpeedInputs
    choices: RoleChoices = field(default_factory=RoleChoices)

    @property
    def workload(self) -> Workload:
        return self.pool.workload

    @property
    def host(self) -> Host:
        return self.pool.machine

    @property
    def redundancy(self) -> int:
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

    def times(self) -> float:
        return self.after.typical / self.before.typical


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


def no_help(role: Role, *because: str) -> RoleJudgement:
    return RoleJudgement(role=role, verdict=Verdict.DOES_NOT_HELP, because=because)


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
        return dict(self.refused).get(role)


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


# Numbers in the reasons of judgements, in the same words everywhere.


def size(value: float) -> str:
    return binary(round(value))


def percent(share: float) -> str:
    """Return a share (0 to 1) in per cent, without claiming digits."""
    value = 100 * share
    if 0 < value < 0.1:
        return _("under {percent} %", percent="0.1")
    return numeral(value, ".1f", "%") if value < 10 else f"{value:.0f} %"


def estimate(values: Iterable[float], *, limit: str, source: str) -> Estimate:
    """Return a predicted number with low, typical and high; ``source`` is the formula and where it comes from."""
    low, typical, high = values
    origin = Origin(kind=OriginKind.PREDICTED, source=source)
    return Estimate(low=low, typical=typical, high=high, limit=limit, origin=origin)


def each_of(of: Callable[..., float], first: Estimate, *others: Estimate) -> Estimate:
    """Return ``first`` with what ``of`` makes of the low, the typical and the high numbers of all."""
    low, typical, high = (of(*values) for values in zip(*map(band_of, (first, *others)), strict=True))
    return replace(first, low=low, typical=typical, high=high)


def estimate_words(value: Estimate) -> str:
    return with_band(*(size(v) for v in (value.typical, value.low, value.high)))


def gain_words(gain: Gain) -> str:
    def amount(value: Estimate) -> str:
        if gain.unit == "bytes/s":
            return with_band(*(rate_text(v) for v in (value.typical, value.low, value.high)))
        low, typical, high = (numeral(v, ",.0f") for v in (value.low, value.typical, value.high))
        return with_band(f"{typical} {gain.unit}", low, high)

    return _(
        "{what}: {before} before, {after} after", what=gain.what, before=amount(gain.before), after=amount(gain.after)
    )


# What will lie in the pool, as `predict.usage` counts it.


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
    def volume(self) -> bool:
        return self.whole.volume

    def contents(self, special_small_bytes: int) -> tuple[StoredContent, ...]:
        """Return the dataset in classes of files of one size, with this `special_small_blocks`."""
        whole = replace(self.whole, special_small_bytes=special_small_bytes)
        if self.files is None:
            return (whole,)
        mean = self.files.mean_bytes
        return tuple(
            replace(
                whole,
                logical_bytes=round(whole.logical_bytes * c.count_share * c.size_bytes / mean),
                file_bytes=c.size_bytes,
            )
            for c in self.files.classes
        )


def fillings(setting: RoleSetting, capacity: PoolCapacity) -> tuple[Filling, ...]:
    """Return what lies in the datasets of which somebody said how much; without any, data up to 80 % in one of them.

    That one is the first below the root, else the root.
    """
    pool, choices = setting.pool, setting.choices
    design = replace(pool, datasets=_with_sizes(pool) if knows_datasets(setting) else _filled(pool, capacity))
    resolver = Resolver(design)
    found = []
    counted = choices.dedup.compress if choices.dedup is not None else None
    for item in contents_of(design, compress_ratio=None if counted is None else max(1.0, counted)):
        content = item.content
        if content is None or not content.logical_bytes:
            continue
        if item.workload.volumes and not content.volume:
            content = replace(content, volume=True, block_bytes=volume_block_bytes(pool.version))
        typical = content.file_bytes
        files = choices.files or (None if typical is None else spread_sizes(typical))
        found.append(
            Filling(
                name=item.dataset.name,
                whole=replace(content, file_bytes=None),
                files=None if content.volume else files,
                workload=item.workload,
                dedup=resolver.value(item.dataset, "dedup") != "off",
            )
        )
    return tuple(found)


def knows_datasets(setting: RoleSetting) -> bool:
    return any(dataset.logical_bytes or dataset.volume_bytes for dataset in setting.pool.datasets)


def _with_sizes(pool: Design) -> tuple[Dataset, ...]:
    """Return the datasets; a volume of which nobody said how full it is counts as full."""
    return tuple(
        replace(d, logical_bytes=d.volume_bytes) if d.logical_bytes is None and d.volume_bytes else d
        for d in pool.datasets
    )


def _filled(pool: Design, capacity: PoolCapacity) -> tuple[Dataset, ...]:
    datasets = pool.datasets or (Dataset(name=""),)
    chosen = next((d for d in datasets if d.name), datasets[0])
    workload = chosen.workload or (pool.workload if len(datasets) == 1 else None)
    logical = capacity.available_bytes * PLAN_FILL_PERCENT // 100
    if (workload or pool.workload).compressible:
        logical = round(logical * COMPRESSIBLE_RATIO)
    filled = replace(chosen, logical_bytes=logical, workload=workload)
    return tuple(filled if d is chosen else d for d in datasets)


# How large the files of a dataset are: counted by somebody, or spread about the typical size.

SIGMA = 2.6
_LEAST_BYTES, _MOST_BYTES = 512, 1 << 44
_NEGLIGIBLE = 1e-12


@per_language
@lru_cache(maxsize=64)
def spread_sizes(mean_bytes: int) -> FileSizes:
    """Return classes of a log-normal distribution with this mean, a class for each power of two from 512 bytes.

    Each class has the mean size of its files, so that counts and bytes add up to those of the distribution.
    """
    if mean_bytes < 1:
        raise out_of_range(mean_bytes, 1, of="mean_bytes")
    middle = math.log(mean_bytes) - SIGMA * SIGMA / 2
    classes: list[SizeClass] = []
    low, high = 0.0, float(_LEAST_BYTES)
    while high <= _MOST_BYTES:
        count = _below(high, middle) - _below(low, middle)
        # Bytes are spread as counts are, about a middle that lies sigma squared higher.
        share = _below(high, middle + SIGMA * SIGMA) - _below(low, middle + SIGMA * SIGMA)
        if count > _NEGLIGIBLE and share > 0:
            classes.append(SizeClass(size_bytes=max(1, round(share * mean_bytes / count)), count_share=count))
        low, high = high, high * 2
    total = sum(c.count_share for c in classes)
    source = _(
        "sizes spread log-normally about the typical file (sigma {sigma:g}, as in file "
        "systems that were counted: Agrawal et al. 2007)",
        sigma=SIGMA,
    )
    return FileSizes(
        classes=tuple(replace(c, count_share=c.count_share / total) for c in classes),
        origin=Origin(kind=OriginKind.ASSUMED, source=source),
    )


def _below(value: float, middle: float) -> float:
    """Return the share of a log-normal distribution below ``value``."""
    return 0.5 * (1 + math.erf((math.log(value) - middle) / (SIGMA * math.sqrt(2)))) if value > 0 else 0.0


def counted_sizes(sizes: Iterable[int], origin: Origin) -> FileSizes:
    """Return a class for each power of two of the files that are not empty. Raises UserError where there is none."""
    by_step = grouped((max(9, (one - 1).bit_length()), one) for one in sizes if one > 0)
    files = sum(map(len, by_step.values()))
    if not files:
        raise UserError(_("There is no file to count"), todo=_("Give one size in bytes a line."))
    return FileSizes(
        classes=tuple(
            SizeClass(size_bytes=round(sum(found) / len(found)), count_share=len(found) / files)
            for __, found in sorted(by_step.items())
        ),
        origin=origin,
    )
