"""Makes PDF without a window: the one place of the command line that asks Qt, and only when a PDF is wanted."""

import os

from poolwright.domain.errors import EnvironmentFailure
from poolwright.emit.report_blocks import Report
from poolwright.texts import tell


def pdf_bytes(report: Report) -> bytes:
    """Return the report as PDF; raises EnvironmentFailure where Qt cannot be used."""
    from poolwright.paper.display import check_libraries

    # No screen is needed, and none is looked for.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    check_libraries()
    try:
        from poolwright.paper.report_pdf import pdf_without_window
    except ImportError as error:
        raise EnvironmentFailure(
            tell("PDF needs Qt, which cannot be loaded: {error}", error=error),
            todo=tell("Write --html and print that, or install PySide6."),
        ) from None
    return pdf_without_window(report)
