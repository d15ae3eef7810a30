"""Tests made to keep within the bytes that a person lets a run write: smaller files first, then shorter repeats."""

from collections.abc import Callable
from dataclasses import replace

from poolwright.bench.profiles.effort import Writing, written_of
from poolwright.bench.profiles.ending import at_once, ended_after
from poolwright.bench.profiles.ground import Ground
from poolwright.bench.profiles.profile import BenchTest, Engine
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.errors import Refusal
from poolwright.domain.units import MIB, binary
from poolwright.texts import tell

_MARGIN = 0.95  # of what is allowed: a run that reached its limit would be ended for it
_LEAST_ROOM = 4 * MIB
_LEAST_SHARE = MIB
Maker = Callable[[Ground], tuple[BenchTest, ...]]


def made_within(make: Maker, ground: Ground) -> tuple[BenchTest, ...]:
    """Return the tests of ``make``, so small that they write no more than is wished in all.

    Raises Refusal where even the smallest write more, with what they need.
    """
    most = ground.wishes.most_bytes
    tests = make(ground)
    if most is None:
        return tests
    least: int | None = None
    while True:
        fitted, needed = _fitted(tests, ground.place, most)
        if fitted is not None:
            return fitted
        least = needed if least is None else min(least, needed)
        ground = replace(ground, parts=2 * ground.parts)
        if most // ground.parts < _LEAST_ROOM:
            raise Refusal(
                tell("{most} written are too little for this profile", most=binary(most)),
                where=ground.place.directory,
                todo=tell(
                    "It takes {least} at least. Allow more to be written, or fewer repeats.", least=binary(least)
                ),
            )
        tests = make(ground)


def _fitted(tests: tuple[BenchTest, ...], place: BenchPlace, most: int) -> tuple[tuple[BenchTest, ...] | None, int]:
    """Return the tests so that they fit, or None with what they take at least."""
    allowed = int(most * _MARGIN)
    writings = written_of(tests, place)
    if sum(one.whole for one in writings) <= allowed:
        return tests, 0
    fixed = sum(one.whole if not _can_end(one) else one.layout for one in writings)
    running = [one for one in writings if _can_end(one)]
    needed = fixed + sum(_least(one) * one.test.repeats for one in running)
    if needed > allowed or not running:
        return None, int(needed / _MARGIN)
    share = _share(running, allowed - fixed)
    ends = {one.test.name: max(share, _least(one)) for one in running}
    return tuple(_ended(test, ends, most) for test in tests), 0


def _can_end(one: Writing) -> bool:
    return one.moved > 0 and one.test.engine is Engine.FIO and one.test.seconds is not None


def _least(one: Writing) -> int:
    """Return what a repeat has to write at least: a few blocks by each job."""
    return min(one.moved, max(_LEAST_SHARE, 2 * at_once(one.test)))


def _share(running: list[Writing], room: int) -> int:
    """Return how much each repeat may write, where those that write less anyhow leave theirs to the others."""
    low, high = 0, room
    while high - low > _LEAST_SHARE:
        share = (low + high) // 2
        taken = sum(min(one.moved, max(share, _least(one))) * one.test.repeats for one in running)
        low, high = (share, high) if taken <= room else (low, share)
    return low


def _ended(test: BenchTest, ends: dict[str, int], most: int) -> BenchTest:
    if test.name not in ends:
        return test
    note = tell(
        "So that no more than {most} is written in all, repeats that write end early: the shorter they are, the less "
        "they tell.",
        most=binary(most),
    )
    ended = ended_after(test, ends[test.name])
    return replace(ended, notes=(note, *ended.notes))
