"""Reads the YAML that the playbook is written in: block style, every text in JSON's quotes. Written apart from it."""

import json
from typing import Any


def read_block_yaml(text: str) -> Any:
    """Return the document; fails on anything that is not plain block style."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#") and line != "---"]
    value, rest = _block(lines, 0)
    assert rest == []
    return value


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(lines: list[str], indent: int) -> tuple[Any, list[str]]:
    return _sequence(lines, indent) if lines[0].lstrip().startswith("- ") else _mapping(lines, indent)


def _sequence(lines: list[str], indent: int) -> tuple[list[Any], list[str]]:
    found = []
    while lines and _indent(lines[0]) == indent and lines[0].lstrip().startswith("- "):
        inner = lines[0].lstrip()[2:]
        if inner.startswith('"') and not inner.rstrip().endswith(":") and '": ' not in inner:
            found.append(json.loads(inner))
            lines = lines[1:]
        elif ": " in inner or inner.endswith(":"):
            item, lines = _mapping([" " * (indent + 2) + inner, *lines[1:]], indent + 2)
            found.append(item)
        else:
            found.append(json.loads(inner))
            lines = lines[1:]
    return found, lines


def _mapping(lines: list[str], indent: int) -> tuple[dict[str, Any], list[str]]:
    found: dict[str, Any] = {}
    while lines and _indent(lines[0]) == indent and not lines[0].lstrip().startswith("- "):
        key, colon, value = _split(lines[0].strip())
        assert colon, lines[0]
        assert key not in found, lines[0]
        lines = lines[1:]
        if value:
            found[key] = json.loads(value.removeprefix("!unsafe "))
        else:
            found[key], lines = _block(lines, _indent(lines[0]))
    return found, lines


def _split(line: str) -> tuple[str, str, str]:
    if line.startswith('"'):
        key, end = json.JSONDecoder().raw_decode(line)
        return key, line[end : end + 1], line[end + 1 :].strip()
    key, colon, value = line.partition(":")
    return key, colon, value.strip()
