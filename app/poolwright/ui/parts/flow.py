"""Parts one beside the other as far as they have room, and the rest below."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID


class Flow(QLayout):
    """Lays parts out in rows: each as wide as it likes, or with ``column`` in equal columns at least so wide.

    There are up to ``most`` such columns, fewer where the rows are fuller then. ``parent`` may be None in a layout.
    """

    def __init__(self, parent: QWidget | None = None, *, gap: int = GRID, column: int = 0, most: int = 1) -> None:
        super().__init__(parent)
        self._gap, self._column, self._most = gap, column, most
        self._items: list[QLayoutItem] = []
        lay.room(self, around=0)

    def set_columns(self, column: int, most: int) -> None:
        self._column, self._most = column, most
        self.invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        """Take a part; called by `addWidget`."""
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return a part; None where there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Take the width there is, and no more height than needed."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Tell that narrow rows are more rows."""
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
