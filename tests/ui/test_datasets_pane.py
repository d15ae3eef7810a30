"""The datasets of a design as a person edits them: by keys and fields, with every step undone again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, named, press, there, visit
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
    settings,
    undo,
)
from tests.ui.test_outlook_page import told

from poolwright.cli.capacity import block_document
from poolwright.domain.design import Dataset, FurtherPool, Vdev
from poolwright.domain.money import Money
from poolwright.domain.units import GIB, TIB, binary
from poolwright.domain.vdev import VdevClass
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.model import RuleBook
from poolwright.ui.design.datasets.pane import DatasetsPane
from poolwright.ui.design.datasets.tree import DatasetColumn
from poolwright.ui.design.page import DesignPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

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


@pytest.mark.parametrize(("width", "banded"), [(736, False), (1200, False), (1900, True)])
def test_that_the_columns_fit_and_what_gives_way_is_told_by_a_tip(
    pane: DatasetsPane, width: int, *, banded: bool
) -> None:
    pane.resize(width, 600)
    overview = there(pane.tree.parentWidget())
    pane.panes.bring_to_front(overview)
    QCoreApplication.processEvents()
    assert not pane.tree.horizontalScrollBar().maximum()
    assert pane.tree.isColumnHidden(DatasetColumn.BAND) is not banded
    assert cell(pane, "home", DatasetColumn.BAND) in line(pane, "home").toolTip(DatasetColumn.TAKES)


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
    editor.selectAll()
    QTest.keyClicks(editor, text)
    key(editor, Qt.Key.Key_Return)


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
    before = told(pane.summary, "All take"), told(pane.summary, "80 % is reached")
    field = named(pane, QLineEdit, "Data in the dataset")
    QTest.keyClicks(field, "50 TiB")
    key(field, Qt.Key.Key_Return)
    assert dataset(pane, "later").logical_bytes == 50 * TIB
    after = told(pane.summary, "All take"), told(pane.summary, "80 % is reached")
    assert before[0].startswith("at least ")  # nobody said yet what lies in it
    assert float(after[0].split()[-2]) == pytest.approx(float(before[0].split()[-2]) + 50, abs=0.4)
    assert after[1] != before[1]
    undo(pane)
    assert (told(pane.summary, "All take"), told(pane.summary, "80 % is reached")) == before
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
    field.selectAll()
    QTest.keyClicks(field, "a lot")
    key(field, Qt.Key.Key_Return)
    assert "“a lot” is not an amount of data" in complaint(pane)
    assert pane.session.design is before
    line(pane, "later").setText(DatasetColumn.NAME, name)
    assert why in complaint(pane)
    assert pane.session.design is before


def test_that_a_volume_is_resized_to_whole_blocks_and_shown_as_it_was_typed(pane: DatasetsPane) -> None:
    pane.select("vm")
    field = named(pane, QLineEdit, "Size of the volume")
    field.selectAll()
    QTest.keyClicks(field, "4 TiB")
    key(field, Qt.Key.Key_Return)
    assert dataset(pane, "vm").volume_bytes == 4 * TIB
    pane.select("home")
    assert not field.isVisible()
    pane.select("vm")
    field.selectAll()
    QTest.keyClicks(field, "1TB")
    key(field, Qt.Key.Key_Return)
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


def test_that_without_a_design_there_is_nothing_to_edit(pane: DatasetsPane) -> None:
    pane.session.put_design(None)
    assert not pane.isEnabled()
    assert pane.tree.topLevelItemCount() == 0
    assert told(pane.summary, "All take") == "unknown"


@pytest.mark.slow
def test_that_the_datasets_are_a_tab_of_the_design_page(window: MainWindow, rules: RuleBook, qtbot: QtBot) -> None:
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.put_design(designed())
    page = visit(window, DesignPage)
    page.bring_to_front("datasets")
    pane = page.part("datasets")
    assert isinstance(pane, DatasetsPane)
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
    assert box.placeholderText() == "A workload of its own"


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
