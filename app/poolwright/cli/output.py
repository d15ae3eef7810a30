"""How the command line prints: one JSON document, or aligned text."""

import json
import sys
from collections.abc import Sequence

from poolwright.domain.shown import json_escaped, shown_lines, shown_text


def print_json(document: object, *, one_line: bool = False) -> None:
    text = json.dumps(document, indent=None if one_line else 2, ensure_ascii=False)
    sys.stdout.write(json_escaped(text) + "\n")


def print_line(text: str = "") -> None:
    """Print one line on standard output; what cannot be seen, or would move a terminal's cursor, as an escape."""
    sys.stdout.write(shown_lines(text) + "\n")


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> None:
    """Print rows in aligned columns; the columns in ``right`` are aligned right."""
    header = [shown_text(str(cell)) for cell in header]
    rows = [[shown_text(str(cell)) for cell in row] for row in rows]
    widths = [max(len(str(row[i])) for row in (header, *rows)) for i in range(len(header))]
    for row in (header, *rows):
        cells = [
            str(c).rjust(w) if i in right else str(c).ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        print_line("  ".join(cells).rstrip())
