"""A comparison as a table model: a line for each value, a heading for each section, a column for each design."""

from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from poolwright.design.compare import ComparedRow, Comparison, PropertyRow, Section
from poolwright.design.compared import ComparedDesign
from poolwright.emit.comparison_charts import (
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
from poolwright.ui.compare.comparing import OfferRole
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import LEFT, RIGHT, ROW_ROLE, SHARE_ROLE, Index, RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme


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
        return any(self.index(row, column).data(CellRole.SMALL) for column in range(1, self.columnCount()))

    def flags(self, index: Index) -> Qt.ItemFlag:
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


# How the cells of a comparison and the lines of its chooser are drawn: two lines of text, a mark, a bar.

_BAR = 3
_LINE = 20


class ComparisonCells(QStyledItemDelegate):
    """A value with its mark, below it what is to say of it, and a bar along the foot."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() == 0 or isinstance(index.data(ROW_ROLE), Section):
            super().paint(painter, option, index)
            return
        chosen = QStyleOptionViewItem(option)
        self.initStyleOption(chosen, index)
        text, chosen.text = chosen.text, ""
        chosen.features &= ~QStyleOptionViewItem.ViewItemFeature.HasDecoration
        style = chosen.widget.style() if chosen.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, chosen, painter, chosen.widget)
        painter.save()
        room = chosen.rect.adjusted(GRID, 2, -GRID, -_BAR - 2)
        small = str(index.data(CellRole.SMALL) or "")
        known = index.data(Qt.ItemDataRole.ForegroundRole) is None
        right = bool(int(chosen.displayAlignment) & int(Qt.AlignmentFlag.AlignRight))
        first = QRect(room.left(), room.top(), room.width(), _LINE) if small else room
        painter.setFont(text_font(semibold=bool(index.data(CellRole.BEST))))
        painter.setPen(theme().colour(Tone.TEXT if known else Tone.UNKNOWN))
        _draw(painter, first, text, right=right, marked=bool(index.data(CellRole.BEST)))
        if small:
            painter.setFont(text_font(SMALL_POINTS))
            painter.setPen(theme().colour(Tone.OK if index.data(CellRole.BEST) else Tone.MUTED))
            _draw(painter, room.adjusted(0, _LINE, 0, 0), small, right=right, marked=False)
        share = index.data(SHARE_ROLE)
        if share is not None:
            _draw_bar(painter, chosen.rect, float(share))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + GRID, 2 * _LINE + 2 * _BAR + 2)


def _draw(painter: QPainter, room: QRect, text: str, *, right: bool, marked: bool) -> None:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    metrics = QFontMetrics(painter.font())
    left = icons.SMALL + 4 if marked else 0
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - left)
    if marked:
        wide = metrics.horizontalAdvance(shown)
        x = room.right() - wide - icons.SMALL - 4 if right else room.left()
        top = room.top() + (room.height() - icons.SMALL) // 2
        icons.icon("ok", Tone.OK).paint(painter, QRect(x, top, icons.SMALL, icons.SMALL))
    text_room = room if right else room.adjusted(left, 0, 0, 0)
    painter.drawText(text_room, side | Qt.AlignmentFlag.AlignVCenter, shown)


def _draw_bar(painter: QPainter, cell: QRect, share: float) -> None:
    room = QRect(cell.left() + GRID, cell.bottom() - _BAR - 1, cell.width() - 2 * GRID, _BAR)
    painter.fillRect(room, theme().colour("line"))
    room.setWidth(max(1, round(room.width() * share)))
    painter.fillRect(room, theme().colour(Tone.ACCENT))


class OfferLines(QStyledItemDelegate):
    """An offer: box, title, the letter of its column, and below what it is."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        detail = index.data(OfferRole.DETAIL)
        if detail is None:
            super().paint(painter, option, index)
            return
        chosen = QStyleOptionViewItem(option)
        self.initStyleOption(chosen, index)
        text, chosen.text = chosen.text, ""
        style = chosen.widget.style() if chosen.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, chosen, painter, chosen.widget)
        box = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, chosen, chosen.widget)
        room = chosen.rect.adjusted(box.right() - chosen.rect.left() + GRID, 2, -GRID // 2, -2)
        possible = bool(chosen.state & QStyle.StateFlag.State_Enabled)
        painter.save()
        letter = str(index.data(OfferRole.LETTER))
        painter.setFont(text_font(semibold=bool(letter)))
        painter.setPen(theme().colour(Tone.TEXT if possible else "disabled"))
        first = QRect(room.left(), room.top(), room.width(), _LINE)
        _draw(painter, first, f"{letter}  {text}" if letter else text, right=False, marked=False)
        painter.setFont(text_font(SMALL_POINTS))
        painter.setPen(theme().colour(Tone.MUTED))
        _draw(painter, room.adjusted(0, _LINE, 0, 0), str(detail), right=False, marked=False)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hint = super().sizeHint(option, index)
        lines = 1 if index.data(OfferRole.DETAIL) is None else 2
        return QSize(min(hint.width(), 30 * GRID), lines * _LINE + GRID)
