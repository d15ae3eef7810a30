"""A dataset for the run: where one is made, with what, and what is known of it when the place is looked at again."""

from dataclasses import replace

import pytest

from poolwright.bench.profiles.catalogue import find_built_in, make_profile
from poolwright.bench.profiles.ground import BenchWishes
from poolwright.bench.record import BenchPlace
from poolwright.bench.running import commands
from poolwright.bench.running.ready import as_before, on_own_dataset
from poolwright.domain.units import GIB
from poolwright.domain.version import ZfsVersion

PLACE = BenchPlace(
    directory="/tank/bench",
    filesystem="zfs",
    host="h",
    free_bytes=1 << 40,
    dataset="tank/bench",
    pool="tank",
    ram_bytes=64 * GIB,
    arc_most_bytes=32 * GIB,
    module=ZfsVersion(2, 1, 11),
    properties=(("primarycache", "all"), ("recordsize", "131072")),
    may_make=True,
)


SMALL = replace(PLACE, free_bytes=100 * GIB)  # no room for files of twice the ARC


def test_that_root_measures_on_a_dataset_of_its_own() -> None:
    there = on_own_dataset(PLACE, "standard")
    assert there.properties == PLACE.properties
    assert there.dataset == "tank/bench"  # steps that a person runs name it: what they set is inherited
    words = commands.keeper(there, "one").argv[4:]
    assert words[:4] == ("keep", "/tank/bench", "one", "tank/bench")
    assert words[5:] == ("com.sun:auto-snapshot=false",)
    assert commands.remover(there, "one").argv[-1] == "tank/bench"


def test_that_the_arc_is_kept_out_where_no_file_can_be_larger() -> None:
    there = on_own_dataset(SMALL, "standard")
    assert there.property("primarycache") == "metadata"
    assert "primarycache=metadata" in commands.keeper(there, "one").argv
    assert (
        on_own_dataset(replace(SMALL, module=ZfsVersion(2, 3), userland=ZfsVersion(2, 3)), "standard").property(
            "primarycache"
        )
        == "all"
    )
    assert on_own_dataset(PLACE, "standard", BenchWishes(most_bytes=64 * GIB)).property("primarycache") == "metadata"
    assert any("keeps no data" in " ".join(t.notes) for t in make_profile(find_built_in("patterns"), there).tests)


@pytest.mark.parametrize("profile", ["cache", "l2arc", None])
def test_that_the_cache_stays_where_it_is_what_is_measured(profile: str | None) -> None:
    there = on_own_dataset(SMALL, profile)
    assert there.makes == (("com.sun:auto-snapshot", "false"),)
    assert there.property("primarycache") == "all"


@pytest.mark.parametrize("profile", ["siblings", "paper", "standard"])
def test_that_none_is_made_where_no_file_is_measured_or_nobody_may(profile: str) -> None:
    place = replace(PLACE, may_make=profile != "standard")
    assert on_own_dataset(place, profile) is place
    assert commands.keeper(place, "one").argv[7] == ""


@pytest.mark.parametrize("profile", ["standard", "cache"])
def test_that_a_place_that_is_looked_at_again_is_the_same_one(profile: str) -> None:
    before = on_own_dataset(SMALL, profile)
    fuller = replace(SMALL, free_bytes=1 << 33)
    assert as_before(fuller, before) == replace(before, free_bytes=1 << 33)
    assert as_before(fuller, SMALL) is fuller
    assert as_before(replace(fuller, may_make=False), before).makes is None
