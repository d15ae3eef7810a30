"""What the paper means for a pool of today: which OpenZFS does what by itself, and what is left to choose."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.finding import Source
from poolwright.domain.units import KIB
from poolwright.domain.version import ZfsVersion
from poolwright.predict import synclog_model as model
from poolwright.predict.throughput import special_as_log
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]

# What a run comes to, in numbers that are few enough to be sent; its log blocks are not.

_BLOCKS_IN_SIGHT = 24  # at each device, so that single ones can be told apart
_BEGIN = 0.25  # of the run: the start, where all volumes begin together, is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    device: int
    seconds: tuple[float, ...]
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRun:
    """The figures of a run. ``busy`` and ``written_bytes`` are those of each device, ``lopsided`` is the share of the
    run in which one idled while blocks queued up at another; ``loads`` is a stretch to draw, of seconds from ``begin``
    to ``end``."""

    setup: model.Setup
    policy: model.Policy
    seconds: float
    iops: float
    latency_seconds: float
    latency_p99_seconds: float
    requests_per_commit: float
    busy: tuple[float, ...]
    written_bytes: tuple[int, ...]
    lopsided: float
    loads: tuple[Load, ...]
    begin: float
    end: float


def run_of(trace: model.LogTrace) -> LogRun:
    waits = sorted((commit.ended - commit.handed_over, commit.count) for commit in trace.commits)
    begin = _BEGIN * trace.seconds
    in_sight = min(1.0 - _BEGIN, _BLOCKS_IN_SIGHT * len(trace.setup.devices) / len(trace.writes))
    end = begin + trace.seconds * in_sight
    of_device: list[list[model.LogWrite]] = [[] for __ in trace.setup.devices]
    for write in trace.writes:
        of_device[write.device].append(write)
    return LogRun(
        setup=trace.setup,
        policy=trace.policy,
        seconds=trace.seconds,
        iops=trace.requests / trace.seconds,
        latency_seconds=sum((c.ended - c.handed_over) * c.count for c in trace.commits) / trace.requests,
        latency_p99_seconds=_reached(waits, 0.99 * trace.requests),
        requests_per_commit=trace.requests / len(trace.commits),
        busy=tuple(sum([each.ended - each.began for each in own]) / trace.seconds for own in of_device),
        written_bytes=tuple(sum([each.size_bytes for each in own]) for own in of_device),
        lopsided=lopsided_share(trace),
        loads=loads(trace, begin=begin, end=end),
        begin=begin,
        end=end,
    )


def _reached(waits: Sequence[tuple[float, int]], wanted: float) -> float:
    """Return the wait that so many requests do not exceed."""
    seen = accumulate(count for __, count in waits)
    return next((wait for (wait, __), total in zip(waits, seen, strict=True) if total >= wanted), waits[-1][0])


def loads(trace: model.LogTrace, *, begin: float, end: float) -> tuple[Load, ...]:
    """Return the load of each device between two seconds of the run; blocks that never ended are not counted."""
    at, devices, counts = _queues(trace)
    found = []
    for number in range(len(trace.setup.devices)):
        own = devices == number
        seconds, blocks = at[own], counts[own, number]
        first, last = seconds.searchsorted(begin, "right"), seconds.searchsorted(end, "left")
        # Of changes at one moment the last one counts.
        block_at = dict(zip(seconds[first:last].tolist(), blocks[first:last].tolist(), strict=True))
        block_at = {begin: int(blocks[first - 1]) if first else 0, **block_at}
        found.append(Load(device=number, seconds=tuple(block_at), blocks=tuple(block_at.values())))
    return tuple(found)


def lopsided_share(trace: model.LogTrace) -> float:
    """Return the share of the run (0 to 1) in which a device idled while blocks queued up at another."""
    at, __, counts = _queues(trace)
    lopsided = (counts == 0).any(axis=1) & (counts > 1).any(axis=1)
    gaps: list[float] = (at[1:] - at[:-1])[lopsided[:-1]].tolist()
    return sum(gaps) / trace.seconds


def _queues(trace: model.LogTrace) -> "tuple[Numbers, Numbers, Numbers]":
    """Return when the number of blocks changed, in order, ends before arrivals; at which device; what each has then."""
    import numpy as np  # noqa: PLC0415 - loaded by now, for the simulation

    changes = [(write.asked, 1, write.device) for write in trace.writes]
    changes += [(write.ended, -1, write.device) for write in trace.writes]
    at, change, devices = (np.array(column) for column in zip(*sorted(changes), strict=True))
    each = np.zeros((len(at), len(trace.setup.devices)), dtype=int)
    each[np.arange(len(at)), devices] = change
    return at, devices, each.cumsum(axis=0)


# The four combinations side by side, for one question.

# The worst error of the ratio after : before when each row of the paper is predicted from the other three: 5 %.
RATIO_ERROR = 0.05
_BUSY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class LogComparison:
    """The runs in the order of `POLICIES`; ``with_log`` is the last one with a log device, None where one is there."""

    setup: model.Setup
    runs: tuple[LogRun, ...]
    with_log: LogRun | None = None

    def of(self, policy: model.Policy) -> LogRun:
        return self.runs[model.POLICIES.index(policy)]

    def gain_percent(self, policy: model.Policy = model.AFTER) -> float:
        return 100.0 * (self.of(policy).iops / self.of(model.BEFORE).iops - 1.0)

    def gain(self, policy: model.Policy = model.AFTER) -> Estimate:
        """Return the gain in per cent with the band that the model's error on the paper's rows leaves."""
        ratio = 1.0 + self.gain_percent(policy) / 100.0
        return Estimate(
            low=100.0 * (ratio * (1 - RATIO_ERROR) - 1.0),
            typical=100.0 * (ratio - 1.0),
            high=100.0 * (ratio * (1 + RATIO_ERROR) - 1.0),
            limit=limit_of(self.of(policy)),
            origin=Origin(
                kind=OriginKind.PREDICTED,
                source=_("simulation of log commits; band: worst leave-one-out error on the paper's four rows"),
            ),
        )


def limit_of(run: LogRun) -> str:
    if max(run.busy) >= _BUSY:
        return _("log device") if run.setup.log is not None else _("disks")
    return _("each volume waits for its own commit")


Progress = Callable[[float], None]  # is told the share that is done


def compare(
    setup: model.Setup, *, requests: int = model.REQUESTS, seed: int = model.SEED, progress: Progress | None = None
) -> LogComparison:
    questions = [(setup, policy) for policy in model.POLICIES]
    if setup.log is None:
        questions.append((replace(setup, log=model.DEVICES[model.Drive.SSD]), model.AFTER))
    runs = _simulated(questions, requests, seed, progress)
    count = len(model.POLICIES)
    return LogComparison(setup=setup, runs=tuple(runs[:count]), with_log=runs[count] if len(runs) > count else None)


def _simulated(
    questions: Sequence[tuple[model.Setup, model.Policy]], requests: int, seed: int, progress: Progress | None
) -> list[LogRun]:
    runs: list[LogRun] = []
    for setup, policy in questions:
        if progress is not None:
            progress(len(runs) / len(questions))
        runs.append(run_of(model.simulate(setup, policy, requests=requests, seed=seed)))
    return runs


_QUEUED = model.Policy(commit=model.Commit.QUEUED, placement=model.Placement.PER_VOLUME)
_WORTH = 1.1  # the least gain of the model alone that is worth a device


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    subject: str
    title: str
    text: str
    sources: tuple[Source, ...]
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogForecast:
    """What the forecast says of a design's synchronous writes a second: without a log device, and with ``device``.

    ``worth`` is the least gain for which the roles of flash advise one: so both say the same of a design.
    """

    without: Estimate
    beside: Estimate
    device: str
    worth: float = _WORTH


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


def _advice(subject: str, title: str, text: str, *sources: str, done: bool = False) -> Advice:
    known = {entry["name"]: entry for entry in shipped("synclog_sources")["source"]}
    found = tuple(
        Source(
            kind=known[name]["kind"],
            ref=known[name]["ref"],
            note=known[name].get("as_is") or known[name].get("note", ""),
        )
        for name in sources
    )
    return Advice(subject=subject, title=title, text=text, sources=found, done=done)


def _batching(comparison: LogComparison, version: ZfsVersion) -> Advice:
    gain = comparison.gain_percent(_QUEUED)
    what = _("In the model, committing what waits together gives {gain:+.0f} % IOPS here.", gain=gain)
    if version < ZfsVersion(0, 8):
        title = _("OpenZFS {version} writes one batch of commits at a time", version=version)
        text = _(
            "{what} This version forms batches, but a new request waits until the batch before "
            "is written. Update to 0.8.0 or later.",
            what=what,
        )
        return _advice("commits", title, text, "paper", "batching", "old-zil")
    text = _(
        "{what} Nothing to do: since 0.8.0 requests that wait share log blocks, and a commit waits only for its own.",
        what=what,
    )
    sources = ["paper", "batching", "old-zil"]
    if version >= ZfsVersion(2, 2):
        text = f"{text} {_('Since 2.2 commits of one dataset also hinder each other less.')}"
        sources.insert(2, "issuer")
    old = _("ZFS on Linux of 2012 already formed batches, but wrote one at a time.")
    title = _("OpenZFS {version} commits waiting requests together", version=version)
    return _advice("commits", title, f"{text} {old}", *sources, done=True)


def _balance(comparison: LogComparison, version: ZfsVersion) -> Advice:
    if len(comparison.setup.devices) == 1:
        text = _("There is nothing to balance: the two ways of placing log blocks are the same.")
        return _advice("balance", _("One device takes all log blocks"), text, "paper", done=True)
    what = _(
        "Where each volume goes round the disks on its own, a disk idles while another has a queue {alone:.0f} % "
        "of the time; one pointer for all changes the gain by {gain:+.1f} points.",
        alone=100 * comparison.of(model.BEFORE).lopsided,
        gain=comparison.gain_percent(model.AFTER) - comparison.gain_percent(_QUEUED),
    )
    if version >= ZfsVersion(2, 1):
        how = _("all logs of the pool share an allocation class with one rotor (embedded log, since 2.1)")
        sources = ["embedded", "no-fastwrite" if version >= ZfsVersion(2, 2) else "fastwrite"]
    else:
        how = _("each log block goes to the top-level vdev with the fewest unfinished ones (October 2012 until 2.2)")
        sources = ["fastwrite", "no-fastwrite"]
    title = _("OpenZFS {version} spreads the log blocks of all volumes together", version=version)
    text = _(
        "{what} Nothing to do: {how}. The rotor stays on a vdev for a while "
        "(metaslab_aliquot), so the spread is coarser than block by block.",
        what=what,
        how=how,
    )
    return _advice("balance", title, text, "paper", *sources, done=True)


def _log_device(comparison: LogComparison, version: ZfsVersion, forecast: LogForecast | None) -> Advice:
    special = special_as_log(version)
    sources = ["paper", "properties", *(["special"] if special else [])]
    before, after, effect = _with_log(comparison, forecast)
    if comparison.with_log is None:
        title = _("All log blocks go to the log device")
        text = _(
            "The number of disks no longer matters for synchronous writes. Mirror it, with power-loss protection: "
            "it holds the only copy until the transaction group is written."
        )
        text = f"{effect} {text}"
    else:
        title, text = _worth_words(before, after, effect, _WORTH if forecast is None else forecast.worth)
    return _advice(_("log device"), title, f"{text} {special}".strip(), *sources)


def _worth_words(before: float, after: float, effect: str, worth: float) -> tuple[str, str]:
    if after < before * _WORTH:
        text = _(
            "{told} What holds the data answers as fast as the log device would. Make sure that it flushes: disks "
            "and flash without power-loss protection need milliseconds for it, and then a log device helps most.",
            told=effect,
        )
        return _("A log device would not help here"), text
    if after < before * worth:
        text = _(
            "{told} That is within the spread of such drives; {least:.0f} % more would be worth one, or less "
            "where the data lie on drives without power-loss protection.",
            told=effect,
            least=100.0 * (worth - 1.0),
        )
        return _("A log device is hardly worth it here"), text
    return _("A log device helps"), _("{told} Take a mirror of SSDs with power-loss protection.", told=effect)


def _with_log(comparison: LogComparison, forecast: LogForecast | None) -> tuple[float, float, str]:
    """Return the writes a second without and with the log device, and a sentence about them; empty where unknown."""
    if forecast is not None:
        before, after = forecast.without.typical, forecast.beside.typical
        effect = _(
            "{before:,.0f} synchronous writes a second are expected without a log device, {after:,.0f} with "
            "{device} ({percent:+,.0f} %).",
            before=before,
            after=after,
            device=forecast.device,
            percent=100.0 * (after / before - 1.0),
        )
        return before, after, effect
    if comparison.with_log is None:
        return 1.0, 1.0, ""
    before, after = comparison.of(model.AFTER).iops, comparison.with_log.iops
    effect = _(
        "With a log device ({source}) the model gives {after:,.0f} IOPS in place of {before:,.0f} ({percent:+,.0f} %).",
        source=model.DEVICES[model.Drive.SSD].origin,
        before=before,
        after=after,
        percent=100.0 * (after / before - 1.0),
    )
    return before, after, effect


def _volumes(comparison: LogComparison, version: ZfsVersion) -> Advice:
    setup = comparison.setup
    if setup.volumes < len(setup.devices) and version < ZfsVersion(0, 8):
        title = ngettext(
            "{count} zvol cannot keep {disks} disks busy",
            "{count} zvols cannot keep {disks} disks busy",
            setup.volumes,
            disks=len(setup.devices),
        )
        text = _("Each zvol has a log of its own and writes one batch at a time, so spread the load over more zvols.")
    else:
        title = _("Make as many zvols as there are users, not more")
        text = _(
            "Each zvol has a log of its own, and requests of different zvols are never committed together: one "
            "busy zvol gains more from batching than several idle ones."
        )
    text = _(
        "{text} The default volblocksize of OpenZFS {version} is {default}; the paper's 128K "
        "makes every small write rewrite a whole block when the transaction group is written.",
        text=text,
        version=version,
        default="16K" if version >= ZfsVersion(2, 2) else "8K",
    )
    return _advice("zvols", title, text, "paper", "volblock")


def _sync(comparison: LogComparison) -> Advice:
    text = _(
        "Then a flush commits everything written before it, here after {every} requests. sync=always commits "
        "every request (the row fsync=1), for initiators that never flush, such as ESXi over iSCSI. sync=disabled "
        "loses the acknowledged writes of the last seconds when the power fails.",
        every=comparison.setup.requests_per_sync,
    )
    return _advice("sync", _("Leave sync=standard"), text, "properties", "fua", "never-flushed")


def _logbias(comparison: LogComparison) -> Advice:
    text = _(
        "{small} are copied into the log and written again with their transaction group. logbias=throughput "
        "writes them in place: half the bytes for large writes, but past the log device, and small writes get "
        "slower.",
        small=_("Writes of {block_bytes:,} bytes", block_bytes=comparison.setup.block_bytes),
    )
    return _advice("logbias", _("Leave logbias=latency"), text, "properties", "immediate")


# The paper's experiment in the model: its machine, its rows, and what the model says of each.

PAPER_REQUESTS = 15_000
_ASSUMED_BLOCK_KIB = 4
_ROWS_WITHOUT_FIGURE = ((10, _ASSUMED_BLOCK_KIB), (20, _ASSUMED_BLOCK_KIB))


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRow:
    requests_per_sync: int
    block_bytes: int
    gain_percent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    row: PaperRow
    before: LogRun
    after: LogRun

    @property
    def gain_percent(self) -> float:
        return 100.0 * (self.after.iops / self.before.iops - 1.0)

    @property
    def error_points(self) -> float | None:
        """Return the model's gain less the paper's, in percentage points; None where the paper prints none."""
        return None if self.row.gain_percent is None else self.gain_percent - self.row.gain_percent


def paper_rows(table: str) -> tuple[PaperRow, ...]:
    """Return the rows of ``table``, the text of rules/tables/fsync_paper.csv, and those the paper only draws."""
    rows = [
        PaperRow(
            requests_per_sync=int(row["fsync"]),
            block_bytes=int(row["block_kib"] or _ASSUMED_BLOCK_KIB) * KIB,
            gain_percent=float(row["iops_gain_percent"]),
        )
        for row in csv.DictReader(io.StringIO(table))
    ]
    rows.extend(
        PaperRow(requests_per_sync=fsync, block_bytes=kib * KIB, gain_percent=None)
        for fsync, kib in _ROWS_WITHOUT_FIGURE
    )
    return tuple(rows)


def reproduce(
    rows: tuple[PaperRow, ...], *, requests: int = PAPER_REQUESTS, seed: int = model.SEED
) -> tuple[Reproduced, ...]:
    asked = model.Setup(volumes=3, disks=3, depth=100)
    setups = [replace(asked, requests_per_sync=row.requests_per_sync, block_bytes=row.block_bytes) for row in rows]
    questions = [(setup, policy) for setup in setups for policy in (model.BEFORE, model.AFTER)]
    runs = _simulated(questions, requests, seed, None)
    found = zip(rows, runs[::2], runs[1::2], strict=True)
    return tuple(Reproduced(row=row, before=before, after=after) for row, before, after in found)
