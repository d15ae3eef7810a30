"""The table of disks on the screen: ticks by mouse and keyboard, columns to choose, copying as CSV."""

import re
from collections.abc import Iterable, Iterator

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from poolwright.domain.disk import FLASH_MEDIA, Disk, Media, NoteLevel, plan_only
from poolwright.domain.estimate import Origin
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, decimal
from poolwright.emit.report import Block, Bullets, Paragraph, ReportTable, TextTone, Words, paragraph, plain
from poolwright.texts import _, ngettext
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import DECIDE, EXTRA, DiskColumn
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.parts import icons
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.table import ColumnsMenu
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, TEXT_POINTS, text_font, theme

_SMALL_TEXT_BELOW = 900
_LEAST_NAME, _MOST_SHORT = 18 * GRID, 26 * GRID
_MOST_LETTERS, _MOST_LETTERS_WIDE = 15, 24
_FRAME_LIGHTER = 140  # what Fusion darkens the window by to draw a frame
_FIRST_TO_GO = (DiskColumn.SERIAL, DiskColumn.SECTORS, DiskColumn.MEDIA, DiskColumn.HEALTH, DiskColumn.MODEL)
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
        self._empty: set[DiskColumn] = set()  # nothing of it is known of any disk
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
        self.columns_menu = ColumnsMenu(header, self, first=DiskColumn.MODEL)
        self.columns_menu.chosen.connect(self._on_column)
        table.modelReset.connect(self._on_reset)
        self.collapsed.connect(self._on_folded)
        self.expanded.connect(self._on_folded)
        self.selectionModel().selectionChanged.connect(self.selected)
        header.sortIndicatorChanged.connect(self.arranged)

    def begin(self) -> None:
        self._folded.clear()
        if len(self._table.shown()) > _FOLD_ABOVE and self._table.rowCount() > 1:
            numbers = {self._table.group_number(index) for index in self._groups()}
            self._folded = {number for number in numbers if number is not None}
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

    def choose_columns(self, columns: frozenset[DiskColumn] | None) -> None:
        self._chosen = columns
        self._show_columns()

    def arrangement(self) -> str:
        header = self.header()
        columns = "*" if self._chosen is None else ",".join(column.name for column in sorted(self._chosen))
        return f"{columns};{header.sortIndicatorSection()};{header.sortIndicatorOrder().value}"

    def arrange(self, text: str) -> None:
        """Take up an arrangement; what cannot be understood changes nothing."""
        columns, __, rest = text.partition(";")
        section, __, order = rest.partition(";")
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
            icon = 3 * GRID if column in (DiskColumn.HEALTH, *DECIDE) else 0
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0) + icon + _CELL_MARGIN
            width = max(head, min(widest, most))
            self._column_widths[column] = width
            self.setColumnWidth(column, width)
        self._empty = {
            column
            for column in DiskColumn
            if column not in DECIDE and all(disk_columns.value(disk, column) is None for disk in self._table.shown())
        }
        names = (metrics.horizontalAdvance(disk_columns.text(disk, DiskColumn.DISK)) for disk in disks)
        self._name_width = max(names, default=0) + _BEFORE_NAME
        short = (metrics.horizontalAdvance(disk_columns.short_name(disk)) for disk in disks)
        self._short_width = max(_LEAST_NAME, min(_MOST_SHORT, max(short, default=0) + _BEFORE_NAME))
        self._named_by_serial = all(disk_columns.short_name(disk) in (disk.serial, disk.label) for disk in disks)
        self._shelved = any(disk.enclosure for disk in disks)
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
        empty = self._empty | {DiskColumn.DISK}
        shown = [column for column in DiskColumn if column not in empty and column not in EXTRA]
        place = self._column_widths.get(DiskColumn.PLACE, 0)
        if self._shelved and sum(self._widths(shown)) + self._short_width + place <= self.viewport().width():
            shown.append(DiskColumn.PLACE)  # where disks sit is worth more than whole names
        left = self.viewport().width() - sum(self._widths(shown)) - self._name_width
        for column, width in zip(EXTRA, self._widths(EXTRA), strict=True):
            if width <= left and column is not DiskColumn.PLACE and column not in empty:
                shown.append(column)
                left -= width
        if left < 0 and self._named_by_serial and DiskColumn.SERIAL in shown:
            shown.remove(DiskColumn.SERIAL)  # the short names say the same
        for column in _FIRST_TO_GO:  # rather than a bar to scroll sideways; the details have them
            if column in shown and sum(self._widths(shown)) + self._short_width > self.viewport().width():
                shown.remove(column)
        return frozenset(shown)

    def _widths(self, columns: Iterable[DiskColumn]) -> list[int]:
        return [self._column_widths.get(column, 0) for column in columns]

    def _on_column(self, number: int, shown: bool) -> None:
        present = frozenset(DiskColumn(c) for c in self.visible_columns())
        self.choose_columns(present | {DiskColumn(number)} if shown else present - {DiskColumn(number)})
        self.arranged.emit()

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


