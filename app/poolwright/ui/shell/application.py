"""The running program with its window."""

import logging
import os
import signal
import sys
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QSettings, QTimer, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from poolwright import __version__
from poolwright.domain.errors import PoolwrightError
from poolwright.logs import Redactor, start_log, write_crash_report
from poolwright.paths import resources_folder, user_folder
from poolwright.texts import _
from poolwright.ui.parts.theme import theme
from poolwright.ui.shell.main_window import MainWindow, tell_in
from poolwright.ui.shell.warm_up import ShortCollections
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

WORK_AFTER_MILLISECONDS = 100


def open_window(design: str | None = None) -> int:
    preferences = Preferences(open_settings())
    scale = {"QT_SCALE_FACTOR": str(preferences.size_percent / 100)} if preferences.size_percent != 100 else {}
    os.environ.update(scale)
    # The style is named here: `setStyle` would return it as a Python object, for which PySide makes 30 classes.
    application = QApplication([*sys.argv[:1], "-style", "Fusion"])
    for name in scale:
        del os.environ[name]  # what prints is another program
    application.setApplicationName("poolwright")
    application.setApplicationDisplayName("Poolwright")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("poolwright")
    application.setWindowIcon(QIcon(str(resources_folder() / "icons" / "poolwright.svg")))
    redactor = Redactor()
    faults = Faults(redactor, application)
    faults.watch()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program at once
    theme().choose(preferences.scheme)
    tell_in(preferences.language)
    window = MainWindow(Session(), preferences)
    faults.said.connect(window.show_fault)
    window.learn_secrets(redactor)
    window.show()
    # Everything slow waits until the screen has answered and the first page is painted.
    QTimer.singleShot(WORK_AFTER_MILLISECONDS, faults, faults.keep_log)
    QTimer.singleShot(WORK_AFTER_MILLISECONDS, window, window.begin_work)
    window.first_file = Path(design) if design is not None else None
    collections = ShortCollections()
    collections.begin()
    try:
        return application.exec()
    finally:
        collections.end()


def open_settings() -> QSettings:
    return QSettings(str(user_folder("config") / "window.ini"), QSettings.Format.IniFormat)


# What happens when the program makes a mistake: a report is written and shown, and the window stays open.

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
        where = _("A report without serials and host names: {path}.", path=path) if path else ""
        text = _("The program made a mistake ({kind}). The library is safe. {where}")
        self.said.emit(text.format(kind=kind.__name__, where=where).strip())


def log_qt_message(level: QtMsgType, context: QMessageLogContext, message: str | None) -> None:
    logging.getLogger("qt").log(_LEVELS.get(level, logging.WARNING), "%s: %s", context.category or "default", message)
