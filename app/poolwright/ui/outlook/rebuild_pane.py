"""How long rebuild and scrub take, by how full the pool is and how busy."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.chart import ChartLimit, ChartMark
from poolwright.emit.prediction_charts import band_chart
from poolwright.predict.assessment import Assessment
from poolwright.predict.number_words import hours_text
from poolwright.predict.rebuild import MOST_LOAD_PERCENT, RebuildConditions, md_rebuild_hours, rebuild_hours
from poolwright.predict.reliability import VdevRisk
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import EstimateLine
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.state.expectations import Expectations

_FILLS = tuple(range(0, 101, 5))
_MILLISECONDS_BETWEEN_PLOTS = 30


class RebuildPane(QWidget):
    """``failed`` sends why a plot was not written."""

    failed = Signal(str)

    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self._expected: Assessment | None = None
        sliders = lay.row(gap=3 * GRID)
        self.fill = ValueSlider(tell("The pool is full to"), tuple(range(101)), _percent, self)
        self.load = ValueSlider(
            tell("Users take of the disks’ time"), tuple(range(MOST_LOAD_PERCENT + 1)), _percent, self
        )
        for slider in (self.fill, self.load):
            slider.slider.setPageStep(10)
            slider.changed.connect(self._on_moved)
            sliders.addWidget(slider, 1)
        grid = lay.grid(gap=(2 * GRID, GRID))
        self.rebuild = EstimateLine(tell("Rebuild of one disk"), hours_text, self, told=True)
        self.scrub = EstimateLine(tell("Scrub of the pool"), hours_text, self, told=True)
        for number, line in enumerate((self.rebuild, self.scrub)):
            grid.addWidget(line, 0, number, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(number, 1)
        self._none = ToneLabel(tell("No redundancy: nothing can be rebuilt."), Tone.WARN, self, small=True)
        self.plot = ChartPlace(tell("Rebuild time against fill; the slider’s place is ringed."), self)
        self.plot.failed.connect(self.failed)
        column = lay.column(sliders, grid, self._none, (self.plot, 10), of=self)
        column.addStretch(1)  # keeps the rest together where there is nothing to draw
        self._plot_later = lay.later(self, _MILLISECONDS_BETWEEN_PLOTS, self._draw)

    def show_expected(self, expected: Assessment) -> None:
        self._expected = expected
        assumed = self._expectations.assumed
        for slider, value in ((self.fill, assumed.fill_percent), (self.load, assumed.load_percent)):
            slider.blockSignals(True)
            slider.set_value(value)
            slider.blockSignals(False)
        rebuild, scrub = expected.rebuild, expected.scrub
        most = max(scrub.high, rebuild.high if rebuild else 0.0)
        self.rebuild.setVisible(rebuild is not None)
        self._none.setVisible(rebuild is None)
        if rebuild is not None:
            wait = expected.conditions.wait_hours
            more = tell("waiting for a disk, {hours:g} h without a spare, comes on top", hours=wait)
            self.rebuild.show_estimate(rebuild, most, more)
        self.scrub.show_estimate(scrub, most)
        if self.plot.chart is None:
            self._draw()
        else:
            self._plot_later.start()

    def _draw(self) -> None:
        expected = self._expected
        slowest = None if expected is None else _slowest(expected)
        if expected is None or slowest is None:
            self.plot.show_chart(None)
            return
        how = slowest.conditions.rebuild_of(slowest.spec)
        curve = [(fill, _at(slowest, replace(how, fill_percent=float(fill)))) for fill in _FILLS]
        limits: tuple[ChartLimit, ...] = ()
        if slowest.spec.kind is VdevKind.RAIDZ and slowest.spec.vdev_class is VdevClass.DATA:
            md = md_rebuild_hours(min(slowest.spec.sizes), how).typical
            name = tell("RAID 6 of the same disks, full or empty: {time}", time=hours_text(md))
            limits = (ChartLimit(name=name, value=md),)
        self.plot.show_chart(
            band_chart(
                "rebuild",
                tell("Rebuild time against how full the pool is"),
                ((tell("Used"), "%"), (tell("Rebuild"), "h")),
                [ChartMark(x=fill, y=e.typical, low=e.low, high=e.high, told=self._told(fill, e)) for fill, e in curve],
                limits=limits,
                here=(how.fill_percent, _at(slowest, how).typical),
            )
        )

    def _told(self, fill: int, estimate: Estimate) -> str:
        return tell(
            "{fill} % full: {typical} ({low} to {high}).",
            fill=fill,
            typical=hours_text(estimate.typical),
            low=hours_text(estimate.low),
            high=hours_text(estimate.high),
        )

    def _on_moved(self) -> None:
        self._expectations.assume(fill_percent=self.fill.value(), load_percent=self.load.value())


def _slowest(expected: Assessment) -> VdevRisk | None:
    rebuilt = [(vdev, vdev.rebuild.typical) for vdev, _ in expected.risk.vdevs if vdev.rebuild is not None]
    return max(rebuilt, key=lambda pair: pair[1])[0] if rebuilt else None


def _at(vdev: VdevRisk, how: RebuildConditions) -> Estimate:
    found = rebuild_hours(vdev.spec, how, onto_spare=vdev.spec.draid_spares > 0)
    assert found is not None
    return found


def _percent(value: int) -> str:
    return f"{value} %"
