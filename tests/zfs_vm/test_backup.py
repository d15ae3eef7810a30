"""The commands that copy a pool by hand, on real OpenZFS: nothing is mounted or changed, and keys stay at home."""

from dataclasses import replace

from tests.emit.pretend import small_design
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import STAMP

from poolwright.emit.script import backup_script
from poolwright.rule_library import load_shipped

MADE = """
set -e
zpool create -f -O compression=lz4 tank raidz1 {tank} && zpool create -f vault mirror {vault}
zfs create -o recordsize=1M -o quota=1G tank/home && zfs create -s -V 64M tank/disk0
echo 'a good passphrase' >/tmp/operator/key
zfs create -o encryption=on -o keyformat=passphrase -o keylocation=file:///tmp/operator/key tank/secret
for place in home secret; do dd if=/dev/urandom of=/tank/$place/first bs=1M count=4 2>/dev/null; done
"""
# Both machines are one; what the pool holds changes between the first copy and the second.
RUN = """
set -e
ssh() {{ shift; "$@"; }}
{first}
echo changed >>/tank/home/first; rm /tank/secret/first; echo second >/tank/secret/second
{second}
"""


def test_that_a_copy_by_hand_is_raw_read_only_and_mounted_nowhere_and_comes_back(machine: Machine) -> None:
    disks = [f"/dev/disk/by-id/{disk.by_id_name}" for disk in machine.disks("EMU512")]
    machine.run(MADE.format(tank=" ".join(disks[:4]), vault=" ".join(disks[4:6])))
    machine.put("/tmp/operator/backup.sh", backup_script(replace(small_design(), pool_name="tank"), STAMP))
    told = machine.run("bash /tmp/operator/backup.sh --commands localhost vault").text
    lines = [line for line in told.splitlines() if line and not line.startswith("#")]
    create, *first = lines[:3]
    second, back = lines[3:5], lines[6]
    machine.run(RUN.format(first="\n".join((create, *first)), second="\n".join(second)))
    shown = machine.run("zfs list -H -r -t filesystem,volume -o name,mounted,readonly,mountpoint vault/backup").text
    assert [line.split("\t") for line in shown.splitlines()] == [
        ["vault/backup", "no", "on", "none"],
        ["vault/backup/tank", "no", "on", "none"],
        ["vault/backup/tank/disk0", "-", "on", "-"],
        ["vault/backup/tank/home", "no", "on", "none"],
        ["vault/backup/tank/secret", "no", "on", "none"],
    ]
    guids = "zfs list -H -r -t snapshot -o name,guid {} | sed 's,^[^@]*/,,'"
    sent, arrived = (machine.run(guids.format(pool)).text.splitlines() for pool in ("tank", "vault/backup/tank"))
    assert sent == arrived
    key = machine.run("zfs get -H -o value keystatus vault/backup/tank/secret").text.strip()
    assert key == "unavailable"
    machine.run(f'ssh() {{ shift; "$@"; }}\n{back}')
    machine.run("zfs mount tank/restored && zfs mount tank/restored/home && touch /tank/restored/home/writable")
    assert machine.run("cmp /tank/home/first /tank/restored/home/first && echo same").text.strip() == "same"


def test_that_the_copy_that_is_advised_lies_below_its_own_pool_after_a_restart_and_is_not_written(
    machine: Machine,
) -> None:
    disks = [f"/dev/disk/by-id/{disk.by_id_name}" for disk in machine.disks("EMU512")]
    machine.run(MADE.format(tank=" ".join(disks[:4]), vault=" ".join(disks[4:6])))
    machine.run("zfs set mountpoint=/srv tank/home")
    advised = {rule.id: rule.command for rule in load_shipped().advice if rule.command is not None}
    for day, name in (("@one", "advice.backup-first-encrypted"), ("@two", "advice.backup-next-encrypted")):
        command = advised[name].fill_names({"pool.name": "tank"}.__getitem__)
        for words, meant in (("@DAY", day), ("@OLD-DAY", "@one"), ("BACKUP-POOL", "vault")):
            command = command.replace(words, meant)
        machine.run(f'set -eo pipefail\nssh() {{ shift; "$@"; }}\nzfs snapshot -r tank{day}\n{command}')
    # Before 2.2 the import counts as failed where a folder cannot be made.
    machine.run("zpool export vault; zpool import -d /dev/disk/by-id vault || zpool list vault")
    shown = machine.run("zfs list -H -r -t filesystem,volume -o name,mounted,readonly,mountpoint vault/tank").text
    assert [line.split("\t") for line in shown.splitlines()] == [
        ["vault/tank", "yes", "on", "/vault/tank"],
        ["vault/tank/disk0", "-", "on", "-"],
        ["vault/tank/home", "no", "on", "/vault/tank/home"],  # there is no such folder in what is only read
        ["vault/tank/secret", "no", "on", "/vault/tank/secret"],
    ]
