"""The few numbers of the speed model, as `fit.py` finds them on the measured rows of the seeds.

A test fits them anew and compares. DESIGN.md tells how, and with which error.
"""

from dataclasses import dataclass

from poolwright.domain.units import KIB, MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """What holds for every machine: four numbers for 44 measured rates.

    ``read_column_cost``: what each further data column takes from the read rate of a raidz disk, at 128K records.
    ``mirror_read_gain``: what each further side of a mirror adds to sequential reads (1 would be all of it).
    ``write_width``: columns of a raidz vdev at which its disks write at half their rate, at 128K records.
    ``raw_exponent``: how far the host's write limit counts the bytes that go to disks (1) or those of the user (0).
    """

    read_column_cost: float = 0.018
    mirror_read_gain: float = 0.628
    write_width: float = 20.4
    raw_exponent: float = 0.46


FITTED = Coefficients()

# A pool writes faster than its disks do alone, because transaction groups keep their queues full: on the thesis machine
# by 39 % (logarithm 0.33). One machine alone: half of it is expected of others, with an error as large.
WRITE_GAIN = 0.17
WRITE_GAIN_SPREAD = 0.17

# Limit of a host of which nothing is known, from the two hosts of the seeds: the geometric mean in bytes/s, and the
# share of the sum of its disks, without unit (hosts are built for their disks).
HOST_READ_FLOOR = 1300.0 * MIB
HOST_WRITE_FLOOR = 765.0 * MIB
HOST_READ_SHARE = 0.65
HOST_WRITE_SHARE = 0.50
# Standard deviation of the logarithm of that limit; read and write limit of one host go together.
HOST_SPREAD = 1.15
HOST_CORRELATION = 0.8

# Overhead of a record in bytes: 512K and 1M read 20 % and write 15 % faster than 128K on 44 disks (thesis 5.1.2).
RECORD_OVERHEAD_BYTES = 45_000.0

# Errors of the leave-one-out test: standard deviation of the logarithm; median and worst in per cent.
READ_ERROR = 0.12
WRITE_ERROR = 0.12
READ_LEFT_OUT_PERCENT = (2.9, 53.0)
WRITE_LEFT_OUT_PERCENT = (9.3, 28.0)
ROWS = 44
# What the shape of the model may be off by where no run of this kind of vdev on this host is known, and where one is.
TRANSFER_ERROR = 0.18
FAMILIAR_ERROR = 0.06
# The bands span this many standard deviations to each side: 87 % of cases if the errors were normal.
BAND = 1.5

# Random operations. What of the sequential rate is left for random writes with many clients, and the clients at which
# half of that is reached: 2600 and 1600 of 3700 MiB/s with 250 and 10 jobs (thesis 5.4, 7.2).
RANDOM_WRITE_SHARE = 0.70
RANDOM_WRITE_CLIENTS = 6.25
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
# Standard deviations of the logarithm for the operations of a second, each from a single machine.
RANDOM_READ_ERROR = 0.25
RANDOM_WRITE_ERROR = 0.4
SYNC_WRITE_ERROR = 0.5
