"""dd and bonnie++ are run by the profiles' own words, in the directory of the run."""

from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest
from tests.bench.profiles.places import place as on_zfs
from tests.bench.running.places import place

from poolwright.bench.judging.verdicts import value_of
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import find_built_in, make_profile
from poolwright.bench.record import BenchTarget, BenchTest, Ended, RunRecord, job_text
from poolwright.bench.running import run as commands
from poolwright.bench.running.inspection import as_before, on_own_dataset
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import RunOrder, run_profile
from poolwright.domain.measurement import Direction
from poolwright.domain.units import GIB
from poolwright.domain.version import ZfsVersion
from poolwright.process.blocking import converse


def small(test: BenchTest, seed: int) -> str:
    return job_text(test, seed).replace("count=10000", "count=8").replace("-s 32768 -r 16384 -n 16", "-s 16 -r 8 -n 0")


def measured(name: str, directory: Path) -> RunRecord:
    profile = make_profile(find_built_in(name), on_zfs(), wishes=BenchWishes(repeats=1))
    order = RunOrder(profile=profile, place=place(directory), job_of=small, idle_seconds=0.0)
    record = converse(run_profile(order))
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    assert list(directory.iterdir()) == []
    return record


@pytest.mark.slow
def test_that_dd_writes_and_reads_the_same_file_back(tmp_path: Path) -> None:
    write, read = measured("dd", tmp_path).tests
    for run in (write, read):
        assert b"8388608 bytes" in dict(run.repeats[0].files)["output.txt"]
    # dd itself does not tell which way it went; a read that counts as written would never be judged.
    assert value_of(write.test, write.repeats[0])
    assert value_of(read.test, read.repeats[0])
    assert read.repeats[0].rate(Direction.WRITE) is None


@pytest.mark.slow
def test_that_what_dd_writes_counts_for_the_bytes_allowed(tmp_path: Path) -> None:
    profile = make_profile(find_built_in("dd"), on_zfs(), wishes=BenchWishes(repeats=3))
    profile = replace(profile, tests=tuple(replace(test, file_bytes=8 << 20) for test in profile.tests))
    order = RunOrder(
        profile=profile, place=place(tmp_path), job_of=small, budget=RunBudget(written_bytes=12 << 20), idle_seconds=0.0
    )
    record = converse(run_profile(order))
    assert record.ended is Ended.BUDGET
    assert record.why.startswith("The writes allowed do not suffice for ")
    # 8 MiB each: dd tells at its end, so that the repeat that would go beyond is not begun.
    assert [repeat.ended for repeat in record.tests[0].repeats] == [Ended.WHOLE]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(which("bonnie++") is None, reason="bonnie++ is not installed")
def test_that_bonnie_prints_its_line_of_values(tmp_path: Path) -> None:
    (run,) = measured("bonnie", tmp_path).tests
    repeat = run.repeats[0]
    assert dict(repeat.files)["output.txt"].split(b",")[2] == b"poolwright"
    assert repeat.application is not None
    written = [one.rate for one in repeat.application.measured if one.name == "block write"]
    assert [value_of(run.test, repeat)] == written  # not the sum of all that it does one after the other


def test_that_a_job_of_another_tool_says_nothing_of_elsewhere(tmp_path: Path) -> None:
    profile = make_profile(find_built_in("dd"), on_zfs(), wishes=BenchWishes(repeats=1))
    order = RunOrder(
        profile=replace(profile, tests=profile.tests[:1]),
        place=place(tmp_path),
        job_of=lambda test, seed: small(test, seed).replace("of=data", "of=/tmp/poolwright-elsewhere"),
        idle_seconds=0.0,
    )
    record = converse(run_profile(order))
    assert (record.ended, record.why.startswith("The job leads outside")) == (Ended.FAILED, True)
    assert not Path("/tmp/poolwright-elsewhere").exists()


PLACE = BenchTarget(
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
