"""The workload page: goals, presets, details."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton
from tests.ui import controls
from tests.ui.controls import W, press

from poolwright.design.floors import failures_wanted
from poolwright.design.goals import goal_facts
from poolwright.domain.workload import Budget, Goal, Sharing, Workload
from poolwright.ui.parts.card import Chip, ChoiceCard
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.parts.form import FactEntry
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.workload.page import GoalCard


def named(window: MainWindow, kind: type[W], name: str) -> W:
    return controls.named(window.page("workload"), kind, name)


def now(window: MainWindow) -> Workload:
    return window.session.workload


def remark(window: MainWindow, name: str) -> str:
    entry = named(window, FactEntry, name)
    assert entry.accessibleDescription() == entry.remark.text()
    return entry.remark.text()


@pytest.fixture
def workload(window: MainWindow) -> MainWindow:
    window.show_page("workload")
    QApplication.processEvents()
    return window


def test_that_the_goals_are_radio_buttons_for_pointer_keys_and_assistive_technology(workload: MainWindow) -> None:
    for name in ("Safety", "Concurrent", "Speed"):
        card = named(workload, GoalCard, name)
        interface = QAccessible.queryAccessibleInterface(card)
        assert interface.role() is QAccessible.Role.RadioButton
        assert "Costs" in card.accessibleDescription()
    assert named(workload, GoalCard, "Safety").isChecked()
    named(workload, GoalCard, "Safety").setFocus()
    QTest.keyClick(named(workload, GoalCard, "Safety"), Qt.Key.Key_Right)
    assert now(workload).goal is Goal.CONCURRENT
    QTest.keyClick(named(workload, GoalCard, "Concurrent"), Qt.Key.Key_Right)
    assert now(workload).goal is Goal.SPEED
    QTest.mouseClick(named(workload, GoalCard, "Safety"), Qt.MouseButton.LeftButton)
    assert now(workload).goal is Goal.SAFETY
    assert [c.accessibleName() for c in workload.findChildren(GoalCard) if c.isChecked()] == ["Safety"]


def test_that_a_card_promises_in_plain_words_and_its_figures_name_their_chapters_behind_why(
    workload: MainWindow,
) -> None:
    card = named(workload, GoalCard, "Safety")
    on_card = [label.text() for label in card.findChildren(QLabel)]
    assert "Any two disks may fail, with three disks or fewer or a few of very unequal sizes any one." in on_card
    assert not any("MiB/s" in text or "(7.1)" in text or "30 h" in text for text in on_card)
    press(named(workload, QPushButton, "Why? Safety"))
    (dialog,) = card.findChildren(WhyDialog)
    lines = dialog.text.toPlainText().splitlines()
    assert any("30 h" in line and line.endswith(", 6.3)") for line in lines)
    assert sum(line.endswith(", 7.1)") for line in lines) == 3
    assert card.isChecked()
    dialog.close()


@pytest.mark.parametrize("disks", [3, 4, 5, 6])
@pytest.mark.parametrize("goal", list(Goal))
def test_that_what_a_card_promises_of_failures_is_the_floor_of_the_goal(goal: Goal, disks: int) -> None:
    promise = goal_facts(goal).promise
    few = {"three": 3, "five": 5}
    least = next((count for word, count in few.items() if f"with {word} disks or fewer" in promise), None)
    told = 0 if "may fail" not in promise else 1 if least is None or disks <= least else 2
    assert failures_wanted(goal, Budget(), disks) == told


def test_that_what_it_will_hold_decides_the_goal_until_somebody_names_one(workload: MainWindow) -> None:
    chip = named(workload, Chip, "Preset: VM images")
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert now(workload).goal is Goal.CONCURRENT
    assert "The goal safety puts" in named(workload, QLabel, "About the preset").text()
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert now(workload).goal is Goal.SAFETY
    workload.session.set_goal(Goal.SAFETY)
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert now(workload).goal is Goal.SAFETY
    assert "as you said" in named(workload, QLabel, "About the preset").text()


@pytest.mark.slow
def test_that_a_preset_offers_its_usual_goal_and_leaves_the_choice(workload: MainWindow) -> None:
    QTest.mouseClick(named(workload, Chip, "Preset: Scratch"), Qt.MouseButton.LeftButton)
    take = named(workload, QPushButton, "Use the goal Speed")
    assert take.isVisible()
    QTest.mouseClick(take, Qt.MouseButton.LeftButton)
    assert now(workload).goal is Goal.SPEED
    assert not take.isVisible()


def test_that_a_preset_fills_details_that_say_why_until_they_are_changed(workload: MainWindow) -> None:
    QTest.mouseClick(named(workload, Chip, "Preset: Database"), Qt.MouseButton.LeftButton)
    assert now(workload).preset == "database"
    assert named(workload, QLineEdit, "Typical I/O size").text() == "16 KiB"
    assert remark(workload, "Typical I/O size").startswith("Database: ")
    assert not remark(workload, "Clients at once").startswith("Database")
    assert named(workload, QComboBox, "Compressible").currentText() == "yes"
    entry = named(workload, QLineEdit, "Reads, % of I/O")
    entry.selectAll()
    QTest.keyClicks(entry, "95")
    assert now(workload).read_percent == 95
    assert not remark(workload, "Reads, % of I/O").startswith("Database")
    assert remark(workload, "Sequential, %").startswith("Database")


@pytest.mark.slow
def test_that_no_preset_takes_back_only_what_the_preset_filled(workload: MainWindow) -> None:
    QTest.mouseClick(named(workload, Chip, "Preset: iSCSI"), Qt.MouseButton.LeftButton)
    QTest.keyClicks(named(workload, QLineEdit, "Clients at once"), "8")
    QTest.mouseClick(named(workload, ChoiceCard, "No preset"), Qt.MouseButton.LeftButton)
    assert now(workload) == Workload(goal=Goal.SAFETY, clients=8)


def test_that_empty_is_unknown_and_a_text_being_typed_is_not_rewritten(workload: MainWindow) -> None:
    entry = named(workload, QLineEdit, "Working set")
    QTest.keyClicks(entry, "200 GiB")
    assert now(workload).working_set_bytes == 200 << 30
    entry.selectAll()
    QTest.keyClick(entry, Qt.Key.Key_Delete)
    assert now(workload).working_set_bytes is None
    assert entry.placeholderText() == "unknown"
    entry = named(workload, QLineEdit, "Typical file size")
    QTest.keyClicks(entry, "1024 KiB")
    assert now(workload).typical_file_bytes == 1 << 20
    assert entry.text() == "1024 KiB"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("Reads, % of I/O", "120", "per cent"),
        ("Typical I/O size", "big", "is not an I/O size"),
        ("Clients at once", "0", "number of clients"),
        ("Duplicate factor", "0.5", "factor"),
        ("Network", "10", "has no unit"),
    ],
)
def test_that_what_makes_no_sense_is_refused_in_place(
    workload: MainWindow, name: str, text: str, complaint: str
) -> None:
    entry = named(workload, QLineEdit, name)
    QTest.keyClicks(entry, text)
    assert complaint in remark(workload, name)
    assert entry.text() == text
    assert name in named(workload, QLabel, "What is still missing").text()
    entry.clear()
    QTest.keyClicks(entry, "4")
    QTest.keyClick(entry, Qt.Key.Key_Backspace)
    assert complaint not in remark(workload, name)
    assert named(workload, QLabel, "What is still missing").text() == ""


def test_that_sharing_and_storage_are_chosen_from_lists(workload: MainWindow) -> None:
    box = named(workload, QComboBox, "Shared by")
    box.setFocus()
    QTest.keyClicks(box, "N")
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert now(workload).sharing is not None
    QTest.keyClick(box, Qt.Key.Key_Home)
    assert now(workload).sharing is None
    QTest.keyClick(named(workload, QComboBox, "Stored as"), Qt.Key.Key_Down)
    assert now(workload).volumes


@pytest.mark.slow
def test_that_the_machines_own_network_is_told(workload: MainWindow) -> None:
    workload.session.sources.open_example("thesis")
    workload.show_page("workload")
    assert "thesis has 10 Gbit/s" in remark(workload, "Network")
    assert now(workload).network_bytes_per_second is None


def test_that_what_is_set_is_shown(workload: MainWindow) -> None:
    QTest.mouseClick(named(workload, ChoiceCard, "No preset"), Qt.MouseButton.LeftButton)
    assert named(workload, ChoiceCard, "No preset").isChecked()
    workload.session.set_workload(Workload(goal=Goal.CONCURRENT, sharing=Sharing.NFS, clients=25))
    assert named(workload, GoalCard, "Concurrent").isChecked()
    assert named(workload, QComboBox, "Shared by").currentText() == "NFS"
    assert named(workload, QLineEdit, "Clients at once").text() == "25"


@pytest.mark.slow
def test_that_what_it_will_hold_takes_several_answers_and_each_can_be_taken_back(workload: MainWindow) -> None:
    for name in ("VM images", "Database"):
        QTest.mouseClick(named(workload, Chip, f"Preset: {name}"), Qt.MouseButton.LeftButton)
    assert set(now(workload).uses) == {"vm-images", "database"}
    assert {chip.key for chip in workload.findChildren(Chip) if chip.isChecked()} == {"vm-images", "database"}
    assert named(workload, QLineEdit, "Synchronous writes, %").text() == "90"
    assert remark(workload, "Synchronous writes, %").startswith("Database: ")
    assert named(workload, QComboBox, "Stored as").currentText() == "volumes (zvols)"
    about = named(workload, QLabel, "About the preset").text()
    assert "each gets a dataset" in about
    assert "hardest demand" in about
    QTest.mouseClick(named(workload, Chip, "Preset: Database"), Qt.MouseButton.LeftButton)
    assert now(workload).uses == ("vm-images",)
    assert named(workload, QLineEdit, "Synchronous writes, %").text() == "50"
    QTest.mouseClick(named(workload, ChoiceCard, "No preset"), Qt.MouseButton.LeftButton)
    assert now(workload) == Workload(goal=Goal.SAFETY)
    assert named(workload, ChoiceCard, "No preset").isChecked()
