"""Whether the files of a run have room."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from poolwright.bench.record import AnswerPlot, BenchPlace, Effort, Profile
from poolwright.bench.running.ready import check_room
from poolwright.domain.errors import Refusal

TIB = 1 << 40
FULL, FREE = "more than 80 % full", "are free"


def place(free: int, pool: int | None = 10 * TIB) -> BenchPlace:
    return BenchPlace(directory="/tank/x", filesystem="zfs", host="h", free_bytes=free, pool_bytes=pool)


# Of 10 TiB as zpool list counts a third is parity: 6.6 TiB of files fill it, and a fifth of that stays free.
RAIDZ = replace(place(66 * TIB // 10), fill_percent=0)


@pytest.mark.parametrize(
    ("space", "where", "fills", "said"),
    [
        (TIB, place(3 * TIB), False, ""), (TIB + 1, place(3 * TIB), False, FULL), (1, place(TIB), False, FULL),
        (52 * TIB // 10, RAIDZ, False, ""), (54 * TIB // 10, RAIDZ, False, FULL),
        (2 * TIB, place(3 * TIB), True, ""), (4 * TIB, place(3 * TIB), True, FREE),
        (TIB, place(TIB, None), False, ""), (TIB + 1, place(TIB, None), False, FREE),
    ],
)  # fmt: skip
def test_that_a_fifth_of_a_pool_stays_free_but_where_it_is_filled(
    space: int, where: BenchPlace, said: str, *, fills: bool
) -> None:
    effort = Effort(seconds=1, written_bytes=space, read_bytes=0, space_bytes=space)
    plot = AnswerPlot.AGAINST_FILL if fills else AnswerPlot.BARS
    with pytest.raises(Refusal, match=said) if said else nullcontext():
        check_room(Profile(name="p", title="p", question="?", tests=(), plot=plot), effort, where)
