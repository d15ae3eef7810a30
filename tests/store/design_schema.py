"""The JSON Schema of design files, made from the very types that are written and read.

`python -m tests.store.design_schema` writes it anew when a type has changed.
"""

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.money import Money
from poolwright.domain.version import ZfsVersion
from poolwright.store.design_file import KIND

PUBLISHED = Path(__file__).parents[2] / "resources" / "schema" / "design.schema.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID = "urn:poolwright:design:4"
_LARGEST = (1 << 63) - 1
_PLAIN: dict[Any, dict[str, object]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -_LARGEST, "maximum": _LARGEST},
    float: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
    Decimal: {"type": "string", "pattern": r"^-?[0-9]{1,18}(\.[0-9]{1,12})?$"},
}


def design_schema() -> str:
    """Return the schema of design files as JSON text.

    It says what the types say: names, kinds, what may be null, what may be left out. Whether the parts of a design
    fit together is looked at when it is read.
    """
    definitions: dict[str, object] = {}
    document = {
        "$schema": DIALECT,
        "$id": SCHEMA_ID,
        "title": "Poolwright design",
        "description": "A ZFS pool on paper, with the disks and the host it was made for. Sizes are bytes.",
        "type": "object",
        "properties": {
            "schema": {"type": "integer", "minimum": 1, "maximum": DESIGN_SCHEMA},
            "kind": {"const": KIND},
            "rules": {
                "type": "object",
                "description": "Sums of the rules that judged the design when it was saved, by their ids.",
                "additionalProperties": {"type": "integer"},
            },
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
        return {"type": "string", "pattern": r"^(zfs-|v)?[0-9]{1,4}\.[0-9]{1,4}", "description": "an OpenZFS version"}
    origin = get_origin(kind)
    if origin in (UnionType, Union):
        return {"anyOf": [_of(part, definitions) for part in get_args(kind)]}
    if origin is tuple:
        return _of_tuple(get_args(kind), definitions)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if is_dataclass(kind):
        return _of_record(kind, definitions)
    raise TypeError(kind)


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


if __name__ == "__main__":
    PUBLISHED.write_text(design_schema(), encoding="utf-8")
