"""Sequential rates: scaling, widths, limits, bands."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.predict.shipped import layout

from poolwright.domain.disk import Media
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import KIB, MB, MIB
from poolwright.predict.assumptions import DEFAULT_LOAD, PoolLoad, SpeedInputs
from poolwright.predict.groups import groups_of
from poolwright.predict.media import UNKNOWN_HOST, DiskRates, HostCaps, disk_rates
from poolwright.predict.speed import SpeedPrediction, predict_speed, typical_speed
from poolwright.predict.throughput import capability, rate_shares_when_full

DISK = disk_rates(read_bytes_per_second=160.0 * MIB, write_bytes_per_second=130.0 * MIB)
ESTIMATES = ("seq_read", "seq_write", "rand_read_iops", "rand_write_iops", "sync_write_iops")


def of(
    *specs: str, disks: DiskRates = DISK, host: HostCaps = UNKNOWN_HOST, load: PoolLoad = DEFAULT_LOAD
) -> SpeedPrediction:
    return predict_speed(layout(*specs), disks=disks, host=host, load=load)


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


def test_that_a_pool_without_data_vdevs_or_without_room_is_refused() -> None:
    with pytest.raises(UserError, match="needs a data vdev"):
        of("log/mirror:2x100GB")
    with pytest.raises(Refusal, match="no room"):
        of("raidz3:3x6TB")
    with pytest.raises(Refusal, match="no room"):
        of("draid1:4d:1s:5x6TB")


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
    inputs = SpeedInputs(disks=DISK)
    fewer = typical_speed(groups_of(layout(*[f"{kind}:{width}x1TB"] * count)), inputs)
    more = typical_speed(groups_of(layout(*[f"{kind}:{width}x1TB"] * (count + 1))), inputs)
    assert all(b >= a for a, b in zip(fewer[:4], more[:4], strict=True))


@pytest.mark.parametrize(
    ("media", "fill", "aged", "left"),
    [
        (Media.HDD, 0, True, (1, 1)), (Media.HDD, 50, True, (0.75, 0.75)), (Media.HDD, 100, False, (0.5, 0.5)),
        (Media.HDD, 81, True, (0.2975, 0.595 / 2**0.5)), (Media.HDD, 100, True, (0.125, 0.25)),
        (Media.SSD, 100, True, (1, 1)),
    ],
)  # fmt: skip
def test_that_a_full_disk_keeps_half_its_rates_and_an_aged_one_less_from_three_quarters_on(
    media: Media, fill: float, aged: bool, left: tuple[float, float]
) -> None:
    assert rate_shares_when_full(media, fill, aged=aged) == pytest.approx(left)


def test_that_the_fast_way_gives_the_same_typical_values() -> None:
    specs = ("raidz2:8x6TB", "raidz2:8x6TB", "log/mirror:2x100GB")
    whole = predict_speed(layout(*specs), disks=DISK)
    fast = typical_speed(groups_of(layout(*specs)), SpeedInputs(disks=DISK), log_devices=1)
    assert fast == tuple(getattr(whole, name).typical for name in ESTIMATES)


def test_that_a_pair_read_by_one_thread_gives_what_was_measured_at_each_recordsize() -> None:
    pair, ssd = groups_of(layout("mirror:2x1TB")), disk_rates(media=Media.SSD)
    for record, measured in ((4 * KIB, 1.04), (16 * KIB, 1.3), (128 * KIB, 1.76)):
        load = PoolLoad(record_bytes=record)
        flash = capability(pair, SpeedInputs(disks=ssd, load=load))
        assert flash.read == pytest.approx(measured, rel=0.06)
        assert flash.read > capability(pair, SpeedInputs(load=load)).read > 1
    assert capability(pair, SpeedInputs(disks=ssd, load=PoolLoad(record_bytes=4 * KIB, clients=32))).read > 1.7


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
