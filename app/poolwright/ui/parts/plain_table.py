"""A table as all of them look here: rows selected whole and one at a time, no grid, the Tab key leaves it."""

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from poolwright.ui.parts.theme import GRID

ROW_HEIGHT = 3 * GRID + 4
LEAST_ROWS = 5  # with the heading; in a lower window the page scrolls


def plain_table(
    name: str, model: QAbstractItemModel, parent: QWidget, *, row_height: int | None = ROW_HEIGHT
) -> QTableView:
    """Return a view of ``model`` with this accessible name; ``row_height`` None leaves rows as high as their texts."""
    view = QTableView(parent)
    view.setModel(model)
    view.setMinimumHeight((LEAST_ROWS + 1) * ROW_HEIGHT)
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    if row_height is not None:
        view.verticalHeader().setDefaultSectionSize(row_height)
    view.horizontalHeader().setHighlightSections(False)
    return view
