"""A pool is filled before a profile: what fills it lies there to the end, its files have what room is left."""

import pytest
from tests.bench.profiles.places import ON_ZFS, place
from tests.bench.profiles.test_profiles import made, options

from poolwright.bench.profiles.catalogue import effort_of
from poolwright.bench.profiles.ground import BenchWishes
from poolwright.bench.profiles.knowledge import percent_bytes
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB


def test_that_a_pool_is_filled_first_and_its_files_lie_there_to_the_end() -> None:
    profile = made("standard", BenchWishes(fill_percent=60))
    first, *others = profile.tests
    assert (first.name, options(first)["rw"]) == ("fill-60", "randwrite")
    assert "unlink" not in options(first)
    assert all(test.keeps_files for test in others)
    plain = {test.name for test in made("standard", BenchWishes()).tests}
    assert {test.name for test in others} == plain
    where = place(ON_ZFS)
    assert where.fill_percent is not None
    whole = effort_of(profile, where).space_bytes
    assert whole > first.file_bytes > 0.9 * (60 - where.fill_percent) * percent_bytes(where)
    assert whole <= where.free_bytes


@pytest.mark.parametrize("name", ["fill", "fill-random", "siblings"])
def test_that_what_fills_the_pool_itself_or_writes_nothing_is_not_filled_first(name: str) -> None:
    assert made(name, BenchWishes(fill_percent=60)) == made(name, BenchWishes())


def test_that_a_pool_is_not_filled_beyond_what_may_be_written_or_what_it_is() -> None:
    with pytest.raises(Refusal, match="To fill the pool to 60 % takes"):
        made("standard", BenchWishes(fill_percent=60, most_bytes=GIB))
    with pytest.raises(Refusal, match="full already"):
        made("standard", BenchWishes(fill_percent=1), fill_percent=40)
