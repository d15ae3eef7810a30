"""What `poolwright bench` has finished is kept while it goes on: a kill or a crash loses the repeat under way."""

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of
from tests.bench.running.places import needs_fio

from poolwright.bench.judging.verdict import judge
from poolwright.bench.record import Ended, RunRecord
from poolwright.bench.run_file import kept_run, open_run
from poolwright.cli import bench_run as bench_keep
from poolwright.cli.bench_run import Keeping
from poolwright.domain.errors import UserError

AT_ONCE = (
    "import sys; from poolwright.cli import bench_run; bench_run._MEANWHILE_SECONDS = 0; bench_run._MOST_SHARE = 1; "
)
MAIN = "from poolwright.cli.main import run; sys.exit(run(sys.argv[1:]))"


@pytest.fixture
def record() -> RunRecord:
    place = place_of()
    return record_of((run_of(bench_test(), place, Made(value=1e9)),), place)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench_keep, "_MEANWHILE_SECONDS", 0.0)
    monkeypatch.setattr(bench_keep, "_MOST_SHARE", 1.0)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def keeping(output: Path | None = None, *, force: bool = False, no_keep: bool = False) -> Keeping:
    return Keeping(argparse.Namespace(output=output, format=None, force=force, no_keep=no_keep), None, {})


def test_that_the_file_holds_what_is_finished_and_in_the_end_the_whole(record: RunRecord, tmp_path: Path) -> None:
    file = tmp_path / "run.zip"
    kept = keeping(file)
    kept.meanwhile(record)
    so_far = open_run(file)
    assert so_far.ended is Ended.CANCELLED
    assert "interrupted" in so_far.why
    assert [len(test.repeats) for test in so_far.tests] == [3]
    assert kept.whole(record, judge(record, {})) == {"file": str(file)}
    assert open_run(file).ended is Ended.WHOLE


def test_that_a_file_of_somebody_else_is_neither_overwritten_meanwhile_nor_in_the_end(
    record: RunRecord, tmp_path: Path
) -> None:
    file = tmp_path / "run.zip"
    kept = keeping(file)
    file.write_text("theirs", encoding="utf-8")
    kept.meanwhile(record)
    with pytest.raises(UserError):
        kept.whole(record, judge(record, {}))
    assert file.read_text(encoding="utf-8") == "theirs"


def test_that_the_library_has_one_run_of_both(record: RunRecord) -> None:
    kept = keeping()
    kept.meanwhile(record)
    key = kept.whole(record, judge(record, {}))["key"]
    again = kept_run(key[:4])
    assert again is not None
    assert again.ended is Ended.WHOLE


def test_that_nothing_is_kept_where_nothing_is_wanted_or_finished(record: RunRecord, tmp_path: Path) -> None:
    keeping(no_keep=True).meanwhile(record)
    keeping(tmp_path / "run.zip").meanwhile(replace(record, tests=()))
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "run.zip").exists()


def test_that_keeping_takes_a_small_share_of_the_time(
    record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_keep, "_MEANWHILE_SECONDS", 3600.0)
    file = tmp_path / "run.zip"
    keeping(file).meanwhile(record)
    assert not file.exists()


@pytest.mark.slow
@needs_fio
def test_that_a_run_that_is_killed_leaves_its_finished_repeats(tmp_path: Path) -> None:
    place, file, job = tmp_path / "there", tmp_path / "run.zip", tmp_path / "mail.fio"
    place.mkdir()
    job.write_text("[mail]\nrw=randwrite\nbs=4k\nsize=1m\ntime_based\nruntime=1\n", encoding="utf-8")
    words = (
        "bench", "--own", str(job), "--yes", "--directory", str(place), "--seconds", "1", "--repeats", "50", "-w",
        str(file),
    )  # fmt: skip
    program = (sys.executable, "-c", AT_ONCE + MAIN, *words)
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if "3 of 50" in line:
                break
        os.kill(child.pid, signal.SIGKILL)
    until = time.monotonic() + 30
    while list(place.iterdir()) and time.monotonic() < until:  # the far side sees that nobody holds it any more
        time.sleep(0.1)
    assert list(place.iterdir()) == []
    found = open_run(file)
    assert found.ended is Ended.CANCELLED
    assert [repeat.number for repeat in found.tests[0].repeats] == [1, 2]
