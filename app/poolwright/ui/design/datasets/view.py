"""The tree of datasets on the screen, with its keys."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from poolwright.texts import tell
from poolwright.ui.design.datasets.tree import ROW_HEIGHT, DatasetColumn, DatasetTree
from poolwright.ui.parts.theme import GRID

_SAMPLES = {
    DatasetColumn.NAME: "longer dataset",  # for machines
    DatasetColumn.KIND: "volume, 10.0 TiB",  # for machines
    DatasetColumn.DATA: "unknown",
    DatasetColumn.TAKES: "unknown",
    DatasetColumn.BAND: "17.1 to 17.3 TiB",  # for machines
    DatasetColumn.STORED: "Stored at",  # for machines
}


class DatasetView(QTreeView):
    """Shows a `DatasetTree`. ``selected`` follows the selection, the others keys and the menu."""

    selected = Signal()
    add_filesystem = Signal()
    add_volume = Signal()
    remove = Signal()

    def __init__(self, tree: DatasetTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self.setAccessibleName(tell("Datasets"))
        self.setModel(tree)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(2 * GRID)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setMinimumHeight(4 * ROW_HEIGHT)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, text in _SAMPLES.items():
            self.setColumnWidth(column, self.fontMetrics().horizontalAdvance(text) + 2 * GRID + 4)
        self.selectionModel().currentChanged.connect(self.selected)
        keys = (
            (tell("Add filesystem"), QKeySequence(Qt.Key.Key_Insert), self.add_filesystem),
            (tell("Add volume"), QKeySequence("Shift+Ins"), self.add_volume),
            (tell("Rename"), QKeySequence(Qt.Key.Key_F2), self.edit_name),
            (tell("Delete"), QKeySequence(Qt.Key.Key_Delete), self.remove),
        )
        for text, key, wanted in keys:
            action = QAction(text, self)
            action.setShortcut(key)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(wanted)
            self.addAction(action)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the selected dataset in sight."""
        super().resizeEvent(event)
        self.scrollTo(self.currentIndex())

    def name(self) -> str | None:
        """Return the name of the selected dataset, '' for the root; None where nothing is selected."""
        return self._tree.name_at(self.currentIndex())

    def select(self, name: str) -> None:
        """Select a dataset, the nearest one above it where it is gone."""
        index = self._tree.index_of(name)
        while not index.isValid() and name:
            name = name.rpartition("/")[0]
            index = self._tree.index_of(name)
        if index.isValid() and self.name() != name:
            rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, rows)
            self.scrollTo(index)

    def edit_name(self) -> None:
        """Begin to edit the name of the selected dataset in its place."""
        index = self.currentIndex()
        if index.isValid():
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit(QModelIndex(index.siblingAtColumn(DatasetColumn.NAME)))
