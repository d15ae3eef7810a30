"""What lets real programs meet a clock that is set and a disk that fails: a library that they load first."""

import os
import subprocess
from pathlib import Path
from shutil import which

import pytest

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
