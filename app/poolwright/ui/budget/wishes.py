"""The wishes of the budget page that are typed: name, how to read and write them, and what they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from poolwright.advise.amounts import (
    parse_count,
    parse_hours,
    parse_risk,
    risk_text,
    size_text,
)
from poolwright.domain.money import Money
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.read_back import chance_read, hours_read, rate_read, size_read
from poolwright.domain.units import parse_capacity, parse_memory
from poolwright.predict.causes import ASSUMED_FLOOR
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A field of Budget: how it is typed, shown and explained."""

    field: str
    name: str
    help: str
    parse: Callable[[str], object]
    shown: Callable[[object], str] = str
    empty: str = ""
    told: Callable[[Any], str] | None = None


def all_wishes(currency: Callable[[], str | None]) -> tuple[Wish, ...]:
    """Return the wishes in the order of the form; ``currency`` tells that of amounts typed without one."""
    return (*_of_the_pool(), *_of_the_rates(), *_of_the_machine(currency))


def _of_the_pool() -> tuple[Wish, ...]:
    no_limit, least = tell("no limit"), 100 * ASSUMED_FLOOR
    losing = tell(
        "Of losing it by whatever cause. 0.01 is 1 in 10,000; no layout reaches less than {least:g}.", least=least
    )
    return (
        Wish(
            field="least_usable_bytes",
            name=tell("Least usable capacity"),
            help=tell("With its unit: 100 TiB counts in 1024s, 100 TB in 1000s as drive makers do."),
            parse=parse_capacity,
            told=size_read,
            shown=_size,
            empty=no_limit,
        ),
        Wish(
            field="most_yearly_loss",
            name=tell("Most yearly risk, %"),
            help=losing,
            parse=parse_risk,
            told=chance_read,
            shown=_risk,
            empty=no_limit,
        ),
        Wish(
            field="most_rebuild_hours",
            name=tell("Most hours of a rebuild"),
            help=tell("Of one disk at 80 % fill. Wide vdevs of large disks take longest."),
            parse=parse_hours,
            told=hours_read,
            shown=_hours,
            empty=no_limit,
        ),
    )


def _of_the_rates() -> tuple[Wish, ...]:
    return (
        Wish(
            field="least_read_bytes_per_second",
            name=tell("Least read rate"),
            help=tell("In sequence, by the pool itself, without the network. Such as 800 MB/s."),
            parse=_pool_rate,
            told=rate_read,
            shown=_rate,
            empty=tell("no limit"),
        ),
        Wish(
            field="least_write_bytes_per_second",
            name=tell("Least write rate"),
            help=tell("In sequence. Held against the typical value of the prediction."),
            parse=_pool_rate,
            told=rate_read,
            shown=_rate,
            empty=tell("no limit"),
        ),
    )


def _of_the_machine(currency: Callable[[], str | None]) -> tuple[Wish, ...]:
    def money(text: str) -> Money:
        return parse_money(text, currency=currency())

    def price(text: str) -> Money:
        return parse_money(text, currency=currency(), what="price", positive=True)

    return (
        Wish(
            field="spares",
            name=tell("Hot spares"),
            help=tell("They take over when a disk fails. Empty: 0 to 4 are tried, of many disks one for twenty."),
            parse=_spares,
            told=_spares_told,
            empty=tell("as it suits"),
        ),
        Wish(
            field="bays",
            name=tell("Drive bays"),
            help=tell("Slots for disks of any role, spares included."),
            parse=_bays,
            told=_bays_told,
            empty=tell("no limit"),
        ),
        Wish(
            field="money",
            name=tell("Money"),
            help=tell("For all disks together; needs the price of one. Such as 5000 EUR."),
            parse=money,
            shown=_amount,
            empty=tell("no limit"),
        ),
        Wish(
            field="price_per_disk",
            name=tell("Price of a disk"),
            help=tell("Of a disk that has none from the catalogue. Shows what each layout costs."),
            parse=price,
            shown=_amount,
            empty=tell("unknown"),
        ),
        Wish(
            field="ram_bytes",
            name=tell("RAM"),
            help=tell("For the ARC and for deduplication. Such as 64 GiB."),
            parse=parse_memory,
            told=size_read,
            shown=_size,
            empty=tell("unknown"),
        ),
    )


def _pool_rate(text: str) -> int:
    return int(parse_disk_rate(text, what=tell("rate of the pool")))


def _spares(text: str) -> int:
    return parse_count(text, what=tell("number of spares"))


def _bays(text: str) -> int:
    return parse_count(text, what=tell("number of bays"), least=1)


def _spares_told(count: int) -> str:
    if count == 0:
        return tell("no disk is kept ready")
    return tell("1 disk is kept ready") if count == 1 else tell("{count} disks are kept ready", count=count)


def _bays_told(count: int) -> str:
    return tell("room for 1 disk in all") if count == 1 else tell("room for {count} disks in all", count=count)


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""


def _rate(value: object) -> str:
    return f"{size_text(value)}/s" if isinstance(value, int) else ""


def _risk(value: object) -> str:
    return risk_text(value) if isinstance(value, float | int) else ""


def _hours(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | int) else ""


def _amount(value: object) -> str:
    return money_typed(value) if isinstance(value, Money) else ""
