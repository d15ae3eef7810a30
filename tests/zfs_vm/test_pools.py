"""Designs become pools on real OpenZFS exactly as designed, a second run changes nothing, the undo takes all back."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created, undone

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind


def vdev(disks: Sequence[Disk], kind: VdevKind, parity: int = 0, where: VdevClass = VdevClass.DATA) -> Vdev:
    members = tuple(Member(disk_key=disk.key) for disk in disks)
    return Vdev(kind=kind, parity=parity, vdev_class=where, members=members)


def raidz2(machine: Machine) -> Design:
    disks, drives = machine.disks("EMU512"), machine.disks("EMUNVME")
    return Design(
        key="vm",
        name="Raidz2 with a log and a spare",
        pool_name="tank",
        disks=(*disks, *drives),
        vdevs=(
            vdev(disks[:6], VdevKind.RAIDZ, parity=2),
            vdev(drives, VdevKind.MIRROR, where=VdevClass.LOG),
            vdev(disks[6:7], VdevKind.STRIPE, where=VdevClass.SPARE),
        ),
        datasets=(
            Dataset(name="", settings=(Setting(name="compression", value="lz4"),)),
            Dataset(name="home", settings=(Setting(name="recordsize", value="1M"),)),
            Dataset(name="disk0", volume_bytes=1 << 30),
        ),
    )


def native(machine: Machine) -> Design:
    disks = machine.disks("EMU4KN")
    return replace(
        raidz2(machine), name="Native sectors", pool_name="native", disks=disks, vdevs=(vdev(disks, VdevKind.MIRROR),)
    )


@pytest.mark.parametrize("design_of", [raidz2, native])
def test_that_a_design_is_built_as_designed_and_taken_back_whole(
    machine: Machine, design_of: Callable[[Machine], Design]
) -> None:
    design = design_of(machine)
    first = created(machine, design)
    assert first.status == 0, first.text
    assert "Done: as designed" in first.text
    second = created(machine, design)
    assert second.status == 0, second.text
    assert "nothing was changed" in second.text
    back = undone(machine, design)
    assert back.status == 0, back.text
    assert (
        machine.run("zpool list -H; zpool import -D 2>&1", check=False).text.strip() == "no pools available to import"
    )
    third = created(machine, design)
    assert third.status == 0, third.text
