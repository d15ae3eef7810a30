"""The tab on support devices as a person uses it: read, vary, add, take back."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSlider, QToolButton
from tests.cases import table
from tests.design.role_cases import flash, raidz2_design, tunables_design
from tests.ui.controls import named, names_of, part_of, press_link, there

from poolwright.design.support import Role, chosen_roles
from poolwright.domain.design import Design
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import VdevClass
from poolwright.ui.design.roles.pane import RolesPane
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.shell.main_window import MainWindow

ZDB: str = table(__file__, "zdb")


def opened(window: MainWindow, design: Design) -> RolesPane:
    window.session.open_design(design)
    pane = part_of(window, RolesPane, "roles")
    for card in pane.cards.values():
        card.fold(folded=False)
    return pane


@pytest.fixture
def pane(window: MainWindow) -> RolesPane:
    drives = flash(3)
    return opened(
        window, raidz2_design(*drives, sync_write_percent=50, typical_file_bytes=200 * KIB, sequential_percent=20)
    )


def press(pane: RolesPane, text: str, role: Role) -> None:
    """Press what is offered under this text for a role."""
    button = next(b for b in (pane.cards[role].add, pane.cards[role].remove) if b.text() == text)
    assert not button.isHidden()
    button.setFocus()
    button.click()


def told(pane: RolesPane, role: Role) -> str:
    """Return all that is said of a role, what decides first."""
    return f"{pane.cards[role].because.text()}\n{pane.cards[role].reasons.toPlainText()}"


def verdict(pane: RolesPane, role: Role) -> str:
    return pane.cards[role].head.accessibleName().partition(": ")[2]


def design_of(pane: RolesPane) -> Design:
    return there(pane.session.design)


def test_that_each_role_has_a_verdict_in_words_and_unticked_drives_are_left_alone(pane: RolesPane) -> None:
    assert verdict(pane, Role.SPECIAL) == "worth it"
    assert verdict(pane, Role.LOG) == "worth it"
    assert verdict(pane, Role.CACHE) == "it depends"
    assert named(pane, ToneLabel, "Free flash drives").text().endswith("3 × 960 GB NVMe.")
    pane.session.tick(pane.session.ticked - {"nvme0", "nvme1"})
    assert named(pane, ToneLabel, "Free flash drives").text().endswith("1 × 960 GB NVMe.")


@pytest.mark.slow
def test_that_a_role_is_added_taken_back_and_undone(pane: RolesPane) -> None:
    before = design_of(pane)
    press(pane, "Add", Role.LOG)
    assert chosen_roles(design_of(pane)) == {Role.LOG}
    assert pane.session.undo_steps.undo_text == "Add Log (SLOG)"
    assert pane.cards[Role.LOG].remove.hasFocus(), "the keyboard stays where it was"
    pane.session.undo_steps.undo()
    assert design_of(pane) == before
    pane.session.undo_steps.redo()
    press(pane, "Remove", Role.LOG)
    assert design_of(pane) == before


@pytest.mark.slow
def test_that_two_roles_share_drives_in_partitions_and_the_risk_is_shown(pane: RolesPane) -> None:
    press(pane, "Add", Role.LOG)
    press(pane, "Add", Role.SPECIAL)
    roles = [vdev.vdev_class for vdev in design_of(pane).vdevs]
    assert roles == [VdevClass.DATA, VdevClass.SPECIAL, VdevClass.LOG]
    assert "shares its drives with special" in told(pane, Role.LOG)


@pytest.mark.slow
def test_that_more_seconds_of_ingest_make_the_log_larger_and_offer_an_update(window: MainWindow) -> None:
    design = raidz2_design(*flash(3), sync_write_percent=50, ram=None)
    pane = opened(window, design)
    press(pane, "Add", Role.LOG)
    before = there(design_of(pane).vdevs[-1].members[0].slice_bytes)
    slider = named(pane, QSlider, "Seconds of ingest to hold")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_End)
    press(pane, "Update", Role.LOG)
    assert there(design_of(pane).vdevs[-1].members[0].slice_bytes) > 3 * before


@pytest.mark.slow
def test_that_the_working_set_settles_the_cache_and_a_pasted_count_dedup(pane: RolesPane) -> None:
    design = design_of(pane)
    for size, expected in ((50, "not worth it"), (400, "worth it")):
        workload = replace(design.workload, working_set_bytes=size * 10**9)
        pane.session.change_design(replace(design, workload=workload), "Working set")
        assert verdict(pane, Role.CACHE) == expected
    assert verdict(pane, Role.DEDUP) == "not worth it"
    text = named(pane, QPlainTextEdit, "Output of zdb -S or zdb -DD")
    text.setPlainText("what is this")
    said = named(pane, ToneLabel, "What was read: Output of zdb -S or zdb -DD")
    assert "nothing from zdb" in said.text()
    text.setPlainText(ZDB)
    assert said.text() == "Read."
    assert verdict(pane, Role.DEDUP) != "it depends"


@pytest.mark.slow
def test_that_pasted_file_sizes_or_a_histogram_of_zdb_size_the_special_vdev(pane: RolesPane) -> None:
    text = named(pane, QPlainTextEdit, "Blocks or sizes of existing files")
    text.setPlainText("\n".join(["4000000000"] * 50))
    assert verdict(pane, Role.SPECIAL) == "not worth it"
    recorded = Path(__file__).parents[1] / "machine" / "zdb-blocks-of-our-machine.txt"
    named(pane, QPlainTextEdit, "Blocks or sizes of existing files").setPlainText(recorded.read_text(encoding="utf-8"))
    assert "zdb counted metadata of 6.01 MiB" in told(pane, Role.SPECIAL)


@pytest.mark.slow
def test_that_the_small_blocks_chosen_become_a_property_of_the_dataset(pane: RolesPane) -> None:
    slider = named(pane, QSlider, "special_small_blocks")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Home)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    press(pane, "Add", Role.SPECIAL)
    values = {s.name: s.value for s in design_of(pane).datasets[0].settings}
    assert values["special_small_blocks"] == "4K"


@pytest.mark.slow
def test_that_the_blogs_cache_is_criticised_and_changed_at_a_press(window: MainWindow) -> None:
    pane = opened(window, tunables_design(typical_file_bytes=MIB, sequential_percent=40))
    assert "233 GiB as a mirror" in pane.critique.toPlainText()
    press_link(pane.critique, "Use as Special instead")
    assert chosen_roles(design_of(pane)) == {Role.SPECIAL}
    pane.session.undo_steps.undo()
    assert chosen_roles(design_of(pane)) == {Role.CACHE}


@pytest.mark.slow
def test_that_without_flash_nothing_can_be_added_and_the_verdicts_stay(window: MainWindow) -> None:
    pane = opened(window, raidz2_design(sync_write_percent=50))
    assert verdict(pane, Role.LOG) == "worth it"
    assert pane.cards[Role.LOG].add.isHidden()
    assert "no free flash drive" in told(pane, Role.LOG)


def test_that_every_control_can_be_reached_by_keyboard(pane: RolesPane) -> None:
    kinds = (QSlider, QLineEdit, QToolButton)
    controls = [w for kind in kinds for w in pane.findChildren(kind) if w.isVisibleTo(pane) and w.isEnabled()]
    assert controls
    for control in controls:
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, names_of(control)
        assert names_of(control)


@pytest.mark.slow
def test_that_the_card_of_dedup_says_first_whether_deduplication_is_worth_it(window: MainWindow) -> None:
    pane = opened(window, raidz2_design(*flash(3), duplicate_factor=1.3))
    assert "Not worth it: a block occurs 1.3 times" in told(pane, Role.DEDUP)
