"""How tests of a profile follow each other: sweeps with a knee of their own, files that stay and files that go."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.profiles.places import place as on_zfs
from tests.bench.running.places import needs_fio, order, place, small, with_options

from poolwright.bench.profiles.catalogue import find_built_in, make_profile
from poolwright.bench.profiles.ground import BenchWishes
from poolwright.bench.record import Ended, job_text
from poolwright.bench.running.run import RunOrder, run_profile
from poolwright.process.conversing import converse

pytestmark = needs_fio


@pytest.mark.slow
def test_that_reads_and_writes_have_a_knee_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolwright.bench.running.run._rate", lambda _run: 100.0)
    steps = [
        replace(small(f"{rw}-{n}", rw=rw, repeats=1), stops_at_knee=True) for rw in ("read", "write") for n in range(5)
    ]
    record = converse(run_profile(order(tmp_path, *steps)))
    assert [run.test.name for run in record.tests] == ["read-0", "read-1", "read-2", "write-0", "write-1", "write-2"]


@pytest.mark.slow
def test_that_files_stay_for_a_test_that_says_so_and_go_before_one_of_other_records(tmp_path: Path) -> None:
    first = small("fill", repeats=1)
    looking = with_options(small("look", rw="read", mib=4, repeats=1), ("allow_file_create", "0"))
    kept = converse(run_profile(order(tmp_path, first, replace(looking, keeps_files=True))))
    assert kept.ended is Ended.WHOLE
    gone = converse(run_profile(order(tmp_path, first, looking)))
    assert gone.ended is Ended.FAILED
    same = replace(looking, file_bytes=first.file_bytes, record_bytes=4096)
    assert converse(run_profile(order(tmp_path, replace(first, record_bytes=4096), same))).ended is Ended.WHOLE
    assert converse(run_profile(order(tmp_path, replace(first, record_bytes=8192), same))).ended is Ended.FAILED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sanity", "standard", "clients", "depth", "l2arc"])
def test_that_the_runner_lets_the_jobs_of_profiles_pass(name: str, tmp_path: Path) -> None:
    wishes = BenchWishes(seconds=0.3, repeats=1, steps=True)
    tiny = on_zfs(free_bytes=32 << 20, ram_bytes=32 << 20, arc_most_bytes=1 << 20, properties={"recordsize": "4096"})
    profile = make_profile(find_built_in(name), tiny, wishes=wishes)
    profile = replace(profile, tests=profile.tests[:4])
    record = converse(run_profile(RunOrder(profile=profile, place=place(tmp_path), job_of=job_text, idle_seconds=0.0)))
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    assert len(record.tests) == len(profile.tests)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_that_the_volumes_of_the_paper_may_be_named_and_no_others(tmp_path: Path) -> None:
    for name, allowed in (
        ("/dev/zvol/tank/poolwright-paper-1", True),
        ("/dev/zvol/tank/vm", False),
        ("/dev/sda", False),
    ):
        job = with_options(small(repeats=1), ("filename", name), ("allow_file_create", "0"))
        record = converse(run_profile(order(tmp_path, job)))
        assert record.ended is Ended.FAILED  # there is no such volume here
        assert ("leads outside" in record.why) is not allowed, record.why
