"""What stands above and below a report that is handed on, and the report as PDF."""

import os
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from poolwright import __version__
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.emit.report import Report
from poolwright.paper.display import check_libraries
from poolwright.texts import _


def report_foot() -> str:
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    return _(
        "Poolwright {version}, {now}. Predictions have an error; the bands show how large.",
        version=__version__,
        now=now,
    )


def pdf_bytes(report: Report) -> bytes:
    """Return the report as PDF; raises EnvironmentFailure where Qt cannot be used."""
    # No screen is needed, and none is looked for.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    check_libraries()
    try:
        from poolwright.paper.report_pdf import pdf_without_window
    except ImportError as error:
        raise EnvironmentFailure(
            _("PDF needs Qt, which cannot be loaded: {error}", error=error),
            todo=_("Write HTML and print that, or install PySide6."),
        ) from None
    return pdf_without_window(report)


# What stands above a report: for whom and by whom it is, and a picture from a file.

_LOGOS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg"}
_LARGEST_LOGO_BYTES = 1 << 20


def covered(report: Report, *, customer: str | None, author: str | None, logo: Path | None) -> Report:
    """Return the report with these above it; raises UserError where ``logo`` is no picture."""
    told = (customer and _("For {name}", name=customer), author and _("By {name}", name=author))
    url = ""
    if logo is not None:
        kind = _LOGOS.get(logo.suffix.lower())
        if kind is None or not logo.is_file() or logo.stat().st_size > _LARGEST_LOGO_BYTES:
            raise UserError(_("No picture"), where=str(logo), todo=_("Name a PNG or JPEG of at most 1 MiB."))
        url = f"data:image/{kind};base64,{b64encode(logo.read_bytes()).decode()}"
    return replace(report, cover=tuple(filter(None, told)), logo=url)
