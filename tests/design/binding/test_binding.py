"""Which disk of a machine takes which place of a design."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.design.binding.at_hand import TB8, machine, planned_design, real_disk
from tests.design.test_blast import design_of
from tests.pace import processor_seconds, slowness

from poolwright.design.binding.binding import Binding, bind_disks
from poolwright.design.binding.judging import DiskSeat, PairedBy, PairVerdict, judge, seats_of
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Health, Media, Use, UseKind
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.growth import parse_growth_step


def taken(binding: Binding) -> dict[str, str]:
    return {pair.seat.disk.key: pair.real.path or "" for pair in binding.pairs if pair.real is not None}


def test_that_planned_disks_get_those_of_their_size() -> None:
    design = planned_design("mirror:2x8TB")
    found = bind_disks(design, machine([real_disk("sda", 4 * 10**12), real_disk("sdb"), real_disk("sdc")]))
    assert sorted(taken(found).values()) == ["/dev/sdb", "/dev/sdc"]
    assert [disk.path for disk in found.idle] == ["/dev/sda"]
    assert all("size" in pair.judged.equal for pair in found.pairs if pair.judged)


def test_that_a_smaller_disk_is_refused_with_how_much_it_lacks() -> None:
    design = planned_design("mirror:2x8TB")
    found = bind_disks(design, machine([real_disk("sda"), real_disk("sdb", TB8 - 2 * 10**12)]))
    (missing,) = found.missing
    assert "by 2.00 TB" in " ".join(missing.reasons)
    taken_all = bind_disks(design, found.inventory, smaller=True)
    assert not taken_all.missing
    assert {pair.judged.verdict for pair in taken_all.pairs if pair.judged} == {PairVerdict.FINE, PairVerdict.LOOK}


def test_that_a_smaller_disk_takes_partitions_that_fit() -> None:
    design = planned_design("mirror:2x8TB")
    vdev = design.vdevs[0]
    cut = replace(vdev, members=tuple(replace(m, slice_bytes=7 * 10**12, part=1) for m in vdev.members))
    design = replace(design, vdevs=(cut,))
    fits, small = real_disk("sda", 7_500_000_000_000), real_disk("sdb", 6_999_000_000_000)
    found = bind_disks(design, machine([fits, small]))
    assert list(taken(found).values()) == ["/dev/sda"]
    assert "too small" in found.missing[0].reasons[1]


def test_that_the_same_disk_is_known_by_its_serial_number_whatever_it_is_called_now() -> None:
    design = planned_design("mirror:2x8TB")
    was = [real_disk("sda"), real_disk("sdb")]
    design = replace(design, disks=tuple(was), vdevs=tuple(_of(design, was)))
    now = [replace(disk, key=f"new {disk.key}", path=f"/dev/x{disk.path[-1:]}", by_id=(f"scsi-S{disk.serial}",))
           for disk in was if disk.path]  # fmt: skip
    found = bind_disks(design, machine(now[::-1]))
    assert [(pair.by, pair.real and pair.real.serial) for pair in found.pairs] == [
        (PairedBy.SERIAL, "S-sda"),
        (PairedBy.SERIAL, "S-sdb"),
    ]


@pytest.mark.parametrize("serial", ["0000000000000000", "None", "SAME123"])
def test_that_no_serial_number_binds_that_two_disks_have_or_a_bridge_fills_in(serial: str) -> None:
    was = [real_disk("sda", serial=serial, by_id=()), real_disk("sdb", serial=serial, by_id=(), key="k2")]
    design = planned_design("mirror:2x8TB")
    design = replace(design, disks=tuple(was), vdevs=tuple(_of(design, was)))
    found = bind_disks(design, machine([replace(disk, key=f"n{disk.key}") for disk in was]))
    assert {pair.by for pair in found.pairs} == {PairedBy.FACTS}


def test_that_a_serial_number_of_another_size_is_another_disk() -> None:
    was = real_disk("sda", by_id=())
    design = replace(planned_design("stripe:1x8TB"), disks=(was,))
    design = replace(design, vdevs=tuple(_of(design, [was])))
    found = bind_disks(design, machine([real_disk("sda", 12 * 10**12, by_id=())]))
    assert found.pairs[0].by is PairedBy.FACTS


def test_that_a_disk_in_use_is_never_proposed_and_said_why() -> None:
    used = real_disk("sda", uses=(Use(kind=UseKind.MOUNTED, detail="/srv"),))
    found = bind_disks(planned_design("mirror:2x8TB"), machine([used, real_disk("sdb")]))
    assert list(taken(found).values()) == ["/dev/sdb"]
    assert "mounted: /srv" in " ".join(found.missing[0].reasons)


def test_that_the_very_disk_in_use_is_not_given_to_another_place_nor_its_place_to_another() -> None:
    was = real_disk("sda")
    design = replace(planned_design("stripe:1x8TB"), disks=(was,))
    design = replace(design, vdevs=tuple(_of(design, [was])))
    used = replace(was, uses=(Use(kind=UseKind.SWAP),))
    found = bind_disks(design, machine([used, real_disk("sdb")]))
    assert found.pairs[0].real is None
    assert found.pairs[0].own == used


def test_that_a_hard_disk_takes_no_place_of_flash() -> None:
    design = planned_design("mirror:2x8TB", "log/stripe:1x960GB", disks="2 x 8TB, 1 x 960GB NVMe PLP")
    slow = real_disk("sdc", 960_197_124_096)
    found = bind_disks(design, machine([real_disk("sda"), real_disk("sdb"), slow]))
    assert [pair.seat.words for pair in found.missing] == ["log"]
    assert "HDD, not NVMe as planned" in " ".join(found.missing[0].reasons)
    fast = replace(slow, media=Media.NVME)
    found = bind_disks(design, machine([real_disk("sda"), real_disk("sdb"), fast]))
    assert not found.missing
    assert "power-loss protection" in found.pairs[2].judged.differences[0].text  # type: ignore[union-attr]


def test_that_what_differs_is_told_with_how_much_it_matters() -> None:
    seat = seats_of(planned_design("stripe:1x8TB", disks="1 x 8TB model=ST8000NM CMR"))[0]
    odd = real_disk(
        "sda", TB8 + 1024, model="WD80EFAX", smr=True, health=Health.SUSPECT, by_id=(), logical_sector_bytes=4096
    )
    judged = judge(seat, odd)
    told = {difference.text: difference.verdict for difference in judged.differences}
    assert told["larger by 1,024 bytes"] is PairVerdict.FINE
    assert told["model WD80EFAX, not ST8000NM"] is PairVerdict.LOOK
    assert told["its health is suspect"] is PairVerdict.LOOK
    assert any("SMR" in text for text in told)
    assert any("by-id" in text for text in told)
    assert judged.verdict is PairVerdict.LOOK
    small_blocks = replace(seat, block_bytes=512)
    assert judge(small_blocks, odd).refused


def test_that_a_size_printed_with_few_digits_is_looked_at_and_not_refused() -> None:
    few = Origin(kind=OriginKind.READ, source="lsblk").as_rounded()
    rough = real_disk("sda", 8_026_462_604_492, origins=(("size_bytes", few),))  # 7.3T
    short = replace(rough, size_bytes=7_916_511_476_940)  # 7.2T
    seat = seats_of(planned_design("stripe:1x8TB"))[0]
    assert judge(seat, rough).verdict is PairVerdict.LOOK
    assert "few digits" in judge(seat, rough).differences[0].text
    assert judge(seat, short).refused


def test_that_a_disk_behind_usb_comes_last() -> None:
    stick, inside = real_disk("sda", transport="usb"), real_disk("sdb", model="OTHER", transport="sata")
    found = bind_disks(planned_design("stripe:1x8TB"), machine([stick, inside]))
    assert list(taken(found).values()) == ["/dev/sdb"]


def test_that_a_choice_by_hand_comes_first_and_may_leave_a_place_open() -> None:
    design = planned_design("mirror:2x8TB")
    one, other = (disk.key for disk in design.disks)
    box = machine([real_disk("sda"), real_disk("sdb"), real_disk("sdc")])
    found = bind_disks(design, box, chosen={one: "S-sdc", other: None})
    assert taken(found) == {one: "/dev/sdc"}
    assert found.pairs[0].by is PairedBy.HAND
    assert found.missing[0].reasons == ("left open by hand",)


@pytest.mark.parametrize("field", ["path", "by_id", "serial", "wwn"])
def test_that_a_disk_that_was_read_twice_takes_one_place_and_the_other_is_said(field: str) -> None:
    design, first = planned_design("mirror:2x8TB"), real_disk("sda", wwn="0x5000c50012345678")
    twice = [first, replace(real_disk("sdb"), **{field: getattr(first, field)})]
    by_hand = dict(zip((disk.key for disk in design.disks), (disk.key for disk in twice), strict=True))
    for chosen in ({}, by_hand):
        (missing,) = bind_disks(design, machine(twice), chosen=chosen).missing
        assert f"already has the place of {design.disks[0].key} in mirror-0" in missing.reasons[0]
    assert len(bind_disks(design, machine([*twice, real_disk("sdc")])).bound) == 2


def test_that_places_the_pool_needs_are_filled_before_spares_and_growth() -> None:
    design = planned_design("raidz1:3x8TB", "spare/stripe:1x8TB", disks="5 x 8TB")
    later = replace(parse_growth_step("attach:8TB@1"), disk_keys=(design.disks[4].key,))
    design = replace(design, growth=(later,), vdevs=design.vdevs[::-1])
    found = bind_disks(design, machine([real_disk(f"sd{letter}") for letter in "abc"]))
    assert [pair.seat.words for pair in found.pairs if pair.real is None] == ["spare", "step 1 of growth"]
    found = bind_disks(design, machine([real_disk(f"sd{letter}") for letter in "abcd"]))
    assert not found.missing
    assert len(found.bound) == 4


def test_that_the_disks_of_one_vdev_are_alike_where_that_costs_nothing() -> None:
    design = planned_design("raidz1:3x8TB", "raidz1:3x8TB", "mirror:2x8TB")
    models = {"a": "ONE", "b": "TWO", "c": "ONE", "d": "TWO", "e": "ONE", "f": "TWO", "g": "SIX", "h": "SIX"}
    disks = [real_disk(f"sd{letter}", model=model) for letter, model in models.items()]
    found = bind_disks(design, machine(disks))
    of_vdev: dict[str, set[str | None]] = {}
    for pair in found.bound:
        of_vdev.setdefault(pair.seat.words, set()).add(pair.real.model if pair.real else None)
    assert [len(kinds) for kinds in of_vdev.values()] == [1, 1, 1]


def test_that_equal_disks_are_spread_over_shelves() -> None:
    design = planned_design("mirror:2x8TB", "mirror:2x8TB")
    disks = [real_disk(f"sd{n}", enclosure="left" if n < 2 else "right") for n in range(4)]
    found = bind_disks(design, machine(disks))
    shelves: dict[str, list[str]] = {}
    for pair in found.pairs:
        shelves.setdefault(pair.seat.words, []).append(pair.real.enclosure or "" if pair.real else "")
    assert [sorted(held) for held in shelves.values()] == [["left", "right"]] * 2


@given(st.permutations(range(6)))
@settings(max_examples=20, deadline=None)
def test_that_the_order_of_the_disks_does_not_matter(order: list[int]) -> None:
    design = planned_design("raidz1:3x8TB", "mirror:2x8TB")
    disks = [real_disk(f"sd{n}", TB8 + (n % 2) * 10**12, model=f"M{n % 3}") for n in range(6)]
    assert taken(bind_disks(design, machine([disks[n] for n in order]))) == taken(bind_disks(design, machine(disks)))


_SIZES, _MODELS = (TB8 - 10**12, TB8, TB8 + 10**12, 2 * TB8), ("A", "B")
_DISKS = st.lists(
    st.tuples(st.sampled_from(_SIZES), st.sampled_from(_MODELS), st.sampled_from((None, True))), max_size=6
)
_LAYOUTS = st.sampled_from(
    (
        ("mirror:2x8TB", "mirror:2x8TB"),
        ("raidz1:3x8TB", "mirror:2x8TB"),
        ("mirror:2x8TB", "spare/stripe:1x8TB"),
        ("raidz1:3x8TB", "spare/stripe:2x8TB"),
    )
)


def _mixing(seats: tuple[DiskSeat, ...], disks: tuple[Disk | None, ...]) -> int:
    own: dict[tuple[int, int], set[Disk]] = {}
    for seat, disk in zip(seats, disks, strict=True):
        if disk is not None:
            own.setdefault(seat.vdevs[0], set()).add(disk)
    kinds = [{(d.size_bytes, d.model, d.smr) for d in held} for held in own.values()]
    return sum(1000 * (len({size for size, _, _ in held}) - 1) + len(held) - 1 for held in kinds)


def _score(seats: tuple[DiskSeat, ...], disks: tuple[Disk | None, ...]) -> tuple[int, int, int, int]:
    """Return places without a disk, how late those with one are needed, differences, kinds in one vdev.

    Where disks are missing it is no matter how the others are mixed: no pool can be made of them.
    """
    pairs = [(seat, disk) for seat, disk in zip(seats, disks, strict=True) if disk is not None]
    cost = sum(judge(seat, disk).cost for seat, disk in pairs)
    return disks.count(None), sum(seat.rank for seat, _ in pairs), cost, 0 if None in disks else _mixing(seats, disks)


def _assignments(options: list[list[Disk]]) -> Iterator[tuple[Disk | None, ...]]:
    """Yield every way to give places one of their options each, or none, and no disk twice."""
    if not options:
        yield ()
        return
    for rest in _assignments(options[1:]):
        yield (None, *rest)
        yield from ((disk, *rest) for disk in options[0] if disk not in rest)


@given(_LAYOUTS, _DISKS)
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_that_no_assignment_is_better(layout: tuple[str, ...], facts: list[tuple[int, str, bool | None]]) -> None:
    design = planned_design(*layout)
    disks = [real_disk(f"sd{n}", size, model=model, smr=smr) for n, (size, model, smr) in enumerate(facts)]
    seats = seats_of(design)
    found = bind_disks(design, machine(disks))
    mine = _score(seats, tuple(pair.real for pair in found.pairs))
    options = [[disk for disk in disks if not judge(seat, disk).refused] for seat in seats]
    most = max(len(chosen) - chosen.count(None) for chosen in _assignments(options))
    full = (chosen for chosen in _assignments(options) if len(chosen) - chosen.count(None) == most)
    assert mine == min(_score(seats, chosen) for chosen in full)


@pytest.mark.slow
def test_that_a_thousand_disks_take_less_than_a_second() -> None:
    design = planned_design(*["raidz2:8x8TB"] * 120, "spare/stripe:40x8TB")
    disks = [
        real_disk(f"sd{n}", TB8 + n % 3 * 10**10, model=f"M{n % 7}", enclosure=f"shelf {n % 12}") for n in range(1000)
    ]
    found: list[Binding] = []
    assert processor_seconds(lambda: found.append(bind_disks(design, machine(disks)))) < 1.0 * slowness()
    assert len(found[0].bound) == 1000


def _of(design: Design, disks: list[Disk]) -> list[Vdev]:
    keys = iter(disk.key for disk in disks)
    return [replace(vdev, members=tuple(Member(disk_key=next(keys)) for _ in vdev.members)) for vdev in design.vdevs]


def test_that_a_disk_is_called_by_the_vdev_that_it_stands_in() -> None:
    made = design_of("raidz2:4x1T", "stripe:1x1T", "special/mirror:2x1T", "spare/stripe:1x1T", "stripe:2x1T")
    names = [seat.names[0] for seat in seats_of(made)]
    assert list(dict.fromkeys(names)) == ["raidz2-3", "single disk", "special mirror-4", "spare", "stripe"]
