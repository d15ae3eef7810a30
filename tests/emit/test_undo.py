"""The undo twin, run by bash against recording stand-ins: what it takes back, by what proof, and what it leaves."""

from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.emit.pretend import Machine, machine_for, script_for, small_design
from tests.emit.undoing import TYPED, both_destroyed, both_pools, destroyed, gone, label, undo_for, undone, zpool_table

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


@pytest.mark.slow
def test_that_an_undo_that_was_cut_short_is_completed(machine: Machine) -> None:
    both_destroyed(machine, "undoing")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 0, result.text
    assert undone(result.calls, "zpool", "destroy") == []
    assert len(undone(result.calls, "sgdisk", "-d")) == 7


def test_that_a_pool_that_was_destroyed_by_hand_may_hold_data_still_and_is_cleared_where_they_may_go(
    machine: Machine,
) -> None:
    both_destroyed(machine)
    script = undo_for(macblog_design(), machine)
    refused = machine.run(script, typed=TYPED)
    assert refused.status == 1
    assert "zpool import -D 4711" in refused.text
    assert refused.changes() == []
    both = "destroy tank with its data\ndestroy rest with its data\n"
    cleared = machine.run(script, "--with-data", typed=both)
    assert cleared.status == 0, cleared.text
    assert len(undone(cleared.calls, "sgdisk", "-d")) == 7


@pytest.mark.slow
def test_that_a_pool_that_could_not_be_destroyed_may_have_been_used_since(machine: Machine) -> None:
    (machine.root / "destroy_fails").touch()
    script = undo_for(macblog_design(), machine)
    failed = machine.run(script, typed=TYPED)
    assert failed.status == 3
    assert "pool is busy" in failed.text
    for name in ("tank", "rest"):  # somebody goes on with the pools, and destroys them one day
        (machine.root / f"status.{name}").unlink()
        destroyed(machine, name)
    (machine.root / "pools").write_text("")
    refused = machine.run(script, typed=TYPED)
    assert refused.status == 1, refused.text
    assert "zpool import -D 4711" in refused.text
    assert undone(refused.calls, "zpool", "labelclear") == []


@pytest.mark.slow
def test_that_a_pool_that_is_only_exported_is_not_taken_apart(machine: Machine) -> None:
    both_destroyed(machine, "undoing")
    label(machine, "sda1")
    script = undo_for(macblog_design(), machine)
    result = machine.run(script, typed=TYPED)
    assert result.status == 1
    assert "The pool tank (guid 4711) is not imported" in result.text
    assert result.changes() == []
    named = machine.run(script, "--guid", "4711", typed=TYPED)
    assert named.status == 0, named.text
    assert ["zpool", "labelclear", "-f", str(machine.root / "dev/sda1")] in named.calls


@pytest.mark.slow
@pytest.mark.parametrize("finished", ["none", "sda1"])
def test_that_labels_of_a_create_by_hand_that_failed_are_told_as_that(machine: Machine, finished: str) -> None:
    gone(machine)
    for kernel in ("sda1", "sdb1", "sdc1", "sdd1", "sde1"):
        label(machine, kernel, guid=99, txg=4 if kernel == finished else 0)
    for kernel in ("sda2", "sdb2"):
        label(machine, kernel, pool="rest", state=2)
    script = undo_for(macblog_design(), machine)
    result = machine.run(script, typed=TYPED)
    assert result.status == 1
    assert result.changes() == []
    last = result.text.splitlines()[-1]
    assert ("a failed `zpool create`" in last) == (finished == "none")
    assert ("--guid 99" in last) == (finished == "none")
    # One label that was completed: there is a pool, and importing it is the way to look into it.
    assert ("Import it" in last) == (finished == "sda1")


def test_that_a_disk_that_left_a_pool_before_it_was_destroyed_is_told_as_such(machine: Machine) -> None:
    both_destroyed(machine)
    label(machine, "sdb1")
    result = machine.run(undo_for(macblog_design(), machine), "--with-data")
    assert result.status == 1
    assert "was destroyed; a disk that it did not use any more" in result.text
    assert "--guid 4711" in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_a_pool_is_not_destroyed_while_its_neighbour_on_the_same_disks_is_only_exported(machine: Machine) -> None:
    (machine.root / "status.rest").unlink()
    (machine.root / "pools").write_text("tank\n")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "The pool rest (guid 4712) is not imported" in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_a_destroyed_pool_made_by_hand_and_a_spare_of_others_are_left_alone(tmp_path: Path) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    machine.write_record(small_design(), "made @ 4711 - -", "vdevs @ 5 6", "undoing @")
    for kernel in ("sda", "sdb", "sdc"):
        zpool_table(machine, kernel)
    label(machine, "sda1", guid=99, state=2)
    label(machine, "sdb1", guid=4711, state=2)
    machine.tell("sdc1", "zdb", "LABEL 0\n    state: 3\n    guid: 7")
    result = machine.run(undo_for(small_design(), machine), typed="destroy tank\n")
    assert result.status == 1
    assert "Undone, but not cleared, see above: 2 disks." in result.text
    assert [p.rpartition("/")[2] for p in undone(result.calls, "zpool", "labelclear")] == ["sdb1"]


@pytest.mark.slow
def test_that_tables_of_a_creation_that_was_killed_are_taken_back(tmp_path: Path) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    zpool_table(machine, "sda")
    machine.tell("sda1", "blkid", "PART_ENTRY_TYPE=6a898cc3-1dd2-11b2-99a6-080020736631\nPART_ENTRY_NAME=zfs-0")
    script = undo_for(small_design(), machine)
    assert machine.run(script, typed="destroy tank\n").changes() == []
    machine.write_record(small_design(), "begun @ tank - -")
    result = machine.run(script, typed="destroy tank\n")
    assert [p.rpartition("/")[2] for p in undone(result.calls, "wipefs", "-q")] == ["sda"], result.text
