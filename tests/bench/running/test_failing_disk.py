"""A disk that fails while it is measured: what it said is told, what was finished is kept, nothing is left."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio
from tests.bench.running.shim import needs_gcc, with_shim

from poolwright.bench.record import Ended
from poolwright.bench.run_file import open_run

pytestmark = [needs_fio, needs_gcc]
DRIVER = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.bench.running.places import order, small, with_options
from poolwright.bench.run_file import run_archive
from poolwright.bench.running.run import RunProgress, run_profile
from poolwright.process.conversing import converse
directory, bad, kept, rw, engine = (*map(Path, sys.argv[1:4]), *sys.argv[4:])
began = []
def told(_doing, _fraction, value):
    if isinstance(value, RunProgress) and value.test == "fails":
        began.append(value.seconds)
        if value.seconds > began[0] + 2.5:
            bad.touch()
fails = with_options(small("fails", rw=rw, seconds=30, repeats=3), ("ioengine", engine))
kept.write_bytes(run_archive(converse(run_profile(order(directory, small(repeats=1), fails), told))))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("rw", "engine"), [("write", "psync"), ("randread", "psync")])
def test_that_an_io_error_is_told_and_what_was_finished_is_kept(tmp_path: Path, rw: str, engine: str) -> None:
    directory, bad, kept = tmp_path / "pool", tmp_path / "bad", tmp_path / "run.zip"
    directory.mkdir()
    words = [sys.executable, "-c", DRIVER, str(directory), str(bad), str(kept), rw, engine]
    done = subprocess.run(
        words, env=with_shim(tmp_path, BAD_DISK=bad), timeout=40, check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    record = open_run(kept)
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
    assert not list(directory.iterdir())
