"""The tab with the pool as a picture and as a tree, the verbs above them, and what is said of the selection below."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QToolButton, QWidget

from poolwright.domain.finding import Finding
from poolwright.texts import tell
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.selection_strip import SelectionStrip
from poolwright.ui.design.picture.shelves import ShelfBoard, places_known
from poolwright.ui.design.picture.tile_marks import MarkKey
from poolwright.ui.design.picture.verbs import Verbs
from poolwright.ui.design.tree import DesignTreeView
from poolwright.ui.parts import lay
from poolwright.ui.parts.flow import Flow
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.parts.why import show_finding
from poolwright.ui.state.session import Session

_BESIDE_FROM = 150 * GRID
_MERGE_FROM, _SWAP_FROM = 88 * GRID, 98 * GRID


class PicturePane(QWidget):
    """Shows the design and lets it be changed; every edit is a step that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.editing = Editing(session, self)
        self.board = PictureBoard(self.editing, self)
        self.shelves = ShelfBoard(self.editing, self)
        self.tree = DesignTreeView(self.editing, self)
        self.strip = SelectionStrip(self.editing, self)
        self.verbs = Verbs(self.editing, self)
        self._none = ToneLabel(tell("There are no disks yet. Choose where they come from first."), Tone.MUTED, self)
        self._none.setAccessibleName(tell("Why there is no picture"))
        self.views = QSplitter(Qt.Orientation.Horizontal, self)
        self.views.setChildrenCollapsible(False)
        self.views.addWidget(self.board)
        self.views.addWidget(self.shelves)
        self.views.addWidget(self.tree)
        self.views.setStretchFactor(0, 3)
        self.views.setStretchFactor(1, 3)
        self.views.setStretchFactor(2, 2)
        self._bar = self._make_bar()
        self.key = MarkKey(self)
        lay.column(self._bar, self._none, (self.views, 1), self.key, self.strip, of=self, gap=GRID // 2)
        self._wide = self._tree_chosen = False
        self.as_tree.clicked.connect(self._on_tree_chosen)
        self.as_tree.toggled.connect(self._arrange)
        self.by_shelf.toggled.connect(self._arrange)
        self.board.menu_asked.connect(self._open_menu)
        self.shelves.menu_asked.connect(self._open_menu)
        self.tree.menu_asked.connect(self._open_menu)
        self.strip.asked.connect(self._show_why)
        self._arrange()

    def refresh(self) -> None:
        self.editing.refresh()
        self.verbs.update_states()
        tiles = tuple(self.editing.content.tiles())
        disks = {tile.disk.key: tile.disk for tile in tiles}.values()
        self.key.show_disks(disks, reserved=any(tile.beside for tile in tiles))
        nothing = self.session.inventory is None and self.session.design is None
        self._none.setVisible(nothing)
        known = places_known(self.editing.content)
        if known is self.by_shelf.isHidden():
            self.by_shelf.setVisible(known)
            self._arrange()
        for part in (self._bar, self.views, self.key, self.strip):
            part.setVisible(not nothing)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tree.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show picture and tree beside each other where there is room."""
        super().resizeEvent(event)
        # What two buttons do is in the menu as well; their room is needed in small windows.
        for button in self._buttons:
            least = {self.verbs.merge: _MERGE_FROM, self.verbs.swap: _SWAP_FROM}.get(button.defaultAction(), 0)
            button.setVisible(event.size().width() >= least)
        wide = event.size().width() >= _BESIDE_FROM
        if wide != self._wide:
            self._wide = wide
            if not self._tree_chosen:  # the room beside the picture is there: use it until somebody says otherwise
                self.as_tree.setChecked(wide)
            self._arrange()

    def _make_bar(self) -> QWidget:
        bar = QWidget(self)
        row = Flow(bar, gap=3)
        self._buttons = self.verbs.buttons(bar)
        for button in self._buttons:
            row.addWidget(button)
        self.by_shelf = self._switch(tell("Shelves"), tell("Show by shelf"), bar)
        self.by_shelf.setToolTip(tell("The disks as they sit in shelves and behind controllers"))
        self.as_tree = self._switch(tell("Tree"), tell("Show as a tree"), bar)
        self.as_tree.setToolTip(tell("The same as a tree, with everything in words"))
        row.addWidget(self.by_shelf)
        row.addWidget(self.as_tree)
        return bar

    def _switch(self, text: str, name: str, parent: QWidget) -> QToolButton:
        made = QToolButton(parent)
        made.setText(text)
        made.setAccessibleName(name)
        made.setCheckable(True)
        made.setFont(text_font(SMALL_POINTS))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made

    def _on_tree_chosen(self) -> None:
        self._tree_chosen = True

    def _arrange(self) -> None:
        tree = self.as_tree.isChecked()
        shelf = self.by_shelf.isChecked() and not self.by_shelf.isHidden()
        drawn = self.shelves if shelf else self.board
        self.board.setVisible(drawn is self.board and (self._wide or not tree))
        self.shelves.setVisible(drawn is self.shelves and (self._wide or not tree))
        self.tree.setVisible(tree)
        self.setFocusProxy(drawn if self._wide or not tree else self.tree)
        self.tree.refresh()

    def _open_menu(self, at: QPoint) -> None:
        self.verbs.popup(at)

    def _show_why(self, finding: Finding) -> None:
        show_finding(finding, self)
