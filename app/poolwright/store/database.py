"""The library file: opened, checked, brought up to date, never overwritten when it is not ours; whether it is whole
(header, tables, rows and the log beside it), and what SQLite's errors mean for people."""

import re
import shutil
import sqlite3
import stat
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, TypeVar, cast
from uuid import uuid4

from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.shown import whole_text
from poolwright.machine.json_values import too_new
from poolwright.shipped import shipped
from poolwright.texts import _

_T = TypeVar("_T")
Columns = dict[str, tuple[tuple[object, ...], ...]]
BUSY_TIMEOUT_SECONDS = 5.0
_FILE_NAME = re.compile(r"([0-9]{4})_[a-z0-9_]+\.sql\Z")


def migrations() -> tuple[str, ...]:
    """Return the migrations that ship with the program as SQL, in order; their numbers, from 1, are user_version."""
    folder = resources.files("poolwright.store").joinpath("migrations")
    files = {int(match[1]): file for file in folder.iterdir() if (match := _FILE_NAME.match(file.name)) is not None}
    return tuple(files[number].read_text(encoding="utf-8") for number in range(1, len(files) + 1))


class LibraryDamaged(UserError):
    """The file is a library, or was one, and what is in it contradicts itself; `salvage` brings back what is whole."""


class LibraryGone(EnvironmentFailure):
    """The file was deleted, moved or replaced while it was open; the open connection still reads what it held."""


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
        check_log(path)
        with _log_kept(path):
            connection = _connect(path, patience_seconds)
            if _is_read_only(connection):
                connection.close()
                broken = damaged_header(path)
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
                raise unavailable(path, error) from error
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise failure_of(error, self.path) from error

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
            raise damaged(self.path, _("a value is none: {error}", error=error)) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction: all of it is kept, or nothing when an error leaves the block.

        Raises LibraryGone when the file is no longer in its place, EnvironmentFailure when the disk is full, the file
        read-only, or another process holds it too long.
        """
        if self.gone:
            raise LibraryGone(
                _("The library was deleted, moved or replaced while it was open"),
                where=str(self.path),
                todo=_("Put it back, or go on with a new one."),
            )
        if self._copy is not None:
            raise _failure(sqlite3.SQLITE_READONLY, self.path)
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
            raise failure_of(error, self.path) from error

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
            raise unavailable(target, error) from error


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
        raise unavailable(path, error) from error
    connection.row_factory = sqlite3.Row
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, known: tuple[str, ...]) -> None:
    """Check an open library and bring it up to date; where it cannot be used, close it and raise as `Database.open`."""
    try:
        connection.execute("BEGIN")  # version and columns of one moment: another process may be migrating
        check(connection, path, _columns_by_version(known))
        connection.execute("ROLLBACK")
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            connection.execute("PRAGMA journal_mode = WAL")
        # NORMAL survives a killed program; FULL also keeps the last save through a power cut. Saves are small.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        _migrate(connection, path, known)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):
            raise failure_of(error, path) from error
        raise


def read_only(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.0, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def _log_kept(path: Path) -> Iterator[None]:
    """Keep the log of writes beside a library that turns out to be damaged.

    The last connection that closes brings the log into the file and deletes it. One that may only read does neither,
    so such a one is open until the file was found to be whole.
    """
    if not (path.exists() and path.with_name(f"{path.name}-wal").exists()):
        yield
        return
    with closing(read_only(path)) as keeper:
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


def _migrate(connection: sqlite3.Connection, path: Path, steps: tuple[str, ...]) -> None:
    version = number_of(connection, "user_version")
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
        if number_of(connection, "user_version") < number:  # else another process was faster
            for statement in _statements(sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _columns_by_version(steps: tuple[str, ...]) -> list[Columns]:
    found = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        fresh.row_factory = sqlite3.Row
        for number, sql in enumerate(steps, 1):
            _apply(fresh, number, sql)
            found.append(columns_of(fresh))
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


@contextmanager
def part_beside(target: Path) -> Iterator[Path]:
    """Give an empty file for a copy, in which nobody else reads; what is not put in its place is gone behind it."""
    name = f"{target.name}.{uuid4().hex}.part"
    try:
        target.with_name(name).touch(mode=0o600)
        yield target.with_name(name)
    finally:
        for left in target.parent.glob(f"{escape(name)}*"):  # its log, and its copy before it was migrated
            left.unlink(missing_ok=True)


def _back_up(connection: sqlite3.Connection, target: Path, *, of_version: int | None = None) -> None:
    """Copy the library; the copy appears under its name only when it is whole, and of the version asked for.

    Several programs may begin at once: each writes a copy of its own, and one that was overtaken throws its own away.
    """
    with part_beside(target) as part:
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
            overtaken = of_version not in (None, number_of(copy, "user_version"))
            copy.execute("PRAGMA journal_mode = DELETE")  # or the copy would begin with a log of its own
        if not overtaken:
            part.chmod(_mode_of(connection))
            part.replace(target)


def _mode_of(connection: sqlite3.Connection) -> int:
    name = connection.execute("PRAGMA database_list").fetchone()["file"]
    try:
        return stat.S_IMODE(Path(name).stat().st_mode)
    except OSError:
        return 0o600


# Whether a library is whole.

APPLICATION_ID = 0x506F6F6C  # “Pool” in ASCII, in the header of the file
_MOST_VERSIONS = 9999  # as many as the names of the migrations can count
CHECKED_WHOLE_BYTES = 8 << 20  # a larger file is checked where it is read, and whole when it is copied each day
_OF_THE_FILE = re.compile(r"already exists|duplicate column|malformed|unsupported file format")
_OF_THE_MACHINE = frozenset(
    {
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR),
        *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_AUTH, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOLFS),
    }
)
_STILL_WRITTEN_SECONDS = 0.2
USUAL_PAGE_BYTES = 4096
_WAL_HEADER, _FRAME_HEADER = 32, 24


def number_of(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def check(connection: sqlite3.Connection, path: Path, by_version: Sequence[Columns]) -> None:
    """Look before anything is written; ``by_version`` are the columns of each version, from 1.

    Raises UserError, LibraryDamaged where it is one of ours that is not whole.
    """
    version, application = number_of(connection, "user_version"), number_of(connection, "application_id")
    pages = number_of(connection, "page_count")
    if pages == 0:
        return
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    ours = tables >= {"design", "design_version"}
    if not tables and application == version == 0:  # nothing was ever written to it
        return
    if application != APPLICATION_ID:
        if ours:
            raise damaged(path, f"application_id {application}")
        raise UserError(
            _("This is a database, but not a Poolwright library"), where=str(path), todo=_("Name another file.")
        )
    columns = columns_of(connection)
    if version > len(by_version):
        # Every migration changes the columns: a file that has those of a version we know is of no newer program.
        if version > _MOST_VERSIONS or columns in by_version:
            raise damaged(path, f"user_version {version}")
        raise too_new(_("The library"), version, len(by_version), str(path))
    if not ours or version <= 0:
        raise damaged(path, f"user_version {version}" if ours else "no such table: design")  # for machines
    if pages * number_of(connection, "page_size") <= CHECKED_WHOLE_BYTES:
        verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if verdict != "ok":
            raise damaged(path, " ".join(str(verdict).split()))
    wrong = next((name for name, of in by_version[version - 1].items() if columns.get(name) != of), None)
    if wrong is not None:
        raise damaged(path, f"table_info({wrong})")


def check_log(path: Path) -> None:
    """Raise LibraryDamaged when SQLite would throw away writes of the log beside a library: their sums are wrong.

    Asked before SQLite opens the file: whoever closes it last deletes the log, with all that was not taken from it.
    """
    log, seen = path.with_name(f"{path.name}-wal"), None
    try:
        while (broken := broken_log(log)) is not None:
            state = log.stat()
            if seen == (state.st_size, state.st_mtime_ns):
                raise damaged(path, f"WAL: {broken[0]}/{broken[1]}")
            seen = (state.st_size, state.st_mtime_ns)
            time.sleep(_STILL_WRITTEN_SECONDS)  # another program may be writing a page this very moment
    except FileNotFoundError:
        return
    except OSError as error:
        raise unavailable(path, error) from error


@dataclass(frozen=True, slots=True)
class _Frame:
    """A page in a log of writes. ``sound``: its sum and all before it are right; ``present``: of the present run."""

    page: int
    content: bytes
    sound: bool
    present: bool


def _frames(log: bytes, size: int | None = None) -> Iterator[_Frame]:
    """Return the whole frames of a log of writes, those of earlier runs too; ``size`` where its header is not to be
    asked for the size of a page.
    """
    if len(log) < _WAL_HEADER:
        return
    order, salts = ">" if log[3] & 1 else "<", log[16:24]
    sums = _sums(order, log[:24], (0, 0))
    good = headed = struct.unpack(">2I", log[24:32]) == sums
    size = size or (int.from_bytes(log[8:12], "big") if headed else USUAL_PAGE_BYTES)
    for at in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        head, content = log[at : at + _FRAME_HEADER], log[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        # What an earlier run left has two other salts; where one of the two fits, the other was damaged.
        present = not headed or head[8:12] == salts[:4] or head[12:16] == salts[4:]
        good = good and head[8:16] == salts
        sums = _sums(order, head[:8] + content, sums) if good else sums
        good = good and struct.unpack(">2I", head[16:24]) == sums
        yield _Frame(int.from_bytes(head[:4], "big"), content, good, present)


def mended_log(log: bytes, size: int, page_count: int) -> bytes:
    """Return a log of writes whose header and sums are right, so that SQLite takes every page of its present run."""
    frames = [
        frame for frame in _frames(log, size) if frame.present and 0 < frame.page <= page_count + len(log) // size
    ]
    # Sums of words that begin with the lowest byte; version; size; number of the run; two salts that are anything.
    head = struct.pack(">6I", 0x377F0682, 3_007_000, size, 0, 1, 1)
    sums = _sums("<", head, (0, 0))
    made = [head, struct.pack(">2I", *sums)]
    for number, frame in enumerate(frames):
        last = number + 1 == len(frames)  # which alone ends a transaction: it tells the pages of the file after it
        pages = max(page_count, *(frame.page for frame in frames)) if last else 0
        front = struct.pack(">2I", frame.page, pages)
        sums = _sums("<", front + frame.content, sums)
        made += [front, struct.pack(">4I", 1, 1, *sums), frame.content]
    return b"".join(made) if frames else log


def broken_log(log: Path) -> tuple[int, int] | None:
    """Return how many pages of a log of writes SQLite would take, and of how many, where it would throw some away.

    None where it would take all of the log's present run, or there is none. Raises OSError.
    """
    try:
        present = [frame.sound for frame in _frames(log.read_bytes()) if frame.present]
    except FileNotFoundError:
        return None
    return (sum(present), len(present)) if not all(present) else None


def _sums(order: str, data: bytes, start: tuple[int, int]) -> tuple[int, int]:
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def columns_of(connection: sqlite3.Connection) -> Columns:
    """Return name, type, not null and place in the key of each column of each table."""
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        name: tuple((*tuple(row)[1:4], row["pk"]) for row in connection.execute(f"PRAGMA table_info('{name}')"))
        for name in names
        if name.isidentifier() and not name.startswith("sqlite_")
    }


def failure_of(error: Exception, path: Path) -> EnvironmentFailure | UserError:
    """Return for people what SQLite said: the machine does not let us, or the file contradicts itself."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, sqlite3.IntegrityError):
        return UserError(_("The library does not take this: {error}", error=error), where=str(path))
    if code is not None and code & 0xFF in _OF_THE_MACHINE:
        return unavailable(path, error)
    if code is not None and code & 0xFF == sqlite3.SQLITE_ERROR and not _OF_THE_FILE.search(str(error)):
        missing = re.search(r"no such (table|column)|has no column", str(error))
        return damaged(path, str(error)) if missing else unavailable(path, error)
    return damaged(path, str(error))


def damaged_header(path: Path) -> LibraryDamaged | None:
    """Return the error for a header with impossible format numbers: SQLite then only says that it must not write.

    For a file that this process has closed: opening it here would take the locks of other connections away.
    """
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None
    return damaged(path, f"format {max(head[18:20])}") if len(head) == 20 and max(head[18:20]) > 2 else None


def damaged(path: Path, detail: str) -> LibraryDamaged:
    return LibraryDamaged(
        _("The library is damaged or is not a library: {detail}", detail=detail),
        where=str(path),
        todo=_("It was left as it is. The window saves what is whole; a backup may lie beside it."),
    )


def unavailable(path: Path, error: Exception) -> EnvironmentFailure:
    return _failure((getattr(error, "sqlite_errorcode", None) or 0) & 0xFF, path, error)


def _failure(code: int, path: Path, error: Exception | None = None) -> EnvironmentFailure:
    known = {getattr(sqlite3, code): one for one in shipped("library")["failure"] for code in one["codes"].split()}
    words = known.get(code, known[sqlite3.SQLITE_ERROR])
    return EnvironmentFailure(_(words["why"], error=error), where=str(path), todo=_(words["todo"]))
