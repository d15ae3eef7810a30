"""What zdb counts of the blocks of a pool: by size, and those that stand twice."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupSide:
    """One half of the last line: blocks, their bytes before (LSIZE) and after compression (PSIZE), and on disk (DSIZE).

    The bytes on disk count copies and parity.
    """

    blocks: int
    logical_bytes: int
    physical_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupCount:
    """What is stored once (``allocated``) and what was written (``referenced``); as sharp as printed: three digits.

    ``dedup``, ``compress`` and ``copies`` are the factors of the line below it, None where it is missing; ``together``
    is what zdb makes of all three before it rounds them. The bytes of the table are that of `zdb -DD`, else that of
    `zpool status -D`, else None. ``added_up`` tells that the total was cut off and the rows were added up.
    """

    allocated: DedupSide
    referenced: DedupSide
    simulated: bool
    dedup: float | None = None
    compress: float | None = None
    copies: float | None = None
    together: float | None = None
    table_disk_bytes: int | None = None
    table_core_bytes: int | None = None
    added_up: bool = False

    @property
    def factor(self) -> float:
        """How often a byte on disk is used: as printed, else what was written over what is stored."""
        if self.dedup is not None:
            return self.dedup
        return self.referenced.disk_bytes / self.allocated.disk_bytes if self.allocated.disk_bytes else 1.0
