"""How much room the data of a pool take in another layout: what raidz charges small blocks is not the same there."""

from collections.abc import Sequence

from poolwright.capacity.allocation import allocated_bytes, deflate_ratio, deflated
from poolwright.changes.migration.values import OldData
from poolwright.domain.design import Design
from poolwright.domain.existing_pool import ExistingDataset, ExistingPool
from poolwright.domain.units import KIB, parse_block_size
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec

_DEFAULT_RECORD = 128 * KIB
_PARTS = ("usedbydataset", "usedbysnapshots", "usedbyrefreservation")


def needed_bytes(old: OldData, known: ExistingPool | None, target: Design) -> int | None:
    """Return the bytes that the data will be charged with in ``target``; None where unknown.

    Where the datasets were read, each is charged by its block size in the worst vdev of the new pool against the
    mildest of the old one; files smaller than a record may take more. What was told for the migration is taken as it
    is.
    """
    if old.used_bytes is None or known is None or not known.datasets or old.filesystem is not None:
        return old.used_bytes
    root = next((d for d in known.datasets if d.name == known.name), None)
    if root is None or root.number("used") != old.used_bytes:
        return old.used_bytes
    more = sum(_more(dataset, old.design, target) for dataset in known.datasets)
    return old.used_bytes + max(0, more)


def _more(dataset: ExistingDataset, old: Design, target: Design) -> int:
    """Return by how many bytes one dataset is charged more in the new layout than in the old."""
    held = sum(dataset.number(part) or 0 for part in _PARTS)
    block = _block(dataset)
    before = min(_charge(spec, old.ashift, block) for spec in _data(old))
    after = max(_charge(spec, target.ashift, block) for spec in _data(target))
    return round(held * (after / before - 1)) if before else 0


def _block(dataset: ExistingDataset) -> int:
    text = dataset.value("volblocksize" if dataset.kind == "volume" else "recordsize")
    if text is None:
        return _DEFAULT_RECORD
    return int(text) if text.isdecimal() else parse_block_size(text)


def _charge(spec: VdevSpec, ashift: int, block: int) -> float:
    """Return what `zfs list` charges for each byte of blocks of this size."""
    shape = (spec.kind, spec.width, spec.parity, spec.group_data if spec.kind is VdevKind.DRAID else 1, ashift)
    return deflated(allocated_bytes(*shape, block), deflate_ratio(*shape)) / block


def _data(design: Design) -> Sequence[VdevSpec]:
    return [vdev.sizeless() for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]
