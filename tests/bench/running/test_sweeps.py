"""How tests of a profile follow each other: sweeps with a knee of their own, files that stay and files that go."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio, order, small, with_options

from poolwright.bench.record import Ended
from poolwright.bench.running.run import run_profile
from poolwright.process.blocking import converse

pytestmark = needs_fio


@pytest.mark.slow
def test_that_reads_and_writes_have_a_knee_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolwright.bench.record.is_flat", lambda rates: len(rates) > 2)
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
