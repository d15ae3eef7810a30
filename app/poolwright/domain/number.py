"""Numbers as people write them: decimal point or comma, separators of thousands. What may mean two things is refused.

Every function takes time in proportion to the text.
"""

import re
from decimal import Decimal
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.texts import tell

# Digits with what may stand between them. A plain space is looked at apart: “4 960” may be two numbers.
_LEADING = re.compile("[0-9](?:[0-9.,'’_\u00a0\u2009\u202f]*[0-9])?")
_SPACED = re.compile(r"[0-9]{1,3}(?: [0-9]{3}){2,13}(?:[.,][0-9]+)?(?![0-9])")
_NARROW = str.maketrans(dict.fromkeys("'’_\u00a0\u2009\u202f ", " "))
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
_EVEN_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]00\Z")
_COMMA = re.compile(r"([0-9]+),([0-9]+)\Z")
_POINT_GROUPS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+\Z")
_COMMA_GROUPS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\Z")
_SPACE_GROUPS = re.compile(r"[0-9]{1,3}(?: [0-9]{3})+\Z")
_DIGITS = re.compile(r"[0-9]+\Z")
_MOST_DIGITS = 40
_SHOWN = 40
_HEAD = 400


def shortened(text: str) -> str:
    """Return ``text`` in quotation marks for a message, without what surrounds it and not at any length."""
    bare = text[:_HEAD].strip()
    return f"“{bare}”" if len(bare) <= _SHOWN else f"“{bare[: _SHOWN - 1]}…”"


def split_number(text: str) -> tuple[str, str]:
    """Return the number at the beginning of ``text`` as it was written, and the rest; both without blanks around.

    The first is empty where no digit leads.
    """
    bare = text.strip()
    found = _SPACED.match(bare) or _LEADING.match(bare)
    return ("", bare) if found is None else (found.group(), bare[found.end() :].strip())


def number_of(text: str) -> Decimal:
    """Return the number that ``text`` writes, as `split_number` found it.

    ``1.5`` and ``1,5`` are the same; ``6,001,175,126,016`` and ``6.001.175,5`` have separators of thousands. A comma
    before exactly three digits, ``1,920``, may be either and is refused, as is a point in ``16.000``. Raises UserError.
    """
    plain = text.translate(_NARROW)
    if len(plain) > _MOST_DIGITS:
        raise UserError(
            tell("{text} has too many digits", text=shortened(text)),
            todo=tell("Write {most} at most.", most=_MOST_DIGITS),
        )
    if _PLAIN.match(plain):
        if _EVEN_THOUSANDS.match(plain):
            raise _either(text, *plain.split("."))
        return Decimal(plain)
    comma = _COMMA.match(plain)
    if comma is not None:
        whole, decimals = comma.groups()
        if len(decimals) == 3 and len(whole) <= 3 and whole.strip("0"):
            raise _either(text, whole, decimals)
        return Decimal(f"{whole}.{decimals}")
    mark = max(plain.rfind("."), plain.rfind(","))
    # The last of two different marks is the decimal sign; a mark that stands there twice parts thousands.
    decimal_sign = mark >= 0 and plain.count(plain[mark]) == 1
    whole, decimals = (plain[:mark], plain[mark + 1 :]) if decimal_sign else (plain, "")
    grouped = any(groups.match(whole) for groups in (_POINT_GROUPS, _COMMA_GROUPS, _SPACE_GROUPS))
    if grouped and (not decimals or _DIGITS.match(decimals)):  # nothing parts the digits behind the decimal sign
        digits = re.sub(r"[., ]", "", whole)
        return Decimal(f"{digits}.{decimals}" if decimals else digits)
    raise UserError(tell("{text} is not a number", text=shortened(text)), todo=tell("Write it as 1500 or 1.5."))


def _either(text: str, whole: str, decimals: str) -> UserError:
    few = decimals.rstrip("0")
    written = f"{whole}.{few}" if few else whole
    return UserError(
        tell(
            "{text} can be {whole}{decimals} or {written}",
            text=shortened(text),
            whole=whole,
            decimals=decimals,
            written=written,
        ),
        todo=tell("Write the one that is meant."),
    )


def with_article(noun: str) -> str:
    """Return a noun for a sentence: ``an amount``, ``a size``."""
    return tell("an {noun}", noun=noun) if noun[:1].lower() in "aeio" else tell("a {noun}", noun=noun)


def zero_is_unknown(value: Any, *names: str) -> None:
    """Make these fields of a frozen value None where they are 0; tools and files print 0 for what they do not know."""
    for name in names:
        if getattr(value, name) == 0:
            object.__setattr__(value, name, None)
