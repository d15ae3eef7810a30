"""The pieces of a typed list of disks: numbers with their unit, signs of times, separators, words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.units import is_disk_unit


class TokenKind(StrEnum):
    NUMBER = "number"
    TIMES = "times"
    COMMA = "comma"
    END = "end"  # what surely ends a group
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece, where it begins (from 0), and of a number its digits and what is attached to them."""

    kind: TokenKind
    text: str
    at: int
    digits: str = ""
    unit: str = ""


_BLANKS = re.compile(r"[^\S\n]+")
_DIGITS = re.compile("[0-9](?:[0-9.,'’_\u00a0\u2009\u202f]*[0-9])?")
_ATTACHED = re.compile(r"[^\s,;+×*0-9][^\s,;+×*]*")
# “x” behind a number: a number or a word follows, perhaps after blanks, or nothing yet.
_TIMES = re.compile(r"[x×*](?=[0-9a-z\s]|\Z)", re.IGNORECASE)
_TRAILING_TIMES = re.compile(r"x[0-9]+\Z", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;+×*]+")


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the pieces of ``text`` in time proportional to its length."""
    at, after_number = 0, False
    while at < len(text):
        blanks = _BLANKS.match(text, at)
        if blanks is not None:
            at = blanks.end()
            continue
        token = _token(text, at, after_number)
        yield token
        at, after_number = at + len(token.text), token.kind is TokenKind.NUMBER or is_disk_unit(token.text)


def _token(text: str, at: int, after_number: bool) -> Token:
    if text[at] in ";+\n":
        return Token(kind=TokenKind.END, text=text[at], at=at)
    if text[at] == ",":
        return Token(kind=TokenKind.COMMA, text=",", at=at)
    if text[at] in "×*" or (after_number and _TIMES.match(text, at)):
        return Token(kind=TokenKind.TIMES, text=text[at], at=at)
    digits = _DIGITS.match(text, at)
    if digits is None:
        word = _WORD.match(text, at)
        return Token(kind=TokenKind.WORD, text=word.group() if word else text[at], at=at)
    unit = ""
    attached = None if _TIMES.match(text, digits.end()) else _ATTACHED.match(text, digits.end())
    if attached is not None:
        unit = _TRAILING_TIMES.sub("", attached.group())  # 16TBx12
    return Token(kind=TokenKind.NUMBER, text=digits.group() + unit, at=at, digits=digits.group(), unit=unit)
