"""A design as one JSON file that can be mailed: ``{"schema": 2, "kind": "poolwright-design", "design": {…}}``."""

from dataclasses import replace
from hashlib import sha256

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.disk import Disk
from poolwright.store.codec import read_document, write_design, write_document
from poolwright.store.contents import check_design

KIND = "poolwright-design"


def to_json(design: Design) -> str:
    """Return the JSON document of a design; `from_json` of it is equal to ``design``."""
    return write_document(KIND, DESIGN_SCHEMA, "design", design)


def sum_of(document: str) -> str:
    """Return the sum by which a stored document proves that none of its letters turned."""
    return sha256(document.encode()).hexdigest()[:32]


def to_line(design: Design) -> str:
    """Return the JSON document of a design on one line; `from_json` of it is equal to ``design``."""
    return write_design(KIND, DESIGN_SCHEMA, design)


def from_json(text: str, *, where: str | None = None) -> Design:
    """Return the design of a JSON document; ``where`` names the file in errors.

    Raises UserError, naming the field, for text that is no such document, a newer schema, wrong types, unknown or
    missing fields, and for designs that contradict themselves.
    """
    design = read_document(text, kind=KIND, schema=DESIGN_SCHEMA, name="design", cls=Design, where=where)
    check_design(design, where=where)
    return replace(design, disks=tuple(_with_known_currency(disk) for disk in design.disks))


def _with_known_currency(disk: Disk) -> Disk:
    """Return a disk of schema 1 with the currency of its price where that is certain: the shipped street prices."""
    if disk.price is None or disk.price.currency is not None:
        return disk
    origin = disk.origin_of("price")
    if origin is None or not origin.source.startswith("catalogue: ") or not origin.source.endswith(", street price"):
        return disk
    return replace(disk, price=replace(disk.price, currency="USD"))
