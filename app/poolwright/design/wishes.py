"""What a budget means for the ticked disks before any layout is looked at, and which wishes cannot be met at all.

Only upper bounds that hold for every layout are used: a wish refused here is impossible, one that passes may still be.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from poolwright.design.floors import allowed_words
from poolwright.design.rank import odds
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.money import MixedCurrenciesError, Money, how_many, how_many_of
from poolwright.domain.pool_settings import import_target
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, decimal, out_of_range
from poolwright.domain.workload import Budget
from poolwright.predict.assessment import Forecast
from poolwright.predict.drives import ASSUMED_FLOOR
from poolwright.predict.number_words import hours_text, odds_text
from poolwright.texts import N_, _, ngettext, numeral, sentence


def most_usable_bytes(sizes: Sequence[int], *, disks: int, spares: int, survive: int) -> int:
    """Return a bound on the usable bytes of any pool of ``disks`` of these disks.

    The largest disks are taken and the smallest of them kept as spares; a pool that survives any ``survive`` failures
    survives that of the largest ones, so that all its data fit on the others.
    """
    taken = sorted(sizes, reverse=True)[: max(0, disks)]
    active = taken[: max(0, len(taken) - spares)]
    return sum(active[survive:])


def impossible_wishes(budget: Budget, sizes: Sequence[int]) -> Iterator[str]:
    """Return why no layout of ticked disks of these sizes in bytes can meet a budget; nothing without disks."""
    if not sizes:
        return
    try:
        disks, why = affordable_disks(budget, len(sizes))
    except UserError:  # money limits nothing without a price, or in another currency than the prices
        disks, why = affordable_disks(replace(budget, money=None), len(sizes))
    spares, survive, wanted = budget.spares or 0, budget.survive or 0, budget.wanted_bytes
    most = most_usable_bytes(sizes, disks=disks, spares=spares, survive=survive)
    if disks == 0:
        yield sentence(f"{_('No disk can be used')}: {why}")
    elif disks < spares + survive + 1:
        least = spares + survive + 1
        yield _("These wishes need at least {least} disks; there are {disks}.", least=least, disks=disks)
    elif wanted is not None and wanted > most:
        room = f"{binary(most)} ({decimal(most)})"
        yield _("{wanted} usable is not possible: at most {room}.", wanted=binary(wanted), room=room)
    if budget.most_yearly_loss is not None and budget.most_yearly_loss < ASSUMED_FLOOR:
        floor = odds_text(ASSUMED_FLOOR)
        yield _("No layout is lost with less than {floor} a year; only a backup is safer.", floor=floor)


# Whether a layout keeps to the budget; each refusal says by how much it does not.


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

    None without a price, and where prices are of several currencies.
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
    Raises UserError for money without a price, and for prices in another currency: nobody can tell.
    """
    limit, reason = disks, None
    if budget.bays is not None and budget.bays < limit:
        limit, reason = budget.bays, ngettext("{count} bay", "{count} bays", budget.bays)
    if budget.money is not None and prices is not None:
        bought = how_many_of(budget.money, prices)
        if bought < len(prices) and disks - len(prices) + bought < limit:
            limit = disks - len(prices) + bought
            reason = ngettext(
                "{money} buys {bought} of the {count} disk to buy",
                "{money} buys {bought} of the {count} disks to buy",
                len(prices),
                money=budget.money,
                bought=bought,
            )
    elif budget.money is not None:
        if budget.price_per_disk is None:
            raise UserError(_("Money was given, but no price of a disk"), todo=_("Give the price of one disk."))
        affordable = how_many(budget.money, budget.price_per_disk)
        if affordable is not None and affordable < limit:
            limit = affordable
            reason = ngettext(
                "{money} buys {count} disk at {price_per_disk}",
                "{money} buys {count} disks at {price_per_disk}",
                affordable,
                money=budget.money,
                price_per_disk=budget.price_per_disk,
            )
    return limit, reason


def check_budget(budget: Budget) -> None:
    for name, value in (
        ("survive", budget.survive),
        ("spares", budget.spares),
        ("bays", budget.bays),
        ("capacity", budget.least_usable_bytes),
        ("RAM", budget.ram_bytes),
        ("risk", budget.most_yearly_loss),
        ("rebuild", budget.most_rebuild_hours),
        ("read", budget.least_read_bytes_per_second),
        ("write", budget.least_write_bytes_per_second),
    ):
        if value is not None and not 0 <= value < inf:
            raise out_of_range(numeral(value, "g"), 0, of=name)
    for name, amount in (("money", budget.money), ("price", budget.price_per_disk)):
        if amount is not None and amount.amount < 0:
            raise out_of_range(amount, 0, of=name)
    if budget.most_yearly_loss is not None and budget.most_yearly_loss > 1:
        raise out_of_range(numeral(budget.most_yearly_loss, "g"), 0, 1, of="risk")
    if budget.import_on is not None:
        import_target(budget.import_on)


def hard_objections(budget: Budget, spares: int, failures_survived: int) -> Iterator[str]:
    """Return why a layout is none of those asked for: too few failures survived, too few spares."""
    if budget.survive is not None and failures_survived < budget.survive:
        yield ngettext("survives {count} failure, {survive} wanted", "survives {count} failures, {survive} wanted",
                       failures_survived, survive=budget.survive)  # fmt: skip
    if budget.spares is not None and spares < budget.spares:
        yield ngettext(
            "has {count} spare, {spares} wanted", "has {count} spares, {spares} wanted", spares, spares=budget.spares
        )


