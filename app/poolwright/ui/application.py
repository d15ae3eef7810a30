"""The running program with its window."""

import sys

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from poolwright import __version__
from poolwright.paths import user_config_folder
from poolwright.ui.main_window import MainWindow
from poolwright.ui.session import Session
from poolwright.ui.theme import Scheme, theme


def open_window() -> int:
    """Show the window until it is closed; return the exit status."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("poolwright")
    application.setApplicationDisplayName("Poolwright")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("poolwright")
    settings = open_settings()
    theme().choose(scheme_of(settings))
    window = MainWindow(Session(), settings)
    window.show()
    return application.exec()


def open_settings() -> QSettings:
    """Return the user's settings of the window."""
    return QSettings(str(user_config_folder() / "window.ini"), QSettings.Format.IniFormat)


def scheme_of(settings: QSettings) -> Scheme:
    """Return the colours the user chose."""
    stored = str(settings.value("window/scheme", Scheme.SYSTEM.value))
    return Scheme(stored) if stored in set(Scheme) else Scheme.SYSTEM
