"""The machine of all these tests: built once, booted once, blank for each. Every test here has the marker ``zfs``.

`POOLWRIGHT_VM=2.1` takes another OpenZFS than 2.3. `POOLWRIGHT_VM_HOME=FOLDER` keeps the machine running there
between runs, for whoever writes tests (`kill $(cat FOLDER/pid)` ends it). Images lie in ~/.cache/poolwright-vm
(`POOLWRIGHT_VM_CACHE`), one for each recipe and series.
"""

import fcntl
import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.zfs_vm.machine import QEMU, Machine, TooSlow, free_port

KEPT_PORT = int(os.environ.get("POOLWRIGHT_VM_PORT", "2290"))
HERE = Path(__file__).parent
RECIPE = HERE / "image.sh"
UNREACHABLE, TIMED_OUT = 75, 124
BUILD_SECONDS = 2400


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.zfs)


def series() -> str:
    """Return the OpenZFS that the machine runs."""
    return os.environ.get("POOLWRIGHT_VM", "2.3")


def image() -> Path:
    """Return the folder of the machine's image, built where it is missing; skips the tests where it cannot be."""
    missing = [tool for tool in (QEMU, "debootstrap", "mke2fs", "ssh-keygen") if which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}. packaging/setup.sh packages zfs installs them")
    cache = Path(os.environ.get("POOLWRIGHT_VM_CACHE") or Path.home() / ".cache" / "poolwright-vm")
    folder = cache / f"{series()}-{hashlib.sha256(RECIPE.read_bytes()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # two runs build one image, one after the other
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "image").exists():
            with (folder / "log").open("wb") as log:
                command = ["timeout", str(BUILD_SECONDS), str(RECIPE), series(), str(folder)]  # ends its children too
                built = subprocess.run(command, stdout=log, stderr=log, check=False)
            told = (folder / "log").read_text(errors="replace").splitlines()[-20:]
            if built.returncode == UNREACHABLE:
                pytest.skip(f"no machine with OpenZFS can be built here: {told[-1]}")
            if built.returncode == TIMED_OUT:
                pytest.skip(f"a machine with OpenZFS takes more than {BUILD_SECONDS // 60} minutes to build here")
            assert built.returncode == 0, "\n".join((f"{RECIPE} failed; its log is {folder / 'log'}", *told))
    return folder


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    kept = os.environ.get("POOLWRIGHT_VM_HOME")
    home = Path(kept) if kept else tmp_path_factory.mktemp("vm")
    machine = Machine(home, image(), KEPT_PORT if kept else free_port())
    try:
        try:
            machine.start()
        except TooSlow as slow:
            pytest.skip(str(slow))
        yield machine
    finally:
        if not kept:
            machine.stop()


@pytest.fixture
def machine(running: Machine) -> Machine:
    assert running.inventory.disks
    running.blank()
    return running
