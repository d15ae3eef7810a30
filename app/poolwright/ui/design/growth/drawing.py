"""What the plot of a growth plan shows, and the place where it is drawn once pyqtgraph is there."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from poolwright.advise.growth.plan import CASES, GrowthPlan
from poolwright.domain.cells import csv_text
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB
from poolwright.predict.growth import DAYS_PER_YEAR
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.parts import PlotParts

if TYPE_CHECKING:
    from poolwright.ui.design.growth.plot import GrowthPlot

_POINTS = 80
_LEAST_YEARS, _MOST_YEARS = 2.0, 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthDrawing:
    """Data over years from now with their band, and USED + AVAIL after each step. Sizes in TiB.

    ``rooms`` are (years, TiB) from when on there is how much room, ``marks`` (years, text) where steps are begun.
    ``names`` are those of the 80 % line and of the full line.
    """

    title: str
    x_title: str
    y_title: str
    xs: tuple[float, ...]
    low: tuple[float, ...]
    typical: tuple[float, ...]
    high: tuple[float, ...]
    rooms: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, str], ...]
    names: tuple[str, str]

    def room_at(self, x: float) -> float:
        """Return USED + AVAIL in TiB, ``x`` years from now."""
        return self.rooms[max(0, bisect_right([start for start, _ in self.rooms], x) - 1)][1]

    def stairs(self) -> tuple[list[float], list[float], list[float]]:
        """Return the corners of the full line and of the 80 % line: x, full, level."""
        xs: list[float] = []
        full: list[float] = []
        for number, (start, room) in enumerate(self.rooms):
            if number:
                xs.append(start)
                full.append(self.rooms[number - 1][1])
            xs.append(start)
            full.append(room)
        xs.append(max(self.xs[-1], xs[-1]))
        full.append(full[-1])
        return xs, full, [value * PLAN_FILL_PERCENT / 100 for value in full]

    def told_at(self, x: float) -> str:
        """Return the values at ``x`` in words; empty outside."""
        if not self.xs[0] <= x <= self.xs[-1]:
            return ""
        number = min(range(len(self.xs)), key=lambda n: abs(self.xs[n] - x))
        room = self.room_at(self.xs[number])
        return tell(
            "In {years:.1f} years: {used:.1f} TiB ({low:.1f} to {high:.1f}) of {room:.1f}, {percent:.0f} %.",
            years=self.xs[number],
            used=self.typical[number],
            low=self.low[number],
            high=self.high[number],
            room=room,
            percent=100 * self.typical[number] / room if room else 0,
        )

    def csv(self) -> str:
        """Return years, data and room as CSV."""
        lines = [["years", "used_low_tib", "used_tib", "used_high_tib", "room_tib"]]
        for x, low, typical, high in zip(self.xs, self.low, self.typical, self.high, strict=True):
            lines.append([f"{v:.9g}" for v in (x, low, typical, high, self.room_at(x))])
        return csv_text(lines)


def drawing_of(plan: GrowthPlan) -> GrowthDrawing | None:
    """Return the drawing of a plan; None where growth or the data of today are not known."""
    if plan.used_at(0.0) is None:
        return None
    today = plan.question.today
    dates = [stage.full_on for stage in plan.stages if stage.full_on is not None]
    last = max(((day - today).days / DAYS_PER_YEAR for day in dates), default=_LEAST_YEARS)
    end = min(_MOST_YEARS, max(_LEAST_YEARS, last * 1.1))
    xs = tuple(end * n / _POINTS for n in range(_POINTS + 1))
    low, typical, high = (tuple((plan.used_at(x, case) or 0.0) / TIB for x in xs) for case in CASES)
    done = [stage for stage in plan.stages if stage.ends is not None]
    rooms = tuple(
        ((stage.ends - today).days / DAYS_PER_YEAR, stage.capacity.available_bytes / TIB)
        for stage in done
        if stage.ends is not None
    )
    begun = [(n, stage.begins) for n, stage in enumerate(plan.stages) if n and stage.begins is not None]
    return GrowthDrawing(
        title=tell("Plot of the data against the room that the steps make"),
        x_title=tell("Years from now"),
        y_title=tell("TiB of zfs list"),
        xs=xs,
        low=low,
        typical=typical,
        high=high,
        rooms=rooms,
        marks=tuple(((day - today).days / DAYS_PER_YEAR, str(number)) for number, day in begun),
        names=(tell("{percent} %", percent=PLAN_FILL_PERCENT), tell("full")),
    )


class GrowthPlotPane(QWidget):
    """Makes the plot when it is first in sight; keeps what it was told until then. ``failed`` as the plot's."""

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: GrowthPlot | None = None
        self._drawing: GrowthDrawing | None = None
        self._hint = ToneLabel("", Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(tell("Value under the pointer"))
        self._save = QToolButton(self)
        icons.give(self._save, "export")
        self._save.setAccessibleName(tell("Copy or save the plot of the growth plan"))
        self._save.setToolTip(self._save.accessibleName())
        self._save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._save.setEnabled(False)
        head = lay.row((self._hint, 1), (self._save, 0, Qt.AlignmentFlag.AlignTop))
        self._waiting = ToneLabel("", Tone.MUTED, self)
        self._column = lay.column(head, (self._waiting, 1, Qt.AlignmentFlag.AlignCenter), of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)
        self.setMinimumHeight(15 * GRID)
        self._show_hint("")
        self.show_drawing(None)

    @property
    def drawing(self) -> GrowthDrawing | None:
        """Return what is shown, or will be."""
        return self._drawing

    def show_drawing(self, drawing: GrowthDrawing | None) -> None:
        """Show this; None says what is missing."""
        self._drawing = drawing
        missing = tell("Say how much is stored at the beginning and how fast it grows, and the curve is drawn here.")
        self._waiting.setText(missing if drawing is None else tell("The plot is being prepared."))
        self._waiting.setVisible(drawing is None or self.plot is None)
        if self.plot is not None:
            self.plot.setVisible(drawing is not None)
            if drawing is not None:
                self.plot.show_drawing(drawing)
        elif drawing is not None and self.isVisible():
            self._parts.start()

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 26 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the pane came into sight."""
        super().showEvent(event)
        if self.plot is None and self._drawing is not None:
            self._parts.start()

    def _make(self) -> None:
        from poolwright.ui.design.growth.plot import GrowthPlot  # noqa: PLC0415

        if self.plot is not None or self._drawing is None:
            return
        self.plot = GrowthPlot(self)
        self.plot.failed.connect(self.failed)
        self.plot.hovered.connect(self._show_hint)
        self._waiting.hide()
        self._column.addWidget(self.plot, 1)
        self._save.setMenu(self.plot.menu())
        self._save.setEnabled(True)
        self.plot.show_drawing(self._drawing)

    def _show_hint(self, text: str) -> None:
        self._hint.setText(text or tell("USED, a third faster and slower as the band; 80 % and full after each step."))
