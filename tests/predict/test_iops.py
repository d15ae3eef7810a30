"""Operations a second: which disks a request takes, clients, the intent log."""

import csv
import io

import pytest
from tests.predict.shipped import table

from poolwright.domain.disk import Media
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import Layout, parse_spec
from poolwright.predict.circumstances import PoolLoad
from poolwright.predict.groups import groups_of
from poolwright.predict.iops import filled, reads_at_once, unbatched_writes
from poolwright.predict.media import disk_rates
from poolwright.predict.runs import Calibration, make_run
from poolwright.predict.speed import SpeedPrediction, predict_speed

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


def test_that_every_side_of_a_mirror_serves_reads() -> None:
    assert at_once("mirror:3x6TB") == 3
    assert at_once("stripe:7x6TB") == 7


def test_that_a_raidz_read_takes_all_data_disks_only_when_the_record_spans_them() -> None:
    assert at_once("raidz2:8x6TB") == pytest.approx(1)
    assert at_once("raidz2:8x6TB", 4 * KIB) == pytest.approx(8)
    assert 1 < at_once("raidz2:8x6TB", 8 * KIB) < 8
    assert at_once("raidz1:3x6TB", 8 * KIB) == pytest.approx(1)


def test_that_few_clients_leave_disks_idle_and_plenty_fill_them() -> None:
    shares = [filled(clients, 44, Media.HDD) for clients in (1, 10, 50, 250, 1000)]
    assert shares == sorted(shares)
    assert shares[0] < 0.02
    assert shares[-1] > 0.95
    assert filled(None, 44, Media.HDD) == 1
    assert thesis(clients=10).rand_read_iops.limit == "too few clients for the disks"


def test_that_the_concurrency_curve_of_the_thesis_is_met() -> None:
    few, many, most = thesis(clients=10), thesis(clients=250), thesis(clients=1000)
    assert few.rand_read_iops.typical / MIB_OF_RECORDS == pytest.approx(170, rel=0.05)
    assert many.rand_read_iops.typical / MIB_OF_RECORDS == pytest.approx(1200, rel=0.08)
    assert most.rand_read_iops.typical == pytest.approx(many.rand_read_iops.typical, rel=0.15)
    assert few.rand_write_iops.typical / MIB_OF_RECORDS == pytest.approx(1600, rel=0.08)
    assert many.rand_write_iops.typical / MIB_OF_RECORDS == pytest.approx(2600, rel=0.08)


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