# The panel below the table: everything known of the selected disk, or what several selected disks have in common.

_SECTOR = 512
_LARGE_SECTOR = 4096
_SELDOM_KNOWN = (
    "enclosure", "slot", "removable", "vendor", "read_bytes_per_second", "write_bytes_per_second",
)  # fmt: skip
_FOLDER = re.compile(r"\((?:/[^/()]+)*/(?=[^/()]+\))")
_SHARED = (
    DiskColumn.SIZE, DiskColumn.MODEL, DiskColumn.MEDIA, DiskColumn.SECTORS, DiskColumn.HEALTH,
    DiskColumn.HOURS, DiskColumn.TEMPERATURE, DiskColumn.USE, DiskColumn.SCRIPT,
)  # fmt: skip


def facts(disk: Disk) -> list[tuple[str, str, str | None]]:
    """Return what is known of a disk: the name of the field, its words and its value, None where it is unknown."""
    size = disk.size_bytes
    size_text = None if size is None else f"{decimal(size)} = {binary(size)} ({size:,} B)"
    health = None if disk.health is None else disk_columns.health_word(disk.health)
    rows = [
        ("size_bytes", _("Size"), size_text),
        ("model", _("Model"), disk.model),
        ("vendor", _("Vendor"), disk.vendor),
        ("serial", _("Serial"), disk.serial),
        ("firmware", _("Firmware"), disk.firmware),
        ("wwn", _("World-wide name"), disk.wwn),
        ("path", _("Device"), disk.path),
        ("media", _("Media"), disk_columns.media_word(disk)),
        ("rotation_rpm", _("Rotation"), _with_unit(disk.rotation_rpm, "rpm")),
        ("smr", _("Shingled (SMR)"), _yes_no(disk.smr)),
        ("transport", _("Link"), disk.transport),
        ("power_loss_protection", _("Power-loss protection"), _yes_no(disk.power_loss_protection)),
        ("read_bytes_per_second", _("Reads, measured"), _rate(disk.read_bytes_per_second)),
        ("write_bytes_per_second", _("Writes, measured"), _rate(disk.write_bytes_per_second)),
        ("logical_sector_bytes", _("Logical sector"), _with_unit(disk.logical_sector_bytes, "B")),
        ("physical_sector_bytes", _("Physical sector"), _with_unit(disk.physical_sector_bytes, "B")),
        ("lba_formats", _("LBA formats"), _formats(disk)),
        ("health", _("Health"), health),
        ("power_on_hours", _("Powered on"), _with_unit(disk.power_on_hours, "h")),
        ("temperature_celsius", _("Temperature"), _with_unit(disk.temperature_celsius, "°C")),
        ("wear_percent", _("Wear"), _with_unit(disk.wear_percent, "%")),
        ("media_errors", _("Media errors"), _with_unit(disk.media_errors, "")),
        ("removable", _("Removable"), _yes_no(disk.removable)),
        ("controller", _("Controller"), disk.controller),
        ("enclosure", _("Enclosure"), disk.enclosure),
        ("slot", _("Bay"), disk.bay),
    ]
    left_out = _left_out(disk)
    return [row for row in rows if row[0] not in left_out]


def heed(disk: Disk) -> Iterator[Paragraph]:
    """Yield what to heed: why it cannot be ticked, the notes of the reading, and what its sectors mean for ashift."""
    for why in disk.refusals():
        yield paragraph(_("Cannot be ticked: {why}", why=why), TextTone.BLOCK)
    yield paragraph(_sentence(plan_only((disk,))))
    yield from (paragraph(_sentence(n.text), TextTone.WARN) for n in disk.notes if n.level is NoteLevel.WARN)
    yield paragraph(_sectors(disk))
    yield from (paragraph(_sentence(n.text)) for n in disk.notes if n.level is NoteLevel.NOTE)


def _sectors(disk: Disk) -> str:
    """Return what the sector sizes mean for ashift; nothing where they are plainly 4096."""
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if physical is None:
        return _("The physical sector size cannot be told. ashift 12 is safe for 512 and 4096 bytes alike.")
    if logical == _SECTOR and physical == _LARGE_SECTOR:
        return _("512e: addressed in sectors of 512 bytes, written in sectors of 4096. ashift 12 fits, 9 is slow.")
    if logical == _SECTOR and physical == _SECTOR and disk.media is Media.HDD:
        return _("512n: true 512-byte sectors. ashift 12 still lets a disk of 4096-byte sectors replace it.")
    return ""


