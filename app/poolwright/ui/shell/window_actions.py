"""What the menus, the toolbar and the shortcuts do."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenuBar, QMessageBox, QToolBar

from poolwright import __version__
from poolwright.domain.vdev import short_words
from poolwright.guide import guide_of_window
from poolwright.texts import _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.save_file import ask_files, ask_where
from poolwright.ui.parts.theme import theme
from poolwright.ui.shell.rail import HIGHEST_KEY
from poolwright.ui.state.sources import file_name

if TYPE_CHECKING:
    from poolwright.ui.parts.page import Page
    from poolwright.ui.shell.main_window import MainWindow

_Keys = QKeySequence.StandardKey | str | None


class WindowActions(QObject):
    """The actions of a window; each is in a menu, the usual ones in the toolbar as well."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        session, keys = window.session, QKeySequence.StandardKey
        make = self._action
        self.new = make(_("&New"), "new", self._new, keys.New)
        self.open = make(_("&Open…"), "open", self._open, keys.Open)
        self.save = make(_("Save &as…"), "save", self._save, keys.SaveAs)
        self.save.setShortcuts([*self.save.shortcuts(), QKeySequence(keys.Save)])  # the one that fingers know
        self.export = make(_("&Export script"), "export", partial(window.ask, "commands", "script"), "Ctrl+E")
        self.quit = make(_("&Quit"), "", window.close, keys.Quit)
        self.summary = make(_("&Fold the summary"), "", window.summary.toggle, "F9")
        self.guide = make(_("&Guide"), "knowledge", self._show_guide, keys.HelpContents)
        self.terms = make(_("&Terms explained"), "knowledge", partial(window.ask, "reference", "all"), "Shift+F1")
        self.part = make(_("Next &part of the window"), "", window.focus_next_part, "F6")
        self.back = make(_("&Previous page"), "back", self._go_back, "Alt+Left")
        self.onward = make(_("Ne&xt page"), "next", self._go_next, "Alt+Right")
        self.about = make(_("&About Poolwright"), "", self._about)
        self.bind = make(_("&Bind disks…"), "disks", session.ask_binding, "Ctrl+B")
        self.hosts = make(_("&Hosts over SSH…"), "hosts", partial(window.show_page, "hosts"), "Ctrl+H")
        self.another = make(_("&Collector…"), "capture", partial(window.ask, "disks", "collector"), "Ctrl+M")
        self._make_undo()
        self.pages = tuple(self._page_action(number, name) for number, name in enumerate(window.rail.order()))
        window.session.changed.connect(self._refresh)
        theme().changed.connect(self._recolour)
        self._refresh()

    def fill_menus(self, bar: QMenuBar) -> None:
        file = bar.addMenu(_("&File"))
        file.addActions([self.new, self.open, self.save, self.hosts, self.another, self.export])
        file.addSeparator()
        file.addAction(self.quit)
        bar.addMenu(_("&Edit")).addActions([self.undo, self.redo, self.bind])
        view = bar.addMenu(_("&View"))
        view.addActions(list(self.pages))
        view.addSeparator()
        view.addActions([self.back, self.onward])
        view.addSeparator()
        view.addActions([self.part, self.summary])
        bar.addMenu(_("&Help")).addActions([self.guide, self.terms, self.about])

    def fill_toolbar(self, bar: QToolBar) -> None:
        bar.addActions([self.new, self.open, self.save])
        bar.addSeparator()
        bar.addActions([self.undo, self.redo])
        bar.addSeparator()
        bar.addAction(self.export)

    def _make_undo(self) -> None:
        steps = self._window.session.undo_steps
        self.undo = self._action("", "undo", steps.undo, QKeySequence.StandardKey.Undo)
        self.redo = self._action("", "redo", steps.redo, QKeySequence.StandardKey.Redo)
        steps.changed.connect(self._name_steps)
        self._name_steps()
        self.undo.triggered.connect(self._say_undone)
        self.redo.triggered.connect(self._say_redone)

    def _name_steps(self) -> None:
        """Name the steps in the menu; the toolbar has no room for more than the word."""
        steps = self._window.session.undo_steps
        undo, redo = (text.replace("&", "&&") for text in (steps.undo_text, steps.redo_text))
        self.undo.setText(_("&Undo: {step}", step=undo) if undo else _("&Undo"))
        self.redo.setText(_("&Redo: {step}", step=redo) if redo else _("&Redo"))
        self.undo.setIconText(f" {_('Undo')}")
        self.redo.setIconText(f" {_('Redo')}")
        self.undo.setEnabled(bool(undo))
        self.redo.setEnabled(bool(redo))

    def _say_undone(self) -> None:
        """Answer also on pages that show nothing of the design; a layout is not taken back silently."""
        steps = self._window.session.undo_steps
        self._window.session.say(_("Undone: {step}", step=steps.redo_text))
        step = steps.steps[steps.position]
        if step.after is not None and (step.before is None or step.before.key != step.after.key):
            layout = short_words(step.after.layout())
            text = _("Undone: “{name}” ({layout}) is no longer the design.", name=step.after.name, layout=layout)
            self._window.offer(text, _("Redo"), steps.redo)

    def _say_redone(self) -> None:
        self._window.session.say(_("Redone: {step}", step=self._window.session.undo_steps.undo_text))

    def _action(self, text: str, icon: str, slot: Callable[[], object], keys: _Keys = None) -> QAction:
        action = QAction(text, self)
        action.setIconText(" " + widgets.keyless(text).rstrip("…"))  # away from the icon
        action.triggered.connect(slot)
        if icon:
            icons.set_icon(action, icon)
        if isinstance(keys, str):
            action.setShortcut(QKeySequence(keys))
        elif keys is not None:
            action.setShortcuts(keys)
        return action

    def _page_action(self, number: int, name: str) -> QAction:
        keys = "Alt+Home" if number == 0 else f"Alt+{number}" if number <= HIGHEST_KEY else None
        title = self._window.rail.button(name).entry.title
        return self._action(title, "", partial(self._window.show_page, name), keys)

    def _show_guide(self) -> None:
        """Open the guide where it tells of the page in front, or of the part of that which is in front."""
        part = getattr(self._front(), "front", "")
        self._window.ask("reference", f"guide:{guide_of_window(self._window.current_page(), part)}")

    def _go_back(self) -> None:
        self._front().go_back()

    def _go_next(self) -> None:
        self._front().go_next()

    def _recolour(self) -> None:
        icons.recolour_all(self)

    def _refresh(self) -> None:
        design = self._window.session.design
        for action in (self.save, self.bind):
            action.setEnabled(design is not None)
        problem = ""
        if design is not None:
            from poolwright.domain.names import exists_already
            from poolwright.emit.names import device_problem

            problem = next(filter(None, map(device_problem, map(design.disk, design.used_keys()))), "")
            problem = exists_already(design.pool_name) if design.exists else problem
        self.export.setEnabled(design is not None and not problem)
        self.export.setToolTip(problem or self.export.iconText().strip())

    def _new(self) -> None:
        self._window.session.begin_anew()
        self._window.ask("start", "")

    def _open(self) -> None:
        ask_files(self._front(), self._window.dropping.open)

    def _save(self) -> None:
        design = self._window.session.design
        if design is not None:
            from poolwright.store.design_file import to_json

            text = to_json(design, self._window.session.library.rules)
            ask_where(self._front(), file_name(design), partial(self._window.session.write, text=text))

    def _front(self) -> "Page":
        return self._window.page(self._window.current_page())

    def _about(self) -> None:
        text = _("Poolwright {version}\n\nDesigns ZFS pools, says why, and writes the script that builds them.")
        QMessageBox.about(self._front(), _("About Poolwright"), text.format(version=__version__))
