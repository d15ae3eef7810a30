"""Designs as files: opened into the session, saved from it."""

from pathlib import Path

from poolwright.domain.design import Design
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.store.design_file import from_json, to_json
from poolwright.store.files import write_text
from poolwright.texts import tell

SUFFIX = ".json"
LARGEST_BYTES = 64 << 20


def read_design(path: Path) -> Design:
    """Return the design in a file.

    Raises EnvironmentFailure where the file cannot be read, UserError where it is too large or no design.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise UserError(
                tell("The file is too large to be a design: {size} MiB", size=size >> 20),
                where=str(path),
                todo=tell("Open captures from the start page instead."),
            )
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise EnvironmentFailure(tell("The design cannot be read: {reason}", reason=reason), where=str(path)) from error
    except UnicodeDecodeError:
        raise UserError(tell("The file is not a design: it is not UTF-8 text"), where=str(path)) from None
    return from_json(text, where=str(path))


def write_design(design: Design, path: Path) -> Path:
    """Write the design to a file and return its path, with .json added where it has no suffix."""
    path = path if path.suffix else path.with_suffix(SUFFIX)
    write_text(path, to_json(design))
    return path


def file_name(design: Design) -> str:
    """Return a name for the design's file that every file system takes."""
    kept = "".join(c if c.isalnum() or c in " ._-" else "-" for c in design.name).strip(" .-")
    return f"{kept[:80] or 'design'}{SUFFIX}"
