"""How long rebuild and scrub take, by how full the pool is and how busy."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from poolwright.predict.assessment import Assessment
from poolwright.predict.number_words import hours_text
from poolwright.predict.rebuild import MOST_LOAD_PERCENT
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import EstimateLine
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.expectations import Expectations


class RebuildPane(QWidget):
    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
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
        lay.column(sliders, grid, self._none, 1, of=self)

    def show_expected(self, expected: Assessment) -> None:
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

    def _on_moved(self) -> None:
        self._expectations.assume(fill_percent=self.fill.value(), load_percent=self.load.value())


def _percent(value: int) -> str:
    return f"{value} %"
