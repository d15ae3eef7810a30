"""The tab on growth: the plan as people see and edit it."""

from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.ui.controls import part_of, press_link, there

from poolwright.changes.growth.plan import evaluate
from poolwright.domain.design import Dataset, Design
from poolwright.domain.growth import GrowthKind, parse_growth_step
from poolwright.domain.units import binary
from poolwright.predict.space import Growth
from poolwright.ui.design.growth.pane import GrowthPlanPane
from poolwright.ui.design.growth.stages import growth_chart, room_at
from poolwright.ui.parts.assumption_form import today_text
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

SIX = 6001175126016


@pytest.fixture
def pane(window: MainWindow, design: Design) -> GrowthPlanPane:
    session = window.session
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    session.expectations.assume(used_bytes=60 * 10**12, growth_percent=25.0)
    return part_of(window, GrowthPlanPane, "growth")


def cell(pane: GrowthPlanPane, row: int, column: int) -> str:
    return str(pane.stages.index(row, column).data())


def steps_of(pane: GrowthPlanPane) -> list[str]:
    design = there(pane.session.design)
    return [str(step) for step in design.growth]


def add(pane: GrowthPlanPane, kind: GrowthKind, amount: str, when: int = 1, moment: str = "80") -> None:
    pane.editor.kind.setCurrentIndex(pane.editor.kind.findData(kind.value))
    if amount:
        pane.editor.amount.setText(amount)
    pane.editor.when.setCurrentIndex(when)
    pane.editor.moment.setText(moment)
    pane.editor.add_button.click()


def test_that_a_step_is_added_to_the_table_and_its_commands_can_be_copied(pane: GrowthPlanPane) -> None:
    add(pane, GrowthKind.ATTACH, "6 TB")
    after = there(pane.plan).stages[1].capacity
    assert steps_of(pane) == ["attach:6TB@1 at 80%"]
    assert cell(pane, 1, 1) == "Attach 6 TB to raidz2-0"
    tip = pane.stages.index(1, 2).data(Qt.ItemDataRole.ToolTipRole)
    assert f"{after.pool_size_bytes:,}" in tip
    assert cell(pane, 1, 5).endswith(" %")
    pane._select(1)
    shown = pane.detail.toPlainText()
    assert "zpool attach tank raidz2-0" in shown
    press_link(pane.detail, "Copy")
    assert "zpool wait -t raidz_expand tank" in QGuiApplication.clipboard().text()
    assert "raidz_expansion" in shown
    assert "Expected then" in shown


@pytest.mark.slow
def test_that_the_trade_size_means_the_disks_that_are_there_and_every_edit_can_be_undone(pane: GrowthPlanPane) -> None:
    add(pane, GrowthKind.ADD, "raidz2:8x6TB")
    design = there(pane.session.design)
    vdev = there(design.growth[0].vdev)
    assert set(vdev.sizes) == {SIX}
    pane.session.undo_steps.undo()
    add(pane, GrowthKind.ATTACH, "6 TB")
    add(pane, GrowthKind.REPLACE, "12 TB")
    assert len(steps_of(pane)) == 2
    pane.session.undo_steps.undo()
    pane.refresh()
    assert len(steps_of(pane)) == 1
    pane.session.undo_steps.undo()
    pane.refresh()
    assert (steps_of(pane), pane.stages.rowCount()) == ([], 1)


@pytest.mark.slow
def test_that_steps_are_changed_and_removed_by_keyboard(pane: GrowthPlanPane) -> None:
    add(pane, GrowthKind.ATTACH, "6 TB")
    add(pane, GrowthKind.ADD, "raidz2:8x8TB")
    pane.table.setFocus()
    pane._select(2)
    pane.editor.moment.setText("70")
    QTest.keyClick(pane.editor.moment, Qt.Key.Key_Return)
    assert steps_of(pane)[1].endswith("at 70%")
    assert pane.table.currentIndex().row() == 2
    pane.table.setFocus()
    QTest.keyClick(pane.table, Qt.Key.Key_Delete)
    assert [text.partition(":")[0] for text in steps_of(pane)] == ["attach"]


@pytest.mark.slow
def test_that_an_impossible_step_says_why_and_what_follows_waits(pane: GrowthPlanPane) -> None:
    add(pane, GrowthKind.ATTACH, "1 TB")
    add(pane, GrowthKind.ADD, "raidz2:8x8TB")
    assert cell(pane, 1, 0) == cell(pane, 2, 0) == "not possible"
    assert "too small" in pane.stages.index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "waits" in pane.stages.index(2, 1).data(Qt.ItemDataRole.ToolTipRole)
    pane._select(1)
    assert "too small" in pane.detail.toPlainText()


@pytest.mark.slow
@pytest.mark.parametrize(("amount", "when", "moment"), [("six", 1, "80"), ("6 TB", 1, "0"), ("6 TB", 2, "soon")])
def test_that_a_field_nobody_can_read_is_said_and_changes_nothing(
    pane: GrowthPlanPane, amount: str, when: int, moment: str
) -> None:
    add(pane, GrowthKind.ATTACH, amount, when, moment)
    assert steps_of(pane) == []
    assert pane.editor.problem.text()


