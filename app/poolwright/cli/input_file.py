"""Reads a file that a command is given by name, or standard input for “-”: no larger than it may be, and UTF-8."""

import codecs
import sys
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.domain.shown import first_bad_line
from poolwright.texts import tell

LARGEST_FILE_BYTES = 16 << 20
_LOOKED_AT_BYTES = 64 << 10


class FileMissing(UserError):
    """No file has the name that was given."""


def read_raw(name: str, kind: str = "", *, most_bytes: int = LARGEST_FILE_BYTES) -> bytes:
    """Return the bytes of a file. ``kind`` says in errors what it should be: design, catalogue; raises UserError."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(most_bytes + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(most_bytes + 1)
    except OSError as error:
        raise (FileMissing if isinstance(error, FileNotFoundError) else UserError)(
            tell("Cannot read the {kind}: {error}", kind=kind or tell("file"), error=_reason(error)),
            where=name,
            todo=tell("Check the path."),
        ) from None
    if len(raw) > most_bytes:
        raise UserError(
            tell("The file is larger than {most} MiB: not a {kind}", most=most_bytes >> 20, kind=kind)
            if kind
            else tell("The file is larger than {most} MiB", most=most_bytes >> 20),
            where=name,
        )
    return raw


def _reason(error: OSError) -> str:
    """Return why a file cannot be read, in plain words where it is one of the usual reasons."""
    if isinstance(error, FileNotFoundError):
        return tell("there is no such file")
    if isinstance(error, IsADirectoryError):
        return tell("this is a folder")
    return error.strerror or str(error)


def read_text(name: str, kind: str = "", *, todo: str | None = None, most_bytes: int = LARGEST_FILE_BYTES) -> str:
    """Return the text of a file, as `read_raw`; ``todo`` says what to do where it is not UTF-8 text."""
    raw, where = read_raw(name, kind, most_bytes=most_bytes), name
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text, where = "\0", f"{name}:{first_bad_line(error)}"
    if "\0" in text:
        raise UserError(_no_text(kind), where=where, todo=todo or tell("Name another file."))
    return text


def check_text(name: str, kind: str, *, todo: str) -> None:
    """Refuse a file that cannot be read or does not begin as text, without reading it whole; raises UserError."""
    try:
        with Path(name).open("rb") as file:
            begin = file.read(_LOOKED_AT_BYTES)
    except OSError as error:
        raise UserError(
            tell("Cannot read the {kind}: {error}", kind=kind, error=_reason(error)),
            where=name,
            todo=tell("Check the path."),
        ) from None
    try:
        # The last character may be cut in two.
        codecs.getincrementaldecoder("utf-8")().decode(begin)
    except UnicodeDecodeError:
        begin = b"\0"
    if b"\0" in begin:
        raise UserError(_no_text(kind), where=name, todo=todo)


def _no_text(kind: str) -> str:
    return tell("The file is not UTF-8 text: not a {kind}", kind=kind) if kind else tell("The file is not UTF-8 text")
