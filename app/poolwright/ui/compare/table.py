"""A comparison as a table model: a line for each value, a heading for each section, a column for each design."""

from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from poolwright.design.compare import ComparedRow, Comparison, PropertyRow, Section
from poolwright.design.compared import ComparedDesign
from poolwright.emit.compared_words import (
    LETTERS,
    best_words,
    cell_band,
    cell_text,
    layout_with_badge,
    section_words,
    share_of,
)
from poolwright.predict.number_words import Unit, between_text, has_band
from poolwright.texts import tell
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.table import LEFT, RIGHT, RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, text_font, theme


class CellRole(IntEnum):
    """What a cell tells beside its text and the length of its bar."""

    SMALL = Qt.ItemDataRole.UserRole + 11  # the line below
    BEST = Qt.ItemDataRole.UserRole + 12
    DETAIL = Qt.ItemDataRole.UserRole + 13  # where the value comes from


Line = Section | ComparedRow


class ComparisonTable(RowModel[Line]):
    """Shows a comparison, or only its rows that differ: a heading for each section, a column for each design.

    Rows nobody knows anything of are left out.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent)
        self._comparison: Comparison | None = None
        self._only_differences = False

    def show_comparison(self, comparison: Comparison | None) -> None:
        self._comparison = comparison
        self._fill()

    def show_only_differences(self, only: bool) -> None:
        """Leave out rows that are the same for all, or show them again."""
        self._only_differences = only
        self._fill()

    def headings(self) -> tuple[int, ...]:
        return tuple(number for number, line in enumerate(self.shown()) if isinstance(line, Section))

    def tall(self, row: int) -> bool:
        """Tell whether a cell of this row has a second line."""
        return any(self.index(row, column).data(CellRole.SMALL) for column in range(1, self.columnCount()))

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the keyboard pass over headings."""
        return Qt.ItemFlag.ItemIsEnabled if isinstance(self.row(index.row()), Section) else super().flags(index)

    def _fill(self) -> None:
        if self._comparison is None:
            self.show_rows((), ())
            return
        lines: list[Line] = []
        for section in Section:
            rows = [row for row in self._comparison.rows if row.line.section is section]
            shown = [row for row in rows if _told(row) and (row.differs or not self._only_differences)]
            lines.extend((section, *shown) if shown else ())
        designs = (_Cells(number, column).column() for number, column in enumerate(self._comparison.columns))
        self.show_rows(lines, (TableColumn(title=tell("Value"), text=_title, look=_look_of_title), *designs))


def _told(row: ComparedRow) -> bool:
    return any(cell.value is not None or cell.text is not None for cell in row.cells)


def _title(line: Line) -> str:
    if isinstance(line, Section):
        return section_words(line)
    return f"≠ {line.line.title}" if line.differs else line.line.title


def _look_of_title(line: Line, role: int) -> object:
    if isinstance(line, Section):
        return text_font(semibold=True) if role == Qt.ItemDataRole.FontRole else None
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return tell("{title}, differs", title=line.line.title) if line.differs else line.line.title
    return None


@dataclass(frozen=True, slots=True)
class _Cells:
    number: int
    design: ComparedDesign

    def column(self) -> TableColumn[Line]:
        """Return the column of the design, below its letter and name."""
        return TableColumn(
            title=f"{LETTERS[self.number]}  {self.design.title}",
            meaning=f"{self.design.title}\n{layout_with_badge(self.design)}",
            text=self._text,
            share=self._share,
            look=self._look,
        )

    def _text(self, line: Line) -> str:
        if isinstance(line, Section):
            return ""
        text, badge = self._parts(line)[0], self.design.badge[1]
        return f"{text} ({badge})" if badge and line.line.name == "disks" else text

    def _share(self, line: Line) -> float | None:
        return None if isinstance(line, Section) else share_of(line, self.number)

    def _parts(self, row: ComparedRow) -> tuple[str, str]:
        """Return the value, and apart from it the drive makers' TB of a size."""
        text, _, decimal = cell_text(row.cells[self.number], row.line.unit).partition(" (")
        return text, decimal.removesuffix(")")

    def _look(self, line: Line, role: int) -> object:
        if isinstance(line, Section):
            return None
        cell = line.cells[self.number]
        if role == CellRole.SMALL:
            return self._small(line)
        if role == CellRole.BEST:
            return bool(best_words(line, self.number))
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon("ok", Tone.OK) if self.number in line.best else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if line.line.unit is Unit.TEXT else RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and cell.value is None and cell.text is None:
            return theme().colour(Tone.UNKNOWN)
        if role in (CellRole.DETAIL, Qt.ItemDataRole.ToolTipRole):
            return self._detail(line)
        return self._spoken(line) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def _small(self, row: ComparedRow) -> str:
        cell = row.cells[self.number]
        rest = (best_words(row, self.number), self._parts(row)[1], cell_band(cell, row.line.unit) or cell.note)
        return ", ".join(part for part in rest if part)

    def _detail(self, row: ComparedRow) -> str:
        cell = row.cells[self.number]
        name = f"{LETTERS[self.number]} {self.design.title}, {row.line.title.lower()}"
        lines = [f"{name}: {cell_text(cell, row.line.unit)}"]
        if cell.estimate is not None:
            text = row.line.unit.text
            lines.append(between_text(cell.estimate, text) if has_band(cell.estimate, text) else "")
            lines.append(tell("Limited by: {limit}.", limit=cell.estimate.limit))
        lines.append(cell.note)
        if cell.source is not None:
            lines.append(tell("From: {origin}.", origin=cell.source))
        if row.lead is not None and self.number in row.best:
            lines.append(tell("The least good value differs by a factor of {lead:.3g}.", lead=row.lead))
        return "\n".join(line for line in lines if line)

    def _spoken(self, row: ComparedRow) -> str:
        value = cell_text(row.cells[self.number], row.line.unit)
        parts = [f"{row.line.title}, {LETTERS[self.number]} {self.design.title}: {value}"]
        small = self._small(row)
        return ", ".join([*parts, small] if small else parts)


class ComparedProperties(RowModel[PropertyRow]):
    """The properties of a comparison: where, which, and what each design sets."""

    def show_comparison(self, comparison: Comparison | None) -> None:
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
