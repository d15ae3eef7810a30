"""Somebody sets the clock while a run is measured: nothing of what is told or kept depends on the time of day."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.bench.running.places import needs_fio
from tests.bench.running.shim import needs_gcc, with_shim

from poolwright.bench.record import Ended, RunRecord
from poolwright.bench.run_file import open_run
from poolwright.bench.running.run import sampler
from poolwright.domain.measurement import Observer, What
from poolwright.machine.sampler import steps_of
from poolwright.process.piped import Piped

pytestmark = [needs_fio, needs_gcc]
SECONDS = 6
READING_MS = 1000  # one clock is read after the other, by another program; a clock that is set moves 20 s at least
DRIVER = f"""
import json, sys
from dataclasses import replace
from pathlib import Path
from tests.bench.running.places import order, small
from poolwright.bench.run_file import run_archive
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import RunProgress, run_profile
from poolwright.process.blocking import converse
def told(_doing, _fraction, value):
    if isinstance(value, RunProgress) and value.test:
        print(json.dumps([value.seconds, value.seconds_left, value.fraction, value.written_bytes]), flush=True)
asked = replace(order(Path(sys.argv[1]), small(seconds={SECONDS}, repeats=1)), budget=RunBudget(seconds=60.0))
Path(sys.argv[2]).write_bytes(run_archive(converse(run_profile(asked, told))))
"""


def run_while_the_clock_is_set(folder: Path, by: int) -> tuple[RunRecord, list[list[float]]]:
    """Return the run that was kept and what was told of it, where the clock is set in its middle."""
    directory, clock, kept = folder / "pool", folder / "shift", folder / "run.zip"
    directory.mkdir()
    clock.write_text("0")
    words = [sys.executable, "-c", DRIVER, str(directory), str(kept)]
    told: list[list[float]] = []
    with subprocess.Popen(words, env=with_shim(folder, CLOCK_SHIFT=clock), stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        try:
            for line in driver.stdout:
                told.append(json.loads(line))
                if told[-1][3] > 0 and told[-1][0] > told[0][0] + SECONDS / 2:
                    clock.write_text(str(by))
            assert driver.wait(20) == 0
        finally:
            driver.kill()
    assert clock.read_text() == str(by)
    assert not list(directory.iterdir())
    return open_run(kept), told


def test_that_a_clock_set_after_the_last_sample_is_known_from_the_end_however_long_that_takes(tmp_path: Path) -> None:
    clock, slow, told = tmp_path / "shift", tmp_path / "date", bytearray()
    clock.write_text("0")
    slow.write_text('#!/bin/sh\nsleep 0.3\nexec /bin/date "$@"\n')
    slow.chmod(0o755)
    shim = with_shim(tmp_path, CLOCK_SHIFT=clock) | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    running = Piped(replace(sampler(str(tmp_path), None), environment=tuple(shim.items())), told.extend, stays=True)
    while running.completed is None:
        if running.move() and b"cpu" in told:
            clock.write_text("86400")
            running.stop()
    assert [round(step.ahead) for step in steps_of(bytes(told))] == [86_400]


@pytest.mark.slow
@pytest.mark.parametrize("by", [-86_400, -20, 20, 86_400])
def test_that_a_clock_that_is_set_changes_nothing_of_a_run(tmp_path: Path, by: int) -> None:
    began = time.monotonic()
    record, told = run_while_the_clock_is_set(tmp_path, by)
    whole = time.monotonic() - began
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    ((repeat,),) = (test.repeats for test in record.tests)
    assert SECONDS <= repeat.seconds < record.seconds < whole
    assert all(0 <= left <= SECONDS + 1 for _, left, _, _ in told)
    assert [each[0] for each in told] == sorted(each[0] for each in told)
    assert told[-1][0] < whole
    seen, (watched,) = repeat.application, repeat.watched
    assert seen is not None
    assert seen.curves
    for curve in (*seen.curves, *watched.curves):
        assert np.all(np.diff(curve.ms) > 0)
        assert curve.ms[-1] < 1000 * whole
    begins = [one.started.timestamp() for one in (seen, watched) if one.started is not None]
    # Both begin together; on a busy machine one of them gets going later, by no more than all was late.
    assert max(begins) - min(begins) < max(3.0, whole - SECONDS)
    busy = next(curve for curve in watched.curves if curve.source is Observer.CPU)
    rates = next(curve for curve in watched.curves if curve.source is Observer.DISK and curve.what is What.RATE)
    for curve, kind in ((busy, b"stat"), (rates, b"diskstats")):
        # However far apart a busy machine took its samples: they are as far apart as by the clock that nobody can set.
        counted = np.array(counted_at(dict(repeat.files)["samples.txt"], kind))[-len(curve.ms) :]
        assert len(counted) == len(curve.ms) > 1
        assert np.allclose(np.diff(curve.ms), 1000 * np.diff(counted), atol=READING_MS)


def counted_at(samples: bytes, kind: bytes) -> list[float]:
    """Return when samples of a kind were taken, s since the machine began."""
    heads = (line.split() for line in samples.splitlines() if line.startswith(b"@" + kind + b" "))
    return [float(words[3]) for words in heads]
