"""The place of a chart. What draws it takes a second to import, so it is drawn when its place is first in sight."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QImageWriter, QPainter, QPixmap, QPolygonF, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QGraphicsView, QToolButton, QWidget

from poolwright.design.candidate import Candidate
from poolwright.design.compared import ComparedDesign
from poolwright.emit.chart import Chart, ChartSeries, SeriesKind
from poolwright.emit.chart_drawing import chart_drawing
from poolwright.emit.drawing import Marker, marker_corners, svg
from poolwright.emit.prediction_charts import AXES, Against, front_chart
from poolwright.store.files import write_bytes
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.icons import Recoloured
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.parts import PlotParts

if TYPE_CHECKING:
    from poolwright.ui.plots.chart_plot import ChartPlot


class ChartPlace(QWidget):
    """A line on what is under the pointer, a menu, a legend, and below them the chart once it can be drawn.

    It keeps what it was told until then. ``head`` takes further controls, ``missing`` is said while there is no chart.
    ``menu_button`` may stand elsewhere.
    ``picked`` sends what the clicked mark is ``of``, ``failed`` why a file was not written.
    """

    picked = Signal(object)
    failed = Signal(str)

    def __init__(self, hint: str, parent: QWidget | None = None, *, lines: int = 1, missing: str = "") -> None:
        """``hint`` is shown where the pointer is over nothing; ``lines`` is how many the values under it may take."""
        super().__init__(parent)
        self.plot: ChartPlot | None = None
        self.chart: Chart | None = None
        self._selected: object = None
        self._usual, self._missing = hint, missing
        self.hint = ToneLabel(hint, Tone.MUTED, self, small=True)
        self.hint.setAccessibleName(tell("Value under the pointer"))
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for its lines, so that the chart does not jump under the pointer.
        self.hint.setMinimumHeight(lines * self.hint.fontMetrics().lineSpacing())
        self.menu_button = QToolButton(self)
        icons.give(self.menu_button, "export")
        self.menu_button.setAccessibleName(tell("Zoom, copy or save the chart"))
        self.menu_button.setToolTip(f"{self.menu_button.accessibleName()}. {how_to_read()}")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setEnabled(False)
        self.head = lay.row((self.hint, 1), (self.menu_button, 0, Qt.AlignmentFlag.AlignTop))
        self.legend = Legend(self)
        self.legend.switched.connect(self._on_switched)
        self._waiting = ToneLabel("", Tone.MUTED, self)
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)  # in itself: aligned in the layout it is squeezed
        self._waiting.setMinimumHeight(2 * self._waiting.fontMetrics().lineSpacing())
        waiting = (self._waiting, 1)
        self._column = lay.column(self.head, self.legend, waiting, of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)
        self._show_waiting()
        self.show_hint("")

    def show_chart(self, chart: Chart | None) -> None:
        """Show this; None says what is missing, or hides the place where nothing is."""
        self.chart = chart
        self.setVisible(chart is not None or bool(self._missing))
        self.legend.show_chart(chart)
        self._show_waiting()
        self.show_hint("")
        if self.plot is None:
            if chart is not None and self.isVisible():
                self._parts.start()
        elif chart is not None:
            self.plot.show_chart(chart)

    def select(self, of: object) -> None:
        self._selected = of
        if self.plot is not None:
            self.plot.select(of)

    def say(self, hint: str) -> None:
        self._usual = hint
        self.show_hint("")

    def put_hint_below(self) -> None:
        """Say what is under the pointer below the chart: above it stands what chooses it."""
        self.head.removeWidget(self.hint)
        self._column.addWidget(self.hint)

    def put_legend_below(self) -> None:
        """Show the legend below the chart, which stands first in a low window then."""
        self._column.removeWidget(self.legend)
        self._column.insertWidget(self._column.indexOf(self._waiting) + 1, self.legend)

    def show_hint(self, text: str) -> None:
        """Say this of what is under the pointer; the usual words where it is empty."""
        self.hint.setText((text or self._usual) if self.chart is not None or not self._missing else "")

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the chart where it has room."""
        return QSize(super().sizeHint().width(), 28 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the chart soon after the place came into sight."""
        super().showEvent(event)
        if self.plot is None and self.chart is not None:
            self._parts.start()

    def _show_waiting(self) -> None:
        self._waiting.setText(tell("The plot is being prepared.") if self.chart is not None else self._missing)
        self._waiting.setVisible(self.chart is None or self.plot is None)
        if self.plot is not None:
            self.plot.setVisible(self.chart is not None)

    def _make(self) -> None:
        from poolwright.ui.plots.chart_plot import ChartPlot  # noqa: PLC0415

        if self.plot is not None or self.chart is None:
            return
        self.plot = ChartPlot(self)
        self.plot.failed.connect(self.failed)
        self.plot.picked.connect(self.picked)
        self.plot.hovered.connect(self.show_hint)
        self._column.insertWidget(self._column.indexOf(self._waiting), self.plot, 1)
        self.menu_button.setMenu(self.plot.menu())
        self.menu_button.setEnabled(True)
        self._show_waiting()
        self.plot.show_chart(self.chart)
        self.plot.select(self._selected)

    def _on_switched(self) -> None:
        if self.plot is not None:
            self.plot.set_off(self.legend.off)


def how_to_read() -> str:
    """Return how a chart is zoomed and read, for tooltips."""
    return tell(
        "Ctrl and the wheel zoom, dragging moves, a double click shows all. With the keys: + and − zoom, Shift with "
        "the arrows moves, 0 shows all, the arrows go from value to value."
    )


# The series of a chart by colour and marker; each is switched off and on by a click or a key.

_SIZE = 12


class Legend(QWidget):
    """Hidden where there is but one series. ``switched`` is sent when ``off``, the names switched off, changed."""

    switched = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.off: frozenset[str] = frozenset()
        self._flow = Flow(self, gap=GRID // 2)
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.buttonToggled.connect(self._on_toggled)
        self._series: tuple[ChartSeries, ...] = ()
        Recoloured(self, self._paint_icons)
        self.hide()

    def show_chart(self, chart: Chart | None) -> None:
        """Show the series of this chart; those switched off before stay so where they are still there."""
        names = chart.legend if chart is not None else ()
        series = chart.series if chart is not None else ()
        before = [button.text() for button in self.buttons()]
        self._series = tuple(next(one for one in series if one.name == name) for name in names)
        if list(names) != before:
            self.off &= frozenset(names)
            self._make()
        self._paint_icons()
        self.setVisible(bool(names))

    def buttons(self) -> list[QToolButton]:
        return [button for button in self._group.buttons() if isinstance(button, QToolButton)]

    def _make(self) -> None:
        for old in self.buttons():
            self._group.removeButton(old)
            self._flow.removeWidget(old)
            old.deleteLater()
        for series in self._series:
            button = QToolButton(self)
            button.setText(series.name)
            button.setFont(text_font(SMALL_POINTS))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(_SIZE, _SIZE))
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setCheckable(True)
            button.setChecked(series.name not in self.off)
            button.setToolTip(tell("Switch {name} off or on", name=series.name))
            self._group.addButton(button)
            self._flow.addWidget(button)
            button.show()

    def _on_toggled(self) -> None:
        self.off = frozenset(button.text() for button in self.buttons() if not button.isChecked())
        self._paint_icons()
        self.switched.emit()

    def _paint_icons(self) -> None:
        for button, series in zip(self.buttons(), self._series, strict=True):
            button.setIcon(_icon(series, on=button.isChecked()))


def _icon(series: ChartSeries, *, on: bool) -> QIcon:
    """Return the marker of a series in its colour, only its outline where it is switched off."""
    ratio = 2
    picture = QPixmap(_SIZE * ratio, _SIZE * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = theme().colour(series.role)
    painter.setPen(colour)
    if on and series.marker is not Marker.RING:
        painter.setBrush(colour)
    middle, radius = _SIZE / 2, _SIZE / 2 - 2
    corners = marker_corners(series.marker, middle, middle, radius)
    if series.kind not in (SeriesKind.LINE, SeriesKind.DOTS):
        painter.drawRect(QRectF(1, middle - 2, _SIZE - 2, 4))
    elif corners:
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    else:
        painter.drawEllipse(QPointF(middle, middle), radius, radius)
    painter.end()
    return QIcon(picture)


# A chart as a picture or a table: copied, or saved to a file.

SCALE = 2  # pictures are twice as fine as the screen


def image_of(view: QGraphicsView) -> QImage:
    image = QImage(view.viewport().size() * SCALE, QImage.Format.Format_ARGB32)
    image.fill(theme().colour("base"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.render(painter)
    painter.end()
    return image


def png_of(view: QGraphicsView) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image_of(view))
    return bytes(buffer.data().data())


def save_chart(path: Path, view: QGraphicsView, chart: Chart) -> None:
    """Write the chart to ``path`` in the format its ending names; raises EnvironmentFailure.

    A table (csv) and a drawing (svg) hold all of it, a picture (png) what the view shows.
    """
    kind = path.suffix.lower()
    if kind == ".csv":
        write_bytes(path, chart.csv().encode())
    elif kind == ".svg":
        write_bytes(path, svg(chart_drawing(chart), with_colours=True).encode())
    else:
        write_bytes(path, png_of(view))


# What draws plots, imported piece by piece when the first plot is asked for or while nobody works at the window.

# What the parts below import of the standard library, in pieces of its own.


# The place of the chart of layouts: usable capacity against what one chooses.


class FrontPlace(ChartPlace):
    """Shows layouts, the first choice and the designs compared; a mark is ``of`` its candidate.

    The table beside it says the same to those who do not see the chart.
    """

    def __init__(self, hint: str, against: Against, parent: QWidget | None = None) -> None:
        super().__init__(hint, parent, lines=2)
        self._layouts: tuple[Sequence[Candidate], Candidate | None, Sequence[ComparedDesign]] = ((), None, ())
        self._stale = False
        self.hint.setAccessibleName(tell("Layout under the pointer"))
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("Plot capacity against"))
        for choice, axis in AXES.items():
            self.choice.addItem(tell(axis.name), choice)
        self.choice.setCurrentIndex(self.choice.findData(against))
        self.choice.currentIndexChanged.connect(self._refresh)
        self.head.insertWidget(1, self.choice, 0, Qt.AlignmentFlag.AlignTop)

    def show_layouts(
        self, candidates: Sequence[Candidate], first: Candidate | None, columns: Sequence[ComparedDesign] = ()
    ) -> None:
        """Show these; ``first`` is the first choice, ``columns`` are the designs of a comparison."""
        self._layouts = (candidates, first, columns)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the chart of what was told while nobody saw it."""
        if self._stale:
            self._stale = False
            self._build()
        super().showEvent(event)

    def _refresh(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            self._build()

    def _build(self) -> None:
        candidates, first, columns = self._layouts
        self.show_chart(front_chart(candidates, first, Against(self.choice.currentData()), columns))
