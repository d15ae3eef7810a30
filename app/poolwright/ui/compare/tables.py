"""The table of values and that of properties, with what stands behind the selected value below."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.compare import ComparedRow, Comparison, PropertyRow, Section
from poolwright.design.compared import ComparedDesign
from poolwright.emit.comparison_charts import (
    LETTERS,
    best_words,
    cell_band,
    cell_text,
    comparison_charts,
    layout_with_badge,
    section_words,
    share_of,
)
from poolwright.emit.prediction_charts import Against, layout_words
from poolwright.predict.number_words import Unit, between_text, has_band
from poolwright.texts import tell
from poolwright.ui.compare.comparing import CellRole
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.lay import ScrolledRows, ToneLabel
from poolwright.ui.parts.table import LEFT, RIGHT, SHARE_ROLE, Index, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.place import ChartPlace, FrontPlace

_TITLES, _WIDE_TITLES = 21 * GRID, 31 * GRID
_WIDE = 110 * GRID
_LEAST, _PLACES = 14 * GRID, 17 * GRID
_DETAIL_LINES = 4


class ValuePane(QWidget):
    """Shows the rows. ``copied`` says that they are on the clipboard."""

    copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparisonTable(parent=self)
        self.view = _table(self, tell("Values side by side"), self.model)
        self.view.setItemDelegate(TwoLineCells(self.view))
        self.view.selectionModel().currentChanged.connect(self._on_current)
        lay.action(tell("Copy as CSV"), self.view, "Ctrl+C", self._copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        name = tell("Where the selected value comes from")
        self._detail = lay.named(ToneLabel("", Tone.MUTED, self, small=True), name)
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Always the same room, so that the table does not jump from value to value.
        self._detail.setFixedHeight(_DETAIL_LINES * self._detail.fontMetrics().lineSpacing())
        lay.column((self.view, 1), self._detail, 0, of=self)
        self.show_comparison(None)

    def show_comparison(self, comparison: Comparison | None) -> None:
        self.model.show_comparison(comparison)
        self.view.clearSpans()
        for row in self.model.headings():
            self.view.setSpan(row, 0, 1, max(1, self.model.columnCount()))
        rows = self.model.rowCount()
        self.view.setVisible(rows > 0)
        self._detail.setVisible(rows > 0)
        for row in range(rows):
            self.view.setRowHeight(row, 6 * GRID if self.model.tall(row) else 4 * GRID)
        _share_width(self.view, first=1)
        self._on_current(self.view.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        _share_width(self.view, first=1)

    def _on_current(self, index: QModelIndex) -> None:
        text = index.data(CellRole.DETAIL) if index.isValid() else None
        self._detail.setText(text or tell("Select a value to read where it comes from."))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.csv())
        self.copied.emit()


class PropertyPane(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparedProperties(parent=self)
        self.view = _table(self, tell("Properties side by side"), self.model)
        self._empty = ToneLabel(tell("There is no property to compare."), Tone.MUTED, self)
        lay.column(self._empty, (self.view, 1), 0, of=self)
        self.show_comparison(None)

    def show_comparison(self, comparison: Comparison | None) -> None:
        self.model.show_comparison(comparison)
        rows = self.model.rowCount()
        self._empty.setVisible(rows == 0 and self.model.columnCount() > 0)  # above it stands why nothing is compared
        self.view.setVisible(rows > 0)
        _share_width(self.view, first=2)


def _table(parent: QWidget, name: str, model: QAbstractItemModel) -> QTableView:
    view = plain_table(name, model, parent, row_height=4 * GRID)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    header = view.horizontalHeader()
    header.setMinimumSectionSize(_LEAST)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setTextElideMode(Qt.TextElideMode.ElideRight)
    return view


def _share_width(view: QTableView, *, first: int) -> None:
    header = view.horizontalHeader()
    for number in range(header.count()):
        if number < first:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            view.setColumnWidth(number, _PLACES if first > 1 else _WIDE_TITLES if view.width() > _WIDE else _TITLES)
        else:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)


# The charts of a comparison, and the front of all layouts with the designs compared among them.

_TWO_FROM = 120 * GRID  # bars lie on their side: names on the left, values on the right of them


class ChartsPane(ScrolledRows):
    """Capacity, speed, risk, rebuild and cost as charts. ``failed`` says why a file was not written."""

    failed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tell("Charts"), parent)
        self.places: dict[str, ChartPlace] = {}
        self._holder = QWidget(self)
        self._grid = lay.grid(of=self._holder, gap=2 * GRID)
        self.setWidget(self._holder)
        self._holder.setAutoFillBackground(False)

    def show_comparison(self, comparison: Comparison | None) -> None:
        charts = {chart.stem: chart for chart in (comparison_charts(comparison) if comparison is not None else ())}
        for stem in [stem for stem in charts if stem not in self.places]:
            place = self.places[stem] = ChartPlace("", self._holder, lines=2)
            place.failed.connect(self.failed)
        for stem, place in self.places.items():
            chart = charts.get(stem)
            place.say(tell("{chart}, with the band of what is predicted.", chart=chart.title) if chart else "")
            place.show_chart(chart)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put two charts side by side where there is room."""
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        across = 2 if self.width() >= _TWO_FROM else 1
        for place in self.places.values():
            self._grid.removeWidget(place)
        for column in range(2):
            self._grid.setColumnStretch(column, int(column < across))
        shown = [place for place in self.places.values() if place.chart is not None]
        for number, place in enumerate(shown):
            self._grid.addWidget(place, number // across, number % across)


class FrontPane(QWidget):
    """All layouts of the ranking with those compared marked. ``picked`` sends a layout that should be compared too.

    ``ranked`` asks for the page that ranks layouts, ``failed`` says why a file was not written.
    """

    picked = Signal(object)
    ranked = Signal()
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Recommendation | None = None
        self._selected: Candidate | None = None
        self._usual = tell("Each dot is a layout, letters are the designs compared. Click a dot to compare it too.")
        self.front = FrontPlace(self._usual, Against.RISK, self)
        self.front.picked.connect(self.select)
        self.front.failed.connect(self.failed)
        self.take = lay.button(tell("Compare this layout"), self, self._on_take, icon="add")
        self.front.head.insertWidget(2, self.take, 0, Qt.AlignmentFlag.AlignTop)
        self._none = QWidget(self)
        text = tell("There is no ranking of layouts now, so there is no front to show.")
        rank = lay.button(tell("Rank the layouts"), self._none, self.ranked, icon="recommendation")
        told = ToneLabel(text, Tone.MUTED, self._none)
        lay.column(told, (rank, 0, Qt.AlignmentFlag.AlignLeft), 1, of=self._none, around=GRID)
        lay.column((self.front, 1), (self._none, 1), of=self)
        self._show()

    def show_front(self, found: Recommendation | None, columns: Sequence[ComparedDesign]) -> None:
        if found is not self._found:
            self._selected = None
        self._found = found
        self.front.show_layouts(found.candidates if found else (), found.best if found else None, columns)
        self._show()

    def select(self, candidate: Candidate) -> None:
        self._selected = candidate
        self._show()

    def _show(self) -> None:
        self._none.setVisible(self._found is None)
        self.front.setVisible(self._found is not None)
        self.take.setEnabled(self._selected is not None)
        self.front.select(self._selected)
        self.front.say(layout_words(self._selected) if self._selected is not None else self._usual)

    def _on_take(self) -> None:
        if self._selected is not None:
            self.picked.emit(self._selected)


# A comparison as a table model: a line for each value, a heading for each section, a column for each design.


Line = Section | ComparedRow


class ComparisonTable(RowModel[Line]):
    """Shows a comparison: a heading for each section, a column for each design.

    Rows nobody knows anything of are left out.
    """

    def show_comparison(self, comparison: Comparison | None) -> None:
        if comparison is None:
            self.show_rows((), ())
            return
        lines: list[Line] = []
        for section in Section:
            shown = [row for row in comparison.rows if row.line.section is section and _told(row)]
            lines.extend((section, *shown) if shown else ())
        designs = (_Cells(number, column).column() for number, column in enumerate(comparison.columns))
        self.show_rows(lines, (TableColumn(title=tell("Value"), text=_title, look=_look_of_title), *designs))

    def headings(self) -> tuple[int, ...]:
        return tuple(number for number, line in enumerate(self.shown()) if isinstance(line, Section))

    def tall(self, row: int) -> bool:
        return any(self.index(row, column).data(CellRole.SMALL) for column in range(1, self.columnCount()))

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled if isinstance(self.row(index.row()), Section) else super().flags(index)


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
            lines.append(tell("From: {origin}", origin=cell.source))
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


class TwoLineCells(QStyledItemDelegate):
    """A text with its mark or letter, below it what is to say of it, and a bar along the foot."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        small = index.data(CellRole.SMALL)
        if small is None:
            super().paint(painter, option, index)
            return
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        text, cell.text = cell.text, ""
        cell.features &= ~QStyleOptionViewItem.ViewItemFeature.HasDecoration
        style = cell.widget.style() if cell.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        room = cell.rect.adjusted(GRID, 2, -GRID, -_BAR - 2)
        if cell.features & QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator:
            box = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, cell, cell.widget)
            room.setLeft(box.right() + GRID)
        letter, best = str(index.data(CellRole.LETTER) or ""), bool(index.data(CellRole.BEST))
        known = index.data(Qt.ItemDataRole.ForegroundRole) is None
        possible = bool(cell.state & QStyle.StateFlag.State_Enabled)
        right = bool(int(cell.displayAlignment) & int(Qt.AlignmentFlag.AlignRight))
        painter.save()
        painter.setFont(text_font(semibold=best or bool(letter)))
        painter.setPen(theme().colour("disabled" if not possible else Tone.TEXT if known else Tone.UNKNOWN))
        first = QRect(room.left(), room.top(), room.width(), _LINE) if small else room
        _draw(painter, first, f"{letter}  {text}" if letter else text, right=right, marked=best)
        painter.setFont(text_font(SMALL_POINTS))
        painter.setPen(theme().colour(Tone.OK if best else Tone.MUTED))
        _draw(painter, room.adjusted(0, _LINE, 0, 0), str(small), right=right, marked=False)
        share = index.data(SHARE_ROLE)
        if share is not None:
            _draw_bar(painter, cell.rect, float(share))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = min(super().sizeHint(option, index).width() + GRID, 30 * GRID)
        return QSize(width, (1 if index.data(CellRole.SMALL) is None else 2) * _LINE + GRID)


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
