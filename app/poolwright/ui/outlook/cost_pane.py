"""What the disks cost over some years: purchase, power, replacements; every assumption dated and open to change."""

from datetime import date
from math import ceil

from PySide6.QtCore import QDate, QLocale, QTimer, Signal
from PySide6.QtWidgets import QWidget

from poolwright.capacity.pool import PoolCapacity
from poolwright.design.amounts import parse_number
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.domain.units import PLAN_FILL_PERCENT, TIB, binary
from poolwright.emit.chart import Chart, ChartLimit, ChartMark
from poolwright.emit.risk_chart import band_chart
from poolwright.predict.assessment import Assessment, Stored, growth_of
from poolwright.predict.cost import ASSUMED_WATTS, DEFAULTS, Cost
from poolwright.predict.number_words import money_text, with_band
from poolwright.predict.space import GROWTH_DOUBT, FillForecast
from poolwright.texts import tell
from poolwright.ui.design.growth.editor import datasets_words
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.estimate_line import EstimateLine, OriginLine, priced, sentence
from poolwright.ui.parts.form import Field, Typed, short, stored_and_growth
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.state.expectations import Expectations
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.session import Session

_MOST_YEARS, _MOST_COOLING = 30.0, 5.0
_MEDIA = {Media.HDD: "HDD", Media.SSD: "SSD", Media.NVME: "NVMe"}


