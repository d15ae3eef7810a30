"""How much of a pool's space the workload's own blocks fill with data: `zfs list` counts all in blocks of 128 KiB."""

from collections.abc import Iterable
from functools import lru_cache

from poolwright.capacity.allocation import DEFLATE_BLOCK_BYTES, allocated_bytes
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Workload

DEFAULT_RECORD_BYTES = 128 * KIB
DEFAULT_VOLUME_BLOCK_BYTES = 16 * KIB
LARGE_RECORD_BYTES = MIB


def block_bytes(workload: Workload) -> int:
    """Return the size of block in which the workload's data will lie, before compression.

    What compression saves is no room to plan with: a block that shrinks is still rounded up to whole sectors.
    A volume's blocks have the size of its I/O; a database's records too. Other files have records of 1 MiB where
    they are read in such pieces, of 128 KiB otherwise, and one block of their own size where they are smaller.
    """
    io_bytes = workload.io_size_bytes
    if workload.volumes:
        return min(io_bytes or DEFAULT_VOLUME_BLOCK_BYTES, DEFAULT_RECORD_BYTES)
    if workload.preset == "database" and io_bytes is not None:
        return min(io_bytes, DEFAULT_RECORD_BYTES)
    if io_bytes is not None and io_bytes >= LARGE_RECORD_BYTES:
        return LARGE_RECORD_BYTES
    return min(DEFAULT_RECORD_BYTES, workload.typical_file_bytes or DEFAULT_RECORD_BYTES)


@lru_cache(maxsize=1 << 11)
def filled(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int, block: int) -> float:
    """Return the bytes of such blocks that a vdev holds for each byte that `zfs list` counts as usable."""
    usual = allocated_bytes(kind, width, parity, group_data, ashift, DEFLATE_BLOCK_BYTES) / DEFLATE_BLOCK_BYTES
    here = allocated_bytes(kind, width, parity, group_data, ashift, block) / block
    return usual / here


def mean_filled(parts: Iterable[tuple[float, float]]) -> float:
    """Return the mean of ``filled`` over vdevs, given with their usable bytes."""
    known = tuple(parts)
    total = sum([usable for usable, _ in known])
    return sum([usable * share for usable, share in known]) / total if total else 1.0
