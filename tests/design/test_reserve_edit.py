"""Reserving room beside the data in a design that is there: what gives way, what is refused, what a file keeps."""

from dataclasses import replace

import pytest
from tests.emit.machines import macblog_design
from tests.rules.machines import bare, design, disks, mirror, raidz

from poolwright.capacity.pool import predict_design
from poolwright.design.edits.places import left_over_bytes
from poolwright.design.edits.reserve import has_slack, reserve_of, with_reserve, with_slack
from poolwright.domain.as_built import as_built
from poolwright.domain.errors import UserError
from poolwright.domain.reserve import ReservedPartition, ReservePurpose, parse_reserve, sliceable_bytes
from poolwright.domain.units import GIB, MIB
from poolwright.domain.vdev import VdevClass
from poolwright.emit.validity import check_design
from poolwright.rules.design_judge import shared_keys, vdev_details
from poolwright.rules.layout_facts import slack_slice
from poolwright.store.design_file import from_json, to_json

ESP = ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB)
SWAP = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=8 * GIB, last=True)
TEN = disks(10)
POOL = design(raidz(TEN[:8], 2), bare(TEN[8], VdevClass.SPARE), of=TEN)


def test_that_reserving_and_taking_it_back_leaves_the_design_as_it_was() -> None:
    reserved = with_reserve(POOL, (ESP, SWAP))
    assert reserved.vdevs == POOL.vdevs
    assert predict_design(reserved).available_bytes < predict_design(POOL).available_bytes
    assert with_reserve(reserved, ()) == POOL
    check_design(reserved, named=False)


def test_that_a_file_keeps_what_is_reserved() -> None:
    reserved = with_reserve(POOL, (ESP, replace(SWAP, disk_keys=(TEN[0].key,))))
    assert from_json(to_json(reserved)) == reserved
    broken = to_json(reserved).replace(f'"{TEN[0].key}"\n        ]', '"nobody"\n        ]')
    with pytest.raises(UserError, match=r"design.reserve\[1\].disk_keys"):
        from_json(broken)


def test_that_disks_are_found_by_their_number_and_by_their_names() -> None:
    assert reserve_of(parse_reserve("esp@2"), POOL).disk_keys == (TEN[0].key, TEN[1].key)
    assert reserve_of(parse_reserve(f"esp@{TEN[3].serial}"), POOL).disk_keys == (TEN[3].key,)
    with pytest.raises(UserError, match="9 disks"):
        reserve_of(parse_reserve("esp@9"), POOL)
    with pytest.raises(UserError, match="“nobody” does not exist"):
        reserve_of(parse_reserve("esp@nobody"), POOL)


def test_that_room_for_replacements_ends_where_it_did() -> None:
    both = with_reserve(with_slack(POOL, on=True), (ESP, SWAP))
    size = TEN[0].size_bytes or 0
    assert has_slack(both)
    for member in as_built(both).vdevs[0].members:
        assert member.part == 2
        assert (member.slice_bytes or 0) + ESP.size_bytes + SWAP.size_bytes == slack_slice(size)
    assert with_reserve(both, ()) == with_slack(POOL, on=True)
    assert with_slack(both, on=False) == with_reserve(POOL, (ESP, SWAP))
    reserved = dict.fromkeys((disk.key for disk in TEN), both.reserve)
    of_vdev = [both.disk(m.disk_key) for m in both.vdevs[0].members]
    assert not vdev_details(both.vdevs[0], of_vdev, shared_keys(both), reserved).partitioned


def test_that_the_first_partition_of_a_full_disk_gives_way() -> None:
    cut = macblog_design()
    reserved = with_reserve(cut, (ESP, SWAP))
    check_design(reserved)
    for disk in reserved.disks:
        parts = [m for v in reserved.all_vdevs() for m in v.members if m.disk_key == disk.key]
        taken = sum(m.slice_bytes or 0 for m in parts) + ESP.size_bytes + SWAP.size_bytes
        assert taken <= sliceable_bytes(disk.size_bytes or 0)
        assert left_over_bytes(reserved, disk) < MIB * 2
    assert reserved.further_pools[0].vdevs == cut.further_pools[0].vdevs


def test_that_what_leaves_no_room_is_refused() -> None:
    large = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=TEN[0].size_bytes or 0)
    with pytest.raises(UserError, match="leaves no room for data"):
        with_reserve(POOL, (large,))
    small = design(mirror(*TEN[:2]), of=TEN[:2])
    most = sliceable_bytes(TEN[0].size_bytes or 0) - 64 * MIB
    assert with_reserve(small, (replace(large, size_bytes=most),)).reserve
    with pytest.raises(UserError, match="leaves no room"):
        with_reserve(small, (replace(large, size_bytes=most + MIB),))
