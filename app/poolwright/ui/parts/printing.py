"""Pages are drawn as PDF by a process of their own: Qt draws them in one go, which takes a tenth of a second to many.

The process is this module; what it draws and in which letters come from the window that started it.
"""

import os
import pickle
import sys

from PySide6.QtGui import QFont, QGuiApplication

from poolwright.domain.command import Command, Reading
from poolwright.emit.report import Report
from poolwright.paper.report_pdf import pdf_of
from poolwright.process.child import python_module

_TIMEOUT_SECONDS = 300.0
_NAME = "poolwright.ui.parts.printing"


def drawn_elsewhere(report: Report) -> Reading[bytes]:
    """Return the PDF of a report, drawn by another process; where none can be started, drawn here.

    Raises EnvironmentFailure where Qt cannot draw it.
    """
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or "C"  # letters are chosen by it, too
    command = Command(
        argv=python_module(_NAME),
        stdin=pickle.dumps((QGuiApplication.font().toString(), report)),
        timeout_seconds=_TIMEOUT_SECONDS,
        environment=(("QT_QPA_PLATFORM", "offscreen"), ("LC_ALL", locale)),
    )
    (answer,) = yield (command,)
    return answer.stdout if answer.ok and answer.stdout.startswith(b"%PDF") else pdf_of(report)


def _main() -> int:
    font, report = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the window that started this process, by a pipe
    application = QGuiApplication(["poolwright"])
    letters = QFont()
    letters.fromString(font)
    application.setFont(letters)
    sys.stdout.buffer.write(pdf_of(report))
    return 0


if __name__ == "__main__":
    sys.exit(_main())
