"""The log blocks at each device over time, a lane for each: waiting ones on top of the one being written."""

from collections.abc import Iterator

from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.chart_axis import axis_over
from poolwright.emit.drawing import ShapeRole
from poolwright.predict.synclog.load import Load, busy_shares, loads
from poolwright.predict.synclog.simulate import LogRun
from poolwright.texts import tell

_BLOCKS_IN_SIGHT = 24  # at each device, so that single ones can be told apart
_FILLED = 0.86  # of a lane; the rest keeps lanes apart
_BEGIN = 0.25  # of the run: the start, where all volumes begin together, is over
_MILLI = 1e3


def load_chart(run: LogRun) -> Chart:
    """Return a stretch of a run, from the start of what is shown on."""
    begin = _BEGIN * run.seconds
    seconds = run.seconds * min(1.0 - _BEGIN, _BLOCKS_IN_SIGHT * len(run.setup.devices) / len(run.writes))
    found = loads(run, begin=begin, end=begin + seconds)
    most = max(1, *(max(load.blocks) for load in found))
    shares = busy_shares(run)
    series: list[ChartSeries] = []
    ticks: list[tuple[float, str]] = []
    for lane, load in enumerate(reversed(found)):
        device = tell("Log device") if run.setup.log is not None else tell("Disk {number}", number=load.device + 1)
        ticks.append((lane + _FILLED / 2, device))
        series.extend(_lane(load, lane, begin, seconds, _FILLED / most, (device, shares[load.device])))
    return Chart(
        stem="log-load",
        title=tell("Plot of the log blocks at each device over time"),
        x=axis_over(tell("Time"), [seconds * _MILLI], unit="ms"),
        y=ChartAxis(title="", low=0.0, high=float(len(found)), ticks=tuple(ticks)),
        series=tuple(series),
    )


def _lane(
    load: Load, lane: int, begin: float, seconds: float, height: float, device: tuple[str, float]
) -> Iterator[ChartSeries]:
    """Yield the blocks that wait, and before them the one being written: height tells them apart too."""
    steps = [*zip(load.seconds, load.blocks, strict=True), (begin + seconds, load.blocks[-1])]
    waiting, writing = [], []
    for at, blocks in steps:
        x = (at - begin) * _MILLI
        told = tell(
            "{device} from {time:.3g} ms on: {blocks} log blocks, busy {share:.0f} % of the run. Simulated.",
            device=device[0],
            time=x,
            blocks=blocks,
            share=100 * device[1],
        )
        waiting.append(ChartMark(x=x, y=lane + height * blocks, told=told))
        writing.append(ChartMark(x=x, y=lane + height * min(1, blocks)))
    for name, marks, role in (
        (tell("Waiting"), waiting, ShapeRole.ACCENT),
        (tell("Being written"), writing, ShapeRole.GREY),
    ):
        yield ChartSeries(name=name, kind=SeriesKind.STAIRS, marks=tuple(marks), role=role, foot=float(lane))
