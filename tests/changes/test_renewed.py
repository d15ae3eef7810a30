"""Disks that give way to larger ones: order, time, redundancy and room of each step, wherever the steps are told."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.design.half_known import read

from poolwright.capacity.pool import predict_design
from poolwright.changes.as_design import design_of_pool
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import LiveComparison
from poolwright.domain.action import Replace
from poolwright.domain.design import Design, Member, Setting
from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Inventory
from poolwright.domain.units import binary
from poolwright.emit.difference_script import guarded_text, live_commands
from poolwright.emit.report_pools import course_line

NEW_BYTES = 12_000_138_625_024
NAMES = "ABCDEFGH"


def machine(folder: Path, kind: str, width: int, *, version: str = "2.3.2") -> Inventory:
    """Return a machine with one vdev of so many 6 TB disks that is 70 % full."""
    rows = [f"    ata-OLD_{name}  {{}}\n" for name in NAMES[:width]]
    zeros = "ONLINE       0     0     0"
    status = (
        f"  pool: tank\n state: ONLINE\n  scan: none requested\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n"
        f"\ttank  {zeros}\n\t  {kind}-0  {zeros}\n" + "".join("\t" + row.format(zeros) for row in rows)
    ) + "\nerrors: No known data errors\n"
    head = "NAME  SIZE  ALLOC  FREE  CKPOINT  EXPANDSZ  FRAG  CAP  DEDUP  HEALTH  ALTROOT\n"
    size = 5_995_774_345_216 if kind == "mirror" else 5_995_774_345_216 * width
    top = f"{size}  {size * 7 // 10}  {size * 3 // 10}  -  -  5%  70%"
    listed = (
        head + f"tank  {top}  1.00x  ONLINE  -\n  {kind}-0  {top}  -  ONLINE\n"
        + "".join(row.format("6001164206080  -  -  -  -  -  -  -  ONLINE") for row in rows)
    )  # fmt: skip
    found = read(folder, status, listed)
    disks = tuple(
        Disk(key=f"OLD_{n}", by_id=(f"ata-OLD_{n}",), size_bytes=6_001_175_126_016, media=Media.HDD, use_known=True)
        for n in NAMES[:width]
    )
    return replace(found, disks=disks, host=replace(found.host, zfs_version=version))


def exchanged(folder: Path, kind: str, width: int, count: int | None = None, **more: str) -> LiveComparison:
    """Return the pool held against itself on so many larger disks."""
    inventory = machine(folder, kind, width, **more)
    (pool,) = inventory.imported()
    live = design_of_pool(inventory, pool).design
    wanted = renewed(live, width if count is None else count)
    there = replace(inventory, disks=(*inventory.disks, *wanted.disks[len(live.disks) :]))
    return compare_with_live(wanted, there, pool)


def renewed(live: Design, count: int) -> Design:
    (vdev,) = live.vdevs
    new = [replace(live.disks[0], key=f"NEW_{n}", by_id=(f"ata-NEW_{n}",), size_bytes=NEW_BYTES) for n in range(count)]
    members = (*(Member(disk_key=disk.key) for disk in new), *vdev.members[count:])
    expand = (Setting(name="autoexpand", value="on"),)
    return replace(live, vdevs=(replace(vdev, members=members),), disks=(*live.disks, *new), pool_settings=expand)


def test_that_planned_disks_are_to_be_bound_is_told_once_for_all(tmp_path: Path) -> None:
    inventory = machine(tmp_path, "raidz2", 6)
    (pool,) = inventory.imported()
    wanted = renewed(design_of_pool(inventory, pool).design, 6)
    disks = tuple(replace(disk, planned=disk.key.startswith("NEW")) for disk in wanted.disks)
    found = compare_with_live(replace(wanted, disks=disks), inventory, pool)
    told = [one.reason for one in found.differences if "bind" in one.reason]
    assert len(told) == 1
    names = ", ".join(f"ata-NEW_{n}" for n in range(6))
    assert told[0].startswith(f"{names} are planned: bind them to real disks first.")


@pytest.mark.parametrize(
    ("kind", "width", "bears"), [("mirror", 2, 1), ("mirror", 3, 2), ("raidz1", 4, 1), ("raidz2", 6, 2)]
)
def test_that_each_disk_is_a_step_with_its_time_and_what_the_vdev_bears(
    kind: str, width: int, bears: int, tmp_path: Path
) -> None:
    found = exchanged(tmp_path, kind, width)
    steps = [step for step in found.steps if isinstance(step.action, Replace)]
    effects = [step.effect for step in steps if step.effect is not None]
    assert [effect.survives for effect in effects] == [bears] * width
    assert all(effect.hours is not None and 0 < effect.hours.low < effect.hours.high for effect in effects)
    first = steps[0]
    assert "stays attached" in first.reason
    assert ("nothing would protect" in first.reason) is (bears == 1)
    assert ("zpool offline" in first.reason) is (bears > 1)


@pytest.mark.parametrize(("kind", "width"), [("mirror", 2), ("raidz2", 6)])
def test_that_the_last_disk_says_what_the_lists_show_then_and_no_other_one(
    kind: str, width: int, tmp_path: Path
) -> None:
    found = exchanged(tmp_path, kind, width)
    told = [one.reason for one in found.steps if isinstance(one.action, Replace)]
    assert ["zpool list" in reason for reason in told] == [False] * (width - 1) + [True]
    fresh = predict_design(found.design)
    assert f"SIZE {binary(fresh.pool_size_bytes)}" in told[-1]


def test_that_a_vdev_with_a_small_disk_left_is_not_said_to_grow(tmp_path: Path) -> None:
    found = exchanged(tmp_path, "raidz2", 6, 5)
    assert not any("grows" in one.reason for one in found.differences)


def test_that_the_next_disk_waits_for_the_resilver_and_for_a_whole_pool(tmp_path: Path) -> None:
    text = guarded_text(exchanged(tmp_path, "mirror", 2))
    lines = [line.strip() for line in text.splitlines()]
    replacing = [number for number, line in enumerate(lines) if line.startswith("write zpool replace")]
    assert len(replacing) == 2
    for number in replacing:
        assert lines[number + 1 : number + 3] == ["settle tank replace", "guard healthy tank 0"]


def test_that_a_release_without_zpool_wait_is_asked_by_its_status(tmp_path: Path) -> None:
    found = live_commands(exchanged(tmp_path, "mirror", 2, version="0.8.3"))
    lines = [line for own in found.values() for line in own]
    assert not any("zpool wait" in line for line in lines)
    assert sum("zpool status tank | grep -q 'in progress'" in line for line in lines) == 2


def test_that_the_course_is_summed_up_in_a_line(tmp_path: Path) -> None:
    told = course_line(live_commands(exchanged(tmp_path, "raidz2", 6)))
    assert told.startswith("6 resilvers, one after the other, ")
    assert "any 2 disks may fail at every moment" in told
