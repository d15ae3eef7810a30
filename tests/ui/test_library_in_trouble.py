"""The window while its library is damaged, locked, full, moved away, or edited in another window."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import names_of, restarted, there

from poolwright.domain.design import Design
from poolwright.paths import LIBRARY_NAME, user_folder
from poolwright.store.backups import back_up_in_steps
from poolwright.store.database import Database
from poolwright.store.library import Designs
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.keeper import Library

NOT_FELT_SECONDS = 1.5  # of a busy machine; a lock was felt for 5.4 s at each edit


@pytest.fixture
def library(qtbot: QtBot, tmp_path: Path) -> Iterator[Library]:
    made = Library(path=tmp_path / "place" / LIBRARY_NAME)
    yield made
    made.close()


def stored(path: Path, key: str) -> Design:
    with Database.open(path) as database:
        return Designs(database).open(key)


def path_of_library() -> Path:
    return user_folder("data") / LIBRARY_NAME


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let another process hold the library, as a program that writes for long."""
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN EXCLUSIVE');"
        "print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin is not None
    there(holder.stdout).readline()
    try:
        yield
    finally:
        holder.communicate()


@pytest.mark.slow
def test_that_a_lock_is_not_felt_and_the_edit_is_saved_after_it(window: MainWindow, qtbot: QtBot) -> None:
    session, library = window.session, window.session.library
    session.change_design(thesis_design(), "Choose layout")
    with locked(path_of_library()):
        began = time.monotonic()
        session.change_design(thesis_design(width=10), "Widen")
        assert library.entries()
        assert time.monotonic() - began < NOT_FELT_SECONDS
        assert "Not saved yet: “thesis, raidz2”" in library.unsaved.text
        assert window.status.saving.isVisible()
        assert window.status.saving.text() == library.unsaved.text
        assert "Another program holds the library" in library.unsaved.reason
    qtbot.waitUntil(lambda: not library.unsaved.designs, timeout=5000)
    assert not window.status.saving.isVisible()
    assert stored(path_of_library(), "thesis-raidz2") == thesis_design(width=10)
    assert list(user_folder("data").rglob("unsaved-*")) == []


@pytest.mark.slow
def test_that_a_folder_that_is_deleted_is_written_again(library: Library, design: Design, qtbot: QtBot) -> None:
    library.save(replace(design, key="other"))
    library.save(design)
    noted = QSignalSpy(library.noted)
    shutil.rmtree(library.path.parent)
    library.save_soon(thesis_design(width=10))
    qtbot.waitUntil(lambda: not library.unsaved.designs, timeout=5000)
    assert "deleted or moved" in noted.at(0)[0]
    assert stored(library.path, design.key) == thesis_design(width=10)
    assert stored(library.path, "other") == replace(design, key="other")


def test_that_a_folder_that_is_moved_leaves_both_whole(library: Library, design: Design) -> None:
    library.save(design)
    moved = library.path.parent.rename(library.path.parent.with_name("elsewhere"))
    library.delete(design.key)
    assert [entry.key for entry in library.entries(deleted=True)] == [design.key]
    assert stored(moved / LIBRARY_NAME, design.key) == design


@pytest.mark.slow
def test_that_a_library_that_is_held_at_the_start_opens_by_itself(
    qtbot: QtBot, window: MainWindow, settings: QSettings, design: Design
) -> None:
    window.session.change_design(design, "Choose layout")
    window.close()
    holder = sqlite3.connect(path_of_library(), isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    again = restarted(qtbot, settings)
    assert time.monotonic() - began < 3 * NOT_FELT_SECONDS
    assert "Another program holds the library" in again.message.text()
    holder.close()
    qtbot.waitUntil(lambda: again.session.design == design, timeout=10_000)
    assert "again" in again.message.text()
    again.close()


def test_that_a_design_that_lies_nowhere_is_not_closed_over_at_once(
    window: MainWindow, design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.library.close()
    for folder in (user_folder("data"), user_folder("config")):
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(exist_ok=True)
        folder.write_text("a file where the folder should be")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    window.session.change_design(design, "Choose layout")
    assert not window.close()
    assert "“thesis, raidz2” could not be saved." in window.message.text()
    assert window.close()


def test_that_a_library_put_in_its_place_is_used(library: Library, design: Design, tmp_path: Path) -> None:
    library.save(design)
    other = Library(path=tmp_path / "other" / LIBRARY_NAME)
    other.save(replace(design, key="theirs"))
    other.close()
    other.path.replace(library.path)
    assert library.save(thesis_design(width=10))
    assert {entry.key for entry in library.entries()} == {"theirs", design.key}


def test_that_the_second_of_two_windows_is_told(library: Library, design: Design) -> None:
    other = Library(path=library.path)
    library.save(design)
    assert other.read(design.key) == design
    library.save(thesis_design(width=10))
    told = [QSignalSpy(one.noted) for one in (library, other)]
    assert other.save(thesis_design(width=6))
    other.save(thesis_design(width=5))
    assert [spy.count() for spy in told] == [0, 1]
    assert "saved by another window" in told[1].at(0)[0]
    assert len(library.versions(design.key)) == 4
    other.close()


def test_that_what_cannot_be_saved_at_the_end_is_there_at_the_next_start(library: Library, design: Design) -> None:
    library.path.parent.mkdir()
    library.path.mkdir()  # nobody can open this
    failed = QSignalSpy(library.failed)
    library.save_soon(design)
    library.save_soon(thesis_design(width=10))
    assert failed.count() == 1
    library.close()
    library.path.rmdir()
    again = Library(path=library.path)
    noted = QSignalSpy(again.noted)
    assert again.read(design.key) == thesis_design(width=10)
    assert "“thesis, raidz2” could not be saved when it was last edited" in noted.at(0)[0]
    again.close()
    assert list(library.path.parent.rglob("unsaved-*")) == []


def test_that_a_place_that_is_full_for_both_is_not_the_end_of_the_edit(library: Library, design: Design) -> None:
    library.path.parent.write_text("a file where the folder should be")
    library.save_soon(design)
    library.close()
    kept = list((user_folder("config") / "unsaved").iterdir())
    assert [file.stat().st_mode & 0o777 for file in kept] == [0o600]
    library.path.parent.unlink()
    assert library.read(design.key) == design


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="a small disk of its own needs root")
def test_that_a_full_disk_loses_nothing(design: Design, tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)], check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    library = Library(path=folder / "poolwright" / LIBRARY_NAME)
    try:
        filler = folder / "filler"
        with suppress(OSError):
            filler.write_bytes(bytes(2 << 20))
        library.save_soon(design)
        library.save_soon(thesis_design(width=10))
        assert library.unsaved.text
        filler.unlink()
        qtbot.waitUntil(lambda: not library.unsaved.designs, timeout=10_000)
        assert library.unsaved.text == ""
        assert stored(library.path, design.key) == thesis_design(width=10)
    finally:
        library.close()
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
def test_that_a_damaged_library_is_mended_beside_the_window(
    qtbot: QtBot, window: MainWindow, settings: QSettings, design: Design
) -> None:
    window.session.change_design(design, "Choose layout")
    window.session.library.save(replace(design, key="lost", name="lost"))
    window.close()
    path = path_of_library()
    for _ in back_up_in_steps(path, date(2026, 11, 1)):
        pass
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE design_version SET document = '' WHERE design_key = 'lost'")
        connection.execute("UPDATE design SET created_at = 'yesterday'")
    again = restarted(qtbot, settings)
    library = again.session.library
    qtbot.waitUntil(lambda: again.message.isVisible() and "was damaged" in again.message.text(), timeout=10_000)
    assert "Lost: “lost”" in again.message.text()
    assert "library.damaged-" in again.message.text()
    assert "holds “lost”." in again.message.text()
    assert again.session.design == design
    button = next(b for b in again.message.findChildren(QPushButton) if b.text() == "Take from the backup")
    button.click()
    assert library.read("lost") == replace(design, key="lost", name="lost")
    assert "Taken from the backup: “lost”" in again.message.text()
    again.close()


