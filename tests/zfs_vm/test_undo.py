"""What the undo twin must never destroy, and what it must be able to take back, on real OpenZFS."""

from dataclasses import replace

import pytest
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created, undone

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind

# Stands before the real zpool: ends the script with kill -9 in the middle of `zpool create`, or right after it.
KILLER = r"""#!/bin/bash
if [ "$1" = create ] && [ "$2" != -n ]; then
  if [ "@WHEN@" = after ]; then
    /usr/sbin/zpool "$@"
  else
    /usr/sbin/zpool "$@" & sleep @WHEN@; kill -9 $!
  fi
  kill -9 "$PPID"
  exit 1
fi
exec /usr/sbin/zpool "$@"
"""
NOTHING = "no pools available to import"
AGAIN = "for n in 1 2 3; do {} && break; sleep 5; done"  # a busy udev is late with the partitions of disks used before


def on(disks: tuple[Disk, ...], kind: VdevKind = VdevKind.STRIPE, where: VdevClass = VdevClass.DATA) -> Vdev:
    members = tuple(Member(disk_key=disk.key) for disk in disks)
    return Vdev(kind=kind, vdev_class=where, members=members)


def mirror(machine: Machine, *names: str, settings: tuple[Setting, ...] = ()) -> Design:
    """Return a mirror with a spare and a cache; of the datasets with these names ``legacy`` is mounted by hand."""
    disks = machine.disks("EMU512")[:4]
    legacy = (Setting(name="mountpoint", value="legacy"),)
    return Design(
        key="undo",
        name="To be undone",
        pool_name="tank",
        disks=disks,
        vdevs=(
            on(disks[:2], VdevKind.MIRROR),
            on(disks[2:3], where=VdevClass.SPARE),
            on(disks[3:], where=VdevClass.CACHE),
        ),
        datasets=(
            Dataset(name="", settings=settings),
            *(Dataset(name=name, settings=legacy if name == "legacy" else ()) for name in names),
        ),
    )


def build(machine: Machine, design: Design) -> None:
    done = created(machine, design)
    assert done.status == 0, done.text


def paths(design: Design) -> list[str]:
    return [f"/dev/disk/by-id/{disk.by_id_name}" for disk in design.disks]


def test_that_data_are_seen_wherever_they_are_hidden(machine: Machine) -> None:
    design = mirror(machine, "legacy", "again", "covered", "tiny")
    build(machine, design)
    machine.run(
        "mkdir -p /mnt/a /mnt/b; fill() { head -c 5000000 /dev/urandom >$1; }\n"
        "mount -t zfs tank/legacy /mnt/a && fill /mnt/a/film && umount /mnt/a\n"
        "zfs unmount tank/again && mount -t zfs -o zfsutil tank/again /mnt/b && fill /mnt/b/film && umount /mnt/b\n"
        "fill /tank/covered/film && mount -t tmpfs none /tank/covered\n"
        "echo x >/tank/tiny/note && zfs snapshot tank/tiny@now && zfs bookmark tank/tiny@now tank/tiny#now\n"
        "zfs destroy tank/tiny@now"
    )
    refused = undone(machine, design)
    assert refused.status == 1, refused.text
    for name in ("legacy", "again", "covered", "tiny"):
        assert f"- tank/{name} " in refused.text
    assert "bookmarks, by which a backup goes on: 1 (tank/tiny#now)" in refused.text
    assert machine.run("cat /tank/tiny/note").text == "x\n"


def test_that_a_fresh_pool_is_known_as_fresh_with_keys_and_large_sectors(machine: Machine) -> None:
    machine.put("/tmp/operator/key", "12345678")
    machine.run("chmod 600 key")
    key = {"encryption": "on", "keyformat": "passphrase", "keylocation": "file:///tmp/operator/key"}
    design = mirror(machine, "home", settings=tuple(Setting(name=n, value=v) for n, v in key.items()))
    volumes = tuple(Dataset(name=f"v{n}", volume_bytes=size) for n, size in enumerate((16 << 20, 1 << 30)))
    design = replace(design, ashift=13, datasets=(*design.datasets, *volumes))
    build(machine, design)
    machine.run("zpool export tank && zpool import tank")
    locked = undone(machine, design, "--check")
    assert "the key of tank/home is not loaded" in locked.text
    machine.run("zfs load-key -a && zfs mount -a && ls -la /tank /tank/home && touch /tank")
    back = undone(machine, design)
    assert back.status == 0, back.text


