"""Partitions of a disk that is shared by several vdevs: where they begin and what room there is for them."""

from poolwright.domain.units import MIB

# Partitions begin on whole MiB; the first MiB holds the partition table, the last its copy.
SLICE_STEP_BYTES = MIB


def sliceable_bytes(size_bytes: int) -> int:
    """Return the bytes of a disk of ``size_bytes`` that partitions can have together, in whole MiB."""
    return max(0, size_bytes // SLICE_STEP_BYTES - 2) * SLICE_STEP_BYTES


def whole_slice(wanted_bytes: int) -> int:
    """Return the largest size of a partition of at most ``wanted_bytes``."""
    return wanted_bytes // SLICE_STEP_BYTES * SLICE_STEP_BYTES
