"""A disk that fails while it is measured: what it said is told, what was finished is kept, nothing is left."""

from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio
from tests.bench.running.shim import needs_gcc, run_beside

from poolwright.bench.record import Ended

pytestmark = [needs_fio, needs_gcc]
DRIVER = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.bench.running.places import order, small
from poolwright.bench.run_file import run_archive
from poolwright.bench.running.run import RunProgress, run_profile
from poolwright.process.blocking import converse
directory, kept, bad, rw = (*map(Path, sys.argv[1:4]), sys.argv[4])
began = []
def told(_doing, _fraction, value):
    if isinstance(value, RunProgress) and value.test == "fails":
        began.append(value.seconds)
        if value.seconds > began[0] + 2.5:
            bad.touch()
fails = small("fails", rw=rw, seconds=30, repeats=3)
kept.write_bytes(run_archive(converse(run_profile(order(directory, small(repeats=1), fails), told))))
"""


@pytest.mark.slow
@pytest.mark.parametrize("rw", ["write", "randread"])
def test_that_an_io_error_is_told_and_what_was_finished_is_kept(tmp_path: Path, rw: str) -> None:
    bad = tmp_path / "bad"
    record = run_beside(DRIVER, tmp_path, str(bad), rw, BAD_DISK=bad)
    assert bad.exists()
    assert record.ended is Ended.FAILED
    assert record.why.startswith("A disk could not be read or written. It said: ")
    assert "/pool" not in record.why.partition(" It said: ")[0]
    assert [[repeat.ended for repeat in run.repeats] for run in record.tests] == [[Ended.WHOLE], [Ended.FAILED]]
    first, failed = (run.repeats[0] for run in record.tests)
    assert first.application is not None
    assert first.application.measured[0].bytes
    assert b"Input/output error" in dict(failed.files)["errors.txt"]
    assert failed.application is not None
    assert failed.application.curves
    assert all(500 < curve.ms[-1] < 20_000 for curve in failed.application.curves)
    assert record.seconds < 25
