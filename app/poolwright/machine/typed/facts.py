"""Facts of typed disks that are values rather than words: model=NAME, shelf=2, read=180MB/s."""

import re
from collections.abc import Sequence

from poolwright.domain.errors import UserError
from poolwright.domain.number import shortened
from poolwright.machine.typed.group import TypedGroup
from poolwright.machine.typed.tokens import Token, TokenKind
from poolwright.texts import tell

# Bytes alone: bits a second are the speed of a link.
_RATE = re.compile(r"[kKMGT]i?B(?:/s|ps)\Z")
_SHELVES = frozenset({"shelf", "shelves", "enclosure", "jbod"})
_LONGEST_NAME = 60
_NAME = re.compile(r"[^\x00-\x1f\x7f]+\Z")
_QUOTES = "\"'“”"
# Their names stand before the model in what a drive prints of itself: “Samsung SSD 870 EVO 1TB”.
_MAKERS = frozenset(
    (
        *("samsung", "intel", "solidigm", "crucial", "micron", "kingston", "seagate", "toshiba", "kioxia"),
        *("wd", "wdc", "western", "hgst", "hitachi", "sandisk"),
    )
)
_WAYS = {"read": ("read",), "reads": ("read",), "write": ("write",), "writes": ("write",), "rate": ("read", "write")}


def typed_fact(group: TypedGroup, tokens: Sequence[Token], at: int) -> int | None:
    """Read the fact that begins at ``at`` into ``group``; return where it ends, None where there is none.

    Raises UserError for a name that is empty or too long, a rate that is none, and a fact that is told twice.
    """
    token = tokens[at]
    if token.kind is TokenKind.NUMBER:
        apart = not token.unit and at + 1 < len(tokens)
        unit = tokens[at + 1].text if apart else token.unit
        if _RATE.match(unit) is None:
            return None
        group.measure("read", f"{token.digits} {unit}")
        return at + 1 + apart
    key, sign, value = token.text.partition("=")
    key = key.casefold()
    if not sign:
        return _shelf_behind(group, tokens, at) if key in _SHELVES else None
    if key == "model":
        end = _end_of_model(tokens, at, value)
        group.name_model(_name(" ".join([value, *(t.text for t in tokens[at + 1 : end])]), "model"))
        return end
    if key in _SHELVES:
        group.stand_in(_name(value, "shelf"))
    elif key in _WAYS:
        for way in _WAYS[key]:
            group.measure(way, value)
    else:
        return None
    return at + 1


def _end_of_model(tokens: Sequence[Token], at: int, value: str) -> int:
    """Return where a model ends: at the closing quote, or, behind a maker's name, before the next fact or group."""
    quoted, end = value[:1] in _QUOTES, at + 1
    if quoted or value.casefold() in _MAKERS:
        while end < len(tokens) and not (quoted and tokens[end - 1].text[-1] in _QUOTES and len(value) > 1):
            behind = tokens[end + 1].kind if end + 1 < len(tokens) else None
            apart = tokens[end].kind not in (TokenKind.WORD, TokenKind.NUMBER) or "=" in tokens[end].text
            if not quoted and (apart or behind is TokenKind.TIMES):
                break
            end += 1
    return end


def _shelf_behind(group: TypedGroup, tokens: Sequence[Token], at: int) -> int | None:
    """Take the name behind the word shelf, unless it is the number of the next group."""
    kinds = [token.kind for token in tokens[at + 1 : at + 3]]
    if not kinds or kinds[0] not in (TokenKind.WORD, TokenKind.NUMBER) or kinds[1:] == [TokenKind.TIMES]:
        return None
    group.stand_in(_name(tokens[at + 1].text, "shelf"))
    return at + 2


def _name(text: str, what: str) -> str:
    name = text.strip("\"'“”")
    if not 0 < len(name) <= _LONGEST_NAME or _NAME.match(name) is None:
        raise UserError(
            tell("{text} is no name of a {what}", text=shortened(text), what=what),
            todo=tell("Write {what}=NAME, at most {longest_name} letters.", what=what, longest_name=_LONGEST_NAME),
        )
    return name
