"""What a change is worth: the points of the ranking for each doubling, and the same in words."""

from collections.abc import Iterator
from math import log2, log10

from poolwright.changes.improve.values import PoolChange, PoolNumbers
from poolwright.design.rank import weighings
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.domain.workload import Workload
from poolwright.predict.number_words import hours_text, odds_text, operations_text
from poolwright.texts import marked, tell

# Room is worth little in a pool that is half empty, and more than in a plan where it is nearly full.
_EMPTY_PERCENT, _FULL_PERCENT = 40, 80
_LEAST_FACTOR, _MOST_FACTOR = 0.15, 1.5
_TOLD_FROM = 1.05  # smaller changes are within what the models can tell


def points_of(before: PoolNumbers, after: PoolNumbers, workload: Workload, fill_percent: int | None) -> float:
    """Return what the change is worth for the goal: the steps of the ranking for each doubling (risk: power of ten)."""
    found = 0.0
    for weighing in weighings(workload.goal, workload.sequential_percent):
        ratio = _ratio(weighing.name, before, after)
        if ratio is None:
            continue
        if weighing.name == "risk":
            found += weighing.step * log10(ratio)
        elif weighing.name == "capacity":
            found += weighing.step * _room_doublings(ratio, fill_percent)
        else:
            found += weighing.step * log2(ratio)
    return found


def _room_doublings(ratio: float, fill_percent: int | None) -> float:
    """Return the doublings of room, weighed by how much of it is needed: until the pool is less than half full."""
    if fill_percent is None:
        return log2(ratio)
    share = (fill_percent - _EMPTY_PERCENT) / (_FULL_PERCENT - _EMPTY_PERCENT)
    factor = min(_MOST_FACTOR, max(_LEAST_FACTOR, share))
    needed = min(ratio, max(1.0, fill_percent / _EMPTY_PERCENT))
    return log2(needed) * factor + log2(ratio / needed) * _LEAST_FACTOR


def _ratio(name: str, before: PoolNumbers, after: PoolNumbers) -> float | None:
    """Return by what factor the pool is better; None where one of the two is unknown."""
    pairs = {
        "risk": (after.loss, before.loss),
        "capacity": (before.room_bytes, after.room_bytes),
        "rebuild": (after.rebuild_hours, before.rebuild_hours),
        "streaming": (_streaming(before), _streaming(after)),
        "reads": (before.rand_read_iops, after.rand_read_iops),
        "writes": (before.rand_write_iops, after.rand_write_iops),
    }
    low, high = pairs[name]
    return high / low if low and high else None


def _streaming(numbers: PoolNumbers) -> float | None:
    if numbers.seq_read is None or numbers.seq_write is None:
        return None
    return numbers.seq_read * numbers.seq_write


def gains_in_words(before: PoolNumbers, after: PoolNumbers) -> tuple[str, ...]:
    """Return what changes, each in a few words, capacity first; what changes by less than 5 % is not told."""
    return tuple(_gains(before, after))


def _gains(before: PoolNumbers, after: PoolNumbers) -> Iterator[str]:
    if _differ(before.usable_bytes, after.usable_bytes):
        words = {"before": binary(before.usable_bytes or 0), "after": binary(after.usable_bytes or 0)}
        yield tell("usable {before} → {after}", **words)
    if after.room_bytes and after.usable_bytes and after.room_bytes > after.usable_bytes * _TOLD_FROM:
        yield tell("room for {size} once all is written anew", size=binary(after.room_bytes))
    if before.survived != after.survived and before.survived is not None and after.survived is not None:
        yield tell("survives {before} → {after} failures", before=before.survived, after=after.survived)
    for text, told, was, becomes in (
        (marked("lost within a year {before} → {after}"), odds_text, before.loss, after.loss),
        (marked("sequential reads {before} → {after}"), rate_text, before.seq_read, after.seq_read),
        (marked("sequential writes {before} → {after}"), rate_text, before.seq_write, after.seq_write),
        (marked("random reads {before} → {after}"), operations_text, before.rand_read_iops, after.rand_read_iops),
        (marked("random writes {before} → {after}"), operations_text, before.rand_write_iops, after.rand_write_iops),
        (marked("rebuild {before} → {after}"), hours_text, before.rebuild_hours, after.rebuild_hours),
    ):
        if _differ(was, becomes):
            yield tell(text, before=told(was or 0), after=told(becomes or 0))


def _differ(before: float | None, after: float | None) -> bool:
    return bool(before and after) and not 1 / _TOLD_FROM < (after or 1) / (before or 1) < _TOLD_FROM


def behind(first: PoolChange, other: PoolChange) -> str:
    """Return why a change stands behind the first one, by what both bring and cost."""
    return " ".join(_reasons(first, other))


def _reasons(first: PoolChange, other: PoolChange) -> Iterator[str]:
    a, b = first.after, other.after
    if a is None or b is None:
        return
    if a.room_bytes and b.room_bytes and a.room_bytes > b.room_bytes * _TOLD_FROM:
        yield tell("It brings less room: {other} instead of {first}.", other=binary(b.room_bytes),
                   first=binary(a.room_bytes))  # fmt: skip
    if a.loss and b.loss and b.loss > a.loss * _TOLD_FROM:
        yield tell("The pool is lost sooner: {other} a year instead of {first}.", other=odds_text(b.loss),
                   first=odds_text(a.loss))  # fmt: skip
    if _dearer(first, other):
        yield tell("It costs more: {other} instead of {first}.", other=other.cost, first=first.cost)
    pairs = ((a.rand_read_iops, b.rand_read_iops), (a.seq_read, b.seq_read))
    if all(x and y and x > y * _TOLD_FROM for x, y in pairs):
        yield tell("It is slower.")
    elif a.rebuild_hours and b.rebuild_hours and b.rebuild_hours > a.rebuild_hours * _TOLD_FROM:
        yield tell("A rebuild takes {other} instead of {first}.", other=hours_text(b.rebuild_hours),
                   first=hours_text(a.rebuild_hours))  # fmt: skip


def _dearer(first: PoolChange, other: PoolChange) -> bool:
    if first.cost is None or other.cost is None or first.cost.currency != other.cost.currency:
        return False
    return other.cost.amount > first.cost.amount
