"""How the command line prints: one JSON document, or aligned text."""

import json
import sys
from collections.abc import Sequence


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_line(text: str = "") -> None:
    """Print one line on standard output."""
    sys.stdout.write(text + "\n")


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> None:
    """Print rows in aligned columns; the columns in ``right`` are aligned right."""
    widths = [max(len(str(row[i])) for row in (header, *rows)) for i in range(len(header))]
    for row in (header, *rows):
        cells = [
            str(c).rjust(w) if i in right else str(c).ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        print_line("  ".join(cells).rstrip())
