"""Asks for files to read or where to write one, beside the window: the answer comes as a signal.

Who closes such a dialog does without it: each holds a thread and open files that watch the directory.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QLayout, QWidget


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
