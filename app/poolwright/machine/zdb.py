"""What zdb prints: blocks by type and size (-Lbbbs), where they lie (-ddddd), space (-b, -m), deduplication."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from poolwright.domain.block_counts import BlockClass, BlockCount, DedupCount, DedupSide
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.machine.json_values import ROUNDED, cut_notes, nothing_of, size
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext

_N = r"([0-9]{1,20}(?:\.[0-9]{1,20})?[KMGTPE]?)"
# Blocks, LSIZE, PSIZE, ASIZE; then avg, comp and share, which are not needed; the type, perhaps behind a level.
_TYPE = re.compile(rf"{_N}\s+{_N}\s+{_N}\s+{_N}\s+\S+\s+\S+\s+[0-9.]+\s+(?:L([0-9]{{1,3}}) )?(\S.*)$")
_BUCKET = re.compile(rf"{_N}:\s+{_N}\s+{_N}\s+{_N}(?!\S)")
_DATA = ("ZFS plain file", "zvol object")  # for machines


class _Row(NamedTuple):
    """A line of the table of types; ``level`` is None where it tells all levels together."""

    level: int | None
    name: str
    blocks: float
    logical: float
    physical: float
    allocated: float


def read_block_count(text: str) -> BlockCount:
    """Return what zdb counted; raises UserError where the table of types or the histogram is missing.

    Newer releases print the total of metadata; of older ones the types that are no data are added up.
    """
    table, mark, histogram = text.partition("Block Size Histogram")
    buckets = [[round(size(number) or 0.0) for number in match.groups()] for match in _matches(_BUCKET, histogram)]
    classes = tuple(BlockClass(size_bytes=of, count=n, physical_bytes=physical) for of, n, physical, __ in buckets)
    if not mark or not classes:
        raise nothing_of("zdb -Lbbbs", "", "zdb -Lbbbs POOL")  # for machines
    rows = [_row(match) for match in _matches(_TYPE, table)]
    metadata = [row for row in rows if row.level is None and row.name == "Metadata Total"] or _metadata(rows)
    if not metadata:
        raise nothing_of("zdb -Lbbbs", "", "zdb -Lbbbs POOL")  # for machines
    return BlockCount(
        metadata_blocks=round(sum(row.blocks for row in metadata)),
        metadata_physical_bytes=round(sum(row.physical for row in metadata)),
        metadata_bytes=round(sum(row.allocated for row in metadata)),
        data_logical_bytes=round(sum(row.logical for row in _data(rows))),
        classes=tuple(found for found in classes if found.count),
    )


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what the lines of ``text`` say, blanks around them aside."""
    found = (pattern.match(line.strip()) for line in text.splitlines())
    return (match for match in found if match is not None)


def _metadata(rows: list[_Row]) -> list[_Row]:
    """Return the rows that make up the metadata: all types but data, and the indirect blocks of the data."""
    plain = [row for row in rows if row.level is None and row.name not in (*_DATA, "Total")]
    return plain + [row for row in rows if row.level and row.name in _DATA]


def _data(rows: list[_Row]) -> list[_Row]:
    """Return the rows of data blocks: level 0 where levels are told apart, which they are not where there is one."""
    found = []
    for name in _DATA:
        mine = [row for row in rows if row.name == name]
        found += [row for row in mine if row.level == 0] or mine
    return found


def _row(match: re.Match[str]) -> _Row:
    *numbers, level, name = match.groups()
    return _Row(None if level is None else int(level), name, *(size(number) or 0.0 for number in numbers))


# Reads where the blocks of files lie (`zdb -ddddd POOL`) and tells how far the used space is fragmented.

_FILE = b"Indirect blocks"
_MEASURED_BLOCKS_DATA = b"L0"
_HEX = re.compile(rb"[0-9A-Fa-f]{0,16}")


def _number(text: bytes) -> int:
    """Return the hexadecimal number that ``text`` begins with, 0 where there is none, as gawk does."""
    found = _HEX.match(text)
    return int(found[0] or b"0", 16) if found is not None else 0


