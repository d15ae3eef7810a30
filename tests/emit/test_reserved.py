"""Partitions reserved beside the data in every form in which a design is written, and in the scripts that run."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.emit.drawn import report_markdown
from tests.emit.exported import commands_under, context_of
from tests.emit.pretend import STAMP, Machine, machine_for, script_for, small_design
from tests.emit.undoing import undo_for

from poolwright.design.edits.reserve import with_reserve
from poolwright.design.evaluate import evaluate
from poolwright.domain.action import PartitionDisk
from poolwright.domain.as_built import as_built
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.reserve import ReservedPartition, ReservePurpose
from poolwright.domain.units import GIB, MIB
from poolwright.emit.commands import plan_actions
from poolwright.emit.exports import EXPORTS, export_text
from poolwright.emit.report import markdown_text
from poolwright.emit.report_design import DesignSubject
from poolwright.emit.sheet import recovery_sheet
from poolwright.table_library import load_drive_book

RESERVE = (
    ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB),
    ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=GIB, last=True),
)
YES = ("--yes-create", "tank")


def reserved_design() -> Design:
    return with_reserve(small_design(), RESERVE)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_for(as_built(reserved_design()), tmp_path / "machine")


def test_that_every_data_disk_gets_its_table_before_the_pool() -> None:
    actions = plan_actions(reserved_design())
    tables = [action for action in actions if isinstance(action, PartitionDisk)]
    codes = [[row[3].partition(":")[2] for row in table.words] for table in tables]
    assert codes == [["EF00", "BF01", "8200"]] * len(small_design().vdevs[0].members)
    names = [row[5].partition(":")[2] for row in tables[0].words]
    assert names == ["reserved-esp-1", "tank-data0-0", "reserved-swap-3"]
    assert "EFI system partition, swap" in tables[0].reason


@pytest.mark.parametrize("key", [form.key for form in EXPORTS])
def test_that_no_export_hands_over_a_whole_disk_that_has_reserved_partitions(key: str) -> None:
    """Or it says why it cannot carry them."""
    design = reserved_design()
    context = replace(context_of(design), design_text=str)
    if key in ("ansible", "truenas"):
        with pytest.raises(Refusal) as refusal:
            export_text(key, design, context)
        assert any("partition" in reason or "beside the data" in reason for reason in refusal.value.reasons)
        return
    text = export_text(key, design, context)
    if key in ("sh", "undo"):
        create = text.partition("zpool create")[2].partition("predicted")[0]
        names = [word for word in create.split() if word.startswith("/dev/disk/by-id/")]
        data = {m.disk_key for m in design.vdevs[0].members}
        named = {design.disk(k).by_id_name for k in data}
        of_data = [n for n in names if n.removeprefix("/dev/disk/by-id/").partition("-part")[0] in named]
        assert of_data
        assert all(name.endswith("-part2") for name in of_data)
    if key == "disko":
        assert text.count('type = "EF00"') == len(design.vdevs[0].members)
    if key == "rehearsal":
        assert f"EFI system partition, 512 MiB at the beginning of each of {len(design.vdevs[0].members)} disks" in text


def test_that_the_sheet_tells_how_a_new_disk_gets_the_whole_table_first() -> None:
    sheet = recovery_sheet(reserved_design(), STAMP)
    lines = commands_under(sheet, "Replace a failed disk")
    assert lines[0].startswith("zpool offline tank ")
    assert lines[0].endswith("-part2")
    assert [line.split()[4] for line in lines[1:4]] == ["1:EF00", "2:BF01", "3:8200"]
    assert lines[4].startswith("udevadm settle")
    assert lines[5].startswith("mkfs.vfat -F 32 -n EFI /dev/disk/by-id/NEW-part1")
    assert lines[6] == "mkswap /dev/disk/by-id/NEW-part3   # then swapon, and name its UUID in /etc/fstab"
    assert lines[-1].startswith("zpool replace -o ashift=12 tank ")
    assert lines[-1].endswith("-part2 /dev/disk/by-id/NEW-part2")
    first = commands_under(sheet, "What is reserved beside the data")
    assert len(first) == 2 * len(reserved_design().vdevs[0].members)
    assert markdown_text(sheet).count("Beside the data: ") == 2
    boot = with_reserve(small_design(), (ReservedPartition(purpose=ReservePurpose.BOOT, size_bytes=GIB),))
    lines = commands_under(recovery_sheet(boot, STAMP), "Replace a failed disk")
    assert lines[4].endswith("-part1   # then copy the files of a healthy one, and name its UUID in /etc/fstab")


@pytest.mark.slow
def test_that_the_script_makes_the_partitions_once_and_the_undo_removes_them(machine: Machine) -> None:
    design = reserved_design()
    script = script_for(design, machine)
    first = machine.run(script, *YES)
    assert first.status == 0, first.text
    disks = len(design.vdevs[0].members)
    assert len([call for call in first.changes() if call[0] == "sgdisk"]) == disks
    second = machine.run(script)
    assert second.status == 0, second.text
    assert second.changes() == []


@pytest.mark.slow
def test_that_the_undo_does_not_take_what_was_put_into_a_reserved_partition(machine: Machine) -> None:
    design = reserved_design()
    assert machine.run(script_for(design, machine), *YES).status == 0
    facts = machine.root / "facts" / "sda1" / "blkid"
    facts.write_text(facts.read_text() + "TYPE=vfat\nLABEL=EFI\n")
    refused = machine.run(undo_for(design, machine), typed="destroy tank\n")
    assert refused.status == 1, refused.text
    assert "reserved beside the data, holds vfat named EFI" in refused.text
    machine.tell("sdb3", "mount", "[SWAP]")
    used = machine.run(undo_for(design, machine), typed="destroy tank\n")
    assert used.status == 1
    assert "is reserved beside the data and in use: [SWAP]" in used.text
    assert not [call for call in used.calls if call[:2] == ["zpool", "destroy"]]


def test_that_the_report_tells_the_partition_of_each_disk_and_what_lies_beside_it() -> None:
    text = report_markdown(
        DesignSubject(evaluation=evaluate(reserved_design(), drives=load_drive_book(), today=date(2026, 11, 20)))
    )
    assert "Beside the data: EFI system partition, 512 MiB at the beginning of each of" in text
    assert ", partition 2, " in text
    assert "Reserved partitions" in text
