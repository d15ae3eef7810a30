"""What the menus, the toolbar and the shortcuts do."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenuBar, QMessageBox, QToolBar

from poolwright import __version__
from poolwright.ui import icons

if TYPE_CHECKING:
    from poolwright.ui.main_window import MainWindow

_HIGHEST_KEY = 9


class WindowActions(QObject):
    """The actions of a window; each is in a menu, the usual ones in the toolbar as well."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self.new = self._action(self.tr("&New"), "new", self._new, QKeySequence.StandardKey.New)
        self.new.setToolTip(self.tr("Begin a new design: choose where the disks come from"))
        self.quit = self._action(self.tr("&Quit"), "", window.close, QKeySequence.StandardKey.Quit)
        self.summary = self._action(self.tr("&Fold the summary"), "", window.summary.toggle, "F9")
        self.about = self._action(self.tr("&About Poolwright"), "", self._about)
        stack = window.session.undo_stack
        self.undo = stack.createUndoAction(self, self.tr("&Undo"))
        self.redo = stack.createRedoAction(self, self.tr("&Redo"))
        self.undo.setShortcuts(QKeySequence.StandardKey.Undo)
        self.redo.setShortcuts(QKeySequence.StandardKey.Redo)
        self.undo.setIconText(self.tr("Undo"))
        self.redo.setIconText(self.tr("Redo"))
        icons.give(self.undo, "undo")
        icons.give(self.redo, "redo")
        self.pages = tuple(self._page_action(number, name) for number, name in enumerate(window.rail.order()))
        window.session.design_changed.connect(self._refresh)
        self._refresh()

    def fill_menus(self, bar: QMenuBar) -> None:
        """Put every action into a menu."""
        file = bar.addMenu(self.tr("&File"))
        file.addAction(self.new)
        file.addSeparator()
        file.addAction(self.quit)
        edit = bar.addMenu(self.tr("&Edit"))
        edit.addActions([self.undo, self.redo])
        view = bar.addMenu(self.tr("&View"))
        view.addActions(list(self.pages))
        view.addSeparator()
        view.addAction(self.summary)
        bar.addMenu(self.tr("&Help")).addAction(self.about)

    def fill_toolbar(self, bar: QToolBar) -> None:
        """Put the usual actions into the toolbar."""
        bar.addAction(self.new)
        bar.addSeparator()
        bar.addActions([self.undo, self.redo])

    def _action(self, text: str, icon: str, slot: object, keys: object = None) -> QAction:
        made = QAction(text, self)
        made.triggered.connect(slot)
        if icon:
            icons.give(made, icon)
        if isinstance(keys, str):
            made.setShortcut(QKeySequence(keys))
        elif isinstance(keys, QKeySequence.StandardKey):
            made.setShortcuts(keys)
        return made

    def _page_action(self, number: int, name: str) -> QAction:
        made = QAction(self._window.rail.button(name).text(), self)
        made.setData(name)
        made.triggered.connect(self._show_page)
        if number == 0:
            made.setShortcut(QKeySequence("Alt+Home"))
        elif number <= _HIGHEST_KEY:
            made.setShortcut(QKeySequence(f"Alt+{number}"))
        return made

    def _show_page(self) -> None:
        sender = self.sender()
        if isinstance(sender, QAction):
            self._window.show_page(str(sender.data()))

    def _refresh(self) -> None:
        """Allow what the current design allows."""

    def _new(self) -> None:
        self._window.show_page("start")

    def _about(self) -> None:
        text = self.tr("Poolwright {version}\n\nDesigns ZFS pools, says why, and writes the script that builds them.")
        QMessageBox.about(self._window, self.tr("About Poolwright"), text.format(version=__version__))
