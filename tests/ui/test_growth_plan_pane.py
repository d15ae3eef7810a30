"""The tab on growth: the plan as people see and edit it."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import part_of, press_link, saved, there

from poolwright.changes.growth.plan import evaluate
from poolwright.domain.design import Dataset, Design
from poolwright.domain.growth import parse_growth_step
from poolwright.emit.model_charts import growth_chart, room_at
from poolwright.ui.design.growth.pane import GrowthPlanPane
from poolwright.ui.design.growth.stages import StepDialog, way_title
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.expectations import today_text
from poolwright.ui.state.sources import example


@pytest.fixture
def pane(window: MainWindow, design: Design) -> GrowthPlanPane:
    session = window.session
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    session.expectations.assume(used_bytes=60 * 10**12, growth_percent=25.0)
    return part_of(window, GrowthPlanPane, "growth")


def cell(pane: GrowthPlanPane, row: int, column: int) -> str:
    return str(pane.stages.index(row, column).data())


def exact(pane: GrowthPlanPane, row: int, column: int) -> str:
    return str(pane.stages.index(row, column).data(Qt.ItemDataRole.ToolTipRole))


def steps_of(pane: GrowthPlanPane) -> list[str]:
    design = there(pane.session.design)
    return [str(step) for step in design.growth]


def add(pane: GrowthPlanPane, *texts: str) -> None:
    """Plan steps as they are written on the command line."""
    design = there(pane.session.design)
    steps = tuple(parse_growth_step(text) for text in texts)
    pane.session.change_design(replace(design, growth=(*design.growth, *steps)), "Add step of growth")


def write(dialog: StepDialog, key: str, text: str) -> None:
    entry = dialog.form.editor(key)
    entry.setText(text)  # type: ignore[union-attr]
    entry.textEdited.emit(text)  # type: ignore[union-attr]


def asked(pane: GrowthPlanPane, button: QPushButton) -> StepDialog:
    button.click()
    return pane.findChildren(StepDialog)[-1]


def way(pane: GrowthPlanPane, text: str) -> str:
    """Select the way whose name begins so, and return what is said of it."""
    row = next(n for n, known in enumerate(pane.ways.shown()) if way_title(known).startswith(text))
    pane.way_table.selectRow(row)
    return pane.about_way.toPlainText()


def test_that_each_way_says_what_it_gives_and_a_planned_one_its_commands(pane: GrowthPlanPane) -> None:
    assert [way_title(known) for known in pane.ways.shown()] == [
        "Add a vdev: raidz2 of 8 × 6 TB",
        "Replace raidz2-0 with 12 TB disks",
        "Replace all disks with 12 TB disks",
        "Expand raidz2-0 by a 6 TB disk",
    ]
    assert "raidz_expansion" in way(pane, "Expand")
    assert str(pane.ways.index(3, 1).data()).startswith("+")
    dialog = asked(pane, pane.take)
    assert "more: " in dialog.effect.text()
    write(dialog, "when", "80 %")
    dialog.ok.click()
    assert steps_of(pane) == ["attach:6TB@1 at 80%"]
    assert pane.panes.shows(pane.planned)
    after = there(pane.plan).stages[1].capacity
    assert cell(pane, 1, 1) == "Expand raidz2-0 by a 6 TB disk"
    assert exact(pane, 1, 2) == f"{after.available_bytes - there(there(pane.plan).stages[1].used_bytes):,} bytes"
    assert cell(pane, 1, 3).endswith(" %")
    shown = pane.detail.toPlainText()
    assert "zpool attach tank raidz2-0" in shown
    press_link(pane.detail, "Copy", 2)  # each command by itself, and with what waits for its end
    assert (
        QGuiApplication.clipboard().text().endswith("'/dev/disk/by-id/<new disk 1>' && zpool wait -t raidz_expand tank")
    )
    assert "Random reads" in shown  # what is expected then


@pytest.mark.slow
def test_that_all_disks_are_replaced_in_as_many_steps_as_vdevs_and_that_can_be_undone(pane: GrowthPlanPane) -> None:
    way(pane, "Replace all")
    pane.take.click()
    assert [text.partition(":")[0] for text in steps_of(pane)] == ["replace"] * 5
    pane.session.undo_steps.undo()
    pane.refresh()
    assert (steps_of(pane), pane.stages.rowCount()) == ([], 1)


@pytest.mark.slow
def test_that_steps_are_changed_and_removed(pane: GrowthPlanPane) -> None:
    add(pane, "attach:6TB@1", "add:raidz2:8x8TB on 2031-03")
    pane.table.selectRow(2)
    dialog = asked(pane, pane.change)
    assert dialog.value() == parse_growth_step("add:raidz2:8x8TB on 2031-03")
    write(dialog, "when", "20310315")
    assert not dialog.ok.isEnabled(), "no month, as on the command line"
    write(dialog, "when", "70")
    dialog.ok.click()
    assert steps_of(pane)[1].endswith("at 70%")
    assert pane.table.currentIndex().row() == 2
    pane.panes.bring_to_front(pane.planned)
    pane.table.setFocus()
    QTest.keyClick(pane.table, Qt.Key.Key_Delete)
    assert [text.partition(":")[0] for text in steps_of(pane)] == ["attach"]


@pytest.mark.slow
def test_that_the_commands_of_the_plan_are_saved_each_below_its_step(pane: GrowthPlanPane, tmp_path: Path) -> None:
    add(pane, "add:raidz2:8x6TB at 80%", "add:raidz2:8x12TB at 80%")
    text = saved(pane.save, tmp_path / "grow.txt")
    first, then = text.index(": Add a vdev: raidz2 of 8 × 6"), text.index(": Add a vdev: raidz2 of 8 × 12")
    assert first < text.index("zpool add ") < then


def test_that_an_impossible_step_says_why_and_what_follows_waits(pane: GrowthPlanPane) -> None:
    add(pane, "attach:1TB@1", "add:raidz2:8x8TB")
    assert cell(pane, 1, 0) == cell(pane, 2, 0) == "not possible"
    assert "too small" in pane.stages.index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "waits" in pane.stages.index(2, 1).data(Qt.ItemDataRole.ToolTipRole)
    pane.panes.bring_to_front(pane.planned)
    pane.table.selectRow(1)
    assert "too small" in pane.detail.toPlainText()
    assert "not possible" in pane.intro.text()
    assert not pane.take.isEnabled()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "text"), [("amount", "six"), ("when", "0"), ("when", "soon"), ("amount", "1TB")])
def test_that_what_nobody_can_do_is_said_and_not_taken(pane: GrowthPlanPane, key: str, text: str) -> None:
    way(pane, "Expand")
    dialog = asked(pane, pane.take)
    write(dialog, key, text)
    assert not dialog.ok.isEnabled()
    assert dialog.form.unread() or dialog.effect.text()


@pytest.mark.slow
def test_that_without_data_the_pane_asks_for_them_and_still_tells_the_space(pane: GrowthPlanPane) -> None:
    pane.session.expectations.assume(used_bytes=None)
    add(pane, "attach:6TB@1")
    assert pane.plot.chart is None
    assert cell(pane, 1, 3) == ""
    assert cell(pane, 1, 2)


@pytest.mark.slow
def test_that_the_plot_has_the_room_before_and_after_each_step_and_is_drawn(pane: GrowthPlanPane, qtbot: QtBot) -> None:
    add(pane, "add:raidz2:8x8TB at 80%")
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
    pane.panes.bring_to_front(pane.data)
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
def test_that_what_the_datasets_take_is_stored_at_first(pane: GrowthPlanPane) -> None:
    pane.session.expectations.assume(used_bytes=None)
    design = there(pane.session.design)
    pane.session.change_design(replace(design, datasets=(Dataset(name="media", logical_bytes=40 * 10**12),)), "Add")
    expected = there(pane.session.expected)
    assert expected.stored is not None
    assert expected.stored.space is not None
    assert expected.stored.space.normal.typical == pytest.approx(40e12, rel=0.1)
    assert exact(pane, 0, 3) == f"{expected.stored.used_bytes:,} bytes"
    assert expected.fill == expected.stored.space.full_at(25.0, datetime.now().astimezone().date())
    pane.session.expectations.assume(used_bytes=60 * 10**12)
    assert exact(pane, 0, 3) == f"{60 * 10**12:,} bytes"  # what is typed for the whole pool wins


@pytest.mark.slow
def test_that_a_price_is_of_the_day_on_which_it_was_typed(pane: GrowthPlanPane) -> None:
    way(pane, "Expand")
    dialog = asked(pane, pane.take)
    write(dialog, "price", "150 EUR")
    dialog.ok.click()
    (made,) = there(pane.session.design).growth
    assert made.price_on == today_text()
    assert f"1 × ST6000NM0034 (6 TB) at 150.00 EUR each, price of {today_text()}." in pane.detail.toPlainText()
    old = replace(made, price_on="2026-01-31")
    dialog = StepDialog(evaluate(there(pane.session.design), (), there(pane.plan).question), old, pane)
    write(dialog, "when", "70")
    assert dialog.value() == replace(old, at_percent=70)
    write(dialog, "price", "151 EUR")
    assert dialog.value().price_on == today_text()
