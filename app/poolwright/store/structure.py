"""JSON values to frozen records, strictly, by cattrs: no coercion, no unknown field, every error with its place."""

import math
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from types import GenericAlias
from typing import Any, ForwardRef, TypeVar, get_args, get_origin

import cattrs
from cattrs.gen import make_dict_structure_fn

from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.pool import PoolNode
from poolwright.domain.vdev import NOT_RELEASED, UNRELEASED, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.store.codec import CHOOSE, EDITED_WRONGLY, MEND, UNKNOWN_FIELD
from poolwright.texts import _, first_of

T = TypeVar("T")
_LARGEST_INT = 1 << 63
_MOST_TOLD = 5
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,12})?")
# Types that hold themselves are named by text in their own definition.
_RECURSIVE: dict[Any, Any] = {"PoolNode": PoolNode, ForwardRef("PoolNode"): PoolNode}
# Fields of older documents that no record has any more: exchange rates, the size of the ARC before a run.
_DROPPED = {"Budget": "rates", "BenchTarget": "arc_bytes"}


class _Wrong(ValueError):
    """A field of a document is not what it has to be; the text is for people."""


def structure(value: object, cls: type[T], name: str, where: str | None) -> T:
    """Return a ``cls`` made of ``value``, the field ``name`` of a document; raises UserError naming each field."""
    try:
        return _converter().structure(value, cls)
    except cattrs.BaseValidationError as error:
        lines = cattrs.transform_error(error, path=name, format_exception=_explain)
        places = [line.rpartition(" @ ") for line in lines]
        what = first_of([f"{place}: {text}" for text, __, place in places], _MOST_TOLD, between="; ")
        raise UserError(_(EDITED_WRONGLY, what=what), where=where, todo=_(MEND)) from None
    except (_Wrong, UserError) as error:
        raise UserError(f"{name}: {error}", where=where, todo=_(MEND)) from None
    except RecursionError:
        raise UserError(_("The document nests too deeply"), where=where, todo=_(CHOOSE)) from None


def _explain(error: BaseException, wanted: type | None) -> str:
    if isinstance(error, KeyError):
        return _("The field is missing")
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        return _(UNKNOWN_FIELD, unknown=", ".join(sorted(error.extra_fields)))
    if isinstance(error, _Wrong | UserError | ValueError):
        return str(error)
    return _not_a(getattr(wanted, "__name__", str(wanted)))


def _not_a(kind: str) -> str:
    """Return the complaint in JSON's own word for what is wanted."""
    return _("{kind} expected", kind=kind)


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in _SCALARS:
        converter.register_structure_hook(kind, _scalar)
    converter.register_structure_hook(ZfsVersion, lambda value, __: ZfsVersion.parse(_scalar(value, str)))
    converter.register_structure_hook(datetime, lambda value, __: datetime.fromisoformat(_scalar(value, str)))
    converter.register_structure_hook_func(lambda kind: getattr(get_origin(kind), "__name__", "") == "ndarray", _array)
    converter.register_structure_hook_factory(_is_tuple, _tuple_hook)
    converter.register_structure_hook_factory(is_dataclass, _record_hook)
    return converter


Hook = Callable[[Any, Any], Any]


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _array(value: Any, kind: Any) -> Any:
    import numpy as np  # noqa: PLC0415 - of measured runs alone

    if not isinstance(value, list):
        raise _Wrong(_not_a("list"))
    number = np.int64 if "int" in str(kind) else np.float64
    return np.array([np.nan if each is None else each for each in value], dtype=number)


def _tuple_hook(kind: Any, converter: cattrs.BaseConverter) -> Hook:
    """Tuples come from JSON lists only; with the library's own hook a text would fall apart into letters."""
    parts = tuple(_RECURSIVE.get(part, part) for part in get_args(kind))
    as_list: Any = GenericAlias(list, parts[:1]) if parts[-1] is Ellipsis else None

    def structure(value: Any, __: Any) -> Any:
        if not isinstance(value, list):
            raise _Wrong(_not_a("list"))
        if as_list is not None:
            return tuple(converter.structure(value, as_list))
        if len(value) != len(parts):
            raise _Wrong(_not_a(f"list[{len(parts)}]"))
        return tuple([converter.structure(each, part) for each, part in zip(value, parts, strict=True)])

    return structure


def _record_hook(kind: Any, converter: cattrs.BaseConverter) -> Hook:
    default = make_dict_structure_fn(kind, converter, _cattrs_forbid_extra_keys=True)

    def structure(value: Any, __: Any) -> Any:
        if kind is Money and type(value) in (int, float):  # of schema 1, whose currency nobody noted
            return Money(amount=Decimal(repr(_scalar(value, type(value)))))
        if not isinstance(value, dict):
            raise _Wrong(_not_a("object"))
        if (dropped := _DROPPED.get(kind.__name__)) in value:
            value = {name: part for name, part in value.items() if name != dropped}
        return default(value, kind)

    return structure


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and (value.isascii() or not any(0xD800 <= ord(c) <= 0xDFFF for c in value))


# What JSON has to hold for each plain type, and its name there.
_SCALARS: dict[type, tuple[Callable[[Any], bool], str]] = {
    int: (lambda value: type(value) is int and -_LARGEST_INT < value < _LARGEST_INT, "integer"),
    float: (lambda value: type(value) in (int, float) and math.isfinite(value), "number"),
    bool: (lambda value: isinstance(value, bool), "boolean"),
    str: (_is_text, "string"),
    Decimal: (lambda value: isinstance(value, str) and _DECIMAL.fullmatch(value) is not None, "decimal “50.10”"),
}


def _scalar(value: Any, kind: Any) -> Any:
    if issubclass(kind, Enum):  # a hook for a class is also taken for its subclasses, and a StrEnum is a text
        if value in [member.value for member in kind]:
            return kind(value)
        words = ", ".join(str(member.value) for member in kind)
        if kind is VdevKind and UNRELEASED.match(str(value)):
            words = f"{words}. {_(NOT_RELEASED)}"
        raise _Wrong(_("“{value}” is not one of: {words}", value=value, words=words))
    fits, name = _SCALARS[kind]
    if not fits(value):
        raise _Wrong(_not_a(name))
    return kind(value)
