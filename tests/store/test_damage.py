"""A damaged library: the program opens what is whole, keeps the damaged file, names what is lost, offers the backup."""

import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from tests.store.damage import (
    CLOSED,
    DESIGNS,
    OPEN,
    PAGE,
    VERSIONS,
    WRITTEN,
    Damage,
    change,
    change_rows,
    make_library,
    salvage,
    use,
    version,
)

from poolwright import texts
from poolwright.domain.design import DESIGN_SCHEMA, Design
from poolwright.domain.errors import UserError
from poolwright.store.backups import KEPT, back_up_in_steps, backups_of, take_missing
from poolwright.store.database import Database, LibraryDamaged, columns_of, migrations
from poolwright.store.library import Designs
from poolwright.store.salvage import Salvaged

# Thousands of cases: POOLWRIGHT_DAMAGES=300 pytest -m slow on this file.
QUICK, SLOW = range(2), range(2, int(os.environ.get("POOLWRIGHT_DAMAGES", "16")))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the folder of a library that was closed, and of one that was killed."""
    folder = tmp_path_factory.mktemp("libraries")
    for name in ("closed", "killed"):
        (folder / name).mkdir()
        make_library(folder / name / "library.sqlite", closed=name == "closed")
    return folder / "closed", folder / "killed"


@pytest.fixture
def path(libraries: tuple[Path, Path], tmp_path: Path) -> Path:
    return fresh(libraries[0], tmp_path)


def fresh(library: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(library, tmp_path / "library")) / "library.sqlite"


def survive(path: Path, damage: Damage, chance: random.Random) -> None:
    damage(path, chance)
    damaged = path.read_bytes()
    outcome = use(path)
    assert outcome.refused == ""
    assert list(path.parent.glob("*.part*")) == []
    if outcome.salvaged is not None:
        assert outcome.salvaged.aside.read_bytes() == damaged
        assert str(outcome.salvaged.aside) in outcome.salvaged.text
        again = use(path)
        assert again.salvaged is None
        assert {key: found for key, found in again.designs.items() if key != "new"} == outcome.designs


@pytest.mark.parametrize("seed", QUICK)
@pytest.mark.parametrize("damage", CLOSED)
def test_that_a_damaged_library_opens(libraries: tuple[Path, Path], tmp_path: Path, damage: Damage, seed: int) -> None:
    survive(fresh(libraries[0], tmp_path), damage, random.Random(seed))


@pytest.mark.parametrize("damage", OPEN)
def test_that_a_library_damaged_beside_its_log_opens(
    libraries: tuple[Path, Path], tmp_path: Path, damage: Damage
) -> None:
    survive(fresh(libraries[1], tmp_path), damage, random.Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("damage", dict.fromkeys([*CLOSED, *OPEN]))
def test_that_libraries_damaged_at_random_open(libraries: tuple[Path, Path], tmp_path: Path, damage: Damage) -> None:
    for seed in SLOW:
        folder = tmp_path / str(seed)
        folder.mkdir()
        killed = damage in OPEN and (damage not in CLOSED or seed % 2 == 1)
        survive(fresh(libraries[killed], folder), damage, random.Random(seed))
        shutil.rmtree(folder)


def test_that_what_is_lost_is_named_and_the_rest_is_whole(path: Path) -> None:
    change_rows(
        path,
        "UPDATE design_version SET document = substr(document, 1, 99) WHERE design_key = 'd1'",
        f"UPDATE design_version SET document = '{{' WHERE number = {2 * VERSIONS + 3}",
    )
    with Database.open(path) as database, pytest.raises(LibraryDamaged):
        Designs(database).open("d1")
    found = mended(path)
    assert found.design_count == DESIGNS - 1
    assert found.lost == ("“Design 1”", "the newest version of “Design 2”", "“two”")
    with Database.open(path) as database:
        assert Designs(database).open("d2") == version(2, 1)
        assert [entry.key for entry in Designs(database).list(deleted=True)] == ["d4"]


def mended(path: Path) -> Salvaged:
    found = salvage(path)
    assert found is not None
    return found


@pytest.mark.parametrize("table", ["setting", "run", "inventory", "comparison"])
def test_that_each_row_on_a_page_that_is_lost_is_named(path: Path, table: str) -> None:
    change_rows(path, "INSERT INTO setting VALUES ('rules of 2026-11-30T08:00:00+00:00', '{}')")
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    change(path, PAGE * (page - 1), bytes(PAGE))
    lost = mended(path).lost
    assert len(lost) == count
    assert table != "setting" or lost == ("“rules of 2026-11-30T08:00:00+00:00”",)


def test_that_rules_that_cannot_be_read_are_named(path: Path) -> None:
    change_rows(path, "INSERT INTO setting VALUES ('rules of 2026-11-30T08:00:00+00:00', '{')")
    assert mended(path).lost == ("“rules of 2026-11-30T08:00:00+00:00”",)


def test_that_a_design_under_a_foreign_name_is_told(path: Path) -> None:
    change_rows(path, "UPDATE design_version SET design_key = 'd3' WHERE number = 3")
    with Database.open(path) as database, pytest.raises(LibraryDamaged):
        Designs(database).open("d3", number=3)
    mended(path)
    with Database.open(path) as database:
        assert {key: Designs(database).open(key) for key in ("d0", "d3")} == {"d0": version(0, 2), "d3": version(3, 2)}


@pytest.mark.parametrize("at", [18, 19])
def test_that_a_header_that_forbids_writing_is_damage(path: Path, at: int) -> None:
    change(path, at, b"\x41")
    with pytest.raises(LibraryDamaged):
        Database.open(path)
    assert mended(path).lost == ()


def first_rows(database: Database) -> list[list[tuple[object, ...]]]:
    asked = ("SELECT number, document FROM design_version", "SELECT key, price, currency, place FROM product")
    return [[tuple(row) for row in database.rows(sql)] for sql in asked]


@pytest.mark.parametrize("told", [0, 1, 3, 6, 8, 136, 70_000, 1 << 31])
@pytest.mark.parametrize("known", [5, 7])
def test_that_a_version_that_the_tables_do_not_have_is_damage_and_costs_nothing(
    tmp_path: Path, known: int, told: int
) -> None:
    path = tmp_path / "library.sqlite"
    with Database.open(path, steps=migrations()[:known]) as database:
        Designs(database).save(version(0, 0))
        row = "'k', 0, '', 'm', 'hdd', 1, NULL, NULL, NULL, NULL, NULL, NULL, '50.10', 'EUR', '2026', NULL, NULL, ''"
        database.change(f"INSERT INTO product VALUES ({row}{', NULL' * (known == 7)})")
        before = first_rows(database)
    change(path, 60, told.to_bytes(4, "big"))
    assert mended(path).lost == ()
    with Database.open(path) as database:
        assert first_rows(database) == before


def test_that_every_migration_changes_the_columns_by_which_a_damaged_version_is_known(tmp_path: Path) -> None:
    seen = set()
    for known in range(1, len(migrations()) + 1):
        with Database.open(tmp_path / str(known), steps=migrations()[:known]) as database, database.writing() as inside:
            seen.add(str(columns_of(inside)))
    assert len(seen) == len(migrations())


def test_that_a_digit_that_turned_is_not_believed(path: Path) -> None:
    change_rows(path, "UPDATE design_version SET document = replace(document, '6001175126016', '8001175126016')")
    with pytest.raises(LibraryDamaged, match="not as it was saved"):
        backed_up(path)
    with Database.open(path) as database, pytest.raises(LibraryDamaged, match="not as it was saved"):
        Designs(database).open("d0")
    designs = tuple(f"“Design {number}”" for number in range(DESIGNS))
    assert mended(path).lost == (*designs, "“two”")


class Foreign:
    """A language in which no word of a text is as in English."""

    def gettext(self, message: str, /) -> str:
        """Return the text with its words, which stand outside braces, as x."""
        return re.sub(r"(?<![{\w])\w+(?![\w}:])", "x", message)

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n`` in that language."""
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.mark.parametrize("language", [None, Foreign()])
def test_that_versions_of_a_newer_program_are_not_thrown_away(path: Path, language: Foreign | None) -> None:
    with sqlite3.connect(path) as connection:
        newer = 'replace(document, \'"pool_name":\', \'"colour": "red", "pool_name":\')'
        connection.execute(f"UPDATE design_version SET document = {newer}, sum = NULL WHERE number = 3")
        connection.execute("UPDATE design SET goal = '?' WHERE key = 'd1'")
    connection.close()
    texts.use(language)
    try:
        lost = mended(path).lost
    finally:
        texts.use(None)
    assert lost == ()
    with Database.open(path) as database:
        assert [one.number for one in Designs(database).history("d0")] == [3, 2, 1]
        assert Designs(database).open("d0", number=2) == version(0, 1)
        with pytest.raises(UserError, match="“colour” is not a field"):
            Designs(database).open("d0")


