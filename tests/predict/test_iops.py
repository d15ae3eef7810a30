"""Operations a second: which disks a request takes, clients, the intent log."""

import csv
import io

import pytest
from tests.predict.shipped import table

from poolwright.domain.disk import Media
from poolwright.domain.steps import Estimate
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import Layout, parse_spec
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.groups import groups_of
from poolwright.predict.media import disk_rates
from poolwright.predict.runs import NO_RUNS, Calibration, make_run
from poolwright.predict.speed import SpeedPrediction, predict_speed
from poolwright.predict.throughput import hard_disk_reads, reads_at_once, unbatched_writes

THESIS_DISK = disk_rates(read_bytes_per_second=160.0 * MIB, write_bytes_per_second=130.0 * MIB, iops=259.0)
THESIS_LOG = disk_rates(media=Media.SSD, read_bytes_per_second=386.0 * MIB, write_bytes_per_second=367.0 * MIB)
MIB_OF_RECORDS = MIB / (128 * KIB)


def layout(*specs: str) -> Layout:
    return tuple(parse_spec(spec) for spec in specs)


def at_once(spec: str, record: int = 128 * KIB) -> float:
    return sum(g.count * reads_at_once(g, record) for g in groups_of(layout(spec)))


def thesis(*more: str, clients: int | None) -> SpeedPrediction:
    """Return the prediction for the thesis machine: 44 disks striped, its host known from the runs of table 2."""
    runs = (
        make_run("stripe:40x6TB", "seq_read", "3989MiB/s", where="table 2"),
        make_run("stripe:40x6TB", "seq_write", "3613MiB/s", where="table 2"),
    )
    return predict_speed(
        layout("stripe:44x6TB", *more),
        disks=THESIS_DISK,
        load=PoolLoad(clients=clients),
        calibration=Calibration(runs=runs),
        log=THESIS_LOG,
    )


def test_that_the_theoretical_table_of_the_wikibook_follows_from_the_model() -> None:
    rows = list(csv.DictReader(io.StringIO(table("pool_theory.csv"))))
    assert len(rows) == 31
    for row in rows:
        count, _, spec = row["spec"].rpartition("*")
        specs = [f"{spec}x1TB"] * int(count or 1)
        groups = groups_of(layout(*specs))
        reads = 250 * sum(g.count * reads_at_once(g, 128 * KIB) for g in groups)
        assert reads == pytest.approx(float(row["read_iops"]), rel=0.1), row["spec"]
        assert unbatched_writes(groups, disk_rates(iops=250.0)) == float(row["write_iops"]), row["spec"]


def test_that_a_raidz_read_takes_all_data_disks_only_when_the_record_spans_them() -> None:
    assert at_once("raidz2:8x6TB") == pytest.approx(1)
    assert at_once("raidz2:8x6TB", 4 * KIB) == pytest.approx(8)
    assert 1 < at_once("raidz2:8x6TB", 8 * KIB) < 8
    assert at_once("raidz1:3x6TB", 8 * KIB) == pytest.approx(1)


def test_that_few_clients_leave_disks_idle_and_plenty_fill_them() -> None:
    groups = groups_of(layout("stripe:44x6TB"))
    full = hard_disk_reads(groups, THESIS_DISK, 128 * KIB, None)
    shares = [hard_disk_reads(groups, THESIS_DISK, 128 * KIB, n) / full for n in (1, 10, 50, 250, 1000)]
    assert shares == sorted(shares)
    assert shares[0] < 0.02
    assert 0.95 < shares[-1] < 1
    assert thesis(clients=10).rand_read_iops.limit == "too few clients for the disks"


def test_that_the_concurrency_curve_of_the_thesis_is_met() -> None:
    few, many, most = thesis(clients=10), thesis(clients=250), thesis(clients=1000)
    assert few.rand_read_iops.typical / MIB_OF_RECORDS == pytest.approx(170, rel=0.05)
    assert many.rand_read_iops.typical / MIB_OF_RECORDS == pytest.approx(1200, rel=0.08)
    assert most.rand_read_iops.typical == pytest.approx(many.rand_read_iops.typical, rel=0.15)
    assert few.rand_write_iops.typical / MIB_OF_RECORDS == pytest.approx(1600, rel=0.08)
    assert many.rand_write_iops.typical / MIB_OF_RECORDS == pytest.approx(2600, rel=0.08)


def reads(specs: str, clients: int | None, media: Media = Media.HDD, request_bytes: int | None = None) -> Estimate:
    count, _, spec = specs.rpartition("*")
    vdevs = layout(*[spec] * int(count or 1))
    found = predict_speed(
        vdevs, disks=disk_rates(media=media), load=PoolLoad(clients=clients, request_bytes=request_bytes)
    )
    return found.rand_read_iops


