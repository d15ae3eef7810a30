"""What a file holds of a comparison or a design's report: HTML, PDF, Markdown, CSV."""

from datetime import UTC, datetime

from poolwright import __version__
from poolwright.design.candidate import Recommendation
from poolwright.design.compare import Comparison
from poolwright.domain.command import Reading
from poolwright.emit.comparison_charts import comparison_csv
from poolwright.emit.front_chart import Against, front_chart
from poolwright.emit.report_blocks import Report, markdown_text
from poolwright.emit.report_comparison import comparison_report
from poolwright.emit.report_html import html_text
from poolwright.texts import tell
from poolwright.ui.parts.save_file import drawn_elsewhere


def made_words() -> str:
    """Return program, version and time, for the foot of a report."""
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    return tell(
        "Poolwright {version}, {now}. Predictions are models with an error; the band says how large.",
        version=__version__,
        now=now,
    )


def comparison_content(
    ending: str, comparison: Comparison, *, title: str, found: Recommendation | None = None
) -> Reading[bytes]:
    """Return what a file with this ending (".pdf", ".html", ".csv", else Markdown) holds of a comparison.

    ``found`` is the ranking whose layouts the plot of the front shows. A PDF is drawn by another process.
    """
    if ending.lower() == ".csv":
        return comparison_csv(comparison).encode()
    front = None if found is None else front_chart(found.leading, found.best, Against.READ, comparison.columns)
    report = comparison_report(comparison, title=title, made=made_words(), front=front)
    return (yield from report_content(ending, report))


def report_content(ending: str, report: Report) -> Reading[bytes]:
    """Return what a file with this ending holds of a report: a PDF, HTML or, for any other ending, Markdown."""
    kind = ending.lower()
    if kind == ".pdf":
        return (yield from drawn_elsewhere(report))
    return (html_text(report) if kind in (".html", ".htm") else markdown_text(report)).encode()
