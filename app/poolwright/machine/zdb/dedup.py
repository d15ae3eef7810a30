"""Takes from `zdb -S` (simulated), `zdb -DD` and `zpool status -D` what the advice on deduplication needs."""

from poolwright.domain.block_counts import DedupCount
from poolwright.domain.dedup_text import read_dedup_histogram


def read_dedup_count(text: str) -> DedupCount:
    """Return what zdb or zpool counted. Raises UserError where there is no histogram, or none with a row."""
    found = read_dedup_histogram(text)
    return DedupCount(
        unique_blocks=found.allocated.blocks,
        referenced_blocks=found.referenced.blocks,
        unique_logical_bytes=found.allocated.logical_bytes,
        referenced_logical_bytes=found.referenced.logical_bytes,
        factor=found.factor,
        simulated=found.simulated,
        on_disk_bytes=found.table_disk_bytes,
        in_core_bytes=found.table_core_bytes,
        compress=found.compress,
        copies=found.copies,
        together=found.together,
    )
