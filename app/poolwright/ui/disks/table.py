"""The disks of an inventory as a tree: disks of one model and size below a line of their own, single ones beside them.

One model keeps order, filter and ticks; it never changes the session itself but asks for ticks with ``tick_wanted``.
It is no QTreeWidget: order and filter change what stands below a group, a box has the state of what the filter shows
below it, and thousands of disks are sorted while somebody looks, so that what is selected is found again by numbers and
keys, without an object for each line.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal

from poolwright.domain.disk import Disk
from poolwright.domain.host import Inventory, group_disks
from poolwright.domain.shown import csv_text, natural
from poolwright.emit.disk_words import use_is_known
from poolwright.emit.names import device_problem
from poolwright.texts import _, capital
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.disks.columns import COLUMNS, HEALTH_MARKS, DiskColumn, GroupCell
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import LEFT, RIGHT, Index
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, text_font, theme

_T = TypeVar("_T")
_ROOT = QModelIndex()
_PLAIN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_TICKABLE = _PLAIN | Qt.ItemFlag.ItemIsUserCheckable
_LEAF, _TICKABLE_LEAF = _PLAIN | Qt.ItemFlag.ItemNeverHasChildren, _TICKABLE | Qt.ItemFlag.ItemNeverHasChildren
_SIDES = {column: RIGHT if known.number else LEFT for column, known in COLUMNS.items()}
_NAME = int(DiskColumn.DISK)  # flags are asked for several times a line whenever the lines are laid out
_TOP = 0  # the internal id of lines at the top; a disk in a group has the group's number + 1


@dataclass(slots=True, kw_only=True)
class _Entry:
    """A line at the top: a group, or one disk. ``shown`` are the disks the filter admits, in order."""

    number: int
    disks: tuple[Disk, ...]
    shown: list[Disk] = field(default_factory=list)
    cells: dict[DiskColumn, GroupCell] = field(default_factory=dict)

    @property
    def grouped(self) -> bool:
        return len(self.disks) > 1

    def cell(self, column: DiskColumn) -> GroupCell:
        if column not in self.cells:
            self.cells[column] = disk_columns.group_cell(self.disks, column)
        return self.cells[column]


class DiskTable(QAbstractItemModel):
    """``tick_wanted`` carries the keys (a frozenset of str) that shall be ticked from now on."""

    tick_wanted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[_Entry] = []
        self._shown: list[_Entry] = []
        self._rows: dict[int, int] = {}
        self._searched: dict[str, str] = {}
        self._usable: frozenset[str] = frozenset()
        self._ticked: frozenset[str] = frozenset()
        self._words: tuple[str, ...] = ()
        self._bold = text_font(SMALL_POINTS, semibold=True)
        self.old_hours: float | None = None  # from which on an age is a warning; None while no rule says so
        self._sorted_by: tuple[DiskColumn | None, Qt.SortOrder] = (None, Qt.SortOrder.AscendingOrder)

    def show_inventory(self, inventory: Inventory | None, ticked: frozenset[str]) -> None:
        self.beginResetModel()
        disks = inventory.disks if inventory is not None else ()
        groups = group_disks(disks)
        self._entries = [_Entry(number=n, disks=group.disks) for n, group in enumerate(groups)]
        self._searched = {}
        self._usable = frozenset(disk.key for disk in disks if not disk.refusals())
        self._ticked = ticked
        self._arrange()
        self.endResetModel()

    def set_ticked(self, ticked: frozenset[str]) -> None:
        if ticked == self._ticked:
            return
        self._ticked = ticked
        self._tell(DiskColumn.DISK, DiskColumn.DISK)

    def set_filter(self, text: str) -> None:
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._arrange()
        self.endResetModel()

    def disks_at(self, index: Index) -> tuple[Disk, ...]:
        if not index.isValid():
            return ()
        if index.internalId() != _TOP:
            return (self._shown[self._rows[index.internalId() - 1]].shown[index.row()],)
        return tuple(self._shown[index.row()].shown)

    def shown(self) -> tuple[Disk, ...]:
        return tuple(disk for entry in self._shown for disk in entry.shown)

    def is_group(self, index: Index) -> bool:
        return index.isValid() and index.internalId() == _TOP and self._shown[index.row()].grouped

    def texts(self, column: DiskColumn, most: int) -> set[str]:
        """Return what stands in a column, of the first ``most`` disks and of all lines at the top."""
        if column is DiskColumn.DISK:
            return {disk_columns.title(entry.disks, entry.disks) for entry in self._shown}
        of_groups = {entry.cell(column).text for entry in self._shown if entry.grouped}
        return of_groups | {disk_columns.text(disk, column) for disk in self.shown()[:most]}

    def group_number(self, index: Index) -> int | None:
        """Return what names a group as long as the inventory stays; None for a disk."""
        return self._shown[index.row()].number if self.is_group(index) else None

    @property
    def filtered(self) -> bool:
        return bool(self._words)

    def index_of(self, key: str, column: int = 0) -> QModelIndex:
        for row, entry in enumerate(self._shown):
            for place, disk in enumerate(entry.shown):
                if disk.key == key:
                    if entry.grouped:
                        return self.createIndex(place, column, entry.number + 1)
                    return self.createIndex(row, column, _TOP)
        return QModelIndex()

    def toggle(self, disks: Iterable[Disk]) -> None:
        """Ask to tick those of the disks that may be used, or to untick them when all of them are ticked."""
        keys = frozenset(disk.key for disk in disks) & self._usable
        if keys:
            self.tick_wanted.emit(self._ticked - keys if keys <= self._ticked else self._ticked | keys)

    def csv(self, disks: Sequence[Disk], columns: Sequence[int]) -> str:
        chosen = [DiskColumn(column) for column in columns]
        names = (_("Size, B") if column is DiskColumn.SIZE else _(COLUMNS[column].title) for column in chosen)
        rows = [[capital(_("ticked")), *names]]
        for disk in disks:
            ticked = _("yes") if disk.key in self._ticked else _("no")
            rows.append([ticked, *(disk_columns.csv_value(disk, column) for column in chosen)])
        return csv_text(rows)

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        if not 0 <= column < len(DiskColumn) or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        below = self._shown[parent.row()].number + 1 if parent.isValid() else _TOP
        return self.createIndex(row, column, below)

    def parent(self, index: Index = _ROOT) -> Any:
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(self._rows[index.internalId() - 1], 0, _TOP)

    def rowCount(self, parent: Index = _ROOT) -> int:
        if not parent.isValid():
            return len(self._shown)
        if parent.column() > 0 or not self.is_group(parent):
            return 0
        return len(self._shown[parent.row()].shown)

    def columnCount(self, _parent: Index = _ROOT) -> int:
        return len(DiskColumn)

    def flags(self, index: Index) -> Qt.ItemFlag:
        tickable = index.column() == _NAME and self._tickable(index)
        if index.isValid() and index.internalId() != _TOP:
            return _TICKABLE_LEAF if tickable else _LEAF
        return _TICKABLE if tickable else _PLAIN

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = DiskColumn(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return _(COLUMNS[column].title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _(COLUMNS[column].meaning)
        return _SIDES[column] if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = DiskColumn(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _SIDES[column]
        if role == Qt.ItemDataRole.CheckStateRole:
            return self._check_state(index) if column is DiskColumn.DISK else None
        if self.is_group(index):
            return self._group_data(self._shown[index.row()], column, role)
        disk = self.disks_at(index)[0]
        if role == Qt.ItemDataRole.DisplayRole and column is DiskColumn.DISK and index.internalId() == _TOP:
            return disk_columns.title((disk,), (disk,))
        return self._disk_data(disk, column, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not self._tickable(index):
            return False
        keys = frozenset(disk.key for disk in self.disks_at(index)) & self._usable
        wanted = Qt.CheckState(value) is not Qt.CheckState.Unchecked
        self.tick_wanted.emit(self._ticked | keys if wanted else self._ticked - keys)
        return True

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(index.column(), self._identity(index)) for index in before]
        self._sorted_by = (DiskColumn(column) if column >= 0 else None, order)
        self._arrange()
        self.changePersistentIndexList(before, [self._found(identity, at) for at, identity in kept])
        self.layoutChanged.emit()

    def _identity(self, index: Index) -> tuple[int, str | None]:
        entry = self._shown[index.row() if index.internalId() == _TOP else self._rows[index.internalId() - 1]]
        return entry.number, None if index.internalId() == _TOP else entry.shown[index.row()].key

    def _found(self, identity: tuple[int, str | None], column: int) -> QModelIndex:
        number, key = identity
        if key is not None:
            return self.index_of(key, column)
        return self.createIndex(self._rows[number], column, _TOP) if number in self._rows else QModelIndex()

    def _arrange(self) -> None:
        column, order = self._sorted_by
        backwards = order is Qt.SortOrder.DescendingOrder
        by = COLUMNS[column if column is not None else DiskColumn.DISK].value
        for entry in self._entries:
            shown = [disk for disk in entry.disks if self._admits(disk)]
            entry.shown = _ordered(shown, by, backwards=backwards and column is not None)
        self._shown = [entry for entry in self._entries if entry.shown]
        if column is not None:
            self._shown = _ordered(self._shown, lambda entry: by(entry.shown[0]), backwards=backwards)
        self._rows = {entry.number: row for row, entry in enumerate(self._shown)}

    def _admits(self, disk: Disk) -> bool:
        if not self._words:
            return True
        searched = self._searched.get(disk.key)
        if searched is None:  # made when first searched: thousands of disks have tens of thousands of facts
            searched = self._searched[disk.key] = _searched(disk)
        return all(word in searched for word in self._words)

    def _tickable(self, index: Index) -> bool:
        if not index.isValid():
            return False
        below = index.internalId()
        if below == _TOP:
            return any(disk.key in self._usable for disk in self._shown[index.row()].shown)
        return self._shown[self._rows[below - 1]].shown[index.row()].key in self._usable

    def _check_state(self, index: Index) -> Qt.CheckState | None:
        keys = [disk.key for disk in self.disks_at(index) if disk.key in self._usable]
        if not keys:
            return None
        ticked = sum(1 for key in keys if key in self._ticked)
        if ticked == 0:
            return Qt.CheckState.Unchecked
        return Qt.CheckState.Checked if ticked == len(keys) else Qt.CheckState.PartiallyChecked

    def _tell(self, first: DiskColumn, last: DiskColumn) -> None:
        if not self._shown:
            return
        self.dataChanged.emit(self.index(0, first), self.index(len(self._shown) - 1, last))
        for row, entry in enumerate(self._shown):
            if entry.grouped:
                above = self.index(row, 0)
                self.dataChanged.emit(self.index(0, first, above), self.index(len(entry.shown) - 1, last, above))

    def _group_data(self, entry: _Entry, column: DiskColumn, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole:
            return self._bold if column is DiskColumn.DISK else None
        if column is DiskColumn.DISK:
            shown = disk_columns.title(entry.disks, entry.shown)
            if role == Qt.ItemDataRole.DecorationRole:
                return None if any(d.key in self._usable for d in entry.shown) else icons.icon("block", Tone.UNKNOWN)
            return shown if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole} else None
        cell = entry.cell(column)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        old = column is DiskColumn.HOURS and next(filter(self._is_old, entry.shown), None)
        if old or cell.shared:
            return self._disk_data(old or entry.shown[0], column, role)
        return theme().colour(Tone.MUTED) if role == Qt.ItemDataRole.ForegroundRole else None

    def _disk_data(self, disk: Disk, column: DiskColumn, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return disk_columns.text(disk, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return disk_columns.tooltip(disk, column) or None
        mark = self._mark(disk, column)
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon(*mark) if mark is not None else None
        if role == Qt.ItemDataRole.ForegroundRole:
            usual = Tone.TEXT if disk.key in self._usable else Tone.MUTED
            tone = Tone.UNKNOWN if COLUMNS[column].value(disk) is None else usual
            return theme().colour(mark[1] if mark is not None and column is not DiskColumn.DISK else tone)
        if role == Qt.ItemDataRole.AccessibleTextRole and column is DiskColumn.DISK:
            return self._spoken(disk)
        return None

    def _mark(self, disk: Disk, column: DiskColumn) -> tuple[str, Tone] | None:
        """Return the icon and the colour of a cell: of a yes, of what stands against it, of what is to be heeded."""
        if column is DiskColumn.HEALTH:
            return HEALTH_MARKS[disk.health]
        if column is DiskColumn.USE:
            return ("warn", Tone.WARN) if disk.refusals() else disk_columns.burn_in_mark(disk)
        if column is DiskColumn.SCRIPT:
            known = ("ok", Tone.OK) if use_is_known(disk) else ("unknown", Tone.UNKNOWN)
            return ("note", Tone.NOTE) if device_problem(disk) else known
        if column is DiskColumn.HOURS and self._is_old(disk):
            return "warn", Tone.WARN
        refused = column is DiskColumn.DISK and disk.key not in self._usable
        return ("block", Tone.UNKNOWN) if refused else None

    def _is_old(self, disk: Disk) -> bool:
        return self.old_hours is not None and (disk.power_on_hours or 0) >= self.old_hours

    def _spoken(self, disk: Disk) -> str:
        if disk.key not in self._usable:
            return _("{disk} cannot be used: {why}", disk=disk.label, why="; ".join(disk.refusals()))
        state = _("ticked") if disk.key in self._ticked else _("not ticked")
        return f"{disk.label}, {state}"


def _searched(disk: Disk) -> str:
    facts = [disk_columns.text(disk, column) for column in DiskColumn]
    return " ".join([*facts, disk.path or "", disk.vendor or "", disk.wwn or "", *disk.by_id]).casefold()


def _ordered(things: list[_T], of: Callable[[_T], disk_columns.Value], *, backwards: bool) -> list[_T]:
    def key(pair: tuple[disk_columns.Value, _T]) -> Any:
        known = pair[0]
        return natural(known) if isinstance(known, str) else known

    values = [(of(thing), thing) for thing in things]
    known = sorted((pair for pair in values if pair[0] is not None), key=key, reverse=backwards)
    return [thing for __, thing in known] + [thing for value, thing in values if value is None]
