"""The tree of the design, in step with the picture: the same selection, the same edits."""

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.tree.model import FINDINGS, NAME, SIZE, STATE, WHAT, DesignTree

_WIDTHS = {NAME: 196, SIZE: 76, WHAT: 196, STATE: 110}


class DesignTreeView(QTreeView):
    """Shows an `Editing` as a tree. ``menu_asked`` wants the menu of edits there."""

    menu_asked = Signal(QPoint)

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing = editing
        self._following = False
        self._fitted_for = (0, 0)
        self.design = DesignTree(editing, self)
        self.setModel(self.design)
        self.setAccessibleName(tell("Tree of the pool"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setAlternatingRowColors(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_menu)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(FINDINGS, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        editing.content_changed.connect(self.refresh)
        editing.selection_changed.connect(self._follow)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.selectionModel().currentChanged.connect(self._on_current)

    def refresh(self) -> None:
        """Show the content, while the tree is in sight; a tree that nobody sees costs nothing."""
        if not self.isVisible():
            return
        self._following = True
        self.design.show(self._editing.content)
        self.expandAll()
        self._fit_names()
        self._following = False
        self._follow()

    def _fit_names(self) -> None:
        """Let names be read as far as there is room; asked again only for another number of rows or another width."""
        asked = (len(self._editing.content.tiles()), self.viewport().width())
        if asked != self._fitted_for:
            self._fitted_for = asked
            self.setColumnWidth(NAME, max(_WIDTHS[NAME], min(self.sizeHintForColumn(NAME), asked[1] // 3)))

    def _follow(self) -> None:
        """Select what the picture has selected."""
        if self._following or not self.isVisible():
            return
        self._following = True
        self.design.show_blast()
        model, selection = self.selectionModel(), QItemSelection()
        editing = self._editing
        for spot in editing.marks or ({editing.current} if editing.current is not None else set()):
            index = self.design.index_of(spot)
            if index.isValid():
                selection.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        model.select(selection, flags.ClearAndSelect | flags.Rows)
        if editing.current is not None:
            current = self.design.index_of(editing.current)
            if current.isValid():
                model.setCurrentIndex(current, flags.NoUpdate)
                self.scrollTo(current)
        self._following = False

    def _on_selected(self, _new: QItemSelection, _old: QItemSelection) -> None:
        self._tell()

    def _on_current(self, _new: QModelIndex, _old: QModelIndex) -> None:
        self._tell()

    def _tell(self) -> None:
        """Let the picture have the same selection."""
        if self._following:
            return
        spots = {self.design.spot_of(index) for index in self.selectionModel().selectedRows(NAME)}
        marks = {spot for spot in spots if spot is not None}
        current = self.design.spot_of(self.currentIndex()) or next(iter(marks), self._editing.current)
        self._following = True
        self._editing.put_selection(current, marks if len(marks) > 1 else ())
        self.design.show_blast()
        self._following = False

    def _ask_menu(self, at: QPoint) -> None:
        self.menu_asked.emit(self.viewport().mapToGlobal(at))
