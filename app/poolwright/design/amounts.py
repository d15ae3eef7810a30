"""What people type into the fields of workload and budget: shares, counts, factors, times.

Sizes are parsed by `domain.units`, rates by `domain.rates`, money by `domain.money_text`. Every error says what is
wrong and how to write it.
"""

from decimal import Decimal

from poolwright.domain.errors import UserError
from poolwright.domain.units import not_understood, number_of, out_of_range, shortened, split_number
from poolwright.texts import N_, _, numeral

_PERCENT_WORDS = frozenset({"", "%", "percent", "per cent", "pct", "prozent"})  # for machines
_TIMES = (
    (1 / 3600, ("s", "sec", "secs", "second", "seconds")),
    (1 / 60, ("min", "mins", "minute", "minutes")),
    (1.0, ("", "h", "hr", "hrs", "hour", "hours")),
    (24.0, ("d", "day", "days")),
    (168.0, ("w", "week", "weeks")),
)
_HOURS = {word: hours for hours, words in _TIMES for word in words}
MOST_COUNT = 1_000_000
_MOST_HOURS = 87_660


def parse_percent(text: str) -> int:
    """Return a whole number of per cent, 0 to 100: ``80``, ``80 %``. Raises UserError."""
    return int(parse_share(text, most=100, whole=True))


def parse_growth(text: str) -> int:
    """Return growth in whole per cent a year, 0 to 1000. Raises UserError."""
    return int(parse_share(text, most=1000, whole=True))


def parse_share(text: str, *, most: float, whole: bool = False) -> float:
    """Return per cent from 0 to ``most``, with or without the sign; ``whole`` takes no fraction. Raises UserError."""
    number, sign = split_number(text)
    todo = N_("Write a whole number from {least} to {most}.") if whole else N_("Write a number from {least} to {most}.")
    value = number_of(number) if number and " ".join(sign.casefold().split()) in _PERCENT_WORDS else None
    if value is None or value > most or (whole and value != int(value)):
        raise not_understood(text, _(todo, least=0, most=numeral(most, ",g")))
    return float(value)


def parse_count(text: str, *, least: int = 0, most: int = MOST_COUNT) -> int:
    """Return a whole number from ``least`` to ``most``. Raises UserError."""
    number, rest = split_number(text)
    value = number_of(number) if number and not rest else None
    if value is None or value.as_tuple().exponent:
        raise not_understood(text, _("Write a whole number, {least} or more.", least=least))
    if not least <= value <= most:
        raise out_of_range(text, least, most)
    return int(value)


def parse_factor(text: str) -> float:
    """Return how often the same block is stored on average, 1 or more. Raises UserError."""
    value = _number(text, _("Write 1 for no duplicates, 1.5 where every third block is a copy."))
    if not 1 <= value <= 10_000:
        raise out_of_range(text, 1, 10_000)
    return value


def parse_number(text: str) -> float:
    """Return a number of 0 or more that is no money. Raises UserError."""
    return _number(text, _("Write a number such as 4500 or 289.90."))


def parse_risk(text: str) -> float:
    """Return a yearly probability, above 0 and up to 1, from per cent: ``0.01`` and ``0.01 %``. Raises UserError."""
    value = parse_share(text, most=100)
    if not value:
        raise UserError(_("A risk of 0 cannot be promised"), todo=_("Write a number above 0: 0.01 is 1 in 10,000."))
    return value / 100


def risk_text(probability: float) -> str:
    """Return a yearly probability in per cent; `parse_risk` reads it back."""
    return numeral(100 * probability, ".6g", "%")


def parse_hours(text: str, *, zero: bool = False) -> float:
    """Return hours, above 0 (or ``zero``) up to ten years: ``36``, ``90 min``, ``1.5 days``. Raises UserError."""
    number, unit = split_number(text)
    unit_hours = _HOURS.get(unit.casefold())
    todo = _("Write hours or another unit: 36, 36 h, 90 min, 1.5 days.")
    if not number or unit_hours is None:
        raise not_understood(text, todo)
    hours = float(number_of(number)) * unit_hours
    if not (0 < hours <= _MOST_HOURS or (zero and hours == 0)):
        raise UserError(
            _("{text} is out of range", text=shortened(text)), todo=_("Write more than 0 and at most ten years.")
        )
    return hours


def rate_text(bytes_per_second: int) -> str:
    """Return a network's rate as people name it, in bits: ``10 Gbit/s``; `parse_link_rate` reads it back."""
    bits = bytes_per_second * 8
    for factor, unit in ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s")):
        if bits % factor == 0:
            return f"{bits // factor} {unit}"
        if bits // factor in range(1, 1000) and bits * 1000 % factor == 0:
            return f"{numeral(bits / factor, 'g')} {unit}"
    return f"{bits} bit/s"


def size_text(size_bytes: int) -> str:
    """Return a size so that `parse_size` reads the same bytes back: ``128 KiB``, ``16 TB``, or plain bytes."""
    for factor, unit in (
        (1 << 50, "PiB"), (1 << 40, "TiB"), (10**12, "TB"), (1 << 30, "GiB"), (10**9, "GB"),
        (1 << 20, "MiB"), (10**6, "MB"), (1 << 10, "KiB"), (10**3, "kB"),
    ):  # fmt: skip
        if size_bytes >= factor and size_bytes * 100 % factor == 0:
            return f"{numeral(size_bytes / factor, 'g')} {unit}" if size_bytes < factor * 10_000 else f"{size_bytes} B"
    return f"{size_bytes} B"


def _number(text: str, todo: str) -> float:
    number, rest = split_number(text)
    if not number or rest:
        raise not_understood(text, todo)
    return float(number_of(number))


def parse_rate(text: str) -> Decimal:
    """Return what one unit of a currency is worth in another. Raises UserError."""
    rate = number_of(text) if text.strip() else 0
    if rate <= 0:
        raise UserError(_("“{text}” is not a rate of exchange", text=text[:20]), todo=_("Write a number such as 0.92."))
    return Decimal(rate)
