"""The running program with its window."""

import signal
import sys
from pathlib import Path

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from poolwright import __version__
from poolwright.logs import Redactor
from poolwright.paths import resources_folder, user_config_folder
from poolwright.ui.parts.theme import theme
from poolwright.ui.shell.faults import Faults
from poolwright.ui.shell.garbage import ShortCollections
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

WORK_AFTER_MILLISECONDS = 100


def open_window(design: str | None = None) -> int:
    """Show the window until it is closed, with the design of a file where one is named; return the exit status."""
    # The style is named here: `setStyle` would return it as a Python object, for which PySide makes 30 classes.
    application = QApplication([*sys.argv[:1], "-style", "Fusion"])
    application.setApplicationName("poolwright")
    application.setApplicationDisplayName("Poolwright")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("poolwright")
    application.setWindowIcon(QIcon(str(resources_folder() / "icons" / "poolwright.svg")))
    redactor = Redactor()
    faults = Faults(redactor, application)
    faults.watch()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program at once
    preferences = Preferences(open_settings())
    theme().choose(preferences.scheme)
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
    return QSettings(str(user_config_folder() / "window.ini"), QSettings.Format.IniFormat)
