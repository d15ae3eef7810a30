"""The undo twin, run by bash against recording stand-ins: what it takes back, and what it leaves alone."""

from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.emit.pretend import Machine, guid_of, machine_for, script_for, small_design

from poolwright.domain.design import Design
from poolwright.emit.actions import CreatePool, plan_actions
from poolwright.emit.record_marks import pool_mark
from poolwright.emit.undo import undo_script

TYPED = "destroy tank\ndestroy rest\n"
YES = ("--yes-create", "tank", "--yes-create", "rest")


def undo_for(design: Design, machine: Machine) -> str:
    return undo_script(design, generated_at="now", program_version="0.1.0", roots=machine.roots)


def label(
    machine: Machine, kernel: str, *, pool: str = "tank", guid: int | None = None, state: int = 0, txg: int = 4
) -> None:
    """Let `zdb -l` find the label of a pool; ``txg`` is 0 where its creation never came to its end."""
    text = f"LABEL 0\n    name: '{pool}'\n    state: {state}\n    txg: {txg}\n    pool_guid: {guid or guid_of(pool)}\n"
    machine.tell(kernel, "zdb", text)


def labelled(machine: Machine) -> None:
    """Give every member of the two pools its label."""
    for kernel in ("sda1", "sdb1", "sdc1", "sdd1", "sde1"):
        label(machine, kernel)
    for kernel in ("sda2", "sdb2"):
        label(machine, kernel, pool="rest")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = machine_for(macblog_design(), tmp_path / "machine")
    made.build(macblog_design())
    made.record(macblog_design())
    labelled(made)
    return made


def undone(result_calls: list[list[str]], *words: str) -> list[str]:
    return [call[-1] for call in result_calls if tuple(call[: len(words)]) == words]


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
def test_that_the_pools_can_be_created_again_afterwards(machine: Machine) -> None:
    machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    again = machine.run(script_for(macblog_design(), machine), *YES)
    assert again.status == 0, again.text
    assert len(again.creates()) == 2


@pytest.mark.slow
def test_that_a_second_undo_changes_nothing(machine: Machine) -> None:
    script = undo_for(macblog_design(), machine)
    machine.run(script, typed=TYPED)
    second = machine.run(script)
    assert second.status == 0, second.text
    assert "Nothing is left" in second.text
    assert second.changes() == []


def test_that_check_changes_nothing(machine: Machine) -> None:
    result = machine.run(undo_for(macblog_design(), machine), "--check")
    assert result.status == 0, result.text
    assert "The pool tank (guid 4711) will be destroyed: " in result.text
    assert result.changes() == []


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["", "tank\n", "destroy tank\n", "destroy tank\ndestroy tank\n", "y\ny\n"])
def test_that_nothing_is_destroyed_before_everything_was_typed(machine: Machine, typed: str) -> None:
    result = machine.run(undo_for(macblog_design(), machine), typed=typed)
    assert result.status == 1
    assert result.changes() == []


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


def test_that_a_pool_with_other_vdevs_is_not_touched(machine: Machine) -> None:
    status = machine.root / "status.tank"
    status.write_text(status.read_text().replace("raidz2-0", "raidz1-0"))
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "created by the script of this design, and its vdevs were changed since" in result.text
    assert "zpool destroy tank" in result.text
    assert result.changes() == []


def test_that_metadata_that_became_smaller_are_no_data(machine: Machine) -> None:
    machine.set("tank/media", logicalreferenced=20992)
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 0, result.text
    assert undone(result.calls, "zpool", "destroy") == ["tank", "rest"]


def test_that_a_pool_whose_labels_have_another_guid_is_not_touched(machine: Machine) -> None:
    label(machine, "sdc1", guid=99)
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "do not belong together" in result.text
    assert result.changes() == []


def test_that_another_disk_under_the_name_is_refused(machine: Machine) -> None:
    machine.tell("sdb", "serial", "OTHER")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "has the serial number OTHER" in result.text
    assert result.changes() == []


def gone(machine: Machine, *facts: str) -> None:
    """Let the pools be gone while the disks still carry what they left; ``facts`` are recorded of each."""
    for name in ("tank", "rest"):
        (machine.root / f"status.{name}").unlink()
    (machine.root / "pools").write_text("")
    marks = [pool_mark(action) for action in plan_actions(macblog_design()) if isinstance(action, CreatePool)]
    machine.record(macblog_design(), *(f"{fact} {mark}" for fact in facts for mark in marks))


def destroyed(machine: Machine, pool: str) -> None:
    """Let every member of a pool carry the label of a destroyed pool."""
    for kernel in ("sda1", "sdb1", "sdc1", "sdd1", "sde1") if pool == "tank" else ("sda2", "sdb2"):
        label(machine, kernel, pool=pool, state=2)


@pytest.mark.slow
def test_that_an_undo_that_was_cut_short_is_completed(machine: Machine) -> None:
    gone(machine, "undoing")
    destroyed(machine, "tank")
    destroyed(machine, "rest")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 0, result.text
    assert undone(result.calls, "zpool", "destroy") == []
    assert len(undone(result.calls, "sgdisk", "-d")) == 7


