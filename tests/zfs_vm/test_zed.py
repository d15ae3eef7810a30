"""Beside the daemon of OpenZFS: it gives disks to pools by itself, and keeps the list from which systemd mounts."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.zfs_vm.emulated import GB, hard_disks
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created, undone
from tests.zfs_vm.test_creation import mirror
from tests.zfs_vm.test_hazards import RUN, put

CACHE = "/etc/zfs/zfs-list.cache/tank"
SEEN = "for n in $(seq 100); do {} && exit 0; sleep 1; done; zpool status; cat " + CACHE + "; exit 1"


@pytest.fixture
def zed(machine: Machine) -> Iterator[Machine]:
    """The machine with the daemon at work."""
    machine.run("zed && sleep 3")
    try:
        yield machine
    finally:
        machine.run(f"kill $(cat /run/zed.pid); rm -f {CACHE}; systemctl daemon-reload", check=False)


def test_that_beside_the_list_of_systemd_a_pool_is_made_undone_and_made_again(zed: Machine) -> None:
    design = mirror(zed)
    zed.run(f"mkdir -p {CACHE.rpartition('/')[0]} && : >{CACHE}")
    for _ in range(2):
        made = created(zed, design)
        assert made.status == 0, made.text
        zed.run(SEEN.format(f"grep -q ^tank/home {CACHE}"))
        zed.run("systemctl daemon-reload; systemctl cat tank-home.mount; echo x >/tank/home/x; rm /tank/home/x")
        back = undone(zed, design)
        assert back.status == 0, back.text
        # What is left in the list stops the next start of the machine: systemd cannot mount it.
        left = zed.run(f"sleep 3; cat {CACHE}").text
        assert (CACHE in back.text) == ("tank" in left), (left, back.text)


def test_that_a_disk_that_the_daemon_gave_to_another_pool_is_not_taken(zed: Machine) -> None:
    old, new = (
        replace(disk, serial=f"{disk.serial}{end}")
        for disk, end in zip(hard_disks("ZED", 1, 20 * GB) * 2, "AB", strict=True)
    )
    zed.plug_in(old)
    try:
        zed.run(
            "zpool create -f -o autoreplace=on -O mountpoint=none rest mirror "
            f"{old.path} {zed.emulated('EMU51206').path}"
        )
        zed.pull_out(old)
        zed.plug_in(new)  # into the same slot
        disk = next(disk for disk in zed.read().disks if disk.serial == new.serial)
        design = mirror(zed)
        first = design.vdevs[0].members[0]
        vdev = replace(design.vdevs[0], members=(first, replace(first, disk_key=disk.key)))
        put(zed, replace(design, disks=(design.disks[0], disk), vdevs=(vdev,)))
        given = new.path.rpartition("/")[2] in zed.run("sleep 20; zpool status -P rest").text
        done = zed.run(RUN, check=False)
        # Whether it takes the disk is up to the daemon: one pool has it in the end, and only one.
        assert done.status == (1 if given else 0), done.text
        assert ("belongs to an imported pool" in done.text) == given
        assert (zed.run("zpool status -LP").text.count(f"{zed.run(f'readlink -f {new.path}').text.strip()}1 ")) == 1
    finally:
        zed.run("for pool in $(zpool list -H -o name); do zpool destroy -f $pool; done", check=False)
        zed.pull_out(*(disk for disk in (old, new) if disk.serial in zed.written()))
