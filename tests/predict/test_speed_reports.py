"""Headlines of ordinary machines, and the bands of pools that people measured and published."""

import pytest
from tests.predict.published import PUBLISHED, Row

from poolwright.domain.disk import Media
from poolwright.domain.units import KIB, MB, TB
from poolwright.domain.vdev import parse_spec
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.media import UNKNOWN_HOST, HostCaps, disk_rates
from poolwright.predict.speed import SpeedPrediction, predict_speed

MODERN = HostCaps(vector_parity=True)


def of(
    specs: str, media: Media, terabytes: int, *, record: int = 128 * KIB, host: HostCaps = MODERN
) -> SpeedPrediction:
    layout = []
    for part in specs.split():
        count, _, spec = part.rpartition("*")
        layout += [parse_spec(f"{spec}x{terabytes}TB")] * int(count or 1)
    disks = disk_rates(media=media, size_bytes=terabytes * TB)
    return predict_speed(tuple(layout), disks=disks, load=PoolLoad(record_bytes=record), host=host)


@pytest.mark.parametrize("row", PUBLISHED, ids=[f"{row.host}-{number}" for number, row in enumerate(PUBLISHED)])
def test_that_a_published_pool_lies_in_the_band(row: Row) -> None:
    host = MODERN if row.vector else UNKNOWN_HOST
    found = predict_speed(row.layout, disks=row.disks, load=PoolLoad(record_bytes=row.record_bytes), host=host)
    estimate = found.seq_read if row.reading else found.seq_write
    assert estimate.low < row.rate < estimate.high


@pytest.mark.parametrize(
    ("specs", "media", "size", "read", "write"),
    [
        ("raidz2:8", Media.HDD, 16, (700, 1400), (450, 1200)),
        ("6*mirror:2", Media.HDD, 8, (800, 2000), (500, 1100)),
        ("raidz1:4", Media.HDD, 4, (300, 550), (250, 500)),
        ("mirror:2", Media.HDD, 12, (250, 450), (150, 260)),
        ("raidz2:6", Media.HDD, 4, (350, 650), (300, 650)),
        ("raidz3:10", Media.HDD, 8, (600, 1400), (350, 1100)),
        ("3*raidz2:12", Media.HDD, 20, (2000, 5000), (1500, 4000)),
        ("6*raidz2:10", Media.HDD, 18, (3000, 7000), (2000, 5000)),
        ("5*raidz2:9", Media.HDD, 20, (2500, 6000), (1800, 4500)),
        ("mirror:2", Media.SSD, 1, (500, 900), (250, 450)),
        ("raidz1:8", Media.SSD, 1, (1200, 3000), (700, 2000)),
        ("12*mirror:2", Media.SSD, 4, (2000, 6000), (1500, 4000)),
        ("3*raidz2:8", Media.SSD, 4, (2000, 6000), (1500, 4000)),
        ("stripe:1", Media.NVME, 1, (1200, 3000), (900, 2000)),
        ("2*mirror:2", Media.NVME, 2, (2400, 6000), (1200, 3500)),
        ("raidz2:8", Media.NVME, 4, (3000, 9000), (1300, 4000)),
        ("6*mirror:2", Media.NVME, 8, (4000, 12000), (2000, 6000)),
    ],
)
def test_that_the_headline_of_an_ordinary_machine_is_none_to_laugh_at(
    specs: str, media: Media, size: int, read: tuple[int, int], write: tuple[int, int]
) -> None:
    found = of(specs, media, size)
    assert read[0] < found.seq_read.typical / MB < read[1]
    assert write[0] < found.seq_write.typical / MB < write[1]
    for estimate in (found.seq_read, found.seq_write):
        assert not estimate.cannot_tell
