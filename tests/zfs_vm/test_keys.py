"""Encrypted pools made by the script on real OpenZFS, and opened again with what the operator kept and nothing else."""

from dataclasses import replace

from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created, undone
from tests.zfs_vm.test_pools import native

from poolwright.domain.design import Dataset, Design, Setting

PHRASE = "correct horse battery"
KEY = "/tmp/operator/vault.key"


def encrypted(machine: Machine) -> Design:
    root = {"encryption": "on", "keyformat": "passphrase", "keylocation": "prompt"}
    vault = {"encryption": "aes-256-gcm", "keyformat": "raw", "keylocation": f"file://{KEY}"}
    datasets = tuple(
        Dataset(name=name, settings=tuple(Setting(name=key, value=value) for key, value in given.items()))
        for name, given in (("", root), ("home", {}), ("vault", vault))
    )
    return replace(native(machine), name="Encrypted", pool_name="locked", datasets=datasets)


def partitions(machine: Machine, design: Design) -> int:
    name = design.disks[0].by_id_name
    return int(machine.run(f"lsblk -nro NAME /dev/disk/by-id/{name} | wc -l").text) - 1


def test_that_an_encrypted_pool_is_made_and_opens_with_its_keys_only(machine: Machine) -> None:
    design = encrypted(machine)
    without = created(machine, design, typed=("locked", PHRASE, PHRASE))
    assert without.status == 1
    assert f"there is no file {KEY}" in without.text
    assert partitions(machine, design) == 0
    machine.run(f"umask 077; head -c 32 /dev/urandom >{KEY}")
    made = created(machine, design, typed=("locked", PHRASE, PHRASE))
    assert made.status == 0, made.text
    assert "Done: as designed" in made.text
    assert PHRASE not in made.text
    again = created(machine, design)
    assert again.status == 0, again.text
    machine.run("zpool export locked && zpool import -d /dev/disk/by-id locked")
    assert machine.run("zfs mount locked", check=False).status != 0
    assert machine.run("zfs load-key locked", typed=("wrong words here",), check=False).status != 0
    machine.run("zfs load-key locked", typed=(PHRASE,))
    machine.run("zfs load-key locked/vault && zfs mount -a && mountpoint /locked/vault && mountpoint /locked/home")
    back = undone(machine, design)
    assert back.status == 0, back.text


def test_that_a_passphrase_that_differs_leaves_the_disks_as_they_were(machine: Machine) -> None:
    design = encrypted(machine)
    machine.run(f"umask 077; head -c 32 /dev/urandom >{KEY}")
    refused = created(machine, design, typed=("locked", *(PHRASE, "another phrase") * 3))
    assert refused.status == 1
    assert "Nothing was changed" in refused.text
    assert partitions(machine, design) == 0
