"""A comparison as a table model: a line for each value, a heading for each section, a column for each design."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from poolwright.advise.compare import ComparedRow, Comparison, PropertyRow, Section
from poolwright.domain.cells import csv_text
from poolwright.emit.compared_words import LETTERS, best_words, cell_band, cell_text, section_words, share_of
from poolwright.predict.number_words import Unit, between_text, has_band
from poolwright.texts import tell
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, text_font, theme


class CellRole(IntEnum):
    """What a cell tells beside its text."""

    SHARE = Qt.ItemDataRole.UserRole  # length of the bar, 0 to 1
    SMALL = Qt.ItemDataRole.UserRole + 1  # the line below
    BEST = Qt.ItemDataRole.UserRole + 2
    SECTION = Qt.ItemDataRole.UserRole + 3  # whether the row is a heading
    DETAIL = Qt.ItemDataRole.UserRole + 4  # where the value comes from


Line = Section | ComparedRow


class ComparisonTable(QAbstractTableModel):
    """Shows a comparison, or only its rows that differ. Rows nobody knows anything of are left out."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._lines: tuple[Line, ...] = ()
        self._only_differences = False

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show this."""
        self._comparison = comparison
        self._fill()

    def show_only_differences(self, only: bool) -> None:
        """Leave out rows that are the same for all, or show them again."""
        self._only_differences = only
        self._fill()

    def headings(self) -> tuple[int, ...]:
        """Return the rows that are headings."""
        return tuple(number for number, line in enumerate(self._lines) if isinstance(line, Section))

    def csv(self) -> str:
        """Return what is shown as CSV, for people."""
        columns = range(self.columnCount())
        rows = [[str(self.headerData(n, Qt.Orientation.Horizontal) or "") for n in columns]]
        rows.extend([str(self.index(row, n).data() or "") for n in columns] for row in range(self.rowCount()))
        return csv_text(rows)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows, headings included."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns: the titles and the designs."""
        if parent.isValid() or self._comparison is None:
            return 0
        return 1 + len(self._comparison.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the letter and the name of a design."""
        if orientation is not Qt.Orientation.Horizontal or self._comparison is None:
            return None
        if section == 0:
            return tell("Value") if role == Qt.ItemDataRole.DisplayRole else None
        column = self._comparison.columns[section - 1]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{LETTERS[section - 1]}  {column.title}"
        return f"{column.title}\n{column.layout}" if role == Qt.ItemDataRole.ToolTipRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the keyboard pass over headings."""
        if isinstance(self._lines[index.row()], Section):
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows and tells."""
        line = self._lines[index.row()]
        if isinstance(line, Section):
            return self._heading(line, index.column(), role)
        return self._title(line, role) if index.column() == 0 else self._value(line, index.column() - 1, role)

    def _heading(self, section: Section, column: int, role: int) -> Any:
        if role == CellRole.SECTION:
            return True
        if column != 0:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return section_words(section)
        return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None

    def _title(self, row: ComparedRow, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return f"≠ {row.line.title}" if row.differs else row.line.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tell("{title}, differs", title=row.line.title) if row.differs else row.line.title
        return None

    def _value(self, row: ComparedRow, number: int, role: int) -> Any:
        cell, unit = row.cells[number], row.line.unit
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, number)[0]
        if role == CellRole.SMALL:
            rest = (best_words(row, number), self._text(row, number)[1], cell_band(cell, unit) or cell.note)
            return ", ".join(part for part in rest if part)
        if role == CellRole.BEST:
            return bool(best_words(row, number))
        if role == CellRole.SHARE:
            return share_of(row, number)
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon("ok", Tone.OK) if number in row.best else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if unit is Unit.TEXT else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and cell.value is None and cell.text is None:
            return theme().colour(Tone.UNKNOWN)
        if role in (CellRole.DETAIL, Qt.ItemDataRole.ToolTipRole):
            return self._detail(row, number)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row, number)
        return None

    def _text(self, row: ComparedRow, number: int) -> tuple[str, str]:
        """Return the value, and apart from it the drive makers' TB of a size."""
        text, _, decimal = cell_text(row.cells[number], row.line.unit).partition(" (")
        return text, decimal.removesuffix(")")

    def tall(self, row: int) -> bool:
        """Tell whether a cell of this row has a second line."""
        return any(self.index(row, column).data(CellRole.SMALL) for column in range(1, self.columnCount()))

    def _detail(self, row: ComparedRow, number: int) -> str:
        assert self._comparison is not None
        cell = row.cells[number]
        name = f"{LETTERS[number]} {self._comparison.columns[number].title}, {row.line.title.lower()}"
        lines = [f"{name}: {cell_text(cell, row.line.unit)}"]
        if cell.estimate is not None:
            text = row.line.unit.text
            lines.append(between_text(cell.estimate, text) if has_band(cell.estimate, text) else "")
            lines.append(tell("Limited by: {limit}.", limit=cell.estimate.limit))
        lines.append(cell.note)
        if cell.source is not None:
            lines.append(tell("From: {origin}.", origin=cell.source))
        if row.lead is not None and number in row.best:
            lines.append(tell("The least good value differs by a factor of {lead:.3g}.", lead=row.lead))
        return "\n".join(line for line in lines if line)

    def _spoken(self, row: ComparedRow, number: int) -> str:
        assert self._comparison is not None
        column = self._comparison.columns[number]
        parts = [f"{row.line.title}, {LETTERS[number]} {column.title}: {cell_text(row.cells[number], row.line.unit)}"]
        small = self._value(row, number, CellRole.SMALL)
        return ", ".join([*parts, small] if small else parts)

    def _fill(self) -> None:
        self.beginResetModel()
        lines: list[Line] = []
        for section in Section:
            rows = [row for row in self._comparison.rows if row.line.section is section] if self._comparison else []
            shown = [row for row in rows if _told(row) and (row.differs or not self._only_differences)]
            lines.extend((section, *shown) if shown else ())
        self._lines = tuple(lines)
        self.endResetModel()


def _told(row: ComparedRow) -> bool:
    return any(cell.value is not None or cell.text is not None for cell in row.cells)


class ComparedProperties(RowModel[PropertyRow]):
    """The properties of a comparison: where, which, and what each design sets."""

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show this."""
        titles = [column.title for column in comparison.columns] if comparison is not None else []
        columns: tuple[TableColumn[PropertyRow], ...] = (
            TableColumn(title=tell("Where"), text=lambda row: row.place),
            TableColumn(title=tell("Property"), text=lambda row: f"≠ {row.name}" if row.differs else row.name),
            *(self._setting_column(number, title) for number, title in enumerate(titles)),
        )
        self.show_rows(() if comparison is None else comparison.properties, () if comparison is None else columns)

    def show_only_differences(self, only: bool) -> None:
        """Leave out properties that are the same for all, or show them again."""
        self.keep("", lambda row: row.differs or not only)

    def _setting_column(self, number: int, title: str) -> TableColumn[PropertyRow]:
        def text(row: PropertyRow) -> str:
            setting = row.settings[number]
            return tell("not set") if setting is None else setting.value

        def tip(row: PropertyRow) -> str:
            setting = row.settings[number]
            return tell("The default or what is inherited holds.") if setting is None else setting.reason

        def look(row: PropertyRow, role: int) -> object:
            is_set = row.settings[number] is not None
            if role == Qt.ItemDataRole.FontRole and row.differs and is_set:
                return text_font(semibold=True)
            return theme().colour(Tone.UNKNOWN) if role == Qt.ItemDataRole.ForegroundRole and not is_set else None

        return TableColumn(title=f"{LETTERS[number]}  {title}", text=text, tip=tip, look=look)
