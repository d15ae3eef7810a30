"""Reads what `zdb -S` (simulated), `zdb -DD` and `zpool status -D` print of deduplication."""

import re

from poolwright.advise.roles.model import DedupCount
from poolwright.domain.errors import UserError
from poolwright.texts import marked, tell

_NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?)([BKMGTPE]?)"
_WHOLE = r"([0-9]{1,20})"
_TOTAL = re.compile(r"^[ \t]*+Total[ \t]+" + r"[ \t]+".join([_NUMBER] * 8) + r"[ \t\r]*+$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*+[0-9]++[KMGTPE]?[ \t]+" + r"[ \t]+".join([_NUMBER] * 8) + r"[ \t\r]*+$", re.MULTILINE)
_RATIO = r"([0-9]{1,9}\.[0-9]{1,9})"
_FACTOR = re.compile(rf"^dedup = {_RATIO}(?:, compress = {_RATIO}, copies = {_RATIO})?", re.MULTILINE)
# OpenZFS 2.3: bytes of the whole table. Before: bytes of an entry.
_TABLE = re.compile(rf"^DDT-[^\s:]++: dspace={_WHOLE}; mspace={_WHOLE}; entries={_WHOLE}[ \t\r]*+$", re.MULTILINE)
_ENTRIES = re.compile(
    rf"^DDT-[^\s:]++: {_WHOLE} entries, size {_WHOLE} on disk, {_WHOLE} in core[ \t\r]*+$", re.MULTILINE
)
_STATUS = re.compile(rf"DDT entries {_WHOLE}, size {_NUMBER}B? on disk, {_NUMBER}B? in core(, {_NUMBER}B? cached)?")
_HELP = marked("Paste the output of zdb -S POOL, zdb -DD POOL or zpool status -D POOL.")
_FACTORS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}


def read_dedup_count(text: str) -> DedupCount:
    """Return what zdb or zpool counted; the last histogram, which is the one of all tables, is taken.

    Numbers are as sharp as printed: three digits. The size of the table is that of `zdb -DD`, else that of
    `zpool status -D`, else unknown. Raises UserError where there is no histogram.
    """
    total = _total(text)
    if total is None:
        raise UserError(tell("There is no dedup histogram in this text"), todo=tell(_HELP))
    blocks, logical, _, stored, refs, ref_logical, _, ref_stored = total
    told = _FACTOR.findall(text)
    factor, compress, copies = (
        tuple(float(number) if number else None for number in told[-1]) if told else (None, None, None)
    )
    if factor is None:
        factor = ref_stored / stored if stored else 1.0
    disk, core = _table_bytes(text)
    return DedupCount(
        unique_blocks=round(blocks),
        referenced_blocks=round(refs),
        unique_logical_bytes=round(logical),
        referenced_logical_bytes=round(ref_logical),
        factor=factor,
        simulated="Simulated" in text,
        on_disk_bytes=disk,
        in_core_bytes=core,
        compress=compress,
        copies=copies or None,
    )


def _total(text: str) -> tuple[float, ...] | None:
    """Return the eight numbers of the last total line; the rows added up where it was cut off."""
    totals = _TOTAL.findall(text)
    if totals:
        return _values(totals[-1])
    rows = [_values(row) for row in _ROW.findall(text)]
    return tuple(sum(column) for column in zip(*rows, strict=True)) if rows else None


def _values(groups: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(float(number) * _FACTORS[unit] for number, unit in zip(groups[::2], groups[1::2], strict=True))


def _table_bytes(text: str) -> tuple[int | None, int | None]:
    """Return the bytes of the dedup table on disk and in RAM."""
    # With -DDD each table is printed again above its histogram: every line counts once.
    tables = dict.fromkeys(_TABLE.findall(text))
    if tables:
        return sum(int(disk) for disk, _, _ in tables), sum(int(core) for _, core, _ in tables)
    entries = dict.fromkeys(_ENTRIES.findall(text))
    if entries:
        return sum(int(n) * int(disk) for n, disk, _ in entries), sum(int(n) * int(core) for n, _, core in entries)
    status = _STATUS.search(text)
    if status is None:
        return None, None
    number = int(status.group(1))
    disk, core = (float(status.group(i)) * _FACTORS[status.group(i + 1)] for i in (2, 4))
    each = 1 if status.group(6) else number  # before 2.3 it prints the size of an entry
    return round(disk * each), round(core * each)
