"""A damaged library: what is whole is brought into a new file, the damaged one is set aside, what is lost is named."""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Container, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType

from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError
from poolwright.domain.steps import at_once
from poolwright.store.comparisons import LEAST_PARTS
from poolwright.store.contents import from_json as inventory_from_json
from poolwright.store.database import Database
from poolwright.store.design_file import from_json, sum_of
from poolwright.store.designs import VERSIONS_KEPT, summary_of
from poolwright.store.pages import Record, Value, records_of
from poolwright.store.runs import archive_sum
from poolwright.texts import first_of, in_english, tell, tell_counted

_MOST_NAMED = 12
_NUMBERS_LEFT_FREE = 1000  # for versions of which nothing is left but a backup
_LARGEST_NUMBER = 1 << 40  # beyond it a number is itself damage
_PRODUCT_COLUMNS, _PRODUCT_MODEL = 18, 3
_RUN_COLUMNS, _RUN_SUM, _RUN_ARCHIVE = 14, 12, 13
_LETTERS = {NoneType: "n", str: "t", int: "i", float: "f", bytes: "b"}
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """What came of a damaged library: where it lies now, how many designs are whole, what is lost in words."""

    path: Path
    aside: Path
    design_count: int
    lost: tuple[str, ...]

    @property
    def text(self) -> str:
        whole = (
            tell("No design could be read.")
            if not self.design_count
            else tell_counted("{count} design could be read.", "{count} designs could be read.", self.design_count)
        )
        if self.lost:
            whole = tell("{whole} Lost: {names}.", whole=whole, names=first_of(self.lost, _MOST_NAMED, between="; "))
        return tell(
            "The library was damaged. {whole} The damaged file is kept as {aside}.", whole=whole, aside=self.aside
        )


@dataclass(slots=True)
class _Found:
    """The rows by what tells them apart; of several copies the likelier one, or the newer where a date tells."""

    designs: dict[str, Row] = field(default_factory=dict)
    versions: dict[int, Row] = field(default_factory=dict)  # number: key, saved at, summary, document, sum
    unreadable: dict[int, str | None] = field(default_factory=dict)  # number: key of the design, where it can be read
    indexed: set[tuple[str, int]] = field(default_factory=set)
    inventories: dict[str, Row] = field(default_factory=dict)
    settings: dict[str, Row] = field(default_factory=dict)
    comparisons: dict[str, Row] = field(default_factory=dict)
    parts: dict[tuple[str, int], Row] = field(default_factory=dict)
    products: dict[str, Row] = field(default_factory=dict)
    runs: dict[str, Row] = field(default_factory=dict)
    broken_runs: dict[str, str] = field(default_factory=dict)  # key: name
    places: set[int] = field(default_factory=set)  # of products, by their index
    unwritten: list[str] = field(default_factory=list)  # what was read and could not be kept, in words


@dataclass(frozen=True, slots=True)
class _Whole:
    """A design whose newest readable version is ``design``; ``numbers`` are those of its versions, in order."""

    design: Design
    numbers: tuple[int, ...]


def salvage(path: Path) -> Salvaged | None:
    return at_once(salvage_in_steps(path))


def salvage_in_steps(path: Path) -> Generator[None, None, Salvaged | None]:
    """Put a new library with all that is whole in the place of the damaged one at ``path``.

    Returns None when another process was faster. Raises EnvironmentFailure where the new file cannot be written;
    then nothing has changed.
    """
    part = path.with_name(f"{path.name}.salvaged-{os.getpid()}.part")
    try:
        before = _state(path)
        found = _Found()
        for number, record in enumerate(records_of(path)):
            _sort_in(record, found)
            if number % 50 == 0:
                yield
        whole: dict[str, _Whole] = {}
        for key, numbers in _by_design(found).items():
            design = _newest_whole(key, numbers, found)
            if design is not None:
                whole[key] = design
            yield
        _clean(part)
        yield from _write(part, found, whole, datetime.fromtimestamp(before[-1] / 1e9, tz=UTC))
        part.chmod(path.stat().st_mode & 0o777)
        if _state(path) != before:
            _clean(part)
            return None
        aside = _set_aside(path)
        part.replace(path)
    except OSError as error:
        _clean(part)
        raise EnvironmentFailure(
            tell(
                "The library is damaged, and what is whole cannot be brought into a new one: {strerror}",
                strerror=error.strerror or error,
            ),
            where=str(path),
            todo=tell("Make room in the folder or allow writing there; it is tried again."),
        ) from error
    except BaseException:
        _clean(part)
        raise
    return Salvaged(path=path, aside=aside, design_count=len(whole), lost=_lost(found, whole))


