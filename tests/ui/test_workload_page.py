"""The workload page: goals, presets, details."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QPushButton
from tests.ui import controls
from tests.ui.controls import W, press, there
from tests.ui.summary_at_hand import numbers_of

from poolwright.domain.design import Design
from poolwright.domain.workload import Goal, Sharing, Workload
from poolwright.machine.typed.read import read_typed
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.card import Chip
from poolwright.ui.parts.form import FactEntry
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.workload.page import PresetTile


def named(window: MainWindow, kind: type[W], name: str) -> W:
    return controls.named(window.page("workload"), kind, name)


def now(window: MainWindow) -> Workload:
    return window.session.workload


def remark(window: MainWindow, name: str) -> str:
    entry = named(window, FactEntry, name)
    assert entry.remark.findChildren(QLabel)[0].text() == entry.accessibleDescription()
    return entry.accessibleDescription()


@pytest.fixture
def workload(window: MainWindow) -> MainWindow:
    window.show_page("workload")
    QApplication.processEvents()
    return window


def test_that_tiles_are_check_boxes_and_goals_radio_buttons_for_pointer_keys_and_assistive_technology(
    workload: MainWindow,
) -> None:
    for kind, name, role in (
        (PresetTile, "Database", QAccessible.Role.CheckBox),
        (Chip, "SMB", QAccessible.Role.CheckBox),
        (Chip, "Speed", QAccessible.Role.RadioButton),
    ):
        assert QAccessible.queryAccessibleInterface(named(workload, kind, name)).role() is role
    safety = named(workload, Chip, "Safety")
    assert safety.isChecked()
    assert "Costs" in safety.accessibleDescription()
    safety.setFocus()
    QTest.keyClick(safety, Qt.Key.Key_Right)
    assert now(workload).goal is Goal.CONCURRENT
    QTest.keyClick(named(workload, Chip, "Concurrent"), Qt.Key.Key_Right)
    assert now(workload).goal is Goal.SPEED
    press(safety)
    assert now(workload).goal is Goal.SAFETY
    assert [b.text() for b in workload.findChildren(Chip) if b.isChecked()] == ["Safety"]  # nothing is shared yet
    tile = named(workload, PresetTile, "Database")
    tile.setFocus()
    QTest.keyClick(tile, Qt.Key.Key_Space)
    assert now(workload).uses == ("database",)


def test_that_the_page_has_at_most_ninety_words_in_sight_and_its_details_are_folded(workload: MainWindow) -> None:
    assert len(controls.words_in_sight(workload.page("workload"))) <= 90
    details = named(workload, QAbstractButton, "Details")
    assert not named(workload, FactEntry, "Clients").isVisible()
    assert details.accessibleDescription() == "all unknown"
    details.setFocus()
    QTest.keyClick(details, Qt.Key.Key_Space)
    QTest.keyClicks(named(workload, FactEntry, "Clients"), "8")
    assert details.accessibleDescription() == "Clients 8"


def who(window: MainWindow) -> str:
    return named(window, QLabel, "Who set the goal").text()


def test_that_what_it_will_hold_decides_the_goal_until_somebody_names_one(workload: MainWindow) -> None:
    tile = named(workload, PresetTile, "VM images")
    assert who(workload) == "Default: any two disks may fail."
    press(tile)
    assert now(workload).goal is Goal.CONCURRENT
    assert who(workload) == "Changed from Safety. Set by VM images: any one disk may fail."
    press(tile)
    assert now(workload).goal is Goal.SAFETY
    press(named(workload, Chip, "Safety"))
    press(tile)
    assert who(workload) == "Set by you: any two disks may fail. Usual for VM images: Concurrent."
    press(named(workload, QPushButton, "Follow the workload"))
    assert now(workload).goal is Goal.CONCURRENT
    press(named(workload, Chip, "Speed"))
    press(named(workload, QPushButton, "Follow the workload"))
    press(tile)
    assert now(workload).goal is Goal.SAFETY
    press(named(workload, QPushButton, "Keep Concurrent"))
    assert now(workload).goal is Goal.CONCURRENT
    press(named(workload, Chip, "Speed"))
    assert who(workload).startswith("Set by you: the first failed disk loses its pool.")


def test_that_scratch_is_kept_safe_until_somebody_says_otherwise_as_far_as_disks_allow(workload: MainWindow) -> None:
    press(named(workload, PresetTile, "Scratch"))
    assert who(workload) == "Default: any two disks may fail. Usual for Scratch: Speed."
    press(named(workload, QPushButton, "Use Speed"))
    assert who(workload) == "Set by you: the first failed disk loses its pool."
    press(named(workload, QPushButton, "Follow the workload"))
    press(named(workload, PresetTile, "Scratch"))
    workload.session.start_from(read_typed(["3x4TB"]))
    press(named(workload, PresetTile, "Backup target"))
    assert who(workload) == "Set by Backup target: any one disk may fail."


def test_that_a_preset_fills_details_that_say_why_until_they_are_changed(workload: MainWindow) -> None:
    press(named(workload, PresetTile, "Database"))
    assert now(workload).preset == "database"
    assert named(workload, QLineEdit, "I/O size").text() == "16 KiB"
    assert remark(workload, "I/O size").startswith("Database: ")
    assert not remark(workload, "Clients").startswith("Database")
    assert named(workload, QComboBox, "Compressible").currentText() == "yes"
    entry = named(workload, QLineEdit, "Reads")
    controls.type_in(entry, "95")
    assert now(workload).read_percent == 95
    assert not remark(workload, "Reads").startswith("Database")
    assert remark(workload, "Sequential").startswith("Database")
    workload.session.sources.open_example("thesis")
    workload.show_page("workload")
    assert "thesis has 10 Gbit/s" in remark(workload, "Network")


def test_that_empty_is_unknown_and_a_text_being_typed_is_not_rewritten(workload: MainWindow) -> None:
    entry = named(workload, QLineEdit, "Working set")
    QTest.keyClicks(entry, "200 GiB")
    assert now(workload).working_set_bytes == 200 << 30
    entry.selectAll()
    QTest.keyClick(entry, Qt.Key.Key_Delete)
    assert now(workload).working_set_bytes is None
    assert entry.placeholderText() == "unknown"
    entry = named(workload, QLineEdit, "File size")
    QTest.keyClicks(entry, "1024 KiB")
    assert now(workload).typical_file_bytes == 1 << 20
    assert entry.text() == "1024 KiB"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("I/O size", "big", "“big” is not understood"),
        ("Clients", "0", "out of range"),
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
    controls.type_in(entry, "4")
    QTest.keyClick(entry, Qt.Key.Key_Backspace)
    assert complaint not in remark(workload, name)
    assert named(workload, QLabel, "What is still missing").text() == ""


def test_that_sharing_is_of_all_data_and_of_no_data_what_such_shares_usually_hold(workload: MainWindow) -> None:
    smb, nfs, local = (named(workload, Chip, name) for name in ("SMB", "NFS", "Local only"))
    media = named(workload, PresetTile, "Media archive")
    press(media)
    press(smb)
    assert (now(workload).uses, now(workload).sharing) == (("media-archive",), Sharing.SMB)
    assert now(workload).io_size_bytes == 1 << 20
    press(nfs)
    assert [chip.text() for chip in workload.findChildren(Chip) if chip.isChecked()] == ["NFS", "Safety"]
    press(media)  # nothing is said of what is held any more
    assert (now(workload).uses, now(workload).sharing) == (("nfs",), Sharing.NFS)
    press(smb)  # both, each with a dataset of its own
    assert set(now(workload).uses) == {"nfs", "smb"}
    press(smb)
    press(media)
    assert (now(workload).uses, now(workload).sharing) == (("media-archive",), Sharing.NFS)
    press(local)
    assert (now(workload).uses, now(workload).sharing) == (("media-archive",), Sharing.LOCAL)
    press(local)
    press(media)
    assert now(workload) == Workload(goal=Goal.SAFETY)


def test_that_what_it_will_hold_takes_several_answers_and_each_can_be_taken_back(workload: MainWindow) -> None:
    for name in ("VM images", "Database"):
        press(named(workload, PresetTile, name))
    assert set(now(workload).uses) == {"vm-images", "database"}
    assert named(workload, QLineEdit, "Sync writes").text() == "90 %"
    press(named(workload, PresetTile, "Database"))
    assert named(workload, QLineEdit, "Sync writes").text() == "50 %"
    press(named(workload, PresetTile, "VM images"))
    assert now(workload) == Workload(goal=Goal.SAFETY)


def test_that_the_summary_says_that_its_numbers_are_for_the_workload_before_and_takes_the_new_one(
    workload: MainWindow, design: Design, rules: RuleBook
) -> None:
    workload.session.set_rules(rules)
    workload.session.change_design(design, "Choose layout")
    stale = numbers_of(workload).stale
    assert not stale.isVisible()
    press(named(workload, PresetTile, "Media archive"))
    assert stale.isVisible()
    press(controls.named(stale, QPushButton, "Use the new workload"))
    assert not stale.isVisible()
    made = there(workload.session.design)
    assert (made.workload, [dataset.name for dataset in made.datasets]) == (now(workload), ["", "media"])
