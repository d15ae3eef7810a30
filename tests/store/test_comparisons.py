"""Comparisons in the library: kept, opened, renamed, deleted, brought back, and what happens to older libraries."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.samples import full_design, stored_run

from poolwright.catalogue_library import shipped_catalogue
from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import money
from poolwright.store.backups import backups_of
from poolwright.store.database import Database, migrations, now_text
from poolwright.store.design_file import to_json
from poolwright.store.library import Catalogues, Comparisons, Designs, Part, PartKind, Runs

PARTS = (Part(design_key="b"), Part(design_key="a"), Part(design_key="b", kind=PartKind.MD_RAID6))


@pytest.fixture
def database(database: Database) -> Database:
    for key in ("a", "b"):
        Designs(database).save(full_design(key))
    return database


def test_that_a_comparison_is_there_after_a_restart_in_its_order(database: Database, path: Path) -> None:
    saved = Comparisons(database).save(" before the purchase ", PARTS)
    with Database.open(path) as again:
        found = Comparisons(again).open(saved.key)
    assert found == saved
    assert found.name == "before the purchase"
    assert found.parts == PARTS


def test_that_saving_under_a_key_replaces_its_parts_and_keeps_when_it_was_made(database: Database) -> None:
    comparisons = Comparisons(database)
    first = comparisons.save("x", PARTS)
    second = comparisons.save("y", PARTS[:2], key=first.key)
    assert comparisons.list() == (second,)
    assert second.parts == PARTS[:2]
    assert database.rows("SELECT 1 FROM comparison WHERE created_at < modified_at")


def test_that_the_last_modified_comparison_comes_first(database: Database) -> None:
    comparisons = Comparisons(database)
    one, two = comparisons.save("one", PARTS), comparisons.save("two", PARTS)
    assert [c.key for c in comparisons.list()] == [two.key, one.key]
    comparisons.rename(one.key, "uno")
    assert [c.name for c in comparisons.list()] == ["uno", "two"]


def test_that_a_deleted_comparison_can_be_brought_back_and_its_designs_stay(database: Database) -> None:
    comparisons = Comparisons(database)
    saved = comparisons.save("x", PARTS)
    gone = comparisons.delete(saved.key)
    assert comparisons.list() == ()
    assert database.rows("SELECT * FROM comparison_part") == []
    assert len(Designs(database).list()) == 2
    back = comparisons.restore(gone)
    assert (back.key, back.name, back.parts) == (saved.key, saved.name, saved.parts)


def test_that_a_design_in_the_bin_stays_in_its_comparison(database: Database) -> None:
    saved = Comparisons(database).save("x", PARTS)
    Designs(database).delete("a")
    assert Comparisons(database).open(saved.key).parts == PARTS


@pytest.mark.parametrize(
    ("name", "parts", "says"),
    [
        ("  ", PARTS, "name"),
        ("x", PARTS[:1], "2 to 6"),
        ("x", PARTS * 3, "2 to 6"),
        ("x", (*PARTS, Part(design_key="c")), "“c” does not exist"),
    ],
)
def test_that_what_makes_no_comparison_is_refused_and_nothing_kept(
    database: Database, name: str, parts: tuple[Part, ...], says: str
) -> None:
    with pytest.raises(UserError, match=says):
        Comparisons(database).save(name, parts)
    assert Comparisons(database).list() == ()


def test_that_a_comparison_that_is_not_there_is_told(database: Database) -> None:
    comparisons = Comparisons(database)
    for ask in (comparisons.open, comparisons.delete):
        with pytest.raises(UserError, match="“gone” does not exist"):
            ask("gone")
    with pytest.raises(UserError, match="“gone” does not exist"):
        comparisons.rename("gone", "x")


def test_that_a_library_from_before_comparisons_and_runs_takes_them_and_keeps_its_designs(path: Path) -> None:
    with Database.open(path, steps=migrations()[:1]) as old:
        assert old.rows("PRAGMA user_version")[0][0] == 1
        with old.writing() as connection:
            for key in ("a", "b"):  # as the program of then wrote them
                now = now_text()
                row = (key, key, "tank", "safety", "x", now, now)
                connection.execute("INSERT INTO design VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", row)
                version = (key, now, "x", to_json(full_design(key)))
                connection.execute("INSERT INTO design_version VALUES (NULL, ?, ?, ?, ?)", version)
    with Database.open(path) as new:
        assert [backup.missing for backup in backups_of(new)] == [()]
        saved = Comparisons(new).save("x", PARTS)
        assert Comparisons(new).list() == (saved,)
        kept_run = Runs(new).keep(stored_run(), b"PK")
        assert Runs(new).entries() == (kept_run,)
        assert Designs(new).open("a") == full_design("a")
    backup = path.with_name(f"{path.name}.before-{len(migrations())}.backup")
    with Database.open(backup, steps=migrations()[:1]) as kept:
        assert len(Designs(kept).list()) == 2


def test_that_a_changed_catalogue_is_kept_and_can_be_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    first, *others = shipped_catalogue().products
    flash = Product(
        key="f", model="F", media=Media.NVME, size_bytes=1, smr=False, power_loss_protection=True, price=money("9.5")
    )
    changed = Catalogue(products=(replace(first, price=money("1.25", "EUR")), *others, flash))
    with Database.open(path) as database:
        assert Catalogues(database).load() is None
        Catalogues(database).save(changed)
    with Database.open(path) as database:
        assert Catalogues(database).load() == changed
        Catalogues(database).forget()
        assert Catalogues(database).load() is None


def test_that_two_products_of_one_key_leave_the_catalogue_as_it_was(tmp_path: Path) -> None:
    one = Product(key="a", model="A", media=Media.HDD, size_bytes=1)
    with Database.open(tmp_path / "library.sqlite") as database:
        kept = Catalogues(database)
        kept.save(Catalogue(products=(one,)))
        with pytest.raises(UserError, match="two products"):
            kept.save(Catalogue(products=(one, one)))
        assert kept.load() == Catalogue(products=(one,))
