"""Runs in the library: kept whole, listed without their archives, in the bin and back, through accidents."""

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of
from tests.store.damage import ARCHIVES, DESIGNS, change_rows, make_library, salvage
from tests.store.samples import full_design, stored_run

from poolwright.bench.run_file import read_run, run_archive
from poolwright.domain.errors import UserError
from poolwright.store import library as runs_of_library
from poolwright.store.backups import back_up_in_steps, backups_of, take_missing
from poolwright.store.database import Database, LibraryDamaged
from poolwright.store.library import Designs, Runs
from poolwright.store.salvage import Salvaged


def test_that_a_run_is_kept_whole_and_there_after_a_restart(path: Path) -> None:
    test, place = bench_test(), place_of()
    record = record_of([run_of(test, place, Made(value=5e8))], place)
    archive = run_archive(record)
    run = replace(stored_run(), pool=None, design_name=None, design_key=None)
    with Database.open(path) as database:
        kept = Runs(database).keep(run, archive)
    assert kept == replace(run, size=len(archive))
    with Database.open(path) as database:
        assert Runs(database).entries() == (kept,)
        found = Runs(database).archive(run.key)
    assert found == archive
    assert read_run(found, where="library") == read_run(archive, where="file")


def test_that_the_latest_run_comes_first_and_its_time_is_that_of_all_others(database: Database) -> None:
    runs = Runs(database)
    away = datetime(2026, 11, 23, 12, 0, tzinfo=timezone(timedelta(hours=4)))  # 8:00 UTC
    for run in (stored_run("at 9"), stored_run("at 11", hour=11), replace(stored_run("at 8"), made=away)):
        runs.keep(run, b"PK")
    assert [run.key for run in runs.entries()] == ["at 11", "at 9", "at 8"]
    assert runs.entries()[-1].made == away


@pytest.mark.slow
def test_that_a_list_is_read_without_the_archives(database: Database) -> None:
    runs = Runs(database)
    runs.keep(stored_run(), bytes(30 << 20))
    asked: list[str] = []
    database._connection.set_trace_callback(asked.append)
    (entry,) = runs.entries()
    assert entry.size == 30 << 20
    assert len(asked) == 1
    assert "archive" not in asked[0]


def test_that_a_run_is_renamed_goes_into_the_bin_and_comes_back(database: Database) -> None:
    runs = Runs(database)
    kept = runs.keep(stored_run(), b"PK")
    runs.rename("r1", "  before the log device ")
    named = replace(kept, name="before the log device")
    assert runs.entries() == (named,)
    runs.delete("r1")
    assert runs.entries() == ()
    assert runs.entries(deleted=True) == (replace(named, deleted=True),)
    assert runs.archive("r1") == b"PK"
    runs.put_back("r1")
    assert runs.entries() == (named,)


def test_that_a_run_kept_again_takes_the_place_of_the_first_and_leaves_the_bin(database: Database) -> None:
    runs = Runs(database)
    runs.keep(stored_run(), b"PK 1")
    runs.delete("r1")
    again = runs.keep(replace(stored_run(), judgement="pass"), b"PK two")
    assert runs.entries() == (again,)
    assert runs.entries(deleted=True) == ()
    assert runs.archive("r1") == b"PK two"


