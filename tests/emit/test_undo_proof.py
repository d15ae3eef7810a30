"""The undo twin where its pools are gone, half made or half undone: what proves that something is its own."""

from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.emit.pretend import Machine, machine_for, small_design
from tests.emit.undoing import TYPED, both_destroyed, both_pools, destroyed, gone, label, undo_for, undone, zpool_table


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return both_pools(tmp_path / "machine")


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
    assert ("failed half-way" in last) == (finished == "none")
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
