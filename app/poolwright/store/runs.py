"""The measured runs of the library: each kept as its archive, listed, opened, renamed, deleted, brought back."""

import sqlite3
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256

from poolwright.domain.errors import UserError
from poolwright.domain.shown import whole_text
from poolwright.domain.units import binary
from poolwright.store.checks import damaged
from poolwright.store.database import Database, checked_name, now_text
from poolwright.texts import tell

MOST_ARCHIVE_BYTES = 250 << 20  # SQLite itself takes rows of 1 GB at most
_LIST = (
    "SELECT key, name, made_at, host, pool, profile, design_name, design_key, judgement, seconds, size, deleted_at "
    "FROM run WHERE (deleted_at IS NOT NULL) = ? ORDER BY made_at DESC, key"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """What a list of runs tells of one; the run itself is its archive, which this room does not look into.

    ``made`` is when it began (UTC), ``seconds`` how long it took. ``pool`` is None on another filesystem, the design
    where none was named; ``design_key`` may be of a design that the library does not hold. ``judgement`` is the
    verdict's word. ``size`` is that of the archive in bytes, told by the library; ``deleted`` marks what is in the bin.
    """

    key: str
    name: str
    made: datetime
    host: str
    profile: str
    judgement: str
    seconds: float
    pool: str | None = None
    design_name: str | None = None
    design_key: str | None = None
    size: int = 0
    deleted: bool = False

    def has_words(self, wanted: str) -> bool:
        """Tell whether all words that are looked for stand in what lists tell of it."""
        told = (self.name, self.profile, self.host, self.pool, self.design_name, self.judgement)
        text = f"{self.made:%Y-%m-%d} {' '.join(filter(None, told))}".casefold()
        return all(word in text for word in wanted.casefold().split())


class Runs:
    """The runs of one open library. Errors: UserError for what is not there, LibraryDamaged for what is broken."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, run: StoredRun, archive: bytes) -> StoredRun:
        """Keep a run with its archive, in the place of one of the same key; return it as the library has it.

        A run in the bin comes back.
        """
        if not run.key.strip() or run.made.tzinfo is None:
            raise UserError(tell("A run needs a key and a time with its zone"))
        if len(archive) > MOST_ARCHIVE_BYTES:
            raise UserError(
                tell("The run is too large for the library: {size}", size=binary(len(archive))),
                where=str(self._database.path),
                todo=tell("Keep it in a file of its own."),
            )
        made = run.made.astimezone(UTC)
        kept = replace(run, name=checked_name(run.name), made=made, size=len(archive), deleted=False)
        told = (kept.key, kept.name, made.isoformat(), kept.host, kept.pool, kept.profile, kept.design_name)
        row = (*told, kept.design_key, kept.judgement, kept.seconds, kept.size, None, archive_sum(archive), archive)
        with self._database.writing() as connection:
            whole = tuple(whole_text(value) if isinstance(value, str) else value for value in row)
            connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", whole)
        return kept

    def entries(self, *, deleted: bool = False) -> tuple[StoredRun, ...]:
        """Return the runs, the latest first; with ``deleted`` those in the bin instead. No archive is read."""
        rows = self._database.rows(_LIST, int(deleted))
        with self._database.reading():
            return tuple(_entry(row) for row in rows)

    def archive(self, key: str) -> bytes:
        rows = self._database.rows("SELECT archive, sum FROM run WHERE key = ?", key)
        if not rows:
            raise self._missing(key)
        archive: bytes = rows[0]["archive"]
        if archive_sum(archive) != rows[0]["sum"]:
            raise damaged(self._database.path, tell("the run “{key}” is not as it was kept", key=key))
        return archive

    def rename(self, key: str, name: str) -> None:
        """Give a run another name in the library; its archive keeps the one it was made under."""
        self._change("UPDATE run SET name = ? WHERE key = ?", checked_name(name), key)

    def delete(self, key: str) -> None:
        """Put a run into the bin; its archive stays."""
        self._change("UPDATE run SET deleted_at = ? WHERE key = ?", now_text(), key)

    def put_back(self, key: str) -> None:
        self._change("UPDATE run SET deleted_at = ? WHERE key = ?", None, key)

    def empty_bin(self) -> int:
        """Remove for good what is in the bin; return how many runs that were. The file gives its room back later."""
        return self._database.change("DELETE FROM run WHERE deleted_at IS NOT NULL")

    def _change(self, sql: str, value: str | None, key: str) -> None:
        if not self._database.change(sql, value, key):
            raise self._missing(key)

    def _missing(self, key: str) -> UserError:
        return UserError(tell("The library holds no run “{key}”", key=key), where=str(self._database.path))


def archive_sum(archive: bytes) -> str:
    """Return the sum by which a byte that turned on the disk is found."""
    return sha256(archive).hexdigest()


def _entry(row: sqlite3.Row) -> StoredRun:
    return StoredRun(
        key=row["key"],
        name=row["name"],
        made=datetime.fromisoformat(row["made_at"]),
        host=row["host"],
        pool=row["pool"],
        profile=row["profile"],
        design_name=row["design_name"],
        design_key=row["design_key"],
        judgement=row["judgement"],
        seconds=row["seconds"],
        size=row["size"],
        deleted=row["deleted_at"] is not None,
    )