def test_that_what_is_no_run_is_refused_and_nothing_kept(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(database)
    monkeypatch.setattr(runs_of_library, "MOST_ARCHIVE_BYTES", 10)
    with pytest.raises(UserError, match="larger than"):
        runs.keep(stored_run(), bytes(11))
    for wrong in (replace(stored_run(), name=" "), replace(stored_run(), key=""), replace(stored_run(), made=NAIVE)):
        with pytest.raises(UserError):
            runs.keep(wrong, b"PK")
    for ask in (runs.archive, runs.delete, runs.put_back):
        with pytest.raises(UserError, match="“gone” does not exist"):
            ask("gone")
    with pytest.raises(UserError, match="“gone” does not exist"):
        runs.rename("gone", "x")
    assert runs.entries() == ()


NAIVE = datetime(2026, 11, 23, 9, 0)  # noqa: DTZ001 - the very thing that is refused


def test_that_a_run_stays_when_its_design_goes(database: Database) -> None:
    Designs(database).save(full_design("d1"))
    kept = Runs(database).keep(stored_run(), b"PK")
    with database.writing() as connection:
        connection.execute("DELETE FROM design_version")
        connection.execute("DELETE FROM design")
    assert Runs(database).entries() == (kept,)


def damaged(path: Path, statement: str) -> Salvaged:
    """Damage a whole library by a statement and by its header, and take out of it what is whole."""
    make_library(path)
    change_rows(path, statement)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xee" * 300)
    with pytest.raises(LibraryDamaged):
        Database.open(path)
    found = salvage(path)
    assert found is not None
    return found


def test_that_a_damaged_library_is_salvaged_with_its_runs(path: Path) -> None:
    found = damaged(path, "UPDATE run SET made_at = 'yesterday', host = CAST(x'ff80' AS TEXT) WHERE key = 'r0'")
    assert (found.design_count, found.lost) == (DESIGNS, ())
    with Database.open(path) as database:
        runs = Runs(database)
        assert {key: runs.archive(key) for key in ARCHIVES} == ARCHIVES
        assert {run.key for run in runs.entries()} == {"r0", "r1"}
        assert [run.key for run in runs.entries(deleted=True)] == ["r2"]
        whole = next(run for run in runs.entries() if run.key == "r1")
        assert whole == replace(stored_run("r1"), size=len(ARCHIVES["r1"]))


def test_that_a_run_of_which_a_byte_turned_is_named_as_lost(path: Path) -> None:
    turned = "UPDATE run SET archive = CAST('x' || substr(archive, 2) AS BLOB) WHERE key = 'r0'"
    assert damaged(path, turned).lost == ("“Run “r0””",)
    with Database.open(path) as database:
        assert {run.key for run in Runs(database).entries()} == {"r1"}


def backed_up(path: Path) -> Path:
    for _ in back_up_in_steps(path, date(2026, 11, 23)):
        pass
    return path.with_name(f"{path.name}.2026-11-23.backup")


def test_that_a_byte_that_turned_is_found_where_a_run_is_read_and_where_it_is_copied(path: Path) -> None:
    make_library(path)
    change_rows(path, "UPDATE run SET archive = CAST('x' || substr(archive, 2) AS BLOB) WHERE key = 'r0'")
    with Database.open(path) as database, pytest.raises(LibraryDamaged, match="not as it was saved"):
        Runs(database).archive("r0")
    with pytest.raises(LibraryDamaged, match="not as it was saved"):
        backed_up(path)


def test_that_a_run_that_is_lost_comes_back_from_the_backup(path: Path) -> None:
    make_library(path)
    backup = backed_up(path)
    change_rows(path, "DELETE FROM run WHERE key = 'r1'")
    with Database.open(path) as database:
        assert [offered.missing for offered in backups_of(database)] == [("Run “r1”",)]
        assert take_missing(database, backup) == ("Run “r1”",)
        assert {run.key for run in Runs(database).entries()} == {"r0", "r1"}
        assert Runs(database).archive("r1") == ARCHIVES["r1"]
        assert backups_of(database)[0].missing == ()


def test_that_an_emptied_bin_holds_no_run_and_what_is_kept_stays(database: Database) -> None:
    runs = Runs(database)
    runs.keep(stored_run(), b"PK")
    runs.keep(replace(stored_run(), key="r2"), b"PK two")
    runs.delete("r1")
    assert runs.empty_bin() == 1
    assert runs.entries(deleted=True) == ()
    assert [run.key for run in runs.entries()] == ["r2"]
    with pytest.raises(UserError):
        runs.archive("r1")
    assert runs.empty_bin() == 0
