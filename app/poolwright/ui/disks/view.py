"""The table of disks on the screen: ticks by mouse and keyboard, columns to choose, copying as CSV."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QResizeEvent, QTextDocument
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextBrowser,
    QTreeView,
    QWidget,
)

from poolwright.domain.disk import FLASH_MEDIA, Disk, Media, NoteLevel, plan_only
from poolwright.domain.estimate import Origin
from poolwright.domain.rates import rate_text
from poolwright.domain.shown import html_escaped as escape
from poolwright.domain.units import binary, decimal
from poolwright.texts import tell, tell_counted
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import EXTRA, DiskColumn
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.parts import icons
from poolwright.ui.parts.icons import Recoloured
from poolwright.ui.parts.note_lines import TONE_ICONS, Line
from poolwright.ui.parts.table import ColumnsMenu
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, TEXT_POINTS, Tone, text_font, theme

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
_SCALE = 2  # icons are drawn at twice their size and shown at half, to stay crisp on dense screens
_SHARED = (
    DiskColumn.SIZE, DiskColumn.MODEL, DiskColumn.MEDIA, DiskColumn.SECTORS, DiskColumn.HEALTH,
    DiskColumn.HOURS, DiskColumn.TEMPERATURE, DiskColumn.USE,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact of a disk; ``text`` None is unknown."""

    name: str
    text: str | None
    origin: Origin | None = None


def facts(disk: Disk) -> tuple[Fact, ...]:
    size = disk.size_bytes
    size_text = None if size is None else f"{decimal(size)} = {binary(size)} ({size:,} B)"
    health = None if disk.health is None else disk_columns.health_word(disk.health)
    rows = [
        ("size_bytes", tell("Size"), size_text),
        ("model", tell("Model"), disk.model),
        ("vendor", tell("Vendor"), disk.vendor),
        ("serial", tell("Serial"), disk.serial),
        ("firmware", tell("Firmware"), disk.firmware),
        ("wwn", tell("World-wide name"), disk.wwn),
        ("path", tell("Device"), disk.path),
        ("media", tell("Media"), disk_columns.media_word(disk)),
        ("rotation_rpm", tell("Rotation"), _with_unit(disk.rotation_rpm, "rpm")),
        ("smr", tell("Shingled (SMR)"), _yes_no(disk.smr)),
        ("transport", tell("Link"), disk.transport),
        ("power_loss_protection", tell("Power-loss protection"), _yes_no(disk.power_loss_protection)),
        ("read_bytes_per_second", tell("Reads, measured"), _rate(disk.read_bytes_per_second)),
        ("write_bytes_per_second", tell("Writes, measured"), _rate(disk.write_bytes_per_second)),
        ("logical_sector_bytes", tell("Logical sector"), _with_unit(disk.logical_sector_bytes, "B")),
        ("physical_sector_bytes", tell("Physical sector"), _with_unit(disk.physical_sector_bytes, "B")),
        ("lba_formats", tell("LBA formats"), _formats(disk)),
        ("health", tell("Health"), health),
        ("power_on_hours", tell("Powered on"), _with_unit(disk.power_on_hours, "h")),
        ("temperature_celsius", tell("Temperature"), _with_unit(disk.temperature_celsius, "°C")),
        ("wear_percent", tell("Wear"), _with_unit(disk.wear_percent, "%")),
        ("media_errors", tell("Media errors"), _with_unit(disk.media_errors, "")),
        ("removable", tell("Removable"), _yes_no(disk.removable)),
        ("controller", tell("Controller"), disk.controller),
        ("enclosure", tell("Enclosure"), disk.enclosure),
        ("slot", tell("Bay"), disk.bay),
    ]
    left_out = _left_out(disk)
    return tuple(
        Fact(name=name, text=text, origin=disk.origin_of(field)) for field, name, text in rows if field not in left_out
    )


def heed(disk: Disk) -> tuple[Line, ...]:
    """Return what to heed: why it cannot be ticked, the notes of the reading, and what its sectors mean."""
    lines = [Line(text=tell("Cannot be ticked: {why}", why=why), tone=Tone.BLOCK) for why in disk.refusals()]
    lines += [Line(text=_sentence(badge))] if (badge := plan_only((disk,))) else []
    warnings = [n for n in disk.notes if n.level is NoteLevel.WARN]
    lines += [Line(text=_sentence(note.text), tone=Tone.WARN) for note in warnings]
    sectors = sector_line(disk)
    lines += [sectors] if sectors is not None else []
    lines += [Line(text=_sentence(note.text)) for note in disk.notes if note.level is NoteLevel.NOTE]
    return tuple(lines)


def sector_line(disk: Disk) -> Line | None:
    """Return what the sector sizes mean for ashift; None where they are plainly 4096."""
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if physical is None:
        text = tell("The physical sector size cannot be told. ashift 12 is safe for 512 and 4096 bytes alike.")
        return Line(text=text, tone=Tone.UNKNOWN)
    if logical == _SECTOR and physical == _LARGE_SECTOR:
        text = tell("512e: addressed in sectors of 512 bytes, written in sectors of 4096. ashift 12 fits, 9 is slow.")
        return Line(text=text)
    if logical == _SECTOR and physical == _SECTOR and disk.media is Media.HDD:
        text = tell("512n: true 512-byte sectors. ashift 12 still lets a disk of 4096-byte sectors replace it.")
        return Line(text=text)
    return None


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
        parts.append(tell("{format} (now)", format=told) if offered.current else told)
    return ", ".join(parts)