class CostPane(QWidget):
    def __init__(self, session: Session, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._expectations = expectations
        self._cost: Cost | None = None
        column = lay.column(of=self, gap=0)
        self._problem = ToneLabel("", Tone.MUTED, self, small=True)
        self._problem.setAccessibleName(tell("What keeps a sum unknown"))
        self.total = EstimateLine(tell("All together"), self._money, self)
        self.purchase = EstimateLine(tell("Purchase"), self._money, self)
        self.power = EstimateLine(tell("Power"), self._money_of_power, self)
        self.replacement = EstimateLine(tell("Replacements"), self._money, self)
        self.per_tb = OriginLine(tell("Purchase per usable TB"), self)
        self.failures = OriginLine(tell("Disks that will fail"), self)
        parts = (self._problem, self.purchase, self.power, self.replacement, self.total, self.per_tb, self.failures)
        for part in parts:
            column.addWidget(part)
        column.addWidget(SmallHeading(tell("What it assumes"), self))
        self.form = AssumptionForm(self._rows(), expectations, self)
        column.addSpacing(GRID)
        column.addWidget(self.form)
        column.addStretch(1)

    def show_expected(self, expected: Assessment, design: Design) -> None:
        cost = expected.cost
        self.setEnabled(cost is not None)
        if cost is None:
            return
        self._cost = cost
        unpriced = tell("Give the price of a disk below, and purchase and sum follow.")
        told = cost.problem if cost.purchase is not None or priced(cost) else f"{cost.problem} {unpriced}"
        self._problem.setText(told)
        self._problem.setVisible(bool(self._problem.text()))
        most = max((e.high for e in (cost.power, cost.total, self._purchase(cost)) if e is not None), default=1.0)
        over = tell("over 1 year") if cost.years == 1 else tell("over {years:g} years", years=cost.years)
        for line, estimate in (
            (self.purchase, self._purchase(cost)),
            (self.power, cost.power),
            (self.replacement, cost.replacement),
            (self.total, cost.total),
        ):
            line.bar.setVisible(estimate is not None)
            if estimate is None:
                line.show_value(tell("unknown"), cost.problem)
            else:
                line.show_estimate(estimate, most, "" if line is self.purchase else over, self._energy(cost, line))
        if cost.purchase is not None:
            self.purchase.show_value(
                money_words(cost.purchase), sentence(str(cost.purchase_origin)) if cost.purchase_origin else ""
            )
        per_tb = tell("unknown") if cost.per_usable_tb is None else money_words(cost.per_usable_tb)
        self.per_tb.show_value(per_tb, tell("The purchase over the usable space of the new pool in decimal TB."))
        failures = cost.replacements
        self.failures.show_value(
            tell(
                "{typical:.1f} ({low:.1f} to {high:.1f}) {over}",
                typical=failures.typical,
                low=failures.low,
                high=failures.high,
                over=over,
            ),
            str(failures.origin),
        )
        self._show_standing(design, cost)

    def _energy(self, cost: Cost, line: EstimateLine) -> str:
        if line is not self.power:
            return ""
        kwh = cost.energy_kwh
        return tell(
            "{typical:,.0f} kWh, between {low:,.0f} and {high:,.0f}", typical=kwh.typical, low=kwh.low, high=kwh.high
        )

    def _purchase(self, cost: Cost) -> Estimate | None:
        if cost.purchase is None:
            return None
        origin = cost.purchase_origin or Origin(kind=OriginKind.ASSUMED, source=tell("no disk is bought"))
        value = float(cost.purchase.amount)  # for the bar beside the others; the sum itself is shown exactly
        return Estimate(low=value, typical=value, high=value, limit=tell("price and number of disks"), origin=origin)

    def _money(self, amount: float) -> str:
        purchase = None if self._cost is None else self._cost.purchase
        return f"{money_text(amount)} {(purchase.currency if purchase is not None else None) or ''}".strip()

    def _money_of_power(self, amount: float) -> str:
        return f"{money_text(amount)} {(None if self._cost is None else self._cost.power_currency) or ''}".strip()

    def _rows(self) -> tuple[Field, ...]:
        return (
            Field("price", tell("Price of a disk"), Typed(self._price, money_typed)),
            Field("watts", tell("Watts of a disk"), Typed(_watts, short)),
            Field("kwh_price", tell("Price of a kWh"), Typed(self._kwh, money_typed)),
            Field("years", tell("Years"), Typed(_years, short)),
            Field("cooling_factor", tell("Cooling factor"), Typed(_cooling, short)),
        )

    def _price(self, text: str) -> Money:
        return parse_money(text, currency=self._session.currency, what="price", positive=True)

    def _kwh(self, text: str) -> Money:
        return parse_money(text, currency=self._session.currency, what=tell("price of a kWh"))

    def _show_standing(self, design: Design, cost: Cost) -> None:
        entered = self._expectations.assumed.cost_date
        dated = tell("Assumed, as of {date}.", date=DEFAULTS.date)
        if entered:
            dated = f"{dated} {tell('Last changed here: {date}.', date=entered)}"
        watts = "; ".join(
            tell(
                "{media} {typical:g} ({low:g} to {high:g})",
                media=_MEDIA[media],
                typical=band.typical,
                low=band.low,
                high=band.high,
            )
            for media, band in ASSUMED_WATTS.items()
        )
        budget = design.budget.price_per_disk
        if budget is not None:
            price = Standing(value=money_typed(budget), why=tell("From the budget page."))
        elif cost.purchase_origin is not None:
            price = Standing(value=tell("by model"), why=sentence(f"{prices_words(cost)}: {cost.purchase_origin}"))
        else:
            price = Standing(value=tell("unknown"), why=tell("Neither the budget nor the drive tables know it."))
        kwh = DEFAULTS.kwh_price
        self.form.show_standing(
            {
                "price": price,
                "watts": Standing(value=tell("by its class"), why=f"{watts}. {dated}"),
                "kwh_price": Standing(
                    value=with_band(*(f"{price:.2f}" for price in (kwh.typical, kwh.low, kwh.high))),
                    why=tell("In EUR, USD, GBP or CHF; another currency needs its price. {dated}", dated=dated),
                ),
                "years": Standing(value=f"{DEFAULTS.years:g}", why=tell("How long the pool is to run.")),
                "cooling_factor": Standing(
                    value=f"{DEFAULTS.cooling_factor:g}",
                    why=tell("Power of the disks times this, for cooling and losses; 1 counts the disks alone."),
                ),
            }
        )


def prices_words(cost: Cost) -> str:
    """Return the price of one disk of each model, in its own currency."""
    return ", ".join(dict.fromkeys(money_words(group.price) for group in cost.groups if group.price is not None))


def _watts(text: str) -> float:
    return parse_number(text.strip().removesuffix("W"), what=tell("number of watts"))


def _years(text: str) -> float:
    value = parse_number(text, what=tell("number of years"), positive=True)
    if value > _MOST_YEARS:
        raise UserError(tell("{value:g} years are too many", value=value), todo=tell("Write up to 30."))
    return value


def _cooling(text: str) -> float:
    value = parse_number(text, what="factor")
    if not 1 <= value <= _MOST_COOLING:
        raise UserError(
            tell("A cooling factor of {value:g} is not possible", value=value), todo=tell("Write 1 for none, up to 5.")
        )
    return value


# When the pool is as full as it should get.

_STEPS = 40
_LEAST_YEARS, _GROWTH_PANE_MOST_YEARS = 2, 30
_MILLISECONDS_BETWEEN_PLOTS = 30


class GrowthPane(QWidget):
    """``failed`` sends why a plot was not written."""

    failed = Signal(str)

    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self._shown: tuple[Assessment, Design, PoolCapacity] | None = None
        self.reached = OriginLine(tell("80 % is reached"), self)
        self._missing = ToneLabel(
            tell("Say how much is stored now and how fast it grows, and the date follows."), Tone.MUTED, self
        )
        self.form = AssumptionForm(stored_and_growth(tell("Stored now"), tell("Growth (% a year)")), expectations, self)
        self.plot = ChartPlace(tell("What is stored over the years, a third faster and slower as the band."), self)
        self.plot.failed.connect(self.failed)
        lay.column(self.reached, self._missing, self.form, (self.plot, 10), 1, of=self)
        self._plot_later = QTimer(self)
        self._plot_later.setSingleShot(True)
        self._plot_later.setInterval(_MILLISECONDS_BETWEEN_PLOTS)
        self._plot_later.timeout.connect(self._draw)

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
            why = tell("As zfs list shows it, or what you will copy. Such as 20 TiB.")
            return Standing(value=tell("unknown"), why=why)
        return Standing(value=binary(stored.used_bytes), why=datasets_words(stored.space))

    def _when(self, fill: FillForecast) -> str:
        if fill.reached:
            return tell("already")
        if fill.typical is None:
            return tell("not within 200 years")
        latest = tell("later than 200 years") if fill.latest is None else _month(fill.latest)
        return tell(
            "{typical} ({earliest} to {latest})",
            typical=_month(fill.typical),
            earliest=_month(fill.earliest or fill.typical),
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
        span = fill.years.high if fill.years is not None else _GROWTH_PANE_MOST_YEARS
        last = min(_GROWTH_PANE_MOST_YEARS, max(_LEAST_YEARS, ceil(span * 1.1)))
        fixed, moving = stored.fixed_bytes, stored.used_bytes - stored.fixed_bytes

        def mark(years: float) -> ChartMark:
            low, typical, high = (
                min(fixed + moving * (1 + percent / 100 * factor) ** years, available) / TIB
                for factor in (1 - GROWTH_DOUBT, 1.0, 1 + GROWTH_DOUBT)
            )
            told = tell(
                "In {years:.1f} years: {typical:.1f} TiB, between {low:.1f} and {high:.1f}.",
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
            tell("Plot of what is stored over the years"),
            ((tell("Years from now"), ""), (tell("Stored"), "TiB")),
            [mark(last * n / _STEPS) for n in range(_STEPS + 1)],
            limits=(
                ChartLimit(name=plan, value=fill.level_bytes / TIB),
                ChartLimit(name=tell("full"), value=available / TIB),
            ),
            here=(fill.years.typical, fill.level_bytes / TIB) if full and fill.years is not None else None,
        )


def _month(day: date) -> str:
    return QLocale().toString(QDate(day.year, day.month, day.day), "MMMM yyyy")
