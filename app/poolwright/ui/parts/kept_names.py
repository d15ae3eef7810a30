"""Keeps the names in the first column of a table readable, however wide the table is."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

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
