"""Operations a second: which disks a request takes, clients, the intent log."""

import csv
import io

import pytest
from tests.cases import cases
from tests.predict.published import PUBLISHED, Row
from tests.predict.shipped import layout, table

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.units import KIB, MB, MIB, TB
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.groups import groups_of, vdevs_of
from poolwright.predict.measured_runs import Calibration, make_run
from poolwright.predict.media import UNKNOWN_HOST, HostCaps, disk_rates
from poolwright.predict.speed import SpeedPrediction, predict_speed
from poolwright.predict.throughput import reads_at_once

THESIS_DISK = disk_rates(read_bytes_per_second=160.0 * MIB, write_bytes_per_second=130.0 * MIB, iops=259.0)
THESIS_LOG = disk_rates(media=Media.SSD, read_bytes_per_second=386.0 * MIB, write_bytes_per_second=367.0 * MIB)
MIB_OF_RECORDS = MIB / (128 * KIB)


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
        groups = groups_of(layout(f"{row['spec']}x1TB"))
        reads = 250 * sum(g.count * reads_at_once(g, 128 * KIB) for g in groups)
        assert reads == pytest.approx(float(row["read_iops"]), rel=0.1), row["spec"]
        assert 250.0 * vdevs_of(groups) == float(row["write_iops"]), row["spec"]


def test_that_the_concurrency_curve_of_the_thesis_is_met() -> None:
    few, many, most = thesis(clients=10), thesis(clients=250), thesis(clients=1000)
    assert few.rand_read_iops.typical / MIB_OF_RECORDS == pytest.approx(170, rel=0.05)
    assert many.rand_read_iops.typical / MIB_OF_RECORDS == pytest.approx(1200, rel=0.08)
    assert most.rand_read_iops.typical == pytest.approx(many.rand_read_iops.typical, rel=0.15)
    assert few.rand_write_iops.typical / MIB_OF_RECORDS == pytest.approx(1600, rel=0.08)
    assert many.rand_write_iops.typical / MIB_OF_RECORDS == pytest.approx(2600, rel=0.08)


def reads(specs: str, clients: int | None, media: Media = Media.HDD, request_bytes: int | None = None) -> Estimate:
    found = predict_speed(
        layout(specs), disks=disk_rates(media=media), load=PoolLoad(clients=clients, request_bytes=request_bytes)
    )
    return found.rand_read_iops


def test_that_one_read_of_a_raidz2_of_8_as_measured_over_nfs_lies_in_the_band() -> None:
    found = reads("raidz2:8x8TB", 1)
    assert found.low < 1 / 0.024 < found.high


def test_that_four_readers_on_eight_nvme_drives_give_about_what_was_published() -> None:
    """openzfs/zfs#16993: 13,100 reads of 4K a second from four readers on four pairs, records of 128K."""
    assert reads("4*mirror:2x2TB", 4, Media.NVME, request_bytes=4 * KIB).typical == pytest.approx(13_100, rel=0.25)


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


MODERN = HostCaps(vector_parity=True)


def of(
    specs: str, media: Media, terabytes: int, *, record: int = 128 * KIB, host: HostCaps = MODERN
) -> SpeedPrediction:
    vdevs = layout(*[f"{part}x{terabytes}TB" for part in specs.split()])
    disks = disk_rates(media=media, size_bytes=terabytes * TB)
    return predict_speed(vdevs, disks=disks, load=PoolLoad(record_bytes=record), host=host)


@pytest.mark.parametrize("row", PUBLISHED, ids=[f"{row.host}-{number}" for number, row in enumerate(PUBLISHED)])
def test_that_a_published_pool_lies_in_the_band(row: Row) -> None:
    host = MODERN if row.vector else UNKNOWN_HOST
    found = predict_speed(row.layout, disks=row.disks, load=PoolLoad(record_bytes=row.record_bytes), host=host)
    estimate = found.seq_read if row.reading else found.seq_write
    assert estimate.low < row.rate < estimate.high


@pytest.mark.parametrize(("specs", "media", "size", "read", "write"), cases(__file__, "headlines"))
def test_that_the_headline_of_an_ordinary_machine_is_none_to_laugh_at(
    specs: str, media: str, size: int, read: list[int], write: list[int]
) -> None:
    found = of(specs, Media(media), size)
    assert read[0] < found.seq_read.typical / MB < read[1]
    assert write[0] < found.seq_write.typical / MB < write[1]
    for estimate in (found.seq_read, found.seq_write):
        assert not estimate.cannot_tell
