"""Whether a library is whole: header, tables, rows and the log beside it; and what SQLite's errors mean for people."""

import re
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.machine.json_values import too_new
from poolwright.shipped import shipped
from poolwright.texts import _

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
Columns = dict[str, tuple[tuple[object, ...], ...]]


class LibraryDamaged(UserError):
    """The file is a library, or was one, and what is in it contradicts itself; `salvage` brings back what is whole."""


class LibraryGone(EnvironmentFailure):
    """The file was deleted, moved or replaced while it was open; the open connection still reads what it held."""


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


def not_writable(path: Path) -> EnvironmentFailure:
    return _failure(sqlite3.SQLITE_READONLY, path)


def _failure(code: int, path: Path, error: Exception | None = None) -> EnvironmentFailure:
    known = {getattr(sqlite3, code): one for one in shipped("library")["failure"] for code in one["codes"].split()}
    told = known.get(code, known[sqlite3.SQLITE_ERROR])
    return EnvironmentFailure(_(told["why"], error=error), where=str(path), todo=_(told["todo"]))
