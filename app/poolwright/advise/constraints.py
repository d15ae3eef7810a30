"""Whether a layout keeps to the budget; each refusal says by how much it does not."""

from math import isfinite

from poolwright.advise.enumerate import Shape
from poolwright.domain.errors import UserError
from poolwright.domain.units import binary, counted
from poolwright.domain.workload import Budget


def affordable_disks(budget: Budget, disks: int) -> tuple[int, str | None]:
    """Return how many of ``disks`` bays and money admit, and what limits them.

    Raises UserError for money without a price: then nobody can tell.
    """
    limit, reason = disks, None
    if budget.bays is not None and budget.bays < limit:
        limit, reason = budget.bays, counted(budget.bays, "bay")
    if budget.money is not None:
        if budget.price_per_disk is None:
            raise UserError("Money was given, but no price of a disk", todo="Give the price of one disk (--price).")
        affordable = int(budget.money // budget.price_per_disk) if budget.price_per_disk > 0 else disks
        if affordable < limit:
            limit = affordable
            reason = f"{budget.money:g} buys {counted(affordable, 'disk')} at {budget.price_per_disk:g}"
    return limit, reason


def check_budget(budget: Budget) -> None:
    """Raise UserError for wishes that make no sense by themselves."""
    for name, value in (
        ("failures to survive", budget.survive),
        ("spares", budget.spares),
        ("bays", budget.bays),
        ("least usable capacity", budget.least_usable_bytes),
        ("money", budget.money),
        ("price of a disk", budget.price_per_disk),
        ("RAM", budget.ram_bytes),
    ):
        if value is not None and value < 0:
            raise UserError(f"The {name} cannot be negative", where=f"{value:g}")
        if value is not None and not isfinite(value):
            raise UserError(f"The {name} must be a number", where=f"{value:g}")


def budget_objections(budget: Budget, shape: Shape, usable_bytes: int, failures_survived: int) -> tuple[str, ...]:
    """Return why a layout does not keep to the budget; empty when it does."""
    reasons = []
    if budget.survive is not None and failures_survived < budget.survive:
        reasons.append(f"survives {counted(failures_survived, 'failure')}, {budget.survive} wanted")
    if budget.spares is not None and shape.spares < budget.spares:
        reasons.append(f"has {counted(shape.spares, 'spare')}, {budget.spares} wanted")
    if budget.least_usable_bytes is not None and usable_bytes < budget.least_usable_bytes:
        reasons.append(f"{binary(usable_bytes)} usable, {binary(budget.least_usable_bytes)} wanted")
    return tuple(reasons)
