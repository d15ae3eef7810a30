"""Asks for files to read or where to write one, beside the window: the answer comes as a signal.

Who closes such a dialog does without it: each holds a thread and open files that watch the directory.
"""

import os
import pickle
import sys
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QHeaderView, QLayout, QTableView, QWidget

from poolwright.domain.command import Command, Reading
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.report_blocks import Report
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import JobPhase
from poolwright.paper.report_pdf import pdf_of, pdf_of_page
from poolwright.process.child import python_module
from poolwright.store.files import write_bytes


def save_dialog(parent: QWidget, title: str, suggested: str, kind: str, ending: str) -> QFileDialog:
    """Return a dialog for a new file; connect ``fileSelected``, then `open` it.

    ``suggested`` is the name to begin with, ``kind`` what such files are called, ``ending`` their suffix without dot.
    """
    dialog = open_dialog(parent, title, QFileDialog.FileMode.AnyFile)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(f"{kind} (*.{ending})")
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(suggested)
    return dialog


def open_dialog(
    parent: QWidget, title: str, mode: QFileDialog.FileMode = QFileDialog.FileMode.ExistingFile, *kinds: str
) -> QFileDialog:
    """Return a dialog for a file that is there; connect ``fileSelected`` or ``filesSelected``, then `open` it.

    ``kinds`` are the name filters to choose from; all files without them.
    """
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(mode)
    if kinds:
        dialog.setNameFilters(kinds)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    keep_size(dialog)
    return dialog


def keep_size(dialog: QDialog) -> None:
    """Let the dialog's contents scroll or shrink rather than force a size on its window.

    Some platforms cannot change the least size of a window that is on the screen, and Qt warns of it.
    """
    layout = dialog.layout()
    if layout is not None:  # the system's own dialogs have none
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)


# Pages are drawn as PDF by a process of their own: Qt draws them in one go, which takes a tenth of a second to many.

_TIMEOUT_SECONDS = 300.0
_NAME = "poolwright.ui.parts.save_file"


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


def drawn_elsewhere(what: str | Report) -> Reading[bytes]:
    """Return the PDF of an HTML page or a report, drawn by another process; where none can be started, drawn here.

    Raises EnvironmentFailure where Qt cannot draw it.
    """
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or "C"  # letters are chosen by it, too
    command = Command(
        argv=python_module(_NAME),
        stdin=pickle.dumps((QGuiApplication.font().toString(), what)),
        timeout_seconds=_TIMEOUT_SECONDS,
        environment=(("QT_QPA_PLATFORM", "offscreen"), ("LC_ALL", locale)),
    )
    (answer,) = yield (command,)
    return answer.stdout if answer.ok and answer.stdout.startswith(b"%PDF") else _drawn(what)


def _written(path: Path, reading: Reading[bytes]) -> Reading[None]:
    write_bytes(path, (yield from reading))


def _drawn(what: str | Report) -> bytes:
    return pdf_of_page(what) if isinstance(what, str) else pdf_of(what)


def _main() -> int:
    """Draw what stands on standard input to standard output."""
    font, what = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the window that started this process, by a pipe
    application = QGuiApplication(["poolwright"])
    letters = QFont()
    letters.fromString(font)
    application.setFont(letters)
    sys.stdout.buffer.write(_drawn(what))
    return 0


if __name__ == "__main__":
    sys.exit(_main())


# Keeps the names in the first column of a table readable, however wide the table is.

_NAMES = 0


class KeptNames(QObject):
    """Lets names take the room that the other columns leave, but ``least`` px of it: what has none then is scrolled to.

    The other columns are as wide as what they hold; `keep` is called when that became something else.
    """

    def __init__(self, view: QTableView, least: int) -> None:
        super().__init__(view)
        self._view, self._least = view, least
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        view.viewport().installEventFilter(self)
        self.keep()

    def keep(self) -> None:
        """Make the names as wide as there is room for now."""
        header = self._view.horizontalHeader()
        if not header.count():
            return
        others = (column for column in range(1, header.count()) if not header.isSectionHidden(column))
        fits = self._view.viewport().width() - sum(map(header.sectionSize, others)) >= self._least
        mode = QHeaderView.ResizeMode.Stretch if fits else QHeaderView.ResizeMode.Interactive
        if header.sectionResizeMode(_NAMES) is not mode:
            header.setSectionResizeMode(_NAMES, mode)
        if not fits:
            header.resizeSection(_NAMES, self._least)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the width of the table, which may come long after its rows."""
        if isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            self.keep()
        return super().eventFilter(watched, event)
