"""Asks for files to read or where to write one, beside the window: the answer comes as a signal.

Who closes such a dialog does without it: each holds a thread and open files that watch the directory.
"""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QHeaderView, QLayout, QTableView, QWidget


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


def ask_where(parent: QWidget, title: str, suggested: str, kind: str, ending: str, slot: object) -> None:
    """Ask where a new file goes; ``slot`` is called with its path. See `save_dialog`."""
    dialog = save_dialog(parent, title, suggested, kind, ending)
    dialog.fileSelected.connect(slot)
    dialog.open()


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
