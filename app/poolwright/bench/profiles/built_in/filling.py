"""A pool that fills: measured at each level, or filled first to the level at which a profile is to measure."""

from collections.abc import Callable
from dataclasses import replace

from poolwright.bench.profiles.ground import Access, Ground
from poolwright.bench.profiles.knowledge import percent_bytes
from poolwright.bench.profiles.profile import BenchTest
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, MIB, binary
from poolwright.emit.fio import SEQUENTIAL_BYTES
from poolwright.texts import marked, tell

FILL_STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 85, 90)
MOST_FIRST = 90  # a fuller pool has no room for the files of a profile
_SAMPLE_BYTES = 8 * GIB
Maker = Callable[[Ground], tuple[BenchTest, ...]]


def fill(ground: Ground) -> tuple[BenchTest, ...]:
    """Figures 16 and 17: the pool filled step by step in order; at each level a file is written, and read back."""
    return _filled(ground, "write")


def fill_randomly(ground: Ground) -> tuple[BenchTest, ...]:
    """Figures 16 and 17: the pool filled by writes all over, after which reading and writing in order are measured."""
    return _filled(ground, "randwrite")


def _filled(ground: Ground, rw: str) -> tuple[BenchTest, ...]:
    place = ground.place
    tests: list[BenchTest] = []
    level, one_percent = float(_level_of(ground)), percent_bytes(place)
    sample = min(_SAMPLE_BYTES, (place.pool_bytes or 0) // 200)
    allowed = float("inf") if ground.wishes.most_bytes is None else 0.9 * ground.wishes.most_bytes
    for step in FILL_STEPS:
        size = int(one_percent * (step - level)) - (sample if rw != "write" else 0)
        if step <= level or size < MIB:
            continue
        allowed -= size + 2 * sample
        if allowed < 0:
            break
        level = step
        tests.append(_filled_to(ground, rw, step, size))
        for kind, line, title in (
            ("write", tell("Written"), marked("Written at {percent} %")),
            ("read", tell("Read"), marked("Read at {percent} %")),
        ):
            access = Access(
                name=f"{kind}-{step}", title=tell(title, percent=step), rw=kind, block=SEQUENTIAL_BYTES, data=sample,
                exact=True,
                x=float(step), line=line, stays=True, builds=True, seconds=None, most_seconds=600, repeats=1,
            )  # fmt: skip
            tests.append(_into_own_file(ground.test(access), f"sample-{step}"))
    if not tests and allowed < 0:
        raise Refusal(
            tell("The pool cannot be filled by a step with what may be written"),
            where=place.directory,
            todo=tell("Allow more to be written, or measure on a smaller pool."),
        )
    if not tests:
        raise Refusal(tell("The pool is {percent} % full already", percent=place.fill_percent), where=place.directory)
    if allowed < 0:
        note = tell("With what may be written it is filled to {percent:.0f} % only.", percent=level)
        tests[0] = replace(tests[0], notes=(note, *tests[0].notes))
    return tuple(tests)


def _into_own_file(test: BenchTest, name: str) -> BenchTest:
    """Give a test a file of its own that nothing overwrites and nothing removes before the end."""
    out = {"filename", "filename_format", "unlink", "overwrite"}
    return replace(test, options=(("filename", name), *(option for option in test.options if option[0] not in out)))


def filled_first(make: Maker, ground: Ground, percent: int) -> tuple[BenchTest, ...]:
    """Return a test that fills the pool by writes all over, and those of ``make`` as they are in what room is left.

    What fills it lies there until the end of the run. Raises Refusal where it cannot be filled so far, as `make` does.
    """
    fills = _level_of(ground)
    size = int(percent_bytes(ground.place) * (percent - fills))
    if size < MIB:
        raise Refusal(tell("The pool is {percent} % full already", percent=fills), where=ground.place.directory)
    most = ground.wishes.most_bytes
    if most is not None and size >= most:
        raise Refusal(
            tell("To fill the pool to {percent} % takes {size}", percent=percent, size=binary(size)),
            where=ground.place.directory,
            todo=tell("Allow more to be written, or measure on a smaller pool."),
        )
    first = _filled_to(ground, "randwrite", percent, size)
    place = replace(ground.place, free_bytes=max(0, ground.place.free_bytes - size), fill_percent=percent)
    wishes = replace(ground.wishes, most_bytes=None if most is None else most - size)
    return (first, *(replace(test, keeps_files=True) for test in make(replace(ground, place=place, wishes=wishes))))


def _level_of(ground: Ground) -> int:
    if ground.place.pool_bytes is None or ground.place.fill_percent is None:
        raise Refusal(
            tell("How full the pool is cannot be seen here"),
            where=ground.place.directory,
            todo=tell("Name a place on a pool."),
        )
    return ground.place.fill_percent


def _filled_to(ground: Ground, rw: str, percent: int, size: int) -> BenchTest:
    filling = Access(
        name=f"fill-{percent}", title=tell("Filled to {percent} %", percent=percent), rw=rw, block=SEQUENTIAL_BYTES,
        jobs=1, data=size, exact=True, seconds=None, most_seconds=86400, repeats=1, x=float(percent), stays=True,
        builds=True, line=tell("Filling"),
    )  # fmt: skip
    return _into_own_file(ground.test(filling), f"fill-{percent}")
