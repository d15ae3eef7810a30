"""Recovers a damaged library: what SQLite can read goes into a new file, the old one is set aside."""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Container, Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError
from poolwright.store.codec import UNKNOWN_FIELD
from poolwright.store.database import USUAL_PAGE_BYTES, Database, columns_of, mended_log
from poolwright.store.design_file import from_json, sum_of
from poolwright.store.library import LEAST_PARTS, VERSIONS_KEPT, PartKind, archive_sum, summary_of
from poolwright.texts import _, first_of, in_english, ngettext

_MOST_NAMED = 12
_NUMBERS_LEFT_FREE = 1000  # for versions of which nothing is left but a backup
_MOST_ROWS = 1 << 20  # beyond it a number is itself damage
Value = None | int | float | str | bytes
Row = Mapping[str, Value]  # of a column that cannot be read: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """What was recovered: the new library, where the damaged file is kept, how many designs are whole, what is lost."""

    path: Path
    aside: Path
    design_count: int
    lost: tuple[str, ...]

    @property
    def text(self) -> str:
        whole = (
            _("No design could be read.")
            if not self.design_count
            else ngettext("{count} design could be read.", "{count} designs could be read.", self.design_count)
        )
        if self.lost:
            whole = _("{whole} Lost: {names}.", whole=whole, names=first_of(self.lost, _MOST_NAMED, between="; "))
        return _("The library was damaged. {whole} The damaged file is kept as {aside}.", whole=whole, aside=self.aside)


@dataclass(slots=True)
class _Found:
    """The rows that could be read, by their keys; of several copies the first sound one, or the one changed last."""

    versions: dict[int, Row] = field(default_factory=dict)
    unreadable: dict[int, str | None] = field(default_factory=dict)  # number of a version: key of its design
    indexed: set[tuple[str, int]] = field(default_factory=set)  # key and number
    others: dict[str, dict[object, Row]] = field(default_factory=lambda: defaultdict(dict))  # by table and key
    named: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # keys in the index of a table
    tables: set[str] = field(default_factory=set)  # that the schema has
    unwritten: list[str] = field(default_factory=list)  # what was read and could not be kept, in words


@dataclass(frozen=True, slots=True)
class _Whole:
    """A design whose newest readable version is ``design``; ``numbers`` are those of its versions, in order."""

    design: Design
    numbers: tuple[int, ...]


def salvage_in_steps(path: Path) -> Generator[None, None, Salvaged | None]:
    """Put a new library with all that is whole in the place of the damaged one at ``path``.

    Returns None when another process changed the library meanwhile. Raises EnvironmentFailure where the new file cannot
    be written; then nothing has changed: SQLite opens copies only.
    """
    try:
        with TemporaryDirectory(
            dir=path.parent, prefix=f"{path.name}.", suffix=".part", ignore_cleanup_errors=True
        ) as folder:
            before = _state(path)
            part = Path(folder) / "new.sqlite"
            found = yield from _read(path, part)
            whole: dict[str, _Whole] = {}
            by_design: defaultdict[str, list[int]] = defaultdict(list)
            for number in sorted(found.versions):
                by_design[str(found.versions[number]["design_key"])].append(number)
            for key, numbers in by_design.items():
                if (design := _newest_whole(key, numbers, found)) is not None:
                    whole[key] = design
                yield
            yield from _write(part, found, whole, datetime.fromtimestamp(before[-1] / 1e9, tz=UTC))
            part.chmod(path.stat().st_mode & 0o777)
            if _state(path) != before:
                return None
            aside = _set_aside(path)
            part.replace(path)
    except OSError as error:
        raise EnvironmentFailure(
            _("The library is damaged and what is whole cannot be saved: {strerror}", strerror=error.strerror or error),
            where=str(path),
            todo=_("Make room in the folder or allow writing there; it is tried again."),
        ) from error
    return Salvaged(path=path, aside=aside, design_count=len(whole), lost=tuple(_lost(found, whole)))


