"""Several workers of fio end at different times: what one of them does long is no reason to lose the others."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.running.places import MIB, needs_fio, order, small
from tests.bench.running.shim import needs_gcc, run_beside

from poolwright.bench.record import Ended
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import LiveSamples, RunProgress, run_profile
from poolwright.domain.measurement import Direction, Observer, What
from poolwright.process.blocking import converse

pytestmark = [needs_fio, pytest.mark.slow]
RATE = 3 * 2 * MIB

DRIVER = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.bench.running.places import order, small
from poolwright.bench.record import BenchJob
from poolwright.bench.run_file import run_archive
from poolwright.bench.running.run import run_profile
from poolwright.process.blocking import converse

words = ("rw", "write"), ("rate", "2m"), ("end_fsync", "1")
def job(name, seconds):
    return BenchJob(name=name, options=(*words, ("filename", name), ("runtime", seconds)))

test = replace(small(seconds=4, repeats=1), jobs=(job("soon", "4"), job("late", "2")), files=2)
Path(sys.argv[2]).write_bytes(run_archive(converse(run_profile(order(Path(sys.argv[1]), test)))))
"""


@needs_gcc
def test_that_a_worker_that_is_long_in_writing_back_takes_no_other_with_it(tmp_path: Path) -> None:
    record = run_beside(DRIVER, tmp_path, SLOW_SYNC=tmp_path)
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    assert record.seconds > 8


def test_that_several_workers_are_drawn_while_they_run_and_their_bytes_counted(tmp_path: Path) -> None:
    told: list[object] = []
    many = small(seconds=5, repeats=1)
    many = replace(many, options=(*many.options, ("numjobs", "3"), ("rate", "2m")))
    record = converse(run_profile(order(tmp_path, many), lambda _doing, _fraction, value: told.append(value)))
    assert record.ended is Ended.WHOLE
    rates = [
        sample.value
        for value in told
        if isinstance(value, LiveSamples)
        for sample in value.samples
        if (sample.key.source, sample.key.what, sample.key.direction)
        == (Observer.APPLICATION, What.RATE, Direction.WRITE)
    ]
    assert len(rates) >= 2
    assert all(0.5 * RATE < rate < 2 * RATE for rate in rates)
    progress = [value for value in told if isinstance(value, RunProgress)]
    assert 0.5 * 4 * RATE < progress[-1].written_bytes < 1.3 * 5 * RATE
    assert dict(record.tests[0].repeats[0].files)["fio.json"].startswith(b"{")


def test_that_several_workers_end_with_the_bytes_allowed(tmp_path: Path) -> None:
    many = small(seconds=20, repeats=1)
    many = replace(many, options=(*many.options, ("numjobs", "3"), ("rate", "2m")))
    record = converse(run_profile(replace(order(tmp_path, many), budget=RunBudget(written_bytes=20 * MIB))))
    assert record.ended is Ended.BUDGET
    assert record.seconds < 12
    assert not list(tmp_path.iterdir())
