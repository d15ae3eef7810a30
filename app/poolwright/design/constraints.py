"""Whether a layout keeps to the budget; each refusal says by how much it does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from poolwright.design.rank import odds
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.import_targets import import_target
from poolwright.domain.money import MixedCurrenciesError, Money, how_many, how_many_of
from poolwright.domain.units import binary, decimal
from poolwright.domain.workload import Budget
from poolwright.predict.of_pools import any_loss
from poolwright.predict.outlook import Forecast
from poolwright.texts import tell, tell_counted


def own_prices(budget: Budget, disks: Sequence[Disk], every: Sequence[Disk]) -> tuple[Money, ...] | None:
    """Return what each of ``disks`` that is still to be bought costs; those at hand cost nothing.

    None where no disk of ``every`` has a price of its own, or one to be bought has none: then one price is for all.
    """
    if all(disk.price is None for disk in every):
        return None
    prices = [budget.price_per_disk if d.price is None else d.price for d in disks if d.planned or d.price is not None]
    known = tuple(price for price in prices if price is not None)
    return known if len(known) == len(prices) else None


def disks_cost(budget: Budget, disks: Sequence[Disk], every: Sequence[Disk]) -> Money | None:
    """Return what is paid for ``disks`` of a layout; those at hand cost nothing beside others that have a price.

    None without a price, and where prices are of several currencies and a rate is missing.
    """
    prices = own_prices(budget, disks, every)
    if prices is None:
        if budget.price_per_disk is None or any(disk.price is not None for disk in disks):
            return None
        prices = (budget.price_per_disk * len(disks),)
    try:
        return budget.sum_of(prices)
    except MixedCurrenciesError:
        return None


def affordable_disks(budget: Budget, disks: int, prices: Sequence[Money] | None = None) -> tuple[int, str | None]:
    """Return how many of ``disks`` bays and money admit, and what limits them.

    ``prices`` are of those among them that have to be bought, the others are at hand; None gives each the budget's.
    Raises UserError for money without a price, and for prices in another currency without a rate: nobody can tell.
    """
    limit, reason = disks, None
    if budget.bays is not None and budget.bays < limit:
        limit, reason = budget.bays, tell_counted("{count} bay", "{count} bays", budget.bays)
    if budget.money is not None and prices is not None:
        bought = how_many_of(budget.money, prices, budget.rates)
        if bought < len(prices) and disks - len(prices) + bought < limit:
            limit = disks - len(prices) + bought
            reason = tell_counted(
                "{money} buys {bought} of the {count} disk to buy",
                "{money} buys {bought} of the {count} disks to buy",
                len(prices),
                money=budget.money,
                bought=bought,
            )
    elif budget.money is not None:
        if budget.price_per_disk is None:
            raise UserError(tell("Money was given, but no price of a disk"), todo=tell("Give the price of one disk."))
        affordable = how_many(budget.money, budget.price_per_disk, budget.rates)
        if affordable is not None and affordable < limit:
            limit = affordable
            reason = tell_counted(
                "{money} buys {count} disk at {price_per_disk}",
                "{money} buys {count} disks at {price_per_disk}",
                affordable,
                money=budget.money,
                price_per_disk=budget.price_per_disk,
            )
    return limit, reason


def check_budget(budget: Budget) -> None:
    """Raise UserError for wishes that make no sense by themselves."""
    for name, value in (
        (tell("failures to survive"), budget.survive),
        (tell("spares"), budget.spares),
        (tell("bays"), budget.bays),
        (tell("least usable capacity"), budget.least_usable_bytes),
        ("RAM", budget.ram_bytes),
        (tell("yearly risk of loss"), budget.most_yearly_loss),
        (tell("hours of a rebuild"), budget.most_rebuild_hours),
        (tell("least rate of reading"), budget.least_read_bytes_per_second),
        (tell("least rate of writing"), budget.least_write_bytes_per_second),
    ):
        if value is not None and value < 0:
            raise UserError(tell("The {name} cannot be negative", name=name), where=f"{value:g}")
        if value is not None and not isfinite(value):
            raise UserError(tell("The {name} must be a number", name=name), where=f"{value:g}")
    for name, amount in ((tell("money"), budget.money), (tell("price of a disk"), budget.price_per_disk)):
        if amount is not None and amount.amount < 0:
            raise UserError(tell("The {name} cannot be negative", name=name), where=str(amount))
    if budget.most_yearly_loss is not None and budget.most_yearly_loss > 1:
        raise UserError(
            tell("The yearly risk of loss is a share"), where=f"{budget.most_yearly_loss:g}", todo=tell("Give 0 to 1.")
        )
    if budget.import_on is not None:
        import_target(budget.import_on)


def hard_objections(budget: Budget, spares: int, failures_survived: int) -> tuple[str, ...]:
    """Return why a layout is none of those asked for: too few failures survived, too few spares."""
    reasons = []
    if budget.survive is not None and failures_survived < budget.survive:
        reasons.append(
            tell_counted(
                "survives {count} failure, {survive} wanted",
                "survives {count} failures, {survive} wanted",
                failures_survived,
                survive=budget.survive,
            )
        )
    if budget.spares is not None and spares < budget.spares:
        reasons.append(
            tell_counted(
                "has {count} spare, {spares} wanted",
                "has {count} spares, {spares} wanted",
                spares,
                spares=budget.spares,
            )
        )
    return tuple(reasons)


def budget_objections(budget: Budget, spares: int, usable_bytes: int, failures_survived: int) -> tuple[str, ...]:
    """Return why a layout does not keep to the budget, predictions aside; empty when it does."""
    missed = () if (short := missing_space(budget, usable_bytes)) is None else (short.text,)
    return (*hard_objections(budget, spares, failures_survived), *missed)


@dataclass(frozen=True, slots=True)
class BrokenWish:
    """A wish that a layout does not meet: what it has instead, and which ``share`` of the wish is missing, 0 to 1."""

    text: str
    share: float


def missing_space(budget: Budget, usable_bytes: int, *, held_bytes: float | None = None) -> BrokenWish | None:
    """Return by how much a layout has less space than is asked for; None where it has enough.

    ``held_bytes`` is the room for the workload's own blocks: where it is less than what `zfs list` calls usable, it
    is what the wish is compared with.
    """
    wanted = budget.least_usable_bytes
    room = usable_bytes if held_bytes is None else min(usable_bytes, int(held_bytes))
    if wanted is None or room >= wanted:
        return None
    told = (
        tell("{room} usable", room=binary(room))
        if room == usable_bytes
        else tell("room for {room} in blocks of this workload", room=binary(room))
    )
    return BrokenWish(tell("{told}, {wanted} wanted", told=told, wanted=binary(wanted)), 1 - room / wanted)


def wants_forecast(budget: Budget) -> bool:
    """Tell whether the budget asks for something that only a prediction can answer."""
    return any(
        wish is not None
        for wish in (
            budget.most_yearly_loss,
            budget.most_rebuild_hours,
            budget.least_read_bytes_per_second,
            budget.least_write_bytes_per_second,
        )
    )


def forecast_objections(budget: Budget, forecast: Forecast, pools: int = 1) -> tuple[str, ...]:
    """Return why ``pools`` pools, each with this forecast, do not keep to the budget; see `missing_forecast`."""
    return tuple(missed.text for missed in missing_forecast(budget, forecast, pools))


def missing_safety(budget: Budget, loss: float, floor: float) -> tuple[BrokenWish, ...]:
    """Return by how much a yearly probability of loss is above what is asked for; ``floor`` is that of any layout."""
    most = budget.most_yearly_loss
    if most is None or loss <= most:
        return ()
    told = tell("is lost with {loss}, {most} at most wanted", loss=odds(loss), most=odds(most))
    if most < floor:
        told = tell("{told}; no layout is safer than {floor}, only a backup is", told=told, floor=odds(floor))
    return (BrokenWish(told, 1 - most / loss),)


def missing_forecast(budget: Budget, forecast: Forecast, pools: int = 1) -> tuple[BrokenWish, ...]:
    """Return what ``pools`` pools, each with this forecast, miss of the budget: by the typical values.

    Rates of several pools add up, and one of them may be lost; none is made slower by the network.
    """
    found: list[BrokenWish] = []
    loss = any_loss([forecast.yearly_loss] * pools, forecast.floor)
    found += missing_safety(budget, loss, forecast.floor)
    longest, hours = budget.most_rebuild_hours, forecast.rebuild_hours
    if longest is not None and (hours is None or hours > longest):
        told = (
            tell("has nothing to rebuild from, {most:g} h at most wanted", most=longest)
            if hours is None
            else tell("takes about {hours:.1f} h to rebuild, {most:g} h at most wanted", hours=hours, most=longest)
        )
        share = 1.0 if hours is None else 1 - longest / hours
        found.append(BrokenWish(told, share))
    for verb, rate, least in (
        ("reads", pools * forecast.speed.seq_read, budget.least_read_bytes_per_second),
        ("writes", pools * forecast.speed.seq_write, budget.least_write_bytes_per_second),
    ):
        if least is not None and rate < least:
            text = tell(
                "{verb} about {rate}/s, {least}/s wanted", verb=verb, rate=decimal(int(rate)), least=decimal(least)
            )
            found.append(BrokenWish(text, 1 - rate / least))
    return tuple(found)
