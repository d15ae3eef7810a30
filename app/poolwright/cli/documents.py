"""Values as JSON objects: the same form wherever a command prints them."""

from collections.abc import Iterable
from datetime import date
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any
from uuid import UUID

from poolwright.domain.finding import Source
from poolwright.domain.growth import GrowthStep
from poolwright.domain.money import Money
from poolwright.domain.origin import Origin
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import VdevSpec
from poolwright.domain.version import ZfsVersion

# What JSON has as its text.
_TEXTS = (GrowthStep, Origin, VdevSpec, ZfsVersion, PurePath, UUID)


def plain(value: object) -> Any:
    """Return a value as JSON has it, money as text, which no reader rounds; raises TypeError for an unknown kind."""
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case Estimate():
            return picked(value, "low:g typical:g high:g limit origin")
        case Money():
            return {"amount": value.plain(), "currency": value.currency}
        case Source():
            return picked(value, "kind ref note")
        case date():
            return value.isoformat()
        case tuple() | list():
            return [plain(each) for each in value]
    if isinstance(value, _TEXTS):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")  # for machines


def picked(value: object, words: str) -> dict[str, Any]:
    """Return attributes of ``value`` as a JSON object, a word each: ``key``, or ``key=attribute.attribute``.

    Of a tuple each member's attribute is taken. ``key?`` is null where it is empty or 0; ``key:2`` has two decimals,
    ``key:g`` six significant digits.
    """
    found: dict[str, Any] = {}
    for key, path, digits in _read(words):
        each = value
        for name in path:
            each = _attribute(each, name)
        if digits and isinstance(each, int | float):
            each = rounded(each) if digits == "g" else round(each, int(digits))
        found[key.removesuffix("?")] = (plain(each) or None) if key.endswith("?") else plain(each)
    return found


def _attribute(value: object, name: str) -> object:
    if isinstance(value, tuple) and not hasattr(value, name):
        return tuple(getattr(each, name) for each in value)
    return None if value is None else getattr(value, name)


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
    return float(f"{value:.6g}")


def typical_losses(loss: float, disk_loss: float) -> dict[str, object]:
    """Return the two typical values of a yearly loss under the names of `poolwright risk`."""
    return {"yearly_loss_probability": rounded(disk_loss), "yearly_loss_with_other_causes_probability": rounded(loss)}
