"""What is believed of one host: how its disks and its limits differ from what was told, and how well that is known.

Six numbers, jointly normal: the logarithms by which its disks read and write faster than was told, by which they write
faster in a pool than alone, those of the host's read and write limit, and of what share of the write limit a lone
raidz1 vdev passes. Runs on the host narrow them (`posterior`)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from poolwright.domain.disk import Media
from poolwright.domain.units import DEFAULT_RECORD_BYTES
from poolwright.domain.vdev import VdevKind
from poolwright.predict import throughput as fitted
from poolwright.predict.assumptions import SpeedInputs
from poolwright.predict.groups import Groups, data_disks_of, members_of
from poolwright.predict.measured_runs import SEQUENTIAL, MeasuredRun, Metric
from poolwright.predict.media import DiskRates, HostCaps
from poolwright.predict.throughput import Capability, capability, combined_limit
from poolwright.texts import N_, _, per_language

READ_DISK, WRITE_DISK, WRITE_GAIN, READ_LIMIT, WRITE_LIMIT, RAIDZ_LIMIT = range(6)
NUMBERS = 6
Numbers = tuple[float, ...]
Matrix = list[list[float]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belief:
    """Mean and covariance of the six numbers. Compared by identity: they are made once and looked up often."""

    mean: Numbers
    covariance: tuple[Numbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A predicted rate in bytes/s with its parts.

    ``disks``, ``vdevs``, ``hba``, ``cpu`` and ``host`` are the limits along the way (None: not known). ``slopes`` are
    how its logarithm moves with each of the numbers that it depends on.
    """

    bytes_per_second: float
    disks: float
    vdevs: float
    hba: float | None
    cpu: float | None
    host: float
    slopes: tuple[tuple[int, float], ...]


# Of the hosts behind the factors of the limits three told their cores, 2, 4 and 8: four in the geometric mean.
CORES_OF_FACTOR = 4


@per_language
@lru_cache(maxsize=256)
def prior(host: HostCaps, disks: DiskRates, members: int) -> Belief:
    """Return what is expected of a host before any run on it, when it holds at least ``members`` disks.

    The limits are logarithms of bytes/s; that of raidz is what a lone raidz1 vdev passes of the write limit.
    """
    # Work is shared among cores, but locks and memory are not: the root lies between none and all of it.
    scale = math.sqrt((host.cores or CORES_OF_FACTOR) / CORES_OF_FACTOR)
    # The hosts behind the factor of reads had hard disks; of flash many read no faster than they write.
    reads = fitted.HOST_READ_FACTOR if disks.media is Media.HDD else fitted.HOST_WRITE_FACTOR
    read = max(fitted.HOST_READ_FLOOR, reads * math.sqrt(members * disks.read_bytes_per_second))
    write = max(fitted.HOST_WRITE_FLOOR, fitted.HOST_WRITE_FACTOR * math.sqrt(members * disks.write_bytes_per_second))
    raidz, raidz_spread = fitted.RAIDZ_LIMIT, fitted.RAIDZ_LIMIT_SPREAD
    if host.vector_parity:
        raidz, raidz_spread = fitted.RAIDZ_LIMIT_VECTOR, fitted.RAIDZ_LIMIT_SPREAD_VECTOR
    limit = fitted.HOST_SPREAD**2
    together = fitted.HOST_CORRELATION * limit
    return Belief(
        mean=(0.0, 0.0, fitted.WRITE_GAIN, math.log(scale * read), math.log(scale * write), math.log(raidz)),
        covariance=(
            (disks.read_spread**2, 0.0, 0.0, 0.0, 0.0, 0.0),
            (0.0, disks.write_spread**2, 0.0, 0.0, 0.0, 0.0),
            (0.0, 0.0, fitted.WRITE_GAIN_SPREAD**2, 0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0, limit, together, 0.0),
            (0.0, 0.0, 0.0, together, limit, 0.0),
            (0.0, 0.0, 0.0, 0.0, 0.0, raidz_spread**2),
        ),
    )


def read_rate(can: Capability, mean: Numbers, inputs: SpeedInputs) -> Rate:
    single = inputs.left[0] * inputs.disks.read_bytes_per_second * math.exp(mean[READ_DISK])
    # What the disks give, before anything between them and the program takes its part.
    vdevs = can.read * single
    host = math.exp(mean[READ_LIMIT]) * inputs.by_record
    link, cpu = inputs.link, inputs.cpu[0]
    hard = vdevs if link is None and cpu is None else combined_limit(vdevs, link, cpu)
    total = combined_limit(hard, host, exponent=fitted.READ_MEET_EXPONENT)
    by_hard = (total / hard) ** fitted.READ_MEET_EXPONENT
    return Rate(
        bytes_per_second=total,
        disks=can.disks_read * single,
        vdevs=vdevs,
        hba=link,
        cpu=cpu,
        host=host,
        slopes=((READ_DISK, by_hard * (hard / vdevs) ** 2), (READ_LIMIT, 1.0 - by_hard)),
    )


