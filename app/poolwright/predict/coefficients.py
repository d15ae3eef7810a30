"""The few numbers of the speed model, as `fit.py` finds them on the measured rows of the seeds.

A test fits them anew and compares. The guide (Speed) tells how, and with which error.
"""

from dataclasses import dataclass, replace

from poolwright.domain.disk import Media
from poolwright.domain.units import KIB, MB, MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """What holds for every machine: three numbers for 44 measured rates.

    ``read_column_cost``: what each further data column takes from the read rate of a raidz disk that has a head to
    move, at 128K records. ``mirror_read_gain``: what each further side of a mirror adds to sequential reads at 128K
    records (1 would be all of it). ``parity_exponent``: the write limit of a lone raidz vdev falls with this power of
    its parity.
    """

    read_column_cost: float = 0.0165
    mirror_read_gain: float = 0.61
    parity_exponent: float = 0.463


FITTED = Coefficients()
# The same for parity in vector code, half-way to where further parities cost nothing (see RAIDZ_LIMIT below).
VECTORISED = replace(FITTED, parity_exponent=FITTED.parity_exponent / 2.0)

# A pool writes faster than its disks do alone, because transaction groups keep their queues full: on the thesis machine
# by 39 % (logarithm 0.33). One machine alone: half of it is expected of others, with an error as large.
WRITE_GAIN = 0.17
WRITE_GAIN_SPREAD = 0.17

# Limit of a host of which nothing is known: the factor times the square root of the sum of its disks' rates (all in
# bytes/s), as the processor pays for records and a host with twice the disks is not twice as fast; for few disks not
# below the floor. One standard error (for reads half of one: no published pool reads more than its band) below what
# makes nine hosts (six for reads) likeliest: `tests/predict/published.py` finds it anew.
HOST_READ_FACTOR = 38.0 * MIB**0.5
HOST_WRITE_FACTOR = 24.0 * MIB**0.5
HOST_READ_FLOOR = 1700.0 * MIB
HOST_WRITE_FLOOR = 1500.0 * MIB
# Standard deviation of the logarithm of that limit; read and write limit of one host go together.
HOST_SPREAD = 0.9
HOST_CORRELATION = 0.8
# What a lone raidz1 vdev passes of the host's write limit: what both hosts of the seeds showed, whose parity ran in
# plain code. Vector code (OpenZFS 0.7) works parity out 5, 11 and 12 times as fast (one, two, three parities;
# openzfs/zfs#5219). Had parity alone taken what raidz takes, 1.75 of the limit would be left for any parity, as eight
# NVMe drives of 2024 show; had it taken nothing of it, 0.66 as before. Half-way between (in logarithms) is expected.
RAIDZ_LIMIT = 0.66
RAIDZ_LIMIT_SPREAD = 0.3
RAIDZ_LIMIT_VECTOR = 1.07
RAIDZ_LIMIT_SPREAD_VECTOR = 0.5
# By which power of their number the sides of a mirror lower the host's write limit: each byte is handed over again,
# but summed and compressed once.
MIRROR_LIMIT_EXPONENT = 0.3
# How sharply limits meet: 1/rate^e is the sum of 1/limit^e. The host's read limit is felt from further away.
MEET_EXPONENT = 2.0
READ_MEET_EXPONENT = 1.5
# Bytes of a record at which the sides of a mirror give half of what they could add to one reader: a pair gave 1.04
# of a disk at 4K, 1.3 at 16K, 1.76 at 128K.
MIRROR_HALF_BYTES = 36 * KIB

# Overhead of a record in bytes: 512K and 1M read 20 % and write 15 % faster than 128K on 44 disks (thesis 5.1.2).
RECORD_OVERHEAD_BYTES = 45_000.0

# Errors of the leave-one-out test: standard deviation of the logarithm. They are those of the shape alone: the host's
# own numbers were fitted to its other rows.
READ_ERROR = 0.12
WRITE_ERROR = 0.11
# What people get: median and worst error in per cent where a machine's rows had no say in anything that is fitted,
# without a run on it and with one.
READ_MISSED_PERCENT = ((46.0, 61.0), (23.0, 81.0))
WRITE_MISSED_PERCENT = ((64.0, 133.0), (9.0, 117.0))
ROWS = 44
# What the shape of the model may be off by where no run of this kind of vdev on this host is known, and where one is.
TRANSFER_ERROR = 0.18
FAMILIAR_ERROR = 0.06
# The bands span this many standard deviations to each side: 87 % of cases if the errors were normal.
BAND = 1.5

# What a full pool of hard disks keeps of its rates where it was filled in order: the inner tracks are slower, steadily
# (table fill_level, thesis 5.7). Filled by random writes it keeps a quarter of that in reads and half in writes, from
# 87 % on; the thesis says that the loss shows at 80 % and collapses above, so it is taken to begin at 75 %.
FULL_SHARE = 0.5
AGED_READ_SHARE, AGED_WRITE_SHARE = 0.25, 0.5
AGED_FROM_PERCENT, AGED_AT_PERCENT = 75.0, 87.0

# Bytes/s of the slowest of three hosts on which one thread wrote to flash (0.9, 1.7 and 2.7 GB/s), whatever the pool:
# the low end reaches for it, as no limit of one writer fits all three.
SLOWEST_WRITER = 900.0 * MB
# Random operations. What of the sequential rate is left for random writes with many clients: 2600 of 3700 MiB/s (thesis
# 5.4, 7.2).
RANDOM_WRITE_SHARE = 0.70
# Bytes/s of records that one client changes at random, and the most records a second: on hard disks 1600 MiB/s by
# 10 jobs (thesis 7.2); on flash what one job changed on NVMe at 128K, and at 4K (table write_by_recordsize).
BYTES_PER_CLIENT = {Media.HDD: 205.0 * MIB, Media.SSD: 2240.0 * MIB, Media.NVME: 2240.0 * MIB}
RECORDS_PER_CLIENT = 40_000.0
# What OpenZFS itself adds to the flush of the device that holds the intent log: 5860 writes a second from one writer on
# an Optane that flushes 18,600 times (d-uzlov, 2023).
LOG_RECORD_SECONDS = 117e-6
# The host's time for each record: 76,000 and 56,600 writes a second from 32 writers on NVMe (smartos-live issue 847).
HOST_SYNC_SECONDS = 12.6e-6
# A synchronous write of 32 KiB and more without a log device waits for this many disk operations one after the other:
# its data and a flush, the log block and a flush. 25 MiB/s from 10 jobs on disks of 6.1 ms (thesis 5.6.2, 7.2). A
# smaller one lies in the log block: one, as 140 and 178 writes a second from one writer show (d-uzlov, 2023).
SYNC_WAITS, SYNC_WAITS_SMALL = 4, 1
SMALL_SYNC_BYTES = 32 * KIB
# A log device gives 90 % of its write rate: 332 of 367 MiB/s (thesis 5.6, 5.6.2); a third of that where commits above
# zil_slog_bulk wait behind all other writes: 412 of 1278 MiB/s (openzfs/zfs pull request 14378).
SLOG_EFFICIENCY = 0.905
SLOG_BULK_FACTOR = 0.323
# Standard deviations of the logarithm for the operations of a second, each from a single machine. The reads of other
# machines lie wider around the model than that machine's (0.25): 0.5 holds nine of ten.
RANDOM_READ_ERROR = 0.5
RANDOM_WRITE_ERROR = 0.4
SYNC_WRITE_ERROR = 0.5
