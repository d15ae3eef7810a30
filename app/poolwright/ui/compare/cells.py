"""How the cells of a comparison and the lines of its chooser are drawn: two lines of text, a mark, a bar."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from poolwright.design.compare import Section
from poolwright.ui.compare.comparable_list import OfferRole
from poolwright.ui.compare.table import CellRole
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import ROW_ROLE, SHARE_ROLE, Index
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_BAR = 3
_LINE = 20


class ComparisonCells(QStyledItemDelegate):
    """A value with its mark, below it what is to say of it, and a bar along the foot."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() == 0 or isinstance(index.data(ROW_ROLE), Section):
            super().paint(painter, option, index)
            return
        chosen = QStyleOptionViewItem(option)
        self.initStyleOption(chosen, index)
        text, chosen.text = chosen.text, ""
        chosen.features &= ~QStyleOptionViewItem.ViewItemFeature.HasDecoration
        style = chosen.widget.style() if chosen.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, chosen, painter, chosen.widget)
        painter.save()
        room = chosen.rect.adjusted(GRID, 2, -GRID, -_BAR - 2)
        small = str(index.data(CellRole.SMALL) or "")
        known = index.data(Qt.ItemDataRole.ForegroundRole) is None
        right = bool(int(chosen.displayAlignment) & int(Qt.AlignmentFlag.AlignRight))
        first = QRect(room.left(), room.top(), room.width(), _LINE) if small else room
        painter.setFont(text_font(semibold=bool(index.data(CellRole.BEST))))
        painter.setPen(theme().colour(Tone.TEXT if known else Tone.UNKNOWN))
        _draw(painter, first, text, right=right, marked=bool(index.data(CellRole.BEST)))
        if small:
            painter.setFont(text_font(SMALL_POINTS))
            painter.setPen(theme().colour(Tone.OK if index.data(CellRole.BEST) else Tone.MUTED))
            _draw(painter, room.adjusted(0, _LINE, 0, 0), small, right=right, marked=False)
        share = index.data(SHARE_ROLE)
        if share is not None:
            _draw_bar(painter, chosen.rect, float(share))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for two lines."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + GRID, 2 * _LINE + 2 * _BAR + 2)


def _draw(painter: QPainter, room: QRect, text: str, *, right: bool, marked: bool) -> None:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    metrics = QFontMetrics(painter.font())
    left = icons.SMALL + 4 if marked else 0
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - left)
    if marked:
        wide = metrics.horizontalAdvance(shown)
        x = room.right() - wide - icons.SMALL - 4 if right else room.left()
        top = room.top() + (room.height() - icons.SMALL) // 2
        icons.icon("ok", Tone.OK).paint(painter, QRect(x, top, icons.SMALL, icons.SMALL))
    text_room = room if right else room.adjusted(left, 0, 0, 0)
    painter.drawText(text_room, side | Qt.AlignmentFlag.AlignVCenter, shown)


def _draw_bar(painter: QPainter, cell: QRect, share: float) -> None:
    room = QRect(cell.left() + GRID, cell.bottom() - _BAR - 1, cell.width() - 2 * GRID, _BAR)
    painter.fillRect(room, theme().colour("line"))
    room.setWidth(max(1, round(room.width() * share)))
    painter.fillRect(room, theme().colour(Tone.ACCENT))


class OfferLines(QStyledItemDelegate):
    """An offer: box, title, the letter of its column, and below what it is."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        detail = index.data(OfferRole.DETAIL)
        if detail is None:
            super().paint(painter, option, index)
            return
        chosen = QStyleOptionViewItem(option)
        self.initStyleOption(chosen, index)
        text, chosen.text = chosen.text, ""
        style = chosen.widget.style() if chosen.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, chosen, painter, chosen.widget)
        box = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, chosen, chosen.widget)
        room = chosen.rect.adjusted(box.right() - chosen.rect.left() + GRID, 2, -GRID // 2, -2)
        possible = bool(chosen.state & QStyle.StateFlag.State_Enabled)
        painter.save()
        letter = str(index.data(OfferRole.LETTER))
        painter.setFont(text_font(semibold=bool(letter)))
        painter.setPen(theme().colour(Tone.TEXT if possible else "disabled"))
        first = QRect(room.left(), room.top(), room.width(), _LINE)
        _draw(painter, first, f"{letter}  {text}" if letter else text, right=False, marked=False)
        painter.setFont(text_font(SMALL_POINTS))
        painter.setPen(theme().colour(Tone.MUTED))
        _draw(painter, room.adjusted(0, _LINE, 0, 0), str(detail), right=False, marked=False)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for two lines, one for a heading."""
        hint = super().sizeHint(option, index)
        lines = 1 if index.data(OfferRole.DETAIL) is None else 2
        return QSize(min(hint.width(), 30 * GRID), lines * _LINE + GRID)
