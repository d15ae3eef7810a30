"""Chooses a form of export: each with a line on what it is for, or on why this design cannot be written so."""

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from poolwright.emit.exports import ExportFormat
from poolwright.texts import tell
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

KEY_ROLE = Qt.ItemDataRole.UserRole
LINE_ROLE = Qt.ItemDataRole.UserRole + 1
REFUSED_ROLE = Qt.ItemDataRole.UserRole + 2
_WIDEST = 76 * GRID
Ask = Callable[[str], str]


class _TwoLines(QStyledItemDelegate):
    """Title above, what it is for below."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        title, line = QFontMetrics(text_font(semibold=True)), QFontMetrics(text_font(SMALL_POINTS))
        width = max(title.horizontalAdvance(str(index.data())), line.horizontalAdvance(str(index.data(LINE_ROLE))))
        return QSize(min(width + 3 * GRID, _WIDEST), title.height() + line.height() + GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw ground, title and line."""
        painter.save()
        rect: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(rect, theme().colour(Tone.SELECTION))
        inner = rect.adjusted(GRID, GRID // 2, -GRID, -GRID // 2)
        refused = bool(index.data(REFUSED_ROLE))
        title, line = text_font(semibold=True), text_font(SMALL_POINTS)
        painter.setFont(title)
        painter.setPen(theme().colour(Tone.MUTED if refused else Tone.TEXT))
        top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, top, str(index.data()))
        painter.setFont(line)
        painter.setPen(theme().colour(Tone.WARN if refused else Tone.MUTED))
        below = inner.adjusted(0, QFontMetrics(title).height(), 0, 0)
        told = QFontMetrics(line).elidedText(str(index.data(LINE_ROLE)), Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, top, told)
        painter.restore()


class ExportChooser(QComboBox):
    """A list of forms that opens. What cannot be written is asked of ``ask`` when it opens."""

    def __init__(self, forms: tuple[ExportFormat, ...], ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self.setAccessibleName(tell("Form of export"))
        self.setMinimumHeight(4 * GRID)
        self.setMaxVisibleItems(len(forms))
        for form in forms:
            title, purpose = tell(form.title), tell(form.purpose)
            self.addItem(title, form.key)
            row = self.count() - 1
            self.setItemData(row, purpose, LINE_ROLE)
            self.setItemData(row, f"{title}: {purpose}", Qt.ItemDataRole.AccessibleTextRole)
        self._purposes = {form.key: tell(form.purpose) for form in forms}
        self._untold: list[int] = []
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tell_next)
        self.setItemDelegate(_TwoLines(self))

    def key(self) -> str:
        return str(self.currentData(KEY_ROLE))

    def choose(self, key: str) -> None:
        self.setCurrentIndex(self.findData(key))

    def showPopup(self) -> None:
        """Say of each form whether this design can be written so, one between two events each, then open the list."""
        self._untold = list(range(self.count()))
        self._timer.start(0)

    def tell(self) -> None:
        """Give each form its line: the reason against it, or what it is for."""
        for row in range(self.count()):
            self._tell(row)

    def _tell_next(self) -> None:
        if self._untold:
            self._tell(self._untold.pop(0))
            return
        self._timer.stop()
        if self.isVisible():
            view = self.view()
            view.setMinimumWidth(max(self.width(), view.sizeHintForColumn(0) + 2 * GRID))
            super().showPopup()

    def _tell(self, row: int) -> None:
        key = str(self.itemData(row, KEY_ROLE))
        reason = self._ask(key)
        line = tell("Not for this design: {reason}", reason=reason) if reason else self._purposes[key]
        self.setItemData(row, line, LINE_ROLE)
        self.setItemData(row, bool(reason), REFUSED_ROLE)
        self.setItemData(row, line, Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, f"{self.itemText(row)}: {line}", Qt.ItemDataRole.AccessibleTextRole)
