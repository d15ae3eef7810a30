"""The first page understands what is typed or pasted, says so at once, and takes it on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import named, press, there

from poolwright.domain.workload import Budget
from poolwright.store.design_file import to_json
from poolwright.ui.parts.given_field import PieceChip
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.start.page import StartCard

MACHINES = Path(__file__).parents[1] / "machines"
MOST_WORDS = 90


def field(window: MainWindow) -> QPlainTextEdit:
    return named(window.page("start"), QPlainTextEdit, "What do you have?")


def main(window: MainWindow) -> QPushButton:
    return there(window.page("start").main_button())


def chips(window: MainWindow, *, red: bool = False) -> list[str]:
    """Return what was understood, or ``red`` what was not."""
    found = [chip for chip in window.page("start").findChildren(PieceChip) if chip.isVisible()]
    return [chip.accessibleName() for chip in found if chip.wrong is red]


def give(window: MainWindow, qtbot: QtBot, text: str, until: Callable[[], bool]) -> None:
    QApplication.clipboard().setText(text)
    field(window).selectAll()
    field(window).paste()
    qtbot.waitUntil(until, timeout=30_000)


def test_that_the_keyboard_is_in_the_field_and_disks_are_understood_while_they_are_typed(window: MainWindow) -> None:
    assert window.focusWidget() is field(window)
    assert not main(window).isEnabled()
    QTest.keyClicks(field(window), "24 x 16TB, 2 x 960GB NVMe PLP")
    assert chips(window) == ["24 × 16 TB HDD", "2 × 960 GB NVMe PLP"]
    assert "386 TB" in named(window.page("start"), QLabel, "About the typed disks").text()
    QTest.keyClick(field(window), Qt.Key.Key_Return)
    assert [disk.planned for disk in there(window.session.inventory).disks] == [True] * 26
    assert window.current_page() == "disks"


def test_that_typed_disks_are_taken_by_whatever_leads_to_a_step(window: MainWindow) -> None:
    window.session.set_budget(Budget(spares=1))
    QTest.keyClicks(field(window), "6 x 4TB")
    QTest.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
    assert window.current_page() == "recommendation"
    assert (len(window.session.ticked), field(window).toPlainText()) == (6, "")
    assert window.session.budget.spares == 1  # wished before there were disks
    window.show_page("start")
    QTest.keyClicks(field(window), "8 x 4TB")
    QTest.mouseClick(window.rail.button("budget"), Qt.MouseButton.LeftButton)
    assert (len(window.session.ticked), window.session.budget) == (8, Budget())
    assert "were set aside" in window.message.text()


def test_that_a_piece_that_is_not_understood_is_red_and_loses_nothing(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClicks(field(window), "12 x 16TB, 2 x")
    assert (chips(window), chips(window, red=True)) == (["12 × 16 TB HDD"], [])  # it is typed still
    qtbot.waitUntil(lambda: chips(window, red=True) == ["“2 x” names no size"])
    QTest.keyClick(field(window), Qt.Key.Key_Return)
    assert not main(window).isEnabled()
    assert window.session.inventory is None
    assert field(window).toPlainText() == "12 x 16TB, 2 x"


def test_that_a_pasted_pool_is_named_with_its_state_and_leads_to_pools(window: MainWindow, qtbot: QtBot) -> None:
    text = (MACHINES / "pools" / "not-online.txt").read_text(encoding="utf-8")
    give(window, qtbot, text, lambda: chips(window) == ["pool worn, 2 disks, DEGRADED"])
    assert main(window).text() == "Look at this pool"
    press(main(window))
    assert window.current_page() == "pools"
    assert [pool.name for pool in there(window.session.inventory).pools] == ["worn"]


def test_that_a_pasted_capture_is_designed_with(window: MainWindow, qtbot: QtBot) -> None:
    text = (MACHINES / "vm-44-disks-512e.capture").read_text(encoding="utf-8")
    give(window, qtbot, text, lambda: "44 × 6 TB HDD" in chips(window))
    assert any(chip.startswith("smartctl reported nothing for 44 disks") for chip in chips(window, red=True))
    assert main(window).text() == "Design with these"
    QTest.keyClicks(field(window), "x")
    assert not main(window).isEnabled()  # what was understood of another text is not taken on
    give(window, qtbot, text, lambda: "44 × 6 TB HDD" in chips(window))
    press(main(window))
    assert len(there(window.session.inventory).disks) > 44


def test_that_the_text_of_a_design_file_opens_it(window: MainWindow, qtbot: QtBot) -> None:
    design = thesis_design()
    give(window, qtbot, to_json(design), lambda: chips(window) == [f"design {design.name}"])
    press(main(window))
    assert window.session.design == design


def test_that_text_that_is_nothing_says_what_can_be_read(window: MainWindow, qtbot: QtBot) -> None:
    give(window, qtbot, "dear all\nthese are my disks\n", lambda: bool(chips(window, red=True)))
    assert "not output of a tool" in chips(window, red=True)[0]
    assert not main(window).isEnabled()


@pytest.mark.parametrize(("way", "page"), [("A host", "hosts"), ("A pool", "pools"), ("Money", "buying")])
def test_that_the_other_ways_lead_to_their_pages(window: MainWindow, way: str, page: str) -> None:
    press(named(window.page("start"), StartCard, way))
    assert window.current_page() == page


def test_that_files_open_as_if_they_were_dropped(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    press(named(window.page("start"), StartCard, "Files"))
    (dialog,) = (d for d in window.page("start").findChildren(QFileDialog) if d.isVisible())
    assert dialog.fileMode() is QFileDialog.FileMode.ExistingFiles
    file = tmp_path / "tank.txt"  # whatever its ending
    file.write_text(to_json(thesis_design()), encoding="utf-8")
    dialog.filesSelected.emit([str(file)])
    dialog.reject()
    qtbot.waitUntil(lambda: window.session.design is not None, timeout=20_000)


def test_that_an_example_machine_is_one_press_away(window: MainWindow) -> None:
    press(named(window.page("start"), QPushButton, "44 × 6 TB"))
    assert len(window.session.ticked) == 46


def test_that_few_words_are_in_sight(window: MainWindow) -> None:
    page = window.page("start")
    parts: list[QLabel | QPushButton] = [*page.findChildren(QLabel), *page.findChildren(QPushButton)]
    words = " ".join((*(p.text() for p in parts if p.isVisible()), field(window).placeholderText())).split()
    assert len(words) <= MOST_WORDS, words
