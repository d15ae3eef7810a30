"""The histogram of blocks by references that `zdb -S` (simulated), `zdb -DD` and `zpool status -D` print."""

import re

from poolwright.domain.block_counts import DedupCount, DedupSide
from poolwright.domain.errors import UserError
from poolwright.machine.figures import size
from poolwright.machine.json_values import nothing_of
from poolwright.texts import _

_NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?[BKMGTPE]?)"
_WHOLE = r"([0-9]{1,20})"
_HEAD = re.compile(r"^[ \t]*+refcnt[ \t]+blocks[ \t]+LSIZE", re.MULTILINE)
_TOTAL = re.compile(r"^[ \t]*+Total[ \t]+" + r"[ \t]+".join([_NUMBER] * 8) + r"[ \t\r]*+$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*+[0-9]++[KMGTPE]?[ \t]+" + r"[ \t]+".join([_NUMBER] * 8) + r"[ \t\r]*+$", re.MULTILINE)
_RATIO = r"([0-9]{1,9}\.[0-9]{1,9})"
# A listing in a document may count its lines.
_FACTOR = re.compile(
    rf"^(?:[0-9]{{1,4}} )?dedup = {_RATIO}"
    rf"(?:, compress = {_RATIO}, copies = {_RATIO}(?:, dedup \* compress / copies = {_RATIO})?)?",
    re.MULTILINE,
)
# OpenZFS 2.3: bytes of the whole table. Before: bytes of an entry.
_TABLE = re.compile(rf"^DDT-[^\s:]++: dspace={_WHOLE}; mspace={_WHOLE}; entries={_WHOLE}[ \t\r]*+$", re.MULTILINE)
_ENTRIES = re.compile(
    rf"^DDT-[^\s:]++: {_WHOLE} entries, size {_WHOLE} on disk, {_WHOLE} in core[ \t\r]*+$", re.MULTILINE
)
_STATUS = re.compile(rf"DDT entries {_WHOLE}, size {_NUMBER}B? on disk, {_NUMBER}B? in core(, {_NUMBER}B? cached)?")


def read_dedup_count(text: str) -> DedupCount:
    """Return the last histogram in ``text``, which is the one of all tables.

    Raises UserError where there is none, and where it has no row: zdb prints neither a total nor factors then.
    """
    total, added_up = _total(text)
    if total is None and _HEAD.search(text):
        raise UserError(
            _("The dedup histogram is empty: not one block was counted, and no ratio follows from that"),
            todo=_("Run it on a pool that holds data, and let it end; zdb -DD needs a dataset with dedup on."),
        )
    if total is None:
        raise nothing_of("zdb -S", "", "zdb -S POOL, zdb -DD POOL or zpool status -D POOL")  # for machines
    told = _FACTOR.findall(text)
    factors = tuple(float(number) if number else None for number in told[-1]) if told else (None, None, None, None)
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
