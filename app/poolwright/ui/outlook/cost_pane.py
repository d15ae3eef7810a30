"""What the disks cost over some years: purchase, power, replacements; every assumption dated and open to change."""

from PySide6.QtWidgets import QWidget

from poolwright.design.amounts import parse_number
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import ASSUMED_WATTS, DEFAULTS, Cost
from poolwright.predict.number_words import money_text, with_band
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.estimate_line import EstimateLine, OriginLine, priced, sentence
from poolwright.ui.parts.form import Field, Typed, short
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
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
        unpriced = tell("Give the price of a disk below.")
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
        self.per_tb.show_value(per_tb, tell("Purchase over usable space in decimal TB."))
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
            price = Standing(value=tell("unknown"), why=tell("No budget or drive table knows it."))
        kwh = DEFAULTS.kwh_price
        self.form.show_standing(
            {
                "price": price,
                "watts": Standing(value=tell("by its class"), why=f"{watts}. {dated}"),
                "kwh_price": Standing(
                    value=with_band(*(f"{price:.2f}" for price in (kwh.typical, kwh.low, kwh.high))),
                    why=tell("In EUR, USD, GBP or CHF. {dated}", dated=dated),
                ),
                "years": Standing(value=f"{DEFAULTS.years:g}", why=tell("How long the pool is to run.")),
                "cooling_factor": Standing(
                    value=f"{DEFAULTS.cooling_factor:g}",
                    why=tell("Power times this, for cooling and losses; 1 is none."),
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
