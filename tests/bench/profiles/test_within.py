"""What a person lets a run write, and how long its repeats may last, make it small; what it is then worth is told."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.profiles.places import ELSEWHERE, ON_ZFS, place
from tests.bench.running.places import needs_fio
from tests.emit.pretend import small_design

from poolwright.bench.profiles.access import BenchWishes, asked_bytes, percent_bytes
from poolwright.bench.profiles.catalogue import BUILT_IN, effort_of, find_built_in, make_profile, writes
from poolwright.bench.record import BenchTarget, Ended, Engine, Profile, RunRecord, job_text
from poolwright.bench.running.inspection import look
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import RunOrder, RunProgress, run_profile
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.process.blocking import converse

FILLING = ("fill", "fill-random")
NAMES = [known.name for known in BUILT_IN]


def made(name: str, wishes: BenchWishes, where: BenchTarget = ON_ZFS) -> Profile:
    return make_profile(find_built_in(name), where, small_design(), wishes)


@pytest.mark.parametrize("most", [2 * GIB, 20 * GIB, 300 * GIB])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FILLING])
@pytest.mark.parametrize("where", [ON_ZFS, place(disks=(), arc_most_bytes=200 * GIB, ram_bytes=256 * GIB)])
def test_that_a_profile_writes_no_more_than_it_may(name: str, most: int, where: BenchTarget) -> None:
    profile = made(name, BenchWishes(most_bytes=most), where)
    # Below the limit itself, at which a run is ended.
    assert effort_of(profile, where).written_bytes < most
    assert len(profile.tests) == len(made(name, BenchWishes(), where).tests)


def test_that_too_little_is_refused_with_what_it_takes() -> None:
    with pytest.raises(Refusal, match="too little") as refused:
        made("recordsize", BenchWishes(most_bytes=8 * MIB))
    assert "at least" in (refused.value.todo or "")


def test_that_repeats_end_early_by_bytes_and_say_so() -> None:
    profile = made("standard", BenchWishes(most_bytes=4 * GIB))
    write, read = profile.tests
    assert "end early" in "\n".join(write.notes)
    assert "end early" not in "\n".join(read.notes)
    options = dict(write.options) | dict(write.jobs[0].options)
    assert "time_based" not in options
    assert options["runtime"] == "60000ms"
    assert (asked_bytes(write) or 0) == int(options["io_size"]) * 10
    assert (asked_bytes(write) or 0) * write.repeats <= 4 * GIB


def test_that_what_is_shorter_than_the_documents_is_not_called_like_theirs() -> None:
    assert [test.name for test in made("dd", BenchWishes()).tests] == ["write", "read"]
    assert [test.name for test in made("dd", BenchWishes(seconds=1)).tests] == ["write-256", "read-256"]
    assert {test.name.split("-")[1] for test in made("cache", BenchWishes()).tests} == {"4g", "16g"}
    assert {test.name.split("-")[1] for test in made("cache", BenchWishes(seconds=1)).tests} == {"64m", "256m"}


@pytest.mark.parametrize(("free", "share"), [(6.7, 1.0), (4.4, 4.4 / 6.7)])
def test_that_a_pool_is_filled_by_what_files_take_with_their_parity(free: float, share: float) -> None:
    # Of 8 TiB of SIZE 12 % are used; with raidz a third of what is left is parity, and df does not count it.
    where = place(free_bytes=int(free * TIB), pool_bytes=8 * TIB, fill_percent=12)
    tests = [test for test in made("fill", BenchWishes(), where).tests if test.name.startswith("fill-")]
    data = sum(test.file_bytes for test in tests)
    assert data == pytest.approx(share * 0.78 * 8 * TIB, rel=0.04)
    assert data < where.free_bytes


def test_that_a_pool_is_filled_only_as_far_as_may_be_written() -> None:
    striped = place(free_bytes=int(6.7 * TIB))
    profile = made("fill", BenchWishes(most_bytes=2 * TIB), striped)
    assert {test.x for test in profile.tests} == {20, 30}
    assert any("filled to 30 % only" in note for test in profile.tests for note in test.notes)
    with pytest.raises(Refusal, match="does not fill the pool"):
        made("fill", BenchWishes(most_bytes=GIB), striped)


LESS = ["depth", "recordsize", "compressible", "l2arc", "cache", "dd"]
WHOLE = ["sanity", "patterns", "standard", "clients", "sync", *LESS]


@needs_fio
@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_that_a_profile_runs_whole_within_a_small_budget_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    most = 192 * MIB
    there = converse(look(str(tmp_path)))
    profile = make_profile(find_built_in(name), there, None, BenchWishes(repeats=1, seconds=0.3, most_bytes=most))
    written: list[int] = []

    def told(_doing: str, _fraction: float | None, value: object) -> None:
        if isinstance(value, RunProgress):
            written.append(value.written_bytes)

    order = RunOrder(
        profile=profile, place=replace(there, refusals=()), job_of=job_text, budget=RunBudget(written_bytes=most),
        idle_seconds=0.0,
    )  # fmt: skip
    record: RunRecord = converse(run_profile(order, told))
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    assert [run.test.name for run in record.tests] == [test.name for test in profile.tests]
    assert list(tmp_path.iterdir()) == []
    assert any(writes(test) for test in profile.tests) == (max(written) > 0) or name == "l2arc"
    assert max(written) < most


def test_that_each_job_of_a_shortened_test_writes_a_block_at_least() -> None:
    sweep = made("concurrency", BenchWishes(most_bytes=2 * GIB))
    for test in sweep.tests:
        if test.engine is Engine.FIO and writes(test):
            assert int(dict(test.jobs[0].options)["io_size"]) >= 128 * KIB


@pytest.mark.parametrize("name", ["dd", "cache"])
def test_that_smaller_files_than_the_document_s_fit_where_those_do_not(name: str) -> None:
    tight = replace(ELSEWHERE, free_bytes=GIB)
    with pytest.raises(Refusal, match="do not fit"):
        made(name, BenchWishes(), tight)
    profile = made(name, BenchWishes(most_bytes=512 * MIB), tight)
    assert effort_of(profile, tight).written_bytes < 512 * MIB


def test_that_a_pool_is_filled_first_and_its_files_lie_there_to_the_end() -> None:
    profile = made("standard", BenchWishes(fill_percent=60))
    first, *others = profile.tests
    assert (first.name, dict(first.jobs[0].options)["rw"]) == ("fill-60", "randwrite")
    assert "unlink" not in dict(first.options) | dict(first.jobs[0].options)
    assert all(test.keeps_files for test in others)
    assert {test.name for test in others} == {test.name for test in made("standard", BenchWishes()).tests}
    assert ON_ZFS.fill_percent is not None
    whole = effort_of(profile, ON_ZFS).space_bytes
    assert whole > first.file_bytes > 0.9 * (60 - ON_ZFS.fill_percent) * percent_bytes(ON_ZFS)
    assert whole <= ON_ZFS.free_bytes


@pytest.mark.parametrize("name", ["fill", "fill-random", "siblings"])
def test_that_what_fills_the_pool_itself_or_writes_nothing_is_not_filled_first(name: str) -> None:
    assert made(name, BenchWishes(fill_percent=60)) == made(name, BenchWishes())


def test_that_a_pool_is_not_filled_beyond_what_may_be_written_or_what_it_is() -> None:
    with pytest.raises(Refusal, match="To fill the pool to 60 % takes"):
        made("standard", BenchWishes(fill_percent=60, most_bytes=GIB))
    with pytest.raises(Refusal, match="full already"):
        made("standard", BenchWishes(fill_percent=1), place(fill_percent=40))
