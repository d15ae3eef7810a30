"""What the paper means for a pool of today: which OpenZFS does what by itself, and what is left to choose."""

from dataclasses import dataclass

from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Source
from poolwright.domain.version import ZfsVersion
from poolwright.predict.synclog.compare import LogComparison
from poolwright.predict.synclog.load import lopsided_share
from poolwright.predict.synclog.model import AFTER, BEFORE, DEVICES, Commit, Drive, Placement, Policy

_QUEUED = Policy(commit=Commit.QUEUED, placement=Placement.PER_VOLUME)
_WORTH_PERCENT = 10.0  # below that a change is not worth making

_PAPER = Source(kind="document", ref="Shen, Zhang, Yang 2014, sections 2 and 3")
_PROPERTIES = Source(kind="man", ref="zfsprops(7)")
_OLD_ZIL = Source(
    kind="source",
    ref="https://github.com/openzfs/zfs/blob/00b46022c676e402e3f33ce93ee2983bbad2c46f/module/zfs/zil.c",
    note="zil_commit in 2012: threads that wait are committed as a batch, one batch at a time",
)
_BATCHING = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/6566", note="merged for 0.8.0")
_ISSUER = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/15122", note="in 2.2 by pull request 15204")
_FUA = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/552", note="February 2012")
_FASTWRITE = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/1013", note="October 2012")
_NO_FASTWRITE = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/15107", note="in 2.2.0")
_EMBEDDED = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/11389", note="in 2.1.0")
_SPECIAL = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/17505", note="in 2.4.0")
_VOLBLOCK = Source(kind="source", ref="https://github.com/openzfs/zfs/pull/12406", note="in 2.2.0")
_IMMEDIATE = Source(
    kind="source",
    ref="https://github.com/openzfs/zfs/issues/6603",
    note="the choice of zvol_log_write, quoted there",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One piece of advice; ``done`` tells that OpenZFS of the asked version does it by itself."""

    subject: str
    title: str
    text: str
    sources: tuple[Source, ...]
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogForecast:
    """What the forecast says of a design's synchronous writes a second: without a log device, and with ``device``."""

    without: Estimate
    beside: Estimate
    device: str


def advise(comparison: LogComparison, version: ZfsVersion, forecast: LogForecast | None = None) -> tuple[Advice, ...]:
    """Return what ``comparison`` means for a pool under OpenZFS ``version``, the most useful first.

    With the ``forecast`` of a design, its numbers are told in place of those of the simulation, which knows neither
    the pool's rate nor what else the log costs.
    """
    return (
        _batching(comparison, version),
        _balance(comparison, version),
        _log_device(comparison, version, forecast),
        _volumes(comparison, version),
        _sync(comparison),
        _logbias(comparison),
    )


def _batching(comparison: LogComparison, version: ZfsVersion) -> Advice:
    gain = comparison.gain_percent(_QUEUED)
    what = f"In the model, committing what waits together gives {gain:+.0f} % IOPS here."
    if version >= ZfsVersion(0, 8):
        later = " Since 2.2 commits of one dataset also hinder each other less." if version >= ZfsVersion(2, 2) else ""
        return Advice(
            subject="commits",
            title=f"OpenZFS {version} commits waiting requests together",
            text=f"{what} Nothing to do: since 0.8.0 requests that wait share log blocks, and a commit waits only for "
            f"its own.{later} ZFS on Linux of 2012 already formed batches, but wrote one at a time.",
            sources=(_PAPER, _BATCHING, *((_ISSUER,) if version >= ZfsVersion(2, 2) else ()), _OLD_ZIL),
            done=True,
        )
    return Advice(
        subject="commits",
        title=f"OpenZFS {version} writes one batch of commits at a time",
        text=f"{what} This version forms batches, but a new request waits until the batch before is written. "
        "Update to 0.8.0 or later.",
        sources=(_PAPER, _BATCHING, _OLD_ZIL),
    )


def _balance(comparison: LogComparison, version: ZfsVersion) -> Advice:
    alone = comparison.of(BEFORE)
    gain = comparison.gain_percent(AFTER) - comparison.gain_percent(_QUEUED)
    if len(comparison.setup.devices) == 1:
        return Advice(
            subject="balance",
            title="One device takes all log blocks",
            text="There is nothing to balance: the two ways of placing log blocks are the same.",
            sources=(_PAPER,),
            done=True,
        )
    what = (
        f"Where each volume goes round the disks on its own, a disk idles while another has a queue "
        f"{100 * lopsided_share(alone):.0f} % of the time; one pointer for all changes the gain by {gain:+.1f} points "
        "here."
    )
    if version >= ZfsVersion(2, 1):
        how = "all logs of the pool share an allocation class with one rotor (embedded log, since 2.1)"
        sources = (_PAPER, _EMBEDDED, _NO_FASTWRITE if version >= ZfsVersion(2, 2) else _FASTWRITE)
    else:
        how = "each log block goes to the top-level vdev with the fewest unfinished ones (October 2012 until 2.2)"
        sources = (_PAPER, _FASTWRITE, _NO_FASTWRITE)
    return Advice(
        subject="balance",
        title=f"OpenZFS {version} spreads the log blocks of all volumes together",
        text=f"{what} Nothing to do: {how}. The rotor stays on a vdev for a while (metaslab_aliquot), so the "
        "spread is coarser than block by block.",
        sources=sources,
        done=True,
    )


def _log_device(comparison: LogComparison, version: ZfsVersion, forecast: LogForecast | None) -> Advice:
    special = (
        " A special vdev of SSDs takes the log when there is no log device (since 2.4)."
        if version >= ZfsVersion(2, 4)
        else ""
    )
    sources = (_PAPER, _PROPERTIES, *((_SPECIAL,) if special else ()))
    run, base = comparison.with_log, comparison.of(AFTER)
    if forecast is not None:
        before, after = forecast.without.typical, forecast.beside.typical
        told = f"{before:,.0f} synchronous writes a second are expected without a log device, {after:,.0f} with "
        told += f"{forecast.device} ({100.0 * (after / before - 1.0):+,.0f} %)."
    elif run is not None:
        before, after = base.iops, run.iops
        told = f"With a log device ({DEVICES[Drive.SSD].origin.source}) the model gives {after:,.0f} IOPS"
        told += f" in place of {before:,.0f} ({100.0 * (after / before - 1.0):+,.0f} %)."
    else:
        before, after, told = 1.0, 1.0, ""
    if run is None:
        text = "How many disks the pool has no longer matters for synchronous writes. Mirror it, and take one with "
        text += "power-loss protection: what it holds is the only copy until the transaction group is written."
        return Advice(
            subject="log device",
            title="All log blocks go to the log device",
            text=f"{told} {text}{special}".strip(),
            sources=sources,
        )
    if after < before * (1.0 + _WORTH_PERCENT / 100.0):
        return Advice(
            subject="log device",
            title="A log device would not help here",
            text=f"{told} What holds the data answers as fast as the log device would. Make sure that it does write: a "
            "disk that flushes each commit to its platters needs milliseconds, as flash without power-loss protection "
            f"does, and then a log device helps most.{special}",
            sources=sources,
        )
    return Advice(
        subject="log device",
        title="A log device helps",
        text=f"{told} Take a mirror of SSDs with power-loss protection.{special}",
        sources=sources,
    )


def _volumes(comparison: LogComparison, version: ZfsVersion) -> Advice:
    setup = comparison.setup
    default = "16K" if version >= ZfsVersion(2, 2) else "8K"
    if setup.volumes < len(setup.devices) and version < ZfsVersion(0, 8):
        title = f"{setup.volumes} zvols cannot keep {len(setup.devices)} disks busy"
        text = "Each zvol has a log of its own and writes one batch at a time, so spread the load over more zvols."
    else:
        title = "Make as many zvols as there are users, not more"
        text = (
            "Each zvol has a log of its own, so requests of different zvols are never committed together: one zvol "
            "with more requests waiting gains more from batching than several with few."
        )
    return Advice(
        subject="zvols",
        title=title,
        text=f"{text} The default volblocksize of OpenZFS {version} is {default}; the paper's 128K makes every small "
        "write rewrite a whole block when the transaction group is written.",
        sources=(_PAPER, _VOLBLOCK),
    )


def _sync(comparison: LogComparison) -> Advice:
    every = comparison.setup.requests_per_sync
    return Advice(
        subject="sync",
        title="Leave sync=standard",
        text=f"Then a flush commits everything written before it, as here after {every} requests. sync=always commits "
        "every request, which is the row fsync=1 and leaves little to batch. sync=disabled is fastest and loses the "
        "acknowledged writes of the last seconds when the power fails.",
        sources=(_PROPERTIES, _FUA),
    )


def _logbias(comparison: LogComparison) -> Advice:
    small = f"Writes of {comparison.setup.block_bytes:,} bytes"
    return Advice(
        subject="logbias",
        title="Leave logbias=latency",
        text=f"{small} are copied into the log and written again with their transaction group. logbias=throughput "
        "writes them in place and only a pointer to the log: half the bytes for large writes, but it passes by the "
        "log device, and makes small writes slower.",
        sources=(_PROPERTIES, _IMMEDIATE),
    )
