"""What will lie in the pool, dataset by dataset, in the form in which `predict.usage` counts it."""

from dataclasses import dataclass, replace

from poolwright.advise.role_files import mean_bytes, spread_sizes
from poolwright.advise.role_model import FileSizes, RoleSetting
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Dataset
from poolwright.domain.units import KIB, PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevSpec
from poolwright.domain.workload import Workload
from poolwright.predict.usage import Content
from poolwright.rules.dataset_facts import dataset_facts, volume_block_bytes
from poolwright.rules.dataset_plan import dataset_workload
from poolwright.rules.facts import DatasetFacts

# lz4 on text, source and system files (rules/tables/compression.csv has 1.2 to 2.2); what cannot be told counts as 1.
COMPRESSED_RATIO = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """The data of one dataset: how much, in files of which sizes (None: unknown, or a volume)."""

    name: str
    facts: DatasetFacts
    logical_bytes: int
    files: FileSizes | None
    volume: bool
    compress_ratio: float | None

    @property
    def file_count(self) -> float | None:
        """Return how many files there are; None where their sizes are unknown."""
        return None if self.files is None else self.logical_bytes / mean_bytes(self.files)

    def contents(self, special_small_bytes: int) -> tuple[Content, ...]:
        """Return the dataset in classes of files of one size, with this `special_small_blocks`."""
        whole = Content(
            name=self.name,
            logical_bytes=self.logical_bytes,
            block_bytes=self.facts.record_bytes,
            volume=self.volume,
            compress_ratio=self.compress_ratio,
            copies=min(3, self.facts.copies),
            special_small_bytes=special_small_bytes,
        )
        if self.files is None or self.volume:
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
    """Return what lies in the datasets of which somebody said how much; without any, data up to 80 % in the first.

    The first is the proposed dataset below the root where there is one, else the root.
    """
    datasets = setting.datasets or (Dataset(name=""),)
    facts = _facts(setting, datasets)
    told = [(d, f) for d, f in zip(datasets, facts, strict=True) if _logical(d)]
    if told:
        return tuple(_filling(setting, d, f, _logical(d)) for d, f in told)
    pairs = list(zip(datasets, facts, strict=True))
    dataset, fact = next((pair for pair in pairs if pair[0].name), pairs[0])
    planned = capacity.available_bytes * PLAN_FILL_PERCENT // 100
    filling = _filling(setting, dataset, fact, planned)
    return (replace(filling, logical_bytes=round(planned * (filling.compress_ratio or 1))),)


def workload_of(setting: RoleSetting, dataset: Dataset) -> Workload:
    """Return the workload of a dataset: its own, that of its place in the tree, or of the pool where it is alone."""
    if dataset.workload is not None:
        return dataset.workload
    if len(setting.datasets) <= 1:
        return setting.workload
    return dataset_workload(dataset.name, setting.workload)[0]


def is_told(setting: RoleSetting) -> bool:
    """Tell whether somebody said how much data will lie in a dataset."""
    return any(_logical(dataset) for dataset in setting.datasets)


def _logical(dataset: Dataset) -> int:
    return dataset.logical_bytes or dataset.volume_bytes or 0


def _facts(setting: RoleSetting, datasets: tuple[Dataset, ...]) -> tuple[DatasetFacts, ...]:
    specs: tuple[VdevSpec, ...] = setting.data
    return dataset_facts(datasets, pool_name="", version=setting.version, vdevs=specs, ashift=setting.ashift)


def _filling(setting: RoleSetting, dataset: Dataset, facts: DatasetFacts, logical: int) -> Filling:
    workload = workload_of(setting, dataset)
    volume = facts.volume or workload.volumes
    record = facts.record_bytes if facts.record_valid else 128 * KIB
    if volume and not facts.volume:
        record = volume_block_bytes(setting.version)
    return Filling(
        name=dataset.name,
        facts=replace(facts, record_bytes=record),
        logical_bytes=logical,
        files=None if volume else _files(setting, workload),
        volume=volume,
        compress_ratio=_ratio(workload, facts),
    )


def _files(setting: RoleSetting, workload: Workload) -> FileSizes | None:
    if setting.choices.files is not None:
        return setting.choices.files
    typical = workload.typical_file_bytes or setting.workload.typical_file_bytes
    return None if typical is None else spread_sizes(typical)


def _ratio(workload: Workload, facts: DatasetFacts) -> float | None:
    if facts.compression == "off":
        return None
    return COMPRESSED_RATIO if workload.compressible else 1.0