def read_zdb_blocks(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return how many blocks of files do not follow the one before them. Raises UserError where no block is listed.

    Lines count as in the script: also those that tell no place, such as that of a hole.
    """
    count: Counter[str] = Counter()
    after = nowhere = 0  # where the block before ended; how many lines tell no place
    *lines, rest = data.split(b"\n")
    cut = _MEASURED_BLOCKS_DATA in rest and len(rest.split()) < 4
    for line in lines if cut else (*lines, rest):
        if _FILE in line:
            count["files"] += 1
            after = 0
        if _MEASURED_BLOCKS_DATA in line:
            words = line.split(None, 3)
            __, *place = words[2].split(b":") if len(words) > 2 else [b""]
            start, length = (_number(place[index]) if index < len(place) else 0 for index in (0, 1))
            count["blocks"] += 1
            nowhere += len(place) < 2
            if after:
                count["contiguous_blocks" if start == after else "fragmented_blocks"] += 1
            after = start + length
    if not count["files"] or not count["blocks"]:
        raise nothing_of("zdb -ddddd", where, "zdb -ddddd POOL")  # for machines
    names = ("files", "blocks", "fragmented_blocks", "contiguous_blocks")  # for machines
    facts: list[tuple[str, float]] = [(name, count[name]) for name in names]
    notes = []
    compared = count["fragmented_blocks"] + count["contiguous_blocks"]
    if compared:
        facts.append(("used_fragmented_percent", count["fragmented_blocks"] * 100 / compared))
        facts.append(("used_contiguous_percent", count["contiguous_blocks"] * 100 / compared))
    else:
        notes.append(_("No file has two blocks: there is nothing that could be fragmented."))
    if nowhere:
        notes.append(
            ngettext(
                "One line with L0 tells no place on disk (a hole, embedded data) and counts as a block.",
                "{count} lines with L0 tell no place on disk (holes, embedded data) and count as blocks.",
                nowhere,
            )
        )
    notes += cut_notes(cut)
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=tuple(facts), notes=tuple(notes)),)


# The histogram of blocks by references that `zdb -S` (simulated), `zdb -DD` and `zpool status -D` print.

_REAL = r"([0-9]{1,20}(?:\.[0-9]{1,20})?[BKMGTPE]?)"
_COUNT = r"([0-9]{1,20})"
_HEAD = re.compile(r"^[ \t]*+refcnt[ \t]+blocks[ \t]+LSIZE", re.MULTILINE)
_TOTAL = re.compile(r"^[ \t]*+Total[ \t]+" + r"[ \t]+".join([_REAL] * 8) + r"[ \t\r]*+$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*+[0-9]++[KMGTPE]?[ \t]+" + r"[ \t]+".join([_REAL] * 8) + r"[ \t\r]*+$", re.MULTILINE)
_RATIO = r"([0-9]{1,9}\.[0-9]{1,9})"
# A listing in a document may count its lines.
_FACTOR = re.compile(
    rf"^(?:[0-9]{{1,4}} )?dedup = {_RATIO}"
    rf"(?:, compress = {_RATIO}, copies = {_RATIO}(?:, dedup \* compress / copies = {_RATIO})?)?",
    re.MULTILINE,
)
# OpenZFS 2.3: bytes of the whole table. Before: bytes of an entry.
_TABLE = re.compile(rf"^DDT-[^\s:]++: dspace={_COUNT}; mspace={_COUNT}; entries={_COUNT}[ \t\r]*+$", re.MULTILINE)
_ENTRIES = re.compile(
    rf"^DDT-[^\s:]++: {_COUNT} entries, size {_COUNT} on disk, {_COUNT} in core[ \t\r]*+$", re.MULTILINE
)
_STATUS = re.compile(rf"DDT entries {_COUNT}, size {_REAL}B? on disk, {_REAL}B? in core(, {_REAL}B? cached)?")


def read_dedup_count(text: str, where: str = "") -> DedupCount:
    """Return the last histogram in ``text``, which is the one of all tables.

    Raises UserError where there is none, and where it has no row: zdb prints neither a total nor factors then.
    """
    total, added_up = _total(text)
    if total is None and _HEAD.search(text):
        raise UserError(
            _("The dedup histogram is empty: not one block was counted, and no ratio follows from that"),
            where=where or None,
            todo=_("Run it on a pool that holds data, and let it end; zdb -DD needs a dataset with dedup on."),
        )
    if total is None:
        raise nothing_of("zdb -S", where, "zdb -S POOL, zdb -DD POOL or zpool status -D POOL")  # for machines
    found = _FACTOR.findall(text)
    factors = tuple(float(number) if number else None for number in found[-1]) if found else (None, None, None, None)
    dedup, compress, copies, together = factors
    disk, core = _table_bytes(text)
    return DedupCount(
        allocated=_side(total[:4]),
        referenced=_side(total[4:]),
        simulated="Simulated" in text,
        dedup=dedup,
        compress=compress,
        copies=copies or None,
        together=together,
        table_disk_bytes=disk,
        table_core_bytes=core,
        added_up=added_up,
    )


def _side(numbers: tuple[float, ...]) -> DedupSide:
    blocks, logical, physical, disk = map(round, numbers)
    return DedupSide(blocks=blocks, logical_bytes=logical, physical_bytes=physical, disk_bytes=disk)


def _total(text: str) -> tuple[tuple[float, ...] | None, bool]:
    """Return the eight numbers of the last total line; the rows added up where it was cut off, and whether."""
    totals = _TOTAL.findall(text)
    if totals:
        return _values(totals[-1]), False
    rows = [_values(row) for row in _ROW.findall(text)]
    return (tuple(sum(column) for column in zip(*rows, strict=True)) if rows else None), True


def _values(groups: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(size(number) or 0.0 for number in groups)


def _table_bytes(text: str) -> tuple[int | None, int | None]:
    # With -DDD each table is printed again above its histogram: every line counts once.
    tables = dict.fromkeys(_TABLE.findall(text))
    if tables:
        return sum(int(disk) for disk, __, __ in tables), sum(int(core) for __, core, __ in tables)
    entries = dict.fromkeys(_ENTRIES.findall(text))
    if entries:
        return sum(int(n) * int(disk) for n, disk, __ in entries), sum(int(n) * int(core) for n, __, core in entries)
    status = _STATUS.search(text)
    if status is None:
        return None, None
    number = int(status.group(1))
    disk, core = (size(status.group(i)) or 0.0 for i in (2, 3))
    each = 1 if status.group(4) else number  # before 2.3 it prints the size of an entry
    return round(disk * each), round(core * each)


_OF_A_SIDE = ("blocks", "logical_bytes", "physical_bytes", "disk_bytes")


def read_zdb_dedup(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the factors and the totals. Raises UserError where there is no histogram, or an empty one."""
    found = read_dedup_count(data.decode("utf-8", errors="replace"), where)
    figures: dict[str, float | None] = {
        "dedup_ratio": found.factor,
        "compress_ratio": found.compress,
        "copies": found.copies,
        "together_ratio": found.together,
    }
    for name, side in (("allocated", found.allocated), ("referenced", found.referenced)):
        figures |= {f"{name}_{part}": getattr(side, part) for part in _OF_A_SIDE}
    figures |= {"table_disk_bytes": found.table_disk_bytes, "table_core_bytes": found.table_core_bytes}
    facts = tuple((name, float(value)) for name, value in figures.items() if value is not None)
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=facts, notes=tuple(_notes(found))),)