@pytest.mark.parametrize("spec", ["raidz2:8x8TB", "raidz3:20x8TB", "raidz1:3x8TB", "draid2:8d:1s:21x8TB"])
def test_that_one_read_of_a_raidz_takes_little_longer_than_one_access_however_wide_it_is(spec: str) -> None:
    """All data disks seek at once: 63 and 156 ms were foretold for eight and twenty disks."""
    assert 1 / 0.012 < reads(spec, 1).typical < 1 / 0.0078


def test_that_one_read_of_a_raidz2_of_8_as_measured_over_nfs_lies_in_the_band() -> None:
    found = reads("raidz2:8x8TB", 1)
    assert found.low < 1 / 0.024 < found.high


def test_that_mirrors_beat_raidz_by_little_at_one_client_and_by_all_disks_at_a_full_queue() -> None:
    ratios = [
        reads("6*mirror:2x8TB", clients).typical / reads("raidz2:12x8TB", clients).typical
        for clients in (1, 2, 4, 8, 16, 64, None)
    ]
    assert ratios[0] == pytest.approx(1.4, abs=0.1)
    assert ratios == sorted(ratios)
    assert ratios[-1] == pytest.approx(12, rel=0.1)


def test_that_a_single_reader_of_flash_waits_for_each_read() -> None:
    """Three pairs of NVMe gave one client 2,850 and 5,400 a second; 82,545 were foretold."""
    found = reads("3*mirror:2x2TB", 1, Media.NVME)
    assert found.low < 2850 < found.typical < 5400 < found.high
    assert found.limit == "the time of one read: too few clients"


def test_that_four_readers_on_eight_nvme_drives_give_about_what_was_published() -> None:
    """openzfs/zfs#16993: 13,100 reads of 4K a second from four readers on four pairs, records of 128K."""
    assert reads("4*mirror:2x2TB", 4, Media.NVME, request_bytes=4 * KIB).typical == pytest.approx(13_100, rel=0.25)


def test_that_more_clients_and_larger_requests_use_more_of_the_disks() -> None:
    for media in Media:
        rates = [reads("4*mirror:2x2TB", clients, media).typical for clients in (1, 2, 8, 64, 100_000)]
        assert rates == sorted(rates)
        assert rates[-1] <= reads("4*mirror:2x2TB", None, media).typical * 1.1
        whole, eight = (reads("4*mirror:2x2TB", 1, media, request_bytes=size).typical for size in (128 * KIB, MIB))
        assert 8 * eight > 2 * whole  # the eight records of a request are asked for at once


def test_that_one_slow_reader_that_was_measured_does_not_slow_plenty_of_them_down() -> None:
    nvme = disk_rates(media=Media.NVME)
    run = make_run("3*mirror:2x2TB", "rand_read_iops", "1000", clients="1", where="here")

    def of(clients: int | None, calibration: Calibration = NO_RUNS) -> float:
        load = PoolLoad(clients=clients)
        specs = layout(*["mirror:2x2TB"] * 3)
        return predict_speed(specs, disks=nvme, load=load, calibration=calibration).rand_read_iops.typical

    seen = Calibration(runs=(run,))
    assert of(1, seen) == pytest.approx(1000, rel=0.15)
    assert of(4, seen) < 0.5 * of(4)
    assert of(None, seen) == of(None)


def test_that_synchronous_writes_of_the_thesis_are_met_with_and_without_log_device() -> None:
    inside, outside = thesis(clients=10), thesis("log/stripe:1x100GB", clients=10)
    assert inside.sync_write_iops.typical / MIB_OF_RECORDS == pytest.approx(25, rel=0.1)
    assert outside.sync_write_iops.typical / MIB_OF_RECORDS == pytest.approx(332, rel=0.05)
    assert "latency of the disks" in inside.sync_write_iops.limit
    assert "log device" in outside.sync_write_iops.limit


def test_that_random_writes_are_gathered_and_an_aged_pool_is_the_low_end() -> None:
    found = predict_speed(layout("raidz2:8x6TB"), disks=THESIS_DISK)
    assert found.rand_write_iops.typical > 5 * found.rand_read_iops.typical
    assert found.rand_write_iops.low <= 259


def test_that_flash_is_limited_by_its_rate_at_large_records_and_by_operations_at_small_ones() -> None:
    ssd = disk_rates(media=Media.SSD)
    large = predict_speed(layout("mirror:2x1TB"), disks=ssd)
    small = predict_speed(layout("mirror:2x1TB"), disks=ssd, load=PoolLoad(record_bytes=4 * KIB))
    assert large.rand_read_iops.limit == "sequential rate"
    assert small.rand_read_iops.typical > 4 * large.rand_read_iops.typical