def _state(path: Path) -> tuple[int, int, int, int]:
    seen = path.stat()
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def _sort_in(record: Record, found: _Found) -> None:
    """Tell from the shape of a row which table it is of; later columns may have been added to any."""
    values = record.values
    shape = "".join(_letter(value) for value in values)
    if record.rowid is None:
        _sort_in_entry(shape, values, found)
    elif len(values) >= _PRODUCT_COLUMNS:
        if shape.startswith("ti"):
            found.products.setdefault(str(values[0]), values)
    elif len(values) >= _RUN_COLUMNS and shape.startswith("t") and shape[_RUN_SUM:_RUN_COLUMNS] == "tb":
        _sort_in_run(values[:_RUN_COLUMNS], found)
    elif shape.startswith("n") and len(values) in {5, 6} and shape[1:5].strip("tb") == "":
        _sort_in_version(record.rowid, values, found)
    elif len(values) in {8, 9} and shape[:7] == "ttttttt":
        _keep_newer(found.designs, values, 6)
    elif shape == "tt":
        found.settings.setdefault(str(values[0]), values)
    elif shape == "ttit":
        _keep_newer(found.inventories, values, 1)
    elif shape == "tttt":
        _keep_newer(found.comparisons, values, 3)
    elif shape == "titt":
        found.parts.setdefault((str(values[0]), int(values[1])), values)  # type: ignore[arg-type]


def _sort_in_entry(shape: str, values: Row, found: _Found) -> None:
    """Keep what the index of versions tells, key and number, and that of products, their place."""
    if shape == "ii" and 0 <= int(values[0] or 0) < _LARGEST_NUMBER:
        found.places.add(int(values[0] or 0))
    elif shape == "tii" and values[1] == values[2] and 0 < int(values[1] or 0) < _LARGEST_NUMBER:
        found.indexed.add((str(values[0]), int(values[1] or 0)))  # the number is also what the entry points to


def _letter(value: Value) -> str:
    return _LETTERS[type(value)]


def _keep_newer(kept: dict[str, Row], row: Row, date_at: int) -> None:
    before = kept.get(str(row[0]))
    if before is None or str(row[date_at]) > str(before[date_at]):
        kept[str(row[0])] = row


def _sort_in_version(number: int, values: Row, found: _Found) -> None:
    if number in found.versions or not 0 < number < _LARGEST_NUMBER:
        return
    key, document, known = values[1], values[4], (*values, None)[5]
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        if known is not None and sum_of(str(document)) != known:
            raise ValueError  # a letter of it turned
        told = json.loads(document)["design"]["key"] if isinstance(document, str) else None
        if isinstance(told, str) and told:
            found.versions[number] = (told, *values[2:5], known)
            found.unreadable.pop(number, None)
            return
    found.unreadable[number] = key if isinstance(key, str) else None


def _sort_in_run(row: Row, found: _Found) -> None:
    """Keep a run whose archive is as it was kept; of several copies the first is the likelier."""
    key, archive = str(row[0]), row[_RUN_ARCHIVE]
    if isinstance(archive, bytes) and archive_sum(archive) == row[_RUN_SUM]:
        found.runs.setdefault(key, row)
    else:
        found.broken_runs[key] = str(row[1])


def _by_design(found: _Found) -> dict[str, list[int]]:
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, row in found.versions.items():
        numbers[str(row[0])].append(number)
    return {key: sorted(of) for key, of in numbers.items()}


def _newest_whole(key: str, numbers: list[int], found: _Found) -> _Whole | None:
    """Return the design with its versions up to the newest that can be opened."""
    foreign: list[int] = []  # of a newer program: whole, and not ours to throw away
    while numbers:
        document = str(found.versions[numbers[-1]][3])
        try:
            with in_english():  # what is wrong is read below
                design = from_json(document)
        except PoolwrightError as error:
            schema = json.loads(document).get("schema")
            newer = isinstance(schema, int) and schema > DESIGN_SCHEMA
            if newer or (schema == DESIGN_SCHEMA and "unknown field" in error.text):
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
        for key, one in whole.items():
            row = found.designs.get(key)
            dates = [_date(found.versions[number][1]) or instead for number in one.numbers]
            created = (_date(row[5]) if row else None) or dates[0]
            deleted = _date(row[7]) if row else None
            design = one.design
            fixed = (key, design.name, design.pool_name, design.workload.goal.value, summary_of(design))
            connection.execute(
                "INSERT INTO design (key, name, pool_name, goal, summary, created_at, modified_at, deleted_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*fixed, created, dates[-1], deleted),
            )
            for number, saved in zip(one.numbers, dates, strict=True):
                row = found.versions[number]
                summary = row[2] if isinstance(row[2], str) else fixed[-1]
                connection.execute(
                    "INSERT INTO design_version (number, design_key, saved_at, summary, document, sum) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (number, key, saved, summary, row[3], row[4]),
                )
            yield
        for name, row in found.inventories.items():
            if _date(row[1]) and _is_inventory(row[3]):
                connection.execute("INSERT INTO inventory VALUES (?, ?, ?, ?)", (name, *row[1:]))
            yield
        for name, row in found.settings.items():
            connection.execute("INSERT INTO setting VALUES (?, ?)", (name, row[1]))
        # What is lost keeps its numbers: a backup may still have it.
        known = (*found.versions, *found.unreadable, *(number for _, number in found.indexed), 0)
        after = max(known) + _NUMBERS_LEFT_FREE
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'design_version'")
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('design_version', ?)", (after,))
        _write_comparisons(connection, found, whole)
        _write_products(connection, found)
        for row in found.runs.values():
            _write_run(connection, row, instead)
            yield


