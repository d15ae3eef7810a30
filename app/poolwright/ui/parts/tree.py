"""Lines below lines as a tree: the columns are those of tables, the lines know what stands above and below them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar, cast

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from poolwright.ui.parts.table import ROW_ROLE, Index, RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme


@dataclass(slots=True, kw_only=True, eq=False)
class TreeLine:
    """A line; ``place`` is its number among those below the same one."""

    parent: Self | None = None
    place: int = 0
    children: list[Self] = field(default_factory=list)

    def add(self, child: Self) -> Self:
        child.parent, child.place = self, len(self.children)
        self.children.append(child)
        return child

    def below(self) -> Iterator[Self]:
        for child in self.children:
            yield child
            yield from child.below()


L = TypeVar("L", bound=TreeLine)
_ROOT = QModelIndex()


class TreeModel(QAbstractItemModel, Generic[L]):
    def __init__(self, columns: Sequence[TableColumn[L]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._top: list[L] = []

    def put(self, lines: Iterable[L]) -> None:
        self.beginResetModel()
        self._top = list(lines)
        for place, line in enumerate(self._top):
            line.place = place
        self.endResetModel()

    def lines(self) -> Iterator[L]:
        for line in self._top:
            yield line
            yield from line.below()

    def line(self, index: Index) -> L:
        line = index.internalPointer()
        assert isinstance(line, TreeLine)
        return cast("L", line)

    def index_at(self, line: L | None, column: int = 0) -> QModelIndex:
        return QModelIndex() if line is None else self.createIndex(line.place, column, line)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return len(self._below(parent)) if parent.column() <= 0 else 0

    def columnCount(self, _parent: Index = _ROOT) -> int:
        return len(self._columns)

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        below = self._below(parent)
        if not (0 <= row < len(below) and 0 <= column < len(self._columns)):
            return QModelIndex()
        return self.createIndex(row, column, below[row])

    def parent(self, index: Index = _ROOT) -> Any:
        return self.index_at(self.line(index).parent if index.isValid() else None)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        known = orientation is Qt.Orientation.Horizontal and 0 <= section < len(self._columns)
        return self._columns[section].headed(role) if known else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self._columns[index.column()].told(self.line(index), role) if index.isValid() else None

    def _below(self, parent: Index) -> list[L]:
        return self.line(parent).children if parent.isValid() else self._top


# A list of lines with a bar each: the terms of a score, the steps from raw to usable.

_BAR_HEIGHT = 6
_LEAST_BAR = 5 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class BarItem:
    """A line: ``share`` (0 to 1) of the bar is filled; None draws none."""

    title: str
    value: str
    why: str = ""
    share: float | None = None
    tone: Tone = Tone.ACCENT


def _sentence(item: BarItem) -> str:
    return f"{item.title}: {item.value}. {item.why}".strip()


def _why(item: BarItem) -> str:
    return item.why


class BarList(QListView):
    """Shows lines; a screen reader reads each as one sentence."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._items = RowModel((TableColumn(title=name, text=_sentence, tip=_why),), self)
        self.setModel(self._items)
        self._delegate = _BarDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QListView { border: none; background: transparent; }")
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.viewport().setAutoFillBackground(False)
        theme().changed.connect(self._repaint)

    def show_items(self, items: Sequence[BarItem]) -> None:
        metrics = QFontMetrics(text_font())
        self._delegate.title_width = max((metrics.horizontalAdvance(item.title) for item in items), default=0)
        self._items.show_rows(items)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 12 * GRID)

    def texts(self) -> tuple[str, ...]:
        return tuple(_sentence(item) for item in self._items.shown())

    def _repaint(self) -> None:
        self.viewport().update()


class _BarDelegate(QStyledItemDelegate):
    """Draws title, bar and value on one line, the reason small below; the bars begin behind the longest title."""

    title_width = 0

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        text = QFontMetrics(text_font()).height()
        small = QFontMetrics(text_font(SMALL_POINTS)).height()
        return QSize(option.rect.width(), text + small + GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = index.data(ROW_ROLE)
        assert isinstance(item, BarItem)
        rect: QRect = option.rect.adjusted(0, 0, -GRID, -GRID // 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font, small = text_font(), text_font(SMALL_POINTS)
        metrics = QFontMetrics(font)
        line = metrics.height()
        value_width = max(metrics.horizontalAdvance(item.value), metrics.horizontalAdvance("00.0 of 00"))
        title_width = min(self.title_width, rect.width() - value_width - _LEAST_BAR - 2 * GRID)
        self._line(painter, item, QRect(rect.left(), rect.top(), title_width, line), metrics)
        value = QRect(rect.right() - value_width, rect.top(), value_width, line)
        painter.drawText(value, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, item.value)
        if item.share is not None:
            left = rect.left() + title_width + GRID
            bar = QRectF(left, rect.top() + (line - _BAR_HEIGHT) / 2, value.left() - GRID - left, _BAR_HEIGHT)
            draw_bar(painter, bar, item)
        painter.setFont(small)
        painter.setPen(theme().colour(Tone.MUTED))
        below = QRect(rect.left(), rect.top() + line, rect.width(), rect.height() - line)
        told = QFontMetrics(small).elidedText(item.why, Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, told)
        painter.restore()

    def _line(self, painter: QPainter, item: BarItem, where: QRect, metrics: QFontMetrics) -> None:
        painter.setFont(text_font())
        painter.setPen(theme().colour(Tone.TEXT))
        title = metrics.elidedText(item.title, Qt.TextElideMode.ElideRight, where.width())
        painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)


def draw_bar(painter: QPainter, where: QRectF, item: BarItem) -> None:
    colours = theme()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.colour("line"))
    painter.drawRect(where)
    filled = QRectF(where)
    filled.setWidth(where.width() * min(1.0, max(0.0, item.share or 0.0)))
    painter.setBrush(colours.colour(item.tone))
    painter.drawRect(filled)
