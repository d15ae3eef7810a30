"""Designs that the library could not take: each in a file of its own, until the library takes it."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.store.design_file import from_json, to_json
from poolwright.store.files import write_bytes

_PRIVATE = 0o600
_FRONT = "unsaved-"


def keep(design: Design, folders: Iterable[Path]) -> Path | None:
    """Write ``design`` into the first folder that takes it; return its file, None where no folder does."""
    for folder in folders:
        path = folder / f"{_FRONT}{sha256(design.key.encode()).hexdigest()[:24]}.json"
        with suppress(OSError, PoolwrightError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(path, to_json(design).encode(), mode=_PRIVATE)
            return path
    logging.getLogger("poolwright").error("a design could not be kept in any folder")
    return None


def kept(folders: Iterable[Path]) -> Iterator[tuple[Path, Design]]:
    """Return the designs that are kept, with their files; a file that is none is left where it is."""
    for folder in folders:
        with suppress(OSError):
            for path in sorted(folder.glob(f"{_FRONT}*.json")):
                with suppress(OSError, UnicodeDecodeError, PoolwrightError):
                    yield path, from_json(path.read_text(encoding="utf-8"), where=str(path))


def forget(key: str, folders: Iterable[Path]) -> None:
    """Remove what was kept of a design that the library has taken."""
    for folder in folders:
        with suppress(OSError):
            (folder / f"{_FRONT}{sha256(key.encode()).hexdigest()[:24]}.json").unlink(missing_ok=True)
