"""Headlines of ordinary machines, and pools that people measured and published.

No number was fitted to these rates; how the eight NVMe drives' raidz compare with their stripe tells what is expected
of vector code.
"""

import pytest

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import GB, GIB, KIB, MB, MIB, TB
from poolwright.domain.vdev import parse_spec
from poolwright.predict.caps import UNKNOWN_HOST, HostCaps
from poolwright.predict.circumstances import Load
from poolwright.predict.media import disk_rates
from poolwright.predict.number_words import CANNOT_TELL, Unit, speed_text
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
    return predict_speed(tuple(layout), disks=disks, load=Load(record_bytes=record), host=host)


@pytest.mark.parametrize(
    ("specs", "media", "read", "write"),
    [
        # louwrentius.com, 71 TiB DIY NAS, 2014: 24 disks of 4 TB, quad-core Xeon E3; first as one raidz3
        ("raidz2:18 raidz2:6", Media.HDD, 2.5 * GB, 1.9 * GB),
        ("raidz3:24", Media.HDD, 2.5 * GB, 1.1 * GB),
    ],
)
def test_that_a_published_pool_of_hard_disks_lies_in_the_band(
    specs: str, media: Media, read: float, write: float
) -> None:
    found = of(specs, media, 4, host=UNKNOWN_HOST)
    assert found.seq_read.low < read < found.seq_read.high
    assert found.seq_write.low < write < found.seq_write.high


@pytest.mark.parametrize(
    ("specs", "media", "record", "write"),
    [
        ("stripe:32", Media.SSD, 1024 * KIB, 6.5 * GIB),  # openzfs/zfs#7041: 32 SSDs, 6 to 7 GiB/s to the disks
        ("2*mirror:2", Media.NVME, 128 * KIB, 905.0 * MIB),  # openzfs/zfs#17940: one job
        # bonnie++, one thread, pastebin of 2024-06: c18KY2G8, KsiMatYs, 3NGP21sG, dS0r1UGm, yxbumEyX, 8LsGv3vS
        ("stripe:8", Media.NVME, 128 * KIB, 1_704_153.0 * KIB),
        ("raidz1:8", Media.NVME, 128 * KIB, 1_523_178.0 * KIB),
        ("raidz2:8", Media.NVME, 128 * KIB, 1_602_650.0 * KIB),
        ("raidz3:8", Media.NVME, 128 * KIB, 1_567_349.0 * KIB),
        ("2*raidz1:4", Media.NVME, 128 * KIB, 1_758_080.0 * KIB),
        ("2*mirror:4", Media.NVME, 128 * KIB, 1_611_489.0 * KIB),
    ],
)
def test_that_the_writes_of_a_published_pool_of_flash_lie_in_the_band(
    specs: str, media: Media, record: int, write: float
) -> None:
    found = of(specs, media, 2, record=record).seq_write
    assert found.low < write < found.high


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
        ("12*mirror:2", Media.SSD, 4, (2500, 6000), (1500, 4000)),
        ("3*raidz2:8", Media.SSD, 4, (2500, 6000), (1500, 4000)),
        ("stripe:1", Media.NVME, 1, (1200, 3000), (900, 2000)),
        ("2*mirror:2", Media.NVME, 2, (2500, 6000), (1200, 3500)),
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


def test_that_a_band_of_a_factor_of_25_tells_no_value() -> None:
    origin = Origin(kind=OriginKind.PREDICTED, source="a model")
    wide, narrow = (Estimate(low=1e8, typical=5e8, high=high, limit="", origin=origin) for high in (2.5e9, 2.4e9))
    assert speed_text(wide, Unit.RATE) == CANNOT_TELL
    assert speed_text(narrow, Unit.RATE) == "500 MB/s"
