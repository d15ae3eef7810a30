"""Designs of all kinds, asked for on the command line: their scripts run, and the pools are the designs to the byte."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.command_line import poolwright
from tests.zfs_vm.designs import CORE, DESIGNS, Asked, differences
from tests.zfs_vm.machine import Machine

from poolwright.domain.design import Design
from poolwright.domain.inventory import Inventory
from poolwright.store.design_file import from_json

LOOK = {
    "status": "zpool status -P {}",
    "pool": "zpool get -Hp all {}",
    "datasets": "zfs get -Hp -r all {}",
    "sizes": "zpool list -Hp -o size {0}; zfs get -Hp -o value used,available {0}",
}
STATE = "zpool history {0}; zpool status -P {0}; zfs get -Hp -r -s local all {0}"
LEFT = "zpool list -H; zpool import -D 2>&1; for disk in {}; do blkid -p $disk; zdb -l $disk; done"


def command(*words: str) -> str:
    done = poolwright(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def designed(inventory: Inventory, asked: Asked) -> tuple[Design, str]:
    """Return the design on just the disks that it names, and the text of its file."""
    disks = tuple(disk for disk in inventory.disks if disk.serial in asked.disks)
    with patch("poolwright.cli.sources.read_source", lambda _: replace(inventory, disks=disks)):
        text = command("script", *asked.words, "--from", "machine", "--format", "json")
    return from_json(text), text


def built(machine: Machine, file: Path, design: Design) -> None:
    """Build, compare, build again, take back."""
    pool = design.pool_name
    for form in ("sh", "undo"):
        machine.put(f"/tmp/operator/{form}", command("script", str(file), "--format", form))
    made = machine.run(f"bash sh --yes-create {pool}", check=False)
    assert made.status == 0, made.text
    assert "WARNING: SIZE" not in made.text
    assert not list(differences(design, **{k: machine.run(v.format(pool)).text for k, v in LOOK.items()}))
    before = machine.run(STATE.format(pool)).text
    again = machine.run(f"bash sh --yes-create {pool}", check=False)
    assert again.status == 0, again.text
    assert "nothing was changed" in again.text
    assert machine.run(STATE.format(pool)).text == before
    back = machine.run("bash undo", typed=[f"destroy {pool}"], check=False)
    assert back.status == 0, back.text
    paths = " ".join(f"/dev/disk/by-id/{disk.by_id_name}" for disk in design.disks)
    left = machine.run(LEFT.format(paths), check=False)
    assert "pool_guid" not in left.text
    assert "TYPE=" not in left.text
    assert "no pools available to import" in left.text


@pytest.mark.parametrize(
    "asked",
    [pytest.param(a, id=a.title, marks=[pytest.mark.core] if a.title in CORE else []) for a in DESIGNS],
)
def test_that_a_design_is_built_to_the_byte_and_taken_back_without_a_label(
    machine: Machine, tmp_path: Path, asked: Asked
) -> None:
    machine.run(asked.first)
    design, text = designed(machine.inventory, asked)
    file = tmp_path / "design.json"
    file.write_text(text, encoding="utf-8")
    built(machine, file, design)
