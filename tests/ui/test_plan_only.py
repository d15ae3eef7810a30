"""The badge of planned disks: one text in one place, wherever they are shown."""

from dataclasses import replace
from datetime import date

import pytest
from pytestqt.qtbot import QtBot
from tests.design.binding.at_hand import machine, planned_design, real_disk
from tests.emit.drawn import report_markdown
from tests.ui.controls import visit
from tests.ui.rankings import details_of, ranking_in

from poolwright.cli.main import run
from poolwright.design.binding.applying import bound_design
from poolwright.design.binding.binding import bind_disks
from poolwright.design.comparison_columns import zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.domain.disk import Disk, plan_only
from poolwright.emit.comparison_charts import layout_with_badge
from poolwright.emit.disk_words import all_facts, script_text, use_text
from poolwright.emit.report_design import DesignSubject
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book
from poolwright.ui.design.page import DesignPage
from poolwright.ui.design.picture.content import content_of
from poolwright.ui.design.picture.pane import PicturePane
from poolwright.ui.design.picture.words import tile_lines
from poolwright.ui.disks.columns import DiskColumn, tooltip
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import typed_disks

BADGE = "plan only: bind before script"
PLANNED = planned_design("mirror:2x8TB")
BOUND = bound_design(bind_disks(PLANNED, machine([real_disk("sda"), real_disk("sdb")])))


def test_that_it_is_said_of_planned_disks_only() -> None:
    real, planned = Disk(key="a"), Disk(key="b", planned=True)
    assert plan_only((real, planned)) == BADGE
    assert plan_only((real, planned), short=True) == "plan only"
    assert plan_only((real,)) == ""
    assert plan_only(()) == ""


def test_that_the_table_of_disks_and_the_details_say_it() -> None:
    planned, real = PLANNED.disks[0], BOUND.disks[0]
    assert (use_text(planned), script_text(planned)) == ("yes", "plan only")
    assert tooltip(planned, DiskColumn.SCRIPT) == BADGE
    assert any(BADGE in said.lower() for said in all_facts(planned))
    assert use_text(real) == "yes"
    assert not any(BADGE in said.lower() for said in all_facts(real))


def test_that_the_picture_says_it_of_a_tile() -> None:
    for design, said in ((PLANNED, True), (BOUND, False)):
        content = content_of(design, (), capacity=None, problem="", findings=())
        assert (BADGE in tile_lines(next(iter(content.tiles())), None)) is said


@pytest.mark.parametrize(("design", "said"), [(PLANNED, True), (BOUND, False)], ids=("planned", "bound"))
def test_that_comparisons_and_reports_say_it(design: object, said: bool) -> None:
    evaluation = evaluate(design, drives=load_drive_book(), today=date(2026, 1, 1))  # type: ignore[arg-type]
    assert ("plan only" in layout_with_badge(zfs_column(evaluation))) is said
    assert ("This is a plan: " in report_markdown(DesignSubject(evaluation=evaluation))) is said


def test_that_the_list_of_disks_on_the_command_line_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inventory", "--disks", "2 x 8TB"]) == 0
    assert capsys.readouterr().out.count("plan only") == 2


@pytest.mark.slow
def test_that_the_details_of_a_ranked_layout_say_it(window: MainWindow, rules: RuleBook, qtbot: QtBot) -> None:
    window.session.set_rules(rules)
    window.session.sources.take_read(typed_disks("6 x 8TB"))
    assert BADGE in details_of(ranking_in(window, qtbot))


def test_that_the_tree_and_the_key_of_the_picture_say_it_which_another_design_begins_with(window: MainWindow) -> None:
    window.session.open_design(PLANNED)
    page = visit(window, DesignPage)
    assert "2 of 2 disks are not bound" in page.sentence()
    pane = page.part("picture")
    assert isinstance(pane, PicturePane)
    assert BADGE in pane.key.text()
    pane.as_tree.setChecked(True)
    told = [
        line.text(2) for tile in pane.editing.content.tiles() if (line := pane.tree.item_of(tile.piece)) is not None
    ]
    assert told
    assert all("plan only" in text for text in told)
    page.bring_to_front("growth")
    for key, tab in ((PLANNED.key, "growth"), ("another", "picture")):
        window.show_page("settings")
        window.session.show_design(replace(PLANNED, key=key))
        assert page.shows(tab)
