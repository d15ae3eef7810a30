"""The profiles that come with the program: each with its question, its plot and the table it is compared with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from poolwright.bench.profiles.built_in import load, outside, settings
from poolwright.bench.profiles.effort import Writing, written_of
from poolwright.bench.profiles.ground import BenchWishes, Ground, at_once, ended_after
from poolwright.bench.record import AnswerPlot, BenchPlace, BenchTest, Engine, Profile
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import MIB, binary
from poolwright.shipped import shipped
from poolwright.texts import tell, tell_counted


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltIn:
    """A profile before it is made for a place; title, question and source are told by who shows them."""

    name: str
    title: str
    question: str
    plot: AnswerPlot
    tests: Callable[[Ground], tuple[BenchTest, ...]]
    table: str | None = None
    source: str = ""
    fills_itself: bool = False  # it is no use to fill the pool first
    reads_disks: bool = False  # it needs no directory, only disks, and writes nothing


# Of profiles whose tests are not listed in the file.
_TESTS: dict[str, Callable[[Ground], tuple[BenchTest, ...]]] = {
    "design": load.of_design,
    "clients": load.clients,
    "depth": load.depth,
    "recordsize": settings.recordsize,
    "sync": settings.sync,
    "paper": outside.paper,
    "l2arc": settings.l2arc,
    "cache": settings.cached,
    "fill": load.fill,
    "fill-random": load.fill_randomly,
    "dd": outside.dd,
    "bonnie": outside.bonnie,
    "siblings": outside.siblings,
}


def _built_in(entry: dict[str, Any]) -> BuiltIn:
    tests = partial(load.listed, entry["tests"]) if "tests" in entry else _TESTS[entry["name"]]
    return BuiltIn(**(entry | {"plot": AnswerPlot(entry["plot"]), "tests": tests}))


BUILT_IN = tuple(map(_built_in, shipped("profiles")["profile"]))


def find_built_in(name: str) -> BuiltIn:
    """Return the profile of that name; raises UserError."""
    found = next((known for known in BUILT_IN if known.name == name), None)
    if found is None:
        raise UserError(
            tell("There is no profile “{name}”", name=name),
            todo=tell("There are {names}.", names=", ".join(known.name for known in BUILT_IN)),
        )
    return found


def reads_disks(name: str | None) -> bool:
    """Tell whether the profile of that name reads disks alone, so that it needs no directory."""
    return any(known.reads_disks for known in BUILT_IN if known.name == name)


def make_profile(
    built_in: BuiltIn,
    place: BenchPlace,
    design: Design | None = None,
    wishes: BenchWishes | None = None,
    disks: tuple[Disk, ...] = (),
) -> Profile:
    """Return the profile with its tests for a place; tests that need a person are in it only where one is there.

    ``disks`` are those of the machine that nothing uses, for a profile that reads disks before there is a design.
    Raises Refusal where it cannot be made for this place or without a design.
    """
    wishes = wishes or BenchWishes()
    ground = Ground(place=place, design=design, wishes=wishes, disks=disks)
    make = partial(made_within, partial(_doable, built_in))
    percent = None if built_in.fills_itself or built_in.reads_disks else wishes.fill_percent
    tests = make(ground) if percent is None else load.filled_first(make, ground, percent)
    return Profile(
        name=built_in.name,
        title=tell(built_in.title),
        question=tell(built_in.question),
        tests=tests,
        plot=built_in.plot,
        table=built_in.table,
        source=tell(built_in.source) if built_in.source else "",
    )


def _doable(built_in: BuiltIn, ground: Ground) -> tuple[BenchTest, ...]:
    """Return the tests that can be done; where nobody stands by, the first one tells which cannot."""
    tests = built_in.tests(ground)
    kept = tests if ground.wishes.steps else tuple(test for test in tests if not test.needs)
    if not kept:
        steps = tuple(dict.fromkeys(step for test in tests for step in test.needs))
        raise Refusal(tell("The tests of this profile need steps that you run"), reasons=steps)
    left = tuple(test for test in tests if test not in kept)
    if left:
        said = tell_counted(
            "One more test needs a step that you run: {step}",
            "{count} more tests need steps that you run, the first: {step}",
            len(left),
            step=left[0].needs[0],
        )
        kept = (replace(kept[0], notes=(*kept[0].notes, said)), *kept[1:])
    return kept


# Tests made to keep within the bytes that a person lets a run write: smaller files first, then shorter repeats.

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
                todo=tell("It takes at least {least}. Allow more, or fewer repeats.", least=binary(least)),
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
        "Repeats that write end early, to keep within {most}: the shorter, the less they tell.", most=binary(most)
    )
    ended = ended_after(test, ends[test.name])
    return replace(ended, notes=(note, *ended.notes))