def budget_objections(budget: Budget, spares: int, usable_bytes: int, failures_survived: int) -> tuple[str, ...]:
    """Return why a layout does not keep to the budget, predictions aside; empty when it does."""
    missed = missing_space(budget, usable_bytes)
    return (*hard_objections(budget, spares, failures_survived), *(short.text for short in missed))


@dataclass(frozen=True, slots=True)
class BrokenWish:
    """A wish that a layout does not meet: what it has instead, and which ``share`` of the wish is missing, 0 to 1."""

    text: str
    share: float


def missing_space(budget: Budget, usable_bytes: int, *, held_bytes: float | None = None) -> tuple[BrokenWish, ...]:
    """Return by how much a layout has less space than is asked for.

    ``held_bytes`` is the room for the workload's own blocks: where it is less than what `zfs list` calls usable, it
    is what the wish is compared with.
    """
    wanted = budget.wanted_bytes
    room = usable_bytes if held_bytes is None else min(usable_bytes, int(held_bytes))
    if wanted is None or room >= wanted:
        return ()
    text = (
        _("{size} usable", size=binary(room))
        if room == usable_bytes
        else _("room for {room} in blocks of this workload", room=binary(room))
    )
    return (BrokenWish(_("{told}, {wanted} wanted", told=text, wanted=wanted_words(budget)), 1 - room / wanted),)


def wanted_words(budget: Budget) -> str:
    size = binary(budget.wanted_bytes)
    return size if budget.wanted_bytes == budget.least_usable_bytes else _("{size} with snapshots", size=size)


# Wishes of which only a forecast tells whether a layout keeps to them.
PREDICTED = ("most_yearly_loss", "most_rebuild_hours", "least_read_bytes_per_second", "least_write_bytes_per_second")


def wants_forecast(budget: Budget) -> bool:
    return any(getattr(budget, wish) is not None for wish in PREDICTED)


def missing_safety(budget: Budget, loss: float, floor: float) -> tuple[BrokenWish, ...]:
    """Return by how much a yearly probability of loss is above what is asked for; ``floor`` is that of any layout."""
    most = budget.most_yearly_loss
    if most is None or loss <= most:
        return ()
    text = _("is lost with {loss} a year, at most {most} a year wanted", loss=odds(loss), most=odds(most))
    if most < floor:
        text = _("{told}; no layout is safer than {floor} a year, only a backup is", told=text, floor=odds(floor))
    return (BrokenWish(text, 1 - most / loss),)


def missing_forecast(budget: Budget, forecast: Forecast) -> tuple[BrokenWish, ...]:
    """Return what a layout misses of the budget by its typical values; none is made slower by the network."""
    found = list(missing_safety(budget, forecast.yearly_loss, forecast.floor))
    longest, hours = budget.most_rebuild_hours, forecast.rebuild_hours
    if longest is not None and (hours is None or hours > longest):
        text = (
            _("has nothing to rebuild from, at most {most:g} h wanted", most=longest)
            if hours is None
            else _("takes about {hours:.1f} h to rebuild, at most {most:g} h wanted", hours=hours, most=longest)
        )
        share = 1.0 if hours is None else 1 - longest / hours
        found.append(BrokenWish(text, share))
    for words, rate, least in (
        (N_("reads about {rate}/s, {least}/s wanted"), forecast.speed.seq_read, budget.least_read_bytes_per_second),
        (N_("writes about {rate}/s, {least}/s wanted"), forecast.speed.seq_write, budget.least_write_bytes_per_second),
    ):
        if least is not None and rate < least:
            text = _(words, rate=decimal(int(rate)), least=decimal(least))
            found.append(BrokenWish(text, 1 - rate / least))
    return tuple(found)


def wishes_words(budget: Budget) -> list[str]:
    reserved = sum(partition.size_bytes for partition in budget.reserve) or None
    wishes: tuple[tuple[Any, str, Callable[[Any], str]], ...] = (
        (budget.wanted_bytes, N_("at least {value} usable"), lambda _bytes: wanted_words(budget)),
        (budget.survive, "", lambda n: ngettext("survives {count} failure", "survives {count} failures", n)),
        (budget.spares, "", lambda n: ngettext("{count} spare", "{count} spares", n)),
        (budget.bays, "", lambda n: ngettext("{count} bay", "{count} bays", n)),
        (budget.money, N_("at most {value}"), str),
        (reserved, N_("{value} of each data disk beside the data"), binary),
        (budget.most_yearly_loss, N_("pool loss at most {value} per year"), odds_text),
        (budget.most_rebuild_hours, N_("a rebuild of at most {value}"), hours_text),
        (budget.least_read_bytes_per_second, N_("sequential read of at least {value}"), rate_text),
        (budget.least_write_bytes_per_second, N_("sequential write of at least {value}"), rate_text),
        (budget.allow or None, "", allowed_words),
    )
    given = ((text, words(value)) for value, text, words in wishes if value is not None)
    return [_(text, value=value) if text else value for text, value in given]
