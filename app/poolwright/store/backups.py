"""Copies of the library beside it: one a day of use and one before each migration; and what is taken back from them."""

import shutil
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from poolwright.domain.errors import PoolwrightError
from poolwright.store.database import Database, damaged, failure_of, part_beside, read_only, unavailable
from poolwright.store.design_file import from_json, sum_of
from poolwright.store.library import archive_sum, summary_of
from poolwright.texts import _

KEPT = 5  # copies of days; those before migrations stay
KEPT_OF_LARGE = 2
_LARGE_BYTES = 128 << 20
_ROWS_AT_ONCE = 4
_OF_A_DAY = "[0-9]" * 4 + "-[0-9][0-9]-[0-9][0-9]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy of the library, and the names of the designs and runs of which it holds what the library does not."""

    path: Path
    made: datetime
    missing: tuple[str, ...]


def back_up_in_steps(path: Path, today: date) -> Generator[None]:
    """Copy the library row by row, unless there is a copy of ``today``; the oldest copies of days beyond `KEPT` go.

    Every row is read, so that damage is found: raises LibraryDamaged, and EnvironmentFailure where nothing can be
    written.
    """
    target = path.with_name(f"{path.name}.{today.isoformat()}.backup")
    if target.exists():
        return
    yield from copy_in_steps(path, target)
    try:
        kept = KEPT if target.stat().st_size < _LARGE_BYTES else KEPT_OF_LARGE
        for old in sorted(path.parent.glob(f"{path.name}.{_OF_A_DAY}.backup"))[:-kept]:
            old.unlink()
    except OSError as error:
        raise unavailable(target, error) from error


def copy_in_steps(path: Path, target: Path, rows: Mapping[str, str] | None = None) -> Generator[None]:
    """Copy a library row by row; ``rows`` tells by table which, and leaves out the tables that it does not name."""
    try:
        with part_beside(target) as part:
            with closing(read_only(path)) as source, Database.open(part) as copy:
                copy.relax()
                yield from _copy_rows(source, copy, path, rows)
            part.chmod(path.stat().st_mode & 0o777)
            part.replace(target)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise failure_of(error, path) from error
    except OSError as error:
        raise unavailable(target, error) from error


def _copy_rows(
    source: sqlite3.Connection, copy: Database, path: Path, which: Mapping[str, str] | None
) -> Generator[None]:
    source.execute("BEGIN")  # one state of the library, whatever is written meanwhile
    for table in _tables(source) if which is None else which:
        where = "TRUE" if which is None else which[table]
        rows = source.execute(f"SELECT * FROM {table} WHERE {where}")  # noqa: S608 - names of ours
        while some := rows.fetchmany(_ROWS_AT_ONCE):
            _check(table, some, path)
            with copy.writing() as connection:
                insert(connection, table, some)
            yield


def _check(table: str, rows: Iterable[sqlite3.Row], path: Path) -> None:
    """Raise LibraryDamaged where a version or a run is not what its sum says."""
    for row in rows:
        if table == "design_version" and row["sum"] not in (None, sum_of(row["document"])):
            raise damaged(path, _("“{key}” is not as it was saved", key=row["number"]))
        if table == "run" and archive_sum(row["archive"]) != row["sum"]:
            raise damaged(path, _("“{key}” is not as it was saved", key=row["key"]))


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[Iterable[object]], *, new: bool = True) -> None:
    """Write whole rows; those that need not be ``new`` give way to what is there."""
    if rows:
        conflict = "" if new else "OR IGNORE "  # for machines
        marks = ", ".join("?" for __ in rows[0])
        sql = f"INSERT {conflict}INTO {table} VALUES ({marks})"  # noqa: S608 - a name of ours
        connection.executemany(sql, [tuple(row) for row in rows])


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables of the library, those that others refer to first."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    return sorted((row[0] for row in connection.execute(query)), key=lambda name: name not in {"design", "comparison"})


