"""Charts and drawings for tests: each says something of its own of how charts are drawn, and has a golden picture.

Run ``python -m tests.emit.drawn`` from the repository to draw the golden pictures anew, then look at each.
"""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from poolwright.capacity.explained import Step
from poolwright.domain.units import TIB
from poolwright.emit.chart import (
    Chart,
    ChartAxis,
    ChartLimit,
    ChartMark,
    ChartSeries,
    SeriesKind,
    axis_over,
    cascade_chart,
    chart_drawing,
    log_axis,
    room_for_dots,
)
from poolwright.emit.comparison_charts import rows_chart
from poolwright.emit.drawing import MARKERS, Area, Box, Dot, Drawing, Label, Marker, ShapeRole, Stroke, stacked, svg
from poolwright.emit.report import html_text, markdown_text
from poolwright.emit.report_design import DesignSubject, design_report
from poolwright.predict.number_words import Unit

GOLDEN = Path(__file__).parent / "golden" / "charts"
T = TypeVar("T", Area, Box, Dot, Label, Stroke)


def bars(unit: Unit, *values: float | None, band: float = 0.0) -> Chart:
    marks = [
        ChartMark(
            x=v,
            y=n,
            low=v * (1 - band) if band else None,
            high=v * (1 + band) if band else None,
            label=f"v{n}",
            told=f"m{n}: {v}",
        )
        for n, v in enumerate(values)
        if v is not None
    ]
    return rows_chart("bars", "Bars", unit, tuple(f"m{n}" for n in range(len(values))), {"": marks})


def stairs(foot: float | None = None) -> Chart:
    marks = tuple(ChartMark(x=x, y=y, told=f"from {x} on {y}") for x, y in ((0, 0.2), (2, 0.8), (5, 0.8)))
    series = ChartSeries(name="room", kind=SeriesKind.STAIRS, marks=marks, foot=foot)
    other = ChartSeries(name="more", kind=SeriesKind.STAIRS, marks=marks[:2], dashed=True)
    axis = ChartAxis(title="", low=0.0, high=1.0, ticks=((0.5, "Disk 1"),))
    limits = (ChartLimit(name="1", value=1.0, upright=True), ChartLimit(name="2", value=4.5, upright=True))
    return Chart(
        stem="stairs",
        title="Stairs",
        x=axis_over("Time", [5], unit="ms"),
        y=axis,
        series=(series, other),
        limits=limits,
    )


def scatter(*, log: bool = False) -> Chart:
    at = ((1.0, 40.0), (90.0, 10.0), (85.0, 10.5), (30.0, 30.0))
    marks = tuple(ChartMark(x=x, y=y, low=y / 2, high=y * 2, told=f"at {x}") for x, y in at)
    named = (ChartMark(x=85.0, y=11.0, label="the second choice", told="two"), ChartMark(x=86.0, y=11.0, label="third"))
    series = (
        *(
            ChartSeries(name=f"s{n}", kind=SeriesKind.LINE if n else SeriesKind.DOTS, marks=marks, marker=marker)
            for n, marker in enumerate(MARKERS)
        ),
        ChartSeries(name="", kind=SeriesKind.DOTS, marks=named, marker=Marker.RING, size=12.0),
    )
    x = log_axis("Disks", [1, 90]) if log else axis_over("Disks", [90.0])
    return Chart(
        stem="dots", title="Dots", x=x, y=axis_over("Rate", [80], unit="MB/s"), series=series,
        limits=(ChartLimit(name="most", value=60.0), ChartLimit(name="near it", value=61.0, told="61 MB/s, measured")),
    )  # fmt: skip


def band() -> Chart:
    marks = [ChartMark(x=x, y=10 + x, low=8 + x, high=14 + x, told=f"at {x}") for x in range(5)]
    limit = ChartLimit(name="full", value=16.0)
    ring = (ChartMark(x=2, y=12),)
    return Chart(
        stem="b",
        title="Band",
        x=axis_over("Years", [mark.x for mark in marks]),
        y=axis_over("Stored", [16.0, *(14.0 + x for x in range(5))], unit="TiB", room=1.22),
        series=(
            ChartSeries(name="Stored", kind=SeriesKind.CURVE, marks=tuple(marks)),
            ChartSeries(name="This design", kind=SeriesKind.DOTS, marks=ring, marker=Marker.RING, size=11.0),
        ),
        limits=(limit,),
    )


def turned() -> Chart:
    """Return bars to both sides of zero, two series to a row, one with a name that is too long for its place."""
    rows = ("A", "a design whose name is far too long for a chart", "C")
    marks = {
        "gain": [
            ChartMark(x=-30e9, y=0, label="less", told="30 less"),
            ChartMark(x=60e9, y=1, low=50e9, high=90e9, label="more", told="60 more"),
        ],
        "loss": [ChartMark(x=20e9, y=1, low=20e9, high=20e9, told="20"), ChartMark(x=1.0, y=0, told="one byte")],
    }
    return replace(rows_chart("turned", "Turned", Unit.RATE, rows, marks), unknown=(2,))


