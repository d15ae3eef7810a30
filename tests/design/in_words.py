"""Writes values of the core as text that a person can read and compare: field by field, floats to four digits.

Properties that a value works out are written too. Nothing here knows what the values mean.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any

from poolwright.design.candidate import Candidate
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate, Origin
from poolwright.domain.money import Money
from poolwright.domain.vdev import VdevSpec, describe
from poolwright.domain.version import ZfsVersion

_SHORT = (str, bool, int, float, Enum, Money, Estimate, Origin, Disk, VdevSpec, Member, ZfsVersion, Candidate, Design)
_SHORT = (*_SHORT, Vdev)  # type: ignore[assignment]


def written(value: object, *, without: Iterable[str] = ()) -> str:
    """Return a value as indented text, without the fields of these names."""
    return "\n".join(_lines(value, frozenset(without))) + "\n"


def short(value: object) -> str:
    """Return a value that needs no line of its own."""
    match value:
        case None:
            return "—"
        case float():
            return f"{value:.4g}"
        case Enum():
            return str(value.value)
        case Estimate():
            why = f" ({value.limit})" if value.limit else ""
            return f"{value.low:.4g} < {value.typical:.4g} < {value.high:.4g}{why} [{value.origin.kind.value}]"
        case Origin():
            return f"{value.kind.value}: {value.source}"
        case Disk():
            return value.key
        case Vdev() | Member() | VdevSpec():
            return _vdev(value)
        case Candidate():
            return f"{value.words} ({value.score:.2f} points)"
        case Design():
            return value.name
    if isinstance(value, frozenset | set):
        return "{" + ", ".join(sorted(short(one) for one in value)) + "}"
    return ", ".join(short(one) for one in value) if isinstance(value, tuple | list) else str(value)


def _vdev(value: Vdev | Member | VdevSpec) -> str:
    if isinstance(value, Vdev):
        members = ", ".join(short(member) for member in value.members)
        return f"{value.vdev_class.value} {value.kind.value} parity {value.parity}: {members}"
    if isinstance(value, VdevSpec):
        return describe((value,))
    return value.disk_key + (f" part {value.part} of {value.slice_bytes} B" if value.slice_bytes is not None else "")


def _lines(value: object, without: frozenset[str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _named(value.items(), without)
    elif is_dataclass(value) and not isinstance(value, (*_SHORT, type)):
        yield from _named(_told(value, without), without)
    elif isinstance(value, tuple | list):
        for one in value:
            first, *others = list(_lines(one, without)) or [""]
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    else:
        yield short(value)


def _told(value: Any, without: frozenset[str]) -> Iterator[tuple[str, object]]:
    """Yield fields that differ from their default, and properties."""
    for field in fields(value):
        held = getattr(value, field.name)
        plain = field.default if field.default is not MISSING else None
        if field.name not in without and not field.name.startswith("_") and held != plain and held != ():
            yield field.name, held
    for name, found in vars(type(value)).items():
        if isinstance(found, property) and name not in without and not name.startswith("_"):
            yield name, getattr(value, name)


def _named(pairs: Iterable[tuple[object, object]], without: frozenset[str]) -> Iterator[str]:
    for name, value in pairs:
        lines = list(_lines(value, without))
        if len(lines) == 1 and not lines[0].startswith("- "):
            yield f"{short(name)}: {lines[0]}"
        else:
            yield f"{short(name)}:"
            yield from (f"  {line}" for line in lines)
