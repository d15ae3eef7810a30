"""Charts of what models say: data that grow against the room for them, log blocks at the devices of a pool."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from poolwright.changes.growth.plan import CASES, GrowthPlan
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB
from poolwright.emit.chart import Chart, ChartAxis, ChartLimit, ChartMark, ChartSeries, SeriesKind, axis_over
from poolwright.emit.drawing import ShapeRole
from poolwright.predict.space import DAYS_PER_YEAR
from poolwright.predict.synclog_advice import Load, LogRun
from poolwright.texts import N_, _

# The growing data against the space that the steps add: a curve with its band, and stairs for 80 % and for full.

_POINTS = 80
_LEAST_YEARS, _MOST_YEARS = 2.0, 25.0
_ROOM_ABOVE = 1.12

Rooms = Sequence[tuple[float, float]]


def growth_chart(plan: GrowthPlan) -> Chart | None:
    """Return data and USED + AVAIL in TiB over the years; None where growth or the data of today are not known."""
    if plan.used_at(0.0) is None:
        return None
    today = plan.question.today
    dates = [stage.full_on for stage in plan.stages if stage.full_on is not None]
    last = max(((day - today).days / DAYS_PER_YEAR for day in dates), default=_LEAST_YEARS)
    end = min(_MOST_YEARS, max(_LEAST_YEARS, last * 1.1))
    rooms = [
        ((stage.ends - today).days / DAYS_PER_YEAR, stage.capacity.available_bytes / TIB)
        for stage in plan.stages
        if stage.ends is not None
    ]
    data = tuple(_data(plan, end * n / _POINTS, rooms) for n in range(_POINTS + 1))
    begun = [(n, stage.begins) for n, stage in enumerate(plan.stages) if n and stage.begins is not None]
    level = _("{percent} % full", percent=PLAN_FILL_PERCENT)
    series = (
        _stairs(_("{percent} % full", percent=100), ShapeRole.MUTED, rooms, end, 1.0, dashed=True),
        _stairs(level, ShapeRole.WARN, rooms, end, PLAN_FILL_PERCENT / 100),
        ChartSeries(name=_("Data"), kind=SeriesKind.CURVE, marks=data),
    )
    return Chart(
        stem="growth-plan",
        title=_("Plot of the data against the room that the steps make"),
        x=axis_over(_("Years from now"), [end]),
        y=axis_over(
            _("USED and AVAIL of zfs list"), [*(m.y for s in series for m in s.marks)], unit="TiB", room=_ROOM_ABOVE
        ),
        series=series,
        limits=tuple(
            ChartLimit(name=str(number), value=(day - today).days / DAYS_PER_YEAR, upright=True)
            for number, day in begun
        ),
    )


def room_at(rooms: Rooms, x: float) -> float:
    """Return USED + AVAIL in TiB, ``x`` years from now, of pairs of years and TiB."""
    return rooms[max(0, bisect_right([start for start, __ in rooms], x) - 1)][1]


def _data(plan: GrowthPlan, x: float, rooms: Rooms) -> ChartMark:
    low, typical, high = ((plan.used_at(x, case) or 0.0) / TIB for case in CASES)
    room = room_at(rooms, x)
    words = _(
        "In {years:.1f} years: {used:.1f} TiB ({low:.1f} to {high:.1f}) of {room:.1f}, {percent:.0f} %.",
        years=x,
        used=typical,
        low=low,
        high=high,
        room=room,
        percent=100 * typical / room if room else 0,
    )
    return ChartMark(x=x, y=typical, low=low, high=high, told=words)


def _stairs(name: str, role: ShapeRole, rooms: Rooms, end: float, share: float, *, dashed: bool = False) -> ChartSeries:
    steps = [*rooms, (max(end, rooms[-1][0]), rooms[-1][1])]
    marks = tuple(ChartMark(x=x, y=room * share) for x, room in steps)
    return ChartSeries(name=name, kind=SeriesKind.STAIRS, marks=marks, role=role, dashed=dashed)


# The log blocks at each device over time, a lane for each: waiting ones on top of the one being written.

_FILLED = 0.86  # of a lane; the rest keeps lanes apart
_MILLI = 1e3


def load_chart(run: LogRun) -> Chart:
    """Return a stretch of a run, from the start of what is shown on."""
    begin, seconds = run.begin, run.end - run.begin
    most = max(1, *(max(load.blocks) for load in run.loads))
    series: list[ChartSeries] = []
    ticks: list[tuple[float, str]] = []
    for lane, load in enumerate(reversed(run.loads)):
        device = _("Log device") if run.setup.log is not None else _("Disk {number}", number=load.device + 1)
        ticks.append((lane + _FILLED / 2, device))
        series.extend(_lane(load, lane, begin, seconds, _FILLED / most, (device, run.busy[load.device])))
    return Chart(
        stem="log-load",
        title=_("Log blocks at each device over time"),
        x=axis_over(_("Time"), [seconds * _MILLI], unit="ms"),
        y=ChartAxis(title="", low=0.0, high=float(len(run.loads)), ticks=tuple(ticks)),
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
        text = N_("{device} from {time:.3g} ms on: {blocks} log blocks, busy {share:.0f} % of the run.")
        words = _(text, device=device[0], time=x, blocks=blocks, share=100 * device[1])
        waiting.append(ChartMark(x=x, y=lane + height * blocks, told=words))
        writing.append(ChartMark(x=x, y=lane + height * min(1, blocks)))
    for name, marks, role in ((_("Waiting"), waiting, ShapeRole.ACCENT), (_("Being written"), writing, ShapeRole.GREY)):
        yield ChartSeries(name=name, kind=SeriesKind.STAIRS, marks=tuple(marks), role=role, foot=float(lane))
