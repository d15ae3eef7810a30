"""Reads the block statistics of `zdb -Lbbbs` (also with -P): metadata by type, and the histogram of block sizes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.domain.block_counts import BlockClass, BlockCount
from poolwright.domain.errors import UserError
from poolwright.texts import marked, tell

_N = r"([0-9]{1,20}(?:\.[0-9]{1,20})?)([KMGTPE]?)"
# Blocks, LSIZE, PSIZE, ASIZE; then avg, comp and share, which are not needed; the type, perhaps behind a level.
_TYPE = re.compile(rf"{_N}\s+{_N}\s+{_N}\s+{_N}\s+\S+\s+\S+\s+[0-9.]+\s+(?:L([0-9]{{1,3}}) )?(\S.*)$")
_BUCKET = re.compile(rf"{_N}:\s+{_N}\s+{_N}\s+{_N}(?!\S)")
_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_DATA = ("ZFS plain file", "zvol object")  # for machines
_HELP = marked("Paste the output of zdb -Lbbbs POOL.")


@dataclass(frozen=True, slots=True)
class _Row:
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
    classes = tuple(_bucket(match) for match in _matches(_BUCKET, histogram))
    if not mark or not classes:
        raise UserError(tell("There is no histogram of block sizes in this text"), todo=tell(_HELP))
    rows = [_row(match) for match in _matches(_TYPE, table)]
    metadata = [row for row in rows if row.level is None and row.name == "Metadata Total"] or _metadata(rows)
    if not metadata:
        raise UserError(tell("There is no table of block types in this text"), todo=tell(_HELP))
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
    numbers = [_value(match, group) for group in (1, 3, 5, 7)]
    level = match.group(9)
    return _Row(None if level is None else int(level), match.group(10), *numbers)


def _bucket(match: re.Match[str]) -> BlockClass:
    size, count, physical = (round(_value(match, group)) for group in (1, 3, 5))
    return BlockClass(size_bytes=size, count=count, physical_bytes=physical)


def _value(match: re.Match[str], group: int) -> float:
    return float(match.group(group)) * _FACTORS[match.group(group + 1)]
