"""When the pool is as full as it should get, and how it fills."""

from math import ceil

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB, binary
from poolwright.emit.chart import Chart, ChartLimit, ChartMark
from poolwright.emit.prediction_charts import band_chart
from poolwright.predict.assessment import Assessment, Stored, growth_of
from poolwright.predict.space import GROWTH_DOUBT, FillForecast
from poolwright.texts import tell
from poolwright.ui.design.growth.editor import datasets_words
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.estimate_line import OriginLine
from poolwright.ui.parts.form import stored_and_growth
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import month
from poolwright.ui.parts.theme import Tone
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.state.expectations import Expectations

_STEPS = 40
_LEAST_YEARS, _MOST_YEARS = 2, 30
_MILLISECONDS_BETWEEN_PLOTS = 30


class GrowthPane(QWidget):
    """``failed`` sends why a plot was not written."""

    failed = Signal(str)

    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self._shown: tuple[Assessment, Design, PoolCapacity] | None = None
        self.reached = OriginLine(tell("80 % is reached"), self)
        self._missing = ToneLabel(tell("Say how much is stored and how fast it grows."), Tone.MUTED, self)
        self.form = AssumptionForm(stored_and_growth(tell("Stored now"), tell("Growth (% a year)")), expectations, self)
        self.plot = ChartPlace(tell("Stored over the years; the band: a third faster and slower."), self)
        self.plot.failed.connect(self.failed)
        lay.column(self.reached, self._missing, self.form, (self.plot, 10), 1, of=self)
        self._plot_later = lay.later(self, _MILLISECONDS_BETWEEN_PLOTS, self._draw)

    def show_expected(self, expected: Assessment, design: Design, capacity: PoolCapacity | None) -> None:
        fill = expected.fill
        self._shown = None if capacity is None else (expected, design, capacity)
        self.reached.setVisible(fill is not None)
        self._missing.setVisible(fill is None)
        if fill is not None:
            origin = str(fill.years.origin) if fill.years is not None else ""
            level = tell("80 % are {size}.", size=binary(fill.level_bytes))
            self.reached.show_value(self._when(fill), f"{level} {origin}".rstrip())
        known = design.workload.growth_percent
        self.form.show_standing(
            {
                "used_bytes": self._standing(expected),
                "growth_percent": Standing(
                    value=tell("unknown") if known is None else str(known),
                    why=tell("Of what is there.") if known is None else tell("From the workload page."),
                ),
            }
        )
        self._plot_later.start()

    def _standing(self, expected: Assessment) -> Standing:
        """Return what stands for the amount while nothing is typed: what the datasets take, where they say it."""
        stored = expected.stored
        if stored is None or stored.space is None:
            why = tell("As zfs list shows it. Such as 20 TiB.")
            return Standing(value=tell("unknown"), why=why)
        return Standing(value=binary(stored.used_bytes), why=datasets_words(stored.space))

    def _when(self, fill: FillForecast) -> str:
        if fill.reached:
            return tell("already")
        if fill.typical is None:
            return tell("not within 200 years")
        latest = tell("later than 200 years") if fill.latest is None else month(fill.latest)
        return tell(
            "{typical} ({earliest} to {latest})",
            typical=month(fill.typical),
            earliest=month(fill.earliest or fill.typical),
            latest=latest,
        )

    def _draw(self) -> None:
        chart = None
        if self._shown is not None:
            expected, design, capacity = self._shown
            percent = growth_of(design, self._expectations.assumed)
            stored = expected.stored
            if expected.fill is not None and percent is not None and stored is not None:
                chart = self._chart(expected.fill, stored, percent, capacity.available_bytes)
        self.plot.show_chart(chart)

    def _chart(self, fill: FillForecast, stored: Stored, percent: float, available: int) -> Chart:
        span = fill.years.high if fill.years is not None else _MOST_YEARS
        last = min(_MOST_YEARS, max(_LEAST_YEARS, ceil(span * 1.1)))
        fixed, moving = stored.fixed_bytes, stored.used_bytes - stored.fixed_bytes

        def mark(years: float) -> ChartMark:
            low, typical, high = (
                min(fixed + moving * (1 + percent / 100 * factor) ** years, available) / TIB
                for factor in (1 - GROWTH_DOUBT, 1.0, 1 + GROWTH_DOUBT)
            )
            told = tell(
                "In {years:.1f} years: {typical:.1f} TiB ({low:.1f} to {high:.1f}).",
                years=years,
                typical=typical,
                low=low,
                high=high,
            )
            return ChartMark(x=years, y=typical, low=low, high=high, told=told)

        full = fill.years is not None and fill.years.typical <= last
        plan = tell("{percent} %: plan to grow the pool", percent=PLAN_FILL_PERCENT)
        return band_chart(
            "growth",
            tell("Stored over the years"),
            ((tell("Years from now"), ""), (tell("Stored"), "TiB")),
            [mark(last * n / _STEPS) for n in range(_STEPS + 1)],
            limits=(
                ChartLimit(name=plan, value=fill.level_bytes / TIB),
                ChartLimit(name=tell("full"), value=available / TIB),
            ),
            here=(fill.years.typical, fill.level_bytes / TIB) if full and fill.years is not None else None,
        )
