"""The creation script on real disks: what it finds on them, what it says when it ends early, what it never touches."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.zfs_vm.machine import Ended, Machine
from tests.zfs_vm.operator import STAMP, created, undone
from tests.zfs_vm.test_pools import vdev

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.vdev import VdevKind
from poolwright.emit.script import guarded_script

OVER = "overwrite {} disks"


def mirror(machine: Machine, *, kind: str = "EMU512", name: str = "tank", **changes: object) -> Design:
    disks = machine.disks(kind)[:2]
    design = Design(
        key="creation",
        name="Mirror",
        pool_name=name,
        disks=disks,
        vdevs=(vdev(disks, VdevKind.MIRROR),),
        datasets=(Dataset(name="home"),),
    )
    return replace(design, **changes)  # type: ignore[arg-type]


def path(design: Design, number: int = 0) -> str:
    return f"/dev/disk/by-id/{design.disks[number].by_id_name}"


def edited(machine: Machine, design: Design, old: str, new: str, *options: str, typed: tuple[str, ...]) -> Ended:
    """Run the creation script with the design in it changed by hand."""
    script = guarded_script(design, STAMP)
    assert old in script
    machine.put("/tmp/operator/edited.sh", script.replace(old, new, 1))
    return machine.run(f"bash edited.sh {' '.join(options)}", typed=typed, check=False)


def test_that_a_create_that_fails_late_tells_what_it_left_and_the_undo_clears_it(machine: Machine) -> None:
    design = mirror(machine)
    failed = edited(machine, design, "-o ashift=12", "-o ashift=12 -o comment=für", typed=("tank",))
    assert failed.status == 3, failed.text
    assert "Nothing was changed" not in failed.text
    assert failed.text.count("partitions ") >= 2, failed.text
    assert "undo script" in failed.text
    again = created(machine, design)
    assert again.status == 1, again.text
    assert "undo script" in again.text
    back = undone(machine, design)
    assert back.status == 0, back.text
    assert created(machine, design).status == 0


@pytest.mark.parametrize("kind", ["EMU512", "EMU4KN"])
def test_that_a_lost_partition_table_does_not_make_a_disk_empty(machine: Machine, kind: str) -> None:
    design = mirror(machine, kind=kind)
    first, second = path(design), path(design, 1)
    machine.run(
        f"""set -e
        zpool create -O mountpoint=none lost {first}; zpool export lost; udevadm settle
        sgdisk -n 1:0:0 {second}; udevadm settle; mkfs.ext4 -q -L papers {second}-part1
        for disk in {first} {second}; do
          dd if=/dev/zero of=$disk bs=1M count=1 status=none
          end=$(( $(blockdev --getsize64 $disk) / 1048576 - 1 ))
          dd if=/dev/zero of=$disk bs=1M seek=$end status=none 2>/dev/null || true
          blockdev --rereadpt $disk
        done
        udevadm settle"""
    )
    check = created(machine, design, "--check")
    assert "overwrite 2 disks" in check.text, check.text
    refused = created(machine, design)
    assert refused.status == 1, refused.text
    assert "Nothing was changed" in refused.text
    assert "ext4 named papers at byte 1048576" in refused.text
    # zpool begins at sector 2048, whatever its size.
    assert f"zfs_member named lost at byte {2048 * (4096 if kind == 'EMU4KN' else 512)}" in refused.text
    agreed = created(machine, design, typed=("overwrite 2 disks", "tank"))
    assert agreed.status == 0, agreed.text


@pytest.fixture
def tidy(machine: Machine) -> Iterator[Machine]:
    yield machine
    machine.run("zpool export -a; umount /tank /var/log/small 2>/dev/null; rm -rf /tank /srv/taken", check=False)


def test_that_files_under_a_mountpoint_are_told_and_system_folders_refused(tidy: Machine) -> None:
    machine = tidy
    machine.run("mkdir -p /srv/taken /tank; echo x >/srv/taken/letter.txt; echo x >/tank/note")
    taken = (Setting(name="mountpoint", value="/srv/taken"),)
    design = mirror(machine, datasets=(Dataset(name="home", settings=taken),))
    no_pool = created(machine, design)
    assert no_pool.status == 1, no_pool.text
    assert "no pool while /tank holds something, 1 in all: note" in no_pool.text
    assert "Nothing was changed" in no_pool.text
    machine.run("rm /tank/note")
    refused = created(machine, design)
    assert refused.status == 1, refused.text
    assert "letter.txt" in refused.text
    assert 'Type "cover 1 folder"' in refused.text
    etc = edited(machine, design, "mountpoint=/srv/taken", "mountpoint=/etc", typed=("tank",))
    assert etc.status == 1, etc.text
    assert "system folder /etc" in etc.text
    assert "Nothing was changed" in etc.text
    agreed = created(machine, design, typed=("cover 1 folder", "tank"))
    assert agreed.status == 0, agreed.text


def test_that_an_exported_pool_of_the_same_name_is_asked_about(tidy: Machine) -> None:
    machine = tidy
    spare = machine.disks("EMU512")[4]
    machine.run(f"zpool create -O mountpoint=none tank /dev/disk/by-id/{spare.by_id_name}; zpool export tank")
    design = mirror(machine)
    refused = created(machine, design)
    assert refused.status == 1, refused.text
    assert "exported pool tank" in refused.text
    assert "Nothing was changed" in refused.text
    agreed = created(machine, design, typed=("a second pool tank", "tank"))
    assert agreed.status == 0, agreed.text


def test_that_only_a_log_of_its_own_is_written(machine: Machine) -> None:
    design = mirror(machine)
    machine.put("/tmp/operator/create.sh", guarded_script(design, STAMP))
    machine.run("echo mine >mine; ln -s mine link; stat -c %a /dev/null >before")
    for name in ("/dev/null", "/dev/stdout", "mine", "link"):
        ended = machine.run(f"POOLWRIGHT_LOG={name} bash create.sh --check", check=False)
        assert ended.status == 2, ended.text
    assert machine.run("stat -c %a /dev/null; cat mine before").text == "666\nmine\n666\n"


def test_that_a_full_log_stops_before_anything_is_written(machine: Machine) -> None:
    design = mirror(machine)
    machine.put("/tmp/operator/create.sh", guarded_script(design, STAMP))
    machine.run("mkdir -p small && mount -t tmpfs -o size=4k none small")
    # Room for what is told at first, but not for all that is told before the first command that writes.
    machine.run("{ echo '# Log of a Poolwright script'; head -c 3800 /dev/zero | tr '\\0' '\\n'; } >small/log")
    try:
        full = machine.run("POOLWRIGHT_LOG=small/log bash create.sh", typed=["tank"], check=False)
        assert full.status == 3, full.text
        assert "Cannot write the log" in full.text
        assert "tee:" not in full.text
        assert machine.run("zpool list -H; lsblk -nro NAME | grep -c sda").text == "1\n"
    finally:
        machine.run("umount small")


@pytest.mark.parametrize("signal", ["INT", "TERM", "HUP", "KILL"])
def test_that_an_interruption_while_zpool_labels_leaves_a_way_on(machine: Machine, signal: str) -> None:
    design = mirror(machine)
    machine.put("/tmp/operator/create.sh", guarded_script(design, STAMP))
    # A zpool that is slow between labelling and creating, as it is with many disks.
    machine.put(
        "/tmp/operator/bin/zpool",
        """#!/bin/bash
if [ "$1" = create ] && [ "$2" != -n ]; then
  /usr/sbin/zpool create -o comment=für "${@:2}"
  touch /tmp/operator/labelled
  exec sleep 30
fi
exec /usr/sbin/zpool "$@"
""",
    ) if machine.run("mkdir -p bin").status == 0 else None
    ended = machine.run(
        f"""chmod 755 bin/zpool
        set -m
        echo tank | PATH=/tmp/operator/bin:$PATH bash create.sh >told 2>&1 &
        group=$!
        for n in $(seq 300); do [ ! -e labelled ] || break; sleep 0.2; done
        sleep 1
        kill -{signal} -- -$(ps -o pgid= $group | tr -d ' ')
        wait
        cat told""",
        check=False,
    )
    if signal != "KILL":
        assert "undo script" in ended.text, ended.text
        assert "Nothing was changed" not in ended.text
    again = created(machine, design)
    assert again.status == 1, again.text
    assert "undo script" in again.text
    back = undone(machine, design)
    assert back.status == 0, back.text
    assert created(machine, design).status == 0
