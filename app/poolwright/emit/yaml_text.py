"""Values as YAML that any reader takes back unchanged: every text quoted, nothing left to guess."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.shown import yaml_escaped

Scalar = str | int | bool


@dataclass(frozen=True, slots=True)
class JinjaText:
    """A text that is meant for Jinja; all other texts are kept from it."""

    text: str


Value = Scalar | JinjaText | Sequence["Value"] | Mapping[str, "Value"]


def yaml_lines(value: Value, indent: int = 0) -> list[str]:
    """Return the lines of a mapping or sequence in block style."""
    pad = " " * indent
    if isinstance(value, Mapping):
        lines: list[str] = []
        for key, item in value.items():
            lines += _entry(f"{pad}{_key(key)}:", item, indent + 2)
        return lines
    assert isinstance(value, Sequence)
    assert not isinstance(value, str)
    lines = []
    for item in value:
        if isinstance(item, Mapping) and item:
            first, *rest = yaml_lines(item, indent + 2)
            lines += [f"{pad}- {first.lstrip()}", *rest]
        else:
            lines += _entry(f"{pad}-", item, indent + 2)
    return lines


def _entry(front: str, item: Value, indent: int) -> list[str]:
    if isinstance(item, str | int | JinjaText):
        return [f"{front} {_scalar(item)}"]
    if not item:
        return [f"{front} {'{}' if isinstance(item, Mapping) else '[]'}"]
    return [front, *yaml_lines(item, indent)]


def _key(key: str) -> str:
    bare = key.replace("_", "").replace(".", "")
    return key if bare.isascii() and bare.isalnum() and not key[0].isdigit() else _quoted(key)


def _scalar(value: Scalar | JinjaText) -> str:
    if isinstance(value, JinjaText):
        return _quoted(value.text)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    # Without the tag Ansible would evaluate what stands in double braces.
    unsafe = "!unsafe " if any(mark in value for mark in ("{{", "{%", "{#")) else ""
    return unsafe + _quoted(value)


def _quoted(text: str) -> str:
    # YAML 1.1 takes no C1 controls and breaks lines at U+0085; nobody sees what only turns the direction of a line.
    return yaml_escaped(json.dumps(text, ensure_ascii=False))
