"""Room for slightly smaller replacements, switched on and off for a whole design."""

from dataclasses import replace

import pytest
from tests.rules.machines import bare, design, disk, disks, mirror, raidz

from poolwright.design.edits.reserve import can_have_slack, has_slack, with_slack
from poolwright.domain.design import Member
from poolwright.domain.units import GIB, MIB
from poolwright.domain.vdev import VdevClass
from poolwright.emit.validity import check_design
from poolwright.rules.design_judge import shared_keys, vdev_details
from poolwright.rules.layout_facts import replacement_slack, slack_slice, trade_bytes

TEN = disks(10)
POOL = design(raidz(TEN[:8], 2), bare(TEN[8], VdevClass.SPARE), of=TEN)


def test_that_every_disk_that_is_rebuilt_ends_before_the_agreed_size_and_spares_stay_whole() -> None:
    cut = with_slack(POOL, on=True)
    size = TEN[0].size_bytes
    assert size is not None
    agreed = trade_bytes(size)
    for member in cut.vdevs[0].members:
        assert member.part == 1
        assert member.slice_bytes is not None
        assert 2 * GIB <= agreed - member.slice_bytes < 2 * GIB + MIB
    assert cut.vdevs[1] == POOL.vdevs[1]
    assert (has_slack(POOL), has_slack(cut)) == (False, True)
    check_design(cut, named=False)


def test_that_disks_cut_for_several_uses_stay_as_they_are() -> None:
    whole = raidz(TEN[:4], 1)
    other = replace(whole, members=tuple(replace(m, slice_bytes=500 * GIB, part=1) for m in whole.members))
    shared = design(other, of=TEN)
    assert with_slack(shared, on=True) == shared
    assert not can_have_slack(shared)


def test_that_room_at_the_end_is_no_partitioning_for_several_uses() -> None:
    cut = with_slack(POOL, on=True).vdevs[0]
    members = tuple(TEN[:8])
    assert not vdev_details(cut, members, shared_keys(POOL)).partitioned
    halves = replace(cut, members=tuple(Member(disk_key=m.disk_key, slice_bytes=GIB, part=1) for m in cut.members))
    assert vdev_details(halves, members, shared_keys(POOL)).partitioned


@pytest.mark.parametrize("size", [6_001_175_126_016, 16_000_900_661_248, 960_197_124_096, 100 * 10**9, 20 * 10**9])
def test_that_the_partition_fits_and_takes_a_hundredth_of_small_disks_at_most(size: int) -> None:
    part = slack_slice(size)
    assert part % MIB == 0
    assert size * 0.985 < part < size - 10 * MIB


def test_that_a_smaller_disk_of_the_same_label_fits_then() -> None:
    label = trade_bytes(6_001_175_126_016)
    # A maker's disk of this label whose metaslabs nearly fill it: without room only one as large can replace it.
    larger = tuple(disk(n, (350 << 34) + 20 * MIB) for n in range(2))
    pool = design(mirror(*larger), of=larger)
    whole, cut = (d.spec(d.vdevs[0]) for d in (pool, with_slack(pool, on=True)))
    slack = replacement_slack(whole, pool.version)
    assert slack is not None
    assert min(whole.sizes) - slack > label
    assert min(cut.sizes) < label - GIB
