"""The inventories of the library: the last reading of each machine or list, by its name."""

from dataclasses import dataclass
from datetime import datetime

from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.store.contents import check_inventory
from poolwright.store.database import Database, now_text
from poolwright.store.inventory_file import from_json, to_json
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryEntry:
    """A line of the library."""

    name: str
    modified: datetime
    disk_count: int


class Inventories:
    """The inventories of one open library. Errors: UserError for what is not there or not whole."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, inventory: Inventory) -> None:
        """Keep ``inventory`` under its name, in place of an earlier one."""
        check_inventory(inventory)
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO inventory (name, modified_at, disk_count, document) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET modified_at = excluded.modified_at, "
                "disk_count = excluded.disk_count, document = excluded.document",
                (inventory.name, now_text(), len(inventory.disks), to_json(inventory)),
            )

    def list(self) -> tuple[InventoryEntry, ...]:
        """Return the inventories, last modified first."""
        rows = self._database.rows(
            "SELECT name, modified_at, disk_count FROM inventory ORDER BY modified_at DESC, name"
        )
        with self._database.reading():
            return tuple(
                InventoryEntry(
                    name=row["name"], modified=datetime.fromisoformat(row["modified_at"]), disk_count=row["disk_count"]
                )
                for row in rows
            )

    def open(self, name: str) -> Inventory:
        """Return the inventory of this name."""
        rows = self._database.rows("SELECT document FROM inventory WHERE name = ?", name)
        if not rows:
            raise UserError(tell("The library holds no inventory “{name}”", name=name), where=str(self._database.path))
        return from_json(
            rows[0]["document"], where=tell("inventory “{name}” in {path}", name=name, path=self._database.path)
        )

    def delete(self, name: str) -> None:
        """Forget an inventory; designs keep the disks they were made with."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM inventory WHERE name = ?", (name,))
