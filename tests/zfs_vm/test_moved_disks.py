"""Disks that are not where or what the design says: pulled out, exchanged, grown, shrunk, or two of one name."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.zfs_vm.emulated import GB, Emulated
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.operator import undone
from tests.zfs_vm.test_creation import mirror
from tests.zfs_vm.test_hazards import COUNTED, MINE, RUN, ended_well, put


@contextmanager
def pulled_out(machine: Machine, *serials: str) -> Iterator[list[Emulated]]:
    """Take these disks out for a while; whatever is in their places then must be gone again."""
    disks = [machine.emulated(serial) for serial in serials]
    machine.pull_out(*disks)
    try:
        yield disks
    finally:
        machine.plug_in(*disks, kept=True)


def refused(machine: Machine, *told: str) -> None:
    counted, written = machine.run(COUNTED).text, machine.written()
    ended = machine.run(RUN, check=False)
    assert ended.status == 1, ended.text
    for text in told:
        assert text in ended.text, ended.text
    assert machine.run(COUNTED).text == counted
    assert machine.written() == written


def test_that_a_disk_that_is_missing_or_grew_or_shrank_is_refused(machine: Machine) -> None:
    put(machine, mirror(machine))
    with pulled_out(machine, MINE[0]) as (disk,):
        refused(machine, "EMU51200: there is no ", "Is the disk plugged in?")
        for size in (disk.size_bytes + GB, disk.size_bytes - GB):
            with machine.shelf([replace(disk, size_bytes=size)]):
                put(machine, mirror(machine))
                refused(machine, f"has {size} bytes, the design says {disk.size_bytes}")


def test_that_on_another_host_nothing_is_written_or_taken_back(machine: Machine) -> None:
    design = mirror(machine)
    put(machine, design)
    with pulled_out(machine, *MINE):
        refused(machine, "Refused: 2 problems", "EMU51200: there is no ", "EMU51201: there is no ")
        back = undone(machine, design, "--check")
        assert back.status == 1, back.text
        assert "None of the 2 disks of the design is in this machine" in back.text


def test_that_disks_that_changed_places_are_still_those_of_the_design(machine: Machine) -> None:
    design = mirror(machine)
    put(machine, design)
    look = f"readlink -f {' '.join(machine.emulated(serial).path for serial in MINE)}"
    first, second = machine.run(look).text.split()
    disks = [machine.emulated(serial) for serial in MINE]
    machine.pull_out(*disks)
    machine.plug_in(*reversed(disks), kept=True)
    assert machine.run(look).text.split() == [second, first]
    before = machine.written()
    ended_well(machine, design)
    assert {name for name, count in machine.written().items() if count != before[name]} == set(MINE)
    machine.run("zpool destroy tank; udevadm settle")
    machine.pull_out(*disks)
    machine.plug_in(*disks, kept=True)


@pytest.mark.parametrize("holds", ["nothing", "data"])
def test_that_two_disks_that_go_by_one_name_are_refused(machine: Machine, holds: str) -> None:
    design = mirror(machine)
    twin = replace(machine.emulated(MINE[0]), wwn=77)
    with machine.shelf([twin]):
        if holds == "data":
            machine.run(f"mkfs.ext4 -q {twin.path}; sync; udevadm settle")
        put(machine, design)
        refused(machine, "goes by this name too")


def test_that_a_disk_that_is_pulled_out_at_the_question_is_missed(machine: Machine) -> None:
    put(machine, mirror(machine))
    machine.run(
        "mkfifo typed; (sleep 900 >typed & echo $! >holder; bash create.sh <typed >out 2>&1; echo $? >status) "
        ">/dev/null 2>&1 & "
        "until grep -q 'Type the name' out 2>/dev/null || [ -e status ]; do sleep 0.5; done"
    )
    with pulled_out(machine, MINE[0]):
        counted = machine.run(COUNTED).text
        ended = machine.run(
            "echo tank >typed; until [ -e status ]; do sleep 0.5; done; kill $(cat holder); cat status out"
        ).text
        assert ended.startswith("1\n"), ended
        assert "EMU51200: cannot be read at byte 0" in ended
        assert "Nothing was changed." in ended
        assert machine.run(COUNTED).text == counted
