"""Panes that stand side by side where there is room, and behind tabs where there is not."""

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QLayout, QLayoutItem, QWidget

from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import FoldRow, draw_card
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.widgets import ToneLabel

_BETWEEN = 3 * GRID
_LEEWAY = 2 * GRID  # more than a scroll bar is wide: one that comes with the panes does not part them again


class Panes(QWidget):
    """Holds panes with titles; side by side from a width on, or never. ``arranged``: others are in sight."""

    arranged = Signal()

    def __init__(self, name: str, wide_from: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wide_from = wide_from
        self.wide = False
        self._panes: list[tuple[QWidget, QWidget, ToneLabel]] = []
        self.tabs = widgets.tabs(self, name)
        self.tabs.currentChanged.connect(self._arrange)
        self._row, self._columns = widgets.row(gap=_BETWEEN), list[QWidget]()
        widgets.column((self.tabs, 0, Qt.AlignmentFlag.AlignLeft), (self._row, 1), of=self)

    def add(self, title: str, pane: QWidget, share: int = 1, *, below: bool = False) -> None:
        """Add a pane that has this share of the width, or stands ``below`` the one that was added last."""
        if not below:
            self._columns.append(QWidget(self))
            self._last = widgets.column(of=self._columns[-1], gap=2 * GRID)
            self._row.addWidget(self._columns[-1], share)
        frame = QWidget(self._columns[-1])
        heading = ToneLabel(title, Tone.TEXT, frame, bold=True)
        widgets.column(heading, (pane, 1), of=frame, gap=GRID // 2)
        self._last.addWidget(frame, 1)
        self._panes.append((frame, pane, heading))
        self.tabs.addTab(title)
        self._arrange()

    def offer(self, pane: QWidget, *, offered: bool) -> None:
        number = self._number(pane)
        if self.tabs.isTabVisible(number) != offered:
            self.tabs.setTabVisible(number, offered)
            self._arrange()

    def shows(self, pane: QWidget) -> bool:
        return any(shown is pane and frame.isVisibleTo(self) for frame, shown, _ in self._panes)

    def bring_to_front(self, pane: QWidget) -> None:
        self.tabs.setCurrentIndex(self._number(pane))

    def _number(self, pane: QWidget) -> int:
        return next(i for i, (_, shown, _) in enumerate(self._panes) if shown is pane)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(event.size().width())

    def _fit(self, width: int) -> None:
        wide = self._wide_from is not None and width >= self._wide_from - (_LEEWAY if self.wide else 0)
        if wide != self.wide:
            self.wide = wide
            self._arrange()

    def _arrange(self) -> None:
        self.tabs.setVisible(not self.wide)
        if self._takes_the_keyboard_away():
            self.tabs.setFocus(Qt.FocusReason.OtherFocusReason)
        for number, (frame, _, heading) in enumerate(self._panes):
            heading.setVisible(self.wide)
            frame.setVisible(self._in_sight(number))
        shown = {frame.parentWidget() for number, (frame, _, _) in enumerate(self._panes) if self._in_sight(number)}
        for column in self._columns:
            column.setVisible(column in shown)
        self.arranged.emit()

    def _takes_the_keyboard_away(self) -> bool:
        """Tell whether the keyboard is in a pane that goes out of sight; Qt would give it to anything."""
        focused = self.focusWidget()
        if focused is None or not focused.hasFocus():
            return False
        return any(frame.isAncestorOf(focused) and not self._in_sight(n) for n, (frame, *_) in enumerate(self._panes))

    def _in_sight(self, number: int) -> bool:
        return self.tabs.isTabVisible(number) if self.wide else number == self.tabs.currentIndex()


class Folds(QWidget):
    """Panes one below the other in a card, each under a row with a title and a hint that opens it; one is open.

    ``opened`` sends the pane that was opened.
    """

    opened = Signal(QWidget)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QButtonGroup(self)
        self._panes: list[tuple[FoldRow, QWidget]] = []
        self._column = widgets.column(of=self, gap=0, around=1)
        self._rows.idToggled.connect(self._arrange)

    def add(self, title: str, pane: QWidget) -> None:
        row = FoldRow(title, self, height=4 * GRID)
        row.setCheckable(True)
        row.setAutoExclusive(True)  # one of several, not a box to tick
        self._column.addWidget(row)
        self._column.addWidget(pane, 1)
        self._panes.append((row, pane))
        self._rows.addButton(row, len(self._panes) - 1)
        row.setChecked(len(self._panes) == 1)
        self._arrange()

    def set_title(self, pane: QWidget, title: str, words: str) -> None:
        row = self._panes[self._number(pane)][0]
        row.show_title(title)
        row.show_words(words)

    def offer(self, pane: QWidget, *, offered: bool) -> None:
        number = self._number(pane)
        self._panes[number][0].setVisible(offered)
        if not offered and self._rows.checkedId() == number:
            self._panes[0][0].setChecked(True)

    def bring_to_front(self, pane: QWidget) -> None:
        self._panes[self._number(pane)][0].setChecked(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_card(painter, QRectF(self.rect()))
        painter.setPen(theme().colour("line"))
        for row, __ in self._panes[1:]:
            if row.isVisible():
                painter.drawLine(1, row.y(), self.width() - 2, row.y())

    def _number(self, pane: QWidget) -> int:
        return next(n for n, (__, each) in enumerate(self._panes) if each is pane)

    def _arrange(self) -> None:
        current = self._rows.checkedId()
        for number, (row, pane) in enumerate(self._panes):
            pane.setVisible(number == current)
            row.show_folded(folded=number != current)
        self.update()
        if current >= 0:
            self.opened.emit(self._panes[current][1])


# Parts one beside the other as far as they have room, and the rest below.


class Flow(QLayout):
    """Lays parts out in rows: each as wide as it likes, or with ``column`` in equal columns at least so wide.

    There are up to ``most`` such columns, fewer where the rows are fuller then. ``parent`` may be None in a layout.
    """

    def __init__(self, parent: QWidget | None = None, *, gap: int = GRID, column: int = 0, most: int = 1) -> None:
        super().__init__(parent)
        self._gap, self._column, self._most = gap, column, most
        self._items: list[QLayoutItem] = []
        widgets.room(self, around=0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        heights = [height for _, height in self._rows(width)]
        return sum(heights) + self._gap * max(0, len(heights) - 1)

    def sizeHint(self) -> QSize:
        widths = [max(self._column, item.sizeHint().width()) for item in self._shown()]
        if self._column:
            widths = [self._column] * min(self._most, len(widths))
        width = sum(widths) + self._gap * max(0, len(widths) - 1)
        return QSize(width, self.heightForWidth(width))

    def minimumSize(self) -> QSize:
        least = QSize(self._column, 0)
        for item in self._shown():
            least = least.expandedTo(item.minimumSize())
        return least

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        top = rect.top()
        for row, height in self._rows(rect.width()):
            left = rect.left()
            for item, width in row:
                item.setGeometry(QRect(QPoint(left, top), QSize(width, height)))
                left += width + self._gap
            top += height + self._gap

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _rows(self, width: int) -> list[tuple[list[tuple[QLayoutItem, int]], int]]:
        rows: list[list[tuple[QLayoutItem, int]]] = [[]]
        shown, room = self._shown(), width
        columns = self._columns(width, len(shown))
        for item in shown:
            wide = (width + self._gap) // columns - self._gap if self._column else item.sizeHint().width()
            if rows[-1] and (wide > room or (self._column and len(rows[-1]) == columns)):
                rows.append([])
                room = width
            rows[-1].append((item, min(wide, width)))
            room -= wide + self._gap
        return [(row, max(_height(item, wide) for item, wide in row)) for row in rows if row]

    def _columns(self, width: int, count: int) -> int:
        if not self._column:
            return 1
        least = max(self._column, self.minimumSize().width())  # where a part needs more, all columns have it
        fit = max(1, min(self._most, (width + self._gap) // (least + self._gap)))
        rows = -(-count // fit)
        return -(-count // rows) if rows > 1 else fit


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
