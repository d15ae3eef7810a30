"""What happens when the program makes a mistake: a report is written and shown, and the window stays open."""

import logging
import sys
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from poolwright.domain.errors import PoolwrightError
from poolwright.logs import Redactor, start_log, write_crash_report
from poolwright.texts import tell

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class Faults(QObject):
    """Catches what no code caught. ``said`` carries the text for people, once per fault."""

    said = Signal(str)

    def __init__(self, redactor: Redactor, parent: QObject) -> None:
        super().__init__(parent)
        self._redactor = redactor

    def watch(self) -> None:
        """Take over uncaught exceptions and Qt's own messages for the life of the program."""
        sys.excepthook = self.on_exception
        qInstallMessageHandler(log_qt_message)

    def keep_log(self) -> None:
        """Write to the log file from now on; reports of faults do not wait for it."""
        start_log(self._redactor)

    def on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Tell what went wrong; anything but an error for people becomes a crash report."""
        if isinstance(error, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        if isinstance(error, PoolwrightError):
            self.said.emit(error.text)
            return
        logging.getLogger("poolwright").error("uncaught exception", exc_info=(kind, error, trace))
        path = write_crash_report(kind, error, trace, self._redactor)
        where = tell("A report without serials and host names lies at {path}.", path=path) if path else ""
        text = tell("The program made a mistake ({kind}). What was saved is safe in the library. {where}")
        self.said.emit(text.format(kind=kind.__name__, where=where).strip())


def log_qt_message(level: QtMsgType, context: QMessageLogContext, message: str | None) -> None:
    logging.getLogger("qt").log(_LEVELS.get(level, logging.WARNING), "%s: %s", context.category or "default", message)
