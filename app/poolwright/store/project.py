"""A library as one file for a colleague or a customer: written whole, and merged into another library."""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from poolwright.domain.errors import UserError
from poolwright.store.backups import bring_up_to_date, checked_rows, copied, copy_in_steps, insert
from poolwright.store.database import Database
from poolwright.store.design_file import from_json, sum_of
from poolwright.store.library import Designs
from poolwright.texts import _

PROJECT_ENDING = "poolwright"
PROJECT_HEAD = b"SQLite format 3\0"
_KEPT = "SELECT key FROM design WHERE deleted_at IS NULL"
_OF_KEPT = f"design_key IN ({_KEPT})"  # for machines
_NOT_IN_BIN = "deleted_at IS NULL"  # for machines
# What is handed on, and which rows of it: not the bin, nor the prices and settings of whoever writes it.
_HANDED_ON = {
    "design": _NOT_IN_BIN,
    "design_version": _OF_KEPT,
    "comparison": "TRUE",
    "comparison_part": _OF_KEPT,
    "inventory": "TRUE",
    "run": _NOT_IN_BIN,
}
Steps = Generator[None, None, tuple[str, ...]]


def write_project_in_steps(library: Path, target: Path) -> Generator[None, None, Path]:
    """Copy every design with its versions, comparison, inventory and run to ``target``, which appears when it is whole.

    Raises LibraryDamaged, and EnvironmentFailure where nothing can be written.
    """
    yield from copy_in_steps(library, target, _HANDED_ON)
    return target


def merge_in_steps(database: Database, project: Path) -> Steps:
    """Bring what a project holds and the library does not into the library; return the names of it.

    Nothing that is here is changed: a design that both went on with is taken beside the one that is here.
    Raises UserError where the file is no whole project.
    """
    with copied(project, database.path) as copy:
        try:
            found = yield from _merge(database, copy, project)
        except UserError as error:
            raise UserError(_("This project cannot be merged: {why}", why=error), where=str(project)) from error
    return found


def _merge(database: Database, copy: Path, project: Path) -> Steps:
    names: list[str] = []
    with Database.open(copy) as theirs:
        keys = {}
        for row in theirs.rows("SELECT * FROM design WHERE deleted_at IS NULL"):
            keys[row["key"]], taken = _take_design(database, theirs, row, project.stem)
            names += taken
            yield
        with database.writing() as connection:
            there = {row["key"] for row in connection.execute("SELECT key FROM comparison")}
            new = [row for row in theirs.rows("SELECT * FROM comparison") if row["key"] not in there]
            insert(connection, "comparison", new)
            names += [row["name"] for row in new]
            parts = (row for row in theirs.rows("SELECT * FROM comparison_part") if row[0] not in there)
            insert(connection, "comparison_part", [_with(row, design_key=keys[row["design_key"]]) for row in parts])
        yield
        names += _take_inventories(database, theirs, project.stem)
        runs = {row["key"] for row in database.rows("SELECT key FROM run")}
        for listed in theirs.rows("SELECT key, name FROM run WHERE deleted_at IS NULL"):
            if listed["key"] not in runs:  # one at a time: they are large
                rows = checked_rows(theirs, "run", "SELECT * FROM run WHERE key = ?", listed["key"])
                with database.writing() as connection:
                    insert(connection, "run", [_with(r, design_key=keys.get(r["design_key"])) for r in rows])
                names.append(listed["name"])
            yield
    return tuple(names)


def _take_design(database: Database, theirs: Database, design: sqlite3.Row, source: str) -> tuple[str, tuple[str, ...]]:
    """Take the versions of a design that are not here; return under which key it is here, and its name if it is new."""
    key = design["key"]
    versions = checked_rows(theirs, "design_version", "SELECT * FROM design_version WHERE design_key = ?", key)
    mine = [sum_of(row["document"]) for row in database.rows(
        "SELECT document FROM design_version WHERE design_key = ? ORDER BY number", key)]  # fmt: skip
    new = [row for row in sorted(versions, key=lambda row: row["number"]) if sum_of(row["document"]) not in mine]
    if not new:  # here already, if not in the bin
        back = database.change("UPDATE design SET deleted_at = NULL WHERE key = ? AND deleted_at IS NOT NULL", key)
        return key, (design["name"],) if back else ()
    if mine and mine[-1] not in {sum_of(row["document"]) for row in versions}:
        found = from_json(new[-1]["document"])
        name = _("{name} (from {source})", name=found.name, source=source)
        # The same project is merged into the same design again, whatever designs are called.
        beside = replace(found, key=uuid5(NAMESPACE_OID, f"{key} {source}").hex, name=name)
        return beside.key, (name,) if Designs(database).save(beside) else ()
    with database.writing() as connection:
        insert(connection, "design", [tuple(design)], new=False)
        connection.execute("UPDATE design SET deleted_at = NULL WHERE key = ?", (key,))
        insert(connection, "design_version", [_with(row, number=None) for row in new])
        return key, (bring_up_to_date(connection, key) or design["name"],)


def _take_inventories(database: Database, theirs: Database, source: str) -> list[str]:
    here = {row["name"]: row["document"] for row in database.rows("SELECT name, document FROM inventory")}
    new: list[Sequence[object]] = []
    for row in theirs.rows("SELECT * FROM inventory"):
        name = row["name"]
        if name in here and here[name] != row["document"]:
            name = _("{name} (from {source})", name=name, source=source)
        if name not in here:
            new.append(_with(row, name=name))
    with database.writing() as connection:
        insert(connection, "inventory", new)
    return [str(row[0]) for row in new]


def _with(row: sqlite3.Row, **other: object) -> tuple[object, ...]:
    """Return the values of a row, with other ones in these columns."""
    return tuple(other.get(name, value) for name, value in zip(row.keys(), row, strict=True))


def is_project(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as opened:
        return opened.read(len(PROJECT_HEAD)) == PROJECT_HEAD
    return False
