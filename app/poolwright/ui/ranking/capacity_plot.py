"""Usable capacity against failures survived or a prediction: layouts as dots, the best as a line, one marked."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from poolwright.advise.candidate import Candidate
from poolwright.advise.rank import survives
from poolwright.domain.cells import csv_text
from poolwright.domain.units import TIB, binary
from poolwright.predict.number_words import rate_text
from poolwright.predict.risk_words import loss_words
from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.against import Against, axes, span, ticks
from poolwright.ui.plots.frame import PlotFrame
from poolwright.ui.plots.swarm import pareto, swarm

_DOT, _MARK = 5, 13
_NEAR = 0.3  # of the axis
_ROOM_ABOVE = 1.15  # the label of the highest dot needs some


class CapacityPlot(PlotFrame):
    """Shows candidates. ``picked`` sends the candidate whose dot was clicked.

    The table beside it says the same to those who do not see the plot or use no pointer.
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._axes = axes()
        self._against = Against.SURVIVED
        self.setAccessibleDescription(tell("The table of layouts holds the same values."))
        self._candidates: tuple[Candidate, ...] = ()
        self._first: Candidate | None = None
        self._selected: Candidate | None = None
        self._xs: tuple[float, ...] = ()
        self._values: tuple[float, ...] = ()
        self._ys: tuple[float, ...] = ()
        self._places: dict[int, int] = {}
        self._make_parts()
        self.recolour()

    def show_candidates(self, candidates: Sequence[Candidate], first: Candidate | None) -> None:
        """Show these layouts; ``first`` is the first choice."""
        self._candidates, self._first = tuple(candidates), first
        self._values = tuple(self._axes[self._against].value(c) for c in self._candidates)
        self._ys = tuple(c.usable_bytes / TIB for c in self._candidates)
        alike = self._against is Against.SURVIVED
        self._xs = swarm([round(value) for value in self._values], self._ys) if alike else self._values
        self._places = {id(c): number for number, c in enumerate(self._candidates)}
        front = pareto(self._values, self._ys)
        self._dots.setData(x=list(self._xs), y=list(self._ys), data=list(range(len(self._xs))))
        self._front.setData(x=[self._xs[i] for i in front], y=[self._ys[i] for i in front])
        self._place_front_name(front)
        marks = ticks(self._against, self._values)
        self.item.getAxis("bottom").setTicks(None if marks is None else [marks])
        self.view.setXRange(*span(self._against, self._values), padding=0)
        self.view.setYRange(0, max(self._ys, default=1.0) * _ROOM_ABOVE, padding=0)
        self._mark()

    def show_against(self, against: Against) -> None:
        """Plot capacity against this."""
        self._against = against
        self.show_candidates(self._candidates, self._first)
        self.recolour()

    def select(self, candidate: Candidate | None) -> None:
        """Emphasise this layout."""
        self._selected = candidate
        self._mark()

    @property
    def selected(self) -> Candidate | None:
        """Return the emphasised layout."""
        return self._selected

    def csv(self) -> str:
        """Return the plotted values as CSV."""
        axis = self._axes[self._against]
        rows = ((f"{axis.value(c):g}", f"{c.usable_bytes / TIB:.6f}", c.words) for c in self._candidates)
        return csv_text([(axis.heading, "usable_tib", "layout"), *rows])

    def file_stem(self) -> str:
        """Return the name suggested for a file."""
        return "layouts"

    def position_of(self, candidate: Candidate) -> QPointF:
        """Return where the dot of this layout stands, in coordinates of the plot's viewport."""
        number = self._places[id(candidate)]
        scene = self.item.vb.mapViewToScene(QPointF(self._xs[number], self._ys[number]))
        return QPointF(self.view.mapFromScene(scene))

    def _make_parts(self) -> None:
        self.item.getAxis("left").setWidth(7 * GRID)
        self._front = pg.PlotDataItem(antialias=True)
        self._dots = pg.ScatterPlotItem(size=_DOT, pxMode=True, hoverable=True, hoverSize=_DOT + 4, tip=None)
        self._marks = pg.ScatterPlotItem(size=_MARK, pxMode=True)
        self._front_name = pg.TextItem(anchor=(0, 1))
        self._first_name = pg.TextItem(anchor=(0.5, 1.3))
        self._selected_name = pg.TextItem(anchor=(0.5, 1.3))
        parts = (self._dots, self._front, self._marks, self._front_name, self._first_name, self._selected_name)
        for part in parts:
            self.item.addItem(part)
        for name in (self._front_name, self._first_name, self._selected_name):
            name.setFont(text_font(SMALL_POINTS))
        self._dots.sigClicked.connect(self._on_clicked)

    def _on_clicked(self, _item: Any, points: Sequence[Any], _event: Any) -> None:
        if len(points):
            self.picked.emit(self._candidates[int(points[0].data())])

    def told(self, at: QPointF) -> str:
        """Return what there is to say of the dot under the pointer."""
        points = self._dots.pointsAt(self.item.vb.mapSceneToView(at))
        return self.words_of(self._candidates[int(points[0].data())]) if len(points) else ""

    def words_of(self, candidate: Candidate) -> str:
        """Return what there is to say of the dot of this layout."""
        capacity = candidate.capacity
        return tell(
            "{layout}: {usable} usable, {survival}, loss a year {risk}, reads {read}, {score:.1f} points. "
            "Computed with the arithmetic of OpenZFS {version} at ashift {ashift}.",
            layout=candidate.words,
            usable=binary(candidate.usable_bytes),
            version=capacity.version,
            ashift=capacity.ashift,
            survival=survives(candidate.failures_survived),
            risk=loss_words(candidate.yearly_loss, candidate.disk_loss),
            read=rate_text(candidate.measures.forecast.speed.seq_read),
            score=candidate.score,
        )

    def _mark(self) -> None:
        colours = theme()
        spots = []
        # The first choice is a ring, the selected one is filled: told apart without their colour.
        for candidate, label, name, filled in (
            (self._first, self._first_name, tell("First choice"), False),
            (self._selected, self._selected_name, tell("Selected"), True),
        ):
            number = self._places.get(id(candidate)) if candidate is not None else None
            label.setVisible(number is not None and not (filled and candidate is self._first))
            if number is None:
                continue
            at = (self._xs[number], self._ys[number])
            brush = pg.mkBrush(colours.colour(Tone.ACCENT) if filled else QColor(0, 0, 0, 0))
            spots.append({"pos": at, "brush": brush, "pen": pg.mkPen(colours.colour(Tone.ACCENT), width=2)})
            label.setText(name, color=colours.colour(Tone.TEXT))
            label.setPos(*at)
        self._marks.setData(spots)

    def _place_front_name(self, front: tuple[int, ...]) -> None:
        self._front_name.setVisible(bool(front))
        if front:
            at = self._xs[front[0]]
            first, last = span(self._against, self._values)
            # Reaching away from the nearer side, so that it is not cut.
            share = (at - first) / (last - first)
            self._front_name.setAnchor((0 if share < _NEAR else 1 if share > 1 - _NEAR else 0.5, 1))
            self._front_name.setPos(at, self._ys[front[0]])

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        colours = theme()
        axis = self._axes[self._against]
        self.set_axis_title("left", tell("Usable capacity (TiB)"))
        self.set_axis_title("bottom", axis.title)
        self.setAccessibleName(tell("Plot of usable capacity against {what}", what=axis.name.lower()))
        grey = QColor(colours.colour(Tone.MUTED))
        grey.setAlpha(130)
        self._dots.setBrush(pg.mkBrush(grey))
        self._dots.setPen(pg.mkPen(None))
        self._front.setPen(pg.mkPen(colours.colour(Tone.NOTE), width=1.5, style=Qt.PenStyle.SolidLine))
        self._front_name.setText(tell("Pareto front: no layout has more of both"), color=colours.colour(Tone.NOTE))
        ground = colours.colour("base")
        ground.setAlpha(215)
        for name in (self._first_name, self._selected_name):
            name.setColor(colours.colour(Tone.TEXT))
            name.fill = pg.mkBrush(ground)
        self._mark()
