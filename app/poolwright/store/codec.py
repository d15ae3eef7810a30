"""Values to JSON documents and back, strictly: no coercion, no unknown field, every error with its place."""

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from json.encoder import encode_basestring
from typing import Any, TypeVar

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.shown import json_escaped
from poolwright.domain.version import ZfsVersion
from poolwright.machine.json_values import too_new
from poolwright.texts import N_, _

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
    more = (f'"{key}": {json.dumps(told)}' for key, told in beside.items() if told)
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
    return _other_text(value, gap)


def _other_text(value: Any, gap: str) -> str:
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
    from poolwright.store.structure import structure  # noqa: PLC0415 - cattrs takes a tenth of a second

    return structure(document[name], cls, name, where)


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
