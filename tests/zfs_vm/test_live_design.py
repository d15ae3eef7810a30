"""A pool that exists is led to another design by the text that `compare DESIGN --live` writes, answered by yes."""

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.command_line import poolwright
from tests.zfs_vm.conftest import series
from tests.zfs_vm.designs import DRIVES, HARD, LOG, asked, differences
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import created
from tests.zfs_vm.test_designs import designed, looked

from poolwright.changes.live_difference.difference import compare_with_live, pool_for
from poolwright.changes.live_difference.values import LiveComparison, LiveWay
from poolwright.domain.design import Design
from poolwright.domain.host import Inventory
from poolwright.store.design_file import from_json

FILES = "for n in $(seq 12); do head -c 1M /dev/urandom >/tank/file-$n; done; zpool sync tank"
SUMS = "cd /tank && sha256sum file-*"
EXPANDS = pytest.mark.skipif(series() == "2.1", reason="a raidz is expanded by OpenZFS 2.3 alone")
ONE, TWO = "--layout mirror:2x20GB", "--layout 2*mirror:2x20GB"
# The design that was built, and the one that it becomes.
PAIRS = (
    pytest.param(HARD[:2], ONE, HARD[:3], "--layout mirror:3x20GB", id="third side"),
    pytest.param(HARD[:3], "--layout mirror:3x20GB", HARD[:2], ONE, id="side detached"),
    pytest.param(
        HARD[:2], ONE, HARD[:2] + DRIVES,
        "--layout mirror:2x20GB special/mirror:2x8GB -O special_small_blocks=32K -O atime=off", id="special",
    ),
    pytest.param(
        HARD[:4] + DRIVES, f"{TWO} {LOG}", HARD[:5], f"{TWO} spare/stripe:1x20GB --pool-property autotrim=on",
        id="log goes, spare comes",
    ),
    pytest.param(HARD[:4], TWO, HARD[:2], ONE, id="vdev goes"),
    pytest.param(HARD[:2], ONE, HARD[:4] + DRIVES[:1], f"{TWO} cache/stripe:1x8GB", id="vdev and cache come"),
    pytest.param(
        HARD[:2], f"{ONE} --dataset home quota=5G --dataset old", HARD[:2],
        f"{ONE} --dataset home quota=2G recordsize=1M --dataset vm/a --volume disk=1GiB,16K -O compression=zstd",
        id="datasets",
    ),
    pytest.param(HARD[:3], "--layout raidz1:3x20GB", HARD[:4], "--layout raidz1:4x20GB", id="wider", marks=EXPANDS),
)  # fmt: skip


def design_of(machine: Machine, disks: Sequence[str], words: str) -> Design:
    return from_json(designed(machine.inventory, asked("live", tuple(disks), words)))


def compared(machine: Machine, design: Design) -> tuple[LiveComparison, Inventory]:
    inventory = machine.read()
    return compare_with_live(design, inventory, pool_for(design, inventory, "tank")), inventory


def text_for(design: Path, inventory: Inventory, file: Path) -> str:
    """Return what the command line writes."""
    with patch("poolwright.cli.design_source.read_source", lambda _: inventory):
        done = poolwright("compare", str(design), "--live", "--from", "machine", "-w", str(file))
    assert done.returncode == 0, done.stderr
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("before", "built", "after", "wanted"), PAIRS)
def test_that_a_pool_is_led_to_another_design_and_keeps_its_files(
    machine: Machine, tmp_path: Path, before: tuple[str, ...], built: str, after: tuple[str, ...], wanted: str
) -> None:
    made = created(machine, design_of(machine, before, built))
    assert made.status == 0, made.text
    machine.run(FILES)
    held = machine.run(SUMS).text
    file = tmp_path / "wanted.json"
    file.write_text(designed(machine.inventory, asked("live", after, wanted)), encoding="utf-8")
    design = from_json(file.read_text(encoding="utf-8"))
    comparison, inventory = compared(machine, design)
    assert comparison.steps
    assert list(comparison.of_way(LiveWay.CANNOT)) == []
    machine.put("/tmp/operator/change.sh", text_for(file, inventory, tmp_path / "change.sh"))
    assert "Checked. Nothing was changed." in machine.run("bash change.sh --check").text
    refused = machine.run("bash change.sh", typed=["no"], check=False)
    assert refused.status == 1, refused.text
    assert "Nothing was changed." in refused.text
    yes = ["yes"] * (len(comparison.steps) + 1)
    done = machine.run("POOLWRIGHT_PAUSE=1 bash change.sh", typed=yes, check=False)
    assert done.status == 0, done.text
    again, _ = compared(machine, design)
    # No list destroys a dataset: one that the design does not have stays, and is told.
    left = ["tank/old"] if "--dataset old" in built else []
    assert [(one.way, one.place) for one in again.differences] == [(LiveWay.LEFT, place) for place in left]
    assert machine.run(SUMS).text == held
    status = machine.run("zpool status tank").text
    assert "state: ONLINE" in status
    assert "No known data errors" in status
    # A pool that grew or shrank has not the sizes of one that was made so.
    told = [one for one in differences(design, **looked(machine, "tank")) if not one.startswith(("SIZE", "USED"))]
    assert told == []
