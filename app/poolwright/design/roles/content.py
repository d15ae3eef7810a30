"""What will lie in the pool, dataset by dataset, in files of many sizes, as `predict.usage` counts it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.roles.model import FileSizes, RoleSetting, SizeClass
from poolwright.domain.design import Dataset, Design
from poolwright.domain.errors import UserError
from poolwright.domain.inheritance import Resolver
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.workload import Workload
from poolwright.predict.usage import COMPRESSIBLE_RATIO, StoredContent, contents_of
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.texts import tell, told_once


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
