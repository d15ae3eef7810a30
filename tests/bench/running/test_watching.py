"""What only watches ends with the directory of its run: a network may be gone without a word."""

import shutil
import subprocess
from pathlib import Path

import pytest

from poolwright.bench.running.commands import pool_watcher, sampler
from poolwright.domain.command import Command


@pytest.fixture
def zpool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a zpool before others that notes its number and words, and then prints for ever as the real one does."""
    program = tmp_path / "bin" / "zpool"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$$ $*" >{tmp_path}/began\nwhile :; do echo report; sleep 0.1; done\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/sbin:/usr/bin:/sbin:/bin")
    return tmp_path / "began"


def lasting(command: Command) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command.argv, stdout=subprocess.PIPE, start_new_session=True)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["pool", "machine"])
def test_that_a_watcher_ends_when_the_directory_of_its_run_is_gone(tmp_path: Path, zpool: Path, what: str) -> None:
    scratch = tmp_path / "poolwright-bench-one"
    scratch.mkdir()
    command = pool_watcher(str(scratch), "tank") if what == "pool" else sampler(str(scratch), None)
    with lasting(command) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        assert child.poll() is None
        shutil.rmtree(scratch)
        child.stdout.read()  # until nothing of it has its output open any more
        assert child.wait(10) != 0
    if what == "pool":
        assert zpool.read_text().split(maxsplit=1)[1] == "iostat -T u -y -v -l -p -H tank 1\n"


def test_that_a_watcher_that_ends_by_itself_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zpool").write_text("#!/bin/sh\necho 'no such pool' >&2\nexit 3\n")
    (tmp_path / "zpool").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    command = pool_watcher(str(tmp_path), "tank")
    done = subprocess.run(command.argv, check=False, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (3, "no such pool\n")
