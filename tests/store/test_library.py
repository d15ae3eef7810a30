"""The library on disk: versions, bin, restart, kill -9, migration, newer and damaged files."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.emit.machines import macblog_design
from tests.store.samples import full_design, full_inventory

from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import EnvironmentFailure, Refusal, UserError
from poolwright.domain.host import Controller, Host
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.validity import check_design
from poolwright.store.database import APPLICATION_ID, Database, migrations, now_text
from poolwright.store.design_file import from_json, to_json
from poolwright.store.library import VERSIONS_KEPT, BurnIns, Designs
from poolwright.table_library import load_drive_book


def test_that_every_change_is_a_version_and_no_change_is_none(database: Database) -> None:
    designs = Designs(database)
    assert designs.save(full_design())
    assert not designs.save(full_design())
    assert designs.save(replace(full_design(), ashift=13))
    history = designs.history("d1")
    assert len(history) == 2
    assert designs.open("d1").ashift == 13
    assert designs.open("d1", number=history[-1].number).ashift == 12


def test_that_the_list_tells_what_a_person_looks_for(database: Database) -> None:
    designs = Designs(database)
    designs.save(full_design("d1", name="first"))
    designs.save(full_design("d2", name="second"))
    designs.save(replace(full_design("d1", name="first"), ashift=13))
    entries = designs.list()
    assert [e.name for e in entries] == ["first", "second"]
    assert entries[0].summary == "raidz2 of 4, cache single disk"
    assert entries[0].pool_name == "tank"
    assert entries[0].goal == "concurrent"


def test_that_the_rules_of_a_saved_design_are_known_and_kept_once_while_they_are_the_same(database: Database) -> None:
    designs, old, new = Designs(database), {"a.b": 1, "c.d": 2}, {"a.b": 1, "c.d": 3}
    designs.save(full_design("d0"))  # by a program that kept none
    for key, rules in (("d1", old), ("d2", old), ("d3", new)):
        designs.store(full_design(key), rules=rules)
    assert [designs.rules_of(key) for key in ("d0", "d1", "d2", "d3", "never")] == [None, old, old, new, None]
    assert len(database.rows("SELECT * FROM setting")) == 2
    designs.store(full_design("d1"), rules=new)  # opened, and nothing changed: it is as it was saved
    assert designs.rules_of("d1") == old
    designs.store(replace(full_design("d1"), ashift=13), rules=new)
    assert designs.rules_of("d1") == new


def test_that_a_deleted_design_can_be_brought_back(database: Database) -> None:
    designs = Designs(database)
    designs.save(full_design())
    designs.delete("d1")
    assert designs.list() == ()
    assert [e.key for e in designs.list(deleted=True)] == ["d1"]
    designs.undelete("d1")
    assert [e.key for e in designs.list()] == ["d1"]
    designs.delete("d1")
    assert designs.save(full_design())  # as saving it does
    assert [e.key for e in designs.list()] == ["d1"]


def test_that_renaming_is_a_version(database: Database) -> None:
    designs = Designs(database)
    designs.save(full_design())
    assert designs.rename("d1", " Attic ").name == "Attic"
    assert designs.list()[0].name == "Attic"
    assert len(designs.history("d1")) == 2
    with pytest.raises(UserError):
        designs.rename("d1", "  ")


def test_that_what_is_not_there_is_said(database: Database) -> None:
    designs = Designs(database)
    for act in (designs.open, designs.delete, designs.undelete):
        with pytest.raises(UserError, match="“x” does not exist"):
            act("x")


def test_that_a_design_that_contradicts_itself_is_not_saved(database: Database) -> None:
    with pytest.raises(UserError):
        Designs(database).save(replace(full_design(), disks=()))
    assert Designs(database).list() == ()


def test_that_a_design_without_vdevs_is_saved(database: Database) -> None:
    Designs(database).save(replace(full_design(), vdevs=()))
    assert Designs(database).list()[0].summary == "no vdevs yet"


def test_that_old_versions_go_but_the_first_stays(database: Database) -> None:
    designs = Designs(database)
    small = Design(key="s", name="0", pool_name="tank")
    for number in range(VERSIONS_KEPT + 5):
        designs.save(replace(small, name=str(number)))
    history = designs.history("s")
    assert len(history) == VERSIONS_KEPT
    assert designs.open("s", number=history[-1].number).name == "0"
    assert designs.open("s").name == str(VERSIONS_KEPT + 4)


WRITER = """
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
sys.path[:0] = ["app", "."]
from poolwright.store.database import Database
from poolwright.store.library import Designs
from tests.store.samples import full_design, full_inventory
designs = Designs(Database.open(Path(sys.argv[1])))
number = 0
while True:
    designs.save(replace(full_design(), name=str(number)))
    print(number, flush=True)
    number += 1
