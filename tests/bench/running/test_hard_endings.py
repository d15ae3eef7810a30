"""Whatever ends a run - a person, a kill, a full disk, a directory that is gone - leaves nothing, and what is told."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio, order, small
from tests.process.processes import name_of, parent_of

from poolwright.bench.record import BenchJob, BenchTarget, Ended, Engine, RunRecord
from poolwright.bench.running import run as commands
from poolwright.bench.running.run import RunProgress, run_profile, why_failed
from poolwright.domain.command import Completed, Ending
from poolwright.process.blocking import converse, run
from poolwright.process.piped import Held

pytestmark = needs_fio
DRIVER = """
import sys
from pathlib import Path
from tests.bench.running.places import order, small, needs_fio
from poolwright.bench.running.run import run_profile
from poolwright.process.blocking import converse
converse(run_profile(order(Path(sys.argv[1]), small(seconds=30))))
"""


def at_work(directory: Path) -> list[int]:
    """Return the processes that run in a directory or below it, or did where it is gone."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            where = (process / "cwd").readlink()
        except OSError:
            continue
        if str(where).startswith(f"{directory}/"):
            found.append(int(process.name))
    return found


def awaited(what: Callable[[], object], seconds: float = 10) -> float:
    """Return how long it took until ``what`` held."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < seconds
        time.sleep(0.02)
    return time.monotonic() - began


def nothing_left(directory: Path) -> bool:
    return not list(directory.iterdir()) and not at_work(directory)


def meanwhile(directory: Path, do: Callable[[], None]) -> RunRecord:
    """Run a repeat that is over soon and one of 20 s; in the middle of that ``do`` something."""
    done = False

    def told(_doing: str, _fraction: float | None, value: object) -> None:
        nonlocal done
        if isinstance(value, RunProgress) and value.test == "long" and value.written_bytes > 8 << 20 and not done:
            done = True
            do()

    asked = order(directory, small(repeats=1), small("long", seconds=20))
    began = time.monotonic()
    record = converse(run_profile(asked, told))
    assert done
    assert time.monotonic() - began < 12
    assert record.tests[0].repeats[0].ended is Ended.WHOLE
    assert [repeat.ended for repeat in record.tests[1].repeats] == [record.ended]
    awaited(lambda: not at_work(directory), 0.5)
    return record


def fio_below(directory: Path) -> list[int]:
    return [pid for pid in at_work(directory) if name_of(pid) == "fio"]


@pytest.mark.slow
def test_that_ctrl_c_ends_all_within_two_seconds_and_keeps_what_was_measured(tmp_path: Path) -> None:
    pressed = []

    def press() -> None:
        pressed.append(time.monotonic())
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()

    record = meanwhile(tmp_path, press)
    assert time.monotonic() - pressed[0] < 2.2
    assert (record.ended, record.why) == (Ended.CANCELLED, "")
    assert b'"fio version"' in dict(record.tests[1].repeats[0].files)["fio.json"]
    assert nothing_left(tmp_path)


def test_that_a_run_that_is_stopped_before_its_directory_is_there_was_cancelled(tmp_path: Path) -> None:
    asked = run_profile(order(tmp_path, small()))
    held = next(asked)
    assert isinstance(held, Held)
    with pytest.raises(StopIteration) as over:
        asked.send((Completed(command=held.command, ending=Ending.EXITED, status=0),))
    assert over.value.value.ended is Ended.CANCELLED


@pytest.mark.slow
def test_that_nothing_is_left_where_the_program_itself_is_killed(tmp_path: Path) -> None:
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(tmp_path)], env={**os.environ, "PYTHONPATH": "app:."})
    try:
        awaited(lambda: len(fio_below(tmp_path)) > 1, 20)
    finally:
        driver.kill()
        driver.wait()
    assert awaited(lambda: nothing_left(tmp_path)) < 2


@pytest.mark.slow
def test_that_nothing_is_left_where_the_runner_is_killed_with_it(tmp_path: Path) -> None:
    def kill() -> None:
        found = fio_below(tmp_path)  # numbers may have begun anew: the lowest need not be the oldest
        (runner,) = {parent_of(fio) for fio in found} - set(found)
        assert runner is not None
        assert runner > 1
        os.kill(runner, signal.SIGKILL)

    record = meanwhile(tmp_path, kill)
    assert (record.ended, record.why) == (Ended.FAILED, "It was killed, perhaps because memory ran out.")
    assert nothing_left(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("which", [min, max], ids=["fio", "its worker"])
def test_that_a_killed_fio_is_told(tmp_path: Path, which: Callable[[list[int]], int]) -> None:
    record = meanwhile(tmp_path, lambda: os.kill(which(fio_below(tmp_path)), signal.SIGKILL))
    assert record.ended is Ended.FAILED
    assert record.why.startswith("It was killed, perhaps because memory ran out.")
    assert nothing_left(tmp_path)


@pytest.mark.slow
def test_that_a_directory_removed_under_a_run_is_told(tmp_path: Path) -> None:
    def remove() -> None:
        for scratch in tmp_path.iterdir():
            subprocess.run(["rm", "-rf", str(scratch)], check=True)
        for pid in fio_below(tmp_path)[:1]:
            os.kill(pid, signal.SIGTERM)

    record = meanwhile(tmp_path, remove)
    assert record.ended is Ended.FAILED
    assert record.why.startswith("The directory was removed while the run was under way.")
    assert nothing_left(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [Engine.FIO, Engine.DD])
def test_that_a_directory_removed_under_a_long_test_ends_it_at_once(tmp_path: Path, engine: Engine) -> None:
    # A program writes on into files that nobody can see any more, for minutes.
    asked = small("long", rw="randwrite", seconds=60, repeats=1)
    if engine is Engine.DD:
        words = (("if", "/dev/zero"), ("of", "/dev/null"), ("bs", "1M"))
        asked = replace(asked, engine=engine, seconds=None, jobs=(BenchJob(name="long", options=words),))
    began = time.monotonic()

    def told(_doing: str, _fraction: float | None, value: object) -> None:
        if isinstance(value, RunProgress) and value.test and value.seconds > 1:
            for scratch in tmp_path.iterdir():
                subprocess.run(["rm", "-rf", str(scratch)], check=True)

    record = converse(run_profile(order(tmp_path, asked), told))
    assert record.ended is Ended.FAILED
    assert record.why == "The directory was removed while the run was under way."
    assert time.monotonic() - began < 20
    assert nothing_left(tmp_path)


@pytest.fixture
def little(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MiB."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(tmp_path)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.slow
def test_that_a_full_disk_is_told_and_what_was_finished_is_kept(little: Path) -> None:
    record = converse(run_profile(order(little, small(repeats=1), small("large", mib=64))))
    assert record.ended is Ended.FAILED
    assert record.why.startswith("The directory is full.")
    assert [run.repeats[0].ended for run in record.tests] == [Ended.WHOLE, Ended.FAILED]
    assert nothing_left(little)


def at(directory: Path) -> BenchTarget:
    return BenchTarget(directory=str(directory), filesystem="tmpfs", host="here", free_bytes=1 << 30)


def test_that_a_run_does_not_take_over_the_directory_of_another(tmp_path: Path) -> None:
    taken = tmp_path / f"{commands.SCRATCH}one"
    taken.mkdir()
    (taken / "kept").touch()
    assert run(commands.keeper(at(tmp_path), "one")).status == commands.EXISTS
    assert list(taken.iterdir()) == [taken / "kept"]
    (tmp_path / f"{commands.SCRATCH}two").symlink_to(taken)
    assert run(commands.keeper(at(tmp_path), "two")).status == commands.EXISTS
    assert run(commands.keeper(at(tmp_path / "nowhere"), "one")).status == commands.NOT_MADE
    assert run(commands.remover(at(tmp_path), "one")).ok
    assert not taken.exists()


def test_that_the_directory_is_gone_once_nobody_holds_the_keeper(tmp_path: Path) -> None:
    done = run(replace(commands.keeper(at(tmp_path), "one"), stdin=b""))
    assert (done.status, done.text) == (0, "kept\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_that_the_keeper_takes_the_directory_away_at_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    keeper = commands.keeper(at(tmp_path), "one")
    with subprocess.Popen(keeper.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"kept\n"
        assert list(tmp_path.iterdir())
        child.send_signal(number)
        assert child.wait(5) == 0
    assert list(tmp_path.iterdir()) == []


def test_that_a_dataset_that_cannot_be_made_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    place = replace(at(tmp_path), dataset="nowhere/bench", makes=(("primarycache", "metadata"),))
    done = run(commands.keeper(place, "one"))
    assert done.status == commands.NO_DATASET
    assert why_failed(done, Engine.FIO).startswith("No dataset for the run")
    assert list(tmp_path.iterdir()) == []
    assert run(commands.remover(place, "one")).ok
