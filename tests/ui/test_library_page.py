"""Designs are in the library as soon as they are made, and come back from it whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import named, say_where, there, visit
from tests.ui.rankings import at_rest
from tests.ui.verify_at_hand import keep_runs, made_run

from poolwright.domain.design import Design
from poolwright.paths import LIBRARY_NAME, user_folder
from poolwright.store.design_file import to_json
from poolwright.ui.compare.page import ComparePage
from poolwright.ui.library.page import KIND, USABLE, DesignTable, LibraryPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.start.page import StartCard
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import file_name, read_design
from poolwright.ui.verify.earlier import KeptRuns


def names(page: LibraryPage) -> list[str]:
    QApplication.processEvents()  # the page reads the library in the next turn
    model = named(page, QTableView, "Designs").model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def press(page: LibraryPage, text: str) -> None:
    button = next(b for b in page.findChildren(QPushButton) if b.text() == text and b.isVisible())
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_a_design_is_saved_as_it_is_made(session: Session, design: Design) -> None:
    session.change_design(design, "Choose layout")
    other = Library()
    assert other.read(design.key) == design
    other.close()


EDITED = """
import os, sys
sys.path.insert(0, sys.argv[1])
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from poolwright.ui.state.keeper import AFTER_EDIT_MILLISECONDS
from poolwright.ui.state.session import Session
from tests.ui.conftest import thesis_design
application = QApplication([])
session = Session()
session.change_design(thesis_design(), "Choose layout")
session.change_design(thesis_design(width=10), "Widen")
if sys.argv[2] == "killed":
    QTimer.singleShot(AFTER_EDIT_MILLISECONDS + 200, lambda: os._exit(7))
    application.exec()
sys.exit(7)
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["killed", "ended"])
def test_that_an_edit_outlives_the_program(session: Session, design: Design, end: str) -> None:
    """A moment after the edit nothing can take it, and a program that ends before that saves it on the way out."""
    root = str(Path(__file__).parents[2])
    ended = subprocess.run([sys.executable, "-c", EDITED, root, end], timeout=60, check=False, env=dict(os.environ))
    assert ended.returncode == 7
    assert session.library.read(design.key) == thesis_design(width=10)


@pytest.mark.slow
def test_that_edits_in_a_row_are_saved_together(session: Session, design: Design, qtbot: QtBot) -> None:
    session.change_design(design, "Choose layout")
    before = len(session.library.versions(design.key))
    other = Library(path=user_folder("data") / LIBRARY_NAME)
    for width in (10, 11, 9):
        session.change_design(thesis_design(width=width), "Change width")
    assert other.read(design.key) == design
    qtbot.waitUntil(lambda: other.read(design.key) == thesis_design(width=9))
    assert len(session.library.versions(design.key)) == before + 1
    other.close()


def test_that_what_is_read_is_never_older_than_what_was_edited(session: Session, design: Design) -> None:
    session.change_design(design, "Choose layout")
    session.change_design(thesis_design(width=10), "Widen")
    assert session.library.read(design.key) == thesis_design(width=10)


def test_that_a_design_thrown_away_stays_there_after_an_edit(session: Session, design: Design) -> None:
    session.change_design(design, "Choose layout")
    session.change_design(thesis_design(width=10), "Widen")
    session.library.delete(design.key)
    session.library.close()
    assert not session.library.holds(design.key)


