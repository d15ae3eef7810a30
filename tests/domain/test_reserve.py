"""Partitions reserved beside the data: how they are written, where they lie, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.as_built import as_built, reserve_problems, reserved_by_disk
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.reserve import ReservedPartition, ReservePurpose, parse_reserve, sliceable_bytes
from poolwright.domain.units import GIB, MIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.partitions import split_disks

SIZE = 4000787030016
ESP = ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB)
SWAP = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=2 * GIB)
LAST = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=2 * GIB, last=True)
EMPTY = ReservedPartition(purpose=ReservePurpose.BARE, size_bytes=10 * GIB)


def mirror(*reserve: ReservedPartition, size: int | None = SIZE, sector: int = 512) -> Design:
    disks = tuple(
        Disk(key=key, by_id=(f"ata-{key}",), size_bytes=size, logical_sector_bytes=sector) for key in ("a", "b", "s")
    )
    vdevs = (
        Vdev(kind=VdevKind.MIRROR, members=(Member(disk_key="a"), Member(disk_key="b"))),
        Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=(Member(disk_key="s"),)),
    )
    return Design(key="k", name="n", pool_name="tank", disks=disks, vdevs=vdevs, reserve=reserve)


def laid(design: Design, key: str = "a") -> list[tuple[int, int, int, str]]:
    found = next(split for split in split_disks(design) if split.disk_key == key)
    return [(p.number, p.start_bytes // MIB, p.size_bytes // MIB, p.type_code) for p in found.partitions]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("esp=512MiB", "esp=512MiB"),
        ("ESP", "esp=512MiB"),
        ("truenas", "truenas=2GiB"),
        ("bios", "bios=1MiB"),
        ("swap=8GiB:last", "swap=8GiB:last"),
        ("swap = 2GB", "swap=1908MiB"),
    ],
)
def test_that_a_reserved_partition_is_read_in_whole_mib(text: str, told: str) -> None:
    partition = parse_reserve(text).partition
    assert str(partition) == told
    assert partition.size_bytes % MIB == 0


def test_that_disks_are_counted_or_named() -> None:
    assert parse_reserve("esp=1GiB@2").count == 2
    assert parse_reserve("esp=1GiB@\x1f2").count == 2
    assert parse_reserve("esp=1GiB@ata-X, ata-Y").names == ("ata-X", "ata-Y")


@pytest.mark.parametrize(
    "text", ["", "=", "esp=", "swap", "tmp=1GiB", "esp=1GiB:middle", "esp@", "esp@0", "esp=0 B", "@2"]
)
def test_that_what_is_no_reserved_partition_is_refused_with_how_to_write_it(text: str) -> None:
    with pytest.raises(UserError) as error:
        parse_reserve(text)
    assert "esp=512MiB" in (error.value.todo or "") or {"size", "range"} & set(error.value.text.split())


def test_that_a_refused_word_stands_in_one_pair_of_quotation_marks() -> None:
    with pytest.raises(UserError) as told:
        parse_reserve("foo=1G")
    assert str(told.value).startswith("“foo=1G” is not understood.")


def test_that_what_is_wrong_on_many_disks_is_said_once() -> None:
    """Sixty disks would otherwise say the same sixty times."""
    keys = tuple(f"d{n:02}" for n in range(60))
    disks = tuple(Disk(key=key, by_id=(f"ata-{key}",), size_bytes=SIZE, logical_sector_bytes=512) for key in keys)
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=3, members=tuple(Member(disk_key=key) for key in keys))
    large = ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=4 * 1024 * GIB)
    (problem,) = reserve_problems(
        Design(key="d", name="d", pool_name="tank", disks=disks, vdevs=(vdev,), reserve=(large,))
    )
    assert "ata-d03 and 56 more" in problem


def test_that_partitions_lie_before_or_behind_the_data_in_the_order_of_their_numbers() -> None:
    data = sliceable_bytes(SIZE) // MIB - 512 - 2048
    before = [(1, 1, 512, "EF00"), (2, 513, 2048, "8200"), (3, 2561, data, "BF01")]
    assert laid(mirror(ESP, SWAP)) == before
    behind = [(1, 1, 512, "EF00"), (2, 513, data, "BF01"), (3, 513 + data, 2048, "8200")]
    assert laid(mirror(LAST, ESP)) == behind
    assert laid(mirror(EMPTY)) == [(1, 1, sliceable_bytes(SIZE) // MIB - 10 * 1024, "BF01")]


def test_that_spares_and_disks_that_were_not_chosen_stay_whole() -> None:
    assert set(reserved_by_disk(mirror(ESP))) == {"a", "b"}
    chosen = ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB, disk_keys=("b",))
    assert [m.slice_bytes is None for m in as_built(mirror(chosen)).vdevs[0].members] == [True, False]


def test_that_what_is_built_is_built_already() -> None:
    built = as_built(mirror(ESP, LAST))
    assert as_built(built) == built
    assert as_built(mirror()) == mirror()
    assert as_built(mirror(ESP, size=None)).vdevs == mirror().vdevs


def test_that_a_disk_that_was_cut_before_keeps_its_order_behind_what_is_reserved() -> None:
    design = mirror(ESP, SWAP)
    cut = tuple(
        Vdev(
            kind=VdevKind.MIRROR, members=tuple(Member(disk_key=key, slice_bytes=100 * GIB, part=part) for key in "ab")
        )
        for part in (1, 2)
    )
    cut_design = Design(key="k", name="n", pool_name="tank", disks=design.disks, vdevs=cut, reserve=design.reserve)
    assert [number for number, *_ in laid(cut_design)] == [1, 2, 3, 4]
    built = as_built(cut_design)
    assert [vdev.members[0].part for vdev in built.vdevs] == [3, 4]
    assert as_built(built) == built


@pytest.mark.parametrize(
    ("reserve", "sector", "reason"),
    [
        ((ESP, ESP), 512, "EFI system partition is there twice"),
        ((ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=35 * MIB),), 512, "at least 36.0 MiB"),
        ((ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=256 * MIB),), 4096, "at least 260 MiB"),
        ((ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=SIZE),), 512, "leaves no room for data"),
        ((ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=MIB + 512),), 512, "not whole MiB"),
        (
            (ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=MIB, disk_keys=("x",)),),
            512,
            "no place in the design",
        ),
    ],
)
def test_that_what_cannot_be_reserved_is_told_with_its_reason(
    reserve: tuple[ReservedPartition, ...], sector: int, reason: str
) -> None:
    problems = reserve_problems(mirror(*reserve, sector=sector))
    assert problems
    assert any(reason in problem for problem in problems), problems


@given(
    size=st.integers(200 * MIB, 30 * 10**12),
    wanted=st.lists(st.tuples(st.sampled_from(list(ReservePurpose)), st.integers(1, 4000), st.booleans()), max_size=6),
)
def test_that_partitions_never_exceed_the_disk_nor_overlap(
    size: int, wanted: list[tuple[ReservePurpose, int, bool]]
) -> None:
    reserve = tuple(ReservedPartition(purpose=p, size_bytes=mib * MIB, last=last) for p, mib, last in wanted)
    design = mirror(*reserve, size=size)
    if reserve_problems(design) or not reserve:
        return
    ends = 1
    for split in split_disks(design):
        ends = 1
        for number, partition in enumerate(split.partitions, 1):
            assert partition.number == number
            assert partition.start_bytes == ends * MIB
            ends += partition.size_bytes // MIB
        left = sum(p.size_bytes for p in reserve if p.type_code is None)
        assert ends * MIB + left <= size - MIB < (ends + 1) * MIB + left + MIB
