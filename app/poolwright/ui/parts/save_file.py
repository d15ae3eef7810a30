"""Asks for files to read or where to write one, beside the window: the answer comes as a signal.

Who closes such a dialog does without it: each holds a thread and open files that watch the directory.
"""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QHeaderView, QLayout, QTableView, QWidget


def ask_where(
    parent: QWidget, title: str, suggested: str, kind: str, slot: object, endings: tuple[str, ...] = ()
) -> None:
    """Ask where a new file goes; ``slot`` is called with its path.

    ``kind`` is what such files are called; they end as ``suggested`` does, or in one of the ``endings``.
    """
    ending = suggested.rpartition(".")[2]
    dialog = _dialog(parent, title, QFileDialog.FileMode.AnyFile)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(f"{kind} ({' '.join(f'*.{each}' for each in endings or (ending,))})")
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(suggested)
    dialog.fileSelected.connect(slot)
    dialog.open()


def ask_file(parent: QWidget, title: str, slot: object, *kinds: str) -> None:
    """Ask for a file that is there; ``slot`` is called with its path. ``kinds`` are name filters to choose from."""
    dialog = _dialog(parent, title, QFileDialog.FileMode.ExistingFile)
    if kinds:
        dialog.setNameFilters(kinds)
    dialog.fileSelected.connect(slot)
    dialog.open()


def ask_files(parent: QWidget, title: str, slot: object, *, folder: bool = False) -> None:
    """Ask for files, or for a ``folder``; ``slot`` is called with a list of paths."""
    modes = QFileDialog.FileMode
    dialog = _dialog(parent, title, modes.Directory if folder else modes.ExistingFiles)
    dialog.filesSelected.connect(slot)
    dialog.open()


def _dialog(parent: QWidget, title: str, mode: QFileDialog.FileMode) -> QFileDialog:
    dialog = QFileDialog(parent, title)
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
