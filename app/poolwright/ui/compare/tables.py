"""The table of values and that of properties, with what stands behind the selected value below."""

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from poolwright.design.compare import Comparison
from poolwright.texts import tell
from poolwright.ui.compare.cells import ComparisonCells
from poolwright.ui.compare.table import CellRole, ComparedProperties, ComparisonTable
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.theme import GRID, Tone

_TITLES, _WIDE_TITLES = 21 * GRID, 31 * GRID
_WIDE = 110 * GRID
_LEAST, _PLACES = 14 * GRID, 17 * GRID
_DETAIL_LINES = 4


class ValuePane(QWidget):
    """Shows the rows. ``copied`` says that they are on the clipboard."""

    copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparisonTable(self)
        self.view = _table(self, tell("Values side by side"), self.model)
        self.view.setItemDelegate(ComparisonCells(self.view))
        self.view.selectionModel().currentChanged.connect(self._on_current)
        copy = QAction(tell("Copy as CSV"), self.view)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self._copy)
        self.view.addAction(copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._detail = ToneLabel("", Tone.MUTED, self, small=True)
        self._detail.setAccessibleName(tell("Where the selected value comes from"))
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Always the same room, so that the table does not jump from value to value.
        self._detail.setFixedHeight(_DETAIL_LINES * self._detail.fontMetrics().lineSpacing())
        lay.column((self.view, 1), self._detail, 0, of=self)
        self.arrange()

    def show_comparison(self, comparison: Comparison | None) -> None:
        self.model.show_comparison(comparison)
        self.arrange()

    def show_only_differences(self, only: bool) -> None:
        self.model.show_only_differences(only)
        self.arrange()

    def arrange(self) -> None:
        """Let headings span the table and give designs equal room."""
        self.view.clearSpans()
        for row in self.model.headings():
            self.view.setSpan(row, 0, 1, max(1, self.model.columnCount()))
        rows = self.model.rowCount()
        self.view.setVisible(rows > 0)
        self._detail.setVisible(rows > 0)
        for row in range(rows):
            self.view.setRowHeight(row, 6 * GRID if self.model.tall(row) else 4 * GRID)
        _share_width(self.view, first=1)
        self._on_current(self.view.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the titles more room where there is more."""
        super().resizeEvent(event)
        _share_width(self.view, first=1)

    def _on_current(self, index: QModelIndex) -> None:
        text = index.data(CellRole.DETAIL) if index.isValid() else None
        self._detail.setText(text or tell("Select a value to read where it comes from."))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.csv())
        self.copied.emit()


class PropertyPane(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparedProperties(parent=self)
        self.view = _table(self, tell("Properties side by side"), self.model)
        self._empty = ToneLabel(tell("There is no property to compare."), Tone.MUTED, self)
        lay.column(self._empty, (self.view, 1), 0, of=self)
        self.show_comparison(None)

    def show_comparison(self, comparison: Comparison | None) -> None:
        self.model.show_comparison(comparison)
        self._arrange()

    def show_only_differences(self, only: bool) -> None:
        self.model.show_only_differences(only)
        self._arrange()

    def _arrange(self) -> None:
        rows = self.model.rowCount()
        self._empty.setVisible(rows == 0 and self.model.columnCount() > 0)  # above it stands why nothing is compared
        self.view.setVisible(rows > 0)
        _share_width(self.view, first=2)


def _table(parent: QWidget, name: str, model: QAbstractItemModel) -> QTableView:
    view = plain_table(name, model, parent, row_height=4 * GRID)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    header = view.horizontalHeader()
    header.setMinimumSectionSize(_LEAST)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setTextElideMode(Qt.TextElideMode.ElideRight)
    return view


def _share_width(view: QTableView, *, first: int) -> None:
    header = view.horizontalHeader()
    for number in range(header.count()):
        if number < first:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            view.setColumnWidth(number, _PLACES if first > 1 else _WIDE_TITLES if view.width() > _WIDE else _TITLES)
        else:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