"""


@pytest.mark.slow
def test_that_nothing_that_was_saved_is_lost_by_a_kill(path: Path) -> None:
    repository = Path(__file__).parents[2]
    for pause in (0.05, 0.111, 0.2):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True, cwd=repository
        )
        assert writer.stdout is not None
        said = [writer.stdout.readline()]
        time.sleep(pause)
        os.kill(writer.pid, signal.SIGKILL)
        said += writer.stdout.readlines()
        writer.stdout.close()
        writer.wait()
        last = int([line for line in said if line.endswith("\n")][-1])
        with Database.open(path) as database:
            assert database.rows("PRAGMA integrity_check")[0][0] == "ok"
            assert int(Designs(database).open("d1").name) in (last, last + 1)


STEPS = (*migrations(), "ALTER TABLE design ADD COLUMN colour TEXT;\nCREATE TABLE x (a INT) STRICT;")


def test_that_an_older_library_is_copied_before_it_is_changed(path: Path) -> None:
    with Database.open(path) as database:
        Designs(database).save(full_design())
    with Database.open(path, steps=STEPS) as database:
        assert database.rows("SELECT colour FROM design")[0]["colour"] is None
        assert Designs(database).open("d1") == full_design()
    backup = path.with_name(f"{path.name}.before-{len(STEPS)}.backup")
    with Database.open(backup) as database:
        assert Designs(database).open("d1") == full_design()


def test_that_a_failed_migration_leaves_the_library_as_it_was(path: Path) -> None:
    with Database.open(path) as database:
        Designs(database).save(full_design())
    broken = "CREATE TABLE y (a INT) STRICT;\nSELECT no_such_function();"
    with pytest.raises(EnvironmentFailure):
        Database.open(path, steps=(*migrations(), broken))
    with Database.open(path) as database:
        assert Designs(database).open("d1") == full_design()
        assert database.rows("SELECT name FROM sqlite_master WHERE name = 'y'") == []


def test_that_a_library_that_cannot_be_copied_is_not_migrated(path: Path) -> None:
    with Database.open(path) as database:
        Designs(database).save(full_design())
    path.with_name(f"{path.name}.before-{len(STEPS)}.backup").mkdir()
    with pytest.raises(EnvironmentFailure, match="cannot be copied first"):
        Database.open(path, steps=STEPS)
    assert list(path.parent.glob("*.part*")) == []
    with Database.open(path) as database:
        assert Designs(database).open("d1") == full_design()


STARTER = """
import sys
from pathlib import Path
sys.path[:0] = ["app", "."]
from poolwright.store.database import Database
from poolwright.store.library import Designs
sys.stdin.readline()
print(len(Designs(Database.open(Path(sys.argv[1]))).list()))
"""


@pytest.mark.slow
def test_that_three_programs_that_start_at_once_migrate_an_old_library(path: Path) -> None:
    repository = Path(__file__).parents[2]
    first = migrations()[:1]
    for _ in range(3):
        with Database.open(path, steps=first) as database, database.writing() as connection:
            connection.executemany(
                "INSERT INTO design VALUES (?, 'n', 'p', 'safety', 's', ?, ?, NULL)",
                [(str(number), now_text(), now_text()) for number in range(2000)],
            )
        starters = [
            subprocess.Popen(
                [sys.executable, "-c", STARTER, path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=repository,
            )
            for _ in range(3)
        ]
        assert [starter.communicate("go\n", timeout=60)[0] for starter in starters] == ["2000\n"] * 3
        backup = path.with_name(f"{path.name}.before-{len(migrations())}.backup")
        with closing(sqlite3.connect(backup)) as copy:
            assert copy.execute("PRAGMA user_version").fetchone()[0] == 1
        for file in path.parent.iterdir():
            file.unlink()


def test_that_a_newer_library_is_refused_and_left_alone(path: Path) -> None:
    Database.open(path, steps=STEPS).close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="this program reads up to"):
        Database.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is a letter, not a library" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_that_a_file_that_is_no_library_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        Database.open(path)
    assert str(path) in error.value.text
    assert path.read_bytes() == content


def test_that_a_damaged_library_is_left_as_it_is(path: Path) -> None:
    with Database.open(path) as database:
        for number in range(5):
            Designs(database).save(full_design(f"d{number}"))
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:4096] + b"\xee" * 8192 + whole[12288:]):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="damaged"):
            Database.open(path)
        assert path.read_bytes() == damaged


def test_that_another_programs_database_is_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (a)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="not a Poolwright library"):
        Database.open(path)
    assert path.read_bytes() == before


def test_that_a_folder_in_the_way_is_an_environment_failure(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure):
        Database.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFailure):
        Database.open(tmp_path / "file" / "library.sqlite")


def test_that_two_programs_may_have_the_library_open(path: Path) -> None:
    with Database.open(path) as one, Database.open(path) as two:
        Designs(one).save(full_design("d1"))
        Designs(two).save(full_design("d2"))
        assert {e.key for e in Designs(one).list()} == {"d1", "d2"}


def test_that_the_tables_are_strict_and_the_file_is_marked(database: Database) -> None:
    assert database.rows("PRAGMA application_id")[0][0] == APPLICATION_ID
    assert database.rows("PRAGMA journal_mode")[0][0] == "wal"
    assert database.rows("PRAGMA foreign_keys")[0][0] == 1
    strict = database.rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0")
    assert {row["name"] for row in strict} <= {"sqlite_schema", "sqlite_sequence"}


def test_that_a_failed_write_keeps_nothing(database: Database) -> None:
    def half() -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO setting (name, value) VALUES ('a', '1')")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert database.rows("SELECT * FROM setting") == []


def bare(*members: Member) -> tuple[Vdev, ...]:
    return (Vdev(kind=VdevKind.STRIPE, members=members),)


def with_rest(**changes: object) -> Design:
    design = macblog_design()
    rest: FurtherPool = replace(design.further_pools[0], **changes)  # type: ignore[arg-type]
    return replace(design, further_pools=(rest,))


def test_that_pools_and_partitions_are_kept() -> None:
    assert from_json(to_json(macblog_design())) == macblog_design()


def test_that_a_spare_of_two_pools_is_refused_everywhere_with_its_reason() -> None:
    design = macblog_design()
    spare = Disk(key="s", by_id=("ata-SPARE",), size_bytes=3000592982016)
    vdev = Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=(Member(disk_key="s"),))
    rest = replace(design.further_pools[0], vdevs=(*design.further_pools[0].vdevs, vdev))
    alone = replace(design, disks=(*design.disks, spare), vdevs=(*design.vdevs, vdev))
    assert from_json(to_json(alone)) == alone
    check_design(alone)
    both = replace(alone, further_pools=(rest,))
    with pytest.raises(UserError, match=r"hot spare of two pools.*Give each pool a spare of its own"):
        from_json(to_json(both))
    with pytest.raises(Refusal) as refusal:
        check_design(both)
    assert any("hot spare of two pools" in reason for reason in refusal.value.reasons)


@pytest.mark.parametrize(
    "field",
    [
        *("cores", "ram_bytes", "network_bytes_per_second", "bytes_per_second"),
        *("clients", "io_size_bytes", "typical_file_bytes", "duplicate_factor"),
    ],
)
def test_that_a_nought_in_a_design_is_unknown_and_breaks_no_prediction(field: str) -> None:
    design = replace(macblog_design(), host=Host(controllers=(Controller(name="HBA"),)))
    text = to_json(design)
    assert f'"{field}": null' in text
    design = from_json(text.replace(f'"{field}": null', f'"{field}": 0'))
    assert f'"{field}": 0' not in to_json(design)
    for pool in evaluate(design, drives=load_drive_book(), today=date(2026, 11, 1)).pools:
        assert pool.expected is not None
        assert pool.expected.speed.seq_read.typical > 0


@pytest.mark.parametrize(
    ("design", "told"),
    [
        (with_rest(pool_name="tank"), "further_pools[0].pool_name: “tank” stands there twice"),
        (with_rest(pool_name=" "), "further_pools[0].pool_name” is missing"),
        (with_rest(vdevs=bare()), "further_pools[0].vdevs[0].members” is missing"),
        (with_rest(vdevs=bare(Member(disk_key="k1"))), "“k1” stands there twice"),
        (with_rest(vdevs=bare(Member(disk_key="k1", part=1, slice_bytes=1 << 30))), "part: “1” stands there twice"),
        (with_rest(vdevs=bare(Member(disk_key="k1", part=0, slice_bytes=1 << 30))), "part is 0"),
        (with_rest(vdevs=bare(Member(disk_key="k1", part=129, slice_bytes=1 << 30))), "part is 129"),
        (with_rest(vdevs=bare(Member(disk_key="k3", part=2, slice_bytes=1 << 19))), "do not fit on the disk"),
        (with_rest(vdevs=bare(Member(disk_key="k3", part=2, slice_bytes=1 << 40))), "do not fit on the disk"),
        (replace(macblog_design(), vdevs=bare(Member(disk_key="k3", part=1))), "slice_bytes” is missing"),
    ],
)
def test_that_contradictions_are_told_with_their_place(design: Design, told: str) -> None:
    with pytest.raises(UserError) as error:
        from_json(to_json(design))
    assert told in error.value.text


def test_that_a_full_disk_of_partitions_is_taken() -> None:
    full = sliceable_bytes(macblog_design().disk("k3").size_bytes or 0)
    design = replace(macblog_design(), vdevs=bare(Member(disk_key="k3", part=1, slice_bytes=full)), further_pools=())
    assert from_json(to_json(design)) == design


def test_that_a_burn_in_is_kept_and_told_of_its_drive_in_whatever_machine_it_is_read_again(tmp_path: Path) -> None:
    tested = full_inventory("nas1")
    bare = replace(tested, name="nas2", disks=tuple(replace(disk, burn_in=None) for disk in tested.disks))
    with Database.open(tmp_path / "library.sqlite") as database:
        kept = BurnIns(database)
        assert kept.completed(bare) == bare
        assert kept.completed(tested) == tested
        assert [disk.burn_in for disk in kept.completed(bare).disks] == [disk.burn_in for disk in tested.disks]
        other = replace(bare.disks[0], serial="OTHER")
        assert kept.completed(replace(bare, disks=(other,))).disks[0].burn_in is None
        database.change("UPDATE inventory SET document = '{'")
        assert kept.completed(bare) == bare
