"""The library file: opened, checked, brought up to date, never overwritten when it is not ours."""

import re
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self, TypeVar, cast
from uuid import uuid4

from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.shown import whole_text
from poolwright.store import integrity
from poolwright.texts import _

_T = TypeVar("_T")
BUSY_TIMEOUT_SECONDS = 5.0
_FILE_NAME = re.compile(r"([0-9]{4})_[a-z0-9_]+\.sql\Z")


def migrations() -> tuple[str, ...]:
    """Return the migrations that ship with the program as SQL, in order; their numbers, from 1, are user_version."""
    folder = resources.files("poolwright.store").joinpath("migrations")
    files = {int(match[1]): file for file in folder.iterdir() if (match := _FILE_NAME.match(file.name)) is not None}
    return tuple(files[number].read_text(encoding="utf-8") for number in range(1, len(files) + 1))


class Database:
    """An open library. One connection, one thread; every write is a transaction of its own.

    Use as a context manager or call `close`. Another process may have the same file open.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path = connection, path
        self._identity = _identity(path)
        self._copy: TemporaryDirectory[str] | None = None
        self._known: dict[object, tuple[tuple[int, int], object]] = {}

    @classmethod
    def open(
        cls, path: Path, *, steps: tuple[str, ...] | None = None, patience_seconds: float = BUSY_TIMEOUT_SECONDS
    ) -> Self:
        """Open the library at ``path``; create it with its folder when there is none; migrate an older one.

        Before a migration the file is copied to ``NAME.before-N.backup`` beside it. Raises LibraryDamaged when it is
        damaged, UserError when the file is no library or of a newer program, EnvironmentFailure when it cannot be
        opened at all or another process holds it longer than ``patience_seconds``, here and in every later call; the
        file and its log are then left as they are. One that cannot be written is opened for reading: a copy of it is.
        ``steps`` replaces the shipped migrations in tests.
        """
        known = migrations() if steps is None else steps
        integrity.check_log(path)
        with _log_kept(path):
            connection = _connect(path, patience_seconds)
            if _is_read_only(connection):
                connection.close()
                broken = integrity.damaged_header(path)
                if broken is not None:
                    raise broken
                return cls._of_a_copy(path, known)
            _prepare(connection, path, known)
        return cls(connection, path)

    @classmethod
    def _of_a_copy(cls, path: Path, known: tuple[str, ...]) -> Self:
        """Open a library that lies where nothing can be written: SQLite could neither read its log nor migrate it."""
        with ExitStack() as undo:
            try:
                folder = TemporaryDirectory(prefix="poolwright-library-")
                undo.callback(folder.cleanup)
                copy = Path(folder.name) / path.name
                for end in ("", "-wal"):
                    with suppress(FileNotFoundError):
                        shutil.copyfile(path.with_name(path.name + end), copy.with_name(copy.name + end))
            except OSError as error:
                raise integrity.unavailable(path, error) from error
            connection = _connect(copy, BUSY_TIMEOUT_SECONDS)
            _prepare(connection, path, known)
            opened = cls(connection, path)
            opened._copy = folder
            undo.pop_all()
            return opened

    @property
    def gone(self) -> bool:
        return _identity(self.path) != self._identity

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise integrity.failure_of(error, self.path) from error

    def while_unchanged(self, key: object, read: Callable[[object], _T]) -> _T:
        """Return what ``read`` of ``key`` returned last, as long as nothing was written, by this program or another."""
        state = (self._connection.total_changes, self.rows("PRAGMA data_version")[0][0])  # for machines
        known = self._known.get(key)
        if known is None or known[0] != state:
            known = self._known[key] = (state, read(key))
        return cast("_T", known[1])

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Take what is no date, no goal, no kind for damage of the file: such values are never written."""
        try:
            yield
        except (ValueError, TypeError, LookupError) as error:
            raise integrity.damaged(self.path, _("a value is none: {error}", error=error)) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction: all of it is kept, or nothing when an error leaves the block.

        Raises LibraryGone when the file is no longer in its place, EnvironmentFailure when the disk is full, the file
        read-only, or another process holds it too long.
        """
        if self.gone:
            raise integrity.LibraryGone(
                _("The library was deleted, moved or replaced while it was open"),
                where=str(self.path),
                todo=_("Put it back, or go on with a new one."),
            )
        if self._copy is not None:
            raise integrity.not_writable(self.path)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.rollback()
                raise
            self._connection.commit()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if self._connection.in_transaction:  # a commit that failed, as on a full disk
                with suppress(sqlite3.Error):
                    self._connection.rollback()
            raise integrity.failure_of(error, self.path) from error

    def change(self, sql: str, *parameters: object) -> int:
        with self.writing() as connection:
            return connection.execute(sql, parameters).rowcount

    def let_go(self) -> None:
        """Close a file that is `gone`; its log must not be taken for that of the file that lies there now."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self.close()

    def relax(self) -> None:
        """Leave it to the end to wait for the disk: for a copy that counts only when it is whole."""
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 256")  # a little at a time: somebody works beside it

    def copy_to(self, target: Path) -> None:
        """Write all that is stored to a new file, which appears under its name when it is whole; also when ``gone``.

        Raises EnvironmentFailure.
        """
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _back_up(self._connection, target)
        except (OSError, sqlite3.Error) as error:
            raise integrity.unavailable(target, error) from error


