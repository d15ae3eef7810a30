"""Values to JSON documents and back, strictly: no coercion, no unknown field, every error with its place."""

import json
import math
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from json.encoder import encode_basestring
from types import GenericAlias
from typing import TYPE_CHECKING, Any, ForwardRef, TypeVar, get_args, get_origin

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.pool import PoolNode
from poolwright.domain.shown import json_escaped
from poolwright.domain.vdev import NOT_RELEASED, UNRELEASED, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.machine.json_values import too_new
from poolwright.texts import N_, _, first_of

if TYPE_CHECKING:
    import cattrs

T = TypeVar("T")
LONGEST_TEXT = 64 << 20  # a run of hours with its curves
CHOOSE = N_("Choose a file written by Poolwright.")
EDITED_WRONGLY = N_("The document is damaged or was edited wrongly: {what}")
UNKNOWN_FIELD = N_("“{unknown}” is not a field of this document")
MEND = N_("Fix it in the file (see poolwright schema), or save the document again.")


def write_document(
    kind: str, schema: int, name: str, value: object, *, lines: bool = True, **beside: Mapping[str, int]
) -> str:
    """Return the JSON document of ``value`` under the key ``name``, with its kind and schema number.

    What stands ``beside`` it under names of its own is on a line each.
    """
    gap = "\n  " if lines else ""
    more = (f'"{key}": {json.dumps(one)}' for key, one in beside.items() if one)
    items = [f'"schema": {schema}', f'"kind": "{kind}"', *more, f'"{name}": {_text(value, gap)}']
    return _in_brackets("{", items, gap, "}", gap[:1]) + "\n"


def write_ahead(disks: Iterable[Disk]) -> Generator[None, None, None]:
    """Write disks as they stand in the document of a design, on one line and in lines, for whoever asks soon."""
    for disk in disks:
        for gap in ("", "\n" + 6 * " "):
            _disk_text(disk, gap)
        yield


def _disk_text(disk: Disk, gap: str) -> str:
    """Return a disk as JSON; kept, because an edit moves disks and changes none, and each is saved at every edit."""
    known = _written.get((id(disk), gap))
    if known is None or known[0] is not disk:
        if len(_written) >= _MOST_WRITTEN:
            _written.clear()
        known = _written[id(disk), gap] = (disk, _record(disk, gap))
    return known[1]


# By identity: to hash a disk costs as much as to write it. A disk is held with its text, so that no other can take
# its place in memory.
_written: dict[tuple[int, str], tuple[Disk, str]] = {}
_MOST_WRITTEN = 20_000


def _text(value: Any, gap: str) -> str:
    """Return a value as JSON, nothing left out; ``gap`` stands before its last bracket, "" keeps all on one line.

    The encoder of the standard library takes four times as long to lay thousands of disks out in lines.
    """
    kind = value.__class__
    if kind is str:
        return _quoted(value)
    if value is None:
        return "null"
    if kind is int:
        return repr(value)
    if kind is tuple:
        deeper = gap and gap + "  "
        return _in_brackets("[", [_text(item, deeper) for item in value], deeper, "]", gap)
    if kind is Disk:
        return _disk_text(value, gap)
    if _fields_of(kind) is not None:
        return _record(value, gap)
    if isinstance(value, ZfsVersion):
        return _quoted(str(value))
    if isinstance(value, Decimal):
        return _quoted(f"{value:f}")
    if isinstance(value, datetime):
        return _quoted(value.isoformat())
    if isinstance(value, Enum):
        return _text(value.value, gap)
    if hasattr(value, "tolist"):  # an array of numpy, which is not loaded for less
        return _text(tuple(value.tolist()), gap)
    # What is not a number was not measured.
    return "null" if value != value else json.dumps(value, allow_nan=False)


def _record(value: Any, gap: str) -> str:
    deeper = gap and gap + "  "
    items = [f'"{name}": {_text(getattr(value, name), deeper)}' for name in _fields_of(value.__class__) or ()]
    return _in_brackets("{", items, deeper, "}", gap)


