"""Pages are drawn as PDF by a process of their own: Qt draws them in one go, which takes a tenth of a second to many.

The process is this module; what it draws and in which letters come from the window that started it.
"""

import os
import pickle
import sys
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont, QGuiApplication

from poolwright.domain.command import Command, Reading
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.report import Report
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import JobPhase
from poolwright.paper.report_pdf import pdf_of
from poolwright.process.child import python_module
from poolwright.store.files import write_bytes

_TIMEOUT_SECONDS = 300.0
_NAME = "poolwright.ui.parts.printing"


class PrintJob(CommandJob):
    """Writes what a reading returns to a file. ``written`` carries key and path, ``failed`` the error."""

    written = Signal(str, str)
    failed = Signal(object)

    def __init__(self, title: str, key: str, path: Path, reading: Reading[bytes], parent: QObject) -> None:
        super().__init__(title, "printer", _written(path, reading), parent)
        self._key, self._path = key, path
        self.ended.connect(self._tell)

    def _tell(self) -> None:
        if self.state.phase is JobPhase.SUCCEEDED:
            self.written.emit(self._key, str(self._path))
        elif isinstance(self.state.error, PoolwrightError):
            self.failed.emit(self.state.error)


def drawn_elsewhere(report: Report) -> Reading[bytes]:
    """Return the PDF of a report, drawn by another process; where none can be started, drawn here."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or "C"  # letters are chosen by it, too
    command = Command(
        argv=python_module(_NAME),
        stdin=pickle.dumps((QGuiApplication.font().toString(), report)),
        timeout_seconds=_TIMEOUT_SECONDS,
        environment=(("QT_QPA_PLATFORM", "offscreen"), ("LC_ALL", locale)),
    )
    (answer,) = yield (command,)
    return answer.stdout if answer.ok and answer.stdout.startswith(b"%PDF") else pdf_of(report)


def _written(path: Path, reading: Reading[bytes]) -> Reading[None]:
    write_bytes(path, (yield from reading))


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