def test_that_a_pool_that_was_destroyed_by_hand_may_hold_data_still(machine: Machine) -> None:
    gone(machine)
    destroyed(machine, "tank")
    destroyed(machine, "rest")
    script = undo_for(macblog_design(), machine)
    refused = machine.run(script, typed=TYPED)
    assert refused.status == 1
    assert "zpool import -D 4711" in refused.text
    assert refused.changes() == []
    both = "destroy tank with its data\ndestroy rest with its data\n"
    cleared = machine.run(script, "--with-data", typed=both)
    assert cleared.status == 0, cleared.text
    assert len(undone(cleared.calls, "sgdisk", "-d")) == 7


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
    gone(machine, "undoing")
    destroyed(machine, "tank")
    destroyed(machine, "rest")
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
    gone(machine)
    destroyed(machine, "tank")
    destroyed(machine, "rest")
    label(machine, "sdb1")
    result = machine.run(undo_for(macblog_design(), machine), "--with-data")
    assert result.status == 1
    assert "was destroyed; a disk that it did not use any more" in result.text
    assert "--guid 4711" in result.text
    assert result.changes() == []


def test_that_a_pool_is_not_destroyed_while_its_neighbour_on_the_same_disks_is_only_exported(machine: Machine) -> None:
    (machine.root / "status.rest").unlink()
    (machine.root / "pools").write_text("tank\n")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert "The pool rest (guid 4712) is not imported" in result.text
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


@pytest.mark.slow
def test_that_a_foreign_partition_keeps_its_table(machine: Machine) -> None:
    machine.partition("sda", "sda7")
    (machine.root / "sys/sda/sda7/partition").write_text("7\n")
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert "keeps its partition table" in result.text
    assert [path for path in undone(result.calls, "wipefs", "-q") if path.endswith("/sda")] == []
    assert all(call[2] in ("1", "2") for call in result.calls if call[:2] == ["sgdisk", "-d"])


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


def zpool_table(machine: Machine, kernel: str) -> None:
    """Give a disk the partition table that `zpool create` makes on a whole disk."""
    for number, kind, name in ((1, "6a898cc3", "zfs-0123456789abcdef"), (9, "6a945a3b", "")):
        machine.partition(kernel, f"{kernel}{number}")
        (machine.root / f"sys/{kernel}/{kernel}{number}/partition").write_text(f"{number}\n")
        (machine.root / f"dev/{kernel}{number}").touch()
        entry = f"PART_ENTRY_TYPE={kind}-1dd2-11b2-99a6-080020736631\nPART_ENTRY_NAME={name}"
        machine.tell(f"{kernel}{number}", "blkid", entry)
    machine.tell(kernel, "blkid", "PTTYPE=gpt")


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
@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (
            {"logicalreferenced": 43520},
            "tank/media has been written to: it refers to 43520 bytes, to 43008 when it was new",
        ),
        ({"objects": 2}, "tank/media holds 2 files and folders, 1 when it was new"),
        ({"origin": "tank@a"}, "tank/media is a clone of tank@a"),
        ({"keystatus": "unavailable"}, "the key of tank/media is not loaded"),
        ({"receive_resume_token": "1-a"}, "tank/media is in the middle of a zfs receive"),
        ({"guid": 99, "objects": 3}, "tank/media: what it held when new was not recorded"),
    ],
)
def test_that_what_zfs_counts_is_data_though_nothing_is_seen_in_the_folder(
    machine: Machine, columns: dict[str, object], told: str
) -> None:
    machine.set("tank/media", **columns)
    result = machine.run(undo_for(macblog_design(), machine), typed=TYPED)
    assert result.status == 1
    assert told in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_a_pool_without_a_record_is_taken_only_on_the_persons_word(tmp_path: Path) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    machine.build(small_design())
    script = undo_for(small_design(), machine)
    refused = machine.run(script, "--with-data")
    assert refused.status == 1
    assert "Nothing proves that the pool tank (guid 4711)" in refused.text
    assert machine.run(script, "--with-data", "--guid", "4711", "--check").status == 0


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
def test_that_a_record_that_others_can_write_proves_nothing(tmp_path: Path) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    machine.write_record(small_design(), "made @ 4711 - -")
    next(machine.root.glob("*.record")).chmod(0o666)
    zpool_table(machine, "sda")
    label(machine, "sda1", state=2)
    result = machine.run(undo_for(small_design(), machine), typed="destroy tank\n")
    assert "is not believed" in result.text
    assert result.changes() == []


@pytest.mark.slow
def test_that_the_machine_of_the_creation_is_compared(machine: Machine) -> None:
    machine.write_record(macblog_design(), "made @ 4711 ffff elsewhere")
    script = undo_for(macblog_design(), machine)
    result = machine.run(script, typed=TYPED)
    assert result.status == 1
    assert "created on the machine elsewhere (ffff)" in result.text
    assert machine.run(script, "--moved-here", "--check").status == 0


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
