"""Writes files so that a reader sees the old one or the new one, never half of either."""

import os
import tempfile
from pathlib import Path

from poolwright.domain.errors import EnvironmentFailure

PLAIN_MODE = 0o644
# Readable and runnable for everybody: a script holds no secret, and does nothing before root has typed the pool's name.
SCRIPT_MODE = 0o755


def write_bytes(path: Path, content: bytes, *, mode: int = PLAIN_MODE) -> None:
    """Write ``content`` to ``path`` with these permissions, whole or not at all; pipes and devices are written to.

    Raises EnvironmentFailure, and then nothing has changed.
    """
    part: Path | None = None
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
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
            todo="Choose another file or folder, or make room there.",
        ) from error


def write_text(path: Path, text: str, *, mode: int = PLAIN_MODE) -> None:
    """Write a text as UTF-8, as `write_bytes` does."""
    write_bytes(path, text.encode(), mode=mode)
