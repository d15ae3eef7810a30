"""Pages are drawn as PDF by a process of their own: Qt draws them in one go, in a tenth of a second or many."""

import os

from PySide6.QtGui import QFont, QGuiApplication

from poolwright.domain.command import Reading
from poolwright.emit.report import Report
from poolwright.paper.report_pdf import pdf_of
from poolwright.process.elsewhere import done_elsewhere


def drawn_elsewhere(report: Report) -> Reading[bytes]:
    """Return the PDF of a report, in the letters of this window; raises EnvironmentFailure where Qt cannot draw it."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or "C"  # letters are chosen by it, too
    return done_elsewhere(drawn, report, QGuiApplication.font().toString(), locale)


def drawn(report: Report, font: str, locale: str) -> bytes:
    if QGuiApplication.instance() is not None:
        return pdf_of(report)
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "LC_ALL": locale}
    application = QGuiApplication(["poolwright"])
    letters = QFont()
    letters.fromString(font)
    application.setFont(letters)
    return pdf_of(report)
