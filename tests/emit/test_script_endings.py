"""How the guarded script ends early: whatever it says was looked up on the disks at that moment."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.emit.pretend import Machine, machine_for, script_for, small_design

from poolwright.domain.design import Dataset, Design, Setting

pytestmark = pytest.mark.slow

UNDO = "sudo bash destroy-tank.sh"


def started(machine: Machine, told: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Run the script of the small design in a session of its own; what it tells goes to ``told``."""
    path = machine.root / "script.sh"
    path.write_text(script_for(small_design(), machine), encoding="utf-8")
    with told.open("wb") as out:
        return subprocess.Popen(
            ["bash", path, *arguments],
            stdin=stdin,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={"PATH": f"{machine.root / 'bin'}:/usr/bin:/bin", "POOLWRIGHT_LOG": str(machine.root / "log")},
            start_new_session=True,
        )


def wait_until(reached: Callable[[], bool], running: subprocess.Popen[bytes]) -> None:
    """Wait for something that the script does, at most a minute, and no longer than it runs."""
    for _ in range(600):
        if reached() or running.poll() is not None:
            return
        time.sleep(0.1)


def test_that_a_create_that_fails_late_tells_the_partitions_it_left_and_the_way_on(machine: Machine) -> None:
    (machine.root / "labels_only").write_text("fails")
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert result.status == 3
    assert "Nothing was changed" not in result.text
    assert "ata-ST6000NM0034_ZAD00001: partitions sdb1, sdb9" in result.text
    assert UNDO in result.text
    again = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert again.status == 1
    assert UNDO in again.text
    assert again.changes() == []


@pytest.mark.parametrize(("late", "status"), [("once\n", 0), ("once\ntwice\n", 3)])
def test_that_a_create_for_which_udev_was_late_is_tried_once_more(machine: Machine, late: str, status: int) -> None:
    (machine.root / "named_late").write_text(late)
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert (result.status, len(result.creates())) == (status, 2)


def test_that_disks_of_others_do_not_name_the_undo(machine: Machine) -> None:
    machine.partition("sda", "sda1")
    machine.tell("sda1", "blkid", "TYPE=zfs_member\nLABEL=old")
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert result.status == 1
    assert UNDO not in result.text


@pytest.mark.parametrize(
    ("fact", "text", "helps"),
    [
        ("blkid", "TYPE=ext4", "clear them yourself"),
        ("size", "5", "put in the right ones"),
        ("mount", "/mnt", "has to let go"),
        ("read_only", "1", "blockdev --setrw"),
    ],
)
def test_that_a_refusal_says_what_helps_against_just_that(machine: Machine, fact: str, text: str, helps: str) -> None:
    machine.tell("sdb", fact, text)
    result = machine.run(script_for(small_design(), machine), "--yes-create", "tank")
    assert result.status == 1
    others = {"clear them yourself", "put in the right ones", "has to let go", "blockdev --setrw"} - {helps}
    assert helps in result.text
    assert [other for other in others if other in result.text] == []
    assert UNDO not in result.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_that_an_interruption_while_zpool_labels_tells_what_is_written(
    machine: Machine, number: signal.Signals
) -> None:
    (machine.root / "labels_only").write_text("waits")
    told = machine.root / "told"
    running = started(machine, told, "--yes-create", "tank")
    wait_until((machine.root / "labelled").exists, running)
    os.killpg(running.pid, number)
    status = running.wait(timeout=60)
    text = told.read_text()
    assert status in (3, 130), text
    assert "Nothing was changed" not in text
    assert "ata-ST6000NM0034_ZAD00000: partitions sda1, sda9" in text
    assert UNDO in text


def test_that_data_in_the_midst_of_a_disk_are_asked_about(machine: Machine) -> None:
    with (machine.root / "dev/sdb").open("r+b") as disk:
        disk.seek((1 << 20) + 4096)
        disk.write(b"papers")
    script = script_for(small_design(), machine)
    check = machine.run(script, "--check")
    assert "something is written at 1 of" in check.text
    assert '"overwrite 1 disk"' in check.text
    refused = machine.run(script, typed="tank\n")
    assert refused.status == 1
    assert refused.changes() == []
    agreed = machine.run(script, "--agree", "overwrite 1 disk", typed="tank\n")
    assert agreed.status == 0, agreed.text


def test_that_data_where_a_partition_will_be_are_asked_about(tmp_path: Path) -> None:
    machine = machine_for(macblog_design(), tmp_path / "shared")
    kernel = next(kernel for kernel, name in machine.disks.items() if name.endswith("EXMAC01"))
    with (machine.root / "dev" / kernel).open("r+b") as disk:
        disk.seek((1907728 << 20) + (1 << 18) + 512)  # the third label of a pool would lie elsewhere, the first here
        disk.write(b"papers")
    check = machine.run(script_for(macblog_design(), machine), "--check")
    assert check.status == 0, check.text
    assert "where partition 2 will be: 1 of" in check.text
    assert '"overwrite 1 disk"' in check.text