def _notes(found: DedupCount) -> list[str]:
    notes = [_(ROUNDED)]
    if found.simulated:
        notes.append(_("Simulated: what deduplication would do if all data were written with it."))
    notes.append(_("poolwright flash DESIGN --zdb FILE tells what it is worth and the memory of its table."))
    if found.added_up:
        notes.append(_("The line with the totals is missing: its rows are added up."))
    if found.dedup is None:
        notes.append(_("No ratio is printed: it is the bytes on disk that are referenced, over the allocated."))
    return notes


# Reads what zdb counted of a pool's space: all its blocks together (`zdb -b`), and its metaslabs (`zdb -m`, `-mm`).

_NAMES: dict[str, str] = shipped("zpool")["block_sums"]
_COUNTED = re.compile(rf"^[ \t]*({'|'.join(_NAMES)}):[ \t]+([0-9]{{1,20}})(?![0-9])", re.MULTILINE)
_WHOLE = 100  # per cent; unknown is 2^64 - 1 (ZFS_FRAG_INVALID)
_VDEV = re.compile(r"^[ \t]*vdev[ \t]+([0-9]{1,9})(?![0-9])", re.MULTILINE)
_METASLAB = re.compile(r"^[ \t]*metaslab[ \t]+[0-9]{1,9}[ \t]+offset[ \t].*[ \t]free[ \t]+([0-9.]+[KMGTPEB]?)[ \t\r]*$")
_FRAGMENTED = re.compile(r"^[ \t]*On-disk histogram:[ \t]+fragmentation[ \t]+([0-9]{1,20})[ \t\r]*$")
_LOG = re.compile(r"^[ \t]*Log Space", re.MULTILINE | re.IGNORECASE)  # changes not yet in the maps of the metaslabs
_STORED = re.compile(r"^[ \t]*smp_alloc = 0x([0-9a-fA-F]{1,16})[ \t\r]*$")


