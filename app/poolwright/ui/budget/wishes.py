"""The wishes of the budget page: name, how to read and write each, and what it means."""

from collections.abc import Callable
from functools import partial

from poolwright.design.amounts import parse_count, parse_hours, parse_risk, risk_text, size_text
from poolwright.domain.import_targets import IMPORT_TARGETS
from poolwright.domain.money import Money
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.read_back import chance_read, hours_read, rate_read, size_read
from poolwright.domain.units import parse_capacity, parse_memory
from poolwright.predict.causes import ASSUMED_FLOOR
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts.form import Field, Typed, short

MOST_SURVIVED = 3


def wishes_of_the_pool() -> tuple[Field, ...]:
    """Return the fields for what the pool is to hold, to survive and to bear."""
    no_limit, least = tell("no limit"), 100 * ASSUMED_FLOOR
    few = [(n, tell("at least {count}", count=n)) for n in range(1, MOST_SURVIVED + 1)]
    losing = tell(
        "Of losing it by whatever cause. 0.01 is 1 in 10,000; no layout reaches less than {least:g}.", least=least
    )
    return (
        Field(
            "least_usable_bytes",
            tell("Least usable capacity"),
            Typed(parse_capacity, size_text, size_read),
            tell("With its unit: 100 TiB counts in 1024s, 100 TB in 1000s as drive makers do."),
            no_limit,
        ),
        Field("survive", tell("Failures to survive"), ((None, tell("no wish")), (0, tell("none needed")), *few)),
        Field(
            "most_yearly_loss", tell("Most yearly risk, %"), Typed(parse_risk, risk_text, chance_read), losing, no_limit
        ),
        Field(
            "most_rebuild_hours",
            tell("Most hours of a rebuild"),
            Typed(parse_hours, short, hours_read),
            tell("Of one disk at 80 % fill. Wide vdevs of large disks take longest."),
            no_limit,
        ),
    )


def wishes_of_the_machine() -> tuple[Field, ...]:
    """Return the fields for speed and the number of disks."""
    no_limit = tell("no limit")
    rate = Typed(_pool_rate, _rate, rate_read)
    return (
        Field(
            "least_read_bytes_per_second",
            tell("Least read rate"),
            rate,
            tell("In sequence, by the pool itself, without the network. Such as 800 MB/s."),
            no_limit,
        ),
        Field(
            "least_write_bytes_per_second",
            tell("Least write rate"),
            rate,
            tell("In sequence. Held against the typical value of the prediction."),
            no_limit,
        ),
        Field(
            "spares",
            tell("Hot spares"),
            Typed(partial(parse_count, what=tell("number of spares")), str, _spares_told),
            tell("They take over when a disk fails. Empty: 0 to 4 are tried, of many disks one for twenty."),
            tell("as it suits"),
        ),
        Field(
            "bays",
            tell("Drive bays"),
            Typed(partial(parse_count, what=tell("number of bays"), least=1), str, _bays_told),
            tell("Slots for disks of any role, spares included."),
            no_limit,
        ),
    )


def wishes_of_money(currency: Callable[[], str | None]) -> tuple[Field, ...]:
    """Return the fields for sums and prices; ``currency`` tells that of amounts typed without one."""

    def money(text: str) -> Money:
        return parse_money(text, currency=currency())

    def price(text: str) -> Money:
        return parse_money(text, currency=currency(), what=tell("price"), positive=True)

    return (
        Field(
            "money",
            tell("Money"),
            Typed(money, money_typed),
            tell("For all disks together; needs the price of one. Such as 5000 EUR."),
            tell("no limit"),
        ),
        Field(
            "price_per_disk",
            tell("Price of a disk"),
            Typed(price, money_typed),
            tell("Of a disk that has none from the catalogue. Shows what each layout costs."),
            tell("unknown"),
        ),
    )


def wishes_of_the_host() -> tuple[Field, ...]:
    """Return the fields for what the host has, and what else must import the pool."""
    systems = [(target.key, tell(target.title)) for target in IMPORT_TARGETS]
    return (
        Field(
            "ram_bytes",
            tell("RAM"),
            Typed(parse_memory, size_text, size_read),
            tell("For the ARC and for deduplication. Such as 64 GiB."),
            tell("unknown"),
        ),
        Field(
            "ups",
            tell("Uninterruptible power supply"),
            ((None, tell("unknown")), (True, tell("yes")), (False, tell("no"))),
            tell("Decides what sync=disabled and a log device may lose."),
        ),
        Field("import_on", tell("Importable on"), ((None, tell("this machine only")), *systems)),
    )


def _pool_rate(text: str) -> int:
    return int(parse_disk_rate(text, what=tell("rate of the pool")))


def _rate(bytes_per_second: int) -> str:
    return f"{size_text(bytes_per_second)}/s"


def _spares_told(count: int) -> str:
    if count == 0:
        return tell("no disk is kept ready")
    return tell_counted("{count} disk is kept ready", "{count} disks are kept ready", count)


def _bays_told(count: int) -> str:
    return tell_counted("room for {count} disk in all", "room for {count} disks in all", count)
