"""Pools that people measured and published, host by host, and what they tell of the limit of a host.

Not part of the fit of the coefficients: from these hosts and those of the seeds comes what is expected of a host of
which nothing is known.
"""

import math
from dataclasses import dataclass

from tests.predict.fitting import Measured

from poolwright.domain.disk import Media
from poolwright.domain.units import GIB, KIB, MB, MIB, TB
from poolwright.domain.vdev import Layout, parse_spec
from poolwright.predict import throughput as stated
from poolwright.predict.assumptions import PoolLoad, SpeedInputs
from poolwright.predict.belief import read_rate, write_rate
from poolwright.predict.groups import groups_of, members_of
from poolwright.predict.media import DiskRates, disk_rates
from poolwright.predict.throughput import FITTED, VECTORISED, capability

# Disks that the two machines of the seeds hold.
INSTALLED = {"thesis": 44, "blog": 6}
# What one measured rate misses: run to run, and by the shape of the model.
ROW_ERROR = 0.15
# raidz and mirrors of 12 and 24 disks: MB/s read and written
_CALOMEL = [
    (spec, reading, rate)
    for spec, *rates in (
        ("raidz2:12", 1065, 317), ("raidz3:12", 840, 452), ("raidz1:24", 1304, 567), ("raidz2:24", 1063, 434),
        ("raidz3:24", 1117, 405), ("12*mirror:2", 898, 696), ("stripe:24", 1377, 692),
    )
    for reading, rate in zip((True, False), rates, strict=True)
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A sequential rate in bytes/s of a pool on ``host``; ``vector`` tells how its parity was worked out."""

    host: str
    layout: Layout
    reading: bool
    rate: float
    disks: DiskRates
    vector: bool
    record_bytes: int = 128 * KIB


def layout_of(specs: str, terabytes: int) -> Layout:
    """Return the vdevs of a text such as “2*mirror:2” or “raidz2:18 raidz2:6”."""
    vdevs = []
    for part in specs.split():
        count, _, spec = part.rpartition("*")
        vdevs += [parse_spec(f"{spec}x{terabytes}TB")] * int(count or 1)
    return tuple(vdevs)


def _rows() -> list[Row]:
    four, two = (disk_rates(media=Media.HDD, size_bytes=tb * TB, rpm=7200) for tb in (4, 2))
    exos = disk_rates(read_bytes_per_second=250.0 * MB, write_bytes_per_second=250.0 * MB)
    ssd, nvme = (disk_rates(media=media) for media in (Media.SSD, Media.NVME))
    found = [
        # louwrentius.com, 71 TiB DIY NAS, 2014: 24 disks of 4 TB, quad-core Xeon E3; first as one raidz3
        ("louwrentius", "raidz2:18 raidz2:6", True, 2500 * MB, four, False, 128 * KIB),
        ("louwrentius", "raidz2:18 raidz2:6", False, 1900 * MB, four, False, 128 * KIB),
        ("louwrentius", "raidz3:24", True, 2500 * MB, four, False, 128 * KIB),
        ("louwrentius", "raidz3:24", False, 1100 * MB, four, False, 128 * KIB),
        # calomel.org, zfs_raid_speed_capacity, 2019: 24 disks of 4 TB, bonnie++; the widest pools of each kind
        *[("calomel", spec, reading, rate * MB, four, False, 128 * KIB) for spec, reading, rate in _CALOMEL],
        # openzfs/zfs#419, 2011: three disks of 2 TB, dd, no compression
        ("419", "raidz1:3", False, 240 * MB, two, False, 128 * KIB),
        # openzfs/zfs#9375, comment of 2022-05-29: six ST16000NM001G, each of which gives over 250 MB/s
        ("9375", "raidz2:6", False, 987 * MB, exos, True, 1024 * KIB),
        # openzfs/zfs#7041: 32 SSDs, 6 to 7 GiB/s to the disks
        ("7041", "stripe:32", False, 6.5 * GIB, ssd, True, 1024 * KIB),
        # openzfs/zfs#17940: two pairs of NVMe, one job
        ("17940", "2*mirror:2", False, 905 * MIB, nvme, True, 128 * KIB),
        # bonnie++, one thread, pastebin of 2024-06: c18KY2G8, KsiMatYs, 3NGP21sG, dS0r1UGm, yxbumEyX, 8LsGv3vS
        ("pastebin", "stripe:8", False, 1_704_153 * KIB, nvme, True, 128 * KIB),
        ("pastebin", "raidz1:8", False, 1_523_178 * KIB, nvme, True, 128 * KIB),
        ("pastebin", "raidz2:8", False, 1_602_650 * KIB, nvme, True, 128 * KIB),
        ("pastebin", "raidz3:8", False, 1_567_349 * KIB, nvme, True, 128 * KIB),
        ("pastebin", "2*raidz1:4", False, 1_758_080 * KIB, nvme, True, 128 * KIB),
        ("pastebin", "2*mirror:4", False, 1_611_489 * KIB, nvme, True, 128 * KIB),
    ]
    sizes = {id(four): 4, id(exos): 16}
    return [
        Row(
            host=host,
            layout=layout_of(specs, sizes.get(id(disks), 2)),
            reading=reading,
            rate=float(rate),
            disks=disks,
            vector=vector,
            record_bytes=record,
        )
        for host, specs, reading, rate, disks, vector, record in found
    ]


PUBLISHED = tuple(_rows())


def rows_of_seeds(measured: tuple[Measured, ...]) -> tuple[Row, ...]:
    """Return the measured rows of the seeds in the same form; their parity ran in plain code."""
    return tuple(
        Row(
            host=row.machine,
            layout=row.layout,
            reading=row.reading,
            rate=row.bytes_per_second,
            disks=row.disks,
            vector=False,
        )
        for row in measured
    )


def predicted(row: Row, limit: float, *, gain: float = stated.WRITE_GAIN, faster: float = 0.0) -> float:
    """Return the rate if the host lets ``limit`` bytes/s through, its disks being faster than told by a logarithm."""
    lone = stated.RAIDZ_LIMIT_VECTOR if row.vector else stated.RAIDZ_LIMIT
    mean = (faster, faster, gain, math.log(limit), math.log(limit), math.log(lone))
    model = VECTORISED if row.vector else FITTED
    setting = SpeedInputs(disks=row.disks, load=PoolLoad(record_bytes=row.record_bytes), model=model)
    rate = (read_rate if row.reading else write_rate)(capability(groups_of(row.layout), setting), mean, setting)
    return float(rate.bytes_per_second)


LIMITS = tuple(math.exp(step / 10) * MB for step in range(40, 110))


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """How likely each of `LIMITS` is after a host's rows, and the sum of the rates of its disks in bytes/s."""

    name: str
    likely: tuple[float, ...]
    sum_of_disks: float

    def fits(self, factor: float, floor: float, spread: float) -> float:
        """Return the logarithm of how likely its rows are if limits are expected like this."""
        centre = math.log(max(floor, factor * math.sqrt(self.sum_of_disks)))
        weights = [math.exp(-(((math.log(limit) - centre) / spread) ** 2) / 2) / spread for limit in LIMITS]
        return math.log(sum(p * w for p, w in zip(self.likely, weights, strict=True)))


# Hosts whose rows are not published. Of what was foretold while `HOST_READ_FACTOR` was 47 they read this share: raidz2
# and raidz3 of many hard disks 0.66 and 0.72, pools of ten and more SSDs 0.48.
UNPUBLISHED = {"wide raidz": math.sqrt(0.66 * 0.72), "wide flash": 0.48}


def unpublished_hosts() -> tuple[Host, ...]:
    """Return those hosts as if each had told its read limit as exactly as one row does.

    What their disks sum up to does not matter: the limit is a share of what was foretold from it.
    """
    total = max(row.disks.read_bytes_per_second for row in PUBLISHED) * 24
    found = []
    for name, share in UNPUBLISHED.items():
        centre = math.log(share * 47.0 * math.sqrt(MIB * total))
        likely = [math.exp(-(((math.log(limit) - centre) / ROW_ERROR) ** 2) / 2) for limit in LIMITS]
        found.append(Host(name=name, likely=tuple(p / sum(likely) for p in likely), sum_of_disks=total))
    return tuple(found)


def hosts(rows: tuple[Row, ...], *, reading: bool) -> tuple[Host, ...]:
    """Return what the read or write rows tell of each host; what its disks give is known as well as was told."""
    found = []
    for name in dict.fromkeys(row.host for row in rows if row.reading is reading):
        own = [row for row in rows if row.host == name and row.reading is reading]
        disks = [row.disks for row in own]
        single = max(d.read_bytes_per_second if reading else d.write_bytes_per_second for d in disks)
        spread = disks[0].read_spread if reading else disks[0].write_spread
        likely = [_likely(own, limit, spread, reading=reading) for limit in LIMITS]
        members = INSTALLED.get(name, max(members_of(groups_of(row.layout)) for row in own))
        total = sum(likely)
        found.append(Host(name=name, likely=tuple(p / total for p in likely), sum_of_disks=members * single))
    return tuple(found)


def _likely(rows: list[Row], limit: float, spread: float, *, reading: bool) -> float:
    total = 0.0
    for away in (-1.2, 0.0, 1.2):
        for gain in (0.0,) if reading else (-1.2, 0.0, 1.2):
            told = [
                predicted(row, limit, gain=stated.WRITE_GAIN + gain * stated.WRITE_GAIN_SPREAD, faster=away * spread)
                for row in rows
            ]
            missed = sum((math.log(p / row.rate) / ROW_ERROR) ** 2 for p, row in zip(told, rows, strict=True))
            total += math.exp(-(missed + away**2 + gain**2) / 2)
    return total


def likeliest_factor(found: tuple[Host, ...], floor: float, spread: float) -> float:
    """Return the factor (root of bytes/s) that makes the hosts' rows likeliest."""
    factors = [math.exp(step / 50) * math.sqrt(MIB) for step in range(100, 270)]
    return max(factors, key=lambda factor: sum(host.fits(factor, floor, spread) for host in found))


def likeliest_spread(found: tuple[Host, ...], floor: float) -> float:
    """Return the spread that makes the hosts' rows likeliest, each with its own best factor."""

    def fits(spread: float) -> float:
        factor = likeliest_factor(found, floor, spread)
        return sum(host.fits(factor, floor, spread) for host in found)

    spreads = [step / 20 for step in range(8, 28)]
    return max(spreads, key=fits)
