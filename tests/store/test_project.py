"""A library as one file: everything is handed on, nothing of the other library is lost or overwritten."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.samples import full_design, stored_run

from poolwright.domain.errors import UserError
from poolwright.domain.steps import at_once
from poolwright.store.database import Database
from poolwright.store.library import Comparisons, Designs, Part, Runs
from poolwright.store.project import is_project, merge_in_steps, write_project_in_steps


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "other" / "library.sqlite")
    yield opened
    opened.close()


def handed_on(database: Database, folder: Path) -> Path:
    return at_once(write_project_in_steps(database.path, folder / "ours.poolwright"))


def names(database: Database) -> list[str]:
    return sorted(entry.name for entry in Designs(database).list())


def test_that_a_colleague_gets_designs_with_their_history_comparisons_and_runs(
    database: Database, other: Database, tmp_path: Path
) -> None:
    Designs(database).save(full_design("d1", name="wide"))
    Designs(database).save(replace(full_design("d1", name="wide"), ashift=13))
    Designs(database).save(full_design("d2", name="narrow"))
    Comparisons(database).save("both", [Part(design_key="d1"), Part(design_key="d2")])
    Runs(database).keep(stored_run(), b"PK")
    Designs(other).save(full_design("mine", name="mine"))
    project = handed_on(database, tmp_path)
    assert is_project(project)
    assert at_once(merge_in_steps(other, project))
    assert names(other) == ["mine", "narrow", "wide"]
    assert [v.summary for v in Designs(other).history("d1")] == [v.summary for v in Designs(database).history("d1")]
    assert Designs(other).open("d1") == Designs(database).open("d1")
    assert [c.parts for c in Comparisons(other).list()] == [c.parts for c in Comparisons(database).list()]
    (run,) = Runs(other).entries()
    assert Runs(other).archive(run.key) == Runs(database).archive(run.key)
    assert at_once(merge_in_steps(other, project)) == ()


def test_that_what_is_in_the_bin_and_what_disks_cost_are_not_handed_on(database: Database, tmp_path: Path) -> None:
    Designs(database).save(full_design("d1", name="kept"))
    Designs(database).save(full_design("d2", name="a secret that was thrown away"))
    Designs(database).delete("d2")
    project = handed_on(database, tmp_path)
    assert b"a secret" not in project.read_bytes()
    assert [path.name for path in tmp_path.glob("ours*")] == ["ours.poolwright"]


def test_that_a_design_goes_on_where_the_other_left_it_and_both_are_kept_where_both_went_on(
    database: Database, other: Database, tmp_path: Path
) -> None:
    Designs(database).save(full_design("d1", name="tank"))
    at_once(merge_in_steps(other, handed_on(database, tmp_path)))
    Designs(database).save(replace(full_design("d1", name="tank"), ashift=13))
    at_once(merge_in_steps(other, handed_on(database, tmp_path)))
    assert names(other) == ["tank"]
    assert Designs(other).open("d1").ashift == 13
    Designs(other).save(replace(full_design("d1", name="tank"), ashift=9))
    Designs(database).save(replace(full_design("d1", name="tank"), ashift=14))
    for _ in range(2):
        at_once(merge_in_steps(other, handed_on(database, tmp_path)))
        assert names(other) == ["tank", "tank (from ours)"]
    assert Designs(other).open("d1").ashift == 9


def test_that_a_file_that_is_no_project_is_refused_and_nothing_is_lost(other: Database, tmp_path: Path) -> None:
    Designs(other).save(full_design("mine", name="mine"))
    project = handed_on(other, tmp_path)
    project.write_bytes(project.read_bytes()[:-3000] + b"\0" * 2000)
    with pytest.raises(UserError) as told:
        at_once(merge_in_steps(other, project))
    assert told.value.where == str(project)
    assert names(other) == ["mine"]
    assert not list(other.path.parent.glob("*.part*"))
