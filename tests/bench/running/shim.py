"""What lets real programs meet a clock that is set and a disk that fails: a library that they load first."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import open_run

_SOURCE = Path(__file__).with_name("shim.c")
needs_gcc = pytest.mark.skipif(which("gcc") is None, reason="gcc is not installed")


def with_shim(folder: Path, **named: Path) -> dict[str, str]:
    """Return an environment whose programs load the library, which is built in ``folder``."""
    library = folder / "shim.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(_SOURCE)],
        check=True,
        capture_output=True,
    )
    told = {name: str(path) for name, path in named.items()}
    return {**os.environ, "PYTHONPATH": "app:.", "LD_PRELOAD": str(library), **told}


def run_beside(driver: str, folder: Path, *words: str, **named: Path) -> RunRecord:
    """Return the run that a program keeps, given a new directory and a file, whose programs load the library."""
    directory, kept = folder / "pool", folder / "run.zip"
    directory.mkdir()
    command = [sys.executable, "-c", driver, str(directory), str(kept), *words]
    environment = with_shim(folder, **named)
    done = subprocess.run(command, env=environment, timeout=60, check=True, capture_output=True, text=True)
    assert done.stderr == ""
    assert not list(directory.iterdir())
    return open_run(kept)
