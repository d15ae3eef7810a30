"""Reads `zpool iostat`, while it runs and afterwards: per pool, vdev and disk what was done and how long it waited."""

from collections.abc import Iterable, Sequence

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Observer, Recorded, What
from poolwright.machine.samples import UNKNOWN, CurveKey, CurveMaker, Sample, sampled
from poolwright.machine.set_clock import ClockStep, SteadyClock
from poolwright.machine.zpool.histograms import read_histograms
from poolwright.machine.zpool.iostat_layout import placed
from poolwright.machine.zpool.iostat_reports import PoolReport, ReportReader
from poolwright.texts import tell, tell_counted

_MOST_LINE_BYTES = 1 << 16
_LONGEST_GAP_INTERVALS = 15.0  # zpool tells each second, or waits for a pool that is suspended


class PoolWatch:
    """Takes what `zpool iostat -y -v -l -p -H [-T u] POOL INTERVAL` prints, as it comes.

    ``pools`` are the names asked for and ``seconds`` the interval; with -T u (which is better) samples are in ms since
    1970, else since the first report; where somebody sets the clock, they go on where they were. Without -y the first
    report is the mean since boot: ``since_boot`` leaves it out.
    """

    def __init__(self, *, pools: Iterable[str] = (), seconds: float = 1.0, since_boot: bool = False) -> None:
        self._pools = frozenset(pools)
        self._interval_ms = round(seconds * 1000)
        self._skip = since_boot
        self._reader = ReportReader()
        self._clock = SteadyClock(usual=seconds, longest=_LONGEST_GAP_INTERVALS * seconds)
        self._rest = b""
        self._count = 0

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        """Take the next bytes, wherever they are cut; return what of it is whole."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[-_MOST_LINE_BYTES:]
        found: list[Sample] = []
        for line in lines:
            report = self._reader.take(line.decode("utf-8", errors="replace").rstrip("\r"))
            found += self._samples(report) if report is not None else ()
        return tuple(found)

    def end(self) -> tuple[Sample, ...]:
        """Return the last report: zpool has ended. A line without its end is passed over."""
        report = self._reader.end()
        return self._samples(report) if report is not None else ()

    def _samples(self, report: PoolReport) -> tuple[Sample, ...]:
        if self._skip:
            self._skip = False
            return ()
        moment = None if report.moment is None else self._clock.moment(report.moment.timestamp())
        ms = self._count * self._interval_ms if moment is None else round(moment) * 1000
        self._count += 1
        return report_samples(report, ms, self._pools)


def report_samples(report: PoolReport, ms: int, pools: frozenset[str] = frozenset()) -> tuple[Sample, ...]:
    """Return each number of a report; ``-`` is unknown, as are the bytes of disks within a vdev."""
    return tuple(
        Sample(ms, CurveKey(name, observer, column.what, column.direction, column.detail), _known(value))
        for row, observer, name in placed(report.rows, pools)
        for column, value in row.values
        if column.what is not What.BYTES or value
    )


def _known(value: float | None) -> float:
    return UNKNOWN if value is None else value


def read_zpool_iostat(
    data: bytes, *, where: str, since_boot: bool | None = None, steps: Sequence[ClockStep] = ()
) -> tuple[Recorded, ...]:
    """Return what `zpool iostat` printed in any of its forms: with -v, -l, -q, -H, -p, -T, and the histograms.

    Of several reports the first is the mean since boot unless -y was given, which the text does not tell: where
    ``since_boot`` does not say it, it is left out if every pool in it did something, and that is noted. ``steps`` are
    those of the clock that told the times, as far as somebody knows of them.
    """
    text = data.decode("utf-8", errors="replace")
    histograms = read_histograms(text, where=where)
    if histograms is not None:
        return (histograms,)
    reader = ReportReader()
    lines = text.splitlines()
    found = [reader.take(line) for line in lines]
    reports = [report for report in (*found, reader.end()) if report is not None]
    if not reports:
        raise UserError(
            tell("There is nothing from zpool iostat in this text"), where=where, todo=tell("Run zpool iostat -v -l 1.")
        )
    kept, notes = (reports, []) if since_boot is False else _without_first(reports)
    timed = all(report.moment is not None for report in kept)
    if not timed and len(kept) > 1:
        notes.append(tell("No times are told: each report is taken as one second. The option -T u tells them."))
    if reader.cut:
        notes.append(
            tell_counted(
                "One line is cut off and was passed over.",
                "{count} lines are cut off and were passed over.",
                reader.cut,
            )
        )
    maker, clock = CurveMaker(), SteadyClock(known=steps)
    for index, report in enumerate(kept):
        timed_ms = round(clock.moment(report.moment.timestamp())) * 1000 if report.moment is not None else 0
        maker.take(report_samples(report, timed_ms if timed else index * 1000))
    started = kept[0].moment if timed and kept[0].utc else None
    return (sampled(maker, tool=BenchTool.ZPOOL_IOSTAT, where=where, started=started, notes=notes),)


def _without_first(reports: Sequence[PoolReport]) -> tuple[Sequence[PoolReport], list[str]]:
    if len(reports) == 1:
        return reports, [tell("One report only: without -y it is the mean since the pool was imported.")]
    idle = [
        row.name
        for row, observer, _ in placed(reports[0].rows)
        if observer is Observer.POOL and not any(v for c, v in row.values if c.what in (What.RATE, What.IOPS))
    ]
    if idle:
        return reports, []
    return reports[1:], [tell("The first report is left out: without -y it is the mean since the pool was imported.")]
