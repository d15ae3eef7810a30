"""The properties of a dataset as a person reads and changes them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, named, press, there, type_in
from tests.ui.datasets_bench import complaint, dataset, key, opened, property_cell, settings, to_properties, undo

from poolwright.domain.design import Dataset
from poolwright.rules.model import RuleBook
from poolwright.ui.design.datasets.pane import DatasetsPane
from poolwright.ui.design.datasets.properties import KeyDialog, PropertyColumn
from poolwright.ui.parts.card import CellEcho
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.state.session import Session

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def pane(session: Session, qtbot: QtBot, light: None) -> Iterator[DatasetsPane]:
    with opened(session, qtbot) as made:
        yield made


def test_that_choosing_what_a_dataset_holds_sets_the_rules_proposals(pane: DatasetsPane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.select("later")
    box = named(pane, QComboBox, "What the dataset holds")
    choose(box, "Media archive")
    assert settings(pane, "later")["recordsize"] == "1M"
    choose(box, "Database")
    assert settings(pane, "later")["recordsize"] == "16K"
    undo(pane)
    assert settings(pane, "later")["recordsize"] == "1M"
    assert box.currentText() == "Media archive"
    undo(pane)
    assert dataset(pane, "later") == Dataset(name="later")
    assert box.currentText() == "As the pool"


def test_that_inherited_values_are_shown_with_their_reason_and_the_dataset_chosen_beside_them(
    pane: DatasetsPane,
) -> None:
    to_properties(pane, "home/ann", "compression")
    assert property_cell(pane, "compression", PropertyColumn.VALUE) == "zstd"
    assert property_cell(pane, "compression", PropertyColumn.SOURCE) == "inherited from tank"
    assert property_cell(pane, "compression", PropertyColumn.CHANGED) == "changed"
    assert property_cell(pane, "compression", PropertyColumn.WHY) == "packs well"
    assert pane.properties.told.text().startswith("Packs well. ")
    assert "OpenZFS's default is on" in pane.properties.told.text()
    row = there(pane.properties.table.line_of("compression"))
    mark = pane.properties.table.index(row, PropertyColumn.CHANGED)
    assert mark.data(Qt.ItemDataRole.DecorationRole) is not None
    assert property_cell(pane, "checksum", PropertyColumn.SOURCE) == "default"
    assert property_cell(pane, "checksum", PropertyColumn.CHANGED) == "default"
    to_properties(pane, "home", "recordsize")
    box = named(pane, QComboBox, "Dataset whose properties are shown")
    assert box.currentText() == "tank/home"
    choose(box, "tank/vm")
    assert pane.selected_name() == "vm"
    assert pane.properties.table.line_of("volblocksize") is not None
    assert pane.properties.table.line_of("recordsize") is None


def test_that_a_value_is_changed_in_its_place_and_inherited_again(pane: DatasetsPane, qtbot: QtBot) -> None:
    to_properties(pane, "home", "atime")
    key(pane.properties.view, Qt.Key.Key_F2)
    editor = named(pane.properties.view, QComboBox, "Value of atime")
    line = there(editor.lineEdit())
    line.selectAll()
    QTest.keyClicks(line, "off")
    key(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: settings(pane, "home") == {"atime": "off"})
    assert property_cell(pane, "atime", PropertyColumn.SOURCE) == "local"
    to_properties(pane, "home/ann", "atime")
    assert property_cell(pane, "atime", PropertyColumn.SOURCE) == "inherited from tank/home"
    to_properties(pane, "home", "atime")
    key(pane.properties.view, Qt.Key.Key_Delete)
    assert settings(pane, "home") == {}
    undo(pane)
    assert settings(pane, "home") == {"atime": "off"}
    undo(pane)
    assert settings(pane, "home") == {}


def test_that_any_property_is_set_by_name_and_none_that_openzfs_would_refuse(pane: DatasetsPane) -> None:
    to_properties(pane, "home", "recordsize")
    before = pane.session.design
    row = there(pane.properties.table.line_of("recordsize"))
    pane.properties.table.setData(pane.properties.table.index(row, PropertyColumn.VALUE), "100K")
    assert "power of two" in complaint(pane)
    assert pane.session.design is before
    field = named(pane, QLineEdit, "Set a property by name")
    QTest.keyClicks(field, "com.example:owner=alice")
    key(field, Qt.Key.Key_Return)
    assert settings(pane, "home") == {"com.example:owner": "alice"}
    assert field.text() == ""
    chosen = there(pane.properties.current())
    assert chosen.name == "com.example:owner"
    pane.select("home/ann")
    assert property_cell(pane, "com.example:owner", PropertyColumn.SOURCE) == "inherited from tank/home"
    QTest.keyClicks(field, "volsize=1G")
    key(field, Qt.Key.Key_Return)
    assert "entered as its size" in complaint(pane)
    assert settings(pane, "home/ann") == {}


def test_that_only_what_is_set_can_be_shown_and_every_control_has_a_name(pane: DatasetsPane) -> None:
    to_properties(pane, "vm", "volblocksize")
    everything = pane.properties.table.rowCount()
    pane.properties.only_set.setChecked(True)
    shown = {str(pane.properties.table.index(n, 0).data()) for n in range(pane.properties.table.rowCount())}
    assert shown == {"volblocksize", "compression", "refreservation"}
    assert everything > 15
    for kind in (QLineEdit, QComboBox, QPushButton):
        for widget in pane.findChildren(kind):
            inside = widget.parent() if isinstance(widget, QLineEdit) else None
            if isinstance(inside, QComboBox):
                continue
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget


def test_that_why_tells_what_it_does_where_it_comes_from_and_the_rule(pane: DatasetsPane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.select("later")
    choose(named(pane, QComboBox, "What the dataset holds"), "Media archive")
    to_properties(pane, "later", "recordsize")
    key(pane.properties.view, Qt.Key.Key_Return)
    dialog = there(pane.findChild(WhyDialog))
    texts = dialog.text.toPlainText()
    chosen = there(pane.properties.current())
    assert chosen.reason in texts
    assert "recordsize=1M on tank/later, local" in texts
    assert chosen.rule_id is not None
    assert chosen.rule_id in texts
    dialog.close()


@pytest.mark.slow
def test_that_proposals_can_be_taken_again_and_leave_what_was_typed(pane: DatasetsPane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.select("later")
    choose(named(pane, QComboBox, "What the dataset holds"), "Media archive")
    to_properties(pane, "later", "recordsize")
    row = there(pane.properties.table.line_of("recordsize"))
    pane.properties.table.setData(pane.properties.table.index(row, PropertyColumn.VALUE), "4M")
    press(named(pane, QPushButton, "Propose"))
    assert settings(pane, "later")["recordsize"] == "4M"
    pane.properties.view.setFocus()
    key(pane.properties.view, Qt.Key.Key_Delete)
    assert "recordsize" not in settings(pane, "later")
    press(named(pane, QPushButton, "Propose"))
    assert settings(pane, "later")["recordsize"] == "1M"


def test_that_a_quota_means_what_it_means_elsewhere_and_is_told_while_it_is_typed(pane: DatasetsPane) -> None:
    pane.select("home")
    to_properties(pane, "home", "quota")
    field = named(pane, QLineEdit, "Set a property by name")
    QTest.keyClicks(field, "quota=100")
    assert "“100” has no unit" in field.accessibleDescription()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert "quota" not in settings(pane, "home")
    QTest.keyClicks(field, "GB")
    assert field.accessibleDescription() == "= quota: 100 GB = 93.1 GiB"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert settings(pane, "home")["quota"] == "100000000000"
    press(named(pane, QPushButton, "Change"))
    (echo,) = pane.properties.view.findChildren(CellEcho)
    box = there(pane.properties.view.viewport().findChild(QComboBox))
    box.setEditText("100")
    assert "has no unit" in echo.text.text()
    box.setEditText("100GB")
    assert echo.text.text() == "= 100 GB = 93.1 GiB"
    assert echo.isVisible()
    box.setEditText("none")
    assert not echo.isVisible()


def test_that_encryption_asks_for_a_key_and_says_what_must_be_kept(pane: DatasetsPane) -> None:
    to_properties(pane, "later", "encryption")
    pane.properties.property_asked.emit("encryption", "on")
    dialog = there(pane.findChild(KeyDialog))
    assert settings(pane, "later") == {}
    assert "nobody reads the data again" in dialog.told.text()
    choose(named(dialog, QComboBox, "Key"), "Raw key, 32 bytes in a file")
    file = named(dialog, QLineEdit, "File that holds it")
    assert "/etc/zfs/keys/tank-later.key" in dialog.told.text()
    type_in(file, "relative")
    assert not dialog.ok.isEnabled()
    told = named(dialog, QLabel, "File that holds it")
    assert "whole path" in told.text()
    assert told.height() >= told.heightForWidth(told.width())
    type_in(file, "file:///keys/later")
    dialog.buttons.accepted.emit()
    assert settings(pane, "later") == {"encryption": "on", "keyformat": "raw", "keylocation": "file:///keys/later"}
    undo(pane)
    assert settings(pane, "later") == {}
