"""Edits of a design by hand: what they do to a pool, what they refuse, and what no edit may ever do."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.design.edits.places import (
    LEFT_OVER,
    MIRROR,
    PLAIN_KINDS,
    RAIDZ1,
    RAIDZ2,
    STRIPE,
    Bay,
    Piece,
    Tray,
    VdevPlace,
    free_name,
    left_over_bytes,
    members_with_places,
    move,
    move_vdevs,
    piece_of,
    pool_count,
    pool_of,
    set_ashift,
    swap,
    vdev_at,
    with_disks,
    with_pool,
)
from poolwright.design.edits.shaping import (
    add_vdev,
    cut_to_smallest,
    make_whole,
    merge,
    partition,
    remove,
    reshape,
    split,
)
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media, Use, UseKind
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.units import GIB, TB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.emit.validity import layout_problems
from poolwright.store.design_file import check_design as check_contents

SIZES = (4 * TB, 4 * TB, 6 * TB, 6 * TB, 3 * TB)


def disks(count: int) -> tuple[Disk, ...]:
    return tuple(
        Disk(key=f"d{n}", serial=f"S{n}", size_bytes=SIZES[n % len(SIZES)], media=Media.HDD) for n in range(count)
    )


def whole(*numbers: int) -> tuple[Piece, ...]:
    return tuple(Piece(disk_key=f"d{n}") for n in numbers)


def blank(count: int = 12) -> Design:
    return Design(key="k", name="by hand", pool_name="tank", disks=disks(count))


def raidz2_of_six(count: int = 12) -> Design:
    return add_vdev(blank(count), whole(0, 1, 2, 3, 4, 5), RAIDZ2)


def keys(design: Design, pool: int = 0, vdev: int = 0) -> list[str]:
    return [member.disk_key for member in pool_of(design, pool).vdevs[vdev].members]


def test_that_a_raidz2_cannot_become_narrower_than_its_parity_allows() -> None:
    narrow = add_vdev(blank(), whole(0, 1, 2), RAIDZ2)
    with pytest.raises(Refusal, match="raidz2 needs at least 3 members, this one has 2"):
        move(narrow, whole(0), Tray())


def test_that_a_mirror_that_loses_a_side_becomes_a_single_disk() -> None:
    made = move(add_vdev(blank(), whole(0, 1), MIRROR), whole(1), Tray())
    assert [(v.kind, len(v.members)) for v in made.vdevs] == [(VdevKind.STRIPE, 1)]


def test_that_a_disk_in_use_is_refused_with_what_uses_it() -> None:
    busy = replace(disks(1)[0], key="busy", uses=(Use(kind=UseKind.MOUNTED, detail="/"),))
    design = with_disks(raidz2_of_six(), [busy])
    with pytest.raises(Refusal, match="mounted: /"):
        move(design, [Piece(disk_key="busy")], VdevPlace(vdev=0))


def test_that_spares_share_one_bay_and_leave_it_one_by_one() -> None:
    spares = Bay(vdev_class=VdevClass.SPARE)
    made = move(move(raidz2_of_six(), whole(6), spares), whole(7), spares)
    assert [v.vdev_class for v in made.vdevs] == [VdevClass.DATA, VdevClass.SPARE]
    assert keys(made, vdev=1) == ["d6", "d7"]
    assert keys(move(made, whole(6), Tray()), vdev=1) == ["d7"]


@pytest.mark.parametrize("vdev_class", [VdevClass.LOG, VdevClass.SPECIAL, VdevClass.DEDUP])
def test_that_a_second_disk_in_a_support_bay_makes_a_mirror(vdev_class: VdevClass) -> None:
    bay = Bay(vdev_class=vdev_class)
    made = move(move(raidz2_of_six(), whole(6), bay), whole(7), bay)
    assert [(v.kind, len(v.members)) for v in made.vdevs[1:]] == [(VdevKind.MIRROR, 2)]
    assert move(raidz2_of_six(), whole(6, 7), bay) == made


def test_that_caches_are_never_mirrored() -> None:
    bay = Bay(vdev_class=VdevClass.CACHE)
    made = move(move(raidz2_of_six(), whole(6), bay), whole(7), bay)
    assert [v.kind for v in made.vdevs] == [VdevKind.RAIDZ, VdevKind.STRIPE]
    with pytest.raises(Refusal, match="plain devices"):
        reshape(made, [VdevPlace(vdev=1)], MIRROR)


def test_that_a_raidz_special_vdev_needs_openzfs_2_4() -> None:
    old = replace(raidz2_of_six(), version=ZfsVersion(2, 3, 2))
    mirror = move(old, whole(6, 7, 8), Bay(vdev_class=VdevClass.SPECIAL))
    with pytest.raises(Refusal, match="special"):
        reshape(mirror, [VdevPlace(vdev=1)], RAIDZ1)
    new = replace(mirror, version=ZfsVersion(2, 4, 0))
    assert reshape(new, [VdevPlace(vdev=1)], RAIDZ1).vdevs[1].kind is VdevKind.RAIDZ


def test_that_a_vdev_takes_disks_from_other_vdevs() -> None:
    made = add_vdev(raidz2_of_six(), whole(0, 6), MIRROR)
    assert keys(made) == ["d1", "d2", "d3", "d4", "d5"]
    assert keys(made, vdev=1) == ["d0", "d6"]
    with pytest.raises(Refusal, match="raidz2 needs"):
        add_vdev(raidz2_of_six(), whole(0, 1, 2, 3, 6), MIRROR)


def test_that_a_side_split_off_a_mirror_is_a_bare_disk() -> None:
    pair = add_vdev(blank(), whole(0, 1), MIRROR)
    assert [(v.kind, len(v.members)) for v in split(pair, VdevPlace(vdev=0), 2).vdevs] == [(VdevKind.STRIPE, 1)] * 2
    three = split(add_vdev(blank(), whole(0, 1, 2), MIRROR), VdevPlace(vdev=0), 2)
    assert [(v.kind, len(v.members)) for v in three.vdevs] == [(VdevKind.MIRROR, 2), (VdevKind.STRIPE, 1)]


def test_that_what_is_left_over_becomes_a_vdev_of_its_own() -> None:
    cut = cut_to_smallest(raidz2_of_six(), VdevPlace(vdev=0))
    parted = {m.disk_key for m in cut.vdevs[0].members if m.slice_bytes is not None}
    assert parted == {"d0", "d1", "d2", "d3", "d5"}
    rest = [Piece(disk_key=key, part=LEFT_OVER) for key in ("d2", "d3")]
    made = add_vdev(cut, rest, MIRROR)
    assert [(m.part, m.slice_bytes) for m in made.vdevs[1].members] == [(2, left_over_bytes(cut, cut.disk("d2")))] * 2
    assert left_over_bytes(made, made.disk("d2")) == 0
    with pytest.raises(Refusal, match="2 partitions in use"):
        make_whole(made, [Piece(disk_key="d2", part=1)])
    with pytest.raises(Refusal, match="no room left over"):
        move(made, [Piece(disk_key="d2", part=LEFT_OVER)], VdevPlace(vdev=1))


def test_that_a_partition_grows_no_further_than_the_others_on_its_disk_allow() -> None:
    cut = partition(raidz2_of_six(), whole(2, 3), 4 * TB)
    made = add_vdev(cut, [Piece(disk_key=key, part=LEFT_OVER) for key in ("d2", "d3")], MIRROR)
    with pytest.raises(Refusal, match="no room for a partition of 4"):
        partition(made, [Piece(disk_key="d2", part=1)], 5 * TB)
    smaller = partition(made, [Piece(disk_key="d2", part=2)], TB)
    assert partition(smaller, [Piece(disk_key="d2", part=1)], 9 * TB // 2).vdevs[0].members[2].part == 1


def test_that_two_parts_of_one_disk_never_share_a_vdev() -> None:
    cut = cut_to_smallest(raidz2_of_six(), VdevPlace(vdev=0))
    for key in ("d2", "d3"):
        with pytest.raises(Refusal, match=f"Two parts of {cut.disk(key).label} would"):
            move(cut, [Piece(disk_key=key, part=LEFT_OVER)], VdevPlace(vdev=0))


def test_that_the_main_pool_stays_while_it_is_empty() -> None:
    two = with_pool(raidz2_of_six(), [VdevPlace(vdev=0)], "second")
    assert two.vdevs == ()
    assert [pool.pool_name for pool in two.further_pools] == ["second"]


def test_that_each_pool_has_its_own_ashift() -> None:
    two = with_pool(add_vdev(raidz2_of_six(), whole(6, 7), MIRROR), [VdevPlace(vdev=1)], "second")
    made = set_ashift(two, 1, 13)
    assert [pool.ashift for pool in made.pools()] == [12, 13]
    with pytest.raises(UserError, match=r"“17” is out of range .ashift"):
        set_ashift(two, 0, 17)
    native = replace(two, disks=tuple(replace(disk, logical_sector_bytes=4096) for disk in two.disks))
    with pytest.raises(Refusal, match="too small"):
        set_ashift(native, 0, 9)


# Whatever is done in whatever order, a design stays one that the library takes and OpenZFS could build.

Step = Callable[[Design, st.DataObject], Design]


def _some(design: Design, data: st.DataObject) -> list[Piece]:
    pieces = [Piece(disk_key=disk.key) for disk in design.disks]
    pieces += [piece_of(member) for _, member in members_with_places(design)]
    pieces += [Piece(disk_key=disk.key, part=LEFT_OVER) for disk in design.disks if left_over_bytes(design, disk)]
    return data.draw(st.lists(st.sampled_from(sorted(set(pieces), key=str)), min_size=1, max_size=6))


def _places(design: Design) -> list[VdevPlace]:
    return [VdevPlace(pool=p, vdev=n) for p in range(pool_count(design)) for n in range(len(pool_of(design, p).vdevs))]


def _place(design: Design, data: st.DataObject) -> VdevPlace:
    return data.draw(st.sampled_from(_places(design) or [VdevPlace(vdev=0)]))


def _shape(data: st.DataObject) -> VdevSpec:
    draid = VdevSpec(kind=VdevKind.DRAID, parity=1, draid_data=2, draid_spares=1)
    return data.draw(st.sampled_from([*PLAIN_KINDS, draid]))


def _target(design: Design, data: st.DataObject) -> Tray | Bay | VdevPlace:
    bays = [Bay(vdev_class=c) for c in VdevClass if c is not VdevClass.DATA]
    targets: list[Tray | Bay | VdevPlace] = [Tray(), *bays, *_places(design)]
    return data.draw(st.sampled_from(targets))


STEPS: Sequence[Step] = (
    lambda d, data: move(d, _some(d, data), _target(d, data)),
    lambda d, data: add_vdev(d, _some(d, data), _shape(data), pool=data.draw(st.integers(0, pool_count(d) - 1))),
    lambda d, data: swap(d, *(_some(d, data) * 2)[:2]),
    lambda d, data: reshape(d, [_place(d, data)], _shape(data)),
    lambda d, data: split(d, _place(d, data), data.draw(st.integers(2, 3))),
    lambda d, data: merge(d, [_place(d, data), _place(d, data)]),
    lambda d, data: remove(d, [_place(d, data)]),
    lambda d, data: partition(d, _some(d, data), data.draw(st.sampled_from([TB, 2 * TB, 4 * TB, GIB]))),
    lambda d, data: make_whole(d, _some(d, data)),
    lambda d, data: cut_to_smallest(d, _place(d, data)),
    lambda d, data: with_pool(d, [_place(d, data)], free_name(d)),
    lambda d, data: move_vdevs(d, [_place(d, data)], data.draw(st.integers(0, pool_count(d) - 1))),
)


def check_whole(design: Design) -> None:
    check_contents(design)
    used = Counter(member.disk_key for _, member in members_with_places(design) if member.slice_bytes is None)
    parted: dict[str, list[Member]] = {}
    for _, member in members_with_places(design):
        if member.slice_bytes is not None:
            parted.setdefault(member.disk_key, []).append(member)
    assert max(used.values(), default=1) == 1
    assert not used.keys() & parted.keys()
    for key, parts in parted.items():
        assert len({part.part for part in parts}) == len(parts)
        assert sum(part.slice_bytes or 0 for part in parts) <= sliceable_bytes(design.disk(key).size_bytes or 0)
    for pool in design.pools():
        filler = Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key="d0"),))
        assert layout_problems(replace(pool, vdevs=(filler, *pool.vdevs))) == ()


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_that_no_edit_loses_or_doubles_a_disk(data: st.DataObject) -> None:
    design = add_vdev(raidz2_of_six(), whole(6, 7), MIRROR)
    for _ in range(data.draw(st.integers(1, 8))):
        step = data.draw(st.sampled_from(STEPS))
        try:
            after = step(design, data)
        except PoolwrightError:
            continue
        assert after.disks == design.disks
        assert all(vdev.members for vdev in after.all_vdevs())
        check_whole(after)
        design = after


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_that_swapping_twice_changes_nothing(data: st.DataObject) -> None:
    design = cut_to_smallest(add_vdev(raidz2_of_six(), whole(6, 7), MIRROR), VdevPlace(vdev=0))
    one, other = _some(design, data)[0], _some(design, data)[0]
    try:
        swapped = swap(design, one, other)
    except PoolwrightError:
        return
    assert swap(swapped, one, other) == design


@given(st.lists(st.sampled_from(range(12)), min_size=2, max_size=12, unique=True), st.integers(2, 4))
def test_that_merging_takes_a_split_back(numbers: list[int], count: int) -> None:
    design = add_vdev(blank(), whole(*numbers), STRIPE)
    if count > len(numbers):
        with pytest.raises(Refusal, match="cannot be split"):
            split(design, VdevPlace(vdev=0), count)
        return
    parts = split(design, VdevPlace(vdev=0), count)
    widths = [len(vdev_at(parts, place).members) for place in _places(parts)]
    assert (sum(widths), max(widths) - min(widths) <= 1) == (len(numbers), True)
    assert merge(parts, _places(parts)) == design
