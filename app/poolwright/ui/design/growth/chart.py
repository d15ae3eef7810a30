"""Data growing against the room that the steps make: a curve with its band, and stairs for 80 % and for full."""

from bisect import bisect_right
from collections.abc import Sequence

from poolwright.changes.growth.plan import CASES, GrowthPlan
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB
from poolwright.emit.chart import Chart, ChartLimit, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.chart_axis import axis_over
from poolwright.emit.drawing import ShapeRole
from poolwright.predict.growth import DAYS_PER_YEAR
from poolwright.texts import tell

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
    level = tell("{percent} % full", percent=PLAN_FILL_PERCENT)
    series = (
        _stairs(tell("Full"), ShapeRole.MUTED, rooms, end, 1.0, dashed=True),
        _stairs(level, ShapeRole.WARN, rooms, end, PLAN_FILL_PERCENT / 100),
        ChartSeries(name=tell("Data"), kind=SeriesKind.CURVE, marks=data),
    )
    return Chart(
        stem="growth-plan",
        title=tell("Plot of the data against the room that the steps make"),
        x=axis_over(tell("Years from now"), [end]),
        y=axis_over(
            tell("USED and AVAIL of zfs list"), [*(m.y for s in series for m in s.marks)], unit="TiB", room=_ROOM_ABOVE
        ),
        series=series,
        limits=tuple(
            ChartLimit(name=str(number), value=(day - today).days / DAYS_PER_YEAR, upright=True)
            for number, day in begun
        ),
    )


def room_at(rooms: Rooms, x: float) -> float:
    """Return USED + AVAIL in TiB, ``x`` years from now, of pairs of years and TiB."""
    return rooms[max(0, bisect_right([start for start, _ in rooms], x) - 1)][1]


def _data(plan: GrowthPlan, x: float, rooms: Rooms) -> ChartMark:
    low, typical, high = ((plan.used_at(x, case) or 0.0) / TIB for case in CASES)
    room = room_at(rooms, x)
    told = tell(
        "In {years:.1f} years: {used:.1f} TiB ({low:.1f} to {high:.1f}) of {room:.1f}, {percent:.0f} %.",
        years=x,
        used=typical,
        low=low,
        high=high,
        room=room,
        percent=100 * typical / room if room else 0,
    )
    return ChartMark(x=x, y=typical, low=low, high=high, told=told)


def _stairs(name: str, role: ShapeRole, rooms: Rooms, end: float, share: float, *, dashed: bool = False) -> ChartSeries:
    steps = [*rooms, (max(end, rooms[-1][0]), rooms[-1][1])]
    marks = tuple(ChartMark(x=x, y=room * share) for x, room in steps)
    return ChartSeries(name=name, kind=SeriesKind.STAIRS, marks=marks, role=role, dashed=dashed)
