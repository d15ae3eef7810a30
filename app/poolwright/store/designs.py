"""The designs of the library: every version saved, listed, opened, renamed, deleted and brought back."""

from dataclasses import dataclass, replace
from datetime import datetime

from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.vdev import describe
from poolwright.domain.workload import Goal
from poolwright.store.contents import check_design
from poolwright.store.database import Database, now_text
from poolwright.store.design_file import from_json, to_json

VERSIONS_KEPT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEntry:
    """A line of the library; ``summary`` tells the layout in words, ``deleted`` marks what is in the bin."""

    key: str
    name: str
    pool_name: str
    goal: Goal
    summary: str
    created: datetime
    modified: datetime
    deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignVersion:
    """A saved version of a design; ``number`` opens it."""

    number: int
    saved: datetime
    summary: str


class Designs:
    """The designs of one open library. Errors: UserError for what is not there or not whole."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, design: Design) -> bool:
        """Keep ``design`` as the newest version of its key; return False when it equals the newest already.

        A design in the bin comes back. The oldest versions beyond `VERSIONS_KEPT` go, the first one stays.
        """
        check_design(design)
        document, summary, now = to_json(design), summary_of(design), now_text()
        with self._database.writing() as connection:
            newest = connection.execute(
                "SELECT v.document FROM design_version v JOIN design d ON d.key = v.design_key "
                "WHERE v.design_key = ? AND d.deleted_at IS NULL ORDER BY v.number DESC LIMIT 1",
                (design.key,),
            ).fetchone()
            if newest is not None and newest["document"] == document:
                return False
            connection.execute(
                "INSERT INTO design (key, name, pool_name, goal, summary, created_at, modified_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET name = excluded.name, "
                "pool_name = excluded.pool_name, goal = excluded.goal, summary = excluded.summary, "
                "modified_at = excluded.modified_at, deleted_at = NULL",
                (design.key, design.name, design.pool_name, design.workload.goal.value, summary, now, now),
            )
            connection.execute(
                "INSERT INTO design_version (design_key, saved_at, summary, document) VALUES (?, ?, ?, ?)",
                (design.key, now, summary, document),
            )
            connection.execute(
                "DELETE FROM design_version WHERE design_key = :key "
                "AND number <> (SELECT min(number) FROM design_version WHERE design_key = :key) "
                "AND number NOT IN (SELECT number FROM design_version WHERE design_key = :key "
                "ORDER BY number DESC LIMIT :kept)",
                {"key": design.key, "kept": VERSIONS_KEPT - 1},
            )
        return True

    def list(self, *, deleted: bool = False) -> tuple[DesignEntry, ...]:
        """Return the designs, last modified first; with ``deleted`` those in the bin instead."""
        rows = self._database.rows(
            "SELECT * FROM design WHERE (deleted_at IS NOT NULL) = ? ORDER BY modified_at DESC, key", int(deleted)
        )
        return tuple(
            DesignEntry(
                key=row["key"],
                name=row["name"],
                pool_name=row["pool_name"],
                goal=Goal(row["goal"]),
                summary=row["summary"],
                created=datetime.fromisoformat(row["created_at"]),
                modified=datetime.fromisoformat(row["modified_at"]),
                deleted=row["deleted_at"] is not None,
            )
            for row in rows
        )

    def open(self, key: str, *, number: int | None = None) -> Design:
        """Return the newest version of a design, or the one with this ``number``."""
        rows = self._database.rows(
            "SELECT document FROM design_version WHERE design_key = ? AND (? IS NULL OR number = ?) "
            "ORDER BY number DESC LIMIT 1",
            key,
            number,
            number,
        )
        if not rows:
            raise UserError(f"The library holds no design “{key}” in this version", where=str(self._database.path))
        return from_json(rows[0]["document"], where=f"design “{key}” in {self._database.path}")

    def newest(self) -> Design | None:
        """Return the design that was modified last, None in an empty library: what to show after a restart."""
        entries = self.list()
        return self.open(entries[0].key) if entries else None

    def history(self, key: str) -> tuple[DesignVersion, ...]:
        """Return the saved versions of a design, newest first."""
        rows = self._database.rows(
            "SELECT number, saved_at, summary FROM design_version WHERE design_key = ? ORDER BY number DESC", key
        )
        return tuple(
            DesignVersion(number=row["number"], saved=datetime.fromisoformat(row["saved_at"]), summary=row["summary"])
            for row in rows
        )

    def rename(self, key: str, name: str) -> Design:
        """Give a design another name, as a new version; return it."""
        if not name.strip():
            raise UserError("A design needs a name")
        design = replace(self.open(key), name=name.strip())
        self.save(design)
        return design

    def delete(self, key: str) -> None:
        """Put a design into the bin; its versions stay."""
        self._mark(key, now_text())

    def undelete(self, key: str) -> None:
        """Take a design out of the bin."""
        self._mark(key, None)

    def _mark(self, key: str, deleted_at: str | None) -> None:
        with self._database.writing() as connection:
            changed = connection.execute("UPDATE design SET deleted_at = ? WHERE key = ?", (deleted_at, key)).rowcount
        if changed == 0:
            raise UserError(f"The library holds no design “{key}”", where=str(self._database.path))


def summary_of(design: Design) -> str:
    """Return the layout of a design in a few words, whatever is known of its disks."""
    if not design.vdevs:
        return "no vdevs yet"
    specs = tuple(vdev.sizeless() for vdev in design.vdevs)
    return describe(specs)
