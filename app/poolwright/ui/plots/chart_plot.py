"""A chart in the window: read with pointer or keys, zoomed and moved, its series switched off and on, copied, saved."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QWidget

from poolwright.emit.chart import Chart, ChartMark, chart_drawing
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.theme import GRID, Recoloured, Tone, theme
from poolwright.ui.plots.drawn_chart import LEAST_HEIGHT, ChartView, DrawnChart
from poolwright.ui.plots.place import PlotMenu, Say, how_to_read

_PAN = 0.1  # of what is shown
_ROW_LEAST = 24  # pixels a row of a chart takes, so that it can be read


class ChartPlot(QWidget):
    """Draws a `Chart`. ``picked`` sends what the clicked mark is ``of``, ``hovered`` what is told at the pointer."""

    picked = Signal(object)
    hovered = Signal(str)

    def __init__(self, complain: Say, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.view = ChartView(self)
        self.view.scene().sigMouseMoved.connect(self._on_pointed)
        self.view.scene().sigMouseClicked.connect(self._on_clicked)
        self.chart: Chart | None = None
        self.drawn = DrawnChart(self.view)
        self._off: frozenset[str] = frozenset()
        self._timer = widgets.single_shot_timer(self, 0, self._draw)
        view, all_ = self.view, (_("Show all"), self.view.show_all)
        zooms = (all_, (_("Zoom in"), view.zoom_in), (_("Zoom out"), view.zoom_out))
        shown = self._shown
        self.menu = PlotMenu(view, complain, self, lambda: shown().csv(), lambda: chart_drawing(shown()), *zooms)
        widgets.column(self.view, of=self)
        Recoloured(self, self._draw)
        self.view.recolour(("", ""))

    def show_chart(self, chart: Chart) -> None:
        """Show this; what one has zoomed to stays in sight where it is the same chart with other values."""
        before, self.chart = self.chart, chart
        self.menu.stem = chart.stem
        self.setAccessibleName(chart.title)
        if before is None or (before.stem, before.x.words, before.rows) != (chart.stem, chart.x.words, chart.rows):
            self.view.show_all()
        rows = _ROW_LEAST * len(chart.rows) * len(chart.series) + 7 * GRID if chart.rows else 0
        self.view.setMinimumHeight(max(LEAST_HEIGHT, rows))
        self._draw()

    def set_off(self, names: Iterable[str]) -> None:
        self._off = frozenset(names)
        self._draw()

    def select(self, of: object) -> None:
        self.drawn.selected = of
        self.drawn.emphasise()

    def text_at(self, at: QPointF) -> str:
        """Return what there is to say at a point of the scene; empty where nothing is near."""
        found = [(self.drawn.series[number], mark) for number, mark in self.drawn.under(at)]
        limit = None if any(drawn.dotted for drawn, __ in found) else self.drawn.limit_under(at)
        if limit is not None and limit.told:
            return limit.told
        return " ".join(dict.fromkeys(drawn.series.marks[mark].told for drawn, mark in found))

    # Keys and pointer

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shifted = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.menu.copy()
        elif key in _ARROWS and shifted:
            across, up = _ARROWS[Qt.Key(key)]
            self.view.pan(across * _PAN, up * _PAN)
        elif key in _ARROWS:
            self._step(*_ARROWS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.view.zoom_in()
        elif key == Qt.Key.Key_Minus:
            self.view.zoom_out()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.view.show_all()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._pick(self.drawn.mark)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.view.box.setBorder(pg.mkPen(theme().colour(Tone.ACCENT), width=1.5))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.view.box.setBorder(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._timer.start()

    def _step(self, across: float, up: float) -> None:
        """Move the cursor to the next mark, or to the same place of the next series."""
        drawn = self.drawn
        there = [number for number, series in enumerate(drawn.series) if series.tells]
        if not there:
            return
        along, aside = (-up, -across) if drawn.chart.rows else (across, up)
        if drawn.cursor is None:
            drawn.cursor = (there[0], drawn.order(there[0])[0])
        elif aside:
            before, mark = drawn.cursor
            number = there[(there.index(before) - round(aside)) % len(there)]
            axis = 1 if drawn.chart.rows else 0
            off = np.abs(drawn.series[number].at[:, axis] - drawn.series[before].at[mark, axis])
            drawn.cursor = (number, int(np.argmin(off)))
        else:
            number, mark = drawn.cursor
            order = drawn.order(number)
            drawn.cursor = (number, order[min(len(order) - 1, max(0, order.index(mark) + round(along)))])
        drawn.emphasise()
        text = drawn.mark.told if drawn.mark is not None else ""
        self.setAccessibleDescription(text)
        self.hovered.emit(text)

    def _on_pointed(self, where: QPointF) -> None:
        inside = self.view.box.sceneBoundingRect().contains(where)
        text = self.text_at(where) if inside else ""
        self.drawn.cursor = next(iter(self.drawn.under(where)), None) if inside else None
        self.drawn.emphasise()
        self.view.setToolTip("" if text else how_to_read())
        self.hovered.emit(text)

    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        for number, mark in self.drawn.under(event.scenePos())[:1]:
            self._pick(self.drawn.series[number].series.marks[mark])

    def _pick(self, mark: ChartMark | None) -> None:
        if mark is not None and mark.of is not None:
            self.picked.emit(mark.of)

    def _draw(self) -> None:
        self._timer.stop()
        self.drawn.cursor = None
        if self.chart is not None:
            self.drawn.draw(self.chart, self._off)

    def _shown(self) -> Chart:
        assert self.chart is not None
        return self.chart.without(self._off)


_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
}
