"""Disks shared by vdevs and by two pools, on real OpenZFS: made as designed, completed when killed, taken back."""

import pytest
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created, undone

from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind

# Stands before the real sgdisk: ends the script with kill -9 after the second table, the kernel not told of it.
KILLER = r"""#!/bin/bash
[ "$1" != --pretend ] || exec /usr/sbin/sgdisk "$@"
/usr/sbin/sgdisk "$@"
echo "${@: -1}" >>/tmp/operator/tables
[ "$(wc -l </tmp/operator/tables)" != 2 ] || kill -9 "$PPID"
"""
NOTHING = "no pools available to import"


def shared(disks: tuple[Disk, ...], part: int, gib: int, where: VdevClass = VdevClass.DATA) -> Vdev:
    members = tuple(Member(disk_key=disk.key, slice_bytes=gib << 30, part=part) for disk in disks)
    return Vdev(kind=VdevKind.MIRROR, vdev_class=where, members=members)


def two_pools(machine: Machine) -> Design:
    """Return two mirrors side by side on two disks, each helped by a part of the same two drives."""
    disks, drives = machine.disks("EMU512")[:2], machine.disks("EMUNVME")
    return Design(
        key="shared",
        name="Shared disks",
        pool_name="tank",
        disks=(*disks, *drives),
        vdevs=(shared(disks, 1, 10), shared(drives, 1, 2, VdevClass.LOG)),
        datasets=(Dataset(name="media"),),
        further_pools=(
            FurtherPool(
                pool_name="rest",
                vdevs=(shared(disks, 2, 6), shared(drives, 2, 4, VdevClass.SPECIAL)),
                datasets=(Dataset(name="scratch"),),
            ),
        ),
    )


def test_that_shared_disks_carry_both_pools_and_come_back_empty(machine: Machine) -> None:
    design = two_pools(machine)
    made = created(machine, design)
    assert made.status == 0, made.text
    assert "Done: as designed: tank rest" in made.text
    again = created(machine, design)
    assert again.status == 0, again.text
    machine.run("echo x >/rest/scratch/letter")
    refused = undone(machine, design)
    assert refused.status == 1, refused.text
    assert machine.run("cat /rest/scratch/letter; zpool list -H -o name").text == "x\nrest\ntank\n"
    machine.run("rm /rest/scratch/letter; zpool export tank")
    exported = undone(machine, design)
    assert exported.status == 1, exported.text
    assert "is not imported" in exported.text
    machine.run("zpool import tank; zpool status -x")
    back = undone(machine, design)
    assert back.status == 0, back.text
    assert NOTHING in machine.run("zpool list -H; zpool import -D 2>&1", check=False).text
    for disk in design.disks:
        assert machine.run(f"blkid -p /dev/disk/by-id/{disk.by_id_name}", check=False).text == ""


def test_that_a_table_goes_though_somebody_looks_at_a_partition_and_the_kernel_cannot_forget_it(
    machine: Machine,
) -> None:
    design = two_pools(machine)
    assert created(machine, design).status == 0
    watched = f"/dev/disk/by-id/{design.disks[0].by_id_name}"
    machine.run(f"sleep 3000 <{watched}-part1 >/dev/null 2>&1 & echo $! >watcher")
    back = undone(machine, design)
    machine.run("kill $(cat watcher)")
    assert back.status == 0, back.text
    assert "something holds a partition open that it had" in back.text, back.text
    assert "keeps its partition table" not in back.text
    for disk in design.disks:
        assert machine.run(f"blkid -p /dev/disk/by-id/{disk.by_id_name}", check=False).text == ""
    machine.run(f"blockdev --rereadpt {watched}; udevadm settle")
    assert created(machine, design).status == 0


@pytest.mark.parametrize("then", ["goes on", "is undone"])
def test_that_partitioning_that_was_killed_goes_on_or_is_undone(machine: Machine, then: str) -> None:
    design = two_pools(machine)
    machine.run("mkdir -p bin")
    machine.put("/tmp/operator/bin/sgdisk", KILLER)
    machine.run("chmod 755 bin/sgdisk")
    created(machine, design, "--check")
    killed = machine.run(
        "PATH=/tmp/operator/bin:$PATH bash create-tank.sh --yes-create tank --yes-create rest", check=False
    )
    assert "Done" not in killed.text
    assert machine.run("wc -l <tables").text == "2\n"
    if then == "is undone":
        back = undone(machine, design)
        assert back.status == 0, back.text
        for disk in design.disks:
            assert machine.run(f"blkid -p /dev/disk/by-id/{disk.by_id_name}", check=False).text == ""
    made = created(machine, design)
    assert made.status == 0, made.text


def test_that_old_labels_inside_partitions_to_come_are_seen_behind_a_lost_table(machine: Machine) -> None:
    design = two_pools(machine)
    assert created(machine, design).status == 0
    # zpool labels both ends of a partition; nothing but these labels is left.
    machine.run(
        "zpool export tank; zpool export rest; udevadm settle\n"
        f"for disk in {' '.join(f'/dev/disk/by-id/{disk.by_id_name}' for disk in design.disks)}; do\n"
        "sgdisk -Z $disk >/dev/null; blockdev --rereadpt $disk; done; udevadm settle; rm -f *.record /var/log/*.record"
    )
    held = machine.digests(disk.serial or "" for disk in design.disks)
    refused = created(machine, design)
    assert refused.status == 1, refused.text
    assert "Nothing was changed" in refused.text
    assert refused.text.count("where partition 1 will be:") == 4, refused.text
    assert refused.text.count("where partition 2 will be:") == 4, refused.text
    assert machine.digests(disk.serial or "" for disk in design.disks) == held
    agreed = created(machine, design, "--agree 'overwrite 4 disks'")
    assert agreed.status == 0, agreed.text
