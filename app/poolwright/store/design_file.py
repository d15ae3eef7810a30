"""A design as one JSON file that can be mailed: ``{"schema": 2, "kind": "poolwright-design", "design": {…}}``."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.store.codec import read_document, write_document
from poolwright.store.files import write_bytes
from poolwright.store.validation import check_design

KIND = "poolwright-design"


def to_json(design: Design, rules: Mapping[str, int] | None = None) -> str:
    """Return the document of a design; with the sums of the ``rules`` that judged it, as of a file to be handed on."""
    return write_document(KIND, DESIGN_SCHEMA, "design", design, rules=rules or {})


def rules_in(document: str) -> dict[str, int] | None:
    """Return the sums of the rules that judged a design when its file was written; None where it tells none."""
    found = json.loads(document).get("rules")
    return found if isinstance(found, dict) and all(isinstance(one, int) for one in found.values()) else None


def sum_of(document: str) -> str:
    """Return the sum by which a stored document proves that none of its letters turned."""
    return sha256(document.encode()).hexdigest()[:32]


def to_line(design: Design) -> str:
    """Return the JSON document of a design on one line; `from_json` of it is equal to ``design``."""
    return write_document(KIND, DESIGN_SCHEMA, "design", design, lines=False)


def from_json(text: str, *, where: str | None = None) -> Design:
    """Return the design of a JSON document; ``where`` names the file in errors.

    Raises UserError, naming the field, for text that is no such document, a newer schema, wrong types, unknown or
    missing fields, and for designs that contradict themselves.
    """
    design = read_document(
        text, kind=KIND, schema=DESIGN_SCHEMA, name="design", cls=Design, where=where, beside="rules"
    )
    check_design(design, where=where)
    return replace(design, disks=tuple(_with_known_currency(disk) for disk in design.disks))


def _with_known_currency(disk: Disk) -> Disk:
    """Return a disk of schema 1 with the currency of its price where that is certain: the shipped street prices."""
    if disk.price is None or disk.price.currency is not None:
        return disk
    origin = disk.origin_of("price")
    if origin is None or not origin.source.startswith("catalogue: ") or ", street price" not in origin.source:
        return disk
    return replace(disk, price=replace(disk.price, currency="USD"))


# Designs that the library could not take: each in a file of its own, until the library takes it.

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
