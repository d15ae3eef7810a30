"""The speed of a pool: five estimates with their bands, and the chain of limits from the disks to the network."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Case, Estimate, Origin, OriginKind
from poolwright.domain.vdev import Layout
from poolwright.predict import throughput
from poolwright.predict import throughput as fitted
from poolwright.predict.assumptions import DEFAULT_DISKS, DEFAULT_LOAD, DEFAULT_LOG, PoolLoad, SpeedInputs, speed_inputs
from poolwright.predict.belief import Rate, beyond_tables, posterior, read_rate, sequential_band, write_rate
from poolwright.predict.groups import Groups, band_of, groups_of, log_vdevs, members_of, vdevs_of
from poolwright.predict.measured_runs import NO_RUNS, SEQUENTIAL, Calibration, Metric
from poolwright.predict.media import UNKNOWN_HOST, DiskRates, HostCaps
from poolwright.texts import N_, _, per_language

# By how much a model will be off at one load, from how much it was off at others.

Where = tuple[float, ...]
# At a thousand times as many clients, as far as the thesis goes (7.2), half of what was learned still holds.
REACH = math.log(1000.0) / math.log(2.0)
# More than the steps of any sweep; what lies farther away tells nothing that the nearer ones do not.
MOST_SEEN = 40


def foreseen(
    where: Where, seen: Mapping[Where, Sequence[tuple[float, float]]], *, spread: float
) -> tuple[float, float]:
    """Return the logarithm to expect at ``where``, and its standard deviation.

    ``seen`` are the logarithms of measured over modelled under each load, each with its variance; ``spread`` is the
    standard deviation of the model before anything was seen.
    """

    def distance(one: Where, other: Where) -> float:
        return sum(abs(a - b) for a, b in zip(one, other, strict=True))

    def kernel(one: Where, other: Where) -> float:
        return spread**2 * math.exp(-distance(one, other) / REACH)

    # Kriging with an exponential kernel: runs under nearly this load say most, far ones next to nothing.
    near = sorted(seen, key=lambda load: distance(load, where))[:MOST_SEEN]
    matrix = [[kernel(row, column) for column in near] for row in near]
    means = []
    for number, load in enumerate(near):
        # What runs under one load say is their mean, weighed by how sure they are.
        weight = sum(1.0 / variance for __, variance in seen[load])
        means.append(sum(mean / variance for mean, variance in seen[load]) / weight)
        matrix[number][number] += 1.0 / weight
    towards = [kernel(load, where) for load in near]
    import numpy as np  # noqa: PLC0415 - a tenth of a second to import, for who has runs

    weights = np.linalg.solve(matrix, towards).tolist()
    mean = sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    explained = sum(weight * value for weight, value in zip(weights, towards, strict=True))
    return mean, math.sqrt(max(0.0, spread**2 - explained))


# Operations a second of a pool, adapted to what runs on the host gave.

# So many clients keep the disks of an ordinary pool busy; whoever tells no number means plenty of them.
PLENTY = 32
# Spread between runs of random operations on one host, logarithm.
RUN_SPREAD = 0.15


def typical_rates(groups: Groups, inputs: SpeedInputs) -> tuple[float, float]:
    belief, can = posterior(inputs, members_of(groups)), throughput.capability(groups, inputs)
    read = read_rate(can, belief.mean, inputs).bytes_per_second
    write = write_rate(can, belief.mean, inputs).bytes_per_second
    return min(read, inputs.network), min(write, inputs.network)


def operations(
    metric: Metric, groups: Groups, inputs: SpeedInputs, sequential: float, log_devices: int, *, as_run: bool = True
) -> throughput.Operations:
    """Return the operations a second of a pool that streams ``sequential`` bytes/s, ``as_run`` on this host."""
    load = inputs.load
    if metric is Metric.RAND_READ:
        found = throughput.random_reads(groups, inputs.disks, load, sequential)
    elif metric is Metric.RAND_WRITE:
        found = throughput.random_writes(inputs.disks, load, sequential)
    else:
        found = throughput.sync_writes(
            groups,
            inputs.disks,
            record_bytes=load.asked_bytes,
            clients=load.clients,
            sequential=sequential,
            log=inputs.log,
            log_devices=log_devices,
            version=load.version,
        )
    factor = adapted(metric, inputs, found.bound)[0] if as_run and inputs.calibration.runs else 1.0
    return found if factor == 1.0 else replace(found, per_second=found.per_second * factor)


@per_language
@lru_cache(maxsize=256)
def adapted(metric: Metric, inputs: SpeedInputs, bound: throughput.Bound) -> tuple[float, float]:
    """Return by how much the host differs from the model in its own runs of ``metric``, and the spread that is left.

    Each run is held against the model under the load that it was measured with; one of another number of clients, or of
    other requests, tells the less the farther it lies, and one that was limited by something else than ``bound`` tells
    nothing: one slow reader does not slow the disks down.
    """
    # The spread is the standard deviation of the logarithm.
    spread = {
        Metric.RAND_READ: math.hypot(fitted.RANDOM_READ_ERROR, inputs.disks.iops_spread),
        Metric.RAND_WRITE: fitted.RANDOM_WRITE_ERROR,
        Metric.SYNC_WRITE: fitted.SYNC_WRITE_ERROR,
    }[metric]
    runs = inputs.calibration.of(metric)
    if not runs:
        return 1.0, spread
    missed: dict[Where, list[tuple[float, float]]] = {}
    for run in runs:
        load = replace(
            inputs.load,
            record_bytes=run.record_bytes,
            request_bytes=run.request_bytes,
            clients=inputs.load.clients if run.clients is None else run.clients,
            fill_percent=run.fill_percent,
            aged=run.fill_percent > 0,
        )
        # The same object for the same load: what is remembered of it is found again.
        measured = speed_inputs(inputs.host, inputs.disks, inputs.log, load, inputs.calibration)
        sequential = typical_rates(run.groups, measured)[0 if metric is Metric.RAND_READ else 1]
        expected = operations(metric, run.groups, measured, sequential, len(log_vdevs(run.layout)), as_run=False)
        if expected.bound is not bound:
            continue
        off = (math.log(run.value / expected.per_second), RUN_SPREAD**2 + run.error**2)
        missed.setdefault(_where(metric, measured.load), []).append(off)
    if not missed:
        return 1.0, spread
    found, left = foreseen(_where(metric, inputs.load), missed, spread=spread)
    return math.exp(found), min(spread, math.hypot(left, RUN_SPREAD))


def _where(metric: Metric, load: PoolLoad) -> Where:
    """Return where a load lies, for distances: the logarithms of its clients and of the bytes of a request."""
    count = load.clients
    if count is None:
        count = fitted.DEFAULT_CLIENTS if metric is Metric.SYNC_WRITE else PLENTY
    return math.log(count), math.log(load.asked_bytes)


# The chain that data pass from the disks to the network, and its narrowest link.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """One link: what it could pass alone, in bytes/s (None: not known); ``limit`` is the words an estimate uses for it.

    ``assumed`` marks a rate that nobody told or measured on this host.
    """

    name: str
    limit: str
    read_bytes_per_second: float | None
    write_bytes_per_second: float | None
    narrowest_read: bool = False
    narrowest_write: bool = False
    assumed: bool = False


def chain_of(reading: Rate, writing: Rate, *, calibrated: bool, network: float) -> tuple[ChainLink, ...]:
    """Return disks, vdevs, HBA, host and network with the narrowest marked; ``network`` in bytes/s, inf for none."""
    how = _("calibrated") if calibrated else _("assumed")
    rest = _("host: bus, memory, CPU ({how})", how=how)
    line = None if math.isinf(network) else network
    links = [
        (N_("disks"), _("disks"), reading.disks, writing.disks),
        (N_("vdevs"), _("raidz or mirror vdevs"), reading.vdevs, writing.vdevs),
        ("HBA", "HBA", reading.hba, writing.hba),
        ("CPU", _("CPU (checksum, compression)"), reading.cpu, writing.cpu),
        (N_("host"), rest, reading.host, writing.host),
        (N_("network"), _("network"), line, line),
    ]
    reads, writes = ([math.inf if rate is None else rate for rate in way] for way in list(zip(*links, strict=True))[2:])
    return tuple(
        ChainLink(
            name=name,
            limit=limit,
            read_bytes_per_second=read,
            write_bytes_per_second=write,
            narrowest_read=number == reads.index(min(reads)),
            narrowest_write=number == writes.index(min(writes)),
            assumed=name == "host" and not calibrated,
        )
        for number, (name, limit, read, write) in enumerate(links)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedPrediction:
    """Sequential rates in bytes/s and operations a second, each with its band; the chain of limits; what was stretched.

    ``asked_bytes`` is the size of a random request. ``extrapolations`` say where the pool lies outside of what was
    measured; the bands are wider for it.
    """

    seq_read: Estimate
    seq_write: Estimate
    rand_read_iops: Estimate
    rand_write_iops: Estimate
    sync_write_iops: Estimate
    chain: tuple[ChainLink, ...]
    asked_bytes: int
    extrapolations: tuple[str, ...] = ()

    def of(self, metric: Metric) -> Estimate:
        found: Estimate = getattr(self, metric.value)
        return found


class Typical(NamedTuple):
    seq_read: float
    seq_write: float
    rand_read_iops: float
    rand_write_iops: float
    sync_write_iops: float


def predict_speed(
    layout: Layout,
    *,
    host: HostCaps = UNKNOWN_HOST,
    disks: DiskRates = DEFAULT_DISKS,
    load: PoolLoad = DEFAULT_LOAD,
    calibration: Calibration = NO_RUNS,
    log: DiskRates = DEFAULT_LOG,
) -> SpeedPrediction:
    """Return what a pool of ``layout`` is expected to give.

    ``log`` are the rates of one member of its log vdevs. Raises UserError when it has no data vdev, Refusal when one
    has no room for data.
    """
    inputs = speed_inputs(host, disks, log, load, calibration)
    return predict_groups(groups_of(layout), inputs, log_devices=len(log_vdevs(layout)))


def typical_speed(groups: Groups, inputs: SpeedInputs, *, log_devices: int = 0) -> Typical:
    read, write = typical_rates(groups, inputs)
    return Typical(
        read,
        write,
        operations(Metric.RAND_READ, groups, inputs, read, log_devices).per_second,
        operations(Metric.RAND_WRITE, groups, inputs, write, log_devices).per_second,
        operations(Metric.SYNC_WRITE, groups, inputs, write, log_devices).per_second,
    )


@per_language
@lru_cache(maxsize=1 << 11)
def predict_groups(groups: Groups, inputs: SpeedInputs, *, log_devices: int = 0) -> SpeedPrediction:
    belief, can = posterior(inputs, members_of(groups)), throughput.capability(groups, inputs)
    beyond = tuple(beyond_tables(groups, inputs))
    reasons, stretched = tuple([why for why, __ in beyond]), math.hypot(*[error for __, error in beyond])
    reading, writing = read_rate(can, belief.mean, inputs), write_rate(can, belief.mean, inputs)
    measured = inputs.calibration.of(*SEQUENTIAL)
    chain = chain_of(reading, writing, calibrated=bool(measured), network=inputs.network)
    familiar = {group.kind for group in groups} <= {group.kind for run in measured for group in run.groups}
    other = replace(inputs, load=replace(inputs.load, aged=not inputs.load.aged))

    def sequential(rate: Rate, *, is_read: bool) -> Estimate:
        band = sequential_band(can, belief, rate, inputs, reading=is_read, familiar=familiar, stretched=stretched)
        # One writer cannot fill flash: three hosts measured 0.9 to 2.7 GB/s whatever the pool (SLOWEST_WRITER).
        if not is_read and inputs.load.clients == 1 and inputs.disks.media is not Media.HDD:
            slower = max(0.0, math.log(rate.bytes_per_second / fitted.SLOWEST_WRITER))
            band = math.hypot(band[0], slower), band[1]
        # The pool may as well be new as ``inputs`` says and in pieces as ``other`` does, or the reverse.
        old = (read_rate if is_read else write_rate)(can, belief.mean, other)
        apart = math.log(rate.bytes_per_second / old.bytes_per_second)
        band = math.hypot(band[0], max(0.0, apart)), math.hypot(band[1], max(0.0, -apart))
        limit = next(link.limit for link in chain if (link.narrowest_read if is_read else link.narrowest_write))
        metric = Metric.SEQ_READ if is_read else Metric.SEQ_WRITE
        origin = _origin(metric, inputs, reasons)
        return _estimate(rate.bytes_per_second, band, limit, origin, inputs.network)

    read, write = sequential(reading, is_read=True), sequential(writing, is_read=False)

    def random(metric: Metric, stream: Estimate) -> Estimate:
        found = operations(metric, groups, inputs, stream.typical, log_devices)
        band = _band(metric, groups, inputs, stream, log_devices, found, stretched)
        limit = found.limit or stream.limit  # of the sequential rate, where that is all that limits
        estimate = _estimate(found.per_second, band, limit, _origin(metric, inputs, reasons))
        if inputs.calibration.of(metric):
            return estimate
        return replace(estimate, cases=_cases(metric, groups, inputs, stream, log_devices))

    rand_write, sync_write = random(Metric.RAND_WRITE, write), random(Metric.SYNC_WRITE, write)
    if inputs.load.asked_bytes < inputs.load.record_bytes and not inputs.calibration.of(Metric.SYNC_WRITE):
        # It does all that an asynchronous write does, and waits besides.
        sync_write = replace(sync_write, low=min(sync_write.low, rand_write.low))
    return SpeedPrediction(
        seq_read=read,
        seq_write=write,
        rand_read_iops=random(Metric.RAND_READ, read),
        rand_write_iops=rand_write,
        sync_write_iops=sync_write,
        chain=chain,
        asked_bytes=inputs.load.asked_bytes,
        extrapolations=reasons,
    )


def _estimate(
    typical: float, band: tuple[float, float], limit: str, origin: Origin, ceiling: float = math.inf
) -> Estimate:
    return Estimate(
        low=min(typical * math.exp(-band[0]), ceiling),
        typical=min(typical, ceiling),
        high=min(typical * math.exp(band[1]), ceiling),
        limit=limit,
        origin=origin,
    )


def _band(
    metric: Metric,
    groups: Groups,
    inputs: SpeedInputs,
    stream: Estimate,
    log_devices: int,
    found: throughput.Operations,
    stretched: float,
) -> tuple[float, float]:
    """Return how far the logarithm of ``found`` may lie below and above; ``stretched`` is the error of reaching."""
    __, spread = adapted(metric, inputs, found.bound)
    unmeasured = not inputs.calibration.of(metric)
    # Independent errors add as squares: that of the model and that of the extrapolation.
    below = above = fitted.BAND * math.hypot(spread, stretched)
    # The flush of the device decides a commit, and nobody tells it: its own span goes on top.
    if metric is Metric.SYNC_WRITE and unmeasured:
        flush = band_of(fitted.flush_of(inputs.log if log_devices else inputs.disks))
        low, typical, high = (wait + fitted.LOG_RECORD_SECONDS for wait in flush)
        below, above = math.hypot(below, math.log(high / typical)), math.hypot(above, math.log(typical / low))
    # Random writes become sequential ones, so they inherit whatever is unsure of that rate.
    if metric is Metric.RAND_WRITE:
        below = math.hypot(below, math.log(stream.typical / stream.low))
        above = math.hypot(above, math.log(stream.high / stream.typical))
        if inputs.disks.media is Media.HDD and unmeasured:
            # Nobody measured random writes here: an aged pool may not gather them.
            below = max(below, math.log(found.per_second / (vdevs_of(groups) * inputs.disks.iops)))
    if metric is not Metric.RAND_READ and inputs.load.asked_bytes < inputs.load.record_bytes and unmeasured:
        # What is written in part must be read first, unless the ARC holds it; a writer waits for that before the log.
        read = operations(Metric.RAND_READ, groups, inputs, stream.typical, log_devices).per_second
        below = max(below, math.log1p(found.per_second / read))
    return below, above


def _cases(metric: Metric, groups: Groups, inputs: SpeedInputs, stream: Estimate, log_devices: int) -> tuple[Case, ...]:
    """Return the values under the two answers to what nobody said, where the band is as wide as that: drives, age."""
    if metric is Metric.RAND_WRITE and inputs.disks.media is Media.HDD:
        fresh = operations(metric, groups, inputs, stream.typical, log_devices).per_second
        aged = min(fresh, vdevs_of(groups) * inputs.disks.iops)  # one write a vdev at a time
        return Case(when=_("new"), value=fresh), Case(when=_("fragmented"), value=aged)
    device = inputs.log if log_devices else inputs.disks
    if metric is not Metric.SYNC_WRITE or device.media is Media.HDD or device.power_loss_protected is not None:
        return ()

    def of(protected: bool) -> float:
        sure = replace(device, power_loss_protected=protected)
        disks, log = (inputs.disks, sure) if log_devices else (sure, inputs.log)
        then = speed_inputs(inputs.host, disks, log, inputs.load, inputs.calibration)
        return operations(metric, groups, then, stream.typical, log_devices).per_second

    return (Case(when=_("with power-loss protection"), value=of(True)), Case(when=_("without"), value=of(False)))


_MODELS = {
    Metric.RAND_READ: N_("disk operations times the disks a record leaves free; concurrency as measured on 44 disks"),
    Metric.RAND_WRITE: N_("70 % of the sequential rate, by transaction groups; low: one write a vdev at a time"),
    Metric.SYNC_WRITE: N_(
        "waits of the intent log and of the device that holds it, 10 writers unless told (measured flush latencies)"
    ),
}


@per_language
@lru_cache(maxsize=1024)
def _origin(metric: Metric, inputs: SpeedInputs, beyond: tuple[str, ...]) -> Origin:
    runs = len(inputs.calibration.of(metric))
    parts = [_(_MODELS[metric])] if metric in _MODELS else []
    if inputs.load.asked_bytes < inputs.load.record_bytes:
        parts += [] if metric is Metric.SYNC_WRITE else [_("a part of a record takes the whole record")]
        writes = metric in (Metric.RAND_WRITE, Metric.SYNC_WRITE)
        parts += [_("low: read from the disks first")] if writes else []
    sequential = metric in SEQUENTIAL
    measured = bool(inputs.calibration.of(*SEQUENTIAL))
    if sequential:
        missed = fitted.READ_MISSED_PERCENT if metric is Metric.SEQ_READ else fitted.WRITE_MISSED_PERCENT
        middle, worst = missed[measured]
        parts = [
            _("model fitted to {rows} measured rates of two machines", rows=fitted.ROWS),
            _("typical error on other machines: {middle:g} %, at most {worst:g} %", middle=middle, worst=worst),
        ]
    if sequential and not measured:
        parts.append(_("the host's limit is expected from nine hosts, no run on this host is known"))
    elif runs or sequential:
        parts.append(_("adapted to this host by its runs"))
    if inputs.load.fill_percent and inputs.disks.media is Media.HDD:
        full = _("{percent:g} % full", percent=inputs.load.fill_percent)
        old = _("in use") if inputs.load.aged else _("filled in order")
        parts.append(_("{full}, {old}", full=full, old=old))
    parts += [_("extrapolated: {why}", why="; ".join(beyond))] if beyond else []
    return Origin(kind=OriginKind.PREDICTED, source="; ".join((*parts, inputs.disks.origin.source)))
