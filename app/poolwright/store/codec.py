"""Values to JSON documents and back, strictly: no coercion, no unknown field, every error with its place."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.shown import json_escaped
from poolwright.domain.version import ZfsVersion
from poolwright.machine.picking import too_new
from poolwright.texts import marked, tell

T = TypeVar("T")
LONGEST_TEXT = 64 << 20  # a run of hours with its curves
CHOOSE = marked("Choose a file written by Poolwright.")
MEND = marked("Mend it in the file (see poolwright schema), or save the document again.")


def write_document(kind: str, schema: int, name: str, value: object) -> str:
    document = {"schema": schema, "kind": kind, name: _plain(value)}
    return json_escaped(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


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
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    names = _fields_of(kind)
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, ZfsVersion):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "tolist"):  # an array of numpy, which is not loaded for less
        return [_plain(item) for item in value.tolist()]
    return value.value if isinstance(value, Enum) else value


_as_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_BARE = frozenset((str, int, bool, type(None)))


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

    def wrong(what: str, todo: str = CHOOSE, field: str = "") -> UserError:
        return UserError(what, where=": ".join(filter(None, (where, field))) or None, todo=tell(todo))

    document = _parse(text, wrong)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise wrong(tell("This is not a {kind} document", kind=kind))
    found = document.get("schema")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise wrong(tell("The schema number is missing or wrong"), field="schema")
    if found > schema:
        raise too_new(tell("This document"), found, schema, where)
    unknown = sorted(set(document) - {"schema", "kind", name})
    if unknown:
        raise wrong(tell("“{unknown}” is not a field of this document", unknown=unknown[0]), MEND)
    if name not in document:
        raise wrong(tell("The field is missing"), MEND, name)
    from poolwright.store.structure import structure  # noqa: PLC0415 - cattrs takes a tenth of a second

    return structure(document[name], cls, name, where)


def _parse(text: str, wrong: Callable[..., UserError]) -> object:
    if len(text) > LONGEST_TEXT:
        raise wrong(tell("The document is larger than {longest_text} MiB", longest_text=LONGEST_TEXT >> 20))
    try:
        parsed: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        words = {"msg": error.msg, "lineno": error.lineno, "colno": error.colno}
        what = tell("This is not JSON: {msg} in line {lineno}, column {colno}", **words)
        raise wrong(what, marked("The file may be cut short; copy it again.")) from None
    except RecursionError:
        raise wrong(tell("The document nests too deeply")) from None
    except ValueError as error:
        raise wrong(tell("This is not a good document: {error}", error=error), MEND) from None
    return parsed


def _no_constant(word: str) -> object:
    raise ValueError(tell("{word} is not a number", word=word))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            tell("the field “{next}” stands there twice", next=next(n for n in names if names.count(n) > 1))
        )
    return found
