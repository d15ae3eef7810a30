"""What zdb counts of the blocks of a pool: by size, and those that stand twice."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupCount:
    """What `zdb -S` (simulated) or `zdb -DD` (real) counted of a pool.

    ``unique_blocks`` are stored, ``referenced_blocks`` written; the bytes are logical, before compression.
    ``on_disk_bytes`` and ``in_core_bytes`` are the size of the table where zdb tells it, ``compress`` and ``copies``
    the factors of its last line, ``together`` what it prints of dedup * compress / copies.
    """

    unique_blocks: int
    referenced_blocks: int
    unique_logical_bytes: int
    referenced_logical_bytes: int
    factor: float
    simulated: bool
    on_disk_bytes: int | None = None
    in_core_bytes: int | None = None
    compress: float | None = None
    copies: float | None = None
    together: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockClass:
    """Blocks of ``size_bytes`` up to just below twice that: how many, and their bytes after compression together."""

    size_bytes: int
    count: int
    physical_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCount:
    """What `zdb -Lbbbs` counted of a pool: its metadata with all their copies, and every block by size.

    ``metadata_physical_bytes`` are one copy of ``metadata_blocks`` after compression, ``metadata_bytes`` what they
    take with parity and copies, ``data_logical_bytes`` the data as programs count them.
    """

    metadata_blocks: int
    metadata_physical_bytes: int
    metadata_bytes: int
    data_logical_bytes: int
    classes: tuple[BlockClass, ...]
