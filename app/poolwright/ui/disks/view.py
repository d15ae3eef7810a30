"""The table of disks on the screen: ticks by mouse and keyboard, columns, copying as CSV; facts at its foot."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from poolwright.domain.disk import FLASH_MEDIA, Disk
from poolwright.domain.units import binary, decimal
from poolwright.emit.disk_words import called, unknown, use_is_known
from poolwright.texts import _, capital, first_of, ngettext
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import BY_WORTH, COLUMNS, DECIDE, HEALTH_MARKS, DiskColumn
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.table import ColumnsMenu
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import ElidedLabel, ToneLabel

_LEAST_NAME, _MOST_NAME = 16 * GRID, 40 * GRID
_MOST_LETTERS = 24
_FRAME_LIGHTER = 140  # what Fusion darkens the window by to draw a frame
_HEAD_MARGIN, _CELL_MARGIN = 20, 19
_BEFORE_NAME = 7 * GRID  # fold mark, indentation and tick
_SAMPLE = 400  # disks whose texts are measured for the width of a column
_ROW_HEIGHT, _LEAST_ROWS, _MOST_ROWS = 26, 4, 400


class _TickDelegate(QStyledItemDelegate):
    """Draws frames of ticks that show on dark ground too, and says how high a row is."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.palette.setColor(QPalette.ColorRole.Window, theme().colour("edge").lighter(_FRAME_LIGHTER))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), _ROW_HEIGHT)


class DiskView(QTreeView):
    """Shows a `DiskTable`, no higher than its rows. ``selected`` follows the selection; ``remove_wanted`` is sent by
    the Delete key.
    """

    selected = Signal()
    remove_wanted = Signal()

    def __init__(self, table: DiskTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._open: set[int] = set()  # the groups whose disks are shown
        self._restoring = False
        self._column_widths: dict[DiskColumn, int] = {}  # of hidden columns too
        self._empty: set[DiskColumn] = set()  # nothing of it is known of any disk
        self._names_width = 0  # of all disks: a filter that is typed changes no columns
        self.setAccessibleName(_("Disks"))
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
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setSortingEnabled(True)
        self.columns_menu = ColumnsMenu(header, self, DiskColumn, first=DiskColumn.MODEL)
        self.columns_menu.arranged.connect(self._show_columns)
        table.modelReset.connect(self._on_reset)
        self.collapsed.connect(self._on_folded)
        self.expanded.connect(self._on_folded)
        self.selectionModel().selectionChanged.connect(self.selected)
        self.refit()

    def begin(self) -> None:
        self._open.clear()
        self._unfold()
        self.size_columns()
        # The keyboard begins at the first line; nothing is selected, so that copying copies everything.
        self.selectionModel().setCurrentIndex(self._table.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate)

    def chosen_disks(self) -> tuple[Disk, ...]:
        keys = {disk.key for index in self.selectionModel().selectedRows() for disk in self._table.disks_at(index)}
        return tuple(disk for disk in self._table.shown() if disk.key in keys)

    def visible_columns(self) -> list[int]:
        return [column for column in DiskColumn if not self.isColumnHidden(column)]

    def copy_csv(self) -> int:
        disks = self.chosen_disks() or self._table.shown()
        QGuiApplication.clipboard().setText(self._table.csv(disks, self.visible_columns()))
        return len(disks)

    def size_columns(self) -> None:
        """Give each column the width of its widest text; the name gets what is left."""
        metrics = QFontMetrics(text_font(SMALL_POINTS))
        most = metrics.horizontalAdvance("0") * _MOST_LETTERS + _CELL_MARGIN
        for column in BY_WORTH:
            head = metrics.horizontalAdvance(_(COLUMNS[column].title)) + _HEAD_MARGIN
            texts = self._table.texts(column, _SAMPLE)
            icon = 3 * GRID if column in (DiskColumn.HEALTH, DiskColumn.HOURS, *DECIDE) else 0
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0) + icon + _CELL_MARGIN
            self._column_widths[column] = max(head, min(widest, most))
            self.setColumnWidth(column, self._column_widths[column])
        disks = self._table.shown()
        self._empty = {
            column
            for column in BY_WORTH
            if column not in DECIDE and all(COLUMNS[column].value(disk) is None for disk in disks)
        }
        if all(called(disk) == disk.serial for disk in disks):
            self._empty.add(DiskColumn.SERIAL)  # the names say it
        bold = QFontMetrics(text_font(SMALL_POINTS, semibold=True))
        names = map(bold.horizontalAdvance, self._table.texts(DiskColumn.DISK, 0))
        self._names_width = min(_MOST_NAME, max(names, default=0) + _BEFORE_NAME)
        self._show_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self._table.toggle(self.chosen_disks())
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_csv()
        elif event.key() == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_columns()

    def refit(self) -> None:
        """Set text and columns anew; a new style sheet takes the fonts of widgets back."""
        for part in (self, self.header()):
            part.setFont(text_font(SMALL_POINTS))
        self.size_columns()

    def _show_columns(self) -> None:
        chosen = self.columns_menu.columns
        shown = self._fitting() if chosen is None else frozenset(map(DiskColumn, chosen))
        for column in BY_WORTH:
            self.setColumnHidden(column, column not in shown)
        left = self.viewport().width() - sum(self._column_widths.get(column, 0) for column in shown)
        self.setColumnWidth(DiskColumn.DISK, max(_LEAST_NAME, left))

    def _fitting(self) -> frozenset[DiskColumn]:
        """Return the columns that have room beside whole names; those that are worth most come first."""
        # As if it scrolled, so that no column goes when a group is opened.
        edges = 2 * self.frameWidth() + self.verticalScrollBar().sizeHint().width()
        left = self.width() - edges - self._names_width
        shown = []
        for column in BY_WORTH:
            width = self._column_widths.get(column, 0)
            if column not in self._empty and (width <= left or column in DECIDE):
                shown.append(column)
                left -= width
        return frozenset(shown)

    def _fit_rows(self) -> None:
        """Be as high as the rows, which scroll where there is less room."""
        rows = self._table.rowCount()
        rows += sum(self._table.rowCount(index) for index in self._groups() if self.isExpanded(index))
        around = self.header().sizeHint().height() + 2 * self.frameWidth()
        self.setMinimumHeight(min(rows, _LEAST_ROWS) * _ROW_HEIGHT + around)
        self.setMaximumHeight(min(rows, _MOST_ROWS) * _ROW_HEIGHT + around)

    def _on_reset(self) -> None:
        self._unfold()
        self.selected.emit()

    def _unfold(self) -> None:
        """Open the groups that were opened; a filter opens them all."""
        self._restoring = True
        for index in self._groups():
            self.setExpanded(index, self._table.filtered or self._table.group_number(index) in self._open)
        self._restoring = False
        self._fit_rows()

    def _groups(self) -> list[QModelIndex]:
        lines = [self._table.index(row, 0) for row in range(self._table.rowCount())]
        return [index for index in lines if self._table.is_group(index)]

    def _on_folded(self) -> None:
        if self._restoring:
            return
        if not self._table.filtered:
            numbers = {self._table.group_number(index) for index in self._groups() if self.isExpanded(index)}
            self._open = {number for number in numbers if number is not None}
        self._fit_rows()


