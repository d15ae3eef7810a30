"""What lies in the datasets of a design, with the properties in force on each: the input of `predict_usage`."""

from dataclasses import dataclass

from poolwright.domain.dataset_properties import V24
from poolwright.domain.dataset_values import block_bytes, meaning
from poolwright.domain.design import Dataset, Design
from poolwright.domain.errors import UserError
from poolwright.domain.inheritance import Resolver, all_datasets
from poolwright.domain.units import binary
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.usage import StoredContent
from poolwright.rules.dataset_plan import workload_of
from poolwright.texts import tell

# Data that compress: lz4 halves the thesis' compressible data (chapter 5.3.1); documents, systems and databases do
# less well. Where nobody said whether they do, the typical case counts every byte.
COMPRESSIBLE_RATIO = 1.5
COMPRESSIBLE_BAND = (1.2, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetContent:
    """A dataset with what lies in it; ``content`` is None where nobody said how much.

    ``uncounted`` says that it should be known: a dataset above others is often there for their sake only.
    ``block_bytes`` is the recordsize or volblocksize in force, ``thick`` says that a volume reserves its whole size,
    ``reserved_bytes`` is what is set aside for it alone and ``subtree_bytes`` for it and all below (None: nothing).
    ``notes`` are sentences for people on what is assumed, not counted or contradictory.
    """

    dataset: Dataset
    workload: Workload
    block_bytes: int
    content: StoredContent | None
    uncounted: bool
    thick: bool
    reserved_bytes: int | None
    subtree_bytes: int | None
    notes: tuple[str, ...]


def contents_of(design: Design, *, compress_ratio: float | None = None) -> tuple[DatasetContent, ...]:
    """Return what lies in each dataset of the main pool, the root and parents that nobody wrote down included.

    ``compress_ratio`` is how much data that compress do so, where somebody measured it. Raises UserError where a
    property has a value that is none.
    """
    if compress_ratio is not None and compress_ratio < 1:
        raise UserError(
            tell("A compression ratio lies at 1 or above"), todo=tell("Write 1.5 for data that shrink to two thirds.")
        )
    resolver, datasets = Resolver(design), all_datasets(design)
    holders = frozenset(dataset.name.rpartition("/")[0] for dataset in datasets) | {""}
    return tuple(
        _of(design, dataset, resolver, compress_ratio, holds_others=dataset.name in holders) for dataset in datasets
    )


def _of(
    design: Design, dataset: Dataset, resolver: Resolver, ratio: float | None, *, holds_others: bool
) -> DatasetContent:
    volume = dataset.volume_bytes is not None
    workload, _ = workload_of(dataset, design.workload)
    where = f"{design.pool_name}/{dataset.name}".rstrip("/")
    block = _block(resolver, dataset, "volblocksize" if volume else "recordsize", where)
    logical, notes = _logical(dataset, holds_others=holds_others)
    content = None
    if logical is not None:
        typical, band, told = _compression(resolver.value(dataset, "compression"), workload, ratio, design.version)
        files = None if volume else _file_bytes(dataset, workload, design.workload)
        content = StoredContent(
            name=where,
            logical_bytes=logical,
            block_bytes=block,
            file_bytes=files,
            volume=volume,
            compress_ratio=typical,
            ratio_band=band,
            copies=_copies(resolver.value(dataset, "copies"), where),
            special_small_bytes=_special(resolver, dataset, design.version, where),
        )
        if logical:
            notes.extend(told)
            if files is None and not volume:
                notes.append(tell("The size of its files is unknown: counted as few large ones."))
            if meaning("dedup", resolver.value(dataset, "dedup"), design.version) != "off":
                notes.append(tell("What dedup saves is not counted."))
    reserve = resolver.value(dataset, "refreservation")
    subtree = resolver.value(dataset, "reservation")
    notes.extend(_quota_notes(resolver, dataset, logical))
    return DatasetContent(
        dataset=dataset,
        workload=workload,
        block_bytes=block,
        content=content,
        uncounted=content is None and not holds_others,
        thick=volume and reserve == "auto",
        reserved_bytes=_space(reserve, "refreservation", where),
        subtree_bytes=_space(subtree, "reservation", where),
        notes=tuple(notes),
    )


def _logical(dataset: Dataset, *, holds_others: bool) -> tuple[int | None, list[str]]:
    logical, size = dataset.logical_bytes, dataset.volume_bytes
    if logical is None:
        return None, [] if holds_others else [tell("How much will lie in it is unknown: not counted.")]
    if size is not None and logical > size:
        return size, [
            tell(
                "The volume holds {size}, less than the {logical} meant for it: counted as full.",
                size=binary(size),
                logical=binary(logical),
            )
        ]
    return logical, []


def _file_bytes(dataset: Dataset, workload: Workload, of_pool: Workload) -> int | None:
    if workload.typical_file_bytes is not None or dataset.workload is not None or of_pool.presets_beside:
        return workload.typical_file_bytes  # in a pool for several kinds of data its value is that of one of them
    return of_pool.typical_file_bytes


def _block(resolver: Resolver, dataset: Dataset, name: str, where: str) -> int:
    value = resolver.value(dataset, name)
    size = block_bytes(value)
    if not size or size < 512 or size & (size - 1):
        raise UserError(
            tell("{name}={value} is not possible", name=name, value=value),
            where=where,
            todo=tell("Write a power of two such as 16K or 128K."),
        )
    return size


def _special(resolver: Resolver, dataset: Dataset, version: ZfsVersion, where: str) -> int:
    if dataset.volume_bytes is not None and version < V24:
        return 0  # blocks of volumes stay off special vdevs before 2.4 (openzfs/zfs#14876)
    value = resolver.value(dataset, "special_small_blocks")
    size = block_bytes(value)
    if size is None:
        raise UserError(
            tell("special_small_blocks={value} is not possible", value=value),
            where=where,
            todo=tell("Write 0 or a size: 32K."),
        )
    return size


def _copies(value: str, where: str) -> int:
    if value not in ("1", "2", "3"):
        raise UserError(
            tell("copies={value} is not possible", value=value), where=where, todo=tell("OpenZFS takes 1 to 3.")
        )
    return int(value)


def _space(value: str, name: str, where: str) -> int | None:
    if value in ("none", "auto"):
        return None
    size = block_bytes(value)
    if size is None:
        raise UserError(
            tell("{name}={value} is not possible", name=name, value=value),
            where=where,
            todo=tell("Write none or a size: 100G."),
        )
    return size or None


def _compression(
    value: str, workload: Workload, ratio: float | None, version: ZfsVersion
) -> tuple[float | None, tuple[float, float] | None, list[str]]:
    """Return the typical ratio (None: off), the lowest and highest, and what to say of it."""
    if meaning("compression", value, version) == "off":
        return None, None, []
    if workload.compressible is False:
        return 1.0, None, []
    if workload.compressible is None:
        told = tell("Whether it compresses is unknown: counted as if it did not.")
        return 1.0, (1.0, COMPRESSIBLE_RATIO), [told]
    if ratio is not None:
        return ratio, None, []
    low, high = COMPRESSIBLE_BAND
    return (
        COMPRESSIBLE_RATIO,
        COMPRESSIBLE_BAND,
        [
            tell(
                "Assumed to compress by {compressible_ratio:g} ({low:g} to {high:g}).",
                compressible_ratio=COMPRESSIBLE_RATIO,
                low=low,
                high=high,
            )
        ],
    )


def _quota_notes(resolver: Resolver, dataset: Dataset, logical: int | None) -> list[str]:
    if dataset.volume_bytes is not None or not logical:
        return []
    notes = []
    for name in ("quota", "refquota"):
        limit = block_bytes(resolver.value(dataset, name))
        if limit and limit < logical:
            notes.append(
                tell(
                    "Its {name} of {limit} may be reached before all of it is written.", name=name, limit=binary(limit)
                )
            )
    return notes
