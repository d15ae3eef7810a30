"""Cells whose text is wrapped, as high as the text needs with the padding of the style sheet counted in."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView

from poolwright.ui.parts.theme import GRID

PADDING = 3  # above and below the text
_SIDES = 2 * GRID + 8  # the style's own text margins are some 3 pixels a side


class WrappedDelegate(QStyledItemDelegate):
    """For a table with word wrap and rows that resize to their contents, and the model it has by now.

    Sizes are kept until the model changes: a new style sheet has every line measured again, for the same result.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self._sizes: dict[tuple[int, int, int, str], QSize] = {}
        model = table.model()
        for lines_changed in (model.rowsInserted, model.rowsRemoved, model.rowsMoved):
            lines_changed.connect(self._forget)
        for anything_changed in (model.modelReset, model.layoutChanged, model.dataChanged):
            anything_changed.connect(self._forget)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the size that shows the whole text at the column's present width."""
        column = index.column()
        width = self._table.columnWidth(column)
        place = (index.row(), column, width, option.font.key())
        if place not in self._sizes:
            self._sizes[place] = self._measured(option, index, width)
        return self._sizes[place]

    def _forget(self) -> None:
        self._sizes.clear()

    def _measured(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex, column_width: int
    ) -> QSize:
        font = index.data(Qt.ItemDataRole.FontRole)
        metrics = QFontMetrics(font if isinstance(font, QFont) else option.font)
        width = max(1, column_width - _SIDES)
        room = QRect(0, 0, width, 1 << 16)
        text = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data() or " "))
        return QSize(text.width() + _SIDES, text.height() + 2 * PADDING + 2)
