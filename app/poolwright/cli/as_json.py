"""Values as JSON objects: the same form wherever a command prints them."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from enum import Enum
from functools import cache
from pathlib import PurePath
from types import MethodType
from typing import Any, NamedTuple
from uuid import UUID

from poolwright.domain.estimate import Estimate, Origin
from poolwright.domain.finding import Source
from poolwright.domain.growth import GrowthStep
from poolwright.domain.money import Money
from poolwright.domain.retention import DailyChange, Retention
from poolwright.domain.vdev import VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.number_words import rounded

# What JSON has as its text.
_TEXTS = (DailyChange, GrowthStep, Origin, Retention, VdevSpec, ZfsVersion, PurePath, UUID)
_PLAIN = {bool, int, float, str, type(None)}


def json_value(value: object) -> Any:
    """Return a value as JSON has it, money as text, which no reader rounds; raises TypeError for an unknown kind."""
    if type(value) in _PLAIN:
        return value
    match value:
        case Enum():
            return value.value
        case Estimate():
            return json_of(value, "low:g typical:g high:g limit origin")
        case Money():
            return {"amount": value.plain(), "currency": value.currency}
        case Source():
            return json_of(value, "kind ref=words note")
        case date():
            return value.isoformat()
        case dict():
            return {key: json_value(each) for key, each in value.items()}
        case tuple() | list():
            return [json_value(each) for each in value]
    if isinstance(value, _TEXTS):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")  # for machines


def json_of(value: object, words: str, **given: object) -> dict[str, Any]:
    """Return attributes of ``value`` as a JSON object, a word each: ``key``, or ``key=attribute.attribute``.

    What is a method is called. Of a tuple each member's attribute is taken, and ``key=attribute[ ... ]`` makes an
    object of each member by the words in brackets; of a single value one object, of None null. ``key@name``, short
    ``name@``, is what is ``given`` under that name; where that is a function, what it returns for the value.
    ``key?`` is null where it is empty or 0; ``key:2`` has two decimals, ``key:g`` six significant digits.
    """
    return _object(value, _read(words), given)


def json_list(values: Iterable[object], words: str, **given: object) -> list[dict[str, Any]]:
    return [_object(value, _read(words), given) for value in values]


_WORD = re.compile(r"([^\s:?=@\[\]]+)(?::(\w))?(\?)?(?:=([^\s\[\]]+)|@(\w*))?(\[)?|(\])")


class _Key(NamedTuple):
    name: str
    digits: str | None
    or_null: bool
    path: list[str]
    given: str | None
    inner: "list[_Key] | None"


@cache  # a batch asks the same thousands of times
def _read(words: str) -> list[_Key]:
    return _keys(_WORD.finditer(words))


def _keys(found: Iterator[re.Match[str]]) -> list[_Key]:
    keys = []
    for word in found:
        name, digits, mark, path, given, opens, closes = word.groups()
        given = name if given == "" else given
        if closes:
            break
        keys.append(_Key(name, digits, bool(mark), (path or name).split("."), given, _keys(found) if opens else None))
    return keys


def _object(value: object, keys: list[_Key], given: dict[str, object]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, digits, or_null, path, given_name, inner in keys:
        each = value
        if given_name is not None:
            each = given[given_name]
            each = each(value) if callable(each) else each
        else:
            for attribute in path:
                each = _attribute(each, attribute)
        if digits and isinstance(each, int | float):
            each = rounded(each, 6) if digits == "g" else round(each, int(digits))
        if inner is None or each is None:
            made = json_value(each)
        elif isinstance(each, Iterable):
            made = [_object(one, inner, given) for one in each]
        else:
            made = _object(each, inner, given)
        found[name] = (made or None) if or_null else made
    return found


def _attribute(value: object, name: str) -> object:
    if isinstance(value, tuple) and not hasattr(value, name):
        return tuple(getattr(each, name) for each in value)
    found = None if value is None else getattr(value, name)
    return found() if isinstance(found, MethodType) else found
