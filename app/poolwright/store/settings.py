"""The user's settings: each is declared once with its type and default, kept as JSON text."""

import json
from dataclasses import dataclass
from typing import Generic, TypeVar

from poolwright.store.database import Database

V = TypeVar("V", bool, int, float, str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared(Generic[V]):
    """A setting: its name, and the value while nobody has set it, which also gives the type."""

    name: str
    default: V


class Settings:
    """The settings of one open library."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, setting: Declared[V]) -> V:
        """Return the value; the default when it was never set or what is stored is of another type."""
        rows = self._database.rows("SELECT value FROM setting WHERE name = ?", setting.name)
        if not rows:
            return setting.default
        try:
            value = json.loads(rows[0]["value"])
        except ValueError:
            return setting.default
        return value if type(value) is type(setting.default) else setting.default

    def put(self, setting: Declared[V], value: V) -> None:
        """Keep ``value``."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO setting (name, value) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (setting.name, json.dumps(value)),
            )

    def reset(self, setting: Declared[V]) -> None:
        """Go back to the default."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM setting WHERE name = ?", (setting.name,))
