"""A cell with a bar behind its number, for columns where comparing is the point."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from poolwright.ui.parts.model_index import SHARE_ROLE, Index
from poolwright.ui.parts.theme import Tone, theme

_BAR_HEIGHT = 4


class ShareDelegate(QStyledItemDelegate):
    """Draws the cell as usual, and along its foot a bar as long as the share that `SHARE_ROLE` gives (0 to 1)."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        if share is None:
            return
        cell = QRectF(option.rect)
        room = QRectF(cell.left() + 4, cell.bottom() - _BAR_HEIGHT - 1, cell.width() - 8, _BAR_HEIGHT - 1)
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("line"))
        painter.drawRect(room)
        room.setWidth(room.width() * float(share))
        painter.setBrush(theme().colour(Tone.ACCENT))
        painter.drawRect(room)
        painter.restore()
