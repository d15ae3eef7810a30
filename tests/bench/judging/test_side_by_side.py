"""Runs side by side, in per cent and over time."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from tests.bench.judging.made_runs import Made, band, bench_test, design_of, expectation, place_of, record_of, run_of

from poolwright.bench.charts import over_time_chart, per_cent_chart, run_names
from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.side_by_side import MOST_RUNS, alike, in_order, side_by_side
from poolwright.bench.judging.table_comparison import (
    TableComparison,
    TableVerdict,
    compare_with_tables,
    documented_text,
    ratio_words,
)
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Judgement, median_within, spread
from poolwright.bench.profiles.catalogue import BUILT_IN
from poolwright.bench.record import BenchTarget, BenchTest, Repeat, RunRecord, TargetDisk, TestRun
from poolwright.domain.errors import UserError
from poolwright.domain.units import KIB, MB, MIB
from poolwright.predict.measured_runs import Metric
from poolwright.table_library import load_shipped_tables

TESTS = (Metric.SEQ_READ, Metric.RAND_READ)


def run(read: float, iops: float, *, hour: int = 0, spread: float = 0.02) -> RunRecord:
    values = zip(TESTS, (read, iops), strict=True)
    tests = [run_of(bench_test(metric), place_of(), Made(value=value, spread=spread)) for metric, value in values]
    made = record_of(tests, place_of())
    return replace(made, started=made.started + timedelta(hours=hour))


def test_that_each_run_is_told_in_per_cent_of_the_first() -> None:
    read, random = side_by_side((run(1e9, 200), run(1.5e9, 198), run(5e8, 400)))
    assert [round(read.percent(number) or 0) for number in range(3)] == [0, 50, -50]
    assert [round(random.percent(number) or 0) for number in range(3)] == [0, -1, 100]
    assert (read.told(1), random.told(1), random.told(2)) == (True, False, True)


def test_that_a_test_that_one_run_does_not_have_is_told_without_a_per_cent() -> None:
    whole = run(1e9, 200)
    short = replace(whole, tests=whole.tests[:1])
    _, random = side_by_side((whole, short))
    assert random.found[1] is None
    assert random.percent(1) is None
    assert not random.told(1)


def test_that_one_run_and_many_of_several_profiles_do_not_stand_side_by_side() -> None:
    with pytest.raises(UserError):
        side_by_side([run(1e9, 200)])
    other = run(1e9, 200)
    other = replace(other, profile=replace(other.profile, name="another"))
    with pytest.raises(UserError, match="side by side"):
        side_by_side([*[run(1e9, 200)] * MOST_RUNS, other])
    assert len(side_by_side([run(1e9, 200)] * 20)[0].found) == 20


def test_that_the_chart_has_a_bar_for_each_run_but_the_first() -> None:
    runs = (run(1e9, 200), run(1.5e9, 198, hour=1))
    chart = per_cent_chart(side_by_side(runs), run_names(runs))
    assert chart is not None
    (series,) = chart.series
    assert series.name == "Made run, 2026-11-23 10:00"
    assert [(mark.y, round(mark.x), mark.label) for mark in series.marks] == [
        (0, 50, "+50.0 %"),
        (1, -1, "-1.0 %, within the spread"),
    ]


def test_that_runs_over_time_stand_in_their_order_with_their_whiskers() -> None:
    runs = in_order([run(2e9, 100, hour=5), run(1e9, 200), run(1.5e9, 150, hour=2)])
    assert alike(runs)
    chart = over_time_chart(side_by_side(runs), runs)
    assert chart is not None
    read, random = chart.series
    assert [round(mark.y) for mark in read.marks] == [100, 150, 200]
    assert [round(mark.y) for mark in random.marks] == [100, 75, 50]
    assert [text for _, text in chart.x.ticks] == ["09:00", "11:00", "14:00"]
    assert all((mark.low or 0) < mark.y < (mark.high or 0) for mark in read.marks)


def of(value: float, *, repeats: int = 3, seconds: int = 60, spread: float = 0.02) -> RunRecord:
    made = Made(value=value, repeats=repeats, seconds=seconds, spread=spread)
    return record_of([run_of(bench_test(Metric.SEQ_READ), place_of(), made)], place_of())


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (of(2e9, repeats=1), "fewer than 3 repeats"),
        (of(2e9, repeats=2), "fewer than 3 repeats"),
        (of(2e9, seconds=1), "repeats of 1.0 s only"),
        (of(2e9, spread=0.9), "repeats differ by 90 %"),
        (
            replace(of(2e9), place=place_of(activity="scrub in progress")),
            "disturbed. Not at rest before the run: scrub in progress.",
        ),
    ],
)
def test_that_a_difference_nobody_can_tell_is_called_none(other: RunRecord, why: str) -> None:
    for runs in ((of(1e9), other), (other, of(1e9))):
        (test,) = side_by_side(runs)
        assert test.percent(1) is not None
        assert not test.told(1)
        assert why in test.doubt(1)
        chart = per_cent_chart((test,), run_names(runs))
        assert chart is not None
        (mark,) = chart.series[0].marks
        assert mark.label.endswith(" %, cannot be judged"), "beside the bar there is no room for why"
        assert why in mark.told


def test_that_three_values_just_apart_from_three_are_within_the_spread() -> None:
    # One pair in ten of equal pools lies apart by chance: the medians have to differ by more than the repeats do.
    (test,) = side_by_side((of(1e9, spread=0.10), of(1.105e9, spread=0.10)))
    assert test.found[0] is not None
    assert test.found[1] is not None
    assert test.found[0].most < test.found[1].least * 1.001
    assert not test.doubt(1)
    assert not test.told(1) or test.found[1].least > test.found[0].most


@pytest.mark.parametrize("count", [6, 9, 10, 15, 30])
def test_that_the_median_of_all_runs_lies_between_them_in_95_of_100_cases(count: int) -> None:
    chance = np.random.default_rng(count)
    held = 0
    for _ in range(2000):
        found = spread(chance.lognormal(0, 0.3, count).tolist())
        assert found is not None
        low, high = median_within(found)
        held += low <= 1.0 <= high
    assert held >= 0.94 * 2000


def test_that_ten_repeats_that_leave_it_open_are_not_told_to_be_ten() -> None:
    test, place, estimate = bench_test(Metric.SEQ_WRITE), place_of(), band(Metric.SEQ_WRITE)
    repeats: list[Repeat] = []
    for number in range(10):
        made = Made(value=(0.8 + 0.05 * number) * estimate.low, repeats=1, spread=0.0)
        repeats.append(replace(run_of(test, place, made, number + 1).repeats[0], number=number + 1))
    run = replace(run_of(test, place, Made(value=1e9)), repeats=tuple(repeats))
    found = judge(record_of((run,), place), {test.name: expectation(Metric.SEQ_WRITE)}).tests[0]
    assert found.judgement is Judgement.CANNOT_TELL
    assert "longer" in found.next_steps[0]


_BLOCK = 128 * KIB


def beside(
    tests: Mapping[str, tuple[BenchTest, float]], table: str | None, place: BenchTarget, **made: float
) -> TableVerdict:
    """Return what is said of tests that gave so many bytes/s, by a profile that names ``table``."""
    runs = tuple(_run(name, test, rate, place, **made) for name, (test, rate) in tests.items())
    record = record_of(runs, place)
    record = replace(record, profile=replace(record.profile, table=table))
    expectation = expected(record.profile, design_of(), None, place)
    return compare_with_tables(record, judge(record, expectation), load_shipped_tables())


def _run(name: str, test: BenchTest, rate: float, place: BenchTarget, **made: float) -> TestRun:
    rated = test.metric in (Metric.SEQ_READ, Metric.SEQ_WRITE, None)
    value = rate if rated else rate / _BLOCK
    return run_of(replace(test, name=name), place, Made(value=value, spread=0.0, **made))  # type: ignore[arg-type]


def one(found: TableVerdict) -> TableComparison:
    (row,) = found.rows
    return row


def stripe(disks: int) -> BenchTarget:
    place = place_of(disks)
    return replace(place, layout=tuple(f"disk {disk.name}" for disk in place.disks))


def test_that_the_row_of_the_same_layout_is_taken_as_it_is() -> None:
    row = one(beside({"read": (bench_test(Metric.SEQ_READ), 409 * MB)}, "pool_throughput", place_of()))
    assert (row.documented, row.comparable, row.ratio) == pytest.approx((818 * MB, 818 * MB, 0.5))
    assert "as many data disks" in row.basis
    assert "Wikibook" in row.source


def test_that_another_number_of_data_disks_is_scaled_and_said() -> None:
    row = one(beside({"write": (bench_test(Metric.SEQ_WRITE), 300 * MB)}, "pool_throughput", place_of(5)))
    # raidz2:8 has six data disks and wrote 930 MB/s; here are three.
    assert (row.documented, row.comparable) == (930 * MB, 465 * MB)
    assert "6 data disks scaled to 3" in row.basis
    assert ratio_words(row) == "0.65"


@pytest.mark.parametrize(
    "place",
    [
        replace(place_of(), disks=tuple(replace(disk, rotational=False) for disk in place_of().disks)),
        replace(place_of(), disks=tuple(replace(disk, rotational=None) for disk in place_of().disks)),
        replace(place_of(), layout=("draid2:4d:8c:0s-0 sda sdb sdc sdd sde sdf sdg sdh",)),
        replace(place_of(), layout=("raidz2-0 sda sdb sdc sdd sde", "mirror-1 sdf sdg")),
        replace(place_of(), pool=None, dataset=None, filesystem="ext4", layout=(), disks=()),
    ],
)
def test_that_nothing_is_compared_with_other_disks_or_other_vdevs(place: BenchTarget) -> None:
    found = beside({"read": (bench_test(Metric.SEQ_READ), 400 * MB)}, "pool_throughput", place)
    assert found.rows == ()
    assert found.why[-1].startswith("Nothing comparable was measured for “Sequential throughput of")


def test_that_what_memory_answered_is_not_compared() -> None:
    tests = {"read": (bench_test(Metric.SEQ_READ), 400 * MB)}
    found = beside(tests, "pool_throughput", place_of(), memory=0.9)
    assert found.rows == ()
    assert "served from memory" in found.why[0]


def test_that_random_is_told_as_a_share_of_sequential_whatever_the_layout() -> None:
    tests = {
        "read": (bench_test(Metric.SEQ_READ), 400 * MB),
        "randread": (bench_test(Metric.RAND_READ), 20 * MB),
        "write": (bench_test(Metric.SEQ_WRITE), 400 * MB),
        "randwrite": (bench_test(Metric.RAND_WRITE), 150 * MB),
    }
    found = beside(tests, "random_access", place_of())
    read, write = (row for row in found.rows if row.table == "random_access")
    assert (read.measured, read.documented) == pytest.approx((0.05, 0.04))
    assert (write.measured, write.documented) == pytest.approx((0.375, 0.75))
    assert "about" in documented_text(write)
    assert {row.test for row in found.rows if row.table == "pool_throughput"} == {"read", "write"}


def test_that_a_sweep_is_told_by_how_much_it_grew_and_on_stripes_by_its_rates() -> None:
    def sweep() -> dict[str, tuple[BenchTest, float]]:
        test = bench_test(Metric.RAND_READ)
        return {f"randread-{jobs}": (replace(test, x=float(jobs)), rate * MB) for jobs, rate in ((1, 4), (250, 20))}

    row = one(beside(sweep(), "concurrency", place_of()))
    assert (row.measured, row.documented) == pytest.approx((5.0, 1200 / 170))
    few, many, grown = beside(sweep(), "concurrency", stripe(11)).rows
    assert few.comparable == pytest.approx(170 * MIB / 4)
    assert many.comparable == pytest.approx(1200 * MIB / 4)
    assert not grown.is_rate


def test_that_larger_records_are_held_against_those_of_128_kib() -> None:
    test = bench_test(None)
    sizes = {64: 90, 128: 100, 512: 130, 1024: 120}
    tests = {f"write-{size}k": (replace(test, x=float(size * KIB)), rate * MB) for size, rate in sizes.items()}
    row = one(beside(tests, "recordsize", place_of()))
    assert row.test == "write-512k"
    assert (row.measured, row.documented) == pytest.approx((1.3, 1.15))
    assert "up to" in documented_text(row)
    del tests["write-128k"]
    assert beside(tests, "recordsize", place_of()).why[0].startswith("Nothing comparable")


def test_that_synchronous_writes_are_held_against_those_with_or_without_a_log() -> None:
    test = bench_test(Metric.SYNC_WRITE)
    alone = one(beside({"sync-8": (test, 10 * MIB)}, "slog_sync", place_of()))
    assert (alone.comparable, alone.ratio) == pytest.approx((25 * MIB, 0.4))
    assert "not scaled" in alone.basis
    flash = TargetDisk(name="nvme0n1", kernel_name="nvme0n1", rotational=False)
    place = place_of()
    logged = replace(place, has_log=True, layout=(*place.layout, "logs nvme0n1"), disks=(*place.disks, flash))
    both = {"sync-8": (test, 40 * MIB), "sync-8-without-log": (replace(test, metric=None), 5 * MIB)}
    with_log, past, factor = beside(both, "slog_sync", logged).rows
    assert (with_log.documented, past.documented) == (332 * MIB, 25 * MIB)
    assert (factor.measured, factor.documented) == pytest.approx((8.0, 332 / 25))


def test_that_passes_need_a_cache_device_and_fills_end_near_the_brim() -> None:
    test = bench_test(None)
    passes = {f"pass-{n}": (replace(test, x=float(n)), n * 10 * MB) for n in (1, 2, 3)}
    assert beside(passes, "l2arc", place_of()).rows == ()
    cached = replace(place_of(), layout=(*place_of().layout, "cache nvme0n1"))
    assert one(beside(passes, "l2arc", cached)).measured == pytest.approx(3.0)
    levels = {f"write-{n}": (replace(test, x=float(n)), (100 - n) * MB) for n in (10, 50, 90)}
    assert one(beside(levels, "fill_level", place_of())).measured == pytest.approx(10 / 90)
    del levels["write-90"]
    assert beside(levels, "fill_level", place_of()).rows == ()


def test_that_the_blogs_are_compared_on_their_own_layouts() -> None:
    test = bench_test(Metric.SEQ_WRITE)
    mirrors = replace(place_of(8), layout=("mirror-0 sda sdb", "mirror-1 sdc sdd"))
    before, after = beside({"write-4g-no-cache": (test, 160 * MB)}, "tunables_before_after", mirrors).rows
    assert (before.documented, after.documented) == (162 * MB, 169 * MB)
    dd = one(beside({"write": (test, 80 * MIB)}, "final_array", place_of(6)))
    assert (dd.documented, dd.ratio) == pytest.approx((80.9 * MIB, 80 / 80.9))


def test_that_every_table_a_profile_names_has_an_answer() -> None:
    shipped = load_shipped_tables()
    for known in BUILT_IN:
        found = beside({"other": (bench_test(None), 1e6)}, known.table, place_of())
        assert found.why, known.name
        assert all(name in shipped.names for name in found.tables)
