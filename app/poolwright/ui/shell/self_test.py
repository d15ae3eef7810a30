"""`poolwright --self-test`: does this installation work? Every page and tab on an example machine, without a screen.

Nothing of the user's is read or written: library, settings and log lie in a folder that is removed afterwards.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QSettings,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QImageReader
from PySide6.QtWidgets import QApplication, QTabBar

from poolwright import __version__
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.names import Stamp
from poolwright.emit.script import guarded_script
from poolwright.texts import _, numeral
from poolwright.ui.parts.page import Page
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

MACHINE = "thesis"  # for machines
HARD_DISK_BYTES = 6_001_175_126_016
MOST_SECONDS = 60.0
_HOMES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


class SelfTest:
    """Goes through the pages; ``problems`` are what went wrong, in words."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.problems: list[str] = []

    def run(self) -> None:
        """Show every page and tab: first with a machine only, then with the layout that is recommended for it."""
        window, session = self.window, self.window.session
        window.show()
        window.begin_work()
        if not self._wait(lambda: session.rules is not None or bool(session.rules_problem)):
            self.problems.append(_("The rules were not loaded within {seconds} s.", seconds=int(MOST_SECONDS)))
        if session.rules_problem:
            self.problems.append(session.rules_problem)
        machine = example(MACHINE)
        session.start_from(machine)
        session.tick([disk.key for disk in machine.disks if disk.size_bytes == HARD_DISK_BYTES][:12])
        for entry in page_entries():
            self._see(entry.name)
            if entry.name == "recommendation":
                self._take()
        self._write()

    def on_exception(self, kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        self.problems.append(f"{kind.__name__}: {error}")

    def on_message(self, level: QtMsgType, _context: QMessageLogContext, message: str | None) -> None:
        if level not in {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg}:
            self.problems.append(f"Qt: {message}")

    def _see(self, name: str) -> None:
        began = time.monotonic()
        self.window.show_page(name)
        if not self._wait(lambda: self._shows(name)):
            self.problems.append(_("The page “{name}” did not appear.", name=name))
            return
        self._look_at(name)
        for tabs in self.window.page(name).findChildren(QTabBar):
            for at in range(1, tabs.count()):
                tabs.setCurrentIndex(at)
                self._wait(lambda: not self.window.session.jobs.jobs)
                self._look_at(f"{name}: {tabs.tabText(at)}")
        duration = round((time.monotonic() - began) * 1000)
        sys.stdout.write(_("{name}: {milliseconds} ms\n", name=name, milliseconds=duration))

    def _look_at(self, name: str) -> None:
        image = self.window.grab().toImage()
        colours = {image.pixel(x, y) for x in range(0, image.width(), 5) for y in range(0, image.height(), 5)}
        if len(colours) < 4:
            self.problems.append(_("The page “{name}” is empty.", name=name))

    def _shows(self, name: str) -> bool:
        current = self.window.stack.currentWidget()
        return self.window.current_page() == name and isinstance(current, Page) and current.is_built

    def _take(self) -> None:
        session = self.window.session
        found = self._wait(lambda: session.recommendation is not None)
        button = self.window.page("recommendation").main_button() if found else None
        if button is None or not self._wait(button.isEnabled):
            self.problems.append(_("No layout was recommended for the example machine."))
            return
        button.click()
        if not self._wait(lambda: session.design is not None):
            self.problems.append(_("The recommended layout did not become a design."))

    def _write(self) -> None:
        """Write the script of the design, of which parts lie in files of their own."""
        design = self.window.session.design
        if design is None:
            return
        try:
            guarded_script(design, Stamp(generated_at="", program_version=__version__))
        except (PoolwrightError, OSError) as error:
            self.problems.append(_("No script was written for the design: {error}", error=error))

    def _wait(self, until: Callable[[], bool]) -> bool:
        end = time.monotonic() + MOST_SECONDS
        while not until():
            if time.monotonic() > end:
                return False
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            time.sleep(0.001)
        for __ in range(3):
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        return True


def self_test() -> int:
    """Try this installation; print a line a page and what is wrong. Return 0, or 3 where something is."""
    began = time.monotonic()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory(prefix="poolwright-self-test-") as folder:
        os.environ.update(dict.fromkeys(_HOMES, folder))
        problems = _tried(folder)
    for problem in problems:
        sys.stdout.write(_("wrong: {problem}\n", problem=problem))
    seconds = numeral(time.monotonic() - began, ".1f")
    if problems:
        sys.stdout.write(_("self-test failed after {seconds} s\n", seconds=seconds))
        return 3
    sys.stdout.write(_("self-test passed in {seconds} s\n", seconds=seconds))
    return 0


def _tried(folder: str) -> list[str]:
    application = QApplication([*sys.argv[:1], "-style", "Fusion"])
    application.setApplicationName("poolwright")
    settings = QSettings(f"{folder}/window.ini", QSettings.Format.IniFormat)
    window = MainWindow(Session(), Preferences(settings))
    test = SelfTest(window)
    before = sys.excepthook
    sys.excepthook = test.on_exception
    qInstallMessageHandler(test.on_message)
    try:
        # Icons are drawings; without the plugin that reads them they are not there, and Qt says nothing of it.
        if b"svg" not in [bytes(name.data()) for name in QImageReader.supportedImageFormats()]:
            test.problems.append(_("Qt cannot read SVG drawings: its plugins are missing."))
        test.run()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    finally:
        sys.excepthook = before
        qInstallMessageHandler(None)
    return test.problems
