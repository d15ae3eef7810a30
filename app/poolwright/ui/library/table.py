"""The designs of the library as a table: sorted by value, filtered by words."""

from collections.abc import Callable
from enum import IntEnum

from PySide6.QtCore import QObject, Qt, Signal

from poolwright.store.designs import DesignEntry
from poolwright.texts import tell
from poolwright.ui.parts.moment import when
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import text_font


class DesignColumn(IntEnum):
    NAME = 0
    LAYOUT = 1
    GOAL = 2
    POOL = 3
    MODIFIED = 4


class DesignTable(RowModel[DesignEntry]):
    """One row per design; the name can be edited, ``renamed`` sends key and new name."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent, key=lambda entry: entry.key, searched=_searched_text)
        self._current: str | None = None

    def show_entries(self, entries: tuple[DesignEntry, ...], current: str | None) -> None:
        """Show these designs; the one with the key ``current`` is marked as open."""
        self._current = current
        self.show_rows(entries)

    def show_current(self, current: str | None) -> None:
        """Mark the design with this key as open."""
        self._current = current
        if self.rowCount():
            self.dataChanged.emit(self.index(0, DesignColumn.NAME), self.index(self.rowCount() - 1, DesignColumn.NAME))

    def entry(self, key: str) -> DesignEntry | None:
        return next((entry for entry in self.rows if entry.key == key), None)

    def _look(self, entry: DesignEntry, role: int) -> object:
        opened = role == Qt.ItemDataRole.FontRole and entry.key == self._current
        return text_font(semibold=True) if opened else None

    def _write(self, entry: DesignEntry, text: str) -> bool:
        """Ask for another name."""
        name = text.strip()
        if not name or name == entry.name:
            return False
        self.renamed.emit(entry.key, name)
        return True

    def _make_columns(self) -> tuple[TableColumn[DesignEntry], ...]:
        told: tuple[tuple[str, Callable[[DesignEntry], str]], ...] = (
            (tell("Layout"), lambda entry: entry.summary),
            (tell("Goal"), lambda entry: tell(entry.goal.value)),
            (tell("Pool"), lambda entry: entry.pool_name),
        )
        return (
            TableColumn(title=tell("Name"), text=_name, tip=_name, look=self._look, write=self._write),
            *(TableColumn(title=title, text=text, tip=text) for title, text in told),
            TableColumn(title=tell("Changed"), text=_changed, tip=_changed, value=lambda entry: entry.modified),
        )


def _name(entry: DesignEntry) -> str:
    return entry.name


def _changed(entry: DesignEntry) -> str:
    return when(entry.modified)


def _searched_text(entry: DesignEntry) -> str:
    """Return what all columns say of a design: put together at once, for there may be thousands."""
    return f"{entry.name} {entry.summary} {tell(entry.goal.value)} {entry.pool_name} {when(entry.modified)}"