def write_rate(can: Capability, mean: Numbers, inputs: SpeedInputs) -> Rate:
    shared = max(0.0, 1.0 - 1.0 / can.data_disks)  # the gain comes with the second disk
    gain = math.exp(mean[WRITE_DISK] + shared * mean[WRITE_GAIN])
    single = inputs.left[1] * inputs.disks.write_bytes_per_second * gain
    full = math.exp(mean[WRITE_LIMIT]) * inputs.by_record
    lone = full * math.exp(mean[RAIDZ_LIMIT])
    vdevs = raw = by_lone = 0.0  # bytes/s of all vdevs, bytes/s that go to disks, how they move with the lone limit
    for count, share, limit_share, raw_per_byte in can.writers:
        rate = share * single
        if limit_share:
            alone = rate
            rate = combined_limit(alone, lone * limit_share)
            by_lone += count * rate * (1.0 - (rate / alone) ** 2)
        vdevs += count * rate
        raw += count * rate * raw_per_byte
    # A mirror hands each byte over once a side, so the host moves more for the same data.
    host = full / can.host_cost
    link, cpu = None if inputs.link is None else inputs.link * vdevs / raw, inputs.cpu[1]
    total = combined_limit(vdevs, host, link, cpu)
    by_vdevs = (total / vdevs) ** 2
    raidz = by_vdevs * by_lone / vdevs
    by_disks = by_vdevs - raidz
    return Rate(
        bytes_per_second=total,
        disks=can.data_disks * single,
        vdevs=vdevs,
        hba=link,
        cpu=cpu,
        host=host,
        slopes=(
            (WRITE_DISK, by_disks),
            (WRITE_GAIN, by_disks * shared),
            (WRITE_LIMIT, (total / host) ** 2 + raidz),
            (RAIDZ_LIMIT, raidz),
        ),
    )


# How far a sequential rate may lie from its typical value.


def sequential_band(
    can: Capability, belief: Belief, rate: Rate, inputs: SpeedInputs, *, reading: bool, familiar: bool, stretched: float
) -> tuple[float, float]:
    """Return how far the logarithm of a rate may lie below and above.

    ``familiar`` tells that such vdevs were measured on the host; ``stretched`` is the error of reaching beyond the
    tables.
    """
    # The host's limit bends the rate too much for slopes alone: the ends of its range are calculated.
    predict = read_rate if reading else write_rate
    index, covariance = READ_LIMIT if reading else WRITE_LIMIT, belief.covariance
    row = covariance[index]
    shifts = [fitted.BAND * value / math.sqrt(row[index]) for value in row]  # the other numbers follow that one
    low = tuple([m - s for m, s in zip(belief.mean, shifts, strict=True)])
    high = tuple([m + s for m, s in zip(belief.mean, shifts, strict=True)])
    below = math.log(rate.bytes_per_second / predict(can, low, inputs).bytes_per_second)
    above = math.log(predict(can, high, inputs).bytes_per_second / rate.bytes_per_second)
    along = sum([slope * row[i] for i, slope in rate.slopes]) / math.sqrt(row[index])
    error = fitted.READ_ERROR if reading else fitted.WRITE_ERROR
    transfer = fitted.FAMILIAR_ERROR if familiar else fitted.TRANSFER_ERROR
    # What comes from not knowing the host better, and is not along that number.
    variance = sum([a * b * covariance[i][j] for i, a in rate.slopes for j, b in rate.slopes])
    rest = max(0.0, variance - along**2) + error**2 + transfer**2 + stretched**2
    rest *= fitted.BAND**2
    return math.sqrt(below**2 + rest), math.sqrt(above**2 + rest)


# Where a pool lies outside of what was measured: the reasons in words, and how much wider the bands are for it.

# The widest of what the tables hold: 44 disks, raidz of 26, mirrors of 2.
MOST_DISKS, WIDEST_RAIDZ, WIDEST_MIRROR = 44, 26, 2