def test_that_a_damaged_version_of_an_older_program_is_named(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        older = (
            f"replace(replace(document, '\"schema\": {DESIGN_SCHEMA}', '\"schema\": 3'), '\"pool_name\":', '\"pole\":')"
        )
        connection.execute(f"UPDATE design_version SET document = {older}, sum = NULL WHERE number = 3")
    connection.close()
    assert mended(path).lost == ("the newest version of “Design 0”",)


def test_that_a_second_program_does_not_set_aside_what_the_first_has_mended(path: Path) -> None:
    whole = path.read_bytes()
    change(path, 100, b"\0" * 200)
    assert mended(path).design_count == DESIGNS
    content = path.read_bytes()
    assert content != whole
    with Database.open(path) as database:
        assert Designs(database).open("d3") == version(3, 2)
    assert len(list(path.parent.glob("library.damaged-*.sqlite"))) == 1


def backed_up(path: Path, day: int = 1) -> Path:
    for _ in back_up_in_steps(path, date(2026, 11, day)):
        pass
    return path.with_name(f"{path.name}.2026-11-{day:02}.backup")


def everything(path: Path) -> dict[str, Design]:
    with Database.open(path) as database:
        designs = Designs(database)
        keys = [entry.key for entry in (*designs.list(), *designs.list(deleted=True))]
        return {key: designs.open(key) for key in keys}


def test_that_a_backup_of_the_day_is_a_library_and_old_ones_go(path: Path) -> None:
    with Database.open(path) as database:
        for day in range(1, KEPT + 3):
            backup = backed_up(path, day)
        assert len(list(path.parent.glob("*.backup"))) == KEPT
        assert all(found.missing == () for found in backups_of(database))
    assert everything(backup) == everything(path) == {f"d{n}": version(n, 2) for n in range(DESIGNS)}
    assert len(WRITTEN) == DESIGNS * VERSIONS


def test_that_a_backup_is_not_made_of_a_damaged_library(path: Path) -> None:
    change(path, path.read_bytes().rindex(b"Design 2") // 4096 * 4096, bytes(4096))
    with pytest.raises(LibraryDamaged):
        backed_up(path)
    assert list(path.parent.glob("*.backup*")) == []


def test_that_what_is_lost_comes_back_from_the_backup(path: Path) -> None:
    backed_up(path)
    change_rows(path, "UPDATE design_version SET document = '' WHERE design_key = 'd1' OR number = 9")
    mended(path)
    with Database.open(path) as database:
        Designs(database).save(version(0, 0))  # edited meanwhile
        offered = backups_of(database)
        assert [backup.missing for backup in offered] == [("Design 1", "Design 2")]
        assert take_missing(database, offered[0].path) == ("Design 1", "Design 2")
        assert backups_of(database)[0].missing == ()
    assert everything(path) == {**{f"d{n}": version(n, 2) for n in range(1, DESIGNS)}, "d0": version(0, 0)}
