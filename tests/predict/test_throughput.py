"""Sequential rates: scaling, widths, limits, bands."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_benchmark.fixture import BenchmarkFixture

from poolwright.domain.disk import Media
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import GB, KIB, MB, MIB
from poolwright.domain.vdev import Layout, parse_spec
from poolwright.predict.assumptions import DEFAULT_LOAD, Circumstances, PoolLoad
from poolwright.predict.groups import groups_of
from poolwright.predict.media import UNKNOWN_HOST, DiskRates, HostCaps, disk_rates
from poolwright.predict.runs import Calibration, Run, make_run
from poolwright.predict.speed import SpeedPrediction, predict_speed, typical_speed
from poolwright.predict.throughput import Ability, Demand, ability

DISK = disk_rates(read_bytes_per_second=160.0 * MIB, write_bytes_per_second=130.0 * MIB)
ESTIMATES = ("seq_read", "seq_write", "rand_read_iops", "rand_write_iops", "sync_write_iops")


def layout(*specs: str) -> Layout:
    return tuple(parse_spec(spec) for spec in specs)


def of(
    *specs: str, disks: DiskRates = DISK, host: HostCaps = UNKNOWN_HOST, load: PoolLoad = DEFAULT_LOAD
) -> SpeedPrediction:
    return predict_speed(layout(*specs), disks=disks, host=host, load=load)


def test_that_one_disk_gives_its_own_rates() -> None:
    found = of("stripe:1x6TB")
    assert found.seq_read.typical == pytest.approx(160 * MIB, rel=0.05)
    assert found.seq_write.typical == pytest.approx(130 * MIB, rel=0.05)


def test_that_a_pool_grows_with_its_disks_but_less_than_they_do() -> None:
    rates = [of(f"stripe:{disks}x6TB").seq_read.typical / disks for disks in (1, 4, 8, 16, 40)]
    assert rates == sorted(rates, reverse=True)
    assert of("stripe:40x6TB").seq_read.typical > 2 * of("stripe:8x6TB").seq_read.typical


def test_that_several_narrow_raidz2_write_faster_than_a_wide_one_with_as_many_data_disks() -> None:
    narrow, wide = of(*["raidz2:8x6TB"] * 4), of("raidz2:26x6TB")
    assert narrow.seq_write.typical > 1.4 * wide.seq_write.typical
    assert narrow.seq_read.typical > wide.seq_read.typical


def _written(able: Ability) -> float:
    return sum(each.number * each.share for each in able.writers)


def test_that_more_parity_writes_slower_on_a_host_that_limits() -> None:
    rates = [of(f"raidz{p}:{20 + p}x6TB").seq_write.typical for p in (1, 2, 3)]
    assert rates == sorted(rates, reverse=True)


def test_that_large_records_stream_faster_and_small_ones_pay_padding() -> None:
    def at(record: int, spec: str = "stripe:40x6TB") -> SpeedPrediction:
        return of(spec, load=PoolLoad(record_bytes=record))

    assert 1.05 < at(1024 * KIB).seq_read.typical / at(128 * KIB).seq_read.typical < 1.35
    assert at(16 * KIB).seq_read.typical < at(128 * KIB).seq_read.typical
    one = groups_of(layout("raidz2:8x6TB"))
    small, nominal = ability(one, Demand(record_bytes=8 * KIB)), ability(one)
    assert _written(small) < _written(nominal) / 2


def test_that_the_network_is_a_ceiling_and_named_as_the_limit() -> None:
    found = of("raidz2:8x6TB", host=HostCaps(network_bytes_per_second=125.0 * MB))
    assert found.seq_read.high <= 125 * MB
    assert found.seq_read.limit == found.seq_write.limit == "network"
    assert [link.name for link in found.chain] == ["disks", "vdevs", "HBA", "CPU", "host", "network"]
    assert [link.name for link in found.chain if link.narrowest_read] == ["network"]


def test_that_a_slow_hba_is_named_and_counts_parity() -> None:
    slow = HostCaps(hba_bytes_per_second=600.0 * MB)
    mirrors, stripe = of(*["mirror:2x6TB"] * 8, host=slow), of("stripe:8x6TB", host=slow)
    assert mirrors.seq_write.limit == stripe.seq_write.limit == "HBA"
    assert mirrors.seq_write.typical < 300 * MB < stripe.seq_write.typical < 600 * MB


def test_that_an_unknown_host_is_an_assumption_and_widens_the_band_of_large_pools() -> None:
    small, large = of("stripe:1x6TB"), of("stripe:40x6TB")
    assert [link.assumed for link in large.chain if link.name == "host"] == [True]
    assert "assumed" in large.seq_write.limit
    assert large.seq_read.high / large.seq_read.low > 2 * small.seq_read.high / small.seq_read.low


@pytest.mark.parametrize(
    ("specs", "word"),
    [
        (("draid2:8d:24x6TB",), "dRAID"),
        (("raidz3:40x6TB",), "raidz of 40"),
        (("mirror:4x6TB",), "mirrors of 4"),
        (("stripe:100x6TB",), "100 disks"),
    ],
)
def test_that_reaching_beyond_the_tables_is_said_and_widens_the_band(specs: tuple[str, ...], word: str) -> None:
    found, usual = of(*specs), of("raidz2:8x6TB")
    assert word in " ".join(found.extrapolations)
    assert word in found.seq_read.origin.source
    assert "extrapolated" in found.sync_write_iops.origin.source
    assert not usual.extrapolations
    assert found.sync_write_iops.high / found.sync_write_iops.low > (
        usual.sync_write_iops.high / usual.sync_write_iops.low
    )


def test_that_a_told_disk_narrows_the_band_and_the_class_is_found_from_the_rate() -> None:
    told, guessed = of("stripe:1x6TB"), of("stripe:1x6TB", disks=disk_rates())
    assert told.seq_read.high / told.seq_read.low < guessed.seq_read.high / guessed.seq_read.low
    assert disk_rates(read_bytes_per_second=200.0 * MB).media is Media.HDD
    assert disk_rates(read_bytes_per_second=540.0 * MB).media is Media.SSD
    assert disk_rates(write_bytes_per_second=3.0 * GB).media is Media.NVME
    half = disk_rates(write_bytes_per_second=100.0 * MB)
    assert half.read_bytes_per_second > half.write_bytes_per_second == 100 * MB


def test_that_a_pool_without_data_vdevs_or_without_room_is_refused() -> None:
    with pytest.raises(UserError, match="no data vdev"):
        of("log/mirror:2x100GB")
    with pytest.raises(Refusal, match="no room"):
        of("raidz3:3x6TB")
    with pytest.raises(Refusal, match="no room"):
        of("draid1:4d:1s:5x6TB")


def test_that_support_vdevs_and_spares_add_nothing_to_sequential_rates() -> None:
    plain = of("raidz2:8x6TB")
    more = of("raidz2:8x6TB", "special/mirror:2x1TB", "cache/stripe:1x1TB", "spare/stripe:2x6TB")
    assert more.seq_read.typical == plain.seq_read.typical


kinds = st.sampled_from(["stripe", "mirror", "raidz1", "raidz2", "raidz3", "draid2:4d"])
vdevs = st.lists(st.tuples(kinds, st.integers(6, 60)), min_size=1, max_size=6)


@settings(deadline=None, max_examples=60)
@given(vdevs=vdevs, clients=st.none() | st.integers(1, 2000), record=st.integers(9, 24))
def test_that_every_band_holds_its_typical_value(
    vdevs: list[tuple[str, int]], clients: int | None, record: int
) -> None:
    specs = [f"{kind}:{width}x1TB" for kind, width in vdevs]
    found = of(*specs, load=PoolLoad(clients=clients, record_bytes=1 << record))
    for name in ESTIMATES:
        estimate = getattr(found, name)
        assert 0 < estimate.low < estimate.typical < estimate.high < math.inf, name
        assert estimate.limit
        assert estimate.origin.source


@settings(deadline=None, max_examples=40)
@given(kind=kinds, width=st.integers(6, 30), count=st.integers(1, 10))
def test_that_a_further_vdev_never_makes_a_pool_slower(kind: str, width: int, count: int) -> None:
    around = Circumstances(disks=DISK)
    fewer = typical_speed(groups_of(layout(*[f"{kind}:{width}x1TB"] * count)), around)
    more = typical_speed(groups_of(layout(*[f"{kind}:{width}x1TB"] * (count + 1))), around)
    assert all(b >= a for a, b in zip(fewer[:4], more[:4], strict=True))


def test_that_the_fast_way_gives_the_same_typical_values() -> None:
    specs = ("raidz2:8x6TB", "raidz2:8x6TB", "log/mirror:2x100GB")
    whole = predict_speed(layout(*specs), disks=DISK)
    fast = typical_speed(groups_of(layout(*specs)), Circumstances(disks=DISK), log_devices=1)
    assert fast == tuple(getattr(whole, name).typical for name in ESTIMATES)


def test_that_a_lone_raidz_of_flash_passes_less_than_a_stripe_on_a_host_known_from_a_stripe() -> None:
    ssd = disk_rates(read_bytes_per_second=500.0 * MB, write_bytes_per_second=450.0 * MB)
    runs = Calibration(runs=(make_run("stripe:16x1TB", "seq_write", "2.5GB/s", where="test"),))

    def write(*specs: str, host: HostCaps = UNKNOWN_HOST) -> float:
        return predict_speed(layout(*specs), disks=ssd, calibration=runs, host=host).seq_write.typical

    stripe = write("stripe:16x1TB")
    lone = [write(f"raidz{parity}:{14 + parity}x1TB") for parity in (1, 2, 3)]
    assert all(0.35 < rate / stripe < 0.7 for rate in lone)
    assert lone == sorted(lone, reverse=True)
    assert write("raidz1:8x1TB", "raidz1:8x1TB") > 1.2 * lone[0]
    assert write("raidz1:15x1TB", host=HostCaps(vector_parity=True)) > 1.2 * lone[0]


def test_that_the_expected_limit_of_a_host_does_not_double_with_its_disks() -> None:
    def host(disks: int) -> float:
        chain = predict_speed(layout(f"stripe:{disks}x1TB"), disks=disk_rates(media=Media.SSD)).chain
        return next(link.write_bytes_per_second or 0.0 for link in chain if link.name == "host")

    assert host(48) / host(24) == pytest.approx(2**0.5, rel=0.01)


def test_that_a_pair_read_by_one_thread_gives_what_was_measured_at_each_recordsize() -> None:
    pair = groups_of(layout("mirror:2x1TB"))
    for record, measured in ((4 * KIB, 1.04), (16 * KIB, 1.3), (128 * KIB, 1.76)):
        flash = Demand(record_bytes=record, media=Media.SSD)
        assert ability(pair, flash).read == pytest.approx(measured, rel=0.06)
        assert ability(pair, flash).read > ability(pair, Demand(record_bytes=record)).read > 1
    assert ability(pair, Demand(record_bytes=4 * KIB, clients=32, media=Media.SSD)).read > 1.7


@pytest.mark.bench
def test_that_a_thousand_layouts_take_a_blink(benchmark: BenchmarkFixture) -> None:
    pools = [groups_of(layout(*[f"raidz2:{w}x6TB"] * n)) for w in range(4, 24) for n in range(1, 51)]
    around = Circumstances(disks=DISK)
    benchmark(lambda: [typical_speed(pool, around) for pool in pools])
    assert benchmark.stats is not None
    assert benchmark.stats["median"] < 0.1


def test_that_a_full_pool_in_use_is_foretold_slower_than_a_new_one() -> None:
    """A pool 91 % full read 93 MB/s where 758 were foretold; the shares of the table give 103."""

    def of(fill: float, media: Media = Media.HDD, *, aged: bool = False) -> SpeedPrediction:
        load = PoolLoad(fill_percent=fill, aged=aged)
        return predict_speed(layout("raidz2:8x8TB"), disks=disk_rates(media=media), load=load)

    new, full, old = of(0), of(91), of(91, aged=True)
    assert old.seq_read.typical / new.seq_read.typical == pytest.approx(103 / 758, rel=0.3)
    assert full.seq_read.typical / new.seq_read.typical == pytest.approx(1 - 0.91 / 2, rel=0.2)
    assert old.seq_write.typical < full.seq_write.typical < new.seq_write.typical
    assert old.rand_write_iops.typical < full.rand_write_iops.typical < new.rand_write_iops.typical
    assert full.seq_read.low < old.seq_read.typical < full.seq_read.typical < old.seq_read.high
    assert of(70, aged=True).seq_read.typical == of(70).seq_read.typical
    assert of(91, Media.NVME, aged=True).seq_read.typical == of(0, Media.NVME).seq_read.typical


def test_that_a_run_on_a_full_pool_does_not_make_the_host_slow() -> None:
    specs, disks = layout("raidz2:8x8TB"), disk_rates(media=Media.HDD)
    there = PoolLoad(fill_percent=91, aged=True)
    slow = predict_speed(specs, disks=disks, load=there).seq_read.typical
    run = make_run("raidz2:8x8TB", "seq_read", f"{slow:.0f}B/s", where="here")
    fresh = predict_speed(specs, disks=disks).seq_read.typical

    def seen(run: Run, load: PoolLoad) -> float:
        return predict_speed(specs, disks=disks, load=load, calibration=Calibration(runs=(run,))).seq_read.typical

    told = replace(run, fill_percent=91)
    assert seen(told, PoolLoad()) == pytest.approx(fresh, rel=0.02)
    assert seen(told, there) == pytest.approx(slow, rel=0.02)
    assert seen(run, PoolLoad()) < 0.5 * fresh


def test_that_one_writer_on_flash_may_be_as_slow_as_the_slowest_host_that_was_measured() -> None:
    nvme = disk_rates(media=Media.NVME)
    one, many = (
        of("mirror:2x2TB", "mirror:2x2TB", "mirror:2x2TB", disks=nvme, load=PoolLoad(clients=n)) for n in (1, 32)
    )
    assert one.seq_write.low < 0.9 * many.seq_write.low


def test_that_many_ssds_read_no_faster_than_hosts_let_through() -> None:
    """Pools of ten and more SSDs gave half of what was foretold."""
    ssd = disk_rates(media=Media.SSD)
    assert of("raidz2:12x1TB", disks=ssd).seq_read.typical < 1.9e9
