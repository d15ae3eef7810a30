"""The datasets of a design as a person edits them: by keys and fields, with every step undone again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, enter, named, part_of, press, there, type_in
from tests.ui.datasets_bench import (
    cell,
    complaint,
    dataset,
    designed,
    focused,
    key,
    line,
    names,
    opened,
    property_cell,
    settings,
    to_properties,
    undo,
)
from tests.ui.test_outlook_page import told

from poolwright.cli.capacity import block_document
from poolwright.domain.design import Dataset, FurtherPool, Vdev
from poolwright.domain.money import Money
from poolwright.domain.units import GIB, TIB, binary
from poolwright.domain.vdev import VdevClass
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.design.datasets.pane import DatasetsPane
from poolwright.ui.design.datasets.properties import KeyDialog, PropertyColumn
from poolwright.ui.design.datasets.tree import DatasetColumn
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def pane(session: Session, qtbot: QtBot, light: None) -> Iterator[DatasetsPane]:
    with opened(session, qtbot) as made:
        yield made


def test_that_the_tree_shows_what_each_dataset_takes_and_which_blocks_waste(pane: DatasetsPane) -> None:
    assert cell(pane, "home", DatasetColumn.DATA) == "8.00 TiB"
    assert cell(pane, "home", DatasetColumn.TAKES).startswith("8.0")
    assert cell(pane, "vm", DatasetColumn.KIND) == "volume, 2.00 TiB"
    assert cell(pane, "vm", DatasetColumn.TAKES) == "2.15 TiB"
    assert cell(pane, "vm", DatasetColumn.STORED) == "33 %"
    assert cell(pane, "later", DatasetColumn.TAKES) == "unknown"
    assert cell(pane, "vm", DatasetColumn.SETTINGS) == "volblocksize=8K, refreservation=none"
    assert "Not counted" in pane.summary.used.button.accessibleDescription()
    assert "later" in pane.summary.used.button.accessibleDescription()
    pane.select("vm")
    assert "stored at 33 %, where 75 % are data disks" in pane.notes.text()
    stored = [line(pane, name).icon(DatasetColumn.STORED) for name in ("vm", "home")]
    assert [icon.isNull() for icon in stored] == [False, True]


@pytest.mark.parametrize("width", [736, 1200, 1900])
def test_that_the_columns_fit_and_a_tip_tells_how_much_it_could_be(pane: DatasetsPane, width: int) -> None:
    pane.resize(width, 600)
    pane.panes.bring_to_front(there(pane.tree.parentWidget()))
    QCoreApplication.processEvents()
    assert not pane.tree.horizontalScrollBar().maximum()
    assert " to " in line(pane, "home").toolTip(DatasetColumn.TAKES)


def test_that_prices_turn_waste_into_money(pane: DatasetsPane) -> None:
    design = there(pane.session.design)
    price = Money(amount=Decimal(150), currency="EUR")
    pane.session.change_design(replace(design, budget=replace(design.budget, price_per_disk=price)), "price")
    pane.select("vm")
    found = pane.notes.text()
    assert "TB of the disks go to padding and extra parity, " in found

    def money(text: str) -> float:
        return float(text.splitlines()[0].rstrip(".").removesuffix(" EUR").rsplit(" ", 1)[-1].replace(",", ""))

    pane.session.expectations.assume(price=Money(amount=Decimal(300), currency="EUR"))
    pane.refresh()
    assert money(pane.notes.text()) == pytest.approx(2 * money(found), abs=0.02)


def test_that_a_filesystem_is_added_and_named_by_keys_and_taken_back(pane: DatasetsPane, qtbot: QtBot) -> None:
    pane.select("home")
    pane.tree.setFocus()
    key(pane.tree, Qt.Key.Key_Insert)
    assert names(pane)[-1] == pane.selected_name() == "home/new"
    name_in_place("bob")
    qtbot.waitUntil(lambda: pane.selected_name() == "home/bob")
    undo(pane)
    undo(pane)
    assert not {"home/bob", "home/new"} & set(names(pane))
    assert pane.tree.item_of("home/bob") is None


def test_that_a_volume_for_machines_gets_its_properties_with_reasons(pane: DatasetsPane, rules: RuleBook) -> None:
    pane.session.set_rules(rules)
    pane.select("")
    pane.tree.setFocus()
    key(pane.tree, Qt.Key.Key_Insert, SHIFT)
    pane.refresh()  # as the numbers do that follow a moment later
    editor = focused()
    assert isinstance(editor, QLineEdit)
    assert editor.selectedText() == "volume", "typing replaces the name"
    choose(named(pane, QComboBox, "What the dataset holds"), "VM images")
    made = dataset(pane, "volume")
    assert made.volume_bytes == 100 * GIB
    assert there(made.workload).preset == "vm-images"
    assert settings(pane, "volume")["volblocksize"] == "16K"
    assert "recordsize" not in settings(pane, "volume")
    assert all(s.reason and s.rule_id for s in made.settings)


def name_in_place(text: str) -> None:
    editor = focused()
    assert isinstance(editor, QLineEdit)
    enter(editor, text)


def test_that_a_dataset_is_renamed_in_its_place_with_all_below_it(pane: DatasetsPane, qtbot: QtBot) -> None:
    pane.select("home")
    pane.tree.setFocus()
    key(pane.tree, Qt.Key.Key_F2)
    name_in_place("people")
    qtbot.waitUntil(lambda: {"people", "people/ann"} <= set(names(pane)))
    assert pane.selected_name() == "people"
    undo(pane)
    assert {"home", "home/ann"} <= set(names(pane))


def test_that_delete_takes_all_below_a_dataset_and_never_the_root(pane: DatasetsPane) -> None:
    pane.select("home")
    pane.tree.setFocus()
    key(pane.tree, Qt.Key.Key_Delete)
    assert "home" not in names(pane)
    assert "home/ann" not in names(pane)
    assert pane.selected_name() == ""
    undo(pane)
    assert {"home", "home/ann"} <= set(names(pane))
    pane.select("")
    pane.tree.setFocus()
    before = pane.session.design
    key(pane.tree, Qt.Key.Key_Delete)
    assert pane.session.design is before
    assert not named(pane, QPushButton, "Delete").isEnabled()
    assert not named(pane, QPushButton, "Rename").isEnabled()


def test_that_the_sum_follows_the_data_that_are_typed(pane: DatasetsPane) -> None:
    pane.select("later")
    before = told(pane.summary, "Used by all"), told(pane.summary, "80 % full on")
    field = named(pane, QLineEdit, "Data in the dataset")
    enter(field, "50 TiB")
    assert dataset(pane, "later").logical_bytes == 50 * TIB
    after = told(pane.summary, "Used by all"), told(pane.summary, "80 % full on")
    assert before[0].startswith("at least ")  # nobody said yet what lies in it
    assert float(after[0].split()[-2]) == pytest.approx(float(before[0].split()[-2]) + 50, abs=0.4)
    assert after[1] != before[1]
    undo(pane)
    assert (told(pane.summary, "Used by all"), told(pane.summary, "80 % full on")) == before
    assert field.text() == ""


def test_that_data_can_be_made_unknown_again(pane: DatasetsPane) -> None:
    pane.select("home/ann")
    field = named(pane, QLineEdit, "Data in the dataset")
    field.selectAll()
    key(field, Qt.Key.Key_Delete)
    key(field, Qt.Key.Key_Return)
    assert dataset(pane, "home/ann").logical_bytes is None
    assert "unknown: not counted" in pane.notes.text()


@pytest.mark.parametrize(
    ("name", "why"), [("home", "already"), ("vm/x", "is a volume"), ("a*b", "consists of letters")]
)
def test_that_no_size_and_an_impossible_name_are_told_and_not_taken(pane: DatasetsPane, name: str, why: str) -> None:
    pane.select("home")
    before = pane.session.design
    field = named(pane, QLineEdit, "Data in the dataset")
    enter(field, "a lot")
    assert "“a lot” is not understood" in complaint(pane)
    assert pane.session.design is before
    line(pane, "later").setText(DatasetColumn.NAME, name)
    assert why in complaint(pane)
    assert pane.session.design is before


def test_that_a_volume_is_resized_to_whole_blocks_and_shown_as_it_was_typed(pane: DatasetsPane) -> None:
    pane.select("vm")
    field = named(pane, QLineEdit, "Size of the volume")
    enter(field, "4 TiB")
    assert dataset(pane, "vm").volume_bytes == 4 * TIB
    pane.select("home")
    assert not field.isVisible()
    pane.select("vm")
    enter(field, "1TB")
    assert dataset(pane, "vm").volume_bytes == 1_000_000_004_096
    pane.select("home")
    pane.select("vm")
    assert field.text() == "1 TB"


def test_that_the_datasets_of_another_pool_are_edited_there(pane: DatasetsPane) -> None:
    design = there(pane.session.design)
    spares = next(v for v in design.vdevs if v.vdev_class is VdevClass.SPARE)
    second = FurtherPool(
        pool_name="fast",
        vdevs=(Vdev(kind=spares.kind, members=spares.members),),
        datasets=(Dataset(name="scratch", logical_bytes=TIB),),
    )
    others = tuple(v for v in design.vdevs if v is not spares)
    pane.session.change_design(replace(design, vdevs=others, further_pools=(second,)), "two pools")
    box = named(pane, QComboBox, "Pool")
    assert box.isVisible()
    choose(box, "fast")
    assert cell(pane, "scratch", DatasetColumn.TAKES).startswith("1.00")
    pane.select("scratch")
    press(named(pane, QPushButton, "Delete"))
    changed = there(pane.session.design)
    assert changed.further_pools[0].datasets == ()
    assert changed.datasets == design.datasets
    undo(pane)
    assert there(pane.session.design).further_pools[0] == second


@pytest.mark.slow
def test_that_the_datasets_are_a_tab_of_the_design_page(window: MainWindow, rules: RuleBook, qtbot: QtBot) -> None:
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.put_design(designed())
    pane = part_of(window, DatasetsPane, "datasets")
    pane.select("home")
    press(named(pane, QPushButton, "Delete"))
    assert pane.tree.item_of("home") is None
    window.session.undo_steps.undo()
    assert pane.tree.item_of("home/ann") is not None
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: pane.panes.wide)
    assert pane.properties.isVisible()
    assert pane.tree.isVisible()


def test_that_a_workload_of_its_own_is_not_shown_as_the_pools(pane: DatasetsPane) -> None:
    design = there(pane.session.design)
    own = replace(dataset(pane, "later"), workload=Workload(goal=Goal.SPEED, io_size_bytes=TIB))
    others = tuple(d for d in design.datasets if d.name != "later")
    pane.session.change_design(replace(design, datasets=(*others, own)), "own workload")
    pane.select("later")
    box = named(pane, QComboBox, "What the dataset holds")
    assert box.currentIndex() == -1
    assert box.placeholderText() == "Own workload"


def test_that_without_rules_nothing_is_proposed_and_that_is_said(pane: DatasetsPane) -> None:
    pane.select("later")
    choose(named(pane, QComboBox, "What the dataset holds"), "Database")
    assert settings(pane, "later") == {}
    assert dataset(pane, "later").workload is not None
    assert "No properties were proposed" in complaint(pane)


# What each volblocksize wastes: the numbers of the command line, and the choice.


def test_that_the_table_is_that_of_the_command_line(pane: DatasetsPane, session: Session) -> None:
    pane.select("vm")
    told = json.loads(json.dumps(block_document(there(there(session.assessment).capacity))))
    table = pane.blocks.table
    assert table.rowCount() == len(told) == 6
    for row, block in enumerate(told):
        assert table.row(row).block_bytes == block["volblocksize_bytes"]
        _, takes, _, wasted, reserves = (table.index(row, column).data() for column in range(5))
        assert takes == binary(block["disk_bytes"])
        assert wasted == f"{100 * block['waste']:.0f} %"
        assert reserves == binary(block["reserved_of_1_tib_bytes"])
    assert "16K, default" in {table.index(row, 0).data() for row in range(len(told))}


def test_that_only_volumes_have_blocks_to_choose(pane: DatasetsPane) -> None:
    pane.select("vm")
    assert pane.blocks.isVisible()
    pane.select("home")
    assert not pane.blocks.isVisible()


def test_that_the_size_in_force_is_marked_and_another_one_can_be_taken_and_undone(pane: DatasetsPane) -> None:
    pane.select("vm")
    blocks = pane.blocks
    assert blocks.in_force == 1
    assert not blocks.use.isEnabled()
    blocks.view.selectRow(4)
    press(blocks.use)
    assert settings(pane, "vm")["volblocksize"] == "64K"
    assert blocks.in_force == 4
    undo(pane)
    assert settings(pane, "vm")["volblocksize"] == "8K"
    assert blocks.in_force == 1
    assert named(pane, type(blocks.view), "What each volblocksize wastes") is blocks.view


# The properties of a dataset as a person reads and changes them.


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
    assert box.currentText() == "Same as the pool"


def test_that_inherited_values_are_shown_with_their_reason_and_the_dataset_chosen_beside_them(
    pane: DatasetsPane,
) -> None:
    to_properties(pane, "home/ann", "compression")
    assert property_cell(pane, "compression", PropertyColumn.VALUE) == "zstd"
    assert property_cell(pane, "compression", PropertyColumn.SOURCE) == "inherited from tank"
    assert property_cell(pane, "compression", PropertyColumn.WHY) == "Packs well"
    assert pane.properties.explanation.text().startswith("Packs well. ")
    assert "OpenZFS's default is on" in pane.properties.explanation.text()
    assert property_cell(pane, "checksum", PropertyColumn.SOURCE) == "default"
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
    type_in(there(editor.lineEdit()), "off")
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
    enter(field, "com.example:owner=alice")
    assert settings(pane, "home") == {"com.example:owner": "alice"}
    assert field.text() == ""
    chosen = there(pane.properties.current())
    assert chosen.name == "com.example:owner"
    pane.select("home/ann")
    assert property_cell(pane, "com.example:owner", PropertyColumn.SOURCE) == "inherited from tank/home"
    enter(field, "volsize=1G")
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
    assert "tank/later\nlocal" in texts
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
    press(named(pane, QPushButton, "Use recommended"))
    assert settings(pane, "later")["recordsize"] == "4M"
    pane.properties.view.setFocus()
    key(pane.properties.view, Qt.Key.Key_Delete)
    assert "recordsize" not in settings(pane, "later")
    press(named(pane, QPushButton, "Use recommended"))
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
    assert field.accessibleDescription() == "= 100 GB = 93.1 GiB"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert settings(pane, "home")["quota"] == "100000000000"
    before = pane.properties.explanation.text()
    press(named(pane, QPushButton, "Edit"))
    box = there(pane.properties.view.viewport().findChild(QComboBox))
    box.setEditText("100")
    assert "has no unit" in pane.properties.explanation.text()
    box.setEditText("100GB")
    assert pane.properties.explanation.text() == "= 100 GB = 93.1 GiB"
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert pane.properties.explanation.text() == before


def test_that_encryption_asks_for_a_key_and_says_what_must_be_kept(pane: DatasetsPane) -> None:
    to_properties(pane, "later", "encryption")
    pane.properties.property_asked.emit("encryption", "on")
    dialog = there(pane.findChild(KeyDialog))
    assert settings(pane, "later") == {}
    assert "the data are lost" in dialog.effect.text()
    choose(named(dialog, QComboBox, "Key"), "Raw key, 32 bytes in a file")
    file = named(dialog, QLineEdit, "Key file")
    assert "/etc/zfs/keys/tank-later.key" in dialog.effect.text()
    type_in(file, "relative")
    assert not dialog.ok.isEnabled()
    told = named(dialog, QLabel, "Key file")
    assert "full path" in told.text()
    assert told.height() >= told.heightForWidth(told.width())
    type_in(file, "file:///keys/later")
    dialog.buttons.accepted.emit()
    assert settings(pane, "later") == {"encryption": "on", "keyformat": "raw", "keylocation": "file:///keys/later"}
    undo(pane)
    assert settings(pane, "later") == {}
