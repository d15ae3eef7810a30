"""Figures that cannot be 0: tools and files print 0 for what they do not know; here that is None."""

from typing import Any


def zero_is_unknown(value: Any, *names: str) -> None:
    """Make these fields of a frozen value None where they are 0; called while it is made."""
    for name in names:
        if getattr(value, name) == 0:
            object.__setattr__(value, name, None)
