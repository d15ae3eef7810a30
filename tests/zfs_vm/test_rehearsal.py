"""Rehearsals on real OpenZFS: the whole drill passes on files, no disk is written, and nothing stays."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.emit.machines import macblog_design
from tests.zfs_vm.machine import Ended, Machine
from tests.zfs_vm.operator import STAMP

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.rehearsal import rehearsal_script

TB, GB = 10**12, 10**9
SCRATCH = "/tmp/operator/scratch"
# Operations and sectors written to the emulated disks, since the machine was started.
WRITES = r"awk '$3 ~ /^(sd[a-z]+|nvme)/ {print $3, $8, $10}' /proc/diskstats"
LEFT = (
    f"zpool list -H -o name; grep -c {SCRATCH} /proc/self/mounts; find {SCRATCH} -mindepth 1; ls /dev/zd* 2>/dev/null"
)


def disks(prefix: str, count: int, size: int) -> tuple[Disk, ...]:
    return tuple(
        Disk(key=f"{prefix}{n}", model="PLAN", size_bytes=size, media=Media.HDD, planned=True) for n in range(count)
    )


def vdev(kind: VdevKind, of: tuple[Disk, ...], vdev_class: VdevClass = VdevClass.DATA, **more: int) -> Vdev:
    members = tuple(Member(disk_key=disk.key) for disk in of)
    return Vdev(kind=kind, members=members, vdev_class=vdev_class, **more)


def design(pool: str, of: tuple[Disk, ...], *vdevs: Vdev, datasets: tuple[Dataset, ...] = ()) -> Design:
    return Design(key=pool, name=pool, pool_name=pool, disks=of, vdevs=vdevs, datasets=datasets)


def dataset(name: str, **settings: str) -> Dataset:
    return Dataset(name=name, settings=tuple(Setting(name=key, value=value) for key, value in settings.items()))


def thesis() -> Design:
    of = disks("t", 44, 6001175126016)
    return design("thesis", of, *(vdev(VdevKind.RAIDZ, of[n : n + 11], parity=3) for n in range(0, 44, 11)))


def mirrors() -> Design:
    """Return mirrors with every class beside them, and with properties that files must not have."""
    data, fast, log = disks("d", 4, 4 * TB), disks("s", 2, 480 * GB), disks("l", 2, 100 * GB)
    cache, spare = disks("c", 1, 480 * GB), disks("h", 1, 4 * TB)
    made = design(
        "tank",
        data + fast + log + cache + spare,
        *(vdev(VdevKind.MIRROR, data[n : n + 2]) for n in (0, 2)),
        vdev(VdevKind.MIRROR, fast, VdevClass.SPECIAL),
        vdev(VdevKind.MIRROR, log, VdevClass.LOG),
        vdev(VdevKind.STRIPE, cache, VdevClass.CACHE),
        vdev(VdevKind.STRIPE, spare, VdevClass.SPARE),
        datasets=(
            dataset("", compression="lz4", special_small_blocks="16K", mountpoint="/srv/tank"),
            dataset("home", sharenfs="on", quota="1T", mountpoint="/home"),
            Dataset(name="vm", volume_bytes=100 << 30, settings=(Setting(name="volblocksize", value="16K"),)),
        ),
    )
    settings = {"autotrim": "on", "failmode": "panic", "autoreplace": "on", "comment": 'it\'s "a" $(test)'}
    return replace(made, pool_settings=tuple(Setting(name=key, value=value) for key, value in settings.items()))


def draid() -> Design:
    of = disks("r", 13, 10 * TB)
    return design("wide", of, vdev(VdevKind.DRAID, of, parity=2, draid_data=4, draid_spares=1))


def encrypted() -> Design:
    of = disks("e", 4, 2 * TB)
    return design(
        "locked",
        of,
        vdev(VdevKind.RAIDZ, of, parity=1),
        datasets=(
            dataset("", encryption="on", keyformat="passphrase", keylocation="prompt"),
            dataset("home"),
            dataset("vault", encryption="aes-256-gcm", keyformat="raw", keylocation="file:///etc/vault.key"),
            dataset("hex", encryption="aes-256-gcm", keyformat="hex", keylocation="file:///etc/hex.key"),
        ),
    )


def put(machine: Machine, wanted: Design) -> None:
    machine.run(f"mkdir -p {SCRATCH}")
    machine.put("/tmp/operator/rehearse.sh", rehearsal_script(wanted, STAMP))


def rehearsed(machine: Machine, *words: str) -> Ended:
    return machine.run(f"bash rehearse.sh {' '.join(words)} {SCRATCH}", check=False)


# What the drill of each has to tell beside what all tell.
DRILLS = {
    thesis: ("survives: 3",),
    mirrors: ("The spare stands in", "of the class special", "of the class log", "Left out: failmode=panic"),
    draid: ("The distributed spare draid2-0-0 waits", "The spare stands in", "survives: 2"),
    encrypted: ("one is made for the rehearsal and thrown away",),
    macblog_design: ("-part2 of rest fails",),
}


@pytest.mark.parametrize(
    "made",
    [pytest.param(made, marks=[pytest.mark.core] if made is encrypted else [], id=made.__name__) for made in DRILLS],
)
def test_that_the_whole_drill_passes_and_nothing_stays(made: Callable[[], Design], machine: Machine) -> None:
    put(machine, made())
    before = machine.run(WRITES).text
    done = rehearsed(machine, "--agree", "--no-pauses")
    assert done.status == 0, done.text
    for told in ("The rehearsal went as it should.", "Nothing of the rehearsal is left.", *DRILLS[made]):
        assert told in done.text
    assert machine.run(LEFT, check=False).text.split() == ["0"]
    assert machine.run(WRITES).text == before


@pytest.mark.parametrize("moment", ["zpool create", "== Files are written", "zpool replace", "zpool scrub"])
def test_that_a_run_after_one_that_was_killed_cleans_up(moment: str, machine: Machine) -> None:
    put(machine, mirrors())
    machine.run(
        f"setsid bash rehearse.sh --agree --no-pauses {SCRATCH} >told 2>&1 & run=$!; "
        f"until grep -qF {moment!r} told; do sleep 0.05; done; kill -KILL $run; sleep 5"
    )
    assert machine.run(f"ls {SCRATCH}").text.strip()
    cleaned = rehearsed(machine, "--clean")
    assert cleaned.status == 0, cleaned.text
    assert machine.run(LEFT, check=False).text.split() == ["0"]


@pytest.mark.parametrize("signal", ["INT", "TERM", "HUP"])
def test_that_a_signal_ends_it_with_nothing_left(signal: str, machine: Machine) -> None:
    put(machine, encrypted())
    ended = machine.run(
        f"python3 -c 'import signal, os; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        f'os.execvp("bash", ["bash", "rehearse.sh", "--agree", "--no-pauses", "{SCRATCH}"])\' >told 2>&1 & run=$!; '
        f"until grep -qF 'zpool replace' told; do sleep 0.05; done; "
        f"kill -{signal} $run; wait $run; echo status $?; cat told"
    )
    assert "status 130" in ended.text, ended.text
    assert "Nothing of the rehearsal is left." in ended.text
    assert machine.run(LEFT, check=False).text.split() == ["0"]


# Where somebody rehearses: what is done before, the command, its status, what it says.
ODD = {
    "current folder read-only": (
        "mkdir ro; mount -t tmpfs none ro; cp rehearse.sh ro; mount -o remount,ro ro; cd ro",
        f"bash rehearse.sh --agree --no-pauses {SCRATCH}", 0, "Nothing of the rehearsal is left.",
    ),
    "current folder gone, place behind a link": (
        f"ln -s {SCRATCH} link; mkdir gone; cd gone; rmdir ../gone",
        "bash /tmp/operator/rehearse.sh --agree --no-pauses /tmp/operator/link", 0, "Nothing of the rehearsal is left.",
    ),
    "a path with blanks": ("mkdir 'a b'", "bash rehearse.sh --agree 'a b'", 2, "Name another directory"),
    "no room": ("mkdir tiny; mount -t tmpfs -o size=64M none tiny", "bash rehearse.sh --agree tiny", 1, "MiB free"),
    "read-only": ("mkdir ro; mount -t tmpfs -o ro none ro", "bash rehearse.sh --agree ro", 3, "Cannot write into"),
    "no holes in files": (
        "truncate -s 600M fat; mkfs.vfat fat >/dev/null; mkdir dos; mount -o loop fat dos",
        "bash rehearse.sh --agree dos", 1, "takes no file of",
    ),
    "not root": (
        "chmod 777 scratch; cp rehearse.sh /var/tmp/r.sh",
        f"setpriv --reuid 65534 --clear-groups bash /var/tmp/r.sh --agree {SCRATCH}", 3, "Only root",
    ),
}  # fmt: skip


def test_that_a_rehearsal_in_an_odd_place_passes_or_says_why_not_and_leaves_nothing(machine: Machine) -> None:
    of = disks("o", 2, 4 * TB)
    put(machine, design("odd", of, vdev(VdevKind.MIRROR, of)))
    after = "cd /tmp/operator; umount ro tiny dos 2>/dev/null; rmdir ro tiny dos 2>/dev/null; rm -f link"
    for name, (before, command, status, said) in ODD.items():
        look = "find ro tiny dos 'a b' -mindepth 1 -name 'poolwright*' -printf 'left over: %p' 2>/dev/null"
        done = machine.run(f"{before}\n{command} </dev/null; s=$?\n{look}\n{after}\nexit $s", check=False)
        assert done.status == status, (name, done.text)
        assert said in done.text, (name, done.text)
        assert "left over: " not in done.text, (name, done.text)
        assert machine.run(LEFT, check=False).text.split() == ["0"], name