def _write_comparisons(connection: sqlite3.Connection, found: _Found, whole: Container[Value]) -> None:
    for key, row in found.comparisons.items():
        parts = [part for (of, _), part in sorted(found.parts.items()) if of == key]
        sound = [part for part in parts if part[3] in whole and part[2] in {"design", "md-raid6"}]
        if len(sound) < LEAST_PARTS or len(sound) < len(parts) or _date(row[2]) is None or _date(row[3]) is None:
            found.unwritten.append(tell("the comparison “{name}”", name=row[1]))
            continue
        connection.execute("INSERT INTO comparison VALUES (?, ?, ?, ?)", row)
        connection.executemany("INSERT INTO comparison_part VALUES (?, ?, ?, ?)", sound)


def _write_products(connection: sqlite3.Connection, found: _Found) -> None:
    """Keep the products, each for itself; the catalogue that ships with the program is always there."""
    declared = [str(column["type"]) for column in connection.execute("PRAGMA table_info(product)")]
    marks = ", ".join("?" for _ in declared)
    for row in found.products.values():
        values = [str(v) if d == "TEXT" and v is not None else v for v, d in zip(row, declared, strict=False)]
        try:
            connection.execute(f"INSERT INTO product VALUES ({marks})", values)  # noqa: S608 - only marks
        except sqlite3.Error:
            found.unwritten.append(tell("“{name}” of the catalogue", name=row[_PRODUCT_MODEL]))
    places = {row[1] for row in found.products.values()}
    unread = len((found.places | set(range(max(found.places, default=-1)))) - places)
    if unread:
        found.unwritten.append(tell_counted("{count} disk of the catalogue", "{count} disks of the catalogue", unread))


def _write_run(connection: sqlite3.Connection, row: Row, instead: str) -> None:
    """Write a run whose archive is whole; what a list tells of it is put right where it is no text, time or number."""
    key, archive, seconds = str(row[0]), row[_RUN_ARCHIVE], row[9]
    assert isinstance(archive, bytes)
    name, host, profile, judgement = (row[n] if isinstance(row[n], str) else "" for n in (1, 3, 5, 8))
    pool, design_name, design_key = (row[n] if isinstance(row[n], str) else None for n in (4, 6, 7))
    told = (key, name or key, _date(row[2]) or instead, host, pool, profile, design_name, design_key, judgement)
    numbers = (float(seconds) if isinstance(seconds, int | float) else 0.0, len(archive))
    marks = ", ".join("?" for _ in row)
    connection.execute(f"INSERT INTO run VALUES ({marks})", (*told, *numbers, _date(row[11]), row[_RUN_SUM], archive))  # noqa: S608 - only marks


def _date(value: Value) -> str | None:
    with suppress(ValueError, TypeError):
        if isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None:
            return value
    return None


def _is_inventory(document: Value) -> bool:
    with suppress(PoolwrightError):
        return isinstance(document, str) and bool(inventory_from_json(document).name)
    return False


def _lost(found: _Found, whole: dict[str, _Whole]) -> tuple[str, ...]:
    """Name what cannot be brought back: whole designs, and versions of those that can."""
    known: defaultdict[str, set[int]] = defaultdict(set)
    for key, number in found.indexed:
        if key in found.comparisons:
            continue  # the index of their parts looks alike
        known[key].add(number)
    for number, of in found.unreadable.items():
        if of is not None:
            known[of].add(number)
    told = []
    for key in sorted({*known, *found.designs} - set(whole)):
        row = found.designs.get(key)
        name = row[1] if row else None
        told.append(
            tell("the design “{name}”", name=name)
            if isinstance(name, str)
            else tell("a design of unknown name ({key})", key=key)
        )
    for key, one in whole.items():
        gone = known[key] - set(one.numbers)
        later = sum(1 for number in gone if number > one.numbers[-1])
        name = one.design.name
        if later:
            told.append(
                tell("the newest {later} versions of “{name}”", later=later, name=name)
                if later > 1
                else tell("the newest version of “{name}”", name=name)
            )
        # Beyond this number the program itself takes the oldest away.
        elif gone and len(known[key] | set(one.numbers)) <= VERSIONS_KEPT:
            told.append(
                tell("{count} older versions of “{name}”", count=len(gone), name=name)
                if len(gone) > 1
                else tell("an older version of “{name}”", name=name)
            )
    told += [tell("the run “{name}”", name=name) for key, name in found.broken_runs.items() if key not in found.runs]
    return (*told, *found.unwritten)


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


def _clean(part: Path) -> None:
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            part.with_name(part.name + end).unlink(missing_ok=True)