def read_zdb_block_sum(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the totals of `zdb -b` as facts, in blocks and bytes. Raises UserError where there are none."""
    text = data.decode("utf-8", errors="replace")
    facts = tuple((_NAMES[match[1]], float(match[2])) for match in _COUNTED.finditer(text))
    if not facts:
        raise nothing_of("zdb -b", where, "zdb -b POOL")  # for machines
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=facts),)


def read_zdb_metaslabs(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return of each vdev how many metaslabs it has, what is free and stored in them, and their fragmentation.

    The fragmentation, per cent, is that of the free space: the mean of the metaslabs, as
    ``metaslab_group_fragmentation`` of OpenZFS has it: one that was never written to (which prints none) has 0, one
    whose fragmentation is not known is left out, and where half of them are, nothing is told. Only -mm
    prints it. Raises UserError where there is no metaslab.
    """
    text = data.decode("utf-8", errors="replace")
    # What stands before the first vdev, then by turns the number of a vdev and what is said of it.
    __, *parts = _VDEV.split(_LOG.split(text)[0])
    facts = tuple(
        fact for vdev, said in zip(parts[::2], parts[1::2], strict=True) for fact in _of_vdev(int(vdev), said)
    )
    if not facts:
        raise nothing_of("zdb -m", where, "zdb -mm POOL")  # for machines
    notes = (_("This is the fragmentation of free space; zdb -ddddd POOL tells that of used space."), _(ROUNDED))
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=facts, notes=notes),)


def _of_vdev(vdev: int, said: str) -> Iterator[tuple[str, float]]:
    lines = said.splitlines()
    free = [value for match in map(_METASLAB.match, lines) if match and (value := size(match[1])) is not None]
    if not free:
        return
    yield f"vdev {vdev} metaslabs", len(free)  # for machines
    yield f"vdev {vdev} free_bytes", round(sum(free))  # for machines
    stored = [int(match[1], 16) for match in map(_STORED.match, lines) if match]
    if stored:
        yield f"vdev {vdev} stored_bytes", sum(stored)  # for machines
    shares = [int(match[1]) for match in map(_FRAGMENTED.match, lines) if match]
    known = [share for share in shares if share <= _WHOLE]
    valid = len(free) - len(shares) + len(known)
    if shares and valid > len(free) // 2:
        yield f"vdev {vdev} frag_percent", sum(known) / valid  # for machines
