"""Reads a file that a command is given by name, or standard input for “-”: no larger than it may be, and UTF-8."""

import sys
from pathlib import Path

from poolwright.domain.errors import UserError

LARGEST_FILE_BYTES = 16 << 20


def read_raw(name: str, kind: str = "", *, most_bytes: int = LARGEST_FILE_BYTES) -> bytes:
    """Return the bytes of a file. ``kind`` says in errors what it should be: design, catalogue; raises UserError."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(most_bytes + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(most_bytes + 1)
    except OSError as error:
        raise UserError(
            f"Cannot read the {kind or 'file'}: {error.strerror}", where=name, todo="Check the path."
        ) from None
    if len(raw) > most_bytes:
        raise UserError(f"The file is larger than {most_bytes >> 20} MiB{_not_a(kind)}", where=name)
    return raw


def read_text(name: str, kind: str = "", *, todo: str | None = None) -> str:
    """Return the text of a file, as `read_raw`; ``todo`` says what to do where it is not UTF-8."""
    try:
        return read_raw(name, kind).decode("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"The file is not UTF-8 text{_not_a(kind)}", where=name, todo=todo) from None


def _not_a(kind: str) -> str:
    return f": not a {kind}" if kind else ""
