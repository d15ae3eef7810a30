"""How fast the numbers of the window follow an edit of a large design: run by `make bench`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from tests.pace import slowness

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.evaluate import judge_pools, numbers_of
from poolwright.domain.design import Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assessment import Assessment, assess
from poolwright.predict.assumptions import Assumptions
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book

pytestmark = pytest.mark.bench

WIDTHS = (10, 10, 10, 10, 8, 8, 8, 8, 6, 6, 6)


def _disk(number: int, size: int, media: Media = Media.HDD) -> Disk:
    return Disk(
        key=f"k{number}",
        path=f"/dev/sd{number}",
        by_id=(f"ata-MODEL_{number:04}",),
        serial=f"S{number:04}",
        model="ST16000NM001G" if media is Media.HDD else "MZ7L3960",
        size_bytes=size,
        logical_sector_bytes=512,
        physical_sector_bytes=4096,
        media=media,
        health=Health.GOOD,
        transport="sas",
        enclosure=f"shelf{number // 50}",
        slot=str(number),
    )


def _vdev(disks: list[Disk], kind: VdevKind, parity: int = 0, vdev_class: VdevClass = VdevClass.DATA) -> Vdev:
    members = tuple(Member(disk_key=disk.key) for disk in disks)
    return Vdev(kind=kind, parity=parity, vdev_class=vdev_class, members=members)


def _hundred_disks() -> Design:
    sizes = [16 * TB] * 40 + [12 * TB] * 32 + [8 * TB] * 24
    disks = [_disk(n, size) for n, size in enumerate(sizes)]
    disks += [_disk(n, TB, Media.SSD) for n in range(96, 100)]
    vdevs, at = [], 0
    for width in WIDTHS:
        vdevs.append(_vdev(disks[at : at + width], VdevKind.RAIDZ, 2))
        at += width
    vdevs.append(_vdev(disks[96:98], VdevKind.MIRROR, vdev_class=VdevClass.SPECIAL))
    vdevs.append(_vdev(disks[98:], VdevKind.MIRROR, vdev_class=VdevClass.LOG))
    vdevs.append(_vdev(disks[at:96], VdevKind.STRIPE, vdev_class=VdevClass.SPARE))
    return Design(
        key="hundred",
        name="hundred",
        pool_name="tank",
        disks=tuple(disks),
        vdevs=tuple(vdevs),
        workload=Workload(goal=Goal.SAFETY, sync_write_percent=20),
        datasets=(Dataset(name=""), Dataset(name="home"), Dataset(name="images")),
    )


def _edits(design: Design) -> Iterator[Design]:
    """Yield designs in each of which two disks of different vdevs have changed places."""
    for step in range(40):
        left, right = step % len(WIDTHS), (step + 1) % len(WIDTHS)
        vdevs = list(design.vdevs)
        one, other = vdevs[left].members, vdevs[right].members
        vdevs[left] = replace(vdevs[left], members=(other[0], *one[1:]))
        vdevs[right] = replace(vdevs[right], members=(one[0], *other[1:]))
        design = replace(design, vdevs=tuple(vdevs))
        yield design


def test_that_one_edit_of_a_design_of_100_disks_is_judged_anew_within_a_frame(benchmark: Any) -> None:
    book, drives = load_shipped(), load_drive_book()

    def predict(design: Design, capacity: PoolCapacity | None, among: Sequence[Design]) -> Assessment:
        return assess(design, capacity, drives, Assumptions(), today=date(2026, 11, 20), among=among)

    edits = iter(_edits(_hundred_disks()))

    def one_edit() -> None:
        assessment = judge_pools(numbers_of(next(edits)), book, 0, predict)
        assert assessment.capacity is not None
        assert assessment.findings

    benchmark.pedantic(one_edit, rounds=35, warmup_rounds=3)
    assert benchmark.stats.stats.median < 0.016 * slowness()
