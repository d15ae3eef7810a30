"""The machines of the source documents, emulated disk for disk: their pools are built to the byte, 44 x 6 TB too."""

from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.zfs_vm.designs import asked
from tests.zfs_vm.emulated import Emulated
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.test_designs import built, designed

from poolwright.cli.design_source import read_example
from poolwright.domain.disk import Disk
from poolwright.store.design_file import to_json

SECONDS = 3600
# What each document builds; of the thesis its listing 11 with the log and the cache that it measures.
LAYOUTS = {
    "paper": "raidz1:3x500GB --volume v1=10GiB,128K --volume v2=10GiB,128K --volume v3=10GiB,128K",
    "tunables": "2*mirror:2x6TB 2*cache/stripe:1x250GB -O xattr=sa -O atime=off -O compression=lz4",
    "wikibook": "5*raidz2:8x6TB",
    "thesis": "8*raidz2:5x6TB 4*spare/stripe:1x6TB log/stripe:1x100GB cache/stripe:1x800GB",
}


def emulated(disk: Disk) -> Emulated:
    """Return a disk like one of an example machine; what hangs on another bus there hangs on the shelf here."""
    assert disk.serial
    assert disk.size_bytes
    logical, physical = disk.logical_sector_bytes or 512, disk.physical_sector_bytes or 512
    model = (disk.model or "EXAMPLE").split()[-1]
    return Emulated(serial=disk.serial, size_bytes=disk.size_bytes, logical=logical, physical=physical, model=model)


def built_there(machine: Machine, file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    built(machine, file, SECONDS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_that_the_pool_of_a_document_is_built_to_the_byte(machine: Machine, tmp_path: Path, name: str) -> None:
    with machine.shelf([emulated(disk) for disk in read_example(name).disks]) as plugged:
        serials = tuple(disk.serial for disk in plugged)
        text = designed(machine.read(), asked(name, serials, f"--layout {LAYOUTS[name]}"))
        built_there(machine, tmp_path / "design.json", text)


def test_that_the_odd_disks_of_a_blog_carry_both_its_pools(machine: Machine, tmp_path: Path) -> None:
    with machine.shelf([emulated(disk) for disk in read_example("macblog").disks]) as plugged:
        read = {disk.serial: disk for disk in machine.read().disks}
        disks = tuple(read[disk.serial] for disk in plugged)
        large_first = tuple(sorted(disks, key=lambda disk: -(disk.size_bytes or 0)))
        built_there(machine, tmp_path / "design.json", to_json(macblog_design(large_first)))
