"""The wishes of the budget page that are typed: name, how to read and write them, and what they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

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
    return (*_of_the_pool(), *_of_the_machine(currency))


def _of_the_pool() -> tuple[Wish, ...]:
    return (
        Wish(
            field="least_usable_bytes",
            name=_tr("Least usable capacity"),
            help=_tr("With its unit: 100 TiB counts in 1024s, 100 TB in 1000s as drive makers do."),
            parse=parse_capacity,
            told=size_read,
            shown=_size,
            empty=_tr("no limit"),
        ),
        Wish(
            field="most_yearly_loss",
            name=_tr("Most yearly risk, %"),
            help=_tr(
                "Of losing it by whatever cause. 0.01 is 1 in 10,000; no layout reaches less than {least:g}."
            ).format(least=100 * ASSUMED_FLOOR),
            parse=parse_risk,
            told=chance_read,
            shown=_risk,
            empty=_tr("no limit"),
        ),
        Wish(
            field="most_rebuild_hours",
            name=_tr("Most hours of a rebuild"),
            help=_tr("Of one disk at 80 % fill. Wide vdevs of large disks take longest."),
            parse=parse_hours,
            told=hours_read,
            shown=_hours,
            empty=_tr("no limit"),
        ),
        Wish(
            field="least_read_bytes_per_second",
            name=_tr("Least read rate"),
            help=_tr("In sequence, by the pool itself, without the network. Such as 800 MB/s."),
            parse=_pool_rate,
            told=rate_read,
            shown=_rate,
            empty=_tr("no limit"),
        ),
        Wish(
            field="least_write_bytes_per_second",
            name=_tr("Least write rate"),
            help=_tr("In sequence. Held against the typical value of the prediction."),
            parse=_pool_rate,
            told=rate_read,
            shown=_rate,
            empty=_tr("no limit"),
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
            name=_tr("Hot spares"),
            help=_tr("They take over when a disk fails. Empty: 0 to 4 are tried, of many disks one for twenty."),
            parse=_spares,
            told=_spares_told,
            empty=_tr("as it suits"),
        ),
        Wish(
            field="bays",
            name=_tr("Drive bays"),
            help=_tr("Slots for disks of any role, spares included."),
            parse=_bays,
            told=_bays_told,
            empty=_tr("no limit"),
        ),
        Wish(
            field="money",
            name=_tr("Money"),
            help=_tr("For all disks together; needs the price of one. Such as 5000 EUR."),
            parse=money,
            shown=_amount,
            empty=_tr("no limit"),
        ),
        Wish(
            field="price_per_disk",
            name=_tr("Price of a disk"),
            help=_tr("Of a disk that has none from the catalogue. Shows what each layout costs."),
            parse=price,
            shown=_amount,
            empty=_tr("unknown"),
        ),
        Wish(
            field="ram_bytes",
            name=_tr("RAM"),
            help=_tr("For the ARC and for deduplication. Such as 64 GiB."),
            parse=parse_memory,
            told=size_read,
            shown=_size,
            empty=_tr("unknown"),
        ),
    )


def _pool_rate(text: str) -> int:
    return int(parse_disk_rate(text, what="rate of the pool"))


def _spares(text: str) -> int:
    return parse_count(text, what="number of spares")


def _bays(text: str) -> int:
    return parse_count(text, what="number of bays", least=1)


def _spares_told(count: int) -> str:
    if count == 0:
        return _tr("no disk is kept ready")
    return _tr("1 disk is kept ready") if count == 1 else _tr("{count} disks are kept ready").format(count=count)


def _bays_told(count: int) -> str:
    return _tr("room for 1 disk in all") if count == 1 else _tr("room for {count} disks in all").format(count=count)


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


def _tr(text: str) -> str:
    return QCoreApplication.translate("budget", text)
