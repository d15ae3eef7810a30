"""The undo twin, run by bash against recording stand-ins: what it takes back, and what it leaves alone."""

from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.emit.pretend import Machine, machine_for, script_for, small_design
from tests.emit.undoing import TYPED, both_pools, label, undo_for, undone, zpool_table

YES = ("--yes-create", "tank", "--yes-create", "rest")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return both_pools(tmp_path / "machine")


def test_that_exactly_what_was_created_is_taken_back(machine: Machine) -> None:
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 0, result.text
    assert undone(result.calls, "zpool", "destroy") == ["tank", "rest"]
    assert len(undone(result.calls, "sgdisk", "-d")) == 7
    cleared = [path.rpartition("/")[2] for path in undone(result.calls, "zpool", "labelclear")]
    assert sorted(cleared) == ["sda1", "sda2", "sdb1", "sdb2", "sdc1", "sdd1", "sde1"]
    wiped = [path.rpartition("/")[2] for path in undone(result.calls, "wipefs", "-q")]
    assert wiped == ["sda", "sdb", "sdc", "sdd", "sde"]


@pytest.mark.slow
def test_that_a_second_undo_changes_nothing_and_the_pools_can_be_created_again_afterwards(machine: Machine) -> None:
    script = undo_for(macblog_design(), machine)
    machine.run(script, typed=TYPED)
    second = machine.run(script)
    assert (second.status, second.changes()) == (0, []), second.text
    assert "Nothing is left" in second.text
    again = machine.run(script_for(macblog_design(), machine), *YES)
    assert again.status == 0, again.text
    assert len(again.creates()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dataset", "snapshot", "file"])
def test_that_data_are_destroyed_only_when_asked_for_twice(machine: Machine, kind: str) -> None:
    if kind == "dataset":
        with (machine.root / "datasets").open("a") as file:
            file.write("tank/photos\n")
    elif kind == "snapshot":
        (machine.root / "snapshots").write_text("tank/media@monday\n")
    else:
        (machine.root / "mounted/tank/media").mkdir(parents=True)
        (machine.root / "mounted/tank/media/film").write_text("x")
    script = undo_for(macblog_design(), machine)
    assert machine.run(script, typed=TYPED).changes() == []
    assert machine.run(script, "--with-data", typed=TYPED).changes() == []
    result = machine.run(script, "--with-data", typed="destroy tank with its data\ndestroy rest\n")
    assert result.status == 0, result.text
    assert undone(result.calls, "zpool", "destroy") == ["tank", "rest"]


@pytest.mark.slow
def test_that_a_pool_with_other_vdevs_is_not_touched(machine: Machine) -> None:
    status = machine.root / "status.tank"
    status.write_text(status.read_text().replace("raidz2-0", "raidz1-0"))
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "created by the script of this design, and its vdevs were changed since" in result.text
    assert "zpool destroy tank" in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_metadata_that_became_smaller_are_no_data(machine: Machine) -> None:
    machine.set("tank/media", logicalreferenced=20992)
    script = undo_for(macblog_design(), machine)
    checked = machine.run(script, "--check")
    assert (checked.status, checked.changes()) == (0, []), checked.text
    assert "The pool tank (guid 4711) will be destroyed: " in checked.text
    assert "has been written to" not in checked.text
    machine.set("tank/media", logicalreferenced=43520)
    assert "tank/media has been written to" in machine.run(script, "--check").text


@pytest.mark.slow
def test_that_a_pool_whose_labels_have_another_guid_is_not_touched(machine: Machine) -> None:
    label(machine, "sdc1", guid=99)
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "do not belong together" in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_a_file_system_in_our_partition_is_left_alone(machine: Machine) -> None:
    machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    script = script_for(macblog_design(), machine)
    (machine.root / "sgdisk_fails").write_text("sdb")
    machine.run(script, *YES)
    blkid = machine.root / "facts/sda2/blkid"
    blkid.write_text(blkid.read_text() + "TYPE=ext4\n")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert "left alone" in result.text
    assert result.changes() == []


def test_that_disks_of_others_are_never_cleared(tmp_path: Path) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    machine.partition("sda", "sda1")
    machine.tell("sda1", "blkid", "TYPE=zfs_member\nLABEL=other")
    machine.tell("sda", "blkid", "PTTYPE=gpt\nPTUUID=1234")
    machine.tell("sdb", "blkid", "TYPE=ext4")
    result = machine.run(undo_for(small_design(), machine), typed="destroy tank\n")
    assert result.status == 1, result.text
    assert "Left alone, see above: 2 disks." in result.text
    assert "Nothing is left" not in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_whole_disks_lose_the_table_of_zpool_create(tmp_path: Path) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    machine.build(small_design())
    for kernel in ("sda", "sdb", "sdc"):
        zpool_table(machine, kernel)
    label(machine, "sda1")
    label(machine, "sdb1")
    machine.tell("sdc1", "zdb", "LABEL 0\n    state: 3\n    guid: 5")  # a spare knows no pool
    machine.record(small_design(), "vdevs @ 5 6")
    result = machine.run(undo_for(small_design(), machine), typed="destroy tank\n")
    assert result.status == 0, result.text
    assert [p.rpartition("/")[2] for p in undone(result.calls, "wipefs", "-q")] == ["sda", "sdb", "sdc"]
    assert [p.rpartition("/")[2] for p in undone(result.calls, "zpool", "labelclear")] == ["sda1", "sdb1", "sdc1"]
    assert not [call for call in result.calls if call[0] == "sgdisk"]
