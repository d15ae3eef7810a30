"""Values to JSON documents and back, strictly: no coercion, no unknown field, every error with its place.

Imports cattrs, which takes a tenth of a second: import this module where it is used.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from json.encoder import encode_basestring
from typing import Any, ForwardRef, TypeVar, get_args, get_origin

import cattrs
from cattrs.gen import make_dict_structure_fn

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.pool import PoolNode
from poolwright.domain.shown import json_escaped
from poolwright.domain.version import ZfsVersion
from poolwright.texts import marked, tell

T = TypeVar("T")
LONGEST_TEXT = 16 << 20
_LARGEST_INT = 1 << 63
_MOST_TOLD = 5
_CHOOSE = marked("Choose a file that Poolwright has written.")
_MEND = marked("Mend it in the file (poolwright schema tells what each field may hold), or save the document again.")
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,12})?")
# Types that hold themselves are named by text in their own definition.
_RECURSIVE: dict[Any, Any] = {"PoolNode": PoolNode, ForwardRef("PoolNode"): PoolNode}


class _Wrong(ValueError):
    """A field of a document is not what it has to be; the text is for people."""


def write_document(kind: str, schema: int, name: str, value: object) -> str:
    """Return the JSON document of ``value`` under the key ``name``, with its kind and schema number."""
    text = f'{{\n  "schema": {schema},\n  "kind": "{kind}",\n  "{name}": {_indented(value, "  ")}\n}}\n'
    return json_escaped(text)


def write_design(kind: str, schema: int, design: Design) -> str:
    """Return the document of a design on one line, for the library: thousands of disks are written at each edit.

    What was written of a disk is kept: an edit moves disks and changes none.
    """
    plain = {f.name: _plain(getattr(design, f.name)) for f in fields(design) if f.init and f.name != "disks"}
    text = _on_one_line({"schema": schema, "kind": kind, "design": plain})
    return f'{text[:-2]}, "disks": [{", ".join([disk_text(disk) for disk in design.disks])}]}}}}\n'


def disk_text(disk: Disk) -> str:
    """Return a disk as JSON, as it stands in the document of a design; kept for the next time."""
    known = _written.get(id(disk))
    if known is None or known[0] is not disk:
        if len(_written) >= _MOST_WRITTEN:
            _written.clear()
        known = _written[id(disk)] = (disk, _on_one_line(_plain(disk)))
    return known[1]


# By identity: to hash a disk costs as much as to write it. A disk is held with its text, so that no other can take
# its place in memory.
_written: dict[int, tuple[Disk, str]] = {}
_MOST_WRITTEN = 10_000


def _on_one_line(plain: object) -> str:
    return json_escaped(_as_text(plain))


def _plain(value: object) -> object:
    """Return a value as what JSON knows: objects, lists, texts, numbers, null. Nothing is left out."""
    kind: Any = type(value)
    if kind in _BARE:
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    names = _fields_of(kind)
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, ZfsVersion):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value.value if isinstance(value, Enum) else value


def _indented(value: Any, before: str) -> str:
    """Return a value as indented JSON, in lines that begin with ``before``; as `json.dumps`, sooner."""
    kind: Any = type(value)
    if kind is str:
        return encode_basestring(value)
    if value is None:
        return "null"
    if kind is int:
        return repr(value)
    inner = f"{before}  "
    if isinstance(value, tuple):
        return _enclosed("[", [_indented(item, inner) for item in value], "]", before)
    names = _fields_of(kind)
    if names is None:
        return _as_text(_plain(value))
    return _enclosed("{", [f'"{name}": {_indented(getattr(value, name), inner)}' for name in names], "}", before)


def _enclosed(opened: str, parts: list[str], closed: str, before: str) -> str:
    between = f",\n{before}  "
    return f"{opened}\n{before}  {between.join(parts)}\n{before}{closed}" if parts else f"{opened}{closed}"


_as_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_BARE = frozenset((str, int, float, bool, type(None)))


@cache
def _fields_of(kind: Any) -> tuple[str, ...] | None:
    """Return the names of the fields that are written of a record; None of what is no record."""
    if not is_dataclass(kind) or kind is ZfsVersion:
        return None
    return tuple(field.name for field in fields(kind) if field.init)


def read_document(text: str, *, kind: str, schema: int, name: str, cls: type[T], where: str | None) -> T:
    """Return the value that a JSON document of `write_document` holds.

    Raises UserError, naming the field, for text that is no JSON, another kind of document, a newer schema, wrong
    types, missing or unknown fields. ``where`` names the file in the errors.
    """
    document = _parse(text, where)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise UserError(tell("This is not a {kind} document", kind=kind), where=where, todo=tell(_CHOOSE))
    found = document.get("schema")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise UserError(
            tell("The schema number is missing or wrong"), where=_place(where, "schema"), todo=tell(_CHOOSE)
        )
    if found > schema:
        raise UserError(
            tell("This document has schema {found}, this program reads up to {schema}", found=found, schema=schema),
            where=where,
            todo=tell("Open it with a newer version of Poolwright."),
        )
    unknown = sorted(set(document) - {"schema", "kind", name})
    if unknown:
        raise UserError(
            tell("“{unknown}” is not a field of this document", unknown=unknown[0]), where=where, todo=tell(_MEND)
        )
    if name not in document:
        raise UserError(tell("The field is missing"), where=_place(where, name), todo=tell(_MEND))
    return _structure(document[name], cls, name, where)


def _structure(value: object, cls: type[T], name: str, where: str | None) -> T:
    try:
        return _converter().structure(value, cls)
    except cattrs.BaseValidationError as error:
        told = cattrs.transform_error(error, path=name, format_exception=_explain)
        places = [line.rpartition(" @ ") for line in told]
        what = "; ".join(f"{place}: {text}" for text, _, place in places[:_MOST_TOLD])
        more = tell("; and {most_told} more", most_told=len(places) - _MOST_TOLD) if len(places) > _MOST_TOLD else ""
        raise UserError(
            tell("The document is damaged or was edited wrongly: {what}{more}", what=what, more=more),
            where=where,
            todo=tell(_MEND),
        ) from None
    except (_Wrong, UserError) as error:
        raise UserError(f"{name}: {error}", where=where, todo=tell(_MEND)) from None
    except RecursionError:
        raise UserError(tell("The document nests too deeply"), where=where, todo=tell(_CHOOSE)) from None


def _explain(error: BaseException, wanted: type | None) -> str:
    if isinstance(error, KeyError):
        return tell("this field is missing")
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        return tell("unknown field {extra_fields}", extra_fields=", ".join(sorted(error.extra_fields)))
    if isinstance(error, _Wrong | UserError | ValueError):
        return str(error)
    kind = getattr(wanted, "__name__", None)
    return tell("this is not a possible value") if kind is None else tell("this is not a {kind}", kind=kind)


def _place(where: str | None, field: str) -> str:
    return f"{where}: {field}" if where else field


def _parse(text: str, where: str | None) -> object:
    if len(text) > LONGEST_TEXT:
        raise UserError(
            tell("The document is larger than {longest_text} MiB", longest_text=LONGEST_TEXT >> 20),
            where=where,
            todo=tell(_CHOOSE),
        )
    try:
        parsed: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise UserError(
            tell(
                "This is not JSON: {msg} in line {lineno}, column {colno}",
                msg=error.msg,
                lineno=error.lineno,
                colno=error.colno,
            ),
            where=where,
            todo=tell("The file may be cut short; copy it again."),
        ) from None
    except RecursionError:
        raise UserError(tell("The document nests too deeply"), where=where, todo=tell(_CHOOSE)) from None
    except ValueError as error:
        raise UserError(
            tell("This is not a good document: {error}", error=error), where=where, todo=tell(_MEND)
        ) from None
    return parsed


def _no_constant(word: str) -> object:
    raise _Wrong(tell("{word} is not a number", word=word))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Wrong(tell("the field “{next}” stands there twice", next=next(n for n in names if names.count(n) > 1)))
    return found


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