def _left_out(disk: Disk) -> frozenset[str]:
    gone = set()
    flash = disk.media in FLASH_MEDIA
    if flash:
        gone |= {"rotation_rpm", "smr"}
    if disk.media is Media.HDD:
        gone |= {"wear_percent", "power_loss_protection"}
    if disk.media is not Media.NVME and not disk.lba_formats:
        gone.add("lba_formats")
    if disk.planned:
        gone |= {"serial", "firmware", "wwn", "path", "health", "power_on_hours", "temperature_celsius", "wear_percent"}
        gone |= {"media_errors", "removable", "controller"}
    # Most machines tell nothing of these; a row of unknowns would hide what is known.
    gone |= {field for field in _SELDOM_KNOWN if getattr(disk, field) is None}
    return frozenset(gone)


def _rate(bytes_per_second: int | None) -> str | None:
    return None if bytes_per_second is None else rate_text(bytes_per_second)


def _formats(disk: Disk) -> str | None:
    if not disk.lba_formats:
        return None
    parts = []
    for offered in disk.lba_formats:
        metadata = f" + {offered.metadata_bytes}" if offered.metadata_bytes else ""
        told = f"{offered.data_bytes}{metadata} B"
        parts.append(_("{format} (now)", format=told) if offered.current else told)
    return ", ".join(parts)


def _with_unit(value: int | None, unit: str) -> str | None:
    return None if value is None else f"{value:,} {unit}".strip()


def _yes_no(value: bool | None) -> str | None:
    if value is None:
        return None
    return _("yes") if value else _("no")


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


class DiskDetail(ReportView):
    """Text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_("Details of the selected disk"), parent, least=10 * GRID)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.document().setDocumentMargin(GRID)
        self.setFont(text_font(SMALL_POINTS))
        self._shown: tuple[tuple[Disk, ...], tuple[Disk, ...]] | None = None
        self.show_disks(())

    def show_disks(self, disks: tuple[Disk, ...], among: tuple[Disk, ...] = ()) -> None:
        if (disks, among) == self._shown:
            return
        self._shown = (disks, among)
        if len(disks) == 1:
            self.show_blocks(_of_one(disks[0]))
        elif disks:
            keys = _("Space ticks or unticks them, Ctrl+C copies them as CSV.")
            head = ngettext("{count} disk selected", "{count} disks selected", len(disks))
            self.show_blocks([*_of_several(disks, head), paragraph(keys, TextTone.MUTED)])
        else:
            hint = paragraph(_("Select a disk to see all that is known of it."), TextTone.MUTED)
            head = ngettext("{count} disk", "{count} disks", len(among))
            self.show_blocks([*(_of_several(among, head) if among else ()), hint])


def _of_one(disk: Disk) -> Iterator[Block]:
    yield paragraph(disk.label, strong=True)
    yield from heed(disk)
    yield _table((name, text, disk.origin_of(field)) for field, name, text in facts(disk))
    if disk.by_id:
        used = _("used in commands")
        yield paragraph(_("Names in /dev/disk/by-id"), TextTone.MUTED)
        yield Bullets(items=plain(*(f"{name} – {used}" if name == disk.by_id_name else name for name in disk.by_id)))
    elif not disk.planned:
        yield paragraph(_("No name in /dev/disk/by-id is known."), TextTone.MUTED)


def _of_several(disks: tuple[Disk, ...], words: str) -> Iterator[Block]:
    total = sum(disk.size_bytes or 0 for disk in disks)
    head = _(
        "{disks}: {usable} may be used, {tb} ({tib}) raw",
        disks=words,
        usable=sum(1 for disk in disks if not disk.refusals()),
        tb=decimal(total),
        tib=binary(total),
    )
    yield paragraph(head, strong=True)
    cells = [(column, disk_columns.group_cell(disks, column)) for column in _SHARED]
    yield _table((disk_columns.heading(column), cell.text, None) for column, cell in cells if cell.text)


def _table(shown: Iterable[tuple[str, str | None, Origin | None]]) -> ReportTable:
    muted, rows = TextTone.MUTED, []
    for name, text, origin in shown:
        value = Words(text=text) if text is not None else Words(text=disk_columns.unknown(), tone=muted)
        # Beside each fact the file is enough: “lsblk (lsblk.json)” of “lsblk (/captures/nas1/lsblk.json)”.
        told = "" if origin is None else _FOLDER.sub("(", str(origin))
        rows.append((Words(text=name, tone=muted), value, Words(text=told, tone=muted)))
    return ReportTable(header=("", "", ""), rows=tuple(rows))
