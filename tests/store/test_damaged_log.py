"""A damaged log of writes, as after a crash: nothing is deleted before it is salvaged, what is lost is named."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.store.damage import ARCHIVES, DESIGNS, VERSIONS, change, change_rows, make_library, salvage, version

from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.store.database import Database, LibraryDamaged, migrations
from poolwright.store.library import Comparisons, Designs, Runs

NEWEST = VERSIONS  # an edit after those of `make_library`
HEADER, FRAME = 32, 24 + 4096


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library whose newest version of each design lies in the log alone."""
    path = tmp_path_factory.mktemp("killed") / "library.sqlite"
    make_library(path)
    with Database.open(path) as database:
        for number in range(DESIGNS):
            Designs(database).save(version(number, NEWEST))
        shutil.copytree(path.parent, path.parent / "then")
    return path.parent / "then" / "library.sqlite"


@contextmanager
def as_another_user() -> Iterator[None]:
    """Be somebody whom permissions hold: root writes everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(54321)
    try:
        yield
    finally:
        os.seteuid(0)


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def fresh(killed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(killed.parent, tmp_path / "library")) / killed.name


def frames(path: Path) -> int:
    return (log_of(path).stat().st_size - HEADER) // FRAME


@pytest.mark.parametrize("place", ["header", "first", "page", "salt", "middle", "last", "commit"])
def test_that_a_damaged_log_is_left_until_it_is_salvaged(killed: Path, tmp_path: Path, place: str) -> None:
    path = fresh(killed, tmp_path)
    last = HEADER + (frames(path) - 1) * FRAME
    where = {
        "header": 17, "first": HEADER + 8, "page": HEADER + 500, "salt": last + 9,
        "middle": HEADER + frames(path) // 2 * FRAME + 30, "last": last + 1000, "commit": last + 5,
    }[place]  # fmt: skip
    change(log_of(path), where, bytes([log_of(path).read_bytes()[where] ^ 0x40]))
    before = {file.name: file.read_bytes() for file in (path, log_of(path))}
    for _ in range(2):
        with pytest.raises(LibraryDamaged, match="WAL: "):
            Database.open(path)
    assert {file.name: file.read_bytes() for file in (path, log_of(path))} == before
    told = salvage(path)
    assert told is not None
    assert told.aside.read_bytes() == before[path.name]
    assert log_of(told.aside).read_bytes() == before[log_of(path).name]
    with Database.open(path) as database:
        found = {entry.key: Designs(database).open(entry.key) for entry in Designs(database).list()}
    kept = {key for key, design in found.items() if design.ashift == 12 + NEWEST}
    lost = {f"d{number}" for number in range(DESIGNS)} - kept
    assert all(any(f"Design {key[1:]}" in text for text in told.lost) for key in lost)
    assert len(lost) <= 1


def test_that_a_log_that_is_being_written_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    make_library(path)
    with Database.open(path) as one:
        Designs(one).save(version(0, 3))
        with Database.open(path) as other:
            Designs(other).save(version(1, 3))
        Designs(one).save(version(0, 4))


def test_that_lost_runs_comparisons_and_rows_of_the_catalogue_are_named(killed: Path, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    make_library(path)
    content = path.read_bytes()
    change(path, content.rindex(ARCHIVES["r1"][-3000:]) // 4096 * 4096, bytes(4096))  # its name lies elsewhere
    change_rows(path, "UPDATE comparison SET created_at = 'yesterday'")
    told = salvage(path)
    assert told is not None
    assert any("“two”" in text for text in told.lost)
    assert any("r1" in text for text in told.lost)
    with Database.open(path) as database:
        assert Comparisons(database).list() == ()
        assert {run.key for run in Runs(database).entries()} == {"r0"}


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",), ()])
def test_that_a_library_that_cannot_be_written_is_opened_for_reading(killed: Path, left: tuple[str, ...]) -> None:
    with TemporaryDirectory() as folder:  # one of pytest may be entered by its owner only
        path = fresh(killed, Path(folder))
        Path(folder).chmod(0o755)
        if not left:
            Database.open(path).close()  # as it lies there after a sound end
        for end in {"-wal", "-shm"} - set(left):
            path.with_name(path.name + end).unlink(missing_ok=True)
        before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
        for file in path.parent.iterdir():
            file.chmod(0o444)
        path.parent.chmod(0o555)
        with as_another_user(), Database.open(path) as database:
            assert len(Designs(database).list()) == DESIGNS
            assert Designs(database).open("d0").ashift == 12 + NEWEST
            with pytest.raises(EnvironmentFailure, match="cannot be written"):
                Designs(database).save(version(0, 1))
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
        path.parent.chmod(0o755)


def test_that_a_library_to_be_read_that_is_refused_leaves_no_copy_behind(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TemporaryDirectory() as folder, TemporaryDirectory() as copies:
        path = fresh(killed, Path(folder))
        monkeypatch.setattr("tempfile.tempdir", copies)
        Path(copies).chmod(0o777)
        Path(folder).chmod(0o755)
        for file in path.parent.iterdir():
            file.chmod(0o444)
        path.parent.chmod(0o555)
        with as_another_user(), pytest.raises(UserError):
            Database.open(path, steps=migrations()[:1])  # to which it is of a newer program
        assert list(Path(copies).iterdir()) == []
        path.parent.chmod(0o755)