@pytest.mark.slow
def test_that_a_usual_way_can_be_taken_and_no_design_is_said(pane: GrowthPlanPane) -> None:
    pane.below.setCurrentWidget(pane.ways)
    assert pane.ways.model.rowCount() == 5
    row = next(n for n, way in enumerate(pane.ways.model.rows) if way.name.startswith("A further vdev"))
    pane.ways.view.selectRow(row)
    pane.ways.take.click()
    assert steps_of(pane)
    assert all(text.startswith("add:raidz2") for text in steps_of(pane))
    pane.session.put_design(None)
    pane.refresh()
    assert "layout first" in pane.intro.text()


@pytest.mark.slow
def test_that_without_data_the_pane_asks_for_them_and_still_tells_the_space(pane: GrowthPlanPane) -> None:
    pane.session.expectations.assume(used_bytes=None)
    add(pane, GrowthKind.ATTACH, "6 TB")
    assert pane.plot.chart is None
    assert cell(pane, 1, 3) == ""
    assert cell(pane, 1, 2)


@pytest.mark.slow
def test_that_the_plot_has_the_room_before_and_after_each_step_and_is_drawn(pane: GrowthPlanPane, qtbot: QtBot) -> None:
    add(pane, GrowthKind.ADD, "raidz2:8x8TB")
    chart = there(pane.plot.chart)
    full, level, data = chart.series
    assert len(full.marks) == len(level.marks) == 3
    rooms = [(mark.x, mark.y) for mark in full.marks]
    at = rooms[1][0]
    assert room_at(rooms, at - 0.01) < room_at(rooms, at + 0.01)
    assert room_at(rooms, -1.0) == rooms[0][1]
    assert level.marks[0].y == pytest.approx(0.8 * full.marks[0].y)
    assert all("%." in mark.told for mark in data.marks)
    assert [(limit.name, limit.upright) for limit in chart.limits] == [("1", True)]
    assert chart.limits[0].value <= at  # a step is begun before its room is there
    qtbot.waitUntil(lambda: pane.plot.plot is not None, timeout=10_000)
    plot = there(pane.plot.plot)
    assert plot.accessibleName()
    assert not plot.grab().isNull()
    plan = there(pane.plan)
    design = there(pane.session.design)
    shorter = there(growth_chart(evaluate(design, (), plan.question)))
    plot.show_chart(shorter)
    assert there(plot.chart).csv() == shorter.csv()


@pytest.mark.slow
def test_that_a_saved_plan_comes_back(pane: GrowthPlanPane, design: Design) -> None:
    pane.session.change_design(replace(design, growth=(parse_growth_step("add:raidz2:8x8TB on 2031-03"),)), "x")
    pane.refresh()
    pane._select(1)
    assert (pane.editor.amount.text(), pane.editor.moment.text()) == ("raidz2:8x8TB", "2031-03")
    assert pane.editor.step() == replace(parse_growth_step("add:raidz2:8x8TB on 2031-03"))


@pytest.mark.slow
def test_that_what_the_datasets_take_is_stored_at_first(pane: GrowthPlanPane) -> None:
    pane.session.expectations.assume(used_bytes=None)
    design = there(pane.session.design)
    pane.session.change_design(replace(design, datasets=(Dataset(name="media", logical_bytes=40 * 10**12),)), "Add")
    expected = there(pane.session.expected)
    assert expected.stored is not None
    assert expected.stored.space is not None
    assert expected.stored.space.normal.typical == pytest.approx(40e12, rel=0.1)
    assert cell(pane, 0, 3) == binary(expected.stored.used_bytes)
    assert expected.fill == expected.stored.space.full_at(Growth(percent=25.0), datetime.now().astimezone().date())
    pane.session.expectations.assume(used_bytes=60 * 10**12)
    assert cell(pane, 0, 3) == binary(60 * 10**12)  # what is typed for the whole pool wins


@pytest.mark.slow
def test_that_a_price_is_of_the_day_on_which_it_was_typed(pane: GrowthPlanPane) -> None:
    pane.editor.kind.setCurrentIndex(pane.editor.kind.findData(GrowthKind.ATTACH.value))
    pane.editor.price.setText("150 EUR")
    add(pane, GrowthKind.ATTACH, "6 TB")
    design = there(pane.session.design)
    (made,) = design.growth
    assert made.price_on == today_text()
    pane._select(1)
    assert f"1 × ST6000NM0034 (6 TB) at 150.00 EUR each, price of {today_text()}." in pane.detail.toPlainText()
    old = replace(made, price_on="2026-01-31")
    pane.editor.show_stage(pane.plan.stages[0], old)  # type: ignore[union-attr]
    pane.editor.moment.setText("70")
    assert pane.editor.step() == replace(old, at_percent=70)
    pane.editor.price.setText("151 EUR")
    assert pane.editor.step().price_on == today_text()