@pytest.mark.slow
def test_that_a_design_is_opened_from_the_library(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    page = visit(window, LibraryPage)
    press(page, "Open")
    assert window.session.design == design
    assert window.current_page() != "library"


def test_that_a_recent_design_is_one_press_away(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    window.show_page("library")
    window.show_page("start")
    window.page("start").refresh_now()
    card = next(card for card in window.page("start").findChildren(StartCard) if card.key == design.key)
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert window.session.design == design


@pytest.mark.slow
def test_that_renaming_the_open_design_renames_it_everywhere(window: MainWindow, qtbot: QtBot, design: Design) -> None:
    window.session.change_design(design, "Choose layout")
    page = visit(window, LibraryPage)
    press(page, "Rename")
    editor = named(page, QTableView, "Designs").findChildren(QLineEdit)[0]
    editor.setText("attic")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(page) == ["attic"])
    assert there(window.session.design).name == "attic"
    assert window.windowTitle() == "attic – Poolwright"


def test_that_a_copy_is_a_design_of_its_own(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    page = visit(window, LibraryPage)
    press(page, "Duplicate")
    assert sorted(names(page)) == ["thesis, raidz2", "thesis, raidz2 (copy)"]
    assert len({entry.key for entry in window.session.library.entries()}) == 2


def test_that_deleting_can_be_taken_back(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    page = visit(window, LibraryPage)
    press(page, "Delete")
    assert window.session.library.entries() == ()
    press(page, "Undo")
    assert names(page) == ["thesis, raidz2"]


def test_that_several_designs_are_selected_to_be_compared_or_deleted_at_once(
    window: MainWindow, design: Design, qtbot: QtBot
) -> None:
    window.session.change_design(design, "Choose layout")
    window.session.library.duplicate(there(window.session.library.duplicate(design.key, "attic")), "cellar")
    page = visit(window, LibraryPage)
    named(page, QTableView, "Designs").selectAll()
    assert not named(page, QPushButton, "Rename").isEnabled()
    press(page, "Compare")
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    compare = window.page("compare")
    assert isinstance(compare, ComparePage)
    assert len(there(compare.comparison).columns) == 3
    named(visit(window, LibraryPage), QTableView, "Designs").selectAll()
    press(page, "Delete")
    assert names(page) == []
    press(page, "Undo")
    assert sorted(names(page)) == ["attic", "cellar", "thesis, raidz2"]


@pytest.mark.slow
def test_that_designs_are_found_by_their_words(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    window.session.library.duplicate(design.key, "attic")
    page = visit(window, LibraryPage)
    field = next(e for e in page.findChildren(QLineEdit) if e.accessibleName() == "Filter the designs")
    QTest.keyClicks(field, "attic raidz2")
    assert names(page) == ["attic"]


def test_that_one_search_finds_designs_runs_and_the_guide_and_opens_each(
    window: MainWindow, qtbot: QtBot, design: Design
) -> None:
    window.session.library.save(design)
    page = visit(window, LibraryPage)
    kept = KeptRuns(window.session, page)
    keep_runs(kept, qtbot, made_run())
    run = kept.entries()[0]
    field = next(e for e in page.findChildren(QLineEdit) if e.accessibleName() == "Filter the designs")
    view = named(page, QTableView, "Designs")
    assert (names(page), view.isColumnHidden(KIND)) == ([design.name], True)
    field.setText("run")
    assert run.name in names(page)
    field.setText(run.name)
    assert ([view.model().index(0, column).data() for column in (0, KIND)], view.isColumnHidden(KIND)) == (
        [run.name, "Benchmark"], False,
    )  # fmt: skip
    assert [b.text() for b in page.findChildren(QPushButton) if b.isVisible() and b.isEnabled()][-1:] == ["Open"]
    press(page, "Open")
    verify = window.page("verify")
    qtbot.waitUntil(lambda: window.current_page() == "verify" and verify.isVisible())
    window.show_page("library")
    field.setText("why 80 guide")
    assert names(page)[0] == "Why 80 %"
    press(page, "Open")
    assert window.current_page() == "reference"
    window.show_page("library")
    field.clear()
    assert (names(page), view.isColumnHidden(KIND)) == ([design.name], True)


def test_that_a_design_can_be_mailed(window: MainWindow, design: Design, tmp_path: Path) -> None:
    window.session.library.save(design)
    page = visit(window, LibraryPage)
    page._on_export()
    say_where(page, tmp_path / "mine.json")
    assert read_design(tmp_path / "mine.json")[0] == design
    window.session.library.delete(design.key)
    page.import_from([str(tmp_path / "mine.json")])
    assert names(page) == ["thesis, raidz2"]


def test_that_the_whole_library_is_one_file_that_another_takes_in(
    window: MainWindow, design: Design, tmp_path: Path, qtbot: QtBot
) -> None:
    window.session.change_design(design, "Choose layout")
    page = visit(window, LibraryPage)
    said: list[str] = []
    window.session.said.connect(said.append)
    page.export_all_to(str(tmp_path / "all.poolwright"))
    at_rest(window, qtbot)
    window.session.library.delete(design.key)
    window.session.open_files([str(tmp_path / "all.poolwright")])
    qtbot.waitUntil(lambda: len(said) == 2)
    assert said == [f"Saved to {tmp_path / 'all.poolwright'}", f"Merged: “{design.name}”"]
    assert names(page) == [design.name]


def test_that_files_that_are_no_designs_are_named(window: MainWindow, design: Design, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(to_json(design), encoding="utf-8")
    (tmp_path / "bad.json").write_text('{"kind": "song"}')
    page = visit(window, LibraryPage)
    page.import_from([str(tmp_path / name) for name in ("bad.json", "good.json", "gone.json")])
    assert names(page) == ["thesis, raidz2"]
    assert "bad.json" in window.message.text()
    assert "gone.json" in window.message.text()


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", '{"schema": 99, "kind": "poolwright-design", "design": {}}'])
def test_that_opening_what_is_no_design_keeps_what_is_open(
    window: MainWindow, design: Design, tmp_path: Path, content: str
) -> None:
    window.session.change_design(design, "Choose layout")
    file = tmp_path / "odd.json"
    file.write_text(content)
    window.open_design_file(file)
    assert window.session.design == design
    assert "odd.json" in window.message.text()


@pytest.mark.parametrize(
    ("name", "expected"), [("a/b: c", "a-b- c.json"), ("..", "design.json"), ("Büro 2", "Büro 2.json")]
)
def test_that_names_of_files_are_safe(design: Design, name: str, expected: str) -> None:
    assert file_name(design.renamed(name=name)) == expected


def test_that_a_duplicate_can_be_compared_where_the_comparison_was_seen_before(
    window: MainWindow, design: Design, qtbot: QtBot
) -> None:
    window.session.change_design(design, "Choose layout")
    window.show_page("compare")
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)
    press(visit(window, LibraryPage), "Duplicate")
    window.show_page("compare")
    model = named(window.page("compare"), QTableView, "Designs to compare").model()
    titles = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert f"{design.name} (copy)" in titles
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)


@pytest.mark.slow
def test_that_a_deleted_design_can_be_put_back_later(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    window.session.library.delete(design.key)
    page = visit(window, LibraryPage)
    assert names(page) == []
    press(page, "Bin")
    assert names(page) == ["thesis, raidz2"]
    press(page, "Put back")
    assert names(page) == []
    press(page, "Bin")
    assert names(page) == ["thesis, raidz2"]


def test_that_an_older_version_can_be_opened(window: MainWindow, design: Design) -> None:
    window.session.library.save(design)
    window.session.library.save(thesis_design(width=10))
    page = visit(window, LibraryPage)
    versions = named(page, QComboBox, "Saved versions")
    assert versions.count() == 2
    versions.setCurrentIndex(1)
    versions.activated.emit(1)
    assert window.session.design == design
    assert window.session.library.read(design.key) == design


@pytest.mark.slow
def test_that_a_design_is_seen_with_its_vdevs_and_what_it_holds(
    window: MainWindow, design: Design, qtbot: QtBot
) -> None:
    window.session.library.save(design)
    page = visit(window, LibraryPage)
    model = named(page, QTableView, "Designs").model()
    assert isinstance(model, DesignTable)
    qtbot.waitUntil(lambda: model.index(0, USABLE).data() != "", timeout=5_000)
    assert model.facts(model.row(0))[0] == design.layout()
