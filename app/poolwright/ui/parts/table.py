"""Rows of values as a table: a column is one value, and one model keeps rows, order, filter and marks.

A Python sort of keys is some twenty times faster than a proxy that asks a model for two values at each comparison, and
5000 rows must not be felt. What a cell shows is worked out when it is looked at.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QFont, QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from poolwright.domain.shown import csv_text
from poolwright.texts import _, marked, punctuated
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import sent

# A table as all of them look here: rows selected whole and one at a time, no grid, the Tab key leaves it.

ROW_HEIGHT = 3 * GRID + 4
LEAST_ROWS = 4  # with the heading; in a lower window the page scrolls


def plain_table(
    name: str,
    model: QAbstractItemModel,
    parent: QWidget,
    *,
    wrapped: int | None = None,
    row_height: int = ROW_HEIGHT,
    stretched: Iterable[int] = (),
    fitted: bool = False,
    sorted_by: tuple[int, Qt.SortOrder] | None = None,
    selected: object = None,
) -> QTableView:
    """Return a view of ``model`` with this accessible name; the slot ``selected`` is called for another row.

    With a ``wrapped`` column its texts are whole, and rows as high as they need. Columns are as wide as their texts
    where they are ``fitted``; those that are ``stretched`` have the rest of the room.
    """
    view = QTableView(parent)
    view.setAccessibleName(name)
    view.setModel(model)
    view.setMinimumHeight((LEAST_ROWS + 1) * ROW_HEIGHT)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.setWordWrap(wrapped is not None)
    view.setTabKeyNavigation(False)
    rows = view.verticalHeader()
    rows.hide()
    rows.setDefaultSectionSize(row_height)
    if wrapped is not None:
        view.setItemDelegateForColumn(wrapped, WrappedDelegate(view))
        rows.setStyleSheet("QHeaderView::section { padding: 0; }")  # the theme's makes a row as high as two lines
        rows.setMinimumSectionSize(row_height)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header = view.horizontalHeader()
    for part in (view, header, header.viewport()):  # which may not inherit it
        part.setFont(text_font(SMALL_POINTS))
    header.setHighlightSections(False)
    if fitted:
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    for column in stretched:
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    if sorted_by is not None:
        view.setSortingEnabled(True)
        view.sortByColumn(*sorted_by)
    if selected is not None:
        view.selectionModel().currentRowChanged.connect(selected)
    return view


# An index as Qt hands it to a model, and the role by which several models answer.

Index = QModelIndex | QPersistentModelIndex
KEY_ROLE = Qt.ItemDataRole.UserRole + 1  # the key of what stands in the row


R = TypeVar("R")
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
MARKS_OF_BEST = (
    Qt.ItemDataRole.FontRole,
    Qt.ItemDataRole.ForegroundRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
)
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn(Generic[R]):
    """A column: its heading, what it means, and what a row shows in it.

    It is sorted by ``value``, None of which is unknown and stands last; without it by its text. Numbers stand right.
    ``best`` (``max`` or ``min``) marks the best value. ``tip`` is said of a cell that
    the pointer rests on, ``look`` gives what other roles ask for: icon, colour, font, another side. ``write`` takes a
    text that was typed in place of ``typed`` and tells whether it changes anything. ``ticked`` tells the state of the
    box of a row, None where it has none; ``tick`` is asked for another state and tells whether it is taken. ``plain``
    stands in CSV, else the text. A ``hidden`` column is shown when it is asked for.
    """

    title: str
    text: Callable[[R], str]
    meaning: str = ""
    value: Callable[[R], Any] | None = None
    number: bool = False
    best: Callable[[Iterable[Any]], Any] | None = None
    tip: Callable[[R], str] | None = None
    look: Callable[[R, int], object] | None = None
    write: Callable[[R, str], bool] | None = None
    typed: Callable[[R], str] | None = None
    ticked: Callable[[R], bool | None] | None = None
    tick: Callable[[R, bool], bool] | None = None
    plain: Callable[[R], str] | None = None
    hidden: bool = False

    def by(self, row: R) -> Any:
        return self.text(row).casefold() if self.value is None else self.value(row)

    def headed(self, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.meaning or None
        return self.side if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, row: R, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return punctuated(self.text(row))
        if role == Qt.ItemDataRole.EditRole:
            return (self.typed or self.text)(row)
        if role == Qt.ItemDataRole.CheckStateRole:
            ticked = None if self.ticked is None else self.ticked(row)
            return None if ticked is None else Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        value = None if self.look is None else self.look(row, role)
        if value is None and role == Qt.ItemDataRole.TextAlignmentRole:
            return self.side
        if value is None and role == Qt.ItemDataRole.ToolTipRole and self.tip is not None:
            value = self.tip(row) or None
        return value

    @property
    def side(self) -> Qt.AlignmentFlag:
        return RIGHT if self.number else LEFT


class RowModel(QAbstractTableModel, Generic[R]):
    """Shows the rows that the filter admits, in the order asked for.

    ``key`` names a row for as long as it is one: rows of the same keys change in place. The filter looks for words in
    ``searched``, by default all texts of a row.
    """

    def __init__(
        self,
        columns: Sequence[TableColumn[R]] = (),
        parent: QObject | None = None,
        *,
        key: Callable[[R], object] = id,
        searched: Callable[[R], str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._key = key
        self._searched_text = searched or self._texts
        self.rows: tuple[R, ...] = ()
        self._shown: list[R] = []
        self._words: tuple[str, ...] = ()
        self._admits: Callable[[R], bool] | None = None
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None
        self._best: dict[int, Any] = {}
        # Made when first searched and kept while a row stays equal: there may be thousands, read anew at each change.
        self._searched: dict[object, tuple[R, str]] = {}

    def show_rows(self, rows: Iterable[R], columns: Sequence[TableColumn[R]] | None = None) -> None:
        others = columns is not None
        if others or self._searched_text == self._texts:  # what columns say may follow from more than the row
            self._searched = {}
        if others:
            self.beginResetModel()
            self.columns, self._shown, self._sorted_by = tuple(columns or ()), [], None
        self.rows = tuple(rows)
        self._best = {}
        if others:
            self._shown = self._arranged()
            self.endResetModel()
        else:
            self.rearrange()

    def add_rows(self, rows: Sequence[R]) -> None:
        self.beginInsertRows(_ROOT, len(self._shown), len(self._shown) + len(rows) - 1)
        self.rows += tuple(rows)
        self._shown.extend(rows)
        self.endInsertRows()

    def keep(self, text: str, admits: Callable[[R], bool] | None = None) -> None:
        self._words, self._admits = tuple(text.casefold().split()), admits
        self.rearrange()

    def shown(self) -> tuple[R, ...]:
        return tuple(self._shown)

    def row(self, number: int) -> R:
        return self._shown[number]

    def at(self, index: Index) -> R | None:
        return self._shown[index.row()] if index.isValid() else None

    def line_of(self, key: object) -> int | None:
        return next((line for line, row in enumerate(self._shown) if self._key(row) == key), None)

    def is_empty(self, column: int) -> bool:
        text = self.columns[column].text
        return not any(text(row) for row in self.rows)

    def hide_empty(self, view: QTableView) -> None:
        for column in range(len(self.columns)):
            view.setColumnHidden(column, bool(self.rows) and self.is_empty(column))

    def csv(self, columns: Iterable[int] | None = None) -> str:
        chosen = list(range(len(self.columns)) if columns is None else columns)
        cells = [column.plain or column.text for column in (self.columns[number] for number in chosen)]
        rows = ([cell(row) for cell in cells] for row in self.shown())
        return csv_text([[self.csv_title(number) for number in chosen], *rows])

    def csv_title(self, number: int) -> str:
        return self.columns[number].title

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        return self.columns[section].headed(role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():
            return flags
        column = self.columns[index.column()]
        if column.ticked is not None and column.ticked(self._shown[index.row()]) is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags if column.write is None else flags | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._shown[index.row()], self.columns[index.column()]
        if role == KEY_ROLE:
            return self._key(row)
        if role in MARKS_OF_BEST and column.best is not None and self._is_best(row, index.column()):
            return mark_of_best(column.text(row), role)
        return column.data(row, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        column, row = self.columns[index.column()], self._shown[index.row()]
        if role == Qt.ItemDataRole.CheckStateRole and column.tick is not None:
            return column.tick(row, Qt.CheckState(value) is Qt.CheckState.Checked)
        return role == Qt.ItemDataRole.EditRole and column.write is not None and column.write(row, str(value))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = (column, order) if column >= 0 else None
        self.rearrange()

    def rearrange(self) -> None:
        """Work out anew what is shown: rows of the same keys move, and keep what is selected."""
        shown = self._arranged()
        before, after = [self._key(row) for row in self._shown], [self._key(row) for row in shown]
        if before == after:
            self._shown = shown
        elif len(before) == len(after) and set(before) == set(after):
            self.layoutAboutToBeChanged.emit()
            kept = self.persistentIndexList()
            lines = {key: line for line, key in enumerate(after)}
            moved = [self.index(lines[before[index.row()]], index.column()) for index in kept]
            self._shown = shown
            self.changePersistentIndexList(kept, moved)
            self.layoutChanged.emit()
        else:
            self.beginResetModel()
            self._shown = shown
            self.endResetModel()
            return
        if shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(shown) - 1, len(self.columns) - 1))

    def _arranged(self) -> list[R]:
        shown = [row for row in self.rows if self._holds(row)]
        if self._sorted_by is None:
            return shown
        column, order = self._sorted_by
        values = [(self.columns[column].by(row), row) for row in shown]
        known = [pair for pair in values if pair[0] is not None]
        known.sort(key=itemgetter(0), reverse=order is Qt.SortOrder.DescendingOrder)
        return [row for __, row in known] + [row for value, row in values if value is None]

    def _holds(self, row: R) -> bool:
        if self._admits is not None and not self._admits(row):
            return False
        if not self._words:
            return True
        key = self._key(row)
        known = self._searched.get(key)
        if known is None or known[0] != row:
            known = self._searched[key] = (row, self._searched_text(row).casefold())
        return all(word in known[1] for word in self._words)

    def _texts(self, row: R) -> str:
        return " ".join(column.text(row) for column in self.columns)

    def _is_best(self, row: R, number: int) -> bool:
        column = self.columns[number]
        if number not in self._best:
            known = [value for each in self.rows if (value := column.by(each)) is not None]
            differ = bool(known) and min(known) != max(known)  # where all are equal, none is best
            self._best[number] = column.best(known) if differ and column.best is not None else None
        best = self._best[number]
        return best is not None and bool(column.by(row) == best)


def figures(title: str, meaning: str, value: Callable[[R], float], form: str, **more: Any) -> TableColumn[R]:
    return TableColumn(
        title=title, meaning=meaning, value=value, text=lambda row: marked(form.format(value(row))), number=True, **more
    )


def mark_of_best(text: str, role: int) -> object:
    if role == Qt.ItemDataRole.FontRole:
        return text_font(SMALL_POINTS, semibold=True)
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(Tone.OK)
    if role == Qt.ItemDataRole.ToolTipRole:
        return _("Best of this column")
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return _("{value}, best of this column", value=text)
    return None


class ColumnsMenu(QMenu):
    """Columns to choose, by a button and on the header itself; ``columns`` are those chosen, None until somebody does.

    ``arranged`` follows a choice and another order; the text of an arrangement has the names of an enumeration.
    """

    arranged = Signal()

    def __init__(
        self, header: QHeaderView, parent: QWidget, names: type[IntEnum] | None = None, *, first: int = 0
    ) -> None:
        """Columns before the ``first`` are always there."""
        super().__init__(parent)
        self.setAccessibleName(_("Columns"))
        self.columns: frozenset[int] | None = None
        self.left_out: frozenset[int] = frozenset()  # for lack of anything to show
        self.usual: frozenset[int] = frozenset()  # those shown where there is room, until somebody chooses
        self._header, self._names, self._first = header, names, first
        self.aboutToShow.connect(self._fill)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_wanted)
        header.sortIndicatorChanged.connect(self.arranged)

    def arrangement(self) -> str:
        chosen = () if self.columns is None or self._names is None else map(self._names, sorted(self.columns))
        columns = "*" if self.columns is None else ",".join(column.name for column in chosen)
        return f"{columns};{self._header.sortIndicatorSection()};{self._header.sortIndicatorOrder().value}"

    def arrange(self, text: str) -> None:
        """Take up an arrangement; what cannot be understood changes nothing."""
        columns, __, rest = text.partition(";")
        section, __, order = rest.partition(";")
        known = self._names.__members__ if self._names is not None else {}
        if not (section.removeprefix("-").isdigit() and order in ("0", "1") and int(section) < len(known)):
            return
        named = frozenset(int(known[name]) for name in columns.split(",") if name in known)
        self.columns = None if columns == "*" else named
        self._header.setSortIndicator(int(section), Qt.SortOrder(int(order)))
        self.arranged.emit()

    def choose(self, columns: Iterable[int]) -> None:
        self.columns = frozenset(columns)
        self.arranged.emit()

    def _shown(self) -> frozenset[int]:
        return frozenset(n for n in range(self._header.count()) if not self._header.isSectionHidden(n))

    def _fill(self) -> None:
        self.clear()
        for number in range(self._first, self._header.count()):
            if number in self.left_out:
                continue
            title = self._header.model().headerData(number, Qt.Orientation.Horizontal)
            action = self.addAction(str(title).replace("\n", " "))
            action.setCheckable(True)
            action.setChecked(number in self._shown())
            action.setData(number)
            action.toggled.connect(self._on_toggled)

    def _on_wanted(self, at: QPoint) -> None:
        self.popup(self._header.mapToGlobal(at))

    def _on_toggled(self, shown: bool) -> None:
        one = {int(sent(self, QAction).data())}
        before = self._shown() | self.usual if self.columns is None else self.columns
        self.choose(before | one if shown else before - one)


# Cells whose text is wrapped, as high as the text needs with the padding of the style sheet counted in.

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
        for lines in (model.rowsInserted, model.rowsRemoved, model.rowsMoved):
            lines.connect(self._forget)
        for whole in (model.modelReset, model.layoutChanged, model.dataChanged):
            whole.connect(self._forget)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
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
