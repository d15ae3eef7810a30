"""Lines below lines as a tree: the columns are those of tables, the lines know what stands above and below them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar, cast

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from poolwright.ui.parts.table import Index, TableColumn


@dataclass(slots=True, kw_only=True, eq=False)
class TreeLine:
    """A line; ``place`` is its number among those below the same one."""

    parent: Self | None = None
    place: int = 0
    children: list[Self] = field(default_factory=list)

    def add(self, child: Self) -> Self:
        """Put a line below this one and return it."""
        child.parent, child.place = self, len(self.children)
        self.children.append(child)
        return child

    def below(self) -> Iterator[Self]:
        """Yield every line below this one, as they are read."""
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
        """Replace everything; these lines stand at the top, with what is below them."""
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
        """Return the index of a line; an invalid one for none."""
        return QModelIndex() if line is None else self.createIndex(line.place, column, line)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of lines right below one."""
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
        """Return the heading of a column, what it means, or its side."""
        known = orientation is Qt.Orientation.Horizontal and 0 <= section < len(self._columns)
        return self._columns[section].headed(role) if known else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self._columns[index.column()].told(self.line(index), role) if index.isValid() else None

    def _below(self, parent: Index) -> list[L]:
        return self.line(parent).children if parent.isValid() else self._top