def test_that_a_pool_made_by_hand_on_the_same_disks_is_not_taken_for_ours(machine: Machine) -> None:
    design = mirror(machine)
    build(machine, design)
    first, second, spare, cache = paths(design)
    by_hand = AGAIN.format(f"zpool create -f -o ashift=12 tank mirror {first} {second} spare {spare} cache {cache}")
    machine.run(f"zpool destroy tank; udevadm settle; {by_hand}; cp /etc/hostname /tank/mine; zpool sync tank")
    imported = undone(machine, design)
    assert imported.status == 1
    assert "Nothing proves that the pool tank" in imported.text
    machine.run("zpool destroy tank")
    destroyed = undone(machine, design)
    assert destroyed.status == 1, destroyed.text
    assert "zpool import -D" in destroyed.text
    assert "Nothing is left" not in destroyed.text
    machine.run("zpool import -D tank && cat /tank/mine && zpool status tank | grep -q AVAIL")


def test_that_a_pool_that_was_destroyed_by_hand_is_not_put_out_of_reach(machine: Machine) -> None:
    design = mirror(machine, "home")
    build(machine, design)
    machine.run("echo x >/tank/home/letter; zpool destroy tank")
    refused = undone(machine, design)
    assert refused.status == 1, refused.text
    assert "zpool import -D" in refused.text
    assert machine.run("zpool import -D tank; cat /tank/home/letter; zpool destroy tank").text == "x\n"
    cleared = undone(machine, design, "--with-data", typed=["destroy tank with its data"])
    assert cleared.status == 0, cleared.text


def test_that_a_spare_and_a_cache_that_serve_another_pool_are_left_alone(machine: Machine) -> None:
    design = mirror(machine)
    build(machine, design)
    _first, _second, spare, cache = paths(design)
    other = machine.disks("EMU512")[4].by_id_name
    exported = AGAIN.format(f"zpool create -f other /dev/disk/by-id/{other} spare {spare} cache {cache}")
    exported += "; zpool export other"
    machine.run(f"zpool destroy tank; udevadm settle; {exported}")
    partly = undone(machine, design, "--with-data", typed=["destroy tank with its data"])
    assert partly.status == 1, partly.text
    assert "not cleared, see above: 2 disks" in partly.text
    machine.run("zpool import other && zpool status other | grep -q AVAIL")
    assert "FAULTED" not in machine.run("zpool status other").text


def test_that_another_machine_is_told_and_no_disk_at_all_refused(machine: Machine) -> None:
    design = mirror(machine)
    build(machine, design)
    machine.run("sed -i -E 's/^((made|begun) .*)[0-9a-f]{32} zfs-vm/\\1ffff elsewhere/' *.record /var/log/*.record")
    machine.run("zfs set org.poolwright:host='ffff elsewhere' tank")
    refused = undone(machine, design, "--check")
    assert refused.status == 1
    assert "created on the machine elsewhere" in refused.text
    assert undone(machine, design, "--check", "--moved-here").status == 0
    gone = tuple(replace(disk, by_id=(f"ata-{disk.serial}X",)) for disk in design.disks)
    none = undone(machine, replace(design, disks=gone), "--check")
    assert none.status == 1
    assert "is in this machine" in none.text


@pytest.mark.parametrize("when", ["after", "1", "8"])
def test_that_a_creation_that_was_killed_can_be_taken_back(machine: Machine, when: str) -> None:
    design = mirror(machine, "home")
    machine.run("mkdir -p bin")
    machine.put("/tmp/operator/bin/zpool", KILLER.replace("@WHEN@", when))
    machine.run("chmod 755 bin/zpool")
    created(machine, design, "--check")
    killed = machine.run("PATH=/tmp/operator/bin:$PATH bash create-tank.sh --yes-create tank; echo $?", check=False)
    assert "Done" not in killed.text
    machine.run("sleep 5; udevadm settle")
    back = undone(machine, design)
    assert back.status == 0, f"{killed.text}\n{back.text}"
    assert NOTHING in machine.run("zpool list -H; zpool import -D 2>&1", check=False).text
    build(machine, design)


def test_that_a_pool_whose_volume_is_swap_or_held_open_is_not_destroyed(machine: Machine) -> None:
    design = mirror(machine)
    build(machine, design)
    machine.run(
        "zfs create -V 256M tank/swap && udevadm settle && mkswap /dev/zvol/tank/swap && swapon /dev/zvol/tank/swap"
    )
    swap = undone(machine, design, "--with-data", typed=["destroy tank with its data"])
    assert swap.status == 1, swap.text
    assert "[SWAP]" in swap.text
    machine.run("swapoff /dev/zvol/tank/swap; (exec 9<>/dev/zvol/tank/swap; exec sleep 600) >/dev/null 2>&1 & sleep 1")
    held = undone(machine, design, "--with-data", typed=["destroy tank with its data"])
    assert held.status == 1, held.text
    assert "is in use by sleep" in held.text
    machine.run("kill $(pidof sleep)")
    done = undone(machine, design, "--with-data", typed=["destroy tank with its data"])
    assert done.status == 0, done.text
