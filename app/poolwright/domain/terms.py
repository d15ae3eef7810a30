"""The terms of the field as `rules/data/terms.toml` explains them."""

from typing import NamedTuple

from poolwright.shipped import shipped
from poolwright.texts import _


class Term(NamedTuple):
    """A term of the field, what it means, and the manual page that says more (empty where none does)."""

    name: str
    meaning: str
    manual: str


def terms() -> tuple[Term, ...]:
    known = shipped("terms")["term"]
    made = (
        Term(entry.get("as_is") or _(entry["title"]), _(entry["summary"]), entry.get("manual", "")) for entry in known
    )
    return tuple(sorted(made, key=lambda term: term.name.casefold()))
