"""Numbers on the command line: each option says what it takes, and refuses the rest in words that help."""

import math
import re
from collections.abc import Callable

from poolwright.domain.errors import UserError
from poolwright.texts import tell

_MOST_SHOWN = 40
# A comma with three digits behind it may be a separator of thousands, so that it is not taken as a decimal sign.
_COMMA = re.compile(r"^([0-9]+),([0-9]{1,2})$")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")


def whole_number(option: str, *, least: int = 0, most: int = 1_000_000) -> Callable[[str], int]:
    """Return what reads a whole number from ``least`` to ``most`` for ``option``; raises UserError."""

    def read(text: str) -> int:
        number = int(text) if _WHOLE.match(text.strip()) else None
        if number is None or not least <= number <= most:
            raise UserError(
                tell("“{text}” does not fit {option}", text=shown(text), option=option),
                todo=tell("Write a whole number from {least} to {most:,}.", least=least, most=most),
            )
        return number

    return read


def real_number(
    option: str, *, least: float = 0.0, most: float = 1e12, above: bool = False, unit: str = ""
) -> Callable[[str], float]:
    """Return what reads a number from ``least`` to ``most`` for ``option``; ``above``: greater than ``least``.

    A unit may stand behind the number; NaN and infinity are refused. Raises UserError.
    """

    def read(text: str) -> float:
        try:
            found = float(_COMMA.sub(r"\1.\2", text.strip().removesuffix(unit or " ").strip()))
        except ValueError:
            found = math.nan
        if not (math.isfinite(found) and least <= found <= most and not (above and found == least)):
            todo = (
                tell("Write a number above {least:g}, {most:,.15g} at most", least=least, most=most)
                if above
                else tell("Write a number from {least:g} to {most:,.15g}", least=least, most=most)
            )

            raise UserError(
                tell("“{text}” does not fit {option}", text=shown(text), option=option),
                todo=tell("{todo}, in {unit}.", todo=todo, unit=unit) if unit else f"{todo}.",
            )
        return found

    return read


def shown(text: str) -> str:
    """Return a text that was typed so that it fits into a message."""
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"
