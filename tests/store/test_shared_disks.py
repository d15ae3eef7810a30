"""Design files with partitions and several pools: kept exactly, and refused where they contradict themselves."""

from dataclasses import replace
from datetime import date

import pytest
from tests.emit.machines import macblog_design

from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.host import Controller, Host
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.drive_library import load_drive_book
from poolwright.emit.validity import check_design
from poolwright.store.design_file import from_json, to_json


def bare(*members: Member) -> tuple[Vdev, ...]:
    return (Vdev(kind=VdevKind.STRIPE, members=members),)


def with_rest(**changes: object) -> Design:
    design = macblog_design()
    rest: FurtherPool = replace(design.further_pools[0], **changes)  # type: ignore[arg-type]
    return replace(design, further_pools=(rest,))


def test_that_pools_and_partitions_are_kept() -> None:
    assert from_json(to_json(macblog_design())) == macblog_design()


def test_that_a_spare_of_two_pools_is_refused_everywhere_with_its_reason() -> None:
    design = macblog_design()
    spare = Disk(key="s", by_id=("ata-SPARE",), size_bytes=3000592982016)
    vdev = Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=(Member(disk_key="s"),))
    rest = replace(design.further_pools[0], vdevs=(*design.further_pools[0].vdevs, vdev))
    alone = replace(design, disks=(*design.disks, spare), vdevs=(*design.vdevs, vdev))
    assert from_json(to_json(alone)) == alone
    check_design(alone)
    both = replace(alone, further_pools=(rest,))
    with pytest.raises(UserError, match=r"hot spare of two pools.*Give each pool a spare of its own"):
        from_json(to_json(both))
    with pytest.raises(Refusal) as refusal:
        check_design(both)
    assert any("hot spare of two pools" in reason for reason in refusal.value.reasons)


@pytest.mark.parametrize(
    "field",
    [
        *("cores", "ram_bytes", "network_bytes_per_second", "bytes_per_second"),
        *("clients", "io_size_bytes", "typical_file_bytes", "duplicate_factor"),
    ],
)
def test_that_a_nought_in_a_design_is_unknown_and_breaks_no_prediction(field: str) -> None:
    design = replace(macblog_design(), host=Host(controllers=(Controller(name="HBA"),)))
    text = to_json(design)
    assert f'"{field}": null' in text
    design = from_json(text.replace(f'"{field}": null', f'"{field}": 0'))
    assert f'"{field}": 0' not in to_json(design)
    for pool in evaluate(design, drives=load_drive_book(), today=date(2026, 11, 1)).pools:
        assert pool.expected is not None
        assert pool.expected.speed.seq_read.typical > 0


@pytest.mark.parametrize(
    ("design", "told"),
    [
        (with_rest(pool_name="tank"), "further_pools[0].pool_name: two pools are called “tank”"),
        (with_rest(pool_name=" "), "further_pools[0].pool_name is empty"),
        (with_rest(ashift=17), "further_pools[0].ashift is 17"),
        (with_rest(vdevs=bare()), "further_pools[0].vdevs[0] has no members"),
        (with_rest(datasets=(Dataset(name="a"), Dataset(name="a"))), "further_pools[0].datasets[0].name: two datasets"),
        (with_rest(vdevs=bare(Member(disk_key="k1"))), "uses the disk “k1” a second time"),
        (with_rest(vdevs=bare(Member(disk_key="nobody"))), "refers to a disk “nobody”"),
        (with_rest(vdevs=bare(Member(disk_key="k1", part=1, slice_bytes=1 << 30))), "has two partitions 1"),
        (with_rest(vdevs=bare(Member(disk_key="k1", part=0, slice_bytes=1 << 30))), "part is 0"),
        (with_rest(vdevs=bare(Member(disk_key="k1", part=129, slice_bytes=1 << 30))), "part is 129"),
        (with_rest(vdevs=bare(Member(disk_key="k3", part=2, slice_bytes=1 << 19))), "no room for its partition table"),
        (with_rest(vdevs=bare(Member(disk_key="k3", part=2, slice_bytes=1 << 40))), "larger than the disk"),
    ],
)
def test_that_contradictions_are_told_with_their_place(design: Design, told: str) -> None:
    with pytest.raises(UserError) as error:
        from_json(to_json(design))
    assert told in error.value.text


def test_that_a_part_without_a_size_is_told() -> None:
    design = replace(macblog_design(), vdevs=bare(Member(disk_key="k3", part=1)))
    with pytest.raises(UserError, match="slice_bytes is not given"):
        from_json(to_json(design))


def test_that_a_full_disk_of_partitions_is_taken() -> None:
    full = sliceable_bytes(macblog_design().disk("k3").size_bytes or 0)
    design = replace(macblog_design(), vdevs=bare(Member(disk_key="k3", part=1, slice_bytes=full)), further_pools=())
    assert from_json(to_json(design)) == design
