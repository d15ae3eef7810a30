"""The place of a chart. What draws it takes a second to import, so it is drawn when its place is first in sight."""

import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QImage, QImageWriter, QPainter, QPixmap, QPolygonF, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QGraphicsView, QMenu, QToolButton, QWidget

from poolwright.design.candidate import Candidate
from poolwright.design.comparison_columns import ComparedDesign
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.chart import Chart, ChartSeries, SeriesKind
from poolwright.emit.comparison_charts import AXES, Against, front_chart
from poolwright.emit.drawing import Drawing, Marker, marker_corners, svg
from poolwright.store.files import write_bytes
from poolwright.texts import _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.parts.page import Slices
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Recoloured, Tone, text_font, theme
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel

if TYPE_CHECKING:
    from poolwright.ui.plots.chart_plot import ChartPlot

_AFTER_PAINTING = 0.05  # seconds: the page is on the screen by then
_APART = 0.005  # seconds between two plots that are made, in which the window answers
Say = Callable[[str], object]  # is told why something could not be done


class PlotHolder(QWidget):
    """A line on what is under the pointer, a menu, a legend, and the plot once what draws it is imported.

    ``head`` takes further controls, ``menu_button`` may stand elsewhere; ``missing`` is said while there is no plot.
    ``complain`` is told why a file was not written. Those of a kind keep what they were told until `_make`.
    """

    _made_at: ClassVar[float] = 0.0  # when a plot was made last, whoever asked for it
    least_height = 0  # also while there is no plot; with one never less than that and its lines need

    def __init__(self, missing: str, menu: str, complain: Say, parent: QWidget, *, lines: int = 2) -> None:
        """``lines`` is how many the values under the pointer may take."""
        super().__init__(parent)
        self.complain = complain
        self.plot: Any = None  # what draws it, once it is imported
        self.hint = ToneLabel("", Tone.MUTED, self, small=True)
        widgets.named(self.hint, _("Value under the pointer"))
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for its lines, so that the plot does not jump under the pointer.
        self.hint.setMinimumHeight(lines * self.hint.fontMetrics().lineSpacing())
        self.menu_button = QToolButton(self)
        icons.set_icon(self.menu_button, "export")
        self.menu_button.setAccessibleName(menu)
        self.menu_button.setToolTip(f"{menu}. {how_to_read()}")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setEnabled(False)
        self.legend = Legend(self)
        self._missing = ToneLabel(missing, Tone.MUTED, self)
        self._missing.setAlignment(Qt.AlignmentFlag.AlignCenter)  # in itself: aligned in the layout it is squeezed
        self._missing.setMinimumHeight(2 * self._missing.fontMetrics().lineSpacing())
        self.head = widgets.row(0, (self.menu_button, 0, Qt.AlignmentFlag.AlignTop))
        self._column = widgets.column(self.head, (self._missing, 1), of=self, gap=GRID // 2)
        self.legend.switched.connect(self._on_switched)
        self._slices = Slices(self)

    def _made(self) -> Generator[None, None, None]:
        """Make the plot once what was shown has been painted, and not in the turn in which another was made."""
        earliest = time.monotonic() + _AFTER_PAINTING
        while time.monotonic() < max(earliest, PlotHolder._made_at + _APART):
            yield
        yield from import_in_steps("pyqtgraph")
        self._make()
        PlotHolder._made_at = time.monotonic()

    def _make(self) -> None:
        """Make the plot where there is none yet."""
        raise NotImplementedError

    def _is_wanted(self) -> bool:
        raise NotImplementedError

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, self.least_height))

    def showEvent(self, event: QShowEvent) -> None:
        """Draw soon after the place came into sight."""
        super().showEvent(event)
        self._begin()

    def _begin(self) -> None:
        if self.plot is None and self._is_wanted() and self.isVisible():
            self._slices.begin(self._made())

    def _on_switched(self) -> None:
        if self.plot is not None:
            self.plot.set_off(self.legend.off)

    def _stand(self, plot: QWidget, menu: QMenu) -> None:
        """Let the plot stand where its lack was told."""
        self._column.insertWidget(self._column.indexOf(self._missing), plot, 1)
        self.menu_button.setMenu(menu)
        self.menu_button.setEnabled(True)


