"""A design as one JSON file that can be mailed: ``{"schema": 2, "kind": "poolwright-design", "design": {…}}``."""

import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import Money
from poolwright.domain.version import ZfsVersion
from poolwright.store.codec import read_document, write_document
from poolwright.store.contents import check_design
from poolwright.store.files import write_bytes
from poolwright.texts import tell

KIND = "poolwright-design"


def to_json(design: Design) -> str:
    """Return the JSON document of a design; `from_json` of it is equal to ``design``."""
    return write_document(KIND, DESIGN_SCHEMA, "design", design)


def sum_of(document: str) -> str:
    """Return the sum by which a stored document proves that none of its letters turned."""
    return sha256(document.encode()).hexdigest()[:32]


def to_line(design: Design) -> str:
    """Return the JSON document of a design on one line; `from_json` of it is equal to ``design``."""
    return write_document(KIND, DESIGN_SCHEMA, "design", design, lines=False)


def from_json(text: str, *, where: str | None = None) -> Design:
    """Return the design of a JSON document; ``where`` names the file in errors.

    Raises UserError, naming the field, for text that is no such document, a newer schema, wrong types, unknown or
    missing fields, and for designs that contradict themselves.
    """
    design = read_document(text, kind=KIND, schema=DESIGN_SCHEMA, name="design", cls=Design, where=where)
    check_design(design, where=where)
    return replace(design, disks=tuple(_with_known_currency(disk) for disk in design.disks))


def _with_known_currency(disk: Disk) -> Disk:
    """Return a disk of schema 1 with the currency of its price where that is certain: the shipped street prices."""
    if disk.price is None or disk.price.currency is not None:
        return disk
    origin = disk.origin_of("price")
    if origin is None or not origin.source.startswith("catalogue: ") or not origin.source.endswith(", street price"):
        return disk
    return replace(disk, price=replace(disk.price, currency="USD"))


# Designs that the library could not take: each in a file of its own, until the library takes it.

_PRIVATE = 0o600
_FRONT = "unsaved-"


def keep(design: Design, folders: Iterable[Path]) -> Path | None:
    """Write ``design`` into the first folder that takes it; return its file, None where no folder does."""
    for folder in folders:
        path = folder / f"{_FRONT}{sha256(design.key.encode()).hexdigest()[:24]}.json"
        with suppress(OSError, PoolwrightError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(path, to_json(design).encode(), mode=_PRIVATE)
            return path
    logging.getLogger("poolwright").error("a design could not be kept in any folder")
    return None


def kept(folders: Iterable[Path]) -> Iterator[tuple[Path, Design]]:
    """Return the designs that are kept, with their files; a file that is none is left where it is."""
    for folder in folders:
        with suppress(OSError):
            for path in sorted(folder.glob(f"{_FRONT}*.json")):
                with suppress(OSError, UnicodeDecodeError, PoolwrightError):
                    yield path, from_json(path.read_text(encoding="utf-8"), where=str(path))


def forget(key: str, folders: Iterable[Path]) -> None:
    """Remove what was kept of a design that the library has taken."""
    for folder in folders:
        with suppress(OSError):
            (folder / f"{_FRONT}{sha256(key.encode()).hexdigest()[:24]}.json").unlink(missing_ok=True)


# The JSON Schema of design files, made from the very types that are written and read.

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID = "urn:poolwright:design:4"
_LARGEST = (1 << 63) - 1
_PLAIN: dict[Any, dict[str, object]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -_LARGEST, "maximum": _LARGEST},
    float: {"type": "number"},
    Decimal: {"type": "string", "pattern": r"^-?[0-9]{1,18}(\.[0-9]{1,12})?$"},
}


def design_schema() -> str:
    """Return the schema of design files as JSON text.

    It says what the types say: names, kinds, what may be null, what may be left out. Whether the parts of a design
    fit together is looked at when it is read (`contents.check_design`).
    """
    definitions: dict[str, object] = {}
    document = {
        "$schema": DIALECT,
        "$id": SCHEMA_ID,
        "title": tell("Poolwright design"),
        "description": tell("A ZFS pool on paper, with the disks and the host it was made for. Sizes are bytes."),
        "type": "object",
        "properties": {
            "schema": {"type": "integer", "minimum": 1, "maximum": DESIGN_SCHEMA},
            "kind": {"const": KIND},
            "design": _of(Design, definitions),
        },
        "required": ["schema", "kind", "design"],
        "additionalProperties": False,
    }
    document["$defs"] = dict(sorted(definitions.items()))
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _of(kind: Any, definitions: dict[str, object]) -> dict[str, object]:
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if kind is NoneType:
        return {"type": "null"}
    if kind is Money:
        # Schema 1 had bare numbers.
        return {"anyOf": [_of_record(kind, definitions), {"type": "number"}]}
    if kind is ZfsVersion:
        return {
            "type": "string",
            "pattern": r"^(zfs-|v)?[0-9]{1,4}\.[0-9]{1,4}",
            "description": tell("an OpenZFS version"),
        }
    origin = get_origin(kind)
    if origin in (UnionType, Union):
        return {"anyOf": [_of(part, definitions) for part in get_args(kind)]}
    if origin is tuple:
        return _of_tuple(get_args(kind), definitions)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if is_dataclass(kind):
        return _of_record(kind, definitions)
    raise TypeError(tell("no schema for {kind}", kind=kind))


def _of_tuple(kinds: tuple[Any, ...], definitions: dict[str, object]) -> dict[str, object]:
    if kinds[-1] is Ellipsis:
        return {"type": "array", "items": _of(kinds[0], definitions)}
    places = [_of(kind, definitions) for kind in kinds]
    return {"type": "array", "prefixItems": places, "minItems": len(places), "maxItems": len(places)}


def _of_record(kind: Any, definitions: dict[str, object]) -> dict[str, object]:
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # types may hold themselves
        hints = get_type_hints(kind)
        shown: tuple[Field[Any], ...] = tuple(field for field in fields(kind) if field.init)
        definitions[name] = {
            "type": "object",
            "description": _first_words(kind.__doc__),
            "properties": {field.name: _of(hints[field.name], definitions) for field in shown},
            "required": [f.name for f in shown if f.default is MISSING and f.default_factory is MISSING],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def _first_words(text: str | None) -> str:
    return (text or "").strip().split("\n\n")[0].replace("\n", " ").strip()
