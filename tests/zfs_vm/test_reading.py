"""The program outside reads the machine inside over SSH: what it says is what was emulated."""

import pytest
from tests.zfs_vm.conftest import series
from tests.zfs_vm.emulated import ALWAYS
from tests.zfs_vm.machine import MEMORY_MIB, Machine

from poolwright.domain.disk import Disk


def as_told(disk: Disk) -> tuple[object, ...]:
    return (disk.serial, disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes)


@pytest.mark.core
def test_that_sizes_sectors_serials_and_names_are_those_that_were_emulated(machine: Machine) -> None:
    read = {disk.serial: disk for disk in machine.inventory.disks if disk.serial}
    for disk in ALWAYS:
        # Whole sectors only; an NVMe drive tells no physical sectors beside its format.
        whole = disk.size_bytes // disk.logical * disk.logical
        physical = disk.logical if disk.bus == "nvme" else disk.physical
        assert as_told(read[disk.serial]) == (disk.serial, whole, disk.logical, physical)
        assert disk.path.rpartition("/")[2] in read[disk.serial].by_id
        assert read[disk.serial].uses == ()
    assert len(read) == len(ALWAYS)


def test_that_memory_version_and_name_are_those_of_the_machine(machine: Machine) -> None:
    host = machine.inventory.host
    assert host.name == "zfs-vm"
    # The kernel keeps some for itself.
    assert MEMORY_MIB * 0.9 < (host.ram_bytes or 0) / (1 << 20) <= MEMORY_MIB
    assert (host.zfs_version or "").startswith(series())


def test_that_the_use_of_disks_is_seen(machine: Machine) -> None:
    first, second, third = (disk.path for disk in ALWAYS[:3])
    machine.run(f"mkfs.ext4 -q {first}; zpool create -f tank {second}; sgdisk -n 1:0:0 {third}; udevadm settle")
    read = {disk.serial: disk for disk in machine.read().disks if disk.serial}
    told = [str(read[disk.serial].uses) for disk in ALWAYS[:4]]
    assert "filesystem" in told[0].lower()
    assert "tank" in told[1]
    assert "partition" in told[2].lower()
    assert told[3] == "()"