class ChartHolder(PlotHolder):
    """Shows a chart; ``picked`` sends what the clicked mark is ``of``.

    ``hint`` is shown where the pointer is over nothing. Without ``missing`` the place is hidden while there is none.
    """

    plot: "ChartPlot | None"
    picked = Signal(object)

    def __init__(
        self, hint: str, complain: Say, parent: QWidget, *, lines: int = 1, missing: str = "", below: bool = False
    ) -> None:
        """Legend and hint stand ``below`` the chart where something that chooses it stands above."""
        super().__init__(missing, _("Zoom, copy or save the chart"), complain, parent, lines=lines)
        self.chart: Chart | None = None
        self._selected: object = None
        self._usual, self._why = hint, missing
        if below:
            self._column.addWidget(self.legend)
            self._column.addWidget(self.hint)
        else:
            self.head.insertWidget(0, self.hint, 1)
            self._column.insertWidget(1, self.legend)
        self._show_waiting()
        self.show_hint("")

    def show_chart(self, chart: Chart | None) -> None:
        """Show this; None says what is missing, or hides the place where nothing is."""
        self.chart = chart
        self.setVisible(chart is not None or bool(self._why))
        self.legend.show_chart(chart)
        self._show_waiting()
        self.show_hint("")
        self._begin()
        if self.plot is not None and chart is not None:
            self.plot.show_chart(chart)

    def select(self, of: object) -> None:
        self._selected = of
        if self.plot is not None:
            self.plot.select(of)

    def say(self, hint: str) -> None:
        self._usual = hint
        self.show_hint("")

    def show_hint(self, text: str) -> None:
        """Say this of what is under the pointer; the usual words where it is empty."""
        self.hint.setText((text or self._usual) if self.chart is not None or not self._why else "")

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 28 * GRID)

    def _is_wanted(self) -> bool:
        return self.chart is not None

    def _show_waiting(self) -> None:
        self._missing.setText(_("The plot is being prepared.") if self.chart is not None else self._why)
        self._missing.setVisible(self.chart is None or self.plot is None)
        if self.plot is not None:
            self.plot.setVisible(self.chart is not None)

    def _make(self) -> None:
        from poolwright.ui.plots.chart_plot import ChartPlot  # noqa: PLC0415

        if self.plot is not None or self.chart is None:
            return
        self.plot = ChartPlot(self.complain, self)
        self.plot.picked.connect(self.picked)
        self.plot.hovered.connect(self.show_hint)
        self._stand(self.plot, self.plot.menu)
        self._show_waiting()
        self.plot.show_chart(self.chart)
        self.plot.select(self._selected)


def how_to_read() -> str:
    return _("Ctrl+wheel or +/− zoom, dragging or Shift+arrows move, 0 shows all, arrows go from value to value.")


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
            button.setToolTip(_("Switch {name} off or on", name=series.name))
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
ENDINGS = ("SVG", "PNG", "CSV")


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


class PlotMenu(QMenu):
    """By which a plot is zoomed, copied or saved: a ``table`` (csv) and a ``drawing`` (svg) hold all of it, a picture
    (png) what the view shows. ``complain`` is told why a file was not written.
    """

    def __init__(
        self,
        view: QGraphicsView,
        complain: Say,
        parent: QWidget,
        table: Callable[[], str],
        drawing: Callable[[], Drawing],
        *zooms: tuple[str, object],
    ) -> None:
        super().__init__(parent)
        self._view, self._complain, self._table, self._drawing = view, complain, table, drawing
        self.stem = "chart"
        for text, slot in zooms:
            self.addAction(text).triggered.connect(slot)
        self.addSeparator()
        saves = ((_("Save as {kind}…", kind=kind), "save", partial(self._ask_where, kind.lower())) for kind in ENDINGS)
        for text, icon, slot in ((_("Copy"), "copy", self.copy), *saves):
            action = self.addAction(text)
            icons.set_icon(action, icon)
            action.triggered.connect(slot)

    def copy(self) -> None:
        QGuiApplication.clipboard().setImage(image_of(self._view))

    def _ask_where(self, ending: str) -> None:
        ask_where(self._view, f"{self.stem}.{ending}", self.save)

    def save(self, path: str) -> None:
        """Write the plot in the format that the file's ending names."""
        kind = Path(path).suffix.lower()
        try:
            if kind == ".svg":
                write_bytes(Path(path), svg(self._drawing(), with_colours=True).encode())
            else:
                write_bytes(Path(path), self._table().encode() if kind == ".csv" else png_of(self._view))
        except PoolwrightError as error:
            self._complain(error.text)


# The place of the chart of layouts: usable capacity against what one chooses.


class FrontHolder(ChartHolder):
    """Shows layouts, the first choice and the designs compared; a mark is ``of`` its candidate.

    The table beside it says the same to those who do not see the chart.
    """

    def __init__(self, hint: str, complain: Say, parent: QWidget, *, below: bool = False) -> None:
        super().__init__(hint, complain, parent, lines=1 if below else 2, below=below)
        self._layouts: tuple[Sequence[Candidate], Candidate | None, Sequence[ComparedDesign]] = ((), None, ())
        self._stale = False
        self.choice = ChoiceBox(self, _("Plot capacity against"))
        self.choice.offer(((_(axis.name), choice) for choice, axis in AXES.items()), Against.RISK)
        self.choice.currentIndexChanged.connect(self._refresh)
        self.head.insertWidget(1, self.choice, 0, Qt.AlignmentFlag.AlignTop)

    def show_layouts(
        self, candidates: Sequence[Candidate], first: Candidate | None, columns: Sequence[ComparedDesign] = ()
    ) -> None:
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
