"""An inventory as one JSON file: ``{"schema": 2, "kind": "poolwright-inventory", "inventory": {…}}``."""

from poolwright.domain.inventory import Inventory
from poolwright.store.codec import read_document, write_document
from poolwright.store.contents import check_inventory

KIND = "poolwright-inventory"
SCHEMA = 3  # 2: money is a decimal text with its currency; 3: partitions seen on disks


def to_json(inventory: Inventory) -> str:
    """Return the JSON document of an inventory; `from_json` of it is equal to ``inventory``."""
    return write_document(KIND, SCHEMA, "inventory", inventory)


def from_json(text: str, *, where: str | None = None) -> Inventory:
    """Return the inventory of a JSON document; errors as those of a design file."""
    inventory = read_document(text, kind=KIND, schema=SCHEMA, name="inventory", cls=Inventory, where=where)
    check_inventory(inventory, where=where)
    return inventory
