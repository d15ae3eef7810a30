"""Asks for files to read or where to write one, beside the window: the answer comes as a signal.

Who closes such a dialog does without it: each holds a thread and open files that watch the directory.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QLayout, QWidget

REPORTS = ("pdf", "html", "md")


def ask_where(parent: QWidget, suggested: str, slot: object, *endings: str) -> None:
    """Ask where a new file goes, which ends as ``suggested`` or in one of the ``endings``; ``slot`` gets its path."""
    ending = suggested.rpartition(".")[2]
    dialog = _dialog(parent, QFileDialog.FileMode.AnyFile)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(" ".join(f"*.{each}" for each in endings or (ending,)))
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(suggested)
    dialog.fileSelected.connect(slot)
    dialog.open()


def ask_file(parent: QWidget, slot: object) -> None:
    """Ask for a file that is there; ``slot`` is called with its path."""
    dialog = _dialog(parent, QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(slot)
    dialog.open()


def ask_files(parent: QWidget, slot: object, *, folder: bool = False) -> None:
    """Ask for files, or for a ``folder``; ``slot`` is called with a list of paths."""
    modes = QFileDialog.FileMode
    dialog = _dialog(parent, modes.Directory if folder else modes.ExistingFiles)
    dialog.filesSelected.connect(slot)
    dialog.open()


def _dialog(parent: QWidget, mode: QFileDialog.FileMode) -> QFileDialog:
    dialog = QFileDialog(parent)
    dialog.setFileMode(mode)
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
