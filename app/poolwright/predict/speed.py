"""The speed of a pool: five estimates with their bands, and the chain of limits from the disks to the network."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Case, Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.vdev import Layout
from poolwright.predict import coefficients as fitted
from poolwright.predict.band import is_familiar, sequential_band
from poolwright.predict.belief import Rate, read_rate, write_rate
from poolwright.predict.calibrate import posterior
from poolwright.predict.caps import UNKNOWN_HOST, HostCaps
from poolwright.predict.chain import ChainLink, chain_of
from poolwright.predict.circumstances import (
    DEFAULT_DISKS,
    DEFAULT_LOAD,
    DEFAULT_LOG,
    Circumstances,
    PoolLoad,
    circumstances,
    setting_of,
)
from poolwright.predict.groups import Groups, groups_of, log_vdevs, members_of
from poolwright.predict.iops import unbatched_writes
from poolwright.predict.media import DiskRates
from poolwright.predict.operations import adapted, operations, typical_rates
from poolwright.predict.reach import Extrapolation, extrapolation
from poolwright.predict.runs import NO_RUNS, Calibration, Metric
from poolwright.predict.syncwrite import flush_spread
from poolwright.texts import marked, tell, tell_counted, told_once


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedPrediction:
    """Sequential rates in bytes/s and operations a second, each with its band; the chain of limits; what was stretched.

    ``extrapolations`` say where the pool lies outside of what was measured; the bands are wider for it.
    """

    seq_read: Estimate
    seq_write: Estimate
    rand_read_iops: Estimate
    rand_write_iops: Estimate
    sync_write_iops: Estimate
    chain: tuple[ChainLink, ...]
    extrapolations: tuple[str, ...] = ()


class Typical(NamedTuple):
    """The typical values of a prediction: bytes/s, then operations a second."""

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
    around = circumstances(host, disks, log, load, calibration)
    return predict_groups(groups_of(layout), around, log_devices=len(log_vdevs(layout)))


def typical_speed(groups: Groups, around: Circumstances, *, log_devices: int = 0) -> Typical:
    """Return the typical values alone, without bands and reasons: for ranking thousands of layouts."""
    read, write = typical_rates(groups, around)
    return Typical(
        read,
        write,
        operations(Metric.RAND_READ, groups, around, read, log_devices).per_second,
        operations(Metric.RAND_WRITE, groups, around, write, log_devices).per_second,
        operations(Metric.SYNC_WRITE, groups, around, write, log_devices).per_second,
    )


@told_once
@lru_cache(maxsize=1 << 11)
def predict_groups(groups: Groups, around: Circumstances, *, log_devices: int = 0) -> SpeedPrediction:
    """Return the prediction for data vdevs in ``groups``, with ``log_devices`` log vdevs beside them."""
    setting = setting_of(around)
    belief = posterior(around.calibration, around.host, setting, members_of(groups))
    beyond = extrapolation(groups, around.disks, around.load.record_bytes, around.calibration)
    reading, writing = read_rate(groups, belief.mean, setting), write_rate(groups, belief.mean, setting)
    calibrated = bool(around.calibration.sequential)
    chain = chain_of(reading, writing, around.host, calibrated=calibrated, network=around.network)
    familiar = is_familiar(groups, around.calibration)
    other = replace(setting, aged=not setting.aged)

    def sequential(rate: Rate, *, is_read: bool) -> Estimate:
        band = sequential_band(
            groups, belief, rate, setting, reading=is_read, familiar=familiar, stretched=beyond.error
        )
        if not is_read and around.load.clients == 1 and around.disks.media is not Media.HDD:
            slower = max(0.0, math.log(rate.bytes_per_second / fitted.SLOWEST_WRITER))
            band = math.hypot(band[0], slower), band[1]
        band = _also_as_old(band, rate, (read_rate if is_read else write_rate)(groups, belief.mean, other))
        limit = next(link.limit for link in chain if (link.narrowest_read if is_read else link.narrowest_write))
        metric = Metric.SEQ_READ if is_read else Metric.SEQ_WRITE
        origin = _origin(metric, around, beyond.reasons)
        return _estimate(rate.bytes_per_second, band, limit, origin, around.network)

    read, write = sequential(reading, is_read=True), sequential(writing, is_read=False)
    rand_write = _operations(Metric.RAND_WRITE, groups, around, write, log_devices, beyond)
    sync_write = _operations(Metric.SYNC_WRITE, groups, around, write, log_devices, beyond)
    if around.load.asked_bytes < around.load.record_bytes and not around.calibration.of(Metric.SYNC_WRITE):
        # It does all that an asynchronous write does, and waits besides.
        sync_write = replace(sync_write, low=min(sync_write.low, rand_write.low))
    return SpeedPrediction(
        seq_read=read,
        seq_write=write,
        rand_read_iops=_operations(Metric.RAND_READ, groups, around, read, log_devices, beyond),
        rand_write_iops=rand_write,
        sync_write_iops=sync_write,
        chain=chain,
        extrapolations=beyond.reasons,
    )


def _also_as_old(band: tuple[float, float], rate: Rate, other: Rate) -> tuple[float, float]:
    """Return the band when the pool may as well be new as ``rate`` says and in pieces as ``other`` does, or reverse."""
    apart = math.log(rate.bytes_per_second / other.bytes_per_second)
    return math.hypot(band[0], max(0.0, apart)), math.hypot(band[1], max(0.0, -apart))


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


def _operations(
    metric: Metric, groups: Groups, around: Circumstances, stream: Estimate, log_devices: int, beyond: Extrapolation
) -> Estimate:
    found = operations(metric, groups, around, stream.typical, log_devices)
    _, spread = adapted(metric, around, found.bound)
    unmeasured = not around.calibration.of(metric)
    below = above = fitted.BAND * math.hypot(spread, beyond.error)
    if metric is Metric.SYNC_WRITE and unmeasured:
        longer, shorter = flush_spread(around.disks, around.log, log_devices)
        below, above = math.hypot(below, longer), math.hypot(above, shorter)
    if metric is Metric.RAND_WRITE:
        below = math.hypot(below, math.log(stream.typical / stream.low))
        above = math.hypot(above, math.log(stream.high / stream.typical))
        if around.disks.media is Media.HDD and unmeasured:
            # Nobody measured random writes here: an aged pool may not gather them.
            below = max(below, math.log(found.per_second / unbatched_writes(groups, around.disks)))
    if metric is not Metric.RAND_READ and around.load.asked_bytes < around.load.record_bytes and unmeasured:
        # What is written in part must be read first, unless the ARC holds it; a writer waits for that before the log.
        read = operations(Metric.RAND_READ, groups, around, stream.typical, log_devices).per_second
        below = max(below, math.log1p(found.per_second / read))
    estimate = _estimate(found.per_second, (below, above), found.limit, _origin(metric, around, beyond.reasons))
    return replace(estimate, cases=_cases(metric, groups, around, stream, log_devices)) if unmeasured else estimate


def _cases(
    metric: Metric, groups: Groups, around: Circumstances, stream: Estimate, log_devices: int
) -> tuple[Case, ...]:
    """Return the values under the two answers to what nobody said, where the band is as wide as that: drives, age."""
    if metric is Metric.RAND_WRITE and around.disks.media is Media.HDD:
        fresh = operations(metric, groups, around, stream.typical, log_devices).per_second
        aged = min(fresh, unbatched_writes(groups, around.disks))
        return Case(when=tell("fresh"), value=fresh), Case(when=tell("aged"), value=aged)
    device = around.log if log_devices else around.disks
    if metric is not Metric.SYNC_WRITE or device.media is Media.HDD or device.power_loss_protected is not None:
        return ()

    def of(protected: bool) -> float:
        sure = replace(device, power_loss_protected=protected)
        disks, log = (around.disks, sure) if log_devices else (sure, around.log)
        then = circumstances(around.host, disks, log, around.load, around.calibration)
        return operations(metric, groups, then, stream.typical, log_devices).per_second

    return (Case(when=tell("with power-loss protection"), value=of(True)), Case(when=tell("without"), value=of(False)))


_MODELS = {
    Metric.RAND_READ: marked("disk operations times the disks a record leaves free; concurrency after thesis 7.2"),
    Metric.RAND_WRITE: marked(
        "70 % of the sequential rate, by transaction groups (thesis 5.4, 7.2); low: one write a vdev at a time"
    ),
    Metric.SYNC_WRITE: marked(
        "waits of the intent log and of the device that holds it, 10 writers unless told (thesis 5.6.2, "
        "flush latencies)"
    ),
}


def _missed_words(metric: Metric, *, known: bool) -> str:
    """Return by how much whole predictions missed the rates of a machine that the model had not seen."""
    missed = fitted.READ_MISSED_PERCENT if metric is Metric.SEQ_READ else fitted.WRITE_MISSED_PERCENT
    middle, worst = missed[known]
    text = marked("a machine it had not seen was missed by {middle:g} % in the median, {worst:g} % at worst")
    with_run = marked(
        "a machine it had not seen was missed by {middle:g} % in the median, {worst:g} % at worst, with one run on it"
    )
    return tell(with_run if known else text, middle=middle, worst=worst)


@told_once
@lru_cache(maxsize=1024)
def _origin(metric: Metric, around: Circumstances, beyond: tuple[str, ...]) -> Origin:
    runs = len(around.calibration.of(metric))
    parts = [tell(_MODELS[metric])] if metric in _MODELS else []
    if around.load.asked_bytes < around.load.record_bytes:
        parts += [] if metric is Metric.SYNC_WRITE else [tell("a part of a record takes the whole record")]
        writes = metric in (Metric.RAND_WRITE, Metric.SYNC_WRITE)
        parts += [tell("low: read from the disks first")] if writes else []
    sequential = metric in (Metric.SEQ_READ, Metric.SEQ_WRITE)
    if sequential:
        parts = [
            tell(
                "model fitted to {rows} measured rates of two machines (Wikibook table 2, MacZFS blog tables 2 and 3)",
                rows=fitted.ROWS,
            ),
            _missed_words(metric, known=bool(around.calibration.sequential)),
        ]
    if sequential and not around.calibration.sequential:
        parts.append(tell("the host's limit is expected from nine hosts, no run on this host is known"))
    elif runs:
        parts.append(tell_counted("adapted to this host by {count} run", "adapted to this host by {count} runs", runs))
    elif sequential:
        parts.append(tell("adapted to this host by runs in the other direction"))
    if around.load.fill_percent and around.disks.media is Media.HDD:
        full = tell("{percent:g} % full", percent=around.load.fill_percent)
        old = tell("in use") if around.load.aged else tell("filled in order")
        parts.append(tell("{full}, {old} (thesis 5.7)", full=full, old=old))
    parts += [tell("extrapolated: {why}", why="; ".join(beyond))] if beyond else []
    return Origin(kind=OriginKind.PREDICTED, source="; ".join((*parts, around.disks.origin.source)))