def beyond_tables(groups: Groups, inputs: SpeedInputs) -> Iterator[tuple[str, float]]:
    """Yield why the prediction reaches beyond the tables, and the standard deviation of the logarithm each adds."""
    media, record_bytes, members = inputs.disks.media, inputs.load.record_bytes, members_of(groups)
    if members > MOST_DISKS:
        why = _("{members} disks; at most {most_disks} were measured", members=members, most_disks=MOST_DISKS)
        yield why, 0.1 * math.log2(members / MOST_DISKS)
    for group in groups:
        if group.kind is VdevKind.DRAID:
            yield _("dRAID was not measured; its groups are taken as raidz"), 0.25
        elif group.kind is VdevKind.RAIDZ and group.members > WIDEST_RAIDZ:
            why = N_("raidz of {members}; at most {widest_raidz} were measured")
            over = 0.3 * math.log2(group.members / WIDEST_RAIDZ)
            yield _(why, members=group.members, widest_raidz=WIDEST_RAIDZ), over
        elif group.kind is VdevKind.MIRROR and group.members > WIDEST_MIRROR:
            yield _("mirrors of {members}; only pairs were measured", members=group.members), 0.15
    if media is not Media.HDD:
        yield _("{media} members; only hard disks were measured", media=media.value), 0.25
    if record_bytes != DEFAULT_RECORD_BYTES:
        steps = abs(math.log2(record_bytes / DEFAULT_RECORD_BYTES))
        yield _("records of another size than 128K"), 0.08 * steps
    widest = max([data_disks_of(run.groups) for run in inputs.calibration.of(*SEQUENTIAL)], default=0.0)
    if widest and data_disks_of(groups) > 2.0 * widest:
        ratio = data_disks_of(groups) / widest
        why = _("{ratio:.1f} times the data disks of the largest run on the host", ratio=ratio)
        yield why, 0.05 * math.log2(ratio)


# Adapts the prediction to one host from runs on it.

STEPS = 60
TAIL_DEGREES = 2.0  # of freedom: what was measured lies in the band that it leaves, also where a pool is far too slow


@per_language
@lru_cache(maxsize=512)
def posterior(inputs: SpeedInputs, members: int) -> Belief:
    runs = inputs.calibration.of(*SEQUENTIAL)
    most = max([members, *(members_of(run.groups) for run in runs)])
    before = prior(inputs.host, inputs.disks, most)
    if not runs:
        return before
    import numpy as np  # noqa: PLC0415 - a tenth of a second to import, for who has runs

    precision: Matrix = np.linalg.inv(before.covariance).tolist()
    mean = list(before.mean)
    hessian = precision
    for __ in range(STEPS):
        offset = [m - b for m, b in zip(mean, before.mean, strict=True)]
        gradient = [sum([p * o for p, o in zip(row, offset, strict=True)]) for row in precision]
        # That of a multivariate t in the reweighted form of its maximum (Lange, Little and Taylor 1989), never above 1.
        distance = sum([g * o for g, o in zip(gradient, offset, strict=True)])
        weight = min(1.0, (TAIL_DEGREES + NUMBERS) / (TAIL_DEGREES + distance))
        gradient = [weight * g for g in gradient]
        hessian = [[weight * p for p in row] for row in precision]
        for run in runs:
            _add(run, tuple(mean), inputs, gradient, hessian)
        step = np.linalg.solve(hessian, gradient).tolist()
        # Gauss-Newton on logarithms: rates are positive, and errors are factors.
        # A long step would leave the range in which the slopes hold.
        shrink = min(1.0, 1.0 / max(1e-12, *(abs(s) for s in step)))
        mean = [m - shrink * s for m, s in zip(mean, step, strict=True)]
        if max(abs(s) for s in step) < 1e-7:
            break
    return Belief(mean=tuple(mean), covariance=tuple(map(tuple, np.linalg.inv(hessian).tolist())))


def _add(
    run: MeasuredRun, mean: Numbers, inputs: SpeedInputs, gradient: list[float], hessian: list[list[float]]
) -> None:
    reading = run.metric is Metric.SEQ_READ
    error = math.hypot(fitted.READ_ERROR if reading else fitted.WRITE_ERROR, run.error)
    full = run.fill_percent
    load = replace(inputs.load, record_bytes=run.record_bytes, fill_percent=full, aged=full > 0)
    there = replace(inputs, load=load)
    found: Rate = (read_rate if reading else write_rate)(capability(run.groups, there), mean, there)
    missed = math.log(found.bytes_per_second / run.value) / error**2
    for i, a in found.slopes:
        gradient[i] += a * missed
        for j, b in found.slopes:
            hessian[i][j] += a * b / error**2
