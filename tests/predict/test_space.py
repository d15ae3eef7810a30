"""The datasets of a design as space: properties inherited, reservations, the bill, the date of 80 %."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.predict.dataset_designs import SIX_TB, dataset, design, setting

from poolwright.capacity.pool import predict_design, predict_pool
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.money import money, rounded
from poolwright.domain.units import GIB, KIB, MIB, TIB
from poolwright.domain.vdev import VdevClass, VdevKind, parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.space import (
    VOLUME_BLOCKS,
    DatasetSpace,
    FillForecast,
    PoolSpace,
    Promises,
    forecast,
    predict_space,
    volume_blocks,
)
from poolwright.predict.usage import contents_of

TODAY = date(2026, 11, 20)


def space(made: Design) -> PoolSpace:
    return predict_space(made, predict_design(made))


def of(found: PoolSpace, name: str) -> DatasetSpace:
    one = found.of(name)
    assert one is not None
    return one


def typical(found: PoolSpace, name: str) -> float:
    one = of(found, name)
    assert one.used is not None
    return one.used.typical


def test_that_the_recordsize_of_the_parent_counts() -> None:
    made = design(dataset("a", recordsize="4K", compression="off"), dataset("a/b", data=GIB), dataset("c", data=GIB))
    of_name = {item.dataset.name: item for item in contents_of(made)}
    assert of_name["a/b"].block_bytes == 4 * KIB
    found = space(made)
    # 4 KiB blocks on raidz2 take three sectors each, 128 KiB blocks are what the space is counted in.
    assert typical(found, "a/b") > 2.1 * typical(found, "c")


def test_that_a_volume_does_not_inherit_the_block_of_files() -> None:
    made = design(dataset("", recordsize="1M"), dataset("v", volume=GIB, data=GIB))
    of_name = {item.dataset.name: item for item in contents_of(made)}
    assert of_name["v"].block_bytes == 16 * KIB
    old = contents_of(replace(made, version=ZfsVersion(2, 1, 11)))
    assert {item.dataset.name: item for item in old}["v"].block_bytes == 8 * KIB


def test_that_small_volume_blocks_have_their_bill_in_terabytes_and_money() -> None:
    made = design(
        dataset("v", volume=10 * TIB, data=10 * TIB, volblocksize="8K", refreservation="none"),
        budget=Budget(price_per_disk=money(120, "EUR")),
    )
    one = of(space(made), "v")
    assert one.waste_bytes is not None
    assert one.efficiency == pytest.approx(1 / 3)
    assert one.nominal == pytest.approx(3 / 4)
    # A third of the bytes are data where three quarters could be: 30 TiB on the disks for 13.33.
    assert one.waste_bytes == pytest.approx(30 * TIB - 10 * TIB / 0.75, rel=1e-6)
    assert one.waste_money == rounded(Fraction(one.waste_bytes * 120, SIX_TB), "EUR")


def test_that_what_nobody_told_is_not_counted_and_said_so() -> None:
    found = space(design(dataset("a"), dataset("b", data=TIB)))
    one = of(found, "a")
    assert one.used is None
    assert found.uncounted == ("a",)
    assert any("unknown" in note for note in one.notes)
    assert found.used.typical == pytest.approx(typical(found, "b"))


def test_that_a_thick_volume_is_charged_whole_and_a_thin_one_what_lies_in_it() -> None:
    thick = space(design(dataset("v", volume=TIB)))
    # refreservation of 1 TiB at 16K on this pool, as OpenZFS 2.3.2 set it
    assert typical(thick, "v") == 1_190_011_146_496
    assert thick.fixed_bytes == 1_190_011_146_496
    thin = space(design(dataset("v", volume=TIB, data=10 * GIB, refreservation="none")))
    assert 10 * GIB < typical(thin, "v") < 11 * GIB
    assert thin.fixed_bytes == 0


def test_that_data_beyond_the_size_of_a_volume_do_not_fit() -> None:
    found = space(design(dataset("v", volume=GIB, data=TIB, refreservation="none")))
    one = of(found, "v")
    assert any("less than" in note for note in one.notes)
    assert typical(found, "v") < 1.2 * GIB


def test_that_a_reservation_holds_for_all_below_it() -> None:
    plain = space(design(dataset("a"), dataset("a/b", data=TIB)))
    held = space(design(dataset("a", reservation="3T"), dataset("a/b", data=TIB)))
    assert held.used.typical == pytest.approx(3 * TIB)
    assert plain.used.typical < 1.1 * TIB
    enough = space(design(dataset("a", reservation="100G"), dataset("a/b", data=TIB)))
    assert enough.used.typical == pytest.approx(plain.used.typical)


def test_that_limits_and_reservations_nest_in_what_is_promised_and_reserved() -> None:
    made = design(
        dataset("homes", quota="4T", reservation="1T"),
        dataset("homes/a", refquota="3T", refreservation="512G"),
        dataset("homes/b", refquota="9T"),
        dataset("free", data=TIB),
        dataset("guests", quota="1T"),
        dataset("guests/thin", volume=20 * TIB, volblocksize="128K", refreservation="none"),
        dataset("thick", volume=2 * TIB, volblocksize="128K", refreservation="auto"),
    )
    told = promises_of_design(made)
    stored = of(predict_space(made, predict_design(made)), "free").used
    assert stored is not None
    volumes = 22 * TIB * (1 + 2 / 1023 * 2)  # and pointers: two copies of a thousandth of the blocks
    assert told.promised_bytes == pytest.approx(4 * TIB + stored.typical + volumes, rel=1e-2)
    assert told.reserved_bytes == pytest.approx(3 * TIB, rel=1e-2)
    assert told.thin_bytes == pytest.approx(20 * TIB, rel=1e-2)
    assert told.percent == -(-100 * told.promised_bytes // told.usable_bytes)
    assert predict_space(design(dataset("free", data=TIB)), predict_design(made)).promises is None


def promises_of_design(made: Design) -> Promises:
    found = predict_space(made, predict_design(made)).promises
    assert found is not None
    return found


def test_that_compressible_data_take_less_with_a_wide_band() -> None:
    made = design(dataset("a", data=TIB), workload=Workload(goal=Goal.SAFETY, compressible=True))
    one = of(space(made), "a")
    assert one.used is not None
    # A block of 64K takes 24 sectors of 4096 bytes where one of 128K takes 45: padding eats a part of the gain.
    assert one.used.low == pytest.approx(TIB * 24 / 45, rel=0.01)
    assert one.used.typical == pytest.approx(TIB / 1.5, rel=0.03)
    assert one.used.high == pytest.approx(TIB / 1.2, rel=0.05)
    told = of(predict_space(made, predict_design(made), compress_ratio=1.8), "a")
    assert told.used is not None
    assert told.used.typical == pytest.approx(TIB / 1.8, rel=0.05)


def test_that_unknown_compressibility_counts_every_byte_and_says_so() -> None:
    one = of(space(design(dataset("a", data=TIB), workload=Workload(goal=Goal.SAFETY))), "a")
    assert one.used is not None
    assert one.used.typical == pytest.approx(TIB, rel=0.01)
    assert one.used.low < 0.75 * TIB
    assert any("compresses is unknown" in note for note in one.notes)


def test_that_the_datasets_own_workload_goes_before_the_pools() -> None:
    of_pool = Workload(goal=Goal.SAFETY, compressible=False, typical_file_bytes=4096)
    own = Workload(goal=Goal.SAFETY, compressible=False, typical_file_bytes=GIB)
    made = design(replace(dataset("films", data=TIB), workload=own), dataset("mail", data=TIB), workload=of_pool)
    found = space(made)
    assert typical(found, "films") < 1.01 * TIB
    assert typical(found, "mail") > 2 * TIB


def test_that_a_smaller_volume_block_takes_more_of_the_disks_for_the_same_data() -> None:
    found = volume_blocks(predict_pool((parse_spec("raidz2:8x6TB"),), ashift=12, version=ZfsVersion(2, 3, 2)))
    least = found[0]
    assert [block.block_bytes for block in found] == list(VOLUME_BLOCKS)
    assert least.disk_bytes == pytest.approx(least.block_bytes / least.efficiency, abs=1)
    assert next(b for b in found if b.block_bytes == 8 * KIB).disk_bytes == 24 * KIB  # two sectors, parity, padding
    shares = [block.disk_bytes / block.block_bytes for block in found]
    assert shares == sorted(shares, reverse=True)
    assert all(block.nominal == 0.75 >= block.efficiency for block in found)


def test_that_volume_blocks_reach_a_special_vdev_since_2_4_only() -> None:
    made = design(
        dataset("", special_small_blocks="32K", compression="off"),
        dataset("v", volume=100 * GIB, data=100 * GIB, refreservation="none"),
    )
    flash = tuple(Disk(key=f"s{n}", size_bytes=960_197_124_096) for n in range(2))
    special = Vdev(
        kind=VdevKind.MIRROR, vdev_class=VdevClass.SPECIAL, members=tuple(Member(disk_key=d.key) for d in flash)
    )
    made = replace(made, disks=(*made.disks, *flash), vdevs=(*made.vdevs, special))
    old, new = (space(replace(made, version=version)) for version in (ZfsVersion(2, 3, 9), ZfsVersion(2, 4, 0)))
    assert old.usage.special.typical < GIB
    assert new.usage.special.typical > 99 * GIB


@pytest.mark.parametrize(
    "bad", [{"recordsize": "5000"}, {"copies": "9"}, {"special_small_blocks": "x"}, {"refreservation": "much"}]
)
def test_that_a_value_that_is_none_is_refused_with_the_dataset(bad: dict[str, str]) -> None:
    given_values = tuple(setting(name, value) for name, value in bad.items())
    made = design(replace(dataset("a/b", data=MIB), settings=given_values))
    with pytest.raises(UserError) as caught:
        space(made)
    assert caught.value.where == "tank/a/b"


def test_that_a_quota_below_the_data_is_told() -> None:
    one = of(space(design(dataset("a", data=TIB, quota="500G"))), "a")
    assert any("quota" in note for note in one.notes)


def dates(found: FillForecast) -> list[date]:
    return [day for day in (found.earliest, found.typical, found.latest) if day is not None]


def years(found: FillForecast) -> float:
    return found.years or 0.0


def filled(used: int, growth: float, band: tuple[int, int] | None = None) -> FillForecast:
    return forecast(used_bytes=used, available_bytes=100 * TIB, growth=growth, today=TODAY, used_band=band)


def test_that_the_date_of_80_percent_comes_earlier_with_more_data() -> None:
    little, much = (space(design(dataset("a", data=n * TIB))).full_at(20, TODAY) for n in (5, 15))
    assert TODAY < dates(much)[0] < dates(much)[1] < dates(much)[2]
    assert dates(much)[1] < dates(little)[1]
    # 15 TiB of 24.7 TiB (80 % of 30.9): ln(1.649) / ln(1.2) = 2.74 years
    assert years(much) == pytest.approx(2.74, abs=0.03)


def test_that_doubling_each_year_fills_from_a_fifth_to_four_fifths_in_two_years() -> None:
    sure, unsure = (filled(20 * TIB, 100, band) for band in (None, (10 * TIB, 40 * TIB)))
    assert years(sure) == pytest.approx(2, rel=1e-9)
    assert sure.typical == unsure.typical == date(2028, 11, 19)
    assert TODAY < dates(unsure)[0] < dates(sure)[0] < date(2028, 11, 19) < dates(sure)[2] < dates(unsure)[2]


@pytest.mark.parametrize(("used", "growth"), [(TIB, 0), (0, 30)])
def test_that_what_never_fills_has_no_date(used: int, growth: float) -> None:
    found = filled(used, growth)
    assert (found.reached, found.years, found.typical) == (False, None, None)


def test_that_the_earliest_day_is_today_where_it_may_be_full_already() -> None:
    found = filled(70 * TIB, 10, (60 * TIB, 85 * TIB))
    assert (found.reached, found.earliest) == (False, TODAY)


def test_that_a_reserved_volume_does_not_grow() -> None:
    growth = 20
    thick = space(design(dataset("v", volume=15 * TIB))).full_at(growth, TODAY)
    assert thick.typical is None
    assert not thick.reached
    full = space(design(dataset("v", volume=30 * TIB))).full_at(growth, TODAY)
    assert full.reached


RECORDS = st.sampled_from(["4K", "16K", "128K", "1M"])
TREES = st.lists(st.tuples(st.integers(0, 4 * TIB), RECORDS, st.booleans()), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(TREES, st.integers(1, TIB))
def test_that_more_data_never_take_less_and_the_sum_is_that_of_the_parts(
    tree: list[tuple[int, str, bool]], more: int
) -> None:
    def made(extra: int) -> Design:
        return design(
            *(
                dataset(f"v{n}", volume=8 * TIB, data=data + extra, volblocksize=block, refreservation="none")
                if volume
                else dataset(f"f{n}", data=data + extra, recordsize=block)
                for n, (data, block, volume) in enumerate(tree)
            )
        )

    before, after = space(made(0)), space(made(more))
    for found in (before, after):
        used = [item.used for item in found.datasets if item.used is not None]
        assert found.used.typical == pytest.approx(sum(one.typical for one in used))
        assert all(one.low <= one.typical <= one.high for one in used)
    assert after.used.typical >= before.used.typical
    assert after.fill_percent.typical >= before.fill_percent.typical


def test_that_the_files_of_a_pool_are_those_of_datasets_that_were_told_nothing_else() -> None:
    told = Workload(goal=Goal.SAFETY, typical_file_bytes=MIB)
    silent = replace(told, typical_file_bytes=None)
    small = replace(told, typical_file_bytes=24 * KIB)

    def files(of_pool: Workload, own: Workload | None) -> int | None:
        made = replace(design(replace(dataset("a", data=GIB), workload=own)), workload=of_pool)
        (content,) = [item.content for item in contents_of(made) if item.dataset.name == "a"]
        assert content is not None
        return content.file_bytes

    assert files(told, None) == files(silent, told) == MIB
    assert files(told, small) == files(silent, small) == 24 * KIB
    # Its own data were told, and how large their files are was not.
    assert files(told, silent) is None
    assert files(silent, None) is None
    # Of several kinds of data the pool's files are those of one.
    several = replace(told, preset="nfs", presets_beside=("database",))
    assert files(several, None) is None
