"""Reads the design a command is asked about: a file, or standard input."""

import sys
from pathlib import Path

from poolwright.domain.design import Design
from poolwright.domain.errors import UserError

LARGEST_FILE_BYTES = 16 << 20


def read_design(name: str) -> Design:
    """Return the design in the file ``name``, ``-`` for standard input. Raises UserError, naming the file."""
    from poolwright.store.design_file import from_json

    return from_json(_text(name), where="standard input" if name == "-" else name)


def _text(name: str) -> str:
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise UserError(f"Cannot read the design: {error.strerror}", where=name, todo="Check the path.") from None
    if len(raw) > LARGEST_FILE_BYTES:
        raise UserError(f"The file is larger than {LARGEST_FILE_BYTES >> 20} MiB: not a design", where=name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise UserError("The file is not UTF-8 text: not a design", where=name) from None
