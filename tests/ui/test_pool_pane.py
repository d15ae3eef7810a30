"""The pool's own properties as a person reads and changes them, and the switch for replacements."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import choose, enter, named, press, there, type_in

from poolwright.capacity.pool import predict_design
from poolwright.design.edits.reserve import has_slack, with_reserve
from poolwright.domain.as_built import data_keys
from poolwright.domain.design import Design, Setting
from poolwright.domain.reserve import ReservedPartition, ReservePurpose
from poolwright.domain.units import GIB, MIB
from poolwright.emit.commands import commands, plan_actions
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.design.datasets.properties import PropertyColumn
from poolwright.ui.design.picture.content import content_of
from poolwright.ui.design.picture.words import tile_lines
from poolwright.ui.design.pool_pane import PoolPane, ReserveDialog
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.state.session import Session

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def pane(session: Session, qtbot: QtBot, light: None) -> Iterator[PoolPane]:
    around = QWidget()
    around.resize(736, 420)
    made = PoolPane(session, around)
    made.setGeometry(around.rect())
    qtbot.addWidget(around)
    session.changed.connect(made.refresh)  # as the page does for the part in front
    around.show()
    grown = Setting(name="autoexpand", value="on", reason="grows", rule_id="property.autoexpand")
    session.put_design(replace(thesis_design(), pool_settings=(grown,)))
    around.activateWindow()
    qtbot.waitUntil(around.isActiveWindow)
    yield made
    session.changed.disconnect(made.refresh)


def cell(pane: PoolPane, name: str, column: PropertyColumn) -> str:
    row = there(pane.table.line_of(name))
    return str(pane.table.index(row, column).data())


def settings(pane: PoolPane) -> dict[str, str]:
    design = there(pane.session.design)
    return {s.name: s.value for s in design.pool_settings}


def type_property(pane: PoolPane, text: str) -> None:
    enter(named(pane, QLineEdit, "Set a property by name"), text)


def test_that_proposed_and_default_values_are_shown_with_their_reasons(pane: PoolPane) -> None:
    assert cell(pane, "autoexpand", PropertyColumn.VALUE) == "on"
    assert cell(pane, "autoexpand", PropertyColumn.WHY) == "Grows"
    assert cell(pane, "failmode", PropertyColumn.VALUE) == "wait"
    assert cell(pane, "failmode", PropertyColumn.SOURCE) == "default"
    assert "panic" in cell(pane, "failmode", PropertyColumn.WHY)
    pane.select("autoexpand")
    assert "OpenZFS's default is off" in pane.explanation.text()


def test_that_a_value_is_changed_in_its_place_and_reaches_the_commands(pane: PoolPane, qtbot: QtBot) -> None:
    pane.select("failmode")
    view = named(pane, QTableView, "Properties of the pool")
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_F2)
    box = named(view, QComboBox, "Value of failmode")
    assert [box.itemText(n) for n in range(box.count())] == ["wait", "continue", "panic"]
    type_in(there(box.lineEdit()), "continue")
    QTest.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: settings(pane).get("failmode") == "continue")
    design = there(pane.session.design)
    create = next(c.argv for c in commands(plan_actions(design)) if c.argv[:2] == ("zpool", "create"))
    assert "failmode=continue" in create
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert "failmode" not in settings(pane)
    pane.session.undo_steps.undo()
    assert settings(pane)["failmode"] == "continue"


def test_that_a_comment_is_typed_and_one_that_openzfs_refuses_is_told(pane: PoolPane) -> None:
    type_property(pane, "comment=office backup")
    assert settings(pane)["comment"] == "office backup"
    type_property(pane, "comment=" + "x" * 33)
    assert "at most 32" in pane.explanation.text()
    assert settings(pane)["comment"] == "office backup"


@pytest.mark.parametrize(("text", "words"), [("failmode=perhaps", "wait, continue, panic"), ("nonsense", "name=value")])
def test_that_what_is_no_value_is_told(pane: PoolPane, text: str, words: str) -> None:
    before = pane.session.design
    type_property(pane, text)
    assert words in pane.explanation.text()
    assert pane.session.design == before


def test_that_proposals_come_back_and_what_was_typed_stays(pane: PoolPane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.refresh()
    pane.select("autoexpand")
    press(named(pane, QPushButton, "Default"))
    type_property(pane, "comment=mine")
    assert settings(pane) == {"comment": "mine"}
    press(named(pane, QPushButton, "Use recommended"))
    assert settings(pane) == {"autoexpand": "on", "comment": "mine"}


def test_that_why_shows_the_rule_behind_a_value(pane: PoolPane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.select("autoexpand")
    press(named(pane, QPushButton, "Why?"))
    dialog = there(pane.findChild(WhyDialog))
    assert "autoexpand=on" in dialog.windowTitle()
    dialog.close()


def test_that_one_switch_leaves_room_for_replacements_and_takes_it_back(pane: PoolPane) -> None:
    switch = named(pane, QCheckBox, "Room for smaller &replacements")
    before = there(pane.session.design)
    assert not switch.isChecked()
    switch.click()
    after = there(pane.session.design)
    assert has_slack(after)
    assert switch.isChecked()
    switch.click()
    assert pane.session.design == before
    pane.session.undo_steps.undo()
    assert switch.isChecked()


# Room beside the data in the window: asked for, told what it costs, made as one step that can be undone.


def design_in(pane: PoolPane) -> Design:
    return there(pane.session.design)


def opened(pane: PoolPane) -> ReserveDialog:
    press(named(pane, QPushButton, "Reserve &partitions…"))
    found = [dialog for dialog in pane.findChildren(ReserveDialog) if dialog.isVisible()]
    return found[-1]


def reserve(dialog: ReserveDialog, text: str) -> None:
    type_in(named(dialog, QLineEdit, "Reserved"), text)


def accept(dialog: ReserveDialog) -> None:
    button = dialog.ok
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_what_is_typed_is_reserved_in_one_step_that_can_be_undone(pane: PoolPane, qtbot: QtBot) -> None:
    before = design_in(pane)
    dialog = opened(pane)
    assert dialog.ok.text() == "Reserve"
    assert "Nothing is reserved" in dialog.effect.text()
    reserve(dialog, "esp=512MiB swap=2GiB:last")
    assert "2.50 GiB of each of 40 disks" in dialog.effect.text()
    accept(dialog)
    qtbot.waitUntil(lambda: bool(design_in(pane).reserve))
    assert design_in(pane).reserve == (
        ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB),
        ReservedPartition(purpose=ReservePurpose.SWAP, size_bytes=2 * GIB, last=True),
    )
    assert "EFI system partition, 512 MiB" in named(pane, QLabel, "What is reserved").text()
    pane.session.undo_steps.undo()
    assert design_in(pane) == before
    pane.session.undo_steps.redo()
    assert predict_design(design_in(pane)).available_bytes < predict_design(before).available_bytes
    again = opened(pane)
    assert again.value() == design_in(pane).reserve
    again.reject()


def test_that_a_preset_fills_in_what_an_installer_makes_and_some_disks_can_be_named(
    pane: PoolPane, qtbot: QtBot
) -> None:
    dialog = opened(pane)
    box = named(dialog, QComboBox, "As made by")
    choose(box, "Proxmox VE")
    field = named(dialog, QLineEdit, "Reserved")
    assert field.text() == "bios=1MiB esp=1GiB"
    third = data_keys(design_in(pane))[2]
    reserve(dialog, f"bios=1MiB@2 esp=1GiB@{third}")
    assert box.currentText() == "as typed below"
    accept(dialog)
    qtbot.waitUntil(lambda: bool(design_in(pane).reserve))
    found = [(p.purpose, p.size_bytes, len(p.disk_keys)) for p in design_in(pane).reserve]
    assert found == [(ReservePurpose.BIOS, MIB, 2), (ReservePurpose.ESP, GIB, 1)]
    again = opened(pane)
    assert named(again, QLineEdit, "Reserved").text() == f"bios=1MiB@2 esp=1GiB@{third}"
    again.reject()


@pytest.mark.parametrize("text", ["bare=6.1TB", "bare=much", "esp=1GiB@99"])
def test_that_what_cannot_be_is_told_and_cannot_be_accepted(pane: PoolPane, text: str) -> None:
    dialog = opened(pane)
    reserve(dialog, text)
    assert not dialog.ok.isEnabled()
    assert ("leaves no room for data" in dialog.effect.text()) is text.startswith("bare=6")
    dialog.reject()


def test_that_the_picture_tells_of_each_disk_what_is_reserved_on_it() -> None:
    reserve = (ReservedPartition(purpose=ReservePurpose.ESP, size_bytes=512 * MIB),)
    content = content_of(with_reserve(thesis_design(), reserve), ())
    frame = content.pools[0].data[0]
    assert frame.tiles[0].partitions == reserve
    assert "Beside the data: EFI system partition 512 MiB" in tile_lines(frame.tiles[0], frame)
    spare = next(f for f in content.frames() if f.vdev.vdev_class.value == "spare").tiles[0]
    assert spare.partitions == ()
