"""The comparisons of the library: which designs stand side by side, in which order, under which name."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import uuid4

from poolwright.domain.errors import UserError
from poolwright.store.database import Database, checked_name, now_text
from poolwright.texts import tell

LEAST_PARTS, MOST_PARTS = 2, 6


class PartKind(StrEnum):
    """What stands in a column: a design itself, or Linux software RAID of its disks."""

    DESIGN = "design"
    MD_RAID6 = "md-raid6"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One column of a comparison; ``design_key`` names a design of the library."""

    design_key: str
    kind: PartKind = PartKind.DESIGN


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedComparison:
    """A comparison as it was saved; ``parts`` from left to right."""

    key: str
    name: str
    created: datetime
    modified: datetime
    parts: tuple[Part, ...]


class Comparisons:
    """The comparisons of one open library. Errors: UserError for what is not there or makes no comparison."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> tuple[SavedComparison, ...]:
        parts: dict[str, list[Part]] = {}
        with self._database.reading():
            for row in self._database.rows("SELECT * FROM comparison_part ORDER BY comparison_key, place"):
                part = Part(design_key=row["design_key"], kind=PartKind(row["kind"]))
                parts.setdefault(row["comparison_key"], []).append(part)
            rows = self._database.rows("SELECT * FROM comparison ORDER BY modified_at DESC, key")
            return tuple(
                SavedComparison(
                    key=row["key"],
                    name=row["name"],
                    created=datetime.fromisoformat(row["created_at"]),
                    modified=datetime.fromisoformat(row["modified_at"]),
                    parts=tuple(parts.get(row["key"], ())),
                )
                for row in rows
            )

    def open(self, key: str) -> SavedComparison:
        found = next((entry for entry in self.list() if entry.key == key), None)
        if found is None:
            raise self._missing(key)
        return found

    def save(self, name: str, parts: Sequence[Part], *, key: str | None = None) -> SavedComparison:
        """Keep these parts under ``name``, in the place of the comparison ``key`` where one is given; return it.

        Every design must be in the library, deleted or not.
        """
        name = checked_name(name)
        if not LEAST_PARTS <= len(parts) <= MOST_PARTS:
            raise UserError(
                tell(
                    "A comparison has {least_parts} to {most_parts} designs, not {count}",
                    least_parts=LEAST_PARTS,
                    most_parts=MOST_PARTS,
                    count=len(parts),
                )
            )
        known = {row["key"] for row in self._database.rows("SELECT key FROM design")}
        missing = next((part.design_key for part in parts if part.design_key not in known), None)
        if missing is not None:
            raise UserError(
                tell("The library holds no design “{missing}”", missing=missing),
                where=str(self._database.path),
                todo=tell("Save the design first."),
            )
        now, made = now_text(), key or uuid4().hex
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO comparison (key, name, created_at, modified_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET name = excluded.name, modified_at = excluded.modified_at",
                (made, name, now, now),
            )
            connection.execute("DELETE FROM comparison_part WHERE comparison_key = ?", (made,))
            connection.executemany(
                "INSERT INTO comparison_part (comparison_key, place, kind, design_key) VALUES (?, ?, ?, ?)",
                [(made, place, part.kind.value, part.design_key) for place, part in enumerate(parts)],
            )
        return self.open(made)

    def rename(self, key: str, name: str) -> SavedComparison:
        sql = "UPDATE comparison SET name = ?, modified_at = ? WHERE key = ?"
        if not self._database.change(sql, checked_name(name), now_text(), key):
            raise self._missing(key)
        return self.open(key)

    def delete(self, key: str) -> SavedComparison:
        """Forget a comparison and return what it was, so that `restore` can bring it back; its designs stay."""
        gone = self.open(key)
        self._database.change("DELETE FROM comparison WHERE key = ?", key)
        return gone

    def restore(self, gone: SavedComparison) -> SavedComparison:
        """Bring back what `delete` returned, under the same key."""
        return self.save(gone.name, gone.parts, key=gone.key)

    def _missing(self, key: str) -> UserError:
        return UserError(tell("The library holds no comparison “{key}”", key=key), where=str(self._database.path))
