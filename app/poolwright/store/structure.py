"""What JSON knows to frozen values, strictly, by cattrs: no coercion, no unknown field, every error with its place."""

import math
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, ForwardRef, TypeVar, get_args, get_origin

import cattrs
from cattrs.gen import make_dict_structure_fn

from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.pool import PoolNode
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget
from poolwright.store.codec import CHOOSE, MEND
from poolwright.texts import first_of, tell

T = TypeVar("T")
_LARGEST_INT = 1 << 63
_MOST_TOLD = 5
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,12})?")
# Types that hold themselves are named by text in their own definition.
_RECURSIVE: dict[Any, Any] = {"PoolNode": PoolNode, ForwardRef("PoolNode"): PoolNode}


class _Wrong(ValueError):
    """A field of a document is not what it has to be; the text is for people."""


def structure(value: object, cls: type[T], name: str, where: str | None) -> T:
    """Return a ``cls`` made of ``value``, the field ``name`` of a document; raises UserError naming each field."""
    try:
        return _converter().structure(value, cls)
    except cattrs.BaseValidationError as error:
        told = cattrs.transform_error(error, path=name, format_exception=_explain)
        places = [line.rpartition(" @ ") for line in told]
        what = first_of([f"{place}: {text}" for text, _, place in places], _MOST_TOLD, between="; ")
        raise UserError(
            tell("The document is damaged or was edited wrongly: {what}", what=what), where=where, todo=tell(MEND)
        ) from None
    except (_Wrong, UserError) as error:
        raise UserError(f"{name}: {error}", where=where, todo=tell(MEND)) from None
    except RecursionError:
        raise UserError(tell("The document nests too deeply"), where=where, todo=tell(CHOOSE)) from None


def _explain(error: BaseException, wanted: type | None) -> str:
    if isinstance(error, KeyError):
        return tell("this field is missing")
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        return tell("unknown field {extra_fields}", extra_fields=", ".join(sorted(error.extra_fields)))
    if isinstance(error, _Wrong | UserError | ValueError):
        return str(error)
    kind = getattr(wanted, "__name__", None)
    return tell("this is not a possible value") if kind is None else tell("this is not a {kind}", kind=kind)


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(detailed_validation=True, forbid_extra_keys=True)
    converter.register_structure_hook(int, _int)
    converter.register_structure_hook(float, _float)
    converter.register_structure_hook(bool, _bool)
    # A hook for a class is also taken for its subclasses, and a StrEnum is a text.
    converter.register_structure_hook(str, _text_or_enum)
    converter.register_structure_hook(Decimal, _decimal)
    converter.register_structure_hook(Money, _money)
    converter.register_structure_hook(ZfsVersion, lambda value, _: ZfsVersion.parse(_str(value, str)))
    converter.register_structure_hook_factory(_is_tuple, _tuple_hook(converter))
    converter.register_structure_hook_factory(_is_record, _record_hook(converter))
    return converter


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind) and kind is not ZfsVersion


Hook = Callable[[Any, Any], Any]


def _tuple_hook(converter: cattrs.Converter) -> Callable[[Any], Hook]:
    """Tuples come from JSON lists only; with the library's own hook a text would fall apart into letters."""

    def factory(kind: Any) -> Hook:
        kinds = tuple(_RECURSIVE.get(part, part) for part in get_args(kind))
        same = kinds[0] if kinds[-1] is Ellipsis else None

        def structure(value: Any, _: Any) -> Any:
            if not isinstance(value, list):
                raise _Wrong(tell("this is not a list"))
            if same is None and len(value) != len(kinds):
                raise _Wrong(
                    tell("this list has {count} entries instead of {count2}", count=len(value), count2=len(kinds))
                )
            wanted = (same,) * len(value) if same is not None else kinds
            return _each(converter, value, wanted, kind)

        return structure

    return factory


def _each(converter: cattrs.Converter, values: list[Any], kinds: tuple[Any, ...], whole: Any) -> tuple[Any, ...]:
    made: list[Any] = []
    errors: list[Exception] = []
    hooks = {kind: converter.get_structure_hook(kind) for kind in set(kinds)}
    for index, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        try:
            made.append(hooks[kind](value, kind))
        except (ValueError, TypeError, KeyError, UserError, cattrs.BaseValidationError) as error:
            error.add_note(cattrs.IterableValidationNote("", index, kind))
            errors.append(error)
    if errors:
        raise cattrs.IterableValidationError("", errors, whole)
    return tuple(made)


def _record_hook(converter: cattrs.Converter) -> Callable[[Any], Hook]:
    def factory(kind: Any) -> Hook:
        default = make_dict_structure_fn(kind, converter, _cattrs_forbid_extra_keys=True)

        def structure(value: Any, _: Any) -> Any:
            if not isinstance(value, dict):
                raise _Wrong(tell("this is not an object with fields"))
            if kind is Budget and "rates" in value:  # exchange rates, which are no part of a design any more
                value = {name: part for name, part in value.items() if name != "rates"}
            return default(value, kind)

        return structure

    return factory


def _int(value: Any, _: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Wrong(tell("this is not a whole number"))
    if not -_LARGEST_INT < value < _LARGEST_INT:
        raise _Wrong(tell("this number is out of range"))
    return value


def _float(value: Any, _: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Wrong(tell("this is not a number"))
    return float(value)


def _decimal(value: Any, _: Any) -> Decimal:
    if not isinstance(value, str) or _DECIMAL.fullmatch(value) is None:
        raise _Wrong(tell("this is not a decimal number written as a text, such as “50.10”"))
    return Decimal(value)


def _money(value: Any, _: Any) -> Money:
    """Return an amount with its currency; a bare number is one of schema 1, whose currency nobody noted."""
    if isinstance(value, dict):
        if "amount" not in value:
            raise _Wrong(tell("the amount is missing"))
        unknown = sorted(set(value) - {"amount", "currency"})
        if unknown:
            raise _Wrong(tell("unknown field {unknown}", unknown=", ".join(unknown)))
        currency = value.get("currency")
        return Money(
            amount=_decimal(value["amount"], Decimal), currency=None if currency is None else _str(currency, str)
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Wrong(tell("this is not an amount of money"))
    number = _int(value, int) if isinstance(value, int) else _float(value, float)
    return Money(amount=Decimal(repr(number)))


def _bool(value: Any, _: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(tell("this is neither true nor false"))
    return value


def _text_or_enum(value: Any, kind: Any) -> str | Enum:
    if kind is str:
        return _str(value, kind)
    return _enum(value, kind) if isinstance(kind, type) and issubclass(kind, Enum) else _str(value, kind)


def _enum(value: Any, kind: type[Enum]) -> Enum:
    try:
        return kind(_str(value, str))
    except ValueError:
        words = ", ".join(str(member.value) for member in kind)
        raise _Wrong(tell("“{value}” is not one of: {words}", value=value, words=words)) from None


def _str(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong(tell("this is not a text"))
    if not value.isascii() and any(0xD800 <= ord(c) <= 0xDFFF for c in value):
        raise _Wrong(tell("this text holds half a character"))
    return value
