"""Disks shared by vdevs: which partitions they get, what is refused, and the script that makes them."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emit.machines import TB2, TB3, macblog_design, odd_disk, split_design
from tests.emit.pretend import Machine, machine_for, script_for

from poolwright.domain.action import CreatePool, PartitionDisk
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.errors import Refusal
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevKind
from poolwright.emit.commands import commands, plan_actions
from poolwright.emit.partitions import split_disks

YES = ("--yes-create", "tank", "--yes-create", "rest")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_for(macblog_design(), tmp_path / "machine")


def one_disk(*parts: tuple[int | None, int | None], size: int = TB2) -> Design:
    disks = (odd_disk(1, size),)
    vdevs = tuple(
        Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key="k1", part=part, slice_bytes=slice_bytes),))
        for part, slice_bytes in parts
    )
    return Design(key="x", name="x", pool_name="tank", disks=disks, vdevs=vdevs)


def test_that_partitions_lie_side_by_side_from_the_first_mib() -> None:
    first = split_disks(macblog_design())[0]
    assert [(p.number, p.start_bytes // MIB, p.size_bytes // MIB, p.pool) for p in first.partitions] == [
        (1, 1, 1907727, "tank"),
        (2, 1907728, 953859, "rest"),
    ]
    assert first.partitions[-1].start_bytes + first.partitions[-1].size_bytes <= TB3 - MIB


@given(sizes=st.lists(st.integers(64, 100_000), min_size=1, max_size=20), order=st.randoms())
def test_that_partitions_never_overlap_whatever_order_vdevs_name_them_in(sizes: list[int], order: object) -> None:
    parts: list[tuple[int | None, int | None]] = [(n, size * MIB) for n, size in enumerate(sizes, start=1)]
    order.shuffle(parts)  # type: ignore[attr-defined]
    disk = split_disks(one_disk(*parts))[0]
    ends = [p.start_bytes + p.size_bytes for p in disk.partitions]
    assert [p.number for p in disk.partitions] == sorted(p.number for p in disk.partitions)
    assert [p.start_bytes for p in disk.partitions] == [MIB, *ends[:-1]]


def test_that_the_same_design_gives_the_same_marks_and_another_design_others() -> None:
    def marks(design: Design) -> set[UUID]:
        return {guid for d in split_disks(design) for guid in (d.table_guid, *(p.guid for p in d.partitions))}

    assert marks(macblog_design()) == marks(macblog_design())
    assert len(marks(macblog_design())) == 5 + 7
    assert marks(macblog_design()).isdisjoint(marks(replace(macblog_design(), key="another")))


def test_that_names_fit_into_a_partition_table() -> None:
    named = [p.name for d in split_disks(replace(macblog_design(), pool_name="x" * 200)) for p in d.partitions]
    assert max(len(name) for name in named) <= 36


def test_that_disks_are_partitioned_before_any_pool_is_created() -> None:
    kinds = [type(action) for action in plan_actions(macblog_design())]
    assert kinds[:5] == [PartitionDisk] * 5
    assert kinds.count(CreatePool) == 2
    words = commands(plan_actions(macblog_design()))[0].argv
    assert words[:1] + words[3:5] == ("sgdisk", "-n", "1:1M:+1907727M")
    assert words[-1] == "/dev/disk/by-id/ata-WDC_WD30EZRX_EXMAC01"


def test_that_data_vdevs_come_first_also_where_drives_are_shared() -> None:
    design = split_design((odd_disk(7, TB3), odd_disk(8, TB3)))
    words = commands(plan_actions(design))[2].argv
    assert [w for w in words if w in ("mirror", "special", "log", "cache")] == [
        *("mirror", "special", "mirror", "log", "mirror", "cache")
    ]
    assert "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_EXNVME01-part2" in words


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (((1, 100 * MIB), (1, 100 * MIB)), "two partitions have the same number"),
        (((None, 100 * MIB),), "a partition of it has no number"),
        (((1, 100 * MIB), (None, None)), "used whole and in partitions"),
        (((1, 100 * MIB + 512),), "not whole MiB"),
        (((1, 63 * MIB),), "smaller than 64 MiB"),
        (((0, 100 * MIB),), "numbered 1 to 128"),
        (((129, 100 * MIB),), "numbered 1 to 128"),
        (((1, whole_slice(TB2)),), "there is room for"),
        (((1, sliceable_bytes(TB2)), (2, 64 * MIB)), "there is room for"),
        (((None, None), (None, None)), "is used twice"),
    ],
)
def test_that_partitions_that_cannot_be_made_are_refused(
    parts: tuple[tuple[int | None, int | None], ...], reason: str
) -> None:
    with pytest.raises(Refusal) as error:
        plan_actions(one_disk(*parts))
    assert len(error.value.reasons) == 1
    assert reason in error.value.reasons[0]


def test_that_a_full_disk_of_partitions_is_taken() -> None:
    assert plan_actions(one_disk((1, sliceable_bytes(TB2) - 64 * MIB), (2, 64 * MIB)))


@pytest.mark.slow
def test_that_the_script_partitions_asks_for_both_names_and_creates_both_pools_once(machine: Machine) -> None:
    script = script_for(macblog_design(), machine)
    result, second = machine.run(script, typed="tank\nrest\n"), machine.run(script)
    assert result.status == 0, result.text
    assert (second.status, second.changes()) == (0, []), second.text
    changes = [c[0] for c in result.changes() if c[0] == "sgdisk"]
    assert len(changes) == 5
    assert [next(w for w in c if w in ("tank", "rest")) for c in result.creates()] == ["tank", "rest"]
    order = [c[:3] for c in result.calls if c[0] == "sgdisk" or c[:2] == ["zpool", "create"]]
    first_create = order.index(["zpool", "create", "-o"])
    assert all(c[0] == "sgdisk" for c in order[: first_create - 1])  # the one before is its rehearsal


@pytest.mark.slow
def test_that_partitioning_that_was_cut_short_is_completed(machine: Machine) -> None:
    script = script_for(macblog_design(), machine)
    (machine.root / "sgdisk_fails").write_text("sdc")
    first = machine.run(script, *YES)
    assert first.status == 3
    (machine.root / "sgdisk_fails").unlink()
    second = machine.run(script, *YES)
    assert second.status == 0, second.text
    made = [c[-1].rpartition("/")[2] for c in second.calls if c[:2] == ["sgdisk", "-U"]]
    assert made == ["ata-WDC_WD20EARS_EXMAC03", "ata-WDC_WD20EARS_EXMAC04", "ata-WDC_WD20EARS_EXMAC05"]


@pytest.mark.slow
def test_that_a_lost_partition_of_ours_is_made_again_in_the_table_that_is_there(machine: Machine) -> None:
    script = script_for(macblog_design(), machine)
    (machine.root / "sgdisk_fails").write_text("sdc")
    machine.run(script, *YES)
    (machine.root / "sgdisk_fails").unlink()
    for kind, name in (("sys/sda/sda2", ""), ("facts/sda2", "")):
        for path in sorted((machine.root / kind / name).rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (machine.root / kind / name).rmdir()
    result = machine.run(script, *YES)
    assert result.status == 0, result.text
    again = next(c for c in result.calls if c[:2] == ["sgdisk", "-n"])
    assert again[2] == "2:1907728M:+953859M"


@pytest.mark.slow
def test_that_the_second_pool_is_created_where_the_first_is_there(machine: Machine) -> None:
    script = script_for(macblog_design(), machine)
    (machine.root / "dataset_fails").write_text("tank/media\n")
    assert machine.run(script, *YES).status == 3
    (machine.root / "dataset_fails").unlink()
    second = machine.run(script, *YES)
    assert second.status == 0, second.text
    assert ["rest" in c for c in second.creates()] == [True]
    assert [c[-1] for c in second.changes() if c[:2] == ["zfs", "create"]] == ["tank/media", "rest/scratch"]
