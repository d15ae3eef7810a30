"""The columns of `zpool iostat` by the options and the version that printed it, and what they tell."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.domain.measurement import Direction, What
from poolwright.machine.figures import nanoseconds, size

_READ, _WRITE, _TRIM = Direction.READ, Direction.WRITE, Direction.TRIM


@dataclass(frozen=True, slots=True)
class PoolColumn:
    """One number of a line; ``detail`` is zpool's own word where several are of one kind."""

    what: What
    direction: Direction | None = None
    detail: str = ""

    def value(self, text: str) -> float | None:
        """Return the number in bytes, operations/s, bytes/s or ns; None for ``-``."""
        return nanoseconds(text) if self.what is What.LATENCY else size(text)


_PLAIN = (
    PoolColumn(What.BYTES, None, "alloc"),
    PoolColumn(What.BYTES, None, "free"),
    PoolColumn(What.IOPS, _READ),
    PoolColumn(What.IOPS, _WRITE),
    PoolColumn(What.RATE, _READ),
    PoolColumn(What.RATE, _WRITE),
)
_BOTH = ("total_wait", "disk_wait", "syncq_wait", "asyncq_wait")
_WAITS = (
    *(PoolColumn(What.LATENCY, direction, word) for word in _BOTH for direction in (_READ, _WRITE)),
    PoolColumn(What.LATENCY, _READ, "scrub"),
    PoolColumn(What.LATENCY, _TRIM, "trim"),
    PoolColumn(What.LATENCY, _WRITE, "rebuild"),
)
_QUEUED = (
    ("syncq", _READ),
    ("syncq", _WRITE),
    ("asyncq", _READ),
    ("asyncq", _WRITE),
    ("scrubq", _READ),
    ("trimq", _TRIM),
    ("rebuildq", _WRITE),
)
_QUEUES = tuple(
    PoolColumn(What.QUEUE, direction, f"{word}_{state}") for word, direction in _QUEUED for state in ("pend", "activ")
)
# 0.7 has no trim, 0.8 no rebuild: how many waits and queues each prints.
_SETS = ((9, 10), (10, 12), (11, 14))
# With -H there is no head: the options and the version show in the number of columns, the name among them.
_BY_COUNT = {
    1 + len(_PLAIN): _PLAIN,
    **{1 + len(_PLAIN) + queues: (*_PLAIN, *_QUEUES[:queues]) for _, queues in _SETS},
    **{1 + len(_PLAIN) + waits: (*_PLAIN, *_WAITS[:waits]) for waits, _ in _SETS},  # 17: also -q of 0.7, which is rarer
    **{1 + len(_PLAIN) + w + q: (*_PLAIN, *_WAITS[:w], *_QUEUES[:q]) for w, q in _SETS},
}


def columns_by_count(count: int) -> tuple[PoolColumn, ...] | None:
    """Return the columns of a line of `zpool iostat -H` with ``count`` fields; None where no version prints so many."""
    return _BY_COUNT.get(count)


def columns_by_head(words: Sequence[str]) -> tuple[PoolColumn, ...] | None:
    """Return the columns below a head ``pool alloc free read write ...``; None where it is another head."""
    if [*words[:5]] != ["pool", "alloc", "free", "read", "write"]:  # for machines
        return None
    queues = words.count("activ") * 2
    waits = len(words) - 7 - queues
    return (*_PLAIN, *_WAITS[: max(waits, 0)], *_QUEUES[:queues])
