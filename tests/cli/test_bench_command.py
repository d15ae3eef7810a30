"""`poolwright bench`: the list, small runs of the real fio, and their verdicts, as people and programs see them."""

import html
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from tests.bench.judging.made_runs import Made, bench_test, design_of, place_of, record_of, run_of
from tests.bench.running.places import needs_fio
from tests.command_line import answer_of, printed, refused, written
from tests.pace import slowness
from tests.process.far_side import FarSide, far_side

from poolwright.bench.profiles.catalogue import BUILT_IN
from poolwright.bench.run_file import open_run, run_archive
from poolwright.cli.main import run
from poolwright.predict.measured_runs import Metric
from poolwright.store.design_file import to_json

__all__ = ["far_side"]
QUICK = ("--yes", "--seconds", "0.4", "--repeats", "1")


@pytest.fixture(autouse=True)
def library(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where runs are kept unless told otherwise."""
    data = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data


@pytest.fixture
def own_job(tmp_path: Path) -> Path:
    return written(
        tmp_path / "mail.fio", "[mail]\nrw=randwrite\nbs=4k\nsize=1m\nrefill_buffers\ntime_based\nruntime=1\n"
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return an empty folder to measure in."""
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


def test_that_the_list_has_each_profile_with_question_time_and_bytes() -> None:
    found = answer_of("bench", "--list")["profiles"]
    assert [profile["name"] for profile in found] == [known.name for known in BUILT_IN]
    sanity = found[0]
    assert sanity["question"]
    assert 0 < sanity["effort"]["seconds"] < 120
    assert sanity["effort"]["written_bytes"] > 0
    needing = next(profile for profile in found if profile["name"] == "design")
    assert needing["effort"] is None
    assert "design" in needing["why_not"]
    assert "sanity " in printed("bench", "--list")


@pytest.mark.slow
@needs_fio
def test_that_a_profile_of_ones_own_is_kept_listed_and_found_by_its_name(
    place: Path, own_job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    answer_of("bench", "--own", str(own_job), "--keep", "--directory", str(place), *QUICK)
    (kept,) = answer_of("bench", "--list")["own"]
    assert (kept["name"], kept["why_not"]) == ("mail", None)
    assert answer_of("bench", "--profile", "mail", "--directory", str(place), *QUICK)["profile"] == "mail"


@pytest.mark.slow
@needs_fio
def test_that_a_profile_keeps_within_the_bytes_allowed(tmp_path: Path) -> None:
    words = ("--profile", "sanity", "--directory", str(tmp_path), "--yes", "--seconds", "2", "--max-bytes", "64MiB")
    assert answer_of("bench", *words)["ended"] == "whole"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@needs_fio
def test_that_a_run_ends_at_the_seconds_allowed_with_what_was_finished(place: Path, own_job: Path) -> None:
    words = ("--own", str(own_job), "--directory", str(place), "--yes", "--seconds", "1", "--repeats", "100")
    found = answer_of("bench", *words, "--max-seconds", "6", status=1)
    assert found["ended"] == "budget"
    assert found["why"]
    assert list(place.iterdir()) == []


@pytest.mark.slow
@needs_fio
@pytest.mark.parametrize("told", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP, signal.SIGHUP]])
def test_that_ctrl_c_kill_and_a_closed_terminal_keep_what_was_finished_and_leave_nothing(
    place: Path, own_job: Path, told: list[signal.Signals]
) -> None:
    program = (sys.executable, "-m", "poolwright", "bench", "--own", str(own_job), "--directory", str(place))
    words = (*program, "--yes", "--seconds", "2", "--repeats", "50", "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if "2 of 50" in line:
                break
        time.sleep(0.5)
        for number in told:
            os.kill(child.pid, number)
            time.sleep(0.1)
        began = time.monotonic()
        out, err = child.communicate(timeout=30)
        assert time.monotonic() - began < 5
    assert child.returncode == 130, err
    found = json.loads(out)
    assert found["ended"] == "cancelled"
    assert found["tests"][0]["repeats"][0]["ended"] == "whole"
    assert list(place.iterdir()) == []


def test_that_the_script_of_the_volumes_is_written_and_may_be_run(tmp_path: Path) -> None:
    path = tmp_path / "volumes.sh"
    assert run(["bench", "--paper-volumes", "tank", "-w", str(path)]) == 0
    assert os.access(path, os.X_OK)
    assert "tank; x" in refused("bench", "--paper-volumes", "tank; x")


@needs_fio
def test_that_a_profile_is_measured_and_judged(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.zip"
    found = answer_of("bench", "--profile", "sanity", "--directory", str(place), *QUICK, "-w", str(file))
    assert found["ended"] == "whole"
    assert [test["name"] for test in found["tests"]] == ["write", "read", "randread", "sync"]
    for test in found["tests"]:
        (repeat,) = test["repeats"]
        assert repeat["measured"][0]["bytes_per_second"] > 0
        assert test["notes"]
    assert found["judgement"] == "cannot tell"
    assert found["seconds"] <= found["effort"]["seconds"] * slowness()
    assert list(place.iterdir()) == []
    assert file.stat().st_size > 1000


@pytest.mark.slow
@needs_fio
def test_that_a_profile_is_measured_on_another_host(
    place: Path, far_side: FarSide, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--profile", "sanity", "--directory", str(place), "--host", "far", *QUICK)
    assert answer_of("bench", *words)["ended"] == "whole"
    assert list(place.iterdir()) == []
    far_side.lose()
    assert run(["bench", *words]) != 0
    assert "no way through the network" in capsys.readouterr().err


@pytest.mark.slow
@needs_fio
def test_that_people_see_what_is_done_and_the_verdict(
    place: Path, own_job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "--own", str(own_job), "--directory", str(place), *QUICK]) == 0
    told = capsys.readouterr()
    assert "At most" in told.err
    assert "mail: 1 of 1" in told.err
    assert told.out.startswith("No verdict: ")
    assert "\nmail  " in told.out


@pytest.mark.slow
@needs_fio
def test_that_results_of_fio_are_read(tmp_path: Path) -> None:
    fio = shutil.which("fio")
    assert fio is not None
    job = ("--name=x", "--rw=write", "--size=1m", "--output-format=json", "--output=x.json")
    subprocess.run([fio, *job], cwd=tmp_path, check=True)
    (tmp_path / "odd.txt").write_text("nothing of the kind\n", encoding="utf-8")
    found = answer_of("bench", "--read", str(tmp_path / "x.json"), str(tmp_path / "odd.txt"))
    (result,) = found["results"]
    assert (result["tool"], result["measured"][0]["bytes"]) == ("fio", 1 << 20)
    assert len(found["passed_over"]) == 1


@pytest.mark.slow
def test_that_the_report_of_a_run_is_written_and_no_file_written_over(
    tmp_path: Path,
    qapp: QApplication,  # the one that printing would make has no widgets, and stays for the tests after it
) -> None:
    kept, design, page, paper = (tmp_path / name for name in ("run.zip", "tank.json", "run.html", "run.pdf"))
    place = place_of()
    kept.write_bytes(run_archive(record_of([run_of(bench_test(), place, Made(value=6e8))], place)))
    design.write_text(to_json(design_of()), encoding="utf-8")
    words = ("--verdict", str(kept), str(design), "-w")
    assert answer_of("bench", *words, str(page))["verdict"] in html.unescape(page.read_text(encoding="utf-8"))
    assert printed("bench", *words, str(paper)) == f"Saved: {paper}\n"
    assert paper.read_bytes().startswith(b"%PDF-")
    assert "there already" in refused("bench", *words, str(paper))
    assert "is read and would be written over" in refused("bench", *words, str(kept), "--force")


@pytest.mark.slow
@needs_fio
def test_that_a_run_that_was_kept_is_judged_and_compared(
    place: Path, own_job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = tmp_path / "tank.json"
    assert run(["recommend", "--example", "thesis", "--goal", "safety", "--save-design", str(design)]) == 0
    files = [tmp_path / f"{number}.zip" for number in (1, 2)]
    for file in files:
        assert run(["bench", "--own", str(own_job), "--directory", str(place), *QUICK, "-w", str(file)]) == 0
    capsys.readouterr()
    found = answer_of("bench", "--verdict", str(files[0]), str(design))
    assert (found["judgement"], found["file"]) == ("cannot tell", str(files[0]))
    assert found["tests"][0]["not_expected_because"]
    both = answer_of("bench", "--verdict", str(files[0]), "--against", str(files[1]))
    (test,) = both["tests"]
    assert test["before"] > 0
    assert test["percent"] == pytest.approx(100 * (test["after"] / test["before"] - 1), abs=0.01)
    assert both["before"]["started"] < both["after"]["started"]
    assert answer_of("bench", "--verdict", str(files[1]), "--against", str(files[0])) == both
    assert "%" in printed("bench", "--verdict", str(files[0]), "--against", str(files[1]))
    assert run(["bench", "--verdict", str(own_job), str(design)]) == 2


@pytest.mark.slow
@needs_fio
def test_that_a_run_is_repeated_as_it_was(
    place: Path, own_job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    assert run(["bench", "--own", str(own_job), "--directory", str(place), *QUICK, "-w", str(first)]) == 0
    own_job.unlink()  # the run has all that it takes
    assert run(["bench", "--repeat", str(first), "--yes", "-w", str(second)]) == 0
    one, two = (open_run(path) for path in (first, second))
    assert one.profile == two.profile
    assert one.place.directory == two.place.directory
    assert one.seed != two.seed
    assert [run.test for run in one.tests] == [run.test for run in two.tests]
    assert list(place.iterdir()) == []
    capsys.readouterr()
    assert "cannot be combined" in refused("bench", "--repeat", str(first), "--seconds", "3")


@pytest.mark.slow
@needs_fio
def test_that_a_run_is_kept_in_the_library_and_judged_by_its_key(
    place: Path, own_job: Path, library: Path, tmp_path: Path
) -> None:
    design, file = tmp_path / "tank.json", tmp_path / "run.zip"
    design.write_text(to_json(design_of()), encoding="utf-8")
    measured = ("--own", str(own_job), "--directory", str(place), *QUICK)
    assert answer_of("bench", *measured, "--no-keep")["key"] is None
    assert answer_of("bench", *measured, "-w", str(file))["key"] is None
    assert list(library.iterdir()) == []
    key = answer_of("bench", *measured)["key"]
    assert answer_of("bench", "--verdict", key[:8], str(design))["name"] == "mail"
    for words, listed in (((), True), (("cannot", "MAIL"), True), (("mail", "passed"), False)):
        assert (key in printed("bench", "--runs", *words)) == listed
    assert "the key of a run" in refused("bench", "--verdict", "00000000", str(design))


@pytest.mark.slow
@needs_fio
def test_that_a_library_that_cannot_be_used_takes_no_run_away(
    place: Path, own_job: Path, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (library / "poolwright").write_text("a file in its place", encoding="utf-8")
    assert run(["bench", "--own", str(own_job), "--directory", str(place), *QUICK]) == 0
    told = capsys.readouterr()
    assert "could not be kept in the library" in told.err
    assert told.out.startswith("No verdict: ")


def test_that_a_run_given_to_be_read_points_to_its_verdict(tmp_path: Path) -> None:
    file, place = tmp_path / "run.zip", place_of()
    file.write_bytes(run_archive(record_of((run_of(bench_test(), place, Made(value=1e9)),), place)))
    assert f"--verdict {file} DESIGN" in refused("bench", "--read", str(file))


@pytest.mark.slow
def test_that_two_runs_narrow_a_prediction_and_a_drifting_one_is_refused(tmp_path: Path) -> None:
    place, design = place_of(), to_json(design_of())

    def kept(name: str, metric: Metric, made: Made) -> str:
        record = replace(record_of((run_of(bench_test(metric), place, made),), place), design=design)
        (tmp_path / name).write_bytes(run_archive(record))
        return str(tmp_path / name)

    def width(*words: str) -> float:
        found = answer_of("predict", "--layout", "raidz2:8x8TB", *words)
        return float(found["seq_write"]["high"] / found["seq_write"]["low"])

    write = kept("write.zip", Metric.SEQ_WRITE, Made(value=600e6))
    read = kept("read.zip", Metric.SEQ_READ, Made(value=700e6))
    assert width("--calibrate", write, "--calibrate", read) < width("--calibrate", write) < width()
    drifting = kept("drift.zip", Metric.SEQ_WRITE, Made(value=600e6, fall=-0.6))
    assert "may narrow predictions" in refused("predict", "--layout", "raidz2:8x8TB", "--calibrate", drifting)


@needs_fio
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_that_nothing_is_measured_unasked_where_nobody_can_answer(
    place: Path, own_job: Path, form: tuple[str, ...]
) -> None:
    words = (sys.executable, "-m", "poolwright", "bench", "--own", str(own_job), "--directory", str(place), *form)
    done = subprocess.run(words, input="n\n", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--yes" in (done.stdout if form else done.stderr)
    assert list(place.iterdir()) == []


DD = "10737418240 bytes (11 GB, 10 GiB) copied, {seconds} s, {rate} MB/s\n"


def test_that_results_of_other_programs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, other = tmp_path / "before.txt", tmp_path / "after.txt", tmp_path / "other.csv"
    before.write_text(DD.format(seconds=100, rate=107), encoding="utf-8")
    after.write_text(DD.format(seconds=50, rate=215), encoding="utf-8")
    found = answer_of("bench", "--read", str(before), "--against", str(after))
    assert [round(test["percent"]) for test in found["tests"]] == [100]
    assert run(["bench", "--read", str(before), "--against", str(after)]) == 0
    told = capsys.readouterr()
    assert "+100.0 %" in told.out
    assert "run 1, write " in told.out
    assert "does not tell whether it read or wrote" in told.err
    other.write_text("name\n", encoding="utf-8")
    assert run(["bench", "--read", str(before), "--against", str(other)]) == 2
