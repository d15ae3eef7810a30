"""Writes files so that a reader sees the old one or the new one, never half of either."""

import os
import tempfile
from pathlib import Path

from poolwright.domain.errors import EnvironmentFailure

PLAIN_MODE = 0o644
EXECUTABLE_MODE = 0o755


def save_bytes(path: Path, content: bytes, *, mode: int = PLAIN_MODE) -> None:
    """Write ``content`` to ``path`` with these permissions; raises EnvironmentFailure, and then nothing has changed."""
    part: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        part = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
        part.replace(path)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        raise EnvironmentFailure(
            f"The file cannot be written: {error.strerror or error}",
            where=str(path),
            todo="Choose another folder, or make room there.",
        ) from error


def save_script(path: Path, text: str) -> None:
    """Write a script that can be run; raises EnvironmentFailure."""
    save_bytes(path, text.encode(), mode=EXECUTABLE_MODE)
