"""A document made of values, with every text in it shown so that it is what it looks like."""

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TypeVar

from poolwright.domain.shown import shown_lines

T = TypeVar("T")


def shown_document(value: T) -> T:
    """Return ``value`` (texts, tuples and dataclasses of them) with every text as `shown_lines` has it.

    What writes a document for people calls this once, so that no cell, caption or command is forgotten.
    """
    changed: object = value
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        changed = shown_lines(value)
    elif isinstance(value, tuple):
        shown = tuple(shown_document(item) for item in value)
        if any(new is not old for new, old in zip(shown, value, strict=True)):
            changed = shown
    elif is_dataclass(value) and not isinstance(value, type):
        made = {field.name: shown_document(getattr(value, field.name)) for field in fields(value) if field.init}
        if any(made[name] is not getattr(value, name) for name in made):
            changed = replace(value, **made)
    return changed  # type: ignore[return-value]