@pytest.mark.slow
def test_that_what_a_backup_holds_is_offered_on_the_library_page_after_the_message_was_closed(
    qtbot: QtBot, window: MainWindow, settings: QSettings, design: Design
) -> None:
    window.session.change_design(design, "Choose layout")
    window.session.library.save(replace(design, key="lost", name="lost"))
    window.close()
    for _ in back_up_in_steps(path_of_library(), date(2026, 11, 1)):
        pass
    path_of_library().unlink()
    again = restarted(qtbot, settings)
    qtbot.waitUntil(again.message.isVisible, timeout=10_000)
    again.message.hide()
    again.show_page("library")
    page = again.page("library")
    next(button for button in page.findChildren(QPushButton) if "Search backups" in names_of(button)).click()
    shown = {name: button for button in page.findChildren(QPushButton) for name in names_of(button)}
    assert shown["Take from the backup"].isVisible()
    shown["Take from the backup"].click()
    assert not shown["Take from the backup"].isVisible()
    assert again.session.library.read("lost") == replace(design, key="lost", name="lost")
    said: list[str] = []
    again.session.said.connect(said.append)
    shown["Search backups"].click()
    assert said == ["The backups hold no design that is missing here."]
    assert not shown["Take from the backup"].isVisible()
    again.close()


def test_that_damage_met_while_the_window_is_open_is_mended(window: MainWindow, qtbot: QtBot, design: Design) -> None:
    session, library = window.session, window.session.library
    session.change_design(design, "Choose layout")
    library.save(replace(design, key="other"))
    with closing(sqlite3.connect(path_of_library())) as connection, connection:
        connection.execute("UPDATE design_version SET saved_at = 'never', document = '{' WHERE design_key = 'other'")
    assert library.read("other") is None
    session.change_design(thesis_design(width=10), "Widen")  # while it is being mended
    qtbot.waitUntil(lambda: "was damaged" in window.message.text(), timeout=10_000)
    qtbot.waitUntil(lambda: not library.unsaved.designs, timeout=10_000)
    assert [entry.key for entry in library.entries()] == [design.key]
    assert library.read(design.key) == thesis_design(width=10)


def test_that_a_file_that_is_no_library_is_set_aside(window: MainWindow, qtbot: QtBot, design: Design) -> None:
    assert window.session.library.entries() == ()
    window.session.library.close()
    path = path_of_library()
    content = b"this is no database, and long enough to be looked at" * 100
    path.write_bytes(content)
    window.session.change_design(design, "Choose layout")
    assert window.session.design == design
    qtbot.waitUntil(lambda: "No design could be read" in window.message.text(), timeout=10_000)
    assert [file.read_bytes() for file in path.parent.glob("library.damaged-*")] == [content]
    qtbot.waitUntil(lambda: not window.session.library.unsaved.designs, timeout=10_000)
    assert window.session.library.read(design.key) == design


def test_that_settings_that_are_garbage_do_not_stop_the_start(qtbot: QtBot, tmp_path: Path, light: None) -> None:
    path = tmp_path / "window.ini"
    path.write_bytes(
        os.urandom(3000)
        + b"\n[window]\nlast_design=@Variant(\\0\\0\\0)\nscheme=@ByteArray(\\xff)\n[designs]\nopenzfs=x"
    )
    window = restarted(qtbot, QSettings(str(path), QSettings.Format.IniFormat))
    assert window.session.design is None
    window.close()
