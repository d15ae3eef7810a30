"""A library with something of everything, damaged in many ways; and what the program must do with each."""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tests.store.samples import full_design, full_inventory, stored_run

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.steps import at_once
from poolwright.store.database import Database, LibraryDamaged
from poolwright.store.library import BurnIns, Catalogues, Comparisons, Designs, Part, Runs
from poolwright.store.salvage import Salvaged, salvage_in_steps

DESIGNS, VERSIONS = 5, 3
PAGE = 4096


def salvage(path: Path) -> Salvaged | None:
    return at_once(salvage_in_steps(path))


def version(number: int, edit: int) -> Design:
    return replace(full_design(f"d{number}", name=f"Design {number}"), ashift=12 + edit)


WRITTEN = {(f"d{n}", e): version(n, e) for n in range(DESIGNS) for e in range(VERSIONS)}


# The second goes over many pages.
ARCHIVES = {"r0": b"PK\x03\x04 short", "r1": random.Random(7).randbytes(20_000), "r2": b"in the bin"}


def make_library(path: Path, *, closed: bool = True) -> None:
    """Write a library; with ``closed`` False its last writes lie in the log beside it, as after a kill."""
    with Database.open(path) as database:
        designs = Designs(database)
        for design in WRITTEN.values():
            designs.save(design)
        designs.delete("d4")
        BurnIns(database).completed(full_inventory("nas1"))
        Comparisons(database).save("two", [Part(design_key="d0"), Part(design_key="d1")])
        for key, archive in ARCHIVES.items():
            Runs(database).keep(stored_run(key), archive)
        Runs(database).delete("r2")
        if not closed:
            kept = path.with_name("kept")
            kept.mkdir()
            for end in ("", "-wal", "-shm"):
                shutil.copy(path.with_name(path.name + end), kept)
    if not closed:
        for file in kept.iterdir():
            file.replace(path.with_name(file.name))
        kept.rmdir()


Damage = Callable[[Path, random.Random], None]


def change_rows(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def change(file: Path, at: int, put: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(put)


def byte(path: Path, chance: random.Random) -> None:
    change(path, chance.randrange(path.stat().st_size), bytes([chance.randrange(256)]))


def bit(path: Path, chance: random.Random) -> None:
    at = chance.randrange(path.stat().st_size)
    change(path, at, bytes([path.read_bytes()[at] ^ 1 << chance.randrange(8)]))


def header(path: Path, chance: random.Random) -> None:
    change(path, chance.randrange(100), bytes([chance.randrange(256)]))


def schema(path: Path, chance: random.Random) -> None:
    change(path, chance.randrange(100, PAGE), bytes([chance.randrange(256)]))


def zeroed(path: Path, chance: random.Random) -> None:
    change(path, PAGE * chance.randrange(path.stat().st_size // PAGE), bytes(PAGE))


def garbage(path: Path, chance: random.Random) -> None:
    change(path, PAGE * chance.randrange(path.stat().st_size // PAGE), chance.randbytes(PAGE))


def swapped(path: Path, chance: random.Random) -> None:
    content, count = path.read_bytes(), path.stat().st_size // PAGE
    one, two = (PAGE * chance.randrange(count) for _ in range(2))
    change(path, one, content[two : two + PAGE])
    change(path, two, content[one : one + PAGE])


def cut(path: Path, chance: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def log(path: Path, chance: random.Random) -> None:
    file = path.with_name(f"{path.name}-wal")
    (byte if chance.random() < 0.7 else cut)(file, chance)
    long_ago = file.stat().st_mtime - 3600
    os.utime(file, (long_ago, long_ago))  # what was written this moment may still be written to


def index_of_log(path: Path, chance: random.Random) -> None:
    file = path.with_name(f"{path.name}-shm")
    for _ in range(20):
        byte(file, chance)


VALUES = (
    "'2026-13-45T99:99'",
    "''",
    "'yesterday'",
    "CAST(x'ff80' AS TEXT)",
    "'{\"schema\": 1'",
    "'[]'",
    "'null'",
    "'9'",
)


def row(path: Path, chance: random.Random) -> None:
    table, column = chance.choice(
        [
            *(("design", name) for name in ("name", "goal", "created_at", "modified_at", "deleted_at", "summary")),
            *(("design_version", name) for name in ("saved_at", "summary", "document")),
            *(("inventory", name) for name in ("modified_at", "document")),
            *(("comparison", name) for name in ("created_at", "modified_at", "name")),
            *(("run", name) for name in ("name", "made_at", "host", "pool", "judgement", "deleted_at", "sum")),
        ]
    )
    with sqlite3.connect(path) as connection:
        rows = [found[0] for found in connection.execute(f"SELECT rowid FROM {table}")]
        which = chance.choice(rows)
        connection.execute(f"UPDATE {table} SET {column} = {chance.choice(VALUES)} WHERE rowid = ?", (which,))
    connection.close()


def documents(path: Path, chance: random.Random) -> None:
    """Swap the documents of two versions."""
    with sqlite3.connect(path) as connection:
        one, two = (chance.randrange(1, DESIGNS * VERSIONS + 1) for _ in range(2))
        text = [
            connection.execute("SELECT document FROM design_version WHERE number = ?", (n,)).fetchone()
            for n in (one, two)
        ]
        for number, found in zip((two, one), text, strict=True):
            connection.execute("UPDATE design_version SET document = ? WHERE number = ?", (*found, number))
    connection.close()


CLOSED: tuple[Damage, ...] = (byte, bit, header, schema, zeroed, garbage, swapped, cut, row, documents)
OPEN: tuple[Damage, ...] = (byte, log, index_of_log, header)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    salvaged: Salvaged | None
    designs: dict[str, Design]
    refused: str = ""


def use(path: Path) -> Outcome:
    """Do what the program does with a library; anything but an error for people fails."""
    told: Salvaged | None = None
    for _ in range(3):
        try:
            with Database.open(path) as database:
                return Outcome(salvaged=told, designs=read_all(database))
        except LibraryDamaged:
            told = salvage(path)
        except PoolwrightError as error:
            return Outcome(salvaged=told, designs={}, refused=error.text)
    raise AssertionError("damaged after it was mended")


def read_all(database: Database) -> dict[str, Design]:
    designs, found = Designs(database), {}
    for entry in (*designs.list(), *designs.list(deleted=True)):
        try:
            found[entry.key] = designs.open(entry.key)
        except LibraryDamaged:
            raise
        except PoolwrightError:
            continue  # told, and the older versions can be opened
        for one in designs.history(entry.key):
            try:
                designs.open(entry.key, number=one.number)
            except LibraryDamaged:
                raise
            except PoolwrightError:
                continue
    Comparisons(database).list()
    database.rows("SELECT * FROM inventory")
    Catalogues(database).load()
    runs = Runs(database)
    for run in (*runs.entries(), *runs.entries(deleted=True)):
        assert runs.archive(run.key) == ARCHIVES[run.key]
    designs.save(replace(full_design("new"), name="after"))
    return found
