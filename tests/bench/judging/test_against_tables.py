"""A run beside the documents' tables: only what is comparable, scaled as it says, and words where nothing is."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.bench.judging.made_runs import Made, bench_test, design_of, place_of, record_of, run_of

from poolwright.bench.judging.against_tables import AgainstTable, TableVerdict, against_tables, ratio_words, told_words
from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.verdict import judge
from poolwright.bench.profiles.catalogue import BUILT_IN
from poolwright.bench.record import BenchPlace, BenchTest, PlaceDisk, TestRun
from poolwright.domain.units import KIB, MB, MIB
from poolwright.predict.assumptions import Metric
from poolwright.table_library import load_shipped_tables

_BLOCK = 128 * KIB


def beside(
    tests: Mapping[str, tuple[BenchTest, float]], table: str | None, place: BenchPlace, **made: float
) -> TableVerdict:
    """Return what is said of tests that gave so many bytes/s, by a profile that names ``table``."""
    runs = tuple(_run(name, test, rate, place, **made) for name, (test, rate) in tests.items())
    record = record_of(runs, place)
    record = replace(record, profile=replace(record.profile, table=table))
    foretold = expected(record.profile, design_of(), None, place)
    return against_tables(record, judge(record, foretold), load_shipped_tables())


def _run(name: str, test: BenchTest, rate: float, place: BenchPlace, **made: float) -> TestRun:
    rated = test.metric in (Metric.SEQ_READ, Metric.SEQ_WRITE, None)
    value = rate if rated else rate / _BLOCK
    return run_of(replace(test, name=name), place, Made(value=value, spread=0.0, **made))  # type: ignore[arg-type]


def one(found: TableVerdict) -> AgainstTable:
    (row,) = found.rows
    return row


def stripe(disks: int) -> BenchPlace:
    place = place_of(disks)
    return replace(place, layout=tuple(f"disk {disk.name}" for disk in place.disks))


def test_that_the_row_of_the_same_layout_is_taken_as_it_is() -> None:
    row = one(beside({"read": (bench_test(Metric.SEQ_READ), 409 * MB)}, "pool_throughput", place_of()))
    assert (row.told, row.comparable, row.ratio) == pytest.approx((818 * MB, 818 * MB, 0.5))
    assert "as many data disks" in row.basis
    assert "Wikibook" in row.source


def test_that_another_number_of_data_disks_is_scaled_and_said() -> None:
    row = one(beside({"write": (bench_test(Metric.SEQ_WRITE), 300 * MB)}, "pool_throughput", place_of(5)))
    # raidz2:8 has six data disks and wrote 930 MB/s; here are three.
    assert (row.told, row.comparable) == (930 * MB, 465 * MB)
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
def test_that_nothing_is_compared_with_other_disks_or_other_vdevs(place: BenchPlace) -> None:
    found = beside({"read": (bench_test(Metric.SEQ_READ), 400 * MB)}, "pool_throughput", place)
    assert found.rows == ()
    assert found.why[-1].startswith("Nothing comparable was measured for “Sequential throughput of pools")


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
    assert (read.measured, read.told) == pytest.approx((0.05, 0.04))
    assert (write.measured, write.told) == pytest.approx((0.375, 0.75))
    assert "about" in told_words(write)
    assert {row.test for row in found.rows if row.table == "pool_throughput"} == {"read", "write"}


def test_that_a_sweep_is_told_by_how_much_it_grew_and_on_stripes_by_its_rates() -> None:
    def sweep() -> dict[str, tuple[BenchTest, float]]:
        test = bench_test(Metric.RAND_READ)
        return {f"randread-{jobs}": (replace(test, x=float(jobs)), rate * MB) for jobs, rate in ((1, 4), (250, 20))}

    row = one(beside(sweep(), "concurrency", place_of()))
    assert (row.measured, row.told) == pytest.approx((5.0, 1200 / 170))
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
    assert (row.measured, row.told) == pytest.approx((1.3, 1.15))
    assert "up to" in told_words(row)
    del tests["write-128k"]
    assert beside(tests, "recordsize", place_of()).why[0].startswith("Nothing comparable")


def test_that_synchronous_writes_are_held_against_those_with_or_without_a_log() -> None:
    test = bench_test(Metric.SYNC_WRITE)
    alone = one(beside({"sync-8": (test, 10 * MIB)}, "slog_sync", place_of()))
    assert (alone.comparable, alone.ratio) == pytest.approx((25 * MIB, 0.4))
    assert "not scaled" in alone.basis
    flash = PlaceDisk(name="nvme0n1", kernel_name="nvme0n1", rotational=False)
    place = place_of()
    logged = replace(place, has_log=True, layout=(*place.layout, "logs nvme0n1"), disks=(*place.disks, flash))
    both = {"sync-8": (test, 40 * MIB), "sync-8-without-log": (replace(test, metric=None), 5 * MIB)}
    with_log, past, factor = beside(both, "slog_sync", logged).rows
    assert (with_log.told, past.told) == (332 * MIB, 25 * MIB)
    assert (factor.measured, factor.told) == pytest.approx((8.0, 332 / 25))


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
    assert (before.told, after.told) == (162 * MB, 169 * MB)
    dd = one(beside({"write": (test, 80 * MIB)}, "final_array", place_of(6)))
    assert (dd.told, dd.ratio) == pytest.approx((80.9 * MIB, 80 / 80.9))


def test_that_every_table_a_profile_names_has_an_answer() -> None:
    shipped = load_shipped_tables()
    for known in BUILT_IN:
        found = beside({"other": (bench_test(None), 1e6)}, known.table, place_of())
        assert found.why, known.name
        assert all(name in shipped.names for name in found.tables)
