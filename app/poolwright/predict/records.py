"""What a pool is asked to do: how large requests are, and how large the records that hold the data."""

from dataclasses import replace

from poolwright.domain.dataset_values import block_bytes
from poolwright.domain.design import Dataset, Design
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.inheritance import Resolver
from poolwright.domain.units import KIB, MIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.circumstances import PoolLoad
from poolwright.predict.throughput import BASE_RECORD_BYTES
from poolwright.rules.dataset_plan import planned_datasets

# Volumes have blocks of 16K unless told (zfsprops(7), since OpenZFS 2.2), databases records of a page.
VOLUME_BLOCK_BYTES = PAGE_BYTES = 16 * KIB
_SMALL = (16 * KIB, 32 * KIB, 64 * KIB)
# Data whose records follow from what they are, not from the size of requests (rules/presets.toml).
_BY_USE = {"database": PAGE_BYTES, "home-directories": BASE_RECORD_BYTES}


def load_for(workload: Workload, version: ZfsVersion) -> PoolLoad:
    """Return the load of ``workload`` on records as the rules propose them for it."""
    return _load(workload, usual_record(workload), version)


def load_of(design: Design) -> PoolLoad:
    """Return the load of a design's workload, on the records of the dataset that holds most of its data.

    A pool in use has been written, changed and deleted from.
    """
    told, full = _record_told(design), min(100, design.in_use_percent or 0)
    load = _load(design.workload, told or usual_record(design.workload), design.version)
    return replace(load, encrypted=bool(encryption_roots(design)), fill_percent=float(full), aged=full > 0)


def usual_record(workload: Workload) -> int:
    """Return the recordsize or volblocksize that the rules propose for ``workload`` (rules/properties.toml)."""
    asked = workload.io_size_bytes
    if workload.volumes:
        least = max(asked or 0, VOLUME_BLOCK_BYTES)
        return min(1 << (least - 1).bit_length(), BASE_RECORD_BYTES)  # OpenZFS takes powers of two
    by_use = _BY_USE.get(workload.preset or "")
    if by_use is not None:
        return by_use
    if asked is None:
        return MIB if workload.goal is Goal.SPEED else BASE_RECORD_BYTES
    if asked > BASE_RECORD_BYTES:
        return MIB if asked >= MIB else MIB // 2
    if asked <= _SMALL[-1] and workload.sequential_percent is not None and workload.sequential_percent < 50:
        return next(size for size in _SMALL if asked <= size)
    return BASE_RECORD_BYTES


def _load(workload: Workload, record: int, version: ZfsVersion) -> PoolLoad:
    # Where nobody said how large requests are, those of designs with other records still compare.
    asked = workload.io_size_bytes or BASE_RECORD_BYTES
    request = None if asked == record else asked
    return PoolLoad(record_bytes=record, request_bytes=request, clients=workload.clients, version=version)


def _record_told(design: Design) -> int | None:
    """Return the records in force where most data lie; None where no dataset is told, or its size makes no sense.

    Where nobody said how much lies where, it is the dataset made for the workload, else the root.
    """
    stored = [d for d in design.datasets if (d.logical_bytes or d.volume_bytes or 0) > 0]
    if stored:
        largest = max(stored, key=lambda d: d.logical_bytes or d.volume_bytes or 0)
        return _block(design, largest)
    if design.workload.volumes:
        return None
    made = {d.name: d for d in design.datasets}
    names = [planned.name for planned in planned_datasets(design.workload)][:1]
    main = next((made[name] for name in (*names, "") if name in made), None)
    return None if main is None else _block(design, main)


def _block(design: Design, dataset: Dataset) -> int | None:
    name = "recordsize" if dataset.volume_bytes is None else "volblocksize"
    size = block_bytes(Resolver(design).value(dataset, name))
    return size if size and size >= 512 and not size & (size - 1) else None
