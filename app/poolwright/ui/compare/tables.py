"""The table of values and that of properties, with what stands behind the selected value below."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QScrollArea, QTableView, QWidget

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.compare import Comparison
from poolwright.design.compared import ComparedDesign
from poolwright.emit.comparison_charts import comparison_charts
from poolwright.emit.prediction_charts import Against, layout_words
from poolwright.texts import tell
from poolwright.ui.compare.table import CellRole, ComparedProperties, ComparisonCells, ComparisonTable
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import plain_table
from poolwright.ui.parts.theme import GRID, Tone
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
        self.model = ComparisonTable(self)
        self.view = _table(self, tell("Values side by side"), self.model)
        self.view.setItemDelegate(ComparisonCells(self.view))
        self.view.selectionModel().currentChanged.connect(self._on_current)
        copy = QAction(tell("Copy as CSV"), self.view)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self._copy)
        self.view.addAction(copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._detail = ToneLabel("", Tone.MUTED, self, small=True)
        self._detail.setAccessibleName(tell("Where the selected value comes from"))
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Always the same room, so that the table does not jump from value to value.
        self._detail.setFixedHeight(_DETAIL_LINES * self._detail.fontMetrics().lineSpacing())
        lay.column((self.view, 1), self._detail, 0, of=self)
        self.arrange()

    def show_comparison(self, comparison: Comparison | None) -> None:
        self.model.show_comparison(comparison)
        self.arrange()

    def show_only_differences(self, only: bool) -> None:
        self.model.show_only_differences(only)
        self.arrange()

    def arrange(self) -> None:
        """Let headings span the table and give designs equal room."""
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
        """Give the titles more room where there is more."""
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
        self._arrange()

    def show_only_differences(self, only: bool) -> None:
        self.model.show_only_differences(only)
        self._arrange()

    def _arrange(self) -> None:
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


class ChartsPane(QScrollArea):
    """Capacity, speed, risk, rebuild and cost as charts. ``failed`` says why a file was not written."""

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.places: dict[str, ChartPlace] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tell("Charts"))
        self._holder = QWidget(self)
        self._grid = lay.grid(of=self._holder, gap=2 * GRID)
        self.setWidget(self._holder)
        self.viewport().setAutoFillBackground(False)
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
        """Take no more height than the charts need in the width there is now."""
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
        lay.column(
            ToneLabel(text, Tone.MUTED, self._none),
            (rank, 0, Qt.AlignmentFlag.AlignLeft),
            1,
            of=self._none,
            around=GRID,
        )
        lay.column((self.front, 1), (self._none, 1), of=self)
        self._show()

    def show_front(self, found: Recommendation | None, columns: Sequence[ComparedDesign]) -> None:
        """Show the layouts of a ranking, and where the designs of a comparison stand among them."""
        if found is not self._found:
            self._selected = None
        self._found = found
        self.front.show_layouts(found.leading if found else (), found.best if found else None, columns)
        self._show()

    def select(self, candidate: Candidate) -> None:
        """Point at a layout, as a click on its dot does."""
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