def _state(path: Path) -> tuple[int, int, int, int]:
    seen = path.stat()
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def _read(path: Path, new: Path) -> Generator[None, None, _Found]:
    """Return the rows as SQLite takes file and log and, where it would not take all of the log, with a mended one."""
    with Database.open(new) as database, database.writing() as connection:
        columns = {table: [str(column[0]) for column in of] for table, of in columns_of(connection).items()}
    content, log_path, found = path.read_bytes(), path.with_name(f"{path.name}-wal"), _Found()
    page = int.from_bytes(content[16:18], "big")
    size = page if page >= 512 and page.bit_count() == 1 else USUAL_PAGE_BYTES
    log = log_path.read_bytes() if log_path.exists() else b""
    # Where the first page cannot be read, that of a new library may do: it has its tables at the same places.
    first = new.read_bytes()[:USUAL_PAGE_BYTES]
    guesses = dict.fromkeys(((size, b""), (USUAL_PAGE_BYTES, b""), (USUAL_PAGE_BYTES, first)))
    for number, written in enumerate(dict.fromkeys((log, mended_log(log, size, len(content) // size)))):
        for attempt, (page_bytes, front) in enumerate(guesses):
            copy = new.with_name(f"copy-{number}-{attempt}.sqlite")
            copy.write_bytes(_with_a_sound_header(front + content[len(front) :], page_bytes))
            copy.with_name(f"{copy.name}-wal").write_bytes(written)
            readable = yield from _read_copy(copy, columns, found)
            copy.unlink()
            if readable:
                break
    if content[60:64] == first[60:64]:  # by a program that has them all
        found.unwritten += [_("the table “{title}”", title=table) for table in columns if table not in found.tables]
    return found


def _with_a_sound_header(content: bytes, size: int) -> bytes:
    """Return a file with the header that every library has (https://sqlite.org/fileformat2.html), and whole pages."""
    content += bytes(-len(content) % size)
    head = bytearray(content[:100])
    head[:24] = b"SQLite format 3\0" + (size & 0xFFFF).to_bytes(2, "big") + bytes((2, 2, 0, 64, 32, 32))
    head[28:32], head[92:96] = (len(content) // size).to_bytes(4, "big"), head[24:28]
    head[44:72] = b"".join(number.to_bytes(4, "big") for number in (4, 0, 0, 1, 0, 0, 0))
    return bytes(head) + content[100:]


def _read_copy(copy: Path, columns: Mapping[str, list[str]], found: _Found) -> Generator[None, None, bool]:
    """Add to ``found`` what can be read of a copy; return whether any of it belongs to designs."""
    readable = False
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.text_factory = _text
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA writable_schema = ON")  # what is whole of a damaged schema is taken then
            connection.execute("PRAGMA cell_size_check = ON")
        for table, names in columns.items():
            with suppress(sqlite3.Error):
                found.tables |= {table} if connection.execute(f"PRAGMA table_info({table})").fetchone() else set()
            for number, rowid in enumerate(_rowids(connection, table)):
                row = _row(connection, table, names, rowid)
                readable |= bool(row) and table in {"design", "design_version"}
                _sort_in(table, rowid, row, found)
                if number % 50 == 0:
                    yield
            for order in ("ASC", "DESC") if table not in {"design", "design_version", "comparison_part"} else ():
                index = f"{table} INDEXED BY sqlite_autoindex_{table}_1 ORDER BY {names[0]} {order}"  # for machines
                with suppress(sqlite3.Error):
                    for (key,) in connection.execute(f"SELECT {names[0]} FROM {index}"):  # noqa: S608 - our names
                        found.named[table] |= {key} if isinstance(key, str) else set()
        numbers = "SELECT design_key, number FROM design_version INDEXED BY design_version_of_design"
        for order in ("ASC", "DESC"):
            with suppress(sqlite3.Error):
                for key, number in connection.execute(f"{numbers} ORDER BY design_key {order}"):
                    if isinstance(key, str) and 0 < number < _MOST_ROWS:
                        found.indexed.add((key, number))
    return readable


def _text(read: bytes) -> str | bytes:
    with suppress(UnicodeDecodeError):
        return read.decode()
    return read  # damaged: no longer UTF-8


def _rowids(connection: sqlite3.Connection, table: str) -> range:
    """Return all row numbers up to the highest found, from both ends: a walk stops at the first damaged page."""
    walks = ["NOT INDEXED ORDER BY rowid"]  # for machines
    with suppress(sqlite3.Error):
        for __, index, *__ in connection.execute(f"PRAGMA index_list({table})").fetchall():
            first = connection.execute(f"PRAGMA index_info({index})").fetchone()[2]
            walks.append(f"INDEXED BY {index} ORDER BY {first}")  # for machines
    last = 0
    for walk in walks:
        for order in ("ASC", "DESC"):
            with suppress(sqlite3.Error):
                for (rowid,) in connection.execute(f"SELECT rowid FROM {table} {walk} {order}"):  # noqa: S608 - our names
                    last = max(last, rowid if rowid < _MOST_ROWS else 0)
    return range(1, last + 1)


def _row(connection: sqlite3.Connection, table: str, names: list[str], rowid: int) -> Row:
    """Return a row; of one that lies partly on damaged pages, or of an older table, the columns that can be read."""
    read: dict[str, Value] = {}
    for some in (names, *([name] for name in names)):
        with suppress(sqlite3.Error):
            query = f"SELECT {', '.join(some)} FROM {table} NOT INDEXED WHERE rowid = ?"  # noqa: S608 - our names
            values = connection.execute(query, (rowid,)).fetchone()
            read |= zip(some, values or (), strict=False)
            if some is names:
                break
    return read


def _sort_in(table: str, rowid: int, row: Row, found: _Found) -> None:
    key = next(iter(row.values()), None)
    if not row:
        return
    if table == "design_version":
        _sort_in_version(rowid, row, found)
    elif isinstance(key, str):
        kept, own = found.others[table], (key, row.get("place")) if table == "comparison_part" else key
        if own not in kept or str(row.get("modified_at")) > str(kept[own].get("modified_at")):
            kept[own] = row


def _sort_in_version(number: int, row: Row, found: _Found) -> None:
    if number in found.versions:
        return
    key, document = row.get("design_key"), row.get("document")
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        if row.get("sum") not in (None, sum_of(document)):  # type: ignore[arg-type]
            raise ValueError  # the document was altered
        own = json.loads(document)["design"]["key"] if isinstance(document, str) else None
        if isinstance(own, str) and own:
            found.versions[number] = {**row, "design_key": own}
            found.unreadable.pop(number, None)
            return
    found.unreadable[number] = key if isinstance(key, str) else None


def _newest_whole(key: str, numbers: list[int], found: _Found) -> _Whole | None:
    """Return the newest version that can be opened, with the numbers of all to keep; the others become unreadable."""
    foreign: list[int] = []  # of a newer program: whole, and not ours to throw away
    while numbers:
        document = str(found.versions[numbers[-1]]["document"])
        try:
            with in_english():  # what is wrong is read below
                design = from_json(document)
        except PoolwrightError as error:
            schema = json.loads(document).get("schema")
            newer = isinstance(schema, int) and schema > DESIGN_SCHEMA
            if newer or (schema == DESIGN_SCHEMA and UNKNOWN_FIELD.partition("}")[2] in error.text):
                foreign.append(numbers.pop())
                continue
            found.versions.pop(numbers[-1])
            found.unreadable[numbers.pop()] = key
        else:
            return _Whole(design, (*numbers, *reversed(foreign)))
    return None


def _write(part: Path, found: _Found, whole: dict[str, _Whole], unknown: datetime) -> Generator[None]:
    instead = unknown.isoformat(timespec="microseconds")
    with Database.open(part) as database, database.writing() as connection:
        for one in whole.values():
            _write_design(connection, one, found, instead)
            yield
        for row in found.others["setting"].values():
            sound = connection.execute("SELECT json_valid(?)", (row.get("value"),)).fetchone()[0]
            if not (sound and _insert(connection, "setting", row)):
                found.unwritten.append(_("“{title}”", title=row["name"]))
        for row in found.others["inventory"].values():
            if not _insert(connection, "inventory", row):
                found.unwritten.append(_("“{title}”", title=row["name"]))
        # What is lost keeps its numbers: a backup may still have it.
        known = (*found.versions, *found.unreadable, *(number for __, number in found.indexed), 0)
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'design_version'")
        connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES ('design_version', ?)", (max(known) + _NUMBERS_LEFT_FREE,)
        )
        _write_comparisons(connection, found, whole)
        for row in found.others["product"].values():
            price = row.get("price")  # a number in old libraries
            if not _insert(connection, "product", {**row, "price": None if price is None else str(price)}):
                found.unwritten.append(_("“{title}”", title=row.get("model")))
        for row in found.others["run"].values():
            if not _write_run(connection, row, instead):
                found.unwritten.append(_("“{title}”", title=row.get("name", row["key"])))
            yield


def _insert(connection: sqlite3.Connection, table: str, row: Row) -> bool:
    """Write a row, unless the new library does not take it."""
    with suppress(sqlite3.Error):
        marks = ", ".join("?" for __ in row)
        connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608 - our names
        return True
    return False


def _write_design(connection: sqlite3.Connection, one: _Whole, found: _Found, instead: str) -> None:
    design = one.design
    row = found.others["design"].get(design.key, {})
    dates = [_date(found.versions[number].get("saved_at")) or instead for number in one.numbers]
    summary = summary_of(design)
    columns = {"key": design.key, "name": design.name, "pool_name": design.pool_name, "summary": summary}
    columns |= {"goal": design.workload.goal.value, "created_at": _date(row.get("created_at")) or dates[0]}
    _insert(connection, "design", {**columns, "modified_at": dates[-1], "deleted_at": _date(row.get("deleted_at"))})
    for number, saved in zip(one.numbers, dates, strict=True):
        version = found.versions[number]
        kept = version.get("summary")
        new: Row = {"number": number, "saved_at": saved, "summary": kept if isinstance(kept, str) else summary}
        _insert(connection, "design_version", {**version, **new})


def _write_comparisons(connection: sqlite3.Connection, found: _Found, whole: Container[Value]) -> None:
    for key, row in found.others["comparison"].items():
        parts = [part for part in found.others["comparison_part"].values() if part["comparison_key"] == key]
        sound = [part for part in parts if part.get("design_key") in whole and part.get("kind") in set(PartKind)]
        dated = _date(row.get("created_at")) and _date(row.get("modified_at"))
        if len(sound) < max(LEAST_PARTS, len(parts)) or not dated or not _insert(connection, "comparison", row):
            found.unwritten.append(_("“{title}”", title=row.get("name")))
            continue
        for part in sound:
            _insert(connection, "comparison_part", part)


def _write_run(connection: sqlite3.Connection, row: Row, instead: str) -> bool:
    """Write a run whose archive is whole; other columns get defaults where they are no text, date or number."""
    archive, seconds = row.get("archive"), row.get("seconds")
    if not isinstance(archive, bytes) or archive_sum(archive) != row.get("sum"):
        return False
    columns: dict[str, Value] = {name: value if isinstance(value, str) else None for name, value in row.items()}
    columns |= {name: columns.get(name) or "" for name in ("host", "profile", "judgement")}
    columns |= {"name": columns.get("name") or columns["key"], "made_at": _date(row.get("made_at")) or instead}
    right: Row = {
        "seconds": float(seconds) if isinstance(seconds, int | float) else 0.0,
        "size": len(archive),
        "deleted_at": _date(row.get("deleted_at")),
        "archive": archive,
    }
    return _insert(connection, "run", {**columns, **right})


def _date(value: Value) -> str | None:
    with suppress(ValueError, TypeError):
        if isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None:
            return value
    return None


def _lost(found: _Found, whole: dict[str, _Whole]) -> Iterator[str]:
    """Name what cannot be brought back: whole designs, and versions of those that can."""
    known: defaultdict[str, set[int]] = defaultdict(set)
    for key, number in found.indexed:
        known[key].add(number)
    for number, of in found.unreadable.items():
        if of is not None:
            known[of].add(number)
    for key in sorted({*known, *(str(key) for key in found.others["design"])} - set(whole)):
        name = found.others["design"].get(key, {}).get("name")
        yield (_("“{title}”", title=name) if isinstance(name, str) else _("a design of unknown name ({key})", key=key))
    for key, one in whole.items():
        gone = known[key] - set(one.numbers)
        later = sum(1 for number in gone if number > one.numbers[-1])
        name = one.design.name
        if later:
            yield ngettext(
                "the newest version of “{name}”", "the newest {count} versions of “{name}”", later, name=name
            )
        # Beyond this number the program itself takes the oldest away.
        elif gone and len(known[key] | set(one.numbers)) <= VERSIONS_KEPT:
            yield ngettext("an older version of “{name}”", "{count} older versions of “{name}”", len(gone), name=name)
    yield from found.unwritten
    for table, keys in found.named.items():
        if len(keys) > len(found.others[table]):  # else the index is what is damaged
            yield from (_("“{title}”", title=key) for key in sorted(keys - {*map(str, found.others[table])}))


def _set_aside(path: Path) -> Path:
    """Keep the damaged file with its log of writes under a telling name; the file itself stays until it is replaced."""
    stamp = datetime.now(tz=UTC).strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
    try:
        os.link(path, aside)
    except OSError:  # a file system without links
        path.rename(aside)
    # Its writes must not be taken for those of the new file.
    with suppress(FileNotFoundError):
        path.with_name(f"{path.name}-wal").rename(aside.with_name(f"{aside.name}-wal"))
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    return aside
