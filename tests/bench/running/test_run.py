"""A profile is run by the real fio in a directory of its own, and nothing of it is left there."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.running.places import MIB, job_of, needs_fio, order, place, small, with_options

from poolwright.bench.record import BenchJob, Ended, Engine, RunRecord
from poolwright.bench.run_file import read_run, run_archive
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import LiveSamples, RunProgress, run_profile
from poolwright.domain.command import Completed, Ending
from poolwright.domain.errors import Refusal
from poolwright.domain.measurement import What
from poolwright.process.blocking import converse
from poolwright.process.piped import Held, LetGo, Watched

pytestmark = needs_fio


@pytest.mark.slow
def test_that_each_repeat_is_kept_with_what_was_printed_and_nothing_is_left(tmp_path: Path) -> None:
    told: list[object] = []
    record = converse(
        run_profile(
            order(tmp_path, small(), small("read", rw="randread", repeats=1)), lambda _d, _f, value: told.append(value)
        )
    )
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    assert [(run.test.name, [repeat.number for repeat in run.repeats]) for run in record.tests] == [
        ("write", [1, 2]),
        ("read", [1]),
    ]
    for run in record.tests:
        for repeat in run.repeats:
            files = dict(repeat.files)
            assert b'"fio version"' in files["fio.json"]
            assert files["fio.json"].count(b"\n}\n") == 1
            assert b"@stat - " in files["samples.txt"]
    assert list(tmp_path.iterdir()) == []
    assert [value.ended for value in told if isinstance(value, RunRecord)] == [Ended.WHOLE] * 3
    fractions = [value.fraction for value in told if isinstance(value, RunProgress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1
    assert not [value for value in told if isinstance(value, LiveSamples) and not value.samples]


@pytest.mark.slow
def test_that_the_logs_of_fio_are_kept_and_each_repeat_has_its_own_seed(tmp_path: Path) -> None:
    seeds: list[int] = []

    def written(test: object, seed: int) -> str:
        seeds.append(seed)
        return job_of(small("read", rw="randread", seconds=1), seed)

    asked = replace(order(tmp_path, small("read", seconds=1)), job_of=written, seed=40)
    record = converse(run_profile(asked))
    logs = [data for repeat in record.tests[0].repeats for name, data in repeat.files if name == "test_bw.1.log"]
    assert len(logs) == 2
    assert all(len(log.splitlines()) >= 3 for log in logs)
    assert seeds == [40, 40, 41]  # the one that is shown, and those of both repeats
    again = read_run(run_archive(record), where="run.zip")
    assert again == record
    for repeat in again.tests[0].repeats:
        assert repeat.application is not None
        lengths = {curve.what: len(curve.ms) for curve in repeat.application.curves}
        assert lengths[What.RATE] >= 3
        assert lengths == {What.RATE: lengths[What.RATE], What.IOPS: 1}  # of operations it was asked for no log


@pytest.mark.slow
def test_that_a_run_ends_with_the_bytes_allowed_and_keeps_what_it_finished(tmp_path: Path) -> None:
    asked = replace(
        order(tmp_path, small(repeats=1), small("more", seconds=20, repeats=1)), budget=RunBudget(written_bytes=9 * MIB)
    )
    record = converse(run_profile(asked))
    assert record.ended is Ended.BUDGET
    assert record.why == "The writes allowed are used up: 9.00 MiB."
    assert [run.repeats[0].ended for run in record.tests] == [Ended.WHOLE, Ended.BUDGET]
    assert record.seconds < 10
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_that_a_run_ends_with_the_time_allowed(tmp_path: Path) -> None:
    asked = replace(order(tmp_path, small(seconds=20)), budget=RunBudget(seconds=1.5))
    record = converse(run_profile(asked))
    assert record.ended is Ended.BUDGET
    assert "1 s" in record.why or "2 s" in record.why
    assert [len(run.repeats) for run in record.tests] == [1]
    assert b'"fio version"' in dict(record.tests[0].repeats[0].files)["fio.json"]


def test_that_a_refused_place_is_not_touched(tmp_path: Path) -> None:
    asked = order(tmp_path, small())
    asked = replace(asked, place=replace(place(tmp_path), refusals=("The pool is full.",)))
    with pytest.raises(Refusal) as refused:
        converse(run_profile(asked))
    assert refused.value.reasons == ("The pool is full.",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "option",
    [
        ("filename", "/dev/sda"),
        ("filename", "data:/dev/sda"),
        ("directory", "/tmp"),
        ("directory", ".."),
        ("filename", "../data"),
        ("exec_prerun", "reboot"),
        ("ioengine", "external:./x.so"),
        ("ioengine", "net"),
        ("filename", "${HOME}"),
        ("write_bw_log", "/tmp/x"),
        ("Filename ", " /dev/sda"),
    ],
    ids="=".join,
)
def test_that_a_job_that_leads_out_of_its_directory_is_not_run(tmp_path: Path, option: tuple[str, str]) -> None:
    record = converse(run_profile(order(tmp_path, with_options(small(), option))))
    assert record.ended is Ended.FAILED
    assert record.why.startswith("The job leads outside of its directory.")
    assert "fio.json" not in dict(record.tests[0].repeats[0].files)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_that_whole_disks_are_only_read(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(b"x" * MIB)
    for rw in ("write", "randrw", "trim", ""):
        options = (("filename", "/dev/null"), *((("rw", rw),) if rw else ()))
        test = replace(small(), engine=Engine.SIBLINGS, options=(), jobs=(BenchJob(name="disk", options=options),))
        record = converse(run_profile(order(tmp_path, test)))
        assert (record.ended, "only reading" in record.why) == (Ended.FAILED, True)
    test = replace(test, jobs=(BenchJob(name="disk", options=(("filename", str(disk)), ("rw", "read"))),))
    assert "a path" in converse(run_profile(order(tmp_path, test))).why  # a disk is below /dev
    assert list(tmp_path.iterdir()) == [disk]


def test_that_a_missing_fio_is_told_with_what_to_install(tmp_path: Path) -> None:
    talk = run_profile(order(tmp_path, small()))
    step = next(talk)
    assert isinstance(step, Held)
    step = talk.send(())
    assert isinstance(step, Watched)
    step = talk.send((Completed(command=step.main, ending=Ending.EXITED, status=0),))
    assert isinstance(step, Watched)
    step = talk.send((Completed(command=step.main, ending=Ending.EXITED, status=127),))
    assert isinstance(step, LetGo)
    with pytest.raises(StopIteration) as end:
        talk.send((Completed(command=step.held.command, ending=Ending.EXITED, status=0),))
    assert end.value.value.ended is Ended.FAILED
    assert end.value.value.why == "fio is not installed there. Install it (packages fio, bonnie++)."


@pytest.mark.slow
def test_that_an_option_that_fio_does_not_know_is_told_in_its_words(tmp_path: Path) -> None:
    record = converse(run_profile(order(tmp_path, with_options(small(), ("nonsense", "1")))))
    assert record.ended is Ended.FAILED
    assert "nonsense" in record.why
