"""The stages of a growth plan: a table of what zpool list and zfs list will print, each in detail, and a chart."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt

from poolwright.changes.growth.plan import CASES, GrowthPlan, Stage, disks_bought
from poolwright.domain.disk import NoteLevel
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.growth import GrowthStep
from poolwright.domain.rates import rate_text
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB, binary
from poolwright.domain.vdev import describe
from poolwright.emit.change import commands_text
from poolwright.emit.chart import Chart, ChartLimit, ChartMark, ChartSeries, SeriesKind, axis_over
from poolwright.emit.drawing import ShapeRole
from poolwright.emit.report import Block, Code, TextTone, paragraph
from poolwright.predict.assessment import Assessment
from poolwright.predict.number_words import hours_text, loss_words, operations_text
from poolwright.predict.space import DAYS_PER_YEAR
from poolwright.texts import tell
from poolwright.ui.design.growth.editor import day_text, percent_text, step_title, when_text, work_text
from poolwright.ui.parts import icons
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.theme import Tone


@dataclass(frozen=True, slots=True)
class StageRow:
    """A row: the step (None: the new pool), its stage where it could be computed, and why not otherwise."""

    step: GrowthStep | None
    stage: Stage | None
    name: str
    problem: str = ""


def stage_rows(plan: GrowthPlan, steps: tuple[GrowthStep, ...]) -> tuple[StageRow, ...]:
    rows = [StageRow(None, plan.stages[0], "")]
    for number, step in enumerate(steps):
        stage = plan.stages[number + 1] if number + 1 < len(plan.stages) else None
        before = plan.stages[min(number, len(plan.stages) - 1)].grown.pool
        at = step.top if step.top is not None else next((n for n, t in enumerate(before.tops) if not t.removed), 0)
        name = before.name(at) if 0 <= at < len(before.tops) else ""
        problem = ""
        if stage is None:
            own = plan.problem is not None and plan.problem.number == number
            problem = (
                (plan.problem.text if plan.problem is not None else "") if own else tell("waits for the step above it")
            )
        rows.append(StageRow(step, stage, name, problem))
    return tuple(rows)


def stage_columns() -> tuple[TableColumn[StageRow], ...]:
    """Return the columns; the pointer on a cell tells why a step is not possible, else exact bytes."""
    printed = tell("What zfs list prints for the root dataset when the step has ended")
    size = tell("What zpool list prints when the step has ended, parity included")
    level = tell("{level} % on", level=PLAN_FILL_PERCENT)
    survives = tell("Failures survived, whichever disks they are")
    sizes: tuple[tuple[str, str, Callable[[Stage], int | None]], ...] = (
        (tell("SIZE"), size, lambda stage: stage.capacity.pool_size_bytes),
        (tell("USED"), printed, lambda stage: stage.used_bytes),
        (tell("AVAIL"), printed, _available),
    )
    others: tuple[tuple[str, str, Callable[[Stage], str]], ...] = (
        (tell("Full"), tell("USED of USED + AVAIL"), lambda stage: percent_text(stage.fill_after)),
        (tell("Survives"), survives, lambda stage: str(stage.failures_survived)),
        (level, tell("When this is no longer enough"), lambda stage: day_text(stage.full_on)),
        (tell("Price"), "", lambda stage: "" if not stage.price else str(stage.price)),
    )
    return (
        TableColumn(title=tell("When"), text=_when, tip=lambda row: row.problem or _begins(row)),
        TableColumn(title=tell("Step"), text=_title, tip=_problem, look=_look),
        *(_number(title, meaning, _sized(of, binary), _sized(of, _exact)) for title, meaning, of in sizes),
        *(_number(title, meaning, text) for title, meaning, text in others),
    )


def _number(
    title: str, meaning: str, text: Callable[[Stage], str], exact: Callable[[Stage], str] = lambda _stage: ""
) -> TableColumn[StageRow]:
    return TableColumn(
        title=title, meaning=meaning, number=True,
        text=lambda row: "" if row.stage is None else text(row.stage),
        tip=lambda row: row.problem or ("" if row.stage is None else exact(row.stage)),
    )  # fmt: skip


def _sized(size: Callable[[Stage], int | None], words: Callable[[int], str]) -> Callable[[Stage], str]:
    return lambda stage: "" if (known := size(stage)) is None else words(known)


def _exact(size: int) -> str:
    return tell("{size} bytes", size=f"{size:,}")


def _problem(row: StageRow) -> str:
    return row.problem


def _look(row: StageRow, role: int) -> object:
    blocked = role == Qt.ItemDataRole.DecorationRole and row.problem
    return icons.icon("block", Tone.BLOCK) if blocked else None


def _available(stage: Stage) -> int:
    return stage.capacity.available_bytes if stage.avail_bytes is None else stage.avail_bytes


def _title(row: StageRow) -> str:
    return tell("New pool") if row.step is None else step_title(row.step, row.name)


def _when(row: StageRow) -> str:
    if row.step is None:
        return tell("now")
    if row.stage is None:
        return tell("not possible")
    return day_text(row.stage.begins) or when_text(row.step)


def _begins(row: StageRow) -> str:
    return "" if row.stage is None or row.step is None else when_text(row.step)


# One step of a growth plan: what to know of it, what is expected after it, and its commands to copy.


def stage_blocks(plan: GrowthPlan, row: StageRow, stage: Stage, predicted: Assessment | None) -> Iterator[Block]:
    commands, why_none = _commands(plan, next(n for n, known in enumerate(plan.stages) if known is stage))
    freed = stage.rewrite_gain_bytes
    yield paragraph(_title(row), strong=True)
    yield paragraph(_summary(stage))
    for note in stage.notes:
        yield paragraph(note.text, TextTone.WARN if note.level is NoteLevel.WARN else TextTone.MUTED)
    others = (
        tell("Rewriting all old data would free {size} of USED.", size=binary(freed)) if freed else "",
        *(sentence(str(bought)) for bought in (disks_bought(stage) if stage.step is not None else ())),
        "" if predicted is None else _expected(predicted),
        tell("For you to run, one by one; disks not bought yet stand in < >.") if commands else why_none,
    )
    for text in others:
        yield paragraph(text, TextTone.MUTED)
    if commands:
        yield Code(text=commands)


def _expected(predicted: Assessment) -> str:
    speed, rebuild = predicted.speed, predicted.rebuild
    text = tell(
        "Expected then: reads {read}, writes {write}, {iops} random reads a second; "
        "yearly risk {risk}; rebuild {hours}."
    )
    return text.format(
        read=rate_text(speed.seq_read.typical),
        write=rate_text(speed.seq_write.typical),
        iops=operations_text(speed.rand_read_iops.typical),
        risk=loss_words(predicted.risk.probability, predicted.risk.disk_probability),
        hours=tell("impossible") if rebuild is None else hours_text(rebuild.typical),
    )


def _commands(plan: GrowthPlan, number: int) -> tuple[str, str]:
    """Return the commands of a stage, else why there are none."""
    if not number:
        return "", tell("The script of the Commands page makes the new pool.")
    try:
        return commands_text(plan, number), ""
    except PoolwrightError as error:
        return "", error.text


def _summary(stage: Stage) -> str:
    parts = [describe(stage.capacity.layout) + "."]
    if stage.step is not None:
        parts.append(work_text(stage))
    usable = tell("{size} usable, of which {plan} up to 80 %.")
    parts.append(usable.format(size=binary(stage.capacity.available_bytes), plan=binary(stage.capacity.plan_bytes)))
    if stage.charged_percent < 99.5:
        text = tell("zfs list counts new data as {percent} % of their size, so there is more room than AVAIL says.")
        parts.append(text.format(percent=f"{stage.charged_percent:.0f}"))
    return " ".join(part for part in parts if part)


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
