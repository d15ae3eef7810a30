"""What a candidate costs, as a JSON object and as a line; what depends on an unknown price stays unknown."""

from poolwright.cli.money_options import money_document, rates_document
from poolwright.cli.predictions import estimate_document
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate
from poolwright.design.request import Request
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate
from poolwright.predict.cost import DEFAULTS, Cost, DiskGroupCost, pool_cost
from poolwright.predict.disk_conditions import cost_groups
from poolwright.texts import tell

_UNNAMED = Identity(key="", name="")


def cost_of_candidate(candidate: Candidate, request: Request) -> Cost:
    """Return what the disks with a place in any of its pools cost, power and replacements over the default years."""
    budget = request.budget
    groups = cost_groups(
        _disks(candidate, request), request.drives, price_per_disk=budget.price_per_disk, price_on=budget.price_on
    )
    return pool_cost(groups, usable_bytes=candidate.usable_bytes, currency=budget.reckoned_in, rates=budget.rates)


def _disks(candidate: Candidate, request: Request) -> tuple[Disk, ...]:
    made = design_of(candidate, request, _UNNAMED)
    return tuple(made.disk(key) for key in sorted(made.used_keys()))


def cost_document(cost: Cost) -> dict[str, object]:
    """Return a cost as a JSON object, null where a price is unknown.

    What is paid for disks is exact, an object of amount (text) and currency. What is predicted over the years has a
    band of numbers; ``power_currency`` and ``currency`` say in what they are.
    """

    def told(estimate: Estimate | None) -> dict[str, object] | None:
        return None if estimate is None else estimate_document(estimate)

    return {
        "purchase": money_document(cost.purchase),
        "per_usable_tb": money_document(cost.per_usable_tb),
        "currency": None if cost.purchase is None else cost.purchase.currency,
        "prices": [_price_document(group) for group in cost.groups],
        "rates": rates_document(tuple(cost.rates)),
        "problem": cost.problem or None,
        "price_origin": None if cost.purchase_origin is None else str(cost.purchase_origin),
        "years": cost.years,
        "defaults_of": DEFAULTS.date,
        "energy_kwh": told(cost.energy_kwh),
        "power": told(cost.power),
        "power_currency": cost.power_currency,
        "replacement_disks": told(cost.replacements),
        "replacements": told(cost.replacement),
        "total": told(cost.total),
    }


def cost_line(cost: Cost) -> str:
    energy = f"{cost.energy_kwh.typical:,.0f} kWh"
    power = energy if cost.power is None else f"{_about(cost.power, cost.power_currency)} ({energy})"
    running = tell("power for {years} {power}", years=_years(cost.years), power=power)
    failed = tell("{count:.1f} disks to replace", count=cost.replacements.typical)
    if cost.purchase is None:
        why = cost.problem.removesuffix(".") if cost.problem else tell("price of a disk unknown")
        return tell("{why} (--price tells it); {running}, {failed}", why=why, running=running, failed=failed)
    bought = tell("{price} to buy", price=cost.purchase)
    if cost.per_usable_tb is not None:
        bought = tell("{bought} ({price} for a usable TB)", bought=bought, price=cost.per_usable_tb)
    if cost.replacement is not None:
        failed = tell("{failed} for {price}", failed=failed, price=_about(cost.replacement, cost.purchase.currency))
    told = [f"{bought}, {running}, {failed}"]
    told += [str(cost.purchase_origin)] if cost.purchase_origin is not None else []
    told += [str(rate) for rate in cost.rates]
    told += [cost.problem.removesuffix(".")] if cost.problem else []
    return "; ".join(told)


def _years(years: float) -> str:
    return tell("1 year") if years == 1 else tell("{years:g} years", years=years)


def _about(estimate: Estimate, currency: str | None) -> str:
    """Return a predicted amount, rounded as it is shown: the one place where money is a float."""
    return f"{estimate.typical:,.0f} {currency or ''}".rstrip()


def _price_document(group: DiskGroupCost) -> dict[str, object]:
    origin = group.price_origin
    return {
        "count": group.count,
        "model": group.model,
        "size_bytes": group.size_bytes,
        "price": money_document(group.price),
        "priced_on": None if origin is None else origin.when,
        "from": None if origin is None else origin.source,
        "at_hand": group.at_hand,
    }
