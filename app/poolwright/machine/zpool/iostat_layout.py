"""Which lines of a report of `zpool iostat` are pools, vdevs and disks, and names by which to tell them apart."""

import re
from collections import Counter
from collections.abc import Sequence

from poolwright.domain.measurement import Observer
from poolwright.machine.zpool.iostat_reports import PoolRow

# "raidz2" without its number was printed before 2.0.
_VDEV = re.compile(r"(?:mirror|raidz[123]?|draid[123]?(?::\S+)?|spare|replacing|indirect|missing|hole)(?:-[0-9]+)?")

Placed = tuple[PoolRow, Observer, str]


def placed(rows: Sequence[PoolRow], pools: frozenset[str] = frozenset()) -> tuple[Placed, ...]:
    """Return the lines that tell of something, with what it is and a name that no other line has.

    ``pools`` are the names that zpool was asked for; without, they are found: by the indent, or, with -H, by that a
    pool has exactly the bytes of the vdevs that follow it.
    """
    if rows and rows[0].depth is not None:
        least = min(row.depth or 0 for row in rows)
        heads = {index for index, row in enumerate(rows) if row.depth == least and not row.is_class}
    elif pools:
        heads = {index for index, row in enumerate(rows) if row.name in pools}
    else:
        heads = _pools_by_bytes(rows)
    return _named(rows, heads)


def _named(rows: Sequence[PoolRow], heads: set[int]) -> tuple[Placed, ...]:
    found: list[tuple[PoolRow, Observer, str]] = []
    pool = ""
    for index, row in enumerate(rows):
        if index in heads:
            pool = row.name
            found.append((row, Observer.POOL, pool))
        elif not row.is_class:
            found.append((row, Observer.VDEV if _VDEV.fullmatch(row.name) else Observer.DISK, pool))
    count = Counter((observer, row.name) for row, observer, _ in found)
    seen: Counter[tuple[Observer, str]] = Counter()
    result = []
    for row, observer, of in found:
        name = row.name
        if count[observer, name] > 1 and observer is not Observer.POOL:
            name = f"{of} {name}"
        seen[observer, name] += 1
        if seen[observer, name] > 1:
            name = f"{name} #{seen[observer, name]}"
        result.append((row, observer, name))
    return tuple(result)


def _pools_by_bytes(rows: Sequence[PoolRow]) -> set[int]:
    """Return which lines are pools where nothing but their numbers tells; the first always is one."""
    if _is_flat(rows):
        return set(range(len(rows)))
    heads, index = set(), 0
    while index < len(rows):
        end = _end_of_pool(rows, index)
        if end is not None or index == 0:
            heads.add(index)
        index = end if end is not None else index + 1
    return heads


def _is_flat(rows: Sequence[PoolRow]) -> bool:
    """Tell whether only pools are listed (no -v): each has bytes, and none is the sum of what follows."""
    return all(row.bytes("alloc") or row.bytes("free") for row in rows) and (
        len(rows) == 1 or all(_end_of_pool(rows, index) is None for index in range(len(rows)))
    )


def _end_of_pool(rows: Sequence[PoolRow], start: int) -> int | None:
    """Return the line behind the vdevs that together hold the bytes of the line ``start``; None where none do.

    Disks within a vdev have no bytes of their own; logs and caches, which follow, do not count.
    """
    whole = (rows[start].bytes("alloc"), rows[start].bytes("free"))
    if not whole[0]:
        return None
    allocated = free = 0.0
    for index in range(start + 1, len(rows)):
        allocated += rows[index].bytes("alloc")
        free += rows[index].bytes("free")
        if (allocated, free) == whole:
            end = index + 1
            while end < len(rows) and not rows[end].is_class and rows[end].bytes("free") == 0:
                end += 1
            return end
        if allocated > whole[0] or free > whole[1]:
            return None
    return None
