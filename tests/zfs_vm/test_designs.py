"""Designs of all kinds, asked for on the command line: their scripts run, and the pools are the designs to the byte."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.command_line import poolwright
from tests.zfs_vm.designs import CORE, DESIGNS, Asked, differences
from tests.zfs_vm.emulated import GB, hard_disks
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.test_partitions import shared, two_pools

from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import VdevKind
from poolwright.store.design_file import from_json, to_json

LOOK = {
    "status": "zpool status -P {}",
    "pool": "zpool get -Hp all {}",
    "datasets": "zfs get -Hp -r all {}",
    "sizes": "zpool list -Hp -o size {0}; zfs get -Hp -o value used,available {0}",
}
MARK = "----next----"
STATE = "zpool history {0}; zpool status -P {0}; zfs get -Hp -r -s local all {0}"
LEFT = "zpool list -H; zpool import -D 2>&1; for disk in {}; do blkid -p $disk; zdb -l $disk; done"


def command(*words: str) -> str:
    done = poolwright(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def designed(inventory: Inventory, asked: Asked) -> str:
    """Return the file of the design on just the disks that it names."""
    disks = tuple(disk for disk in inventory.disks if disk.serial in asked.disks)
    with patch("poolwright.cli.own_layout.read_source", lambda _: replace(inventory, disks=disks)):
        return command("script", *asked.words, "--from", "machine", "--format", "json")


def state(machine: Machine, design: Design) -> str:
    return "".join(machine.run(STATE.format(pool.pool_name)).text for pool in design.pools())


def looked(machine: Machine, pool: str) -> dict[str, str]:
    told = machine.run(f"; echo {MARK}; ".join(look.format(pool) for look in LOOK.values())).text
    return dict(zip(LOOK, told.split(f"{MARK}\n"), strict=True))


def built(machine: Machine, file: Path, seconds: float = 900) -> None:
    """Build what a file designs, compare, build again, take back; all pools that share the disks."""
    design = from_json(file.read_text(encoding="utf-8"))
    pools = design.pools()
    agreed = " ".join(f"--yes-create {pool.pool_name}" for pool in pools)
    for form in ("sh", "undo"):
        machine.put(f"/tmp/operator/{form}", command("script", str(file), "--format", form))
    made = machine.run(f"bash sh {agreed}", check=False, timeout=seconds)
    assert made.status == 0, made.text
    assert "WARNING: SIZE" not in made.text
    for pool in pools:
        assert not list(differences(pool, **looked(machine, pool.pool_name)))
    before = state(machine, design)
    again = machine.run(f"bash sh {agreed}", check=False, timeout=seconds)
    assert again.status == 0, again.text
    assert "nothing was changed" in again.text
    assert state(machine, design) == before
    typed = [f"destroy {pool.pool_name}" for pool in pools]
    back = machine.run("bash undo", typed=typed, check=False, timeout=seconds)
    assert back.status == 0, back.text
    paths = " ".join(f"/dev/disk/by-id/{disk.by_id_name}" for disk in design.disks)
    left = machine.run(LEFT.format(paths), check=False)
    assert "pool_guid" not in left.text
    assert "TYPE=" not in left.text
    assert "no pools available to import" in left.text


@pytest.mark.parametrize(
    "asked", [pytest.param(a, id=a.title, marks=[pytest.mark.core] if a.title in CORE else []) for a in DESIGNS]
)
def test_that_a_design_is_built_to_the_byte_and_taken_back_without_a_label(
    machine: Machine, tmp_path: Path, asked: Asked
) -> None:
    machine.run(asked.first)
    file = tmp_path / "design.json"
    file.write_text(designed(machine.inventory, asked), encoding="utf-8")
    built(machine, file)


def test_that_two_pools_on_shared_disks_are_built_to_the_byte(machine: Machine, tmp_path: Path) -> None:
    design = two_pools(machine)
    file = tmp_path / "design.json"
    file.write_text(to_json(design), encoding="utf-8")
    built(machine, file)


def test_that_disks_of_two_sizes_are_cut_alike_and_their_rest_is_a_pool_too(machine: Machine, tmp_path: Path) -> None:
    with machine.shelf(hard_disks("LARGE0", 2, 30 * GB)) as large:
        read = {disk.serial: disk for disk in machine.read().disks}
        big = tuple(read[disk.serial] for disk in large)
        small = machine.disks("EMU512")[:2]
        parts = (*shared(big, 1, 16).members, *(Member(disk_key=d.key, slice_bytes=16 << 30, part=1) for d in small))
        design = Design(
            key="mixed",
            name="Two sizes",
            pool_name="tank",
            disks=(*big, *small),
            vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=2, members=parts),),
            further_pools=(FurtherPool(pool_name="rest", vdevs=(shared(big, 2, 10),)),),
        )
        file = tmp_path / "design.json"
        file.write_text(to_json(design), encoding="utf-8")
        built(machine, file)
