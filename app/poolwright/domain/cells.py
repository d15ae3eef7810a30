"""Tables as CSV that a spreadsheet takes as values: no cell from outside becomes a formula there."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from poolwright.domain.errors import UserError
from poolwright.domain.shown import shown_lines
from poolwright.texts import tell

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
                tell("This is not a CSV file: {error}", error=error), where=tell("line {line}", line=rows.line_num)
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
