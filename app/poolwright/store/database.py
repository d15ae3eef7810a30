"""The library file: opened, checked, brought up to date, never overwritten when it is not ours."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Self

from poolwright.domain.errors import EnvironmentFailure, UserError

APPLICATION_ID = 0x506F6F6C  # “Pool” in ASCII, in the header of the file
BUSY_TIMEOUT_SECONDS = 5.0
_FILE_NAME = re.compile(r"([0-9]{4})_[a-z0-9_]+\.sql\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema: ``number`` is the user_version after it."""

    number: int
    sql: str


def migrations() -> tuple[Migration, ...]:
    """Return the migrations that ship with the program, in order; their numbers run from 1 without a gap."""
    found = []
    for entry in resources.files("poolwright.store").joinpath("migrations").iterdir():
        match = _FILE_NAME.match(entry.name)
        if match is not None:
            found.append(Migration(number=int(match.group(1)), sql=entry.read_text(encoding="utf-8")))
    found.sort(key=lambda m: m.number)
    assert [m.number for m in found] == list(range(1, len(found) + 1))
    return tuple(found)


class Database:
    """An open library. One connection, one thread; every write is a transaction of its own.

    Use as a context manager or call `close`. Another process may have the same file open.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path = connection, path

    @classmethod
    def open(cls, path: Path, *, steps: tuple[Migration, ...] | None = None) -> Self:
        """Open the library at ``path``; create it with its folder when there is none; migrate an older one.

        Before a migration the file is copied to ``NAME.before-N.backup`` beside it. Raises UserError when the file is
        no library, damaged, or of a newer program (it is then left as it is), EnvironmentFailure when it cannot be
        opened at all. ``steps`` replaces the shipped migrations in tests.
        """
        known = migrations() if steps is None else steps
        connection = _connect(path)
        try:
            _check(connection, path, newest=len(known))
            _configure(connection)
            _migrate(connection, path, known)
        except sqlite3.OperationalError as error:
            connection.close()
            raise _unavailable(path, error) from error
        except sqlite3.DatabaseError as error:
            connection.close()
            raise _damaged(path, str(error)) from error
        except BaseException:
            connection.close()
            raise
        return cls(connection, path)

    def __enter__(self) -> Self:
        """Return the open database."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        self._connection.close()

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction: all of it is kept, or nothing when an error leaves the block.

        Raises EnvironmentFailure when the disk is full, the file read-only, or another process holds it too long.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.rollback()
                raise
            self._connection.commit()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error) -> EnvironmentFailure | UserError:
        if isinstance(error, sqlite3.OperationalError):
            return _unavailable(self.path, error)
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.IntegrityError):
            return _damaged(self.path, str(error))
        raise error


def now_text() -> str:
    """Return the present moment as the library writes it: ISO 8601 in UTC with microseconds."""
    return datetime.now(tz=UTC).isoformat(timespec="microseconds")


def _connect(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _unavailable(path, error) from error
    connection.row_factory = sqlite3.Row
    return connection


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _check(connection: sqlite3.Connection, path: Path, *, newest: int) -> None:
    """Look before anything is written."""
    version, application = _number(connection, "user_version"), _number(connection, "application_id")
    empty = _number(connection, "page_count") == 0
    if not empty and application != APPLICATION_ID:
        raise UserError(
            "This file is a database, but not a Poolwright library", where=str(path), todo="Choose another file."
        )
    if version > newest:
        raise UserError(
            f"This library was written by a newer Poolwright: it has version {version}, this program knows {newest}",
            where=str(path),
            todo="Open it with the newer program. Nothing was changed.",
        )
    if not empty:
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise _damaged(path, " ".join(str(verdict).split()))


def _configure(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL survives a killed program; FULL also keeps the last save through a power cut. Saves are small.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _migrate(connection: sqlite3.Connection, path: Path, steps: tuple[Migration, ...]) -> None:
    version = _number(connection, "user_version")
    if version == len(steps):
        return
    if version > 0:
        _back_up(connection, path.with_name(f"{path.name}.before-{len(steps)}.backup"))
    connection.execute("PRAGMA foreign_keys = OFF")
    for step in steps[version:]:
        _apply(connection, step)
    connection.execute("PRAGMA foreign_keys = ON")


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    """Take one step in one transaction: a kill leaves the file at the step before."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _number(connection, "user_version") < step.number:  # else another process was faster
            for statement in _statements(step.sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {step.number}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _statements(sql: str) -> Iterator[str]:
    """Return the statements one by one: executescript would commit in between."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending


def _back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the library; the copy appears under its name only when it is whole."""
    beside = target.with_name(f"{target.name}.part")
    beside.unlink(missing_ok=True)
    copy = sqlite3.connect(beside)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    beside.replace(target)


def _damaged(path: Path, detail: str) -> UserError:
    return UserError(
        f"The library is damaged or is not a library: {detail}",
        where=str(path),
        todo="It was left as it is. Move it away to start with an empty one, or put a backup in its place.",
    )


def _unavailable(path: Path, error: Exception) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"The library cannot be used: {error}",
        where=str(path),
        todo="Check free space and permissions of the folder, and whether another program holds the file.",
    )
