"""The properties in force on a dataset: value, where it comes from, whether it is changed, why."""

from collections.abc import Sequence
from enum import IntEnum
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal

from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import property_words, reason_words, source_words
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, text_font, theme


class PropertyColumn(IntEnum):
    """The columns."""

    NAME = 0
    VALUE = 1
    SOURCE = 2
    CHANGED = 3
    WHY = 4


class PropertyTable(RowModel[Effective]):
    """One row a property; values can be edited. ``asked`` sends name and value wanted; an empty value is inherit."""

    asked = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent, key=lambda item: item.name, searched=_searched)
        self._pool_name = ""

    def show_properties(self, rows: Sequence[Effective], pool_name: str) -> None:
        """Show these properties; values change in place where the properties are the same."""
        self._pool_name = pool_name
        self.show_rows(rows)

    def keep_set(self, text: str, *, only_set: bool) -> None:
        """Show rows with all words of ``text``; with ``only_set`` without those at their default."""
        self.keep(text, lambda item: not only_set or item.source is not SettingSource.DEFAULT)

    def _make_columns(self) -> tuple[TableColumn[Effective], ...]:
        return (
            TableColumn(
                title=tell("Property"),
                text=lambda item: item.name,
                tip=lambda item: property_words(item.name),
                look=partial(_look, PropertyColumn.NAME),
            ),
            TableColumn(
                title=tell("Value"),
                text=_value,
                tip=_value,
                look=partial(_look, PropertyColumn.VALUE),
                write=self._write,
            ),
            TableColumn(
                title=tell("Source"),
                text=self._source,
                tip=self._source,
                look=partial(_look, PropertyColumn.SOURCE),
            ),
            TableColumn(
                title=tell("Default?"),
                text=self._changed,
                tip=self._default,
                look=partial(_look, PropertyColumn.CHANGED),
            ),
            TableColumn(
                title=tell("Why"), text=reason_words, tip=reason_words, look=partial(_look, PropertyColumn.WHY)
            ),
        )

    def _write(self, item: Effective, text: str) -> bool:
        """Ask for another value; an empty one asks to inherit."""
        wanted = text.strip()
        if wanted == item.value:
            return False
        self.asked.emit(item.name, wanted)
        return True

    def _source(self, item: Effective) -> str:
        return source_words(item, self._pool_name)

    def _changed(self, item: Effective) -> str:
        if item.default_value is None:
            return tell("none")
        return tell("changed") if item.changed else tell("default")

    def _default(self, item: Effective) -> str:
        if item.default_value is None:
            return self._changed(item)
        return tell("OpenZFS's default is {value}", value=item.default_value)


def _value(item: Effective) -> str:
    return item.value


def _searched(item: Effective) -> str:
    return f"{item.name} {item.value} {reason_words(item)}"


def _look(column: PropertyColumn, item: Effective, role: int) -> object:
    if role == Qt.ItemDataRole.FontRole and column in (PropertyColumn.NAME, PropertyColumn.VALUE):
        return text_font(semibold=item.source is SettingSource.LOCAL)
    if role == Qt.ItemDataRole.DecorationRole and column is PropertyColumn.CHANGED and item.changed:
        return icons.icon("rename", Tone.NOTE)
    return theme().colour(_tone(item, column)) if role == Qt.ItemDataRole.ForegroundRole else None


def _tone(item: Effective, column: PropertyColumn) -> Tone:
    if column is PropertyColumn.CHANGED:
        return Tone.NOTE if item.changed else Tone.MUTED
    if item.source is SettingSource.LOCAL:
        return Tone.TEXT
    if column is PropertyColumn.WHY or item.source is SettingSource.DEFAULT:
        return Tone.MUTED
    return Tone.TEXT
