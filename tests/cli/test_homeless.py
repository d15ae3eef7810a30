"""A user without a home folder and without an entry in passwd: commands answer, the window says what to set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import poolwright

NOBODY = "54321"
APP = Path(poolwright.__file__).parents[1]


def as_nobody(*words: str, variables: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    # Reading stays allowed, for the Python of a checkout may lie where only its owner looks.
    caps = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *caps]
    told = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(APP), "PYTHONDONTWRITEBYTECODE": "1", **(variables or {})}
    argv = [*command, sys.executable, "-m", "poolwright", *words]
    return subprocess.run(argv, env=told, cwd="/", capture_output=True, text=True, check=False, timeout=120)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")


@pytest.mark.slow
@needs_root
def test_that_commands_answer_a_user_without_a_home() -> None:
    done = as_nobody("recommend", "--disks", "4 x 6TB", "--goal", "safety")
    assert (done.returncode, done.stderr) == (0, "")
    assert "First choice" in done.stdout


@needs_root
def test_that_the_window_says_what_to_set() -> None:
    done = as_nobody(variables={"QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 3
    assert done.stderr.startswith("poolwright: This user has no home folder")
    assert "Set HOME" in done.stderr
    assert "Traceback" not in done.stderr