# The foot of the table: what it has no room for, of the selected disks or of all.

_FACTS = 4


class DiskFacts(QWidget):
    """Some facts side by side, each with its name above it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Details of the selected disk"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        grid = self._grid = widgets.grid(of=self, gap=(GRID, 0), around=(GRID, 0, GRID, 0))
        self._cells: list[tuple[ToneLabel, IconLabel, ElidedLabel]] = []
        for number in range(_FACTS):
            name, mark = ToneLabel("", Tone.MUTED, self, small=True), IconLabel("ok", self, size=icons.SMALL)
            value = ElidedLabel(Tone.TEXT, self)
            value.setFont(text_font(SMALL_POINTS))
            name.setWordWrap(False)
            grid.addWidget(name, 0, number)
            grid.addLayout(widgets.row(mark, (value, 1), gap=GRID // 2), 1, number)
            self._cells.append((name, mark, value))

    def text(self) -> str:
        return ", ".join(f"{name.text()}: {value.text()}" for name, __, value in self._cells if name.text())

    def show_disks(self, disks: Sequence[Disk], *, counted: bool) -> None:
        facts = list(_facts_of(disks, counted=counted))[:_FACTS] if disks else []
        for number, (name, mark, value) in enumerate(self._cells):
            title, text, tone, icon = facts[number] if number < len(facts) else ("", "", Tone.TEXT, "")
            name.setText(title)
            value.show_text(text)
            self._grid.setColumnStretch(number, max(len(title), len(text)))  # a long name takes what others leave
            mark.setVisible(bool(icon))
            if icon:
                mark.show_icon(icon, tone)
        self.setAccessibleDescription(self.text())


def _facts_of(disks: Sequence[Disk], *, counted: bool) -> Iterator[tuple[str, str, Tone, str]]:
    """Yield the facts that are worth most: name, value, and for some a tone and an icon."""
    first, size = disks[0], sum(disk.size_bytes or 0 for disk in disks)
    many = len(disks) > 1
    if many and counted:  # else it stands above the table
        count = ngettext("{count} disk", "{count} disks", len(disks))
        raw = _("{tib} raw ({tb})", tib=binary(size), tb=decimal(size))
        yield count, raw if all(disk.size_bytes for disk in disks) else _("size unknown"), Tone.TEXT, ""
    if not many and first.by_id_name is not None:
        yield _("Name in scripts"), first.by_id_name, Tone.TEXT, ""
    if not all(disk.planned for disk in disks):
        yield from _state_of(disks)
    if burnt := [disk for disk in disks if disk.burn_in is not None]:
        reasons = [("; ".join(d.burn_in.reasons) or d.burn_in.word) for d in burnt if d.burn_in]
        icon, tone = disk_columns.burn_in_mark(burnt[0]) if not many else ("", Tone.TEXT)
        yield _("Burn-in"), first_of([*dict.fromkeys(reasons)], 2), tone, icon
    flash = {disk.media in FLASH_MEDIA for disk in disks if disk.media is not None}
    if flash == {False}:
        yield _("Shingled (SMR)"), _yes_no([disk.smr for disk in disks]), Tone.TEXT, ""
    elif flash == {True}:
        kept = _yes_no([disk.power_loss_protection for disk in disks])
        yield capital(_("power-loss protection")), kept, Tone.TEXT, ""


def _state_of(disks: Sequence[Disk]) -> Iterator[tuple[str, str, Tone, str]]:
    health = disk_columns.group_cell(tuple(disks), DiskColumn.HEALTH)
    known = disks[0].health if health.shared else None
    icon, tone = HEALTH_MARKS[known]
    yield _("Health"), health.text, tone, icon
    uses = [str(use) for disk in disks for use in disk.uses]
    looked = all(use_is_known(disk) for disk in disks)
    tone, icon = (Tone.WARN, "warn") if uses else (Tone.UNKNOWN, "")
    if uses or looked:  # else the line to run says that nobody looked
        yield _("In use by"), first_of([*dict.fromkeys(uses)], 2) if uses else _("nothing"), tone, icon


def _yes_no(known: Sequence[bool | None]) -> str:
    words = {True: _("yes"), False: _("no"), None: unknown()}
    return first_of([words[value] for value in dict.fromkeys(known)])