def _in_brackets(first: str, items: list[str], gap: str, last: str, gap_at_last: str) -> str:
    return f"{first}{gap}{(',' + (gap or ' ')).join(items)}{gap_at_last}{last}" if items else first + last


def _quoted(text: str) -> str:
    quoted: str = encode_basestring(text)
    return quoted if quoted.isascii() and quoted.isprintable() else json_escaped(quoted)


@cache
def _fields_of(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields that are written of a record; None of what is no record."""
    if not is_dataclass(kind) or kind is ZfsVersion:
        return None
    return tuple(field.name for field in fields(kind) if field.init)


def read_document(
    text: str, *, kind: str, schema: int, name: str, cls: type[T], where: str | None, beside: str = ""
) -> T:
    """Return the value that a JSON document of `write_document` holds.

    Raises UserError, naming the field, for text that is no JSON, another kind of document, a newer schema, wrong
    types, missing or unknown fields. ``where`` names the file in the errors.
    """

    def wrong(what: str, todo: str = CHOOSE, field: str = "") -> UserError:
        return UserError(what, where=": ".join(filter(None, (where, field))) or None, todo=_(todo))

    document = _parse(text, wrong)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise wrong(_("This is not a {kind} document", kind=kind))
    found = document.get("schema")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise wrong(_("The schema number is missing or wrong"), field="schema")
    if found > schema:
        raise too_new(_("This document"), found, schema, where)
    unknown = sorted(set(document) - {"schema", "kind", name, beside})
    if unknown:
        raise wrong(_(UNKNOWN_FIELD, unknown=unknown[0]), MEND)
    if name not in document:
        raise wrong(_("The field is missing"), MEND, name)
    return _structured(document[name], cls, name, where)


def _parse(text: str, wrong: Callable[..., UserError]) -> object:
    if len(text) > LONGEST_TEXT:
        raise wrong(_("The file is larger than {most} MiB", most=LONGEST_TEXT >> 20))
    try:
        parsed: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        words = {"msg": error.msg, "lineno": error.lineno, "colno": error.colno}
        what = _("This is not JSON: {msg} in line {lineno}, column {colno}", **words)
        raise wrong(what, N_("The file may be cut short; copy it again.")) from None
    except RecursionError:
        raise wrong(_("The document nests too deeply")) from None
    except ValueError as error:
        raise wrong(_(EDITED_WRONGLY, what=error), MEND) from None
    return parsed


def twice(field: str, name: object) -> str:
    return f"{field}: ".removeprefix(": ") + _("“{name}” stands there twice", name=name)


def _no_constant(word: str) -> object:
    raise ValueError(_("{text} is not understood", text=word))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, __ in pairs]
        raise ValueError(twice("", next(name for name in names if names.count(name) > 1)))
    return found


# JSON values to frozen records, by cattrs.

_LARGEST_INT = 1 << 63
_MOST_TOLD = 5
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,12})?")
# Types that hold themselves are named by text in their own definition.
_RECURSIVE: dict[Any, Any] = {"PoolNode": PoolNode, ForwardRef("PoolNode"): PoolNode}
# Fields of older documents that no record has any more: exchange rates, the size of the ARC before a run.
_DROPPED = {"Budget": "rates", "BenchTarget": "arc_bytes"}


class _Wrong(ValueError):
    """A field of a document is not what it has to be; the text is for people."""


def _structured(value: object, cls: type[T], name: str, where: str | None) -> T:
    """Return a ``cls`` made of ``value``, the field ``name`` of a document; raises UserError naming each field."""
    import cattrs  # noqa: PLC0415 - it takes a tenth of a second

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
    import cattrs  # noqa: PLC0415 - as above

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
def _converter() -> "cattrs.Converter":
    import cattrs  # noqa: PLC0415 - as above

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


def _tuple_hook(kind: Any, converter: "cattrs.BaseConverter") -> Hook:
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


def _record_hook(kind: Any, converter: "cattrs.BaseConverter") -> Hook:
    from cattrs.gen import make_dict_structure_fn  # noqa: PLC0415 - as above

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
