"""A design as one JSON file that can be mailed: ``{"schema": 1, "kind": "poolwright-design", "design": {…}}``."""

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.store.contents import check_design

KIND = "poolwright-design"


def to_json(design: Design) -> str:
    """Return the JSON document of a design; `from_json` of it is equal to ``design``."""
    from poolwright.store.codec import write_document  # noqa: PLC0415 - cattrs takes a tenth of a second

    return write_document(KIND, DESIGN_SCHEMA, "design", design)


def from_json(text: str, *, where: str | None = None) -> Design:
    """Return the design of a JSON document; ``where`` names the file in errors.

    Raises UserError, naming the field, for text that is no such document, a newer schema, wrong types, unknown or
    missing fields, and for designs that contradict themselves.
    """
    from poolwright.store.codec import read_document  # noqa: PLC0415

    design = read_document(text, kind=KIND, schema=DESIGN_SCHEMA, name="design", cls=Design, where=where)
    check_design(design, where=where)
    return design
