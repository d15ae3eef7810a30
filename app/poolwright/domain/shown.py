"""Text from outside, shown so that it is what it looks like: no control, direction or invisible characters.

Serial numbers, models, names and values come from disks, files and people. A character that moves the cursor, turns
the direction of writing, or shows nothing would let a line look like another than it is. Every place that shows or
writes such text takes it from here; which characters are plain is decided in `is_plain` alone.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from textwrap import TextWrapper
from unicodedata import east_asian_width

from poolwright.domain.errors import UserError
from poolwright.texts import _

# Printable to Python, but invisible: fillers, joiners, variation selectors (Default_Ignorable_Code_Point).
_INVISIBLE = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Wider, narrower and no-break spaces: for people they are spaces.
_BLANKS = frozenset("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# An escaped backslash and a whole pair are kept, so that what is left is one half.
_ESCAPED = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
# Most text is plain ASCII: only other characters are looked at one by one.
_OTHER = re.compile(r"[^ -~]")
_OTHER_IN_LINES = re.compile(r"[^\n -~]")


def is_plain(character: str) -> bool:
    if not character.isprintable():
        return False
    code = ord(character)
    return code < 0x34F or not any(first <= code <= last for first, last in _INVISIBLE)


def is_plain_text(text: str) -> bool:
    return all(is_plain(match.group()) for match in _OTHER.finditer(text))


def shown_text(text: str) -> str:
    """Return ``text`` as one line for people: blanks of all widths as blanks, what cannot be seen as ``\\u202e``."""
    return _OTHER.sub(_visible, text)


def shown_lines(text: str) -> str:
    """Return ``text`` as `shown_text`, but line breaks and tabulators stay: for what a terminal or a log prints."""
    return _OTHER_IN_LINES.sub(lambda match: "\t" if match.group() == "\t" else _visible(match), text)


def whole_text(text: str) -> str:
    """Return ``text`` with U+FFFD for each half of a surrogate pair: it is no character, and no UTF-8 can hold it.

    Such halves come from file names and arguments that are not UTF-8, and from JSON that was cut.
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def whole_escapes(text: str) -> str:
    """Return what a tool printed, with ``\\ufffd`` for an escape of JSON that means half a surrogate pair."""
    return _ESCAPED.sub(lambda m: m[1] or "\\ufffd", text) if _ESCAPED_SURROGATE.search(text) else text


def first_bad_line(error: UnicodeDecodeError) -> int:
    """Return the line, from 1, on which bytes begin that are no UTF-8 text."""
    return error.object.count(b"\n", 0, error.start) + 1


def html_escaped(text: str) -> str:
    """Return ``text`` as it stands in a page, with what cannot be seen as ``\\u202e``; line breaks stay."""
    from html import escape  # noqa: PLC0415 - its 2,000 names are for reports alone

    return escape(shown_lines(text))


def json_escaped(text: str) -> str:
    """Return a JSON document with every character that cannot be seen as an escape; its meaning stays.

    Halves of characters become U+FFFD, as by `whole_text`.
    """
    return _OTHER_IN_LINES.sub(lambda match: match.group() if is_plain(match.group()) else _utf16(match.group()), text)


def yaml_escaped(quoted: str) -> str:
    """Return a double-quoted YAML text with every character that cannot be seen as an escape of YAML."""
    return _OTHER.sub(lambda match: match.group() if is_plain(match.group()) else _escaped(match.group()), quoted)


def _visible(match: re.Match[str]) -> str:
    character = match.group()
    if character in _BLANKS:
        return " "
    return character if is_plain(character) else _escaped(character)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _utf16(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"  # what is written can be read again
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code - 0x10000 & 0x3FF):04x}"


# Tables as CSV that a spreadsheet takes as values: no cell from outside becomes a formula there.

# What Excel, LibreOffice and Google Sheets read as the beginning of a formula; the wide forms by their own editors.
# A tab or a line break in front is stripped by some before they look for it.
_FORMULA = re.compile(r"'*[\t\r\n]|[\s'\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[0-9][0-9 ,.]*(?:[eE][+-]?[0-9]+)?\Z")
_MARKED = re.compile(r"'(?='*[\t\r\n]|[\s'\"]*[=+\-@\uff1d\uff0b\uff0d\uff20])")
_SIGNS = frozenset("-+")


def cell_text(text: str) -> str:
    """Return a cell as a spreadsheet may have it: what would begin a formula gets an apostrophe in front.

    Numbers stay as they are, also negative ones. `cell_value` takes the apostrophe off again.
    """
    if not _FORMULA.match(text) or text in _SIGNS or _NUMBER.match(text):
        return text
    return f"'{text}"


def cell_value(text: str) -> str:
    return text[1:] if _MARKED.match(text) else text


def csv_rows(text: str, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the number of its last line; lines may end as on any system.

    Raises UserError with the line for what is no CSV: a quote that never ends, a cell beyond all measure.
    """
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=None), delimiter=delimiter)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise UserError(
                _("This is not a CSV file: {error}", error=error), where=_("line {line}", line=rows.line_num)
            ) from None
        yield rows.line_num, row


def csv_text(rows: Iterable[Iterable[str]], *, exact: bool = False) -> str:
    """Return rows of texts as CSV, each line ended by ``\\n``; what cannot be seen in them stands as an escape.

    With ``exact`` characters stay as they are: for a file of the user's own that is read again.
    """
    out = io.StringIO()
    show = str if exact else shown_lines
    csv.writer(out, lineterminator="\n").writerows([cell_text(show(cell)) for cell in row] for row in rows)
    return out.getvalue()


# Lines of a terminal, in which a Chinese sign takes two columns, and may begin a line wherever it stands.

_SIGN = "[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]"
_PIECES = re.compile(f"[（《]*(?:{_SIGN}|(?:(?!{_SIGN}).)+)[，。：；？！）、》]*", re.DOTALL)


def columns(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text) if not text.isascii() else str.__len__(text)


class _Piece(str):
    __slots__ = ()

    def __len__(self) -> int:
        return columns(self)


class _Folding(TextWrapper):
    def _split(self, text: str) -> list[str]:
        return [_Piece(piece) for chunk in super()._split(text) for piece in _PIECES.findall(chunk)]


def folded(text: str, width: int, *, first: str = "", below: str = "") -> list[str]:
    """Return a text in lines of so many columns, which begin so; names and paths stay whole."""
    lines = _Folding(
        width, initial_indent=first, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    )
    return lines.wrap(text)


_WORDS = re.compile(r"\d+|\D+")  # \d is what `str.isdecimal` says


def natural(shown: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts texts as people do: sda2 before sda10, without regard to case."""
    return tuple([_part(word) for word in _WORDS.findall(shown.casefold())])


def _part(word: str) -> tuple[int, int, str]:
    return (0, int(word), "") if word.isdecimal() else (1, 0, word)
