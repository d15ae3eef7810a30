"""The guarded script, run by bash against recording stand-ins."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit.pretend import Machine, Result, disk, machine_for, script_for, small_design, vdev

from poolwright.domain.action import CreatePool
from poolwright.domain.design import Design, Setting
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import plan_actions
from poolwright.emit.script import pool_mark

# Each runs bash some times; the texts of the scripts are held to theirs in the quick tests.
pytestmark = pytest.mark.slow

BY_ID = "/dev/disk/by-id/ata-ST6000NM0034_ZAD0000"


def test_that_zpool_create_gets_exactly_the_designed_words(machine: Machine) -> None:
    result = machine.run(script_for(small_design(), machine), typed="tank\n")
    assert result.status == 0, result.text
    mark = pool_mark(next(a for a in plan_actions(small_design()) if isinstance(a, CreatePool)))
    create = ["-o", "ashift=12", "-o", "autotrim=on", "-O", "compression=lz4"]
    create += ["-O", f"org.poolwright:design={mark}", "tank"]
    create += ["mirror", f"{BY_ID}0", f"{BY_ID}1", "spare", f"{BY_ID}2"]
    assert result.rehearsals() == [["zpool", "create", "-n", *create]]
    assert result.creates() == [["zpool", "create", *create]]
    assert [c for c in result.calls if c[:2] == ["zfs", "create"]] == [
        ["zfs", "create", "-o", "recordsize=1M", "tank/home"],
        ["zfs", "create", "tank/vm"],
        ["zfs", "create", "-V", str(10 << 30), "-o", "volblocksize=16K", "tank/vm/disk1"],
    ]
    assert "SIZE: 1000 bytes, as predicted" in result.text
    assert "USED + AVAIL: 100 bytes, as predicted" in result.text


def run_twice(design: Design, machine: Machine) -> Result:
    """Return the first run, which creates all; the second changes nothing."""
    script = script_for(design, machine)
    first, second = machine.run(script, "--yes-create", "tank"), machine.run(script)
    assert first.status == 0, first.text
    assert (second.status, second.changes()) == (0, []), second.text
    assert "nothing was changed" in second.text
    return first


def test_that_a_second_run_changes_nothing_whatever_the_datasets_are_called(tmp_path: Path) -> None:
    datasets = tuple(replace(d, name=d.name.replace("vm", "my vms")) for d in small_design().datasets)
    design = small_design(datasets=datasets)
    assert ["zfs", "create", "tank/my vms"] in run_twice(design, machine_for(design, tmp_path / "blank")).calls


def test_that_an_interrupted_run_is_completed_by_the_next(machine: Machine) -> None:
    script = script_for(small_design(), machine)
    (machine.root / "dataset_fails").write_text("tank/vm\n")
    first = machine.run(script, "--yes-create", "tank")
    assert first.status == 3
    assert "run this script again" in first.text
    (machine.root / "dataset_fails").unlink()
    second = machine.run(script, typed="tank\n")
    assert second.status == 0, second.text
    assert [c[-1] for c in second.changes() if c[1] == "create"] == ["tank/vm", "tank/vm/disk1"]


def test_that_a_missing_dataset_is_not_created_without_the_typed_name(machine: Machine) -> None:
    script = script_for(small_design(), machine)
    (machine.root / "dataset_fails").write_text("tank/vm\n")
    machine.run(script, "--yes-create", "tank")
    (machine.root / "dataset_fails").unlink()
    assert machine.run(script, typed="no\n").changes() == []
    check = machine.run(script, "--check")
    assert check.status == 0
    assert check.changes() == []
    assert "Missing in the pool: tank/vm tank/vm/disk1" in check.text


@pytest.mark.parametrize("arguments", [["--yes-create", "other"], ["--yes-create"], ["--force"], ["tank"]])
def test_that_bad_usage_ends_before_anything_is_read(machine: Machine, arguments: list[str]) -> None:
    result = machine.run(script_for(small_design(), machine), *arguments, typed="tank\n")
    assert result.status == 2
    assert result.calls == []


def test_that_all_problems_of_all_disks_are_listed(machine: Machine) -> None:
    machine.tell("sda", "size", "5")
    machine.tell("sda", "read_only", "1")
    machine.tell("sdc", "serial", "X")
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert "Refused: 3 problems, listed above." in result.text
    assert result.changes() == []


def test_that_a_member_of_an_imported_pool_is_refused(machine: Machine) -> None:
    machine.partition("sda", "sda1")
    (machine.root / "status").write_text(
        "  pool: other\nconfig:\n\n\tNAME\n\tother\n\t  /dev/sda1  ONLINE\n\nerrors: -\n"
    )
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert "belongs to an imported pool" in result.text
    assert result.changes() == []


@pytest.mark.parametrize(("sign", "status"), [("then_occupied", 1), ("rehearsal_fails", 3)])
def test_that_a_disk_used_while_the_question_waits_or_a_failed_rehearsal_ends_the_run(
    machine: Machine, sign: str, status: int
) -> None:
    (machine.root / sign).write_text("sdb")
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert (result.status, result.changes(), len(result.rehearsals())) == (status, [], 1)


def test_that_check_only_rehearses(machine: Machine) -> None:
    result = machine.run(script_for(small_design(), machine), "--check")
    assert (result.status, result.changes(), len(result.rehearsals())) == (0, [], 1), result.text


def test_that_a_changed_property_is_told_and_left_alone(machine: Machine) -> None:
    script = script_for(small_design(), machine)
    machine.run(script, "--yes-create", "tank")
    properties = machine.root / "properties"
    properties.write_text(properties.read_text().replace("compression\tlz4", "compression\tzstd"))
    result = machine.run(script)
    assert result.status == 1
    assert "tank: compression is zstd, the design says lz4" in result.text
    assert result.changes() == []


def test_that_a_wrong_prediction_is_a_warning(machine: Machine) -> None:
    script = script_for(small_design(), machine).replace("predicted 1000 ", "predicted 1001 ")
    result = machine.run(script, "--yes-create", "tank")
    assert result.status == 0
    assert "WARNING: SIZE: 1000 bytes, predicted were 1001" in result.text


def test_that_the_log_is_written_and_private(machine: Machine) -> None:
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    log = machine.root / "log"
    assert log.stat().st_mode & 0o777 == 0o600
    assert "+ zpool create -o ashift=12" in log.read_text()
    assert log.read_text().splitlines()[-1] == result.text.splitlines()[-1]


def test_that_force_is_rehearsed_without_force_first(tmp_path: Path) -> None:
    design = small_design(
        disks=tuple(disk(n) for n in range(5)),
        vdevs=(vdev(VdevKind.RAIDZ, (0, 1, 2), parity=1), vdev(VdevKind.STRIPE, (3, 4), vdev_class=VdevClass.SPECIAL)),
    )
    machine = machine_for(design, tmp_path / "machine")
    result = machine.run(script_for(design, machine), "--yes-create", "tank")
    assert result.status == 0, result.text
    devices = [f"{BY_ID}{n}" for n in range(5)]
    assert result.rehearsals()[0] == ["zpool", "create", "-n", "-o", "ashift=12", "tank", *devices]
    assert result.rehearsals()[1][3] == "-f"
    assert result.creates()[0][2] == "-f"


def test_that_every_class_and_distributed_spares_are_recognised_on_the_second_run(tmp_path: Path) -> None:
    design = small_design(
        disks=tuple(disk(n) for n in range(12)),
        vdevs=(
            vdev(VdevKind.STRIPE, (11,), vdev_class=VdevClass.CACHE),
            vdev(VdevKind.DRAID, range(5), parity=1, draid_data=2, draid_spares=1),
            vdev(VdevKind.MIRROR, (5, 6), vdev_class=VdevClass.LOG),
            vdev(VdevKind.MIRROR, (7, 8), vdev_class=VdevClass.SPECIAL),
            vdev(VdevKind.STRIPE, (9, 10), vdev_class=VdevClass.SPARE),
        ),
    )
    machine = machine_for(design, tmp_path / "machine")
    planned = machine.root / "status_planned.tank"
    planned.write_text(planned.read_text().replace("\tspares\t\n", "\tspares\t\n\t  draid1-0-0  AVAIL\n"))
    run_twice(design, machine)


def test_that_a_boot_file_system_is_set_after_it_exists(tmp_path: Path) -> None:
    design = small_design(pool_settings=(Setting(name="bootfs", value="tank/home"),))
    machine = machine_for(design, tmp_path / "machine")
    sets = [c for c in run_twice(design, machine).calls if c[:2] == ["zpool", "set"]]
    assert sets == [["zpool", "set", "bootfs=tank/home", "tank"]]


@pytest.mark.parametrize("at", [0, 65 << 20])
def test_that_a_byte_that_no_tool_sees_is_found(machine: Machine, at: int) -> None:
    with (machine.root / "dev/sdb").open("r+b") as opened:
        opened.seek(at)
        opened.write(b"\x01")
    result = machine.run(script_for(small_design(), machine), "--check")
    assert "1 of 3 disks" in result.text
    assert f"the first at byte {at}" in result.text
    assert result.changes() == []