def _with_unit(value: int | None, unit: str) -> str | None:
    return None if value is None else f"{value:,} {unit}".strip()


def _yes_no(value: bool | None) -> str | None:
    if value is None:
        return None
    return tell("yes") if value else tell("no")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


class DiskDetail(QTextBrowser):
    """Text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Details of the selected disk"))
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setOpenLinks(False)
        self.setMinimumHeight(10 * GRID)
        self.document().setDocumentMargin(GRID)
        self.setFont(text_font(SMALL_POINTS))
        self._disks: tuple[Disk, ...] = ()
        self._among: tuple[Disk, ...] = ()
        Recoloured(self, self._show)
        self._show()

    def show_disks(self, disks: Sequence[Disk], among: Sequence[Disk] = ()) -> None:
        if (tuple(disks), tuple(among)) != (self._disks, self._among):
            self._disks, self._among = tuple(disks), tuple(among)
            self._show()

    def _show(self) -> None:
        for tone, name in TONE_ICONS.items():
            picture = icons.icon(name, tone).pixmap(icons.SMALL * _SCALE, icons.SMALL * _SCALE).toImage()
            self.document().addResource(
                QTextDocument.ResourceType.ImageResource.value, QUrl(f"icon:{tone.value}"), picture
            )
        if len(self._disks) == 1:
            self.setHtml(_of_one(self._disks[0]))
        elif self._disks:
            self.setHtml(_of_several(self._disks, selected=True))
        else:
            hint = tell("Select a disk to see all that is known of it.")
            self.setHtml((_of_several(self._among, selected=False) if self._among else "") + _muted(hint))


def _of_one(disk: Disk) -> str:
    parts = [f"<p style='margin:0'><b>{escape(disk.label)}</b></p>", *map(_line, heed(disk)), _table(facts(disk))]
    if disk.by_id:
        parts.append(f"<p style='margin:8px 0 0 0'>{_muted(tell('Names in /dev/disk/by-id'))}</p>")
        for name in disk.by_id:
            mark = f" – {_muted(tell('used in commands'))}" if name == disk.by_id_name else ""
            parts.append(f"<p style='margin:0'>{escape(name)}{mark}</p>")
    elif not disk.planned:
        parts.append(_line(Line(text=tell("No name in /dev/disk/by-id is known."), tone=Tone.UNKNOWN)))
    return "".join(parts)


def _of_several(disks: tuple[Disk, ...], *, selected: bool) -> str:
    total, count = sum(disk.size_bytes or 0 for disk in disks), len(disks)
    words = (
        tell_counted("{count} disk selected", "{count} disks selected", count)
        if selected
        else tell_counted("{count} disk", "{count} disks", count)
    )
    head = tell(
        "{disks}: {usable} may be used, {tb} ({tib}) raw",
        disks=words,
        usable=sum(1 for disk in disks if not disk.refusals()),
        tb=decimal(total),
        tib=binary(total),
    )
    cells = [(column, disk_columns.group_cell(disks, column)) for column in _SHARED]
    shared = [Fact(name=disk_columns.heading(column), text=cell.text) for column, cell in cells if cell.text]
    keys = tell("Space ticks or unticks them, Ctrl+C copies them as CSV.") if selected else ""
    return f"<p style='margin:0'><b>{escape(head)}</b></p>{_table(shared)}{_muted(keys)}"


def _table(shown: Sequence[Fact]) -> str:
    rows = []
    for fact in shown:
        value = _coloured(disk_columns.unknown(), Tone.UNKNOWN) if fact.text is None else escape(fact.text)
        # Beside each fact the file is enough: “lsblk (lsblk.json)” of “lsblk (/captures/nas1/lsblk.json)”.
        origin = "" if fact.origin is None else _muted(_FOLDER.sub("(", str(fact.origin)))
        cells = "".join(f"<td>{text}&nbsp;&nbsp;&nbsp;</td>" for text in (_muted(fact.name), value, origin))
        rows.append(f"<tr>{cells}</tr>")
    return f"<table cellspacing='0' cellpadding='1' style='margin-top:4px'>{''.join(rows)}</table>"


def _line(line: Line) -> str:
    tone = line.tone if line.tone in {Tone.WARN, Tone.BLOCK} else Tone.TEXT
    picture = f"<img src='icon:{line.tone.value}' width='{icons.SMALL}' height='{icons.SMALL}'>"
    return f"<p style='margin:4px 0 0 0'>{picture}&nbsp;{_coloured(line.text, tone)}</p>"


def _muted(text: str) -> str:
    return _coloured(text, Tone.MUTED)


def _coloured(text: str, tone: Tone) -> str:
    return f"<span style='color:{theme().colour(tone).name()}'>{escape(text)}</span>"
