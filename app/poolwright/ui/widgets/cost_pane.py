"""What the disks cost over some years: purchase, power, replacements; every assumption dated and open to change."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from poolwright.advise.amounts import parse_money
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.predict.cost import ASSUMED_WATTS, DEFAULTS, Cost
from poolwright.predict.expected import Expected
from poolwright.predict.number_words import money_text
from poolwright.ui.expectations import Expectations
from poolwright.ui.models.expected_words import sentence
from poolwright.ui.session import Session
from poolwright.ui.theme import GRID, Tone
from poolwright.ui.widgets.assumption_form import Assumption, AssumptionForm, Standing
from poolwright.ui.widgets.estimate_line import EstimateLine
from poolwright.ui.widgets.labels import SmallHeading, ToneLabel
from poolwright.ui.widgets.origin_line import OriginLine

_MOST_YEARS, _MOST_COOLING = 30.0, 5.0
_MEDIA = {Media.HDD: "HDD", Media.SSD: "SSD", Media.NVME: "NVMe"}


class CostPane(QWidget):
    """Shows a `Cost`."""

    def __init__(self, session: Session, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._expectations = expectations
        self._in_dollars = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._unpriced = ToneLabel(
            self.tr("No price is known. Give the price of a disk below, and purchase and sum follow."),
            Tone.MUTED,
            self,
            small=True,
        )
        self.total = EstimateLine(self.tr("All together"), self._money, self)
        self.purchase = EstimateLine(self.tr("Purchase"), self._money, self)
        self.power = EstimateLine(self.tr("Power"), self._money, self)
        self.replacement = EstimateLine(self.tr("Replacements"), self._money, self)
        self.per_tb = OriginLine(self.tr("Purchase per usable TB"), self)
        self.failures = OriginLine(self.tr("Disks that will fail"), self)
        parts = (self._unpriced, self.purchase, self.power, self.replacement, self.total, self.per_tb, self.failures)
        for part in parts:
            column.addWidget(part)
        column.addWidget(SmallHeading(self.tr("What it assumes"), self))
        self.form = AssumptionForm(self._rows(), expectations, self)
        column.addSpacing(GRID)
        column.addWidget(self.form)
        column.addStretch(1)

    def show_expected(self, expected: Expected, design: Design) -> None:
        """Show this cost."""
        cost = expected.cost
        self.setEnabled(cost is not None)
        if cost is None:
            return
        self._unpriced.setVisible(cost.purchase is None)
        # The tables' street prices are in dollars; what a person enters is in the currency of the budget page.
        self._in_dollars = cost.purchase_origin is not None and cost.purchase_origin.kind is OriginKind.MEASURED
        most = max(e.high for e in (cost.power, cost.total or cost.power))
        over = self.tr("over {years:g} years").format(years=cost.years)
        for line, estimate in (
            (self.purchase, self._purchase(cost)),
            (self.power, cost.power),
            (self.replacement, cost.replacement),
            (self.total, cost.total),
        ):
            line.bar.setVisible(estimate is not None)
            if estimate is None:
                line.show_value(self.tr("unknown"), self.tr("No price of a disk is known. Give one below."))
            else:
                line.show_estimate(estimate, most, "" if line is self.purchase else over, self._energy(cost, line))
        per_tb = self.tr("unknown") if cost.per_usable_tb is None else self._money(cost.per_usable_tb)
        self.per_tb.show_value(per_tb, self.tr("The purchase over the usable space of the new pool in decimal TB."))
        failures = cost.replacements
        self.failures.show_value(
            self.tr("{typical:.1f} ({low:.1f} to {high:.1f}) {over}").format(
                typical=failures.typical, low=failures.low, high=failures.high, over=over
            ),
            str(failures.origin),
        )
        self._show_standing(design, cost)

    def _energy(self, cost: Cost, line: EstimateLine) -> str:
        if line is not self.power:
            return ""
        kwh = cost.energy_kwh
        return self.tr("{typical:,.0f} kWh, between {low:,.0f} and {high:,.0f}").format(
            typical=kwh.typical, low=kwh.low, high=kwh.high
        )

    def _purchase(self, cost: Cost) -> Estimate | None:
        if cost.purchase is None:
            return None
        origin = cost.purchase_origin or Origin(kind=OriginKind.ASSUMED, source=self.tr("no disk is bought"))
        value = cost.purchase
        return Estimate(low=value, typical=value, high=value, limit=self.tr("price and number of disks"), origin=origin)

    def _money(self, amount: float) -> str:
        currency = "USD" if self._in_dollars else self._session.currency
        return f"{money_text(amount)} {currency}".strip()

    def _rows(self) -> tuple[Assumption, ...]:
        return (
            Assumption(field="price", name=self.tr("Price of a disk"), parse=_price, shown=_short),
            Assumption(field="watts", name=self.tr("Watts of a disk"), parse=_watts, shown=_short),
            Assumption(field="kwh_price", name=self.tr("Price of a kWh"), parse=_kwh, shown=_short),
            Assumption(field="years", name=self.tr("Years"), parse=_years, shown=_short),
            Assumption(field="cooling_factor", name=self.tr("Cooling factor"), parse=_cooling, shown=_short),
        )

    def _show_standing(self, design: Design, cost: Cost) -> None:
        entered = self._expectations.assumed.cost_date
        dated = self.tr("Assumed, as of {date}.").format(date=DEFAULTS.date)
        changed = self.tr(" Last changed here: {date}.").format(date=entered) if entered else ""
        watts = "; ".join(
            self.tr("{media} {typical:g} ({low:g} to {high:g})").format(
                media=_MEDIA[media], typical=band.typical, low=band.low, high=band.high
            )
            for media, band in ASSUMED_WATTS.items()
        )
        budget = design.budget.price_per_disk
        if budget is not None:
            price = Standing(value=_short(budget), why=self.tr("From the budget page."))
        elif self._in_dollars:
            price = Standing(value=self.tr("by model"), why=sentence(str(cost.purchase_origin)))
        else:
            price = Standing(value=self.tr("unknown"), why=self.tr("Neither the budget nor the drive tables know it."))
        kwh = DEFAULTS.kwh_price
        self.form.show_standing(
            {
                "price": price,
                "watts": Standing(value=self.tr("by its class"), why=f"{watts}. {dated}{changed}"),
                "kwh_price": Standing(
                    value=f"{kwh.typical:.2f} ({kwh.low:.2f} to {kwh.high:.2f})",
                    why=self.tr("In the currency of the disks. {dated}").format(dated=dated),
                ),
                "years": Standing(value=f"{DEFAULTS.years:g}", why=self.tr("How long the pool is to run.")),
                "cooling_factor": Standing(
                    value=f"{DEFAULTS.cooling_factor:g}",
                    why=self.tr("Power of the disks times this, for cooling and losses; 1 counts the disks alone."),
                ),
            }
        )


def _price(text: str) -> float:
    return parse_money(text, what="price", positive=True)


def _watts(text: str) -> float:
    return parse_money(text.strip().removesuffix("W"), what="number of watts")


def _kwh(text: str) -> float:
    return parse_money(text, what="price")


def _years(text: str) -> float:
    value = parse_money(text, what="number of years", positive=True)
    if value > _MOST_YEARS:
        raise UserError(f"{value:g} years are too many", todo="Write up to 30.")
    return value


def _cooling(text: str) -> float:
    value = parse_money(text, what="factor")
    if not 1 <= value <= _MOST_COOLING:
        raise UserError(f"A cooling factor of {value:g} is not possible", todo="Write 1 for none, up to 5.")
    return value


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | int) else ""