def test_that_what_is_written_while_the_question_stands_is_not_built_over(machine: Machine) -> None:
    told = machine.root / "told"
    running = started(machine, told, stdin=subprocess.PIPE)
    wait_until(lambda: b"Type the name" in told.read_bytes(), running)
    with (machine.root / "dev/sdb").open("r+b") as disk:
        disk.seek(1 << 20)
        disk.write(b"papers")
    running.communicate(b"tank\n", timeout=60)
    assert running.returncode == 1, told.read_text()
    assert "ata-ST6000NM0034_ZAD00001: was written to while this script waited" in told.read_text()
    assert "Nothing was changed" in told.read_text()
    assert not (machine.root / "pools").exists() or (machine.root / "pools").read_text() == ""


def with_home_at(folder: Path) -> Design:
    return small_design(datasets=(Dataset(name="home", settings=(Setting(name="mountpoint", value=str(folder)),)),))


def with_a_letter(machine: Machine) -> Path:
    taken = machine.root / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("x")
    return taken


def test_that_files_where_a_dataset_is_mounted_are_listed_before_the_question(machine: Machine) -> None:
    taken = with_a_letter(machine)
    script = script_for(with_home_at(taken), machine)
    refused = machine.run(script, typed="tank\n")
    assert refused.status == 1
    assert f"tank/home will be mounted on {taken} and cover what is there, 1 in all: letter.txt" in refused.text
    assert refused.changes() == []
    agreed = machine.run(script, typed="cover 1 folder\ntank\n")
    assert agreed.status == 0, agreed.text


def test_that_a_pool_whose_folder_is_not_empty_is_refused_before_disks_are_partitioned(tmp_path: Path) -> None:
    machine = machine_for(macblog_design(), tmp_path / "split")
    taken = with_a_letter(machine)
    root = (Setting(name="mountpoint", value=str(taken)), Setting(name="canmount", value="off"))
    design = replace(macblog_design(), datasets=(Dataset(name="", settings=root),))
    result = machine.run(script_for(design, machine), "--yes-create", "tank", "--yes-create", "rest")
    assert result.status == 1
    assert f"tank: zpool creates no pool while {taken} holds something, 1 in all: letter.txt" in result.text
    assert "Nothing was changed" in result.text
    assert result.changes() == []


def test_that_a_hand_made_mountpoint_over_the_system_is_refused(machine: Machine) -> None:
    (machine.root / "link").symlink_to("/etc")
    script = script_for(small_design(), machine)
    old = "write zfs create tank/vm\n"
    assert old in script
    for path in ("/etc", f"{machine.root}/link"):
        edited = script.replace(old, f"write zfs create -o mountpoint={path} tank/vm\n")
        result = machine.run(edited, "--yes-create", "tank")
        assert result.status == 1
        assert "tank/vm: would be mounted on the system folder /etc" in result.text
        assert "changed in the design" in result.text
        assert "erases a disk" not in result.text
        assert result.changes() == []


def test_that_a_pool_of_the_design_that_is_exported_is_no_rest_to_be_cleared(machine: Machine) -> None:
    (machine.root / "labels_only").write_text("fails")
    script = script_for(small_design(), machine)
    machine.run(script, "--yes-create", "tank")
    (machine.root / "labels_only").unlink()
    machine.tell("sda1", "blkid", (machine.root / "facts/sda1/blkid").read_text() + "TYPE=zfs_member\nLABEL=tank")
    devices = "".join(f"\t    {name}  ONLINE\n" for name in machine.disks.values())
    listed = f"   pool: tank\n     id: 99\n  state: ONLINE\n config:\n\n\ttank  ONLINE\n{devices}"
    (machine.root / "importable").write_text(listed)
    refused = machine.run(script, "--yes-create", "tank")
    assert refused.status == 1
    assert "To use that pool: zpool import 99" in refused.text
    assert UNDO not in refused.text
    assert refused.changes() == []


def test_that_a_dataset_that_is_still_missing_covers_no_files_without_a_word(machine: Machine) -> None:
    taken = machine.root / "taken"
    script = script_for(with_home_at(taken), machine)
    (machine.root / "dataset_fails").write_text("tank/home\n")
    assert machine.run(script, "--yes-create", "tank").status == 3
    (machine.root / "dataset_fails").unlink()
    with_a_letter(machine)
    refused = machine.run(script, typed="tank\n")
    assert refused.status == 1
    assert f"tank/home will be mounted on {taken} and cover what is there, 1 in all: letter.txt" in refused.text
    assert refused.changes() == []
    agreed = machine.run(script, typed="cover 1 folder\ntank\n")
    assert agreed.status == 0, agreed.text