def checked_name(name: str) -> str:
    """Return the name by which something is kept, without blanks around it; raises UserError where it has none."""
    if not name.strip():
        raise UserError(_("It needs a name"))
    return whole_text(name.strip())


def now_text() -> str:
    """Return the present moment as the library writes it: ISO 8601 in UTC with microseconds."""
    return datetime.now(tz=UTC).isoformat(timespec="microseconds")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


def _connect(path: Path, patience_seconds: float) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise integrity.unavailable(path, error) from error
    connection.row_factory = sqlite3.Row
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, known: tuple[str, ...]) -> None:
    """Check an open library and bring it up to date; where it cannot be used, close it and raise as `Database.open`."""
    try:
        connection.execute("BEGIN")  # version and columns of one moment: another process may be migrating
        integrity.check(connection, path, _columns_by_version(known))
        connection.execute("ROLLBACK")
        _configure(connection)
        _migrate(connection, path, known)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):
            raise integrity.failure_of(error, path) from error
        raise


@contextmanager
def _log_kept(path: Path) -> Iterator[None]:
    """Keep the log of writes beside a library that turns out to be damaged.

    The last connection that closes brings the log into the file and deletes it. One that may only read does neither,
    so such a one is open until the file was found to be whole.
    """
    if not (path.exists() and path.with_name(f"{path.name}-wal").exists()):
        yield
        return
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.0)) as keeper:
        with suppress(sqlite3.Error):
            keeper.execute("PRAGMA schema_version").fetchone()
        yield


def _is_read_only(connection: sqlite3.Connection) -> bool:
    """Tell whether SQLite would refuse to write, for whatever reason; a lock of another program is none."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        return (error.sqlite_errorcode or 0) & 0xFF in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
    return False


def _configure(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL survives a killed program; FULL also keeps the last save through a power cut. Saves are small.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _migrate(connection: sqlite3.Connection, path: Path, steps: tuple[str, ...]) -> None:
    version = integrity.number_of(connection, "user_version")
    if version == len(steps):
        return
    if version > 0:
        try:
            _back_up(connection, path.with_name(f"{path.name}.before-{len(steps)}.backup"), of_version=version)
        except OSError as error:
            raise EnvironmentFailure(
                _("The library is of an older program and cannot be copied first: {strerror}", strerror=error.strerror),
                where=str(path),
                todo=_("Check free space and permissions of the folder."),
            ) from error
    connection.execute("PRAGMA foreign_keys = OFF")
    for number, sql in enumerate(steps[version:], version + 1):
        _apply(connection, number, sql)
    connection.execute("PRAGMA foreign_keys = ON")


def _apply(connection: sqlite3.Connection, number: int, sql: str) -> None:
    """Take one step in one transaction: a kill leaves the file at the step before."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if integrity.number_of(connection, "user_version") < number:  # else another process was faster
            for statement in _statements(sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {integrity.APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _columns_by_version(steps: tuple[str, ...]) -> list[integrity.Columns]:
    found = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        fresh.row_factory = sqlite3.Row
        for number, sql in enumerate(steps, 1):
            _apply(fresh, number, sql)
            found.append(integrity.columns_of(fresh))
    return found


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


def _back_up(connection: sqlite3.Connection, target: Path, *, of_version: int | None = None) -> None:
    """Copy the library; the copy appears under its name only when it is whole, and of the version asked for.

    Several programs may begin at once: each writes a copy of its own, and one that was overtaken throws its own away.
    """
    beside = target.with_name(f"{target.name}.{uuid4().hex}.part")
    try:
        beside.touch(mode=0o600)
        copy = sqlite3.connect(beside)
        try:
            connection.backup(copy)
            overtaken = of_version not in (None, integrity.number_of(copy, "user_version"))
            copy.execute("PRAGMA journal_mode = DELETE")  # or the copy would begin with a log of its own
        finally:
            copy.close()
        if not overtaken:
            beside.chmod(_mode_of(connection))
            beside.replace(target)
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            beside.with_name(beside.name + end).unlink(missing_ok=True)


def _mode_of(connection: sqlite3.Connection) -> int:
    name = connection.execute("PRAGMA database_list").fetchone()["file"]
    try:
        return stat.S_IMODE(Path(name).stat().st_mode)
    except OSError:
        return 0o600
