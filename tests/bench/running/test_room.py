"""Whether the files of a run have room."""

from dataclasses import replace

import pytest

from poolwright.bench.profiles.profile import AnswerPlot, Effort, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.bench.running.ready import check_room
from poolwright.domain.errors import Refusal

TIB = 1 << 40


def place(free: int, pool: int | None = 10 * TIB) -> BenchPlace:
    return BenchPlace(directory="/tank/x", filesystem="zfs", host="h", free_bytes=free, pool_bytes=pool)


def check(space: int, where: BenchPlace, plot: AnswerPlot = AnswerPlot.BARS) -> None:
    effort = Effort(seconds=1, written_bytes=space, read_bytes=0, space_bytes=space)
    check_room(Profile(name="p", title="p", question="?", tests=(), plot=plot), effort, where)


def test_that_a_fifth_of_the_pool_stays_free() -> None:
    check(TIB, place(3 * TIB))
    with pytest.raises(Refusal, match="more than 80 % full"):
        check(TIB + 1, place(3 * TIB))
    with pytest.raises(Refusal, match="more than 80 % full"):
        check(1, place(TIB))


def test_that_a_fifth_of_a_raidz_is_counted_without_its_parity() -> None:
    # Of 10 TiB as zpool list counts a third is parity: 6.6 TiB of files fill it, and a fifth of that stays free.
    raidz = replace(place(66 * TIB // 10), fill_percent=0)
    check(52 * TIB // 10, raidz)
    with pytest.raises(Refusal, match="more than 80 % full"):
        check(54 * TIB // 10, raidz)


def test_that_a_profile_that_fills_the_pool_may_fill_it() -> None:
    check(2 * TIB, place(3 * TIB), AnswerPlot.AGAINST_FILL)


def test_that_files_larger_than_the_room_are_refused_anywhere() -> None:
    check(TIB, place(TIB, None))
    with pytest.raises(Refusal, match="are free"):
        check(TIB + 1, place(TIB, None))
    with pytest.raises(Refusal, match="are free"):
        check(4 * TIB, place(3 * TIB), AnswerPlot.AGAINST_FILL)
