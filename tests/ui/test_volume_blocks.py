"""What each volblocksize wastes, where a volume is edited: the numbers of the command line, and the choice."""

import json
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, press
from tests.ui.datasets_bench import opened, settings, undo

from poolwright.cli.capacity import block_document
from poolwright.domain.units import binary
from poolwright.ui.design.datasets.pane import DatasetsPane
from poolwright.ui.state.session import Session


@pytest.fixture
def pane(session: Session, qtbot: QtBot, light: None) -> Iterator[DatasetsPane]:
    with opened(session, qtbot) as made:
        yield made


def test_that_the_table_is_that_of_the_command_line(pane: DatasetsPane, session: Session) -> None:
    pane.select("vm")
    assert session.assessment is not None
    assert session.assessment.capacity is not None
    told = json.loads(json.dumps(block_document(session.assessment.capacity)))
    table = pane.blocks.table
    assert table.rowCount() == len(told) == 6
    for row, line in enumerate(told):
        assert table.row(row).block_bytes == line["volblocksize_bytes"]
        _, takes, _, wasted, reserves = (table.index(row, column).data() for column in range(5))
        assert takes == binary(line["disk_bytes"])
        assert wasted == f"{100 * line['waste']:.0f} %"
        assert reserves == binary(line["reserved_of_1_tib_bytes"])
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
