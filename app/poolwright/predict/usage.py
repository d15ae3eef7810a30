"""How much space data really take: small files and blocks, compression, copies, metadata, special vdevs.

What one block costs is OpenZFS's own arithmetic (capacity/vdev.py). Metadata are estimates from measurements on
OpenZFS 2.4: indirect blocks of about 44 bytes a pointer, and 182 bytes a file for dnode and directory entry, each
stored once more than the data (`redundant_metadata=all`)."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.capacity.device import round_up
from poolwright.capacity.pool import EqualTopVdevs, PoolCapacity
from poolwright.capacity.vdev import allocated_bytes, deflated
from poolwright.domain.dataset_properties import V24, meaning, space_bytes
from poolwright.domain.design import Dataset, Design
from poolwright.domain.errors import UserError, looks_like
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.inheritance import Resolver, all_datasets
from poolwright.domain.units import KIB, binary, out_of_range
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.groups import band_of, banded, sums_of
from poolwright.rules.dataset_plan import workload_of
from poolwright.texts import N_, _, numeral

POINTERS_PER_INDIRECT = 1024
LARGEST_INDIRECT_BYTES = 128 * KIB
_POINTER_BYTES, _INDIRECT_BASE = 44, 200
_FILE_METADATA_BYTES = 182
_EMBEDDED_BYTES = 112
_LEAST_SAVING = 8  # compressed data are kept when they save at least one part in eight
_MOST_COPIES = 3
# Small blocks stay off a special vdev that is three quarters full (zfs_special_class_metadata_reserve_pct).
SPECIAL_DATA_SHARE = 0.75
_METADATA_DOUBT = 2.0
_COMPRESSION_DOUBT = 0.15
_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source=N_(
        "OpenZFS's block arithmetic; metadata estimated from measurements on 2.4, the compression ratio as stated"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContent:
    """The data of one dataset: ``logical_bytes`` in files of ``file_bytes`` (None: few and large), or a volume.

    ``block_bytes`` is the recordsize or volblocksize. ``compress_ratio`` is logical over compressed size of the data
    themselves; None is compression off. ``ratio_band`` is its lowest and highest value (None: 15 % either way).
    ``special_small_bytes`` is `special_small_blocks`.
    """

    name: str
    logical_bytes: int
    block_bytes: int
    file_bytes: int | None = None
    volume: bool = False
    compress_ratio: float | None = 1.0
    ratio_band: tuple[float, float] | None = None
    copies: int = 1
    special_small_bytes: int = 0

    def ratios(self) -> tuple[float | None, float | None, float | None]:
        ratio = self.compress_ratio
        if ratio is None:
            return None, None, None
        if self.ratio_band is not None:
            return self.ratio_band[1], ratio, self.ratio_band[0]
        if ratio == 1:
            return 1.0, 1.0, 1.0
        return ratio * (1 + _COMPRESSION_DOUBT), ratio, max(1.0, ratio * (1 - _COMPRESSION_DOUBT))


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetUsage:
    """What a dataset charges: bytes of `zfs list` USED for data and metadata, and how much lies on special vdevs.

    ``disk_bytes`` is what its data take on all disks with parity, copies of mirrors and padding, typically, and
    ``ideal_disk_bytes`` what they would take if nothing but parity or mirroring were added.
    """

    content: StoredContent
    data: Estimate
    metadata: Estimate
    used: Estimate
    special: Estimate
    disk_bytes: float = 0.0
    ideal_disk_bytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolUsage:
    """What all datasets take together, against ``available_bytes`` of the data vdevs.

    ``normal`` is charged to the data vdevs and ``special`` to the special vdevs (``special_bytes`` is their size, None
    without any); what does not fit there lies on the data vdevs and is counted in ``normal``.
    """

    datasets: tuple[DatasetUsage, ...]
    used: Estimate
    normal: Estimate
    special: Estimate
    available_bytes: int
    special_bytes: int | None

    @property
    def special_overflows(self) -> bool:
        return self.special_bytes is not None and self.special.typical >= self.special_bytes * SPECIAL_DATA_SHARE


def predict_usage(capacity: PoolCapacity, contents: tuple[StoredContent, ...]) -> PoolUsage:
    # Blocks are spread over the data vdevs in proportion to their space. Snapshots, clones and dedup are not counted.
    costs = _Costs(capacity)
    datasets = tuple(_dataset(content, costs) for content in contents)
    used = _estimate(sums_of(band_of(d.used) for d in datasets))
    special = _estimate(sums_of(band_of(d.special) for d in datasets))
    limit = costs.special_bytes
    held = special
    if limit is not None:
        held = _estimate([min(value, limit * SPECIAL_DATA_SHARE) for value in band_of(special)])
    normal = [u - s for u, s in zip(band_of(used), band_of(held), strict=True)]
    return PoolUsage(
        datasets=datasets,
        used=used,
        normal=_estimate(normal),
        special=held,
        available_bytes=capacity.available_bytes,
        special_bytes=limit,
    )


def block_efficiency(capacity: PoolCapacity, block_bytes: int) -> tuple[float, float]:
    """Return the share of the disks' bytes that an incompressible block of this size fills with data, and the nominal.

    The mean over the data vdevs by their space; nominal is data disks over all disks.
    """
    costs = _Costs(capacity)
    return block_bytes / costs.on_disks(block_bytes, special=False), 1 / costs.ideal(1.0, special=False)


class _Costs:
    """What a block of a physical size is charged on the data vdevs and on the special vdevs of a pool."""

    def __init__(self, capacity: PoolCapacity) -> None:
        self.ashift = capacity.ashift
        self._normal = self._weighted(capacity, VdevClass.DATA)
        self._special = self._weighted(capacity, VdevClass.SPECIAL)
        special = [v for v in capacity.vdevs if v.top.vdev_class is VdevClass.SPECIAL]
        self.special_bytes = sum(v.capacity.usable_bytes * v.count for v in special) if special else None
        self._known: dict[tuple[int, bool], float] = {}

    @staticmethod
    def _weighted(capacity: PoolCapacity, vdev_class: VdevClass) -> list[tuple[EqualTopVdevs, float]]:
        """Return a vdev for all in which a block takes the same, and their share of the space."""
        found = [v for v in capacity.vdevs if v.top.vdev_class is vdev_class]
        total = sum(v.capacity.usable_bytes * v.count for v in found)
        alike: dict[tuple[object, ...], tuple[EqualTopVdevs, int]] = {}
        for v in found:
            key = (v.top.kind, v.top.width, v.top.parity, v.top.group_data, v.capacity.ratio)
            first, usable = alike.get(key, (v, 0))
            alike[key] = (first, usable + v.capacity.usable_bytes * v.count)
        return [(first, usable / total) for first, usable in alike.values()]

    def charged(self, physical_bytes: int, *, special: bool) -> float:
        key = (physical_bytes, special)
        if key not in self._known:
            self._known[key] = sum(
                share * deflated(self._allocated(v, physical_bytes), v.capacity.ratio)
                for v, share in (self._special if special else self._normal)
            )
        return self._known[key]

    def on_disks(self, physical_bytes: int, *, special: bool) -> float:
        return sum(
            share * self._allocated(v, physical_bytes) * (v.top.width if v.top.kind is VdevKind.MIRROR else 1)
            for v, share in (self._special if special else self._normal)
        )

    def ideal(self, payload_bytes: float, *, special: bool) -> float:
        """Return the bytes that data take on all disks with parity or mirroring and nothing else."""
        return payload_bytes * sum(share / _nominal(v) for v, share in (self._special if special else self._normal))

    def _allocated(self, vdev: EqualTopVdevs, physical_bytes: int) -> int:
        top = vdev.top
        return allocated_bytes(top.kind, top.width, top.parity, top.group_data, self.ashift, physical_bytes)

    def physical(self, logical_bytes: int, ratio: float | None) -> int:
        """Return the size of a block after compression, as OpenZFS rounds and keeps it (`zio_write_compress`)."""
        if ratio is None or logical_bytes <= 0:
            return max(0, logical_bytes)
        # Rounded up: a compressed byte takes the whole one.
        compressed = -int(-logical_bytes // ratio)
        if compressed <= _EMBEDDED_BYTES:
            return 0
        tops = [v.top for v, __ in self._normal]
        least = min([(top.group_data if top.kind is VdevKind.DRAID else 1) << self.ashift for top in tops])
        rounded = least if compressed <= least else round_up(compressed, least)
        saves = compressed <= logical_bytes - logical_bytes // _LEAST_SAVING
        return rounded if saves and rounded < logical_bytes else logical_bytes


def _nominal(vdev: EqualTopVdevs) -> float:
    top = vdev.top
    if top.kind is VdevKind.MIRROR:
        return 1 / top.width
    if top.kind is VdevKind.DRAID:
        return top.group_data / (top.group_data + top.parity)
    return (top.width - top.parity) / top.width


def _dataset(content: StoredContent, costs: _Costs) -> DatasetUsage:
    low, typical, high = (_data(content, costs, ratio) for ratio in content.ratios())
    metadata = _metadata(content, costs)
    # Rounding to sectors makes a better ratio dearer in no case, but equal ones may meet in the middle.
    data = _estimate([min(low.charged, typical.charged), typical.charged, max(typical.charged, high.charged)])
    on_special = sorted((low.special, typical.special, high.special))
    meta = _estimate([metadata / _METADATA_DOUBT, metadata, metadata * _METADATA_DOUBT])
    if costs.special_bytes is not None:
        on_special = [a + b for a, b in zip(on_special, band_of(meta), strict=True)]
    return DatasetUsage(
        content=content,
        data=data,
        metadata=meta,
        used=_estimate(sums_of((band_of(data), band_of(meta)))),
        special=_estimate(on_special),
        disk_bytes=typical.disk,
        ideal_disk_bytes=typical.ideal,
    )


def _files(content: StoredContent) -> tuple[float, int]:
    if content.volume or content.file_bytes is None:
        return (1.0 if content.logical_bytes else 0.0), content.logical_bytes
    return content.logical_bytes / content.file_bytes, content.file_bytes


def _blocks(content: StoredContent, ratio: float | None) -> list[tuple[int, float, float]]:
    files, size = _files(content)
    if not size:
        return []
    if not content.volume and size <= content.block_bytes:
        return [(round_up(size, 512), size, files)]
    whole, rest = divmod(size, content.block_bytes)
    blocks = [(content.block_bytes, float(content.block_bytes), files * whole)]
    if rest:
        # The last record is padded with zeros, which only compression takes away again.
        blocks.append((content.block_bytes if ratio is None else round_up(rest, 512), rest, files))
    return blocks


@dataclass(frozen=True, slots=True)
class _Data:
    """Bytes charged for data, the part of them on special vdevs, and what they take on all disks, ideally too."""

    charged: float
    special: float
    disk: float
    ideal: float


def _data(content: StoredContent, costs: _Costs, ratio: float | None) -> _Data:
    total = on_special = disk = ideal = 0.0
    for logical, payload, number in _blocks(content, ratio):
        physical = costs.physical(logical, ratio)
        # spa_preferred_class: by the size after compression, so half-full records go there as well.
        special = costs.special_bytes is not None and 0 < physical <= content.special_small_bytes
        charged = number * content.copies * costs.charged(physical, special=special)
        total += charged
        on_special += charged if special else 0.0
        disk += number * content.copies * costs.on_disks(physical, special=special)
        ideal += number * content.copies * costs.ideal(min(physical, payload / (ratio or 1)), special=special)
    return _Data(total, on_special, disk, ideal)


def _metadata(content: StoredContent, costs: _Costs) -> float:
    files, size = _files(content)
    # redundant_metadata=all: one copy more than the data have, three at most (dmu.c: dmu_write_policy).
    copies, special = min(content.copies + 1, _MOST_COPIES), costs.special_bytes is not None
    least = 1 << costs.ashift
    # Indirect blocks form a tree of 1024 pointers a block: each level is a thousandth of the one below.
    # Dnodes and directory entries of many files share blocks; each costs its part of the smallest block.
    total = 0.0 if content.volume else files * _FILE_METADATA_BYTES * costs.charged(least, special=special) / least
    count = -(-size // content.block_bytes)
    while count > 1:
        full, rest = divmod(count, POINTERS_PER_INDIRECT)
        for pointers, blocks in ((POINTERS_PER_INDIRECT, full), (rest, 1 if rest else 0)):
            if blocks:
                physical = min(LARGEST_INDIRECT_BYTES, round_up(_POINTER_BYTES * pointers + _INDIRECT_BASE, least))
                total += files * blocks * costs.charged(physical, special=special)
        count = full + (1 if rest else 0)
    return total * copies


def _estimate(values: Sequence[float]) -> Estimate:
    return banded(values, _("block sizes and compression"), _ORIGIN)


# What lies in the datasets of a design, with the properties in force on each: the input of `predict_usage`.

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
        raise out_of_range(numeral(compress_ratio, "g"), 1, of="compress_ratio")
    resolver, datasets = Resolver(design), all_datasets(design)
    holders = frozenset(dataset.name.rpartition("/")[0] for dataset in datasets) | {""}
    return tuple(
        _of(design, dataset, resolver, compress_ratio, holds_others=dataset.name in holders) for dataset in datasets
    )


def _of(
    design: Design, dataset: Dataset, resolver: Resolver, ratio: float | None, *, holds_others: bool
) -> DatasetContent:
    volume = dataset.volume_bytes is not None
    workload, __ = workload_of(dataset, design.workload)
    where = f"{design.pool_name}/{dataset.name}".rstrip("/")

    def size(name: str) -> int:
        return _size(name, resolver.value(dataset, name), where)

    block = size("volblocksize" if volume else "recordsize")
    logical, notes = _logical(dataset, holds_others=holds_others)
    content = None
    if logical is not None:
        typical, band, more = _compression(resolver.value(dataset, "compression"), workload, ratio, design.version)
        files = None if volume else _file_bytes(dataset, workload, design.workload)
        content = StoredContent(
            name=where,
            logical_bytes=logical,
            block_bytes=block,
            file_bytes=files,
            volume=volume,
            compress_ratio=typical,
            ratio_band=band,
            copies=size("copies"),
            # Blocks of volumes stay off special vdevs before 2.4 (openzfs/zfs#14876).
            special_small_bytes=0 if volume and design.version < V24 else size("special_small_blocks"),
        )
        if logical:
            notes.extend(more)
            if files is None and not volume:
                notes.append(_("The size of its files is unknown: counted as few large ones."))
            if meaning("dedup", resolver.value(dataset, "dedup"), design.version) != "off":
                notes.append(_("What dedup saves is not counted."))
    notes.extend(_quota_notes(resolver, dataset, logical))
    return DatasetContent(
        dataset=dataset,
        workload=workload,
        block_bytes=block,
        content=content,
        uncounted=content is None and not holds_others,
        thick=volume and resolver.value(dataset, "refreservation") == "auto",
        reserved_bytes=size("refreservation") or None,
        subtree_bytes=size("reservation") or None,
        notes=tuple(notes),
    )


def _logical(dataset: Dataset, *, holds_others: bool) -> tuple[int | None, list[str]]:
    logical, size = dataset.logical_bytes, dataset.volume_bytes
    if logical is None:
        return None, [] if holds_others else [_("How much will lie in it is unknown: not counted.")]
    if size is not None and logical > size:
        return size, [
            _(
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


_LIKE = {"recordsize": "128K", "volblocksize": "16K", "special_small_blocks": "0, 32K", "copies": "1, 2, 3"}


def _size(name: str, value: str, where: str) -> int:
    """Return a number that a property has, 0 for none; raises UserError for what OpenZFS would refuse."""
    size = 0 if name.endswith("reservation") and value in ("none", "auto") else space_bytes(value)
    block = name in ("recordsize", "volblocksize")
    if (
        size is None
        or (block and (size < 512 or size.bit_count() != 1))
        or (name == "copies" and value not in ("1", "2", "3"))
    ):
        raise UserError(looks_like(f"{name}={value}", f"{name}={_LIKE.get(name, 'none, 100G')}"), where=where)
    return size


def _compression(
    value: str, workload: Workload, ratio: float | None, version: ZfsVersion
) -> tuple[float | None, tuple[float, float] | None, list[str]]:
    """Return the typical ratio (None: off), the lowest and highest, and what to say of it."""
    if meaning("compression", value, version) == "off":
        return None, None, []
    if workload.compressible is False:
        return 1.0, None, []
    if workload.compressible is None:
        note = _("Whether it compresses is unknown: counted as if it did not.")
        return 1.0, (1.0, COMPRESSIBLE_RATIO), [note]
    if ratio is not None:
        return ratio, None, []
    text, (low, high) = (N_("Assumed to compress by {ratio:g} ({low:g} to {high:g})."), COMPRESSIBLE_BAND)
    note = _(text, ratio=COMPRESSIBLE_RATIO, low=low, high=high)
    return COMPRESSIBLE_RATIO, COMPRESSIBLE_BAND, [note]


def _quota_notes(resolver: Resolver, dataset: Dataset, logical: int | None) -> list[str]:
    if dataset.volume_bytes is not None or not logical:
        return []
    notes = []
    for name in ("quota", "refquota"):
        limit = space_bytes(resolver.value(dataset, name))
        if limit and limit < logical:
            notes.append(
                _("Its {name} of {limit} may be reached before all of it is written.", name=name, limit=binary(limit))
            )
    return notes
