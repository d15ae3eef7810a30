"""Cells whose text is wrapped, as high as the text needs with the padding of the style sheet counted in."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView

from poolwright.ui.theme import GRID

PADDING = 3  # above and below the text
_SIDES = 2 * GRID + 8  # the style's own text margins are some 3 pixels a side


class WrappedDelegate(QStyledItemDelegate):
    """For tables with word wrap and rows that resize to their contents."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the size that shows the whole text at the column's present width."""
        table = self.parent()
        assert isinstance(table, QTableView)
        font = index.data(Qt.ItemDataRole.FontRole)
        metrics = QFontMetrics(font if isinstance(font, QFont) else option.font)
        width = max(1, table.columnWidth(index.column()) - _SIDES)
        room = QRect(0, 0, width, 1 << 16)
        text = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data() or " "))
        return QSize(text.width() + _SIDES, text.height() + 2 * PADDING + 2)
