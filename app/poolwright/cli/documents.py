"""Values as JSON objects: the same form wherever a command prints them."""

from collections.abc import Iterable
from datetime import date
from enum import Enum
from functools import cache
from typing import Any

from poolwright.domain.money import Money
from poolwright.domain.steps import Estimate


def plain(value: object) -> Any:
    """Return a value as JSON has it; a kind that has no form of its own, such as a version or an origin, as its text.

    Of money the digits are text, which no reader rounds; estimates lose the digits that mean nothing.
    """
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case Estimate():
            return picked(value, "low:g typical:g high:g limit origin")
        case Money():
            return {"amount": value.plain(), "currency": value.currency}
        case date():
            return value.isoformat()
        case tuple() | list():
            return [plain(each) for each in value]
    return str(value)


def picked(value: object, words: str) -> dict[str, Any]:
    """Return attributes of ``value`` as a JSON object, a word each: ``key``, or ``key=attribute.attribute``.

    ``key?`` is null where it is empty or 0; ``key:2`` has two decimals, ``key:g`` six significant digits.
    """
    found: dict[str, Any] = {}
    for key, path, digits in _read(words):
        each = value
        for name in path:
            each = None if each is None else getattr(each, name)
        if digits and isinstance(each, int | float):
            each = rounded(each) if digits == "g" else round(each, int(digits))
        found[key.removesuffix("?")] = (plain(each) or None) if key.endswith("?") else plain(each)
    return found


@cache  # a batch asks the same thousands of times
def _read(words: str) -> list[tuple[str, list[str], str]]:
    split = [word.partition("=") for word in words.split()]
    keys = [key.partition(":") for key, _, _ in split]
    return [
        (key, (path or key.removesuffix("?")).split("."), digits)
        for (key, _, digits), (_, _, path) in zip(keys, split, strict=True)
    ]


def all_picked(values: Iterable[object], words: str) -> list[dict[str, Any]]:
    return [picked(value, words) for value in values]


def rounded(value: float) -> float:
    """Return ``value`` with six significant digits."""
    return float(f"{value:.6g}")


def typical_losses(loss: float, disk_loss: float) -> dict[str, object]:
    """Return the two typical values of a yearly loss under the names of `poolwright risk`."""
    return {"yearly_loss_probability": rounded(disk_loss), "yearly_loss_with_other_causes_probability": rounded(loss)}
