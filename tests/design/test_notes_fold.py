"""Disks that are left out for one reason share one note, however many they are."""

from dataclasses import replace

from tests.design.test_recommend import disks, no_rules, request

from poolwright.design.recommend import recommend
from poolwright.domain.disk import Health
from poolwright.domain.workload import Goal


def test_that_twenty_disks_with_repeated_serials_are_one_note() -> None:
    machine = disks(44)
    twins = tuple(replace(disk, serial=f"TWIN{number // 2}") for number, disk in enumerate(machine[:20]))
    notes = recommend(request(Goal.SAFETY, (*twins, *machine[20:])), no_rules).notes
    told = [note.text for note in notes if "left out" in note.text]
    first = ", ".join(disk.label for disk in machine[:3])
    why = "another disk has its serial number TWIN0, TWIN1, TWIN2 and 7 more too; it may be one disk seen twice"
    assert told == [f"20 disks are left out ({first} and 17 more): {why}."]


def test_that_a_disk_that_is_left_out_alone_is_named() -> None:
    first, *others = disks(12)
    notes = recommend(request(Goal.SAFETY, (replace(first, health=Health.FAILING), *others)), no_rules).notes
    assert f"{first.label} is left out: it reports that it is failing." in [note.text for note in notes]
