"""The table of disks on the screen: ticks by mouse and keyboard, columns to choose, copying as CSV."""

from collections.abc import Iterable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from poolwright.domain.disk import Disk
from poolwright.texts import tell
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import EXTRA, DiskColumn
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, TEXT_POINTS, text_font, theme

_SMALL_TEXT_BELOW = 900
_LEAST_NAME, _MOST_SHORT = 14 * GRID, 26 * GRID
_MOST_LETTERS, _MOST_LETTERS_WIDE = 15, 24
_FRAME_LIGHTER = 140  # what Fusion darkens the window by to draw a frame
_HEAD_MARGIN, _CELL_MARGIN = 20, 19
_BEFORE_NAME = 9 * GRID  # fold mark, indentation and tick
_SAMPLE = 400  # texts that are measured for the width of a column
_FOLD_ABOVE = 60  # more disks than this in several groups are shown as groups at first


class _TickDelegate(QStyledItemDelegate):
    """Draws names with their ticks: the end of a name that does not fit, and frames that show on dark ground too."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideLeft
        option.palette.setColor(QPalette.ColorRole.Window, theme().colour("edge").lighter(_FRAME_LIGHTER))


class DiskView(QTreeView):
    """Shows a `DiskTable`. ``selected`` follows the selection; ``remove_wanted`` is sent by the Delete key,
    ``arranged`` when the user chose columns or an order.
    """

    selected = Signal()
    remove_wanted = Signal()
    arranged = Signal()

    def __init__(self, table: DiskTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._folded: set[int] = set()
        self._restoring = False
        self._points = TEXT_POINTS
        self._chosen: frozenset[DiskColumn] | None = None
        self._column_widths: dict[DiskColumn, int] = {}  # of hidden columns too
        self._name_width, self._short_width = 0, _LEAST_NAME
        self._named_by_serial = False
        self._shelved = False
        self.setAccessibleName(tell("Disks"))
        self.setModel(table)
        self.setItemDelegateForColumn(DiskColumn.DISK, _TickDelegate(self))
        self.setUniformRowHeights(True)
        self.setIconSize(QSize(icons.SMALL, icons.SMALL))
        self.setAlternatingRowColors(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(14)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setResizeContentsPrecision(0)  # rows out of sight are measured by their texts
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_header_menu)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setSortingEnabled(True)
        self._header_menu = QMenu(self)
        table.modelReset.connect(self._on_reset)
        self.collapsed.connect(self._on_folded)
        self.expanded.connect(self._on_folded)
        self.selectionModel().selectionChanged.connect(self.selected)
        header.sortIndicatorChanged.connect(self.arranged)

    def begin(self) -> None:
        """Lay out for disks just shown: many of them begin as groups."""
        self._folded.clear()
        if len(self._table.shown()) > _FOLD_ABOVE and self._table.rowCount() > 1:
            numbers = {self._table.group_number(index) for index in self._groups()}
            self._folded = {number for number in numbers if number is not None}
        self._unfold()
        self.size_columns()
        # The keyboard begins at the first line; nothing is selected, so that copying copies everything.
        self.selectionModel().setCurrentIndex(self._table.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate)

    def chosen_disks(self) -> tuple[Disk, ...]:
        """Return the selected disks in the order shown; a selected group stands for those in it."""
        keys = {disk.key for index in self.selectionModel().selectedRows() for disk in self._table.disks_at(index)}
        return tuple(disk for disk in self._table.shown() if disk.key in keys)

    def visible_columns(self) -> list[int]:
        return [column for column in DiskColumn if not self.isColumnHidden(column)]

    def copy_csv(self) -> int:
        """Copy the selected disks, or all shown ones, as CSV; return how many."""
        disks = self.chosen_disks() or self._table.shown()
        QGuiApplication.clipboard().setText(self._table.csv(disks, self.visible_columns()))
        return len(disks)

    def choose_columns(self, columns: frozenset[DiskColumn] | None) -> None:
        """Show these columns and the disk's name; None leaves it to the width of the window."""
        self._chosen = columns
        self._show_columns()

    def arrangement(self) -> str:
        """Return the chosen columns and the order as text, for `arrange`."""
        header = self.header()
        columns = "*" if self._chosen is None else ",".join(column.name for column in sorted(self._chosen))
        return f"{columns};{header.sortIndicatorSection()};{header.sortIndicatorOrder().value}"

    def arrange(self, text: str) -> None:
        """Take up an arrangement; what cannot be understood changes nothing."""
        columns, _, rest = text.partition(";")
        section, _, order = rest.partition(";")
        if not (section.removeprefix("-").isdigit() and order in ("0", "1") and int(section) < len(DiskColumn)):
            return
        names = {column.name for column in DiskColumn}
        known = frozenset(DiskColumn[name] for name in columns.split(",") if name in names)
        self.choose_columns(None if columns == "*" else known)
        self.sortByColumn(int(section), Qt.SortOrder(int(order)))

    def size_columns(self) -> None:
        """Give each column the width of its widest text; the name gets what is left."""
        metrics = QFontMetrics(text_font(self._points))
        letters = _MOST_LETTERS if self._points < TEXT_POINTS else _MOST_LETTERS_WIDE
        most = metrics.horizontalAdvance("0") * letters + _CELL_MARGIN
        disks = self._table.shown()[:_SAMPLE]
        for column in DiskColumn:
            if column is DiskColumn.DISK:
                continue
            head = metrics.horizontalAdvance(disk_columns.heading(column)) + _HEAD_MARGIN
            texts = {disk_columns.text(disk, column) for disk in disks} | self._table.group_texts(column)
            icon = 3 * GRID if column is DiskColumn.HEALTH else 0
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0) + icon + _CELL_MARGIN
            width = max(head, min(widest, most))
            self._column_widths[column] = width
            self.setColumnWidth(column, width)
        names = (metrics.horizontalAdvance(disk_columns.text(disk, DiskColumn.DISK)) for disk in disks)
        self._name_width = max(names, default=0) + _BEFORE_NAME
        short = (metrics.horizontalAdvance(disk_columns.short_name(disk)) for disk in disks)
        self._short_width = max(_LEAST_NAME, min(_MOST_SHORT, max(short, default=0) + _BEFORE_NAME))
        self._named_by_serial = all(disk_columns.short_name(disk) in (disk.serial, disk.label) for disk in disks)
        self._shelved = any(disk.enclosure for disk in disks)
        self._show_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space ticks what is selected, Ctrl+C copies it, Delete asks to remove it."""
        if event.key() == Qt.Key.Key_Space:
            self._table.toggle(self.chosen_disks())
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_csv()
        elif event.key() == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text and the columns to the new width."""
        super().resizeEvent(event)
        points = TEXT_POINTS if event.size().width() >= _SMALL_TEXT_BELOW else SMALL_POINTS
        if points != self._points:
            self._points = points
            self.refit()
        else:
            self._show_columns()

    def refit(self) -> None:
        """Set text and columns anew; a new style sheet takes the fonts of widgets back."""
        self._table.set_points(self._points)
        self.setFont(text_font(self._points))
        self.header().setFont(text_font(self._points))
        self.size_columns()

    def _show_columns(self) -> None:
        shown = self._chosen if self._chosen is not None else self._fitting()
        for column in DiskColumn:
            if column is not DiskColumn.DISK:
                self.setColumnHidden(column, column not in shown)
        left = self.viewport().width() - sum(self._widths(shown))
        self.setColumnWidth(DiskColumn.DISK, max(self._short_width, left))
        self._table.set_short_names(short=left < self._name_width)

    def _fitting(self) -> frozenset[DiskColumn]:
        """Return the usual columns, and as many of the others as leave room for whole names."""
        shown = [DiskColumn(c) for c in DiskColumn if c != DiskColumn.DISK and c not in EXTRA]
        place = self._column_widths.get(DiskColumn.PLACE, 0)
        if self._shelved and sum(self._widths(shown)) + self._short_width + place <= self.viewport().width():
            shown.append(DiskColumn.PLACE)  # where disks sit is worth more than whole names
        left = self.viewport().width() - sum(self._widths(shown)) - self._name_width
        for column, width in zip(EXTRA, self._widths(EXTRA), strict=True):
            if width <= left and column is not DiskColumn.PLACE:
                shown.append(column)
                left -= width
        if left < 0 and self._named_by_serial:
            shown.remove(DiskColumn.SERIAL)  # the short names say the same
        return frozenset(shown)

    def _widths(self, columns: Iterable[DiskColumn]) -> list[int]:
        return [self._column_widths.get(column, 0) for column in columns]

    def fill_columns_menu(self, menu: QMenu) -> None:
        """Put an entry for each column into ``menu``, checked where it is shown."""
        menu.clear()
        for column in DiskColumn:
            if column is DiskColumn.DISK:
                continue
            action = QAction(disk_columns.heading(column), menu)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            action.setData(int(column))
            action.toggled.connect(self._on_column_toggled)
            menu.addAction(action)

    def _on_column_toggled(self, shown: bool) -> None:
        sender = self.sender()
        if isinstance(sender, QAction):
            column = DiskColumn(int(sender.data()))
            present = frozenset(DiskColumn(c) for c in self.visible_columns())
            self.choose_columns(present | {column} if shown else present - {column})
            self.arranged.emit()

    def _on_header_menu(self, at: QPoint) -> None:
        self.fill_columns_menu(self._header_menu)
        self._header_menu.popup(self.header().mapToGlobal(at))

    def _on_reset(self) -> None:
        self._unfold()
        self.selected.emit()

    def _unfold(self) -> None:
        """Open every group but those that were folded; a filter opens them all."""
        self._restoring = True
        folded = set() if self._table.filtered else self._folded
        for index in self._groups():
            self.setExpanded(index, self._table.group_number(index) not in folded)
        self._restoring = False

    def _groups(self) -> list[QModelIndex]:
        lines = [self._table.index(row, 0) for row in range(self._table.rowCount())]
        return [index for index in lines if self._table.is_group(index)]

    def _on_folded(self) -> None:
        if not self._restoring and not self._table.filtered:
            numbers = {self._table.group_number(index) for index in self._groups() if not self.isExpanded(index)}
            self._folded = {number for number in numbers if number is not None}