def backups_of(database: Database) -> tuple[Backup, ...]:
    found = []
    here = {row["number"] for row in database.rows("SELECT number FROM design_version")}
    runs_here = {row["key"] for row in database.rows("SELECT key FROM run")}
    for path in database.path.parent.glob(f"{database.path.name}.*.backup"):
        with suppress(OSError, sqlite3.Error, UnicodeDecodeError), closing(read_only(path)) as source:
            newest = source.execute(
                "SELECT d.name, max(v.number) FROM design d "
                "JOIN design_version v ON v.design_key = d.key GROUP BY d.key"
            ).fetchall()
            names = {name for name, number in newest if number not in here}
            if "run" in _tables(source):  # one from before a migration has none
                names |= {name for key, name in source.execute("SELECT key, name FROM run") if key not in runs_here}
            made = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
            found.append(Backup(path=path, made=made, missing=tuple(sorted(names))))
    return tuple(sorted(found, key=lambda backup: backup.made, reverse=True))


def take_missing(database: Database, backup: Path) -> tuple[str, ...]:
    """Bring what ``backup`` holds and the library does not into the library; return the names of it.

    Versions keep their numbers, so that the history stays in order. Raises PoolwrightError where the copy is damaged.
    """
    with copied(backup, backup) as part, Database.open(part) as copy:
        here = {row["number"] for row in database.rows("SELECT number FROM design_version")}
        with database.writing() as connection:
            insert(connection, "design", copy.rows("SELECT * FROM design"), new=False)
            versions = [row for row in copy.rows("SELECT * FROM design_version") if row["number"] not in here]
            insert(connection, "design_version", versions)
            names = [bring_up_to_date(connection, key) for key in sorted({row["design_key"] for row in versions})]
            there = {row["key"] for row in connection.execute("SELECT key FROM comparison")}
            for table, key in (("comparison", "key"), ("comparison_part", "comparison_key")):
                rows = copy.rows(f"SELECT * FROM {table}")  # noqa: S608 - a name of ours
                insert(connection, table, [row for row in rows if row[key] not in there])
            insert(connection, "inventory", copy.rows("SELECT * FROM inventory"), new=False)
            runs = {row["key"] for row in connection.execute("SELECT key FROM run")}
            for listed in copy.rows("SELECT key, name FROM run"):
                if listed["key"] not in runs:  # one at a time: they are large
                    key = listed["key"]
                    insert(connection, "run", checked_rows(copy, "run", "SELECT * FROM run WHERE key = ?", key))
                    names.append(listed["name"])
        return tuple(name for name in names if name)


@contextmanager
def copied(file: Path, beside: Path) -> Iterator[Path]:
    """Give a copy of a library's file beside another, which is gone again behind it: one from before a migration is
    brought up to date when it is opened, and the file itself stays as it is.
    """
    try:
        with part_beside(beside) as part:
            shutil.copyfile(file, part)
            yield part
    except OSError as error:
        raise unavailable(file, error) from error


def checked_rows(database: Database, table: str, sql: str, *parameters: object) -> list[sqlite3.Row]:
    """Return rows of a table whose sums are right. Raises LibraryDamaged."""
    rows = database.rows(sql, *parameters)
    _check(table, rows, database.path)
    return rows


def bring_up_to_date(connection: sqlite3.Connection, key: str) -> str:
    """Let the line of a design tell its newest version; return its name."""
    row = connection.execute(
        "SELECT saved_at, document FROM design_version WHERE design_key = ? ORDER BY number DESC LIMIT 1", (key,)
    ).fetchone()
    with suppress(PoolwrightError):
        design = from_json(row["document"])
        fields = (design.name, design.pool_name, design.workload.goal.value, summary_of(design), row["saved_at"], key)
        connection.execute(
            "UPDATE design SET name = ?, pool_name = ?, goal = ?, summary = ?, modified_at = ? WHERE key = ?", fields
        )
        return design.name
    return ""
