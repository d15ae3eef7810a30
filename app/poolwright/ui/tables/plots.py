"""A plot of a measured table: dots with whiskers or bars from zero, direct labels, dashed limits with their names."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QGraphicsTextItem, QWidget

from poolwright.predict.table_drawing import DrawnLevel, TableDrawing, TableMark
from poolwright.predict.table_model import Row
from poolwright.predict.table_plot import PlotKind
from poolwright.texts import tell
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.frame import PlotFrame
from poolwright.ui.tables.bars import draw_bars
from poolwright.ui.tables.dots import draw_dots
from poolwright.ui.tables.plot_words import axis_title, level_words, mark_words, plot_csv
from poolwright.ui.tables.spot import TableSpot

_NEAR = 14.0  # pixels from a dot within which the pointer means it
_NEAR_LINE = 5.0
_LINES, _LABELS = 1, 2  # one above the other, both above the marks
_GROUND_ALPHA = 200  # of the ground of a label, so that it can be read across a limit


class TablePlot(PlotFrame):
    """Shows a drawing. ``picked`` sends the row whose mark was clicked; the table beside it holds the same values."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Plot of the table"))
        self.setAccessibleDescription(tell("The table holds the same values."))
        self._drawing: TableDrawing | None = None
        self._name = ""
        self._row: Row | None = None
        self._spots: list[TableSpot] = []
        self._levels: list[tuple[DrawnLevel, bool]] = []
        self._parts: list[Any] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._redraw)
        self.view.scene().sigMouseClicked.connect(self._on_clicked)
        super().recolour()

    def show_drawing(self, drawing: TableDrawing, name: str) -> None:
        """Show this drawing of the table ``name``."""
        self._drawing, self._name, self._row = drawing, name, None
        self.setAccessibleName(drawing.plot.title)
        self._redraw()

    @property
    def drawing(self) -> TableDrawing | None:
        """Return what is shown."""
        return self._drawing

    @property
    def spots(self) -> tuple[TableSpot, ...]:
        """Return every mark with the place it was drawn at."""
        return tuple(self._spots)

    def labels(self) -> tuple[QGraphicsTextItem, ...]:
        """Return the texts beside marks and limits."""
        return tuple(part.textItem for part in self._parts if isinstance(part, pg.TextItem))

    def select(self, row: Row | None) -> None:
        """Emphasise the marks of a row."""
        if row is not self._row:
            self._row = row
            self._redraw()

    def csv(self) -> str:
        """Return the plotted values with their sources as CSV."""
        return plot_csv(self._drawing) if self._drawing else ""

    def file_stem(self) -> str:
        """Return the name of the table."""
        return self._name

    def position_of(self, spot: TableSpot) -> QPointF:
        """Return where a mark stands, in coordinates of the scene."""
        return QPointF(self.item.vb.mapViewToScene(spot.at))

    def told(self, at: QPointF) -> str:
        """Return value and source of the mark or limit under a point of the scene."""
        if self._drawing is None:
            return ""
        spot = self._spot_at(at)
        if spot is not None:
            return mark_words(self._drawing, spot.series, spot.mark)
        place = self.item.vb.mapSceneToView(at)
        width, height = self.item.vb.viewPixelSize()
        for level, upright in self._levels:
            off = abs(place.x() - level.value) / width if upright else abs(place.y() - level.value) / height
            if off <= _NEAR_LINE:
                return level_words(self._drawing, level)
        return ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for the labels anew."""
        super().resizeEvent(event)
        self._timer.start()

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        self._redraw()

    # What the two ways of drawing use.

    def add(self, part: Any) -> Any:
        """Put a part into the plot; it goes with the next drawing."""
        self.item.addItem(part, ignoreBounds=True)
        self._parts.append(part)
        return part

    def add_text(self, text: str, at: tuple[float, float], anchor: tuple[float, float], tone: Tone) -> Any:
        """Put a text into the plot, ``anchor`` being the point of it that stands at ``at``."""
        # No-break spaces keep it off what it stands beside.
        ground = theme().colour("base")
        ground.setAlpha(_GROUND_ALPHA)
        label = pg.TextItem(f"\u00a0{text}\u00a0", color=theme().colour(tone), anchor=anchor, fill=pg.mkBrush(ground))
        label.setFont(text_font(SMALL_POINTS))
        # A text is as high as its line, without the margin a document has.
        label.textItem.document().setDocumentMargin(1)
        label.setPos(*at)
        label.setZValue(_LABELS)
        return self.add(label)

    def add_level(self, level: DrawnLevel, *, upright: bool) -> None:
        """Put a dashed line across the plot."""
        pen = pg.mkPen(theme().colour(Tone.MUTED), width=1.2, style=Qt.PenStyle.DashLine)
        self.add(pg.InfiniteLine(pos=level.value, angle=90 if upright else 0, pen=pen)).setZValue(_LINES)
        self._levels.append((level, upright))

    def add_spot(self, spot: TableSpot) -> None:
        """Remember where a mark stands."""
        self._spots.append(spot)

    def is_selected(self, mark: TableMark) -> bool:
        """Tell whether this mark belongs to the emphasised row."""
        return mark.row is self._row

    def text_width(self, text: str) -> float:
        """Return the width of a label in pixels."""
        return QFontMetricsF(text_font(SMALL_POINTS)).horizontalAdvance(text)

    def room(self) -> tuple[float, float]:
        """Return width and height of the ground of the plot, in pixels."""
        box = self.item.vb
        return max(1.0, float(box.width())), max(1.0, float(box.height()))

    def _redraw(self) -> None:
        drawing = self._drawing
        if drawing is None:
            return
        self._timer.stop()
        for part in self._parts:
            self.item.removeItem(part)
        self._parts, self._spots, self._levels = [], [], []
        plot = drawing.plot
        figures, places = axis_title(plot.y_title, drawing.y_unit), axis_title(plot.x_title, drawing.x_unit)
        bars = plot.kind is PlotKind.BAR
        self.set_axis_title("bottom", figures if bars else places)
        self.set_axis_title("left", places if bars else figures)
        (draw_bars if bars else draw_dots)(self, drawing)

    def _spot_at(self, at: QPointF) -> TableSpot | None:
        place = self.item.vb.mapSceneToView(at)
        for spot in self._spots:
            if spot.reach is not None and abs(place.y() - spot.at.y()) <= spot.reach:
                return spot
        near = [(spot, self.position_of(spot) - at) for spot in self._spots if spot.reach is None]
        distances = [(off.x() ** 2 + off.y() ** 2, number) for number, (_, off) in enumerate(near)]
        squared, number = min(distances, default=(float("inf"), 0))
        return near[number][0] if squared <= _NEAR**2 else None

    def _on_clicked(self, event: Any) -> None:
        spot = self._spot_at(event.scenePos())
        if spot is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(spot.mark.row)
