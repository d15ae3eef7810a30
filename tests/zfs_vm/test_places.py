"""Where the disks are, read from outside over SSH and by the collector inside: both tell the same of each disk."""

import pytest
from tests.zfs_vm.emulated import ALWAYS
from tests.zfs_vm.machine import Machine

from poolwright.domain.host import ControllerKind, Inventory
from poolwright.machine.collect import read_machine
from poolwright.process.blocking import converse
from poolwright.process.on_host import on_host


@pytest.fixture(scope="module")
def outside(running: Machine) -> Inventory:
    host, _ = running.reached()
    return converse(on_host(read_machine(name="the machine"), host))


def test_that_the_adapter_of_each_disk_is_read_over_ssh(outside: Inventory) -> None:
    (adapter,) = outside.host.controllers
    assert adapter.name.startswith("virtio-scsi ("), adapter.name
    assert adapter.kind is ControllerKind.HBA
    assert adapter.bytes_per_second is None  # what a hypervisor calls a link is none
    on_it = {disk.serial for disk in outside.disks if disk.controller == adapter.name}
    assert on_it == {disk.serial for disk in ALWAYS if disk.bus == "scsi"}
    assert not any(disk.controller for disk in outside.disks if disk.serial not in on_it)


def test_that_the_collector_tells_the_same_places(running: Machine, outside: Inventory) -> None:
    def places(inventory: Inventory) -> dict[str | None, tuple[object, ...]]:
        return {disk.path: (disk.enclosure, disk.slot, disk.controller, disk.wwn) for disk in inventory.disks}

    assert places(running.inventory) == places(outside)
    assert [c.name for c in running.inventory.host.controllers] == [c.name for c in outside.host.controllers]
