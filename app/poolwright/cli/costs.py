"""What a candidate costs, as a JSON object and as a line; what depends on an unknown price stays unknown."""

from poolwright.advise.assign import Identity, design_of
from poolwright.advise.candidate import Candidate
from poolwright.advise.request import Request
from poolwright.cli.predictions import estimate_document, rounded
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate
from poolwright.predict.cost import DEFAULTS, Cost, pool_cost
from poolwright.predict.disk_conditions import cost_groups

_UNNAMED = Identity(key="", name="")


def cost_of_candidate(candidate: Candidate, request: Request) -> Cost:
    """Return what the disks with a place in any of its pools cost, power and replacements over the default years."""
    groups = cost_groups(_disks(candidate, request), request.drives, price_per_disk=request.budget.price_per_disk)
    return pool_cost(groups, usable_bytes=candidate.usable_bytes)


def _disks(candidate: Candidate, request: Request) -> tuple[Disk, ...]:
    if candidate.copies > 1:
        # Of equal pools a design holds the first; their disks are alike and taken in this order.
        return candidate.disks[: candidate.used]
    made = design_of(candidate, request, _UNNAMED)
    return tuple(made.disk(key) for key in sorted(made.used_keys()))


def cost_document(cost: Cost) -> dict[str, object]:
    """Return a cost as a JSON object: money in the currency of the prices, null where a price is unknown."""

    def told(estimate: Estimate | None) -> dict[str, object] | None:
        return None if estimate is None else estimate_document(estimate)

    return {
        "purchase": None if cost.purchase is None else rounded(cost.purchase),
        "per_usable_tb": None if cost.per_usable_tb is None else rounded(cost.per_usable_tb),
        "price_origin": None if cost.purchase_origin is None else str(cost.purchase_origin),
        "years": cost.years,
        "defaults_of": DEFAULTS.date,
        "energy_kwh": told(cost.energy_kwh),
        "power": told(cost.power),
        "replacement_disks": told(cost.replacements),
        "replacements": told(cost.replacement),
        "total": told(cost.total),
    }


def cost_line(cost: Cost) -> str:
    """Return a cost in one line."""
    years, failed = f"{cost.years:g} years", cost.replacements.typical
    running = f"power for {years} {cost.power.typical:,.0f} ({cost.energy_kwh.typical:,.0f} kWh)"
    if cost.purchase is None:
        return f"price of a disk unknown (--price tells it); {running}, {failed:.1f} disks to replace"
    per_tb = "" if cost.per_usable_tb is None else f" ({cost.per_usable_tb:,.2f} for a usable TB)"
    money = "" if cost.replacement is None else f" for {cost.replacement.typical:,.0f}"
    line = f"{cost.purchase:,.0f} to buy{per_tb}, {running}, {failed:.1f} disks to replace{money}"
    return line if cost.purchase_origin is None else f"{line}; {cost.purchase_origin}"
