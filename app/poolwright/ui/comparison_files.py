"""Writes a comparison or a design's report from the window: HTML, PDF, Markdown, CSV."""

from datetime import UTC, datetime
from pathlib import Path

from poolwright import __version__
from poolwright.advise.candidate import Recommendation
from poolwright.advise.compare import Comparison
from poolwright.advise.compared import Column
from poolwright.domain.units import GB, TIB
from poolwright.emit.charts import Spot
from poolwright.emit.comparison_csv import comparison_csv
from poolwright.emit.drawing import SERIES
from poolwright.emit.report_blocks import Report
from poolwright.emit.report_comparison import LETTERS, FrontPlot, comparison_report
from poolwright.emit.report_html import html_text
from poolwright.emit.report_markdown import markdown_text
from poolwright.store.files import write_bytes


def made_words() -> str:
    """Return program, version and time, for the foot of a report."""
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"Poolwright {__version__}, {now}. Predictions are models with an error; the band says how large."


def write_comparison(path: Path, comparison: Comparison, *, title: str, found: Recommendation | None = None) -> None:
    """Write a comparison in the format the file's ending names; raises EnvironmentFailure.

    ``found`` is the ranking whose layouts the plot of the front shows.
    """
    if path.suffix.lower() == ".csv":
        write_bytes(path, comparison_csv(comparison).encode())
        return
    front = None if found is None else front_plot(found, comparison.columns)
    write_report(path, comparison_report(comparison, title=title, made=made_words(), front=front))


def write_report(path: Path, report: Report) -> None:
    """Write a report as PDF, HTML or, for any other ending, Markdown; raises EnvironmentFailure."""
    write_bytes(path, report_bytes(path, report))


def report_bytes(path: Path, report: Report) -> bytes:
    """Return what a file of this name holds of a report: a PDF, HTML or, for any other ending, Markdown."""
    kind = path.suffix.lower()
    if kind == ".pdf":
        from poolwright.ui.report_pdf import pdf_of  # noqa: PLC0415 - only for paper

        return pdf_of(report)
    return (html_text(report) if kind in (".html", ".htm") else markdown_text(report)).encode()


def front_plot(found: Recommendation, columns: tuple[Column, ...]) -> FrontPlot:
    """Return all layouts of a ranking by sequential read and usable capacity, the designs compared with their names."""
    spots = [
        Spot(x=c.measures.forecast.speed.seq_read / GB, y=c.usable_bytes / TIB, told=c.words) for c in found.leading
    ]
    # From the fastest down, a layout is on the front while none before it holds as much.
    front: list[Spot] = []
    for spot in sorted(spots, key=lambda s: (-s.x, -s.y)):
        if not front or spot.y > front[-1].y:
            front.append(spot)
    named = []
    for number, column in enumerate(columns):
        read, usable = column.cell("itself_read").value, column.cell("usable").value
        if read is not None and usable is not None:
            name = f"{LETTERS[number]} {column.title}"
            named.append(Spot(x=read / GB, y=usable / TIB, name=name, told=name, role=SERIES[number]))
    return FrontPlot(
        title="All layouts of the ranking",
        x_title="Sequential read without the network, predicted (GB/s)",
        y_title="Usable capacity (TiB)",
        spots=(*spots, *named),
        front=tuple(reversed(front)),
    )