def front() -> Chart:
    """Return dots with letters on them, a dashed curve and a label far to the right."""
    dots = tuple(ChartMark(x=x, y=y, label=name) for x, y, name in ((1, 10, "A"), (2, 20, "BC")))
    line = (ChartMark(x=0, y=0), ChartMark(x=3, y=30, label="the most there is"), ChartMark(x=1, y=9))
    curve = (ChartMark(x=0, y=25), ChartMark(x=3, y=5))
    series = (
        ChartSeries(name="named", kind=SeriesKind.DOTS, marks=dots, role=ShapeRole.TWO, size=20.0, inside=True),
        ChartSeries(name="", kind=SeriesKind.LINE, marks=line, role=ShapeRole.NOTE, dashed=True),
        ChartSeries(name="curve", kind=SeriesKind.CURVE, marks=curve, role=ShapeRole.WARN),
    )
    return Chart(
        stem="front", title="Front", x=room_for_dots(axis_over("Number", [3], whole=True)),
        y=room_for_dots(axis_over("Size", [30], unit="TiB")), series=series,
    )  # fmt: skip


def crowd() -> Chart:
    """Return more marks than a description tells one by one."""
    marks = tuple(ChartMark(x=x, y=1 + x % 7, told=f"mark {x}") for x in range(40))
    series = (
        ChartSeries(name="many", kind=SeriesKind.DOTS, marks=marks, role=ShapeRole.GREY, size=5.0),
        ChartSeries(name="", kind=SeriesKind.DOTS, marks=marks[:1], marker=Marker.STAR, size=14.0),
        ChartSeries(name="one", kind=SeriesKind.CURVE, marks=marks[1:2]),
    )
    limits = (ChartLimit(name="x = 30", value=30.0, upright=True, told="x is at most 30"),)
    return Chart(
        stem="crowd", title="Crowd", x=axis_over("x", [40]), y=log_axis("y", [1e-4, 7]), series=series, limits=limits
    )


def steps() -> list[Step]:
    return [
        Step(name="s", title="raw", bytes_left=100 * TIB, change_bytes=0, why="all disks"),
        Step(name="s", title="parity", bytes_left=75 * TIB, change_bytes=-25 * TIB, why="two of eight"),
        Step(name="s", title="rounding", bytes_left=75 * TIB - 1, change_bytes=-1, why="a byte"),
        Step(name="s", title="to plan with", bytes_left=60 * TIB, change_bytes=0, why="80 %"),
    ]


DRAWINGS = {
    "bars": chart_drawing(bars(Unit.BYTES, 5.5 * TIB, None, 11 * TIB, band=0.1)),
    "rates": chart_drawing(bars(Unit.RATE, 1e8, 3e8)),
    "nothing": chart_drawing(bars(Unit.BYTES, None)),
    "odds": chart_drawing(bars(Unit.PROBABILITY, 1e-3, 1e-9, None, band=0.5)),
    "cascade": cascade_chart("Cascade", steps()),
    "stairs": chart_drawing(stairs()),
    "lanes": chart_drawing(stairs(foot=0.0)),
    "dots": chart_drawing(scatter()),
    "dots by decades": chart_drawing(scatter(log=True)),
    "band": chart_drawing(band()),
    "turned": chart_drawing(turned()),
    "front": chart_drawing(front()),
    "crowd": chart_drawing(crowd()),
    "stacked": stacked([cascade_chart("Cascade", steps()), chart_drawing(stairs(foot=0.0))], "Stairs"),
    "long names": chart_drawing(
        replace(scatter(), series=tuple(replace(one, name=one.name * 20) for one in scatter().series))
    ),
}


def of(drawing: Drawing, kind: type[T]) -> list[T]:
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


def texts(drawing: Drawing) -> list[str]:
    return [label.text for label in of(drawing, Label)]


def golden_path(name: str) -> Path:
    return GOLDEN / f"{name.replace(' ', '-')}.svg"


def picture(drawing: Drawing) -> str:
    """Return a drawing as a file with its colours, a shape in a line."""
    return svg(drawing, with_colours=True).replace("><", ">\n<") + "\n"


if __name__ == "__main__":
    for name, drawing in DRAWINGS.items():
        golden_path(name).write_text(picture(drawing), encoding="utf-8")


def report_markdown(subject: DesignSubject) -> str:
    return markdown_text(design_report(subject))


def report_html(subject: DesignSubject) -> str:
    return html_text(design_report(subject))
