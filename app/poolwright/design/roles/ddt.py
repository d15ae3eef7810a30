"""How large a dedup table is: entries times the size of one, on disk and in RAM.

Measured on OpenZFS 2.3.2 (tests/design/ddt-of-our-machine.tsv, tables of 20,000 to 100,000 entries): fast dedup takes
389 to 404 bytes an entry on disk with all copies and its log, 188 to 246 in core; the older table 250 to 262 and 153 to
164. Aged pools elsewhere show 463 to 494 bytes on disk for the older one, and OpenZFS counts 320 bytes of RAM for an
entry in use.
"""

from dataclasses import dataclass

from poolwright.design.roles.words import estimate
from poolwright.domain.block_counts import DedupCount
from poolwright.domain.estimate import Estimate
from poolwright.domain.version import ZfsVersion
from poolwright.texts import marked, tell

FAST_SINCE = ZfsVersion(2, 3, 0)
THESIS_RAM_PER_TB = 5_000_000_000  # rules/tables/dedup.csv
_TB = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrySize:
    """Bytes of one entry: low, typical, high on disk and in RAM, and where they come from."""

    disk: tuple[float, float, float]
    core: tuple[float, float, float]
    source: str


LEGACY = EntrySize(
    disk=(250.0, 320.0, 494.0),
    core=(150.0, 320.0, 448.0),
    source=marked(
        "320 bytes in RAM for an entry (OpenZFS documentation, Workload Tuning, Deduplication; 144 to 448 seen), "
        "320 on disk: 250 in a new pool (measured on 2.3.2), 494 in aged ones"
    ),
)
FAST = EntrySize(
    disk=(330.0, 400.0, 450.0),
    core=(185.0, 240.0, 315.0),
    source=marked("entries of fast dedup measured on OpenZFS 2.3.2: 400 bytes on disk with all copies, 240 in RAM"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """A dedup table: entries, and the bytes of all of them on disk (one copy) and in RAM."""

    entries: Estimate
    disk: Estimate
    core: Estimate


def entry_size(version: ZfsVersion) -> EntrySize:
    """Return the size of an entry of a table that this version creates in a new pool."""
    return FAST if version >= FAST_SINCE else LEGACY


def table_of(*, logical_bytes: float, block_bytes: int, factor: float, version: ZfsVersion) -> TableSize:
    """Return the table of ``logical_bytes`` in blocks of ``block_bytes`` that occur ``factor`` times on average.

    Low has a tenth fewer entries, high twice as many: the last block of a file and small files make blocks smaller.
    """
    entries = logical_bytes / block_bytes / max(1.0, factor)
    return _table((entries * 0.9, entries, entries * 2), version, tell("logical bytes / block size / duplicates"))


def table_counted(count: DedupCount, version: ZfsVersion, *, scale: float = 1.0) -> TableSize:
    """Return the table of a pool that zdb counted, ``scale`` times its data."""
    entries = count.unique_blocks * scale
    return _table((entries * 0.9, entries, entries * 1.1), version, tell("blocks that zdb counted"))


def thesis_ram_bytes(data_bytes: float) -> float:
    """Return the RAM of the rule of 5 GB for each TB of deduplicated data (thesis, chapter 5.4)."""
    return data_bytes / _TB * THESIS_RAM_PER_TB


def _table(entries: tuple[float, float, float], version: ZfsVersion, how: str) -> TableSize:
    each = entry_size(version)

    def times(size: tuple[float, float, float]) -> Estimate:
        low, typical, high = (n * s for n, s in zip(entries, size, strict=True))
        return estimate((low, typical, high), limit=tell("unique blocks"), source=f"{how}; {tell(each.source)}")

    return TableSize(
        entries=estimate(entries, limit=tell("unique blocks"), source=how), disk=times(each.disk), core=times(each.core)
    )
