"""The machine of all these tests: booted once, blank for each. Every test here has the marker ``zfs``.

`POOLWRIGHT_VM=2.1` takes another OpenZFS than 2.3. `POOLWRIGHT_VM_HOME=FOLDER` keeps the machine running there
between runs, for whoever writes tests (`zfs-vm stop` with that folder as ZFS_VM_HOME ends it).
"""

import os
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.zfs_vm.machine import PROGRAM, Machine, free_port

KEPT_PORT = int(os.environ.get("ZFS_VM_PORT", "2290"))
HERE = Path(__file__).parent
PARTS = ("image", "vmlinuz", "initrd")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.zfs)


def linked(home: Path, series: str) -> Path:
    """Return ``home`` with links to an image that was built before, so that several machines share one."""
    built = Path(os.environ.get("ZFS_VM_HOME", Path.home() / ".cache" / "zfs-vm"))
    home.mkdir(parents=True, exist_ok=True)
    for name in (*(f"{part}-{series}" for part in PARTS), "key", "key.pub"):
        if (built / name).exists() and not (home / name).exists():
            (home / name).symlink_to(built / name)
    return home


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    if not PROGRAM.exists():
        pytest.skip("the virtual machine is not here")
    if which("qemu-system-x86_64") is None:
        pytest.skip("qemu is not installed: zfs-vm build")
    series, kept = os.environ.get("POOLWRIGHT_VM", "2.3"), os.environ.get("POOLWRIGHT_VM_HOME")
    home = linked(Path(kept) if kept else tmp_path_factory.mktemp("vm"), series)
    if not (home / f"image-{series}").exists():
        pytest.skip(f"no machine with OpenZFS {series} was built: zfs-vm build {series}")
    machine = Machine(home, KEPT_PORT if kept else free_port())
    try:
        machine.start(series)
        yield machine
    finally:
        if not kept:
            machine.stop()


@pytest.fixture
def machine(running: Machine) -> Machine:
    """Return the machine with every disk blank."""
    assert running.inventory.disks
    running.blank()
    return running
